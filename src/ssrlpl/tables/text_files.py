"""CSV and its relatives: what separates cells, what a decimal looks like, which encoding it is.

All three are found from the file, said in one line if they are not the usual ones, and can be
given by the person.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .._utils.advice import missing_cells, option
from .cell_values import TEXT, Cells, as_texts
from .encodings import LOST, decoded
from .errors import TableError
from .evidence import decimal_of, find_readings
from .extra_rows import NO_EXTRA, find_extra
from .header_lines import is_number, lines_above_header
from .naming import nameless, unique_names
from .written_numbers import NumberReading, likely_decimal

SEPARATORS = (",", ";", "\t", "|")
"""The one that cuts the first lines into most cells is taken; the first wins a tie."""

BLANK = " "
"""One or more blanks, where no other separator is found."""

MISSING = (
    "", "#N/A", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
    "\\N", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!",
)  # fmt: skip
"""Cells of text files that are read as missing."""

EMPTY_LABELS = ("", "<NA>", "NaN", "nan")
"""Cells of the target that are read as empty: "None" and "NA" may well be classes."""

MOST_LINES_A_CELL = 20
"""More lines within a cell are no cell: a quote was not closed."""

SAMPLE_LINES = 200
"""Lines from which separator and decimal character are found."""

_CODE = re.compile(r"0\d+")
_TWO_LETTERS = re.compile("[A-Z]{2}")
_REMARK = re.compile(r"#+\s*(Fields:\s*)?")
_AROUND_NAMES = re.compile(r"[\s,;|\"]+")
_ESCAPED = re.compile(rb'\\"[^,;|\s"]')  # what ends a cell is followed by a separator


class Codes(NamedTuple):
    """Columns of codes: as numbers 01067 would lose its zero, as a missing cell NA its meaning."""

    of_digits: list[str]
    of_letters: list[str]

    def notes(self) -> list[str]:
        """Say that NA is a code in some columns."""
        which = ", ".join(map(repr, self.of_letters))
        cure = missing_cells(["NA"])
        told = f"'NA' in {which} was read as a code like the others; {cure} makes it missing."
        return [told] if self.of_letters else []


@dataclass(frozen=True)
class TextFormat:
    """How a text file is written; None and "auto" are found from the file."""

    sep: str | None = None
    decimal: str = "auto"
    encoding: str | None = None
    header_row: int | None = None
    """The line of the header, counted from 1; 0 if there is none."""
    all_rows: bool = False
    """Whether rows of units, totals and notes are kept."""

    def words(self, name: str) -> list[str]:
        """Say what is unusual, with the option that changes it."""
        shown = {"\t": "tab", " ": "blank"}.get(self.sep or ",", repr(self.sep))
        parts = [f"separator {shown} ({option('sep')})"] if self.sep != "," else []
        if self.header_row != 1:
            where = f"in line {self.header_row}" if self.header_row else "missing"
            parts.append(f"the header {where} ({option('header_row')})")
        parts += [f"decimal comma ({option('decimal')})"] if self.decimal == "," else []
        usual = ("utf-8", "utf-8-sig")
        if self.encoding not in usual:
            parts.append(f"encoding {self.encoding} ({option('encoding')})")
        return [f"{name} was read with {', '.join(parts)}."] if parts else []


def read_text(
    content: bytes, name: str, given: TextFormat, target: str | None, missing: tuple[str, ...]
) -> tuple[Any, list[str], str]:
    """Return a table, what to know about it, and the decimal character of its numbers."""
    about = []
    if _ESCAPED.search(content):  # databases write a quote within quotes so, and not twice
        content = content.replace(b'\\"', b'""')
        about.append(f"A quote after a backslash was read as a quote within a cell of {name}.")
    import pandas as pd

    text, form, names, notes, codes = from_first_lines(content, name, given, target)
    how: dict[str, Any] = {
        "names": names, "index_col": False, "low_memory": False, "keep_default_na": False,
        "na_values": missing_by_column(names, target, missing, codes.of_letters),
        "dtype": dict.fromkeys(codes.of_digits, str),
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            frame = _read_csv(text, form, header=0 if form.header_row else None, **how)
            extra = NO_EXTRA if given.all_rows else find_extra(frame, target)
            about += _about_short_rows(text, form, frame, extra.rows)
            if extra or (not given.all_rows and frame.isna().all(axis=1).any()):
                raw = _read_csv(text, form, header=0 if form.header_row else None,
                                **how | {"dtype": str, "na_values": []})  # fmt: skip
                blank = raw.fillna("").apply(lambda cells: cells.str.strip() == "").all(axis=1)
                empty = np.flatnonzero(blank).tolist()
                notes += about_empty(len(empty)) + ([extra.words(frame)] if extra else [])
                # Texts among the numbers had made texts of them: they are read once more.
                rest = raw.drop(index=sorted({*extra.rows, *empty})).to_csv(index=False, sep="\t")
                frame = _read_csv(rest, replace(form, sep="\t"), header=0, **how)
        except pd.errors.ParserWarning as error:
            raise TableError(
                f"Some rows have more cells than the {len(names)} columns of the header: put"
                " quotes around cells that hold the separator, or correct the header."
            ) from error
    frame = frame.drop(columns=[n for n in nameless(names) if frame[n].isna().all()])
    notes = [*form.words(name), *about, *about_names(names, form), *notes]
    return frame, notes, form.decimal


def _about_short_rows(text: str, form: TextFormat, frame: Any, extra: list[int]) -> list[str]:
    """Say that rows have fewer cells than the header: nobody knows which of them are missing."""
    empty = [n for n in nameless(list(frame.columns)) if frame[n].isna().all()]
    width, sep = frame.shape[1] - len(empty), form.sep or ","
    if not frame.iloc[:, width - 1].isna().any():
        return []
    if '"' not in text and sep != BLANK and text.count(sep) >= (len(frame) + 1) * (width - 1):
        return []
    lines = (line.strip() for line in io.StringIO(text)) if sep == BLANK else io.StringIO(text)
    try:
        rows = list(csv.reader(lines, delimiter=sep, skipinitialspace=True))
    except csv.Error:
        return []
    there = [row for row in rows if len(row) > 1 or "".join(row).strip()]
    there = there[1:] if form.header_row else there
    short = sorted({j for j, row in enumerate(there) if len(row) < width} - {*extra})
    if not short:
        return []
    which = "A row has" if len(short) == 1 else f"{len(short):,} rows have"
    return [
        f"{which} fewer cells than the header, as row {short[0]}: the last ones are read as empty."
    ]


def about_empty(count: int) -> list[str]:
    """Say that rows without a cell are left out."""
    which = "A row is" if count == 1 else f"{count:,} rows are"
    kept = option("all_rows", True)
    return [f"{which} empty and left out; {kept} keeps them."] if count else []


def from_first_lines(
    content: bytes, name: str, given: TextFormat, target: str | None
) -> tuple[str, TextFormat, list[str], list[str], Codes]:
    """Return the text from its header on, its format, the columns, notes on them, and the codes.

    All but the text follow from the first lines of a file.
    """
    text, encoding, about = decoded(content, name, given.encoding, target)
    about += _about_characters(text, name)
    text = text.replace("\x00", "")
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # old Macs ended lines with \r alone
    text = text.replace("\n\ufeff", "\n")  # of files that were put together
    separator, text = _hint_of_spreadsheet(text)
    text = _with_plain_header(text, target)
    form = _find(text, replace(given, encoding=encoding, sep=given.sep or separator), target)
    text = _with_equal_lines(_from_header(text, form), form)
    first = _read_csv(text, form, header=None, nrows=1, dtype=str, keep_default_na=False)
    if form.header_row:
        names, notes = unique_names(first.iloc[0])
    else:
        names, notes = [str(j) for j in range(first.shape[1])], []
    codes = _codes(text, form, names)
    return text, form, names, about + notes + codes.notes(), codes


def _about_characters(text: str, name: str) -> list[str]:
    """Say that a text has characters that nobody wrote."""
    notes = []
    if "\x00" in text:
        notes.append(f"{text.count(chr(0)):,} zero bytes in {name} were left out.")
    count = text.count(LOST)
    if count:
        which = "A character" if count == 1 else f"{count:,} characters"
        notes.append(f"{which} of {name} cannot be read and became {LOST} ({option('encoding')}).")
    return notes


def _read_csv(text: str, form: TextFormat, **how: Any) -> Any:
    import pandas as pd

    return pd.read_csv(
        io.StringIO(text),
        sep=r"\s+" if form.sep == BLANK else form.sep,
        skipinitialspace=True,
        decimal="," if form.decimal == "," else ".",
        **how,
    )


def about_names(names: list[str], form: TextFormat) -> list[str]:
    """Point out a header that looks like a row of the table."""
    numbers = [name for name in names if is_number(name)]
    counted = [[str(j + first) for j in range(len(numbers))] for first in (0, 1)]
    if not form.header_row or 2 * len(numbers) < len(names) or numbers in counted:
        return []
    return [
        f"The names of the columns look like cells ({', '.join(map(repr, numbers[:3]))}): pass"
        f" {option('header_row', 0)} if the file has no header."
    ]


def missing_by_column(
    names: list[str], target: str | None, missing: tuple[str, ...], of_letters: list[str]
) -> dict[str, list[str]]:
    """Return which cells are missing in each column; in one of codes of letters NA is a code."""
    cells = {
        name: [*(cell for cell in MISSING if cell != "NA" or name not in of_letters), *missing]
        for name in names
    }
    if target in cells:
        cells[target] = list(EMPTY_LABELS)
    return cells


def _hint_of_spreadsheet(text: str) -> tuple[str | None, str]:
    """Return the separator that a first line such as "sep=;" names, and the text after it."""
    first, _, rest = text.partition("\n")
    first = first.strip()
    return (first[4:], rest) if first.startswith("sep=") and len(first) == 5 else (None, text)


def _with_plain_header(text: str, target: str | None) -> str:
    """Return the text without the mark of a remark in front of the names of the columns.

    So NumPy and servers write them ("# a b", "#Fields: a b"): in the last remark above the rows.
    """
    begins = 0
    while text.startswith("#", begins):
        ends = text.find("\n", begins) + 1
        line = text[begins:ends]
        if ends and not text.startswith("#", ends) and target in _AROUND_NAMES.split(line):
            return text[:begins] + _REMARK.sub("", line) + text[ends:]
        begins = ends or len(text)
    return text


def _from_header(text: str, form: TextFormat) -> str:
    """Return the text without the lines above the header."""
    start = 0
    for _ in range((form.header_row or 1) - 1):
        start = text.find("\n", start) + 1
        if not start:
            raise TableError(
                f"{option('header_row')} names line {form.header_row}, and the file has fewer"
                " lines: count them from 1."
            )
    return text[start:]


def _find(text: str, given: TextFormat, target: str | None) -> TextFormat:
    tried = (given.sep,) if given.sep else SEPARATORS
    forms = [_with_header(text, replace(given, sep=sep), target) for sep in tried]
    cut = {form: _table(text, form) for form in forms}
    # Where decimal commas cut lines into as many cells, the header stands above the first of them.
    form = max(cut, key=lambda form: (_cells_a_line(cut[form]), -(form.header_row or 0)))
    if not given.sep and _cells_a_line(cut[form]) == 0:
        by_blanks = _with_header(text, replace(given, sep=BLANK), target)
        rows = _table(text, by_blanks)
        if _cells_a_line(rows) > 1:
            form, cut = by_blanks, {by_blanks: rows}
    if given.decimal != "auto" or form.sep == ",":  # between commas "1,5" has quotes: a text
        return form
    columns = {
        str(j): Cells(TEXT, as_texts(np.array(cells, dtype=object)))
        for j, cells in enumerate(zip(*_full(cut[form]), strict=True))
    }
    readings = find_readings(columns)
    decimal = decimal_of(readings)
    if decimal is None and form.sep == ";":
        # Spreadsheets write semicolons where the comma is the decimal character.
        unsure = {name: found for name, found in readings.items() if found.is_ambiguous}
        votes = [
            likely_decimal(v for v in columns[name].values if v is not None)
            or ("," if "," in found.example else ".")
            for name, found in unsure.items()
            if isinstance(found.reading, NumberReading)
        ]
        decimal = max(votes, key=votes.count, default=None)
    return replace(form, decimal=decimal or "auto")


def _with_header(text: str, form: TextFormat, target: str | None) -> TextFormat:
    """Return a format with the line of the header, unless that is known."""
    if form.header_row is not None:
        return form
    rows, begins = _rows_and_lines(text, form.sep or ",")
    above = lines_above_header(rows, target)
    return replace(form, header_row=begins[above] if begins else 1)


def _rows_and_lines(text: str, sep: str) -> tuple[list[list[str]], list[int]]:
    """Return the cells of the first rows, and in which line each begins: a cell may have many."""
    lines = _lines_of_sample(text)
    reader = csv.reader([line.strip() for line in lines] if sep == BLANK else lines,
                        delimiter=sep, skipinitialspace=True)  # fmt: skip
    rows, begins = [], []
    try:
        while True:
            begin = reader.line_num + 1
            rows.append(next(reader))
            begins.append(begin)
    except StopIteration:
        whole = not rows or reader.line_num - begins[-1] < MOST_LINES_A_CELL
    except csv.Error:
        whole = False
    if whole:
        return rows, begins
    # A quote that is never closed has swallowed the other lines: each line is a row.
    return [_cells(line, sep) for line in lines], list(range(1, len(lines) + 1))


def _table(text: str, form: TextFormat) -> list[list[str]]:
    """Return the cells of the first lines, from the header on, and one more where all have it."""
    return _cut(_with_equal_lines(_from_header(text, form), form), form.sep or ",")


def _with_equal_lines(text: str, form: TextFormat) -> str:
    """Name one more column in the header where every row has a cell more than it.

    It is empty, behind a separator at the end of each line, or counts the rows, as R writes it.
    """
    sep = form.sep or ","
    rows = _cut(text, sep)
    width = len(rows[0]) if rows else 0
    longer = [row for row in rows[1:] if len(row) == width + 1]
    if not form.header_row or width < 2 or len(longer) < max(2, len([r for r in rows[1:] if r])):
        return text
    if not any(row[-1] for row in longer):
        header, end, rest = text.partition("\n")
        return f"{header}{sep}{end}{rest}"
    first = [row[0] for row in longer]
    if first in ([str(j) for j in range(len(first))], [str(j + 1) for j in range(len(first))]):
        return f'""{sep}{text}'
    return text


def _codes(text: str, form: TextFormat, names: list[str]) -> Codes:
    columns = dict(zip(names, zip(*_full(_cut(text, form.sep or ",")), strict=True), strict=False))
    of_digits = [
        name
        for name, cells in columns.items()
        if any(_CODE.fullmatch(cell) for cell in cells)
        and all(not cell or cell.isdecimal() for cell in cells)
    ]
    return Codes(of_digits, [name for name, cells in columns.items() if are_letter_codes(cells)])


def are_letter_codes(cells: Iterable[Any]) -> bool:
    """Tell whether NA stands among codes of two letters: Namibia, or North America.

    Examples
    --------
    >>> from ssrlpl.tables.text_files import are_letter_codes
    >>> are_letter_codes(["DE", "NA", "FR", "", "US"]), are_letter_codes(["a", "NA", "b", "c"])
    (True, False)
    """
    found = {str(cell).strip() for cell in cells if cell is not None} - {""}
    return "NA" in found and len(found) > 3 and all(map(_TWO_LETTERS.fullmatch, found))


def _lines_of_sample(text: str) -> list[str]:
    return [line for _, line in zip(range(SAMPLE_LINES), io.StringIO(text), strict=False)]


def _cells(line: str, sep: str) -> list[str]:
    """Return the cells of one line."""
    return next(iter(_cut(line, sep)), [])


def _cut(text: str, sep: str) -> list[list[str]]:
    """Return the cells of the first lines."""
    lines = _lines_of_sample(text)
    if sep == BLANK:
        lines = [line.strip() for line in lines]
    try:
        return list(csv.reader(lines, delimiter=sep, skipinitialspace=True))
    except csv.Error:
        return []


def _cells_a_line(rows: list[list[str]]) -> float:
    """Return how many cells the header has, and less than one if most lines have another number.

    Any mark that does not occur cuts lines into one cell: that counts for nothing.
    """
    if not rows or len(rows[0]) == 1:
        return 0
    width, filled = len(rows[0]), [row for row in rows if row]
    return width if len(_full(rows)) >= 0.9 * len(filled) - 1 else width / 1e6


def _full(rows: list[list[str]]) -> list[list[str]]:
    """Return the rows below the header that have a cell for each of its names."""
    return [row for row in rows[1:] if len(row) == len(rows[0])]
