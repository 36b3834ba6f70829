r"""Prediction sets: a set of classes for each row that contains the true one often enough.

Split conformal prediction (Vovk et al. 2005; Sadinle et al. 2019). The score of a row and a class
is how little the model believes in that class. Let :math:`s_1, \dots, s_m` be the scores of the
audited rows with their true classes, and q the :math:`\lceil (m+1)\gamma \rceil`-th smallest of
them, or infinity if there are fewer. A set holds every class with a score of at most q.

*Proof.* Draw a filled-in row at random. It and the m audited rows are m + 1 rows in random order.
So the score of its true class is among the :math:`\lceil (m+1)\gamma \rceil` smallest of the m + 1
with a probability of at least γ, and then it is at most q; ties only help, because equal scores are
in the set. ∎ The same holds for a new row from the same source and, with the audited rows of one
class alone, for the rows of that class.

A model may give the same row another last digit in a batch of other size, so a score that falls
short of q by rounding only is in the set, too. That makes sets larger, if anything.
"""

from __future__ import annotations

import numpy as np

from .._utils.types import Floats, Mask
from .audited import AuditedRows

ROUNDING = 1e-6
"""Relative difference of scores that may be rounding, of models that compute in single precision
(1e-7 a step) as well."""


def sets_of_classes(audited: AuditedRows, scores: Floats, coverage: float, per_class: bool) -> Mask:
    """Return the sets for rows with given scores, as a mask of rows × classes.

    ``per_class`` gives each class its own threshold; a class with too few audited rows is in
    every set.
    """
    true_scores = audited.scores[audited.is_audited, audited.truth]
    if not per_class:
        return scores >= _least_score(true_scores, coverage)
    own = [true_scores[audited.truth == code] for code in range(scores.shape[1])]
    return scores >= np.array([_least_score(values, coverage) for values in own])


def _least_score(true_scores: Floats, coverage: float) -> float:
    """Return the score that a class must reach to be in a set (scores are beliefs, -s above)."""
    m = len(true_scores)
    # 1e-9 because (m+1)*coverage may be stored as 19.000...01.
    rank = int(np.ceil((m + 1) * coverage - 1e-9))
    least = -np.inf if rank > m else float(np.sort(true_scores)[m - rank])
    return least * (1 - ROUNDING if least > 0 else 1 + ROUNDING)
