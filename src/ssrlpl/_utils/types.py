"""Types of user input, and short names for arrays.

NumPy's ArrayLike covers neither DataFrames nor sparse matrices.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

MatrixLike: TypeAlias = Any
"""A table of rows: ndarray, sparse matrix, DataFrame, nested list."""

VectorLike: TypeAlias = Any
"""One value for each row: ndarray, pandas or polars column, list."""

Array: TypeAlias = NDArray[Any]
"""Entries of any type."""

Floats: TypeAlias = NDArray[np.float64]

Ints: TypeAlias = NDArray[np.intp]
"""Row numbers, columns, or the codes of classes."""

Mask: TypeAlias = NDArray[np.bool_]
