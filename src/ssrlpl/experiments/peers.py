"""What a person would pick today for a table with few labels, tuned as a careful person would.

Each function trains on rows and codes, -1 for unlabeled; :func:`peer` makes it return an estimator
that does so. Parameters are chosen on labeled rows alone, by the splitters of
:mod:`ssrlpl.model_selection`; of equally good candidates the most ordinary is taken: grids are
listed from their middle. Features are used as they come.

Chosen while looking at errors on splits 0 and 1 of the SSL book: which α wins a tie, the widths of
LabelSpreading's kernels (at first 1/4 to 64), and when the sigmoid of self-training is fitted to
margins of training rows (at first only where a class had one label). The last brought USPS with 10
labels, split 1, from 40.9 to 20.0 % and Digit1 with 10 labels, split 0, from 12.2 to 29.5 %.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from .._core.bandwidth import median_gamma
from .._utils.types import Array, Floats, MatrixLike, VectorLike
from ..labels import UNLABELED, encode_labels
from ..model_selection.splitters import LeaveOneLabelOut, StratifiedLabeledKFold
from .spreading import CONVERGED, MOST_STEPS, Codes, Params, Splits, best_spreading

SplitsOf = Callable[[Any, Codes], Splits]
"""From rows and codes to the splits to tune on."""

MOST_FOLDS = 5
SVM_COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
SVM_WIDTHS = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
"""Multiples of γ = 1/(2 median²)."""
SPREADING_NEIGHBORS = (5, 7, 10, 15, 20)
SPREADING_WIDTHS = (1.0, 4.0, 16.0, 64.0, 256.0)
"""Multiples of the same γ, larger than for the SVM: a graph has to be local."""
SPREADING_ALPHAS = (0.99, 0.9, 0.5, 0.2)
"""The value of the method's authors first: with few labels many candidates are equally good."""
MANY_ROWS = 5000
"""More rows than this get no dense graph."""
UMAP_DIMENSIONS = 10
UMAP_NEIGHBORS = 15


@dataclass(frozen=True)
class Trained:
    """A fitted model, what was chosen for it, and the codes it gave the rows of its own table.

    The last is for methods that treat those rows better than new ones.
    """

    model: Any
    chosen: Params
    transduction: Codes | None = None


class Peer(ClassifierMixin, BaseEstimator):
    """A peer as an estimator; ``train`` takes rows and codes, -1 for unlabeled."""

    def __init__(self, train: Callable[[Any, Codes], Trained]):
        self.train = train

    def fit(self, X: MatrixLike, y: VectorLike) -> Peer:
        """Choose parameters and fit; y holds integers, -1 for unlabeled."""
        X = check_array(X, accept_sparse="csr")
        target = encode_labels(y, unlabeled=UNLABELED, n_samples=X.shape[0])
        self.classes_ = target.classes
        with warnings.catch_warnings():
            _silence_the_known()
            self.trained_ = self.train(X, target.codes)
        self.chosen_params_ = dict(self.trained_.chosen)
        self._numbers: dict[bytes, int] = {}
        if self.trained_.transduction is not None:
            for number, key in enumerate(_row_keys(X)):
                self._numbers.setdefault(key, number)  # the first row of several equal ones
        return self

    def predict(self, X: MatrixLike) -> Array:
        """Return the label of each row; a row of the fitted table keeps the label it got there."""
        check_is_fitted(self)
        X = check_array(X, accept_sparse="csr")
        seen = np.full(X.shape[0], -1)
        if self.trained_.transduction is not None:
            seen = np.array([self._numbers.get(key, -1) for key in _row_keys(X)])
        codes = np.empty(X.shape[0], dtype=np.intp)
        new = seen < 0
        if new.any():
            with np.errstate(invalid="ignore"):  # LabelSpreading divides 0 by 0 far from all rows
                codes[new] = self.trained_.model.predict(X[new])
        if not new.all():
            codes[~new] = np.asarray(self.trained_.transduction)[seen[~new]]
        return np.asarray(self.classes_[codes])


def peer(train: Callable[[Any, Codes], Trained]) -> Callable[[], Peer]:
    """Turn a function that trains into one that returns the estimator, not fitted."""

    @wraps(train)
    def make() -> Peer:
        return Peer(train)

    return make


