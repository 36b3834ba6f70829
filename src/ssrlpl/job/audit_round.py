"""One round of an audit: take in what a person checked, say what is certified, give more rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.files import whole_file
from .._utils.validation import check_share
from ..guarantee import AuditTrail, audits_needed
from ..tables import RawTable, TableError, Target
from ..tables.cell_values import texts_of
from ..tables.table_writing import write_chunks
from .estimators import in_blocks
from .options import ReadOptions
from .use import TableModel, labeled_table, open_model

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
    notes: list[str] = field(default_factory=list)

    def in_words(self) -> str:
        """Say what is certified, and whether to go on."""
        goal = f"at most {self.max_error:.0%} wrong"
        if self.is_enough:
            return f"{self.trail} Enough: {goal} is certified."
        more = audits_needed(
            self.max_error,
            expected_error=self.trail.error_estimate if self.trail.n_checked else 0.0,
            n_rows=self.trail.n_rows,
            confidence=self.trail.confidence,
            any_time=True,
        )
        left = more - self.trail.n_checked
        hope = f"about {max(left, 1):,.0f} more rows" if np.isfinite(left) else "nearly all rows"
        return f"{self.trail} Go on: {goal} needs {hope}. Fill in {CHECKED!r} in {self.to_check}."


def audit_round(
    model: str | Path,
    read: ReadOptions,
    *,
    trail_file: Path,
    to_check: Path,
    n: int = 20,
    max_error: float = 0.05,
    confidence: float = 0.95,
    target: str | None = None,
    unlabeled: str | None = None,
    seed: int = 0,
    as_is: bool = False,
) -> AuditRound:
    """Do one round of an audit of the labels that a model fills in.

    The first round draws an order of the rows without a label and writes the first of them to a
    file. A person fills in their labels. Each later round reads these, says what is certified at
    this look (valid however often one looks) and writes the next rows. What the model says is not
    shown, so that it does not sway the person.

    Parameters
    ----------
    model : path
        A model that 'ssrlpl fit' wrote; it did not learn from the rows without a label.
    read : ReadOptions
        The table.
    trail_file : Path
        Keeps the audit; a first round makes it.
    to_check : Path
        CSV file of the rows to check.
    n : int
        Rows to give at a time.
    max_error : float
        The goal: the share of wrong labels that is to be certified.
    confidence : float
        Of all looks together; a later round keeps that of the first.
    target, unlabeled, seed, as_is
        As in :func:`ssrlpl.job.rows_to_label`.

    Returns
    -------
    AuditRound
    """
    check_share("max_error", max_error)
    opened = open_model(model)
    raw, labels = labeled_table(opened, read, target, unlabeled)
    predicted = _predicted(opened, raw)
    if trail_file.exists():
        trail = _same_audit(AuditTrail.load(trail_file), predicted, trail_file)
    else:
        trail = _new_audit(predicted, labels, confidence, seed)
    notes: list[str] = []
    n_added = _take_in(trail, to_check, opened, notes) if to_check.exists() else 0
    trail.save(trail_file)
    is_enough = trail.enough(max_error)
    rows = [] if is_enough else trail.next_rows(n)
    if rows and (n_added or not to_check.exists()):  # else what the person began stays as it is
        with whole_file(to_check) as partial, partial.open("wb") as sink:
            write_chunks([_sheet(raw, rows, labels.name)], sink, "csv", as_is=as_is)
    return AuditRound(trail, n_added, is_enough, to_check if rows else None, max_error, notes)


def _predicted(opened: TableModel, raw: RawTable) -> list[Any]:
    P = in_blocks(opened.estimator.predict_proba, opened.encode(raw.frame))
    found: NDArray[Any] = opened.estimator.classes_[P.argmax(axis=1)]
    return found.tolist()


def _new_audit(predicted: list[Any], labels: Target, confidence: float, seed: int) -> AuditTrail:
    rows = np.flatnonzero(~labels.is_labeled)
    if not len(rows):
        raise TableError(f"Every row has a label in {labels.name!r}: none is left to check.")
    order = np.random.default_rng(seed).permutation(rows)
    return AuditTrail(predicted, confidence=confidence, order=order)


def _same_audit(trail: AuditTrail, predicted: list[Any], path: Path) -> AuditTrail:
    if trail.order is None or trail.predicted != predicted:
        raise TableError(
            f"{path} is the audit of another model or table: what was checked says nothing about"
            " this one. Pass both as they were, or begin a new audit with another --trail."
        )
    return trail


def _take_in(trail: AuditTrail, to_check: Path, opened: TableModel, notes: list[str]) -> int:
    """Add what a person filled in to the trail, and return how many labels that were."""
    raw = ReadOptions(str(to_check)).read(target=CHECKED)
    cells = texts_of(raw.column(CHECKED, "The file of rows to check")).tolist()
    rows = texts_of(raw.column("row", "The file of rows to check")).tolist()
    known = {str(label): label for label in opened.estimator.classes_.tolist()}
    taken_in = set(trail.order or ()) - set(trail.next_rows(trail.n_rows))
    n_added = 0
    for name, cell in zip(rows, cells, strict=True):
        text = "" if cell is None else cell.strip()
        if not text:
            continue
        if name is None or not name.strip().isdecimal():
            raise TableError(f"{to_check} must have row numbers in 'row'. Got {name!r}: undo that.")
        row = int(name)
        if row in taken_in:  # the file of an earlier round
            continue
        if text not in known:
            notes.append(f"Row {row}: {text!r} is no class of the model, so it counts as wrong.")
        trail.add(row, known.get(text, text))
        n_added += 1
    return n_added


def _sheet(raw: RawTable, rows: list[int], target: str) -> dict[str, Any]:
    """Return rows to check as columns by name: number, an empty cell for the label, the cells."""
    first: dict[str, Any] = {"row": np.array(rows), CHECKED: np.full(len(rows), "", dtype=object)}
    chosen = raw.frame.iloc[rows].drop(columns=[target])
    cells = {str(name): chosen[name].to_numpy() for name in chosen.columns}
    return first | {f"{name} (table)" if name in first else name: v for name, v in cells.items()}
