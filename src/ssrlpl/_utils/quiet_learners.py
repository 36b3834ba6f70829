"""Silence warnings of our parts about what the user did not choose, or was told already."""

from __future__ import annotations

import threading
import warnings

from sklearn.exceptions import ConvergenceWarning

_SILENCED = (
    "Some inputs do not have OOB scores",
    "The number of unique classes is greater",
    # Refits without a label of maps that had just enough of them, or of equal rows.
    "n_neighbors=.* labeled rows: all of them vote",
    "The rows have only .* directions that differ",
    # The estimator around a part warns about names of columns.
    "X does not have valid feature names",
    "X has feature names, but",
)
"""How the messages begin."""


class _Quiet:
    """Silences warnings while anybody is in it; the last one to leave restores the filters.

    Filters belong to the whole process. If each thread restored what it had found, one of them
    would bring back, for good, what another one had set.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._found = warnings.catch_warnings()

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                self._found = warnings.catch_warnings()
                self._found.__enter__()
            self._users += 1
            warnings.simplefilter("ignore", ConvergenceWarning)
            for message in _SILENCED:
                warnings.filterwarnings("ignore", message=message)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._found.__exit__(None, None, None)


quiet_learners = _Quiet()
"""Within it, parts with settings of ours are silent, and so are parts about names of columns."""
