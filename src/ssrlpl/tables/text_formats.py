"""How a text file is written: what separates cells and quotes them, where the header is.

All is found from the first lines, said in one line if it is not usual, and can be given by the
person.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from .._utils.advice import option
from .cell_values import TEXT, Cells, as_texts
from .errors import TableError
from .evidence import decimal_of, find_readings
from .header_lines import is_number, lines_above_header, names_of
from .written_numbers import NumberReading, likely_decimal

SEPARATORS = (",", ";", "\t", "|")
"""The one that cuts the first lines into most cells is taken; the first wins a tie."""

RARE_SEPARATORS = ("~", "^", "¦", "\x1f", ":")
"""They are looked for where none of the others is found."""

BLANK = " "
"""One or more blanks, where no other separator is found."""

MOST_LINES_A_CELL = 20
"""More lines within a cell are no cell: a quote was not closed."""

SAMPLE_LINES = 200
"""Lines from which separator and decimal character are found."""

MOSTLY_QUOTED = 0.8
"""Single quotes are around cells if at least this share of the lines has such a cell."""

_SINGLE_QUOTES = re.compile(r"(?:^|[,;\t|])'(?:[^'\n]|'')*'(?=[,;\t|]|$)")
_DOUBLE_QUOTE = re.compile(r'(?:^|[,;\t|])"')


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
    quote: str = '"'
    """What stands around cells that hold the separator."""

    def words(self, name: str) -> list[str]:
        """Say what is unusual, with the option that changes it."""
        shown = {"\t": "tab", " ": "blank"}.get(self.sep or ",", repr(self.sep))
        parts = [f"separator {shown} ({option('sep')})"] if self.sep != "," else []
        parts += ["single quotes around cells"] if self.quote == "'" else []
        if self.header_row != 1:
            where = f"in line {self.header_row}" if self.header_row else "missing"
            parts.append(f"the header {where} ({option('header_row')})")
        parts += [f"decimal comma ({option('decimal')})"] if self.decimal == "," else []
        usual = ("utf-8", "utf-8-sig")
        if self.encoding not in usual:
            parts.append(f"encoding {self.encoding} ({option('encoding')})")
        return [f"{name} was read with {', '.join(parts)}."] if parts else []

    def for_pandas(self) -> dict[str, Any]:
        """Return the arguments of ``pandas.read_csv`` that every reader of this format passes."""
        return {
            "sep": r"\s+" if self.sep == BLANK else self.sep,
            "decimal": "," if self.decimal == "," else ".",
            "quotechar": self.quote,
            "skipinitialspace": True,
            "index_col": False,
            "keep_default_na": False,
            "low_memory": False,
        }

    def reader(self, lines: Iterable[str]) -> Any:
        """Return what cuts lines into rows of cells."""
        if self.sep == BLANK:
            lines = (line.strip() for line in lines)
        return csv.reader(
            lines, delimiter=self.sep or ",", quotechar=self.quote, skipinitialspace=True
        )


def find_format(text: str, given: TextFormat, target: str | None) -> TextFormat:
    """Return how a text is written, as far as it is not given."""
    given = replace(given, quote=_quote_of(text))
    form, rows = _best(text, given, (given.sep,) if given.sep else SEPARATORS, target)
    for more in (RARE_SEPARATORS, (BLANK,)):
        if given.sep or _cells_a_line(rows):
            break
        other, cut = _best(text, given, more, target)
        if _cells_a_line(cut) > 1:
            form, rows = other, cut
    if given.decimal != "auto" or form.sep == ",":  # between commas "1,5" has quotes: a text
        return form
    columns = {
        str(j): Cells(TEXT, as_texts(np.array(cells, dtype=object)))
        for j, cells in enumerate(zip(*full_rows(rows), strict=True))
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
        # A point may stand between thousands: then a note tells of both readings.
        decimal = "," if max(votes, key=votes.count, default=None) == "," else None
    return replace(form, decimal=decimal or "auto")


def _quote_of(text: str) -> str:
    """Return a single quote where it stands around cells of nearly all lines, else a double one."""
    lines = [line.rstrip("\n") for line in _lines_of_sample(text) if line.strip()]
    single = sum(bool(_SINGLE_QUOTES.search(line)) for line in lines)
    is_single = len(lines) > 2 and single >= MOSTLY_QUOTED * len(lines)
    return "'" if is_single and not any(map(_DOUBLE_QUOTE.search, lines)) else '"'


def _best(
    text: str, given: TextFormat, separators: Iterable[str], target: str | None
) -> tuple[TextFormat, list[list[str]]]:
    """Return the separator that cuts the lines into most cells, and the cells from the header.

    Of those that cut all lines alike it is one by which the header has the name of the target.
    """
    forms = [_with_header(text, replace(given, sep=sep), target) for sep in separators]
    cut = {
        form: cells_of_sample(with_equal_lines(from_header(text, form), form), form)
        for form in forms
    }

    width = {form: _cells_a_line(rows) for form, rows in cut.items()}
    has_it = {form: width[form] > 1 and target in names_of(rows[0]) for form, rows in cut.items()}
    # Where decimal commas cut lines into as many cells, the header stands above the first of them.
    form = max(cut, key=lambda form: (has_it[form], width[form], -(form.header_row or 0)))
    return form, cut[form]


def _with_header(text: str, form: TextFormat, target: str | None) -> TextFormat:
    """Return a format with the line of the header, unless that is known."""
    if form.header_row is not None:
        return form
    rows, begins = _rows_and_lines(text, form)
    above = lines_above_header(rows, target)
    return replace(form, header_row=begins[above] if begins else 1)


def _rows_and_lines(text: str, form: TextFormat) -> tuple[list[list[str]], list[int]]:
    """Return the cells of the first rows, and in which line each begins: a cell may have many."""
    lines = _lines_of_sample(text)
    reader = form.reader(lines)
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
    each = [next(iter(cells_of_sample(line, form)), []) for line in lines]
    return each, list(range(1, len(lines) + 1))


def from_header(text: str, form: TextFormat) -> str:
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


def with_equal_lines(text: str, form: TextFormat) -> str:
    """Name one more column in the header where every row has a cell more than it.

    It is empty, behind a separator at the end of each line, or counts or names the rows, as R
    writes it.
    """
    sep = form.sep or ","
    rows = cells_of_sample(text, form)
    width = len(rows[0]) if rows else 0
    longer = [row for row in rows[1:] if len(row) == width + 1]
    if not form.header_row or width < 2 or len(longer) < max(2, len([r for r in rows[1:] if r])):
        return text
    if not any(row[-1] for row in longer):
        header, end, rest = text.partition("\n")
        return f"{header}{sep}{end}{rest}"
    first = [row[0] for row in longer]
    counts = first in ([str(j + start) for j in range(len(first))] for start in (0, 1))
    if counts or (len({*first}) == len(first) and not any(map(is_number, first))):
        return f"{2 * form.quote}{sep}{text}"
    return text


def _lines_of_sample(text: str) -> list[str]:
    lines = re.finditer(r"[^\n]*\n|[^\n]+", text)  # io.StringIO would copy all of the text first
    return [line[0] for line in islice(lines, SAMPLE_LINES)]


def cells_of_sample(text: str, form: TextFormat) -> list[list[str]]:
    """Return the cells of the first lines."""
    try:
        return list(form.reader(_lines_of_sample(text)))
    except csv.Error:
        return []


def _cells_a_line(rows: list[list[str]]) -> float:
    """Return how many cells the header has, and less than one if most lines have another number.

    Any mark that does not occur cuts lines into one cell: that counts for nothing.
    """
    if not rows or len(rows[0]) == 1:
        return 0
    width, there = len(rows[0]), [row for row in rows if row]
    return width if len(full_rows(rows)) >= 0.9 * len(there) - 1 else width / 1e6


def full_rows(rows: list[list[str]]) -> list[list[str]]:
    """Return the rows below the header that have a cell for each of its names."""
    return [row for row in rows[1:] if len(row) == len(rows[0])]
