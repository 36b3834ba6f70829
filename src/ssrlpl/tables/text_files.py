"""CSV and its relatives: which cells are missing or codes, which rows are no samples."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._utils.advice import missing_cells, option
from .encodings import LOST, decoded
from .errors import TableError
from .extra_rows import NO_EXTRA, find_extra
from .header_lines import is_number
from .naming import nameless, unique_names
from .second_tables import MOST_TITLES, start_of_second
from .text_formats import (
    BLANK,
    TextFormat,
    cells_of_sample,
    find_format,
    from_header,
    full_rows,
    with_equal_lines,
)
from .text_layouts import from_fixed_width, with_plain_header, with_plain_quotes, without_frame
from .written_numbers import are_in_thousands, are_months

MISSING = (
    "", "#N/A", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
    "\\N", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!",
)  # fmt: skip
"""Cells of text files that are read as missing."""

EMPTY_LABELS = ("", "<NA>", "NaN", "nan")
"""Cells of the target that are read as empty: "None" and "NA" may well be classes."""

_CODE = re.compile(r"0\d+|\d{16,}")
FIRST_LONG = 10**15
"""The first number of 16 digits."""

_TWO_LETTERS = re.compile("[A-Z]{2}")
_ESCAPED = re.compile(rb'\\"[^,;|\s"]')  # what ends a cell is followed by a separator
_RAGGED = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
_UNCLOSED = re.compile(r"EOF inside string starting at row (\d+)")


class Codes(NamedTuple):
    """Columns of codes: as numbers 01067 would lose its zero, as a missing cell NA its meaning.

    A number of 16 digits or more would lose the last of them beside an empty cell. Numbers with
    points between thousands are kept as texts, too: 1.950 would become 1.95.
    """

    of_digits: list[str]
    of_letters: list[str]

    def notes(self) -> list[str]:
        """Say that NA is a code in some columns."""
        which = ", ".join(map(repr, self.of_letters))
        cure = missing_cells(["NA"])
        told = f"'NA' in {which} was read as a code like the others; {cure} makes it missing."
        return [told] if self.of_letters else []


def read_text(
    content: bytes, name: str, given: TextFormat, target: str | None, missing: tuple[str, ...]
) -> tuple[Any, list[str], TextFormat]:
    """Return a table, what to know about it, and how its text is written."""
    content, about = with_doubled_quotes(content, name)
    text, form, names, notes, codes = from_first_lines(content, name, given, target, is_whole=True)
    text, ended = (text, []) if given.all_rows else _first_table(text, form, name)
    notes += ended
    how: dict[str, Any] = {
        "names": names,
        "na_values": missing_by_column(names, target, missing, codes.of_letters),
        "dtype": dict.fromkeys(codes.of_digits, str),
        "header": 0 if form.header_row else None,
    }
    with cells_told(name, (form.header_row or 1) - 1):
        frame = _with_codes(text, form, how)
    extra = NO_EXTRA if given.all_rows else find_extra(frame, target)
    about += _about_short_rows(text, form, frame, extra.rows)
    if extra or (not given.all_rows and frame.isna().all(axis=1).any()):
        raw = _read_csv(text, form, **how | {"dtype": str, "na_values": []})
        blank = raw.fillna("").apply(lambda cells: cells.str.strip() == "").all(axis=1)
        empty = np.flatnonzero(blank).tolist()
        notes += about_empty(len(empty)) + ([extra.words(frame)] if extra else [])
        # Texts among the numbers had made texts of them: they are read once more.
        rest = raw.drop(index=sorted({*extra.rows, *empty})).to_csv(index=False, sep="\t")
        frame = _with_codes(rest, replace(form, sep="\t", quote='"'), how | {"header": 0})
    frame = frame.drop(columns=[n for n in nameless(names) if frame[n].isna().all()])
    notes = [*form.words(name), *about, *about_names(names, form, target), *notes]
    return frame, notes, form


def _with_codes(text: str, form: TextFormat, how: dict[str, Any]) -> Any:
    """Return the rows of a text; columns of digits are texts if there is a code in any line."""
    frame = _read_csv(text, form, **how)
    numbers = [name for name in frame.columns if frame[name].dtype.kind in "iuf"]
    marks = {form.sep or ",", form.quote, "\n", " "}
    has_zeros = any(re.search(rf"{re.escape(mark)}0\d", text) for mark in marks)
    if has_zeros or any(frame[name].max() >= FIRST_LONG for name in numbers):
        raw = _read_csv(text, form, **how | {"dtype": str})
        for name in numbers:
            cells = raw[name].dropna()
            if cells.str.isdecimal().all() and any(map(_CODE.fullmatch, cells)):
                frame[name] = raw[name]
    return frame


def _about_short_rows(text: str, form: TextFormat, frame: Any, extra: list[int]) -> list[str]:
    """Say that rows have fewer cells than the header: nobody knows which of them are missing."""
    empty = [n for n in nameless(list(frame.columns)) if frame[n].isna().all()]
    width, sep = frame.shape[1] - len(empty), form.sep or ","
    if not frame.iloc[:, width - 1].isna().any():
        return []
    if (
        form.quote not in text
        and sep != BLANK
        and text.count(sep) >= (len(frame) + 1) * (width - 1)
    ):
        return []
    try:
        rows = list(form.reader(io.StringIO(text)))
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
    which, them = ("A row is", "it") if count == 1 else (f"{count:,} rows are", "them")
    kept = option("all_rows", True)
    return [f"{which} empty and left out; {kept} keeps {them}."] if count else []


def _first_table(text: str, form: TextFormat, name: str) -> tuple[str, list[str]]:
    """Return the text up to a further table below the first, and say that it is left out."""
    lines = text.split("\n")
    # Cells take twenty times the memory of the text: they are made for words below an empty line.
    bare = [line.strip(" ,;|\t") for line in lines]
    below = (lines[k] for j, line in enumerate(bare) if not line
             for k in range(j + 1, min(j + 2 + MOST_TITLES, len(lines))) if bare[k])  # fmt: skip
    if all(any(map(is_number, line.split(form.sep or ","))) for line in below):
        return text, []
    reader, rows, ends = form.reader(line + "\n" for line in lines), [], []
    try:
        for row in reader:
            rows.append(row)
            ends.append(reader.line_num)
    except csv.Error:
        return text, []
    second = start_of_second(rows)
    if second is None:
        return text, []
    where = f"in line {ends[second - 1] + (form.header_row or 1)} of {name}"
    told = f"A further table begins {where} and is left out: give it a file of its own."
    return "\n".join(lines[: ends[second - 2]]) + "\n", [told]


def from_first_lines(
    content: bytes, name: str, given: TextFormat, target: str | None, *, is_whole: bool = False
) -> tuple[str, TextFormat, list[str], list[str], Codes]:
    """Return the text from its header on, its format, the columns, notes on them, and the codes.

    All but the text follow from the first lines of a file. A text that ``is_whole`` may be laid
    out for the eye: it is rewritten.
    """
    text, encoding, about = decoded(content, name, given.encoding, target)
    about += _about_characters(text, name)
    text = text.replace("\x00", "")
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # old Macs ended lines with \r alone
    text = text.replace("\n\ufeff", "\n")  # of files that were put together
    separator, text = _hint_of_spreadsheet(text)
    text = with_plain_header(text, target)
    given = replace(given, encoding=encoding, sep=given.sep or separator)
    if is_whole:
        text, replaced = with_plain_quotes(without_frame(text))
        about += replaced
    form = find_format(text, given, target)
    if is_whole and form.sep in (BLANK, ",") and form.header_row == 1 and not given.sep:
        rewritten = _with_columns_below_each_other(text, form)
        if rewritten:
            text = rewritten
            about.append(f"{name} was read in columns of fixed width.")
            form = find_format(text, replace(given, sep=","), target)
    text = with_equal_lines(from_header(text, form), form)
    with cells_told(name):
        first = _read_csv(text, form, header=None, nrows=1, dtype=str)
    if form.header_row:
        names, notes = unique_names(first.iloc[0])
    else:
        names, notes = [str(j) for j in range(first.shape[1])], []
    codes = _codes(text, form, names)
    return text, form, names, about + notes + codes.notes(), codes


def _with_columns_below_each_other(text: str, form: TextFormat) -> str | None:
    """Return a table of fixed width as CSV, where blanks do not cut all lines into as many cells.

    An empty cell would be taken for the next one.
    """
    if (form.sep == "," and "," in text.lstrip().partition("\n")[0]) or '"' in text:
        return None
    cells = {len(line.split()) for line in text.strip().split("\n")[1:] if line.strip()}
    if form.sep == BLANK and len(cells) == 1:
        return None
    return from_fixed_width(text)


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

    return pd.read_csv(io.StringIO(text), **form.for_pandas() | how)


@contextmanager
def cells_told(name: str, above: int = 0) -> Iterator[None]:
    """Say in a sentence of ours which row pandas cannot cut into cells; it sees no lines above."""
    import pandas as pd

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            yield
    except pd.errors.ParserWarning as error:  # it would drop the last cells
        raise TableError(
            f"Some rows of {name} have more cells than the header: put quotes around cells that"
            f" hold the separator, correct the header, or name the separator with {option('sep')}."
        ) from error
    except pd.errors.ParserError as error:
        reason = str(error)
        if ragged := _RAGGED.search(reason):
            told = (
                f"Line {int(ragged[2]) + above} of {name} has {ragged[3]} cells, the header has"
                f" {ragged[1]}: put quotes around cells that hold the separator."
            )
        elif unclosed := _UNCLOSED.search(reason):
            told = (
                f"A cell of row {int(unclosed[1]):,} of {name} begins with a quote that is never"
                " closed: close it, or write it twice."
            )
        else:
            told = f"{name} cannot be read as CSV: save it again as CSV in UTF-8."
        raise TableError(told) from error


def with_doubled_quotes(content: bytes, name: str) -> tuple[bytes, list[str]]:
    """Return a text in which quotes within quotes are written twice, and what was replaced.

    Databases write them after a backslash.
    """
    if not _ESCAPED.search(content):
        return content, []
    told = f"A quote after a backslash was read as a quote within a cell of {name}."
    return content.replace(b'\\"', b'""'), [told]


def about_names(names: list[str], form: TextFormat, target: str | None) -> list[str]:
    """Point out a header that looks like a row of the table; one with the target is a header."""
    numbers = [name for name in names if is_number(name)]
    counted = [[str(j + first) for j in range(len(numbers))] for first in (0, 1)]
    if (
        not form.header_row
        or target in names
        or 2 * len(numbers) < len(names)
        or numbers in counted
    ):
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


def _codes(text: str, form: TextFormat, names: list[str]) -> Codes:
    rows = full_rows(cells_of_sample(text, form))
    columns = dict(zip(names, zip(*rows, strict=True), strict=False))
    of_digits = [
        name
        for name, cells in columns.items()
        if are_months(cells)
        or (form.decimal == "auto" and are_in_thousands(cells))
        or (
            any(_CODE.fullmatch(cell) for cell in cells)
            and all(not cell or cell.isdecimal() for cell in cells)
        )
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
