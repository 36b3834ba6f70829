"""Tables that are read in chunks."""

from contextlib import nullcontext

import dask
import numpy as np
import pyarrow.feather
import pytest

from ssrlpl._utils import limits
from ssrlpl.job import FitOptions, ReadOptions, Silent, fit_table, summarize
from ssrlpl.tables import TableError
from table_samples import pd, table


@pytest.fixture
def frame():
    frame, _ = table("digits", 600)
    frame.insert(5, "shade", np.where(frame["pixel_3_3"] > 8, "dark", "light"))
    frame.loc[::13, "pixel_2_4"] = np.nan
    frame["code"] = [f"{i % 7:03d}" for i in range(len(frame))]
    return frame


@pytest.fixture
def in_chunks(monkeypatch):
    monkeypatch.setattr(limits, "STREAM_ROWS", 100)
    monkeypatch.setattr(limits, "STREAM_BYTES", 1000)
    monkeypatch.setattr(limits, "CHUNK_ROWS", 130)


def job(source, **options):
    return fit_table(FitOptions(ReadOptions(str(source)), "label", **options), Silent())


def assert_same(stream, whole, *, atol=1e-4):
    assert stream.X is None
    assert whole.X is not None
    assert np.allclose(stream.representation, whole.representation, atol=atol)
    assert np.allclose(stream.predictions.probability, whole.predictions.probability, atol=atol)
    assert stream.target.labels.tolist() == whole.target.labels.tolist()
    assert stream.feature_names == whole.feature_names
    pd.testing.assert_frame_equal(
        stream.sample.frame.reset_index(drop=True), whole.sample.frame.reset_index(drop=True)
    )


@pytest.mark.parametrize("method", ["linear", "kernel", "auto"])
def test_large_tables_give_what_small_ones_give(tmp_path, frame, request, method):
    """A kernel map of as many landmarks as rows, and a search that saw all, are the exact ones."""
    if method == "auto":
        frame = frame.iloc[:250]
    frame.to_parquet(tmp_path / "t.parquet", index=False, row_group_size=190)
    whole = job(tmp_path / "t.parquet", method=method)
    request.getfixturevalue("in_chunks")
    stream = job(tmp_path / "t.parquet", method=method)
    assert_same(stream, whole)
    assert type(stream.model["model"]) is type(whole.model["model"])


@pytest.mark.parametrize("form", ["csv", "csv.gz", "german.csv", "feather", "many", "folder"])
def test_every_form_of_a_large_table(tmp_path, frame, request, form):
    path = tmp_path / f"t.{form}"
    if form == "german.csv":
        frame.to_csv(path, index=False, sep=";", decimal=",", encoding="cp1252")
    elif "csv" in form:
        frame.to_csv(path, index=False)
    elif form == "feather":
        pyarrow.feather.write_feather(frame, path, chunksize=200)
    else:
        (tmp_path / "parts").mkdir()
        for i, rows in enumerate((slice(0, 250), slice(250, 251), slice(251, None))):
            frame.iloc[rows].to_parquet(tmp_path / f"parts/{i}.parquet", index=False)
        frame.to_parquet(tmp_path / "whole.parquet", index=False)
        path = tmp_path / ("parts/*.parquet" if form == "many" else "parts")
    several = form in ("many", "folder")
    whole = job(tmp_path / "whole.parquet" if several else path, method="linear")
    request.getfixturevalue("in_chunks")
    assert_same(job(path, method="linear"), whole)


def test_dask_gives_the_bits_of_this_process(tmp_path, frame, in_chunks, monkeypatch):
    monkeypatch.setattr("ssrlpl.job.fit.connected", lambda address: nullcontext())
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    here = job(tmp_path / "t.parquet", method="linear")
    with dask.config.set(scheduler="threads"):
        there = job(tmp_path / "t.parquet", method="linear", dask="somewhere")
    assert np.array_equal(here.representation, there.representation)
    assert np.array_equal(here.predictions.probability, there.predictions.probability)


def test_the_search_of_a_table_in_chunks_is_summarized(tmp_path, frame, in_chunks, monkeypatch):
    """Labels that look wrong are named by their row in the table, of which a sample was seen."""
    monkeypatch.setattr("ssrlpl.job.fit.connected", lambda address: nullcontext())
    monkeypatch.setattr(limits, "CHUNKED_SAMPLE_ROWS", 250)
    slip = np.flatnonzero(frame["label"].notna())[-1]
    frame.loc[slip, "label"] = str((int(frame["label"][slip]) + 5) % 10)
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    options = FitOptions(ReadOptions(str(tmp_path / "t.parquet")), "label", dask="somewhere")
    with dask.config.set(scheduler="threads"):
        fitted = fit_table(options, Silent())
        summary = summarize(fitted, options, Silent())
    assert str(slip) in [one["row"] for one in summary["suspects"]["rows"]]


def test_audited_rows_teach_nothing_in_chunks_either(tmp_path, frame, in_chunks):
    labeled = frame["label"].notna().to_numpy()
    frame["audited"] = labeled & (np.cumsum(labeled) % 2 == 0)
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    found = job(tmp_path / "t.parquet", method="linear", audit="audited")
    assert found.audit is not None
    assert found.audit.sum() == frame["audited"].sum()
    assert "audited" not in found.feature_names


@pytest.mark.parametrize("audit", [None, "0.5", "audited"])
def test_labels_of_a_table_in_chunks_are_certified_as_those_in_memory(
    tmp_path, frame, request, audit
):
    labeled = np.flatnonzero(frame["label"].notna())
    frame["audited"] = np.isin(np.arange(len(frame)), labeled[::2])
    if audit != "audited":
        frame = frame.drop(columns="audited")
    frame.to_parquet(tmp_path / "t.parquet", index=False, row_group_size=190)
    whole = job(tmp_path / "t.parquet", method="linear", audit=audit)
    request.getfixturevalue("in_chunks")
    stream = job(tmp_path / "t.parquet", method="linear", audit=audit)
    found, expected = stream.certified, whole.certified
    assert found.error_upper == expected.error_upper < 1
    assert found.labels.tolist() == expected.labels.tolist()
    assert found.baselines == expected.baselines
    assert np.array_equal(stream.accepted, whole.accepted)


def test_what_takes_figures_back_is_seen_in_chunks_too(tmp_path, frame, in_chunks):
    """Only the darkest images have a label."""
    dark = frame.filter(like="pixel").sum(axis=1).rank() > 500
    frame["label"] = frame["code"].where(dark)
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    found = job(tmp_path / "t.parquet", method="linear")
    assert "labeled rows are not like the others" in found.not_certified
    assert found.certified is None


def test_what_is_no_large_table_says_so(tmp_path, frame, in_chunks):
    frame.iloc[:200].to_parquet(tmp_path / "a.parquet", index=False)
    frame.iloc[200:, 1:].to_parquet(tmp_path / "b.parquet", index=False)
    frame.to_csv(tmp_path / "t.csv", index=False)
    for source, options, words in (
        (tmp_path / "*.parquet", {}, "same columns"),
        (tmp_path / "*.feather", {}, "names no file"),
        (tmp_path / "t.csv", {"dask": "local"}, "Parquet or Arrow"),
        (tmp_path / "t.csv", {"method": "poisson"}, "--method poisson needs the whole table"),
    ):
        with pytest.raises(TableError, match=words):
            job(source, **options)
