"""The two calls of every fit to chunks: map over chunks, merge in a fixed binary tree.

A *part* is a value that is not computed yet: a dask ``Delayed``, or :class:`Later` in this process.
Both run the same functions on the same arrays in the same order, so their sums are equal to the
bit. Two things would change the last bits, and are kept out here. ``distributed`` hands arrays over
at odd addresses, where NumPy sums in another order: each argument is copied to an aligned one.
Matrix products in several threads sum in another order, too: they run in one.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._utils.progress import Progress
from .._utils.workers import one_blas_thread

Part: TypeAlias = Any
"""A value to be computed: ``Later``, or a dask ``Delayed``."""

_GROUP = 4
"""Parts that one task of dask merges; all of them are in the memory of a worker."""

_BYTES = 64
"""Alignment of arrays: a cache line, and the widest vector register."""


@dataclass(frozen=True)
class Later:
    """A call in this process, made when its value is needed; nothing is remembered."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    steady: bool = True

    def __call__(self) -> Any:
        """Compute the value."""
        arguments = [one() if isinstance(one, Later) else one for one in self.arguments]
        return (steadily if self.steady else _plainly)(self.function, *arguments)


def each(
    function: Callable[..., Any],
    *columns: Sequence[Any],
    shared: tuple[Any, ...] = (),
    steady: bool = True,
) -> list[Part]:
    """Return the parts ``function(*chunk, *shared)``, one for each chunk: the map.

    ``columns`` have an entry for each chunk, parts or values. A function that takes a few rows out
    of a chunk and computes nothing needs no aligned copy of all of them: ``steady`` is False.
    """
    rows = list(zip(*columns, strict=True))
    if not any(_is_delayed(entry) for row in rows for entry in row):
        return [Later(function, (*row, *shared), steady) for row in rows]
    from dask import delayed

    # What is shared travels once, not with every chunk, and together: dask works for each piece.
    travelling = delayed(shared, pure=False, traverse=False)
    call = delayed(_called, pure=False, traverse=False)
    return [call(steadily if steady else _plainly, function, travelling, *row) for row in rows]


def merged(parts: Sequence[Part], merge: Callable[[Any, Any], Any]) -> Any:
    """Return all parts merged in a fixed binary tree; a part that is None counts for nothing.

    Neighbors are merged in pairs, then the pairs, and so on; an odd one out waits for the next
    round. The tree depends on the number of parts only, not on who finishes first.
    """
    if any(_is_delayed(part) for part in parts):
        return _merged_by_dask(list(parts), merge)
    with Progress("chunks", len(parts)) as progress:
        return _tree(merge, (_now(part, progress) for part in parts))


def collected(parts: Sequence[Part]) -> list[Any]:
    """Return the values of all parts, in order."""
    if any(_is_delayed(part) for part in parts):
        return [aligned(value) for value in _computed(parts, parts)]
    with Progress("chunks", len(parts)) as progress:
        return [_now(part, progress) for part in parts]


def _now(part: Part, progress: Progress) -> Any:
    value = part()
    progress.advance()
    return value


