"""Texts as sentence embeddings, by a model that is on this computer."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from .._utils.advice import option
from .._utils.types import Floats
from .cell_values import TEXT, texts_of
from .encoded_columns import EncodedColumn
from .errors import TableError
from .evidence import ColumnEvidence


@dataclass(frozen=True)
class EmbeddedTextColumn(EncodedColumn):
    """A text: what a sentence-transformers model makes of it, all columns with variance one."""

    embed: str
    means: Floats
    scale: float

    kind: ClassVar[str] = TEXT

    @classmethod
    def of(cls, seen: ColumnEvidence, embed: str) -> EmbeddedTextColumn:
        """Return it for what was seen of the column; a folder is found again from anywhere."""
        embed = str(Path(embed).resolve()) if Path(embed).is_dir() else embed
        Z = _embedded(seen.prose, embed)
        scale = float(np.sqrt(Z.var(axis=0).sum()))
        return cls(seen.name, seen.found, embed, Z.mean(axis=0), scale or 1.0)

    def words(self) -> str:
        """Say what the column becomes."""
        return f"sentence embeddings by {self.embed}, in {len(self.means)} columns"

    @property
    def names(self) -> list[str]:
        """The text's name with a number."""
        return [f"{self.name}_{number}" for number in range(1, len(self.means) + 1)]

    def encode(self, column: Any) -> Floats:
        """Return the embeddings; an empty text has that of the empty sentence."""
        texts = [text or "" for text in texts_of(column)]
        return (_embedded(texts, self.embed) - self.means) / self.scale


def _embedded(texts: list[str], embed: str) -> Floats:
    found = _model(embed).encode(texts, normalize_embeddings=True, show_progress_bar=False)
    return np.asarray(found, dtype=np.float64)


@lru_cache(maxsize=2)
def _model(embed: str) -> Any:
    """Return a model from this computer; nothing is downloaded without being asked for."""
    # Nothing is asked of the network, and no bar of another library is drawn.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise TableError(
            f"{option('embed')} needs sentence-transformers: pip install 'ssrlpl[text]'; without it"
            " words are weighted by tf-idf."
        ) from error
    try:
        with suppress(ImportError):
            from transformers.utils import logging

            logging.disable_progress_bar()
            logging.set_verbosity_error()
        return SentenceTransformer(embed, local_files_only=True)
    except (OSError, ValueError) as error:
        if Path(embed).is_absolute():
            told = (
                f"the folder {embed!r}, which holds no model of sentence-transformers: name, or put"
                " back, the one with its modules.json."
            )
        else:
            told = (
                f"the model {embed!r}, which is not on this computer: download it once, as in"
                ' python -c "from sentence_transformers import SentenceTransformer as S;'
                f' S({embed!r})", or name a folder that holds it.'
            )
        raise TableError(f"{option('embed')} names {told}") from error
