"""Model files: ``save`` and ``load`` without pickle, so that loading a file executes no code.

A model file has a first line with the format, a second line of JSON about the model, and the model
in the format of skops::

    ssrlpl-model <format> <SHA-256 of all that follows> <bytes that follow>
    {"model": ..., "versions": ..., "feature_names": ..., "about": ...}
    <skops>

The first line has the same form in all future versions, so a file of a newer format, a truncated
or a changed file is detected before its content is used. The checksum only detects accidental
changes. The protection against malicious files is skops, which builds only objects of the types in
``TRUSTED`` (:mod:`ssrlpl.model_parts`) and of scikit-learn's estimators; what would fill the memory
is refused before it is unpacked.
"""

from __future__ import annotations

import hashlib
import io
import json
import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from ._utils import limits
from ._utils.archives import ArchiveError, checked_bytes
from ._utils.estimator_parts import blamed_part
from ._utils.files import whole_file, why_not_written
from ._utils.left_behind import for_a_model_file
from .model_parts import TRUSTED, name_in_code, name_in_file

FORMAT = 2
"""Format that this version writes, and the newest format that it reads."""

MAGIC = b"ssrlpl-model"

_FIRST_LINE = re.compile(rb"ssrlpl-model (\d{1,9}) ([0-9a-f]{64}) (\d{1,18})\n")


class ModelFileError(ValueError):
    """Raised if a model cannot be saved, or if a file cannot be loaded as a model."""


@dataclass(frozen=True)
class ModelFile:
    """A model and the header of its file."""

    model: Any
    header: dict[str, Any]

    @property
    def about(self) -> dict[str, Any]:
        """Additional data of the writer; the command line stores its column names here."""
        return dict(self.header.get("about") or {})


def save(model: Any, path: str | Path, *, about: dict[str, Any] | None = None) -> None:
    """Write a model to a file that can be loaded without executing code (needs skops).

    Parameters
    ----------
    model : estimator
        An estimator of this package, alone or in a pipeline with scikit-learn's.
    path : str or Path
        The file; an existing file is replaced when the new one is complete.
    about : dict, optional
        Additional data for the header, as far as JSON can represent it.

    Examples
    --------
    >>> import tempfile, ssrlpl
    >>> from pathlib import Path
    >>> nearest = ssrlpl.KNNLabeler(1)
    >>> model = ssrlpl.SSRLPL(labeler=nearest).fit([[0.0], [1.0], [2.0]], ["low", None, "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ssrlpl.save(model, Path(folder, "model.ssrlpl"))
    ...     again = ssrlpl.load(Path(folder, "model.ssrlpl"))
    >>> bool((again.components_ == model.components_).all())
    True
    """
    path = Path(path)
    content = file_bytes(model, about=about)
    try:
        with whole_file(path) as partial:
            partial.write_bytes(content)
    except OSError as error:
        raise ModelFileError(why_not_written(path, error, len(content))) from error


def file_bytes(model: Any, *, about: dict[str, Any] | None = None) -> bytes:
    """Return what :func:`save` writes to a file."""
    content = _to_bytes(model)
    kind, names = type(model), getattr(model, "feature_names_in_", None)
    described = {
        "model": ".".join(name_in_file(kind.__module__, kind.__qualname__)),
        "versions": library_versions(),
        "feature_names": None if names is None else [str(name) for name in names],
        "about": about or {},
    }
    try:
        header = json.dumps(described, ensure_ascii=False).encode() + b"\n"
    except TypeError as error:
        raise TypeError(
            "about must hold texts, numbers and lists and dicts of them, as JSON does. Got another"
            f" value ({error}): pass int(...) or float(...) of NumPy's numbers, and .tolist() of"
            " arrays."
        ) from error
    checksum = hashlib.sha256(header + content).hexdigest()
    first = f"{MAGIC.decode()} {FORMAT} {checksum} {len(header) + len(content)}\n".encode()
    return first + header + content


def load(path: str | Path) -> Any:
    """Return the model of a file that :func:`save` wrote (needs skops).

    No code in the file is executed. Predictions are bitwise equal to those of the saved model if
    the versions of the libraries are the same.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    estimator

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ssrlpl import KNNLabeler, load, save
    >>> model = KNNLabeler(1).fit([[0.0], [1.0], [2.0]], ["low", None, "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, Path(folder, "model.ssrlpl"))
    ...     load(Path(folder, "model.ssrlpl")).predict([[1.9]]).tolist()
    ['high']
    """
    return load_file(path).model


def load_file(path: str | Path) -> ModelFile:
    """Return the model of a file together with its header."""
    path = Path(path)
    header, content = _read(path)
    return ModelFile(_from_bytes(content, path, header), header)


