"""Checks of arguments that several estimators share, with error messages of one form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight, validate_data

from .arrays import float_types, in_numpy, stays_foreign, to_numpy
from .quiet_learners import quiet_learners
from .types import Array, Floats

DTYPES = [np.float64, np.float32]
"""Types of rows that are taken as they are; others become float64."""

_MAGNITUDES = {np.float64: (1e-140, 1e74), np.float32: (1e-18, 2e18)}
"""What scatters and kernels can be computed of: squares above zero, and finite fourth powers in
float64 (of shrunk covariances) or squares in float32."""


_SQUARED = {np.float64: (1e-150, 1e150), np.float32: (1e-18, 2e18)}
"""What distances can be computed of: squares that are finite, and above zero."""


def row_types(X: Any) -> list[Any]:
    """Return DTYPES, or their names in the library of X where it is used as it is."""
    return float_types(X) if stays_foreign(X) else DTYPES


_NO_NUMBERS = ("could not convert string", "must be a string or a real number", "be promoted by")
"""What Python and NumPy say of texts, of objects such as dates, and of columns of dates."""


def check_table(estimator: Any, X: Any, **options: Any) -> Any:
    """Return rows as ``validate_data`` does; where gaps or texts are in the way, name the cure."""
    name = type(estimator).__name__
    if hasattr(X, "chunk_parts"):
        raise TypeError(f"{name} takes rows in memory. Got rows in chunks: pass X.compute().")
    X = without_mask(X)
    where = f"before {name} in a pipeline"
    with curing(where), np.errstate(invalid="ignore"):  # sums of numbers near 1e308 are no numbers
        return validate_data(estimator, X, **options)


def without_mask(X: Any) -> Any:
    """Return rows with NaN where they are masked, or the numbers under the mask would be used."""
    return X.astype(np.float64).filled(np.nan) if np.ma.is_masked(X) else X


@contextmanager
def curing(where: str) -> Iterator[None]:
    """Say what to do, and where, if scikit-learn refuses rows with gaps or texts."""
    try:
        yield
        return
    except (ValueError, TypeError) as error:
        reason = str(error)
        kind: type[Exception] = ValueError
        if "contains NaN" in reason or "NAType" in reason:  # pd.NA among objects
            found, cure = "Input X contains NaN", "fill in the gaps"
        elif "contains infinity" in reason:
            found, cure = reason.rstrip("."), "make it NaN and fill in the gaps"
        elif any(words in reason for words in _NO_NUMBERS):
            short = reason.partition(". ")[0].rstrip(".")
            found, cure = (
                f"X must hold numbers: {short}",
                "make numbers of texts, categories, dates",
            )
            kind = TypeError if isinstance(error, TypeError) else ValueError  # scikit-learn's rule
        else:
            raise
        # scikit-learn's advice is another classifier, or, for texts, nothing.
    raise kind(f"{found}: {cure} by a ssrlpl.TableTransformer {where}.")


def names_were_checked(part: Any, X: Any) -> AbstractContextManager[None]:
    """Silence a part of an estimator about column names: the estimator warns about them itself."""
    agree = hasattr(part, "feature_names_in_") == hasattr(X, "columns")
    return nullcontext() if agree else quiet_learners


def check_magnitude(X: Any, *, only_squared: bool = False) -> None:
    """Refuse rows whose numbers are so large or so small that powers of them are not numbers.

    ``only_squared``: no power above the second is needed.
    """
    values = X.data if hasattr(X, "tocsr") else X
    largest = max(float(values.max()), -float(values.min())) if values.size else 0.0
    low, high = (_SQUARED if only_squared else _MAGNITUDES)[values.dtype.type]
    if largest and not low <= largest <= high:
        raise ValueError(
            f"The largest number of X must be between {low:.0e} and {high:.0e}. Got {largest:.3g}:"
            " scale the columns, for example with StandardScaler."
        )


def check_numpy_rows(estimator: Any, X: Any, *, reset: bool, only_squared: bool = False) -> Any:
    """Return rows of a table as NumPy or CSR; ``fit`` (``reset``) also checks their magnitude."""
    X = check_table(
        estimator,
        in_numpy(X),
        accept_sparse="csr",
        dtype=DTYPES,
        reset=reset,
        ensure_min_samples=2 if reset else 1,
    )
    if reset:
        check_magnitude(X, only_squared=only_squared)
    return X


def has_our(estimator: Any, *methods: str) -> bool:
    """Tell whether an estimator has methods of this package, none overridden by a subclass.

    A user's subclass with a ``fit`` of its own may do something else than our class does, so only
    its public methods are called.
    """
    package = __name__.split(".")[0]
    found = [getattr(type(estimator), name, None) for name in methods]
    return all(f is not None and f.__module__.split(".")[0] == package for f in found)


def check_count(name: str, value: Any, *, low: int = 1) -> int:
    """Return ``value`` if it is an integer of at least ``low``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
        raise ValueError(f"{name} must be an int >= {low}. Got {value!r}.")
    return int(value)


