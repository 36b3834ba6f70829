"""The layout of a data file: ``X`` (or a CSR matrix in parts), ``X_div``, ``y``, in an npz file.

The true matrix is ``X / X_div``, so that pixels stay small integers on disk. A sparse matrix is
stored as ``X_data``, ``X_indices``, ``X_indptr``, ``X_shape``. Pickles are refused on reading, so
that opening a file runs no code.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from .._utils.files import whole_file
from .._utils.types import Array

Contents = dict[str, Array]
"""The named arrays of one file."""


def read_npz(path: Path) -> Contents:
    """Return the arrays of a file of this layout."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def write_npz(path: Path, contents: Contents) -> None:
    """Write a file of this layout; it appears complete or not at all."""
    arrays: dict[str, Any] = dict(contents)
    with whole_file(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **arrays)


def dense_contents(X: Array, y: Array, *, divisor: float = 1.0, **more: Any) -> Contents:
    """Return a dense matrix and its labels in this layout."""
    arrays = {"X": X, "X_div": divisor, "y": y, **more}
    return {name: np.asarray(value) for name, value in arrays.items()}


def sparse_contents(X: Any, y: Array) -> Contents:
    """Return a sparse matrix and its labels in this layout."""
    X = sparse.csr_matrix(X)
    return {
        "X_data": X.data,
        "X_indices": X.indices,
        "X_indptr": X.indptr,
        "X_shape": np.asarray(X.shape),
        "X_div": np.asarray(1.0),
        "y": np.asarray(y),
    }


def matrix(contents: Contents, rows: Any = slice(None)) -> Any:
    """Return the true matrix, or some rows of it: float32 if dense, CSR float64 if sparse."""
    divisor = float(contents.get("X_div", np.asarray(1.0)))
    if "X" in contents:
        return contents["X"][rows].astype(np.float32) / np.float32(divisor)
    parts = (contents["X_data"] / divisor, contents["X_indices"], contents["X_indptr"])
    return sparse.csr_matrix(parts, shape=tuple(contents["X_shape"]))[rows]


def shape(contents: Contents) -> tuple[int, int]:
    """Return the number of rows and columns."""
    n_rows, n_columns = contents["X"].shape if "X" in contents else contents["X_shape"]
    return int(n_rows), int(n_columns)


def check(contents: Contents) -> Contents:
    """Refuse contents that are not of this layout."""
    if "y" not in contents or not ("X" in contents or "X_shape" in contents):
        raise ValueError(f"it must hold X and y, and holds {', '.join(contents) or 'nothing'}")
    n_rows, _ = shape(contents)
    if contents["y"].shape != (n_rows,):
        raise ValueError(
            f"y must hold one label for each of {n_rows} rows, and has shape {contents['y'].shape}"
        )
    return contents


def fingerprint(contents: Contents) -> str:
    """Return a checksum of a dense data set that no file format and no order of rows changes."""
    divisor = float(contents["X_div"])
    step = divisor if divisor > 1 else 1.0  # values are multiples of 1/step
    whole = np.rint(contents["X"].astype(np.float64) / divisor * step).astype(np.uint16)
    table = np.column_stack([whole, contents["y"].astype(np.uint16)])
    rows = sorted(row.tobytes() for row in table.astype("<u2"))
    return hashlib.sha256(b"".join(rows)).hexdigest()
