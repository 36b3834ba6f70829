"""Names of classes: some mean "no label", some look like one class written in two ways."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from .readings import NO, NO_VALUE, YES

NO_LABEL = NO_VALUE | {
    "unlabeled", "unlabelled", "no label", "nolabel", "to do", "todo", "pending", "undefined",
    "undecided", "not labeled", "keine", "unbekannt", "tbc", "(leer)", "(blank)", "(empty)", "-999",
    "-9999", "-99", "99999",
}  # fmt: skip
"""What people write where there is no label, in lower case."""

CODES_OF_NOTHING = frozenset(("-9", "-8", "9", "88", "98", "99", "998", "999", "9999"))
"""Numbers that questionnaires use where there is no answer."""

MOST_COMPARED = 300
"""Classes up to which each is compared with each."""

_CAPITALS = re.compile(r"(\w*[a-z])[A-Z] \1[A-Z]")  # treatA treatB
_ROMAN = re.compile("[ivx]+")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")


def counting_order(names: Sequence[str]) -> list[int]:
    """Return the positions of names in the order in which people count: 2 before 10.

    Examples
    --------
    >>> from ssrlpl.tables.class_names import counting_order
    >>> names = ["k1", "k10", "k2", "K3", "-1"]
    >>> [names[position] for position in counting_order(names)]
    ['-1', 'k1', 'k2', 'K3', 'k10']
    """
    return sorted(range(len(names)), key=lambda position: _counted(names[position]))


def _counted(name: str) -> tuple[bool, float, list[tuple[float, str]], str]:
    """Return what sorts a name: numbers first, then texts with the numbers in them as numbers."""
    try:
        number = float(name)
    except ValueError:
        number = float("nan")
    is_text = number != number
    parts = _NUMBER.split(name.casefold())  # texts and numbers take turns
    pieces = [(float(part), "") if j % 2 else (-1.0, part) for j, part in enumerate(parts)]
    return is_text, 0.0 if is_text else number, pieces, name


def markers_among(counts: Counter[str]) -> list[str]:
    """Return the labels that probably mean "no label", the most frequent first.

    Examples
    --------
    >>> from collections import Counter
    >>> from ssrlpl.tables.class_names import markers_among
    >>> markers_among(Counter({"(none)": 5, "a": 2})), markers_among(Counter({"9": 5, "0": 2}))
    (['(none)'], ['9'])
    >>> markers_among(Counter({"9": 5, "8": 2, "7": 2}))
    []
    """
    return [
        label
        for label, _ in counts.most_common()
        if not NO_LABEL.isdisjoint((label.lower(), label.strip("()[]<>{} ").lower()))
        or _is_code_apart(label, counts)
    ]


def _is_code_apart(label: str, counts: Counter[str]) -> bool:
    """Tell whether a number such as 9 or 99 is far from all other codes of classes, or below."""
    others = [other for other in counts if other != label]
    if label not in CODES_OF_NOTHING or not all(other.isdecimal() for other in others):
        return False
    return int(label) < 0 or int(label) > max(map(int, others), default=int(label)) + 2


def look_alike(counts: Counter[str]) -> list[list[str]]:
    """Return groups of labels that differ by case, blanks or a letter, most frequent first.

    Examples
    --------
    >>> from collections import Counter
    >>> from ssrlpl.tables.class_names import look_alike
    >>> look_alike(Counter({"Dog": 9, "dog": 5, "Dgo": 1, "Bird": 7, "k1": 4, "k2": 4}))
    [['Dog', 'dog', 'Dgo']]
    >>> look_alike(Counter({"yes": 5, "Y": 3, "no": 9, "0": 2}))
    [['yes', 'Y'], ['no', '0']]
    """
    yes, no = ({w for w in counts if w.lower() in known} for known in (YES | {"1"}, NO | {"0"}))
    if len(counts) == len(yes) + len(no) > 2 and yes and no:
        return [sorted(group, key=lambda w: -counts[w]) for group in (yes, no) if len(group) > 1]
    groups: list[list[str]] = []
    for label, _ in counts.most_common(MOST_COMPARED):
        home = next((group for group in groups if _are_alike(label, group)), None)
        if home is None:
            groups.append([label])
        else:
            home.append(label)
    return [group for group in groups if len(group) > 1]


def _are_alike(label: str, group: Iterable[str]) -> bool:
    plain = plain_name(label)
    return any(
        plain == plain_name(other)
        or (_typo(plain, plain_name(other)) and not _CAPITALS.fullmatch(f"{label} {other}"))
        for other in group
    )


def plain_name(label: str) -> str:
    """Return a name in small letters, with single blanks between its words."""
    return " ".join(label.replace("_", " ").casefold().split())


def _typo(a: str, b: str) -> bool:
    """Tell whether two words differ by a letter: left out, exchanged, or in a word of five.

    Names with digits are meant to differ by one; so are short ones, such as cat and rat.
    """
    words = [pair for pair in zip_longest(a.split(), b.split(), fillvalue="") if len(set(pair)) > 1]
    if len(words) == 1:  # "stage I" and "stage II" are told apart by one word
        a, b = words[0]
    if not (a + b).replace(" ", "").isalpha() or min(len(a), len(b)) < 3:
        return False
    if _ROMAN.fullmatch(a) and _ROMAN.fullmatch(b):
        return False
    if len(a) != len(b):
        long, short = max(a, b, key=len), min(a, b, key=len)
        return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))
    differ = [i for i in range(len(a)) if a[i] != b[i]]
    if len(differ) == 2:
        i, j = differ
        return j == i + 1 and a[i] == b[j] and a[j] == b[i]
    return len(differ) == 1 and len(a) >= 5
