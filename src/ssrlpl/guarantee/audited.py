"""What is known when filled-in labels are certified: predictions, and the truth of some rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._utils.types import Floats, Ints, Mask


@dataclass(frozen=True)
class AuditedRows:
    """The rows that did not teach, what a model says about them, and which were audited.

    These rows are the population of every statement. The model never saw their labels. The
    audited ones are a random sample of them, drawn without replacement; the others are the
    *filled-in* rows, which have no label but the model's.

    Parameters
    ----------
    predicted : ndarray of shape (n_rows,)
        Code of the predicted class.
    scores : ndarray of shape (n_rows, n_classes)
        How much the model believes in each class; larger is more.
    is_audited : ndarray of shape (n_rows,)
        Mask of the audited rows.
    truth : ndarray of shape (n_audited,)
        Codes of their true classes, in row order.
    """

    predicted: Ints
    scores: Floats
    is_audited: Mask
    truth: Ints

    @property
    def n_rows(self) -> int:
        """Number of rows that did not teach."""
        return len(self.predicted)

    @property
    def n_audited(self) -> int:
        """Number of audited rows."""
        return len(self.truth)

    @property
    def n_filled_in(self) -> int:
        """Number of rows that have no label but the model's."""
        return self.n_rows - self.n_audited

    @cached_property
    def is_wrong(self) -> Mask:
        """Mask of all rows: audited, and the model is wrong."""
        wrong = self.is_audited.copy()
        wrong[self.is_audited] = self.predicted[self.is_audited] != self.truth
        return wrong

    @property
    def n_wrong(self) -> int:
        """Number of audited rows about which the model is wrong."""
        return int(np.count_nonzero(self.is_wrong))

    @property
    def sureness(self) -> Floats:
        """How much the model believes in the class that it predicts, for each row."""
        return self.scores[np.arange(self.n_rows), self.predicted]
