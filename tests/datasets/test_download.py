"""Downloads from a server that serves, breaks off, corrupts and refuses."""

import hashlib
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from file_server import Remote, serve
from ssrlpl._utils import progress
from ssrlpl.datasets import download as module
from ssrlpl.datasets.download import RETRIES, download

pytest.importorskip("pooch")
BODY = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def remote(monkeypatch):
    monkeypatch.setattr("pooch.core.time.sleep", lambda _: None)  # between attempts
    return Remote(BODY)


@pytest.fixture
def url(remote):
    with serve(remote) as address:
        yield f"{address}/data.mat"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_a_good_server(url, tmp_path, capfd, sha256):
    target = download(url, tmp_path / "data.mat", sha256=sha256)
    assert target.read_bytes() == BODY
    assert names(tmp_path) == ["data.mat"]
    assert capfd.readouterr() == ("", "")  # no word of pooch's


def test_corrupt_bytes_are_noticed_and_removed(remote, url, tmp_path):
    remote.body = b"!" + BODY[1:]
    with pytest.raises(ValueError, match=f"sha256 of {url} is not {SHA256}.*removed: try again"):
        download(url, tmp_path / "data.mat", sha256=SHA256)
    assert names(tmp_path) == []


def test_a_connection_that_breaks_is_tried_again_in_the_same_call(remote, url, tmp_path):
    remote.break_after = [100_000, 1000]
    assert download(url, tmp_path / "data.mat", sha256=SHA256).read_bytes() == BODY
    assert len(remote.asked) == 3
    assert names(tmp_path) == ["data.mat"]


def test_a_connection_that_always_breaks_leaves_nothing(remote, url, tmp_path):
    """Without a checksum, too: the length tells."""
    remote.break_after = [1000] * (RETRIES + 1)
    with pytest.raises(OSError, match=f"{url} broke off"):
        download(url, tmp_path / "data.mat")
    assert names(tmp_path) == []
    assert download(url, tmp_path / "data.mat").read_bytes() == BODY


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_server_that_refuses_and_a_file_that_is_there(remote, url, tmp_path, status):
    (tmp_path / "data.mat").write_bytes(b"old")
    remote.status = status
    with pytest.raises(OSError, match=f"{url} answers {status} "):
        download(url, tmp_path / "data.mat", sha256=SHA256)
    assert names(tmp_path) == ["data.mat"]
    assert (tmp_path / "data.mat").read_bytes() == b"old"


@pytest.mark.usefixtures("remote")
def test_nobody_listens(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/data.mat"
    with pytest.raises(OSError, match=f"^{address} cannot be reached$"):
        download(address, tmp_path / "data.mat")
    assert names(tmp_path) == []


@pytest.mark.usefixtures("remote")
def test_somebody_else_listens(tmp_path):
    def answer(server):
        for _ in range(RETRIES + 1):
            client, _ = server.accept()
            client.recv(1 << 16)
            client.sendall(b"220 mail server ready\r\n")
            client.close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer, args=(server,), daemon=True)
        thread.start()
        with pytest.raises(OSError, match="cannot be reached"):
            download(f"http://127.0.0.1:{server.getsockname()[1]}/data.mat", tmp_path / "data.mat")
        thread.join()
    assert names(tmp_path) == []


def test_an_interrupt_leaves_nothing(url, tmp_path, monkeypatch):
    def impatient(bar, n_bytes):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module._Bar, "update", impatient)
        with pytest.raises(KeyboardInterrupt):
            download(url, tmp_path / "data.mat")
    assert names(tmp_path) == []


def test_two_writers_of_one_file_do_no_harm(url, tmp_path):
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda _: download(url, tmp_path / "data.mat"), range(4)):
            assert found.read_bytes() == BODY
    assert names(tmp_path) == ["data.mat"]


@pytest.mark.usefixtures("remote")
def test_only_web_addresses(tmp_path):
    with pytest.raises(OSError, match="file:///etc/hostname cannot be reached"):
        download("file:///etc/hostname", tmp_path / "data.mat")


def test_a_proxy_is_asked(remote, url, tmp_path, monkeypatch):
    monkeypatch.setenv("http_proxy", url.removesuffix("/data.mat"))
    monkeypatch.delenv("no_proxy", raising=False)
    assert download("http://far.invalid/a", tmp_path / "data.mat").read_bytes() == BODY
    assert remote.asked == ["http://far.invalid/a"]


def test_without_pooch_the_error_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r"pip install 'ssrlpl\[data\]'"):
        download("http://far.invalid/a", tmp_path / "data.mat")


@pytest.mark.parametrize("verbose", [True, False])
def test_a_bar_for_those_who_wait(remote, url, tmp_path, monkeypatch, capfd, verbose):
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    remote.break_after = [100_000]
    download(url, tmp_path / "data.mat", verbose=verbose)
    shown = capfd.readouterr()
    assert ("download data.mat" in shown.err) is verbose
    assert ("100%, 0 s left \n" in shown.err) is verbose
    assert shown.out == ""
