"""Tables as they are written: a spreadsheet must not run their cells."""

import io

import numpy as np
import pytest

from ssrlpl.tables.table_writing import write_chunks
from table_samples import pd

CELLS = np.array(["=1+1", "+x", "-y", "@sum", "-1.5", "a=b", None, "\tz"], dtype=object)


@pytest.mark.parametrize("as_is", [True, False])
def test_cells_that_a_spreadsheet_would_run(as_is):
    sink = io.BytesIO()
    write_chunks([{"row": np.arange(8), "=label": CELLS}] * 2, sink, "csv", as_is=as_is)
    read = pd.read_csv(io.BytesIO(sink.getvalue()), dtype=str, keep_default_na=False)
    guarded = ["'=1+1", "'+x", "'-y", "'@sum", "-1.5", "a=b", "", "'\tz"]
    plain = ["=1+1", "+x", "-y", "@sum", "-1.5", "a=b", "", "\tz"]
    assert read.columns.tolist() == ["row", "=label" if as_is else "'=label"]
    assert read.iloc[:, 1].tolist() == (plain if as_is else guarded) * 2
