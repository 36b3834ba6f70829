"""Tables in files: every format, whole and in chunks, and files that are none."""

import bz2
import gzip
import io
import json
import lzma
import os
import sqlite3
import zipfile
from contextlib import closing

import numpy as np
import pytest

from ssrlpl import TableTransformer
from ssrlpl._utils import limits
from ssrlpl.tables import LargeTable, TableError, read, read_target
from ssrlpl.tables.naming import unique_names
from ssrlpl.tables.text_formats import TextFormat
from ssrlpl.tables.text_stream import TextStream
from table_samples import mixed_frame, pd, write


@pytest.mark.parametrize(
    "ending", [".csv", ".tsv", ".parquet", ".xlsx", ".feather", ".jsonl", ".json"]
)
def test_every_format_gives_the_same_inputs(ending, tmp_path):
    if ending == ".xlsx":
        pytest.importorskip("openpyxl")
    frame = mixed_frame()
    raw = read(write(frame, tmp_path / f"table{ending}"), target="kind")
    fitted = TableTransformer().fit(frame.drop(columns="kind"))
    again = TableTransformer().fit(raw.frame.drop(columns="kind"))
    assert np.allclose(again.transform(frame), fitted.transform(frame), atol=1e-12)
    assert np.allclose(fitted.transform(raw.frame), fitted.transform(frame), atol=1e-12)
    target = read_target(raw.frame["kind"], "kind")
    assert target.labels.tolist() == [v if isinstance(v, str) else None for v in frame["kind"]]


def test_numpy_files(tmp_path):
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1, -1, -1, 0, -1])
    np.savez(tmp_path / "a.npz", X=X, y=y, other=X[:, :1])
    raw = read(tmp_path / "a.npz", target="y")
    assert raw.frame.columns.tolist() == ["0", "1", "y"]
    assert read_target(raw.frame["y"], "y").labels.tolist() == [0, 1, None, None, 0, None]
    assert read(tmp_path / "a.npz", array="other").frame.shape == (6, 1)
    np.save(tmp_path / "a.npy", X)
    assert np.array_equal(read(tmp_path / "a.npy").frame.to_numpy(), X)


