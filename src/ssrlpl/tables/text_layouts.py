"""Texts that are laid out for the eye, rewritten as CSV: drawn frames, columns of fixed width."""

from __future__ import annotations

import csv
import io
import re
from itertools import accumulate

_RULE = re.compile(r"\s*[+┌├└╞╔╠╚╭╰][-=+─━═┬┼┴┐┤┘╡╪╤╧╗╣╝╦╬╩╮╯┆|]{3,}\s*")
_BARS = str.maketrans("│┃┆║", "||||")
_KEPT_AS_TEXT = re.compile(r'(?m)(^|[,;\t|])(?:="([^"\n]*)"|"=""([^"\n]*)""")(?=[,;\t|]|$)')
_CURLY = re.compile(r"(^|[,;\t|])[“„]([^“”„\"\n]*)[”“](?=[,;\t|]|$)")
_WHOLE_LINE = re.compile(r'\s*"(?:[^"]|"")*"\s*')
_SEPARATOR = re.compile(r"[,;\t|]")
_REMARK = re.compile(r"#+\s*(Fields:\s*)?")
_RULER = re.compile(r"-+(?: +-+)+")
_AROUND_NAMES = re.compile(r"[\s,;|\"]+")


def without_frame(text: str) -> str:
    r"""Return a table without the frame that databases draw around it, with bars between cells.

    Examples
    --------
    >>> from ssrlpl.tables.text_layouts import without_frame
    >>> print(without_frame("+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n+---+---+"))
    | a | b |
    | 1 | 2 |
    """
    if not _RULE.fullmatch(text.partition("\n")[0]):
        return text
    lines = text.split("\n")
    return "\n".join(line.translate(_BARS) for line in lines if not _RULE.fullmatch(line))


def with_plain_quotes(text: str) -> tuple[str, list[str]]:
    r"""Return a text with the usual quotes around cells, and what was replaced.

    Programs write ="00123" so that a spreadsheet keeps the zeros, editors of letters curl quotes,
    and a spreadsheet that took every line for one cell puts quotes around it.

    Examples
    --------
    >>> from ssrlpl.tables.text_layouts import with_plain_quotes
    >>> with_plain_quotes('a,b\n="01",x\n2,“x, y”')[0]
    'a,b\n"01",x\n2,"x, y"'
    """
    notes = []
    header = text.partition("\n")[0]
    if _SEPARATOR.search(header) and _WHOLE_LINE.fullmatch(header):
        lines = [line for line in text.split("\n") if line.strip()]
        if all(map(_WHOLE_LINE.fullmatch, lines)):
            text = "\n".join(line.strip()[1:-1].replace('""', '"') for line in lines) + "\n"
            notes.append("The quotes around whole lines were left out.")
    if '="' in text or '"=""' in text:
        text, count = _KEPT_AS_TEXT.subn(lambda m: f'{m[1]}"{m[2] or m[3] or ""}"', text)
        told = '{:,} cells such as ="1" were read as the text within the quotes.'
        notes += [told.format(count)] if count else []
    if "”" in text or "“" in text:
        lines = text.split("\n")
        quotes = accumulate(line.count('"') for line in lines)
        # Where there are straight quotes, in the line or around it, curled ones belong to a cell.
        text = "\n".join(
            line if '"' in line or count % 2 else _CURLY.sub(r'\1"\2"', line)
            for line, count in zip(lines, quotes, strict=True)
        )
    return text, notes


def with_plain_header(text: str, target: str | None) -> str:
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


def from_fixed_width(text: str) -> str | None:
    r"""Return a table whose columns begin below each other as CSV, None if it is none.

    Between two columns there is a place at which all lines are blank; the header has a name in each
    column, and cells may be empty. A line of dashes below the header tells where columns are.

    Examples
    --------
    >>> from ssrlpl.tables.text_layouts import from_fixed_width
    >>> print(from_fixed_width("id city      x\n1  New York  2.5\n2            1.0\n3  Rome\n"))
    id,city,x
    1,New York,2.5
    2,,1.0
    3,Rome,
    <BLANKLINE>
    """
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    if len(lines) < 3 or "\t" in text:
        return None
    spans = _ruled(lines[1]) or _between_blanks(lines)
    if len(spans) < 2:
        return None
    inside = {place for span in spans for place in range(span.start, span.stop)}
    rows = [
        [line[span].strip() for span in spans] if _used([line]) <= inside else [line.strip()]
        for line in lines
        if not _RULER.fullmatch(line.strip())
    ]
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def _used(lines: list[str]) -> set[int]:
    """Return the places at which a line is not blank."""
    return {place for line in lines for place, mark in enumerate(line) if mark != " "}


def _ruled(line: str) -> list[slice]:
    """Return the columns that a line of dashes draws, none if it is no such line."""
    if not _RULER.fullmatch(line.strip()):
        return []
    return [slice(found.start(), found.end()) for found in re.finditer("-+", line)]


def _between_blanks(lines: list[str]) -> list[slice]:
    """Return the columns between places at which all lines are blank, none if they are unclear."""
    used = _used(lines)
    begins = sorted(place for place in used if place - 1 not in used)
    ends = sorted(place + 1 for place in used if place + 1 not in used)
    columns: list[tuple[int, int]] = []
    waiting = None  # the begin of words, without a name above, that are nearer to the next column
    for j, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        before = begin - ends[j - 1] if columns else len(lines[0])
        behind = begins[j + 1] - end if j + 1 < len(begins) else len(lines[0])
        if lines[0][begin:end].strip():
            columns.append((begin if waiting is None else waiting, end))
            waiting = None
        elif before <= behind and columns and waiting is None:
            columns[-1] = (columns[-1][0], end)
        elif waiting is None:
            waiting = begin
    return [] if waiting is not None else [slice(begin, end) for begin, end in columns]
