"""Conversions of published files into our layout."""

from pathlib import Path

import numpy as np
import pytest
from scipy import io, sparse

from dataset_samples import DATA, needs_data
from ssrlpl import datasets
from ssrlpl.datasets import convert
from ssrlpl.datasets.layout import matrix, read_npz


def test_usps_mat():
    data = np.arange(2 * 3 * 10).reshape(2, 3, 10)  # pixels, images, digits
    contents = convert.usps_from_mat({"data": data})
    assert contents["y"].tolist() == sorted([1, 2, 3, 4, 5, 6, 7, 8, 9] * 3) + [0] * 3
    np.testing.assert_array_equal(contents["X"][3 * 4 + 2], data[:, 2, 4])


def test_umist_mat_and_table_agree(tmp_path):
    rng = np.random.default_rng(0)
    people = [rng.integers(0, 256, (112, 92, n)).astype(np.uint8) for n in (2, 3)]
    cell = np.empty((1, 2), dtype=object)
    cell[0, 0], cell[0, 1] = people
    io.savemat(tmp_path / "umist_cropped.mat", {"facedat": cell})
    X, y = datasets.load_umist(folder=tmp_path, return_X_y=True)
    assert y.tolist() == [0, 0, 1, 1, 1]
    block = people[1][4:8, 8:12, 0].mean()  # row 1, column 2 of the small image
    assert abs(X[2].reshape(23, 28).T[1, 2] - block) <= 0.5
    rows = np.concatenate([faces.transpose(2, 0, 1).reshape(-1, 112 * 92) for faces in people])
    table = convert.umist_from_table(rows, np.array(["0", "0", "1", "1", "1"]))
    np.testing.assert_array_equal(matrix(table), X)


@pytest.mark.parametrize("keys", [("X", "Y"), ("X", "y"), ("fea", "gnd")])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csc_matrix])
def test_mat_files_of_rows_and_labels(empty_cache, tmp_path, keys, kind):
    X = np.array([[0.5, 0.0], [0.0, 2.0]])
    io.savemat(tmp_path / "sbdata.mat", dict(zip(keys, (kind(X), [[3, 1]]), strict=True)))
    data = datasets.load_sbdata(folder=tmp_path)
    found = data.X.toarray() if sparse.issparse(data.X) else data.X
    np.testing.assert_array_equal(found, X)
    assert data.y.tolist() == [3, 1]


def test_labels_of_all_kinds():
    assert convert.label_numbers(np.array(["5", "10"], object)).tolist() == [5, 10]
    assert convert.label_numbers([1.0, 2.0]).tolist() == [1, 2]
    assert convert.label_numbers(["b", "a", "b"]).tolist() == [1, 0, 1]


@needs_data
def test_real_data_survive_the_format_they_are_published_in():
    """From our file to the layout of usps_all.mat and COIL20.mat and back: nothing changes."""
    usps = read_npz(Path(DATA) / "usps_11000.npz")
    cube = usps["X"].reshape(10, 1100, 256).transpose(2, 1, 0)
    back = convert.usps_from_mat({"data": cube})
    np.testing.assert_array_equal(back["X"], usps["X"])
    np.testing.assert_array_equal(back["y"], usps["y"])
    coil = read_npz(Path(DATA) / "coil20.npz")
    back = convert.coil20_from_mat({"fea": coil["X"] / 4080, "gnd": coil["y"][:, None]})
    np.testing.assert_array_equal(back["X"], coil["X"])
