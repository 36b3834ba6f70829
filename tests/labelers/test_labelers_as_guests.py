"""Labelers handed to other functions: they are not changed, and their own ``fit`` is used."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from conftest import problem
from ssrlpl import SSRLPL, GraphLabeler, KernelSSRLPL, KNNLabeler, LabeledRidge, certify
from ssrlpl.guarantee import wta_error
from ssrlpl.model_selection import loo_predict

LABELERS = [KNNLabeler(3), GraphLabeler(5)]


@pytest.mark.parametrize("labeler", LABELERS)
def test_leave_one_out_on_other_columns_leaves_a_fitted_labeler_as_it_was(labeler):
    X, y, _ = problem()
    frame = pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])
    fitted = clone(labeler).fit(frame, y)
    before = fitted.predict_proba(frame)
    loo_predict(fitted, X[:, :3], y)
    assert fitted.n_features_in_ == X.shape[1]
    assert list(fitted.feature_names_in_) == list(frame.columns)
    assert np.array_equal(fitted.predict_proba(frame), before)


@pytest.mark.parametrize("labeler", LABELERS)
def test_leave_one_out_leaves_an_unfitted_labeler_without_fitted_attributes(labeler):
    X, y, _ = problem()
    fresh = clone(labeler)
    loo_predict(fresh, X, y)
    assert vars(fresh) == vars(clone(labeler))


def test_least_squares_on_labeled_rows_is_a_labeler_like_any_classifier():
    X, y, truth = problem()
    map_ = KernelSSRLPL(labeler=LabeledRidge()).fit(X, y)
    hidden = y < 0
    expected = LabeledRidge().fit(X[~hidden], y[~hidden]).predict_proba(X[hidden])
    np.testing.assert_allclose(map_.label_distributions_[hidden], expected, atol=1e-12)
    assert (loo_predict(SSRLPL(labeler=LabeledRidge()), X, y) == truth[~hidden]).mean() > 0.5


@pytest.mark.parametrize("method", ["calibration", "loo"])
def test_guarantees_cover_least_squares_as_a_labeler(method):
    X, y, _ = problem(n=90)
    assert wta_error(LabeledRidge(), X, y, method=method).trials > 0
    certificate = certify(KernelSSRLPL(labeler=LabeledRidge()), X, y, method=method)
    assert 0 <= certificate.retained_lower <= 1


class Undecided(KNNLabeler):
    """A subclass with a ``fit`` of its own, as a user may write it."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.label_distributions_ = np.full_like(self.label_distributions_, 1 / 3)
        return self


def test_a_map_uses_the_fit_of_a_subclass_of_a_labeler():
    X, y, _ = problem()
    Y = KernelSSRLPL(labeler=Undecided()).fit(X, y).label_distributions_
    np.testing.assert_allclose(Y[y < 0], 1 / 3)


@pytest.mark.parametrize(
    ("labeler", "words"),
    [
        (KNNLabeler(-1), "n_neighbors must be"),
        (KNNLabeler(gamma=-1.0), "gamma must be"),
        (KNNLabeler(similarity="other"), "similarity must be"),
    ],
)
def test_leave_one_out_refuses_the_settings_that_fit_refuses(labeler, words):
    X, y, _ = problem()
    with pytest.raises(ValueError, match=words):
        loo_predict(labeler, X, y)
    with pytest.raises(ValueError, match=words):
        wta_error(labeler, X, y, method="loo")
    with pytest.raises(ValueError, match=words):
        loo_predict(SSRLPL(labeler=labeler), X, y)
