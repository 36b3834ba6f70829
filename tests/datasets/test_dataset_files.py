"""The layout of data files, and conversions into it."""

from pathlib import Path

import numpy as np
import pytest
from scipy import io, sparse

from dataset_samples import small
from ssrlpl import datasets
from ssrlpl.datasets import convert
from ssrlpl.datasets.layout import (
    dense_contents,
    fingerprint,
    matrix,
    read_npz,
    sparse_contents,
    write_npz,
)

# The layout of files


def test_layout_survives_a_round_trip(tmp_path):
    X = sparse.random(5, 7, density=0.4, format="csr", random_state=0)
    write_npz(tmp_path / "a.npz", sparse_contents(X, np.arange(5)))
    assert (matrix(read_npz(tmp_path / "a.npz")) != X).nnz == 0
    write_npz(tmp_path / "b.npz", dense_contents(np.array([[1, 2]]), np.array([3]), divisor=4))
    np.testing.assert_array_equal(matrix(read_npz(tmp_path / "b.npz")), [[0.25, 0.5]])


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    write_npz(tmp_path / "a.npz", small())
    before = (tmp_path / "a.npz").read_bytes()
    monkeypatch.setattr(np, "savez_compressed", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_npz(tmp_path / "a.npz", small(seed=1))
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]
    assert (tmp_path / "a.npz").read_bytes() == before


def test_fingerprint_sees_values_and_labels_but_not_the_order_of_rows():
    contents = small()
    order = np.array([3, 1, 5, 0, 2, 4])
    turned = {**contents, "X": contents["X"][order], "y": contents["y"][order]}
    assert fingerprint(turned) == fingerprint(contents)
    assert fingerprint({**contents, "y": 1 - contents["y"]}) != fingerprint(contents)
    assert fingerprint({**contents, "X": contents["X"] // 2}) != fingerprint(contents)
    # A float copy in [0, 1] of the same pixels has the same fingerprint as its integers.
    scaled = {**contents, "X_div": np.asarray(255.0)}
    assert fingerprint(scaled) == fingerprint(contents)


class Trap:
    """An object that leaves a trace when it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return Path.touch, (self.trace,)


def test_a_pickle_in_a_file_is_not_run(empty_cache, tmp_path):
    trap = np.array([[Trap(tmp_path / "trace")]], dtype=object)
    np.savez(tmp_path / "coil20.npz", X=trap, y=np.zeros(1))
    with pytest.raises(ValueError, match="coil20.npz must be .* Got ValueError: Object arrays"):
        datasets.load_coil20(folder=tmp_path)
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("name", ["coil20.npz", "COIL20.mat"])
def test_broken_files_are_refused(empty_cache, tmp_path, name):
    (tmp_path / name).write_bytes(b"MATLAB 5.0 MAT-file" + bytes(200))
    with pytest.raises(ValueError, match=f"{name} must be a {name}.*Delete it and get it again"):
        datasets.load_coil20(folder=tmp_path)


@pytest.mark.parametrize(
    "arrays", [{"X": np.eye(2)}, {"y": np.zeros(2)}, {"X": np.eye(2), "y": np.zeros(3)}]
)
def test_files_of_another_layout_are_refused(empty_cache, tmp_path, arrays):
    np.savez(tmp_path / "sbdata.npz", **arrays)
    with pytest.raises(ValueError, match="sbdata.npz must be a sbdata.npz"):
        datasets.load_sbdata(folder=tmp_path)


# Conversions


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
