"""Scores of partially labeled rows: equal to scikit-learn's on the labeled ones."""

import pickle
from functools import partial

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    fbeta_score,
    get_scorer,
    get_scorer_names,
    log_loss,
    make_scorer,
)
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from conftest import problem
from ssrlpl import KernelSSRLPL, KNNLabeler, LabeledOnly, SSRLPLClassifier
from ssrlpl.model_selection import LeaveOneLabelOut, StratifiedLabeledKFold, labeled_scorer

NAMES = np.array(["ant", "bee", "cat"], dtype=object)


def _pipeline(last=None):
    return make_pipeline(
        StandardScaler(), KernelSSRLPL(), LabeledOnly(last or LogisticRegression())
    )


@pytest.fixture(params=["codes", "strings"])
def fitted(request):
    X, codes, truth = problem(n=90, share=0.3, n_classes=3, seed=2)
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(90) < 0.2, (truth + 1) % 3, truth)  # so that no score is perfect
    asked = np.where(rng.random(90) < 0.5, noisy, -1)
    if request.param == "strings":
        codes = np.where(codes < 0, None, NAMES[codes])
        return _pipeline().fit(X, codes), X, np.where(asked < 0, None, NAMES[asked]), asked >= 0
    return _pipeline().fit(X, codes), X, asked, asked >= 0


@pytest.mark.parametrize(
    "name", ["accuracy", "balanced_accuracy", "f1_macro", "neg_log_loss", "roc_auc_ovr"]
)
def test_a_name_scores_the_labeled_rows_as_scikit_learn_does(fitted, name):
    model, X, y, labeled = fitted
    expected = get_scorer(name)(model, X[labeled], y[labeled])
    assert labeled_scorer(name)(model, X, y) == pytest.approx(expected)
    assert expected != pytest.approx(1)


def test_metrics_and_scorers(fitted):
    model, X, y, labeled = fitted
    macro = make_scorer(f1_score, average="macro", pos_label=None)(model, X[labeled], y[labeled])
    beta = make_scorer(fbeta_score, beta=2, average="macro", pos_label=None)(
        model, X[labeled], y[labeled]
    )
    right = accuracy_score(y[labeled], model.predict(X[labeled]))

    def own_metric(y_true, y_predicted):
        return np.mean(y_true == y_predicted)

    def own_scorer(estimator, X, y):
        return np.mean(estimator.predict(X) == y)

    def weighted_metric(y_true, y_predicted, sample_weight=None):
        return accuracy_score(y_true, y_predicted, sample_weight=sample_weight)

    def scorer_of_sklearns_shape(estimator, X, y=None):
        return own_scorer(estimator, X, y)

    for scorer, expected in [
        (labeled_scorer(weighted_metric), right),
        (labeled_scorer(scorer_of_sklearns_shape), right),
        (labeled_scorer(f1_score, average="macro"), macro),
        (labeled_scorer(make_scorer(f1_score, average="macro", pos_label=None)), macro),
        (labeled_scorer(partial(fbeta_score, beta=2), average="macro"), beta),
        (labeled_scorer(accuracy_score), right),
        (labeled_scorer(own_metric), right),
        (labeled_scorer(own_scorer), right),
        (labeled_scorer(own_metric, greater_is_better=False), -right),
    ]:
        assert scorer(model, X, y) == pytest.approx(expected)


@pytest.mark.parametrize("metric", ["by name", "by function"])
def test_probabilities_are_scored_where_the_test_side_lacks_a_class(fitted, metric):
    model, X, y, labeled = fitted
    options = {"greater_is_better": False, "response_method": "predict_proba"}
    scorer = (
        labeled_scorer("neg_log_loss")
        if metric == "by name"
        else labeled_scorer(log_loss, **options)
    )
    row = np.flatnonzero(labeled)[:1]
    column = model.classes_.tolist().index(y[row[0]])
    expected = np.log(model.predict_proba(X[row])[0, column])
    assert scorer(model, X[row], y[row]) == pytest.approx(expected)


@pytest.mark.parametrize("names", [[0, 1, 2], [1, 2, 3], ["ant", "bee", "cat"]])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_brier_scores_where_the_test_side_lacks_a_class(n_classes, names):
    X, codes, truth = problem(n=90, share=0.3, n_classes=n_classes, seed=2)
    names = np.array(names, dtype=object)
    model = KNNLabeler(5).fit(X + codes[:, None], np.where(codes < 0, None, names[codes]))
    for kept in (truth >= 0, truth > 0, truth < n_classes - 1):
        P, Y = model.predict_proba(X[kept]), np.eye(n_classes)[truth[kept]]
        loss, null = (np.mean(np.sum((p - Y) ** 2, axis=1)) for p in (P, Y.mean(axis=0)))
        found = labeled_scorer("neg_brier_score")(model, X[kept], names[truth[kept]])
        assert -found == pytest.approx(loss / (2 if n_classes == 2 else 1))
        found = labeled_scorer("d2_log_loss_score")(model, X[kept], names[truth[kept]])
        assert np.isfinite(found)
        if "d2_brier_score" in get_scorer_names() and null > 0:
            found = labeled_scorer("d2_brier_score")(model, X[kept], names[truth[kept]])
            assert found == pytest.approx(1 - loss / null)


@pytest.mark.parametrize("name", ["roc_auc_ovr", "roc_auc_ovo_weighted"])
def test_areas_under_curves_need_every_class(fitted, name):
    model, X, y, _ = fitted
    two = y != model.classes_[0]
    with pytest.raises(ValueError, match=f"{name} needs a row of every class .*Stratified"):
        labeled_scorer(name)(model, X[two], y[two])


