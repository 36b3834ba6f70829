"""The linear map of a table on disk: in one thread, in two, and on two dask workers.

Beside them two processes that know nothing of each other, with half of the rows each: what the
machine gives to two at once, and so the most that any cluster on it can reach.
"""

import hashlib
import os
import re
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ssrlpl import SSRLPL
from ssrlpl._utils.printing import Table
from ssrlpl.distributed import Chunks
from ssrlpl.distributed.cluster import WORKER_SETTINGS

ROWS, COLUMNS, CLASSES, CHUNK = 10_000_000, 50, 5, 200_000
LABELS = 500


def generate(path: Path, n_rows: int) -> np.ndarray:
    """Write Gaussian classes in single precision, and return the classes of all rows."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(CLASSES, COLUMNS)).astype(np.float32)
    truth = rng.integers(0, CLASSES, n_rows, dtype=np.int8)
    with path.open("wb") as file:
        for start in range(0, n_rows, CHUNK):
            own = truth[start : start + CHUNK]
            X = rng.standard_normal((len(own), COLUMNS), dtype=np.float32) + means[own]
            X.tofile(file)
    return truth


def few_known(truth: np.ndarray) -> np.ndarray:
    """Return classes of which few are known."""
    y = np.full_like(truth, -1)
    known = np.random.default_rng(1).choice(len(truth), LABELS, replace=False)
    y[known] = truth[known]
    return y


def load(path: Path, start: int, stop: int) -> np.ndarray:
    size = np.dtype(np.float32).itemsize * COLUMNS
    rows = np.fromfile(path, np.float32, (stop - start) * COLUMNS, offset=start * size)
    return rows.reshape(-1, COLUMNS)


def loaders(path: Path, n_rows: int, first: int = 0) -> tuple[list[partial], list[int]]:
    starts = range(first, first + n_rows, CHUNK)
    lengths = [min(CHUNK, first + n_rows - start) for start in starts]
    return [partial(load, path, s, s + n) for s, n in zip(starts, lengths, strict=True)], lengths


def digest(model: SSRLPL) -> str:
    numbers = (model.components_, model.singular_values_, model.mean_)
    return hashlib.sha256(b"".join(array.tobytes() for array in numbers)).hexdigest()[:12]


def used() -> tuple[float, float]:
    """Return the CPU-seconds of this process and its peak memory in gigabytes (Linux).

    The peak of ``getrusage`` would be that of the parent, if that one was larger.
    """
    status = Path("/proc/self/status").read_text()
    (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return time.process_time(), int(peak) / 1e6


class Seen(NamedTuple):
    """What a fit took, and the digest of its numbers."""

    wall: float
    cpu: float
    longest_way: float
    """CPU-seconds of what cannot be done at the same time: this process's own thread, and the
    tasks of the worker that did most. It is the time that idle cores take, if they do not slow
    each other down, and the programs beside ours do not change it."""
    peak: float
    digest: str


def in_one_process(path: Path, y: np.ndarray, first: int = 0) -> Seen:
    """Fit in this process, to the rows from the first one on."""
    functions, lengths = loaders(path, len(y), first)
    before, start = used()[0], time.perf_counter()
    model = SSRLPL().fit(Chunks(functions, lengths), y)
    wall, (cpu, peak) = time.perf_counter() - start, used()
    return Seen(wall, cpu - before, cpu - before, peak, digest(model))


def side_by_side(path: Path, truth: np.ndarray) -> Seen:
    """Fit in two processes at once, each to half of the rows with as many labels as the whole."""
    half = len(truth) // CHUNK // 2 * CHUNK
    parts = [(path, few_known(truth[:half]), 0), (path, few_known(truth[half:]), half)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(used_after_a_while, [1.0, 1.0]))  # both have started and imported all
        start = time.perf_counter()
        found = list(pool.map(in_one_process, *zip(*parts, strict=True)))
        wall = time.perf_counter() - start
    cpu = [one.cpu for one in found]
    return Seen(wall, sum(cpu), max(cpu), max(one.peak for one in found), "-")


def used_after_a_while(pause: float) -> tuple[float, float]:
    time.sleep(pause)
    return used()


def dask_table(path: Path, n_rows: int) -> Any:
    """Return the rows on disk as a dask array."""
    import dask
    import dask.array as da

    blocks = [
        da.from_delayed(dask.delayed(read, pure=False)(), (n, COLUMNS), np.float32)
        for read, n in zip(*loaders(path, n_rows), strict=True)
    ]
    return da.concatenate(blocks)


def in_two_threads(path: Path, y: np.ndarray) -> Seen:
    """Fit in this process with dask's threads; who waits for whom is not known."""
    import dask

    X = dask_table(path, len(y))
    before, start = used()[0], time.perf_counter()
    with dask.config.set(scheduler="threads", num_workers=2):
        model = SSRLPL().fit(X, y)
    wall, (cpu, peak) = time.perf_counter() - start, used()
    return Seen(wall, cpu - before, np.nan, peak, digest(model))


