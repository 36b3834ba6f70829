"""Fetch one file over HTTP: resumable, checked, and complete or absent.

Libraries that fetch data files (pooch, scikit-learn) start again from zero after a broken
connection, hence these few lines on the standard library.

While it grows, the file is called ``NAME.TAG.part``, where TAG stands for the version of the
remote file (address, ETag or date, length). A part is continued if the server still offers that
version. A part of another version, of a server that cannot resume, or with a wrong checksum is
removed. Bytes are written at their own offset, so two processes that fetch the same file write
the same bytes to the same places and need no lock.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import os
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._utils.progress import Progress

CHUNK_BYTES = 1 << 16
TIMEOUT_SECONDS = 30.0
ATTEMPTS = 3


class BrokenDownloadError(OSError):
    """The file did not arrive whole."""


def download(url: str, target: Path, *, sha256: str | None = None, verbose: bool = True) -> Path:
    """Fetch ``url`` into ``target``; nothing has that name before it is complete and checked.

    Parameters
    ----------
    url : str
        Address, http or https.
    target : Path
        Where the file shall be. Its folder exists.
    sha256 : str, optional
        What the checksum must be, where one is known.
    verbose : bool, default=True
        Show a bar on stderr if it takes longer than two seconds.

    Returns
    -------
    Path
        ``target``.

    Raises
    ------
    OSError
        The server cannot be reached or refuses (:class:`urllib.error.URLError`), or the
        connection broke three times (:class:`BrokenDownloadError`).
    ValueError
        The checksum is wrong.
    """
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"url must begin with http:// or https://. Got {url!r}.")
    for attempt in range(ATTEMPTS):
        try:
            part = _fetch(url, target, verbose=verbose)
            break
        except BrokenDownloadError:
            if attempt == ATTEMPTS - 1:
                raise
    _check(part, url, sha256)
    _publish(part, target)
    return target


@dataclass(frozen=True)
class _Offer:
    """What the server says it will send."""

    start: int
    total: int | None
    tag: str | None

    @classmethod
    def of(cls, response: Any, url: str) -> _Offer:
        headers = response.headers
        length = headers.get("Content-Length")
        total = int(length) if length else None
        start = 0
        if response.status == http.client.PARTIAL_CONTENT:
            span = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", headers.get("Content-Range", ""))
            start, total = (int(span[1]), int(span[2])) if span else (-1, None)
        version = headers.get("ETag") or headers.get("Last-Modified")
        named = f"{url} {version} {total}".encode()
        tag = hashlib.sha256(named).hexdigest()[:12] if version and total else None
        return cls(start, total, tag)


def _fetch(url: str, target: Path, *, verbose: bool) -> Path:
    """Receive what is missing of the file; return the complete part."""
    old = _part_left_behind(target)
    size = old.stat().st_size if old else 0
    response = _open(url, size)
    offer = _Offer.of(response, url)
    part = _part(target, offer)
    if offer.start and not (offer.tag and old == part and offer.start == size):
        response.close()  # the remote file has changed: what is here belongs to another one
        response = _open(url, 0)
        offer = _Offer.of(response, url)
        part = _part(target, offer)
    if old and old != part:
        old.unlink(missing_ok=True)
    try:
        with response:
            _receive(response, part, offer, verbose=verbose)
    except BaseException:
        if offer.tag is None:
            part.unlink(missing_ok=True)  # nothing could tell later which version it belongs to
        raise
    return part


def _part(target: Path, offer: _Offer) -> Path:
    return target.with_name(f"{target.name}.{offer.tag or os.getpid()}.part")


def _part_left_behind(target: Path) -> Path | None:
    found = [path for path in target.parent.glob(f"{target.name}.*.part") if path.stat().st_size]
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


def _open(url: str, start: int) -> Any:
    headers = {"User-Agent": "ssrlpl", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    try:
        request = urllib.request.Request(url, headers=headers)
        return urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        if start and error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            return _open(url, 0)
        raise
    except http.client.HTTPException as error:
        raise BrokenDownloadError(f"{url} does not answer as a web server does") from error


def _receive(response: Any, part: Path, offer: _Offer, *, verbose: bool) -> None:
    got = offer.start
    total = offer.total or 0
    label = f"download {part.name.rsplit('.', 2)[0]}"
    part.touch()
    with part.open("r+b") as file, Progress(label, total, verbose=verbose and total > 0) as bar:
        file.seek(got)
        if got:
            bar.advance(got)
        try:
            while chunk := response.read(CHUNK_BYTES):
                file.write(chunk)
                got += len(chunk)
                bar.advance(len(chunk))
        except (OSError, http.client.HTTPException) as error:
            raise BrokenDownloadError(f"the connection broke after {got} bytes") from error
        if offer.total is not None and got != offer.total:
            raise BrokenDownloadError(f"{got} of {offer.total} bytes arrived")
        file.truncate(got)


def _check(part: Path, url: str, sha256: str | None) -> None:
    if sha256 is None:
        return
    with part.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        part.unlink(missing_ok=True)
        raise ValueError(
            f"The sha256 of {url} must be {sha256}. Got {found}, and the file was removed: try"
            " again, and if it happens again the file at this address has changed."
        )


def _publish(part: Path, target: Path) -> None:
    with contextlib.suppress(FileNotFoundError):  # another process was first, with the same bytes
        os.replace(part, target)
    if not target.is_file():
        raise BrokenDownloadError(f"{part} was removed while it was written")
