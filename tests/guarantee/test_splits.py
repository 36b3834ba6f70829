"""Several divisions of the labels: the best model is certified, and its choice is paid for."""

import os
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier

from ssrlpl.guarantee import certify_labels, held_out
from ssrlpl.guarantee.held_out import audit_share, draw_divisions, draw_split
from ssrlpl.guarantee.proportions import most_wrong
from ssrlpl.labels import encode_labels

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
        unpaid = replace(found, delta_share=1.0)
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


def classes_of_ten(seed, n_labels=100):
    truth = np.random.default_rng(seed).integers(0, 10, 1000)
    return np.where(np.random.default_rng(seed).permutation(1000) < n_labels, truth, -1), truth


def n_untaught(y, held_out):
    teaching = np.delete(y, held_out)
    return int((~np.isin(y[held_out], teaching[teaching >= 0])).sum())


def test_a_class_is_not_left_without_a_teaching_label():
    """In every seventh draw one would be. The first division is used otherwise, as it was drawn."""
    again = 0
    for seed in range(200):
        y, _ = classes_of_ten(seed)
        target, rng = encode_labels(y), np.random.RandomState(seed)
        (used,) = draw_divisions(target, rng, 0.6, 1)
        first = draw_split(target, np.random.RandomState(seed), 0.6)[1]
        if n_untaught(y, first) < 3:
            assert np.array_equal(used.held_out, first)
            assert used.delta_share == 0.98
        elif n_untaught(y, used.held_out) < 3:
            again += 1
            assert used.delta_share == pytest.approx(0.01)
        else:  # none of the three teaches every class
            assert np.array_equal(used.held_out, first)
    assert 10 < again < 60


def test_what_all_divisions_may_spend_is_what_the_confidence_allows():
    y, _ = classes_of_ten(0)
    target = encode_labels(y)
    of_mask = draw_divisions(target, np.random.RandomState(0), target.is_labeled & (y > 0), 1)
    of_four = draw_divisions(target, np.random.RandomState(0), 0.6, 4)
    assert [one.delta_share for one in of_mask] == [1]
    assert [one.delta_share for one in of_four] == [0.25] * 4
    assert pytest.approx(1) == held_out.FIRST_SHARE + held_out.MORE_DIVISIONS * 0.01
    assert 0.95**held_out.FEWEST_THAT_ACCEPT < 0.05 * held_out.FIRST_SHARE


class Spiteful(ClassifierMixin, BaseEstimator):
    """Column 0 is the truth. Wrong where column 1 says so as soon as class 9 is taught."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        codes = np.searchsorted(self.classes_, X[:, 0]).clip(max=len(self.classes_) - 1)
        codes[self.classes_[codes] != X[:, 0]] = 0
        return self.classes_[np.where((X[:, 1] > 0) & (9 in self.classes_), 1 - codes, codes)]


@pytest.mark.parametrize("level", [0.6, 0.8, 0.95])
def test_a_division_that_is_used_for_its_classes_is_paid_for(level):
    """Class 9 has as many rows as are wrong once it is taught: each division has its own errors."""
    truth = np.arange(600) % 2
    truth[:30] = 9
    X = np.column_stack([truth, (np.arange(600) >= 570)]).astype(float)
    broken, again = 0, 0
    for seed in range(DRAWS):
        y = np.where(np.random.default_rng(seed).permutation(600) < 100, truth, -1)
        found = certify_labels(
            Spiteful(), X, y, audit=0.9, confidence=level, random_state=seed, semi_supervised=False
        )
        again += found.delta_share < 0.5
        broken += np.mean(found.labels != truth[found.rows]) > found.error_upper
    assert again > DRAWS / 6
    assert broken <= binom.ppf(0.9999, DRAWS, 1 - level)


def test_a_label_of_each_class_set_aside_to_teach_would_break_the_bound():
    """Rare classes then teach and never audit: 40 % of these rows are of classes with 3 rows."""
    truth = np.where(np.arange(600) < 240, 1 + np.arange(600) // 3, 0)
    fooled = 0
    for seed in range(60):
        labeled = np.random.default_rng(seed).permutation(600)[:100]
        _, first = np.unique(truth[labeled], return_index=True)
        teaching = truth[labeled[first]]
        audited = np.delete(labeled, first)
        rest = np.delete(np.arange(600), labeled[first])
        k = int((~np.isin(truth[audited], teaching)).sum())  # all classes are taught: no error
        bound = most_wrong(k, len(audited), len(rest), 0.05)
        fooled += int((~np.isin(truth[rest], teaching)).sum()) > bound
    assert fooled == 60
