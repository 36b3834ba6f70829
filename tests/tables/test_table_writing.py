"""Tables as they are written: a spreadsheet must not run their cells."""

import io

import numpy as np
import pytest

from ssrlpl._utils.spreadsheets import guarded
from ssrlpl.tables.table_writing import write_chunks
from table_samples import pd

CELLS = np.array(["=1+1", "+x", "-y", "@sum", "-1.5", "a=b", None, "\tz"], dtype=object)


@pytest.mark.parametrize("as_is", [True, False])
def test_cells_that_a_spreadsheet_would_run(as_is):
    sink = io.BytesIO()
    write_chunks([{"row": np.arange(8), "=label": CELLS}] * 2, sink, "csv", as_is=as_is)
    read = pd.read_csv(io.BytesIO(sink.getvalue()), dtype=str, keep_default_na=False)
    guarded = ["'=1+1", "'+x", "'-y", "'@sum", "-1.5", "a=b", "", "'\tz"]
    plain = ["=1+1", "+x", "-y", "@sum", "-1.5", "a=b", "", "\tz"]
    assert read.columns.tolist() == ["row", "=label" if as_is else "'=label"]
    assert read.iloc[:, 1].tolist() == (plain if as_is else guarded) * 2


def test_numbers_and_lists_are_written_as_they_are():
    cells = ["-1.218,74", "- 5 %", "+49 170 123", "-", "++", "+34:12", "-2+1", "-a", [], []]
    sink = io.BytesIO()
    write_chunks([{"c": pd.Series(cells), "empty": pd.Series([[]] * 10)}], sink, "csv")
    read = pd.read_csv(io.BytesIO(sink.getvalue()), dtype=str)
    assert read["c"].tolist() == [*cells[:6], "'-2+1", "'-a", "[]", "[]"]
    assert read["empty"].tolist() == ["[]"] * 10


def test_a_long_cell_does_not_take_the_square_of_its_length():
    nearly = "-1" + " " * 500_000 + "!"  # an hour, if all ways to cut the blanks were tried
    assert guarded(nearly) == f"'{nearly}"
    assert guarded(nearly[:-1]) == nearly[:-1]


def test_a_file_with_umlauts_has_the_mark_that_excel_needs():
    def written(cells, **how):
        sink = io.BytesIO()
        write_chunks([{"label": np.array(cells, dtype=object)}] * 2, sink, "csv", **how)
        return sink.getvalue()

    assert written(["Büro"]) == "\ufefflabel\nBüro\nBüro\n".encode()
    assert written(["Bad"]) == b"label\nBad\nBad\n"
    for how in ("as_is", "is_pipe"):
        assert written(["Büro"], **{how: True}) == "label\nBüro\nBüro\n".encode()


def test_gaps_of_one_chunk_only():
    chunks = [
        {"n": np.arange(2), "text": np.array([None, None], dtype=object), "p": [0.5, 1]},
        {"n": np.array([np.nan, 7]), "text": np.array(["a", None], dtype=object), "p": [np.nan, 1]},
        {"n": np.arange(2), "text": np.array([None, None], dtype=object), "p": [0.5, 1]},
    ]
    sink = io.BytesIO()
    write_chunks(chunks, sink, "parquet")
    frame = pd.read_parquet(io.BytesIO(sink.getvalue()))
    assert frame["n"].fillna(-1).tolist() == [0, 1, -1, 7, 0, 1]
    assert frame["text"].fillna("").tolist() == ["", "", "a", "", "", ""]
    assert frame["p"].fillna(-1).tolist() == [0.5, 1, -1, 1, 0.5, 1]
