"""A dask cluster for the command line: one that runs somewhere, or one on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from .engine import ClusterError

LOCAL = "local"


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Compute on the cluster of a scheduler, or with "local" on a worker for each core."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ImportError("--dask needs dask: pip install 'ssrlpl[dask]'.") from error

    with ExitStack() as opened:
        if address == LOCAL:
            cluster = LocalCluster(processes=True, threads_per_worker=1, dashboard_address=None)
            address = opened.enter_context(cluster).scheduler_address
        try:
            opened.enter_context(Client(address))
        except (OSError, ValueError) as error:
            raise ClusterError(
                f"No dask scheduler answers at {address!r}: pass --dask tcp://host:8786 as 'dask"
                " scheduler' prints it, or --dask local."
            ) from error
        yield
