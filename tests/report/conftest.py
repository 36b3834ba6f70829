"""A real report, made once."""

import pytest

from report_page import page_of
from report_samples import digits


@pytest.fixture(scope="session")
def real():
    summary, arrays = digits(n_rows=300, n_labels=150)
    return summary, arrays, page_of(summary, arrays)
