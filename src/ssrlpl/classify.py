"""Classify rows in a representation learned from all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from ._core.readout import LabelReading, NearestReading, probabilities, read_labels
from ._core.shared import SharedRows
from ._utils import limits
from ._utils.arrays import is_foreign, like, to_numpy
from ._utils.chunked import takes_chunks
from ._utils.types import Array, Floats, Ints, MatrixLike, VectorLike
from ._utils.validation import check_choice, check_share, has_our, names_were_checked
from ._utils.whole_fits import whole_or_not
from .labelers._base import RepresentingClassifier, last_step
from .labels import PartialLabels, encode_labels, read_codes_only
from .maps.kernel import KernelSSRLPL

READINGS = ("least_squares", "nearest")
"""Names of the built-in classifiers."""


class SSRLPLClassifier(RepresentingClassifier):
    """Classify rows in a representation learned from all of them.

    Parameters
    ----------
    representation : transformer, optional
        Learns from all rows: a map of this package, or a pipeline that ends with one. By default
        :class:`KernelSSRLPL`.
    classifier : classifier, "least_squares" or "nearest", optional
        Learns from the representation of the labeled rows. By default logistic regression on
        standardized components, because it gives graded probabilities from very few rows.
        "least_squares" predicts label vectors from a whitened map of this package (ridge
        regression of the label vectors of all rows); "nearest" predicts the class of the nearest
        labeled row.
    temperature : float, default=1
        Scale τ of the probabilities softmax(scores/τ) of "least_squares" and "nearest". A lower
        τ gives more certain probabilities; :class:`SSRLPLCV` fits it to leave-one-out scores.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    representation_, classifier_ : estimator
        The fitted parts; both use the classes as integers 0..C-1.
    temperature_ : float
        The τ of the fit.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ssrlpl import SSRLPLClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> partly = y.copy()
    >>> partly[100:] = -1  # the first 100 rows keep their label
    >>> model = SSRLPLClassifier().fit(X, partly)
    >>> model.predict_proba(X[100:]).shape
    (1697, 10)
    """

    def __init__(
        self,
        representation: Any = None,
        classifier: Any = None,
        *,
        temperature: float = 1.0,
        unlabeled: Any = "auto",
    ):
        self.representation = representation
        self.classifier = classifier
        self.temperature = temperature
        self.unlabeled = unlabeled

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._representation()).input_tags
        return tags

    limits_hit_: tuple[str, ...] = ()

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = {"temperature": 1.0, **state}  # not in model files of format 1
        if "classifier_" in state:
            state = {"temperature_": state["temperature"], **state}  # not in those before 0.2.0
        super().__setstate__(state)

    def _representation(self) -> Any:
        if self.representation is None:
            return KernelSSRLPL()
        if isinstance(self.representation, type) or not hasattr(self.representation, "transform"):
            raise TypeError(
                "representation must be a transformer that learns from all rows. Got"
                f" {self.representation!r}: pass an object such as KernelSSRLPL() or SSRLPL()."
            )
        return self.representation

    def _classifier(self) -> Any:
        if self.classifier is not None:
            return self.classifier
        # Imported here because linear_model alone would double the import time of this package.
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), LogisticRegression(C=10, max_iter=1000))

    @whole_or_not
    @takes_chunks
    def fit(self, X: MatrixLike, y: VectorLike) -> SSRLPLClassifier:
        """Learn the representation from all rows and the classifier from the labeled ones.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
            All rows, labeled and unlabeled.
        y : array-like of shape (n_samples,)
            Labels, with a marker for unlabeled rows.

        Returns
        -------
        self
        """
        validate_data(self, X, skip_check_array=True)
        target = encode_labels(y, unlabeled=self.unlabeled, n_samples=_num_samples(X))
        self.representation_ = read_codes_only(clone(self._representation()))
        if has_our(self.representation_, "fit", "fit_checked"):
            X = self.representation_.check_rows(X)
            Z = self.representation_.fit_checked(X, target.in_codes())
            Z = self.representation_.represent(X) if Z is None else Z
        else:
            Z = self.representation_.fit_transform(X, target.codes)
        self._fit_reading(to_numpy(Z), target)
        return self

    def fit_scores(
        self,
        X: Any,
        target: PartialLabels,
        shared: SharedRows | None = None,
        sample_weight: Floats | None = None,
    ) -> Floats:
        """Fit to checked rows and return their scores (for the built-in classifiers only).

        ``shared`` caches what other fits have computed from the same rows.
        """
        self.n_features_in_ = X.shape[1]
        self.representation_ = clone(self._representation())
        Z = self.representation_.fit_checked(X, target.in_codes(), sample_weight, shared=shared)
        Z = self.representation_.represent(X) if Z is None else Z
        self._fit_reading(Z, target, sample_weight)
        return self._read(Z)

    def fit_parts(
        self, fitted_map: Any, Z: Array, target: PartialLabels, reading: LabelReading | None = None
    ) -> None:
        """Take a map that was fitted elsewhere, and learn from represented rows with labels.

        ``reading`` is that of "least_squares", which learns from all rows.
        """
        self.n_features_in_, self.representation_ = fitted_map.n_features_in_, fitted_map
        self._fit_reading(Z, target, reading=reading)

    def _fit_reading(
        self,
        Z: Any,
        target: PartialLabels,
        sample_weight: Floats | None = None,
        reading: LabelReading | None = None,
    ) -> None:
        self.classes_ = target.classes
        self._n_features_out = Z.shape[1]
        self.temperature_ = self.temperature
        self.limits_hit_ = limits.hit(last_step(self.representation_))
        chosen = self._classifier()
        if not isinstance(chosen, str):
            self.classifier_ = read_codes_only(clone(chosen))
            self.classifier_.fit(_safe_indexing(Z, target.labeled), target.codes[target.labeled])
            return
        check_choice("classifier", chosen, READINGS, or_callable=False)
        check_share("temperature", self.temperature, high=np.inf)
        Z = np.asarray(Z)
        if chosen == "nearest":
            rows = target.labeled
            self.classifier_ = NearestReading(Z[rows], target.codes[rows], len(target.classes))
            return
        map_ = last_step(self.representation_)
        if getattr(map_, "constraint", None) != "whitened":
            raise ValueError(
                'classifier="least_squares" needs a whitened map. Got'
                f" representation={self._representation()!r}: pass KernelSSRLPL or SSRLPL with"
                ' constraint="whitened", or another classifier.'
            )
        share = map_.unlabeled_weight
        weight = sample_weight
        if share != 1:
            weight = np.where(target.is_labeled, 1.0, share) * (1 if weight is None else weight)
        if reading is None:
            reading = read_labels(Z, to_numpy(map_.label_distributions_), weight)
        self.classifier_ = reading

    def label_scores(self, X: Any) -> Floats:
        """Return the scores of checked rows (for the built-in classifiers only)."""
        return self._read(self.representation_.represent(X))

    def _read(self, Z: Any) -> Floats:
        """Return the scores of the classes by a built-in classifier."""
        return self.classifier_(np.asarray(Z))

    def _answers_by(self, method: str) -> bool:
        """Whether the fitted classifier, or before a fit the chosen one, has a method."""
        is_fitted = hasattr(self, "classifier_")
        return hasattr(self.classifier_ if is_fitted else self._classifier(), method)

    @property
    def _has_reading(self) -> bool:
        """Whether that is a built-in one."""
        return not self._answers_by("predict")

    def loo_codes(self, X: Any, target: PartialLabels) -> Iterator[tuple[slice, Ints]] | None:
        """Yield the predicted code of each labeled row when its label is hidden, in batches.

        Return None if the representation or the classifier has no fast method.
        """
        map_ = self._representation()
        if isinstance(self.classifier, str) or not has_our(map_, "fit", "transform", "fit_without"):
            return None
        return self._refitted_codes(map_, clone(map_).check_rows(X), target)

    def _refitted_codes(
        self, map_: Any, X: Any, target: PartialLabels
    ) -> Iterator[tuple[slice, Ints]]:
        labeled = target.labeled
        codes = target.codes[labeled]
        for part, _, Z in map_.fit_without(X, target, labeled[:, None], labeled):
            found = np.empty(len(Z), dtype=np.intp)
            for fit, hidden in enumerate(range(part.start, part.stop)):
                rest = np.arange(len(codes)) != hidden
                found[fit] = codes[rest][0]  # the prediction if only one class remains
                if len(np.unique(codes[rest])) > 1:
                    used = np.flatnonzero(np.abs(Z[fit]).max(axis=0) > 0)  # without padding
                    fresh = read_codes_only(clone(self._classifier()))
                    fresh.fit(Z[fit][np.ix_(rest, used)], codes[rest])
                    found[fit] = fresh.predict(Z[fit][None, hidden, used])[0]
            yield part, found

    def _represent(self, X: MatrixLike) -> Any:
        check_is_fitted(self)
        with names_were_checked(self.representation_, X):
            Z = self.representation_.transform(X)  # first, because it finds out if X is no table
        validate_data(self, X, skip_check_array=True, reset=False)
        # Maps of ours gave arrays to the classifier, whatever output they are set to.
        has_array = is_foreign(Z) or not has_our(self.representation_, "fit", "fit_checked")
        return Z if has_array else np.asarray(Z)

    @takes_chunks
    def transform(self, X: MatrixLike) -> Any:
        """Return the representation of rows.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_features)
            Training rows or new rows.

        Returns
        -------
        ndarray of shape (n_rows, n_components)
        """
        return self._represent(X)

    @takes_chunks
    def predict(self, X: MatrixLike) -> Array:
        """Return the label of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_features)
            Training rows or new rows.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        represented = self._represent(X)
        Z = to_numpy(represented)
        codes = self._read(Z).argmax(axis=1) if self._has_reading else self.classifier_.predict(Z)
        return like(self.classes_[codes], represented)

    @available_if(lambda self: self._has_reading or self._answers_by("predict_proba"))
    @takes_chunks
    def predict_proba(self, X: MatrixLike) -> Array:
        """Return the probability of each class, columns in the order of ``classes_``."""
        represented = self._represent(X)
        Z = to_numpy(represented)
        if self._has_reading:
            return like(probabilities(self._read(Z), self.temperature_), represented)
        return like(self.classifier_.predict_proba(Z), represented)

    @available_if(lambda self: self._answers_by("decision_function"))
    @takes_chunks
    def decision_function(self, X: MatrixLike) -> Array:
        """Return the decision function of the classifier in the representation."""
        Z = self._represent(X)
        return like(self.classifier_.decision_function(to_numpy(Z)), Z)
