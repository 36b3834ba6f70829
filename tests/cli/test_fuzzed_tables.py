"""Tables that nobody would make on purpose: no traceback, no library's message."""

import warnings

import pytest

import command_line  # noqa: F401  # skips without the extras of the command line
from table_fuzz import complaint


@pytest.mark.parametrize("first", range(0, 60, 6))
def test_a_fuzzed_table_is_fitted_or_refused_in_a_sentence(first, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = [complaint(seed, tmp_path) for seed in range(first, first + 6)]
    assert not any(found), found
