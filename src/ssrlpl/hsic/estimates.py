"""Estimates of the Hilbert-Schmidt independence criterion, and a test of independence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .._utils.progress import Progress
from .._utils.types import Floats, MatrixLike, VectorLike
from .._utils.validation import check_count
from . import dependence
from .centered_grams import EPS, NOT_FINITE, Gram
from .variables import check_name, check_rows, check_test, read_grams

_ORDER_BYTES = 1 << 25
"""Bytes of permutations that are drawn at a time."""


@dataclass(frozen=True, repr=False)
class HSICTestResult:
    """Result of :func:`hsic_test`; prints as one line.

    Attributes
    ----------
    statistic : float
        HSIC of the rows as given, equal to :func:`hsic` of the same arguments.
    p_value : float
        Probability of such a statistic, or a larger one, if X and Y are independent.
    method : str
        "permutation" or "gamma".
    n_permutations : int
        Number of permutations; 0 for the gamma approximation.
    estimator : str
        "biased" or "unbiased".
    n_samples : int
        Number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl import hsic_test
    >>> result = hsic_test(np.arange(40.0), np.arange(40) // 20, n_permutations=99)
    >>> result.p_value
    0.01
    """

    statistic: float
    p_value: float
    method: str
    n_permutations: int
    estimator: str
    n_samples: int

    def __str__(self) -> str:
        how = (
            f"{self.n_permutations} permutations" if self.n_permutations else "gamma approximation"
        )
        return (
            f"HSIC ({self.estimator}) = {self.statistic:.4g}, p = {self.p_value:.3g}"
            f" ({how}, n = {self.n_samples})"
        )

    __repr__ = __str__


def hsic(
    X: MatrixLike,
    Y: MatrixLike | VectorLike,
    *,
    kernel: str | Callable[..., Any] = "rbf",
    kernel_y: str | Callable[..., Any] | None = None,
    estimator: str = "biased",
    gamma: str | float = "median",
    gamma_y: str | float = "median",
    degree: float = 3,
    coef0: float = 1.0,
    kernel_params: Mapping[str, Any] | None = None,
    random_state: Any = 0,
    verbose: bool = False,
) -> float:
    r"""Return an estimate of the dependence of X and Y (HSIC), which is 0 under independence.

    .. math::

        \text{biased:} \quad \frac{1}{(n-1)^2} \operatorname{tr}(K H L H)
        \qquad \text{(eq. 2 of the paper)}

    .. math::

        \text{unbiased:} \quad \frac{1}{n(n-3)} \left[ \operatorname{tr}(\tilde K \tilde L)
        + \frac{1^\top \tilde K 1 \; 1^\top \tilde L 1}{(n-1)(n-2)}
        - \frac{2}{n-2} 1^\top \tilde K \tilde L 1 \right]

    where K and L are the kernel matrices of X and Y, H = I - 11ᵀ/n, and a tilde means that the
    diagonal is set to zero. No n×n matrix is stored.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows; a one-dimensional X is one column. For ``kernel="precomputed"`` K itself.
    Y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Labels of any type, one for each row (-1 is a normal label here), or a table of numbers.
        For ``kernel_y="precomputed"`` L itself.
    kernel : str or callable, default="rbf"
        "rbf", "laplacian", "polynomial", "linear", "cosine", "precomputed", or a function of two
        matrices of rows that returns their kernel matrix (which must be symmetric).
    kernel_y : str or callable, optional
        The same for Y, or "delta", which is 1 for equal labels and 0 for others. By default
        "delta" for a one-dimensional Y and "linear" for a table.
    estimator : {"biased", "unbiased"}, default="biased"
        The biased estimate is never negative and exceeds HSIC by a term of order 1/n; the
        unbiased one has no such term and can be negative.
    gamma, gamma_y : "median" or float, default="median"
        Parameter of the rbf, laplacian and polynomial kernels of X and of Y; for rbf
        γ = 1/(2σ²). "median" is the median heuristic on a seeded sample of the rows. A number
        with another kernel is an error.
    degree : float, default=3
        Degree of polynomial kernels.
    coef0 : float, default=1
        Constant of polynomial kernels.
    kernel_params : dict, optional
        Keyword arguments for a callable ``kernel``. (Give those of a callable ``kernel_y`` with
        functools.partial.)
    random_state : int or RandomState, default=0
        Draws the sample for the median heuristic.
    verbose : bool, default=False
        Show a progress bar if it takes longer than two seconds.

    Returns
    -------
    float

    Notes
    -----
    The cost is that of half the blocks of K and L. A kernel with a factor of few columns (delta of
    few classes, linear and cosine of few columns) is never formed; if both have one, the cost is
    linear in n. Sums are computed in float64 for every type of X.

    References
    ----------
    Gretton, Bousquet, Smola, Schölkopf (2005), Measuring statistical dependence with
    Hilbert-Schmidt norms. Song, Smola, Gretton, Bedo, Borgwardt (2012), Feature selection via
    dependence maximization.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ssrlpl.hsic import hsic
    >>> X, y = load_iris(return_X_y=True)
    >>> round(hsic(X, y), 3)
    0.11
    >>> round(hsic(X[:, :2], X[:, 2:], kernel_y="rbf", estimator="unbiased"), 3)
    0.062
    """
    check_name("estimator", estimator, ("biased", "unbiased"))
    check_rows(X, Y, estimator)
    given = (kernel, kernel_y), (gamma, gamma_y), degree, coef0, kernel_params
    K, L = read_grams(X, Y, *given, check_random_state(random_state))
    with Progress("HSIC", K.n_rows**2, verbose=verbose) as progress:
        return _observe(K, L, estimator, progress)


def hsic_test(
    X: MatrixLike,
    Y: MatrixLike | VectorLike,
    *,
    kernel: str | Callable[..., Any] = "rbf",
    kernel_y: str | Callable[..., Any] | None = None,
    estimator: str = "biased",
    method: str = "permutation",
    n_permutations: int = 999,
    gamma: str | float = "median",
    gamma_y: str | float = "median",
    degree: float = 3,
    coef0: float = 1.0,
    kernel_params: Mapping[str, Any] | None = None,
    random_state: Any = 0,
    verbose: bool = False,
) -> HSICTestResult:
    r"""Test whether X and Y are independent.

    .. math::

        p = \frac{1 + \#\{b : \mathrm{HSIC}(X, Y_{\pi_b}) \ge \mathrm{HSIC}(X, Y)\}}{1 + B}

    with B random permutations π of the rows of Y. For independent rows this p-value is valid for
    every n. It is not valid for rows that depend on each other (time series, repeated
    measurements), nor for an X that was chosen with knowledge of Y: test a representation that
    was learned from labels on held-out rows.

    Parameters
    ----------
    X, Y, kernel, kernel_y, estimator, gamma, gamma_y, degree, coef0, kernel_params
        As in :func:`hsic`.
    method : {"permutation", "gamma"}, default="permutation"
        "gamma" computes the p-value from a gamma distribution with the mean and the variance that
        the biased statistic has under independence (Gretton et al. 2008): two passes over the
        kernels instead of B products. It is an approximation: use it for 100 rows or more, and do
        not rely on very small p-values.
    n_permutations : int, default=999
        B in the formula. The smallest p-value is 1/(1 + B).
    random_state : int or RandomState, default=0
        Draws the sample for the median heuristic and the permutations: the same seed gives the
        same result.
    verbose : bool, default=False
        Show a progress bar if it takes longer than two seconds.

    Returns
    -------
    HSICTestResult

    References
    ----------
    Gretton, Fukumizu, Teo, Song, Schölkopf, Smola (2008), A kernel statistical test of
    independence.

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl.hsic import hsic_test
    >>> x = np.linspace(-1, 1, 60)
    >>> hsic_test(x, x**2, kernel_y="rbf", n_permutations=199)  # dependent, not correlated
    HSIC (biased) = 0.0325, p = 0.005 (199 permutations, n = 60)
    >>> hsic_test(x, np.arange(60) % 2, method="gamma").p_value > 0.5
    True
    """
    check_name("estimator", estimator, ("biased", "unbiased"))
    check_test(method, estimator)
    check_rows(X, Y, estimator, method)
    count = check_count("n_permutations", n_permutations) if method == "permutation" else 0
    rng = check_random_state(random_state)
    given = (kernel, kernel_y), (gamma, gamma_y), degree, coef0, kernel_params
    K, L = read_grams(X, Y, *given, rng)
    with Progress("HSIC test", (count + 1) * K.n_rows**2, verbose=verbose) as progress:
        if method == "gamma":
            trace, p_value = dependence.gamma_tail(K, L, progress)
            statistic = _finite(trace / (K.n_rows - 1) ** 2)
        else:
            statistic, p_value = _permutation_test(K, L, estimator, count, rng, progress)
    return HSICTestResult(statistic, p_value, method, count, estimator, K.n_rows)


def _permutation_test(
    K: Gram, L: Gram, estimator: str, count: int, rng: np.random.RandomState, progress: Progress
) -> tuple[float, float]:
    observed = _observe(K, L, estimator, progress)
    # Permutations that would tie in exact arithmetic must count in spite of rounding errors.
    tie = 64 * EPS * K.scale * L.scale / (K.n_rows - 1) ** 2
    as_large, batch = 0, max(1, _ORDER_BYTES // (4 * K.n_rows))
    for start in range(0, count, batch):
        orders = np.empty((min(batch, count - start), K.n_rows), dtype=np.int32)
        for order in orders:
            order[:] = rng.permutation(K.n_rows)
        null = _estimate(K, L, estimator, orders, progress)
        as_large += int(np.count_nonzero(null >= observed - tie))
    return observed, (1 + as_large) / (1 + count)


def _observe(K: Gram, L: Gram, estimator: str, progress: Progress) -> float:
    as_given = np.arange(K.n_rows, dtype=np.int32)[None]
    return _finite(_estimate(K, L, estimator, as_given, progress)[0])


def _estimate(
    K: Gram, L: Gram, estimator: str, orders: NDArray[np.int32], progress: Progress
) -> Floats:
    traces = dependence.permuted_traces(K, L, orders, progress)
    if estimator == "biased":
        return dependence.biased_estimate(traces, K.n_rows)
    return dependence.unbiased_estimate(traces, K, L, orders)


def _finite(value: float) -> float:
    if not np.isfinite(value):
        raise ValueError(NOT_FINITE)
    return float(value)
