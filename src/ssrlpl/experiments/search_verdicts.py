"""Verdicts of SSRLPLCV against the truth: ``python -m ssrlpl.experiments.search_verdicts``.

The truth is the difference in the error on the unlabeled rows between the search and the same
search among candidates of the labeled rows alone; differences below one point are ties.
"""

from __future__ import annotations

import argparse
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.printing import Table
from .._utils.progress import Progress
from ..labels import UNLABELED
from ..model_selection import SSRLPLCV
from ..model_selection.candidates import Candidate, family
from .files import write_csv
from .verdicts import SSL_SETS, TIE, problems


class LabeledRowsSearch(SSRLPLCV):
    """The search among candidates of the labeled rows alone."""

    def candidates(self, X: Any) -> list[Candidate]:
        """Return those that no unlabeled row has a say in."""
        return [candidate for candidate in family(X) if not candidate.uses_unlabeled]


def judge(X: Any, truth: NDArray[np.intp], rows: NDArray[np.intp]) -> dict[str, Any]:
    """Return the true gain of the unlabeled rows and what the search says of it."""
    y = np.full(X.shape[0], UNLABELED)
    y[rows] = truth[rows]
    hidden = y == UNLABELED
    searches = SSRLPLCV().fit(X, y), LabeledRowsSearch().fit(X, y)
    with_all, alone = (np.mean(s.transduction_[hidden] != truth[hidden]) for s in searches)
    gain, found = float(alone - with_all), searches[0].comparison_
    assert found is not None
    return {
        "gain": gain,
        "truth": "tie" if abs(gain) < TIE else ("helps" if gain > 0 else "hurts"),
        "verdict": found.verdict if searches[0].uses_unlabeled_ else "not used",
        "estimate": found.gain,
        "standard_error": found.standard_error,
        "p_value": found.p_value,
    }


def main(arguments: list[str] | None = None) -> None:
    """Write every verdict beside the truth and print the confusion table."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, default=Path("results/search_verdicts.csv"))
    out = parser.parse_args(arguments).out
    found = []
    with Progress("verdicts", 2 * 12 * (len(SSL_SETS) + 2), verbose=True) as progress:
        for n_labeled in (10, 100):
            for name, X, truth, rows in problems(n_labeled):
                if len(np.unique(truth[rows])) > 1:
                    found.append({"data": name, "labels": n_labeled, **judge(X, truth, rows)})
                progress.advance()
    write_csv(found, out)
    print(confusion(found))


def confusion(found: list[dict[str, Any]]) -> Table:
    """Count verdicts (columns) for each truth (rows) and number of labels."""
    counts = Counter((row["labels"], row["truth"], row["verdict"]) for row in found)
    verdicts = ("helps", "undecided", "not used", "hurts")
    rows = tuple(
        (*case, *(counts[*case, verdict] for verdict in verdicts))
        for case in product((10, 100), ("helps", "tie", "hurts"))
    )
    return Table(("labels", "truth", *verdicts), rows)


if __name__ == "__main__":
    main()
