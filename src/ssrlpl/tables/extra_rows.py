"""Rows of a table that are no samples: units below the header, totals, notes at the end."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from .._utils.advice import option
from .._utils.types import Mask
from .cell_values import is_missing, texts_of
from .found_readings import Reading, reads
from .header_lines import filled, is_number
from .readings import DateReading, find_reading, means_nothing
from .written_numbers import NumberReading

MOST_DESCRIBING = 2
"""Rows below the header that may describe the columns: units, the wording of questions."""

MOST_LAST = 10
"""Last rows that may be totals and notes."""

LOOKED_AT = 200
"""Rows from which it is learned what the cells of a column look like."""

RARE = 0.05
"""Totals between the rows are a smaller share of them than this."""

MOST_WORDS = 4
"""The name of a total has no more words; texts in which the word comes have."""

ENOUGH_ROWS = 20
"""From so many rows on it is told what the cells of a column have in common."""

ENOUGH_ODD = 3
"""So many cells of a row unlike all others of their columns, and none like them: no sample."""

_TOTAL = re.compile(
    r"(.*\W)?(sub-?|grand )?(totals?|sums?|summe|gesamt(summe|ergebnis)?|zwischensumme|insgesamt"
    r"|totaux|totale|totaal|suma|razem|итого|合计|合計)(\W.*)?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\.\d+$")  # a name that came twice: x and x.1
_RULE = re.compile(r":?-{2,}:?")
_MEAN = re.compile(
    r"(mean|average|avg\.?|median|std\.?( dev\.?)?|min\.?|max\.?|count|mittelwert|durchschnitt"
    r"|moyenne|media)\W*",
    re.IGNORECASE,
)


class Extra(NamedTuple):
    """Numbers of rows that are no samples, by what they are."""

    describing: list[int]
    totals: list[int]
    notes: list[int]

    def __bool__(self) -> bool:
        return bool(self.describing or self.totals or self.notes)

    @property
    def rows(self) -> list[int]:
        """All of them, in order."""
        return sorted({*self.describing, *self.totals, *self.notes})

    def words(self, frame: Any) -> str:
        """Say which rows are left out, by an example of each kind."""
        kinds = {
            "words below the header": self.describing,
            "totals": self.totals,
            "notes": self.notes,
        }
        told = [
            f"{what} ({len(rows)}: {_first_cell(frame, rows[0])!r})"
            for what, rows in kinds.items()
            if rows
        ]
        return (
            f"Rows that are no samples are left out: {', '.join(told)}; {option('all_rows', True)}"
            " keeps them."
        )


NO_EXTRA = Extra([], [], [])


def _first_cell(frame: Any, row: int) -> str:
    cells = (str(cell).strip() for cell in frame.iloc[row].tolist() if not is_missing(cell))
    text = next(cells, "")
    return text if len(text) <= 40 else text[:39] + "…"


def find_extra(frame: Any, target: str | None) -> Extra:
    """Return the rows of a table, as it was read, that are no samples.

    A labeled row is a sample, unless it describes the columns or is a total without numbers. So is
    a row whose words are all found in other rows as well.
    """
    if len(frame) < 2 * MOST_DESCRIBING or frame.shape[1] < 2:
        return NO_EXTRA
    readings = _readings(frame, target)
    describing = _repeated(frame)
    for row in range(MOST_DESCRIBING):
        is_target = frame.iat[row, 0] == target  # of a table whose samples are columns
        describes = _names_index(frame, row, target) or _describes(frame, row, readings)
        describes = describes or _is_like_no_other(frame, row, readings)
        if row not in describing and (is_target or not describes):
            break
        describing.append(row)
    blank = _unlabeled(frame, target)
    notes = _notes(frame, blank, readings)
    notes += [row for row in _remarks(frame) if row not in notes]
    totals = [row for row in _totals(frame, blank, target, readings, notes) if row not in notes]
    found = (sorted({*describing}), totals, notes)
    extra = sorted({row for rows in found for row in rows})
    others = frame.drop(index=frame.index[extra]) if extra else frame
    return Extra(*([r for r in rows if not _is_among(others, frame.iloc[r])] for rows in found))


def _is_among(others: Any, row: Any) -> bool:
    words = [(j, cell) for j, cell in enumerate(row.tolist()) if isinstance(cell, str)]
    return bool(words) and all((others.iloc[:, j] == cell).any() for j, cell in words)


def _names_index(frame: Any, row: int, target: str | None) -> bool:
    """Tell whether the first row has but the name of the first column, as pandas writes it.

    The rows below have cells in several columns; a sample without a label may lack one.
    """
    name, others = frame.iat[row, 0], frame.drop(columns=[target], errors="ignore").iloc[:2, 1:]
    is_word = isinstance(name, str) and not is_number(name)
    only_first = frame.iloc[0, 1:].isna().all() and others.iloc[1].notna().sum() > 1
    return row == 0 and is_word and bool(only_first)


def _repeated(frame: Any) -> list[int]:
    """Return rows that are the header once more, or a line drawn with dashes."""
    names = [{str(name), _NUMBERED.sub("", str(name))} for name in frame.columns]
    maybe = np.zeros(len(frame), dtype=bool)
    for place in [j for j, dtype in enumerate(frame.dtypes) if dtype.kind == "O"][:2]:
        texts = texts_of(frame.iloc[:, place]).tolist()
        maybe |= [t is not None and (t in names[place] or bool(_RULE.fullmatch(t))) for t in texts]
    found = []
    for row in np.flatnonzero(maybe).tolist():
        pairs = zip(names, texts_of(frame.iloc[row]).tolist(), strict=True)
        there = [(name, cell) for name, cell in pairs if cell is not None]
        is_header = len(there) > 1 and all(cell in name for name, cell in there)
        is_long = len(there) > 1 or frame.shape[1] > 2  # beside a label alone -- may be a sample
        if is_header or (is_long and all(_RULE.fullmatch(cell) for _, cell in there)):
            found.append(row)
    return found


def _readings(frame: Any, target: str | None) -> dict[str, Reading]:
    """Return how columns of texts would be read without the first and last rows."""
    inner = frame.iloc[MOST_DESCRIBING : max(len(frame) - MOST_LAST, MOST_DESCRIBING + 1)]
    found: dict[str, Reading] = {}
    for name in frame.columns:
        if name == target or frame[name].dtype.kind in "biufMm":
            continue
        texts = texts_of(inner[name].iloc[:LOOKED_AT])
        reading = find_reading(Counter(text for text in texts if text is not None)).reading
        if isinstance(reading, NumberReading | DateReading):
            found[name] = reading
    return found


def _describes(frame: Any, row: int, readings: dict[str, Reading]) -> bool:
    """Tell whether a row has words in all columns of numbers and dates: at least half of all.

    Columns that were read as numbers have none there.
    """
    cells = {name: texts_of(frame[name].iloc[[row]])[0] for name in readings}
    there = {n: t for n, t in cells.items() if t is not None and not means_nothing(t)}
    enough = max(1, (len(frame.columns) - 1) / 2)
    return len(there) >= enough and not any(reads(readings[n], t) for n, t in there.items())


def _is_like_no_other(frame: Any, row: int, readings: dict[str, Reading]) -> bool:
    """Tell whether every cell of a row is unlike the cells below: wordings of questions are.

    Texts that differ in most rows tell nothing, nor does the only text of a column: surveys name
    the choice below the question, and again where it was made.
    """
    if len(frame) < ENOUGH_ROWS:
        return False
    odd = 0
    for name in [n for n, cell in zip(frame, frame.iloc[row], strict=True) if not is_missing(cell)]:
        if frame[name].dtype.kind in "biufMm":
            return False
        texts = texts_of(frame[name])
        others = Counter(t for t in texts[MOST_DESCRIBING:].tolist() if t is not None)
        if name in readings:
            is_odd = not reads(readings[name], texts[row])
        else:
            is_odd = texts[row] not in others
        if not is_odd and (name in readings or len(others) > 1):
            return False
        odd += is_odd and (name in readings or 2 * len(others) <= others.total())
    return odd >= ENOUGH_ODD


def _unlabeled(frame: Any, target: str | None) -> Mask:
    if target not in frame.columns:
        return np.ones(len(frame), dtype=bool)
    return np.asarray(frame[target].isna().to_numpy())


def _notes(frame: Any, blank: Mask, readings: dict[str, Reading]) -> list[int]:
    """Return the last rows in which there is but a remark."""
    found: list[int] = []
    if frame.shape[1] < 3:
        return found
    for row in range(len(frame) - 1, max(len(frame) - 1 - MOST_LAST, 0), -1):
        cells = ["" if is_missing(cell) else str(cell) for cell in frame.iloc[row].tolist()]
        few = filled(cells) <= max(1, len(cells) // 3)
        odd = [
            name in readings and not reads(readings[name], cell)
            for name, cell in zip(frame.columns, cells, strict=True)
            if cell
        ]
        only_first = bool(cells[0]) and filled(cells) == 1
        if not (blank[row] and few and (only_first or (odd and all(odd)))):
            break
        found.append(row)
    return found if any(re.search(r"[^\W\d]", _first_cell(frame, row)) for row in found) else []


def _remarks(frame: Any) -> list[int]:
    """Return rows that hold but a remark behind a #, wherever they stand.

    Where samples begin with a # as well, or have one cell and a label, they may be texts.
    """
    if frame.dtypes.iloc[0].kind != "O" or frame.shape[1] < 3:
        return []
    marked = np.array([str(cell).startswith("#") for cell in frame.iloc[:, 0]])
    alone = frame.iloc[:, 1:].isna().all(axis=1).to_numpy()
    return [] if np.any(marked & ~alone) else np.flatnonzero(marked).tolist()


def _totals(
    frame: Any, blank: Mask, target: str | None, readings: dict[str, Reading], notes: list[int]
) -> list[int]:
    """Return rows that are called totals: the last ones, and half empty ones; and the sum of all.

    A labeled one has no other cell.
    """
    named: dict[int, bool] = {}  # whether it is a total wherever it stands
    may_name = frame.columns[:3] if frame.shape[1] > 2 else ()  # a name needs its number
    for name in [n for n in may_name if n != target and frame[n].dtype.kind == "O"]:
        texts = texts_of(frame[name])
        distinct = {text for text in texts.tolist() if text is not None}
        totals = {t for t in distinct if _TOTAL.fullmatch(t) and len(t.split()) <= MOST_WORDS}
        others = {text for text in distinct if _MEAN.fullmatch(text)}
        alone = np.array(frame.drop(columns=[name, target], errors="ignore").isna().all(axis=1))
        is_named = np.isin(texts, list(totals | others)) & (blank | alone)
        for row in np.flatnonzero(is_named).tolist():
            named[row] = named.get(row, False) or texts[row] in totals
    if len(named) > 1 + RARE * len(frame):  # what comes often is a value like others
        named = {}
    found = [
        row
        for row, is_total in named.items()
        if row >= len(frame) - MOST_LAST or (is_total and _half_empty(frame, row))
    ]
    last = next((r for r in range(len(frame) - 1, 0, -1) if r not in {*notes, *found}), 0)
    sums = [_is_sum(frame[name], last, readings.get(name)) for name in frame] if blank[last] else []
    told = [is_sum for is_sum in sums if is_sum is not None]
    # Among many columns of small counts, one adds up by chance.
    return [*found, last] if told and 2 * sum(told) >= len(told) else found


def _is_sum(column: Any, row: int, reading: Reading | None) -> bool | None:
    """Tell whether a number is the sum of all above it, of which at least three are not zero.

    None is returned for what can be no sum: words, an empty cell, zeros.
    """
    if isinstance(reading, NumberReading):
        texts = texts_of(column.iloc[: row + 1]).tolist()
        if texts[-1] is None or not all(t is None or reads(reading, t) for t in texts):
            return None
        numbers = reading.cells(np.array(texts, dtype=object)).values
    elif column.dtype.kind in "iuf":
        numbers = column.iloc[: row + 1].to_numpy(dtype=np.float64)
    else:
        return None
    above = numbers[:-1][~np.isnan(numbers[:-1])]
    if np.isnan(numbers[-1]) or np.count_nonzero(above) < ENOUGH_ODD:
        return None
    is_equal = np.isclose(above.sum(), numbers[-1], rtol=1e-9, atol=0)
    return bool(is_equal and numbers[-1] > above.max())


def _half_empty(frame: Any, row: int) -> bool:
    empty = sum(is_missing(cell) for cell in frame.iloc[row].tolist())
    return 2 * empty >= frame.shape[1]
