"""Result files, written whole or not at all."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any


def write_csv(rows: list[dict[str, Any]], path: Path) -> None:
    """Write rows of one shape (missing entries stay empty); floats with four digits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    partial = path.with_suffix(".partial")
    with partial.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        for row in rows:
            writer.writerow({k: f"{v:.4f}" if isinstance(v, float) else v for k, v in row.items()})
    os.replace(partial, path)
