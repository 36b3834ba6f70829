"""Run independent tasks in threads, each with its share of the BLAS threads.

BLAS runs a matrix product on all cores, but the elementwise operations around it (exponentials,
copies) run on one. Tasks that run in parallel use all cores for both.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
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


def count_workers(n_jobs: int | None) -> int:
    """Return the number of threads for ``n_jobs`` as scikit-learn counts them, None: BLAS's."""
    return blas_threads() if n_jobs is None else max(1, effective_n_jobs(n_jobs))


@contextmanager
def _shared_out(share: int) -> Iterator[Callable[[], None]]:
    """Divide the BLAS threads among workers; each worker must call the yielded function.

    With OpenMP a limit applies only to the thread that sets it.
    """

    def set_own_share() -> None:
        for library in _libraries().lib_controllers:
            library.set_num_threads(share)

    with _libraries().limit(limits=share):
        yield set_own_share


class _OneThread:
    """Sets BLAS to one thread while anybody needs that; the last one restores the number."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                self._limit = _libraries().limit(limits=1)
            self._users += 1
        for library in _libraries().lib_controllers:  # with OpenMP each thread has its own limit
            library.set_num_threads(1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._limit.restore_original_limits()


one_blas_thread = _OneThread()
"""Within it, matrix products run in one thread: their last bits can depend on how many."""


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
        with (
            _shared_out(share) as set_share,
            ThreadPoolExecutor(workers, initializer=set_share) as pool,
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
