"""Cells that name several choices, as surveys write them: "Excel; Python"."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

SEPARATORS = (";", "|", ",")
"""What stands between choices."""

FEWEST_CELLS = 0.2
"""At least this share of the cells names several choices."""

FEWEST_TEXTS = 6
"""Fewer different texts are a plain category."""


class Choices(NamedTuple):
    """The choices that the cells of a column are made of."""

    sep: str
    names: list[str]


def split_choices(text: str, sep: str) -> list[str]:
    """Return the choices in a cell.

    Examples
    --------
    >>> from ssrlpl.tables.choices import split_choices
    >>> split_choices("Excel; Python;", ";")
    ['Excel', 'Python']
    """
    return [part.strip() for part in text.split(sep) if part.strip()]


def find_choices(texts: Counter[str], most: int) -> Choices | None:
    """Return the choices of a column, None if its cells are texts as a whole.

    The same few choices come in many mixtures: there are at least twice as many different texts,
    and every choice comes more than once.

    Parameters
    ----------
    texts : Counter of str
        The texts of the column, and how often each comes.
    most : int
        Most choices.

    Examples
    --------
    >>> from collections import Counter
    >>> from ssrlpl.tables.choices import find_choices
    >>> find_choices(Counter(["a;b", "b;c", "a;c", "a", "b", "c", "a;b;c"]), most=50)
    Choices(sep=';', names=['a', 'b', 'c'])
    """
    if len(texts) < FEWEST_TEXTS:
        return None
    for sep in SEPARATORS:
        cells = {text: split_choices(text, sep) for text in texts}
        several = sum(count for text, count in texts.items() if len(cells[text]) > 1)
        if several < FEWEST_CELLS * texts.total():
            continue
        counts: Counter[str] = Counter()
        for text, count in texts.items():
            counts.update(dict.fromkeys(cells[text], count))
        has_words = all(any(c.isalpha() for c in name) for name in counts)
        no_copies = all(len(set(names)) == len(names) for names in cells.values())
        # A name of two parts, such as "Smith, Ann", always has both.
        varies = len({len(names) for names in cells.values()}) > 1
        is_mixture = varies and 2 * len(counts) <= len(texts) and min(counts.values()) > 1
        if has_words and no_copies and is_mixture and len(counts) <= most:
            return Choices(sep, sorted(counts))
    return None
