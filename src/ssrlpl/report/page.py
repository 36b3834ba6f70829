"""The page: sections in order, style and scripts inside, nothing loaded from anywhere."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from string import Template
from typing import Any

import numpy as np

from . import palette
from .features import features
from .guarantee import guarantee
from .headline import headline
from .payload import check_arrays, drawn_rows, plot_payload
from .probabilities import probabilities
from .repeat import data, repeat
from .scatter import scatter
from .selection import selection
from .text import safe

FORMAT = 1
"""The version of the summary that this report reads."""


def render_report(summary: dict[str, Any], arrays: dict[str, Any]) -> str:
    """Render a summary and its arrays as one self-contained HTML page.

    Nothing is computed and nothing is loaded from a network: the page holds its style, its
    scripts (plotly.js among them) and its data. Strings of the table are shown as text, whatever
    they contain.

    Parameters
    ----------
    summary : dict
        What was found, as in ``summary.json``.
    arrays : dict
        The rows to draw, aligned: ``"representation"`` (m, p), ``"given"`` and ``"predicted"``
        (class codes, -1 for none), ``"probability"``, ``"row"`` (ids) and ``"hover"`` (column
        name -> m strings). Of more than 20,000 rows the labeled ones and an even sample of the
        others are drawn, and the page says so.

    Returns
    -------
    str
        HTML, to be written as UTF-8.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from ssrlpl.report import render_report
    >>> def write(folder):
    ...     summary = json.loads(Path(folder, "summary.json").read_text("utf-8"))
    ...     arrays = dict(np.load(Path(folder, "arrays.npz")))
    ...     Path(folder, "report.html").write_text(render_report(summary, arrays), "utf-8")
    """
    if summary.get("format") != FORMAT:
        raise ValueError(
            f"summary must have format {FORMAT}. Got {summary.get('format')!r}: make the summary"
            " again with this version of ssrlpl."
        )
    check_arrays(arrays)
    rows = drawn_rows(arrays)
    scripts = {
        "theme": _asset("theme.js"),
        "library": _in_script(_plotly()),
        "behavior": _asset("behavior.js"),
    }
    return Template(_asset("page.html")).substitute(
        policy=_policy(*scripts.values()),
        title=f"{safe(summary['data']['name'])}: report",
        style=_style(),
        content=_content(summary, arrays, rows),
        payload=plot_payload(summary["data"]["classes"], arrays, rows),
        version=safe(summary["versions"].get("ssrlpl", "")),
        **scripts,
    )


def _content(summary: dict[str, Any], arrays: dict[str, Any], rows: Any) -> str:
    n_components = np.shape(arrays["representation"])[1]
    points = {str(arrays["row"][row]): place for place, row in enumerate(rows.tolist())}
    return "\n".join(
        (
            headline(summary),
            scatter(summary, n_components, len(rows)),
            probabilities(summary, points),
            features(summary),
            selection(summary),
            guarantee(summary),
            data(summary),
            repeat(summary),
        )
    )


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("assets", name).read_text("utf-8")


def _style() -> str:
    return Template(_asset("style.css")).substitute(
        light=palette.css_colors(palette.LIGHT), dark=palette.css_colors(palette.DARK)
    )


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise ImportError(
            "The report needs plotly: install it with pip install 'ssrlpl[cli]'."
        ) from error
    return str(get_plotlyjs())


def _in_script(source: str) -> str:
    """Keep a script from ending its own element, with the line ends a browser will hash."""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    return source.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _policy(*scripts: str) -> str:
    """Return a content security policy: these scripts run, nothing else does, nothing is loaded.

    plotly makes its WebGL commands with the Function constructor, hence 'unsafe-eval'; it is
    never handed a string of the table.
    """
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes} 'unsafe-eval'; style-src 'unsafe-inline';"
        " img-src data: blob:; form-action 'none'; base-uri 'none'"
    )


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
