"""Run all benchmarks, or those named: ``python -m benchmarks [NAME ...] [--write]``."""

import argparse
import datetime
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy
import scipy
import sklearn
from threadpoolctl import threadpool_info

from . import accuracy, guarantee, importing, kernel, linear, selection, whitening

TABLES = {
    "paper": kernel.against_the_papers_eigenproblem,
    "limit": kernel.against_bare_products,
    "growth": kernel.growth,
    "completion": kernel.completion,
    "linear": linear.parts_of_the_fit,
    "umap": linear.against_umap,
    "certify": guarantee.cost,
    "loo": selection.leave_one_out,
    "graph": selection.graph_labels,
    "landmarks": whitening.landmarks,
    "search": selection.search,
    "accuracy": accuracy.nearest_neighbor,
    "import": importing.import_time,
}
PAGE = Path(__file__).with_name("README.md")


def surroundings() -> str:
    """Say on what the numbers were measured."""
    threads = max((pool["num_threads"] for pool in threadpool_info()), default=1)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return (
        f"{datetime.date.today()}, commit {commit.stdout.strip() or 'unknown'},"
        f" Python {platform.python_version()}, NumPy {numpy.__version__},"
        f" SciPy {scipy.__version__}, scikit-learn {sklearn.__version__},"
        f" {os.cpu_count()} cores, {threads} BLAS threads."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"any of {', '.join(TABLES)}; default all")
    parser.add_argument("--write", action="store_true", help="put these tables into README.md")
    options = parser.parse_args()
    unknown = set(options.names) - set(TABLES)
    if unknown:
        parser.error(f"no benchmark called {', '.join(unknown)}; choose from {', '.join(TABLES)}")
    print(surroundings(), flush=True)
    sections = {}
    for name in options.names or TABLES:
        title = TABLES[name].__doc__.strip().splitlines()[0]
        print(f"\n{name}: {title}\n", flush=True)
        table = TABLES[name]()
        print(table, flush=True)
        when = f"Measured {surroundings()}\n\n" if options.names else ""
        sections[name] = f"## {name}\n\n{title}\n\n{when}{table.to_markdown()}\n"
    if options.write:
        write_page(sections if not options.names else {**sections_of_page(), **sections})


def sections_of_page() -> dict[str, str]:
    """Return the sections that are on the page, in the order of the tables; others are kept."""
    tables = PAGE.read_text().split("<!-- tables -->")[1]
    parts = [f"## {part}" for part in tables.split("\n## ")[1:]]
    found = {part[3:].split("\n")[0]: part for part in parts}
    return {"": tables.split("\n## ")[0], **{name: found.get(name, "") for name in TABLES}}


def write_page(sections: dict[str, str]) -> None:
    """Write the page; the entry "" is the line that says when all of it was measured."""
    head = PAGE.read_text().split("<!-- tables -->")[0]
    when = sections.pop("", f"\n\nMeasured {surroundings()}\n").strip()
    texts = [text.strip() for text in sections.values() if text.strip()]
    page = "\n\n".join([f"{head}<!-- tables -->", when, *texts]) + "\n"
    partial = PAGE.with_suffix(".tmp")
    partial.write_text(page)
    partial.replace(PAGE)


if __name__ == "__main__":
    sys.exit(main())