SEPARATED = "a;länge;c\n1,5;Hund;3\n2,25;;4\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("separator", [";", "|", "\t"])
def test_separator_decimal_and_encoding_are_found_and_said(encoding, separator, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(SEPARATED.replace(";", separator).encode(encoding))
    raw = read(path)
    assert raw.frame["a"].tolist() == [1.5, 2.25]
    assert raw.frame["länge"].tolist()[0] == "Hund"
    (note,) = raw.notes
    assert "decimal comma" in note
    assert ("(encoding=)" in note) == (encoding not in ("utf-8", "utf-8-sig"))
    given = read(path, sep=separator, decimal=",", encoding=encoding.removesuffix("-le"))
    pd.testing.assert_frame_equal(given.frame, raw.frame)


def test_what_is_given_is_not_guessed(tmp_path):
    (tmp_path / "t.csv").write_text("a|b\n1,951|x\n3,394|y\n")
    assert read(tmp_path / "t.csv").frame["a"].tolist() == ["1,951", "3,394"]
    assert read(tmp_path / "t.csv", decimal=",").frame["a"].tolist() == [1.951, 3.394]
    (tmp_path / "t.csv").write_text("a;b\n1,951;x\n3,394;y\n")  # as spreadsheets write it
    assert read(tmp_path / "t.csv").frame["a"].tolist() == [1.951, 3.394]
    assert read(tmp_path / "t.csv", decimal=".").frame["a"].tolist() == ["1,951", "3,394"]
    (tmp_path / "t.csv").write_text("sep=;\na,b;c\n1;2\n")
    assert read(tmp_path / "t.csv").frame.columns.tolist() == ["a,b", "c"]
    with pytest.raises(TableError, match="cannot be read as klingon"):
        read(tmp_path / "t.csv", encoding="klingon")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_ends_of_lines(ending, tmp_path):
    (tmp_path / "t.csv").write_bytes(SEPARATED.replace("\n", ending).encode())
    assert read(tmp_path / "t.csv").frame["a"].tolist() == [1.5, 2.25]


def test_codes_keep_their_zeros(tmp_path):
    (tmp_path / "t.csv").write_text("zip,n,p\n01067,0,0.5\n10115,10,0\n,7,05.5\n")
    frame = read(tmp_path / "t.csv").frame
    assert frame["zip"].tolist()[:2] == ["01067", "10115"]
    assert frame["zip"].isna().tolist() == [False, False, True]
    assert frame["n"].tolist() == [0, 10, 7]
    assert frame["p"].tolist() == [0.5, 0, 5.5]


@pytest.mark.parametrize("below", ["", "Total,,,\n"])
def test_codes_in_later_lines_keep_their_zeros_and_digits(below, tmp_path):
    rows = "".join(f"{10000 + j},{j},{j}.5, 1:0{j % 10}\n" for j in range(300))
    late = "00123,1234567890123457,0.5,1:00\n7,,00.5,1:00\n"
    (tmp_path / "t.csv").write_text("id,n,p,at\n" + rows + late + below)
    frame = read(tmp_path / "t.csv").frame
    assert frame["id"].tolist()[-2:] == ["00123", "7"]
    assert frame["n"].tolist()[-2] == "1234567890123457"
    assert frame["p"].tolist()[-2:] == [0.5, 0.5]


def test_long_numbers_beside_empty_cells_keep_their_digits(tmp_path):
    (tmp_path / "t.csv").write_text("n,p\n1234567890123456789,0.1234567890123456789\n,1\n7,2\n")
    frame = read(tmp_path / "t.csv").frame
    assert frame["n"].tolist()[::2] == ["1234567890123456789", "7"]
    assert frame["p"].tolist() == [0.1234567890123456789, 1, 2]


def test_points_between_thousands_where_the_comma_is_the_decimal(tmp_path):
    (tmp_path / "t.csv").write_text("a;b;c\n1.951;0,5;01.02.2023\n12.394;1,25;28.02.2023\n")
    raw = read(tmp_path / "t.csv")
    X = TableTransformer(scale=False, decimal=raw.decimal).fit_transform(raw.frame)
    assert X[:, :2].tolist() == [[1951, 0.5], [12394, 1.25]]


@pytest.mark.parametrize(
    ("encoding", "names"),
    [("cp1252", "größe,maße"), ("cp1252", "año,señal €"), ("cp1251", "размер,цвет,название"),
     ("shift_jis", "長さ,名前,種類"), ("cp1253", "μέγεθος,χρώμα,είδος")],
)  # fmt: skip
def test_encodings_of_other_alphabets(encoding, names, tmp_path):
    pytest.importorskip("charset_normalizer")
    header = names.split(",")
    lines = [names, *(",".join([str(i)] * len(header)) for i in range(30))]
    (tmp_path / "t.csv").write_bytes("\n".join(lines).encode(encoding))
    assert read(tmp_path / "t.csv").frame.columns.tolist() == header


@pytest.mark.parametrize("cells", ["9'843,73", "9\u202f843,73 €", "1,5"])
def test_decimal_commas_do_not_hide_the_semicolon(cells, tmp_path):
    text = "a;b;kind\n" + "".join(f"{cells};{i},5;{'xy'[i % 2]}\n" for i in range(9))
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    raw = read(tmp_path / "t.csv", target="kind")
    assert raw.frame.columns.tolist() == ["a", "b", "kind"]
    assert raw.decimal == ","


def test_zero_bytes_and_bytes_that_are_no_character(tmp_path):
    text = "a,kind\n1,café\n2,thé\n3,crème\n".encode()
    (tmp_path / "t.csv").write_bytes(text.replace(b"\n", b"\x00\n", 2) + bytes(50))
    raw = read(tmp_path / "t.csv", target="kind")
    assert raw.frame["kind"].tolist() == ["café", "thé", "crème"]
    assert raw.notes == ["52 zero bytes in t.csv were left out."]
    (tmp_path / "t.csv").write_bytes(text[:-5] + b"\xc3\n")
    raw = read(tmp_path / "t.csv", target="kind")
    assert raw.frame["kind"].tolist()[:2] == ["café", "thé"]
    assert raw.notes == ["A character of t.csv cannot be read and became \ufffd (encoding=)."]


def test_a_column_that_is_not_there_is_told_with_the_likely_cause(tmp_path):
    said = {
        "a/b/y\n1/2/x\n2/3/z\n": "is one column, 'a/b/y': .* sep=",
        "1.5,2.5,x\n2.5,3.5,z\n": "look like cells: pass header_row=0",
        "1.5,1.5,x\n2.5,3.5,z\n": "look like cells: pass header_row=0",
        "name,s1,s2\na,1,2\ny,x,z\n": "stands in the first column .*exchange its rows and columns",
        "a;b;z\n1;2;x\n": "was read with separator ';'",
    }
    for text, words in said.items():
        (tmp_path / "t.csv").write_text(text)
        with pytest.raises(TableError, match=words):
            read(tmp_path / "t.csv", target="y").column("y", "--target")


def test_a_header_of_numbers_that_has_the_target_is_a_header(tmp_path):
    rows = "".join(f"{i}.5,{i % 7}.25,x\n" for i in range(9))
    (tmp_path / "t.csv").write_text("400.0,402.5,kind\n" + rows)
    assert read(tmp_path / "t.csv", target="kind").notes == []
    assert "names of the columns look like cells" in read(tmp_path / "t.csv").notes[0]


def test_packed_files(tmp_path):
    text = b"a,b\n1,x\n2,y\n"
    packed = {".gz": gzip.compress(text), ".bz2": bz2.compress(text), ".xz": lzma.compress(text)}
    single = io.BytesIO()
    with zipfile.ZipFile(single, "w") as archive:
        archive.writestr("inside.csv", text)
    packed[".zip"] = single.getvalue()
    for ending, content in packed.items():
        (tmp_path / f"t.csv{ending}").write_bytes(content)
        assert read(tmp_path / f"t.csv{ending}").frame["a"].tolist() == [1, 2]


def test_sqlite(tmp_path):
    path = tmp_path / "shop.db"
    frame = mixed_frame()
    with closing(sqlite3.connect(path)) as base:
        frame.to_sql('sa"les', base, index=False)
        expected = TableTransformer().fit_transform(frame.drop(columns="kind"))
        alone = read(path).frame
        frame.to_sql("other", base, index=False)
    assert np.allclose(TableTransformer().fit_transform(alone.drop(columns="kind")), expected)
    assert len(read(f'{path}::sa"les').frame) == 60
    with pytest.raises(
        TableError, match=r'tables sa"les, other: name one of them, as in shop.db::'
    ):
        read(path)
    with pytest.raises(TableError, match="name one of them"):
        read(f"{path}::nothing")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_found_in_the_header(separator, tmp_path):
    lines = [["a", "b b", "c"], ["1", "x", "3"], ["2", '"y, z; w"', "4"]]
    text = "\n".join(separator.join(line) for line in lines)
    (tmp_path / "t.csv").write_text("\ufeff" + text, encoding="utf-8")
    frame = read(tmp_path / "t.csv").frame
    assert frame.columns.tolist() == ["a", "b b", "c"]
    assert frame["b b"].tolist() == ["x", "y, z; w"]


def test_the_separator_is_one_by_which_the_target_is_a_column(tmp_path):
    rows = "\n".join(f"{'ABC'[i % 3]} St, Springfield, Ohio, US;{'xy'[i % 2]}" for i in range(20))
    (tmp_path / "t.csv").write_text(f"place;kind\n{rows}")
    assert read(tmp_path / "t.csv", target="kind").frame.columns.tolist() == ["place", "kind"]


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n3,4\n")))
    raw = read("-")
    assert raw.frame["b"].tolist() == [2, 4]
    assert raw.name == "standard input"


def test_names_become_unique_and_say_so():
    names, notes = unique_names(["a", "a", "a.1", "", None, " a "])
    assert names == ["a", "a.2", "a.1", "Unnamed: 3", "Unnamed: 4", "a.3"]
    assert notes == ["The column name 'a' comes 3 times: the later ones are 'a.2', 'a.3' here."]
    assert "'b' comes twice: the later one is 'b.1'" in unique_names("bb")[1][0]


def test_words_for_missing_are_classes_in_the_target_only(tmp_path):
    (tmp_path / "t.csv").write_text("x,kind\nNA,None\n1,NA\nnull,\n2,None\n")
    raw = read(tmp_path / "t.csv", target="kind", missing=("?",))
    assert raw.frame["x"].isna().tolist() == [True, False, True, False]
    assert read_target(raw.frame["kind"], "kind").labels.tolist() == ["None", "NA", None, "None"]


def two_files_in_one():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.csv", "a\n1\n")
        archive.writestr("b.csv", "a\n1\n")
    return packed.getvalue()


UNREADABLE = {
    "nothing.csv": (None, "no file"),
    "folder.csv": ("folder", "is a folder without pictures"),
    "t.docx": (b"x", "save it as .xlsx or .csv"),
    "t.bin": (b"x\x00", "ending of a table must be"),
    "empty.csv": (b"", "is empty"),
    "empty.npy": (b"", "is empty"),
    "empty.parquet": (b"", "is empty"),
    "header.csv": (b"a,b\n", "has no rows"),
    "ragged.csv": (b"a,b\n1,2\n1,2,3\n", "Line 3 of ragged.csv has 3 cells, the header has 2"),
    "wide.csv": (b"a,b\n1,2,3\n4,5,6\n", "Some rows of wide.csv have more cells than the header"),
    "t.parquet.gz": (b"x", "ending of a table must be"),
    "two.csv.zip": (two_files_in_one(), r"holds a.csv, b.csv: name .* two.csv.zip::a.csv"),
    "cut.csv.gz": (gzip.compress(b"a,b\n1,2\n" * 99)[:-20], "is damaged or cut off"),
    "cut.csv.zip": (two_files_in_one()[:-40], "is damaged or cut off"),
    "open.csv": (b'a,b\n1,"x\n2,y\n', "quote that is never closed"),
    "page.csv": (b"<!DOCTYPE html>\n<html>a,b</html>\n", "is a web page"),
    "old.csv": (b"\xd0\xcf\x11\xe0" + bytes(600), "save it as .xlsx"),
    "cut.jsonl": (b'{"a": 1}\n{"a":\n', "Line 2 of cut.jsonl is no JSON object"),
    "cut.json": (b'[{"a": 1},\n{"a" 2}]', "no JSON from line 2, character 6"),
    "junk.feather": (b"hello", "cannot be read as arrow"),
    "junk.jsonl": (b"hello", "is no JSON from line 1"),
    "junk.db": (b"hello, this is no database", "cannot be read as SQLite: it is damaged"),
    "junk.parquet": (b"hello", "cannot be read as parquet"),
    "junk.xlsx": (b"hello", "cannot be read as Excel"),
    "junk.npz": (b"hello", "Python objects|cannot be read"),
}


LIBRARIES = ("pandas", "pyarrow", "C error", "gzip", "zlib", "Errno", "zip file", "magic",
             "not a database")  # fmt: skip


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_files_give_one_sentence_and_no_message_of_a_library(name, tmp_path):
    content, message = UNREADABLE[name]
    if content == "folder":
        (tmp_path / name).mkdir()
    elif content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=message) as caught:
        read(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert not [word for word in LIBRARIES if word in str(caught.value)]


ROWS = "".join(f"{j * 3},{j}.5,{2 * j},x\n" for j in range(1, 30))
TOO_WIDE = {
    "rows with numbers for names": ("a,b,kind\n" + ROWS, "Some rows of t.csv have more cells"),
    "first row": ("a,b,kind\n1,2,x,9\n" + "1,2,x\n" * 30, "Some rows of t.csv have more cells"),
    "a row": ("Title\n\na,b,kind\n" + "1,2,x\n" * 30 + "1,2,3,4\n", "Line 34 of t.csv has 4 cells"),
}


@pytest.mark.parametrize("name", TOO_WIDE)
def test_rows_that_are_wider_than_the_header_are_refused_in_large_files_too(name, tmp_path):
    text, message = TOO_WIDE[name]
    path = tmp_path / "t.csv"
    path.write_text(text)
    for frames in (
        lambda: read(path),
        lambda: [*TextStream(path, TextFormat(), "kind", ()).chunks()],
    ):
        with pytest.raises(TableError, match=message):
            frames()


def test_arrow_as_others_write_it(tmp_path):
    import pyarrow as pa
    from pyarrow import feather

    frame = mixed_frame()
    table = pa.Table.from_pandas(frame)
    with pa.ipc.new_stream(str(tmp_path / "stream.arrow"), table.schema) as stream:
        stream.write_table(table)
    feather.write_feather(table, tmp_path / "t.feather")
    expected = read(tmp_path / "t.feather").frame
    found = read(tmp_path / "stream.arrow")
    assert found.notes == []
    pd.testing.assert_frame_equal(found.frame, expected)
    (tmp_path / "cut.arrow").write_bytes((tmp_path / "t.feather").read_bytes()[:200])
    with pytest.raises(TableError, match="cut.arrow cannot be read as arrow: it is damaged"):
        LargeTable([tmp_path / "cut.arrow"])


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".xlsx", ".feather", ".jsonl", ".json"])
def test_cells_that_a_person_calls_missing(ending, tmp_path):
    frame = pd.DataFrame({"a": [1.5, -999.0, 3.0], "n": [1, 2, -999], "t": ["x", "none here", "y"],
                          "kind": ["-999", "none here", "b"]})  # fmt: skip
    path = write(frame, tmp_path / f"t{ending}")
    found = read(path, target="kind", missing=["-999", "none here"]).frame
    assert found.isna().sum().tolist() == [1, 1, 1, 0]
    if ending in (".parquet", ".feather"):
        table = LargeTable([path], missing=("-999", "none here"), target="kind")
        assert pd.concat(table.chunks()).isna().sum().tolist() == [1, 1, 1, 0]


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(TableError, match="is a pipe or a device, and no file: .* pass - "):
        read(tmp_path / "pipe.csv")


