"""What kind of table a file is: by its first bytes where they tell, else by its ending."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from .errors import TableError
from .unpacking import packing_of

COMPRESSED = (".gz", ".bz2", ".xz", ".zip", ".zst")
READABLE = (
    ".csv, .tsv or .txt (also packed, as in .csv.gz), .parquet, .feather, .arrow, .xlsx, .dta,"
    " .jsonl, .json, .npy, .npz, .db (with a table, as in file.db::sales), or - for CSV from"
    " standard input"
)
EXCEL = "Excel (.xlsx)"
ARROW_STREAM = "Arrow stream"
OLD_FEATHER = "old Feather"
_KINDS = {
    ".csv": "CSV", ".txt": "CSV", ".dat": "CSV", ".data": "CSV", ".log": "CSV", ".tsv": "TSV",
    ".tab": "TSV", ".dta": "Stata", ".parquet": "parquet", ".pq": "parquet", ".feather": "arrow",
    ".arrow": "arrow", ".ipc": "arrow", ".xlsx": EXCEL, ".xlsm": EXCEL, ".jsonl": "JSON lines",
    ".ndjson": "JSON lines", ".json": "JSON", ".geojson": "JSON", ".npy": "numpy", ".npz": "numpy",
    ".db": "SQLite", ".sqlite": "SQLite", ".sqlite3": "SQLite",
}  # fmt: skip
_SAVE_AS = {
    ".xls": ".xlsx", ".xlsb": ".xlsx", ".ods": ".xlsx or .csv", ".numbers": ".xlsx or .csv",
    ".sav": ".csv", ".sas7bdat": ".csv", ".rds": ".csv", ".rda": ".csv", ".rdata": ".csv",
    ".pkl": ".csv or .parquet", ".mat": ".npz or .csv", ".h5": ".npz or .parquet",
    ".arff": ".csv", ".xml": ".csv", ".yaml": ".csv or .json", ".yml": ".csv or .json",
    ".html": ".csv", ".pdf": ".csv", ".svm": ".npz or .csv", ".libsvm": ".npz or .csv",
    ".svmlight": ".npz or .csv", ".docx": ".xlsx or .csv", ".doc": ".xlsx or .csv",
}  # fmt: skip
"""What is not read, and as what the program that wrote it can save it."""

_MAGIC = {
    b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": OLD_FEATHER, b"\x93NUMPY": "numpy",
    b"SQLite format 3\x00": "SQLite", b"\xff\xff\xff\xff": ARROW_STREAM,
}  # fmt: skip
_NO_TABLE = {
    b"\xd0\xcf\x11\xe0": "an Excel file that is old or has a password: open it, and save it as"
    " .xlsx without one",
    b"%PDF": "a PDF file: save its table as .csv or .xlsx",
    b"7z\xbc\xaf": "packed by 7-Zip: unpack it",
    b"Rar!": "packed by RAR: unpack it",
    b"<!doctype html": "a web page: download the table itself",
    b"<table": "a web page: open it in a spreadsheet program and save it as .xlsx",
    b"<?xml": "an XML file: open it in a spreadsheet program and save it as .xlsx",
    b"<html": "a web page: download the table itself, or open it in a spreadsheet program and"
    " save it as .xlsx",
}
"""First bytes, in lower case, of files that are taken for tables and are none."""


def kind_of(path: Path) -> str:
    """Return which reader a file needs."""
    if path.exists() and not path.is_file():  # to open a pipe would wait for somebody to write
        raise TableError(
            f"{path} is a pipe or a device, and no file: save the table to one, or pass - and pipe"
            " the table into standard input."
        )
    try:
        kind = _by_content(path) if path.is_file() else ""
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror or error}.") from error
    return kind or by_ending(path)


def by_ending(path: Path) -> str:
    """Return which reader the ending of a file asks for."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = bool(suffixes) and suffixes[-1] in COMPRESSED
    suffixes = suffixes[:-1] if packed else suffixes
    last = suffixes[-1] if suffixes else ""
    kind = _KINDS.get(last, "")
    if kind and (not packed or kind in ("CSV", "TSV")):
        return kind
    if last in _SAVE_AS:
        raise TableError(f"{path.name} is of a kind that is not read: save it as {_SAVE_AS[last]}.")
    raise TableError(f"The ending of a table must be {READABLE}. Got {path.name!r}.")


def _by_content(path: Path) -> str:
    """Return the kind that the first bytes of a file tell, "" if they do not."""
    with path.open("rb") as file:
        start = file.read(1 << 12)
    plain = start.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for mark, what in _NO_TABLE.items():
        if start.startswith(mark) or plain.startswith(mark):
            raise TableError(f"{path.name} is {what}.")
    known = next((kind for mark, kind in _MAGIC.items() if start.startswith(mark)), "")
    if known:
        return known
    packing = packing_of(path)
    if packing == "zip":
        return _in_archive(path)
    ending = path.suffix.lower()
    if packing:
        alone = ending in COMPRESSED and not path.with_suffix("").suffix
        return "CSV" if alone or _KINDS.get(ending) in ("CSV", "TSV") else ""
    if plain.startswith((b"{", b"[{")) and _KINDS.get(ending) in ("CSV", "TSV") and _is_json(start):
        return "JSON lines"
    is_wide = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    is_text = (is_wide or b"\x00" not in start) and start.count(b"\n") > 1
    # Programs on the web call text .xls; what has no ending that is known is often text, too.
    may_be_text = ending in (".xls", ".xlsx") or not (ending in _KINDS or ending in _SAVE_AS)
    return "CSV" if is_text and may_be_text else ""


def _is_json(start: bytes) -> bool:
    """Tell whether a file begins with a JSON object, in a line of its own or in a list."""
    text = start.decode("utf-8-sig", errors="ignore").lstrip().removeprefix("[")
    try:
        return isinstance(json.JSONDecoder().raw_decode(text)[0], dict)
    except json.JSONDecodeError:
        return False


def _in_archive(path: Path) -> str:
    try:
        with ZipFile(path) as archive:
            names = archive.namelist()
    except (BadZipFile, OSError):
        return ""
    if any(name.startswith("xl/") for name in names):
        return EXCEL
    if names and all(name.endswith(".npy") for name in names):
        return "numpy"
    is_text = path.suffix.lower() == ".zip" or _KINDS.get(path.suffix.lower()) in ("CSV", "TSV")
    return "CSV" if is_text else ""
