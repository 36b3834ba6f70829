"""Arrays of other libraries (torch, cupy) that may live on another device, by the array API.

As in scikit-learn, they are used as they are inside ``config_context(array_api_dispatch=True)``,
and converted to NumPy otherwise. Formulas call the functions of :func:`namespace`, which for
NumPy arrays and sparse matrices is NumPy itself, so that nothing changes for these.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config

from .types import Ints
from .user_warnings import warn_user


def is_foreign(X: Any) -> bool:
    """Tell whether X is an array of another library than NumPy."""
    is_array = hasattr(X, "__dlpack__") and hasattr(X, "device")
    return is_array and not isinstance(X, np.ndarray | np.generic)


def stays_foreign(X: Any) -> bool:
    """Tell whether the user asked to compute in the library of X."""
    return is_foreign(X) and bool(get_config()["array_api_dispatch"])


def namespace(X: Any) -> Any:
    """Return the module with the functions for X: NumPy, or that of the array API."""
    if not is_foreign(X):
        return np
    try:
        from array_api_compat import array_namespace
    except ImportError as error:
        raise ImportError(
            "array_api_dispatch=True needs the package array-api-compat for arrays of"
            f" {type(X).__module__}: install ssrlpl[arrays], or convert X to NumPy."
        ) from error
    return array_namespace(X)


def float_types(X: Any) -> list[Any]:
    """Return float64, if the device of an array of another library has it, and float32."""
    info = namespace(X).__array_namespace_info__()
    has = info.dtypes(device=X.device, kind="real floating")
    return [has[name] for name in ("float64", "float32") if name in has]


def widest_float(X: Any) -> Any:
    """Return the type in which sums over the rows of X are kept: float64 if the device has it."""
    return float_types(X)[0] if is_foreign(X) else np.float64


def itemsize(X: Any) -> int:
    """Return the bytes of a number of X."""
    return namespace(X).finfo(X.dtype).bits // 8 if is_foreign(X) else X.dtype.itemsize


def cast(X: Any, dtype: Any) -> Any:
    """Return X with another type of numbers, without a copy if it has that type already."""
    if is_foreign(X):
        return namespace(X).astype(X, dtype, copy=False)
    return X.astype(dtype, copy=False)


def like(values: Any, X: Any) -> Any:
    """Return numbers of NumPy as an array of the library and on the device of X.

    Texts stay in NumPy: the other libraries have no arrays of text.
    """
    if not is_foreign(X) or is_foreign(values) or values.dtype.kind not in "biuf":
        return values
    if values.dtype == np.float64:
        values = values.astype(str(widest_float(X)).rpartition(".")[2], copy=False)
    return namespace(X).asarray(values.copy(), device=X.device)  # torch would share the memory


def to_numpy(X: Any) -> Any:
    """Return an array of another library as one of NumPy, and everything else as it is."""
    if not is_foreign(X):
        return X
    try:
        return np.from_dlpack(X, device="cpu")
    # NumPy before 2.1 and torch before 2.9 know no argument for a device; the other two errors are
    # those with which the array API lets a library refuse. Its own conversion names the cure.
    except (TypeError, NotImplementedError, BufferError):
        return np.asarray(X)


def in_numpy(X: Any) -> Any:
    """Return rows for a computation that NumPy alone can do, with a warning if they are moved."""
    if not stays_foreign(X):
        return X
    warn_user(
        "Neighbors, graphs and leave-one-out are computed in NumPy: rows of"
        f" {type(X).__module__} on device {X.device} are copied to main memory for them."
    )
    return to_numpy(X)


def take_rows(X: Any, rows: Ints) -> Any:
    """Return some rows of X, by number."""
    return namespace(X).take(X, like(rows, X), axis=0) if is_foreign(X) else X[rows]


def check_same_arrays(X: Any, fitted: Any, where: str) -> None:
    """Refuse rows of another library or device than the arrays of a fitted estimator."""
    ours, theirs = (namespace(A).__name__ for A in (fitted, X))
    if is_foreign(fitted) and ours == theirs:
        ours, theirs = str(fitted.device), str(X.device)
    if ours != theirs:
        raise ValueError(
            f"{where} must use the same namespace and the same device as fit. Got {theirs} after a"
            f" fit with {ours}: convert the rows, or fit again; arrays other than NumPy's are used"
            " only inside sklearn.config_context(array_api_dispatch=True)."
        )
