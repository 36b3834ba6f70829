"""Colors and symbols of the classes, distinct with every common form of color blindness.

The palette of Okabe and Ito, changed until no two of its ten colors look alike to a protan, deutan
or tritan eye, on a light and on a dark page (``tests/report/test_palette.py`` measures it). The
symbol changes with the color, so that classes also differ in a gray print.
"""

from __future__ import annotations

LIGHT = (
    "#0962B1", "#D55911", "#15A47B", "#B77BB4", "#D09213",
    "#00A6F4", "#000000", "#605600", "#882255", "#706D7C",
)  # fmt: skip
DARK = (
    "#4790F0", "#E8702A", "#12BE94", "#D09BD2", "#F1B235",
    "#A7DAFF", "#FFFFFF", "#FBEA57", "#B5466D", "#8791A0",
)  # fmt: skip
SYMBOLS = ("circle", "square", "diamond", "cross", "x")
# In 3-D plotly writes symbols as letters, and not every computer has letters for cross and x.
SYMBOLS_3D = ("circle", "square", "diamond", "circle-open", "square-open")
DISTINCT = len(LIGHT) * len(SYMBOLS)
"""How many classes have a color and symbol of their own."""

SHAPES = {
    "circle": "M2 7a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    "square": "M2 2h10v10H2z",
    "diamond": "M7 1l6 6-6 6-6-6z",
    "cross": "M5 1h4v4h4v4H9v4H5V9H1V5h4z",
    "x": "M3 1l4 4 4-4 2 2-4 4 4 4-2 2-4-4-4 4-2-2 4-4-4-4z",
    "circle-open": "M1 7a6 6 0 1 0 12 0a6 6 0 1 0-12 0zm3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
    "square-open": "M1 1h12v12H1zm3 3v6h6V4z",
}
"""The symbols as SVG paths, 14 by 14."""


def color_index(code: int) -> int:
    """Return which of the colors a class has."""
    return code % len(LIGHT)


def symbol(code: int) -> str:
    """Return the symbol of a class: the next one for each class, and one more for each ten."""
    return SYMBOLS[_place(code)]


def symbol_3d(code: int) -> str:
    """Return the symbol of a class in three dimensions."""
    return SYMBOLS_3D[_place(code)]


def _place(code: int) -> int:
    return (code + code // len(LIGHT)) % len(SYMBOLS)
