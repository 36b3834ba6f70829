"""Tables with more in the file than the table: titles, units, totals, notes, further sheets."""

import datetime
import json

import pytest

from ssrlpl import TableTransformer
from ssrlpl.tables import TableError, read
from ssrlpl.tables.header_lines import lines_above_header
from ssrlpl.tables.text_formats import TextFormat
from ssrlpl.tables.text_stream import TextStream
from table_samples import pd, write

ROWS = [(f"{i}.5", f"{100 + i}", "x" if i % 9 == 0 else "") for i in range(30)]
BODY = "\n".join(",".join(row) for row in ROWS)
PLAIN = [i + 0.5 for i in range(30)]


def read_text(text, folder, ending=".csv", **options):
    (folder / f"t{ending}").write_text(text, encoding="utf-8")
    return read(folder / f"t{ending}", target="kind", **options)


ABOVE = {
    "titles": ("Report 2024\nMade on May 6, by me\n\na,b,kind\n", "the header in line 4"),
    "padded titles": ("Report 2024,,\n,,\na,b,kind\n", "the header in line 3"),
    "remarks": ("# station, north\n# units: mm\na,b,kind\n", "the header in line 3"),
    "groups": ("Size,,\na,b,kind\n", "the header in line 2"),
    "units of some": ("a,b,kind\nmm,,\n", r"words below the header \(1: 'mm'\)"),
    "units": ("a,b,kind\nmm,g,\n", r"words below the header \(1: 'mm'\)"),
    "questions": ('a,b,kind\nHow long?,How wide?,Which one?\n"{""Id"":1}",{2},{3}\n',
                  r"words below the header \(2: 'How long\?'\)"),
}  # fmt: skip


@pytest.mark.parametrize("name", ABOVE)
def test_what_stands_above_the_rows_is_left_out_and_said(name, tmp_path):
    above, words = ABOVE[name]
    raw = read_text(above + BODY, tmp_path)
    assert raw.frame["a"].tolist() == PLAIN
    assert raw.frame["kind"].notna().sum() == 4
    assert pd.Series(raw.notes).str.contains(words).any()


SURVEYS = {
    "wordings": "q,age,job,kind\nWhat do you do?,How old are you?,Which job?,kind\n"
    '"{""ImportId"":""Q1""}","{""ImportId"":""Q2""}","{""ImportId"":""Q3""}","{""ImportId"":""k""}"\n',
    "choices": "q,age,job,kind\nExcel,Open-Ended Response,Response,Response\n",
}


@pytest.mark.parametrize("name", SURVEYS)
def test_wordings_of_questions_are_no_rows(name, tmp_path):
    body = "".join(
        f"{'Excel' if i % 3 else ''},{20 + i},{'abc'[i % 3]},{'x' if i % 9 == 0 else ''}\n"
        for i in range(30)
    )
    raw = read_text(SURVEYS[name] + body, tmp_path)
    assert raw.frame["age"].tolist() == list(range(20, 50))
    assert raw.frame["kind"].notna().sum() == 4
    assert "words below the header" in raw.notes[-1]
    # A row with a number is a sample, whatever its words are.
    rare = read_text("q,age,job,kind\nWord,18,zz,y\n" + body, tmp_path)
    assert len(rare.frame) == 31


def test_the_first_row_may_be_a_sample_without_a_label(tmp_path):
    body = "".join(f"word {i % 4},{'x' if i % 2 else ''}\n" for i in range(30))
    assert len(read_text(f"a,kind\n{body}", tmp_path).frame) == 30
    body = "".join(f"word {i % 4},{i or ''},{'x' if i % 2 else ''}\n" for i in range(30))
    assert len(read_text(f"a,b,kind\n{body}", tmp_path).frame) == 30


def test_a_total_is_known_by_its_sum(tmp_path):
    body = "".join(f'p{i},"{i + 1},000",{"x" if i % 9 == 0 else ""}\n' for i in range(30))
    raw = read_text(f'a,b,kind\n{body},"465,000",\n', tmp_path)
    assert len(raw.frame) == 30
    assert "totals (1: '465,000')" in raw.notes[-1]
    for last in (',"465,001",', ',"30,000",', ',"465,000",x'):  # no sum, or labeled
        assert len(read_text(f"a,b,kind\n{body}{last}\n", tmp_path).frame) == 31


