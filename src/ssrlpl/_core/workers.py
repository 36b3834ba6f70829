"""Independent pieces of work on all cores, each with one BLAS thread.

BLAS spreads a matrix product over the cores by itself, but the passes around it (exponentials,
copies) stay on one. Pieces that run side by side use all cores for both.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar

# A dependency of scikit-learn, which uses it to the same end.
from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2
"""Results that may wait for each worker."""


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def blas_threads() -> int:
    """Return how many threads a matrix product may use now, as the user has set it."""
    return max((library["num_threads"] for library in _libraries().info()), default=1)


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], *, workers: int
) -> Iterator[Result]:
    """Yield ``work(item)`` for each item in order, computed side by side.

    The order makes sums over the results independent of the number of workers. Only so many items
    are begun that at most ``AHEAD`` results a worker wait to be used.
    """
    if workers <= 1:
        yield from map(work, items)
        return
    waiting: deque[Future[Result]] = deque()
    with _libraries().limit(limits=1), ThreadPoolExecutor(workers) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) >= AHEAD * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # after an error or Ctrl-C, what has not begun is not wanted any more
            pool.shutdown(wait=False, cancel_futures=True)
