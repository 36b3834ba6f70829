"""Which rows the page draws."""

import numpy as np

from ssrlpl._utils import limits
from ssrlpl.report.payload import drawn_rows


def test_labeled_rows_are_drawn_and_others_evenly(monkeypatch):
    monkeypatch.setattr(limits, "DRAWN_POINTS", 4)
    given = np.array([-1, -1, 0, -1, -1, -1, -1, -1, -1, -1])
    assert drawn_rows({"given": given}).tolist() == [0, 2, 4, 7]
    assert drawn_rows({"given": np.arange(8)}).tolist() == [0, 2, 4, 6]
