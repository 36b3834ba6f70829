"""Worlds and inputs of a hostile referee: what is said stays true, or a sentence refuses."""

import json
import os

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ssrlpl import SSRLPL, certify
from ssrlpl.guarantee import AuditTrail, LabelsNeeded, certify_labels
from ssrlpl.guarantee.filling_in import class_scores
from ssrlpl.guarantee.sampling import sampling_p_value

DRAWS = 500 if os.environ.get("SSRLPL_LONG") else 60


class Undecided(ClassifierMixin, BaseEstimator):
    """All probabilities are the same; half of its answers are wrong."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


def copies(rng):
    """Every row four times, one of them with another label: 1-NN remembers what it was told."""
    X = np.repeat(rng.normal(size=(75, 2)), 4, axis=0)
    truth = np.tile([0, 0, 0, 1], 75)
    return X, truth, rng.permutation(300)[:60], KNeighborsClassifier(1)


def ties(rng):
    X = rng.normal(size=(300, 2))
    truth = np.where(rng.random(300) < 0.2, X[:, 0] <= 0, X[:, 0] > 0).astype(int)
    return X, truth, rng.permutation(300)[:40], Undecided()


def untaught_class(rng):
    """Rows of the third class never teach."""
    truth = rng.choice(3, 300, p=[0.45, 0.45, 0.1])
    X = rng.normal(size=(300, 2)) + 3 * np.eye(3)[truth][:, :2]
    return X, truth, rng.permutation(np.flatnonzero(truth < 2))[:40], KNeighborsClassifier(5)


def tiny(rng):
    """Eleven rows do not teach, of which six audit: five are filled in."""
    truth = np.tile([0, 1], 15)
    X = rng.normal(size=(30, 2)) + 1.5 * truth[:, None]
    return X, truth, np.arange(19), KNeighborsClassifier(3)


@pytest.mark.filterwarnings("ignore")  # classes are missing here and there
@pytest.mark.parametrize("world", [copies, ties, untaught_class, tiny], ids=lambda w: w.__name__)
@pytest.mark.parametrize("level", [0.5, 0.8])
def test_statements_are_broken_no_more_often_than_they_may(world, level):
    broken = np.zeros(4, dtype=int)
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        X, truth, teaching, model = world(rng)
        rest = rng.permutation(np.setdiff1d(np.arange(len(X)), teaching))
        audit = rest[: (len(rest) + 1) // 2 if world is tiny else 80]
        y = np.full(len(X), -1)
        y[teaching], y[audit] = truth[teaching], truth[audit]
        mask = np.isin(np.arange(len(X)), audit)
        found = certify_labels(model, X, y, audit=mask, confidence=level)
        wrong = found.labels != truth[found.rows]
        of_all = model.fit(X[y >= 0], y[y >= 0]).predict(X[found.rows])
        taken, one = found.accept(0.2), rng.integers(len(wrong))
        broken += [
            wrong.mean() > found.error_upper,
            taken.any() and wrong[taken].mean() > 0.2,
            not found.prediction_sets(level)[one, truth[found.rows[one]]],
            (of_all != truth[found.rows]).mean() > found.error_upper_of(of_all),
        ]
    assert (broken <= binom.ppf(0.9999, DRAWS, 1 - level)).all(), broken


def test_labels_of_one_age_are_found_beside_incomes():
    """Distances of rows are those of the incomes, so only a look at each column can see it."""
    rng = np.random.default_rng(0)
    income, age = rng.normal(0, 1e4, 2000), rng.normal(0, 10, 2000)
    truth = np.where(age > 5, income > 0, income + 3e4 * rng.normal(size=2000) > 0).astype(int)
    X, old = np.column_stack([income, age]), rng.permutation(np.flatnonzero(age > 5))[:120]
    y = np.full(2000, -1)
    y[old] = truth[old]
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(5))
    with pytest.warns(UserWarning, match="differ from the others in column 1"):
        found = certify_labels(model, X, y)
    assert found.cannot
    assert found.error_upper == 1
    assert not found.accept().any()


def test_random_samples_are_rarely_suspected():
    rng = np.random.default_rng(0)
    suspected = [
        sampling_p_value(rng.standard_t(2, size=(300, 20)), *np.split(rng.permutation(300), [60]))
        < 0.05
        for _ in range(60)
    ]
    assert sum(suspected) <= binom.ppf(0.999, 60, 0.05)


def test_a_few_rows_with_a_rare_mark_are_not_suspected():
    """The gamma approximation calls one in ten suspect at 0.001, where one in 1,000 may be."""
    rng = np.random.default_rng(0)
    rows = [(rng.random((60, 10)) < 0.05).astype(float) for _ in range(60)]
    parts = [np.split(rng.permutation(60), [2]) for _ in rows]
    found = [sampling_p_value(X, *part) for X, part in zip(rows, parts, strict=True)]
    assert sum(p < 0.001 for p in found) <= 1
    assert sampling_p_value(np.arange(60.0)[:, None] ** 4, np.arange(50, 60), np.arange(50)) < 1e-3


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 300)
    X = rng.normal(size=(300, 4))
    X[:, :2] += 4 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    y = np.where(rng.permutation(300) < 120, truth, -1)
    return X, y, np.isin(np.arange(300), np.flatnonzero(y >= 0)[::2])


def test_a_confidence_or_goal_is_never_rounded_up(table):
    X, y, mask = table
    sure = certify_labels(KNeighborsClassifier(3), X, y, audit=mask, confidence=0.999)
    assert "(99.9% confidence;" in sure.summary()
    assert "With 99.9% confidence" in certify(SSRLPL(), X, y, confidence=0.999).headline()
    assert "(99.99% confidence)" in str(AuditTrail(["a"] * 5, confidence=0.9999))
    assert "certify 99.5%" in str(LabelsNeeded(120.0, 80.0, 200.0, 0.995))


class Strange(Undecided):
    """Predicts an array of another shape."""

    def __init__(self, shape="short"):
        self.shape = shape

    def predict(self, X):
        found = super().predict(X)
        return found[1:] if self.shape == "short" else found[:, None]


@pytest.mark.parametrize("shape", ["short", "column"])
def test_predictions_of_another_shape_are_refused(table, shape):
    X, y, _ = table
    with pytest.raises(ValueError, match="must predict one class for each of"):
        certify_labels(Strange(shape), X, y)


@pytest.mark.parametrize(
    "answers", [["a", 1, None] * 100, [b"0"] * 300, [None] * 300], ids=["mixed", "bytes", "None"]
)
def test_predictions_of_other_types_are_refused_in_a_sentence(table, answers):
    class Other(Undecided):
        def predict(self, X):
            return np.array(answers[: len(X)], dtype=object)

    X, y, _ = table
    with pytest.raises(ValueError, match="which is no class of y"):
        certify_labels(Other(), X, y)


def test_scores_of_pairs_of_classes_are_not_taken_for_those_of_classes(table):
    X, _, _ = table
    y = np.argmax(X[:, :3], axis=1)
    model = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo")).fit(X, y)
    predicted = model.predict(X)
    assert np.array_equal(class_scores(model, X, np.arange(3), predicted), np.eye(3)[predicted])


class OwnClass:
    """A user's own: it has fit and predict, and nothing of scikit-learn."""

    def fit(self, X, y):
        self.nearest = KNeighborsClassifier(3).fit(X, y)

    def predict(self, X):
        return self.nearest.predict(X).tolist()


