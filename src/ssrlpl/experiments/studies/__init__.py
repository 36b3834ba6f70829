"""The studies: one file for each figure or table."""

from __future__ import annotations

from ..study import Study
from . import benchmarks, bound, moons, real, scenarios, ssl_book, usps3d, variants

STUDIES: dict[str, Study] = {
    module.STUDY.name: module.STUDY
    for module in (moons, usps3d, benchmarks, real, scenarios, bound, ssl_book, variants)
}
"""By the name on the command line."""
