"""Given labels that look wrong: planted errors are found, and labels of noise are not praised."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

from ssrlpl import SSRLPLCV, KNNLabeler, load, save
from ssrlpl._utils import limits
from ssrlpl.datasets import hide_labels
from ssrlpl.model_selection import suspect_labels


@pytest.fixture(scope="module")
def planted():
    """Return fitted searches on digits with 150 labels, 15 of them wrong, and which ones."""
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:600], truth[:600]
    found = []
    for seed in range(3):
        y, rng = hide_labels(truth, keep=150, random_state=seed), np.random.default_rng(seed)
        wrong = rng.choice(np.flatnonzero(y >= 0), 15, replace=False)
        y[wrong] = (truth[wrong] + rng.integers(1, 10, size=15)) % 10
        found.append((SSRLPLCV().fit(X, y), y, truth, wrong))
    return found


def test_planted_errors_are_found_and_stand_first(planted):
    for model, y, truth, wrong in planted:
        found = suspect_labels(model).to_dict()
        assert set(wrong.tolist()) <= {one["row"] for one in found}  # 15 of 15, in three draws
        assert len(found) <= 25
        assert np.mean([one["row"] in wrong for one in found[:15]]) >= 13 / 15
        named = [one for one in found if one["row"] in wrong]
        assert np.mean([one["likely"] == truth[one["row"]] for one in named]) >= 0.8
        assert all(one["given"] == y[one["row"]] for one in found)


def test_list_is_what_leave_one_out_gets_wrong(planted):
    model, y, _, _ = planted[0]
    np.testing.assert_array_equal(model.loo_rows_, np.flatnonzero(y >= 0))
    found = suspect_labels(model).to_dict()
    assert len(found) == round(model.loo_error_ * 150)
    assert all(one["given_probability"] < one["probability"] for one in found)
    chances = [one["given_probability"] for one in found]
    assert chances == sorted(chances)


def test_the_only_label_of_a_class_is_no_suspect():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) + 6 * np.eye(3, 2)[np.arange(60) % 3]
    y = np.where(np.arange(60) < 21, np.arange(60) % 3, -1)
    y[(y == 2) & (np.arange(60) > 2)] = -1
    model = SSRLPLCV().fit(X, y)
    assert 2 not in [one["row"] for one in suspect_labels(model).to_dict()]


def test_rows_are_those_of_the_table_if_the_search_took_some(monkeypatch):
    monkeypatch.setattr(limits, "SEARCH_LABELED", 40)
    rng = np.random.default_rng(0)
    truth = np.arange(120) % 2
    X = rng.normal(size=(120, 3)) + 8 * truth[:, None]
    y = np.where(np.arange(120) < 80, truth, -1)
    wrong = [3, 30, 60, 79]
    y[wrong] = 1 - y[wrong]
    model = SSRLPLCV(choose="one").fit(X, y)
    assert len(model.loo_rows_) == 40
    found = {one["row"] for one in suspect_labels(model).to_dict()}
    assert found == set(wrong) & set(model.loo_rows_.tolist())
    assert found


def test_loaded_models_of_large_tables(planted, tmp_path, monkeypatch):
    model = planted[0][0]
    found = suspect_labels(model).to_dict()
    monkeypatch.setattr(limits, "MODEL_LABEL_NUMBERS", model.loo_probabilities_.size)
    save(model, tmp_path / "without vectors of all rows")
    loaded = load(tmp_path / "without vectors of all rows")
    assert not hasattr(loaded, "label_distributions_")
    assert suspect_labels(loaded).to_dict() == found
    monkeypatch.setattr(limits, "MODEL_LABEL_NUMBERS", 1499)
    save(model, tmp_path / "with neither")
    with pytest.raises(ValueError, match=r"loo_probabilities_, .* ask before saving, or fit"):
        suspect_labels(load(tmp_path / "with neither"))


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(TypeError, match="must be SSRLPLCV.* Got KNNLabeler: for others compare"):
        suspect_labels(KNNLabeler())
    with pytest.raises(NotFittedError):
        suspect_labels(SSRLPLCV())
