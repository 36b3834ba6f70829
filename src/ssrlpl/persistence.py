"""Model files: ``save`` and ``load`` without pickle, so that loading a file executes no code.

A model file has a first line with the format, a second line of JSON about the model, and the model
in the format of skops::

    ssrlpl-model <format> <SHA-256 of all that follows> <bytes that follow>
    {"model": ..., "versions": ..., "feature_names": ..., "about": ...}
    <skops>

The first line has the same form in all future versions, so a file of a newer format, a truncated
or a changed file is detected before its content is used. The checksum only detects accidental
changes. The protection against malicious files is skops, which builds only objects of the types in
:data:`TRUSTED` and of scikit-learn's estimators; what would fill the memory is refused before it is
unpacked.
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

FORMAT = 2
"""Format that this version writes, and the newest format that it reads."""

MAGIC = b"ssrlpl-model"

_FIRST_LINE = re.compile(rb"ssrlpl-model (\d{1,9}) ([0-9a-f]{64}) (\d{1,18})\n")

HOMES = {
    # Estimators of this package, and the classes of their parts.
    "CosineAnchors": "ssrlpl._core.anchors",
    "EuclideanAnchors": "ssrlpl._core.anchors",
    "KernelAnchors": "ssrlpl._core.anchors",
    "NeighborGraph": "ssrlpl._core.neighbor_graph",
    "NeighborSearch": "ssrlpl._core.neighbor_graph",
    "Kernel": "ssrlpl._core.kernels",
    "CrossMoment": "ssrlpl._core.moments",
    "LabelReading": "ssrlpl._core.readout",
    "NearestReading": "ssrlpl._core.readout",
    "Voters": "ssrlpl._core.votes",
    "LabeledOnly": "ssrlpl.classify",
    "SSRLPLClassifier": "ssrlpl.classify",
    "Comparison": "ssrlpl.guarantee.paired",
    "GivenLabels": "ssrlpl.labelers.given",
    "GraphLabeler": "ssrlpl.labelers.graph",
    "KNNLabeler": "ssrlpl.labelers.knn",
    "KernelSSRLPL": "ssrlpl.maps.kernel",
    "LabeledRidge": "ssrlpl.maps.ridge",
    "SSRLPL": "ssrlpl.maps.linear",
    "SSRLPLCV": "ssrlpl.model_selection.search",
    "CategoryColumn": "ssrlpl.tables.encoded_columns",
    "DateColumn": "ssrlpl.tables.encoded_columns",
    "EmbeddedTextColumn": "ssrlpl.tables.embedded_text",
    "ImageColumn": "ssrlpl.tables.image_columns",
    "MarkColumn": "ssrlpl.tables.encoded_columns",
    "NumberColumn": "ssrlpl.tables.encoded_columns",
    "TextColumn": "ssrlpl.tables.encoded_columns",
    "DateReading": "ssrlpl.tables.readings",
    "DurationReading": "ssrlpl.tables.readings",
    "Found": "ssrlpl.tables.readings",
    "NumberReading": "ssrlpl.tables.readings",
    "TruthReading": "ssrlpl.tables.readings",
    "TableTransformer": "ssrlpl.tables.transformer",
    "HarmonicFunctions": "ssrlpl.baselines.harmonic",
    "LDS": "ssrlpl.baselines.lds",
    "LapRLS": "ssrlpl.baselines.lap_rls",
    "LapSVM": "ssrlpl.baselines.lap_svm",
    "LapSVMPrimal": "ssrlpl.baselines.lap_svm_primal",
    "PathEmbedding": "ssrlpl._core.path_embedding",
    "SemiKSC": "ssrlpl.baselines.semi_ksc",
    "TransductiveSVM": "ssrlpl.baselines.transductive_svm",
    "PoissonLearning": "ssrlpl.baselines.poisson",
    "GraphMincut": "ssrlpl.baselines.mincut",
    "LinearNeighborhoodPropagation": "ssrlpl.baselines.linear_neighborhood",
    "SparseNeighborhoodPropagation": "ssrlpl.baselines.sparse_neighborhood",
    "PairwisePropagation": "ssrlpl.baselines.pairwise",
    "DKSVD": "ssrlpl.baselines.dictionary.dksvd",
    "LCKSVD": "ssrlpl.baselines.dictionary.lcksvd",
    "FDDL": "ssrlpl.baselines.dictionary.fddl",
    "OSSDL": "ssrlpl.baselines.dictionary.ossdl",
    "S2D2": "ssrlpl.baselines.dictionary.s2d2",
    # Pure functions with which KNNLabeler weights distances; partial fixes their bandwidth.
    "cosine_weights": "ssrlpl._core.votes",
    "inverse_distance_weights": "ssrlpl._core.votes",
    "rbf_weights": "ssrlpl._core.votes",
    "uniform_weights": "ssrlpl._core.votes",
}
"""Modules of the classes and functions of this package that a model file may contain.

