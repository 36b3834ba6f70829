"""Scorers that use labeled rows only and ignore unlabeled ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.metrics import (
    brier_score_loss,
    d2_log_loss_score,
    get_scorer,
    log_loss,
    make_scorer,
    top_k_accuracy_score,
)
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.validation import _num_samples, indexable

from .._utils.types import MatrixLike, VectorLike
from ..labels import encode_labels, settled_marker, shown

# scikit-learn's scorers of these names take the classes from the test side, where with few labels
# a class is often missing. Used as metrics, they can be given the classes of the estimator.
_NAMES_THAT_NEED_CLASSES: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "neg_log_loss": (log_loss, {"greater_is_better": False, "response_method": "predict_proba"}),
    "neg_brier_score": (
        brier_score_loss,
        {"greater_is_better": False, "response_method": "predict_proba"},
    ),
    "d2_log_loss_score": (d2_log_loss_score, {"response_method": "predict_proba"}),
    "top_k_accuracy": (
        top_k_accuracy_score,
        {"response_method": ("decision_function", "predict_proba")},
    ),
}
if hasattr(metrics, "d2_brier_score"):  # since scikit-learn 1.8
    _NAMES_THAT_NEED_CLASSES["d2_brier_score"] = (
        metrics.d2_brier_score,
        {"response_method": "predict_proba"},
    )


def labeled_scorer(
    metric: str | Callable[..., Any], *, unlabeled: Any = "auto", **kwargs: Any
) -> LabeledScorer:
    """Return a scorer that ignores unlabeled rows.

    Parameters
    ----------
    metric : str or callable
        A scikit-learn scorer name such as "accuracy", "balanced_accuracy", "neg_log_loss" or
        "f1_macro"; a metric such as ``f(y_true, y_predicted)``; or a scorer
        ``f(estimator, X, y)``.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`. With "auto", -1 is a class
        if it is one of ``estimator.classes_``.
    **kwargs
        For a metric: the options of :func:`sklearn.metrics.make_scorer` and of the metric itself.
        A metric of probabilities or decision values that takes ``labels`` gets the classes of the
        estimator, so that a class may be missing on the test side.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, for the ``scoring`` argument of scikit-learn.

    Examples
    --------
    >>> from sklearn.metrics import fbeta_score
    >>> from ssrlpl import KNNLabeler
    >>> from ssrlpl.model_selection import labeled_scorer
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", None, "low", "high"]
    >>> model = KNNLabeler(1).fit(X, ["low", None, None, "high"])
    >>> labeled_scorer("accuracy")(model, X, y)
    0.666...
    >>> labeled_scorer(fbeta_score, beta=2, pos_label="low")(model, X, y)
    0.555...
    """
    return LabeledScorer(metric, unlabeled, kwargs)


class LabeledScorer:
    """The scorer that :func:`labeled_scorer` returns."""

    def __init__(self, metric: str | Callable[..., Any], unlabeled: Any, kwargs: dict[str, Any]):
        _check_metric(metric, kwargs)
        self.metric = metric
        self.unlabeled = unlabeled
        self.kwargs = kwargs
        self._weight_request: bool | str | None = None

    def set_score_request(self, *, sample_weight: bool | str | None) -> LabeledScorer:
        """Say whether to use weights, for scikit-learn's metadata routing, as its scorers do."""
        self._weight_request = sample_weight
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what :meth:`set_score_request` said."""
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._weight_request)
        return request

    def __repr__(self) -> str:
        name = self.metric if isinstance(self.metric, str) else _name(self.metric)
        options = "".join(f", {key}={value!r}" for key, value in self.kwargs.items())
        return f"labeled_scorer({name!r}{options})"

    def __call__(
        self, estimator: Any, X: MatrixLike, y: VectorLike, sample_weight: VectorLike | None = None
    ) -> float:
        """Return the score of a fitted estimator on the rows of X whose label is given in y."""
        classes = getattr(estimator, "classes_", None)
        known = np.empty(0) if classes is None else np.asarray(classes)
        marker = settled_marker(self.unlabeled, known)
        target = encode_labels(y, unlabeled=marker, n_samples=_num_samples(X), min_classes=0)
        rows = np.flatnonzero(target.is_labeled)
        if not len(rows):
            raise ValueError(
                f"At least one row to score must have a label. Got {len(target.codes)} unlabeled"
                " rows: split with LabeledKFold or another splitter of ssrlpl.model_selection,"
                " whose test sides are labeled."
            )
        is_area = len(known) > 2 and str(self.metric).startswith("roc_auc_")
        missing = np.setdiff1d(known, target.classes) if is_area else known[:0]
        if len(missing):
            raise ValueError(
                f"{self.metric} needs a row of every class to score. Got none of"
                f" {shown(missing[0])}: split with StratifiedLabeledKFold, in as few folds as the"
                ' rarest class has labels, or score with "neg_log_loss".'
            )
        (X,) = indexable(X)
        weight = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)[rows]}
        scorer = self._scorer(known)
        return float(
            scorer(estimator, _safe_indexing(X, rows), target.labels_of_labeled(), **weight)
        )

    def _scorer(self, classes: Any) -> Callable[..., Any]:
        """Return the scikit-learn scorer for an estimator with these classes."""
        metric, options = self.metric, self.kwargs
        if isinstance(metric, str):
            if metric not in _NAMES_THAT_NEED_CLASSES:
                return get_scorer(metric)
            metric, options = _NAMES_THAT_NEED_CLASSES[metric]
        if not _is_metric(metric):
            return metric
        if (
            options.get("average", "binary") != "binary"
            and "pos_label" in inspect.signature(metric).parameters
        ):
            # Before 1.9, scikit-learn requires the class 1 even if an average does not use it.
            options = {"pos_label": None, **options}
        named = inspect.signature(metric).parameters
        is_graded = options.get("response_method", "predict") != "predict"
        if "labels" in named and is_graded and len(classes):
            options = {"labels": classes, **options}
            if "pos_label" in named and len(classes) == 2:
                options = {"pos_label": classes[1], **options}
        return make_scorer(metric, **options)


def _check_metric(metric: Any, kwargs: dict[str, Any]) -> None:
    if isinstance(metric, str):
        get_scorer(metric)  # raises an error that lists the names
    elif not callable(metric):
        raise ValueError(
            "metric must be the name of a scorer, a metric f(y_true, y_predicted) or a scorer"
            f' f(estimator, X, y). Got {shown(metric)}: pass for example "balanced_accuracy".'
        )
    if kwargs and (isinstance(metric, str) or not _is_metric(metric)):
        raise ValueError(
            f"Options are for metric functions. Got {', '.join(kwargs)} with {_name(metric)},"
            " which is a scorer already: pass the metric, as in"
            ' labeled_scorer(f1_score, average="macro").'
        )


def _is_metric(function: Callable[..., Any]) -> bool:
    """Return whether a function is f(y_true, y_predicted), not f(estimator, X, y)."""
    parameters = list(inspect.signature(function).parameters.values())
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = sum(p.kind in kinds and p.default is p.empty for p in parameters)
    open_ended = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    return required < 3 and not open_ended and parameters[0].name != "estimator"


def _name(metric: Any) -> str:
    return str(getattr(metric, "__name__", metric))
