"""What SSRLPLCV hands out agrees with what it says itself, and its search stays small."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from conftest import peak_bytes, problem
from ssrlpl import SSRLPLCV, LabeledRidge, MixtureClassifier, SSRLPLClassifier
from ssrlpl._utils import limits
from ssrlpl.model_selection.candidates import ForestLabels
from ssrlpl.model_selection.candidates.labeled_only import LabeledLeastSquares
from ssrlpl.model_selection.format1 import Part, upgraded

pytestmark = pytest.mark.usefixtures("small_forests")


class LabeledRowsOnly(SSRLPLCV):
    def candidates(self, X):
        kept = super().candidates(X)
        return [c for c in kept if isinstance(c, LabeledLeastSquares)]


def test_probabilities_of_training_rows_are_those_of_predict_proba_beyond_the_label_limit(
    monkeypatch,
):
    monkeypatch.setattr(limits, "SEARCH_LABELED", 40)
    X, y, _ = problem(n=200, share=0.5)
    model = LabeledRowsOnly().fit(X, y)
    assert len(model.loo_probabilities_) == 40
    hidden = y < 0
    found = model.predict_proba(X)[hidden]
    np.testing.assert_allclose(model.label_distributions_[hidden], found, atol=1e-12)


def test_a_file_of_format_1_keeps_the_temperature_of_its_search():
    X, y, _ = problem()
    member, candidate = Part(), Part()
    candidate.kind = "ridge"
    member.map_, member.candidate, member.space_ = LabeledRidge().fit(X, y), candidate, None
    temperature = 3 * member.map_.temperature_
    state = {"_member": member, "_temperature": temperature, "classes_": np.arange(3)}
    fitted = upgraded(state)["best_estimator_"]
    scores = fitted.label_scores(X) / temperature
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.predict_proba(X), expected, atol=1e-12)


def test_the_chosen_estimator_reads_the_marker_of_the_search():
    X, y, _ = problem()
    marked = np.where(y < 0, -99, y)
    model = SSRLPLCV(unlabeled=-99).fit(X, marked)
    assert model.best_estimator_.score(X, marked) == model.score(X, marked)


class ForestsOnly(SSRLPLCV):
    def candidates(self, X):
        return [c for c in super().candidates(X) if isinstance(c, ForestLabels)]


def test_a_mixture_reads_the_marker_of_the_search():
    X, y, _ = problem()
    marked = np.where(y < 0, -99, y)
    model = ForestsOnly(unlabeled=-99).fit(X, marked)
    assert isinstance(model.best_estimator_, MixtureClassifier)
    assert model.best_estimator_.score(X, marked) == model.score(X, marked)


def test_the_chosen_estimator_takes_the_table_that_was_searched():
    X, y, _ = problem()
    frame = pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])
    model = SSRLPLCV().fit(frame, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # such as: fitted without feature names
        predicted = model.best_estimator_.predict(frame)
    assert np.array_equal(predicted, model.predict(frame))


def test_best_params_make_the_estimator_from_its_class():
    X, y, _ = problem()
    model = SSRLPLCV().fit(X, y)
    chosen = model.best_estimator()
    assert isinstance(chosen, SSRLPLClassifier)
    again = SSRLPLClassifier().set_params(**model.best_params_)
    assert repr(again) == repr(chosen)


def test_the_search_says_that_its_median_distance_looked_at_a_sample(monkeypatch):
    X, y, _ = problem()
    monkeypatch.setattr(limits, "MEDIAN_ROWS", 50)
    assert "MEDIAN_ROWS" in SSRLPLCV().fit(X, y).limits_hit_


def test_a_worker_of_the_search_holds_few_kernel_matrices_at_a_time():
    X, y, _ = problem(n=900, d=40, share=0.06)
    model = SSRLPLCV(n_jobs=1)  # two workers may be at their peaks together, or not
    clone(model).fit(X[:100], y[:100])  # imports
    assert (
        peak_bytes(lambda: model.fit(X, y)) < 3.5 * 8 * len(X) ** 2
    )  # 2.3 kernel matrices at commit 5b939dc
