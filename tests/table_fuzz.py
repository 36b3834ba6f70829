"""Tables that nobody would make on purpose, each from a seed.

``python tests/table_fuzz.py 0 1000`` tries those seeds by the command line.
"""

import datetime
import sys

import numpy as np
import pandas as pd

HOSTILE = (
    "", " ", "?", "-", "NA", "nan", "None", "inf", "-inf", "1e400", "0x1F", "1,5", "1.5", "1.234,5",
    "$3", "7 %", "(2)", "2024-02-30", "31.12.1999", "12:61", "yes", "TRUE", "\x00", "\u202e",
    "=1+1", "@a", '"', "a,b", "a;b", "line\nbreak", "tab\there", "é" * 3, "😀", "1e308",
    "1e-308", "00123",
)  # fmt: skip


def _numbers(rng, n):
    kind = rng.integers(8)
    values = rng.normal(size=n) * 10.0 ** rng.integers(-3, 4)
    return [
        values,
        np.round(values).astype(int),
        values * 1e300,
        values * 1e-300,
        np.exp(5 * rng.normal(size=n)),
        np.zeros(n),
        np.arange(n),
        np.where(rng.random(n) < 0.5, np.nan, values),
    ][kind]


def _dates(rng, n):
    form = rng.choice(
        ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y %H:%M", "%d.%m.%y", "%H:%M:%S", "%b %d, %Y"]
    )
    start = datetime.datetime(1999, 12, 28)
    return [
        (start + datetime.timedelta(hours=int(h))).strftime(form)
        for h in rng.integers(9000, size=n)
    ]


def _written(rng, n):
    before, after = rng.choice(["", "$", "€ "]), rng.choice(["", " %", " kg", " €"])
    numbers = [f"{v:,.2f}" for v in rng.normal(size=n) * 5000]
    swap = str.maketrans(",.", ".,") if rng.random() < 0.5 else {}
    return [f"{before}{v.translate(swap)}{after}" for v in numbers]


def _texts(rng, n):
    many = int(rng.integers(1, 80))
    words = ["".join(rng.choice(list("abcäß  é"), 4)) for _ in range(many)]
    return rng.choice(words, n)


def _several(rng, n):
    """Cells with several numbers, or several choices."""
    form = rng.choice(
        ["{}/{}", "{} x {} m", "{}.5 ± 0.{}", "{}'{}\"", "{}°{}'N", "<{}.{}", "{}.{} x 10^3",
         "POINT ({} {})", "{}:{}", "{}-{}", "a{0};b{1};c{0}", "{}.{} DR", "▼ {},{}-"]
    )  # fmt: skip
    a, b = rng.integers(0, rng.choice([5, 300]), (2, n))
    return [form.format(x, y) for x, y in zip(a, b, strict=True)]


def _column(rng, n):
    makers = (_numbers, _dates, _written, _texts, _several, lambda r, k: r.choice(HOSTILE, k))
    make = makers[rng.integers(len(makers))]
    cells = np.array([str(cell) for cell in make(rng, n)], dtype=object)
    spoiled = rng.random(n) < rng.choice([0, 0, 0.05, 0.5])
    cells[spoiled] = rng.choice(HOSTILE, int(spoiled.sum()))
    return cells


def _labels(rng, n):
    classes = [f"k{j}" for j in range(rng.integers(1, 6))]
    labels = rng.choice([*classes, str(rng.choice(HOSTILE))], n).astype(object)
    labels[rng.random(n) < rng.choice([0, 0.5, 0.9])] = rng.choice(["", "unknown", "-1"])
    return labels


def write_fuzzed(seed, folder):
    """Write a table and return its path."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 5, 30, 60]))
    names = rng.choice(["a", "b", "id", "größe", "", "x y", "a"], int(rng.integers(1, 6)))
    frame = pd.DataFrame([_column(rng, n) for _ in names]).T
    frame.columns = list(names)
    frame.insert(len(names), "label", _labels(rng, n), allow_duplicates=True)
    path = folder / f"fuzz{seed}.csv"
    encoding = str(rng.choice(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    text = frame.to_csv(index=False, sep=str(rng.choice([",", ";", "\t", "|"])))
    path.write_bytes(text.encode(encoding, errors="replace"))
    return path


def complaint(seed, folder, command="fit"):
    """Run a command on a fuzzed table; return what is wrong with what it said, or ''."""
    from typer.testing import CliRunner

    from ssrlpl.cli.app import app

    path = write_fuzzed(seed, folder)
    arguments = [command, str(path), "--target", "label"]
    if command == "fit":
        arguments += ["--method", "linear", "--no-certify", "--out", str(folder / f"out{seed}")]
    result = CliRunner().invoke(app, arguments)
    said = result.stderr.strip()
    last = said.splitlines()[-1] if said else ""
    if result.exit_code not in (0, 2) or "Traceback" in said or "internal error" in said:
        return f"seed {seed}: exit code {result.exit_code}: {last}"
    if result.exit_code == 2 and not last.startswith("ssrlpl: "):
        return f"seed {seed}: {last}"
    return ""


if __name__ == "__main__":
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as home:
        found = [complaint(s, Path(home)) for s in range(int(sys.argv[1]), int(sys.argv[2]))]
    found = [line for line in found if line]
    print("\n".join(found) or "no complaint")
    sys.exit(bool(found))
