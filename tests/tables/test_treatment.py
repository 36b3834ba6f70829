"""Columns become numbers, whole and in chunks, in the first table and in new ones."""

import numpy as np
import pytest

from ssrlpl._utils import limits
from ssrlpl.tables import (
    Columns,
    Evidence,
    ParquetTable,
    TableError,
    choose_columns,
    feature_names,
    make_treatment,
    model_inputs,
    treatment_from_evidence,
)
from table_samples import mixed_frame, pd, write


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("chunk", [7, 20, 60])
def test_a_table_in_chunks_is_treated_as_one_in_memory(scale, chunk, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "CHUNK_ROWS", chunk)
    frame = mixed_frame().drop(columns="kind")
    evidence = Evidence(list(frame.columns))
    table = ParquetTable(write(frame, tmp_path / "t.parquet"))
    for part in table.chunks():
        evidence.add(part)
    columns = choose_columns(evidence)
    together = Evidence(list(frame.columns))
    together.add(frame)
    assert columns == choose_columns(together)
    inputs = model_inputs(frame, columns.numbers, columns.texts)
    whole = make_treatment(columns, scale=scale).fit(inputs)
    parts = treatment_from_evidence(columns, evidence, scale=scale)
    assert np.allclose(whole.transform(inputs), parts.transform(inputs), atol=1e-12)
    assert feature_names(parts) == feature_names(whole)


def test_scaled_numbers_have_mean_zero_and_variance_one():
    frame = mixed_frame()
    columns = Columns(["größe", "count"], ["farbe"])
    inputs = model_inputs(frame, columns.numbers, columns.texts)
    X = make_treatment(columns).fit_transform(inputs)
    assert np.allclose(X[:, :2].mean(axis=0), 0, atol=1e-12)
    assert np.allclose(X[:, :2].std(axis=0), 1)
    assert np.array_equal(X[:, 2:].sum(axis=1), np.ones(60))
    unscaled = make_treatment(columns, scale=False).fit_transform(inputs)
    assert np.array_equal(unscaled[:, 1], frame["count"])
    assert np.allclose(unscaled[::7, 0], frame["größe"].mean())


def test_new_rows_must_have_the_columns_and_kinds_of_the_first():
    frame = mixed_frame()
    with pytest.raises(TableError, match="column 'größe', which the table does not have"):
        model_inputs(frame.drop(columns="größe"), ["größe"], ["farbe"])
    frame["count"] = ["many", *frame["count"][1:]]
    with pytest.raises(TableError, match="'count' must hold numbers.*'many' in row 0"):
        model_inputs(frame, ["count"], [])
    numbers = pd.DataFrame({"code": [1.0, np.nan, 3.0]})
    assert model_inputs(numbers, [], ["code"])["code"].tolist()[::2] == ["1", "3"]