def _silence_the_known() -> None:
    """Silence warnings that a grid or few labels cause and that no user can act on."""
    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    warnings.filterwarnings("ignore", message="The least populated class")
    warnings.filterwarnings("ignore", message="Graph is not fully connected")
    warnings.filterwarnings("ignore", message="y contains no unlabeled samples")
    warnings.filterwarnings("ignore", message="n_jobs value 1 overridden")


def _row_keys(X: Any) -> Iterator[bytes]:
    """Yield a digest of each row, the same whatever table the row stands in."""
    if sparse.issparse(X):
        X = X.sorted_indices()
        indices, data = X.indices.astype(np.int64), X.data.astype(np.float64)
        spans = pairwise(X.indptr)
        contents = (indices[a:b].tobytes() + data[a:b].tobytes() for a, b in spans)
    else:
        contents = (np.asarray(row, dtype=np.float64).tobytes() for row in X)
    return (blake2b(content, digest_size=16).digest() for content in contents)


def label_splits(X: Any, codes: Codes) -> Splits:
    """Return the splits to tune on: none if two classes have one label each.

    Stratified folds; leave-one-out where a class has fewer than 3 labels.
    """
    counts = np.bincount(codes[codes != UNLABELED])
    if counts.sum() <= 2:
        return []
    splitter = LeaveOneLabelOut(unlabeled=UNLABELED)
    if counts.min() >= 3:
        folds = min(MOST_FOLDS, int(counts.min()))
        splitter = StratifiedLabeledKFold(folds, shuffle=True, random_state=0, unlabeled=UNLABELED)
    return list(splitter.split(X, codes))


def from_the_middle(axes: Mapping[str, Sequence[Any]]) -> list[Params]:
    """List a grid from its middle outwards."""

    def from_middle(name: str, value: Any) -> float:
        return float((axes[name].index(value) - (len(axes[name]) - 1) / 2) ** 2)

    def distance(params: Params) -> float:
        return sum(from_middle(name, value) for name, value in params.items())

    return sorted(ParameterGrid(dict(axes)), key=distance)


def labeled_part(X: Any, codes: Codes) -> tuple[Any, Codes]:
    """Return the labeled rows and their labels."""
    rows = np.flatnonzero(codes != UNLABELED)
    return X[rows], codes[rows]


@peer
def one_nearest_neighbor(X: Any, codes: Codes) -> Trained:
    """Train 1-NN on the labeled rows; there is nothing to tune.

    Examples
    --------
    >>> from ssrlpl.experiments.peers import one_nearest_neighbor
    >>> model = one_nearest_neighbor().fit([[0.0], [1.0], [5.0], [6.0]], [0, -1, -1, 1])
    >>> model.predict([[1.0], [5.0]]), model.chosen_params_
    (array([0, 1]), {})
    """
    return Trained(KNeighborsClassifier(1).fit(*labeled_part(X, codes)), {})


@peer
def tuned_rbf_svm(X: Any, codes: Codes) -> Trained:
    """Train an RBF-SVM on the labeled rows, C and γ chosen by cross-validation."""
    return train_svm(X, codes, label_splits)


@peer
def self_training(X: Any, codes: Codes) -> Trained:
    """Let the tuned RBF-SVM train itself: rows it is 75 % sure of join the labeled ones."""
    return train_svm_self_training(X, codes, label_splits)


def train_svm(X: Any, codes: Codes, splits_of: SplitsOf) -> Trained:
    """Train an RBF-SVM, tuned on the splits that a function makes of the labeled rows."""
    X, labels = labeled_part(X, codes)
    chosen = _svm_params(X, labels, splits_of(X, labels))
    return Trained(SVC(**chosen).fit(X, labels), chosen)


def train_svm_self_training(X: Any, codes: Codes, splits_of: SplitsOf) -> Trained:
    """Train the SVM of :func:`train_svm` on rows that it labels itself, too."""
    rows, labels = labeled_part(X, codes)
    chosen = _svm_params(rows, labels, splits_of(rows, labels))
    model = SelfTrainingClassifier(CalibratedSVC(**chosen), threshold=0.75)
    return Trained(model.fit(X, codes), chosen)


