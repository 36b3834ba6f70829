"""Data, plots, the demo, and what an import costs."""

import subprocess
import sys

import numpy as np
import pytest

from conftest import problem
from ssrlpl.datasets import hide_labels, make_two_moons
from ssrlpl.experiments import demo


def test_hide_labels_keeps_what_it_says():
    truth = np.arange(100) % 5
    y = hide_labels(truth, keep=0.2, random_state=0)
    assert (y >= 0).sum() == 20
    assert set(y[y >= 0]) == set(range(5))
    assert np.array_equal(y[y >= 0], truth[y >= 0])
    per_class = hide_labels(truth, keep_per_class=3, random_state=0)
    assert np.bincount(per_class[per_class >= 0]).tolist() == [3] * 5


def test_hide_labels_is_seeded_and_takes_strings():
    truth = np.array(["a", "b"] * 20)
    y = hide_labels(truth, keep=6, random_state=3)
    assert y.tolist() == hide_labels(truth, keep=6, random_state=3).tolist()
    assert y.tolist() != hide_labels(truth, keep=6, random_state=4).tolist()
    assert sum(label is not None for label in y) == 6


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        ({}, "either"),
        ({"keep": 1}, "one for each class"),
        ({"keep_per_class": 99}, "smallest class"),
    ],
)
def test_hide_labels_errors_name_the_cure(arguments, cure):
    with pytest.raises(ValueError, match=cure):
        hide_labels(np.arange(20) % 2, **arguments)


def test_two_moons_is_the_papers_problem():
    X, y, truth = make_two_moons(random_state=0)
    assert X.shape == (200, 2)
    assert np.bincount(truth).tolist() == [100, 100]
    assert np.bincount(y[y >= 0]).tolist() == [4, 4]


def test_figure_1_parts_the_classes_by_a_straight_line():
    X, y, truth = make_two_moons(random_state=demo.MOONS_SEED)
    kernel = demo.moons_maps()["RBF, sigma=0.15, k=3"].fit(X, y)
    assert demo.straight_line_accuracy(kernel.transform(X), truth) == 1
    assert demo.straight_line_accuracy(X, truth) < 0.95


def test_demo_writes_figures_and_prints_tables(tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.setattr(demo, "MOONS_DRAWS", 6)
    monkeypatch.setattr(demo, "DIGITS_DRAWS", 1)
    demo.main(tmp_path / "new" / "folder")
    printed = capsys.readouterr().out
    assert "labeled rows only" in printed
    for name in ("two_moons.png", "digits.png"):
        assert (tmp_path / "new" / "folder" / name).stat().st_size > 10_000


@pytest.mark.parametrize("n_columns", [1, 2, 3])
def test_plot_has_one_entry_for_each_class(n_columns):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    from ssrlpl.plotting import plot_representation

    X, y, truth = problem()
    names = ["ash", "beech", "cedar"]
    components = list(range(n_columns))
    ax = plot_representation(X, y, components=components, class_names=names, title="trees")
    entries = [text.get_text() for text in ax.get_legend().get_texts()]
    assert entries == ["unlabeled", *names]
    drawn = sum(len(c.get_offsets()) for c in ax.collections)
    assert drawn == len(X)
    plt.close(ax.figure)
    ax = plot_representation(X, y, colored_by=truth, legend=False)
    assert ax.get_legend() is None
    plt.close(ax.figure)
    with pytest.raises(ValueError, match="components must name"):
        plot_representation(X, y, components=[9])


def test_import_brings_in_nothing_that_scikit_learn_does_not():
    """Plots and tables come in only when used, so importing us costs what scikit-learn costs."""
    code = "import sys, {}; print(*{{name.split('.')[0] for name in sys.modules}})"

    def packages(module):
        command = [sys.executable, "-c", code.format(module)]
        return set(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        )

    ours = packages("ssrlpl") - packages("sklearn.decomposition")
    assert {name for name in ours if name not in sys.stdlib_module_names} == {"ssrlpl"}
