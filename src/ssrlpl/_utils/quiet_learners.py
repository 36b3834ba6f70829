"""Silence warnings about settings that are ours and not the user's."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning


@contextmanager
def quiet_learners() -> Iterator[None]:
    """Silence the warnings of classifiers that are fitted with our settings.

    Warning filters belong to the whole process. If each thread entered and left this context, one
    would restore what another one has just changed: enter it before threads are started.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="Some inputs do not have OOB scores")
        warnings.filterwarnings("ignore", message="The number of unique classes is greater")
        # Refits without a label of maps that had just enough of them, or of equal rows.
        warnings.filterwarnings("ignore", message="n_neighbors=.* labeled rows: all of them vote")
        warnings.filterwarnings("ignore", message="The rows have only .* directions that differ")
        yield
