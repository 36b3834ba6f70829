"""Units that stand around numbers: which of them are currencies, and which measure the same."""

from __future__ import annotations

import re

CURRENCY = (
    r"[A-Z]{0,3}\$|[€£¥₹₽₺₩₴₦₫₱₪฿₡₲₵₸₼₾₿]|USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CAD|AUD|BRL"
    r"|Rs\.?|kr\.?|S?Fr\.?"
)
"""A regular expression of what stands before or behind an amount of money."""

SIDES = {"CR": 1.0, "DR": -1.0, "Cr": 1.0, "Dr": -1.0}
"""Credit and debit, which are no units: a number without one is neither."""

_KIN = (
    {"µm": 1e-6, "um": 1e-6, "mm": 1e-3, "cm": 1e-2, "dm": 0.1, "m": 1.0, "km": 1e3, "in": 0.0254,
     "ft": 0.3048, "mi": 1609.344},
    {"µg": 1e-6, "ug": 1e-6, "mg": 1e-3, "g": 1.0, "kg": 1e3, "t": 1e6, "oz": 28.349523125,
     "lb": 453.59237, "lbs": 453.59237},
    {"µl": 1e-6, "µL": 1e-6, "ml": 1e-3, "mL": 1e-3, "cl": 1e-2, "dl": 0.1, "l": 1.0, "L": 1.0,
     "hl": 100.0},
    {"µs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0, "hr": 3600.0},
    {"B": 1.0, "KB": 1e3, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
     "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40},
    {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    {"pM": 1e-12, "nM": 1e-9, "µM": 1e-6, "uM": 1e-6, "mM": 1e-3},
    {"mV": 1e-3, "V": 1.0, "kV": 1e3}, {"mA": 1e-3, "A": 1.0}, {"mW": 1e-3, "W": 1.0, "kW": 1e3},
    {"Pa": 1.0, "hPa": 100.0, "mbar": 100.0, "kPa": 1e3, "bar": 1e5},
    {"J": 1.0, "kJ": 1e3, "cal": 4.184, "kcal": 4184.0, "Wh": 3600.0, "kWh": 3.6e6},
    {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "Mio": 1e6, "mn": 1e6, "Mrd": 1e9, "bn": 1e9,
     "thousand": 1e3, "Tsd": 1e3, "million": 1e6, "Millionen": 1e6, "billion": 1e9,
     "lakh": 1e5, "Lakh": 1e5, "crore": 1e7, "Crore": 1e7, "万": 1e4, "亿": 1e8, "億": 1e8},
    {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12},  # 12 B may be a code
    SIDES,
    {"": 1.0, "H": 1.0, "HH": 1.0, "L": 1.0, "LL": 1.0},
)  # fmt: skip
"""Units that measure the same, by their size; credit is the opposite of debit, and laboratories
mark what is high or low."""


def times_of(unit: str, wanted: str) -> float | None:
    """Return how many of a wanted unit another one is, None if they measure different things.

    Examples
    --------
    >>> from ssrlpl.tables.unit_sizes import times_of
    >>> times_of("kg", "g"), times_of("$ k", "$"), times_of("kg", "m")
    (1000.0, 1000.0, None)
    """
    if unit == wanted:
        return 1.0
    (front, back), (asked, wanted) = _parts(unit), _parts(wanted)
    if front != asked:
        return None
    kin = next((kin for kin in _KIN if back in kin and wanted in kin), None)
    if kin is not None:
        return kin[back] / kin[wanted]
    (top, _, below), (wanted_top, _, wanted_below) = back.partition("/"), wanted.partition("/")
    if below and below == wanted_below and top and wanted_top:  # µg/mL beside mg/mL
        return times_of(top, wanted_top)
    short, long = sorted((back, wanted), key=len)
    return 1.0 if len(short) > 1 and long == f"{short}s" else None  # 1 item, 2 items


def _parts(unit: str) -> tuple[str, str]:
    """Return the currency and the unit, either of them may be missing."""
    first, _, second = unit.partition(" ")
    return (first, second) if second or re.fullmatch(CURRENCY, first) else ("", first)
