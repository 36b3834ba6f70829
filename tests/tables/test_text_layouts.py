"""Text files that are laid out for the eye, quoted in other ways, or hold more than one table."""

import pytest

from ssrlpl._utils import limits
from ssrlpl.tables import read
from ssrlpl.tables.large_files import text_as_parquet
from ssrlpl.tables.text_formats import TextFormat
from table_samples import pd

ROWS = [(f"{i}.5", "New York" if i % 2 else "", "x" if i % 3 == 0 else "y") for i in range(30)]
PLAIN = [i + 0.5 for i in range(30)]


def read_text(text, folder, **options):
    (folder / "t.txt").write_text(text, encoding="utf-8")
    return read(folder / "t.txt", target="kind", **options)


def lines(form, header="a,city,kind"):
    return "\n".join([header, *(form.format(*row) for row in ROWS)])


LAYOUTS = {
    "single quotes": (lines("'{}','{}','{}'", "'a','city','kind'"), "single quotes around cells"),
    "single quotes around words": (lines("{},'{}','{}'"), "single quotes around cells"),
    "curled quotes": (lines("“{}”,“{}”,“{}”", "“a”,“city”,“kind”"), ""),
    "fixed width": (lines("{:<6}{:<10}{}", "a     city      kind"), "columns of fixed width"),
    "to the right": (lines("{:>6}{:>10}{:>6}", "     a      city  kind"), "columns of fixed width"),
    "ruled": (
        lines("{:>5} {:<10} {:<6}", "    a city       kind  \n----- ---------- ------")
        + "\n\n(30 rows affected, and some words)",
        "columns of fixed width",
    ),
    "Markdown": (
        "# A title\n\nWords about it.\n\n"
        + lines("| {} | {} | {} |", "| a | city | kind |\n|---:|:---|---|"),
        "the header in line 5",
    ),
    "a frame": (
        "+------+----------+------+\n"
        + lines(
            "| {:>4} | {:<8} | {:<4} |", "| a    | city     | kind |\n+------+----------+------+"
        )
        + "\n+------+----------+------+",
        "separator '|'",
    ),
    "a drawn frame": (
        "┌──────┬──────────┬──────┐\n"
        + lines(
            "│ {:>4} │ {:<8} │ {:<4} │", "│ a    │ city     │ kind │\n├──────┼──────────┼──────┤"
        )
        + "\n└──────┴──────────┴──────┘",
        "separator '|'",
    ),
    "tildes": (lines("{}~{}~{}", "a~city~kind"), "separator '~'"),
    "colons": (lines("{}:{}:{}", "a:city:kind"), "separator ':'"),
    "kept as text": (lines('="{}",="{}",{}'), '60 cells such as ="1"'),
    "whole lines in quotes": (
        lines('"{},""{}"",{}"', '"a,city,kind"'),
        "quotes around whole lines",
    ),
    "kept as text in quotes": (lines('"=""{}""",{},{}'), '30 cells such as ="1"'),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_are_read_and_said(name, tmp_path):
    text, words = LAYOUTS[name]
    raw = read_text(text, tmp_path)
    assert raw.frame["a"].tolist() == PLAIN
    assert raw.frame["city"].fillna("").str.strip().tolist() == [row[1] for row in ROWS]
    assert raw.frame["kind"].str.strip().tolist() == [row[2] for row in ROWS]
    assert words in " ".join(raw.notes)


def test_rows_with_names_as_r_writes_them(tmp_path):
    rows = "".join(f'"Mazda RX{j}" {v} "x"\n' for j, v in enumerate(PLAIN))
    frame = read_text('"a" "kind"\n' + rows, tmp_path).frame
    assert frame["a"].tolist() == PLAIN
    assert frame.iloc[0].tolist() == ["Mazda RX0", 0.5, "x"]


def test_quotes_hold_separators_and_quotes(tmp_path):
    text = "a,note,kind\n" + "".join(f"{v},'it''s one, \"or\" two','x'\n" for v in PLAIN)
    assert read_text(text, tmp_path).frame["note"].unique().tolist() == ['it\'s one, "or" two']


def test_curled_quotes_within_straight_ones_stay(tmp_path):
    notes = ["he said, “yes, I do”, and left", "“one”,\n“two”,\nthree", "plain"]
    text = "a,note,kind\n" + "".join(f'{v},"{notes[j % 3]}",x\n' for j, v in enumerate(PLAIN))
    frame = read_text(text, tmp_path).frame
    assert frame["a"].tolist() == PLAIN
    assert frame["note"].tolist()[:3] == notes


def test_apostrophes_are_no_quotes(tmp_path):
    text = "a,note,kind\n" + "".join(f"'{v},the boys' house,x\n" for v in PLAIN)
    raw = read_text(text, tmp_path)
    assert raw.frame["note"].unique().tolist() == ["the boys' house"]
    assert raw.notes == []


def test_single_quotes_in_a_large_file(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "CHUNK_ROWS", 7)
    (tmp_path / "t.csv").write_text(LAYOUTS["single quotes"][0])
    table = text_as_parquet(tmp_path / "t.csv", TextFormat(), "kind", (), tmp_path)
    assert pd.concat(table.chunks())["a"].tolist() == PLAIN


def test_what_r_and_pandas_print(tmp_path):
    text = "       a kind\n" + "".join(f"{i:<4} {v} x\n" for i, v in enumerate(PLAIN, start=1))
    assert read_text(text, tmp_path).frame["a"].tolist() == PLAIN


def test_blanks_between_all_cells_are_a_separator(tmp_path):
    raw = read_text("a  b kind\n" + "".join(f"{v} {v}   x\n" for v in PLAIN), tmp_path)
    assert raw.frame["b"].tolist() == PLAIN
    assert "separator blank" in raw.notes[0]


FURTHER = {
    "shorter": "\n\ncity,count\nRome,5\nOslo,4\n",
    "longer": "\n\ncity,b,c,d,e\nRome,1,2,3,4\n",
    "padded": "\n,,\ncity,count,\nRome,5,\nOslo,4,\n",
    "as wide": "\n\ncity,count,unit\nRome,5,kg\nOslo,4,kg\n",
    "with a title": "\n\nSummary\ncity,count\nRome,5\n\nSource: me\n",
}


@pytest.mark.parametrize("name", FURTHER)
def test_a_further_table_is_left_out_and_said(name, tmp_path):
    raw = read_text(lines("{},{},{}") + FURTHER[name], tmp_path)
    assert raw.frame["a"].tolist() == PLAIN
    (note,) = raw.notes
    assert note.startswith("A further table begins in line 33 of t.txt and is left out")
    if name == "padded":
        assert len(read_text(lines("{},{},{}") + FURTHER[name], tmp_path, all_rows=True).frame) > 31


@pytest.mark.parametrize("cells", ["?,-,x", "6.5,7,x", "nan,nan,x"])
def test_a_row_after_an_empty_one_is_no_header(cells, tmp_path):
    raw = read_text(lines("{},{},{}") + f"\n\n{cells}\n5.5,11,x\n", tmp_path)
    assert len(raw.frame) == len(PLAIN) + 2


def test_a_further_table_below_a_title_is_told_by_its_line(tmp_path):
    raw = read_text("My report\n" + lines("{},{},{}") + FURTHER["shorter"], tmp_path)
    assert "in line 34 of" in raw.notes[-1]


def test_a_further_table_of_a_sheet(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    further = [[], ["city", "count"], ["Rome", 5], ["Oslo", 4]]
    for row in [["a", "b", "kind"], *([v, 2 * v, "x"] for v in PLAIN), *further]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    raw = read(tmp_path / "t.xlsx", target="kind")
    assert raw.frame["a"].tolist() == PLAIN
    assert raw.notes == [
        "A further table begins in row 33 of t.xlsx and is left out: give it a sheet of its own."
    ]


@pytest.mark.parametrize("gap", ["\n\n", "\n,,\n"])
def test_rows_after_an_empty_one_are_rows(gap, tmp_path):
    text = lines("{},{},{}")
    raw = read_text(text + gap + "\n".join(",".join(row) for row in ROWS), tmp_path)
    assert raw.frame["a"].tolist() == 2 * PLAIN


def test_single_quotes_beside_totals(tmp_path):
    raw = read_text(LAYOUTS["single quotes"][0] + "\n'Total, all','450',''\n", tmp_path)
    assert raw.frame["a"].tolist() == PLAIN
    assert "totals (1: 'Total, all')" in raw.notes[-1]
