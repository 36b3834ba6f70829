"""How a table would be read: every column, and what would become of it."""

from __future__ import annotations

from typing import Any

from ..tables import TableError, TableTransformer, candidates, read_target
from ..tables.cell_values import as_text, is_missing, shell
from ..tables.evidence import ColumnEvidence
from .options import ReadOptions

EXAMPLES = 3


def inspect_table(
    read: ReadOptions,
    transformer: TableTransformer,
    *,
    target: str | None = None,
    unlabeled: str | None = None,
    bins: int | None = None,
) -> dict[str, Any]:
    """Return what is known of a table before any model is fitted.

    Parameters
    ----------
    read : ReadOptions
        How the table is read.
    transformer : TableTransformer
        What would turn it into numbers, not fitted.
    target, unlabeled, bins
        As in ``ssrlpl fit``.

    Returns
    -------
    dict
        Plain JSON: "name", "n_rows", "notes", "target", "columns" and "problems".
    """
    raw = read.read(target=target)
    found: dict[str, Any] = {
        "name": raw.name, "n_rows": len(raw.frame), "notes": list(raw.notes), "target": None,
        "columns": [], "problems": [],
    }  # fmt: skip
    if target is not None:
        column = raw.column(target, "--target")
        try:
            labels = read_target(column, target, unlabeled=unlabeled, bins=bins)
        except TableError as error:
            found["problems"].append(str(error))
        else:
            names, counted = labels.class_names, labels.labels_per_class
            counts = {names[code]: counted[code] for code in labels.shown_order}
            n_labeled = int(labels.is_labeled.sum())
            found["target"] = {"name": target, "n_labeled": n_labeled, "classes": counts}
            found["notes"] += labels.notes
    reserved = {"--target": target, "--id": read.id}
    taken = {option: name for option, name in reserved.items() if name is not None}
    names = candidates(raw.frame.columns, features=[], drop=[], reserved=taken)
    transformer.set_params(decimal=raw.decimal, images=raw.images)
    evidence = transformer.new_evidence(names)
    evidence.add(raw.frame)
    for name in names:
        seen = evidence[name]
        kind, becomes = _fate(seen, transformer)
        there = (v for v in raw.frame[name].tolist() if not is_missing(v))
        examples = list(dict.fromkeys(as_text(v) for _, v in zip(range(50), there, strict=False)))
        missing = seen.missing / seen.rows
        found["columns"].append({
            "name": name, "kind": kind, "examples": examples[:EXAMPLES],
            "missing": round(missing, 4), "becomes": becomes,
        })  # fmt: skip
    try:
        transformer.fit_evidence(evidence)
    except TableError as error:
        found["problems"].append(str(error))
    return found


def _fate(seen: ColumnEvidence, transformer: TableTransformer) -> tuple[str, str]:
    """Return the kind of a column and what becomes of it."""
    judge, found = transformer.judge(), seen.found
    if found.odd:
        also = ", ".join(map(repr, found.odd[:3]))
        return "?", f"to decide: holds also {also} (--missing {shell(found.odd[0])})"
    reason = judge.why_not(seen)
    if reason is not None:
        return "-", f"left out: {reason}"
    encoded = judge.encoded(seen)
    kind = "yes/no" if seen.is_bool else encoded.kind
    read = f"; {found.reading.words(found.example)}" if found.reading is not None else ""
    return kind, encoded.words() + read