def test_the_content_of_a_file_counts_more_than_its_ending(tmp_path):
    pytest.importorskip("openpyxl")
    frame = mixed_frame()
    text = frame.to_csv(index=False).encode()
    sheet, parquet = io.BytesIO(), io.BytesIO()
    frame.to_excel(sheet, index=False)
    frame.to_parquet(parquet, index=False)
    files = {
        "sheet.csv": sheet.getvalue(), "text.xlsx": text, "text.xls": text, "parquet.csv":
        parquet.getvalue(), "packed.csv": gzip.compress(text), "plain.csv.gz": text, "text": text,
        "packed.gz": gzip.compress(text), "text.rpt": text,
        "wide.xls": text.decode().replace(",", "\t").encode("utf-16"),
    }  # fmt: skip
    expected = TableTransformer().fit_transform(frame.drop(columns="kind"))
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        raw = read(tmp_path / name)
        found = TableTransformer().fit_transform(raw.frame.drop(columns="kind"))
        assert np.allclose(found, expected), name
    assert "no CSV file as its ending says: it was read as Excel" in read(
        tmp_path / "sheet.csv"
    ).notes[0]  # fmt: skip


def test_json_and_web_pages_that_are_called_csv(tmp_path):
    (tmp_path / "t.csv").write_text('{"a": 1.5, "kind": "x"}\n{"a": 2.5, "kind": "y"}\n')
    raw = read(tmp_path / "t.csv")
    assert raw.frame["a"].tolist() == [1.5, 2.5]
    assert raw.notes == ["t.csv is no CSV file as its ending says: it was read as JSON lines."]
    (tmp_path / "t.csv").write_text("{a},{b}\n1,2\n")  # braces alone are no JSON
    assert read(tmp_path / "t.csv").frame["{a}"].tolist() == [1]
    (tmp_path / "t.csv").write_text("<table><tr><td>1</td></tr></table>")
    with pytest.raises(TableError, match="t.csv is a web page: open it in a spreadsheet program"):
        read(tmp_path / "t.csv")


