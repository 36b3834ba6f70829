"""SSRLPLCV: a representation and a classifier with all settings chosen by leave-one-out."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from .._utils import limits
from .._utils.progress import Progress
from .._utils.types import MatrixLike, VectorLike
from .._utils.validation import DTYPES, check_choice, check_count
from ..guarantee.paired import compare
from ..labelers._base import LabeledScoreMixin, last_step
from ..labels import PartialLabels, encode_labels, read_markers
from .candidates import Bench, Candidate, Space, family
from .candidates.plain_map import PlainMap
from .consensus import Consensus
from .format1 import upgraded
from .rule import Refits, Scoreboard, Winner, standard_error

CHOICES = ("one", "all")


class SSRLPLCV(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    LabeledScoreMixin,
    ClassifierMixin,
    BaseEstimator,
):
    """Representation and classifier in one, with every setting chosen by exact leave-one-out.

    The candidates include the paper's method, labels propagated over a neighborhood graph,
    whitened maps, leading principal components, and kernel least squares on the labeled rows
    alone, so that unlabeled rows are ignored if they do not help. A preferred candidate is
    replaced only by one that is better by more than one standard error. No setting is required.

    Parameters
    ----------
    n_components : int, optional
        Dimensions of the representation, by default (and at most) the number of classes minus
        one. The classifier always uses all of them.
    choose : {"one", "all"}, default="one"
        "one" takes the best candidate. "all" mixes the probabilities of all candidates, weighted
        by their leave-one-out log loss, and fits one whitened kernel map to the mixture. It
        does not depend on one lucky choice, and takes a few more fits.
    n_jobs : int, optional
        Number of threads for the search; None means one. BLAS uses its own threads.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.
    random_state : int or RandomState, default=0
        Draws the rows on which the choice is made if there are more than 3,000, and the sample
        for median distances.
    verbose : bool, default=False
        Show a progress bar if the search takes longer than two seconds.

    Attributes
    ----------
    best_estimator_ : estimator
        The chosen candidate, fitted: a pipeline of public estimators (or a single estimator).
    best_params_ : dict
        Its parameters that differ from the defaults, as its constructor and ``set_params`` take
        them.
    loo_error_ : float
        Its leave-one-out error: labeled rows classified with their own label hidden.
    nested_error_ : float
        The same, but the choice itself is made without the row that is tested. Report this
        error: it is not too optimistic.
    labeled_only_error_ : float
        The lowest leave-one-out error among labeled-only candidates, which use unlabeled rows
        only for column scales and the median distance.
    comparison_ : Comparison
        Comparison of the winner with the best labeled-only candidate on the same left-out rows:
        errors, gain with its standard error, p-value. None if every row has a label.
    uses_unlabeled_ : bool
        Whether the winner uses unlabeled rows.
    verdict_ : str
        Whether the unlabeled rows helped: "helps", "undecided" or "hurts", by that comparison;
        None if every row has a label. It is slightly biased toward "helps", because the winner
        was chosen on the same rows; docs/choosing.md shows how often it was right.
    cv_results_ : dict of ndarray
        For each candidate: "candidate" (a description), "loo_error", "standard_error",
        "squared_loss", "tier", "uses_unlabeled", "weight" (of its probabilities in the result)
        and "role" ("winner", "plain", "labeled-only" or ""). It can be passed to
        ``pandas.DataFrame``.
    loo_probabilities_ : ndarray of shape (n_labeled, n_classes)
        Probabilities of labeled rows with their own label hidden, in row order; with more than
        1,500 labels, of the 1,500 labeled rows that were used.
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Probabilities of the training rows; one-hot for labeled ones.
    transduction_ : ndarray of shape (n_samples,)
        The most probable label of each training row.
    map_ : SSRLPL, KernelSSRLPL or LabeledRidge
        The fitted map inside ``best_estimator_``.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_components_ : int
        Dimensions of the representation.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ssrlpl import SSRLPLCV
    >>> X, y = load_digits(return_X_y=True)
    >>> partly = y.copy()
    >>> partly[50:] = -1  # the first 50 rows keep their label
    >>> model = SSRLPLCV().fit(X, partly)
    >>> model.transform(X).shape
    (1797, 9)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        choose: str = "one",
        n_jobs: int | None = None,
        unlabeled: Any = "auto",
        random_state: Any = 0,
        verbose: bool = False,
    ):
        self.n_components = n_components
        self.choose = choose
        self.n_jobs = n_jobs
        self.unlabeled = unlabeled
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def fit(self, X: MatrixLike, y: VectorLike) -> SSRLPLCV:
        """Choose a setting by leave-one-out and fit it to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All rows, labeled and unlabeled.
        y : array-like of shape (n_samples,)
            Labels, with a marker for unlabeled rows.

        Returns
        -------
        self
        """
        check_choice("choose", self.choose, CHOICES, or_callable=False)
        X = validate_data(self, X, accept_sparse="csr", dtype=DTYPES, ensure_min_samples=2)
        target = encode_labels(y, unlabeled=self.unlabeled, n_samples=X.shape[0])
        self.classes_ = target.classes
        self.n_components_ = self._count_components(len(target.classes))
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        rows = choice_rows(target, seed)
        benches, board = self._search(X, target, rows, seed)
        choice = Winner(board) if self.choose == "one" else Consensus(board)
        self._keep_results(board, choice)
        self.comparison_ = None
        if not target.is_labeled.all():
            self.comparison_ = compare(~choice.wrong, ~choice.alone_wrong)
        is_whole = len(rows) == X.shape[0]
        refits = Refits(
            board, benches, X, target, seed, is_whole=is_whole, unlabeled=self.unlabeled
        )
        if isinstance(choice, Winner):
            self.best_estimator_, Y = refits.fit(choice.place)
        else:
            self.best_estimator_, Y = choice.fit(refits)
        if hasattr(self, "feature_names_in_"):
            name_columns(self.best_estimator_, self.feature_names_in_)
        self.best_params_ = Candidate.params(self.best_estimator())
        self.limits_hit_ = limits.hit(
            self.map_,
            MEDIAN_ROWS=X.shape[0],
            SEARCH_ROWS=X.shape[0],
            SEARCH_LABELED=target.n_labeled,
            DISCRIMINANT_COLUMNS=X.shape[1],
        )
        Y[target.is_labeled] = target.one_hot()
        self.label_distributions_ = Y
        self.transduction_ = self.classes_[Y.argmax(axis=1)]
        return self

    def candidates(self, X: Any) -> list[Candidate]:
        """Return the candidates for checked rows; a subclass may omit some."""
        return family(X)

    def _search(
        self, X: Any, target: PartialLabels, rows: NDArray[np.intp], seed: int
    ) -> tuple[dict[Space, Bench], Scoreboard]:
        part = PartialLabels(target.classes, target.codes[rows])
        some = X if len(rows) == X.shape[0] else X[rows]
        candidates = self.candidates(X)
        groups: dict[Any, list[Candidate]] = {}
        for candidate in candidates:  # candidates of one kind and space share factorizations
            groups.setdefault((type(candidate), candidate.space), []).append(candidate)
        with Progress("search", len(candidates), verbose=self.verbose) as progress:
            spaces = {candidate.space for candidate in candidates}
            benches = {space: Bench(space, some, part, seed) for space in spaces}
            parallel = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
            found: dict[Candidate, NDArray[np.float64]] = {}
            for scored in parallel(
                delayed(dict)(kind.loo_scores(benches[space], group))
                for (kind, space), group in groups.items()
            ):
                found |= scored
                progress.advance(len(scored))
        scores = [found[candidate] for candidate in candidates]
        return benches, Scoreboard(candidates, scores, part.codes[part.is_labeled])

    def _keep_results(self, board: Scoreboard, choice: Winner | Consensus) -> None:
        errors, uses = board.wrong.mean(axis=1), board.uses_unlabeled
        self.loo_probabilities_ = choice.loo_probabilities
        self.loo_error_ = float(choice.wrong.mean())
        self.nested_error_ = float(choice.nested_wrong.mean())
        self.labeled_only_error_ = float(errors[~uses].min())
        self.cv_results_ = {
            "candidate": np.array([c.words() for c in board.candidates], dtype=object),
            "loo_error": errors,
            "standard_error": standard_error(errors, len(board.codes)),
            "squared_loss": board.losses.mean(axis=1),
            "tier": board.tiers,
            "uses_unlabeled": uses,
            "weight": choice.weights,
            "role": _roles(board, errors, int(choice.weights.argmax())),
        }
        self.uses_unlabeled_ = bool(uses[choice.weights > 0].any())
        self._choice = choice.words()

    def best_estimator(self) -> Any:
        """Return an unfitted copy of ``best_estimator_`` that reads the caller's labels.

        Fitted to the same rows and labels, it gives the same predictions.
        """
        check_is_fitted(self)
        return read_markers(clone(self.best_estimator_), self.unlabeled)

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = upgraded(state) if "_member" in state else state
        super().__setstate__({"choose": "one", **state})

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

    def _count_components(self, n_classes: int) -> int:
        if self.n_components is None:
            return n_classes - 1
        if check_count("n_components", self.n_components) >= n_classes:
            raise ValueError(
                f"n_components must be an int in [1, n_classes - 1]. Got {self.n_components} with"
                f" {n_classes} classes: labels determine no more; for further directions use"
                " SSRLPL or KernelSSRLPL."
            )
        return self.n_components

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _check_columns(self, X: Any) -> None:
        """Refuse other columns than those of ``fit``; the parts check the values."""
        check_is_fitted(self)
        validate_data(
            self,
            X,
            accept_sparse=True,
            dtype=None,
            ensure_all_finite=False,
            reset=False,
        )

    def transform(self, X: MatrixLike) -> NDArray[Any]:
        """Map rows to the representation.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows, of the training table or new.

        Returns
        -------
        ndarray of shape (n_rows, n_components_)
        """
        self._check_columns(X)
        Z = np.asarray(self.best_estimator_.transform(X))[:, : self.n_components_]
        # A linear map of fewer columns than C-1 has fewer directions.
        return np.pad(Z, ((0, 0), (0, self.n_components_ - Z.shape[1])))

    def predict_proba(self, X: MatrixLike) -> NDArray[Any]:
        """Return the probability of each class, columns in the order of ``classes_``.

        Their scale is fitted to the leave-one-out scores of the labeled rows.
        """
        self._check_columns(X)
        return self.best_estimator_.predict_proba(X)

    def predict(self, X: MatrixLike) -> NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows, of the training table or new.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        self._check_columns(X)
        return self.best_estimator_.predict(X)

    def summary(self) -> str:
        """Return one line: the choice, its errors, and whether unlabeled rows helped."""
        check_is_fitted(self)
        return (
            f"{self._choice}; leave-one-out error {100 * self.loo_error_:.1f} % (with the choice"
            f" nested {100 * self.nested_error_:.1f} %); labeled rows only"
            f" {100 * self.labeled_only_error_:.1f} %{self._verdict_in_words()}"
        )

    def _verdict_in_words(self) -> str:
        found = getattr(self, "comparison_", None)
        if found is None:
            return ""
        if not self.uses_unlabeled_:
            return "; the unlabeled rows are not used"
        words = {"helps": "help", "undecided": "may or may not help", "hurts": "hurt"}
        gain, error = 100 * found.gain, 100 * found.standard_error
        return (
            f"; the unlabeled rows {words[found.verdict]} (gain {gain:+.1f} ± {error:.1f} points)"
        )

    def compared_in_words(self) -> str:
        """Return a sentence on whether the unlabeled rows helped, or "" if there are none."""
        check_is_fitted(self)
        if self.comparison_ is None:
            return ""
        if self.uses_unlabeled_:
            return self.comparison_.in_words("leave-one-out error")
        return (
            "The unlabeled rows are not used: no setting that uses them was better than the labeled"
            f" rows alone (leave-one-out error of the setting {self.loo_error_:.1%},"
            f" {self.comparison_.trials} labeled rows)."
        )


