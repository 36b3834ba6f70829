"""Silence for what scikit-learn says about settings that are ours and not the user's."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning


@contextmanager
def quiet_learners() -> Iterator[None]:
    """Silence the warnings of classifiers that are fitted with our settings.

    Filters of warnings belong to the process. If threads enter and leave on their own, one restores
    what another one has just changed; so whoever starts threads enters before they start.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="Some inputs do not have OOB scores")
        warnings.filterwarnings("ignore", message="The number of unique classes is greater")
        yield
