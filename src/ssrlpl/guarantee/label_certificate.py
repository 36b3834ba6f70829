"""The certificate of filled-in labels as numbers, masks and one sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from math import floor
from typing import Any

import numpy as np

from .._utils.chunked import is_chunked
from .._utils.printing import Table, exact_percent
from .._utils.types import Array, Ints, Mask, MatrixLike, VectorLike
from .._utils.validation import check_share
from .accepting import accepted, audits_to_accept
from .audited import AuditedRows
from .baselines import BestGuess
from .conformal import sets_of_classes
from .filling_in import class_scores, predicted_codes
from .paired import AgainstBaseline
from .planning import audits_needed
from .proportions import Share, most_wrong, share_upper, unchecked_share

TAKEN_ERROR = 0.05
"""Share of wrong labels among those that the summary says can be taken as they are."""


@dataclass(frozen=True)
class ClassQuality:
    """How good the predictions of one class are, measured on the audited rows.

    ``precision`` is the share of right ones among rows predicted as this class, ``recall`` among
    rows that are of this class. The intervals are about all rows that do not teach, audited ones
    included.

    Examples
    --------
    >>> from ssrlpl.guarantee import ClassQuality, Share
    >>> quality = ClassQuality("cat", Share.of(18, 20, 0.95), Share.of(18, 24, 0.95))
    >>> print(quality.label, quality.precision)
    cat 90.0% (18 of 20; 68.3% to 98.8%)
    """

    label: Any
    precision: Share
    recall: Share


@dataclass(frozen=True, eq=False)  # arrays have no single answer to ==
class LabelCertificate:
    """Result of :func:`ssrlpl.guarantee.certify_labels`.

    Each statement holds with the stated confidence on its own. It is about ``estimator``, which
    learned from the teaching labels only, and about the rows that had no label.

    Attributes
    ----------
    error_upper : float
        With the stated confidence, at most this share of the filled-in labels is wrong. 1 if
        nothing can be certified.
    error_estimate : float
        Best guess of that share: the share of wrong ones among the audited rows, on average over
        all ``splits``, because that of the chosen one alone is too good; never above the bound,
        which is lower if few rows are left that nobody audited.
    new_rows_error_upper : float
        The same bound for rows from the same source that are not in the table, if the model
        treats them like rows that it was fitted with. 1 if teaching rows may have been chosen
        (``audit`` was a mask): if all hard rows teach, the audited ones are easier than new rows.
    confidence : float
        Probability with which a bound holds.
    n_teaching, n_audited, n_wrong, n_filled_in : int
        Labels that taught, labels that audited, wrong ones among those, and rows without a label.
    baselines : dict of str to float
        Error of "largest class" and "logistic regression" on the audited rows; NaN if rows are
        not numbers, so that there is no logistic regression. With several splits those of the
        first, which was not chosen by its result.
    against : dict of str to AgainstBaseline
        Paired comparison of the estimator with each of them, on the same rows.
    largest_class : label
        The largest class of the teaching labels.
    classes : ndarray of shape (n_classes,)
        The classes in sorted order.
    labels : ndarray of shape (n_filled_in,)
        The filled-in labels, in row order.
    rows : ndarray of shape (n_filled_in,)
        Their row numbers.
    untaught : tuple of labels
        Classes without a teaching label: the estimator never says them.
    teaching_drawn : bool
        Whether the teaching labels were drawn at random, too.
    cannot : str
        Why nothing can be certified; empty if it can.
    notes : tuple of str
        Other things to know about the statements.
    wrong_by_split : tuple of int
        For each division of the labels, how many audited rows its model was wrong about. The
        certificate is about the best one.
    delta_share : float
        Part of ``1 - confidence`` that a statement spends. 1 if audit rows were named. A share of
        the labels is drawn, and drawn again if a class would have no teaching label: 0.98 for the
        first draw, 0.01 for another one; 1 / ``splits`` if several divisions are compared.
    estimator : classifier
        Fitted to the teaching labels; the certificate is about its predictions.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ssrlpl import GraphLabeler
    >>> from ssrlpl.datasets import hide_labels
    >>> from ssrlpl.guarantee import certify_labels
    >>> X, truth = load_digits(return_X_y=True)
    >>> y = hide_labels(truth, keep=400, random_state=0)
    >>> certificate = certify_labels(GraphLabeler(10), X, y)
    >>> print(certificate.summary())
    At least 9... of 100 filled-in labels are right (95% confidence; best guess 9...
    >>> certificate.n_teaching, certificate.n_audited, certificate.n_filled_in
    (160, 240, 1397)
    """

    confidence: float
    n_teaching: int
    baselines: dict[str, float]
    against: dict[str, AgainstBaseline]
    largest_class: Any
    classes: Array
    rows: Ints
    untaught: tuple[Any, ...]
    teaching_drawn: bool
    cannot: str
    notes: tuple[str, ...]
    wrong_by_split: tuple[int, ...]
    delta_share: float
    estimator: Any = field(repr=False, compare=False)
    audited: AuditedRows = field(repr=False, compare=False)

    @property
    def _delta(self) -> float:
        """How often a statement may be false.

        If it is false for the division that is used, it is so for one of those that might have
        been: each has its part of what the confidence allows (Bonferroni), and the choice may be
        made in any way.
        """
        return (1 - self.confidence) * self.delta_share

    @property
    def n_audited(self) -> int:
        """Number of labels that audited."""
        return self.audited.n_audited

    @property
    def n_wrong(self) -> int:
        """Number of audited rows about which the estimator is wrong."""
        return self.audited.n_wrong

    @property
    def n_filled_in(self) -> int:
        """Number of rows that had no label."""
        return self.audited.n_filled_in

    @property
    def labels(self) -> Array:
        """The filled-in labels, in row order."""
        return np.asarray(self.classes[self.audited.predicted[~self.audited.is_audited]])

    @property
    def error_upper(self) -> float:
        """Upper bound on the share of wrong labels among the filled-in ones."""
        if self.cannot:
            return 1.0
        seen = self.n_wrong, self.n_audited, self.audited.n_rows
        return unchecked_share(most_wrong(*seen, self._delta), *seen)

    def error_upper_of(self, labels: VectorLike) -> float:
        """Return an upper bound on the share of wrong ones among other labels of the same rows.

        Such as those of a model that learned from all labels, the audit labels included. Each row
        in which they differ from :attr:`labels` counts as wrong, so this holds whenever
        ``error_upper`` does, wherever the labels come from.

        Parameters
        ----------
        labels : array-like of shape (n_filled_in,)
            A label for each row that had none, in row order.

        Returns
        -------
        float
        """
        return min(1.0, self.error_upper + float(self._differs(labels).mean()))

    def right_of_100(self, labels: VectorLike | None = None) -> int:
        """Return how many of 100 filled-in labels are right at least, rounded down.

        ``labels`` are those that are delivered, see :meth:`error_upper_of`.
        """
        upper = self.error_upper if labels is None else self.error_upper_of(labels)
        return floor(100 * (1 - upper) + 1e-9)

    def _differs(self, labels: VectorLike | None) -> Mask:
        """Return in which filled-in rows other labels are not those that were certified."""
        if labels is None:
            return np.zeros(self.n_filled_in, dtype=bool)
        given = np.asarray(labels, dtype=object).ravel()
        if len(given) != self.n_filled_in:
            raise ValueError(
                f"labels must be those of the {self.n_filled_in} rows that had no label. Got"
                f" {len(given)}: pass labels[certificate.rows]."
            )
        return np.asarray(given != self.labels.astype(object), dtype=bool)

    @property
    def error_estimate(self) -> float:
        """Best guess of the share of wrong labels among the filled-in ones."""
        return min(float(np.mean(self.wrong_by_split)) / self.n_audited, self.error_upper)

    @property
    def new_rows_error_upper(self) -> float:
        """Upper bound on the probability that the label of a new row is wrong."""
        if self.cannot or not self.teaching_drawn:
            return 1.0
        return share_upper(self.n_wrong, self.n_audited, self._delta)

    def accept(self, max_error: float = TAKEN_ERROR, labels: VectorLike | None = None) -> Mask:
        """Return which filled-in labels may be taken as they are.

        With the stated confidence at most a share ``max_error`` of them is wrong. They are those
        of which the estimator is surest; the threshold is found by a sequence of exact tests, see
        ``docs/guarantee.md``, section 7.2.

        Parameters
        ----------
        max_error : float, default=0.05
            Largest share of wrong labels among the accepted ones.
        labels : array-like of shape (n_filled_in,), optional
            The labels that are delivered, if they are not :attr:`labels`, such as those of a model
            that learned from all labels. Rows in which the two differ are not accepted.

        Returns
        -------
        ndarray of shape (n_filled_in,)
            Mask over the rows that had no label, in row order.
        """
        check_share("max_error", max_error)
        filled_in = ~self.audited.is_audited
        barred = None
        if labels is not None:
            barred = np.zeros(self.audited.n_rows, dtype=bool)
            barred[filled_in] = self._differs(labels)
        if self.cannot:
            return np.zeros(self.n_filled_in, dtype=bool)
        return accepted(self.audited, max_error, self._delta, barred)[filled_in]

    def to_check(self, max_error: float = TAKEN_ERROR, labels: VectorLike | None = None) -> Ints:
        """Return the row numbers that :meth:`accept` leaves to a person, the least sure first."""
        left = np.flatnonzero(~self.accept(max_error, labels))
        sureness = self.audited.sureness[~self.audited.is_audited]
        return self.rows[left[np.argsort(sureness[left], kind="stable")]]

    def prediction_sets(
        self, coverage: float = 0.95, *, per_class: bool = False, X: MatrixLike | None = None
    ) -> Mask:
        """Return sets of classes that contain the true one with a probability of ``coverage``.

        The probability is over the draw of the audited rows and of the row: of all sets, at least
        a share ``coverage`` holds the true class on average. The predicted class is always in. A
        set of all classes says "any class", also one that no row is labeled with.

        Parameters
        ----------
        coverage : float, default=0.95
            Probability that a set holds the true class.
        per_class : bool, default=False
            Whether the probability holds for the rows of each class on its own. A class with too
            few audited rows (19 for 0.95) is then in every set.
        X : array-like, optional
            New rows from the same source; by default the rows that had no label. For new rows
            the teaching labels must have been drawn at random.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Mask; columns in the order of ``classes``.
        """
        check_share("coverage", coverage)
        if X is not None and not self.teaching_drawn:
            raise ValueError(
                "Sets of new rows need teaching labels that were drawn at random. Got an audit"
                " mask, with which they may have been chosen: if all labels are a random sample,"
                " certify with a share, such as audit=0.6."
            )
        filled_in = ~self.audited.is_audited
        if X is None:
            predicted, scores = self.audited.predicted[filled_in], self.audited.scores[filled_in]
        elif is_chunked(X):
            raise TypeError(
                "X must be rows in memory: their sets are. Got rows in chunks: pass them chunk by"
                " chunk."
            )
        else:
            predicted = predicted_codes(self.estimator, X, self.classes)
            scores = class_scores(self.estimator, X, self.classes, predicted)
        if self.cannot:
            return np.ones(scores.shape, dtype=bool)
        missed = (1 - coverage) * self.delta_share  # as in _delta
        sets = sets_of_classes(self.audited, scores, 1 - missed, per_class)
        sets[np.arange(len(sets)), predicted] = True
        return sets

    @property
    def quality(self) -> tuple[ClassQuality, ...]:
        """Precision and recall of each class with two-sided intervals.

        They are exact or wider for all rows that do not teach. The filled-in ones alone may lie
        outside if nearly all rows are audited.
        """
        said, truth = self.audited.predicted[self.audited.is_audited], self.audited.truth
        # No confusion matrix: of 10,000 classes it has 800 MB.
        rights, as_said, as_true = (
            np.bincount(codes, minlength=len(self.classes)).tolist()
            for codes in (truth[said == truth], said, truth)
        )
        return tuple(
            ClassQuality(
                label,
                Share.of(right, n_said, 1 - self._delta),
                Share.of(right, n_true, 1 - self._delta),
            )
            for label, right, n_said, n_true in zip(
                self.classes.tolist(), rights, as_said, as_true, strict=True
            )
        )

    @property
    def confusion(self) -> Ints:
        """Numbers of audited rows, true class (rows) by predicted class (columns)."""
        counts = np.zeros((len(self.classes),) * 2, dtype=np.intp)
        predicted = self.audited.predicted[self.audited.is_audited]
        np.add.at(counts, (self.audited.truth, predicted), 1)
        return counts

    def confusion_shares(self) -> list[list[Share]]:
        """Return the share of all rows in each cell of :attr:`confusion`, with its interval."""
        return [
            [Share.of(int(count), self.n_audited, 1 - self._delta) for count in line]
            for line in self.confusion
        ]

    def labels_needed(self, max_error: float = TAKEN_ERROR) -> dict[str, float]:
        """Return how many audit labels more each statement needs; ``inf`` if none suffice.

        Errors are assumed to stay what they were on the audited rows, overall and among those of
        which the estimator is surest. "accept half" is for taking half of the rows as they are.
        """
        audited, m = self.audited, self.n_audited
        plan = partial(
            audits_needed, max_error, expected_error=self.error_estimate, n_rows=audited.n_rows,
            confidence=1 - self._delta,
        )  # fmt: skip
        needed = {
            "error": plan(),
            "error at any time": plan(any_time=True),
            "accept half": audits_to_accept(audited, 0.5, max_error, self._delta),
        }
        return {name: max(count - m, 0) for name, count in needed.items()}

    @property
    def best_guess(self) -> BestGuess:
        """What is measured on the audited rows, without any margin."""
        return BestGuess(self.error_estimate, self.baselines, self.largest_class, self.n_audited)

    def summary(self, labels: VectorLike | None = None, guess: BestGuess | None = None) -> str:
        """Return the certificate as a sentence for people who do not read statistics.

        Parameters
        ----------
        labels : array-like of shape (n_filled_in,), optional
            The labels that are delivered, if they are not :attr:`labels`; bound and accepted rows
            are then those of :meth:`error_upper_of` and :meth:`accept` for them.
        guess : BestGuess, optional
            The best guess for these labels, by default the one for :attr:`labels`.

        Returns
        -------
        str
        """
        least = self.right_of_100(labels)
        guessed = (self.best_guess if guess is None else guess).in_words(least)
        if self.cannot:
            return f"Cannot be certified: {self.cannot} If that did not matter: {guessed}."
        said = f"At least {least} of 100 filled-in labels are right"
        said = said if least else "Nothing is certain about the filled-in labels"
        sure = exact_percent(self.confidence)
        return f"{said} ({sure} confidence; {guessed}). {self._rows_in_words(labels)}"

    def _rows_in_words(self, labels: VectorLike | None) -> str:
        taken = int(np.count_nonzero(self.accept(labels=labels)))
        if taken == self.n_filled_in:
            return f"All {taken:,} rows can be taken as they are."
        if taken:
            left = self.n_filled_in - taken
            return f"{taken:,} rows can be taken as they are, look at the other {left:,}."
        more = self.labels_needed()["accept half"]
        none = "No row can be taken without a look"
        if more == 0 and labels is not None:  # of the certified labels half could be taken
            return f"{none}: too many labels are not those that were checked."
        if not np.isfinite(more):
            return f"{none}."
        return f"{none} yet: check about {max(more, 1):,.0f} more, drawn at random."

    def table(self) -> Table:
        """Return precision and recall of each class."""
        rows = tuple((str(q.label), str(q.precision), str(q.recall)) for q in self.quality)
        return Table(("class", "right if predicted", "found if true"), rows)

    def __str__(self) -> str:
        return "\n\n".join([self.summary(), *self.notes, str(self.table())])