def steadily(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function so that the bits of its value do not depend on where it runs."""
    with one_blas_thread():
        return function(*(aligned(value) for value in arguments))


def _plainly(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def _called(
    how: Callable[..., Any], function: Callable[..., Any], shared: tuple[Any, ...], *chunk: Any
) -> Any:
    return how(function, *chunk, *shared)


def aligned(value: Any) -> Any:
    """Return a value whose arrays begin at multiples of 64 bytes, copied only where they do not."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return _aligned_array(value)
    if isinstance(value, str | int | float | None) or hasattr(value, "iloc"):
        return value  # a data frame becomes an array first
    found: list[pickle.PickleBuffer] = []
    with suppress(Exception):  # what cannot be pickled did not come from another process
        content = pickle.dumps(value, protocol=5, buffer_callback=found.append)
        arrays = [np.asarray(buffer.raw()) for buffer in found]
        if any(_address(array) % _BYTES for array in arrays):
            return pickle.loads(content, buffers=[_aligned_array(array) for array in arrays])
    return value


def _aligned_array(values: NDArray[Any]) -> NDArray[Any]:
    if type(values) is np.ndarray and values.flags.c_contiguous and not _address(values) % _BYTES:
        return values
    room = np.empty(values.nbytes + _BYTES, dtype=np.uint8)
    start = -_address(room) % _BYTES
    copy = room[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    copy[...] = values
    return copy


def _address(values: NDArray[Any]) -> int:
    return int(values.__array_interface__["data"][0])


def _is_delayed(part: Any) -> bool:
    return hasattr(part, "__dask_graph__")


def _merge(merge: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if left is None or right is None:
        return right if left is None else left
    return steadily(merge, left, right)


def _tree(merge: Callable[[Any, Any], Any], values: Iterable[Any]) -> Any:
    """Merge values in a binary tree as they come; few of them are in memory at a time."""
    waiting: list[tuple[int, Any]] = []  # rounds that a value has behind it, at most one of each
    for value in values:
        rounds = 0
        while waiting and waiting[-1][0] == rounds:
            rounds, value = rounds + 1, _merge(merge, waiting.pop()[1], value)
        waiting.append((rounds, value))
    while len(waiting) > 1:
        value = waiting.pop()[1]
        waiting[-1] = (0, _merge(merge, waiting[-1][1], value))
    return waiting[0][1] if waiting else None


def _merged_by_dask(parts: list[Part], merge: Callable[[Any, Any], Any]) -> Any:
    """Merge groups of parts, then the groups: as many as a power of two, so the tree is the same.

    One task merges a group, because each of them is work for dask's scheduler.
    """
    from dask import delayed

    call, chunks = delayed(_group, pure=False, traverse=False), parts
    while len(parts) > 1:
        starts = range(0, len(parts), _GROUP)
        parts = [call(merge, *parts[start : start + _GROUP]) for start in starts]
    return aligned(_computed(parts, chunks)[0])


def _group(merge: Callable[[Any, Any], Any], *values: Any) -> Any:
    return _tree(merge, values)


def _computed(parts: Sequence[Part], chunks: Sequence[Part]) -> tuple[Any, ...]:
    """Return the values of dask's parts, by whichever scheduler is in use; chunks are counted."""
    import dask

    try:
        with Progress("chunks", len(chunks)) as progress:
            if progress.is_followed:
                return _counted(parts, chunks, progress)
            return tuple(dask.compute(*parts, traverse=False))
    except Exception as error:
        cure = _CURES.get(type(error).__name__)
        if cure is None or not type(error).__module__.startswith("distributed"):
            raise
        raise ClusterError(cure) from error


def _counted(parts: Sequence[Part], chunks: Sequence[Part], progress: Progress) -> tuple[Any, ...]:
    import dask

    client = getattr(dask.base.get_scheduler(collections=parts), "__self__", None)
    if client is None:  # not on a cluster: dask tells of every task, in this thread
        keys = {chunk.key for chunk in chunks}
        with dask.callbacks.Callback(posttask=lambda key, *_: progress.advance(key in keys)):
            return tuple(dask.compute(*parts, traverse=False))
    from distributed import as_completed

    futures = client.compute([*parts, *chunks], traverse=False)
    wanted, running = futures[: len(parts)], as_completed(futures[len(parts) :])
    del futures  # what is done and counted is forgotten, so that the cluster need not keep it
    for _ in running:
        progress.advance()
    return tuple(client.gather(wanted))


class ClusterError(ConnectionError):
    """Raised if a cluster fails, not the computation."""


_LOST = (
    "The connection to the dask scheduler was lost, and with it what was computed: see that the"
    " scheduler runs, connect to it again with Client(address), and repeat the call."
)
_CURES = {
    "KilledWorker": (
        "Workers died again and again while they worked on one chunk, most likely because it does"
        " not fit in their memory: cut X into smaller chunks (X.rechunk, or repartition for data"
        " frames), or give each worker more memory."
    ),
    "FutureCancelledError": _LOST,
    "CommClosedError": _LOST,
    "ClosedClientError": _LOST,
}
