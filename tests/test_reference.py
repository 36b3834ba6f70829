"""Every public name stands in the reference once, with an example and a page that explains it."""

import doctest
import importlib
import inspect
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PUBLIC = (
    "ssrlpl", "ssrlpl.baselines", "ssrlpl.datasets", "ssrlpl.guarantee", "ssrlpl.hsic",
    "ssrlpl.labelers", "ssrlpl.maps", "ssrlpl.model_selection",
)  # fmt: skip
"""Packages that users import from; of ``ssrlpl.tables`` most names serve the command line."""


@pytest.fixture(scope="module")
def reference():
    """What the site knows of the names and their pages."""
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        return importlib.import_module("public_names")
    finally:
        sys.path.pop(0)


def listed(reference):
    for module, name in reference.listed_names():
        yield getattr(importlib.import_module(module), name)


def test_every_public_name_is_listed_once(reference):
    things = list(listed(reference))
    assert len({id(thing) for thing in things}) == len(things)
    for module in map(importlib.import_module, PUBLIC):
        missing = [n for n in module.__all__ if not any(getattr(module, n) is x for x in things)]
        assert missing == [], f"{module.__name__}: add them to docs/reference/index.rst"


def test_the_theory_of_every_name_is_a_page(reference):
    for module, name in reference.listed_names():
        thing = getattr(importlib.import_module(module), name)
        page, _ = reference.theory_of(getattr(thing, "__module__", module))
        assert (DOCS / f"{page}.md").exists() or page == "project/security"


def test_every_name_has_an_example_which_pytest_runs(reference):
    things = [thing for thing in listed(reference) if callable(thing)]
    assert [t.__name__ for t in things if ">>>" not in (inspect.getdoc(t) or "")] == []


def test_the_example_of_a_value_runs_too(reference):
    """Doctest reads the texts of modules, classes and functions, not what is below a value."""
    for module, name in reference.listed_names():
        if not callable(getattr(importlib.import_module(module), name)):
            example = doctest.DocTestParser().get_doctest(
                reference.text_below(module, name), {}, name, None, 0
            )
            assert example.examples
            assert doctest.DocTestRunner().run(example).failed == 0
