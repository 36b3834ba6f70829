"""All size limits beyond which an algorithm or a result changes.

``docs/limits.md`` explains them in a table. Code reads a limit as ``limits.NAME`` each time (never
``from limits import NAME``), so that a test can lower it.
"""

from __future__ import annotations

MEDIAN_ROWS = 500
"""Rows that the median heuristic uses; larger tables are sampled with a seed."""

DENSE_GRAPH_ROWS = 3000
"""Rows up to which graph systems are factorized (72 MB); beyond, conjugate gradients are used."""

EXACT_KERNEL_ROWS = 5000
"""Rows up to which the whitened kernel map factorizes the kernel matrix; beyond, landmarks."""

KERNEL_MEMORY_ROWS = 20_000
"""Rows up to which Laplacian machines keep the kernel matrix (1.6 GB in single precision)."""

SHARED_BYTES = 1 << 30
"""Bytes of matrices that the fits of a grid keep for each other; more are computed again."""

LANDMARKS = 2000
"""Number of landmarks that represent all rows of a larger table."""

WHITENED_COLUMNS = 8000
"""Columns up to which the whitened linear map forms the scatter matrix (512 MB)."""

SEARCH_ROWS = 3000
"""Rows on which ``SSRLPLCV`` makes its choice; a larger table is sampled."""

SEARCH_LABELED = 1500
"""Labeled rows in that sample."""

MAP_ROWS = 40_000
"""Rows to which ``SSRLPLCV`` fits its map; a larger table is sampled."""

MAP_LANDMARKS = 3000
"""Landmarks of the map of ``SSRLPLCV`` in tables of more than ``EXACT_KERNEL_ROWS`` rows."""

MAP_CHOICE_ROWS = 2000
"""Rows by which ``SSRLPLCV`` chooses bandwidth and ridge of its map; a larger table is sampled."""

DISCRIMINANT_COLUMNS = 1000
"""Columns up to which ``SSRLPLCV`` tries linear discriminants."""

RANKED_COLUMNS = 100
"""Columns up to which ``SSRLPLCV`` tries the ranks of columns with heavy tails."""

LOGISTIC_COEFFICIENTS = 1500
"""Coefficients up to which logistic regression is left out by a Newton step; beyond, ten folds."""

FEWER_CANDIDATES_CLASSES = 100
"""Classes up to which ``SSRLPLCV`` tries all kinds of candidates."""

LEAST_SQUARES_LABELED = 5000
"""Labeled rows to which least squares are fitted in ``SSRLPLCV``; of more, a seeded sample."""

PAIRWISE_CLASSES = 60
"""Classes up to which ``SSRLPLCV`` tries least squares for each pair of classes."""

LOO_KERNEL_ENTRIES = 1 << 26
"""Largest number of kernel entries (labeled rows × all rows) that leave-one-out keeps (512 MB)."""

TEN_FOLD_ROWS = 4000
"""Rows up to which the verdict in a calibration certificate holds out each label once."""

SAMPLING_TEST_ROWS = 500
"""Labeled rows, and as many unlabeled rows, that the test for a random sample uses."""

SAMPLING_TEST_COLUMNS = 2000
"""Columns up to which the test for a random sample looks at each of them on its own."""

GROUP_ROWS = 3000
"""Rows among which groups without a label are looked for; more are sampled with a seed."""

NEXT_CANDIDATES = 1000
"""Unlabeled rows that ``label_next`` considers; a larger number is sampled with a seed."""

TREE_COLUMNS = 15
"""Columns up to which neighbors are found by trees; with more, matrix products are faster."""

EXACT_NEIGHBOR_ROWS = 20_000
"""Rows up to which all distances are computed to find neighbors; beyond, those in near cells.

Graph labels of more rows are solved in single precision."""

DENSE_EIGEN_SIDE = 512
"""Side up to which an operator is formed to complete a map; beyond, block Lanczos if cheaper."""

EIGEN_MEMORY_SIDE = 2048
"""Side beyond which Lanczos is preferred, because a dense matrix would be large (32 MB each)."""

CALIBRATION_LABELS = 50
"""Labels that are left out to scale the probabilities of ``PoissonLearning``; evenly chosen."""

SINGLE_LABELS = 8
"""Labels up to which grids of slow baselines leave out each label alone; beyond, five groups."""

FEW_LABELS = 20
"""Labels below which a certificate says that hardly anything can be certified."""

ACCEPTED_SETS = 20_000
"""Sets of rows among which the accepted one is found; which they are depends on no label."""

PLANNED_AUDITS = 4096
"""Numbers of rows to audit up to which a plan tries all; beyond, in steps of 1 %."""

DRAWN_POINTS = 20_000
"""Points that the report can draw; of more, labeled rows first, evenly chosen."""

CERTIFY_ROWS = 20_000
"""Rows up to which ``ssrlpl fit`` certifies the map by default, and names rows to label next."""

STREAM_ROWS = 100_000
"""Rows up to which a Parquet or Arrow table is read at once; beyond, in chunks."""

STREAM_BYTES = 1 << 28
"""Bytes up to which a CSV file is read at once; beyond, in chunks."""

CHUNK_ROWS = 50_000
"""Rows of one such chunk."""

BLOCK_ROWS = 20_000
"""Rows that ``ssrlpl fit`` predicts at a time, to keep working memory small."""

CHUNKED_SAMPLE_ROWS = 50_000
"""Rows of a table in chunks from which graphs are built and on which the search is made."""

NEXT_ROWS = 50_000
"""Unlabeled rows that ``ssrlpl label-next`` passes to ``label_next``; more are sampled."""

SHOWN_ROWS = 5000
"""Rows that the report draws; if there are more, labeled rows and a seeded sample of the others."""

MAX_CATEGORIES = 50
"""Distinct texts up to which a column is treated as categorical (``--max-categories``)."""

DISTINCT_TEXTS = 10_000
"""Distinct texts of a column that are counted; a column with more is not categorical anyway."""

TAIL_ROWS = 10_000
"""Rows from which far tails and the words of texts are learned; of more, evenly spaced ones."""

MERGED_CELLS_BYTES = 10_000_000
"""Size up to which an Excel file is held in memory, so that merged cells are known (about 1 GB)."""

MODEL_LABEL_NUMBERS = 1_000_000
"""Numbers of label vectors of training rows up to which a model file holds them (8 MB)."""

MODEL_BYTES = 500_000_000
"""Size up to which the content of a model file is unpacked, however small the file is."""

MODEL_RATIO = 10
"""Times its own size to which a larger model file may grow when it is unpacked."""

UNPACKED_BYTES = 1 << 28
"""Size up to which a packed table is unpacked, however small the file is."""

UNPACKED_RATIO = 100
"""Times its own size to which a larger packed table may grow when it is unpacked."""

FILLED_CELLS = 1_000_000
"""Cells of a table up to which ``ssrlpl fit`` writes it again, with its labels filled in."""

SHEET_CELLS = 20_000_000
"""Cells, also empty ones, up to which a sheet that is held in memory is read."""

ROWS_TO_JUDGE = 20
"""Smallest number of rows at which a column of distinct values is taken for an identifier."""

TOLD_CLASSES = 100
"""Classes from which ``ssrlpl fit`` says before a search how long it will take."""

MANY_CLASSES = 20
"""Classes up to which a target is accepted; more need two labels per class on average."""


def hit(*parts: object, **sizes: int) -> tuple[str, ...]:
    """Return the names of the limits that are exceeded, for ``limits_hit_`` of an estimator.

    ``sizes`` maps names of limits to sizes. The limits that fitted ``parts`` of the estimator
    exceed are added.

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
