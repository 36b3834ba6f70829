"""Plain X and y of local files, without a description and without any download."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import ssl_book
from .layout import matrix, read_npz
from .sources import places
from .ssl_book import SSL_BOOK

__all__ = ["SSL_BOOK", "load_file", "load_ssl_book", "load_ssl_book_splits"]


def load_file(name: str, folder: str | Path | None = None) -> tuple[Any, NDArray[Any]]:
    """Return X and y of ``name.npz`` in the folder given.

    Without one, the folder ``SSRLPL_DATA`` names and then the cache are looked at. The layout is
    that of :mod:`ssrlpl.datasets.layout`.
    """
    tried = [place / f"{name}.npz" for place in places(folder)]
    for path in tried:
        if path.is_file():
            contents = read_npz(path)
            return matrix(contents), contents["y"]
    raise FileNotFoundError(
        f"{' and '.join(map(str, tried))} are missing: pass the folder that holds {name}.npz, or"
        " set SSRLPL_DATA to that folder."
    )


def load_ssl_book(name: str) -> tuple[Any, NDArray[Any]]:
    """Return X and y of a set of the SSL book."""
    X, y = ssl_book.load_ssl_book(name, return_X_y=True)
    return X, y


def load_ssl_book_splits(name: str, n_labeled: int) -> NDArray[np.intp]:
    """Return the labeled rows of each of the book's splits, one row of the result for each."""
    return ssl_book.read_splits(name, n_labeled)
