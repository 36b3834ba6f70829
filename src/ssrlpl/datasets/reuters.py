"""Reuters-10K after Xie et al. (2016), and Reuters-21578, which can stand in for it."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize
from sklearn.utils import Bunch

from .._utils.types import Array, Ints
from .catalog import mat_reader
from .convert import xy_from_mat
from .layout import Contents, matrix, read_npz, sparse_contents
from .sources import Fetcher, Form, Record, as_bunch, cache_folder, obtain

ROOT_CATEGORIES = ("CCAT", "GCAT", "MCAT", "ECAT")
N_DOCUMENTS = 10_000
N_WORDS = 2_000
N_TOPICS = 4


def reuters10k_from_rcv1(rcv1: Bunch, *, random_state: int = 0) -> Contents:
    """Draw Reuters-10K from RCV1 as Xie et al. do.

    Documents in exactly one of the four root categories; the 2,000 most frequent words; tf-idf;
    10,000 documents at random. RCV1 comes as tf-idf without counts, so "most frequent" counts the
    documents a word is in, and rows are brought back to unit length after other words are dropped.
    """
    names = list(rcv1.target_names)
    roots = np.asarray(rcv1.target[:, [names.index(root) for root in ROOT_CATEGORIES]].todense())
    single = np.flatnonzero(roots.sum(axis=1) == 1)
    X = rcv1.data[single]
    words = most_frequent(np.bincount(X.indices, minlength=X.shape[1]), N_WORDS)
    drawn = np.sort(np.random.default_rng(random_state).permutation(len(single))[:N_DOCUMENTS])
    return sparse_contents(normalize(X[drawn][:, words]), roots[single[drawn]].argmax(axis=1))


def most_frequent(counts: Array, n: int) -> Ints:
    """Return the places of the n largest counts, in order of place; ties by place."""
    return np.sort(np.argsort(-np.asarray(counts, dtype=np.int64), kind="stable")[:n])


def _fetch_rcv1() -> Contents:
    from sklearn.datasets import fetch_rcv1

    # scikit-learn caches pickles. From a folder that is removed afterwards none is ever loaded.
    with tempfile.TemporaryDirectory(dir=cache_folder()) as temporary:
        return reuters10k_from_rcv1(fetch_rcv1(data_home=temporary))


REUTERS10K = Record(
    name="Reuters-10K",
    description="10,000 news stories in four categories, tf-idf of 2,000 words",
    source="drawn from RCV1 (scikit-learn's fetch_rcv1), or the file reuters10k.mat",
    citation=(
        "J. Xie, R. Girshick and A. Farhadi, Unsupervised deep embedding for clustering analysis,"
        " ICML 2016; D. D. Lewis, Y. Yang, T. G. Rose and F. Li, RCV1: A new benchmark collection"
        " for text categorization research, JMLR 5, 2004."
    ),
    forms=(Form("reuters10k.npz", read_npz), Form("reuters10k.mat", mat_reader(xy_from_mat))),
    fetchers=(Fetcher("scikit-learn's fetch_rcv1 (656 MB)", _fetch_rcv1),),
    shape=(N_DOCUMENTS, N_WORDS),
)

REUTERS21578 = Record(
    name="Reuters-21578",
    description="8,293 news stories with one topic each, counts of 18,933 words, 65 topics",
    source="the file reuters21578.npz, after D. Cai's Reuters21578.mat",
    citation="D. D. Lewis, Reuters-21578 text categorization test collection, 1997.",
    forms=(Form("reuters21578.npz", read_npz), Form("Reuters21578.mat", mat_reader(xy_from_mat))),
)


def load_reuters10k(
    *,
    stand_in: bool = False,
    folder: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    verbose: bool = True,
) -> Any:
    """Load Reuters-10K, or on request something like it that is named as such.

    Looked for in ``folder`` (or ``SSRLPL_DATA``) and in the cache, then drawn from RCV1, which
    scikit-learn downloads.

    Parameters
    ----------
    stand_in : bool, default=False
        If Reuters-10K is missing, return the four largest topics of Reuters-21578 instead, see
        :func:`load_reuters21578`. ``name`` and ``description`` say so.
    folder : path, optional
        A folder that holds ``reuters10k.npz`` or ``reuters10k.mat``.
    download_if_missing, return_X_y, verbose : bool
        As in :func:`ssrlpl.datasets.load_mnist`.

    Returns
    -------
    Bunch
        ``X``, ``y`` (0..3 for CCAT, GCAT, MCAT, ECAT if drawn from RCV1), ``is_stand_in``,
        ``name``, ``description``, ``source``, ``citation``, ``path``.

    Examples
    --------
    >>> from ssrlpl.datasets import load_reuters10k
    >>> load_reuters10k(stand_in=True, download_if_missing=False).name  # doctest: +SKIP
    'Reuters-21578 (stand-in for Reuters-10K)'
    """
    try:
        contents, path = obtain(
            REUTERS10K, folder, download_if_missing=download_if_missing, verbose=verbose
        )
    except FileNotFoundError:
        if not stand_in:
            raise
        return load_reuters21578(folder=folder, return_X_y=return_X_y)
    X, y = matrix(contents), contents["y"]
    return (X, y) if return_X_y else as_bunch(REUTERS10K, X, y, path, is_stand_in=False)


def load_reuters21578(
    n_topics: int | None = N_TOPICS,
    n_words: int | None = N_WORDS,
    *,
    tfidf: bool = True,
    folder: str | os.PathLike[str] | None = None,
    return_X_y: bool = False,
) -> Any:
    """Load the largest topics of Reuters-21578, a stand-in for Reuters-10K.

    Parameters
    ----------
    n_topics : int or None, default=4
        How many of the largest topics; None for all 65.
    n_words : int or None, default=2000
        How many of the words that are most frequent in these topics; None for all 18,933.
    tfidf : bool, default=True
        Weight words by scikit-learn's TfidfTransformer, rows of unit length. Otherwise counts.
    folder : path, optional
        A folder that holds ``reuters21578.npz`` or D. Cai's ``Reuters21578.mat``.
    return_X_y : bool, default=False
        Return ``(X, y)`` only.

    Returns
    -------
    Bunch
        ``X`` (CSR), ``y`` (1, 2, ... from the largest topic down), ``is_stand_in``, ``name``,
        ``description``, ``source``, ``citation``, ``path``.

    Examples
    --------
    >>> from ssrlpl.datasets import load_reuters21578
    >>> load_reuters21578().X.shape  # doctest: +SKIP
    (6387, 2000)
    """
    contents, path = obtain(REUTERS21578, folder, download_if_missing=False)
    X, y = largest_topics(matrix(contents), contents["y"], n_topics, n_words)
    X = TfidfTransformer().fit_transform(X) if tfidf else X
    if return_X_y:
        return X, y
    data = as_bunch(REUTERS21578, X, y, path, is_stand_in=n_topics is not None)
    if data.is_stand_in:
        data.name = f"{REUTERS21578.name} (stand-in for {REUTERS10K.name})"
        data.description = (
            f"NOT {REUTERS10K.name}: {X.shape[0]} news stories of the {n_topics} largest topics of"
            f" {REUTERS21578.name}, {X.shape[1]} words"
        )
    return data


def largest_topics(
    X: Any, y: Array, n_topics: int | None, n_words: int | None
) -> tuple[Any, Array]:
    """Return the documents of the largest topics, and the words that are most frequent in them."""
    topics, counts = np.unique(y, return_counts=True)
    if n_topics is not None:
        kept = np.isin(y, topics[most_frequent(counts, n_topics)])
        X, y = X[kept], y[kept]
    if n_words is not None:
        X = X[:, most_frequent(np.asarray(X.sum(axis=0)).ravel(), n_words)]
    return X, y
