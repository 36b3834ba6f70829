"""SSRL-PL with a kernel map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .._core.bandwidth import WITH_GAMMA, median_gamma
from .._core.blocks import is_symmetric, middle_of
from .._core.far_rows import represent_far_rows
from .._core.kernels import KERNELS, Kernel
from .._core.loo_maps import ChangedLabels, KernelProducts, Products, WhitenedProducts
from .._core.products import cross_product
from .._core.shared import SharedRows
from .._core.whitening import centered_gram, gram_solver
from .._utils import limits
from .._utils.arrays import cast, check_same_arrays, like, to_numpy
from .._utils.chunked import takes_chunks
from .._utils.progress import Progress
from .._utils.types import Array, Floats, Ints, MatrixLike, VectorLike
from .._utils.validation import check_choice, check_gamma, check_number, check_table, row_types
from .._utils.whole_fits import whole_or_not
from ..labelers.knn import KNNLabeler
from ..labels import PartialLabels
from .kernel_solutions import NOT_FINITE, KernelSolutions
from .memory import ProblemSize, kernel_bytes


class KernelSSRLPL(KernelSolutions):
    r"""Kernel map of largest dependence (HSIC) on labels of which only a few are known.

    .. math::

        \max_\beta \; \frac{1}{(n-1)^2}
        \operatorname{tr}(\beta^\top K H Y Y^\top H K \beta)
        \quad \text{subject to} \quad \beta^\top K \beta = I

    The paper solves the n×n generalized eigenproblem :math:`Q\beta = \lambda K\beta`. Its rank is
    at most C-1, so with :math:`B = HY` the eigenvectors a of the C×C matrix
    :math:`G = B^\top K B` give the same solution, :math:`\beta = B a \lambda^{-1/2}`. Only the
    product KB is needed, so K is computed in blocks and never stored.

    Parameters
    ----------
    n_components : int, optional
        Dimensions of the representation, by default the number of classes minus one: the labels
        do not determine more. Further ones are the directions of largest variance in the
        orthogonal complement (the paper does not specify them).
    kernel : str or callable, default="rbf"
        "rbf", "laplacian", "polynomial", "linear", "cosine", "precomputed", or a function of two
        matrices of rows that returns their kernel matrix.
    gamma : "median" or float, default="median"
        Parameter of the rbf, laplacian and polynomial kernels; for rbf γ = 1/(2σ²). "median" is
        the median heuristic on a seeded sample of the rows.
    degree : float, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant of the polynomial kernel.
    kernel_params : dict, optional
        Keyword arguments for a callable kernel.
    labeler : labeler or classifier, optional
        Computes the label vectors of the unlabeled rows, see :class:`SSRLPL`. By default
        :class:`KNNLabeler`.
    constraint : {"orthonormal", "whitened"}, default="orthonormal"
        βᵀKβ = I, as in the paper, or the same for Σ + ρI with Σ the scatter of all rows:
        directions in which all rows vary little then get more weight, as in discriminant
        analysis. At most C-1 components. Up to 5,000 rows the kernel matrix is factorized; in
        larger tables 2,000 random rows are used as landmarks (Nyström features).
    rho : "auto" or float, default="auto"
        ρ of the whitened constraint, as a share of the total scatter; "auto" uses the closed
        form of Chen et al. (2010, oracle approximating shrinkage).
    unlabeled_weight : float, default=1
        Weight of an unlabeled row relative to a labeled one in the dependence on the labels, in
        [0, 1]. 1 is the paper's method, 0 uses the labeled rows only (Σ still has all rows).
    relabel_rounds : int, default=0
        How often the rows are labeled again, by their neighbors in the representation, and the
        map is fitted again.
    far_rows : {"keep", "nearest"}, default="keep"
        What becomes of new rows that are so far from all others that an RBF kernel is nearly
        zero. They all get the same representation, or, with "nearest", about that of the row
        nearest to them (dense tables).
    landmarks : array-like of int, optional
        Numbers of the rows that serve as landmarks of a whitened map, whatever the size of the
        table.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.
    random_state : int or RandomState, default=0
        Draws the sample for the median heuristic, and the landmarks.
    verbose : bool, default=False
        Show a progress bar for fits that take longer than two seconds.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples, n_components)
        β, or the coefficients of the landmarks. Columns are zero if the data have no further
        direction (with a warning).
    eigenvalues_ : ndarray of shape (n_components,)
        Generalized eigenvalues λ; zero for components that the labels do not determine.
    objective_ : float
        f_X at the solution.
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Label vectors of the training rows.
    transduction_ : ndarray of shape (n_samples,)
        Most probable label of each training row.
    labeler_ : object
        The fitted labeler; it uses the classes as integers 0..C-1.
    gamma_ : float
        The γ that was used.
    rho_ : float
        The share that was used (only if whitened).
    X_fit_ : ndarray or sparse matrix of shape (n_samples, n_features)
        The training rows, or the landmarks (absent for a precomputed kernel). They are not
        copied: do not change them while the estimator is in use.
    n_components_ : int
        Dimensions of the representation.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ssrlpl import KernelSSRLPL
    >>> X, y = load_digits(return_X_y=True)
    >>> y[100:] = -1  # the first 100 rows keep their label
    >>> KernelSSRLPL().fit_transform(X, y).shape
    (1797, 9)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        gamma: str | float = "median",
        degree: float = 3,
        coef0: float = 1.0,
        kernel_params: Mapping[str, Any] | None = None,
        labeler: Any = None,
        constraint: str = "orthonormal",
        rho: str | float = "auto",
        unlabeled_weight: float = 1.0,
        relabel_rounds: int = 0,
        far_rows: str = "keep",
        landmarks: VectorLike | None = None,
        unlabeled: Any = "auto",
        random_state: Any = 0,
        verbose: bool = False,
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.labeler = labeler
        self.constraint = constraint
        self.rho = rho
        self.unlabeled_weight = unlabeled_weight
        self.relabel_rounds = relabel_rounds
        self.far_rows = far_rows
        self.landmarks = landmarks
        self.unlabeled = unlabeled
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    def chosen_labeler(self) -> Any:
        """Return the unfitted labeler that is used; for a kernel matrix one that accepts it."""
        if self.labeler is None and self.kernel == "precomputed":
            return KNNLabeler(similarity="precomputed")
        return super().chosen_labeler()

    def check_rows(self, X: Any, *, reset: bool = True) -> Any:
        """Return rows, or a kernel matrix, as ``fit`` accepts them."""
        if self.kernel != "precomputed":
            return super().check_rows(X, reset=reset)
        fewest = 2 if reset else 1
        try:
            X = check_table(self, X, dtype=row_types(X), reset=reset, ensure_min_samples=fewest)
        except ValueError as error:  # gaps of rows can be filled in, those of a kernel cannot
            raise ValueError(NOT_FINITE) if "X contains" in str(error) else error from None
        if reset and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"A precomputed kernel must be a square matrix. Got shape {X.shape}: pass"
                " K(X, X) to fit and K(X_new, X) to transform."
            )
        if reset and not is_symmetric(to_numpy(X)):
            raise ValueError(
                "A precomputed kernel must be a symmetric matrix. Got one that is not: pass"
                " (K + K.T) / 2."
            )
        return X

    @whole_or_not
    @takes_chunks
    def fit(
        self, X: MatrixLike, y: VectorLike, sample_weight: VectorLike | None = None
    ) -> KernelSSRLPL:
        """Label the unlabeled rows and compute the map.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All rows, labeled and unlabeled; for ``kernel="precomputed"`` their kernel matrix.
        y : array-like of shape (n_samples,)
            Labels, with a marker for unlabeled rows.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts, as if it were repeated.

        Returns
        -------
        self
        """
        self.fit_checked(*self._read(X, y, sample_weight))
        return self

    @whole_or_not
    @takes_chunks
    def fit_transform(
        self, X: MatrixLike, y: VectorLike, sample_weight: VectorLike | None = None
    ) -> Array:
        """Fit and return the representation of the training rows, without extra computation.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self.fit_checked(*self._read(X, y, sample_weight))

    def fit_checked(
        self,
        X: Any,
        target: PartialLabels,
        sample_weight: Floats | None = None,
        shared: SharedRows | None = None,
    ) -> Array:
        """Fit to checked rows and return their representation, see :class:`BaseMap`."""
        self._check_parameters()
        self._check_whitened_components(len(target.classes))
        self._check_landmarks(X.shape[0])
        self.n_features_in_ = X.shape[1]
        self.n_components_ = self.n_components or len(target.classes) - 1
        self._kernel = self.kernel_on(X, sample_weight)
        self.gamma_ = self._kernel.gamma
        is_matrix, n = self.kernel == "precomputed", X.shape[0]
        if not is_matrix:
            self.X_fit_ = X
        elif hasattr(self, "X_fit_"):
            del self.X_fit_  # left from an earlier fit with another kernel
        rows = self._label(X, target, sample_weight, shared)
        self.limits_hit_ = limits.hit(
            self.labeler_,
            MEDIAN_ROWS=n if self.gamma == "median" and self.kernel in WITH_GAMMA else 0,
            EXACT_KERNEL_ROWS=n if self.constraint == "whitened" and not is_matrix else 0,
        )
        with Progress("rounds", 1 + self.relabel_rounds, inside=1):
            Z = self._fit_map(X, rows)
            for _ in range(self.relabel_rounds):
                Z = self._fit_map(X, self._relabel(Z, target, sample_weight))
        return cast(Z, X.dtype)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({"far_rows": "keep", "landmarks": None, **state})  # not in old files

    def _check_parameters(self) -> None:
        check_choice("kernel", self.kernel, (*KERNELS, "precomputed"))
        check_choice("far_rows", self.far_rows, ("keep", "nearest"), or_callable=False)
        check_gamma(self.gamma)
        super()._check_parameters()
        check_number("degree", self.degree)
        check_number("coef0", self.coef0)
        if self.landmarks is not None and (
            self.constraint != "whitened" or self.kernel == "precomputed"
        ):
            raise ValueError(
                "landmarks are for a whitened map of rows. Got"
                f" constraint={self.constraint!r}, kernel={self.kernel!r}: pass"
                " constraint='whitened' and a kernel by name."
            )
        if self.kernel_params and not callable(self.kernel):
            raise ValueError(
                f"kernel_params are for a callable kernel. Got kernel={self.kernel!r}: pass gamma,"
                " degree and coef0 as arguments."
            )
        similarity = getattr(self.labeler, "similarity", "precomputed")
        measures_rows = isinstance(similarity, str) and similarity != "precomputed"
        if self.kernel == "precomputed" and measures_rows:
            raise ValueError(
                "With a precomputed kernel the labeler must compute distances from it. Got"
                f' similarity={similarity!r}: pass KNNLabeler(similarity="precomputed").'
            )

    def _check_landmarks(self, n_rows: int) -> None:
        if self.landmarks is None:
            return
        chosen = np.asarray(self.landmarks)
        are_numbers = chosen.ndim == 1 and chosen.dtype.kind in "iu" and len(chosen) > 0
        if not are_numbers or chosen.min() < 0 or chosen.max() >= n_rows:
            ends = f", from {chosen.min()} to {chosen.max()}" if are_numbers else ""
            raise ValueError(
                f"landmarks must be numbers of rows, ints from 0 to {n_rows - 1}. Got"
                f" {chosen.dtype} of shape {chosen.shape}{ends}: pass numbers of rows of X, for a"
                " mask np.flatnonzero(mask)."
            )

    def kernel_on(self, X: Any, weight: Array | None = None) -> Kernel:
        """Return the kernel with its parameters for checked rows."""
        gamma = (
            float(self.gamma)
            if not isinstance(self.gamma, str)
            else median_gamma(X, self.kernel, weight=weight, seed=self.random_state)
        )
        shift = middle_of(X) if self.kernel == "rbf" else None
        params = self.kernel_params or {}
        return Kernel(self.kernel, gamma, self.degree, self.coef0, shift, params)

    def follows_from_labels(self, n_rows: int) -> bool:
        """Return whether ``products`` gives this map: not with landmarks."""
        return self.constraint == "orthonormal" or self._is_exact(n_rows)

    def products(self, X: Any, rows: Ints | None) -> Products:
        """Return the products for several label matrices, see :class:`BaseMap`."""
        fresh = clone(self)
        fresh._kernel = self.kernel_on(X)
        is_matrix = self.kernel == "precomputed"
        if self.constraint == "orthonormal":
            return KernelProducts(None if is_matrix else fresh._kernel, X, rows)
        K = fresh._gram(X)
        wanted = K.copy() if rows is None else K[rows]
        centered, n = centered_gram(K, None), len(K)
        ridge = fresh._ridge(np.trace(centered), np.sum(centered**2), n - 1, n)
        return WhitenedProducts(wanted, gram_solver(centered, ridge), ridge)

    def _changed_products(self, X: Any, Y: Floats, rows: Ints | None) -> ChangedLabels | None:
        """Return them if K is not in memory but its requested rows can be; otherwise None."""
        wanted = np.arange(X.shape[0]) if rows is None else rows
        is_plain = self.constraint == "orthonormal" and self.unlabeled_weight == 1
        fits = len(wanted) * X.shape[0] <= limits.LOO_KERNEL_ENTRIES
        if not (is_plain and fits) or self.kernel == "precomputed":
            return None
        return ChangedLabels(self.kernel_on(X), X, wanted, Y)

    def _most_directions(self, X: Any) -> int:
        return int(X.shape[1]) if self.kernel == "linear" else super()._most_directions(X)

    @property
    def spans_labels(self) -> bool:
        """Whether the map has all directions that the labels determine: C-1."""
        return self.n_components_ >= len(self.classes_) - 1

    @takes_chunks
    def transform(self, X: MatrixLike) -> Array:
        """Map rows to the representation, Z = K(X, X_fit) β, in blocks.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training rows or new rows; for ``kernel="precomputed"`` the matrix
            K(rows, training rows).

        Returns
        -------
        ndarray of shape (n_rows, n_components)
        """
        check_is_fitted(self)
        X = self.check_rows(X, reset=False)
        check_same_arrays(X, self.dual_coef_, "KernelSSRLPL.transform()")
        return self.represent(X)

    def represent(self, X: Any) -> Array:
        """Return the representation of checked rows, see :class:`BaseMap`."""
        if self.kernel == "precomputed":
            return X @ cast(self.dual_coef_, X.dtype)
        moves = self.far_rows == "nearest" and self.kernel == "rbf" and not hasattr(X, "tocsr")
        if moves:  # the search for the nearest rows is NumPy's
            known, coef = to_numpy(self.X_fit_), to_numpy(self.dual_coef_)
            return like(represent_far_rows(self._kernel, to_numpy(X), known, coef), X)
        return cross_product(self._kernel, X, self.X_fit_, self.dual_coef_)

    def _peak_bytes(self, size: ProblemSize, n_extra: int, whitened: bool) -> float:
        return kernel_bytes(self.kernel, size, n_extra, whitened)
