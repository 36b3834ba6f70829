"""Our methods: the plain method of the paper in its forms, and its references.

The paper names neither the classifier that works in the representation nor the kernel's width. We
take the nearest labeled row (the paper cites no other, and it has nothing to tune) and the median
heuristic on all training rows, for the kernel and for the neighbors' weights; ``variants`` measures
what other choices would change.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from .._core.bandwidth import median_gamma
from .._core.blocks import squared_norms
from ..any_estimator import LabeledOnly
from ..classify import SSRLPLClassifier
from ..labelers.knn import KNNLabeler
from ..maps.kernel import KernelSSRLPL
from ..maps.linear import SSRLPL
from .problems import Hints
from .tuning import ChosenByLOO, Params

NEIGHBORS = (5, 1, 9)
COMPONENTS = (None, 10, 24)  # None: one less than classes; the others are the paper's extremes
WIDTHS = (1.0, 4.0, 0.25)  # multiples of the γ of the median heuristic


def build_linear(params: Params, X: Any) -> SSRLPLClassifier:
    """Return the linear map with the nearest labeled row as classifier."""
    p = params.get("p")
    labeler = KNNLabeler(params["k"], gamma=median_gamma(X, seed=0))
    map_ = SSRLPL(None if p is None else min(p, X.shape[1]), labeler=labeler)
    return SSRLPLClassifier(map_, KNeighborsClassifier(1))


def build_kernel(params: Params, X: Any) -> SSRLPLClassifier:
    """Return the RBF map with the nearest labeled row as classifier.

    ``width`` multiplies the γ of the median heuristic; ``sigma`` gives σ outright, in units of
    the longest row if ``ball`` is true.
    """
    labeler = KNNLabeler(
        params["k"], gamma=median_gamma(X, seed=0), winner_take_all=params.get("wta", False)
    )
    map_ = KernelSSRLPL(params.get("p"), gamma=_gamma(params, X), labeler=labeler)
    return SSRLPLClassifier(map_, KNeighborsClassifier(1))


def _gamma(params: Params, X: Any) -> float:
    if "sigma" not in params:
        return params.get("width", 1.0) * median_gamma(X, seed=0)
    unit = squared_norms(X).max() if params.get("ball", False) else 1.0
    return float(1 / (2 * params["sigma"] ** 2 * unit))


def build_labeled_only(params: Params, X: Any) -> LabeledOnly:
    """Return the RBF map of labeled rows alone: the paper's first scenario."""
    return LabeledOnly(
        make_pipeline(
            KernelSSRLPL(params.get("p"), gamma=_gamma(params, X)), KNeighborsClassifier(1)
        )
    )


def neighbor_counts(n_labeled: int) -> list[int]:
    """Return the candidates for k that leave a row to be left out."""
    return [k for k in NEIGHBORS if k < n_labeled]


def linear(hints: Hints) -> ChosenByLOO:
    """Return the plain linear method: k, then p by leave-one-out."""
    neighbors = [{"k": k} for k in neighbor_counts(hints.n_labeled)]
    return ChosenByLOO(build_linear, [neighbors, _components()])


def kernel(hints: Hints, **fixed: Any) -> ChosenByLOO:
    """Return the plain kernel method: the width with k, then p by leave-one-out.

    More components than classes less one need an eigenproblem for each fit, so p comes last.
    """
    pairs = product(WIDTHS, neighbor_counts(hints.n_labeled))
    first = [{"k": k, "width": width, **fixed} for width, k in pairs]
    return ChosenByLOO(build_kernel, [first, _components()])


def plain_kernel(hints: Hints) -> ChosenByLOO:
    """Return the kernel method with C-1 components and the median width; k by leave-one-out."""
    return ChosenByLOO(build_kernel, [[{"k": k} for k in neighbor_counts(hints.n_labeled)]])


def _components() -> list[Params]:
    return [{"p": p} for p in COMPONENTS]


def winner_take_all_kernel(hints: Hints) -> ChosenByLOO:
    """Return the kernel method whose label vectors are one-hot (section 4 of the paper)."""
    return kernel(hints, wta=True)


def labeled_only(hints: Hints) -> Any:
    """Return the kernel map of labeled rows alone; p as in the paper, or by leave-one-out."""
    if hints.p is not None:
        return Fixed(build_labeled_only, {"p": hints.p})
    return ChosenByLOO(build_labeled_only, [_components()])


def linear_of_paper(hints: Hints) -> Fixed:
    """Return the linear method with the paper's p and k."""
    return Fixed(build_linear, _of_paper(hints))


def kernel_of_paper(hints: Hints) -> Fixed:
    """Return the kernel method with the paper's p and k and the median width."""
    return Fixed(build_kernel, _of_paper(hints))


def wta_of_paper(hints: Hints) -> Fixed:
    """Return the winner-take-all method with the paper's p and k."""
    return Fixed(build_kernel, {**_of_paper(hints), "wta": True})


def _of_paper(hints: Hints) -> dict[str, Any]:
    k = 5 if hints.k is None else hints.k
    return {"p": hints.p, "k": min(k, hints.n_labeled)}


class FullMap(ClassifierMixin, BaseEstimator):
    """The map of all labels, the classifier of the first rows only.

    Between "labeled only" and "fully labeled": it shows what a perfect labeler could do for the
    map, with no more labels for the classifier.
    """

    def __init__(self, params: Params, n_labeled: int):
        self.params = params
        self.n_labeled = n_labeled

    def fit(self, X: Any, y: Any) -> FullMap:
        """Fit the map with all labels and the classifier with the first ones."""
        self.map_ = KernelSSRLPL(self.params["p"], gamma=_gamma(self.params, X))
        Z = self.map_.fit_transform(X, y)[: self.n_labeled]
        self.classifier_ = KNeighborsClassifier(1).fit(Z, y[: self.n_labeled])
        return self

    def predict(self, X: Any) -> Any:
        """Return the label of the nearest of the first rows in the representation."""
        return self.classifier_.predict(self.map_.transform(X))


def full_map(hints: Hints) -> FullMap:
    """Return the map that knows every label with the classifier that knows the labeled rows."""
    return FullMap(_of_paper(hints), hints.n_labeled)


def usps_in_three_dimensions(_hints: Hints, *, ball: bool = True) -> Fixed:
    """Return the map of Fig. 2: RBF, σ = 2, k = 1, three components.

    The paper takes its data from the unit ball, and only there is σ = 2 wide enough: among pixels
    in [0, 1] the kernel of two images is about exp(-6), and new images all land near zero.
    """
    return Fixed(build_kernel, {"p": 3, "k": 1, "sigma": 2.0, "ball": ball})


class Fixed(ChosenByLOO):
    """Nothing to choose: one candidate, fitted without leaving rows out."""

    def __init__(self, build: Any, params: Params):
        super().__init__(build, [[params]])
        self.params = params

    def fit(self, X: Any, y: Any) -> Fixed:
        """Fit with the parameters given."""
        self.chosen_params_ = self.params
        self.estimator_ = self.build(self.params, X).fit(X, y)
        return self
