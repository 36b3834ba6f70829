"""SSRLPLCV on tables in chunks: the search on a sample, the fit on all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from .._core.landmarks import drawn_landmarks
from .._core.readout import closest_temperature
from .._utils import limits
from ..classify import SSRLPLClassifier
from ..labelers._base import last_step
from ..labels import write_labels
from ..mixture import MixtureClassifier
from ..model_selection.candidates import params_of
from ..model_selection.search import SSRLPLCV, name_columns
from .chunked_labels import ByModel, keep_labels
from .chunked_table import Chunk, ChunkedTable
from .fitting import fit_table, read_chunks, solve


@fit_table.register
def fit_search(search: SSRLPLCV, table: ChunkedTable) -> None:
    """Search on a sample that has all labeled rows; fit the map that it chose to all rows.

    What the search found in the sample gives every row its label vector, and the map is fitted to
    these. A model of the labeled rows alone stays as it is: all of them are in the sample.
    """
    seed = search.random_state
    sample, rows = table.sample(limits.CHUNKED_SAMPLE_ROWS, seed, with_labeled=True)
    y = write_labels(sample.target, sample.target.labeled, unlabeled=search.unlabeled)
    search.fit(table.named(sample.X), y, sample.weight)
    # Rows have their numbers in the table; label vectors of it cannot be looked at row by row.
    search.loo_codes_ = sample.target.codes[search.loo_rows_]
    search.loo_rows_ = rows[search.loo_rows_]
    found = search.best_estimator_
    is_mixed = isinstance(found, MixtureClassifier)
    reader = found.reader_ if is_mixed else found
    is_map = getattr(last_step(reader), "classifier", None) == "least_squares"
    if is_map and sample.X.shape[0] < table.n_rows:
        reader = _fitted_to_all(search, reader, table, sample)
        if is_mixed:  # forests know all labeled rows already
            reader = MixtureClassifier.of_fitted(
                reader, found.others_, found.weights_, found.classes_
            )
        search.best_estimator_ = found = reader
        if hasattr(search, "feature_names_in_"):
            name_columns(found, search.feature_names_in_)
        search.best_params_ = params_of(search.best_estimator())
    search.limits_hit_ = limits.hit(search, CHUNKED_SAMPLE_ROWS=table.n_rows)
    keep_labels(search, table, ByModel(found))


def _fitted_to_all(search: SSRLPLCV, reader: Any, table: ChunkedTable, sample: Chunk) -> Any:
    """Return the map of a sample, fitted again to the label vectors that it gives to all rows."""
    taught: SSRLPLClassifier = last_step(reader)
    steps = reader[:-1] if isinstance(reader, Pipeline) else None
    rows = sample.X if steps is None else steps.transform(sample.X)
    # A map of a large sample has landmarks of its own, and was fitted to most probable labels.
    is_large = taught.representation.landmarks is not None
    labels, inner = ByModel(taught, hard=is_large), table.through(steps)
    model = clone(taught).set_params(representation__landmarks=None)
    map_ = clone(model.representation)
    landmarks = taught.representation_.X_fit_.astype(rows.dtype, copy=False)
    if not is_large:
        landmarks = rows[drawn_landmarks(len(rows), search.random_state)]
    map_.start_chunks(rows.shape[1], np.arange(len(table.classes)), (landmarks, None))
    solve(map_, inner, labels)
    map_.end_chunks()
    map_.labeler_ = taught.representation_.labeler_
    reading = read_chunks(map_, inner, labels)
    Z = map_.represent(rows)
    model.fit_parts(map_, Z, sample.target, reading)
    # As in memory, probabilities come as close as they can to the mixture.
    model.set_params(temperature=closest_temperature(reading(Z), search.label_distributions_))
    if steps is None:
        return model
    return Pipeline([*steps.steps, (reader.steps[-1][0], model)])