def name_columns(fitted: Any, names: NDArray[Any]) -> None:
    """Tell a fitted estimator, and the part of it that sees rows first, the names of columns."""
    fitted = fitted[0] if isinstance(fitted, Pipeline) else fitted
    for part in (fitted, getattr(fitted, "representation_", None)):
        if part is not None:
            part.feature_names_in_ = names


def choice_rows(target: PartialLabels, seed: int) -> NDArray[np.intp]:
    """Return the rows on which the choice is made, sorted; every class keeps a label."""
    rng = np.random.RandomState(seed)
    order = rng.permutation(len(target.codes))
    labeled = order[target.is_labeled[order]]
    if len(labeled) > limits.SEARCH_LABELED:
        first = np.unique(target.codes[labeled], return_index=True)[1]
        labeled = np.concatenate([labeled[first], np.delete(labeled, first)])[
            : limits.SEARCH_LABELED
        ]
    others = order[~target.is_labeled[order]][: max(0, limits.SEARCH_ROWS - len(labeled))]
    return np.sort(np.concatenate([labeled, others]))


def _roles(board: Scoreboard, errors: NDArray[np.float64], place: int) -> NDArray[Any]:
    """Return the roles: the winner, the best plain map and the best labeled-only candidate."""
    roles = np.full(len(errors), "", dtype=object)
    for role, belongs in (
        ("plain", lambda c: isinstance(c, PlainMap)),
        ("labeled-only", lambda c: not c.uses_unlabeled),
    ):
        places = np.flatnonzero([belongs(c) for c in board.candidates])
        if len(places):
            roles[places[np.argmin(errors[places])]] = role
    roles[place] = "winner"
    return roles
