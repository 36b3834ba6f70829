"""Convert published files to our layout. Pure functions: no file is read, no network used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from .._utils.types import Array, Ints
from .layout import Contents, dense_contents, sparse_contents

COIL20_STEPS = 4080
"""COIL-20's pixels are means of 4x4 blocks of 8-bit pixels over 255: multiples of 1/(16·255)."""


def usps_from_mat(mat: Mapping[str, Any]) -> Contents:
    """Convert Roweis's ``usps_all.mat``: ``data``, pixels × images × digits 1, ..., 9, 0."""
    pixels = np.asarray(mat["data"])
    _, per_class, n_classes = pixels.shape
    X = pixels.transpose(2, 1, 0).reshape(n_classes * per_class, -1)
    digits = (np.arange(n_classes) + 1) % n_classes
    return dense_contents(X.astype(np.uint8), np.repeat(digits, per_class).astype(np.int8))


def coil20_from_mat(mat: Mapping[str, Any]) -> Contents:
    """Convert Deng Cai's ``COIL20.mat``: ``fea`` in [0, 1], ``gnd`` 1..20."""
    X = np.rint(np.asarray(mat["fea"], dtype=np.float64) * COIL20_STEPS)
    y = np.asarray(mat["gnd"]).ravel()
    return dense_contents(X.astype(np.uint16), y.astype(np.int8), divisor=COIL20_STEPS)


def umist_from_mat(mat: Mapping[str, Any]) -> Contents:
    """Convert Roweis's ``umist_cropped.mat``: ``facedat``, a cell of 112 × 92 × images a person."""
    people = [np.asarray(faces) for faces in np.asarray(mat["facedat"], dtype=object).ravel()]
    images = np.concatenate([faces.transpose(2, 0, 1) for faces in people])
    y = np.repeat(np.arange(len(people)), [faces.shape[2] for faces in people])
    return _small_faces(images, y)


def umist_from_table(X: Array, y: Array) -> Contents:
    """Convert OpenML's ``UMIST_Faces_Cropped``: a row of 112·92 pixels for each image."""
    return _small_faces(np.asarray(X).reshape(-1, 112, 92), label_numbers(y))


def _small_faces(images: Array, y: Array) -> Contents:
    """Shrink 112 × 92 to 28 × 23 by the mean of 4 × 4 blocks; pixels in column-major order."""
    n, height, width = images.shape
    blocks = images.astype(np.float64).reshape(n, height // 4, 4, width // 4, 4)
    small = np.rint(blocks.mean(axis=(2, 4))).astype(np.uint8)
    return dense_contents(small.transpose(0, 2, 1).reshape(n, -1), y.astype(np.int8))


def mnist_from_table(X: Array, y: Array) -> Contents:
    """Convert OpenML's ``mnist_784``: the training part first, labels as text."""
    X = np.asarray(X).astype(np.uint8)
    return dense_contents(X, label_numbers(y).astype(np.int8), n_train=60_000)


def xy_from_mat(mat: Mapping[str, Any]) -> Contents:
    """Convert a ``.mat`` file of rows and labels: X and Y (or y), or fea and gnd."""
    features, labels = ("fea", "gnd") if "fea" in mat else ("X", "Y" if "Y" in mat else "y")
    X, y = mat[features], np.asarray(mat[labels]).ravel()
    return sparse_contents(X, y) if sparse.issparse(X) else dense_contents(np.asarray(X), y)


def label_numbers(y: Any) -> Ints:
    """Return labels such as "5" or 5.0 as integers, other labels as their place in the order."""
    values = np.asarray(y)
    try:
        return values.astype(np.float64).astype(np.intp)
    except ValueError:
        return np.unique(values.astype(str), return_inverse=True)[1].astype(np.intp)
