"""A real cluster: its answer is that of one process, to the bit, or a clear error."""

import os
import subprocess
import sys

import dask
import pytest
from chunked_problems import (
    KillsItsWorker,
    KillsScheduler,
    TakesAllMemory,
    cut,
    dask_table,
    digest,
    in_this_process,
)
from sklearn.base import clone

from conftest import problem
from distributed import Client, LocalCluster
from ssrlpl import SSRLPL, KernelSSRLPL, on_progress
from ssrlpl.distributed.engine import ClusterError

long = pytest.mark.skipif(not os.environ.get("SSRLPL_LONG"), reason="slow: make test-long")

MAPS = [
    SSRLPL(n_components=3),
    KernelSSRLPL(constraint="whitened"),
    pytest.param(SSRLPL(constraint="whitened"), marks=long),
    pytest.param(KernelSSRLPL(), marks=long),
]


PATIENT = {
    "distributed.comm.timeouts.connect": "60s",
    "distributed.comm.timeouts.tcp": "300s",
    "distributed.scheduler.no-workers-timeout": "300s",
}
"""On a busy machine a worker starts slowly; without any, a fit fails instead of waiting forever. A
worker that looks for rows of a killed one knocks at its door for as long as connecting may take."""


@pytest.fixture(scope="session")
def client():
    with (
        dask.config.set(PATIENT),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            memory_limit="1GB",
            dashboard_address=None,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def table(dtype="float64"):
    X, y, _ = problem(600, 9, 3, 0.1)
    return cut(X.astype(dtype), 130, 260, 261, 400, 500), y


def test_a_cluster_tells_of_every_chunk_and_can_be_stopped(client):
    parts, y = table()
    model, shares = SSRLPL(), []
    client.wait_for_workers(1, timeout=300)
    with on_progress(lambda _, share: shares.append(share)):
        watched = digest(model.fit(dask_table(parts), y))
    assert shares == sorted(shares)
    assert len(shares) > 2 * len(parts)  # two passes
    assert watched == digest(SSRLPL().fit(dask_table(parts), y))

    def stop(_, share):
        if share > 0.5:
            raise TimeoutError

    fresh = SSRLPL()
    with pytest.raises(TimeoutError), on_progress(stop):
        fresh.fit(dask_table(parts), y)
    assert vars(fresh) == vars(SSRLPL())


@pytest.mark.parametrize("map_", MAPS, ids=str)
@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=long)])
def test_one_worker_two_and_one_killed_give_the_bits_of_this_process(client, tmp_path, map_, dtype):
    parts, y = table(dtype)
    here = digest(clone(map_).fit(in_this_process(parts), y))
    assert digest(clone(map_).fit(dask_table(parts), y)) == here
    client.wait_for_workers(2, timeout=300)
    only = sorted(client.scheduler_info()["workers"])[:1]
    with dask.annotate(workers=only, allow_other_workers=False):
        assert digest(clone(map_).fit(dask_table(parts), y)) == here
    killed = dask_table(parts, KillsItsWorker(tmp_path, 3))
    assert digest(clone(map_).fit(killed, y)) == here
    assert len(list(tmp_path.iterdir())) > 2  # it was killed, and the chunk loaded again


def test_errors_of_a_chunk_arrive_as_they_are(client):
    parts, y = table()
    parts[2][0, 0] = float("nan")
    with pytest.raises(ValueError, match="Input X contains NaN"):
        SSRLPL().fit(dask_table(parts), y)


@long
def test_a_chunk_that_fits_in_no_worker_is_named_as_the_reason(client):
    parts, y = table()
    with pytest.raises(ClusterError, match="smaller chunks"):
        SSRLPL().fit(dask_table(parts, TakesAllMemory()), y)


@long
def test_a_lost_scheduler_is_said_and_the_estimator_stays_as_it_was(tmp_path):
    place = tmp_path / "scheduler.json"
    run = [sys.executable, "-m"]
    where = ["--scheduler-file", str(place), "--no-dashboard"]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    scheduler, worker = (
        subprocess.Popen([*run, f"distributed.cli.{command}", option, *where], env=here)
        for command, option in (("dask_scheduler", "--port=0"), ("dask_worker", "--no-nanny"))
    )
    parts, y = table()
    try:
        with Client(scheduler_file=place, timeout=300) as client:
            client.wait_for_workers(1, timeout=300)
            model = SSRLPL()
            with pytest.raises(ClusterError, match="scheduler was lost"):
                model.fit(dask_table(parts, KillsScheduler(scheduler.pid)), y)
            assert not hasattr(model, "components_")
    finally:
        scheduler.kill()
        worker.kill()
