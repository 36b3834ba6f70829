"""Labels by minimum cuts of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.minimum_cut import CutNetwork, cut_weight
from .._core.neighbor_graph import reached
from .._core.shared import SharedRows
from .._utils.types import Floats
from ..labels import PartialLabels
from ._base import GraphBaseline, label_groups


class GraphMincut(GraphBaseline):
    r"""Labels by graph mincuts (Blum and Chawla 2001).

    .. math::

        \min_{z} \sum_{i<j} w_{ij} [z_i \ne z_j] \quad\text{with}\quad z_i = y_i
        \text{ for labeled } i.

    For two classes this is a minimum cut between the labeled rows of both, found by a maximum flow.
    With more classes, each class is separated from all others (one-vs-rest): the smallest sets of
    rows found this way do not overlap, and rows in none of them get the class whose cut is the
    heaviest. The resulting cut is at most 2 - 2/C times as heavy as the lightest one (Dahlhaus
    et al. 1994).

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbors that each row is connected to.
    weights : {"self_tuning", "heat", "binary", "cosine"}, default="self_tuning"
        Weights of the edges: exp(-β d²/(s s')) with s the distance of a row to the last of its
        neighbors; exp(-β d²/t²) with t the mean distance of neighbors; 1; the cosine of the rows.
    sharpness : float, default=1
        β > 0 of the first two.
    mutual : bool, default=False
        Keep an edge only if each of its rows is a neighbor of the other one.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distance between rows; cosine weights need cosine.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    flow_values_ : ndarray of shape (n_classes,)
        The weight of the minimum cut that separates each class from all others.
    cut_value_ : float
        The sum of the weights of the edges between rows of different labels.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        One-hot label vectors of the training table. Rows that no label reaches have the class
        shares of the labels.
    transduction_ : ndarray of shape (n_samples,)
        The label of each row of the training table.
    n_neighbors_ : int
        Number of neighbors that was used.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Known to differ from the original, which is for two classes: the classes beyond two, as above;
    the graph (the paper joins rows to their nearest labeled row and their two nearest rows, or all
    rows nearer than some δ); new rows, which get the weighted mean label vector of their neighbors.
    Of several minimum cuts, the one that gives most rows to the class with the heaviest cut is
    taken, in a tie to the first class. With very few labels the lightest cut is often the one
    around single labeled rows, as the authors say.

    The solver needs integers: weights are rounded to about 1e-9 of the sum of the weights at
    labeled rows.

    References
    ----------
    Blum, Chawla: Learning from labeled and unlabeled data using graph mincuts. ICML 2001.

    E. Dahlhaus, D. Johnson, C. Papadimitriou, P. Seymour, M. Yannakakis: The complexity of
    multiterminal cuts. SIAM Journal on Computing 23, 1994.

    Examples
    --------
    >>> from ssrlpl.baselines import GraphMincut
    >>> X, y = [[0.0], [1.0], [2.0], [7.0], [8.0]], ["low", None, None, None, "high"]
    >>> GraphMincut(2).fit(X, y).predict([[1.5], [6.0]])
    array(['low', 'high'], dtype=object)
    """

    def choice_scores(
        self, X: Any, target: PartialLabels, shared: SharedRows | None = None
    ) -> Floats:
        """Return the label vector of each labeled row by the fit without its group of labels."""
        groups, scores = label_groups(target), np.zeros((X.shape[0], len(target.classes)))
        for part, Y in self.labels_without(X, target, groups, shared=shared):
            rows = groups[part.start]
            scores[rows] = Y[0, rows]
        return scores[target.labeled]

    def _label(self, target: PartialLabels) -> Floats:
        W, labeled, n_classes = self._graph.weights, target.labeled, len(target.classes)
        network, codes = CutNetwork(W, labeled), target.codes[labeled]
        sides, self.flow_values_ = np.zeros((n_classes, W.shape[0]), bool), np.zeros(n_classes)
        for c in range(n_classes):
            cut = network.isolate(labeled[codes == c], labeled[codes != c])
            sides[c], self.flow_values_[c] = cut
        # argmax gives the first class whose side holds the row; the others get the heaviest cut.
        alone = sides.any(axis=0)
        found = np.where(alone, sides.argmax(axis=0), self.flow_values_.argmax())
        self.cut_value_ = cut_weight(W, found)
        shares = np.bincount(codes, minlength=n_classes) / len(codes)
        seen = reached(self._graph, labeled)
        return np.where(seen[:, None], np.eye(n_classes)[found], shares)
