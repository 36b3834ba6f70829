"""What a fitted search offers: its map, its readings of rows, and its findings in words."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, validate_data

from .._utils.arrays import in_numpy
from .._utils.chunked import takes_chunks
from .._utils.left_behind import LeavesRowsBehind
from .._utils.types import Array, MatrixLike
from .._utils.validation import names_were_checked
from ..guarantee.paired import Comparison
from ..labelers._base import RepresentingClassifier, last_step
from ..labels import read_markers
from .format1 import upgraded


class FoundModel(LeavesRowsBehind, RepresentingClassifier):
    """The side of :class:`SSRLPLCV` that needs no search: attributes are explained there."""

    unlabeled: Any
    n_components_: int
    best_estimator_: Any
    nested_error_: float | None
    loo_error_: float | None
    score_board_: list[dict[str, Any]]
    comparison_: Comparison | None
    uses_unlabeled_: bool
    _choice: str
    _only_of_training_rows = ("label_distributions_", "loo_probabilities_")

    def best_estimator(self) -> Any:
        """Return an unfitted copy of ``best_estimator_`` that reads the caller's labels.

        Fitted to the same rows and labels, it gives the same predictions, unless weights were
        given, which it does not know. That of a mixture holds the label vectors of these rows, and
        of more than 40,000 rows those of the sample its map was fitted to: fitting other rows, or
        all of so many, is an error. To label other rows, fit the search again; to read them, use
        ``best_estimator_``.
        """
        check_is_fitted(self)
        return read_markers(clone(self.best_estimator_), self.unlabeled)

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = upgraded(state) if "_member" in state else state
        # Model files of earlier versions lack these; there, one candidate was the default.
        older: dict[str, Any] = {"choose": "one", "class_prior": None, "class_weight": None}
        if "nested_error_" in state:
            names = {"SSRLPLCV": "nested_error_", "labeled rows only": "labeled_only_error_"}
            older["score_board_"] = [
                {"name": name, "loo_error": state[key]} for name, key in names.items()
            ]
        super().__setstate__({**older, **state})

    @property
    def verdict_(self) -> str | None:
        """Whether the unlabeled rows helped."""
        check_is_fitted(self)
        found = getattr(self, "comparison_", None)  # absent in older model files
        return None if found is None else found.verdict

    @property
    def map_(self) -> Any:
        """The fitted map."""
        check_is_fitted(self)
        fitted = last_step(self.best_estimator_)
        return getattr(fitted, "representation_", fitted)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _asked(self, method: str, X: Any) -> Any:
        """Ask the best estimator; refuse other columns than those of ``fit``.

        Its parts check the values.
        """
        check_is_fitted(self)
        X = in_numpy(X)
        validate_data(self, X, accept_sparse=True, dtype=None, ensure_all_finite=False, reset=False)
        with names_were_checked(self.best_estimator_, X):
            return getattr(self.best_estimator_, method)(X)

    @takes_chunks
    def transform(self, X: MatrixLike) -> Array:
        """Map rows to the representation.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows, of the training table or new.

        Returns
        -------
        ndarray of shape (n_rows, n_components)
        """
        Z = np.asarray(self._asked("transform", X))[:, : self.n_components_]
        # A linear map of fewer columns than C-1 has fewer directions.
        return np.pad(Z, ((0, 0), (0, self.n_components_ - Z.shape[1])))

    @takes_chunks
    def predict_proba(self, X: MatrixLike) -> Array:
        """Return the probability of each class, columns in the order of ``classes_``.

        Their scale makes those of the training rows as close as possible to the mixture (or to
        the labels of the chosen candidate), whose own scales are fitted to left-out rows.
        """
        return self._asked("predict_proba", X)

    @takes_chunks
    def predict(self, X: MatrixLike) -> Array:
        """Return the label of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows, of the training table or new.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self._asked("predict", X)

    def summary(self) -> str:
        """Return one line: the choice, errors beside each other, and the unlabeled rows."""
        check_is_fitted(self)
        if self.nested_error_ is None:
            return (
                f"{self._choice}; with one label a class the error cannot be estimated: label a"
                " second row of each class"
            )
        beside = [
            f"{row['name']} {100 * row['loo_error']:.1f} %"
            for row in self.score_board_
            if row["name"] in ("labeled rows only", "logistic regression", "largest class")
        ]
        single = getattr(self, "n_single_", 0)  # absent in older model files
        which = "a class that has" if single == 1 else f"{single} classes that have"
        unjudged = f" without {which} one label" if single else ""
        return (
            f"{self._choice}; left-out error{unjudged} {100 * self.nested_error_:.1f} %"
            f" ({', '.join(beside)}){self._verdict_in_words()}"
        )

    def _verdict_in_words(self) -> str:
        found = getattr(self, "comparison_", None)
        if found is None:
            return ""
        if not self.uses_unlabeled_ and found.verdict != "hurts":
            return "; the unlabeled rows are not used"
        words = {
            "helps": "help",
            "undecided": "may or may not help",
            "hurts": "would hurt and are left out",
        }
        return f"; the unlabeled rows {words[found.verdict]} (gain {found.gain_in_words()})"

    def compared_in_words(self) -> str:
        """Return a sentence on whether the unlabeled rows helped, or "" if there are none."""
        check_is_fitted(self)
        if self.comparison_ is None:
            return ""
        if self.comparison_.verdict == "hurts":
            return self.comparison_.in_words("left-out error") + " So they are left out."
        if self.uses_unlabeled_:
            return self.comparison_.in_words("left-out error")
        return (
            "The unlabeled rows are not used: no setting that uses them was better than the labeled"
            " rows alone."
        )
