"""One round of an audit: take in what a person checked, say what is certified, give more rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from .._utils.files import whole_file
from .._utils.printing import exact_percent
from .._utils.spreadsheets import unguarded
from .._utils.validation import check_share
from ..guarantee import AuditTrail, audits_needed
from ..tables import RawTable, TableError
from ..tables.cell_values import as_text, texts_of
from ..tables.table_writing import kind_to_write, write_chunks
from .delivered import LABELS, DeliveredLabels, delivered_labels
from .options import ReadOptions
from .use import open_model, with_cells

CHECKED = "checked"
"""The column that a person fills in."""


@dataclass(frozen=True)
class AuditRound:
    """Where an audit stands: the trail, the labels taken in by this round, and what to say."""

    trail: AuditTrail
    n_added: int
    is_enough: bool
    to_check: Path | None
    """The file of rows to check next, None if the audit is over."""
    max_error: float
    checked: Path
    """The file of all rows that a person checked."""
    notes: list[str] = field(default_factory=list)

    def in_words(self) -> str:
        """Say what is certified, and whether to go on."""
        goal = f"at most {exact_percent(self.max_error)} wrong"
        if self.is_enough:
            return f"{self.trail} Enough: {goal} is certified. What you said is in {self.checked}."
        more = audits_needed(
            self.max_error,
            expected_error=self.trail.error_estimate if self.trail.n_checked else 0.0,
            n_rows=self.trail.n_rows,
            confidence=self.trail.confidence,
            any_time=True,
        )
        fill_in = f"fill in {CHECKED!r} in {self.to_check}"
        if not self.trail.checked:
            return self._nothing_yet(more)
        if np.isfinite(more):
            left = max(more - self.trail.n_checked, 1)
            return f"{self.trail} Go on: {goal} needs about {left:,.0f} more rows; {fill_in}."
        return (
            f"{self.trail} With as many errors as so far, {goal} needs nearly all rows: name a"
            f" larger --max-error, or fit again with --merge {self.checked} and audit those labels."
            f" To go on, {fill_in}."
        )

    def _nothing_yet(self, needed: float) -> str:
        count = f"about {needed:,.0f}" if np.isfinite(needed) else "nearly all"
        return (
            f"Nothing is checked yet: if you check {count} of {self.trail.n_rows:,} rows and all"
            f" are right, at most {exact_percent(self.max_error)} of the others are wrong"
            f" ({exact_percent(self.trail.confidence)} confidence). Fill in {CHECKED!r} in"
            f" {self.to_check}."
        )


def audit_round(
    model: str | Path,
    read: ReadOptions,
    *,
    trail_file: Path,
    to_check: Path,
    labels: Path | None = None,
    n: int = 20,
    max_error: float = 0.05,
    confidence: float = 0.95,
    seed: int = 0,
    as_is: bool = False,
) -> AuditRound:
    """Do one round of an audit of the labels that were filled in and delivered.

    The first round draws an order of the rows that were filled in and writes the first of them to a
    file. A person fills in their labels. Each later round reads these, says what is certified at
    this look (valid however often one looks) and writes the next rows. What was filled in is not
    shown, so that it does not sway the person.

    ``trail_file`` keeps the audit; all rows that were checked are in a CSV file beside it. The
    ending of ``to_check`` tells its format. The delivered ``labels`` are by default the
    ``labels.csv`` beside the model. A file of 'ssrlpl predict' will do, but not what the model
    would say now: a person may have corrected some. ``confidence`` is that of all looks together; a
    later round keeps that of the first.
    """
    check_share("max_error", max_error)
    kind = kind_to_write(to_check)
    opened = open_model(model)
    about = opened.file.about
    raw = read.read(target=about["target"])
    file = Path(model).with_name(LABELS) if labels is None else labels
    delivered = delivered_labels(file, raw, read.id or about["id"])
    if trail_file.exists():
        trail = _same_audit(AuditTrail.load(trail_file), delivered, trail_file)
    else:
        trail = _new_audit(delivered, confidence, seed)
    notes: list[str] = []
    known = {as_text(c) for c in opened.estimator.classes_.tolist()} | set(delivered.labels)
    n_added, n_blank = _take_in(trail, to_check, known, notes) if to_check.exists() else (0, 0)
    trail.save(trail_file)
    marks = raw.for_spreadsheet
    checked = trail_file.with_name(f"{trail_file.stem}-{CHECKED}.csv")
    if trail.checked:
        with whole_file(checked) as partial, partial.open("wb") as sink:
            write_chunks([_what_was_said(trail)], sink, "csv", as_is=as_is, marks=marks)
    is_enough = trail.enough(max_error)
    rows = [] if is_enough else trail.next_rows(n)
    if rows and (n_added or not n_blank):  # else what the person began stays as it is
        with whole_file(to_check) as partial, partial.open("wb") as sink:
            sheet = _sheet(raw, rows, about["target"])
            write_chunks([sheet], sink, kind, as_is=as_is, marks=marks)
    next_file = to_check if rows else None
    return AuditRound(trail, n_added, is_enough, next_file, max_error, checked, notes)


def _new_audit(delivered: DeliveredLabels, confidence: float, seed: int) -> AuditTrail:
    # Labels that were corrected after an audit get another order: the same one would begin with
    # the corrected rows, and a few of them would seem to certify all others.
    seeds = [seed, *sha256("\0".join(delivered.labels).encode()).digest()]
    order = np.random.default_rng(seeds).permutation(delivered.filled_in)
    return AuditTrail(delivered.labels, confidence=confidence, order=order)


def _same_audit(trail: AuditTrail, delivered: DeliveredLabels, path: Path) -> AuditTrail:
    rows = sorted(trail.order or ())
    if trail.predicted != delivered.labels or rows != delivered.filled_in.tolist():
        raise TableError(
            f"{path} is the audit of other labels: what was checked says nothing about these. Pass"
            " model, labels and table as they were, or begin a new audit with another --trail."
        )
    return trail


def _take_in(
    trail: AuditTrail, to_check: Path, known: set[str], notes: list[str]
) -> tuple[int, int]:
    """Add what a person filled in to the trail, and return how many labels that were.

    The second number is that of the rows that are still to be filled in.
    """
    raw = ReadOptions(str(to_check)).read(target=CHECKED)
    cells = texts_of(raw.column(CHECKED, "The file of rows to check")).tolist()
    rows = texts_of(raw.column("row", "The file of rows to check")).tolist()
    taken_in = set(trail.order or ()) - set(trail.next_rows(trail.n_rows))
    n_added = n_blank = 0
    for name, cell in zip(rows, cells, strict=True):
        text = "" if cell is None else unguarded(cell.strip())
        if not text:
            n_blank += 1
            continue
        if name is None or not name.strip().isdecimal():
            raise TableError(f"{to_check} must have row numbers in 'row'. Got {name!r}: undo that.")
        row = int(name)
        if row in taken_in:  # the file of an earlier round
            continue
        if text not in known:
            notes.append(f"Row {row}: {text!r} is no class of the labels, so it counts as wrong.")
        trail.add(row, text)
        n_added += 1
    return n_added, n_blank


def _what_was_said(trail: AuditTrail) -> dict[str, Any]:
    """Return all checked rows as columns by name, beside the labels that had been filled in."""
    rows = list(trail.checked)
    return {
        "row": np.array(rows),
        CHECKED: np.array(list(trail.checked.values()), dtype=object),
        "filled_in": np.array([trail.predicted[row] for row in rows], dtype=object),
    }


def _sheet(raw: RawTable, rows: list[int], target: str) -> dict[str, Any]:
    """Return rows to check as columns by name: number, an empty cell for the label, the cells."""
    first: dict[str, Any] = {"row": np.array(rows), CHECKED: np.full(len(rows), "", dtype=object)}
    return with_cells(first, raw.frame.iloc[rows].drop(columns=[target], errors="ignore"))