def test_one_column_that_adds_up_is_chance(tmp_path):
    counts = [",".join(str(int(i % 7 == j)) for j in range(6)) for i in range(21)]
    text = "w0,w1,w2,w3,w4,w5,kind\n" + "".join(f"{row},x\n" for row in counts)
    assert len(read_text(text + "3,0,1,0,2,0,\n", tmp_path).frame) == 22
    assert len(read_text(text + "3,3,3,3,3,3,\n", tmp_path).frame) == 21


BELOW = {
    "totals": ("\nTotal,3435,\nMean,114.5,", r"totals \(2: 'Total'\)"),
    "of a pivot table": ("\nGesamtergebnis,34,\nИтого:,35,", r"totals \(2: 'Gesamtergebnis'\)"),
    "notes": ("\n\nSource: the station\n* by hand", r"notes \(2: "),
}


@pytest.mark.parametrize("name", BELOW)
def test_what_stands_below_the_rows_is_left_out_and_said(name, tmp_path):
    below, words = BELOW[name]
    text = f"a,b,kind\n{BODY}{below}"
    raw = read_text(text, tmp_path)
    assert raw.frame["a"].tolist() == PLAIN
    assert pd.Series(raw.notes).str.contains(words).any()
    assert len(read_text(text, tmp_path, all_rows=True).frame) == 32


def test_a_header_that_comes_again_is_no_row(tmp_path):
    lines = BODY.splitlines()
    text = "\n".join(["a,b,kind", "---,---,---", *lines[:9], "a,b,kind", *lines[9:]])
    raw = read_text(text, tmp_path)
    assert raw.frame["a"].tolist() == PLAIN
    assert raw.notes == ["Rows that are no samples are left out: words below the header (2: '---');"
                         " all_rows=True keeps them."]  # fmt: skip


def test_files_that_were_put_together(tmp_path):
    text = "x,x,kind\n" + "".join(f"{i}.5,{i}.25,{'ab'[i % 2]}\n" for i in range(20))
    table = read_text(f"{text}\ufeff{text}", tmp_path)
    assert list(table.frame.columns) == ["x", "x.1", "kind"]
    assert table.frame["x.1"].dtype == float
    assert len(table.frame) == 40


@pytest.mark.parametrize("header", ["# x y kind", "#Software: x\n#Fields: x y kind"])
def test_names_behind_the_mark_of_a_remark(header, tmp_path):
    text = f"{header}\n" + "".join(f"{i}.5 {i}.25 {'ab'[i % 2]}\n" for i in range(20))
    table = read_text(text, tmp_path)
    assert list(table.frame.columns) == ["x", "y", "kind"]
    assert len(table.frame) == 20


@pytest.mark.parametrize("sep", [",", " "])
def test_rows_that_are_too_short_are_said(sep, tmp_path):
    lines = [sep.join(["x", "y", "kind"]), *(sep.join([f"{i}", f"{i}.5", "a"]) for i in range(20))]
    assert not any("fewer" in note for note in read_text("\n".join(lines), tmp_path).notes)
    lines[4], lines[9] = sep.join(["3", "a"]), "8"
    notes = read_text("\n".join(lines), tmp_path).notes
    told = "2 rows have fewer cells than the header, as row 3: the last ones are read as empty."
    assert told in notes


def test_names_that_are_broken_into_lines(tmp_path):
    raw = read_text(f'"length\n[mm]","b","kind\n"\n{BODY}', tmp_path)
    assert raw.frame.columns.tolist() == ["length [mm]", "b", "kind"]
    assert len(raw.frame) == 30
    assert raw.notes == []
    raw = read_text(f'"a title\n\na,b,kind\n{BODY}', tmp_path)  # a quote that is never closed
    assert raw.frame["a"].tolist() == PLAIN


def test_quotes_after_a_backslash(tmp_path):
    text = "a,note,kind\n" + "".join(f'{v},"say \\"hi\\", ok",\n' for v in PLAIN)
    raw = read_text(text, tmp_path)
    large = TextStream(tmp_path / "t.csv", TextFormat(), "kind", ())
    for frame, notes in ((raw.frame, raw.notes), (next(large.chunks()), large.notes)):
        assert frame["note"].tolist()[0] == 'say "hi", ok'
        assert "backslash" in notes[0]


def test_days_of_a_spreadsheet_among_days_in_texts(tmp_path):
    pytest.importorskip("openpyxl")
    days = [
        datetime.datetime(2024, 1, i + 1) if i % 2 else f"2024-01-{i + 1:02}" for i in range(28)
    ]
    pd.DataFrame({"day": days, "kind": ["x", "y"] * 14}).to_excel(tmp_path / "t.xlsx", index=False)
    found = TableTransformer().fit(read(tmp_path / "t.xlsx").frame[["day"]])
    assert found.columns_[0].kind == "date"


