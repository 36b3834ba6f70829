"""What is wrong with a table, in one sentence for the person who has it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

from .._utils.advice import option
from .._utils.printing import listed
from .header_lines import is_number

_NUMBERED = re.compile(r"(\d\.\d+)\.\d+")  # a cell that came twice in the header: 1.5 and 1.5.1


class TableError(ValueError):
    """A table that cannot be used as it is; the message names the cure.

    Examples
    --------
    >>> from ssrlpl.tables import TableError, read
    >>> try:
    ...     read("no-such-file.csv")
    ... except TableError as error:
    ...     print(error)
    There is no file no-such-file.csv: check the path.
    """


def nearest_name(name: str, names: Iterable[str]) -> str | None:
    """Return the name that a person may have meant, None if all are far from it."""
    plain = {str(known).strip().casefold(): str(known) for known in names}
    asked = name.strip().casefold()
    inner = [known for known in plain if known.endswith(f".{asked}")]  # of an object in JSON
    return next((plain[n] for n in inner + get_close_matches(asked, plain, n=1)), None)


def unknown_column(name: str, columns: Iterable[str], asker: str) -> TableError:
    """Return the error for a column that is not there, with the nearest name that is."""
    known = list(columns)
    near = nearest_name(name, known)
    hint = f"did you mean {near!r}?" if near else f"there are {listed(map(repr, known))}."
    cells = [column for column in known if is_number(_NUMBERED.sub(r"\1", column))]
    if len(known) == 1:
        hint = f"all of it is one column, {known[0]!r}: name what separates the cells with"
        hint += f" {option('sep')}."
    elif 2 * len(cells) >= len(known) > 1 and not near:
        hint += f" They look like cells: pass {option('header_row', 0)} if the file has no header,"
        hint += " and the columns are called 0, 1, and so on."
    return TableError(f"{asker} names the column {name!r}, which the table does not have: {hint}")


def all_or_complaints(*steps: Callable[[], Any]) -> list[Any]:
    """Return what all steps return, or raise what every one of them complains about, at once."""
    results, complaints = [], []
    for step in steps:
        try:
            results.append(step())
        except TableError as error:
            complaints.append(str(error))
    if complaints:
        raise TableError(" ".join(complaints))
    return results
