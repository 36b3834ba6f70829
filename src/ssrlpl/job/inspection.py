"""How a table would be read: every column, and what would become of it."""

from __future__ import annotations

from typing import Any

from .._utils.advice import missing_cells
from ..tables import RawTable, TableError, TableTransformer, Target, candidates, read_target
from ..tables.cell_values import as_text, is_missing
from ..tables.column_notes import about_doubts, or_else
from ..tables.evidence import ColumnEvidence
from ..tables.target_leaks import about_telling, filled_with_label
from .options import ReadOptions

EXAMPLES = 3


def inspect_table(
    read: ReadOptions,
    transformer: TableTransformer,
    *,
    target: str | None = None,
    unlabeled: str | None = None,
    bins: int | None = None,
    drop: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return what is known of a table before any model is fitted, as plain JSON.

    ``transformer`` is what would turn it into numbers, not fitted; the columns that it keeps are
    the features that were asked for. The other options are those of ``ssrlpl fit``. The names are
    "name", "n_rows", "notes", "target", "columns" and "problems".
    """
    raw = read.read(target=target)
    found: dict[str, Any] = {
        "name": raw.name, "n_rows": len(raw.frame), "notes": list(raw.notes), "target": None,
        "columns": [], "problems": [],
    }  # fmt: skip
    reserved = {"--target": target, "--id": read.id}
    taken = {option: name for option, name in reserved.items() if name is not None}
    if target is not None:
        raw.column(target, "--target")  # a wrong name is told before anything else
    asked = list(transformer.keep)
    names = candidates(raw.frame.columns, features=asked, drop=list(drop), reserved=taken)
    came_along: dict[str, str] = {}
    if target is not None:
        try:
            labels = read_target(raw.frame[target], target, unlabeled=unlabeled, bins=bins)
        except TableError as error:
            found["problems"].append(str(error))
        else:
            found["target"] = _about_target(labels)
            came_along = {} if asked else filled_with_label(raw.frame[names], labels)
            found["notes"] += labels.notes
    transformer.set_params(decimal=raw.decimal, images=raw.images)
    evidence = transformer.new_evidence(names)
    evidence.add(raw.frame)
    found["columns"] = [_about_column(evidence[n], raw, transformer, came_along) for n in names]
    try:
        transformer.fit_evidence(evidence)
    except TableError as error:
        found["problems"].append(str(error))
    else:
        used = [column for column in transformer.columns_ if column.name not in came_along]
        found["notes"] += about_doubts(evidence, used, transformer.max_categories)
        if found["target"]:
            found["notes"] += about_telling(raw.frame[[c.name for c in used]], labels)
    return found


def _about_target(labels: Target) -> dict[str, Any]:
    names, counted = labels.class_names, labels.labels_per_class
    counts = {names[code]: counted[code] for code in labels.shown_order}
    return {"name": labels.name, "n_labeled": int(labels.is_labeled.sum()), "classes": counts}


def _about_column(
    seen: ColumnEvidence, raw: RawTable, transformer: TableTransformer, came_along: dict[str, str]
) -> dict[str, Any]:
    kind, becomes = _fate(seen, transformer)
    if seen.name in came_along:
        kind, becomes = "-", f"left out: {came_along[seen.name]}"
    there = (v for v in raw.frame[seen.name].tolist() if not is_missing(v))
    examples = list(dict.fromkeys(as_text(v) for _, v in zip(range(50), there, strict=False)))
    return {
        "name": seen.name, "kind": kind, "examples": examples[:EXAMPLES],
        "missing": round(seen.missing / seen.rows, 4), "becomes": becomes,
    }  # fmt: skip


def _fate(seen: ColumnEvidence, transformer: TableTransformer) -> tuple[str, str]:
    """Return the kind of a column and what becomes of it."""
    judge, found = transformer.judge(), seen.found
    if found.odd:
        also = ", ".join(map(repr, found.odd[:3]))
        return "?", f"to decide: holds also {also} ({missing_cells([found.odd[0]])})"
    if seen.infinite is not None:
        return "?", f"to decide: holds an infinite number in row {seen.infinite}"
    reason = judge.why_not(seen)
    if reason is not None:
        return "-", f"left out: {reason}"
    encoded = judge.encoded(seen)
    kind = "yes/no" if seen.is_bool else encoded.kind
    read = f"; {found.reading.words(found.example)}" if found.reading is not None else ""
    return kind, encoded.words() + read + or_else(found, seen.name)
