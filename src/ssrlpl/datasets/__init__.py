"""Data to try things on: real sets, generators, and a way to hide labels.

Nothing is imported before it is used: most programs need one loader.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .book_sets import load_ssl_book
    from .checks import check_1nn
    from .generators import make_g241, make_two_moons
    from .hiding import hide_labels
    from .images import load_coil20, load_mnist, load_sbdata, load_umist, load_usps
    from .reuters import load_reuters10k, load_reuters21578

_HOME = {
    "check_1nn": "checks",
    "hide_labels": "hiding",
    "load_coil20": "images",
    "load_mnist": "images",
    "load_reuters10k": "reuters",
    "load_reuters21578": "reuters",
    "load_sbdata": "images",
    "load_ssl_book": "book_sets",
    "load_umist": "images",
    "load_usps": "images",
    "make_g241": "generators",
    "make_two_moons": "generators",
}

__all__ = [
    "check_1nn",
    "hide_labels",
    "load_coil20",
    "load_mnist",
    "load_reuters10k",
    "load_reuters21578",
    "load_sbdata",
    "load_ssl_book",
    "load_umist",
    "load_usps",
    "make_g241",
    "make_two_moons",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