@pytest.mark.parametrize("form", ["codes", "strings"])
def test_roc_auc_of_two_classes(form):
    X, codes, truth = problem(n=80, n_classes=2, share=0.3, seed=1)
    y = codes if form == "codes" else np.where(codes < 0, None, NAMES[codes])
    asked = truth if form == "codes" else NAMES[truth]
    model = _pipeline().fit(X, y)
    expected = get_scorer("roc_auc")(model, X, asked)
    some = np.where(np.arange(80) < 60, asked, -1 if form == "codes" else None)
    assert labeled_scorer("roc_auc")(model, X, asked) == pytest.approx(expected)
    part = get_scorer("roc_auc")(model, X[:60], asked[:60])
    assert labeled_scorer("roc_auc")(model, X, some) == pytest.approx(part)


@pytest.mark.parametrize("marker", ["auto", None])
def test_minus_one_as_a_class(marker):
    X, codes, truth = problem(n=60, n_classes=2)
    signs = 2 * truth - 1
    y = np.where(codes < 0, None, signs)
    model = SSRLPLClassifier(unlabeled=marker).fit(X, y)
    scorer = labeled_scorer("accuracy", unlabeled=marker)
    assert scorer(model, X, signs) == np.mean(model.predict(X) == signs)
    scores = cross_val_score(
        SSRLPLClassifier(unlabeled=marker), X, y, scoring=scorer,
        cv=StratifiedLabeledKFold(3, unlabeled=marker),
    )  # fmt: skip
    assert scores.min() > 0.7


def test_weights_follow_their_rows(fitted):
    model, X, y, labeled = fitted
    weight = np.random.default_rng(3).uniform(0.1, 3, len(y))
    expected = accuracy_score(y[labeled], model.predict(X[labeled]), sample_weight=weight[labeled])
    assert labeled_scorer("accuracy")(model, X, y, sample_weight=weight) == pytest.approx(expected)


@config_context(enable_metadata_routing=True)
def test_weights_are_routed_where_they_are_requested():
    X, y, truth = problem(n=60, share=0.5)
    weight = np.random.default_rng(0).uniform(0.1, 5, 60)
    y[np.flatnonzero(y >= 0)[:8]] = 1 - truth[np.flatnonzero(y >= 0)[:8]] % 2  # some errors
    model = LabeledOnly(LogisticRegression().set_fit_request(sample_weight=False))
    how = {"cv": StratifiedLabeledKFold(2), "params": {"sample_weight": weight}}
    scorer = labeled_scorer("accuracy")
    with pytest.raises(UnsetMetadataPassedError, match="set_score_request"):
        cross_val_score(model, X, y, scoring=scorer, **how)
    found = cross_val_score(
        model, X, y, scoring=scorer.set_score_request(sample_weight=True), **how
    )
    fits = [(clone(model).fit(X[a], y[a]), b) for a, b in how["cv"].split(X, y)]
    assert found.tolist() == [scorer(fit, X[b], y[b], weight[b]) for fit, b in fits]
    assert found.tolist() != [scorer(fit, X[b], y[b]) for fit, b in fits]


def test_scorers_serve_grid_search_leave_one_out_and_several_metrics():
    X, codes, _ = problem(n=60, share=0.4)
    y = np.where(codes < 0, None, NAMES[codes])
    search = GridSearchCV(
        _pipeline(KNeighborsClassifier()),
        {"labeledonly__estimator__n_neighbors": [1, 3]},
        scoring=labeled_scorer("balanced_accuracy"),
        cv=StratifiedLabeledKFold(3),
        error_score="raise",
    ).fit(X, y)
    assert search.best_score_ > 0.8
    assert search.score(X, y) > 0.8
    scores = cross_validate(
        _pipeline(), X, y, cv=LeaveOneLabelOut(), error_score="raise",
        scoring={"loss": labeled_scorer("neg_log_loss"), "right": labeled_scorer("accuracy")},
    )  # fmt: skip
    assert np.all(scores["test_loss"] < 0)
    assert scores["test_right"].mean() > 0.8


def test_scorers_are_pickled_and_shown():
    scorer = labeled_scorer(f1_score, average="macro")
    assert repr(scorer) == "labeled_scorer('f1_score', average='macro')"
    assert repr(pickle.loads(pickle.dumps(scorer))) == repr(scorer)
    assert repr(labeled_scorer("accuracy")) == "labeled_scorer('accuracy')"


def test_errors_name_the_cure(fitted):
    model, X, _, _ = fitted
    with pytest.raises(ValueError, match="Got 90 unlabeled rows: split with LabeledKFold"):
        labeled_scorer("accuracy")(model, X, np.full(90, None))
    with pytest.raises(ValueError, match="Got 3: pass for example"):
        labeled_scorer(3)
    with pytest.raises(ValueError, match="Got average with f1_macro, which is a scorer already"):
        labeled_scorer("f1_macro", average="micro")
    with pytest.raises(ValueError, match="Got beta with make_scorer.*: pass the metric"):
        labeled_scorer(make_scorer(f1_score), beta=2)
    with pytest.raises(ValueError, match="'exactitude' is not a valid"):
        labeled_scorer("exactitude")
    with pytest.raises(ValueError, match="90 rows in X and 2 in y"):
        labeled_scorer("accuracy")(model, X, [0, 1])