A file contains ``ssrlpl.Kernel``, not the module of the class, so that files stay readable when
modules are renamed. Format 1 wrote the full module name; only its last part is used.
"""

_PART_OF_FORMAT_1 = ("ssrlpl.model_selection.format1", "Part")
_FORMAT_1 = dict.fromkeys(("Candidate", "Member", "Space"), _PART_OF_FORMAT_1)
"""Classes in files of format 1 that no longer exist, and their replacement."""

TRUSTED = (
    *(f"{module}.{name}" for name, module in HOMES.items()),
    ".".join(_PART_OF_FORMAT_1),
    "functools.partial",
    # Parts of estimators that are plain data, and neighbor search trees, which do not check their
    # arrays: a manipulated tree can crash the process, but not execute code. Decision trees have
    # the same problem and are not trusted, as in skops: no estimator of this package needs them.
    "numpy.dtype",
    "scipy.sparse._csr.csr_array",
    "scipy.sparse._csr.csr_matrix",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
    "sklearn.gaussian_process.kernels.ConstantKernel",
    "sklearn.gaussian_process.kernels.Product",
    "sklearn.gaussian_process.kernels.RBF",
    "sklearn.metrics._dist_metrics.EuclideanDistance32",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._ball_tree.BallTree",
    "sklearn.neighbors._ball_tree.BallTree32",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.neighbors._kd_tree.KDTree32",
)
"""Types and functions that a model file may contain, besides scikit-learn's public estimators."""


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
    module = _PACKAGE if _is_ours(kind.__module__) else kind.__module__
    described = {
        "model": f"{module}.{kind.__qualname__}",
        "versions": library_versions(),
        "feature_names": None if names is None else [str(name) for name in names],
        "about": about or {},
    }
    header = json.dumps(described, ensure_ascii=False).encode() + b"\n"
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
    try:
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
            f" {unknown[0]}. {_why_not(unknown[0])}"
        )

    def rename(module: str, name: str) -> tuple[str, str]:
        return (_PACKAGE if _is_ours(module) else module, name)

    packed = _renamed(content, rename)
    # What load would refuse, because it is packed too well, is not packed.
    return packed if len(content) <= _allowed(packed) else _renamed(content, rename, ZIP_STORED)


def _allowed(content: bytes) -> float:
    """Return how many bytes the content of a file may have when it is unpacked."""
    return max(limits.MODEL_BYTES, limits.MODEL_RATIO * len(content))


def _why_not(unknown: str) -> str:
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


_PACKAGE = "ssrlpl"


def _is_ours(module: str) -> bool:
    return module == _PACKAGE or module.startswith(f"{_PACKAGE}.")


def _at_home(module: str, name: str) -> tuple[str, str]:
    """Return the present module and name of a class or function in a file."""
    if not _is_ours(module):
        return module, name
    return _FORMAT_1.get(name, (HOMES.get(name, module), name))


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
    with ZipFile(io.BytesIO(content)) as old, ZipFile(result, "w", packing, True, 1) as new:
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
        content = _renamed(content, _at_home)
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
