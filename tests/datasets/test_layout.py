"""The layout of data files, and files that have another one."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from dataset_samples import small
from ssrlpl import datasets
from ssrlpl.datasets.layout import (
    dense_contents,
    fingerprint,
    matrix,
    read_npz,
    sparse_contents,
    write_npz,
)


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