def test_empty_rows_are_left_out_and_said(tmp_path):
    lines = BODY.splitlines()
    text = "a,b,kind\n" + "\n,,\n".join(["\n".join(lines[:9]), "\n".join(lines[9:])]) + "\n,,\n"
    raw = read_text(text, tmp_path)
    assert raw.frame["a"].tolist() == PLAIN
    assert raw.notes == ["2 rows are empty and left out; all_rows=True keeps them."]
    assert len(read_text(text, tmp_path, all_rows=True).frame) == 32


def test_remarks_between_the_rows(tmp_path):
    lines = BODY.splitlines()
    text = "\n".join(["a,b,kind", "# batch 1", *lines[:9], "# batch 2", *lines[9:]])
    raw = read_text(text, tmp_path)
    assert raw.frame["a"].tolist() == PLAIN
    assert "notes (2: '# batch 1')" in raw.notes[-1]


def test_texts_that_begin_as_remarks_and_lines_do_are_samples(tmp_path):
    texts = [f"#{i % 7} --" if i % 3 else "--" for i in range(30)]
    beside = "\n".join(f"{text},{'x' if i % 9 == 0 else ''}" for i, text in enumerate(texts))
    assert len(read_text(f"tweet,kind\n{beside}", tmp_path).frame) == 30
    once = "\n".join(
        f"{'total' if i == 28 else 'all'},{'x' if i % 9 == 0 else ''}" for i in range(30)
    )
    assert len(read_text(f"text,kind\n{once}", tmp_path).frame) == 30  # a name without its number
    names = ["Total" if i in (9, 29) else f"Cola {i % 3}" for i in range(30)]
    drinks = "\n".join(f"{i},{name},{'x' if i < 20 else ''}" for i, name in enumerate(names))
    assert len(read_text(f"n,name,kind\n{drinks}", tmp_path).frame) == 30
    said = ["the sum of it is wrong" if i == 28 else "fine" for i in range(30)]
    letters = "\n".join(f"{i},{text},{'x' if i < 20 else ''}" for i, text in enumerate(said))
    assert len(read_text(f"n,text,kind\n{letters}", tmp_path).frame) == 30
    colors = "\n".join(f"#{i:06x},{i if i % 2 else ''},{'x' if i % 5 else ''}" for i in range(30))
    assert len(read_text(f"color,n,kind\n{colors}", tmp_path).frame) == 30


def test_totals_between_the_rows(tmp_path):
    lines = ["island,a,b,kind"]
    for island in ("Biscoe", "Dream", "Torgersen"):
        lines += [f"{island},{','.join(row)}" for row in ROWS] + [f"{island} Total,,3435,"]
    raw = read_text("\n".join(lines), tmp_path)
    assert raw.frame["island"].unique().tolist() == ["Biscoe", "Dream", "Torgersen"]
    assert "totals (3: 'Biscoe Total')" in raw.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        f"a,b,kind\n{BODY}",
        f",b,kind\n{BODY}",  # an index without a name
        "\n".join(["a,b,kind"] + ["Total,1,x", "Part,2,"] * 20),  # a value like others
        "\n".join(["a,b,kind"] + [f"{i},{i * i % 7},x" for i in range(30)] + ["Total,5,y"]),
        "\n".join(["2019,2020,kind", "a few,words,x"] + [f"t{i},u{i},y" for i in range(20)]),
        "\n".join(["day,kind", "0000-00-00,"] + [f"2024-05-{i:02},x" for i in range(1, 31)]),
        "\n".join(["x,x2,kind"] + ["NA,," if i % 2 else f"{i},,k" for i in range(30)]),
    ],
)
def test_ordinary_rows_are_kept(text, tmp_path):
    raw = read_text(text, tmp_path)
    assert len(raw.frame) == text.count("\n")
    assert not pd.Series(raw.notes, dtype=str).str.contains("no samples|in line").any()


def test_a_header_is_found_in_the_first_lines_only_if_there_is_one():
    assert lines_above_header([]) == 0
    assert lines_above_header([["only", "", ""]] * 9) == 0
    assert lines_above_header([["", "label"], ["0", "a"], ["1", "b"]]) == 0


