"""The demo: figure 1 and the digits."""

import pytest

from ssrlpl.datasets import make_two_moons
from ssrlpl.experiments import demo


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
