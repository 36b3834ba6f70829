"""The files of an output folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..persistence import save
from ..tables.writing import write_chunks
from .results import Fitted
from .summary import report_arrays


def write_results(
    folder: Path, fitted: Fitted, summary: dict[str, Any], *, representation: str = "parquet"
) -> None:
    """Write representation, labels, model, report and summary into an empty folder.

    Parameters
    ----------
    folder : Path
        Where to.
    fitted : Fitted
        What was found.
    summary : dict
        What :func:`ssrlpl.job.summarize` made of it.
    representation : "parquet" or "csv"
        Format of the representation.
    """
    from ..report import render_report

    _write_table(_representation(fitted), folder / f"representation.{representation}")
    _write_table(_labels(fitted), folder / "labels.csv")
    save(fitted.model, folder / "model.ssrlpl", about=about_table(fitted))
    page = render_report(summary, report_arrays(fitted))
    (folder / "report.html").write_text(page, encoding="utf-8")
    text = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / "summary.json").write_text(text + "\n", encoding="utf-8")


def about_table(fitted: Fitted) -> dict[str, Any]:
    """Return what the model file must know to treat new tables as this one."""
    return {
        "numbers": fitted.columns.numbers,
        "texts": fitted.columns.texts,
        "target": fitted.target.name,
        "id": fitted.id_name,
        "classes": fitted.target.class_names,
    }


def _representation(fitted: Fitted) -> dict[str, Any]:
    columns = {"row": fitted.ids}
    return columns | component_columns(fitted.representation)


def component_columns(Z: Any) -> dict[str, Any]:
    """Return the columns of a representation by name."""
    return {f"component_{j}": column for j, column in enumerate(Z.T, start=1)}


def _labels(fitted: Fitted) -> dict[str, Any]:
    return {
        "row": fitted.ids,
        "label": fitted.labels,
        "probability": fitted.label_probability.astype(float).round(6),
        "given": fitted.target.is_labeled,
    }


def _write_table(columns: dict[str, Any], path: Path) -> None:
    with path.open("wb") as sink:
        write_chunks([columns], sink, path.suffix.lstrip("."))
