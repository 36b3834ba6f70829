"""A table of numbers, categories, dates and gaps as a matrix of numbers: TableTransformer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from .._utils import limits
from .._utils.advice import option
from .._utils.types import Array, Floats, MatrixLike
from .._utils.validation import check_choice, check_count
from .cell_values import TEXT
from .columns import Judge
from .errors import TableError, nearest_name, unknown_column
from .evidence import Evidence
from .image_columns import KIND


class TableTransformer(TransformerMixin, BaseEstimator):
    """Turn a table as people have it into numbers for an estimator; labels are not needed.

    ==================  ==========================================================================
    a column of         becomes
    ==================  ==========================================================================
    numbers             itself, with mean zero and variance one; a gap is filled with the mean.
                        Far tails (a cell five standard deviations from the mean, in large tables
                        farther) are bent by asinh
    booleans, yes/no    the same, from zeros and ones
    one text and gaps   the same: one where there is a cell, such as an x
    categories          a column of zeros and ones for each text; a gap is the most frequent text
    dates               what varies of year, month, weekday, hour and day
    free text           left out, or its words if it is named in ``text``
    texts like "$8.50"  the number: currency, unit, percent, decimal comma and marks between
                        thousands are read if they are the same in every cell
    cells like 120/80   a number for each that varies
    choices, as "a; b"  a column of zeros and ones for each choice
    ==================  ==========================================================================

    Columns that are empty, constant, identifiers or categories with very many texts are left
    out, too; ``left_out_`` says why. It is learned from all rows, labeled or not, and is what
    ``ssrlpl fit`` uses.

    Parameters
    ----------
    scale : bool, default=True
        Whether numbers get mean zero and variance one.
    max_categories : int, default=50
        Most texts of a category; a column with more is left out.
    decimal : {"auto", ".", ","}, default="auto"
        The decimal character of numbers in texts.
    dates : dict, optional
        Formats of columns of dates, such as ``{"signup": "%m/%d/%Y"}``, where they would be
        read otherwise.
    category : iterable of str, default=()
        Columns of numbers that are names, such as postal codes: each becomes a category.
    text : iterable of str, default=()
        Columns of free text whose words are used: tf-idf, turned into at most 100 columns.
    embed : str, optional
        A sentence-transformers model that is on this computer, by its name or folder: texts become
        its sentence embeddings instead (``pip install 'ssrlpl[text]'``).
    images : iterable of str, default=()
        Columns of paths of pictures: they become edges and colors, in at most 100 columns
        (``pip install 'ssrlpl[images]'``).
    keep : iterable of str, default=()
        Columns to use even if they look like identifiers; an error if they cannot be used.

    Attributes
    ----------
    columns_ : list
        What each column that is used becomes, in order.
    left_out_ : dict
        Names of the columns that are not used, and why.
    notes_ : list of str
        What a person should know about the reading, in sentences.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : ndarray of shape (n_features_in,)
        Their names, if all of them are strings.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from ssrlpl import SSRLPLCV, TableTransformer
    >>> cells = [[1.5, "red"], [None, "red"], [2.5, "blue"], [9.0, "blue"], [8.5, "blue"]]
    >>> TableTransformer().fit(cells).get_feature_names_out().tolist()
    ['x0', 'x1_blue', 'x1_red']
    >>> model = make_pipeline(TableTransformer(), SSRLPLCV())
    >>> model.fit(cells, ["low", None, "low", "high", "high"]).predict([[9.5, "blue"]])
    array(['high'], dtype=object)
    """

    def __init__(
        self,
        *,
        scale: bool = True,
        max_categories: int = limits.MAX_CATEGORIES,
        decimal: str = "auto",
        dates: Mapping[str, str] | None = None,
        category: Iterable[str] = (),
        text: Iterable[str] = (),
        embed: str | None = None,
        images: Iterable[str] = (),
        keep: Iterable[str] = (),
    ):
        self.scale = scale
        self.max_categories = max_categories
        self.decimal = decimal
        self.dates = dates
        self.category = category
        self.text = text
        self.embed = embed
        self.images = images
        self.keep = keep

    def fit(self, X: MatrixLike, y: Any = None) -> TableTransformer:  # noqa: ARG002
        """Look at every column of a table and decide what becomes of it.

        Parameters
        ----------
        X : DataFrame or array of shape (n_rows, n_columns)
            The table.
        y : ignored
            Labels are not needed.

        Returns
        -------
        TableTransformer
        """
        table = _as_table(X)
        validate_data(self, table, skip_check_array=True)
        columns = self._by_name(table)
        evidence = self.new_evidence(list(columns))
        evidence.add(columns)
        return self.fit_evidence(evidence)

    def new_evidence(self, names: list[str]) -> Evidence:
        """Return what collects, chunk by chunk, all that :meth:`fit_evidence` needs."""
        check_count("max_categories", self.max_categories, low=2)
        check_choice("decimal", self.decimal, ("auto", ".", ","), or_callable=False)
        for argument in ("category", "text", "images", "keep", "dates"):
            for asked in _names(getattr(self, argument) or ()):
                if asked not in names:
                    raise unknown_column(asked, names, option(argument))
        as_text = {*_names(self.text), *_names(self.images)}
        return Evidence(
            names,
            decimal=self.decimal,
            dates=dict(self.dates or {}),
            as_text=as_text,
            as_category={*_names(self.category)},
        )

    def judge(self) -> Judge:
        """Return what decides on columns."""
        return Judge(
            self.scale,
            self.max_categories,
            frozenset(_names(self.keep)),
            frozenset(_names(self.images)),
            self.embed,
        )

    def fit_evidence(self, evidence: Evidence) -> TableTransformer:
        """Fit to a table that was seen in chunks; the same as :meth:`fit` on the whole of it."""
        self.columns_, self.left_out_, self.notes_ = self.judge()(evidence)
        sampled = any(
            getattr(column, "bend", None) or column.kind in (TEXT, KIND) for column in self.columns_
        )
        rows = max(column.rows for column in evidence.columns.values())
        self.limits_hit_ = limits.hit(TAIL_ROWS=rows if sampled else 0)
        if not hasattr(self, "n_features_in_"):
            names = list(evidence.columns)
            self.n_features_in_, self.feature_names_in_ = len(names), np.array(names, dtype=object)
        return self

    def transform(self, X: MatrixLike) -> Floats:
        """Return the numbers for the rows of a table.

        Parameters
        ----------
        X : DataFrame or array of shape (n_rows, n_columns)
            The columns of a data frame are found by their names: their order, further columns
            and columns that are not used do not matter.

        Returns
        -------
        ndarray of shape (n_rows, n_encoded_columns)
        """
        check_is_fitted(self)
        table = _as_table(X, least_rows=1)
        columns = self._by_name(table)
        absent = [column.name for column in self.columns_ if column.name not in columns]
        if absent:
            near = nearest_name(absent[0], columns.keys() - {c.name for c in self.columns_})
            cure = "pass a table with the columns of the first one"
            raise TableError(
                f"The model was fitted with a column {absent[0]!r}, which the table does not have"
                f" ({len(absent)} of {len(self.columns_)} columns are missing):"
                f" {cure if near is None else f'rename {near!r} if that is it, or {cure}'}."
            )
        return np.hstack([column.encode(columns[column.name]) for column in self.columns_])

    def _by_name(self, table: Any) -> dict[str, Any]:
        """Return the columns by name: those of a frame, or by position if there are no names."""
        is_frame = hasattr(table, "iloc")
        known = getattr(self, "feature_names_in_", None)
        if is_frame and known is not None:
            return {name: table[name] for name in table.columns}
        validate_data(self, table, reset=False, skip_check_array=True)
        names = [f"x{j}" for j in range(self.n_features_in_)] if known is None else known.tolist()
        return {name: table.iloc[:, j] if is_frame else table[:, j] for j, name in enumerate(names)}

    def get_feature_names_out(self, input_features: Any = None) -> Array:  # noqa: ARG002
        """Return the names of the columns that the table becomes.

        Parameters
        ----------
        input_features : ignored
            The names of the table's columns are known from :meth:`fit`.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        return np.array([name for column in self.columns_ for name in column.names], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _names(given: Iterable[str]) -> list[str]:
    """Return names of columns; a single one may be given as it is."""
    return [given] if isinstance(given, str) else list(given)


