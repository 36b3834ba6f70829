"""How much memory a fit takes at its peak, above the rows themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .._core.blocks import block_rows
from .._core.completion import completion_bytes
from .._core.products import product_bytes
from .._core.whitening import whitening_bytes


class ProblemSize(NamedTuple):
    """Rows, columns, classes, labeled rows, and bytes of a number."""

    n: int
    d: int
    n_classes: int
    n_labeled: int
    itemsize: int


def labeling_bytes(size: ProblemSize) -> int:
    """Return the peak bytes of labeling with :class:`KNNLabeler`, label vectors included.

    One block of distances and of rows, each with a copy during the neighbor search; the labeled
    rows, original and shifted; the label vectors, found and in row order.
    """
    n, d, n_classes, n_labeled, itemsize = size
    rows = min(n, block_rows((n_labeled + d) * itemsize))
    block = rows * (2 * n_labeled + 2 * d) * itemsize
    voters = 2 * n_labeled * (d + 1) * itemsize
    return block + voters + n * (2 * n_classes * itemsize + 24)


def linear_bytes(size: ProblemSize, n_extra: int, whitened: bool) -> float:
    """Return the peak bytes of a linear map with ``n_extra`` components beyond C-1."""
    whitening = 0
    if whitened:
        # A block of centered rows and its copy; the scatter, that of a block, and its factor.
        rows = min(size.n, block_rows(size.d * size.itemsize))
        whitening = 2 * 8 * rows * size.d + 4 * 8 * size.d**2
    extra = completion_bytes(size.d, n_extra)
    moments = 8 * 8 * size.d * size.n_classes
    return 1.1 * (max(labeling_bytes(size), extra, whitening) + moments)


def kernel_bytes(
    kernel: str | Callable[..., Any], size: ProblemSize, n_extra: int, whitened: bool
) -> float:
    """Return the peak bytes of a kernel map with ``n_extra`` components beyond C-1."""
    blocks = product_bytes(kernel, size.n, size.d, size.n_classes, size.itemsize)
    products = size.n * 8 * 4 * size.n_classes
    extra = (
        whitening_bytes(size.n, size.itemsize) if whitened else completion_bytes(size.n, n_extra)
    )
    labeling = labeling_bytes(size)
    return 1.1 * max(labeling, blocks + products + extra) + labeling / 8