def _svm_params(X: Any, labels: Codes, splits: Splits) -> Params:
    """Return C and γ by cross-validation of labeled rows; the middle if there are no splits."""
    gammas = [width * median_gamma(X) for width in SVM_WIDTHS]
    grid = from_the_middle({"C": SVM_COSTS, "gamma": gammas})
    if not splits:
        return grid[0]
    # One candidate an entry keeps our order: of equal scores GridSearchCV takes the first.
    listed = [{name: [value] for name, value in params.items()} for params in grid]
    search = GridSearchCV(SVC(), listed, cv=splits, refit=False, error_score="raise")
    return dict(search.fit(X, labels).best_params_)


class CalibratedSVC(ClassifierMixin, BaseEstimator):
    """An RBF-SVM whose margins become probabilities by a sigmoid.

    The sigmoid is fitted to margins of rows held out. Where a class has fewer than 5 labels, such
    a sigmoid is often flat or points the wrong way (on USPS with 8 and 2 labels every row was
    "sure" to be of the larger class); there the margins of the training rows serve.
    """

    def __init__(self, C: float = 1.0, gamma: float = 1.0):
        self.C = C
        self.gamma = gamma

    def fit(self, X: Any, y: Codes) -> CalibratedSVC:
        """Fit the SVM and the sigmoid."""
        self.svm_ = SVC(C=self.C, gamma=self.gamma).fit(X, y)
        self.classes_ = self.svm_.classes_
        fewest = int(np.unique(y, return_counts=True)[1].min())
        everyone = np.arange(len(y))
        folds = MOST_FOLDS if fewest >= MOST_FOLDS else [(everyone, everyone)]
        calibrated = CalibratedClassifierCV(clone(self.svm_), cv=folds, ensemble=False)
        self.calibrated_ = calibrated.fit(X, y)
        return self

    def predict(self, X: Any) -> Codes:
        """Return the labels of the SVM."""
        return np.asarray(self.svm_.predict(X))

    def predict_proba(self, X: Any) -> Floats:
        """Return calibrated probabilities."""
        return np.asarray(self.calibrated_.predict_proba(X))


@peer
def tuned_label_spreading(X: Any, codes: Codes) -> Trained:
    """Train LabelSpreading with the best graph and α; rows held out stay in the graph."""
    splits = label_splits(X, codes)
    chosen = best_spreading(X, codes, list(_spreading_graphs(X)), SPREADING_ALPHAS, splits)
    model = LabelSpreading(**chosen, max_iter=MOST_STEPS, tol=CONVERGED).fit(X, codes)
    return Trained(model, chosen, model.transduction_)


def _spreading_graphs(X: Any) -> Iterator[Params]:
    """Yield the graphs to try: neighbors first, each kind from the middle of its range."""
    n = X.shape[0]
    counts = [count for count in SPREADING_NEIGHBORS if count < n] or [n - 1]
    for params in from_the_middle({"n_neighbors": counts}):
        yield {"kernel": "knn", **params}
    if n <= MANY_ROWS:
        gammas = [width * median_gamma(X) for width in SPREADING_WIDTHS]
        for params in from_the_middle({"gamma": gammas}):
            yield {"kernel": "rbf", **params}


@peer
def umap_1nn(X: Any, codes: Codes) -> Trained:
    """Train semi-supervised UMAP to ten dimensions, then 1-NN on the labeled rows."""
    return train_umap(X, codes)


def train_umap(X: Any, codes: Codes, **settings: Any) -> Trained:
    """Train UMAP, with further settings of it, and 1-NN behind it."""
    try:
        from umap import UMAP
    except ImportError as error:
        raise ImportError(
            "umap_1nn needs the package umap-learn: pip install 'ssrlpl[bench]'."
        ) from error
    chosen: Params = {
        "n_components": min(UMAP_DIMENSIONS, X.shape[0] - 2),
        "n_neighbors": min(UMAP_NEIGHBORS, X.shape[0] - 1),
        **settings,
    }
    umap = UMAP(**chosen, random_state=0).fit(X, codes)
    nearest = KNeighborsClassifier(1).fit(*labeled_part(umap.embedding_, codes))
    return Trained(_Embedded(umap, nearest), chosen, nearest.predict(umap.embedding_))


@dataclass(frozen=True)
class _Embedded:
    """A classifier behind an embedding."""

    embedding: Any
    classifier: Any

    def predict(self, X: Any) -> Codes:
        return np.asarray(self.classifier.predict(self.embedding.transform(X)))
