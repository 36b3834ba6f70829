"""How good is a map whose labels are partly guessed? Bounds, certificates, verdicts.

The paper's own bound is :func:`theorem_bound`. :func:`certify` gives a statement that is not
vacuous on real data; ``docs/guarantee.md`` derives it.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core.votes import one_hot
from .._utils import limits
from .._utils.types import MatrixLike, VectorLike
from ..hsic.estimates import hsic_test
from ..labelers._base import fit_labeler
from ..labels import UNLABELED, encode_labels
from ..maps._base import read_rows
from ..model_selection import SSRLPLCV
from .bounds import (
    cross_mean_bound,
    epsilon_by_row_norms,
    epsilon_by_singular_value,
    first_order_bound,
    generalization_term,
    label_mean_bound,
    lemma_objective,
    nearest_neighbor_bound,
    retained_from_first_order,
    retained_from_second_order,
    second_order_gap,
    theorem_bound,
)
from .certificate import Certificate, ErrorRate
from .concentration import clopper_pearson
from .coverage import open_up
from .findings import Findings, cross_fitted, rigorous
from .held_out import (
    Table,
    cross_fitted_errors,
    held_out_errors,
    left_out_label_vectors,
    spans_label_moments,
)
from .label_errors import LabelErrors
from .paired import Comparison
from .planning import LabelsNeeded, labels_needed
from .verdicts import compare_with_labeled_only

__all__ = [
    "Certificate",
    "Comparison",
    "ErrorRate",
    "GuaranteeWarning",
    "LabelsNeeded",
    "certify",
    "cross_mean_bound",
    "epsilon_by_row_norms",
    "epsilon_by_singular_value",
    "first_order_bound",
    "generalization_term",
    "label_mean_bound",
    "labels_needed",
    "lemma_objective",
    "nearest_neighbor_bound",
    "second_order_gap",
    "theorem_bound",
    "wta_error",
]

FIT_SHARE = 0.4
"""Share of the labels the map is fitted on when the others are held out: fewer make a worse map,
more make a wider margin. Between 0.3 and 0.5 it matters little."""

FEW_LABELS = 20


class GuaranteeWarning(UserWarning):
    """A certificate was asked for where its assumptions fail or nothing can be certified."""


def wta_error(
    labeler: Any,
    X: MatrixLike,
    y: VectorLike,
    *,
    method: str = "loo",
    confidence: float = 0.95,
    unlabeled: Any = "auto",
    random_state: Any = 0,
) -> ErrorRate:
    """Estimate the error of the winner-take-all labels of unlabeled rows, P_e^WTA.

    Parameters
    ----------
    labeler : labeler or classifier
        What labels the rows, see :class:`ssrlpl.SSRLPL`.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        All rows.
    y : array-like of shape (n_samples,)
        Partially labeled target.
    method : "loo" or "calibration", default="loo"
        "calibration" holds out 60 % of the labels, labels their rows from the others and
        counts: the Clopper-Pearson interval is exact for that labeler if the labeled rows are a
        random sample of all rows. "loo" labels each labeled row from the others; its interval
        treats the outcomes as independent, which they are not quite, and is about one label less.
    confidence : float, default=0.95
        Level of the two-sided interval.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.
    random_state : int, RandomState or None, default=0
        Draws the calibration part.

    Returns
    -------
    ErrorRate
        With ``estimate``, ``low``, ``high``, ``errors``, ``trials``.
    """
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    table = Table(X, encode_labels(y, unlabeled=unlabeled, n_samples=X.shape[0]))
    if method == "loo":
        Y, rows = left_out_label_vectors(labeler, table), table.labeled
    else:
        _, rows = _split(table, check_random_state(random_state))
        Y = fit_labeler(labeler, X, table.hiding(rows))[1][rows]
    return _error_rate(Y, table.target.codes[rows], 1 - confidence)


def _error_rate(Y: NDArray[Any], codes: NDArray[np.intp], delta: float) -> ErrorRate:
    errors = int(np.count_nonzero(Y.argmax(axis=1) != codes))
    low, high = clopper_pearson(errors, len(codes), delta)
    return ErrorRate(errors / len(codes), low, high, errors, len(codes))


def certify(
    estimator: Any,
    X: MatrixLike,
    y: VectorLike,
    *,
    confidence: float = 0.95,
    method: str = "calibration",
    third_opinion: SSRLPLCV | None = None,
    random_state: Any = 0,
) -> Certificate:
    r"""Certify how much of the fully labeled objective a map retains, and judge the unlabeled rows.

    Let f* be the largest HSIC that any map could have with the true labels of all rows, and f†
    the one of the map that was found. The certificate is a lower bound on f†/f*.

    Parameters
    ----------
    estimator : SSRLPL, KernelSSRLPL or Pipeline
        The map, fitted or not; copies of it are fitted. Of a pipeline that ends with a map, the
        steps before it are fitted on all rows without labels. The map must have
        ``constraint="orthonormal"`` and ``unlabeled_weight=1``; any labeler will do, and so will
        ``relabel_rounds``: the theorem asks only that held-out labels were not seen.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        All rows, labeled and unlabeled.
    y : array-like of shape (n_samples,)
        Partially labeled target.
    confidence : float, default=0.95
        Probability with which the lower bound holds.
    method : "calibration" or "loo", default="calibration"
        "calibration" is rigorous for any data: it holds out 60 % of the labels, fits the map on
        the others and certifies **that** map (``certificate.estimator``). The only assumption is
        that the labeled rows are a random sample of the rows. "loo" uses every label and is
        sharper, but heuristic: each labeled row is held out once (in ten folds, two for tables
        of more than 4,000 rows), maps fitted without one fold stand for the map of all labels,
        and means over held-out rows are taken as normal.
    third_opinion : SSRLPLCV, optional
        A search fitted to the same rows and labels, if there is one already: its probabilities
        enter the verdict (unless there are more than 1,500 labels, of which it looks at a part).
        By default one is fitted to tables of up to 3,000 rows.
    random_state : int, RandomState or None, default=0
        Draws the calibration part.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ssrlpl import KernelSSRLPL, certify
    >>> from ssrlpl.datasets import hide_labels
    >>> X, truth = load_digits(return_X_y=True)
    >>> y = hide_labels(truth, keep=400, random_state=0)
    >>> certificate = certify(KernelSSRLPL(), X, y)
    >>> bool(certificate.retained_lower > 0.5), certificate.theorem_is_vacuous
    (True, True)
    """
    _check_arguments(confidence, method)
    estimator, X, wrap = open_up(estimator, X)
    X = read_rows(estimator, X)
    table = Table(X, encode_labels(y, unlabeled=estimator.unlabeled, n_samples=X.shape[0]))
    _check_opinion(third_opinion, table)
    rng = check_random_state(random_state)
    reasons = _voids(table)
    if method == "calibration":
        fit_rows, calibration = _split(table, rng)
        reasons += _split_voids(table, fit_rows, calibration)
        fitted, sample = held_out_errors(estimator, table, calibration)
        samples, findings = [sample], rigorous(sample, 1 - confidence)
        compared = samples
        if X.shape[0] <= limits.TEN_FOLD_ROWS:
            compared = cross_fitted_errors(estimator, table, sample.geometry.row_means)
    else:
        fitted = clone(estimator).set_params(unlabeled=UNLABELED).fit(X, table.target.codes)
        compared = samples = cross_fitted_errors(estimator, table)
        if not samples:
            raise ValueError(
                f"{table.target.n_labeled} labels cannot be parted so that two are held out and"
                " two classes are left: label more rows."
            )
        findings = cross_fitted(samples, 1 - confidence)
    for reason in reasons:
        warnings.warn(reason, GuaranteeWarning, stacklevel=2)
    comparison = compare_with_labeled_only(estimator, table, compared, third_opinion)
    certificate = _write(
        table, fitted, samples, findings, comparison, 1 - confidence, method, tuple(reasons)
    )
    return replace(certificate, estimator=wrap(fitted))


def _check_arguments(confidence: float, method: str) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be a number in (0, 1). Got {confidence!r}.")
    if method not in ("calibration", "loo"):
        raise ValueError(f'method must be "calibration" or "loo". Got {method!r}.')


def _check_opinion(third_opinion: SSRLPLCV | None, table: Table) -> None:
    if third_opinion is None:
        return
    check_is_fitted(third_opinion)
    Y, labeled, codes = third_opinion.label_distributions_, table.labeled, table.target.codes
    same = (
        Y.shape == (len(codes), len(table.target.classes))
        and len(third_opinion.loo_probabilities_) == min(len(labeled), limits.SEARCH_LABELED)
        and np.array_equal(Y[labeled], one_hot(codes[labeled], Y.shape[1], Y.dtype))
    )
    if not same:
        raise ValueError(
            "third_opinion must be fitted to the rows and labels that are certified. It has seen"
            " others: fit it again, or leave it out."
        )


def _split(table: Table, rng: np.random.RandomState) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draw the labels to fit on and, in random order, those to hold out.

    The draw must not look at the labels: a stratified one would make the held-out rows a biased
    sample.
    """
    order = rng.permutation(table.labeled)
    count = int(np.clip(round(FIT_SHARE * len(order)), 2, len(order) - 2))
    return order[:count], order[count:]


