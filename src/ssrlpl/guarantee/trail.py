"""An audit that may be looked at after every label and stopped at any time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from .._utils.files import whole_file
from .._utils.printing import exact_percent, percent_at_most
from .._utils.types import Array, Ints, MatrixLike, VectorLike
from .._utils.validation import check_count, check_share
from ..labels import encode_labels, is_empty, shown
from .proportions import MOST_WRONG, most_wrong_at_any_time, unchecked_share

FORMAT = 1
"""Format of the files that this version writes and reads."""

_UTF8 = {"encoding": "utf-8", "errors": "surrogatepass"}
"""Labels of a table that was read with a wrong encoding may hold half surrogate pairs."""


def audit_order(
    X: MatrixLike, y: VectorLike, *, unlabeled: Any = "auto", random_state: Any = 0
) -> Ints:
    """Return the rows without a label in random order: check them one after the other.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        All rows; only their number is used.
    y : array-like of shape (n_samples,)
        Partially labeled target.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.
    random_state : int, RandomState or None, default=0
        Seed of the order. It must not be chosen by its result. Labels that were corrected after an
        audit need an order with another seed: the same one would begin with the corrected rows.

    Returns
    -------
    ndarray of shape (n_unlabeled,)
        Row numbers.

    Examples
    --------
    >>> from ssrlpl.guarantee import audit_order
    >>> audit_order([[0.0]] * 6, ["yes", None, "no", None, None, None]).tolist()
    [4, 5, 3, 1]
    """
    target = encode_labels(y, unlabeled=unlabeled, n_samples=_num_samples(X), min_classes=0)
    return check_random_state(random_state).permutation(np.flatnonzero(~target.is_labeled))


class AuditTrail:
    """Upper bound on the share of wrong labels that holds at every look.

    A person checks predicted labels in random order, one row after the other. After each of them,
    with the stated confidence *for all looks together*, at most a share ``error_upper`` of the
    labels that nobody has checked is wrong. So one may look after every label, stop as soon as
    the bound is good enough, or go on tomorrow. The proof is in
    ``docs/guarantee.md``, section 7.5.

    Parameters
    ----------
    predicted : array-like of shape (n_samples,)
        The predicted labels, from a model that did not learn from the rows to be checked. They
        must not change during the audit: a new model needs a new trail.
    n_rows : int, optional
        Number of rows from which the checked ones are drawn at random; by default the length of
        ``order``, or of ``predicted`` without it. A larger number than that of ``order`` says
        that ``order`` is the beginning of a longer one.
    confidence : float, default=0.95
        Probability with which the bound holds at every look.
    order : sequence of int, optional
        The rows in random order, see :func:`audit_order`. Labels may then be added in any order,
        but only rows before the first unchecked one count as a sample: a person who leaves out
        hard rows cannot make the bound wrong. Without it rows must be added in random order.

    Attributes
    ----------
    error_upper : float
        Bound on the share of wrong labels among the rows that were not checked.
    error_estimate : float
        Share of wrong labels among the rows that count; NaN before the first.
    n_checked, n_wrong : int
        How many rows count, and how many of them are wrong. Rows that were checked out of turn do
        not count yet.
    checked : dict of int to label
        What a person said about each row.

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl.guarantee import AuditTrail
    >>> predicted = np.array(["yes", "no"] * 500)
    >>> trail = AuditTrail(predicted)
    >>> for row in np.random.default_rng(0).permutation(1000)[:80]:
    ...     trail.add(row, predicted[row])  # a person agrees 80 times
    >>> trail
    80 of 1000 rows checked, 0 wrong: at most 4.4% of the others are wrong (95% confidence).
    >>> trail.enough(0.05)
    True
    """

    def __init__(
        self,
        predicted: VectorLike,
        *,
        n_rows: int | None = None,
        confidence: float = 0.95,
        order: Sequence[int] | Ints | None = None,
    ):
        check_share("confidence", confidence)
        # Objects keep each label in its own Python type, as the file will hold it.
        self.predicted: list[Any] = _one_for_each_row(np.asarray(predicted, dtype=object)).tolist()
        self.order = None if order is None else _row_numbers(order)
        self._to_check = set(range(len(self.predicted)) if self.order is None else self.order)
        self._check_order()
        self.n_rows = check_count("n_rows", len(self._to_check) if n_rows is None else n_rows)
        self._check_n_rows()
        self.confidence = float(confidence)
        self._labels: dict[int, Any] = {}  # in the order of arrival
        self.n_checked = self.n_wrong = self._n_known_wrong = 0
        self._most = self.n_rows

    def add(self, row: int, label: Any) -> None:
        """Note the true label of a row.

        Parameters
        ----------
        row : int
            Position of the row in ``predicted``.
        label : same type as the predicted labels
            What a person says.
        """
        label = label.item() if isinstance(label, np.generic) else label
        self._check(row, label)
        row = int(row)
        self._labels[row] = label
        self._n_known_wrong += int(label != self.predicted[row])
        if self.order is None:
            self._count(row)
            return
        while self.n_checked < len(self.order) and self.order[self.n_checked] in self._labels:
            self._count(self.order[self.n_checked])

    def _check_order(self) -> None:
        """Refuse an order in which a row could count twice, or that names no row."""
        if self.order is None:
            return
        strange = sorted(self._to_check - set(range(len(self.predicted))))
        if strange or len(self._to_check) < len(self.order):
            got = f"row {strange[0]}" if strange else "a row twice"
            raise ValueError(
                f"order must name rows from 0 to {len(self.predicted) - 1}, each once. Got {got}:"
                " pass audit_order(X, y)."
            )

    def _check_n_rows(self) -> None:
        """Refuse a number of rows that cannot be that of the rows to draw from."""
        least = 1 if self.order is None else len(self.order)
        if not least <= self.n_rows <= len(self.predicted):
            raise ValueError(
                f"n_rows must be from {least} to {len(self.predicted)}, the number of predicted"
                f" labels. Got {self.n_rows}: pass the number of rows from which the checked ones"
                " are drawn."
            )

    def _count(self, row: int) -> None:
        self.n_checked += 1
        self.n_wrong += int(self._labels[row] != self.predicted[row])
        self._most = most_wrong_at_any_time(
            self.n_wrong, self.n_checked, self.n_rows, 1 - self.confidence, self._most
        )

    def _check(self, row: Any, label: Any) -> None:
        is_number = isinstance(row, Integral) and not isinstance(row, bool)  # True is no row 1
        if not is_number or row not in self._to_check:
            raise ValueError(
                f"row must be one of the rows to check. Got {shown(row)} with {len(self.predicted)}"
                " predicted labels: pass the position of the row in them."
            )
        if row in self._labels:
            given = shown(self._labels[int(row)])
            raise ValueError(f"Row {row} has the label {given} already: add each row once.")
        if len(self._labels) == self.n_rows:
            raise ValueError(
                f"All {self.n_rows} rows are checked. Got one more: pass n_rows, the number of"
                " rows from which the checked ones are drawn."
            )
        is_text = isinstance(self.predicted[row], str)
        if np.ndim(label) or is_empty(label) or isinstance(label, str) != is_text:
            raise ValueError(
                f"label must be a label like {shown(self.predicted[row])}, which was predicted."
                f" Got {shown(label)}: pass it in the same type."
            )

    @property
    def error_upper(self) -> float:
        """Bound on the share of wrong labels among the rows that were not checked."""
        # Rows that were checked out of turn say nothing about how many are wrong in all, but they
        # are not among the unchecked ones: those may be just the rows that somebody left out.
        most = max(self._most, self._n_known_wrong)
        known = self._n_known_wrong, len(self._labels), self.n_rows
        return min(unchecked_share(most, *known), 1.0)

    @property
    def checked(self) -> dict[int, Any]:
        """What a person said about each row, in the order of arrival."""
        return dict(self._labels)

    @property
    def error_estimate(self) -> float:
        """Share of wrong labels among the rows that count; NaN before the first."""
        return self.n_wrong / self.n_checked if self.n_checked else float("nan")

    def enough(self, max_error: float) -> bool:
        """Tell whether at most a share ``max_error`` of the unchecked labels is wrong."""
        check_share("max_error", max_error)
        return self.error_upper <= max_error

    def next_rows(self, n: int = 10) -> list[int]:
        """Return the next rows of ``order`` that have no label yet."""
        if self.order is None:
            raise ValueError(
                "next_rows needs an order. Got a trail without one: pass"
                " order=audit_order(X, y) when it is made."
            )
        return [row for row in self.order if row not in self._labels][: check_count("n", n)]

    def __str__(self) -> str:
        if self.n_checked == self.n_rows:
            return f"All {self.n_rows} rows checked, {self.n_wrong} wrong."
        early = len(self._labels) - self.n_checked
        out_of_turn = f", and {early} out of turn, which do not count yet" if early else ""
        known = "too few to say anything about the others"
        if self.error_upper <= MOST_WRONG:
            known = f"at most {percent_at_most(self.error_upper)} of the others are wrong"
        return (
            f"{self.n_checked} of {self.n_rows} rows checked, {self.n_wrong} wrong{out_of_turn}:"
            f" {known} ({exact_percent(self.confidence)} confidence)."
        )

    __repr__ = __str__

    def save(self, path: str | Path) -> None:
        """Write the trail to a JSON file, from which :meth:`load` goes on.

        Parameters
        ----------
        path : str or Path
            The file; an existing file is replaced when the new one is complete.
        """
        content = {
            "ssrlpl-audit": FORMAT,
            "confidence": self.confidence,
            "n_rows": self.n_rows,
            "checked": list(self._labels.items()),
            "order": self.order,
            "predicted": self.predicted,
        }
        try:
            text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"A trail can be saved if labels are text, numbers or booleans ({error}): convert"
                " the predicted labels to text."
            ) from error
        with whole_file(Path(path)) as partial:
            partial.write_text(text, **_UTF8)

    @classmethod
    def load(cls, path: str | Path) -> AuditTrail:
        """Return the trail of a file; nothing in the file is executed.

        The bound is computed again from the labels, one after the other.
        """
        not_ours = f"{path} is not an audit file of ssrlpl: pass one that AuditTrail.save wrote."
        try:
            content = json.loads(Path(path).read_text(**_UTF8))
        except ValueError as error:  # no JSON, or no text
            raise ValueError(not_ours) from error
        if not isinstance(content, dict) or "ssrlpl-audit" not in content:
            raise ValueError(not_ours)
        if content["ssrlpl-audit"] != FORMAT:
            raise ValueError(
                f"{path} has audit format {content['ssrlpl-audit']}, and this version of ssrlpl"
                f" reads {FORMAT}: upgrade ssrlpl to load it."
            )
        try:
            trail = cls(
                content["predicted"],
                n_rows=content["n_rows"],
                confidence=content["confidence"],
                order=content["order"],
            )
            for row, label in content["checked"]:
                trail.add(row, label)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{not_ours} ({error})") from error
        return trail


def _one_for_each_row(labels: Array) -> Array:
    """Return labels in one dimension; a matrix of probabilities is no such thing."""
    if labels.shape[:1] != (labels.size,):
        raise ValueError(
            "predicted must be one label for each row. Got an array of shape"
            f" {labels.shape}: pass model.predict(X)."
        )
    return labels.ravel()


def _row_numbers(order: Any) -> list[int]:
    numbers = np.asarray(order)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise ValueError(
            f"order must be a list of row numbers. Got {numbers.dtype} of shape {numbers.shape}:"
            " pass audit_order(X, y)."
        )
    return [int(row) for row in numbers]
