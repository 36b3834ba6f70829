"""Poisson learning."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .._core.poisson_equation import PoissonEquation
from .._core.readout import best_temperature, probabilities
from .._core.shared import SharedRows
from .._utils import limits
from .._utils.types import MatrixLike
from .._utils.validation import check_share
from ..labels import PartialLabels
from ._base import GraphBaseline, MarginBaseline


class PoissonLearning(MarginBaseline, GraphBaseline):
    r"""Poisson learning (Calder, Cook, Thorpe and Slepčev 2020), for very few labels.

    Labels are sources and sinks of a flow on the graph, instead of fixed values as in harmonic
    functions, which become constant between few labels. With the graph Laplacian
    :math:`\mathcal L = D - W`, degrees d and the mean :math:`\bar y` of the given label vectors,

    .. math::

        \mathcal L u = \sum_{j \in L} \delta_j (y_j - \bar y)^\top, \quad d^\top u = 0,
        \qquad \hat y(x_i) = \arg\max_c\; u_{ic}\, b_c / \bar y_c,

    where :math:`b_c` are the class shares, if they are known.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbors that each row is connected to.
    weights : {"heat", "self_tuning", "binary", "cosine"}, default="self_tuning"
        Weights of the edges: exp(-β d²/t²) with t the mean distance of neighbors; exp(-β d²/(s s'))
        with s the distance of a row to the last of its neighbors; 1; the cosine of the rows.
    sharpness : float, default=4
        β > 0 of the first two.
    mutual : bool, default=False
        Keep an edge only if each of its rows is a neighbor of the other one.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distance between rows; cosine weights need cosine.
    class_prior : array-like of shape (n_classes,), optional
        b, the shares of the classes among all rows, in the order of the sorted classes.
        By default columns of u are not scaled, which is b = ȳ.
    temperature : "auto" or float, default="auto"
        Scale of the probabilities softmax(scores/τ); "auto" fits it to leave-one-out scores.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    scores_ : ndarray of shape (n_samples, n_classes)
        u times the mean degree and, with ``class_prior``, times b/ȳ, for the training table.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        A probability vector for each row of the training table; one-hot for labeled rows.
    transduction_ : ndarray of shape (n_samples,)
        The most probable label of each row of the training table; given labels are kept.
    temperature_ : float
        Scale of the probabilities that was used.
    n_neighbors_ : int
        Number of neighbors that was used.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Known to differ from the original: the equation is solved (by conjugate gradients) instead of
    iterated until the walk has mixed; in a graph of several components each has its own ȳ, and a
    component whose labels are of one class gets that class; probabilities, and new rows, which get
    the weighted mean of the scores of their neighbors, are ours. The default weights are those of
    the authors with :math:`s_i s_j` in place of :math:`s_i^2`. The authors' program treats known
    class shares by an iteration in place of the factors b/ȳ of the paper.

    References
    ----------
    J. Calder, B. Cook, M. Thorpe, D. Slepčev: Poisson learning: graph based semi-supervised
    learning at very low label rates. ICML 2020, PMLR 119:1306-1316.

    Examples
    --------
    >>> from ssrlpl.baselines import PoissonLearning
    >>> X, y = [[0.0], [1.0], [2.0], [7.0], [8.0]], ["low", None, None, None, "high"]
    >>> PoissonLearning(2).fit(X, y).predict([[1.5], [6.0]])
    array(['low', 'high'], dtype=object)
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        weights: str = "self_tuning",
        sharpness: float = 4.0,
        mutual: bool = False,
        metric: str = "euclidean",
        class_prior: Any = None,
        temperature: str | float = "auto",
        unlabeled: Any = "auto",
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.sharpness = sharpness
        self.mutual = mutual
        self.metric = metric
        self.class_prior = class_prior
        self.temperature = temperature
        self.unlabeled = unlabeled

    def _label(self, target: PartialLabels) -> NDArray[np.float64]:
        if self.temperature != "auto":
            check_share("temperature", self.temperature, high=np.inf)
        prior = self._prior(target.classes)
        equation, given = PoissonEquation(self._graph, target.labeled), target.one_hot()
        self.scores_ = equation.solve(given) * _prior_factors(prior, given.sum(axis=0))
        if isinstance(self.temperature, str):
            self.limits_hit_ = limits.hit(self, CALIBRATION_LABELS=target.n_labeled)
            step = -(-target.n_labeled // limits.CALIBRATION_LABELS)
            chosen = np.arange(0, target.n_labeled, step)
            scores = _left_out_scores(equation, target, prior, chosen)
            self.temperature_ = best_temperature(scores, target.codes[target.labeled[chosen]])
        else:
            self.temperature_ = float(self.temperature)
        return probabilities(self.scores_, self.temperature_)

    def _prior(self, classes: NDArray[Any]) -> NDArray[np.float64] | None:
        """Return the shares of some of the classes, or None if columns are not to be scaled."""
        if self.class_prior is None:
            return None
        prior, n = np.asarray(self.class_prior, dtype=np.float64), len(self.classes_)
        if prior.shape != (n,) or not (np.isfinite(prior) & (prior > 0)).all():
            raise ValueError(
                f"class_prior must hold {n} positive shares, one for each class in sorted order."
                f" Got {self.class_prior!r}: pass the shares, or None if they are unknown."
            )
        kept = prior[np.isin(self.classes_, classes)]
        return kept / kept.sum()

    def _decide(self, X: Any) -> NDArray[np.float64]:
        scores = self._mean_of_neighbors(X, self.scores_)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, X: MatrixLike) -> NDArray[Any]:
        """Return the probability of each class, columns in the order of ``classes_``."""
        check_is_fitted(self)
        X = self.check_rows(X, reset=False)
        return probabilities(self._mean_of_neighbors(X, self.scores_), self.temperature_)

    def loo_scores(
        self, X: Any, target: PartialLabels, shared: SharedRows | None = None
    ) -> NDArray[np.float64]:
        """Return the scores of each labeled row by the fit without its label, before softmax."""
        fresh = clone(self)
        fresh._prepare(X, SharedRows(X) if shared is None else shared)
        equation = PoissonEquation(fresh._graph, target.labeled)
        fresh.classes_ = target.classes
        prior = fresh._prior(target.classes)
        return _left_out_scores(equation, target, prior, np.arange(target.n_labeled))


def _left_out_scores(
    equation: PoissonEquation,
    target: PartialLabels,
    prior: NDArray[np.float64] | None,
    chosen: NDArray[np.intp],
) -> NDArray[np.float64]:
    given = target.one_hot()
    counts = given.sum(axis=0) - given[chosen]
    return equation.left_out(given, chosen) * _prior_factors(prior, counts)


def _prior_factors(
    prior: NDArray[np.float64] | None, counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return b/ȳ for each class; one without known class shares, or for a class without labels."""
    if prior is None:
        return np.ones_like(counts)
    shares = counts / counts.sum(axis=-1, keepdims=True)
    return np.divide(prior, shares, out=np.ones_like(counts), where=shares > 0)
