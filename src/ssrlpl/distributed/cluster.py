"""A dask cluster for the command line: one that runs somewhere, or one on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from .engine import ClusterError

LOCAL = "local"

WORKER_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.nanny.pre-spawn-environ": {
        "MALLOC_TRIM_THRESHOLD_": 1 << 27,
        "MALLOC_MMAP_THRESHOLD_": 1 << 25,
        "OMP_NUM_THREADS": 1,
        "MKL_NUM_THREADS": 1,
        "OPENBLAS_NUM_THREADS": 1,
    },
}
"""Settings of workers that we start. Those of dask give the memory of every array back at once: a
fit, which needs the same blocks again and again, then takes a third more CPU time. Its profiler,
which looks at every worker a hundred times a second, is off."""


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Compute on the cluster of a scheduler, or with "local" on a worker for each core."""
    try:
        import dask

        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ImportError("--dask needs dask: pip install 'ssrlpl[dask]'.") from error

    with ExitStack() as opened:
        if address == LOCAL:
            how = {"processes": True, "threads_per_worker": 1, "dashboard_address": None}
            with dask.config.set(WORKER_SETTINGS):
                address = opened.enter_context(LocalCluster(**how)).scheduler_address
        try:
            opened.enter_context(Client(address))
        except (OSError, ValueError) as error:
            raise ClusterError(
                f"No dask scheduler answers at {address!r}: pass --dask tcp://host:8786 as 'dask"
                " scheduler' prints it, or --dask local."
            ) from error
        yield
