"""All baselines together: what each promises, whatever its idea."""

from inspect import isclass

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import ssrlpl
from baseline_problems import overlapping
from ssrlpl import KernelSSRLPL, baselines, encode_labels
from ssrlpl._utils import limits
from ssrlpl.baselines import BASELINES
from ssrlpl.baselines._base import Baseline, LabelingBaseline, label_groups
from ssrlpl.guarantee import wta_error
from ssrlpl.model_parts import HOMES
from ssrlpl.model_selection import loo_predict

ENTRIES = pytest.mark.parametrize("entry", BASELINES.values(), ids=BASELINES)


def test_every_estimator_of_the_room_is_in_the_registry_and_in_model_files():
    listed = {entry.estimator for entry in BASELINES.values()}
    public = (getattr(baselines, name) for name in baselines.__all__)
    assert listed == {one for one in public if isclass(one) and issubclass(one, Baseline)}
    for one in listed:
        assert HOMES[one.__name__] == one.__module__


@ENTRIES
def test_grids_are_of_parameters_and_begin_with_the_default(entry):
    default = entry.estimator().get_params()
    assert {name: values[0] for name, values in entry.grid.items()}.items() <= default.items()


@ENTRIES
def test_words_as_labels_are_codes_with_names(entry):
    X, y, _ = overlapping(1)
    X = X + 3
    names = np.array(["ash", "beech", "cedar", None], dtype=object)
    words, codes = (entry.estimator().fit(X, labels) for labels in (names[y], y))
    assert_array_equal(words.predict(X + 0.1), names[codes.predict(X + 0.1)])


@ENTRIES
def test_saved_and_loaded(entry, tmp_path):
    pytest.importorskip("skops")
    X, y, _ = overlapping(2)
    fitted = entry.estimator().fit(X, y)
    ssrlpl.save(fitted, tmp_path / "model")
    assert_array_equal(ssrlpl.load(tmp_path / "model").predict(X + 0.1), fitted.predict(X + 0.1))


@ENTRIES
def test_errors_of_targets_and_scores_of_labeled_rows(entry):
    X, y, truth = overlapping(3)
    model = entry.estimator()
    with pytest.raises(ValueError, match="y has no labeled row"):
        model.fit(X, np.full(len(X), -1))
    with pytest.raises(ValueError, match="X and y must have the same length"):
        model.fit(X, y[:-1])
    model.fit(X, y)
    half = np.where(np.arange(len(X)) < 45, truth, -1)
    assert model.score(X, half) == np.mean(model.predict(X)[:45] == truth[:45])


@ENTRIES
@pytest.mark.parametrize("factor", [1e-200, 1e160, 1e300])
def test_numbers_whose_squares_are_no_numbers_are_refused(entry, factor):
    X, y, _ = overlapping(3)
    with pytest.raises(ValueError, match="largest number of X must be between .*scale the columns"):
        entry.estimator().fit(factor * X, y)


@ENTRIES
def test_new_rows_may_be_far_away(entry):
    X, y, _ = overlapping(3)
    fitted = entry.estimator().fit(X, y)
    far = np.full((3, X.shape[1]), [[1e200], [-1e300], [1e-300]])
    scores = getattr(fitted, "decision_function", getattr(fitted, "predict_proba", None))
    assert np.isfinite(scores(far)).all()
    assert set(fitted.predict(far)) <= set(y)


@ENTRIES
def test_order_of_rows_does_not_matter(entry):
    X, y, _ = overlapping(4)
    X = X + 3
    order = np.random.default_rng(1).permutation(len(X))
    plain, mixed = entry.estimator().fit(X, y), entry.estimator().fit(X[order], y[order])
    new = X[:30] + 0.05
    assert_array_equal(mixed.predict(new), plain.predict(new))


@ENTRIES
def test_a_grid_changes_nothing_in_a_fit(entry):
    """What settings share is what each of them would have computed alone."""
    X, y, _ = overlapping(6)
    X = X + 3
    tuned = entry.tune(X, y)
    alone = clone(tuned).fit(X, y)
    assert_array_equal(tuned.predict(X + 0.05), alone.predict(X + 0.05))
    assert tuned.get_params().items() >= {"unlabeled": "auto"}.items()


def test_a_tuned_method_knows_the_names_of_columns():
    X, y, _ = overlapping(6)
    frame = pd.DataFrame(X, columns=list("abcd"))
    tuned = BASELINES["harmonic"].tune(frame, y)
    assert tuned.feature_names_in_.tolist() == list("abcd")
    assert_array_equal(
        tuned.predict(frame + 0.05), BASELINES["harmonic"].tune(X, y).predict(X + 0.05)
    )


@pytest.mark.parametrize("name", ["lap_rls", "semi_ksc", "harmonic", "linear_neighborhood"])
def test_the_first_of_the_best_settings_is_taken(name):
    X, y, _ = overlapping(7)
    entry = BASELINES[name]
    settings = list(entry.settings())
    hits = [np.sum(loo_predict(entry.estimator(**one), X, y) == y[y >= 0]) for one in settings]
    assert len(set(hits)) > 1
    tuned = entry.tune(X, y).get_params()
    assert settings[int(np.argmax(hits))].items() <= tuned.items()


def test_a_method_without_a_shortcut_leaves_labels_out_by_refits():
    X, y, _ = overlapping(8, n=45)
    model, target = BASELINES["dksvd"].estimator(n_atoms=2), encode_labels(y)
    codes = model.choice_scores(model.check_rows(X), target).argmax(axis=1)
    assert_array_equal(target.classes[codes], loo_predict(model, X, y))


def test_groups_hold_each_label_once_and_every_class_its_share(monkeypatch):
    y = np.full(100, -1)
    y[5:65] = np.arange(60) % 3
    target = encode_labels(y)
    groups = label_groups(target)
    assert_array_equal(np.sort(np.concatenate(groups)), target.labeled)
    assert_array_equal([np.bincount(y[rows]) for rows in groups], np.full((5, 3), 4))
    monkeypatch.setattr(limits, "SINGLE_LABELS", 60)
    assert_array_equal(np.concatenate(label_groups(target)), target.labeled)


def test_settings_that_do_not_fit_into_memory_are_computed_again(monkeypatch):
    X, y, _ = overlapping(8)
    kept = BASELINES["lap_rls"].tune(X, y)
    monkeypatch.setattr(limits, "SHARED_BYTES", 0)
    again = BASELINES["lap_rls"].tune(X, y)
    assert again.get_params() == kept.get_params()
    assert_array_equal(again.dual_coef_, kept.dual_coef_)


LABELERS = [e.estimator() for e in BASELINES.values() if issubclass(e.estimator, LabelingBaseline)]


@pytest.mark.parametrize("model", LABELERS)
def test_serves_as_a_labeler_of_maps_and_of_wta_error(model):
    X, y, _ = overlapping(5)
    X = X + 3
    alone = clone(model).fit(X, y)
    map_ = KernelSSRLPL(labeler=model).fit(X, y)
    assert_allclose(map_.label_distributions_, alone.label_distributions_)
    wrong = loo_predict(model, X, y) != y[y >= 0]
    assert wta_error(model, X, y, method="loo").errors == wrong.sum()