def _voids(table: Table) -> list[str]:
    reasons = []
    n_labeled = table.target.n_labeled
    if n_labeled < FEW_LABELS:
        reasons.append(
            f"With {n_labeled} labels hardly anything can be certified: label {FEW_LABELS} rows"
            " or more."
        )
    p_value = sampling_p_value(table)
    if p_value < 0.001:
        reasons.append(
            "The labeled rows do not look like a random sample of all rows (two-sample test,"
            f" p = {p_value:.1g}): the certificate is void. Label rows drawn at random."
        )
    return reasons


def _split_voids(
    table: Table, fit_rows: NDArray[np.intp], calibration: NDArray[np.intp]
) -> list[str]:
    codes = table.target.codes
    missing = set(codes[table.labeled]) - set(codes[calibration])
    names = [str(table.target.classes[code]) for code in sorted(missing)]
    reasons = []
    if names:
        reasons.append(
            f"No calibration row has class {', '.join(names)}: errors of rows of that class go"
            " unseen. Label more rows of it."
        )
    if len(set(codes[fit_rows])) < 2:
        raise ValueError(
            f"The {len(fit_rows)} labels kept for fitting are all of one class: label more rows,"
            ' or pass method="loo".'
        )
    return reasons


def sampling_p_value(table: Table) -> float:
    """Test whether labeled and unlabeled rows look alike (HSIC of the rows with being labeled).

    At most 500 rows of each kind are looked at.
    """
    rng = np.random.RandomState(0)
    parts = [
        rng.permutation(np.flatnonzero(kind))[: limits.SAMPLING_TEST_ROWS]
        for kind in (table.target.is_labeled, ~table.target.is_labeled)
    ]
    rows = np.concatenate(parts)
    if min(map(len, parts)) < 2 or len(rows) < 6:
        return 1.0
    X = table.X[rows]
    return hsic_test(X, table.target.is_labeled[rows], method="gamma").p_value


