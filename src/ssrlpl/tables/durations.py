"""Durations as people write them: 116:38:00, 14h 43m, 2 days 03:15:00, PT1H30M."""

from __future__ import annotations

import re

_CLOCK = re.compile(
    r"(?:(\d+)\s*(?:days?|d),?\s+)?(\d+):([0-5]\d)(?::([0-5]\d(?:[.,]\d+)?))?"
    r"(?:\s*(?:h|hrs?|Std)\.?)?"
)
_PAIR = re.compile(r"\d+:([6-9]\d)")
_LAP = re.compile(r"(\d+):([0-5]\d[.,]\d+)")  # minutes and seconds, as in sports
_FRENCH = re.compile(r"(\d+)\s?h\s?([0-5]\d)")
_YEAR = 365.2425 * 24
_OTHER_LANGUAGES = {
    "jahr jahre jahren an ans année années año años": _YEAR,  # codespell:ignore
    "monat monate monaten mois mes meses": _YEAR / 12,
    "woche wochen semaine semaines semana semanas": 7 * 24.0,
    "tag tage tagen jour jours día días dia dias": 24.0,  # codespell:ignore
    "stunde stunden heure heures hora horas": 1.0,
    "minuten minuto minutos": 1 / 60,
    "sek sekunde sekunden seconde secondes segundo segundos": 1 / 3600,
}
_UNITS = {
    **dict.fromkeys(("y", "yr", "yrs", "year", "years"), _YEAR),
    **dict.fromkeys(("mo", "mos", "month", "months"), _YEAR / 12),
    **dict.fromkeys(("w", "wk", "wks", "week", "weeks"), 7 * 24.0),
    "d": 24.0, "day": 24.0, "days": 24.0, "h": 1.0, "hr": 1.0,
    "hrs": 1.0, "hour": 1.0, "hours": 1.0, "std": 1.0, "m": 1 / 60, "min": 1 / 60, "mins": 1 / 60,
    "minute": 1 / 60, "minutes": 1 / 60, "s": 1 / 3600, "sec": 1 / 3600, "secs": 1 / 3600,
    "second": 1 / 3600, "seconds": 1 / 3600,
    **{word: size for words, size in _OTHER_LANGUAGES.items() for word in words.split()},
}  # fmt: skip
"""Hours of each unit, in lower case."""

_PART = re.compile(r"(\d+(?:[.,]\d+)?)\s*([^\W\d_]+)\.?,?\s*")
_WORDS = re.compile(rf"(?:{_PART.pattern})+")
_ISO = re.compile(r"P(?=[\dT])((?:\d+(?:[.,]\d+)?[YMWD])*)(?:T((?:\d+(?:[.,]\d+)?[HMS])+))?")


def hours(text: str, *, clock_has_seconds: bool) -> float:
    """Return a duration in hours.

    Parameters
    ----------
    text : str
        The duration.
    clock_has_seconds : bool
        Whether "59:30" is minutes and seconds, as it is beside "1:02:10".

    Examples
    --------
    >>> from ssrlpl.tables.durations import hours
    >>> [hours(text, clock_has_seconds=False) for text in ("116:30:00", "1d 3h", "PT1H30M", "7:30")]
    [116.5, 27.0, 1.5, 7.5]
    >>> [hours(text, clock_has_seconds=False) / 24 for text in ("P1M", "P1Y2W", "P1DT12H")]
    [30.436875, 379.2425, 1.5]
    """
    text = text.strip()
    sign = -1 if text.startswith(("-", "−")) else 1
    text = text.lstrip("-−+ ")
    text = _FRENCH.sub(r"\1:\2:00", text) if _FRENCH.fullmatch(text) else text
    lap = _LAP.fullmatch(text)
    if lap is not None:
        return sign * (float(lap[1]) / 60 + float(lap[2].replace(",", ".")) / 3600)
    clock = _CLOCK.fullmatch(text)
    if clock is not None:
        days, first, second, third = clock.groups()
        numbers = [float(first), float(second), float((third or "0").replace(",", "."))]
        if third is None and clock_has_seconds:
            numbers = [0.0, *numbers[:2]]
        return sign * (24 * float(days or 0) + numbers[0] + numbers[1] / 60 + numbers[2] / 3600)
    iso = _ISO.fullmatch(text)
    text = iso[1].replace("M", "mo") + (iso[2] or "") if iso else text  # before the T M is a month
    if _WORDS.fullmatch(text) is None:
        raise ValueError(text)
    parts = _PART.findall(text)
    if any(unit.lower() not in _UNITS for _, unit in parts):
        raise ValueError(text)
    return sign * sum(float(n.replace(",", ".")) * _UNITS[unit.lower()] for n, unit in parts)


def has_seconds(text: str) -> bool:
    """Tell whether a text is a clock with three numbers."""
    return text.count(":") == 2


def is_beyond_clock(text: str) -> bool:
    """Tell whether a text is like a clock, with a second number that no clock shows: 30:70."""
    return _PAIR.fullmatch(text.strip()) is not None
