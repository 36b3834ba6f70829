"""Run all benchmarks, or those named: ``python -m benchmarks [NAME ...] [--write]``."""

import datetime
import os
import platform
import subprocess
from enum import Enum
from pathlib import Path
from typing import Annotated

import numpy
import scipy
import sklearn
import typer
from threadpoolctl import threadpool_info

from ssrlpl._utils.files import whole_file

from . import (
    accuracy,
    cluster,
    guarantee,
    importing,
    kernel,
    linear,
    scale,
    selection,
    whitening,
)

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
    "cluster": cluster.speed_up,
    "import": importing.import_time,
    "large": scale.large_tables,
    "rows": scale.growth,
}
Name = Enum("Name", {name: name for name in TABLES})
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


def main(
    names: Annotated[list[Name] | None, typer.Argument(help="tables; default all")] = None,
    write: Annotated[bool, typer.Option(help="put these tables into README.md")] = False,
) -> None:
    """Print benchmarks, all or those named."""
    chosen = [name.value for name in names or []]
    print(surroundings(), flush=True)
    sections = {}
    for name in chosen or TABLES:
        title = TABLES[name].__doc__.strip().splitlines()[0]
        print(f"\n{name}: {title}\n", flush=True)
        table = TABLES[name]()
        print(table, flush=True)
        when = f"Measured {surroundings()}\n\n" if chosen else ""
        sections[name] = f"## {name}\n\n{title}\n\n{when}{table.to_markdown()}\n"
    if write:
        write_page(sections if not chosen else {**sections_of_page(), **sections})


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
    with whole_file(PAGE) as partial:
        partial.write_text(page)


if __name__ == "__main__":
    typer.run(main)
