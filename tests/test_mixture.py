"""MixtureClassifier: the weighted sum of its parts, and the search that makes one of forests."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from conftest import problem
from ssrlpl import (
    SSRLPLCV,
    LabeledForest,
    LabeledRidge,
    MixtureClassifier,
    SSRLPLClassifier,
    load,
    save,
)
from ssrlpl._core.readout import probabilities
from ssrlpl.labels import encode_labels
from ssrlpl.model_selection.candidates import Bench, ForestLabels, family
from ssrlpl.model_selection.refits import LEAST_WEIGHT


def steps_and_noise(n=400, keep=150, seed=0):
    """Return rows whose class is a box in two of eight columns, which trees can draw."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 8))
    truth = ((X[:, 0] > 0.3) & (X[:, 1] > 0.3)).astype(int)
    y = np.where(rng.permutation(n) < keep, truth, -1)
    return X, y, truth


def test_it_is_the_weighted_sum_of_its_parts(small):
    X, y, _ = small
    parts = [SSRLPLClassifier(), LabeledForest(n_trees=5), LabeledRidge()]
    found = [part.fit(X, y).predict_proba(X) for part in parts]
    model = MixtureClassifier(parts[0], parts[1:], weights=[2, 1, 1]).fit(X, y)
    assert_allclose(model.predict_proba(X), (2 * found[0] + found[1] + found[2]) / 4)
    assert_allclose(model.transform(X), parts[0].transform(X))
    equal = MixtureClassifier(parts[0], parts[1:]).fit(X, y)
    assert_allclose(equal.predict_proba(X), sum(found) / 3)
    assert model.representation_.n_components_ == 2


def test_classes_are_the_users(small):
    X, y, _ = small
    words = np.array(["one", "two", "three", None], dtype=object)[y]
    model = MixtureClassifier(SSRLPLClassifier(), [LabeledForest(n_trees=5)]).fit(X, words)
    codes = MixtureClassifier(SSRLPLClassifier(), [LabeledForest(n_trees=5)]).fit(X, y)
    assert_array_equal(np.sort(model.classes_), ["one", "three", "two"])
    order = [list(model.classes_).index(word) for word in ("one", "two", "three")]
    assert_allclose(model.predict_proba(X)[:, order], codes.predict_proba(X))
    assert model.score(X, words) == codes.score(X, y)


@pytest.mark.parametrize("weights", [[1], [1, -1], [0, 0], [np.nan, 1], [[1, 1]]])
def test_impossible_weights_are_refused(small, weights):
    X, y, _ = small
    with pytest.raises(ValueError, match="weights must"):
        MixtureClassifier(SSRLPLClassifier(), [LabeledForest()], weights=weights).fit(X, y)


@pytest.mark.parametrize("choose", ["all", "one"])
def test_forests_of_a_search_read_rows_themselves(choose, tmp_path):
    """A map to their labels blurs the steps, which costs new rows several points."""
    X, y, _ = steps_and_noise()
    model = SSRLPLCV(choose=choose).fit(X, y)
    mixed = model.best_estimator_
    assert isinstance(mixed, MixtureClassifier)
    say = model.cv_results_["weight"][
        ["trees" in words or "forest" in words for words in model.cv_results_["candidate"]]
    ]
    assert_allclose(mixed.weights_[1:], say[say >= LEAST_WEIGHT])
    new, _, truth = steps_and_noise(2000, 1, seed=1)
    by_map = (model.classes_[mixed.reader_.predict_proba(new).argmax(axis=1)] == truth).mean()
    assert (model.predict(new) == truth).mean() > by_map + 0.02
    # What is said of training rows is what would be said of them as new ones.
    unlabeled = y < 0
    said = model.label_distributions_[unlabeled]
    assert_allclose(model.predict_proba(X[unlabeled]), said, atol=1e-10)
    assert_allclose(model.best_estimator().fit(X, y).predict_proba(new), model.predict_proba(new))
    save(model, tmp_path / "model.ssrlpl")
    loaded = load(tmp_path / "model.ssrlpl")
    assert_array_equal(loaded.predict_proba(new), model.predict_proba(new))


def test_known_shares_are_followed_by_the_map_alone():
    X, y, _ = steps_and_noise()
    model = SSRLPLCV(class_prior={0: 0.6, 1: 0.4}).fit(X, y)
    assert not isinstance(model.best_estimator_, MixtureClassifier)


def test_names_of_columns_are_known_to_all_parts(recwarn):
    X, y, _ = steps_and_noise()
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = SSRLPLCV().fit(frame, y)
    assert_array_equal(model.predict(frame), model.transduction_)
    assert_array_equal(model.best_estimator_.predict(frame), model.transduction_)
    assert not [one for one in recwarn if "feature names" in str(one.message)]
    with pytest.raises(ValueError, match="feature names"):
        model.best_estimator_.predict(frame[list("hgfedcba")])


def test_only_forests_have_a_reader_of_their_own():
    X, y, _ = problem(n=80)
    benches = {}
    for candidate in family(X, 3):
        space = candidate.space
        bench = benches.setdefault(space, Bench(space, X, encode_labels(y), 0))
        reader = candidate.own_reader(bench, 2.5)
        assert (reader is not None) == isinstance(candidate, ForestLabels)
        if reader is not None:
            expected = probabilities(candidate.row_scores(bench), 2.5)
            assert_array_equal(reader.predict_proba(X), expected)
