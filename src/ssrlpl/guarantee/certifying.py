"""Certificates of maps, and the error rate of label vectors."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_array, check_random_state

from .._utils import limits
from .._utils.arrays import in_numpy
from .._utils.types import Ints, MatrixLike, VectorLike
from .._utils.user_warnings import warn_user
from .._utils.validation import DTYPES, check_choice, check_share, has_our
from ..labelers._base import labels_without, marker_of
from ..labels import PartialLabels, encode_labels
from .bounds import retained_from_first_order, retained_from_second_order, theorem_bound
from .certificate import Certificate, ErrorRate
from .coverage import open_up
from .findings import Findings, cross_fitted, rigorous
from .held_out import (
    control_labels,
    cross_fitted_errors,
    draw_split,
    folds,
    held_out_errors,
    in_drawn_order,
    named_audit,
    planned_audits,
)
from .label_errors import LabelErrors
from .paired import Comparison
from .sampling import how_sample_differs
from .verdicts import check_opinion, compare_with_labeled_only

METHODS = ("calibration", "loo")


class GuaranteeWarning(UserWarning):
    """Warns that assumptions of a certificate fail, or that there are too few labels for it.

    Examples
    --------
    >>> import warnings
    >>> from ssrlpl import GuaranteeWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", GuaranteeWarning)  # a void certificate stops the program
    """


def wta_error(
    labeler: Any,
    X: MatrixLike,
    y: VectorLike,
    *,
    method: str = "calibration",
    confidence: float = 0.95,
    unlabeled: Any = "auto",
    random_state: Any = 0,
) -> ErrorRate:
    """Return an estimate of the error of the winner-take-all labels of unlabeled rows.

    Parameters
    ----------
    labeler : labeler or classifier
        The labeler of the rows, see :class:`ssrlpl.SSRLPL`.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        All rows.
    y : array-like of shape (n_samples,)
        Partially labeled target.
    method : "calibration" or "loo", default="calibration"
        "calibration" holds out 60 % of the labels, labels their rows from the others and counts
        errors: the Clopper-Pearson interval is exact for that labeler if the labeled rows are a
        random sample of all rows. "loo" labels each labeled row from the others (labelers of
        other packages in ten folds); its interval assumes independent errors, which is only
        approximately true, and refers to a labeler trained with one label fewer.
    confidence : float, default=0.95
        Level of the two-sided interval.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`. "auto" is what the labeler
        reads as unlabeled.
    random_state : int, RandomState or None, default=0
        Draws the labels to hold out. Trying several seeds and keeping the best result voids the
        interval.

    Returns
    -------
    ErrorRate
        With ``estimate``, ``low``, ``high``, ``errors``, ``trials``.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ssrlpl import KNNLabeler, wta_error
    >>> from ssrlpl.datasets import hide_labels
    >>> X, truth = load_digits(return_X_y=True)
    >>> rate = wta_error(KNNLabeler(1), X, hide_labels(truth, keep=200, random_state=0))
    >>> rate.trials, rate.low < rate.estimate < rate.high
    (120, True)
    """
    check_choice("method", method, METHODS, or_callable=False)
    check_share("confidence", confidence)
    X = check_array(in_numpy(X), accept_sparse="csr", dtype=DTYPES)
    target = encode_labels(y, unlabeled=marker_of(labeler, unlabeled), n_samples=X.shape[0])
    if method == "calibration":
        hidden = [draw_split(target, check_random_state(random_state))[1]]
    elif has_our(labeler, "fit", "labels_without"):
        hidden = [*target.labeled[:, None]]
    else:
        hidden = [target.labeled[left] for _, left in folds(target.n_labeled)]
    rows = np.concatenate(hidden)
    place = np.argsort(rows)
    Y = np.empty((len(rows), len(target.classes)))
    for part, found in labels_without(labeler, X, target, hidden, rows[place]):
        for one, vectors in zip(hidden[part], found, strict=True):
            at = np.searchsorted(rows[place], one)
            Y[place[at]] = vectors[at]
    wrong = Y.argmax(axis=1) != target.codes[rows]
    return ErrorRate.of(int(wrong.sum()), len(rows), confidence)


def certify(
    estimator: Any,
    X: MatrixLike,
    y: VectorLike,
    *,
    confidence: float = 0.95,
    method: str = "calibration",
    audit: Any = None,
    control: Any = None,
    third_opinion: Any = None,
    random_state: Any = 0,
) -> Certificate:
    r"""Return a certificate of the share of the fully labeled objective that a map retains.

    Let f* be the largest HSIC of any map with the true labels of all rows, and f† that of the
    fitted map. The certificate contains a lower bound on f†/f*, and a verdict whether the
    unlabeled rows help. Components beyond C-1 depend on no label, and would raise f† on any labels,
    even on noise: ``retained_lower`` is about the first C-1 components.

    Parameters
    ----------
    estimator : SSRLPL, KernelSSRLPL or Pipeline
        The map, fitted or not; copies of it are fitted. In a pipeline that ends with a map, the
        steps before it are fitted to all rows without labels. The map must have
        ``constraint="orthonormal"`` and ``unlabeled_weight=1``. Any labeler and any
        ``relabel_rounds`` are allowed: the theorem only requires that held-out labels are not
        used.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        All rows, labeled and unlabeled.
    y : array-like of shape (n_samples,)
        Partially labeled target.
    confidence : float, default=0.95
        Probability with which the lower bound holds.
    method : "calibration" or "loo", default="calibration"
        "calibration" is rigorous for any data: it holds out 60 % of the labels, fits the map to
        the others and certifies **that** map (``certificate.estimator``). The only assumption is
        that the labeled rows are a random sample of the rows. "loo" uses every label and is
        sharper, but heuristic: each labeled row is held out once (in ten folds), maps fitted
        without one fold are used in place of the map of all labels, and means over held-out rows
        are assumed to be normally distributed.
    audit : mask, str, row numbers or float, optional
        Which labels "calibration" holds out: a boolean mask, or the name of a column of X that
        marks them, of rows that were drawn at random from all rows that do not teach (which may
        have been chosen in any way before, also by :func:`ssrlpl.label_next`). Or the share of
        the labels to draw, by default 0.6; all labels must then be a random sample. Row numbers
        in the order in which they were drawn (:func:`ssrlpl.guarantee.audit_order`) give bounds
        that hold *at every look*: certify again after each new label, with the same teaching
        labels, and stop when you like. If a two-sample test says that the rows are no random
        sample (p < 0.001), nothing is certified.
    control : labeler or classifier, optional
        Its label vectors, from the teaching labels, are a control variate of "calibration": the
        better they are, the sharper is the certificate; it holds for any. By default those of
        ``GraphLabeler(10, alpha=0.9, sharpness=4)``, except for precomputed kernels.
    third_opinion : SSRLPLCV, optional
        A search fitted to the same rows and labels; its probabilities make the verdict more often
        decisive, see :func:`ssrlpl.guarantee.verdict`. Ignored if there are more than 1,500
        labels, because the search then uses only a part of them.
    random_state : int, RandomState or None, default=0
        Draws the labels to hold out. The confidence is that of one draw: trying several seeds and
        keeping the best certificate voids it. So does looking again after every few labels, unless
        ``audit`` holds row numbers.

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
    check_share("confidence", confidence)
    check_choice("method", method, METHODS if audit is None else METHODS[:1], or_callable=False)
    X, audit = named_audit(X, audit)
    map_, X, wrap = open_up(estimator, in_numpy(X))
    checked = clone(map_)
    X = checked.check_rows(X)
    target = encode_labels(y, unlabeled=map_.unlabeled, n_samples=X.shape[0])
    check_opinion(third_opinion, target)
    says_random = audit is not None and not isinstance(audit, Real)
    products, measuring = map_.products(X, None), target.labeled
    if method == "calibration":
        fit_rows, calibration = draw_split(target, check_random_state(random_state), audit)
        measuring = calibration if says_random else measuring
        weak = _missing_classes(target, fit_rows, calibration)
        fitted, sample = held_out_errors(map_, X, target, calibration, products)
        _check_rows_and_kernel(map_, sample)
        if in_drawn_order(audit):
            sample = replace(sample, planned=planned_audits(len(fit_rows)))
        Q = control_labels(control, map_, X, target.hiding(calibration))
        samples = compared = [sample]

        def find(samples: list[LabelErrors]) -> Findings:
            better = None if Q is None else samples[0].measured_from(Q, products)
            return rigorous(samples[0], 1 - confidence, better)

        if X.shape[0] <= limits.TEN_FOLD_ROWS:
            compared = cross_fitted_errors(map_, X, target, products)
    else:
        fitted, _, _ = map_.refit(X, target)
        compared = samples = cross_fitted_errors(map_, X, target, products)
        if not samples:
            raise ValueError(
                "Folds must hold out at least two labels and keep labels of two classes. Got"
                f" {target.n_labeled} labels, which cannot be split in this way: label more rows."
            )
        _check_rows_and_kernel(map_, samples[0])
        weak, find = [], partial(cross_fitted, delta=1 - confidence)
    if hasattr(checked, "feature_names_in_"):
        fitted.feature_names_in_ = checked.feature_names_in_
    names = getattr(checked, "feature_names_in_", None)
    differs = how_sample_differs(X, measuring, target.is_labeled, names)
    reasons = _voids(target, differs, says_random)
    for reason in reasons + weak:
        warn_user(reason, GuaranteeWarning)
    comparison = compare_with_labeled_only(map_, X, target, compared, third_opinion)
    touched = min(fitted.n_components_, len(fitted.classes_) - 1)
    findings = find([sample.of_components(touched) for sample in samples])
    certificate = _write(
        target, fitted, samples, findings, comparison, 1 - confidence, method, tuple(reasons),
        says_random,
    )  # fmt: skip
    untouched = fitted.n_components_ - touched
    whole = find(samples).retained_lower if untouched else certificate.retained_lower
    return replace(
        certificate,
        retained_lower=0.0 if differs else certificate.retained_lower,
        weak=tuple(weak),
        n_untouched=untouched,
        retained_by_all_lower=0.0 if differs else whole,
        estimator=wrap(fitted),
    )


def _voids(target: PartialLabels, differs: str, says_random: bool) -> list[str]:
    """Return what voids a certificate; ``differs`` is how the rows that measure are no sample."""
    reasons = []
    n_labeled = target.n_labeled
    if n_labeled < limits.FEW_LABELS:
        reasons.append(
            f"With {n_labeled} labels hardly anything can be certified: label"
            f" {limits.FEW_LABELS} rows or more."
        )
    if differs:
        which = "audited" if says_random else "labeled"
        reasons.append(
            f"The {which} rows do not look like a random sample, they {differs}: label rows drawn"
            " at random."
        )
    return reasons


def _missing_classes(target: PartialLabels, fit_rows: Ints, calibration: Ints) -> list[str]:
    """Return what makes a certificate weak, though it holds; raise if the parts cannot do."""
    if len(calibration) < 2:
        raise ValueError(
            "A certificate of a map needs two audited rows or more. Got one: audit more rows."
        )
    codes = target.codes
    missing = set(codes[target.labeled]) - set(codes[calibration])
    names = [str(target.classes[code]) for code in sorted(missing)]
    if len(set(codes[fit_rows])) < 2:
        raise ValueError(
            f"The {len(fit_rows)} labels kept for fitting are all of one class: label more rows,"
            ' or pass method="loo".'
        )
    if not names:
        return []
    return [
        f"No calibration row has class {', '.join(names)}: the bound holds, but errors of rows of"
        " that class are not observed. Label more rows of it."
    ]


def _check_rows_and_kernel(map_: Any, sample: LabelErrors) -> None:
    """Raise if all rows are the same, or if inner products are not those of any rows."""
    geometry = sample.geometry
    if geometry.squared.max() <= 1e-12 * geometry.largest_norm**2:
        raise ValueError(
            "Rows must differ for a map to keep anything. Got the same row"
            f" {geometry.n} times: pass columns that vary."
        )
    kernel = getattr(map_, "kernel", None)
    if kernel != "precomputed" and not callable(kernel):
        return
    smallest = float(np.linalg.eigvalsh(geometry.inner(sample.rows))[0])
    if smallest < -1e-6 * geometry.squared.max():
        raise ValueError(
            "certify needs a positive semidefinite kernel. Got one with the eigenvalue"
            f" {smallest:.2g} on the held-out rows: add a constant to its diagonal, or pass another"
            " kernel."
        )


_RANDOM = "The labeled rows are a random sample of all rows."
_AUDIT = "The audit rows are a random sample of all rows that do not teach."
_CLASSES = "Every class has a labeled row."
_LOO = (
    "Heuristic: maps fitted without one fold of the labels are used in place of the map of all"
    " labels, and means over held-out rows are assumed to be normal."
)
_HELD_OUT = "The certificate is about the map fitted without the calibration labels."


def _write(
    target: PartialLabels,
    fitted: Any,
    samples: list[LabelErrors],
    findings: Findings,
    comparison: Comparison,
    delta: float,
    method: str,
    voids: tuple[str, ...],
    says_random: bool,
) -> Certificate:
    held_out = method == "calibration"
    n, n_unlabeled = len(target.codes), len(samples[0].population)
    wrong = [
        np.count_nonzero(s.used[s.rows].argmax(axis=1) != target.codes[s.rows]) for s in samples
    ]
    n_held_out = sum(len(sample.rows) for sample in samples)
    rate = ErrorRate.of(int(sum(wrong)), n_held_out, 1 - delta)
    # The upper limit of P_e: an estimate of zero would make the bound zero, which it is not.
    theorem = theorem_bound(
        n, n_unlabeled, rate.high, largest_norm=samples[0].geometry.largest_norm
    )
    first = retained_from_first_order(findings.used_root, findings.epsilon_upper)
    lower = findings.retained_lower if fitted.spans_labels else first
    return Certificate(
        retained_lower=lower,
        # Of a map that can lose nothing the bound is 1, even if the objective may be zero.
        retained_estimate=max(retained_from_second_order(findings.root, findings.residual), lower),
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
        assumptions=(_AUDIT if says_random else _RANDOM, _CLASSES, _HELD_OUT if held_out else _LOO),
        voids=voids,
        weak=(),
        n_untouched=0,
        retained_by_all_lower=0.0,
        method=method,
        confidence=1 - delta,
        n_samples=n,
        n_labeled=target.n_labeled,
        n_calibration=n_held_out,
        limits_hit=limits.hit(
            fitted,
            TEN_FOLD_ROWS=n if held_out else 0,
            SAMPLING_TEST_ROWS=max(target.n_labeled, n - target.n_labeled),
        ),
        estimator=fitted,
    )
