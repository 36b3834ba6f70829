"""Several divisions of the labels: the best model is certified, and its choice is paid for."""

import os
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier

from ssrlpl.guarantee import certify_labels
from ssrlpl.guarantee.held_out import audit_share

DRAWS = 500 if os.environ.get("SSRLPL_LONG") else 60
SPLITS, ERROR = 4, 0.3


class Moody(ClassifierMixin, BaseEstimator):
    """Column 0 is the truth. Which 30 % of the rows it gets wrong depends on what it was taught."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seed_ = X[:, 1].astype(int)
        return self

    def predict_proba(self, X):
        draw = np.random.default_rng(self.seed_).random((300, 2))[X[:, 1].astype(int)]
        sure = 0.5 + draw[:, 1] / 2
        zero = (X[:, 0] == 0) ^ (draw[:, 0] < ERROR)
        return np.where(zero[:, None], np.column_stack([sure, 1 - sure]),
                        np.column_stack([1 - sure, sure]))  # fmt: skip

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def moody_table(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 300)
    y = np.where(rng.permutation(300) < 100, truth, -1)
    return np.column_stack([truth, np.arange(300)]).astype(float), truth, y


def broken_by(seed, level, splits):
    """Tell which statements are false: bound, accept, sets, new rows, precision or recall."""
    X, truth, y = moody_table(seed)
    found = certify_labels(
        Moody(), X, y, audit=0.5, confidence=level, random_state=seed, splits=splits
    )
    hidden = truth[found.rows]
    wrong, taken = found.labels != hidden, found.accept(0.25)
    one = np.random.default_rng(seed).integers(len(hidden))
    quality, predicted = found.quality[1], found.estimator.predict(X)
    rest = np.setdiff1d(np.arange(300), found.estimator.seed_)
    of_class = rest[predicted[rest] == 1]
    precision = (truth[of_class] == 1).mean()
    return [
        wrong.mean() > found.error_upper,
        taken.any() and wrong[taken].mean() > 0.25,
        not found.prediction_sets(level)[one, hidden[one]],
        not found.prediction_sets(level, per_class=True)[one, hidden[one]],
        found.new_rows_error_upper < ERROR,
        not quality.precision.low <= precision <= quality.precision.high,
    ]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_best_of_four_divisions_is_paid_for(level):
    broken = np.sum([broken_by(seed, level, SPLITS) for seed in range(DRAWS)], axis=0)
    assert (broken <= binom.ppf(0.9999, DRAWS, 1 - level)).all(), broken


def test_shopping_without_paying_breaks_the_bound():
    """The world above would show it, if the level were that of one division."""
    fooled = 0
    for seed in range(60):
        X, truth, y = moody_table(seed)
        found = certify_labels(Moody(), X, y, audit=0.5, confidence=0.6, splits=8)
        unpaid = replace(found, wrong_by_split=(found.n_wrong,))
        fooled += np.mean(found.labels != truth[found.rows]) > unpaid.error_upper
    assert fooled > binom.ppf(0.9999, 60, 0.4)


def test_the_model_with_the_fewest_errors_is_certified_but_its_errors_are_no_best_guess():
    X, _, y = moody_table(0)
    found = certify_labels(Moody(), X, y, splits=SPLITS)
    assert len(found.wrong_by_split) == SPLITS
    assert found.n_wrong == min(found.wrong_by_split) < max(found.wrong_by_split)
    assert found.error_estimate == np.mean(found.wrong_by_split) / found.n_audited
    assert found.against["largest class"].gain != 0
    once = certify_labels(Moody(), X, y)
    assert once.wrong_by_split == (once.n_wrong,) == found.wrong_by_split[:1]
    assert once.against == found.against  # of the first division, which nobody chose


def test_a_mask_is_one_division():
    X, _, y = moody_table(0)
    with pytest.raises(ValueError, match="pass a share of the labels for audit, or splits=1"):
        certify_labels(Moody(), X, y, audit=y >= 0, splits=2)
    with pytest.raises(ValueError, match="splits must be an int >= 1"):
        certify_labels(Moody(), X, y, splits=0)


@pytest.mark.parametrize(("n_labels", "share"), [(8, 0.5), (97, 0.5), (98, 0.6), (1000, 0.6)])
def test_half_of_few_labels_audits(n_labels, share):
    assert audit_share(n_labels) == pytest.approx(share)
    rng = np.random.default_rng(0)
    truth = np.arange(1200) % 2
    y = np.where(rng.permutation(1200) < n_labels, truth, -1)
    X = truth[:, None] + rng.normal(size=(1200, 2))
    found = certify_labels(KNeighborsClassifier(1), X, y)
    assert found.n_audited == n_labels - round((1 - share) * n_labels)
