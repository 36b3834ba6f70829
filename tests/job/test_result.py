"""Which rows the report draws."""

import numpy as np
import pytest

from ssrlpl._utils import limits
from ssrlpl.job.result import rows_to_show


@pytest.mark.parametrize(("n_labeled", "n_shown"), [(3, 2), (9, 3), (1, 1)])
def test_half_of_the_places_are_for_labeled_rows_unless_others_are_few(
    n_labeled, n_shown, monkeypatch
):
    monkeypatch.setattr(limits, "SHOWN_ROWS", 4)
    codes = np.where(np.arange(10) < n_labeled, 0, -1)
    rows = rows_to_show(codes, seed=0)
    assert len(rows) == len(set(rows.tolist())) == 4
    assert np.count_nonzero(rows < n_labeled) == n_shown
    assert (np.diff(rows) > 0).all()
