"""Lists and objects in the cells of files whose cells have types."""

import numpy as np
import pytest

from ssrlpl import TableTransformer
from ssrlpl._utils import limits
from ssrlpl.tables import LargeTable, read
from table_samples import pd, write

ROWS = np.arange(40)
FRAME = pd.DataFrame({
    "user": [{"age": i + 0.5, "home": {"city": "ab"[i % 2]}} for i in ROWS],
    "at": [[i + 0.5, float(-i * i)] for i in ROWS],
    "tags": [[t for j, t in enumerate("pqr") if (i % 7 + 1 >> j) % 2] for i in ROWS],
    "ragged": [[1.5] * (i % 3) for i in ROWS],
    "marks": [["a;b|c,d"]] * 40,
    "kind": ["x" if i % 5 == 0 else None for i in ROWS],
})  # fmt: skip


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".jsonl", ".json"])
def test_lists_and_objects_become_columns(ending, tmp_path):
    write(FRAME, tmp_path / f"t{ending}")
    raw = read(tmp_path / f"t{ending}", target="kind")
    assert raw.frame["user.age"].tolist() == (ROWS + 0.5).tolist()
    assert raw.frame["user.home.city"].tolist() == ["ab"[i % 2] for i in ROWS]
    assert raw.frame["at_2"].tolist() == (-ROWS * ROWS).tolist()
    assert raw.notes == ["The lists in 'at' became 2 columns."]
    columns = TableTransformer().fit(raw.frame.drop(columns="kind"))
    kinds = {column.name: column.kind for column in columns.columns_}
    assert kinds == {"user.age": "number", "user.home.city": "category", "at_1": "number",
                     "at_2": "number", "tags": "choices"}  # fmt: skip
    assert columns.left_out_.keys() == {"ragged", "marks"}


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_objects_become_columns_in_chunks_too(ending, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "CHUNK_ROWS", 7)
    path = write(FRAME, tmp_path / f"t{ending}")
    table = LargeTable([path])
    whole = read(path).frame
    assert [n for n in table.names if "." in n] == ["user.age", "user.home.city"]
    for columns in (["user.home.city"], ["kind", "user.age"], None):
        chunks = pd.concat(table.chunks(columns), ignore_index=True)
        assert list(chunks) == (columns or table.names)
        for name in {"user.home.city", "user.age", "kind"} & {*chunks}:
            assert chunks[name].equals(whole[name])


def test_gaps_stay_gaps_and_names_stay_different(tmp_path):
    frame = pd.DataFrame({"at": [[1.5, None], None, [2.5, 3.5]], "at_1": [7, 8, 9]})
    write(frame, tmp_path / "t.parquet")
    raw = read(tmp_path / "t.parquet")
    assert raw.frame.columns.tolist() == ["at_1", "at_2", "at_1.1"]
    assert raw.frame.isna().sum().tolist() == [1, 2, 0]
    assert "The column name 'at_1' comes twice: the later one is 'at_1.1' here." in raw.notes
