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


@pytest.mark.parametrize(
    "model",
    [
        *(entry.estimator() for entry in BASELINES.values()),
        baselines.LapRLS(solver="cg"),
        baselines.TransductiveSVM(kernel="rbf"),
    ],
    ids=str,
)
def test_saved_and_loaded(model, tmp_path):
    pytest.importorskip("skops")
    X, y, _ = overlapping(2)
    ssrlpl.save(model.fit(X, y), tmp_path / "model")
    loaded = ssrlpl.load(tmp_path / "model")
    assert_array_equal(loaded.predict(X + 0.1), model.predict(X + 0.1))
    if hasattr(model, "decision_function"):
        assert_array_equal(loaded.decision_function(X + 0.1), model.decision_function(X + 0.1))


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


WRONG_SETTINGS = [
    (baselines.HarmonicFunctions(n_neighbors=0), "n_neighbors must be an int >= 1"),
    (baselines.PoissonLearning(weights="cosine"), "pass metric='cosine' as well"),
    (baselines.PoissonLearning(weights="equal"), "weights must be one of"),
    (baselines.PoissonLearning(sharpness=0), "sharpness must be a number"),
    (baselines.PoissonLearning(class_prior=[0.5, 0.5]), "class_prior must hold 3 positive shares"),
    (baselines.PoissonLearning(class_prior=[1, 1, 0]), "class_prior must hold 3 positive shares"),
    (baselines.PoissonLearning(class_prior="equal"), "class_prior must be one of 'labels'"),
    (baselines.PoissonLearning(damping=1.0), "damping must be a number"),
    (baselines.PoissonLearning(temperature=0.0), "temperature must be a number"),
    (baselines.PoissonLearning(temperature="cold"), "temperature must be"),
    (baselines.LinearNeighborhoodPropagation(0), "n_neighbors must be an int >= 1"),
    (baselines.LinearNeighborhoodPropagation(alpha=1), "alpha must be a number"),
    (baselines.LinearNeighborhoodPropagation(ridge=-1), "ridge must be a number"),
    (baselines.SparseNeighborhoodPropagation(1.0), "penalty must be a number"),
    (baselines.PairwisePropagation(0), "penalty must be a number"),
    (baselines.PairwisePropagation(mixing=1), "mixing must be a number"),
    (baselines.PairwisePropagation(n_rounds=0), "n_rounds must be an int >= 1"),
    (baselines.LapSVMPrimal(gamma_A=0), "gamma_A must be a number in"),
    (baselines.LapSVMPrimal(gamma_I=-1), "gamma_I must be a number in"),
    (baselines.LapSVMPrimal(solver="qp"), "solver must be one of 'newton', 'cg'. Got 'qp'"),
    (baselines.LapSVMPrimal(kernel="poly"), "kernel must be one of"),
    (baselines.LapSVMPrimal(fit_intercept=True, normalized=True), "needs normalized=False"),
    (baselines.LapRLS(stability=2), "stability must be a number in"),
    (baselines.LapRLS(max_iter=0), "max_iter must be an int >= 1"),
    (baselines.LapRLS(sharpness=0), "sharpness must be a number in"),
    (baselines.LapSVM(gamma_A="small"), "gamma_A must be a number in"),
    (baselines.LapSVM(gamma_I="small"), "gamma_I must be a number in"),
    (baselines.LapSVM(n_neighbors=0), "n_neighbors must be an int >= 1"),
    (baselines.LapSVM(tol=0), "tol must be a number in"),
    (baselines.SemiKSC(gamma_1=0), "gamma_1 must be a number in"),
    (baselines.SemiKSC(gamma_2=np.inf), "gamma_2 must be a number in"),
    (baselines.TransductiveSVM(C=0), "C must be a number in"),
    (baselines.TransductiveSVM(C="big"), "C must be a number in"),
    (baselines.TransductiveSVM(unlabeled_cost=-1), "unlabeled_cost must be a number in"),
    (baselines.TransductiveSVM(kernel="poly"), "kernel must be one of"),
    (baselines.LDS(rho=-1), "rho must be a number in"),
    (
        baselines.LDS(rho=1e4),
        "rho times the longest edge must be at most 600. Got rho=1e.04: use a",
    ),
    (baselines.LDS(n_neighbors=0), "n_neighbors must be an int >= 1"),
    (baselines.LDS(delta=1), "delta must be a number in"),
    (baselines.DKSVD(0), "n_atoms must be"),
    (baselines.DKSVD(n_nonzero=0), "n_nonzero must be"),
    (baselines.DKSVD(gamma=-1), "gamma must be"),
    (baselines.DKSVD(ridge=0), "ridge must be"),
    (baselines.LCKSVD(variant=3), "variant must be"),
    (baselines.LCKSVD(alpha=-1), "alpha must be"),
    (baselines.LCKSVD(beta=-1), "beta must be"),
    (baselines.LCKSVD(n_sweeps=0), "n_sweeps must be"),
    (baselines.FDDL(lambda_1=0), "lambda_1 must be"),
    (baselines.FDDL(lambda_2=-1), "lambda_2 must be"),
    (baselines.FDDL(gamma=0), "gamma must be"),
    (baselines.FDDL(mean_weight=-1), "mean_weight must be"),
    (baselines.FDDL(n_rounds=0), "n_rounds must be"),
    (baselines.FDDL(rule="both"), "rule must be"),
    (baselines.OSSDL(confidence=0), "confidence must be"),
    (baselines.OSSDL(batch_size=0), "batch_size must be"),
    (baselines.OSSDL(n_passes=0), "n_passes must be"),
    (baselines.OSSDL(unlabeled_weight=-1), "unlabeled_weight must be"),
    (baselines.OSSDL(ridge=0), "ridge must be"),
    (baselines.S2D2(sharpness=0), "sharpness must be"),
    (baselines.S2D2(discrimination=-1), "discrimination must be"),
    (baselines.S2D2(n_rounds=0), "n_rounds must be"),
]


@pytest.mark.parametrize(("model", "words"), WRONG_SETTINGS, ids=str)
def test_wrong_settings_are_named(model, words):
    X, y, _ = overlapping()
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)


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
