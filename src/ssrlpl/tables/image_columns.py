"""Pictures: a column of file names becomes their shapes and colors, a folder becomes a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from .._utils.advice import option
from .._utils.printing import listed
from .._utils.types import Floats
from .cell_values import texts_of
from .class_names import NO_LABEL
from .encoded_columns import EncodedColumn
from .errors import TableError
from .evidence import ColumnEvidence

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".ppm", ".pgm")

SIDE, CELLS, ANGLES, COLOR_SIDE = 64, 8, 9, 4
"""A picture is made 64 by 64; its edges are counted in 8 by 8 cells by 9 angles; 4 by 4 colors."""

IMAGE_DIRECTIONS = 100
"""Columns that pictures become, at most."""

IMAGE = "image"
"""The column of file names in the table that a folder becomes."""

KIND = "image"


def read_folder(folder: Path, target: str | None) -> tuple[Any, list[str]]:
    """Return the pictures in a folder as a table: their names, and their subfolders as labels.

    Pictures in the folder itself have no label, and neither have those in a subfolder whose name
    says so, such as ``unlabeled``.
    """
    import pandas as pd

    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS)
    files = [path for path in files if not path.name.startswith(".")]
    if not files:
        raise TableError(
            f"{folder} is a folder without pictures: name a file in it, or a folder of pictures"
            f" ({', '.join(sorted(ENDINGS))})."
        )
    parents = [path.relative_to(folder).parts[:-1] for path in files]
    named = [parts[0] if parts else None for parts in parents]
    labels = [None if name is None or name.lower() in NO_LABEL else name for name in named]
    frame = pd.DataFrame({IMAGE: [str(path) for path in files]}, dtype=object)
    if target is not None:
        frame[target] = pd.Series(labels, dtype=object)
    subfolders = sorted({name for name in labels if name})
    told = (
        f"subfolders are the labels ({listed(subfolders, 5)})"
        if subfolders
        else "no subfolder names a label"
    )
    return frame, [f"{len(files):,} pictures were found in {folder}; {told}."]


def with_paths(
    frame: Any, images: str | Path | None, target: str | None
) -> tuple[Any, tuple[str, ...]]:
    """Return a table in which a column of names of pictures has their paths, and that column."""
    if images is None:
        return frame, ()
    folder = Path(images)
    if not folder.is_dir():
        raise TableError(
            f"{option('images')} must name a folder of pictures. There is no folder {folder}."
        )
    for name in frame.columns:
        if name == target or frame[name].dtype.kind in "biufMm":
            continue
        cells = texts_of(frame[name])
        paths = [None if cell is None else folder / cell.strip() for cell in cells]
        some = [path for path in paths if path is not None][:50]
        found = sum(path.is_file() and path.suffix.lower() in ENDINGS for path in some)
        if not some or 2 * found <= len(some):
            continue
        lost = next((p for p in paths if p is not None and not p.is_file()), None)
        if lost is not None:
            raise TableError(
                f"Column {name!r} names the picture {lost}, which is not there: copy it there, or"
                " leave the cell empty."
            )
        written = np.array([None if p is None else str(p) for p in paths], dtype=object)
        return frame.assign(**{name: written}), (str(name),)
    raise TableError(
        f"{option('images')} names {folder}, and no column of the table has names of pictures in"
        " it: add a column of file names, or pass the folder alone, with a subfolder for each"
        " class."
    )


@dataclass(frozen=True)
class ImageColumn(EncodedColumn):
    """A picture: its edges and colors, in a few directions.

    It is made 64 by 64. In each of 8 by 8 cells the angles of edges are counted, weighted by their
    strength (a histogram of oriented gradients), and 4 by 4 mean colors are added. Both parts get
    length one, so that neither outweighs the other and the light does not matter; principal
    components follow, the first with variance one, as a number has. A gap becomes the mean.
    """

    means: Floats
    directions: Floats
    scale: float

    kind: ClassVar[str] = KIND

    @classmethod
    def of(cls, seen: ColumnEvidence) -> ImageColumn:
        """Return it for what was seen of the column."""
        from sklearn.decomposition import PCA

        paths = [path for path in seen.prose if path]
        if len(paths) < 2:
            raise TableError(f"Column {seen.name!r} must name two pictures at least.")
        F = np.array([picture_features(path) for path in paths])
        turn = PCA(min(IMAGE_DIRECTIONS, *F.shape), svd_solver="randomized", random_state=0).fit(F)
        scale = float(np.sqrt(turn.explained_variance_[0]))
        return cls(seen.name, seen.found, turn.mean_, turn.components_, scale or 1.0)

    def words(self) -> str:
        """Say what the column becomes."""
        return f"edges and colors of its pictures, in {len(self.directions)} columns"

    @property
    def names(self) -> list[str]:
        """The column's name with a number."""
        return [f"{self.name}_{number}" for number in range(1, len(self.directions) + 1)]

    def encode(self, column: Any) -> Floats:
        """Return the directions of the pictures."""
        Z = [
            np.zeros(len(self.directions))
            if path is None
            else self.directions @ (picture_features(path) - self.means)
            for path in texts_of(column)
        ]
        return np.array(Z) / self.scale


def picture_features(path: str) -> Floats:
    """Return the angles of the edges and the colors of a picture, each part of length one."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise TableError("Pictures need pillow: pip install 'ssrlpl[images]'.") from error
    try:
        with Image.open(path) as picture:
            pixels = np.asarray(picture.convert("RGB").resize((SIDE, SIDE)), dtype=np.float64)
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise TableError(
            f"The picture {path} cannot be read: correct the file, or leave it out."
        ) from error
    down, across = np.gradient(pixels.mean(axis=2))
    strength = np.hypot(down, across)
    angle = (np.arctan2(down, across) % np.pi) * (ANGLES / np.pi)
    low = angle.astype(int) % ANGLES
    share = angle - np.floor(angle)  # an angle between two is counted in both
    edges = np.zeros((CELLS, CELLS, ANGLES))
    cell = np.arange(SIDE) * CELLS // SIDE
    rows, columns = np.meshgrid(cell, cell, indexing="ij")
    np.add.at(edges, (rows, columns, low), strength * (1 - share))
    np.add.at(edges, (rows, columns, (low + 1) % ANGLES), strength * share)
    size = SIDE // COLOR_SIDE
    colors = pixels.reshape(COLOR_SIDE, size, COLOR_SIDE, size, 3).mean(axis=(1, 3))
    return np.concatenate([_unit(np.sqrt(edges.ravel())), _unit(colors.ravel() - 127.5)])


def _unit(values: Floats) -> Floats:
    return values / max(float(np.linalg.norm(values)), 1e-9)