def _as_table(X: MatrixLike, *, least_rows: int = 2) -> Any:
    """Return a pandas DataFrame whose names differ, or an array of two dimensions."""
    if hasattr(X, "to_frame") and getattr(X, "ndim", 2) == 1:
        raise TableError("X must have rows and columns. Got one column: pass X.to_frame().")
    cure = _cure_of_no_table(X)
    if cure:
        raise TableError(f"X must be a table. Got a {type(X).__name__}: pass {cure}.")
    if hasattr(X, "to_pandas") and not hasattr(X, "iloc"):  # polars, Arrow
        X = X.to_pandas()
    if not hasattr(X, "iloc"):
        return check_array(
            X, dtype=None, ensure_all_finite=False, ensure_min_samples=least_rows
        )  # fmt: skip
    if len(X) < least_rows:
        raise TableError(f"The table must have {least_rows} rows at least. Got n_samples={len(X)}.")
    if not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()][0]
        raise TableError(f"The names of columns must differ. Got {twice!r} twice: rename one.")
    return X


def _cure_of_no_table(X: Any) -> str:
    """Return what to pass in place of what holds or names a table, but is none; "" for a table."""
    if isinstance(X, str | os.PathLike):
        return "ssrlpl.tables.read(X).frame"
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):  # polars that is not computed yet
        return "X.collect()"
    is_structured = isinstance(X, np.ndarray) and X.dtype.names is not None
    has_dicts = isinstance(X, list | tuple) and bool(X) and isinstance(X[0], Mapping)
    is_dict = isinstance(X, Mapping) and not hasattr(X, "toarray")  # a sparse matrix may be one
    return "pandas.DataFrame(X)" if is_dict or is_structured or has_dicts else ""