def test_the_person_may_say_where_the_header_is(tmp_path):
    text = f"a title, with, commas\nanother, one, too\na,b,kind\n{BODY}"
    assert read_text(text, tmp_path, header_row=3).frame["a"].tolist() == PLAIN
    without = read_text(BODY, tmp_path, header_row=0)
    assert without.frame.columns.tolist() == ["0", "1", "2"]
    assert without.frame["0"].tolist() == PLAIN
    assert "header_row=0" in read_text(BODY, tmp_path).notes[0]
    with pytest.raises(TableError, match="header_row= names line 99"):
        read_text(text, tmp_path, header_row=99)


def test_a_cell_more_in_every_line_than_in_the_header(tmp_path):
    behind = "a,b,kind\n" + "\n".join(",".join(row) + "," for row in ROWS)
    raw = read_text(behind, tmp_path)
    assert raw.frame.columns.tolist() == ["a", "b", "kind"]
    assert raw.frame["a"].tolist() == PLAIN
    of_r = "a b kind\n" + "\n".join(
        f'"{i}" {" ".join(row[:2])} "{row[2] or "NA"}"' for i, row in enumerate(ROWS, start=1)
    )
    raw = read_text(of_r, tmp_path, ".txt")
    assert raw.frame["a"].tolist() == PLAIN
    assert "separator blank" in raw.notes[0]


def test_sheets_with_titles_merged_cells_and_totals(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["See the sheet Data."])
    sheet = book.create_sheet("Data")
    sheet.append(["Survey", None, None, None])
    sheet.append([None])
    sheet.append(["island", "a", "day", "kind"])
    for i in range(20):
        day = datetime.date(2024, 1, 1 + i)
        sheet.append(["Dream" if i == 0 else None, i + 0.5, day, "x" if i < 3 else None])
    sheet.append(["Total", 200, None, None])
    sheet.merge_cells("A1:D1")
    sheet.merge_cells("A4:A23")
    book.save(tmp_path / "t.xlsx")
    raw = read(tmp_path / "t.xlsx", target="kind")
    assert raw.frame["island"].tolist() == ["Dream"] * 20
    assert raw.frame["a"].tolist() == PLAIN[:20]
    assert raw.frame["a"].dtype == float
    told = " ".join(raw.notes)
    for words in ("Sheet 'Data'", "19 merged cells", "in row 3", "totals (1: 'Total')"):
        assert words in told
    kept = read(tmp_path / "t.xlsx", target="kind", header_row=3, all_rows=True, sheet="Data")
    assert len(kept.frame) == 21
    with pytest.raises(TableError, match="sheet= names 'x'.*'Sheet', 'Data'"):
        read(tmp_path / "t.xlsx", sheet="x")
    with pytest.raises(TableError, match="header_row= names row 99"):
        read(tmp_path / "t.xlsx", target="kind", header_row=99)


@pytest.mark.parametrize("form", ["rows", "columns", "lists", "inside"])
def test_forms_of_json(form, tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.5], "kind": ["x", None]})
    text = {
        "rows": frame.to_json(orient="records"),
        "columns": frame.to_json(),
        "lists": json.dumps({"a": [1.5, 2.5], "kind": ["x", None]}),
        "inside": json.dumps({"n": 2, "data": json.loads(frame.to_json(orient="records"))}),
    }
    raw = read_text(text[form], tmp_path, ".json")
    assert raw.frame["a"].tolist() == [1.5, 2.5]
    assert raw.notes == (["The rows of t.json are those in 'data'."] if form == "inside" else [])


def test_objects_inside_of_objects_become_columns(tmp_path):
    raw = read_text('{"u": {"age": 3, "at": {"x": 1}}, "kind": "k"}\n' * 3, tmp_path, ".jsonl")
    assert raw.frame.columns.tolist() == ["kind", "u.age", "u.at.x"]
    with pytest.raises(TableError, match="must hold JSON objects"):
        read_text('{"a": [1, 2], "b": [1]}', tmp_path, ".json")


def test_files_of_other_programs(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.5], "kind": ["x", "y"]})
    frame.to_stata(tmp_path / "t.dta", write_index=False)
    assert read(tmp_path / "t.dta").frame["a"].tolist() == [1.5, 2.5]
    (tmp_path / "t.ods").write_bytes(b"\x00")
    with pytest.raises(TableError, match=r"t.ods is of a kind that is not read: save it as \.xlsx"):
        read(tmp_path / "t.ods")


