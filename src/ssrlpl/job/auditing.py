"""How many of the filled-in labels are right: which labels audit, and what they certify."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .._utils.types import Array, Mask
from ..guarantee import certify_labels
from ..guarantee.proportions import MOST_WRONG
from ..tables import Target
from ..tables.cell_values import NUMBER, read_cells, texts_of
from ..tables.errors import TableError
from .first_words import first_words
from .options import FitOptions, Steps
from .result import Fitted, teaches_all_classes

CANNOT = "The filled-in labels cannot be certified"

NO = frozenset({"0", "0.0", "no", "n", "false", "f", "off", "nein", "non", "net", "falsch", "faux"})
"""Texts that are no mark, as an empty cell is none."""


def marks(column: Any) -> Mask:
    """Return the rows in which a column has a mark, such as 1, x or yes."""
    cells = read_cells(column)
    if cells.kind == NUMBER:
        return np.asarray(np.nan_to_num(cells.values) != 0)
    texts = texts_of(column).tolist()
    return np.array([t is not None and t.strip().lower() not in NO for t in texts], dtype=bool)


def marked_rows(
    options: FitOptions, names: Any, column: Callable[[str], Any], target: Target
) -> Mask | None:
    """Return the rows that the column named by --audit marks, None if it names no column.

    ``names`` are those of the table's columns, and ``column`` reads one of them.
    """
    name = options.audit_column(names)
    if name is None:
        return None
    marked = marks(column(name))
    blank = np.flatnonzero(marked & ~target.is_labeled)
    if len(blank):
        raise TableError(
            f"--audit names {name!r}, which marks {len(blank):,} rows without a label, the first is"
            f" row {blank[0]}: fill in their labels, or fit when all of them are checked. Leaving"
            " out the hard ones would make the bound wrong."
        )
    if not marked.any():
        raise TableError(f"--audit names {name!r}, which marks no row: put a 1 in audited rows.")
    if np.array_equal(marked, target.is_labeled):
        raise TableError(
            f"--audit names {name!r}, which marks every row that has a label: none is left to learn"
            " from. Pass a share, such as --audit 0.5."
        )
    return marked


def teaching_labels(target: Target, audit: Mask | None) -> Array:
    """Return the labels that the delivered model learns from: audited ones are hidden from it.

    Unless they are the only ones of a class: a model that lacks a class of the table would be of
    little use.
    """
    if audit is None or not teaches_all_classes(target, audit):
        return target.labels
    taught = target.labels.astype(object)  # a copy
    taught[audit] = None
    return taught


def with_certificate(fitted: Fitted, X: Any, options: FitOptions, steps: Steps) -> Fitted:
    """Return a job's result with what its labels certify, or the sentence why they do not.

    X is the encoded table, in memory or in chunks. This costs one more fit for each division of
    the labels. What takes all figures back is looked for first, because it takes a certificate
    back, too.
    """
    with steps.step("Comparing the rows"):
        fitted = replace(fitted, cautions=first_words(fitted))
    reason = _why_not_the_labels(fitted, options)
    if reason is not None:
        return replace(fitted, not_certified=reason)
    with steps.step("Certifying the labels"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notes of the certificate say it
        try:
            found = certify_labels(
                fitted.model["model"],
                X,
                fitted.target.labels,
                audit=options.audit_share if fitted.audit is None else fitted.audit,
                random_state=options.seed,
                splits=options.audit_splits,
            )
        except (ValueError, IndexError) as error:  # too few labels to set some aside
            return replace(fitted, not_certified=f"{CANNOT}: {error}")
    if found.cannot:
        return replace(fitted, not_certified=f"{CANNOT}: {found.cannot}")
    if found.error_upper > MOST_WRONG:
        return replace(fitted, not_certified=f"{CANNOT}: {found.n_audited} labels to check with"
                       " are too few. Label more rows, drawn at random.")  # fmt: skip
    accepted = np.zeros(len(fitted.ids), dtype=bool)
    accepted[found.rows[found.accept(labels=fitted.labels[found.rows])]] = True
    return replace(fitted, certified=found, accepted=accepted)


def _why_not_the_labels(fitted: Fitted, options: FitOptions) -> str | None:
    if fitted.target.is_labeled.all():
        return "Every row has a label: nothing was filled in."
    if fitted.cautions:
        return fitted.cautions[0].first_line
    for option, is_off in (
        ("--no-certify", options.certify is False),
        ("--audit none", options.audit == "none"),
    ):
        if is_off:
            return f"The filled-in labels have no certificate. It was switched off with {option}."
    return None
