"""Pictures: what is drawn, what the legend says, and what is refused."""

import numpy as np
import pytest

plt = pytest.importorskip("matplotlib.pyplot")
from ssrlpl.plotting import class_style, plot_representation  # noqa: E402

Z = np.random.default_rng(0).standard_normal((8, 3))
Y = np.array([0, 1, 2, 0, -1, -1, -1, -1])


@pytest.fixture(autouse=True)
def _no_window():
    plt.switch_backend("Agg")
    yield
    plt.close("all")


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def rows_drawn(ax):
    return sum(len(points.get_offsets()) for points in ax.collections)


@pytest.mark.parametrize("n_columns", [1, 2, 3])
def test_plot_has_one_entry_for_each_class(n_columns):
    names = ["ash", "beech", "cedar"]
    ax = plot_representation(
        Z, Y, components=list(range(n_columns)), class_names=names, title="trees"
    )
    assert legend_of(ax) == ["unlabeled", *names]
    assert rows_drawn(ax) == len(Z)
    ax = plot_representation(Z, Y, colored_by=np.arange(8) % 3, legend=False)
    assert ax.get_legend() is None


def test_names_that_matplotlib_reads_in_another_way():
    ax = plot_representation(Z, Y, class_names=["_hidden", r"$\price$", "$5 to $10"])
    assert legend_of(ax) == ["unlabeled", " _hidden", r"$\price$", "$5 to $10"]
    ax.figure.draw_without_rendering()


@pytest.mark.parametrize("names", [["ash", "beech"], ["ash", "beech", "cedar", "ghost"], []])
def test_class_names_must_fit_the_classes(names):
    cure = rf"one name for each of the 3 classes .* Got {len(names)}: name 0, 1, 2, in this order"
    with pytest.raises(ValueError, match=cure):
        plot_representation(Z, Y, class_names=names)


@pytest.mark.parametrize("colored_by", [Y[:-1], [*Y, 0], Y[:, None], 3], ids=repr)
def test_colored_by_must_fit_the_rows(colored_by):
    cure = r"colored_by must hold one label for each of the 8 rows of Z\. Got shape .*: pass the"
    with pytest.raises(ValueError, match=cure):
        plot_representation(Z, Y, colored_by=colored_by)


def test_colored_by_colors_every_row():
    ax = plot_representation(Z, Y, colored_by=np.arange(8) % 3)
    assert legend_of(ax) == ["0", "1", "2"]
    assert rows_drawn(ax) == len(Z)


@pytest.mark.parametrize("table", [Z[:, 0], Z[None], 3.0])
def test_a_table_is_needed(table):
    with pytest.raises(ValueError, match=r"Z must be a table .* pass Z\.reshape\(-1, 1\)"):
        plot_representation(table, Y)


@pytest.mark.parametrize("components", [[-1], [0, -2], [3], [], [0, 1, 2, 0], [0.5]])
def test_components_are_counted_from_zero(components):
    with pytest.raises(ValueError, match=r"components must name .* pass ints from 0 to 2"):
        plot_representation(Z, Y, components=components)


def test_components_name_the_axes():
    ax = plot_representation(Z, Y, components=np.array([2, 0]))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("component 3", "component 1")


@pytest.mark.parametrize("y", [[-1] * 8, [None] * 8, [np.nan] * 8])
def test_without_any_label_the_plot_is_gray(y):
    ax = plot_representation(Z, y)
    assert legend_of(ax) == ["unlabeled"]
    assert rows_drawn(ax) == len(Z)
    colors = np.vstack([points.get_facecolors()[:, :3] for points in ax.collections])
    np.testing.assert_allclose(colors, 0xC4 / 255)


def test_errors_leave_no_empty_figure_behind():
    with pytest.raises(ValueError, match="colored_by"):
        plot_representation(Z, Y, colored_by=[0])
    assert not plt.get_fignums()


def test_more_classes_than_colors_differ_in_their_markers():
    styles = [tuple(class_style(code).values()) for code in range(30)]
    assert len(set(styles)) == 30
    assert class_style(10)["color"] == class_style(0)["color"]