def test_a_table_that_begins_in_the_middle_of_a_sheet(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"a": [1.5, 2.5, 3.5], "kind": ["x", "y", None]})
    frame.to_excel(tmp_path / "t.xlsx", index=False, startrow=4, startcol=3)
    raw = read(tmp_path / "t.xlsx", target="kind")
    pd.testing.assert_frame_equal(raw.frame, frame, check_dtype=False)
    text = f",,\n,,\n{''.join(f',,{line}' for line in frame.to_csv(index=False).splitlines(True))}"
    (tmp_path / "t.csv").write_text(text)
    assert read(tmp_path / "t.csv", target="kind").frame["a"].tolist() == [1.5, 2.5, 3.5]


def test_formulas_that_nobody_computed_are_told(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["a", "twice", "empty"])
    for i in range(5):
        book.active.append([i, f"=2*A{i + 2}", None])
    book.save(tmp_path / "t.xlsx")
    (note,) = read(tmp_path / "t.xlsx").notes
    assert note.startswith("5 formulas in t.xlsx have no value: open it in a spreadsheet program")


def test_groups_that_are_named_above_each_of_their_columns(tmp_path):
    rows = "\n".join(f"{i}.5,{i},{i * i},{'x' if i % 9 == 0 else ''}" for i in range(30))
    raw = read_text(f"Size,Size,Mass,Mass\na,b,c,kind\n{rows}", tmp_path)
    assert raw.frame.columns.tolist() == ["a", "b", "c", "kind"]
    assert "the header in line 2" in raw.notes[0]
    raw = read_text(f"Size,Wide,Mass,Rest\na,b,c,kind\n{rows}", tmp_path)  # the target tells
    assert raw.frame.columns.tolist() == ["a", "b", "c", "kind"]
    turned = "gene,s1,s2,s3\nkind,x,x,y\n" + "\n".join(f"g{i},1,2,{i}" for i in range(30))
    with pytest.raises(TableError, match="exchange its rows and columns"):
        read_text(turned, tmp_path).column("kind", "--target")


GROUPED = {
    "a name for some rows": "Group,Leaf,,Flower,,\nPart,length,width,length,width,kind\n"
    "Unit,cm,cm,mm,mm,\n",
    "as pandas writes it": ",leaf,leaf,flower,flower,meta\n,length,width,length,width,kind\n"
    "id,,,,,\n",
}


@pytest.mark.parametrize("name", GROUPED)
def test_names_that_come_again_in_each_group(name, tmp_path):
    rows = "\n".join(
        f"s{i},{i}.5,{i},{i * i},{i % 7},{'x' if i % 9 == 0 else ''}" for i in range(30)
    )
    raw = read_text(GROUPED[name] + rows, tmp_path)
    assert raw.frame.columns.tolist()[1:] == ["length", "width", "length.1", "width.1", "kind"]
    assert raw.frame["length"].tolist() == PLAIN
    assert "the header in line 2" in raw.notes[0]


def test_empty_rows_of_a_sheet_are_said(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [["a", "kind"], [0.5, "x"], [None, None], [1.5, None], [" ", None]]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    raw = read(tmp_path / "t.xlsx", target="kind")
    assert raw.frame["a"].tolist() == [0.5, 1.5]
    assert raw.notes == ["A row is empty and left out; all_rows=True keeps it."]
    assert len(read(tmp_path / "t.xlsx", target="kind", all_rows=True).frame) == 3


def test_a_total_with_a_count_in_place_of_a_label(tmp_path):
    rows = [f"n,{i},{i},x" for i in range(30)]
    text = "\n".join(["name,a,b,kind", *rows, "Grand total:,,,30 rows"])
    assert len(read_text(text, tmp_path).frame) == 30


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_namibia_is_not_missing(ending, tmp_path):
    cells = ["DE", "NA", "FR", "US", ""] * 6
    frame = pd.DataFrame({"country": cells, "word": ["ab", "NA", "cd", "ef", "gh"] * 6, "n": 1.5})
    write(frame, tmp_path / f"t{ending}")
    raw = read(tmp_path / f"t{ending}")
    assert (raw.frame["country"] == "NA").sum() == 6
    assert raw.frame["country"].isna().sum() == 6
    assert raw.frame["word"].isna().sum() == 6
    assert any("'NA' in 'country' was read as a code" in note for note in raw.notes)
    again = read(tmp_path / f"t{ending}", missing=("NA",))
    assert again.frame["country"].isna().sum() == 12
