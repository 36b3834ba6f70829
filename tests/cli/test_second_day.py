"""What was wrong with tables invented later, each as the command that disappointed."""

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import fit, run
from table_samples import pd

N = 60
ROWS = np.arange(N)
SIZE = np.where(ROWS % 2, 3.0, -3.0) + np.sin(7 * ROWS)
KIND = np.where(ROWS % 4 < 2, np.where(ROWS % 2, "big", "small"), "")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_lists_in_cells_stop_nobody():
    rows = [{"size": s, "tags": ["x", str(i)], "label": k or None}
            for i, (s, k) in enumerate(zip(SIZE, KIND, strict=True))]  # fmt: skip
    Path("t.json").write_text(json.dumps(rows))
    assert "'tags' holds lists or objects" in fit("t.json", "--no-certify").stderr
    frame = pd.DataFrame(rows)
    frame.to_parquet("t.parquet")
    assert "'tags' holds lists or objects" in fit("t.parquet", "--out", "p").stderr


def test_warnings_of_libraries_are_not_shown():
    openpyxl = pytest.importorskip("openpyxl")
    from openpyxl.worksheet.datavalidation import DataValidation

    book = openpyxl.Workbook()
    book.active.append(["flag", "label"])
    for i in ROWS:  # two distinct rows: fewer than the clusters that are looked for
        book.active.append(["ab"[i % 2], KIND[i] or None])
    rule = DataValidation(type="list", formula1='"a,b"')
    book.active.add_data_validation(rule)
    book.save("t.xlsx")
    said = run("fit", "t.xlsx", "--target", "label").stderr
    assert "clusters" not in said
    assert "note: " not in said
