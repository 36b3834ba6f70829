"""The linear map of a table on disk in one process and on two dask workers."""

import hashlib
import os
import re
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from ssrlpl import SSRLPL
from ssrlpl._utils.printing import Table
from ssrlpl.distributed import Chunks
from ssrlpl.distributed.cluster import KEEPING_MEMORY

ROWS, COLUMNS, CLASSES, CHUNK = 10_000_000, 50, 5, 200_000
LABELS = 500


def generate(path: Path, n_rows: int) -> np.ndarray:
    """Write Gaussian classes in single precision, and return the labels: few are known."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(CLASSES, COLUMNS)).astype(np.float32)
    y = np.full(n_rows, -1, dtype=np.int8)
    known = np.zeros(n_rows, dtype=bool)
    known[rng.choice(n_rows, LABELS, replace=False)] = True
    with path.open("wb") as file:
        for start in range(0, n_rows, CHUNK):
            rows = slice(start, min(start + CHUNK, n_rows))
            truth = rng.integers(0, CLASSES, rows.stop - start)
            X = rng.standard_normal((len(truth), COLUMNS), dtype=np.float32) + means[truth]
            X.tofile(file)
            y[rows] = np.where(known[rows], truth, -1)
    return y


def load(path: Path, start: int, stop: int) -> np.ndarray:
    size = np.dtype(np.float32).itemsize * COLUMNS
    rows = np.fromfile(path, np.float32, (stop - start) * COLUMNS, offset=start * size)
    return rows.reshape(-1, COLUMNS)


def loaders(path: Path, n_rows: int) -> tuple[list[partial], list[int]]:
    starts = range(0, n_rows, CHUNK)
    lengths = [min(CHUNK, n_rows - start) for start in starts]
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


def in_one_process(path: Path, y: np.ndarray) -> tuple[float, float, float, str]:
    """Return wall seconds, CPU-seconds, peak gigabytes and the digest of the fit."""
    functions, lengths = loaders(path, len(y))
    before, start = used()[0], time.perf_counter()
    model = SSRLPL().fit(Chunks(functions, lengths), y)
    wall, (cpu, peak) = time.perf_counter() - start, used()
    return wall, cpu - before, peak, digest(model)


def on_workers(path: Path, y: np.ndarray, n_workers: int) -> tuple[float, float, float, str]:
    """Return the same on a cluster, the peak of the largest worker."""
    import dask
    import dask.array as da

    from distributed import Client, LocalCluster

    functions, lengths = loaders(path, len(y))
    blocks = [
        da.from_delayed(dask.delayed(f, pure=False)(), (n, COLUMNS), np.float32)
        for f, n in zip(functions, lengths, strict=True)
    ]
    how = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        dask.config.set(KEEPING_MEMORY),
        LocalCluster(n_workers=n_workers, memory_limit="1GB", **how) as cluster,
        Client(cluster) as client,
    ):
        # Imports are no part of the fit.
        SSRLPL().fit(da.from_array(np.eye(8, dtype=np.float32), chunks=(4, 8)), [0, 1] * 4)
        before = sum(cpu for cpu, _ in client.run(used).values())
        start = time.perf_counter()
        model = SSRLPL().fit(da.concatenate(blocks), y)
        wall, after = time.perf_counter() - start, client.run(used).values()
    cpu = sum(cpu for cpu, _ in after) - before
    return wall, cpu, max(peak for _, peak in after), digest(model)


def speed_up(n_rows: int = ROWS) -> Table:
    """SSRLPL on 10,000,000×50 on disk, one process beside two dask workers (goal: 1.7 times)."""
    load_before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "X.bin")
        y = generate(path, n_rows)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            alone = fresh.submit(in_one_process, path, y).result()
        two = on_workers(path, y, 2)
    rows = [("one process", *alone, 1.0), ("two workers", *two, alone[0] / two[0])]
    title = f"{n_rows:,}×{COLUMNS}, {LABELS} labels, float32, load {load_before:.0f}"
    names = (title, "seconds", "CPU-seconds", "peak GB of a process", "digest", "times faster")
    return Table(names, tuple(rows))


if __name__ == "__main__":
    import sys

    print(speed_up(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS))