def archive(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return path


def test_the_table_in_an_archive(tmp_path):
    text = "a,b\n1,x\n2,y\n"
    alone = archive(tmp_path / "one.zip", **{"t.csv": text, "__MACOSX/._t.csv": "junk"})
    assert read(alone).frame["a"].tolist() == [1, 2]
    assert read(alone).notes == []
    path = archive(tmp_path / "two.zip", **{"t.csv": text, "readme.txt": "about"})
    assert read(path).notes == ["t.csv in two.zip was read of 2 files."]
    both = archive(tmp_path / "both.zip", **{"s.csv": text, "t.csv": text.replace("2,", "7,")})
    assert read(f"{both}::t.csv").frame["a"].tolist() == [1, 7]
    with pytest.raises(TableError, match=r"holds s.csv, t.csv: .* both.zip::s.csv"):
        read(both)
    with pytest.raises(TableError, match=r"holds a.docx, .* unpack it"):
        read(archive(tmp_path / "three.zip", **{"a.docx": text}))


@pytest.mark.parametrize("ending", [".csv.gz", ".csv.bz2", ".csv.xz", ".zip", ".xlsx", ".npz"])
def test_a_small_file_that_grows_beyond_measure_is_refused(ending, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "UNPACKED_BYTES", 1_000_000)
    size = 30_000_000
    zeros, path = b"a,b\n" + bytes(size), tmp_path / f"bomb{ending}"
    pack = {".csv.gz": gzip.compress, ".csv.bz2": bz2.compress, ".csv.xz": lzma.compress}
    if ending in pack:
        path.write_bytes(pack[ending](zeros))
    elif ending == ".npz":
        np.savez_compressed(path, X=np.zeros((size // 80, 10)))
    else:
        archive(path, **{"t.csv" if ending == ".zip" else "xl/workbook.xml": zeros})
    with pytest.raises(TableError, match="no table does.*unpack it yourself"):
        read(path)
    if ending in pack:
        with pytest.raises(TableError, match="no table does"):
            TextStream(path, TextFormat(), None, ())


def test_an_archive_that_lies_about_its_size_is_not_read_further(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "UNPACKED_BYTES", 1_000_000)
    path = archive(tmp_path / "liar.zip", **{"t.csv": b"a,b\n" + bytes(30_000_000)})
    content = path.read_bytes()
    true, said = (30_000_004).to_bytes(4, "little"), (1000).to_bytes(4, "little")
    path.write_bytes(content.replace(true, said))
    with pytest.raises(TableError, match="damaged"):
        read(path)


def test_a_cell_far_out_is_refused_before_all_cells_are_made(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.cell(1_048_576, 16_384, "stray")
    book.save(tmp_path / "far.xlsx")
    with pytest.raises(TableError, match="reaches to row 1,048,576 and column 16,384"):
        read(tmp_path / "far.xlsx")


def test_json_in_the_ways_that_programs_write_it(tmp_path):
    rows = [{"a": 1.5, "kind": "x"}, {"a": 2.5, "kind": None}]
    frame = pd.DataFrame(rows)
    texts = {
        "split.json": frame.to_json(orient="split"),
        "columns.json": frame.to_json(),
        "lines.json": frame.to_json(orient="records", lines=True),
        "list.jsonl": frame.to_json(orient="records"),
        "inside.json": '{"count": 2, "rows": ' + frame.to_json(orient="records") + "}",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        assert read(tmp_path / name).frame["a"].tolist() == [1.5, 2.5], name
    (tmp_path / "rows.json").write_text(frame.to_json(orient="index"))
    rows = read(tmp_path / "rows.json", target="kind").frame
    assert rows["a"].tolist() == [1.5, 2.5]
    assert rows["index"].tolist() == ["0", "1"]


def test_columns_of_json_are_joined_by_the_names_of_their_rows(tmp_path):
    def columns(text):
        (tmp_path / "t.json").write_text(text)
        frame = read(tmp_path / "t.json").frame
        return frame.astype(object).where(frame.notna(), "gap").to_dict("list")

    other_order = '{"x": {"r1": 1, "r2": 2, "r3": 3}, "y": {"r3": "c", "r1": "a", "r2": "b"}}'
    assert columns(other_order) == {"x": [1, 2, 3], "y": ["a", "b", "c"]}
    gaps = '{"x": {"0": 1, "1": 2}, "y": {"0": "a", "2": "b"}}'
    assert columns(gaps) == {"x": [1, 2, "gap"], "y": ["a", "gap", "b"]}
    with pytest.raises(TableError, match="must hold JSON objects"):
        columns('{"about": {"year": 2024}, "author": {"name": "A"}}')


def test_values_of_stata_with_one_label_are_read_as_they_are(tmp_path):
    labels = {"a": {1: "low", 2: "low"}}
    pd.DataFrame({"a": [1, 2]}).to_stata(tmp_path / "t.dta", write_index=False, value_labels=labels)
    raw = read(tmp_path / "t.dta")
    assert raw.frame["a"].tolist() == [1, 2]
    assert "the values were read" in raw.notes[0]


def test_a_line_of_json_ends_where_its_line_ends(tmp_path):
    text = '{"a": "one\u2028two", "b": 1}\r\n{"a": "three", "b": 2}\n'
    (tmp_path / "t.jsonl").write_text(text, encoding="utf-8", newline="")
    assert read(tmp_path / "t.jsonl").frame["a"].tolist() == ["one\u2028two", "three"]


def test_the_places_of_geojson_are_columns(tmp_path):
    places = [
        {"type": "Feature", "properties": {"kind": "x"},
         "geometry": {"type": "Point", "coordinates": [float(j), 48.5]}}
        for j in range(3)
    ]  # fmt: skip
    path = tmp_path / "places.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": places}))
    frame = read(path).frame
    assert frame["geometry.coordinates_1"].tolist() == [0, 1, 2]
    assert "properties.kind" in frame.columns
    with pytest.raises(TableError, match="did you mean 'properties.kind'"):
        read(path).column("kind", "--target")


def test_numpy_files_that_cannot_be_tables(tmp_path):
    np.savez(tmp_path / "objects.npz", X=np.array([[{}]]))
    with pytest.raises(TableError, match="Python objects"):
        read(tmp_path / "objects.npz")
    np.savez(tmp_path / "other.npz", data=np.ones((2, 2)))
    with pytest.raises(TableError, match="holds data, but no array 'X'.*array="):
        read(tmp_path / "other.npz")
    np.save(tmp_path / "cube.npy", np.ones((2, 2, 2)))
    with pytest.raises(TableError, match="must hold a matrix"):
        read(tmp_path / "cube.npy")
    np.savez(tmp_path / "short.npz", X=np.ones((3, 2)), y=np.ones(2))
    with pytest.raises(TableError, match="one label for each of its 3 rows"):
        read(tmp_path / "short.npz", target="y")


def test_parquet_columns_of_one_name(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table([pa.array([1.0, 2.0]), pa.array([3.0, 4.0])], names=["a", "a"])
    parquet.write_table(table, tmp_path / "t.parquet")
    both = {"a": [1.0, 2.0], "a.1": [3.0, 4.0]}
    assert read(tmp_path / "t.parquet").frame.to_dict("list") == both
    (chunk,) = LargeTable([tmp_path / "t.parquet"]).chunks()
    assert chunk.to_dict("list") == both
    (chunk,) = LargeTable([tmp_path / "t.parquet"]).chunks(["a.1"])
    assert chunk.to_dict("list") == {"a.1": [3.0, 4.0]}


def test_chunks_have_the_columns_that_were_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "CHUNK_ROWS", 1)
    frame = pd.DataFrame({" a ": [1.0, 2.0], "b": ["x", "y"], "c": [3.0, 4.0]})
    table = LargeTable([write(frame, tmp_path / "t.parquet")])
    assert table.names == ["a", "b", "c"]
    for asked in (["c", "a"], ["b"], ["a", "c", "b"]):
        found = pd.concat(table.chunks(asked), ignore_index=True)
        expected = frame.rename(columns=str.strip)[asked]
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)
