"""Downloads from a server that serves, breaks off, corrupts, changes its mind and refuses."""

import hashlib
import socket
import threading
import urllib.error

import pytest

from file_server import Remote, serve
from ssrlpl._utils import progress
from ssrlpl.datasets import download as module
from ssrlpl.datasets.download import ATTEMPTS, BrokenDownloadError, download

BODY = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def remote():
    return Remote(BODY)


@pytest.fixture
def url(remote):
    with serve(remote) as address:
        yield f"{address}/data.mat"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_a_good_server(url, tmp_path, sha256):
    target = download(url, tmp_path / "data.mat", sha256=sha256)
    assert target.read_bytes() == BODY
    assert names(tmp_path) == ["data.mat"]


def test_a_wrong_checksum_leaves_nothing(url, tmp_path):
    with pytest.raises(ValueError, match="sha256 of .* must be 0+. Got .*removed: try again"):
        download(url, tmp_path / "data.mat", sha256="0" * 64)
    assert names(tmp_path) == []


def test_corrupt_bytes_are_noticed_and_removed(remote, url, tmp_path):
    remote.body = b"!" + BODY[1:]
    with pytest.raises(ValueError, match="sha256"):
        download(url, tmp_path / "data.mat", sha256=SHA256)
    assert names(tmp_path) == []


def test_a_connection_that_breaks_is_continued_in_the_same_call(remote, url, tmp_path):
    remote.break_after = 100_000
    target = download(url, tmp_path / "data.mat", sha256=SHA256)
    assert target.read_bytes() == BODY
    assert remote.ranges == [None, "bytes=100000-", "bytes=200000-"]


def test_what_arrived_is_kept_under_another_name_and_continued_later(remote, url, tmp_path):
    remote.break_after = 1000
    with pytest.raises(BrokenDownloadError, match=f"3000 of {len(BODY)} bytes"):
        download(url, tmp_path / "data.mat")
    (part,) = tmp_path.iterdir()
    assert part.name.startswith("data.mat.")
    assert part.name.endswith(".part")
    assert part.read_bytes() == BODY[:3000]
    remote.break_after = None
    assert download(url, tmp_path / "data.mat").read_bytes() == BODY
    assert remote.ranges[-1] == "bytes=3000-"
    assert names(tmp_path) == ["data.mat"]


def test_a_part_of_an_older_version_is_thrown_away(remote, url, tmp_path):
    remote.break_after = 1000
    with pytest.raises(BrokenDownloadError):
        download(url, tmp_path / "data.mat")
    remote.break_after, remote.body, remote.etag = None, BODY[::-1], '"two"'
    assert download(url, tmp_path / "data.mat").read_bytes() == BODY[::-1]
    assert names(tmp_path) == ["data.mat"]


def test_a_server_that_cannot_resume_is_asked_from_the_start(remote, url, tmp_path):
    remote.break_after = 1000
    with pytest.raises(BrokenDownloadError):
        download(url, tmp_path / "data.mat")
    remote.break_after, remote.can_resume = None, False
    assert download(url, tmp_path / "data.mat").read_bytes() == BODY


def test_without_a_version_nothing_is_kept(remote, url, tmp_path):
    """Nobody could tell later whether the rest belongs to the same file."""
    remote.etag, remote.break_after = None, 1000
    with pytest.raises(BrokenDownloadError):
        download(url, tmp_path / "data.mat")
    assert names(tmp_path) == []
    assert remote.ranges == [None] * ATTEMPTS


def test_a_part_that_was_complete_but_never_renamed(remote, url, tmp_path):
    remote.break_after = 1000
    with pytest.raises(BrokenDownloadError):
        download(url, tmp_path / "data.mat")
    (part,) = tmp_path.iterdir()
    part.write_bytes(BODY)
    remote.break_after = None
    assert download(url, tmp_path / "data.mat", sha256=SHA256).read_bytes() == BODY


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_server_that_refuses(remote, url, tmp_path, status):
    remote.status = status
    with pytest.raises(urllib.error.HTTPError, match=str(status)):
        download(url, tmp_path / "data.mat")
    assert names(tmp_path) == []


def test_nobody_listens(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/data.mat"
    with pytest.raises(urllib.error.URLError):
        download(address, tmp_path / "data.mat")
    assert names(tmp_path) == []


def test_somebody_else_listens(tmp_path):
    def answer(server):
        for _ in range(ATTEMPTS):
            client, _ = server.accept()
            client.recv(1 << 16)
            client.sendall(b"220 mail server ready\r\n")
            client.close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer, args=(server,), daemon=True)
        thread.start()
        with pytest.raises(BrokenDownloadError, match="does not answer as a web server does"):
            download(f"http://127.0.0.1:{server.getsockname()[1]}/data.mat", tmp_path / "data.mat")
        thread.join()
    assert names(tmp_path) == []


def test_an_interrupt_keeps_what_can_be_continued(url, tmp_path, monkeypatch):
    class Impatient(module.Progress):
        def advance(self, steps=1):
            super().advance(steps)
            if self._done > 100_000:
                raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "Progress", Impatient)
        with pytest.raises(KeyboardInterrupt):
            download(url, tmp_path / "data.mat")
    (part,) = tmp_path.iterdir()
    assert BODY.startswith(part.read_bytes())
    assert download(url, tmp_path / "data.mat", sha256=SHA256).read_bytes() == BODY


def test_a_file_that_is_there_survives_a_failed_download(remote, url, tmp_path):
    (tmp_path / "data.mat").write_bytes(b"old")
    remote.status = 404
    with pytest.raises(urllib.error.HTTPError):
        download(url, tmp_path / "data.mat")
    assert (tmp_path / "data.mat").read_bytes() == b"old"


def test_two_writers_of_one_part_do_no_harm(remote, url, tmp_path, monkeypatch):
    """A second process finishes the same file between the chunks of the first."""
    original, nested = module._receive, []

    def receive(response, part, offer, *, verbose):
        if not nested:
            nested.append(True)
            download(url, tmp_path / "data.mat", sha256=SHA256)
        original(response, part, offer, verbose=verbose)

    monkeypatch.setattr(module, "_receive", receive)
    assert download(url, tmp_path / "data.mat", sha256=SHA256).read_bytes() == BODY
    assert names(tmp_path) == ["data.mat"]


def test_only_web_addresses(tmp_path):
    with pytest.raises(ValueError, match="url must begin with http"):
        download("file:///etc/hostname", tmp_path / "data.mat")


@pytest.mark.parametrize("verbose", [True, False])
def test_a_bar_for_those_who_wait(url, tmp_path, monkeypatch, capsys, verbose):
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    download(url, tmp_path / "data.mat", verbose=verbose)
    shown = capsys.readouterr()
    assert ("download data.mat" in shown.err) is verbose
    assert shown.out == ""
