"""SSRLPLCV on tables in chunks: the search and its model are those of a sample."""

from __future__ import annotations

from .._utils import limits
from ..labels import write_labels
from ..model_selection.search import SSRLPLCV
from .chunked_labels import ByModel, keep_labels
from .chunked_table import ChunkedTable
from .fitting import fit_table


@fit_table.register
def fit_search(search: SSRLPLCV, table: ChunkedTable) -> None:
    """Search in a sample that has all labeled rows; its model labels every other row.

    A map that is fitted again, to the labels that it gives to all rows, takes a multiple of the
    time, and a larger sample does as well (``docs/scale.md``).
    """
    seed = search.random_state
    sample, rows = table.sample(limits.CHUNKED_SAMPLE_ROWS, seed, with_labeled=True)
    y = write_labels(sample.target, sample.target.labeled, unlabeled=search.unlabeled)
    search.fit(table.named(sample.X), y, sample.weight)
    search.loo_rows_ = rows[search.loo_rows_]
    search.limits_hit_ = limits.hit(search, CHUNKED_SAMPLE_ROWS=table.n_rows)
    keep_labels(search, table, ByModel(search.best_estimator_))
