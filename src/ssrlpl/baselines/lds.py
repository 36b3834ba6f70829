"""Low density separation: path distances, scaling, and the transductive machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._core.path_embedding import LARGEST_EXPONENT, PathEmbedding, embed_paths
from .._core.shared import SharedRows
from .._utils import limits
from .._utils.types import Floats
from .._utils.validation import check_count, check_share
from .kernel_machine import one_column
from .transductive_svm import LowDensityMachine


class LDS(LowDensityMachine):
    r"""Low density separation (Chapelle and Zien 2005).

    Rows are compared by the best path between them in a graph of nearest neighbors,

    .. math::

        D(x, x') = \frac{1}{\rho} \log\Big(1 + \min_p \sum_{(i,j) \in p} (e^{\rho d_{ij}} - 1)\Big),

    where for large ρ only the longest step of a path counts: two rows are near if a path through
    dense regions joins them. Multidimensional scaling of D² gives coordinates, and the linear
    :class:`TransductiveSVM` is fitted to them.

    Parameters
    ----------
    rho : "auto" or float, default="auto"
        ρ ≥ 0, in units of one over a distance; "auto" is 4/t with t the mean distance of
        neighbors, or less if the longest edge would overflow.
    n_neighbors : int or None, default=20
        Number of neighbors that each row is connected to; None connects all pairs.
    sharpness : float, default=1
        Factor on ρ, so that a grid need not know the scale of the data.
    direct : bool, default=True
        Two rows may be joined by one step, too, even if they are no neighbors.
    C : "auto" or float, default="auto"
        Weight of the labeled rows, > 0; "auto" is one over the sum of the variances of the
        coordinates.
    cost_factor : float, default=1
        Factor on C.
    unlabeled_cost : float, default=1
        :math:`C^*/C` ≥ 0, see :class:`TransductiveSVM`.
    balance : bool, default=True
        Use the balance constraint of :class:`TransductiveSVM`.
    delta : float, default=0.1
        Components are kept until the rest has less than this share of the eigenvalues, and the
        next one is below this share of the first.
    random_state : int, RandomState or None, default=0
        Draws the landmarks of a table of more than 3,000 rows.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order; with two of them y = 1 stands for the second.
    objective_ : float, or ndarray of shape (n_classes,) for more than two classes
        The objective of :class:`TransductiveSVM` at the solution.
    coef_ : ndarray of shape (n_components, 1 or n_classes)
        w: the weight of each coordinate.
    intercept_ : ndarray of shape (1 or n_classes,)
        The constant b of the answer.
    n_components_ : int
        Number of coordinates.
    C_, rho_, n_neighbors_ : float, float, int
        What was used: C and ρ with their factors, number of neighbors.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Known to differ from the authors' program: its graph joins all pairs by default
    (``n_neighbors=None``, slow). Ours takes the shorter of a path through neighbors and the direct
    step, which is nearly the same at a quarter of the time; without direct steps the method fails
    in many dimensions (g241c of the SSL book with ten labels: 45 % errors instead of 23 %). The
    program's kernel on top of D is left out (width infinite, its default). ρ="auto" is our choice;
    the authors select ρ. The method is transductive: coordinates of a new row follow from the
    direct step, or from the path that ends with an edge to one of its neighbors. A table of more
    than 3,000 rows is scaled with 2,000 landmarks. Memory: 8 bytes for each pair of a landmark and
    a row, 160 MB for 10,000 rows.

    References
    ----------
    Chapelle, Zien: Semi-supervised classification by low density separation. AISTATS 2005.

    Examples
    --------
    >>> from ssrlpl.baselines import LDS
    >>> X, y = [[0.0], [1.0], [2.0], [7.0], [8.0]], ["low", None, None, None, "high"]
    >>> LDS().fit(X, y).predict([[1.5], [6.0]])
    array(['low', 'high'], dtype=object)
    """

    def __init__(
        self,
        rho: str | float = "auto",
        n_neighbors: int | None = 20,
        *,
        sharpness: float = 1.0,
        direct: bool = True,
        C: str | float = "auto",
        cost_factor: float = 1.0,
        unlabeled_cost: float = 1.0,
        balance: bool = True,
        delta: float = 0.1,
        random_state: Any = 0,
        unlabeled: Any = "auto",
    ):
        self.rho = rho
        self.n_neighbors = n_neighbors
        self.sharpness = sharpness
        self.direct = direct
        self.C = C
        self.cost_factor = cost_factor
        self.unlabeled_cost = unlabeled_cost
        self.balance = balance
        self.delta = delta
        self.random_state = random_state
        self.unlabeled = unlabeled

    def _features(self, shared: SharedRows) -> Floats:
        check_share("delta", self.delta)
        check_share("sharpness", self.sharpness, high=np.inf)
        check_share("rho", self.rho, high=np.inf, zero=True, or_auto=True)
        if self.n_neighbors is not None:
            check_count("n_neighbors", self.n_neighbors)
        X = shared.X
        n = X.shape[0]
        self.n_neighbors_ = min(self.n_neighbors or n - 1, n - 1)
        search = shared.neighbor_search("euclidean")
        self.limits_hit_ = limits.hit(search, DENSE_GRAPH_ROWS=n)
        self.rho_ = self._chosen_rho(shared.neighbors("euclidean", self.n_neighbors_)[0])
        landmarks = np.arange(n)
        if n > limits.DENSE_GRAPH_ROWS:
            drawn = check_random_state(self.random_state).permutation(n)[: limits.LANDMARKS]
            landmarks = np.sort(drawn)
        direct = bool(self.direct)

        def place() -> tuple[PathEmbedding, Floats]:
            found = embed_paths(
                search, self.n_neighbors_, self.rho_, landmarks, self.delta, direct=direct
            )
            return found, found.training()

        settings = (self.n_neighbors_, self.rho_, float(self.delta), direct, landmarks.tobytes())
        self._embedding, coordinates = shared.once(
            ("paths", settings), place, 16 * n * len(landmarks)
        )
        self.n_components_ = coordinates.shape[1]
        return coordinates

    def _chosen_rho(self, distances: Floats) -> float:
        """Return ρ for these lengths of edges; refuse one whose exponentials overflow."""
        longest = float(distances.max()) or 1.0
        highest = LARGEST_EXPONENT / longest
        if isinstance(self.rho, str):
            return min(self.sharpness * 4 / (float(distances.mean()) or 1.0), highest)
        rho = self.sharpness * float(self.rho)
        if rho > highest:
            raise ValueError(
                f"rho times the longest edge must be at most {LARGEST_EXPONENT:g}. Got"
                f" rho={rho:.3g}: use a number below {highest:.3g}."
            )
        return rho

    def _store(self, W: Floats) -> None:
        self.coef_ = W

    def _decide(self, X: Any) -> Floats:
        return one_column(self._embedding(X) @ self.coef_ + self.intercept_)
