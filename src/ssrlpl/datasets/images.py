"""Loaders of the paper's image sets."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from . import catalog
from .layout import Contents, matrix
from .sources import Record, as_bunch, obtain

MNIST_SUBSETS = (None, "10k", "train", "test")
UMIST_SIZES = ("28x23", "32x32")
MNIST_10K = 10_000


def load_mnist(
    subset: str | None = None,
    *,
    random_state: int = 0,
    folder: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    verbose: bool = True,
) -> Any:
    """Load MNIST, or the paper's MNIST-10K.

    Looked for in ``folder`` (or ``SSRLPL_DATA``), in the cache, then on OpenML.

    Parameters
    ----------
    subset : None, "10k", "train" or "test", default=None
        "10k": 10,000 of the 70,000 images drawn at random without replacement. The paper does the
        same and does not say which; here they are
        ``numpy.random.default_rng(random_state).permutation(70_000)[:10_000]``.
    random_state : int, default=0
        Seed of that draw.
    folder : path, optional
        A folder that holds ``mnist.npz``.
    download_if_missing : bool, default=True
        Download if no file is found.
    return_X_y : bool, default=False
        Return ``(X, y)`` only.
    verbose : bool, default=True
        Show a bar on stderr for a download of more than two seconds.

    Returns
    -------
    Bunch
        ``X`` (float32, pixels 0..255), ``y`` (0..9), ``name``, ``description``, ``source``,
        ``citation``, ``path``; ``n_train`` for all of MNIST, ``rows`` for a subset.

    Examples
    --------
    >>> from ssrlpl.datasets import load_mnist
    >>> mnist = load_mnist("10k")  # doctest: +SKIP
    >>> mnist.X.shape, mnist.name  # doctest: +SKIP
    ((10000, 784), 'MNIST-10K')
    """
    if subset not in MNIST_SUBSETS:
        raise ValueError(f'subset must be None, "10k", "train" or "test". Got {subset!r}.')
    contents, path = obtain(
        catalog.MNIST, folder, download_if_missing=download_if_missing, verbose=verbose
    )
    n, n_train = len(contents["y"]), int(contents.get("n_train", np.asarray(60_000)))
    if subset is None:
        return _answer(catalog.MNIST, contents, path, return_X_y, n_train=n_train)
    if subset == "10k":
        rows = np.random.default_rng(random_state).permutation(n)[:MNIST_10K]
    else:
        rows = np.arange(n_train) if subset == "train" else np.arange(n_train, n)
    name = "MNIST-10K" if subset == "10k" else f"MNIST {subset}"
    record = replace(catalog.MNIST, name=name)
    return _answer(record, contents, path, return_X_y, rows=rows)


def load_usps(
    *,
    folder: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    verbose: bool = True,
) -> Any:
    """Load the 11,000 USPS digits.

    Looked for in ``folder`` (or ``SSRLPL_DATA``), in the cache, then at S. Roweis's page.

    Parameters
    ----------
    folder : path, optional
        A folder that holds ``usps_11000.npz`` or the original ``usps_all.mat``.
    download_if_missing, return_X_y, verbose : bool
        As in :func:`load_mnist`.

    Returns
    -------
    Bunch
        ``X`` (float32, pixels 0..255; ``X[i].reshape(16, 16).T`` is the image), ``y`` (0..9),
        ``name``, ``description``, ``source``, ``citation``, ``path``.

    Examples
    --------
    >>> from ssrlpl.datasets import load_usps
    >>> load_usps().X.shape  # doctest: +SKIP
    (11000, 256)
    """
    return _load(catalog.USPS, folder, download_if_missing, return_X_y, verbose)


def load_coil20(
    *,
    folder: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    verbose: bool = True,
) -> Any:
    """Load COIL-20, 20 objects seen from 72 sides.

    Looked for in ``folder`` (or ``SSRLPL_DATA``), in the cache, then on OpenML and at D. Cai's
    page.

    Parameters
    ----------
    folder : path, optional
        A folder that holds ``coil20.npz`` or the original ``COIL20.mat``.
    download_if_missing, return_X_y, verbose : bool
        As in :func:`load_mnist`.

    Returns
    -------
    Bunch
        ``X`` (float32 in [0, 1]; ``X[i].reshape(32, 32).T`` is the image), ``y`` (1..20),
        ``name``, ``description``, ``source``, ``citation``, ``path``.

    Examples
    --------
    >>> from ssrlpl.datasets import load_coil20
    >>> load_coil20().X.shape  # doctest: +SKIP
    (1440, 1024)
    """
    return _load(catalog.COIL20, folder, download_if_missing, return_X_y, verbose)


def load_umist(
    size: str = "28x23",
    *,
    folder: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    verbose: bool = True,
) -> Any:
    """Load the UMIST faces.

    Looked for in ``folder`` (or ``SSRLPL_DATA``), in the cache, then on OpenML and at S. Roweis's
    page. The paper counts 564 images of 750 pixels; no public copy has these numbers. Here are
    575, of which 10 are exact duplicates.

    Parameters
    ----------
    size : "28x23" or "32x32", default="28x23"
        Size of the images. 28x23 is a quarter of the original; 32x32 cannot be downloaded.
    folder : path, optional
        A folder that holds ``umist_28x23.npz``, ``umist.npz`` (32x32) or the original
        ``umist_cropped.mat``.
    download_if_missing, return_X_y, verbose : bool
        As in :func:`load_mnist`.

    Returns
    -------
    Bunch
        ``X`` (float32, pixels 0..255; ``X[i].reshape(23, 28).T`` is the image), ``y`` (0..19 for
        28x23, 1..20 for 32x32, as in their sources), ``name``, ``description``, ``source``,
        ``citation``, ``path``.

    Examples
    --------
    >>> from ssrlpl.datasets import load_umist
    >>> load_umist().X.shape  # doctest: +SKIP
    (575, 644)
    """
    if size not in UMIST_SIZES:
        raise ValueError(f'size must be "28x23" or "32x32". Got {size!r}.')
    record = catalog.UMIST if size == "28x23" else catalog.UMIST_32
    return _load(record, folder, download_if_missing, return_X_y, verbose)


def load_sbdata(*, folder: str | os.PathLike[str] | None = None, return_X_y: bool = False) -> Any:
    """Load the Sheffield Building images of a file you own; the paper's form is not public.

    Parameters
    ----------
    folder : path, optional
        A folder that holds ``sbdata.npz`` (X, y) or ``sbdata.mat`` (X and Y, or fea and gnd).
        Without it ``SSRLPL_DATA`` and the cache are looked at.
    return_X_y : bool, default=False
        Return ``(X, y)`` only.

    Returns
    -------
    Bunch
        ``X`` (float32), ``y``, ``name``, ``description``, ``source``, ``citation``, ``path``.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from ssrlpl.datasets import load_sbdata
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(folder + "/sbdata.npz", X=np.eye(3), y=[0, 1, 1])
    ...     X, y = load_sbdata(folder=folder, return_X_y=True)
    >>> X.shape, y.tolist()
    ((3, 3), [0, 1, 1])
    """
    return _load(catalog.SBDATA, folder, False, return_X_y, False)


def _load(
    record: Record,
    folder: str | os.PathLike[str] | None,
    download_if_missing: bool,
    return_X_y: bool,
    verbose: bool,
) -> Any:
    contents, path = obtain(
        record, folder, download_if_missing=download_if_missing, verbose=verbose
    )
    return _answer(record, contents, path, return_X_y)


def _answer(record: Record, contents: Contents, path: Path, return_X_y: bool, **more: Any) -> Any:
    """Return what a loader was asked for; ``rows``, if given, are those of a subset."""
    rows = more.get("rows", slice(None))
    X, y = matrix(contents, rows), contents["y"][rows]
    return (X, y) if return_X_y else as_bunch(record, X, y, path, **more)
