"""Rows of length one, whatever their size."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from ssrlpl._core.blocks import unit_rows


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_rows_whose_squares_are_no_numbers_get_length_one(make):
    """1e200 squared is infinite, and 1e-200 squared is zero."""
    X = np.array([[1e200, 1e200], [3e-200, -4e-200], [0.0, 0.0]])
    unit = unit_rows(make(X))
    dense = unit.toarray() if sparse.issparse(unit) else unit
    assert_allclose(dense, [[0.5**0.5, 0.5**0.5], [0.6, -0.8], [0, 0]])
