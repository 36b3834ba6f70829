"""One HTML page from a summary: templates, style and scripts become a single file."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .._utils.printing import percent_at_least, percent_at_most
from . import filters, palette
from .downloads import LISTS, csv_link, list_columns
from .glossary import GLOSSARY
from .payload import check_arrays, drawn_rows, plot_payload

if TYPE_CHECKING:
    from jinja2 import Environment

FORMAT = 1
"""The version of the summary that this report reads."""

SECTIONS = {
    "certified": "How many of the filled-in labels are right",
    "representation": "The representation",
    "labels": "The labels of the unlabeled rows",
    "suspects": "Given labels that look wrong",
    "next": "Rows to label next",
    "features": "What drives each component",
    "selection": "How good, beside other ways",
    "guarantee": "For experts: what the map keeps",
    "data": "The table",
    "repeat": "How to repeat it",
    "glossary": "Words on this page",
}
"""The sections in order, with their titles."""


def check_can_render() -> None:
    """Raise an error if a package is missing that a page needs: better before the work than after.

    Raises
    ------
    ImportError
        With the name of the package.
    """
    for package in ("jinja2", "plotly"):
        if find_spec(package) is None:
            raise ImportError(
                f"The report needs {package}: install it with pip install 'ssrlpl[cli]'."
            )


def render_report(summary: dict[str, Any], arrays: dict[str, Any], *, as_is: bool = False) -> str:
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
        others are drawn, and the page says so. ``"left_out"`` (optional) are the class codes by
        leave-one-out: where they differ from the given ones, a ring says so.
    as_is : bool, default=False
        Whether texts that a spreadsheet would run stay as they are in the lists to download.

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
    check_can_render()
    page, library = _environment().get_template("page.html"), _plotly()
    scripts = {"theme": _asset("theme.js"), "library": library, "behavior": _asset("behavior.js")}
    optional: dict[str, Any] = {
        "first_line": "The filled-in labels have no certificate.",
        "n_to_audit": None,
        "label_certificate": None,
        "certificate_reason": None,
        "features": None,
        "labels": None,
        "suspects": None,
        "next_rows": [],
    }
    return page.render(
        optional | summary,
        policy=_policy(*scripts.values()),
        scripts=scripts,
        style=_asset("style.css"),
        sections=SECTIONS,
        glossary=GLOSSARY,
        csv=lambda name, rows: csv_link(list_columns(rows, LISTS[name]), as_is=as_is),
        points=plot_payload(summary["data"]["classes"], arrays, rows),
        # At which place of the plot a row is drawn.
        places={str(arrays["row"][row]): place for place, row in enumerate(rows.tolist())},
    )


def _environment() -> Environment:
    """Return what renders the templates: every value is made fit for the page, then escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        finalize=filters.on_page,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for written in (
        filters.count, filters.percent, percent_at_least, percent_at_most, filters.plural,
        filters.signed, filters.or_zero, filters.share,
    ):  # fmt: skip
        environment.filters[written.__name__] = written
    environment.tests["finite"] = filters.is_finite
    # tojson also escapes what could end the script element: < > & '
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    environment.globals["palette"] = palette
    return environment


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("assets", name).read_text("utf-8")


def _plotly() -> str:
    """Return plotly.js: unable to end its own element, with the line ends a browser will hash."""
    from plotly.offline import get_plotlyjs

    source = str(get_plotlyjs()).replace("\r\n", "\n").replace("\r", "\n")
    return source.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _policy(*scripts: str) -> str:
    """Return a content security policy: these scripts run, nothing else does, nothing is loaded.

    plotly makes its WebGL commands with the Function constructor, hence 'unsafe-eval'; it is
    never handed a string of the table.
    """
    digests = (hashlib.sha256(script.encode("utf-8")).digest() for script in scripts)
    hashes = " ".join(f"'sha256-{base64.b64encode(digest).decode('ascii')}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {hashes} 'unsafe-eval'; style-src 'unsafe-inline';"
        " img-src data: blob:; form-action 'none'; base-uri 'none'"
    )
