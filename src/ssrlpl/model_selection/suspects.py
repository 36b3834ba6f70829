"""Given labels that look wrong."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._utils import limits
from .._utils.printing import Table
from .search import SSRLPLCV


def suspect_labels(estimator: SSRLPLCV) -> Table:
    """Return the given labels that look wrong, the least credible first.

    Each label was hidden in turn. A label is listed if the others make another one more probable
    for its row: it may be a slip of the person who gave it, or a row that is hard to tell. The
    list is worth as much as leave-one-out is: look at ``nested_error_`` first. (Three draws each:
    of 15 wrong labels among 150 of digits all were listed, with one to four right ones; of 10
    among 100 of breast cancer, which has two classes that overlap, 7 to 9, with two to five.)

    Parameters
    ----------
    estimator : SSRLPLCV
        Fitted. Of more than 1,500 labels those 1,500 are judged that its search used.

    Returns
    -------
    Table
        Columns row (its number in X), given, likely (the most probable label without the given
        one), probability (of the likely label) and given_probability (of the given one). A label
        that is the only one of its class is never listed, because the others do not know that
        class. ``to_frame()`` gives a DataFrame.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from ssrlpl import SSRLPLCV
    >>> from ssrlpl.datasets import hide_labels
    >>> from ssrlpl.model_selection import suspect_labels
    >>> X, truth = load_wine(return_X_y=True)
    >>> y = hide_labels(truth, keep=60, random_state=0)
    >>> slip = (y == 2).argmax()
    >>> y[slip] = 0
    >>> found = suspect_labels(SSRLPLCV().fit(StandardScaler().fit_transform(X), y))
    >>> bool(found.rows[0][0] == slip), found.rows[0][1:3]
    (True, (0, 2))
    """
    if not isinstance(estimator, SSRLPLCV):
        raise TypeError(
            f"estimator must be SSRLPLCV, which hides each label in turn. Got"
            f" {type(estimator).__name__}: for others compare loo_predict with the labels."
        )
    check_is_fitted(estimator, "loo_rows_")
    if not hasattr(estimator, "loo_probabilities_"):
        raise ValueError(
            "suspect_labels needs loo_probabilities_, of which a model file holds up to"
            f" {limits.MODEL_LABEL_NUMBERS:,} numbers. Got a loaded model without: ask before"
            " saving, or fit the search again."
        )
    P, rows, given = estimator.loo_probabilities_, estimator.loo_rows_, estimator.loo_codes_
    likely, places = P.argmax(axis=1), np.arange(len(rows))
    is_alone = np.bincount(given, minlength=P.shape[1])[given] == 1
    suspect = np.flatnonzero((likely != given) & ~is_alone)
    suspect = suspect[np.argsort(P[places, given][suspect], kind="stable")]
    classes = estimator.classes_.tolist()
    return Table(
        ("row", "given", "likely", "probability", "given_probability"),
        tuple(
            (int(rows[i]), classes[given[i]], classes[likely[i]],
             float(P[i, likely[i]]), float(P[i, given[i]]))
            for i in suspect
        ),
    )  # fmt: skip
