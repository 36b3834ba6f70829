"""Certificates of filled-in labels: any classifier, roles of labels, what is said in words."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom, binomtest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import LinearSVC

from ssrlpl import SSRLPL, GraphLabeler, GuaranteeWarning, KNNLabeler, LabeledOnly, certify
from ssrlpl.datasets import hide_labels
from ssrlpl.guarantee import Share, audit_curve, audits_needed, certify_labels, teach_or_audit
from ssrlpl.guarantee.proportions import most_wrong, most_wrong_at_any_time, unchecked_share


def clusters(n=600, seed=0, distance=4.0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    centers = np.array([[0, 0], [1, 0], [0, 1]])
    return rng.normal(size=(n, 2)) + distance * centers[truth], truth


def shown(truth, count, seed=0):
    y = np.full(len(truth), -1)
    rows = np.random.default_rng(seed).permutation(len(truth))[:count]
    y[rows] = truth[rows]
    return y


class Quiet(ClassifierMixin, BaseEstimator):
    """A semi-supervised classifier of a user: only its fitted attribute tells."""

    fits = 0

    def fit(self, X, y):
        Quiet.fits += 1
        self.classes_ = np.unique(y[y >= 0])
        self.inner_ = KNeighborsClassifier(1).fit(X[y >= 0], y[y >= 0])
        self.transduction_ = self.inner_.predict(X)
        self.n_rows_ = len(X)
        return self

    def predict(self, X):
        return self.inner_.predict(X)


SEMI_SUPERVISED = [
    GraphLabeler(5),
    LabelSpreading(kernel="knn"),
    SelfTrainingClassifier(LogisticRegression()),
    make_pipeline(StandardScaler(), KNNLabeler(3)),
    make_pipeline(SSRLPL(), LabeledOnly(LinearSVC())),
    Quiet(),
]


@pytest.mark.parametrize(
    "estimator",
    [*SEMI_SUPERVISED, LogisticRegression(), LinearSVC(), KNeighborsClassifier(5)],
    ids=lambda e: type(e).__name__,
)
def test_any_classifier_is_certified_about_what_it_predicts(estimator):
    X, truth = clusters()
    y = shown(truth, 200)
    certificate = certify_labels(estimator, X, y)
    hidden = y < 0
    assert np.array_equal(certificate.labels, certificate.estimator.predict(X)[hidden])
    assert np.array_equal(certificate.rows, np.flatnonzero(hidden))
    assert set(certificate.estimator.classes_) <= {0, 1, 2}
    wrong = certificate.labels != truth[hidden]
    assert wrong.mean() <= certificate.error_upper <= certificate.new_rows_error_upper + 0.02
    taken = certificate.accept(0.1)
    assert taken.shape == wrong.shape
    assert not taken.any() or wrong[taken].mean() <= 0.1
    sets = certificate.prediction_sets(0.9)
    assert sets.shape == (len(wrong), 3)
    assert sets[np.arange(len(wrong)), truth[hidden]].mean() > 0.85
    assert certificate.prediction_sets(0.9, X=X[hidden]).tolist() == sets.tolist()


@pytest.mark.parametrize(
    "names",
    [["c", "a", "b"], [-5, -1, 7], [False, True, False]],
    ids=["text", "negative", "truth values"],
)
@pytest.mark.parametrize(
    "estimator",
    [
        LabelSpreading(kernel="knn"),
        SelfTrainingClassifier(LogisticRegression()),
        make_pipeline(StandardScaler(), LabelSpreading(kernel="knn")),
        Quiet(),
    ],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.filterwarnings("ignore:No audit row")
def test_estimators_that_read_minus_one_only_take_classes_of_any_kind(estimator, names):
    X, truth = clusters()
    y = np.array(names, dtype=object)[truth]
    hidden = shown(truth, 200) < 0
    y[hidden] = None
    certificate = certify_labels(estimator, X, pd.Series(y), semi_supervised=True)
    assert set(certificate.labels) <= set(names)
    assert set(certificate.estimator.classes_) == set(names)
    assert np.array_equal(certificate.estimator.predict(X)[hidden], certificate.labels)
    whole = np.array(names, dtype=object)[truth][hidden]
    assert (certificate.labels.astype(object) != whole).mean() <= certificate.error_upper < 0.3
    assert not np.isnan(certificate.baselines["logistic regression"])


class Abstaining(Quiet):
    """Answers "unlabeled" where it is in doubt."""

    def predict(self, X):
        return np.full(len(X), -1)


def test_a_classifier_that_abstains_is_not_taken_for_the_last_class():
    X, truth = clusters()
    y = np.array(["a", "b", "c"], dtype=object)[truth]
    y[shown(truth, 200) < 0] = None
    with pytest.raises(ValueError, match="predicts -1, which marks unlabeled rows"):
        certify_labels(Abstaining(), X, y, semi_supervised=True)


def test_a_classifier_is_fitted_at_most_twice_and_then_to_all_rows():
    X, truth = clusters(n=10_000)
    Quiet.fits = 0
    certificate = certify_labels(Quiet(), X, shown(truth, 100))
    assert certificate.accept().shape == (9900,)
    assert certificate.prediction_sets().shape == (9900, 3)
    assert certificate.summary()
    assert (Quiet.fits, certificate.estimator.n_rows_) == (2, 10_000)
    Quiet.fits = 0
    certify_labels(Quiet(), X, shown(truth, 100), semi_supervised=True)
    assert Quiet.fits == 1


def test_a_supervised_classifier_never_learns_the_marker():
    X, truth = clusters()
    y = shown(truth, 100)
    assert -1 not in certify_labels(LogisticRegression(), X, y).estimator.classes_
    with pytest.raises(ValueError, match="learned -1"):
        certify_labels(LogisticRegression(), X, y, semi_supervised=True)


@pytest.mark.parametrize("estimator", [GraphLabeler(5), LogisticRegression()], ids=str)
def test_the_audit_is_hidden_and_the_bound_is_the_formula(estimator):
    """The labels of audit rows change counts, but not the model."""
    X, truth = clusters(distance=2.0)
    y = shown(truth, 200)
    rows = np.random.default_rng(5).permutation(np.flatnonzero(y >= 0))[:120]
    mask = np.isin(np.arange(600), rows)
    found = certify_labels(estimator, X, y, audit=mask)
    flipped = certify_labels(estimator, X, np.where(mask, (y + 1) % 3, y), audit=mask)
    assert np.array_equal(found.labels, flipped.labels)
    wrong = np.count_nonzero(found.estimator.predict(X)[mask] != truth[mask])
    assert (found.n_wrong, found.n_audited, found.n_teaching) == (wrong, 120, 80)
    assert found.error_upper == (most_wrong(wrong, 120, 520, 0.05) - wrong) / 400
    assert found.error_estimate == wrong / 120
    assert found.confusion.sum() == 120
    assert np.trace(found.confusion) == 120 - wrong


def test_a_bound_for_the_model_of_all_labels():
    """Rows in which it differs from the certified one may all be wrong."""
    X, truth = clusters(distance=2.0)
    y = shown(truth, 200)
    found = certify_labels(GraphLabeler(5), X, y)
    assert found.error_upper_of(found.labels) == found.error_upper
    of_all = GraphLabeler(5).fit(X, y).predict(X)[found.rows]
    n_other = np.count_nonzero(of_all != found.labels)
    assert n_other
    assert_allclose(found.error_upper_of(of_all), found.error_upper + n_other / 400)
    right = found.labels == truth[found.rows]
    spoiled = np.where(right, (truth[found.rows] + 1) % 3, found.labels)  # all labels are wrong
    assert found.error_upper_of(spoiled) == 1
    least = int(100 * (1 - found.error_upper_of(of_all)))
    assert found.summary(of_all).startswith(f"At least {least} of 100 filled-in labels")
    with pytest.raises(ValueError, match="those of the 400 rows that had no label"):
        found.error_upper_of(truth)


def test_rows_in_which_other_labels_differ_are_not_accepted():
    """What is left of a set has no more wrong rows, but fewer rows: it is tested as such."""
    X, truth = clusters(n=1200, distance=5.0)
    found = certify_labels(GraphLabeler(5), X, shown(truth, 300))
    taken, hidden = found.accept(), truth[found.rows]
    assert np.array_equal(found.accept(labels=found.labels), taken)
    other = found.labels.copy()
    other[np.flatnonzero(taken)[:9]] += 1
    agree = other == found.labels
    assert np.array_equal(found.accept(labels=other), taken & agree)
    assert np.array_equal(np.sort(found.to_check(labels=other)), found.rows[~(taken & agree)])
    assert f"{np.count_nonzero(taken & agree):,} rows can be taken" in found.summary(other)
    wrong = found.labels != hidden
    assert wrong[taken].any()  # labels that agree in wrong rows only leave nothing to accept
    assert not found.accept(labels=np.where(wrong, found.labels, -1)).any()


def test_teaching_rows_may_be_chosen_in_any_way():
    """With a mask no test voids anything: rows that teach are all from one side."""
    X, truth = clusters()
    y = np.where(X[:, 0] > 1, truth, -1)
    rest = np.random.default_rng(0).permutation(np.flatnonzero(y < 0))[:80]
    y[rest] = truth[rest]
    found = certify_labels(KNeighborsClassifier(3), X, y, audit=np.isin(np.arange(600), rest))
    assert found.cannot == ""
    assert (found.labels != truth[y < 0]).mean() <= found.error_upper < 1
    # The same for a map.
    of_map = certify(SSRLPL(), X, y, audit=np.isin(np.arange(600), rest))
    assert of_map.voids == ()
    assert of_map.assumptions[0].startswith("The audit rows are a random sample")


def test_nothing_is_said_of_new_rows_if_teaching_rows_may_have_been_chosen():
    """All hard rows teach: the audit sees none of them, but one new row in five is hard."""
    rng = np.random.default_rng(0)

    def drawn(n):
        hard = rng.random(n) < 0.2
        X = np.column_stack([rng.normal(size=n) + 9 * hard, rng.normal(size=n)])
        return X, np.where(hard, rng.integers(0, 2, n), (X[:, 1] > 0).astype(int)), hard

    X, truth, hard = drawn(600)
    easy = rng.permutation(np.flatnonzero(~hard))
    audit = np.isin(np.arange(600), easy[30:180])
    y = np.where(audit | hard | np.isin(np.arange(600), easy[:30]), truth, -1)
    found = certify_labels(KNeighborsClassifier(1), X, y, audit=audit)
    new, new_truth, _ = drawn(20_000)
    error = (found.estimator.predict(new) != new_truth).mean()
    assert (found.labels != truth[y < 0]).mean() <= found.error_upper < error
    assert found.new_rows_error_upper == 1
    with pytest.raises(ValueError, match="drawn at random"):
        found.prediction_sets(X=new)


@pytest.mark.filterwarnings("ignore")  # no audit row has a class that one teaching row has
def test_a_set_of_all_classes_says_any_class():
    """Every third row has a class of its own: no set can name it, but full sets must be enough."""
    missed = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, truth = rng.normal(size=(90, 2)), rng.integers(0, 2, 90)
        truth = np.where(rng.random(90) < 0.3, 100 + np.arange(90), truth)
        found = certify_labels(KNeighborsClassifier(1), X, shown(truth, 60, seed))
        sets, row = found.prediction_sets(0.8), rng.integers(30)
        named = sets[row] & (found.classes == truth[found.rows[row]])
        missed.append(not named.any() and not sets[row].all())
    assert sum(missed) <= binom.ppf(0.9999, 60, 0.2)


def test_a_column_may_say_which_labels_audit():
    pd = pytest.importorskip("pandas")
    X, truth = clusters()
    y = shown(truth, 200)
    mask = (np.random.default_rng(0).random(600) < 0.5) & (y >= 0)
    frame = pd.DataFrame(X, columns=["a", "b"])
    by_mask = certify_labels(KNeighborsClassifier(3), frame, y, audit=mask)
    for cells in (
        *(mask, np.where(mask, 1.0, np.nan), pd.array(mask, dtype="boolean")),
        pd.array(np.where(mask, True, None), dtype="boolean"),
        pd.array(np.where(mask, 1, None), dtype="Int64"),
    ):
        by_name = certify_labels(KNeighborsClassifier(3), frame.assign(c=cells), y, audit="c")
        assert by_name.error_upper == by_mask.error_upper
        assert (by_name.n_audited, by_name.n_wrong) == (by_mask.n_audited, by_mask.n_wrong)
        assert by_name.estimator.n_features_in_ == 2
    polars = pytest.importorskip("polars").from_pandas(frame.assign(c=np.where(mask, 1.0, np.nan)))
    by_name = certify_labels(KNeighborsClassifier(3), polars, y, audit="c")
    assert by_name.error_upper == by_mask.error_upper
    assert certify(SSRLPL(), frame.assign(c=mask), y, audit="c").n_calibration == mask.sum()
    for table, message in [(X, "does not have"), (frame.assign(c="yes"), "True or 1")]:
        with pytest.raises(ValueError, match=message):
            certify_labels(KNeighborsClassifier(3), table, y, audit="c")


def test_labels_that_are_no_random_sample_certify_nothing():
    X, truth = clusters()
    y = np.where(X[:, 1] > 1, truth, -1)
    with pytest.warns(GuaranteeWarning, match="column 1"):
        found = certify_labels(KNeighborsClassifier(3), X, y)
    assert "labeled rows differ from the others in column 1" in found.summary()
    assert found.error_upper == found.new_rows_error_upper == 1
    assert not found.accept().any()
    assert found.prediction_sets().all()


def test_audited_rows_that_are_no_random_sample_certify_nothing():
    """A user may say that they are one: what the rows show counts more."""
    X, truth = clusters()
    audit = (X[:, 1] > 1) & (np.arange(600) % 2 == 0)
    y = np.where(audit | (np.arange(600) % 5 == 1), truth, -1)
    with pytest.warns(GuaranteeWarning, match="audited rows differ"):
        found = certify_labels(KNeighborsClassifier(3), X, y, audit=audit)
    assert found.summary().startswith("Cannot be certified: audited rows differ")
    assert found.error_upper == 1
    assert not found.accept().any()


def test_pure_noise_is_never_accepted():
    rng = np.random.default_rng(0)
    X, truth = rng.normal(size=(800, 4)), rng.integers(0, 2, 800)
    for seed in range(5):
        found = certify_labels(KNeighborsClassifier(3), X, shown(truth, 400, seed))
        assert not found.accept(0.2).any()
        assert found.error_upper > 0.45
        assert "No row can be taken" in found.summary()


def test_the_summary_is_a_sentence_with_both_baselines():
    X, truth = clusters(distance=6.0)
    y = np.array(["no", "yes", "perhaps"], dtype=object)[truth]
    y[shown(truth, 300) < 0] = None
    found = certify_labels(KNNLabeler(5), X, y)
    text = found.summary()
    assert text.startswith("At least 9")
    simple = {name: round(100 * (1 - error)) for name, error in found.baselines.items()}
    assert f"always saying '{found.largest_class}'" in text
    assert f" would be right for {simple['largest class']}," in text
    assert f"logistic regression for {simple['logistic regression']})" in text
    assert "All 300 rows can be taken as they are." in text
    assert set(found.labels) == {"no", "yes", "perhaps"}
    assert [q.label for q in found.quality] == ["no", "perhaps", "yes"]
    assert "right if predicted" in str(found)
    assert found.baselines["largest class"] > 0.5 > found.baselines["logistic regression"]
    assert found.against["largest class"].verdict == "better"


def test_a_hundred_of_a_hundred_is_never_guessed():
    X, truth = clusters(distance=20.0)
    y = shown(truth, 500)
    audit = np.flatnonzero(y >= 0)
    assert "best guess 95;" in certify_labels(KNNLabeler(5), X, y, audit=audit[:18]).summary()
    audit = audit[:300]
    assert "best guess 99;" in certify_labels(KNNLabeler(5), X, y, audit=audit).summary()
    y[audit[7]] = (y[audit[7]] + 1) % 3  # 1 of 300
    assert "best guess 99;" in certify_labels(KNNLabeler(5), X, y, audit=audit).summary()


def test_quality_is_that_of_the_confusion_matrix_which_it_does_not_need(monkeypatch):
    """Of 10,000 classes the matrix has 800 MB."""
    X, truth = clusters(distance=1.0)
    found = certify_labels(KNNLabeler(5), X, shown(truth, 200))
    counts = found.confusion
    monkeypatch.delattr(type(found), "confusion")
    for code, quality in enumerate(found.quality):
        precision, recall = quality.precision, quality.recall
        assert precision.count == recall.count == counts[code, code]
        assert (precision.trials, recall.trials) == (counts[:, code].sum(), counts[code].sum())


@pytest.mark.parametrize("wrong", [0, 1])
def test_the_best_guess_is_not_below_what_is_certain(wrong):
    """Few rows are left, and the bound is about these: (K - k) / (N - m)."""
    X, truth = clusters(distance=20.0)
    y = shown(truth, 595)
    audit = np.flatnonzero(y >= 0)[100:]
    y[audit[:wrong]] = (y[audit[:wrong]] + 1) % 3
    found = certify_labels(KNNLabeler(5), X, y, audit=np.isin(np.arange(600), audit))
    assert found.error_estimate == found.error_upper == 0
    assert found.summary().startswith("At least 100 of 100 filled-in labels are right (95%")
    assert "best guess 100;" in found.summary()


def test_teaching_labels_of_one_class_are_refused():
    X, truth = clusters()
    y = shown(truth, 90)
    with pytest.raises(ValueError, match=r"Got \d+ labels, all of one class: label more rows"):
        certify_labels(KNNLabeler(5), X, y, audit=(y >= 0) & (truth > 0))


def test_some_rows_are_left_for_a_person():
    X, truth = clusters(n=2000, distance=2.2)
    found = certify_labels(LogisticRegression(), X, shown(truth, 1000))
    taken = found.accept()
    left = found.to_check()
    assert 0.2 < taken.mean() < 0.9
    assert sorted(left) == found.rows[~taken].tolist()
    assert f"look at the other {len(left):,}" in found.summary()
    sureness = found.estimator.predict_proba(X[left]).max(axis=1)
    assert (np.diff(sureness) >= 0).all()


def test_a_class_that_was_not_taught_is_wrong_and_in_every_set():
    X, truth = clusters()
    y = shown(truth, 200)
    mask = (np.random.default_rng(0).random(600) < 0.5) & (y >= 0)
    y[(y == 2) & ~mask] = -1  # class 2 only audits
    with pytest.warns(GuaranteeWarning, match="No teaching label has class 2: the model never"):
        found = certify_labels(LogisticRegression(), X, y, audit=mask)
    assert found.estimator.classes_.tolist() == [0, 1]
    assert found.n_wrong >= np.count_nonzero(y[mask] == 2)
    assert found.prediction_sets(0.9, per_class=True)[:, 2].all()
    assert found.quality[2].precision.trials == 0


def test_text_columns_are_certified_in_a_pipeline():
    pd = pytest.importorskip("pandas")
    from sklearn.preprocessing import OneHotEncoder

    frame = pd.DataFrame({"color": ["red", "blue", "red", "blue"] * 50})
    y = [label if i < 80 else None for i, label in enumerate(["a", "b", "a", "b"] * 50)]
    found = certify_labels(make_pipeline(OneHotEncoder(), LogisticRegression()), frame, y)
    assert found.n_wrong == 0
    assert found.baselines["logistic regression"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"audit": 1.5}, "audit must be a number in"),
        ({"audit": np.ones(5, dtype=bool)}, "boolean mask of all 150 rows"),
        ({"audit": np.zeros(150)}, "boolean mask"),
        ({"audit": np.zeros(150, dtype=int)}, "name each row once.*or a mask of True and False"),
        ({"audit": [3, 150]}, "numbers from 0 to 149"),
        ({"audit": np.zeros(150, dtype=bool)}, "at least one row"),
        ({"audit": np.ones(150, dtype=bool)}, "rows that have a label"),
        ({"confidence": 1}, "confidence must be"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    X, truth = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        certify_labels(KNNLabeler(), X, hide_labels(truth, keep=60, random_state=0), **arguments)


@pytest.mark.parametrize(
    ("estimator", "y", "error", "message"),
    [
        (SSRLPL(), [0, 1, 0, 1, -1, -1], TypeError, "SSRLPLClassifier"),
        (KNNLabeler(1), [0, 1, 0, 1, 0, 1], ValueError, "rows without a label"),
        (KNNLabeler(1), [0, 1, 1, -1, -1, -1], ValueError, "label four rows"),
    ],
    ids=["a map", "all labeled", "three labels"],
)
def test_what_cannot_be_certified_is_refused(estimator, y, error, message):
    X = np.arange(6.0)[:, None]
    mask = np.array([False, False, True, True, False, False])
    audit = None if "four" in message else mask
    with pytest.raises(error, match=message):
        certify_labels(estimator, X, y, audit=audit)


def test_labels_of_one_class_cannot_teach():
    X, y = np.arange(8.0)[:, None], [0, 0, 1, 1, -1, -1, -1, -1]
    mask = np.array([False, False, True, True] + [False] * 4)
    with pytest.raises(ValueError, match="two classes"):
        certify_labels(KNNLabeler(1), X, y, audit=mask)


def test_intervals_are_those_of_scipy():
    for count, trials in [(0, 5), (3, 17), (17, 17)]:
        exact = binomtest(count, trials).proportion_ci(0.9, method="exact")
        found = Share.of(count, trials, 0.9)
        assert_allclose((found.low, found.high), (exact.low, exact.high), atol=1e-12)
    assert (Share.of(0, 0, 0.9).low, Share.of(0, 0, 0.9).high) == (0, 1)
    # Rounded to the nearest digit it would be narrower than it is: 0.26586 to 0.78733.
    assert str(Share.of(8, 15, 0.95)) == "53.3% (8 of 15; 26.5% to 78.8%)"


def test_the_plan_says_when_an_audit_pays():
    """Mean bounds of graph labels on digits, 40 draws, were 14.7 % with 50 of 100."""
    plan = teach_or_audit(100, {20: 0.238, 40: 0.083, 60: 0.059, 90: 0.043}, n_rows=1797)
    bounds = {teaching: bound for teaching, _, _, bound in plan.rows}
    assert min(bounds, key=bounds.get) in (40, 50, 60)
    assert 0.14 < bounds[50] < 0.17
    assert bounds[90] > 0.25
    assert bounds[20] > 0.25
    # A model that learns nothing more from further labels: audit with all that can be spared.
    flat = teach_or_audit(100, {10: 0.0}, n_rows=1797)
    assert min(flat.rows, key=lambda row: row[3])[0] == 10
    drawn = 90, 1787
    assert flat.rows[-1][3] == unchecked_share(most_wrong(0, *drawn, 0.05), 0, *drawn)
    with pytest.raises(ValueError, match="Got none"):
        teach_or_audit(100, {}, n_rows=1797)
    with pytest.raises(ValueError, match=r"errors\[20\]"):
        teach_or_audit(100, {20: 7.0}, n_rows=1797)


def test_the_plan_is_the_smallest_that_suffices():
    assert audits_needed(0.05, n_rows=10**6) == 59  # 0.95**59 < 0.05 < 0.95**58
    assert audits_needed(0.05, n_rows=10**6, share=0.5) == 118
    assert audits_needed(0.05, n_rows=10**6, any_time=True) > 59
    assert audits_needed(0.05, n_rows=5000, expected_error=0.02) > 59
    assert audits_needed(0.05, n_rows=5000, expected_error=0.06) == np.inf
    # In a small table the bound falls in steps, and may be met by nearly all rows only.
    for n_rows, max_error, error in [(100, 0.05, 0.0), (50, 0.1, 0.0), (300, 0.1, 0.03)]:
        bounds = [
            unchecked_share(most_wrong(wrong, m, n_rows, 0.05), wrong, m, n_rows)
            for m, wrong in ((m, int(np.ceil(error * m))) for m in range(1, n_rows))
        ]
        fewest = 1 + int(np.argmax(np.array(bounds) <= max_error))
        assert audits_needed(max_error, expected_error=error, n_rows=n_rows) == fewest > 1
    assert audits_needed(0.05, expected_error=0.05, n_rows=10**6) == np.inf
    many = int(audits_needed(0.05, expected_error=0.048, n_rows=10**6))  # to try all takes hours
    for count, is_enough in ((many, True), (int(many / 1.02), False)):
        wrong = int(np.ceil(0.048 * count)), count, 10**6
        assert (unchecked_share(most_wrong(*wrong, 0.05), *wrong) <= 0.05) == is_enough
    assert audits_needed(0.05, n_rows=100, any_time=True) == 96
    assert audits_needed(0.1, expected_error=0.01, n_rows=150, any_time=True) == 79
    few = {"n_rows": 108, "expected_error": 0.01, "confidence": 0.8}
    assert audits_needed(0.02, any_time=True, **few) == 107
    assert audits_needed(0.01, n_rows=3, share=0.1) == np.inf
    assert audits_needed(0.01, n_rows=3, share=0.0) == np.inf
    table = audit_curve(5000, counts=[59, 300])
    assert table.rows[0][1] <= 0.05 < audit_curve(5000, counts=[58]).rows[0][1] + 1e-3
    assert all(once < always for _, once, always in table.rows)


def test_seven_of_a_hundred_are_seven():
    """0.07 * 100 is stored as 7.000...01."""
    seen = 7, 100, 10_000
    found = audit_curve(10_000, expected_error=0.07, counts=[100]).rows[0]
    for any_time, most in enumerate((most_wrong, most_wrong_at_any_time)):
        bound = unchecked_share(most(*seen, 0.05), *seen)
        assert found[1 + any_time] == bound
        plan = {"expected_error": 0.07, "n_rows": 10_000, "any_time": bool(any_time)}
        assert audits_needed(bound, **plan) == 100
    assert audits_needed(0.135, n_rows=10_000, share=0.7) == 30  # 21 of 70 %


@pytest.mark.parametrize(
    "plan",
    [
        lambda: audit_curve(100, counts=[0]),
        lambda: audit_curve(100, expected_error=2),
        lambda: teach_or_audit(100, {50: 0.1}, n_rows=100),
        lambda: teach_or_audit(100, {0: 0.1}, n_rows=1000),
    ],
)
def test_plans_that_cannot_be_are_refused(plan):
    with pytest.raises(ValueError, match="must be"):
        plan()


def test_a_bound_that_says_nothing_is_not_called_one():
    X, truth = clusters(12)
    found = certify_labels(KNeighborsClassifier(1), X, shown(truth, 11))
    assert found.error_upper == 1
    assert found.summary().startswith("Nothing is certain about the filled-in labels (95%")
