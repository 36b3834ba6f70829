"""Poisson learning."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.poisson_equation import PoissonEquation
from .._core.readout import decision_values, left_out_temperature, probabilities, share_offsets
from .._core.shared import SharedRows
from .._utils import limits
from .._utils.types import Array, Floats, Ints
from .._utils.validation import check_choice, check_share, read_class_prior
from ..labels import PartialLabels
from ._base import GraphBaseline, MarginBaseline


class PoissonLearning(MarginBaseline, GraphBaseline):
    r"""Poisson learning (Calder, Cook, Thorpe and Slepčev 2020), for very few labels.

    Labels are sources and sinks of a flow on the graph, instead of fixed values as in harmonic
    functions, which become constant between few labels. With the graph Laplacian
    :math:`\mathcal L = D - W`, degrees d and the mean :math:`\bar y` of the given label vectors,

    .. math::

        \mathcal L u = \sum_{j \in L} \delta_j (y_j - \bar y)^\top, \quad d^\top u = 0,
        \qquad \hat y(x_i) = \arg\max_c\; u_{ic} + a_c,

    where a = 0, or such that each class gets its share of the rows, if class shares are given.

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
    class_prior : None, "labels", dict or array-like of shape (n_classes,), default=None
        The shares of the classes among all rows: a dict (or a pandas Series) by class, or an array
        in sorted order. "labels": those of the given labels, each count raised by one. Without it,
        classes tend to equal shares, which is wrong where one class is much larger.
    damping : float, default=0
        ε in [0, 1) of :math:`\mathcal L + \epsilon D` in place of :math:`\mathcal L`. Above zero
        the flow fades on its way, as it does if the authors' iteration is stopped after about 1/ε
        steps. It helps where parts of the graph are hardly connected.
    temperature : "auto" or float, default="auto"
        Scale of the probabilities softmax(scores/τ); "auto" fits it to leave-one-out scores.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    scores_ : ndarray of shape (n_samples, n_classes)
        u times the mean degree, plus a, for the training table.
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
    iterated until the walk has mixed, and ``damping`` is ours; without it, each component of the
    graph has its own ȳ, and a component whose labels are of one class gets that class;
    probabilities, and new rows, which get the weighted mean of the scores of their neighbors, are
    ours. The default weights are those of the authors with :math:`s_i s_j` in place of
    :math:`s_i^2`. For known class shares the authors' program searches factors of the columns of u;
    the offsets here aim at the same sizes.

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
        damping: float = 0.0,
        temperature: str | float = "auto",
        unlabeled: Any = "auto",
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.sharpness = sharpness
        self.mutual = mutual
        self.metric = metric
        self.class_prior = class_prior
        self.damping = damping
        self.temperature = temperature
        self.unlabeled = unlabeled

    def _label(self, target: PartialLabels) -> Floats:
        check_share("temperature", self.temperature, high=np.inf, or_auto=True)
        check_share("damping", self.damping, zero=True)
        equation = PoissonEquation(self._graph, target.labeled, self.damping)
        u = equation.solve(target.one_hot())
        offsets = self._offsets(u, target)
        self.scores_ = u + offsets
        if isinstance(self.temperature, str):
            self.limits_hit_ = limits.hit(self, CALIBRATION_LABELS=target.n_labeled)
            step = -(-target.n_labeled // limits.CALIBRATION_LABELS)
            chosen = np.arange(0, target.n_labeled, step)
            left_out = _left_out(equation, target.one_hot(), offsets, chosen)
            codes = target.codes[target.labeled]
            self.temperature_ = left_out_temperature(left_out, codes, chosen)
        else:
            self.temperature_ = float(self.temperature)
        return probabilities(self.scores_, self.temperature_)

    def _offsets(self, u: Floats, target: PartialLabels) -> Floats:
        """Return a; ``target`` may hold some of the classes only."""
        if isinstance(self.class_prior, str):
            check_choice("class_prior", self.class_prior, ("labels",), or_callable=False)
            shares = target.one_hot().sum(axis=0) + 1
        else:
            given = read_class_prior(self.class_prior, self.classes_)
            if given is None:
                return np.zeros(len(target.classes))
            shares = given[np.isin(self.classes_, target.classes)]
        return share_offsets(u, shares / shares.sum())

    def _decide(self, X: Any) -> Floats:
        return decision_values(self._mean_of_neighbors(X, self.scores_))

    def _label_new(self, X: Any) -> Array:
        return probabilities(self._mean_of_neighbors(X, self.scores_), self.temperature_)

    def loo_scores(self, X: Any, target: PartialLabels, shared: SharedRows | None = None) -> Floats:
        """Return the scores of each labeled row by the fit without its label, before softmax.

        Offsets for class shares are those of all labels.
        """
        fresh = self._prepared(X, target, shared)
        equation, given = (
            PoissonEquation(fresh._graph, target.labeled, self.damping),
            target.one_hot(),
        )
        u = given if self.class_prior is None else equation.solve(given)  # only offsets need u
        return _left_out(equation, given, fresh._offsets(u, target), np.arange(len(given)))


def _left_out(equation: PoissonEquation, given: Floats, offsets: Floats, chosen: Ints) -> Floats:
    """Return scores without the row's label; a class that loses its only label has the lowest."""
    scores = equation.left_out(given, chosen) + offsets
    remains = given.sum(axis=0) > given[chosen]
    lowest = np.where(remains, scores, np.inf).min(axis=1, keepdims=True)
    return np.where(remains, scores, lowest)