_RANDOM = "The labeled rows are a random sample of all rows."
_CLASSES = "Every class has a labeled row."
_LOO = (
    "Heuristic: maps fitted without one fold of the labels stand for the map of all labels, and"
    " means over held-out rows are taken as normal."
)
_HELD_OUT = "The certificate is about the map fitted without the calibration labels."


def _write(
    table: Table,
    fitted: Any,
    samples: list[LabelErrors],
    findings: Findings,
    comparison: Comparison,
    delta: float,
    method: str,
    voids: tuple[str, ...],
) -> Certificate:
    held_out = method == "calibration"
    n, n_unlabeled = table.X.shape[0], len(samples[0].population)
    rate = _error_rate(
        np.vstack([sample.used[sample.rows] for sample in samples]),
        np.concatenate([table.target.codes[sample.rows] for sample in samples]),
        delta,
    )
    theorem = theorem_bound(
        n, n_unlabeled, rate.estimate, largest_norm=samples[0].geometry.largest_norm
    )
    first = retained_from_first_order(findings.used_root, findings.epsilon_upper)
    return Certificate(
        retained_lower=findings.retained_lower if spans_label_moments(fitted) else first,
        retained_estimate=retained_from_second_order(findings.root, findings.residual),
        epsilon_estimate=findings.epsilon,
        epsilon_upper=findings.epsilon_upper,
        residual_estimate=findings.residual,
        residual_upper=findings.residual_upper,
        objective_root_estimate=findings.root,
        objective_root_lower=findings.root_lower,
        theorem_bound=float(theorem),
        theorem_is_vacuous=bool(theorem >= np.hypot(findings.root, findings.residual)),
        retained_first_order=first,
        wta_error=rate,
        verdict=comparison.verdict,
        comparison=comparison,
        assumptions=(_RANDOM, _CLASSES, _HELD_OUT if held_out else _LOO),
        voids=voids,
        method=method,
        confidence=1 - delta,
        n_samples=n,
        n_labeled=table.target.n_labeled,
        n_calibration=sum(len(sample.rows) for sample in samples),
        estimator=fitted,
    )
