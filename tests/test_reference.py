"""Every public name stands in the reference once, with an example and a page that explains it."""

import importlib
import inspect
import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PUBLIC = (
    "ssrlpl", "ssrlpl.baselines", "ssrlpl.datasets", "ssrlpl.guarantee", "ssrlpl.hsic",
    "ssrlpl.labelers", "ssrlpl.maps", "ssrlpl.model_selection", "ssrlpl.tables",
)  # fmt: skip
"""Packages that users import from; the others serve the command line."""


def names_in_reference():
    """Yield the module and the name of every line of the lists in the reference."""
    module = ""
    for line in (DOCS / "reference" / "index.rst").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = match[1]
        elif match := re.match(r"   (\w+)$", line):
            yield module, match[1]


LISTED = list(names_in_reference())


def test_every_public_name_is_listed_once():
    listed = [getattr(importlib.import_module(module), name) for module, name in LISTED]
    assert len({id(thing) for thing in listed}) == len(listed)
    for module in map(importlib.import_module, PUBLIC):
        missing = [n for n in module.__all__ if not any(getattr(module, n) is x for x in listed)]
        assert missing == [], f"{module.__name__}: add them to docs/reference/index.rst"


def test_the_theory_of_every_name_is_a_page():
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        theory_of = pytest.importorskip("reference_pages").theory_of
    finally:
        sys.path.pop(0)
    for module, name in LISTED:
        thing = getattr(importlib.import_module(module), name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            page, _ = theory_of(thing.__module__)
            assert (DOCS / f"{page}.md").exists() or page.startswith("project/")
