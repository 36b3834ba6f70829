"""Tables: reading, judging columns, turning them into numbers, whole and in chunks."""

import io

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

from ssrlpl._utils import limits  # noqa: E402
from ssrlpl.tables import (  # noqa: E402
    Columns,
    Evidence,
    ParquetTable,
    TableError,
    choose_columns,
    feature_names,
    make_treatment,
    model_inputs,
    read_table,
    read_target,
    treatment_from_evidence,
)
from ssrlpl.tables.columns import candidates  # noqa: E402
from ssrlpl.tables.table_files import unique_names  # noqa: E402


def mixed_frame(n=60, seed=0):
    """Numbers with gaps, booleans, categories with gaps, and labels of which most are missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "größe": rng.normal(size=n) * 7 + 3,
            "count": rng.integers(9, size=n),
            "ok": rng.random(n) < 0.5,
            "farbe": rng.choice(["rot", "blau", "grün"], size=n),
            "kind": rng.choice(["a", "b"], size=n),
        }
    )
    frame.loc[::7, "größe"] = np.nan
    frame.loc[::9, "farbe"] = None
    frame.loc[n // 5 :, "kind"] = None
    return frame


def write(frame, path):
    writers = {
        ".csv": lambda: frame.to_csv(path, index=False),
        ".tsv": lambda: frame.to_csv(path, index=False, sep="\t"),
        ".parquet": lambda: frame.to_parquet(path, index=False),
        ".xlsx": lambda: frame.to_excel(path, index=False),
    }
    writers[path.suffix]()
    return path


def judged(frame, **options):
    evidence = Evidence(list(frame.columns))
    evidence.add(frame)
    return choose_columns(evidence, **options)


# --- reading -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".xlsx"])
def test_every_format_gives_the_same_inputs(ending, tmp_path):
    if ending == ".xlsx":
        pytest.importorskip("openpyxl")
    frame = mixed_frame()
    read = read_table(write(frame, tmp_path / f"table{ending}"), target="kind")
    numbers, texts = ["größe", "count", "ok"], ["farbe"]
    expected = model_inputs(frame, numbers, texts)
    pd.testing.assert_frame_equal(model_inputs(read.frame, numbers, texts), expected)
    target = read_target(read.frame["kind"], "kind")
    assert target.labels.tolist() == [v if isinstance(v, str) else None for v in frame["kind"]]


def test_numpy_files(tmp_path):
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1, -1, -1, 0, -1])
    np.savez(tmp_path / "a.npz", X=X, y=y, other=X[:, :1])
    read = read_table(tmp_path / "a.npz", target="y")
    assert read.frame.columns.tolist() == ["0", "1", "y"]
    assert read_target(read.frame["y"], "y").labels.tolist() == [0, 1, None, None, 0, None]
    assert read_table(tmp_path / "a.npz", array="other").frame.shape == (6, 1)
    np.save(tmp_path / "a.npy", X)
    assert np.array_equal(read_table(tmp_path / "a.npy").frame.to_numpy(), X)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_found_in_the_header(separator, tmp_path):
    lines = [["a", "b b", "c"], ["1", "x", "3"], ["2", '"y, z; w"', "4"]]
    text = "\n".join(separator.join(line) for line in lines)
    (tmp_path / "t.csv").write_text("\ufeff" + text, encoding="utf-8")
    frame = read_table(tmp_path / "t.csv").frame
    assert frame.columns.tolist() == ["a", "b b", "c"]
    assert frame["b b"].tolist() == ["x", "y, z; w"]


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n3,4\n")))
    read = read_table("-")
    assert read.frame["b"].tolist() == [2, 4]
    assert read.name == "standard input"


def test_names_become_unique_and_say_so():
    names, notes = unique_names(["a", "a", "a.1", "", None, " a "])
    assert names == ["a", "a.2", "a.1", "Unnamed: 3", "Unnamed: 4", "a.3"]
    assert len(notes) == 2
    assert "'a' comes twice" in notes[0]


def test_words_for_missing_are_classes_in_the_target_only(tmp_path):
    (tmp_path / "t.csv").write_text("x,kind\nNA,None\n1,NA\nnull,\n2,None\n")
    read = read_table(tmp_path / "t.csv", target="kind", missing=("?",))
    assert read.frame["x"].isna().tolist() == [True, False, True, False]
    assert read_target(read.frame["kind"], "kind").labels.tolist() == ["None", "NA", None, "None"]


UNREADABLE = {
    "nothing.csv": (None, "no file"),
    "folder.csv": ("folder", "is a folder"),
    "t.docx": (b"x", "ending of a table must be"),
    "empty.csv": (b"", "is empty"),
    "header.csv": (b"a,b\n", "has no rows"),
    "ragged.csv": (b"a,b\n1,2\n1,2,3\n", "Line 3 of ragged.csv has 3 cells, the header has 2"),
    "wide.csv": (b"a,b\n1,2,3\n4,5,6\n", "more cells than the 2 columns"),
    "latin.csv": ("a,b\nä,1\n".encode("latin-1"), "not UTF-8"),
    "junk.parquet": (b"hello", "cannot be read as parquet"),
    "junk.xlsx": (b"hello", "cannot be read as Excel"),
    "junk.npz": (b"hello", "Python objects|cannot be read"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_files_give_one_sentence(name, tmp_path):
    content, message = UNREADABLE[name]
    if content == "folder":
        (tmp_path / name).mkdir()
    elif content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=message) as caught:
        read_table(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_numpy_files_that_cannot_be_tables(tmp_path):
    np.savez(tmp_path / "objects.npz", X=np.array([[{}]]))
    with pytest.raises(TableError, match="Python objects"):
        read_table(tmp_path / "objects.npz")
    np.savez(tmp_path / "other.npz", data=np.ones((2, 2)))
    with pytest.raises(TableError, match="holds data, but no array 'X'.*--array"):
        read_table(tmp_path / "other.npz")
    np.save(tmp_path / "cube.npy", np.ones((2, 2, 2)))
    with pytest.raises(TableError, match="must hold a matrix"):
        read_table(tmp_path / "cube.npy")
    np.savez(tmp_path / "short.npz", X=np.ones((3, 2)), y=np.ones(2))
    with pytest.raises(TableError, match="one label for each of its 3 rows"):
        read_table(tmp_path / "short.npz", target="y")


def test_parquet_columns_of_one_name(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table([pa.array([1.0, 2.0]), pa.array([3.0, 4.0])], names=["a", "a"])
    parquet.write_table(table, tmp_path / "t.parquet")
    both = {"a": [1.0, 2.0], "a.1": [3.0, 4.0]}
    assert read_table(tmp_path / "t.parquet").frame.to_dict("list") == both
    (chunk,) = ParquetTable(tmp_path / "t.parquet").chunks()
    assert chunk.to_dict("list") == both
    (chunk,) = ParquetTable(tmp_path / "t.parquet").chunks(["a.1"])
    assert chunk.to_dict("list") == {"a.1": [3.0, 4.0]}


def test_chunks_have_the_columns_that_were_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "CHUNK_ROWS", 1)
    frame = pd.DataFrame({" a ": [1.0, 2.0], "b": ["x", "y"], "c": [3.0, 4.0]})
    table = ParquetTable(write(frame, tmp_path / "t.parquet"))
    assert table.names == ["a", "b", "c"]
    for asked in (["c", "a"], ["b"], ["a", "c", "b"]):
        found = pd.concat(table.chunks(asked), ignore_index=True)
        expected = frame.rename(columns=str.strip)[asked]
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)


# --- columns -----------------------------------------------------------------------------------


def test_columns_are_judged_by_what_they_hold():
    frame = mixed_frame().drop(columns="kind")
    frame["empty"], frame["same"] = np.nan, "x"
    columns = judged(frame)
    assert columns.numbers == ["größe", "count", "ok"]
    assert columns.texts == ["farbe"]
    assert columns.dropped == ["empty", "same"]
    assert "2 columns are empty or the same" in columns.notes[0]
    assert "16 missing cells in 2 columns" in columns.notes[1]


ROWS = np.arange(60)
REFUSED = {
    "row numbers": (ROWS, "'c' looks like an identifier.*--id c.*--drop c.*--features"),
    "row numbers from 1": (ROWS + 1, "looks like an identifier"),
    "codes": ([f"u{i:03}" for i in ROWS], "nearly every value differs.*--id c"),
    "sentences": (["so many words are in this cell"] * 30 + ["and in this one as well, too"] * 30,
                  "free text"),
    "cities": ([f"c{i % 55}" for i in np.r_[ROWS, ROWS, ROWS]], "55 different.*--max-categories"),
    "dates": (pd.date_range("2020-01-01", periods=60), "holds dates"),
    "written dates": ([f"{d}.1.2020" for d in ROWS % 28 + 1], "holds dates"),
    "question marks": (["?"] + [str(i / 7) for i in ROWS[1:]], r"also '\?': pass --missing '\?'"),
    "decimal commas": ([f"{i},5" for i in ROWS % 59], "numbers written as text"),
    "lists": ([[1, 2]] * 60, "lists or objects"),
    "infinity": (np.where(ROWS == 7, np.inf, 1.5), "infinite number in row 7"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_columns_that_cannot_be_used_are_refused_by_name(name):
    values, message = REFUSED[name]
    with pytest.raises(TableError, match=message) as caught:
        judged(pd.DataFrame({"c": values}))
    assert "Column 'c'" in str(caught.value)
    assert "--drop c" in str(caught.value)


def test_what_looks_like_a_refusal_but_is_not():
    assert judged(pd.DataFrame({"year": np.arange(1990, 2050)})).numbers == ["year"]
    assert judged(pd.DataFrame({"c": ROWS}), explicit=True).numbers == ["c"]
    assert judged(pd.DataFrame({"c": [f"c{i}" for i in range(10)]})).texts == ["c"]
    city = pd.DataFrame({"c": [f"c{i % 55}" for i in np.r_[ROWS, ROWS]]})
    assert judged(city, max_categories=60).texts == ["c"]
    with pytest.raises(TableError, match="'customer_id' looks like an identifier"):
        judged(pd.DataFrame({"customer_id": 1000 + 3 * ROWS}))


def test_candidates_check_the_names_they_are_given():
    names = ["a", "b", "kind"]
    reserved = {"--target": "kind"}
    assert candidates(names, features=[], drop=["b"], reserved=reserved) == ["a"]
    assert candidates(names, features=["b"], drop=[], reserved=reserved) == ["b"]
    with pytest.raises(TableError, match="--drop names the column 'knd'.*did you mean 'kind'"):
        candidates(names, features=[], drop=["knd"], reserved=reserved)
    with pytest.raises(TableError, match="both to --features and to --target"):
        candidates(names, features=["kind"], drop=[], reserved=reserved)
    with pytest.raises(TableError, match="No column is left"):
        candidates(names, features=[], drop=["a", "b"], reserved=reserved)


# --- treatment ---------------------------------------------------------------------------------


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
    assert columns == judged(frame)
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


# --- target ------------------------------------------------------------------------------------


def test_whole_numbers_stay_whole_with_empty_cells():
    target = read_target(pd.Series([1.0, np.nan, 3.0, 1.0]), "y")
    assert target.labels.tolist() == [1, None, 3, 1]
    assert target.class_names == ["1", "3"]
    assert target.labels_per_class == [2, 1]
    assert "One class has a single label (3)" in target.notes[0]


def test_markers():
    column = pd.Series(["a", "?", "b", "?", "a", "b"])
    assert read_target(column, "y", unlabeled="?").labels.tolist() == [
        "a", None, "b", None, "a", "b"
    ]  # fmt: skip
    ints = pd.Series([0, -1, 1, 0, 1])
    target = read_target(ints, "y")
    assert target.labels.tolist() == [0, None, 1, 0, 1]
    assert "-1 in 'y' was read as unlabeled" in target.notes[0]
    assert -1 in read_target(ints, "y", unlabeled="").labels
    assert read_target(ints, "y", unlabeled="1").labels.tolist() == [0, -1, None, 0, None]
    auto = pd.Series(["auto", "a", "b", " "])
    assert read_target(auto, "y", unlabeled="auto").labels.tolist() == [None, "a", "b", None]
    with pytest.raises(TableError, match=r"--unlabeled names 'x', which no cell of 'y' holds"):
        read_target(column, "y", unlabeled="x")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([None, None], "Got no label"),
        (["a", None, "a"], "one class only"),
        ([0.5, 1.5, None], "must hold classes. Got the number 0.5"),
        (list(range(100)), "100 different labels in 100 labeled rows"),
        ([[1], [2]], "one label in a cell"),
    ],
)
def test_targets_that_are_none(values, message):
    with pytest.raises(TableError, match=message):
        read_target(pd.Series(values, dtype=object), "y")


def test_booleans_are_classes():
    target = read_target(pd.Series([True, None, False, True, False], dtype=object), "y")
    assert target.labels.tolist() == ["True", None, "False", "True", "False"]
