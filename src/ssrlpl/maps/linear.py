"""SSRL-PL with a linear map."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_array, check_is_fitted

from .._core.blocks import dense_product
from .._core.completion import complete_linear
from .._core.loo_maps import LinearProducts, Products
from .._core.moments import CrossMoment, RowSums, cross_moment, row_moments, scatter_product
from .._core.shared import SharedRows
from .._core.spectrum import fix_signs, left_singular
from .._core.whitening import scatter_solver, trace_and_squared_norm, whitened_directions
from .._utils import limits
from .._utils.arrays import cast, check_same_arrays, in_numpy, is_foreign, like, namespace, to_numpy
from .._utils.chunked import takes_chunks
from .._utils.printing import Table
from .._utils.progress import Progress
from .._utils.types import Array, Floats, Ints, MatrixLike, VectorLike
from .._utils.validation import check_weights, row_types
from .._utils.whole_fits import whole_or_not
from ..labelers._base import predict_label_vectors
from ..labels import PartialLabels, decode_more, encode_labels
from ._base import BaseMap, LabeledRows, Sample
from .memory import ProblemSize, linear_bytes


class SSRLPL(BaseMap):
    r"""Linear map of largest dependence (HSIC) on labels of which only a few are known.

    .. math::

        \max_V \; f_X(V, Y) = \frac{1}{(n-1)^2}
        \operatorname{tr}(V^\top X^\top H Y Y^\top H X V)
        \quad \text{subject to} \quad V^\top V = I

    where Y holds a one-hot vector for each labeled row and a vector of probabilities for each
    unlabeled one. The columns of V are the leading left singular vectors of the d×C matrix
    :math:`X^\top H Y`; no matrix of size n×n or d×d is formed.

    Parameters
    ----------
    n_components : int, optional
        Dimensions of the representation, by default the number of classes minus one: the labels
        do not determine more. Further ones are the directions of largest variance in the
        orthogonal complement (the paper does not specify them).
    labeler : labeler or classifier, optional
        Computes the label vectors of the unlabeled rows: an object with ``label_distributions_``
        after ``fit(X, y)``, or a classifier with ``predict_proba``. By default
        :class:`KNNLabeler`, as in the paper.
    constraint : {"orthonormal", "whitened"}, default="orthonormal"
        VᵀV = I, as in the paper, or Vᵀ(Σ + ρI)V = I with Σ the scatter of all rows: directions
        in which all rows vary little then get more weight, as in discriminant analysis. At most
        C-1 components.
    rho : "auto" or float, default="auto"
        ρ of the whitened constraint, as a share of the total scatter; "auto" uses the closed
        form of Chen et al. (2010, oracle approximating shrinkage).
    unlabeled_weight : float, default=1
        Weight of an unlabeled row relative to a labeled one in the dependence on the labels, in
        [0, 1]. 1 is the paper's method, 0 uses the labeled rows only (Σ still has all rows).
    relabel_rounds : int, default=0
        How often the rows are labeled again, by their neighbors in the representation, and the
        map is fitted again.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows (unless whitened); the largest entry of each is positive.
    singular_values_ : ndarray of shape (n_components,)
        Singular values of XᵀHY (whitened: of (Σ + ρI)^(-1/2) XᵀHY); zero for components that
        the labels do not determine.
    objective_ : float
        f_X at the solution: the sum of the squared singular values, divided by (n-1)².
    rho_ : float
        The share that was used (only if whitened).
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Label vectors of the training rows.
    transduction_ : ndarray of shape (n_samples,)
        Most probable label of each training row.
    labeler_ : object
        The fitted labeler; it uses the classes as integers 0..C-1.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
    n_components_ : int
        Dimensions of the representation.
    n_samples_seen_ : float
        Rows seen, repetitions by ``sample_weight`` included.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    ``transform`` does not center rows (as in the paper, and so that a sparse X stays sparse).
    Columns with different scales should be scaled first, as for PCA. Rows of torch or cupy stay on
    their device inside ``sklearn.config_context(array_api_dispatch=True)``, see ``docs/arrays.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from ssrlpl import SSRLPL
    >>> X, y = load_iris(return_X_y=True)
    >>> y[np.arange(150) % 10 != 0] = -1  # keep 15 labels of 150
    >>> ssrlpl = SSRLPL().fit(X, y)
    >>> ssrlpl.transform(X).shape
    (150, 2)
    >>> ssrlpl.label_distributions_.shape
    (150, 3)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        labeler: Any = None,
        constraint: str = "orthonormal",
        rho: str | float = "auto",
        unlabeled_weight: float = 1.0,
        relabel_rounds: int = 0,
        unlabeled: Any = "auto",
    ):
        self.n_components = n_components
        self.labeler = labeler
        self.constraint = constraint
        self.rho = rho
        self.unlabeled_weight = unlabeled_weight
        self.relabel_rounds = relabel_rounds
        self.unlabeled = unlabeled

    @whole_or_not
    @takes_chunks
    def fit(self, X: MatrixLike, y: VectorLike, sample_weight: VectorLike | None = None) -> SSRLPL:
        """Label the unlabeled rows and compute the map.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All rows, labeled and unlabeled.
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

    def fit_checked(
        self,
        X: Any,
        target: PartialLabels,
        sample_weight: Floats | None = None,
        shared: SharedRows | None = None,
    ) -> None:
        """Fit to checked rows, see :class:`BaseMap`."""
        self._check_parameters()
        self.n_features_in_ = X.shape[1]
        self.n_components_ = self._count_components(len(target.classes), X.shape[1])
        with Progress("rounds", 2 + 2 * self.relabel_rounds, inside=1) as progress:
            rows = self._label(X, target, sample_weight, shared)
            progress.advance()
            self._fit_map(X, rows)
            self.limits_hit_ = limits.hit(self.labeler_)
            for _ in range(self.relabel_rounds):
                rows = self._relabel(self.represent(X), target, sample_weight)
                progress.advance()
                self._fit_map(X, rows)

    def _fit_map(self, X: Any, table: LabeledRows) -> None:
        self._moment = cross_moment(X, table.Y, table.weight)
        self._spread = self._chunk_spread(X, table)
        mean = self._moment.mean_x
        self._solve(X.dtype, lambda V: scatter_product(X, mean, table.weight, V))

    @whole_or_not
    def partial_fit(
        self,
        X: MatrixLike,
        y: VectorLike | None = None,
        classes: VectorLike | None = None,
        sample_weight: VectorLike | None = None,
    ) -> SSRLPL:
        """Update the fit with another chunk of rows.

        The result equals that of ``fit`` on all chunks together, up to rounding, if every labeled
        row is in the first chunk and the labeler depends on labeled rows only (as
        :class:`KNNLabeler` and classifiers do). A label in a later chunk is used for its own row
        but does not vote for others, so move the labeled rows to the first chunk if you can;
        otherwise the order of the rows does not matter. (If labels determine fewer than C-1
        components, because classes have the same mean, the missing ones are arbitrary unless
        ``n_components`` is at least C.)

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows of the chunk.
        y : array-like of shape (n_rows,), optional
            Their labels; after the first chunk, None means that all rows are unlabeled.
        classes : array-like, optional
            All classes, needed in the first call if its rows do not have labels of every class
            (they must have labels of at least two).
        sample_weight : array-like of shape (n_rows,), optional
            How often each row counts.

        Returns
        -------
        self
            ``label_distributions_`` and ``transduction_`` are those of this chunk.
        """
        if self.relabel_rounds:
            raise ValueError(
                "partial_fit cannot label rows again that it no longer has. Got"
                f" relabel_rounds={self.relabel_rounds}: set it to 0, or use fit."
            )
        if not hasattr(self, "_moment"):
            return self._first_chunk(X, y, classes, sample_weight)
        X = self.check_rows(X, reset=False)
        check_same_arrays(X, self.components_, "SSRLPL.partial_fit()")
        weight = check_weights(sample_weight, X, total_above=-1)
        target = decode_more(y, self.classes_, unlabeled=self.unlabeled, n_samples=X.shape[0])
        Y = predict_label_vectors(self.labeler_, in_numpy(X), target)
        Y[target.is_labeled] = target.one_hot(Y.dtype)
        if self._needs_scatter() and self._moment.scatter is None:
            raise ValueError(
                f"partial_fit cannot continue after fit with n_components={self.n_components_} and"
                f" {len(self.classes_)} classes: begin with partial_fit, or set n_components to"
                f" {len(self.classes_) - 1} or less."
            )
        seen = RowSums(self._moment, self._spread)
        chunk = self.chunk_sums(X, self._weighted(X, Y, target, weight))
        self.solve_sums(seen.merge(chunk), X.dtype)
        return self

    def _first_chunk(
        self, X: Any, y: Any, classes: VectorLike | None, sample_weight: VectorLike | None
    ) -> SSRLPL:
        X, target, weight = self._read(X, y, sample_weight)
        if classes is not None:
            named = encode_labels(classes, unlabeled=self.unlabeled)  # removes a marker
            target = target.with_classes(named.classes)
        self.start_chunks(X.shape[1], target.classes)
        table = self._label(X, target, weight)
        self.limits_hit_ = limits.hit(self.labeler_)
        self.solve_sums(self.chunk_sums(X, table), X.dtype)
        return self

    def start_chunks(self, n_features: int, classes: Array, _: Sample = None) -> None:
        """Settle sizes, see :class:`BaseMap`; no sample is needed."""
        self._check_parameters()
        self.classes_, self.n_features_in_ = classes, n_features
        self.n_components_ = self._count_components(len(classes), n_features)

    def chunk_sums(self, X: Any, table: LabeledRows) -> RowSums:
        """Return the moments of a chunk, see :class:`BaseMap`."""
        moment = None
        if table.total_weight > 0:  # zero if unlabeled_weight=0 and the chunk has no labels
            moment = cross_moment(X, table.Y, table.weight, scatter=self._needs_scatter())
        return RowSums(moment, self._chunk_spread(X, table))

    def solve_sums(self, sums: RowSums, dtype: Any) -> None:
        """Compute the map from the moments of all chunks, see :class:`BaseMap`."""
        assert sums.moment is not None
        self._moment, self._spread = sums.moment, sums.spread
        scatter = sums.moment.scatter
        self._solve(
            dtype,
            lambda V: np.zeros_like(V) if scatter is None else to_numpy(scatter @ like(V, scatter)),
        )

    def _needs_scatter(self) -> bool:
        """Return whether the d×d scatter is needed: only for more components than labels give."""
        return self.n_components_ > len(self.classes_) - 1

    def _chunk_spread(self, X: Any, table: LabeledRows) -> CrossMoment | None:
        """Return the moments of all rows if they are not part of the cross-moment."""
        if self.constraint == "whitened":
            return self._row_moments(X, table.row_weight)
        if table.weight is table.row_weight:
            return None
        return cross_moment(X, np.zeros((X.shape[0], 1)), table.row_weight)

    def _row_moments(self, X: Any, weight: Floats | None) -> CrossMoment:
        if X.shape[1] > limits.WHITENED_COLUMNS:
            raise ValueError(
                f"constraint='whitened' needs a matrix of n_features x n_features. Got {X.shape[1]}"
                f" features, more than {limits.WHITENED_COLUMNS}: use"
                " KernelSSRLPL(kernel='linear', constraint='whitened'), or reduce the columns with"
                " TruncatedSVD first."
            )
        return row_moments(X, weight)

    def follows_from_labels(self, n_rows: int) -> bool:  # noqa: ARG002
        """Return whether ``products`` gives this map: always."""
        return True

    def products(self, X: Any, rows: Ints | None) -> Products:
        """Return the products for several label matrices, see :class:`BaseMap`."""
        if self.constraint == "orthonormal":
            return LinearProducts(X, rows)
        S = self._row_moments(X, None).scatter
        assert S is not None
        ridge = clone(self)._ridge(*trace_and_squared_norm(S), len(S), X.shape[0])
        return LinearProducts(X, rows, scatter_solver(S, ridge))

    def _most_directions(self, X: Any) -> int:
        return int(X.shape[1])

    @property
    def spans_labels(self) -> bool:
        """Whether the map has all directions that the labels determine: min(C-1, n_features)."""
        return self.n_components_ >= min(len(self.classes_) - 1, self.n_features_in_)

    def _count_components(self, n_classes: int, n_features: int) -> int:
        self._check_whitened_components(n_classes)
        if self.n_components is None:
            return min(n_classes - 1, n_features)
        if self.n_components > n_features:
            raise ValueError(
                f"n_components must be an int in [1, n_features]. Got {self.n_components} with"
                f" {n_features} features: a linear map cannot have more components."
            )
        return int(self.n_components)

    def _solve(self, dtype: Any, scatter: Any) -> None:
        """Compute the map from the moments of the rows seen so far."""
        is_whitened = self.constraint == "whitened"
        V, s = self._whitened(dtype) if is_whitened else self._orthonormal(dtype, scatter)
        self._drop_unused_rho()
        p, moment = self.n_components_, self._moment
        all_rows = moment if self._spread is None else self._spread
        self.components_ = cast(V.T if is_foreign(V) else np.ascontiguousarray(V.T), dtype)
        self.singular_values_ = like(np.pad(to_numpy(s), (0, p - s.shape[0])), s)
        self.objective_ = float(namespace(s).sum(s**2) / (moment.weight - 1) ** 2)
        self.mean_ = cast(all_rows.mean_x, dtype)
        self.n_samples_seen_ = all_rows.weight

    def _orthonormal(self, dtype: Any, scatter: Any) -> tuple[Array, Array]:
        """Return the singular vectors of XᵀHY, with more directions if ``n_components`` asks."""
        moment, p = self._moment, self.n_components_
        eps = namespace(moment.cross).finfo(dtype).eps
        # Rounding error of the sum of n rows in XᵀHY, each of about the size of the mean row.
        noise = eps * moment.weight * np.linalg.norm(to_numpy(moment.mean_x))
        U, s = left_singular(moment.cross, noise, eps)
        known = min(p, s.shape[0])
        U, s = U[:, :known], s[:known]
        if known < p:  # in NumPy, except for the passes over the rows
            found = to_numpy(U)
            added = complete_linear(found, p - known, scatter, tol=np.sqrt(eps))
            U = like(np.hstack([found, added]), U)
        return U, s

    def _whitened(self, dtype: Any) -> tuple[Array, Array]:
        """Return the directions of :mod:`ssrlpl._core.whitening` and their singular values."""
        assert self._spread is not None
        S, M, p = self._spread.scatter, self._moment.cross, self.n_components_
        assert S is not None
        ridge = self._ridge(*trace_and_squared_norm(S), S.shape[0], self._spread.weight)
        eps = namespace(S).finfo(dtype).eps
        V, values = whitened_directions(scatter_solver(S, ridge), M, eps)
        known = min(p, values.shape[0])
        V, values = V[:, :known], values[:known]
        padded = np.pad(to_numpy(V * fix_signs(V)), ((0, 0), (0, p - known)))
        return like(padded, V), namespace(S).sqrt(values)

    @takes_chunks
    def transform(self, X: MatrixLike) -> Array:
        """Map rows to the representation, Z = XV.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training rows or new rows.

        Returns
        -------
        ndarray of shape (n_rows, n_components)
        """
        check_is_fitted(self)
        X = self.check_rows(X, reset=False)
        check_same_arrays(X, self.components_, "SSRLPL.transform()")
        return self.represent(X)

    def represent(self, X: Any) -> Array:
        """Return the representation of checked rows, see :class:`BaseMap`."""
        return dense_product(X, cast(self.components_, X.dtype).T)

    def inverse_transform(self, Z: MatrixLike) -> Array:
        """Return for each z the row that maps to z and is nearest to the training mean.

        Parameters
        ----------
        Z : array-like of shape (n_rows, n_components)
            Representations.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
        """
        check_is_fitted(self)
        Z = check_array(Z, dtype=row_types(Z))
        check_same_arrays(Z, self.components_, "SSRLPL.inverse_transform()")
        if Z.shape[1] != self.n_components_:
            raise ValueError(
                f"Z must have {self.n_components_} columns, as transform returns them."
                f" Got {Z.shape[1]}."
            )
        V = cast(self.components_, Z.dtype)
        # For orthonormal components the pseudoinverse is the transpose.
        back = namespace(V).linalg.pinv(V).T if self.constraint == "whitened" else V
        mean = cast(self.mean_, Z.dtype) if is_foreign(Z) else self.mean_
        return mean + (Z - V @ mean) @ back

    def feature_loadings(self, n_features: int = 5) -> Table:
        """Return the input features with the largest weights in each component.

        Parameters
        ----------
        n_features : int, default=5
            Features listed for each component, strongest first.

        Returns
        -------
        Table
            Columns component, feature, loading (its weight in the component) and share (of the
            squared weights; for orthonormal components the share of the singular value that the
            feature contributes). The shares of a component sum to one over all features.
            ``to_frame()`` gives a DataFrame.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{j}" for j in range(self.n_features_in_)]
        rows = []
        components = to_numpy(self.components_)
        for label, v in zip(self.get_feature_names_out(), components, strict=True):
            shares = v**2 / max(np.sum(v**2), np.finfo(v.dtype).tiny)
            for j in np.argsort(-np.abs(v), kind="stable")[:n_features]:
                rows.append((str(label), str(names[j]), float(v[j]), float(shares[j])))
        return Table(("component", "feature", "loading", "share"), tuple(rows))

    def _peak_bytes(self, size: ProblemSize, n_extra: int, whitened: bool) -> float:
        return linear_bytes(size, n_extra, whitened)
