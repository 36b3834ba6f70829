"""Write a study's report as CSV, Markdown and LaTeX, and its figure as PNG and SVG."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from ..._utils.files import whole_file
from ..._utils.printing import Table
from .averages import seconds_of
from .cell_store import Row
from .measuring import OK
from .study import Report, Study

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$",
    "±": r"$\pm$", "σ": r"$\sigma$", "√": r"$\surd$", "×": r"$\times$", "†": r"$\dagger$",
    "γ": r"$\gamma$", "≥": r"$\geq$", "▲": r"$\triangle$", "∇": r"$\nabla$",
}  # fmt: skip


_UNNAMED = "another version of the code"


def write_report(study: Study, rows: Sequence[Row], out: Path) -> list[Path]:
    """Write everything a study says below ``out`` and return the files."""
    report = study.report(rows)
    files = [out / f"{study.name}.{suffix}" for suffix in ("csv", "md", "tex")]
    write_csv(report.flat, files[0])
    cells = out / "cells" / f"{study.name}.csv"
    write_csv([flat_row(row) for row in rows], cells)
    done = [row for row in rows if row["status"] == OK]
    figures = study.draw(done, out / study.name) if study.draw and done else []
    write_text(markdown(study, report, rows, figures), files[1])
    write_text("\n\n".join(latex(s.table, s.title) for s in report.sections if s.table), files[2])
    return [*files, cells, *figures]


def flat_row(row: Row) -> dict[str, Any]:
    """Return a row without nested entries: parameters and versions as text."""
    flat = {k: v for k, v in row.items() if not isinstance(v, dict | list)}
    # Parameters that were read back from such a row are one text, without a name.
    flat["params"] = " ".join(f"{k}={v}" if k else v for k, v in row.get("params", {}).items())
    flat |= row.get("measures", {})
    flat["versions"] = " ".join(f"{k}={v}" for k, v in row.get("versions", {}).items())
    return flat


def markdown(study: Study, report: Report, rows: Sequence[Row], figures: Sequence[Path]) -> str:
    """Return the page of a study.

    After its sections come the reasons of cells without a number, and how the numbers were made.
    """
    parts = [f"# {study.title}", study.about]
    parts += [f"![{study.title}]({figure.name})" for figure in figures if figure.suffix == ".png"]
    for section in report.sections:
        parts += [f"## {section.title}"]
        parts += [section.text] if section.text else []
        parts += [section.table.to_markdown()] if section.table else []
    troubles: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        if row["status"] != OK:
            what = f"* {row['dataset']}: {row['status']}", row["reason"]
            troubles.setdefault(what, {})[study.bench.methods[row["method"]].title] = None
    n_methods = len({row["method"] for row in rows})
    lines = [
        f"{what} ({'; '.join(names) if len(names) < n_methods else 'all methods'}). {why}"
        for (what, why), names in troubles.items()
    ]
    parts += ["## Cells without a number", "\n".join(lines)] if lines else []
    versions = "; ".join(sorted({flat_row(row)["versions"] for row in rows}))
    older: dict[str, list[str]] = {}
    for row in rows:
        code = row.get("of_other_code")
        if code:
            named = f"the code of {code}" if isinstance(code, str) else _UNNAMED
            older.setdefault(named, []).append(row["method"])
    warnings = (
        f" **{len(methods)} cells come from {code}: {', '.join(dict.fromkeys(methods))}.**"
        for code, methods in older.items()
    )
    parts.append(
        f"{len(rows)} cells, {duration(sum(map(seconds_of, rows)))} of computing in all; every cell"
        f" is in `cells/{study.name}.csv`. Made by `ssrlpl reproduce {study.name}` with"
        f" {versions}.{''.join(warnings)}"
    )
    return "\n\n".join(parts) + "\n"


def duration(seconds: float) -> str:
    """Write a time with a unit of fitting size.

    Examples
    --------
    >>> from ssrlpl.experiments.harness.rendering import duration
    >>> duration(42.4), duration(754), duration(9000)
    ('42 s', '13 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def latex(table: Table, caption: str) -> str:
    r"""Return a table in LaTeX; it needs no package.

    Examples
    --------
    >>> from ssrlpl._utils.printing import Table
    >>> from ssrlpl.experiments.harness.rendering import latex
    >>> print(latex(Table(("a", "b_c"), ((1, "2 ± 1"),)), "90 %"))
    \begin{table}
    \caption{90 \%}
    \begin{tabular}{lr}
    \hline
    a & b\_c \\
    \hline
    1 & 2 $\pm$ 1 \\
    \hline
    \end{tabular}
    \end{table}
    """
    lines = [" & ".join(map(_escape, row)) + r" \\" for row in (table.columns, *table.rows)]
    head = [
        r"\begin{table}",
        rf"\caption{{{_escape(caption)}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
    ]
    end = [r"\hline", r"\end{tabular}", r"\end{table}"]
    return "\n".join([*head, r"\hline", lines[0], r"\hline", *lines[1:], *end])


def _escape(cell: Any) -> str:
    text = f"{cell:.4g}" if isinstance(cell, float) else str(cell)
    return "".join(_LATEX.get(letter, letter) for letter in text)


def write_text(text: str, path: Path) -> None:
    """Write a text file whole or not at all, and make its folder if there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as partial:
        # Line ends as they are: those of a CSV text would be doubled on Windows.
        partial.write_text(text, encoding="utf-8", newline="")


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write rows of one shape (missing entries stay empty); floats with four digits."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    text = StringIO()
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    for row in rows:
        writer.writerow({k: f"{v:.4f}" if isinstance(v, float) else v for k, v in row.items()})
    write_text(text.getvalue(), path)


def pyplot() -> Any:
    """Return matplotlib's pyplot, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Figures need matplotlib: pip install 'ssrlpl[plot]'. Finished cells are kept."
        ) from error
    return plt


def save_figure(figure: Any, stem: Path, *suffixes: str) -> list[Path]:
    """Write a figure, as PNG and SVG if nothing else is said, close it, and return the files."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    files = [stem.with_name(stem.name + suffix) for suffix in suffixes or (".png", ".svg")]
    plt = pyplot()
    with plt.rc_context({"svg.hashsalt": "ssrlpl"}):  # the same numbers give the same file
        for file in files:
            kind = file.suffix.lstrip(".")
            no_date = {"Date": None} if kind == "svg" else None
            with whole_file(file) as partial:
                figure.savefig(partial, format=kind, dpi=150, metadata=no_date)
    plt.close(figure)
    return files
