"""Types of user input. NumPy's ArrayLike covers neither DataFrames nor sparse matrices."""

from typing import Any, TypeAlias

MatrixLike: TypeAlias = Any
"""A table of rows: ndarray, sparse matrix, DataFrame, nested list."""

VectorLike: TypeAlias = Any
"""One value for each row: ndarray, pandas or polars column, list."""
