"""Every size beyond which an algorithm or an answer changes, in one place.

``docs/limits.md`` has the same table in words. Code reads a limit as ``limits.NAME`` when it needs
it, so that a test can lower it.
"""

from __future__ import annotations

MEDIAN_ROWS = 500
"""Rows that the median heuristic looks at; of larger tables a seeded sample."""

DENSE_GRAPH_ROWS = 3000
"""Rows up to which graph systems are factorized (72 MB); beyond, conjugate gradients."""

EXACT_KERNEL_ROWS = 5000
"""Rows up to which the whitened kernel map factorizes the kernel matrix; beyond, landmarks."""

LANDMARKS = 2000
"""Landmarks that stand for all rows of a larger table."""

WHITENED_COLUMNS = 8000
"""Columns whose scatter matrix (512 MB) is still formed by the whitened linear map."""

SEARCH_ROWS = 3000
"""Rows on which ``SSRLPLCV`` makes its choice; a larger table is sampled."""

SEARCH_LABELED = 1500
"""Labeled rows among them."""

DISCRIMINANT_COLUMNS = 1000
"""Columns up to which ``SSRLPLCV`` tries linear discriminants."""

LOO_KERNEL_ENTRIES = 1 << 26
"""Entries of the labeled rows of the kernel matrix that leave-one-out keeps (512 MB)."""

TEN_FOLD_ROWS = 4000
"""Rows up to which a certificate holds labels out in ten folds; beyond, in two."""

SAMPLING_TEST_ROWS = 500
"""Rows of each kind, labeled and not, that the test for a random sample looks at."""

NEXT_CANDIDATES = 1000
"""Unlabeled rows that ``label_next`` considers; of more, a seeded sample."""

TREE_COLUMNS = 15
"""Columns up to which neighbors are found by trees; in more, matrix products are quicker."""


def hit(**sizes: int) -> tuple[str, ...]:
    """Return the names of the limits that sizes exceed, for ``limits_hit_`` of an estimator.

    Examples
    --------
    >>> from ssrlpl._utils import limits
    >>> limits.hit(MEDIAN_ROWS=501, EXACT_KERNEL_ROWS=501)
    ('MEDIAN_ROWS',)
    """
    return tuple(name for name, size in sizes.items() if size > globals()[name])
