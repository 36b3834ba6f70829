"""Download a file over HTTP with pooch: three attempts, a checksum, and never half a file."""

from __future__ import annotations

import logging
from pathlib import Path

from .._utils.progress import Progress

RETRIES = 2
TIMEOUT_SECONDS = 30.0
"""Of silence: a slow download that goes on is not interrupted."""
CHUNK_BYTES = 1 << 16


def download(url: str, target: Path, *, sha256: str | None = None, verbose: bool = True) -> Path:
    """Download ``url`` to ``target``, which appears only when it is complete and checked.

    Proxies are taken from the environment. ``sha256`` is what the checksum must be, where one is
    known.

    Raises
    ------
    OSError
        The server cannot be reached, refuses, or breaks off, three times.
    ValueError
        The checksum is wrong, three times.
    ImportError
        pooch is not installed.
    """
    try:
        import pooch
        from requests.exceptions import RequestException
    except ImportError as error:
        raise ImportError("Downloads need pooch: pip install 'ssrlpl[data]'") from error
    files = pooch.create(
        target.parent,
        base_url="",
        registry={target.name: sha256},
        urls={target.name: url},
        retry_if_failed=RETRIES,
    )
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.WARNING)  # it announces every file; our bar is enough
    try:
        with _Bar(f"download {target.name}", verbose=verbose) as bar:
            downloader = pooch.HTTPDownloader(
                progressbar=bar,
                chunk_size=CHUNK_BYTES,
                timeout=TIMEOUT_SECONDS,
                # Compressed on the way, a file would not have the length the server announces.
                headers={"User-Agent": "ssrlpl", "Accept-Encoding": "identity"},
            )
            files.fetch(target.name, downloader=downloader)
    except RequestException as error:
        raise OSError(f"{url} {_what_happened(error)}") from error
    except ValueError as error:
        raise ValueError(
            f"The sha256 of {url} is not {sha256}, so the file was removed: try again, and if it"
            " happens again the file at this address has changed"
        ) from error
    finally:
        logger.setLevel(level)
    return target


def _what_happened(error: OSError) -> str:
    """Return a short form of an error message of requests."""
    from requests.exceptions import ChunkedEncodingError, HTTPError

    if isinstance(error, HTTPError):
        return f"answers {error.response.status_code} ({error.response.reason})"
    return "broke off" if isinstance(error, ChunkedEncodingError) else "cannot be reached"


class _Bar(Progress):
    """Our line of progress under the names that pooch calls; the server tells the total."""

    def __init__(self, label: str, *, verbose: bool):
        super().__init__(label, 0, verbose=verbose)
        self._wanted = verbose

    @property
    def total(self) -> float:
        """Bytes of the file."""
        return self._total

    @total.setter
    def total(self, n_bytes: float) -> None:
        self._total = n_bytes
        self._verbose = self._wanted and n_bytes > 0  # a server need not tell the length
        self.reset()

    def update(self, n_bytes: float) -> None:
        """Count bytes that arrived."""
        self.advance(n_bytes)

    def reset(self) -> None:
        """Count from the start: pooch begins another attempt, or fills the bar at the end."""
        self._done = 0.0

    def close(self) -> None:
        """Leave the end of the line to the with statement, which knows whether all went well."""