def test_a_class_that_knows_nothing_of_scikit_learn_is_certified(table):
    X, y, mask = table
    own = OwnClass()
    found = certify_labels(own, X, y, audit=mask)
    same = certify_labels(KNeighborsClassifier(3), X, y, audit=mask)
    assert found.error_upper == same.error_upper
    assert not hasattr(own, "nearest")  # a copy was fitted


def test_rows_with_missing_numbers_are_compared_as_well(table):
    """Some classifiers take them: bias is found, and logistic regression stands beside."""
    X, y, mask = table
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    X = np.column_stack([X, np.full(len(X), np.nan)])
    beside = certify_labels(DecisionTreeClassifier(random_state=0), X, y, audit=mask)
    assert 0 <= beside.baselines["logistic regression"] < 0.5
    assert beside.notes == ()
    old = np.where(X[:, 3] > 0.3, np.where(y < 0, 0, y), -1)
    with pytest.warns(UserWarning, match="differ from the others in column 3"):
        assert certify_labels(DecisionTreeClassifier(), X[:, :4], old).error_upper == 1


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_columns_whose_squares_are_no_numbers_are_compared_as_well(table, unit, kind):
    X, y, mask = table
    plain, found = (
        certify_labels(DummyClassifier(), kind(X * np.array([scale, 1, 1, 1])), y, audit=mask)
        for scale in (1.0, unit)
    )
    assert found.baselines == pytest.approx(plain.baselines, abs=0.02)


def test_a_class_instead_of_a_classifier_is_refused(table):
    X, y, _ = table
    with pytest.raises(TypeError, match=r"pass KNeighborsClassifier\(\)"):
        certify_labels(KNeighborsClassifier, X, y)


def test_a_column_of_audited_rows_that_comes_twice_is_refused(table):
    pd = pytest.importorskip("pandas")
    X, y, mask = table
    frame = pd.concat(
        [pd.DataFrame(X), pd.DataFrame({"a": mask}), pd.DataFrame({"a": mask})], axis=1
    )
    with pytest.raises(ValueError, match="which X has twice"):
        certify_labels(KNeighborsClassifier(3), frame, y, audit="a")


def test_one_audited_row_says_nothing_about_a_map(table):
    X, y, mask = table
    with pytest.raises(ValueError, match="two audited rows or more"):
        certify(SSRLPL(), X, y, audit=np.arange(300) == np.flatnonzero(mask)[0])


@pytest.mark.parametrize(
    "change",
    [{"checked": "xx"}, {"checked": [[0, 1], [0, 1]]}, {"order": "x"}, {"predicted": None}],
)
def test_a_spoiled_file_is_refused_by_its_name(change, tmp_path):
    trail = AuditTrail([1, 2, 3], order=[2, 0, 1])
    trail.add(2, 3)
    path = tmp_path / "audit.json"
    trail.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ValueError, match=r"audit\.json is not an audit file of ssrlpl"):
        AuditTrail.load(path)
