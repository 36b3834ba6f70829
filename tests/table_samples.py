"""Partly labeled tables, and how they are written and judged."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from ssrlpl.datasets import hide_labels
from ssrlpl.job import FitOptions, ReadOptions, Silent, fit_table, summarize

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

LOADERS = {"wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}


def table(name, n_rows=None, keep=0.1):
    """A data set of scikit-learn's with most of the labels blanked, and the truth."""
    bunch = LOADERS[name](as_frame=True)
    frame = bunch.data.copy()
    truth = bunch.target_names[bunch.target].astype(str)
    frame["label"] = hide_labels(truth, keep=keep, random_state=0)
    rows = np.arange(len(frame)) if n_rows is None else np.arange(n_rows)
    return frame.iloc[rows], truth[rows]


def mixed_frame(n=60, seed=0):
    """Numbers with gaps, booleans, categories with gaps, and labels of which most are missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "größe": rng.normal(size=n) * 7 + 3,
            "count": rng.integers(9, size=n),
            "ok": rng.random(n) < 0.5,
            "farbe": rng.choice(["rot", "blau", "grün"], size=n),
            "kind": rng.choice(["a", "b"], size=n),
        }
    )
    frame.loc[::7, "größe"] = np.nan
    frame.loc[::9, "farbe"] = None
    frame.loc[n // 5 :, "kind"] = None
    return frame


def write(frame, path):
    writers = {
        ".csv": lambda: frame.to_csv(path, index=False),
        ".tsv": lambda: frame.to_csv(path, index=False, sep="\t"),
        ".parquet": lambda: frame.to_parquet(path, index=False),
        ".xlsx": lambda: frame.to_excel(path, index=False),
        ".feather": lambda: frame.to_feather(path),
        ".jsonl": lambda: frame.to_json(path, orient="records", lines=True),
        ".json": lambda: frame.to_json(path, orient="records"),
    }
    writers[path.suffix]()
    return path


def job_on(frame, folder, **options):
    """Fit the column "label" of a table; return what came of it, and its summary."""
    path = write(frame, folder / "table.csv")
    asked = FitOptions(ReadOptions(str(path)), "label", **options)
    fitted = fit_table(asked, Silent())
    return fitted, summarize(fitted, asked, Silent())
