"""Which code made a number: a hash of the modules it depends on.

The hash covers a module and every module of this package that it imports, directly or not, also
inside functions. Comments, layout and docstrings do not count, so a better explanation does not
throw away a night of computing; nor does what a file defines and none of these modules names: a
limit or a check that other code needs. Any other change of the code changes the hash. A package
imports all of its files, so code whose results are kept imports the one file it needs.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

_PACKAGE = __name__.split(".")[0]
_ROOT = Path(__file__).resolve().parents[2]


@lru_cache(maxsize=256)
def code_fingerprint(*modules: str) -> str:
    """Return twelve hexadecimal digits that change when the code behind the modules changes.

    Examples
    --------
    >>> from ssrlpl.experiments.harness.fingerprint import code_fingerprint
    >>> len(code_fingerprint("ssrlpl.maps.kernel"))
    12
    """
    digest = hashlib.sha256()
    found = sorted(dependencies(*modules))
    named = {word for name in found for word in _words(_tree(name))}
    for name in found:  # what the modules asked for define may be named anywhere
        code = _code(name, None if name in modules else named)
        digest.update(f"{name}\n{code}\n".encode())
    return digest.hexdigest()[:12]


def dependencies(*modules: str) -> set[str]:
    """Return the modules and all modules of this package that they import."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_imported(name))
    return found


def _file(name: str) -> Path | None:
    """Return the file of a module of this package, or None if there is no such module."""
    package, *parts = name.split(".")
    if package != _PACKAGE:
        return None
    path = _ROOT.joinpath(*parts)
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if parts and candidate.exists():
            return candidate
    return None if parts else _ROOT / "__init__.py"


@lru_cache(maxsize=512)
def _tree(name: str) -> ast.Module:
    path = _file(name)
    return ast.parse(path.read_text(encoding="utf-8") if path else "")


def _code(name: str, named: set[str] | None) -> str:
    """Return the source of a module without comments, layout, docstrings and what is not named."""
    tree = ast.parse(ast.unparse(_tree(name)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [line for line in node.body if not _is_text(line)]
    if named is not None:
        tree.body = [line for line in tree.body if not _defines_only_others(line, named)]
    return ast.unparse(tree)


def _is_text(line: ast.stmt) -> bool:
    """Tell whether a statement is a docstring, of a constant too."""
    if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)):
        return False
    return isinstance(line.value.value, str)


def _defines_only_others(line: ast.stmt, named: set[str]) -> bool:
    """Tell whether a statement defines something, and nothing that is named."""
    if isinstance(line, ast.FunctionDef | ast.AsyncFunctionDef):
        is_silent = not line.decorator_list  # a decorator may hand the function to somebody
        return is_silent and not line.name.startswith("__") and line.name not in named
    if isinstance(line, ast.Assign | ast.AnnAssign):
        targets = line.targets if isinstance(line, ast.Assign) else [line.target]
        return all(isinstance(t, ast.Name) and t.id not in named for t in targets)
    return False


def _words(tree: ast.Module) -> Iterator[str]:
    """Yield every word by which code could mean something that another module defines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg  # limits.hit(MEDIAN_ROWS=...)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value  # getattr(module, "name")


def _imported(name: str) -> Iterator[str]:
    path = _file(name)
    is_package = path is not None and path.name == "__init__.py"
    parts = name.split(".")
    for node in ast.walk(_tree(name)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _file(alias.name))
        elif isinstance(node, ast.ImportFrom):
            above = parts[: len(parts) - node.level + is_package] if node.level else []
            base = ".".join([*above, node.module] if node.module else above)
            for alias in node.names:  # a name is a submodule, or something its package holds
                inner = f"{base}.{alias.name}"
                yield from [inner] if _file(inner) else [base] if _file(base) else []
