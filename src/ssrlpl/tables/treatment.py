"""scikit-learn's ColumnTransformer for a table: scaled numbers, one-hot categories, no gaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from .columns import Columns, Evidence


def make_treatment(
    columns: Columns, *, scale: bool = True, categories: list[list[str]] | str = "auto"
) -> Any:
    """Return the ColumnTransformer for the columns that were chosen, not fitted.

    Parameters
    ----------
    columns : Columns
        Which columns hold numbers and which categories.
    scale : bool, default=True
        Whether numbers get mean zero and variance one.
    categories : "auto" or list of list of str
        The values of each category column, if they are known already.

    Returns
    -------
    ColumnTransformer
        A category that was not there when it was fitted becomes a row of zeros.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    parts = []
    if columns.numbers:
        mean = SimpleImputer(strategy="mean")
        numbers = make_pipeline(mean, StandardScaler()) if scale else mean
        parts.append(("numbers", numbers, columns.numbers))
    if columns.texts:
        encoder = OneHotEncoder(categories=categories, handle_unknown="ignore", sparse_output=False)
        frequent = SimpleImputer(strategy="most_frequent")
        parts.append(("texts", make_pipeline(frequent, encoder), columns.texts))
    return ColumnTransformer(parts, verbose_feature_names_out=False)


def treatment_from_evidence(columns: Columns, evidence: Evidence, *, scale: bool) -> Any:
    """Return the fitted ColumnTransformer of a table that was seen in chunks.

    It is fitted on two rows that have the mean, the standard deviation and the most frequent
    text of every column of the table, so it learns the same as from all rows.
    """
    import pandas as pd

    categories = [sorted(evidence[name].texts) for name in columns.texts]
    seen = {name: evidence[name] for name in columns.used}
    rows: dict[str, Any] = {
        # Missing cells are filled with the mean, which narrows the spread of the column.
        name: seen[name].mean
        + np.sqrt(seen[name].centered_squares / seen[name].rows) * np.array([-1.0, 1.0])
        for name in columns.numbers
    }
    rows |= {name: np.array([_most_frequent(seen[name].texts)] * 2, object)
             for name in columns.texts}  # fmt: skip
    treatment = make_treatment(columns, scale=scale, categories=categories or "auto")
    return treatment.fit(pd.DataFrame(rows))


def _most_frequent(texts: Any) -> str:
    """Return the text SimpleImputer would take: the first of the most frequent ones."""
    most = max(texts.values())
    return min(text for text, count in texts.items() if count == most)


def feature_names(treatment: Any) -> list[str]:
    """Return the names of the columns after encoding."""
    return [str(name) for name in treatment.get_feature_names_out()]
