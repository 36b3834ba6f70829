"""Run independent tasks in threads, each with its share of the BLAS threads.

BLAS runs a matrix product on all cores, but the elementwise operations around it (exponentials,
copies) run on one. Tasks that run in parallel use all cores for both.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from numbers import Integral
from typing import Any, TypeVar

# Dependencies of scikit-learn, which uses them for the same purpose.
from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2
"""Finished results per worker that may wait to be used."""

_busy = threading.Lock()
"""Held while workers run, because the number of BLAS threads is set for the whole process."""


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def blas_threads() -> int:
    """Return the number of threads that a matrix product may use, as set by the user."""
    return max((library["num_threads"] for library in _libraries().info()), default=1)


def count_workers(n_jobs: Any) -> int:
    """Return the number of threads for ``n_jobs`` as scikit-learn counts them, None: BLAS's."""
    if n_jobs is None:
        return blas_threads()
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(
            f"n_jobs must be None or an int other than 0. Got {n_jobs!r}: pass 1 for one thread, -1"
            " for all cores."
        )
    return max(1, effective_n_jobs(n_jobs))


class _BlasThreads:
    """The number of BLAS threads: the smallest that anybody asks for, as long as somebody does.

    Most libraries have one number for the process, which one thread must not restore while another
    still needs a smaller one. With OpenMP each thread has a number of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: list[int] = []
        self._before: list[int] = []

    @contextmanager
    def at_most(self, number: int) -> Iterator[None]:
        libraries = _libraries().lib_controllers
        with self._lock:
            own = [library.num_threads for library in libraries]
            if not self._asked:
                self._before = own
            self._asked.append(number)
            self._set(self._due())
        try:
            yield
        finally:
            with self._lock:
                self._asked.remove(number)
                self._set([
                    before if _is_of_each_thread(library) else due
                    for library, before, due in zip(libraries, own, self._due(), strict=True)
                ])  # fmt: skip

    def _due(self) -> list[int]:
        """Return the number for each library; what it was before if nobody asks for less."""
        return [min([*self._asked, before]) for before in self._before]

    @staticmethod
    def _set(numbers: list[int]) -> None:
        for library, number in zip(_libraries().lib_controllers, numbers, strict=True):
            # Since threadpoolctl 3.8 only the thread that was the first may set OpenBLAS's number,
            # unless it is told that this thread is done. Here the lock keeps threads apart.
            forget = getattr(library, "clear_controlling_thread", None)
            if forget is not None:
                forget(force=True)
            library.set_num_threads(number)
            if forget is not None:
                forget(force=True)


_blas = _BlasThreads()


def _is_of_each_thread(library: Any) -> bool:
    return getattr(library, "threading_layer", None) == "openmp"


def one_blas_thread() -> AbstractContextManager[None]:
    """Let matrix products run in one thread: their last bits can depend on how many."""
    return _blas.at_most(1)


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], *, workers: int, ahead: int = AHEAD
) -> Generator[Result, None, None]:
    """Yield ``work(item)`` for each item in order, computed in parallel.

    Because of the order, sums over the results do not depend on the number of workers. At most
    ``ahead`` results per worker wait to be used, which limits memory; more let the others go on
    while one takes long. If another thread already runs workers, the items are processed one by
    one in this thread.
    """
    if workers <= 1 or not _busy.acquire(blocking=False):
        yield from map(work, items)
        return
    try:
        share = max(1, blas_threads() // workers)

        def set_own_share() -> None:
            for library in filter(_is_of_each_thread, _libraries().lib_controllers):
                library.set_num_threads(share)

        with (
            _blas.at_most(share),
            ThreadPoolExecutor(workers, initializer=set_own_share) as pool,
        ):
            yield from _ahead_of_use(pool, work, items, ahead * workers)
    finally:
        _busy.release()


def _ahead_of_use(
    pool: ThreadPoolExecutor, work: Callable[[Item], Result], items: Iterable[Item], most: int
) -> Generator[Result, None, None]:
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) >= most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # after an error or Ctrl-C, cancel tasks that have not started
        pool.shutdown(wait=False, cancel_futures=True)
