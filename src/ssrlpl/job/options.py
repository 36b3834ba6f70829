"""What the person asked for, and where progress is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from .._utils import limits
from ..baselines.registry import BASELINES
from ..tables import RawTable, TableTransformer, Target, candidates, read, read_target
from ..tables.errors import unknown_column
from ..tables.evidence import TINY
from ..tables.label_merging import LabelFile
from ..tables.text_formats import TextFormat

MAPS = ("linear", "kernel")

NOT_AT_RANDOM = (
    "What is certified holds if all labels are of rows drawn at random: if merged ones were chosen,"
    " as by label-next, mark rows that were drawn in a column and pass it to --audit."
)

Advance = Callable[[float], None]


@dataclass(frozen=True)
class ReadOptions:
    """How a table is read."""

    table: str
    id: str | None = None
    missing: tuple[str, ...] = ()
    sheet: str | None = None
    array: str = "X"
    sep: str | None = None
    decimal: str = "auto"
    encoding: str | None = None
    header_row: int | None = None
    all_rows: bool = False
    images: str | None = None

    def __post_init__(self) -> None:
        if self.decimal not in ("auto", ".", ","):
            raise ValueError(f"--decimal must be . or a comma. Got {self.decimal!r}.")
        if self.sep is not None and len(self.sep.replace("\\t", "\t")) != 1:
            raise ValueError(f"--sep must be one character, or \\\\t. Got {self.sep!r}.")

    def text_format(self) -> TextFormat:
        """Return how a text file is written, as far as it was said."""
        sep = None if self.sep is None else self.sep.replace("\\t", "\t")
        return TextFormat(sep, self.decimal, self.encoding, self.header_row, self.all_rows)

    def read(self, *, target: str | None) -> RawTable:
        """Read the whole table; what is missing in other columns may be the name of a row."""
        raw = self._read(target, self.missing)
        may_be_named = self.missing and self.table != "-" and self.id in raw.frame.columns
        if may_be_named and raw.frame[self.id].isna().any():
            names = self._read(target, ()).frame[self.id]
            if len(names) == len(raw.frame):  # no row is left out because all of it is missing
                raw.frame[self.id] = names
        return raw

    def _read(self, target: str | None, missing: tuple[str, ...]) -> RawTable:
        return read(
            self.table,
            target=target,
            missing=missing,
            sep=self.text_format().sep,
            decimal=self.decimal,
            encoding=self.encoding,
            sheet=self.sheet,
            array=self.array,
            header_row=self.header_row,
            all_rows=self.all_rows,
            images=self.images,
        )


@dataclass(frozen=True)
class FitOptions:
    """A whole job; the names are those of the command line."""

    read: ReadOptions
    target: str
    unlabeled: str | None = None
    bins: int | None = None
    features: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    scale: bool = True
    max_categories: int = limits.MAX_CATEGORIES
    dates: tuple[tuple[str, str], ...] = ()
    category: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    embed: str | None = None
    method: str = "auto"
    components: int | None = None
    neighbors: int | None = None
    sigma: float | None = None
    certify: bool | None = None
    audit: str | None = None
    audit_splits: int = 1
    merge: str | None = None
    prefer_merged: bool = False
    dask: str | None = None
    """The address of a scheduler, or "local"; None for this process."""
    seed: int = 0
    command: str = ""

    def __post_init__(self) -> None:
        if self.method not in ("auto", *MAPS, *BASELINES):
            raise ValueError(
                f"--method must be one of auto, {', '.join(MAPS)}, or a published method:"
                f" {', '.join(BASELINES)}. Got {self.method!r}."
            )
        if self.method in BASELINES and (self.neighbors or self.sigma):
            raise ValueError(
                f"--neighbors and --sigma are for --method {' and '.join(MAPS)}. Got"
                f" {self.method!r}, which chooses its settings itself: leave them out."
            )
        if self.bins is not None and (self.bins < 0 or self.bins == 1):
            raise ValueError(f"--bins must be 2 or more, or 0 for none. Got {self.bins}.")
        for name in ("components", "neighbors", "sigma", "audit_splits"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                option = name.replace("_", "-")
                raise ValueError(f"--{option} must be larger than zero. Got {value}.")
        if self.sigma is not None and not TINY < self.sigma < 1 / TINY:  # it is squared
            raise ValueError(
                f"--sigma must be between {TINY:g} and {1 / TINY:g}, near the usual distance of two"
                f" rows. Got {self.sigma:g}: leave it out, and it is found from the rows."
            )
        if self.max_categories < 2:
            raise ValueError(
                f"--max-categories must be 2 or more. Got {self.max_categories}: leave columns of"
                " categories out with --drop."
            )

    @property
    def n_certifying(self) -> int:
        """Return how many fits certify the labels."""
        return 0 if self.certify is False or self.audit == "none" else self.audit_splits

    def candidates(self, names: Iterable[str]) -> list[str]:
        """Return the columns that may be features."""
        reserved = {"--target": self.target}
        if self.read.id is not None:
            reserved["--id"] = self.read.id
        known = list(names)
        audit = self.audit_column(known)
        if audit is not None:
            reserved["--audit"] = audit
        asked_by = {"--category": self.category, "--text": self.text, "--date": dict(self.dates)}
        for option, asked in asked_by.items():
            for name in asked:
                if name not in known:
                    raise unknown_column(name, known, option)
        return candidates(
            known, features=list(self.features), drop=list(self.drop), reserved=reserved
        )

    def audit_column(self, names: Iterable[str]) -> str | None:
        """Return the column that marks the audited rows, None if --audit names none."""
        if self.audit is None or self.audit == "none":
            return None
        known = list(names)
        if self.audit in known:
            if self.audit_splits > 1:
                raise ValueError(
                    f"--audit-splits {self.audit_splits} divides the labels at random, and --audit"
                    f" {self.audit} says how they are divided: leave one of them out."
                )
            return self.audit
        share = self.audit_share
        if share is None:
            raise unknown_column(self.audit, known, "--audit")
        if not 0 < share < 1:
            raise ValueError(
                f"--audit must be a column, a share between 0 and 1, or none. Got {self.audit!r}."
            )
        return None

    @property
    def audit_share(self) -> float | None:
        """Share of the labels that audit, None for the usual one."""
        try:
            return float(self.audit or "")
        except ValueError:
            return None

    def merged_labels(self, column: Any, row_names: Any) -> tuple[Any, list[str]]:
        """Return the target column with the labels that --merge adds, and what to know."""
        if self.merge is None:
            return column, []
        file = LabelFile(read(self.merge, target=self.target), self.target, self.read.id)
        labels, notes = file.merged(
            column, row_names, unlabeled=self.unlabeled, prefer_file=self.prefer_merged
        )
        if self.audit is None:
            notes.append(NOT_AT_RANDOM)
        return labels, notes

    def read_target(self, column: Any) -> Target:
        """Read the labels."""
        return read_target(column, self.target, unlabeled=self.unlabeled, bins=self.bins)

    def transformer(self, decimal: str = "auto", images: tuple[str, ...] = ()) -> TableTransformer:
        """Return what turns the table into numbers, not fitted."""
        return TableTransformer(
            scale=self.scale,
            max_categories=self.max_categories,
            decimal=decimal,
            dates=dict(self.dates),
            category=self.category,
            text=self.text,
            embed=self.embed,
            images=images,
            keep=self.features,
        )


class Steps(Protocol):
    """Shows what is being done; ``advance`` is called with the amount finished since the last."""

    def step(self, label: str, total: float | None = None) -> AbstractContextManager[Advance]:
        """Begin a step; a total of None means that its length is not known."""

    def say(self, text: str) -> None:
        """Tell what a person should know before the work goes on."""


class Silent:
    """Shows nothing."""

    @contextmanager
    def step(self, label: str, total: float | None = None) -> Iterator[Advance]:  # noqa: ARG002
        """Do the work."""
        yield lambda amount: None  # noqa: ARG005

    def say(self, text: str) -> None:
        """Say nothing."""
