"""The reference: which members a class shows, and the page with the theory of each name."""

import inspect
from typing import Any

from sphinx.application import Sphinx

THEORY = {
    "ssrlpl.maps": ("method", "The method"),
    "ssrlpl.labelers": ("method", "The method"),
    "ssrlpl.labels": ("glossary", "Glossary"),
    "ssrlpl.hsic": ("method", "The method"),
    "ssrlpl.guarantee": ("guarantee", "The guarantee"),
    "ssrlpl.model_selection": ("choosing", "How SSRLPLCV chooses"),
    "ssrlpl.classify": ("method", "The method"),
    "ssrlpl.active": ("guarantee", "The guarantee"),
    "ssrlpl.tables": ("cli", "What happens to the columns"),
    "ssrlpl.datasets": ("data", "Data sets"),
    "ssrlpl.baselines": ("choosing", "How SSRLPLCV chooses"),
    "ssrlpl.plotting": ("method", "The method"),
    "ssrlpl.persistence": ("project/security", "Security"),
}
"""The page that explains what a package does, by the package that holds the code."""


def theory_of(module: str) -> tuple[str, str]:
    """Return the page that explains what is in a module, and its title."""
    return THEORY[".".join(module.split(".")[:2])]


def add_theory(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """End the text of a public class or function with the page that explains it."""
    if what not in ("class", "function", "exception"):
        return
    page, title = theory_of(thing.__module__)
    lines += ["", ".. rubric:: Theory", "", f":doc:`{title} </{page}>`"]


def skip_foreign(
    app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out methods that scikit-learn or Python wrote: its own pages describe them."""
    written_by = getattr(inspect.unwrap(member), "__module__", None) if callable(member) else None
    return True if written_by and not written_by.startswith("ssrlpl") else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Run after numpydoc, which rewrites docstrings at the default priority."""
    app.connect("autodoc-process-docstring", add_theory, priority=900)
    app.connect("autodoc-skip-member", skip_foreign)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
