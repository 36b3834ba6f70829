"""Plots of representations (needs the ``plot`` extra; imported only when used)."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from ._utils.types import Array, Ints, MatrixLike, VectorLike
from .labels import PartialLabels, encode_labels

# The palette of Okabe and Ito, whose colors people with color blindness can distinguish, with a
# darker yellow (the original is too light on white) and two more colors, ten in all.
_PALETTE = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
    "#56B4E9", "#000000", "#B8A400", "#882255", "#8A8A8A",
)  # fmt: skip
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_UNKNOWN = "#C4C4C4"


def plot_representation(
    Z: MatrixLike,
    y: VectorLike,
    *,
    colored_by: VectorLike | None = None,
    components: Sequence[int] | None = None,
    class_names: Sequence[str] | None = None,
    unlabeled: Any = "auto",
    title: str | None = None,
    legend: bool = True,
    ax: Any = None,
) -> Any:
    """Draw the rows of a representation, with the labeled rows highlighted.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        The representation.
    y : array-like of shape (n_samples,)
        Partially labeled target; rows with a label are drawn large with a dark edge. A target
        without any label gives a gray plot.
    colored_by : array-like of shape (n_samples,), optional
        Labels that color the unlabeled rows, such as ``transduction_`` or the truth. Without it
        unlabeled rows are gray.
    components : sequence of 1, 2 or 3 ints, optional
        Which components are drawn, counted from 0: by default the first two (three on a 3-D
        axes). For a single component the points get random heights, so that they do not hide
        each other.
    class_names : sequence of str, optional
        Names for the legend, one for each class that has a label in ``y``, in the order of the
        sorted classes.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.
    title : str, optional
        Title of the axes.
    legend : bool, default=True
        Whether to draw a legend.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl.plotting import plot_representation
    >>> ax = plot_representation(np.eye(4)[:, :2], ["cat", None, "dog", None], title="four rows")
    >>> ax.get_title()
    'four rows'
    """
    Z = _table(Z)
    target = encode_labels(y, unlabeled=unlabeled, n_samples=len(Z), min_classes=0)
    names = _names(target, class_names)
    shown = _components(Z, components, ax)
    codes = target.codes if colored_by is None else _color_codes(target, colored_by)
    ax = _new_axes(len(shown)) if ax is None else ax
    points = Z[:, shown]
    if len(shown) == 1:  # a random height, so that rows do not hide each other
        points = np.column_stack([points, np.random.default_rng(0).uniform(-1, 1, len(Z))])
        ax.set_yticks([])
    _scatter_classes(ax, points, codes, target, names)
    for axis, component in zip("xyz", shown, strict=False):
        getattr(ax, f"set_{axis}label")(f"component {component + 1}")
    if title is not None:
        ax.set_title(title)
    if legend:
        _draw_legend(ax, target)
    return ax


def _table(Z: MatrixLike) -> Array:
    table = np.asarray(Z)
    if table.ndim != 2:
        raise ValueError(
            "Z must be a table of shape (n_samples, n_components). Got shape"
            f" {table.shape}: pass Z.reshape(-1, 1) for one component, Z.toarray() for a sparse"
            " matrix."
        )
    return table


def _names(target: PartialLabels, class_names: Sequence[str] | None) -> list[str]:
    classes = [str(label) for label in target.classes]
    if class_names is None:
        return classes
    if len(class_names) != len(classes):
        raise ValueError(
            f"class_names must hold one name for each of the {len(classes)} classes with a label"
            f" in y. Got {len(class_names)}: name {', '.join(classes) or 'none'}, in this order."
        )
    return [str(name) for name in class_names]


def _components(Z: Array, components: Sequence[int] | None, ax: Any) -> list[int]:
    wanted = 3 if getattr(ax, "name", "") == "3d" else 2
    chosen = range(min(wanted, Z.shape[1])) if components is None else components
    shown: list[Any] = list(chosen)
    known = all(isinstance(c, Integral) and c in range(Z.shape[1]) for c in shown)
    if not 1 <= len(shown) <= 3 or not known:
        raise ValueError(
            f"components must name 1 to 3 of the {Z.shape[1]} columns of Z. Got {shown}: pass ints"
            f" from 0 to {Z.shape[1] - 1}, as in components=[0]."
        )
    return shown


def _new_axes(dimensions: int) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Plots need matplotlib: install it with pip install 'ssrlpl[plot]'."
        ) from error
    projection = "3d" if dimensions == 3 else None
    return plt.figure(figsize=(5, 4), layout="constrained").add_subplot(projection=projection)


def _color_codes(target: PartialLabels, colored_by: VectorLike) -> Ints:
    position = {label: code for code, label in enumerate(target.classes.tolist())}
    labels = np.asarray(colored_by)
    if labels.shape != target.codes.shape:
        raise ValueError(
            f"colored_by must hold one label for each of the {len(target.codes)} rows of Z. Got"
            f" shape {labels.shape}: pass the labels of the same rows, such as transduction_."
        )
    return np.array([position.get(label, -1) for label in labels.tolist()], dtype=np.intp)


def class_style(code: int) -> dict[str, Any]:
    """Return color and marker; with more than ten classes the marker distinguishes them."""
    if code < 0:
        return {"color": _UNKNOWN, "marker": "."}
    round_, place = divmod(code, len(_PALETTE))
    return {"color": _PALETTE[place], "marker": _MARKERS[round_ % len(_MARKERS)]}


def _scatter_classes(
    ax: Any, points: Array, codes: Ints, target: PartialLabels, names: list[str]
) -> None:
    # The more points, the more transparent, so that dense regions do not become one blot.
    faint = float(np.clip(600 / max(len(points), 1), 0.35, 0.8))
    # Without shading, because fading with depth would hide labeled rows.
    flat = {"depthshade": False} if points.shape[1] == 3 else {}
    for code in np.unique(codes[~target.is_labeled]):
        rows = (codes == code) & ~target.is_labeled
        label = "unlabeled" if code < 0 else None
        ax.scatter(
            *points[rows].T, s=12, alpha=faint, linewidths=0, label=label, **class_style(code)
        )
    for code, name in enumerate(names):
        name = f" {name}" if name.startswith("_") else name  # or the legend leaves it out
        rows = target.codes == code
        ax.scatter(
            *points[rows].T, s=55, edgecolors="black", linewidths=1.1, zorder=3, label=name,
            **class_style(code), **flat,
        )  # fmt: skip


def _draw_legend(ax: Any, target: PartialLabels) -> None:
    columns = 1 if len(target.classes) <= 12 else 2
    left = 1.1 if ax.name == "3d" else 1.0  # leave room for the label of the vertical axis
    legend = ax.legend(
        title="class", fontsize="small", title_fontsize="small", ncols=columns,
        loc="center left", bbox_to_anchor=(left, 0.5), frameon=False,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)  # "$5 to $10" is no formula
