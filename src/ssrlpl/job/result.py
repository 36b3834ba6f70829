"""What a job found, row by row, however the table was read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils import limits
from .._utils.types import Array, Ints, Mask
from .._utils.user_warnings import is_of_a_library
from ..guarantee import LabelCertificate
from ..labels import UNLABELED
from ..tables import RawTable, TableTransformer, Target
from ..tables.cell_values import texts_of

NAMING_COLUMNS = 6
"""Columns whose cells stand beside a row that a person looks at."""


@dataclass(frozen=True)
class Predictions:
    """For each row the two most probable classes, and the probability of its given label."""

    code: NDArray[np.int32]
    probability: NDArray[np.float32]
    second: NDArray[np.int32]
    second_probability: NDArray[np.float32]
    given_probability: NDArray[np.float32]

    @classmethod
    def of(cls, P: Array, codes: Ints) -> Predictions:
        """Read them off a matrix of probabilities; ``codes`` are the given labels or -1."""
        rows = np.arange(len(P))
        order = np.argsort(-P, axis=1, kind="stable")
        first, second = order[:, 0], order[:, 1]
        # The code of an unlabeled row would name the last class; it is masked out right after.
        given = np.where(codes != UNLABELED, P[rows, codes], np.nan)
        return cls(
            first.astype(np.int32),
            P[rows, first].astype(np.float32),
            second.astype(np.int32),
            P[rows, second].astype(np.float32),
            given.astype(np.float32),
        )

    @classmethod
    def join(cls, parts: list[Predictions]) -> Predictions:
        """Put the predictions of chunks together."""
        names = list(cls.__dataclass_fields__)
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True)
class Sample:
    """The rows the report draws: their numbers, the raw cells, the encoded columns."""

    rows: Ints
    frame: Any
    X: Array


class Caution(NamedTuple):
    """What takes the figures back: in full, and as the first line without any figure."""

    warning: str
    first_line: str


@dataclass(frozen=True)
class Fitted:
    """A fitted model and what it says about the table."""

    name: str
    model: Any
    columns: TableTransformer
    dropped: list[str]
    """Columns that were not used, by the person's wish or because they cannot be."""
    target: Target
    ids: Array
    id_name: str | None
    representation: NDArray[np.float32]
    predictions: Predictions
    sample: Sample
    X: Array | None
    """The encoded table, None if it was read in chunks."""
    notes: list[str] = field(default_factory=list)
    audit: Mask | None = None
    """The rows whose labels were meant for auditing, None if no column marks them."""
    cautions: list[Caution] = field(default_factory=list)
    """What must be said before any figure."""
    certified: LabelCertificate | None = None
    not_certified: str = ""
    """A sentence why nothing is certified, if it is not."""
    table: RawTable | None = None
    """The table as it was read, None if that was in chunks."""
    accepted: Mask | None = None
    """The filled-in labels that may be taken as they are, if that is certified."""

    @property
    def used(self) -> list[str]:
        """The columns that were used."""
        return [column.name for column in self.columns.columns_]

    @property
    def naming_columns(self) -> list[str]:
        """The columns that name a row best: those that were left out, then the first used."""
        return naming_columns(
            [*self.dropped, *self.used], self.sample.frame, {self.target.name, self.id_name}
        )

    @property
    def feature_names(self) -> list[str]:
        """The names of the columns after encoding."""
        return self.columns.get_feature_names_out().tolist()

    @property
    def labels(self) -> Array:
        """The label of each row: the given one where there is one, else the predicted."""
        codes = np.where(self.target.is_labeled, self.target.codes, self.predictions.code)
        return self.target.classes[codes]

    @property
    def label_probability(self) -> NDArray[np.float32]:
        """The model's probability of that label."""
        given = self.target.is_labeled
        return np.where(given, self.predictions.given_probability, self.predictions.probability)

    @property
    def delivers_certified(self) -> bool:
        """Whether the model is the one that was certified: it learned from no audit label."""
        return self.audit is not None and teaches_all_classes(self.target, self.audit)


def teaches_all_classes(target: Target, audit: Mask) -> bool:
    """Tell whether every class has a label that does not audit."""
    teaching = target.codes[target.is_labeled & ~audit]
    return len(np.unique(teaching)) == len(target.classes)


def naming_columns(names: list[str], frame: Any, reserved: set[str | None]) -> list[str]:
    """Return the first few of the named columns that tell rows apart and are not reserved."""
    known = (name for name in names if name in frame.columns and name not in reserved)
    # Lists and the like cannot be compared: texts of them can.
    telling = (name for name in known if len(set(texts_of(frame[name].iloc[:1000]))) > 1)
    return list(islice(telling, NAMING_COLUMNS))


def rows_to_show(codes: Ints, seed: int) -> Ints:
    """Choose the rows of the report: labeled ones first, then others at random."""
    if len(codes) <= limits.SHOWN_ROWS:
        return np.arange(len(codes))
    rng = np.random.default_rng(seed)
    labeled, others = (
        rng.permutation(np.flatnonzero(kind)) for kind in (codes != UNLABELED, codes == UNLABELED)
    )
    # Half of the places at most are for labeled rows, unless the others do not fill theirs.
    count = min(len(labeled), max(limits.SHOWN_ROWS // 2, limits.SHOWN_ROWS - len(others)))
    return np.sort(np.concatenate([labeled[:count], others[: limits.SHOWN_ROWS - count]]))


@contextmanager
def collected_warnings(notes: list[str]) -> Iterator[None]:
    """Turn warnings that are meant for people into notes, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        sentence = " ".join(str(warning.message).split())
        is_ours = issubclass(warning.category, UserWarning)
        is_ours = is_ours and not is_of_a_library(warning.filename)
        if is_ours and sentence not in notes:
            notes.append(sentence)
