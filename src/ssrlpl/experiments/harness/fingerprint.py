"""Which code made a number: a hash of the modules it depends on.

The hash covers a module and every module of this package that it imports, directly or not, also
inside functions. Comments, layout and docstrings do not count, so a better explanation does not
throw away a night of computing; any change in what the code says does. A package imports all of its
files, so code whose results are kept imports the one file it needs.
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

    Parameters
    ----------
    *modules : str
        Names such as ``"ssrlpl.maps.kernel"``.

    Examples
    --------
    >>> from ssrlpl.experiments.harness.fingerprint import code_fingerprint
    >>> len(code_fingerprint("ssrlpl.maps.kernel"))
    12
    """
    digest = hashlib.sha256()
    for name in sorted(dependencies(*modules)):
        digest.update(f"{name}\n{_code(name)}\n".encode())
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


def _code(name: str) -> str:
    """Return the source of a module without comments, layout and docstrings."""
    tree = ast.parse(ast.unparse(_tree(name)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            has_docstring = ast.get_docstring(node, clean=False) is not None
            node.body = node.body[1:] if has_docstring else node.body
    return ast.unparse(tree)


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
