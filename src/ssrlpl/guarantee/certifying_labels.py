"""Certificates of filled-in labels, for any classifier."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from .._utils.chunked import is_chunked
from .._utils.printing import listed
from .._utils.types import Array, Ints, MatrixLike, VectorLike
from .._utils.user_warnings import warn_user
from .._utils.validation import check_count, check_share
from ..labelers._base import marker_of
from ..labels import PartialLabels, encode_labels
from .audited import AuditedRows
from .baselines import LARGEST, LOGISTIC, simple_answers
from .certified_rows import Compared, RowsInChunks, RowsInMemory, rows_of
from .certifying import GuaranteeWarning
from .filling_in import fit_to_teaching
from .held_out import audit_share, draw_divisions, named_audit
from .label_certificate import LabelCertificate
from .paired import AgainstBaseline
from .sampling import how_sample_differs


def certify_labels(
    estimator: Any,
    X: MatrixLike,
    y: VectorLike,
    *,
    audit: Any = None,
    confidence: float = 0.95,
    random_state: Any = 0,
    semi_supervised: bool | None = None,
    splits: int = 1,
) -> LabelCertificate:
    r"""Certify the labels that a classifier fills in: how many are right, and which to take.

    A label has one of two roles. *Teaching* labels are what the classifier learns from; they may
    be chosen in any way. *Audit* labels are hidden from it and only measure it. Let R be the rows
    that do not teach, N of them, of which m audit. If the audit rows are a random sample of R,
    the number k of wrong ones among them is hypergeometric, whatever the classifier and the data
    are. From it follow bounds that hold for any number of rows: on the error of the filled-in
    labels, on the error of those that the classifier is sure of, and sets of classes.

    The classifier is fitted once (twice if its kind must be found out), to the teaching labels.
    The certificate is about that classifier, ``certificate.estimator``, and what its ``predict``
    says about the rows that had no label. A model of all labels is usually a little better;
    ``error_upper_of`` bounds the error of its labels, or of any others, and ``accept(labels=)``
    says which of them to take.

    Parameters
    ----------
    estimator : classifier or Pipeline
        A semi-supervised classifier (:class:`ssrlpl.SSRLPLCV`, ``LabelSpreading``, ...), which
        gets all rows, or any other one, which gets the labeled rows. Not changed.
    X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
        All rows, labeled and unlabeled. Or a table in chunks, of dask or
        :class:`ssrlpl.distributed.Chunks`, for an estimator that takes such tables.
    y : array-like of shape (n_samples,)
        Partially labeled target.
    audit : mask, str, float or None, default=None
        A boolean mask of the labeled rows that audit, or the name of a column of X, then a
        DataFrame, that marks them (it is not learned from). You say that they were drawn at
        random from all rows that do not teach, *after* those that teach were chosen. Or the share
        of the labels to draw, by default 0.6, and 0.5 if there are fewer than 98: this is valid
        if all labeled rows are a random sample. It is drawn again if a class would have no
        teaching label, and every statement pays for that. If a two-sample test says that the rows
        are no random sample (p < 0.001), nothing is certified.
    confidence : float, default=0.95
        Probability with which each statement holds, over the draw of the audit rows.
    random_state : int, RandomState or None, default=0
        Draws the audit labels. Do not try several seeds and keep the best certificate: the
        confidence is that of one draw.
    semi_supervised : bool, optional
        Whether the estimator takes a target with unlabeled rows. By default it is recognized by
        a parameter ``unlabeled``, by scikit-learn's own module, or, after a fit to the labeled
        rows, by ``label_distributions_`` or ``transduction_``.
    splits : int, default=1
        How often to divide the labels at random, if a share of them audits. One model is fitted
        for each division, and the one with the fewest errors is certified. That choice is paid
        for: every statement is made at a level that all divisions share. With 100 labels or more,
        4 often lower the bound by a tenth; ``accept`` needs more labels before it accepts anything.

    Returns
    -------
    LabelCertificate
        With ``error_upper``, ``error_estimate``, ``accept``, ``prediction_sets``, ``baselines``,
        ``estimator``.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ssrlpl import GraphLabeler
    >>> from ssrlpl.datasets import hide_labels
    >>> from ssrlpl.guarantee import certify_labels
    >>> X, truth = load_digits(return_X_y=True)
    >>> y = hide_labels(truth, keep=400, random_state=0)
    >>> certificate = certify_labels(GraphLabeler(10), X, y)
    >>> taken = certificate.accept(max_error=0.05)
    >>> bool((certificate.labels[taken] != truth[y < 0][taken]).mean() <= 0.05)
    True
    """
    check_share("confidence", confidence)
    X, audit = named_audit(X, audit)
    table = rows_of(X)
    y = y.compute() if is_chunked(y) else y
    target = encode_labels(y, unlabeled=marker_of(estimator), n_samples=table.n_rows)
    if target.is_labeled.all():
        raise ValueError(
            "y must have rows without a label, whose filled-in labels are certified. Got a label"
            " for every row: hide those that a person did not give."
        )
    by_user = audit is not None and not isinstance(audit, Real)
    if check_count("splits", splits) > 1 and by_user:
        raise ValueError(
            f"splits={splits} divides the labels {splits} times. Got audited rows, which divide"
            " them once: pass a share of the labels for audit, or splits=1."
        )
    audit = audit_share(target.n_labeled) if audit is None else audit
    rng = check_random_state(random_state)
    divisions = draw_divisions(target, rng, audit, splits)
    fits = [_fit(estimator, table, target, one.held_out, semi_supervised) for one in divisions]
    fitted, taught, audited = min(fits, key=lambda fit: fit.audited.n_wrong)
    rows = np.flatnonzero(~taught.is_labeled)
    untaught = _without(taught.codes[taught.labeled], target.classes)
    compared = table.compared(fitted, target)
    # Of the first division, because the chosen one favors our model.
    largest, against = _beside_simple_answers(fits[0], compared)
    differs = _differs(compared, target, rows[audited.is_audited] if by_user else None)
    certificate = LabelCertificate(
        confidence=confidence,
        n_teaching=taught.n_labeled,
        baselines={
            name: against[name].error if name in against else np.nan for name in (LARGEST, LOGISTIC)
        },
        against=against,
        largest_class=target.classes[largest],
        classes=target.classes,
        rows=rows[~audited.is_audited],
        untaught=untaught,
        teaching_drawn=not by_user,
        cannot=differs,
        notes=_notes(untaught, _without(audited.truth, target.classes), compared.numbers is None),
        wrong_by_split=tuple(fit.audited.n_wrong for fit in fits),
        delta_share=divisions[0].delta_share,  # that of all, if there are several
        estimator=fitted,
        audited=audited,
    )
    for reason in (certificate.cannot, *certificate.notes):
        if reason:
            warn_user(reason, GuaranteeWarning)
    return certificate


class _Fit(NamedTuple):
    """A model of some of the labels, these labels, and what it says about all other rows."""

    model: Any
    taught: PartialLabels
    audited: AuditedRows


def _fit(
    estimator: Any,
    table: RowsInMemory | RowsInChunks,
    target: PartialLabels,
    audit_rows: Ints,
    semi_supervised: bool | None,
) -> _Fit:
    """Fit an estimator without the labels of the audit rows, and read what it says about them."""
    taught = target.hiding(audit_rows)
    n_classes = len(np.unique(taught.codes[taught.labeled]))
    if n_classes < 2:
        raise ValueError(
            f"The teaching labels must have two classes. Got {taught.n_labeled} labels"
            f"{', all of one class' * n_classes}: label more rows, or audit fewer."
        )
    # Without classes that only audit rows have.
    own_classes = taught.without(np.empty(0, dtype=np.intp))
    model = fit_to_teaching(estimator, table.X, own_classes, semi_supervised)
    rows = np.flatnonzero(~taught.is_labeled)
    predicted, scores = table.said(model, target.classes, rows)
    is_audited = target.is_labeled[rows]
    truth = target.codes[rows[is_audited]]
    return _Fit(model, taught, AuditedRows(predicted, scores, is_audited, truth))


def _beside_simple_answers(fit: _Fit, compared: Compared) -> tuple[int, dict[str, AgainstBaseline]]:
    """Return the largest class that was taught, and the model beside simple ones."""
    audited = fit.audited
    rows = np.flatnonzero(~fit.taught.is_labeled)[audited.is_audited]
    taught = fit.taught.of_rows(compared.rows)
    answers = simple_answers(compared.numbers, taught, compared.places(rows))
    right = audited.predicted[audited.is_audited] == audited.truth
    against = {
        name: AgainstBaseline.of(right, codes == audited.truth) for name, codes in answers.items()
    }
    return int(answers[LARGEST][0]), against


def _differs(compared: Compared, target: PartialLabels, audit_rows: Ints | None) -> str:
    """Return how the rows that measure differ from those without a label; empty if they do not.

    They are the audited ones if a user named them, else all labeled ones.
    """
    if compared.numbers is None:
        return ""
    sample = compared.places(target.labeled if audit_rows is None else audit_rows)
    is_labeled = target.of_rows(compared.rows).is_labeled
    differs = how_sample_differs(compared.numbers, sample, is_labeled, compared.names)
    if not differs:
        return ""
    if audit_rows is None:
        return f"labeled rows {differs}: audit rows that are drawn at random, and pass audit=mask."
    return f"audited rows {differs}: draw them at random from all rows that do not teach."


def _notes(untaught: tuple[Any, ...], unseen: tuple[Any, ...], untested: bool) -> tuple[str, ...]:
    notes = []
    if untested:
        notes.append(
            "Rows that are not numbers were not tested for being a random sample, and have no"
            " logistic regression beside them."
        )
    if untaught:
        notes.append(
            f"No teaching label has class {listed(map(str, untaught))}: the model never says it,"
            " and rows of that class count as wrong."
        )
    if unseen:
        notes.append(
            f"No audit row has class {listed(map(str, unseen))}: the bounds hold, but say nothing"
            " about rows of that class alone."
        )
    return tuple(notes)


def _without(codes: Ints, classes: Array) -> tuple[Any, ...]:
    """Return the classes that none of the codes has."""
    return tuple(classes[np.setdiff1d(np.arange(len(classes)), codes)].tolist())
