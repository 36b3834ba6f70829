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

SELECTION_ROWS = 20_000
"""Rows up to which ``ssrlpl fit`` searches for a method; beyond, the linear map is taken."""

CERTIFY_ROWS = 20_000
"""Rows up to which ``ssrlpl fit`` computes a certificate without being asked."""

STREAM_ROWS = 100_000
"""Rows of a Parquet table up to which it is read at once; beyond, in chunks (linear map only)."""

CHUNK_ROWS = 50_000
"""Rows of one such chunk."""

BLOCK_ROWS = 20_000
"""Rows that ``ssrlpl fit`` predicts at a time, so that working memory stays small."""

NEXT_ROWS = 50_000
"""Unlabeled rows that ``ssrlpl label-next`` hands to ``label_next``; of more, a seeded sample."""

SHOWN_ROWS = 5000
"""Rows that the report draws; of more, labeled rows and a seeded sample of the others."""

MAX_CATEGORIES = 50
"""Different texts up to which a column of a table is a category (``--max-categories``)."""

DISTINCT_TEXTS = 10_000
"""Different texts of a column that are counted: a column with more is no category anyway."""

ROWS_TO_JUDGE = 20
"""Rows from which on different values say that a column identifies rows."""

MANY_CLASSES = 20
"""Classes up to which a target is believed; more must have two labels each on average."""


def hit(*parts: object, **sizes: int) -> tuple[str, ...]:
    """Return the names of the limits that sizes exceed, for ``limits_hit_`` of an estimator.

    ``parts`` are fitted estimators inside it, whose limits count too.

    Examples
    --------
    >>> from ssrlpl._utils import limits
    >>> limits.hit(MEDIAN_ROWS=501, EXACT_KERNEL_ROWS=501)
    ('MEDIAN_ROWS',)
    """
    exceeded = [name for name, size in sizes.items() if size > globals()[name]]
    for part in parts:
        exceeded += getattr(part, "limits_hit_", ())
    return tuple(dict.fromkeys(exceeded))
