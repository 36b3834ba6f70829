"""Public names as the reference lists them, and the page that explains each."""

import ast
import importlib
import inspect
import re
from itertools import pairwise
from pathlib import Path

THEORY = {
    "ssrlpl.maps": ("method", "The method"),
    "ssrlpl.labelers": ("method", "The method"),
    "ssrlpl.labels": ("glossary", "Glossary"),
    "ssrlpl.hsic": ("method", "The method"),
    "ssrlpl.guarantee": ("guarantee", "The guarantee"),
    "ssrlpl.model_selection": ("choosing", "How SSRLPLCV chooses"),
    "ssrlpl.classify": ("method", "The method"),
    "ssrlpl.any_estimator": ("method", "The method"),
    "ssrlpl.learners": ("choosing", "How SSRLPLCV chooses"),
    "ssrlpl.mixture": ("choosing", "How SSRLPLCV chooses"),
    "ssrlpl.active": ("guarantee", "The guarantee"),
    "ssrlpl.tables": ("cli", "The command line"),
    "ssrlpl.datasets": ("data", "Data sets"),
    "ssrlpl.distributed": ("scale", "Scale"),
    "ssrlpl._utils": ("scale", "Scale"),
    "ssrlpl.baselines": ("baselines", "Published methods to compare with"),
    "ssrlpl.plotting": ("method", "The method"),
    "ssrlpl.root_scaler": ("choosing", "How SSRLPLCV chooses"),
    "ssrlpl.persistence": ("project/security", "Security"),
}
"""The page that explains what a package does, by the package that holds the code."""

LIST = Path(__file__).parents[1] / "reference" / "index.rst"


def listed_names() -> list[tuple[str, str]]:
    """Return module and name of every public name, as the reference lists them."""
    module, names = "", []
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = match[1]
        elif match := re.match(r"   (\w+)$", line):
            names.append((module, match[1]))
    return names


def text_below(package: str, name: str) -> str:
    """Return what stands below a value where it is made; autodoc looks in its package only."""
    folder = Path(inspect.getfile(importlib.import_module(package))).parent
    for path in sorted(folder.glob("*.py")):
        for made, below in pairwise(ast.parse(path.read_text(encoding="utf-8")).body):
            match made, below:
                case ast.AnnAssign(target=ast.Name(id=id)), ast.Expr(ast.Constant(str(text))):
                    if id == name:
                        return inspect.cleandoc(text)
    raise LookupError(f"{package}.{name} has no text below it.")


def theory_of(module: str) -> tuple[str, str]:
    """Return the page that explains what is in a module, and its title."""
    return THEORY[".".join(module.split(".")[:2])]
