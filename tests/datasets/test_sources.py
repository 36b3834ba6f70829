"""Where loaders look and what they say: folder, cache, a server on this machine, OpenML."""

import hashlib
import re
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets
from scipy import io
from sklearn.utils import Bunch

from dataset_samples import put, small
from file_server import Remote, serve
from ssrlpl import datasets
from ssrlpl.datasets import catalog, convert
from ssrlpl.datasets.layout import dense_contents, fingerprint
from ssrlpl.datasets.sources import Fetcher, cache_folder


@pytest.mark.usefixtures("no_network")
def test_folder_before_environment_before_cache(empty_cache, tmp_path, monkeypatch):
    for number, place in enumerate((empty_cache, tmp_path / "env", tmp_path / "given")):
        put(place, "coil20.npz", dense_contents(np.full((2, 3), number), np.array([0, 1])))
    assert datasets.load_coil20().X[0, 0] == 0
    monkeypatch.setenv("SSRLPL_DATA", str(tmp_path / "env"))
    assert datasets.load_coil20().X[0, 0] == 1
    found = datasets.load_coil20(folder=tmp_path / "given")
    assert found.X[0, 0] == 2
    assert found.path == str(tmp_path / "given" / "coil20.npz")


@pytest.mark.usefixtures("no_network")
def test_a_set_that_is_not_in_the_folder_comes_from_the_cache(empty_cache, tmp_path):
    put(empty_cache, "usps_11000.npz", small())
    X, y = datasets.load_usps(folder=tmp_path, return_X_y=True)
    assert X.shape == (6, 4)
    assert X.dtype == np.float32
    assert len(y) == 6


@pytest.mark.parametrize("by", ["folder", "SSRLPL_DATA"])
def test_a_named_folder_must_exist(empty_cache, tmp_path, monkeypatch, by):
    monkeypatch.setenv("SSRLPL_DATA", str(tmp_path / "none"))
    folder = tmp_path / "none" if by == "folder" else None
    with pytest.raises(FileNotFoundError, match=f"^{by} must name a folder that exists"):
        datasets.load_usps(folder=folder)


