"""The paper's kernel method with one thing to choose: k, by exact leave-one-out."""

from __future__ import annotations

from .choosing import ChosenByLOO
from .hints import Hints
from .ours import build_kernel, neighbor_counts


def plain_kernel(hints: Hints) -> ChosenByLOO:
    """Return the method with C-1 components and the median width; k by leave-one-out."""
    return ChosenByLOO(build_kernel, [[{"k": k} for k in neighbor_counts(hints.n_labeled)]])
