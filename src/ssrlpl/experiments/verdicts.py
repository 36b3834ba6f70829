"""Verdicts against the truth: ``python -m ssrlpl.experiments.verdicts``.

The truth is the change in the error of 1-NN on the unlabeled rows, after the map with and without
the unlabeled rows; changes below one point are ties. Verdicts see no label of an unlabeled row.
With ``--development`` the same on the tables on which the rule was developed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

from .._utils import limits
from .._utils.printing import Table as PrintedTable
from .._utils.progress import Progress
from ..datasets import load_ssl_book
from ..guarantee.held_out import cross_fitted_errors
from ..guarantee.verdicts import compare_with_labeled_only
from ..labels import encode_labels
from ..maps.kernel import KernelSSRLPL
from ..model_selection import SSRLPLCV
from . import development
from .development import Problem
from .files import write_csv
from .sharpness import DATA, LABELERS

SSL_SETS = ("Digit1", "USPS", "BCI", "g241c", "COIL", "g241d", "Text")
TIE = 0.01


def problems(n_labeled: int) -> Iterator[Problem]:
    """Yield a name, rows, all labels and the labeled rows of each problem."""
    for name in SSL_SETS:
        book = load_ssl_book(name, n_labeled)
        truth = np.unique(book.y, return_inverse=True)[1]
        for rows in book.splits:
            yield book.name, book.X, truth, rows
    for name in ("digits", "USPS"):
        X, y = DATA[name]()
        some = np.random.default_rng(0).permutation(len(y))[:1800]
        X, truth = X[some], np.unique(y[some], return_inverse=True)[1]
        for seed in range(12):
            yield name, X, truth, np.random.default_rng(seed).permutation(len(truth))[:n_labeled]


def judge(
    estimator: Any, X: Any, truth: NDArray[np.intp], rows: NDArray[np.intp]
) -> dict[str, Any]:  # fmt: skip
    """Return the true gain of the unlabeled rows and the verdict."""
    y = np.full(X.shape[0], -1)
    y[rows] = truth[rows]
    target = encode_labels(y)
    folds = cross_fitted_errors(estimator, X, target)
    third = SSRLPLCV().fit(X, y) if len(y) <= limits.SEARCH_ROWS else None
    comparison = compare_with_labeled_only(estimator, X, target, folds, third)
    maps = (clone(estimator).fit(X[rows], truth[rows]), clone(estimator).fit(X, y))
    hidden = y < 0
    without, with_all = (_error(map_, X, truth, rows, hidden) for map_ in maps)
    gain = without - with_all
    actual = "tie" if abs(gain) < TIE else ("helps" if gain > 0 else "hurts")
    return {
        "gain": gain,
        "truth": actual,
        "verdict": comparison.verdict,
        "estimate": comparison.gain,
        "standard_error": comparison.standard_error,
        "p_value": comparison.p_value,
    }


def _error(
    map_: Any, X: Any, truth: NDArray[np.intp], rows: NDArray[np.intp], hidden: NDArray[np.bool_]
) -> float:
    nearest = KNeighborsClassifier(1).fit(map_.transform(X[rows]), truth[rows])
    return float(np.mean(nearest.predict(map_.transform(X[hidden])) != truth[hidden]))


def main(arguments: list[str] | None = None) -> None:
    """Write every verdict beside the truth and print the confusion table."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--development", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    name = "verdicts_development.csv" if options.development else "verdicts.csv"
    found = run(development.problems if options.development else problems)
    write_csv(found, options.out or Path("results") / name)
    print(confusion(found))
    print(f"\n{coverage(found):.0%} of the true changes lie within two standard errors.")


def run(problems: Callable[[int], Iterable[Problem]]) -> list[dict[str, Any]]:
    """Return a row for each problem, number of labels and labeler."""
    found = []
    cases = [(n_labeled, *problem) for n_labeled in (10, 100) for problem in problems(n_labeled)]
    with Progress("verdicts", len(cases) * len(LABELERS), verbose=True) as progress:
        for (labeler, object_), (n_labeled, name, X, truth, rows) in product(
            LABELERS.items(), cases
        ):
            if len(np.unique(truth[rows])) > 1:
                seen = judge(KernelSSRLPL(labeler=object_), X, truth, rows)
                found.append({"data": name, "labeler": labeler, "labels": n_labeled, **seen})
            progress.advance()
    return found


def coverage(found: list[dict[str, Any]]) -> float:
    """Return how often the true change lies within two standard errors of its estimate."""
    return float(
        np.mean([abs(r["estimate"] - r["gain"]) <= 2 * r["standard_error"] for r in found])
    )


def confusion(found: list[dict[str, Any]]) -> PrintedTable:
    """Count verdicts (columns) for each truth (rows), by labeler and number of labels."""
    keys = ("labeler", "labels", "truth", "verdict")
    counts = Counter(tuple(row[key] for key in keys) for row in found)
    verdicts = ("helps", "undecided", "hurts")
    rows = tuple(
        (*case, *(counts[*case, verdict] for verdict in verdicts))
        for case in product(LABELERS, (10, 100), ("helps", "tie", "hurts"))
    )
    return PrintedTable(("labeler", "labels", "truth", *verdicts), rows)


if __name__ == "__main__":
    main()