def test_the_cache_of_the_system(monkeypatch):
    monkeypatch.delenv("SSRLPL_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_folder() == Path("/x/ssrlpl")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == Path.home() / "Library/Caches/ssrlpl"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert cache_folder() == Path("/local/ssrlpl/Cache")


LOADERS = {
    "MNIST": lambda: datasets.load_mnist(download_if_missing=False),
    "USPS": lambda: datasets.load_usps(download_if_missing=False),
    "COIL-20": lambda: datasets.load_coil20(download_if_missing=False),
    "UMIST": lambda: datasets.load_umist(download_if_missing=False),
    "SBData": datasets.load_sbdata,
    "Reuters-10K": lambda: datasets.load_reuters10k(download_if_missing=False),
    "Reuters-21578": datasets.load_reuters21578,
}


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("name", LOADERS)
def test_missing_data_name_three_ways_in_one_sentence(empty_cache, name):
    with pytest.raises(FileNotFoundError) as caught:
        LOADERS[name]()
    said = str(caught.value)
    assert said.startswith(f"{name} is missing")
    assert "pass folder= or set SSRLPL_DATA" in said
    assert f"into the cache {empty_cache}" in said
    assert "or go online" in said or "or get it from its owners" in said
    assert not re.search(r"\w{3}\. ", said)  # a point ends initials, and the only sentence
    assert not empty_cache.exists()


@pytest.fixture
def remote(monkeypatch):
    monkeypatch.setattr("pooch.core.time.sleep", lambda _: None)  # between attempts
    return Remote()


@pytest.fixture
def small_coil(remote, monkeypatch):
    """COIL-20 at a server on this machine, two objects of three images."""
    rng = np.random.default_rng(0)
    fea, gnd = rng.integers(0, 4081, (6, 5)) / 4080, np.repeat([1, 2], 3)[:, None]
    known = fingerprint(convert.coil20_from_mat({"fea": fea, "gnd": gnd}))
    record = replace(catalog.COIL20, shape=(6, 5), fetchers=(), fingerprint=known)
    with serve(remote) as address:
        forms = record.forms[0], replace(record.forms[1], url=f"{address}/COIL20.mat")
        monkeypatch.setattr(catalog, "COIL20", replace(record, forms=forms))
        remote.body = mat_bytes(fea=fea, gnd=gnd)
        yield fea, gnd.ravel()


def mat_bytes(**arrays):
    buffer = BytesIO()
    io.savemat(buffer, arrays, do_compression=True)
    return buffer.getvalue()


def test_a_download_is_converted_cached_and_not_repeated(empty_cache, small_coil, remote):
    fea, gnd = small_coil
    for _ in range(2):
        data = datasets.load_coil20()
        np.testing.assert_allclose(data.X, fea, atol=1e-7)
        np.testing.assert_array_equal(data.y, gnd)
    assert len(remote.asked) == 1
    assert [path.name for path in empty_cache.iterdir()] == ["coil20.npz"]


@pytest.mark.parametrize("spoil", ["garbage", "other keys", "other shape", "refused"])
def test_a_bad_download_leaves_nothing_behind(empty_cache, small_coil, remote, spoil):
    if spoil == "refused":
        remote.status = 404
    remote.body = {
        "garbage": b"\0" * 1000,
        "other keys": mat_bytes(a=np.eye(2)),
        "other shape": mat_bytes(fea=np.eye(2), gnd=np.ones((2, 1))),
    }.get(spoil, remote.body)
    with pytest.raises(FileNotFoundError, match="COIL-20 is missing .the download failed: "):
        datasets.load_coil20()
    assert list(empty_cache.iterdir()) == []


def test_a_truncated_download_is_repeated_by_the_next_call(empty_cache, small_coil, remote):
    remote.break_after = [len(remote.body) // 5] * 3
    with pytest.raises(FileNotFoundError, match="broke off.*go online"):
        datasets.load_coil20()
    assert list(empty_cache.iterdir()) == []
    np.testing.assert_allclose(datasets.load_coil20().X, small_coil[0], atol=1e-7)
    assert [path.name for path in empty_cache.iterdir()] == ["coil20.npz"]


def test_a_known_checksum_of_the_file_is_compared(empty_cache, small_coil, remote, monkeypatch):
    ours, theirs = catalog.COIL20.forms
    for body, works in ((b"x", False), (remote.body, True)):
        known = replace(theirs, sha256=hashlib.sha256(body).hexdigest())
        monkeypatch.setattr(catalog, "COIL20", replace(catalog.COIL20, forms=(ours, known)))
        if works:
            assert datasets.load_coil20().X.shape == (6, 5)
        else:
            with pytest.raises(FileNotFoundError, match="sha256"):
                datasets.load_coil20()


def test_other_values_than_expected_are_pointed_out(empty_cache, small_coil, remote):
    remote.body = mat_bytes(fea=1 - small_coil[0], gnd=small_coil[1][:, None])
    with pytest.warns(UserWarning, match="not those the published figures were made with") as seen:
        datasets.load_coil20()
    (ours,) = [warning for warning in seen if warning.category is UserWarning]
    assert ours.filename == __file__


def test_without_a_fingerprint_a_download_is_held_against_its_1nn_figure(
    empty_cache, small_coil, monkeypatch
):
    monkeypatch.setattr(catalog, "COIL20", replace(catalog.COIL20, fingerprint=None))
    with pytest.warns(UserWarning, match="check_1nn"):  # random pixels are not 97.8 % right
        datasets.load_coil20()


def test_the_next_place_is_asked_when_the_first_fails(empty_cache, small_coil, monkeypatch):
    def fails():
        raise OSError("the first place is closed")

    record = replace(catalog.COIL20, fetchers=(Fetcher("first", fails),))
    monkeypatch.setattr(catalog, "COIL20", record)
    assert datasets.load_coil20().X.shape == (6, 5)


def test_a_cache_that_cannot_be_written(small_coil, empty_cache):
    empty_cache.write_text("a file, not a folder")
    with pytest.raises(OSError, match="set SSRLPL_CACHE to another folder"):
        datasets.load_coil20()


def test_openml_is_announced_and_converted(empty_cache, monkeypatch, capsys):
    asked = {}

    def fetch_openml(name, **options):
        asked.update(options, name=name)
        (Path(options["data_home"]) / "openml").mkdir()
        return Bunch(data=np.arange(12.0).reshape(3, 4), target=np.array(["5", "0", "4"], object))

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    record = replace(catalog.MNIST, shape=(3, 4), fingerprint=None)
    monkeypatch.setattr(catalog, "MNIST", replace(record, name="MNIST of three images"))
    data = datasets.load_mnist()
    assert asked["name"] == "mnist_784"
    assert capsys.readouterr().err == "downloading from OpenML mnist_784\n"
    assert data.y.tolist() == [5, 0, 4]
    assert data.X.tolist() == np.arange(12.0).reshape(3, 4).tolist()
    assert [path.name for path in empty_cache.iterdir()] == ["mnist.npz"]


def test_openml_without_pandas_names_the_extra(empty_cache, monkeypatch):
    def fetch_openml(*_, **__):
        raise ImportError("no pandas")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    with pytest.raises(FileNotFoundError, match=r"pip install 'ssrlpl\[data\]'"):
        datasets.load_mnist()
