"""Where a data set is looked for: a folder the user names, the cache, then the network."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sklearn.utils import Bunch

from .._utils.user_warnings import warn_user
from . import layout
from .checks import FIGURES, check_1nn
from .download import download
from .layout import Contents


@dataclass(frozen=True)
class Form:
    """A file a data set can come as.

    ``read`` turns its path into our layout; ``sha256`` is the checksum of the file at ``url``,
    where one is known.
    """

    file_name: str
    read: Callable[[Path], Contents]
    url: str = ""
    sha256: str | None = None


@dataclass(frozen=True)
class Fetcher:
    """A way to get a data set through scikit-learn: what it is called, and the call."""

    name: str
    fetch: Callable[[], Contents]


@dataclass(frozen=True)
class Record:
    """What is known of a data set before any file is opened.

    The first of the ``forms`` it can come as is ours, and what a download is stored as. The
    ``fetchers`` are ways to get it through scikit-learn, tried before the addresses of ``forms``. A
    download of another ``shape`` is refused. ``fingerprint`` is
    :func:`ssrlpl.datasets.layout.fingerprint` of the true data.
    """

    name: str
    description: str
    source: str
    citation: str
    forms: tuple[Form, ...]
    fetchers: tuple[Fetcher, ...] = ()
    shape: tuple[int, int] | None = None
    fingerprint: str | None = None

    @property
    def remote(self) -> str:
        """The places it can be downloaded from, in the order they are tried."""
        places = [fetcher.name for fetcher in self.fetchers]
        return " or ".join(places + [form.url for form in self.forms if form.url])


def cache_folder() -> Path:
    """Return the folder for downloads: ``SSRLPL_CACHE``, else the one the system has for caches."""
    if named := os.environ.get("SSRLPL_CACHE"):
        return Path(named).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local"), "ssrlpl/Cache")
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/ssrlpl"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "ssrlpl")


def places(folder: str | os.PathLike[str] | None = None) -> list[Path]:
    """Return the folders to look in: the one given, or ``SSRLPL_DATA``, then the cache."""
    name = folder if folder is not None else os.environ.get("SSRLPL_DATA") or None
    if name is None:
        return [cache_folder()]
    path = Path(name).expanduser()
    if not path.is_dir():
        said = "folder" if folder is not None else "SSRLPL_DATA"
        raise FileNotFoundError(
            f"{said} must name a folder that exists. Got {str(name)!r}: correct it, or leave it"
            " out to use the cache."
        )
    return [path, cache_folder()]


def obtain(
    record: Record,
    folder: str | os.PathLike[str] | None = None,
    *,
    download_if_missing: bool = True,
    verbose: bool = True,
) -> tuple[Contents, Path]:
    """Return the contents of a data set, and the file they were read from or stored in."""
    for place in places(folder):
        for form in record.forms:
            path = place / form.file_name
            if path.is_file():
                return read(form, path), path
    if not record.remote:
        raise FileNotFoundError(_missing(record, "there is no public download"))
    if not download_if_missing:
        raise FileNotFoundError(_missing(record, "download_if_missing is False"))
    return _download(record, verbose=verbose)


def read(form: Form, path: Path) -> Contents:
    """Read a file, and say which one if it is broken."""
    try:
        return layout.check(form.read(path))
    except Exception as error:  # a broken file fails in as many ways as its format has parts
        raise ValueError(
            f"{path} must be a {form.file_name} as described in docs/data.md. Got"
            f" {type(error).__name__}: {error}. Delete it and get it again."
        ) from error


def as_bunch(record: Record, X: Any, y: Any, path: Path, **more: Any) -> Bunch:
    """Return data together with their name, description, source and citation."""
    return Bunch(
        X=X,
        y=y,
        name=record.name,
        description=record.description,
        source=record.source,
        citation=record.citation,
        path=str(path),
        **more,
    )


def _download(record: Record, *, verbose: bool) -> tuple[Contents, Path]:
    """Try every remote place; store what the first good one gives as our own file."""
    cache = _writable_cache()
    tries: list[Callable[[], Contents]]
    tries = [partial(_from_fetcher, fetcher, verbose) for fetcher in record.fetchers]
    tries += [partial(_from_url, form, cache, verbose) for form in record.forms if form.url]
    reasons: list[Exception] = []
    for attempt in tries:
        try:
            contents = layout.check(attempt())
            found = layout.shape(contents)
            if record.shape is not None and found != record.shape:
                raise ValueError(f"{record.name} must have shape {record.shape}. Got {found}.")
        except (OSError, ValueError, KeyError, ImportError) as error:
            reasons.append(error)
            continue
        path = cache / record.forms[0].file_name
        layout.write_npz(path, contents)
        _warn_if_different(record, contents, path)
        return contents, path
    why = "; ".join(str(reason) for reason in reasons)
    raise FileNotFoundError(_missing(record, f"the download failed: {why}")) from reasons[-1]


def _from_fetcher(fetcher: Fetcher, verbose: bool) -> Contents:
    if verbose:  # scikit-learn shows no bar
        print(f"downloading from {fetcher.name}", file=sys.stderr)
    return fetcher.fetch()


def _from_url(form: Form, cache: Path, verbose: bool) -> Contents:
    # The folder is for one call: what is kept is our own file.
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        path = Path(folder, form.file_name)
        download(form.url, path, sha256=form.sha256, verbose=verbose)
        return read(form, path)


def _writable_cache() -> Path:
    cache = cache_folder()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        if not os.access(cache, os.W_OK):
            raise PermissionError("no permission to write")
    except OSError as error:
        raise OSError(
            f"The cache must be a folder that can be written. Got {cache}: set SSRLPL_CACHE to"
            " another folder."
        ) from error
    return cache


def _warn_if_different(record: Record, contents: Contents, path: Path) -> None:
    """Compare a fresh download with the true data, or else with its 1-NN figure."""
    if record.fingerprint is not None:
        is_same = layout.fingerprint(contents) == record.fingerprint
    else:
        data = as_bunch(record, layout.matrix(contents), contents["y"], path)
        is_same = record.name not in FIGURES or check_1nn(data).agrees
    if not is_same:
        warn_user(
            f"{record.name} was downloaded to {path}, and its values are not those the published"
            " figures were made with: compare them with ssrlpl.datasets.check_1nn."
        )


def _missing(record: Record, reason: str) -> str:
    names = " or ".join(form.file_name for form in record.forms)
    third = (
        f"or go online and let it be downloaded from {record.remote}"
        if record.remote
        else f"or get it from its owners ({record.source})"
    )
    return (
        f"{record.name} is missing ({reason}): pass folder= or set SSRLPL_DATA to a folder that"
        f" holds {names}, put that file into the cache {cache_folder()}, {third}."
    )