def task_seconds(dask_worker: Any) -> float:
    """Return the CPU-seconds of the tasks of a worker so far."""
    counted = dask_worker.digests_total.items()
    return sum(seconds for name, seconds in counted if "thread-cpu" in name)


def on_workers(path: Path, y: np.ndarray, n_workers: int) -> Seen:
    """Fit on a cluster; the peak is that of the largest worker."""
    import dask
    import dask.array as da

    from distributed import Client, LocalCluster

    X = dask_table(path, len(y))
    how = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        dask.config.set(WORKER_SETTINGS),
        LocalCluster(n_workers=n_workers, memory_limit="1GB", **how) as cluster,
        Client(cluster) as client,
    ):
        # Imports are no part of the fit.
        SSRLPL().fit(da.from_array(np.eye(8, dtype=np.float32), chunks=(4, 8)), [0, 1] * 4)
        cpu_before = sum(cpu for cpu, _ in client.run(used).values())
        tasks_before = client.run(task_seconds)
        start, own = time.perf_counter(), time.thread_time()
        model = SSRLPL().fit(X, y)
        wall, own = time.perf_counter() - start, time.thread_time() - own
        tasks, after = client.run(task_seconds), client.run(used).values()
    cpu = sum(cpu for cpu, _ in after) - cpu_before + own
    longest_way = own + max(tasks[name] - tasks_before[name] for name in tasks)
    return Seen(wall, cpu, longest_way, max(peak for _, peak in after), digest(model))


def speed_up(n_rows: int = ROWS) -> Table:
    """SSRLPL on 10,000,000×50 on disk: one thread, two, and two dask workers (goal: 1.7 times).

    The last line is the most that two processes on this machine can reach.
    """
    load_before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "X.bin")
        truth = generate(path, n_rows)
        y, found = few_known(truth), {}
        # Each in a fresh process: dask's nannies leave one thread for BLAS behind where they start.
        ways = {
            "one process": in_one_process,
            "two threads": in_two_threads,
            "two workers": partial(on_workers, n_workers=2),
        }
        for name, fit in ways.items():
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
                found[name] = fresh.submit(fit, path, y).result()
        found["two processes that share nothing"] = side_by_side(path, truth)
    alone = found["one process"]
    rows = tuple(
        (name, *one, alone.wall / one.wall, alone.longest_way / one.longest_way)
        for name, one in found.items()
    )
    load = f"load {load_before:.0f} before, {os.getloadavg()[0]:.0f} after"
    title = f"{n_rows:,}×{COLUMNS}, {LABELS} labels, float32, {load}"
    names = ("seconds", "CPU-seconds", "CPU-seconds of the longest way", "peak GB of a process")
    return Table((title, *names, "digest", "times faster", "by the longest way"), rows)


if __name__ == "__main__":
    import sys

    print(speed_up(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS))
