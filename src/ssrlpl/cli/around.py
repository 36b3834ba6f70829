"""Commands around the library: info and demo."""

from __future__ import annotations

import json
import os
import platform
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from . import arguments as arg
from .console import reported
from .fit_command import run_fit, show

DEMOS = ("digits", "wine", "breast-cancer")


@reported
def info(json_: arg.Json = False, debug: arg.Debug = False) -> None:
    """Show versions, BLAS and threads, for bug reports.

    \b
    Examples:
      ssrlpl info
      ssrlpl info --json
    """
    found = surroundings()
    if json_:
        typer.echo(json.dumps(found, indent=2))
        return
    for name, value in {**found.pop("versions"), **found}.items():
        typer.echo(f"{name:<14}{value}")


def surroundings() -> dict[str, Any]:
    """Return what a bug report should say about the machine."""
    import sklearn.metrics  # noqa: F401  # brings in the BLAS and OpenMP libraries to be listed
    from threadpoolctl import threadpool_info

    from ..persistence import library_versions

    pools = [
        f"{pool['internal_api']} {pool.get('version') or ''} ({pool['num_threads']} threads)"
        for pool in threadpool_info()
    ]
    return {
        "versions": library_versions(),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "BLAS, OpenMP": "; ".join(" ".join(pool.split()) for pool in pools),
    }


@reported
def demo(
    data: Annotated[str, typer.Argument(help="digits, wine or breast-cancer.")] = "digits",
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for the table and the results.")
    ] = Path("ssrlpl-demo"),
    keep: Annotated[float, typer.Option(help="Share of the labels that stay.")] = 0.1,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the results of an earlier run.")
    ] = False,
    seed: arg.Seed = 0,
    quiet: arg.Quiet = False,
    debug: arg.Debug = False,
) -> None:
    """Hide most labels of a data set that comes with scikit-learn and run 'ssrlpl fit' on it.

    \b
    Examples:
      ssrlpl demo
      ssrlpl demo wine --out wine-demo
    """
    from ..job import FitOptions, ReadOptions

    if data not in DEMOS:
        raise ValueError(f"The data set must be one of {', '.join(DEMOS)}. Got {data!r}.")
    table, results = out / f"{data}.csv", out / data
    if table.exists() and not force:
        raise ValueError(f"{table} exists: pass --force to replace it, or another --out.")
    truth = write_demo_table(data, table, keep=keep, seed=seed)
    command = ["ssrlpl", "fit", str(table), "--target", "label", "--out", str(results)]
    typer.echo(f"$ {shlex.join(command)}")
    options = FitOptions(ReadOptions(str(table)), "label", seed=seed, command=shlex.join(command))
    summary = run_fit(options, results, force=force, representation="parquet", quiet=quiet)
    typer.echo(f"Right on {_share_right(results, truth):.1%} of the hidden labels.")
    show(summary, results)


def write_demo_table(data: str, path: Path, *, keep: float, seed: int) -> Any:
    """Write a table with most labels left empty and return all labels."""
    from sklearn import datasets

    from .._utils.files import whole_file
    from ..datasets import hide_labels

    load = getattr(datasets, f"load_{data.replace('-', '_')}")
    bunch = load(as_frame=True)
    frame = bunch.data.copy()
    truth = bunch.target_names[bunch.target].astype(str)
    frame["label"] = hide_labels(truth, keep=keep, random_state=seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as partial:
        frame.to_csv(partial, index=False)
    return truth


def _share_right(results: Path, truth: Any) -> float:
    import pandas as pd

    found = pd.read_csv(results / "labels.csv", dtype={"label": str})
    hidden = ~found["given"].to_numpy(dtype=bool)
    return float((found["label"].to_numpy()[hidden] == truth[hidden]).mean())
