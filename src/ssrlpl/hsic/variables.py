"""Checks of the arguments of :func:`ssrlpl.hsic.hsic`, and the two kernel matrices for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array

from .._core.bandwidth import WITH_GAMMA, median_gamma
from .._core.blocks import is_symmetric, middle_of
from .._core.kernels import KERNELS, Kernel
from .._utils.types import Floats, Ints
from .._utils.validation import check_choice, check_gamma, without_mask
from ..labels import encode_labels
from .centered_grams import FactorGram, Gram, StreamedGram, label_gram, matrix_gram, table_gram


class Side(NamedTuple):
    """The kernel and its parameters for one of the two variables."""

    name: str
    kernel: str | Callable[..., Any]
    gamma: str | float
    degree: float
    coef0: float
    params: Mapping[str, Any]

    def parameter(self, name: str) -> str:
        """Return the name of a parameter of this side in the signature of ``hsic``."""
        return name if self.name == "X" else f"{name}_y"


def read_grams(
    X: Any,
    Y: Any,
    kernels: tuple[Any, Any],
    gammas: tuple[str | float, str | float],
    degree: float,
    coef0: float,
    params: Mapping[str, Any] | None,
    rng: np.random.RandomState,
) -> tuple[Gram, Gram]:
    """Return the two kernel matrices; if only one of them is a factor, it comes second."""
    by_default = "delta" if np.ndim(Y) == 1 else "linear"
    kernel_y = by_default if kernels[1] is None else kernels[1]
    x = Side("X", kernels[0], gammas[0], degree, coef0, params or {})
    y = Side("Y", kernel_y, gammas[1], degree, coef0, {})
    _check_side(x, (*KERNELS, "precomputed"))
    _check_side(y, (*KERNELS, "precomputed", "delta"))
    K = _read_gram(X, x, rng)
    L = label_gram(_read_codes(Y)) if y.kernel == "delta" else _read_gram(Y, y, rng)
    swap = isinstance(K, FactorGram) and isinstance(L, StreamedGram)
    return (L, K) if swap else (K, L)


def check_name(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Accept one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        listed = " or ".join(f'"{choice}"' for choice in choices)
        raise ValueError(f"{name} must be {listed}. Got {value!r}: pass one of these names.")


def check_test(method: Any, estimator: str) -> None:
    """Accept a test method that is defined for the estimator."""
    check_name("method", method, ("permutation", "gamma"))
    if method == "gamma" and estimator == "unbiased":
        raise ValueError(
            'estimator must be "biased" for method="gamma", which approximates the biased'
            ' statistic. Got "unbiased": pass method="permutation", or estimator="biased".'
        )


def check_rows(X: Any, Y: Any, estimator: str, method: str = "permutation") -> None:
    """Raise if lengths differ, or if there are fewer rows than the formulas need."""
    n, n_y = _count_rows("X", X), _count_rows("Y", Y)
    if n != n_y:
        raise ValueError(
            f"X and Y must have the same length. Got {n} rows in X and {n_y} in Y: pass one entry"
            " of Y for each row of X."
        )
    if n < 2:
        needed, cure = "at least 2 rows", "dependence shows in how rows differ, pass more of them"
    elif estimator == "unbiased" and n < 4:
        needed, cure = 'at least 4 rows for estimator="unbiased"', 'pass estimator="biased"'
    elif method == "gamma" and n < 6:
        needed, cure = 'at least 6 rows for method="gamma"', 'pass method="permutation"'
    else:
        return
    raise ValueError(f"X must have {needed}. Got {n}: {cure}.")


def _count_rows(name: str, values: Any) -> int:
    if np.ndim(values) == 0:
        raise ValueError(
            f"{name} must hold one entry for each row. Got {values!r}: pass an array, a table or a"
            " list."
        )
    return int(values.shape[0]) if hasattr(values, "shape") else len(values)


def _check_side(side: Side, kernels: tuple[str, ...]) -> None:
    kernel, gamma = side.parameter("kernel"), side.parameter("gamma")
    check_choice(kernel, side.kernel, kernels)
    check_gamma(side.gamma, gamma)
    if not isinstance(side.gamma, str) and side.kernel not in WITH_GAMMA:
        raise ValueError(
            f"{gamma} is for the rbf, laplacian and polynomial kernels. Got {gamma}={side.gamma!r}"
            f' with {kernel}={side.kernel!r}: pass {kernel}="rbf", or leave {gamma} out.'
        )


def _read_gram(values: Any, side: Side, rng: np.random.RandomState) -> Gram:
    table = _read_table(values, side.name)
    if side.kernel == "precomputed":
        _check_kernel_matrix(table, side)
        return matrix_gram(table)
    given = not isinstance(side.gamma, str)
    gamma = float(side.gamma) if given else median_gamma(table, side.kernel, seed=rng)
    shift = middle_of(table) if side.kernel == "rbf" else None
    return table_gram(
        table, Kernel(side.kernel, gamma, side.degree, side.coef0, shift, side.params)
    )


def _read_table(values: Any, name: str) -> Any:
    values = without_mask(values)
    if np.ndim(values) == 1:
        values = np.asarray(values).reshape(-1, 1)
    try:
        table = check_array(
            values, accept_sparse="csr", dtype=[np.float64, np.float32],
            ensure_all_finite=False, ensure_min_samples=0,
        )  # fmt: skip
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must be a table of numbers. Got values that do not make one ({error}):"
            " encode text as numbers, or pass labels as a one-dimensional Y."
        ) from error
    finite = np.isfinite(table.data if hasattr(table, "tocsr") else table)
    if not finite.all():
        raise ValueError(
            f"{name} must hold finite numbers. Got {np.count_nonzero(~finite)} entries that are"
            " NaN or infinite: drop those rows, or fill them in with sklearn.impute.SimpleImputer."
        )
    return table


def _check_kernel_matrix(K: Any, side: Side) -> None:
    kernel = side.parameter("kernel")
    what = f'{side.name} must be a square, symmetric, dense matrix for {kernel}="precomputed"'
    if hasattr(K, "tocsr"):
        raise ValueError(f"{what}. Got a sparse one: pass {side.name}.toarray().")
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"{what}. Got shape {K.shape}: pass the kernel of all rows with all rows.")
    if not is_symmetric(K):
        raise ValueError(f"{what}. Got one that is not symmetric: pass (K + K.T) / 2.")


def _read_codes(Y: Any) -> Ints:
    """Return the position of each label among the sorted classes."""
    numbers = _floats(Y)
    if np.isinf(numbers).any():
        raise ValueError(
            f"Y must hold finite numbers. Got {np.count_nonzero(np.isinf(numbers))} infinite: drop"
            " these rows from X and Y."
        )
    if np.any(numbers[np.isfinite(numbers)] % 1):
        raise ValueError(
            'Y must hold labels for kernel_y="delta" (the default for a one-dimensional Y). Got'
            ' numbers with fractions: for continuous values pass kernel_y="rbf".'
        )
    target = encode_labels(
        np.ravel(Y) if np.shape(Y)[1:] == (1,) else Y, unlabeled=None, min_classes=0
    )
    empty = len(target.codes) - target.n_labeled
    if empty:
        raise ValueError(
            f"Y must hold a label for every row. Got {empty} empty (None, NaN or ''): drop these"
            " rows from X and Y."
        )
    return target.codes


def _floats(Y: Any) -> Floats:
    """Return those entries that are floats."""
    values = np.asarray(Y)
    if values.dtype.kind == "O":
        values = np.array([v for v in values.ravel() if isinstance(v, float)], dtype=np.float64)
    return values if values.dtype.kind == "f" else np.empty(0)