def check_gamma(value: Any, name: str = "gamma") -> None:
    """Accept "median" or a positive number."""
    if isinstance(value, str) and value == "median":
        return
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise ValueError(
            f'{name} must be "median" or a number > 0. Got {value!r}: for a bandwidth sigma pass'
            f" {name}=1/(2*sigma**2)."
        )


def check_number(name: str, value: Any) -> None:
    """Accept a finite number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value)):
        raise ValueError(f"{name} must be a finite number. Got {value!r}: pass an int or a float.")


def check_choice(
    name: str, value: Any, choices: tuple[str, ...], *, or_callable: bool = True
) -> None:
    """Accept one of ``choices`` or, if allowed, a callable."""
    if (callable(value) and or_callable) or (isinstance(value, str) and value in choices):
        return
    listed = ", ".join(repr(choice) for choice in choices)
    also = ", or a callable" if or_callable else ""
    raise ValueError(f"{name} must be one of {listed}{also}. Got {value!r}.")


def check_share(
    name: str,
    value: Any,
    *,
    high: float = 1,
    open_: bool = True,
    zero: bool = False,
    or_auto: bool = False,
) -> None:
    """Accept a number between 0 and ``high``; ``open_`` excludes both ends, ``zero`` adds 0."""
    if or_auto and isinstance(value, str) and value == "auto":
        return
    low = "[0" if zero or not open_ else "(0"
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    right_low = is_number and (value > 0 or (value == 0 and low == "[0"))
    if not right_low or not (value < high or (value == high and not open_)):
        ends = f"{low}, {high}{')' if open_ else ']'}"
        also = ', or "auto"' if or_auto else ""
        raise ValueError(f"{name} must be a number in {ends}{also}. Got {value!r}.")


def read_class_prior(prior: Any, classes: Array) -> Floats | None:
    """Return the class shares in the order of the classes, or None if they are not known."""
    if prior is None:
        return None
    # A Series, as of value_counts(normalize=True), is sorted by share and not by class.
    by_class = prior.to_dict() if hasattr(prior, "to_dict") else prior
    if isinstance(by_class, Mapping):
        known = classes.tolist()
        missing = [label for label in known if label not in by_class]
        if missing:
            raise ValueError(f"class_prior must name every class. Got none for {missing[0]!r}.")
        unknown = [label for label in by_class if label not in known]
        if unknown:
            raise ValueError(
                "class_prior must name classes of labeled rows only. Got a share of a class with"
                f" no labeled row, {unknown[0]!r}: label a row of it, or leave it out."
            )
        by_class = [by_class[label] for label in known]
    try:
        shares = np.asarray(by_class, dtype=np.float64)
    except (TypeError, ValueError):
        shares = np.empty(0)
    right = shares.shape == (len(classes),) and np.all(shares > 0)
    if not right or abs(shares.sum() - 1) > 1e-3:
        raise ValueError(
            f"class_prior must hold {len(classes)} positive shares that sum to one, in the order"
            f" of the sorted classes, or be a dict by class. Got {prior!r}."
        )
    return np.asarray(shares / shares.sum())


def check_weights(sample_weight: Any, X: Any, *, total_above: float = 1) -> Floats | None:
    """Return weights as float64, or None if every weight is one."""
    if sample_weight is None:
        return None
    # scikit-learn has no public form of this check.
    weight = _check_sample_weight(
        to_numpy(sample_weight), np.empty(X.shape[0]), dtype=np.float64, ensure_non_negative=True
    )
    # Weights that are meant to sum to 1 may be above it by rounding.
    if weight.sum() <= total_above * (1 + 1e-9):
        raise ValueError(
            "sample_weight says how often a row counts and must sum to more than 1. Got a sum of"
            f" {weight.sum():.3g}: multiply the weights by n_samples / sum(sample_weight)."
        )
    return None if np.all(weight == 1) else weight
