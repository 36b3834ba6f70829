"""Which encoding a text file has, where it is not UTF-8.

A table has few words, too few for a detector that counts letters. More is told by the name of the
target, which the person typed, and by words: a wrong encoding puts marks and capitals inside.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from itertools import pairwise
from typing import NamedTuple

from .._utils.advice import option
from .errors import TableError

LOST = "\N{REPLACEMENT CHARACTER}"
"""What stands for bytes that are no character."""

SAMPLE_BYTES = 1 << 16
"""Bytes from which an encoding is guessed; nearly all files are UTF-8, which needs no guess."""

SLIPS = 0.03
"""Share of the words that people may have written in an odd way."""

WESTERN, TURKISH = "cp1252", "cp1254"
OTHERS = (
    "cp1251", "cp1250", "cp1253", "koi8_r", "cp866", "cp850", "mac_roman", "cp1255", "cp1256",
    "cp874", "cp932", "cp949", "big5", "gb18030", "euc_jp", "iso8859_5", "iso8859_2", TURKISH,
)  # fmt: skip
"""Tried in this order where Western Europe's cp1252 makes no sense."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_AROUND_WORDS = "€£“”„‘’–—…°²³µ§±·«»®™©½¼¾ºª¿¡\xa0"
"""Marks beyond ASCII that stand alone or at the ends of words."""

_WORD = re.compile(r"[^\s,;|\"'()\[\]{}<>/\\_.:!?&+=*#%@0-9-]+")
_ASIAN = frozenset(("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL"))
"""Scripts that are mixed within a word."""


class Decoded(NamedTuple):
    """A text, its encoding, and what to know about that."""

    text: str
    encoding: str
    notes: list[str]


def decoded(content: bytes, name: str, encoding: str | None, target: str | None) -> Decoded:
    """Return the text of a file; ``target`` is a word that a person says is in it."""
    if encoding is not None:
        try:
            return Decoded(content.decode(encoding), encoding, [])
        except (LookupError, UnicodeError) as error:
            raise TableError(
                f"{name} cannot be read as {encoding}: name its encoding with"
                f" {option('encoding')}, or leave it out."
            ) from error
    found = next((e for mark, e in _BYTE_ORDER_MARKS if content.startswith(mark)), "utf-8")
    try:
        return Decoded(content.decode(found), found, [])
    except UnicodeError:
        if _is_damaged_utf8(content):
            return Decoded(content.decode("utf-8", errors="replace"), "utf-8", [])
    found, is_sure = guess(content[:SAMPLE_BYTES], target)
    text = content.decode(found, errors="replace")
    return Decoded(text, found, [] if is_sure else [_about_guess(text, name, found)])


def _about_guess(text: str, name: str, encoding: str) -> str:
    odd = next((word for word in _WORD.findall(text) if not word.isascii()), "")
    return (
        f"The encoding of {name} is not sure: by {encoding} it has words such as {odd!r}; if they"
        f" look wrong, name another with {option('encoding')}, such as mac_roman, cp850 or koi8_r."
    )


def _is_damaged_utf8(content: bytes) -> bool:
    """Tell whether most characters beyond ASCII are whole ones of UTF-8: others were cut."""
    text = content.decode("utf-8", errors="replace")
    whole = sum(letter > "\x7f" and letter != LOST for letter in text)
    return whole > text.count(LOST)


def guess(sample: bytes, target: str | None = None) -> tuple[str, bool]:
    """Return the most probable encoding of bytes that are not UTF-8, and whether it is sure.

    Examples
    --------
    >>> from ssrlpl.tables.encodings import guess
    >>> guess("größe,art".encode("mac_roman")), guess("длина,Цвет,вид".encode("koi8_r"))
    (('mac_roman', True), ('koi8_r', False))
    >>> guess("אורך,סוג".encode("cp1255"), "סוג")
    ('cp1255', True)
    """
    if b"\x00" in sample:  # half of the bytes of plain letters are zero in UTF-16
        is_little = sample[1::2].count(0) > sample[::2].count(0)
        return ("utf-16-le" if is_little else "utf-16-be"), True
    texts = {e: text for e in (WESTERN, *OTHERS) if (text := _read(sample, e)) is not None}
    if target is not None and not target.isascii():
        named = {encoding: text for encoding, text in texts.items() if target in text}
        if named:
            found = next((e for e, text in named.items() if _makes_sense(text)), next(iter(named)))
            return (_western(texts[WESTERN]) if found == WESTERN else found), True
    western = sample.decode(WESTERN, errors="replace")
    if _makes_sense(western) and _is_mostly_ascii(western):
        return _western(western), True
    sound = [e for e in OTHERS if e in texts and _makes_sense(texts[e])]
    # Small letters of a script that has capitals seldom come about by mistake; few texts shout.
    small = {e: _share_of_small(texts[e]) for e in sound}
    best = [e for e in sound if small[e] > max(0.5, max(small.values()) - 0.01)] or sound
    return _by_letters(sample, best) or next(iter(best), WESTERN), len(sound) == 1


def _read(sample: bytes, encoding: str) -> str | None:
    """Return the text, None if it has bytes that are no character; the last one may be cut."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        return decoder.decode(sample)
    except UnicodeError:
        return None


def _by_letters(sample: bytes, encodings: list[str]) -> str | None:
    """Ask a detector that counts letters which of some encodings it is."""
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return None
    best = from_bytes(sample, cp_isolation=encodings).best() if len(encodings) > 1 else None
    return None if best is None else str(best.encoding)


def _makes_sense(text: str) -> bool:
    """Tell whether words have no marks and no capital letters in the middle, and one script."""
    words = [word for word in set(_WORD.findall(text)) if not word.isascii()]
    return sum(not _is_word(word) for word in words) <= SLIPS * len(words)


def _is_word(word: str) -> bool:
    inner = word.strip(_AROUND_WORDS)
    if not all(c.isalpha() or unicodedata.category(c) in ("Mn", "Mc") for c in inner if c > "\x7f"):
        return False
    if any(b > "\x7f" and b.isupper() and a.islower() for a, b in pairwise(inner)):
        return False
    scripts = {unicodedata.name(c, "?").split()[0] for c in inner if c.isalpha()}
    # What a wrong Japanese encoding makes of other letters: nobody writes these any more.
    return scripts.isdisjoint(("HALFWIDTH", "FULLWIDTH")) and (
        len(scripts) <= 1 or scripts <= _ASIAN
    )


def _is_mostly_ascii(text: str) -> bool:
    """Tell whether letters beyond ASCII are few in their words, as in Western Europe."""
    words = [word for word in re.findall(r"[^\W\d_]+", text) if not word.isascii()]
    return sum(c > "\x7f" for word in words for c in word) <= sum(map(len, words)) / 2


def _western(text: str) -> str:
    """Return which encoding: letters that only Icelandic has, without its vowels, are Turkish."""
    letters = set(text)
    is_turkish = letters & set("ðýþÐÝÞ") and not letters & set("áíóúæÁÍÓÚÆ")
    return TURKISH if is_turkish else WESTERN


def _share_of_small(text: str) -> float:
    """Return the share of small letters among those beyond ASCII."""
    letters = [c for c in text if c > "\x7f" and c.isalpha()]
    return sum(c.islower() for c in letters) / max(1, len(letters))
