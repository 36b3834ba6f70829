"""What to pass, in the words of whoever asks: options in a shell, arguments in Python.

Sentences about tables name their cure with these functions, so that the same sentence is right in
both worlds. Python is assumed unless the command line says that it asks.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_IN_SHELL: ContextVar[bool] = ContextVar("in_shell", default=False)

_OPTIONS = {"keep": "features", "dates": "date"}
"""Options that are called otherwise than the argument."""


@contextmanager
def for_the_shell() -> Iterator[None]:
    """Name options of the command line within this block."""
    token = _IN_SHELL.set(True)
    try:
        yield
    finally:
        _IN_SHELL.reset(token)


def either(in_shell: str, in_python: str) -> str:
    """Return the words for the world that asks."""
    return in_shell if _IN_SHELL.get() else in_python


def option(name: str, *values: Any) -> str:
    """Name an argument of ours, with a value if it has one; a list stands for several values.

    Examples
    --------
    >>> from ssrlpl._utils.advice import for_the_shell, option
    >>> option("header_row", 0), option("text", ["my notes"]), option("sep")
    ('header_row=0', "text=['my notes']", 'sep=')
    >>> with for_the_shell():
    ...     option("header_row", 0), option("text", ["my notes"]), option("sep")
    ('--header-row 0', "--text 'my notes'", '--sep')
    """
    written = f"--{_OPTIONS.get(name, name).replace('_', '-')}"
    if not values:
        return either(written, f"{name}=")
    (value,) = values
    if value is True:
        return either(written, f"{name}=True")
    return either(f"{written} {_typed(value)}", f"{name}={value!r}")


def dropped(names: list[str]) -> str:
    """Say how columns are left out."""
    return either(f"--drop {_typed(names)}", f"X.drop(columns={names!r})")


def date_format(name: str, format_: str) -> str:
    """Say how the format of a column of dates is given."""
    return either(f"--date {_typed(f'{name}={format_}')}", f"dates={ {name: format_}!r}")


def missing_cells(cells: list[str]) -> str:
    """Say how cells are declared missing."""
    in_shell = " ".join(f"--missing {_typed(cell)}" for cell in cells)
    return either(in_shell, f"missing={cells!r} to ssrlpl.tables.read")


def _typed(value: Any) -> str:
    """Write a value as it must be typed in a shell; several are separated by commas."""
    if isinstance(value, list | tuple):
        value = ",".join(str(item).replace(",", "\\,") for item in value)
    return shlex.quote(str(value))
