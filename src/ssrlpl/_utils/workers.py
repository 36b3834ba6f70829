"""Independent pieces of work on all cores, each with its share of the BLAS threads.

BLAS spreads a matrix product over the cores by itself, but the passes around it (exponentials,
copies) stay on one. Pieces that run side by side use all cores for both.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

# A dependency of scikit-learn, which uses it to the same end.
from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2
"""Results that may wait for each worker."""

_busy = threading.Lock()
"""Held while workers run: the number of BLAS threads belongs to the whole process."""


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def blas_threads() -> int:
    """Return how many threads a matrix product may use now, as the user has set it."""
    return max((library["num_threads"] for library in _libraries().info()), default=1)


@contextmanager
def _shared_out(workers: int) -> Iterator[Callable[[], None]]:
    """Share the BLAS threads out among workers; each has to call what is yielded.

    Where OpenMP counts the threads, a limit is about the thread that sets it.
    """
    share = max(1, blas_threads() // workers)

    def set_own_share() -> None:
        for library in _libraries().lib_controllers:
            library.set_num_threads(share)

    with _libraries().limit(limits=share):
        yield set_own_share


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], *, workers: int
) -> Generator[Result, None, None]:
    """Yield ``work(item)`` for each item in order, computed side by side.

    The order makes sums over the results independent of the number of workers. Only so many items
    are begun that at most ``AHEAD`` results a worker wait to be used. While another thread has
    workers, there are none.
    """
    if workers <= 1 or not _busy.acquire(blocking=False):
        yield from map(work, items)
        return
    try:
        with _shared_out(workers) as share, ThreadPoolExecutor(workers, initializer=share) as pool:
            yield from _ahead_of_use(pool, work, items, AHEAD * workers)
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
    finally:  # after an error or Ctrl-C, what has not begun is not wanted any more
        pool.shutdown(wait=False, cancel_futures=True)
