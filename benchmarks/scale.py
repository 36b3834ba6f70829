"""Large tables: CPU-seconds, memory and share of right labels, each fit in its own process.

Fits take minutes, so each one is printed and kept in ``build/bench`` as soon as it ends, and is not
repeated with the same code. ``python -m benchmarks.scale SSRLPLCV 200000 50 1000`` makes a single
one; "mnist" in place of the columns takes images, and a fifth argument draws other labels.
"""

import json
import re
import subprocess
import sys
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ssrlpl._utils.printing import Table

from .tools import mnist

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "build" / "bench" / "scale.jsonl"

OURS, SPREADING, EMBEDDING = "SSRLPLCV", "LabelSpreading(knn)", "umap-learn, semi-supervised"
MOST_ROWS = {SPREADING: 200_000, EMBEDDING: 200_000}
"""Above these the others take hours, or more memory than a laptop has."""


class Case(NamedTuple):
    """One table; ``columns`` is None for the images of MNIST, whose other images are new rows.

    ``draw`` is the seed by which rows are chosen that keep their label.
    """

    rows: int
    columns: int | None
    n_labeled: int
    draw: int = 0

    def __str__(self) -> str:
        return f"{self.rows:,} × {self.columns or 'images'}, draw {self.draw}"

    def data(self):
        """Return rows and classes; those after the first ``rows`` are new rows."""
        if self.columns is None:
            return mnist()
        return generated(self.rows + self.rows // 10, self.columns)


CASES = (
    *(Case(70_000, None, 1000, draw) for draw in range(3)),
    Case(60_000, None, 1000),
    Case(50_000, 30, 500),
    Case(200_000, 50, 1000),
    Case(1_000_000, 50, 1000),
)


def generated(n, d, seed=0):
    """Return n rows of ten classes, three groups each, in d columns of which half carry nothing."""
    rng = np.random.default_rng(seed)
    useful = d // 2
    centers = rng.normal(size=(30, useful)) * 1.1
    group = rng.integers(30, size=n)
    X = rng.normal(size=(n, d)).astype(np.float32)
    X[:, :useful] += centers[group].astype(np.float32)
    return X, group % 10


def resident_megabytes(name):
    """Return VmRSS, what this process has now, or VmHWM, its peak since ``forget_peak`` (Linux)."""
    (kilobytes,) = re.findall(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(kilobytes) / 1e3


def forget_peak():
    """Set the peak of memory to what is used now: the data were made with more than they need."""
    Path("/proc/self/clear_refs").write_text("5")


def one_fit(method: str, case: Case) -> dict[str, Any]:
    """Return CPU-seconds, wall seconds, megabytes above the input and percentages of right labels.

    The time is that of the fit; labels of new rows are not in it.
    """
    X, truth = case.data()
    n = case.rows
    y = np.full(n, -1)
    some = np.random.default_rng(case.draw).permutation(n)[: case.n_labeled]
    y[some] = truth[some]
    fit = {OURS: _search, SPREADING: _spreading, EMBEDDING: _umap}[method]
    forget_peak()
    before = resident_megabytes("VmRSS")
    start, wall = time.process_time(), time.perf_counter()
    said, predict = fit(X[:n], y)
    cpu, wall = time.process_time() - start, time.perf_counter() - wall
    above = resident_megabytes("VmHWM") - before
    right = 100 * float(np.mean(said[y < 0] == truth[:n][y < 0]))
    new = None
    if predict is not None and n < len(X):
        new = 100 * float(np.mean(predict(X[n:]) == truth[n:]))
    return {"cpu": cpu, "wall": wall, "megabytes": above, "right": right, "new": new}


def _search(X, y):
    from ssrlpl import SSRLPLCV

    model = SSRLPLCV().fit(X, y)
    return model.transduction_, model.predict


def _spreading(X, y):
    from sklearn.semi_supervised import LabelSpreading

    model = LabelSpreading(kernel="knn", n_neighbors=10, alpha=0.9, max_iter=100).fit(X, y)
    return model.transduction_, model.predict


def _umap(X, y):
    from sklearn.neighbors import KNeighborsClassifier
    from umap import UMAP

    Z = UMAP(n_components=10, random_state=0).fit_transform(X, y)
    nearest = KNeighborsClassifier(5).fit(Z[y >= 0], y[y >= 0])
    return nearest.predict(Z), None  # its transform of new rows takes as long again


def measured(method: str, case: Case) -> dict[str, Any]:
    """Return what one fit took, from the file of kept ones if this code made it already."""
    key = {"method": method, "case": list(case), "code": _code() if method == OURS else "-"}
    lines = KEPT.read_text().splitlines() if KEPT.exists() else []
    for line in map(json.loads, lines):
        if all(line[name] == value for name, value in key.items()):
            return line
    with get_context("spawn").Pool(1) as pool:
        found = key | pool.apply(one_fit, (method, case))
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    with KEPT.open("a") as file:
        file.write(json.dumps(found) + "\n")
    print(f"{case}, {method}: {found}", file=sys.stderr, flush=True)
    return found


def _code() -> str:
    """Return the commit that last changed the package, marked if files have changed since."""

    def git(*words: str) -> str:
        found = subprocess.run(["git", *words, "--", "src"], cwd=ROOT, capture_output=True)
        return found.stdout.decode().strip()

    return git("log", "-1", "--format=%h") + ("+" if git("status", "--porcelain") else "")


def large_tables(cases=CASES, methods=(OURS, SPREADING, EMBEDDING)) -> Table:
    """Fits of large tables in float32; "memory" is the peak above the input."""
    found = []
    for case in cases:
        for method in methods:
            if case.rows > MOST_ROWS.get(method, np.inf) or (case.draw and method != OURS):
                continue
            took = measured(method, case)
            new = "-" if took["new"] is None else f"{took['new']:.2f}"
            cpu, wall, above = (round(took[name]) for name in ("cpu", "wall", "megabytes"))
            found.append((str(case), method, cpu, wall, above, f"{took['right']:.2f}", new))
    head = ("table", "method", "CPU-seconds", "seconds", "memory, MB", "right, %", "new rows, %")
    return Table(head, tuple(found))


def growth(columns=50, n_labeled=1000) -> Table:
    """How SSRLPLCV grows from 100,000 to 1,000,000 rows (goal: at most 13 times)."""
    small, large = (
        measured(OURS, Case(rows, columns, n_labeled))["cpu"] for rows in (100_000, 1_000_000)
    )
    line = (round(small), round(large), round(large / small, 1))
    return Table(("100,000 rows, CPU-seconds", "1,000,000 rows", "ratio"), (line,))


if __name__ == "__main__":
    which, n_rows, width, *numbers = sys.argv[1:]
    case = Case(int(n_rows), None if width == "mnist" else int(width), *map(int, numbers))
    print(large_tables((case,), (which,)))
