"""Arrays of other libraries, without one of them installed."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ssrlpl._utils.arrays import is_foreign, to_numpy


class Guest:
    """An array that hands itself over as a copy only, and refuses the array API's way."""

    device = "cpu"

    def __init__(self, refusal):
        self.refusal = refusal

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        raise self.refusal("no export to a device by name")

    def __array__(self, dtype=None, copy=None):
        return np.arange(3.0)


@pytest.mark.parametrize("refusal", [TypeError, NotImplementedError, BufferError])
def test_arrays_that_cannot_be_exported_are_copied(refusal):
    guest = Guest(refusal)
    assert is_foreign(guest)
    assert_array_equal(to_numpy(guest), [0, 1, 2])


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.1.0",
    reason="NumPy before 2.1 takes its own conversion before the array is asked",
)
def test_other_errors_of_an_array_are_shown():
    with pytest.raises(ZeroDivisionError, match="no export"):
        to_numpy(Guest(ZeroDivisionError))
