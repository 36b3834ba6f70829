"""Tables that are read in chunks."""

import numpy as np

from ssrlpl._utils import limits
from ssrlpl.job import FitOptions, ReadOptions, Silent, fit_table
from table_samples import pd, table


def test_large_parquet_tables_give_what_small_ones_give(tmp_path, monkeypatch):
    frame, _ = table("digits", 600)
    frame.insert(5, "shade", np.where(frame["pixel_3_3"] > 8, "dark", "light"))
    frame.loc[::13, "pixel_2_4"] = np.nan
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    read = ReadOptions(str(tmp_path / "t.parquet"))
    options = FitOptions(read, "label", method="linear")
    whole = fit_table(options, Silent())
    monkeypatch.setattr(limits, "STREAM_ROWS", 100)
    monkeypatch.setattr(limits, "CHUNK_ROWS", 130)
    stream = fit_table(options, Silent())
    assert stream.X is None
    assert whole.X is not None
    assert np.allclose(stream.representation, whole.representation, atol=1e-4)
    assert np.allclose(stream.predictions.probability, whole.predictions.probability, atol=1e-4)
    assert stream.target.labels.tolist() == whole.target.labels.tolist()
    assert stream.feature_names == whole.feature_names
    pd.testing.assert_frame_equal(
        stream.sample.frame.reset_index(drop=True), whole.sample.frame.reset_index(drop=True)
    )
