"""Run cells, in parallel if wanted, and keep every finished one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..._utils.progress import Progress
from .cell_store import Cell, Row, Store, WrittenCells
from .measuring import FAILED, NO_DATA, NOT_INSTALLED, Workbench, compute

_WORTH_ANOTHER_TRY = (NO_DATA, NOT_INSTALLED)  # costs nothing, and the user may have helped


class MixedVersionsError(RuntimeError):
    """Results on disk were made by other code than the one that runs."""


def run(
    cells: Sequence[Cell],
    store: Store,
    *,
    bench: Workbench,
    written: WrittenCells | None = None,
    jobs: int = 1,
    fresh: bool = False,
    allow_mixed: bool = False,
    verbose: bool = True,
) -> list[Row]:
    """Return the rows of all cells, computing those the store does not hold.

    Kill the run at any time and call it again to continue. Cells that the store does not hold may
    have been ``written`` before. With several ``jobs`` linear algebra has one thread in each.
    ``fresh`` computes cells anew that failed or that older code has computed; ``allow_mixed`` uses
    rows of older code where there are no others.

    Raises
    ------
    MixedVersionsError
        Some rows come from other code, and neither ``fresh`` nor ``allow_mixed`` was chosen.
    """
    found = [_look_up(cell, store, bench, written) for cell in cells]
    if not (fresh or allow_mixed):
        _refuse_older_code(found)
    todo = [
        cell
        for cell, row in zip(cells, found, strict=True)
        if _is_to_compute(row, fresh=fresh, allow_mixed=allow_mixed)
    ]
    with Progress(cells[0].study if cells else "", len(todo), verbose=verbose) as progress:
        for _ in _finished(todo, store, bench, min(jobs, len(todo))):
            progress.advance()
    found = [_look_up(cell, store, bench, written) for cell in cells]
    if not allow_mixed:
        _refuse_older_code(found)  # somebody may have changed the code meanwhile
    return [row for row in found if row is not None]


def _look_up(
    cell: Cell, store: Store, bench: Workbench, written: WrittenCells | None
) -> Row | None:
    """Return the row of the code that runs, or of older code, marked as such."""
    rows = [*store.read(cell), *(written.read(cell) if written else [])]
    wanted = bench.fingerprint(cell)
    for row in rows:
        if row["fingerprint"] == wanted:
            return {key: value for key, value in row.items() if key != "of_other_code"}
    if not rows:
        return None
    code = f"commit {rows[0]['commit']}" if rows[0].get("commit") else True
    return {"of_other_code": code, **rows[0]}  # an older row may name its commit itself


def _refuse_older_code(found: Iterable[Row | None]) -> None:
    stale = [row for row in found if row is not None and "of_other_code" in row]
    if stale:
        first = ", ".join(stale[0][name] for name in ("dataset", "protocol", "method"))
        raise MixedVersionsError(
            f"All rows of a table must come from the same code. Got {len(stale)} finished cells of"
            f" another version (first: {first}): pass --fresh to recompute them, or --allow-mixed"
            " to keep them."
        )


def _is_to_compute(row: Row | None, *, fresh: bool, allow_mixed: bool) -> bool:
    if row is None or "of_other_code" in row:
        return row is None or not allow_mixed
    return row["status"] in _WORTH_ANOTHER_TRY or (fresh and row["status"] == FAILED)


def _finished(cells: Sequence[Cell], store: Store, bench: Workbench, jobs: int) -> Iterator[Path]:
    """Yield the file of each finished cell, in the order they end."""
    if jobs <= 1:
        yield from (_compute_and_keep(cell, store, bench) for cell in cells)
        return
    from joblib import Parallel, delayed, parallel_config

    with parallel_config(backend="loky", inner_max_num_threads=1):
        parallel = Parallel(n_jobs=jobs, return_as="generator_unordered")
        yield from parallel(delayed(_compute_and_keep)(cell, store, bench) for cell in cells)


def _compute_and_keep(cell: Cell, store: Store, bench: Workbench) -> Path:
    # The worker writes: a finished cell is safe even if the process that asked for it is gone.
    return store.write(cell, compute(cell, bench))
