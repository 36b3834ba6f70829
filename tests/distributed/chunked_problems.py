"""Tables in chunks, and what shall be equal to the bit, for the tests of this folder."""

import hashlib
import os
import signal
import time
from pathlib import Path

import dask
import dask.array as da
import numpy as np

from ssrlpl.distributed import Chunks

FITTED = (
    "components_", "singular_values_", "dual_coef_", "eigenvalues_", "objective_", "gamma_",
    "X_fit_", "rho_", "mean_",
)  # fmt: skip


def digest(model):
    """Return a hash of every fitted number and of the label vectors of all rows."""
    found = hashlib.sha256()
    for name in FITTED:
        if hasattr(model, name):
            found.update(np.asarray(getattr(model, name)).tobytes())
    found.update(np.asarray(model.label_distributions_.compute()).tobytes())
    return found.hexdigest()


def _loaded(chunk, number, on_load):
    if on_load is not None:
        on_load(number)
    return chunk


def dask_table(chunks, on_load=None):
    """Return a dask array of given chunks; ``on_load`` is called with the number of each."""
    load = dask.delayed(_loaded, pure=False)
    blocks = [
        da.from_delayed(load(chunk, number, on_load), chunk.shape, chunk.dtype)
        for number, chunk in enumerate(chunks)
    ]
    return da.concatenate(blocks)


def in_this_process(chunks):
    return Chunks([lambda chunk=chunk: chunk for chunk in chunks])


def cut(X, *ends):
    return np.split(X, ends)


class KillsItsWorker:
    """Kills the process that loads a chunk, at the second time it is loaded, and never again."""

    def __init__(self, folder, number):
        self.folder, self.number = Path(folder), number

    def __call__(self, number):
        if number == self.number:
            times = len(list(self.folder.iterdir()))
            (self.folder / str(times)).touch()
            if times == 1:
                os.kill(os.getpid(), signal.SIGKILL)


class TakesAllMemory:
    """Fills the memory of every process that loads a chunk, until its nanny ends it."""

    def __call__(self, number):
        if number == 1:
            hoard = []
            while True:
                hoard.append(np.ones(1 << 21))
                time.sleep(0.01)


class KillsScheduler:
    """Kills the scheduler in the middle of a fit."""

    def __init__(self, pid):
        self.pid = pid

    def __call__(self, number):
        if number == 1:
            os.kill(self.pid, signal.SIGKILL)
            time.sleep(60)