def library_versions() -> dict[str, str]:
    """Return the versions of this package, of Python and of the libraries that models need."""
    found = {"python": platform.python_version()}
    for name in ("ssrlpl", "numpy", "scipy", "scikit-learn", "skops", "pandas", "pyarrow"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ImportError("Model files need skops: pip install 'ssrlpl[cli]'.") from error
    return skops.io


def _to_bytes(model: Any) -> bytes:
    skops = _skops()
    if isinstance(model, type) or not hasattr(model, "get_params"):
        raise ModelFileError(f"model must be an estimator. Got {model!r}: pass a fitted model.")
    try:
        with for_a_model_file():
            content = skops.dumps(model)
        unknown = sorted(set(skops.get_untrusted_types(data=content)) - set(TRUSTED))
    except Exception as error:  # any type, because skops calls __reduce__ of unknown objects
        raise ModelFileError(
            f"{blamed_part(model, _can_be_saved)} cannot be saved, because a part of it is not"
            f" plain data ({error}): remove callables and open files."
        ) from error
    if unknown:
        raise ModelFileError(
            f"{blamed_part(model, _can_be_saved)} cannot be saved, because it contains"
            f" {unknown[0]}. {_why_not(model, unknown[0])}"
        )
    packed = _renamed(content, name_in_file)
    if len(content) <= _allowed(packed):
        return packed
    return _renamed(content, name_in_file, ZIP_STORED)  # load refuses what is packed too well


def _allowed(content: bytes) -> float:
    """Return how many bytes the content of a file may have when it is unpacked."""
    return max(limits.MODEL_BYTES, limits.MODEL_RATIO * len(content))


def _why_not(model: Any, unknown: str) -> str:
    found = getattr(model, "best_estimator_", None)
    if found is not None and _can_be_saved(found):
        return "What its search has found can be: pass its best_estimator_."
    if unknown.startswith("sklearn.tree"):
        return (
            "Decision trees are not checked when they are loaded, and a forged one ends the"
            " process: use a classifier without trees."
        )
    return (
        "A model file holds plain data and no code: use kernels and similarities by name instead of"
        " your own functions, and estimators of scikit-learn or of this package."
    )


def _can_be_saved(part: Any) -> bool:
    skops = _skops()
    try:
        return set(skops.get_untrusted_types(data=skops.dumps(part))) <= set(TRUSTED)
    except Exception:  # as above
        return False


def _renamed(
    content: bytes, rename: Callable[[str, str], tuple[str, str]], packing: int = ZIP_DEFLATED
) -> bytes:
    """Return an archive of skops with renamed classes; ``rename`` maps (module, name) pairs."""

    def renamed(node: dict[str, Any]) -> dict[str, Any]:
        if "__module__" in node:
            found = rename(node["__module__"], str(node["__class__"]))
            node["__module__"], node["__class__"] = found
        return node

    result = io.BytesIO()
    with ZipFile(io.BytesIO(content)) as old, ZipFile(result, "w", packing, compresslevel=1) as new:
        for item in old.infolist():
            data = old.read(item)
            if item.filename == "schema.json":
                data = json.dumps(json.loads(data, object_hook=renamed)).encode()
            new.writestr(item.filename, data)
    return result.getvalue()


def _read(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return the header and the bytes of the model; raise if the file is incomplete or changed."""
    first, rest = _open(path)
    written = _FIRST_LINE.fullmatch(first)
    if written is None:
        raise ModelFileError(_not_a_model(path, first))
    version, checksum, size = int(written[1]), written[2].decode(), int(written[3])
    if version > FORMAT:
        raise ModelFileError(
            f"{path} has model format {version}, and this version of ssrlpl reads up to {FORMAT}:"
            " upgrade ssrlpl to load it."
        )
    if len(rest) < size:
        raise ModelFileError(
            f"{path} is cut short: {len(rest):,} of {size:,} bytes are there. Copy it again, or"
            " write it again with save."
        )
    if hashlib.sha256(rest).hexdigest() != checksum:
        raise ModelFileError(
            f"{path} was changed after it was written (its checksum does not match): do not use"
            " it; copy it again, or write it again with save."
        )
    header, _, content = rest.partition(b"\n")
    return json.loads(header), content


def _open(path: Path) -> tuple[bytes, bytes]:
    try:
        with path.open("rb") as file:
            # No first line is longer, and a file that is no model may have no line end at all.
            first = file.readline(len(MAGIC) + 128)
            return first, file.read() if first.startswith(MAGIC) else b""
    except FileNotFoundError as error:
        raise ModelFileError(f"There is no model file {path}: check the path.") from error
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}.") from error


def _not_a_model(path: Path, first: bytes) -> str:
    if first.startswith(MAGIC) or (first and MAGIC.startswith(first)):
        return f"{path} is cut short in its first line. Copy it again, or write it again with save."
    return (
        f"{path} is not a model file of ssrlpl: pass a file written by ssrlpl.save or by"
        " 'ssrlpl fit'."
    )


def _check_sizes(content: bytes) -> None:
    """Raise if a content would fill the memory: also by naming one array many times."""
    allowed = _allowed(content)
    checked_bytes(content, allowed)
    named: list[str] = []

    def note(node: dict[str, Any]) -> dict[str, Any]:
        named.append(str(node.get("file", "")))
        return node

    with ZipFile(io.BytesIO(content)) as archive:
        sizes = {item.filename: item.file_size for item in archive.infolist()}
        json.loads(archive.read("schema.json"), object_hook=note)
    total = sum(sizes.get(name, 0) for name in named)
    if total > allowed:
        raise ArchiveError(f"it names arrays of {total:,} bytes")


def _from_bytes(content: bytes, path: Path, header: dict[str, Any]) -> Any:
    skops = _skops()
    try:
        _check_sizes(content)
        content = _renamed(content, name_in_code)
        unknown = sorted(set(skops.get_untrusted_types(data=content)) - set(TRUSTED))
        if not unknown:
            return skops.loads(content, trusted=list(TRUSTED))
    except ArchiveError as error:
        raise ModelFileError(
            f"{path} was not loaded, because {error}: it is damaged, or made to fill the memory."
            " Write it again with save."
        ) from error
    except Exception as error:  # any type, raised by libraries whose classes have changed
        written = header.get("versions", {})
        libraries = ", ".join(f"{name} {version}" for name, version in written.items())
        raise ModelFileError(
            f"{path} cannot be built with the libraries installed here"
            f" ({type(error).__name__}: {error}): it was written with {libraries}."
        ) from error
    raise ModelFileError(
        f"{path} contains {unknown[0]}, which is no part of a model, so it was not loaded. It was"
        " written by a newer version of ssrlpl, or it is malicious: load only files that you trust."
    )
