"""Splitters: what is promised about every split, and what a training side may never see."""

import copy

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from conftest import problem
from ssrlpl import KernelSSRLPL, LabeledOnly, SSRLPLClassifier, encode_labels, model_selection
from ssrlpl.model_selection import (
    LabelBudgetSplit,
    LabeledKFold,
    LeaveOneLabelOut,
    StratifiedLabeledKFold,
    mask_labels,
)


def _forms(codes):
    """The same target as users write it: (y, unlabeled)."""
    names = np.array(["ant", "bee", "cat", "dog", "elk"], dtype=object)
    signs = np.array([-1, 1, 2, 3, 4])
    return {
        "integers": (codes, "auto"),
        "floats": (np.where(codes < 0, np.nan, codes), "auto"),
        "strings": ([None if c < 0 else names[c] for c in codes], "auto"),
        "own marker": (np.where(codes < 0, "?", names[codes].astype(str)), "?"),
        "signs": ([None if c < 0 else signs[c] for c in codes], None),
    }


@st.composite
def targets(draw):
    """A shuffled target with three labels or more in each of 2 to 5 classes, in some form."""
    counts = draw(st.lists(st.integers(3, 9), min_size=2, max_size=5))
    codes = np.repeat(np.arange(len(counts)), counts)
    codes = np.concatenate([codes, np.full(draw(st.integers(0, 12)), -1)])
    codes = np.random.default_rng(draw(st.integers(0, 99))).permutation(codes)
    form = draw(st.sampled_from(list(_forms(codes))))
    return codes, *_forms(codes)[form]


SPLITTERS = {
    "folds": lambda marker: LabeledKFold(3, shuffle=True, random_state=0, unlabeled=marker),
    "stratified": lambda marker: StratifiedLabeledKFold(3, unlabeled=marker),
    "one out": lambda marker: LeaveOneLabelOut(unlabeled=marker),
    "budget": lambda marker: LabelBudgetSplit(5, n_splits=4, random_state=0, unlabeled=marker),
    "shares": lambda marker: LabelBudgetSplit(
        5, n_splits=4, stratify=True, random_state=0, unlabeled=marker
    ),
}


@pytest.mark.parametrize("kind", SPLITTERS)
@settings(max_examples=40, deadline=None)
@given(case=targets())
def test_every_split_keeps_its_promises(kind, case):
    codes, y, marker = case
    labels = codes[codes >= 0]
    if kind == "folds":  # rows dealt out regardless of class: a fold must not hold a whole rest
        assume(-(-len(labels) // 3) < len(labels) - np.bincount(labels).max())
    splitter = SPLITTERS[kind](marker)
    splits = list(splitter.split(np.zeros((len(codes), 1)), y))
    labeled = np.flatnonzero(codes >= 0)
    assert len(splits) == splitter.get_n_splits(None, y)
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(len(codes)))  # a union, and disjoint
        assert set(np.flatnonzero(codes < 0)) <= set(train)
        assert set(test) <= set(labeled)
        assert len(test)
        assert (np.diff(train) > 0).all()
        assert (np.diff(test) > 0).all()
    tested = np.concatenate([test for _, test in splits])
    if isinstance(splitter, LabelBudgetSplit):
        for train, _ in splits:
            assert np.count_nonzero(codes[train] >= 0) == 5
            assert set(codes[train]) >= set(codes[labeled])
    else:
        assert sorted(tested) == labeled.tolist()  # each label is tested once


@settings(max_examples=40, deadline=None)
@given(case=targets())
def test_stratified_folds_and_budgets_keep_the_shares(case):
    codes, y, marker = case
    counts = np.bincount(codes[codes >= 0])
    for _, test in StratifiedLabeledKFold(3, unlabeled=marker).split(y, y):
        assert (abs(np.bincount(codes[test], minlength=len(counts)) - counts / 3) <= 1).all()
    n_labeled = max(len(counts), counts.sum() // 2)
    budget = LabelBudgetSplit(n_labeled, stratify=True, random_state=1, unlabeled=marker)
    for train, _ in budget.split(y, y):
        kept = np.bincount(codes[train][codes[train] >= 0])
        assert (kept >= np.floor(counts * n_labeled / counts.sum())).all()
        assert kept.min() >= 1


def test_a_small_class_keeps_one_label_and_the_others_share_the_rest():
    y = np.repeat([0, 1, 2], [1, 1, 98])
    for train, _ in LabelBudgetSplit(10, stratify=True, random_state=0).split(y, y):
        assert np.bincount(y[train]).tolist() == [1, 1, 8]
    for train, _ in LabelBudgetSplit(3, stratify=True, random_state=0).split(y, y):
        assert np.bincount(y[train]).tolist() == [1, 1, 1]


def test_a_budget_draws_every_row_alike_after_one_of_each_class():
    y = np.repeat([0, 1], [2, 8])
    drawn = np.zeros(10)
    for train, _ in LabelBudgetSplit(3, n_splits=4000, random_state=0).split(y, y):
        drawn[train] += 1
    # One of each class, then one of the other eight rows: the chances of a row of either class.
    expected = np.repeat([1 / 2 + 1 / 2 / 8, 1 / 8 + 7 / 8 / 8], [2, 8])
    assert np.abs(drawn / 4000 - expected).max() < 0.035  # over 4 standard errors


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers which rows and labels each fit saw; every row carries its own number."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        self.classes_ = encode_labels(y).classes
        Spy.seen.append((X[:, 0].astype(int), list(y)))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("kind", SPLITTERS)
def test_no_label_of_a_test_row_is_seen_in_fit(kind):
    codes = np.tile([0, 1, 2, -1], 8)
    X = np.arange(32.0)[:, None]
    splitter = SPLITTERS[kind]("auto")
    Spy.seen.clear()
    cross_val_score(Spy(), X, codes, cv=splitter)
    splits = list(splitter.split(X, codes))
    assert len(Spy.seen) == len(splits)
    for (rows, labels), (_, test) in zip(Spy.seen, splits, strict=True):
        assert not set(rows) & set(test)
        assert labels == codes[rows].tolist()
        assert labels.count(-1) == 8


@pytest.mark.parametrize("form", ["integers", "floats", "strings", "own marker", "signs"])
@pytest.mark.parametrize("kind", ["folds", "stratified", "budget"])
def test_grid_search_over_a_pipeline(form, kind):
    X, codes, _ = problem(n=60, share=0.5)
    y, marker = _forms(codes)[form]
    y = np.asarray(y, dtype=object) if isinstance(y, list) else y
    model = make_pipeline(
        StandardScaler(),
        KernelSSRLPL(unlabeled=marker),
        LabeledOnly(KNeighborsClassifier(1), unlabeled=marker),
    )
    grid = {"kernelssrlpl__gamma": [0.01, 0.1], "labeledonly__estimator__n_neighbors": [1, 3]}
    search = GridSearchCV(model, grid, cv=SPLITTERS[kind](marker), error_score="raise").fit(X, y)
    assert search.best_score_ > 0.8
    assert encode_labels(y, unlabeled=marker).classes.tolist() == search.classes_.tolist()
    assert search.score(X, y) > 0.8


def test_cross_val_predict_on_a_table_without_unlabeled_rows(small):
    X, _, truth = small
    predicted = cross_val_predict(SSRLPLClassifier(), X, truth, cv=LabeledKFold(4))
    assert np.mean(predicted == truth) > 0.8


def test_leave_one_out_spares_the_label_without_which_nothing_is_left():
    y = [0, 0, 1, -1, 0]
    assert [t.tolist() for _, t in LeaveOneLabelOut().split(y, y)] == [[0], [1], [4]]
    three = [0, 0, 1, -1, 2]
    assert [t.tolist() for _, t in LeaveOneLabelOut().split(three, three)] == [[0], [1], [2], [4]]
    with pytest.raises(ValueError, match="one label of each of 2 classes: label another row"):
        list(LeaveOneLabelOut().split([0, 1, -1], [0, 1, -1]))


@pytest.mark.parametrize("make", SPLITTERS.values(), ids=SPLITTERS)
def test_splitters_are_repeatable_and_look_like_scikit_learns(make):
    y = np.tile([0, 1, 2, -1], 8)
    splitter = make("auto")
    first = [test.tolist() for _, test in splitter.split(y, y)]
    again = [test.tolist() for _, test in copy.deepcopy(splitter).split(y, y)]
    assert first == again
    assert eval(repr(splitter)).__dict__ == splitter.__dict__


def test_the_seed_decides():
    y = np.tile([0, 1, 2, -1], 8)

    def tests(splitter):
        return [test.tolist() for _, test in splitter.split(y, y)]

    for make in (
        lambda seed: LabeledKFold(3, shuffle=True, random_state=seed),
        lambda seed: StratifiedLabeledKFold(3, shuffle=True, random_state=seed),
        lambda seed: LabelBudgetSplit(6, random_state=seed),
    ):
        assert tests(make(1)) == tests(make(1))
        assert tests(make(1)) != tests(make(2))


@pytest.mark.parametrize(
    ("splitter", "y", "cure"),
    [
        (LabeledKFold(5), [0, 1, 0, -1], r"\[2, 3\], the number of labeled .* Got 5: lower"),
        (LabeledKFold(2), [0, 0, 1, 1], "labels of 1 only: use StratifiedLabeledKFold"),
        (StratifiedLabeledKFold(3), [0, 1, 0, 1, -1], r"\[2, 2\], .* class. Got 3: lower n_splits"),
        (StratifiedLabeledKFold(2), [0, 0, 0, 1, -1], "labels of 0 only: use LeaveOneLabelOut"),
        (LabelBudgetSplit(2), [0, 1, 2, 0], r"\[3, 3\], so .* Got 2 with 4 labeled rows: change"),
        (LabelBudgetSplit(4), [0, 1, 1, 0], r"\[2, 3\], so .* Got 4 with 4 labeled rows: change"),
        (LabeledKFold(2), [0, 0, -1], r"at least 2 classes. Got 1 class \(0\)"),
        (LabeledKFold(2), None, "requires y to be passed"),
    ],
)
@pytest.mark.filterwarnings("ignore:The least populated class")
def test_errors_name_the_cure(splitter, y, cure):
    with pytest.raises(ValueError, match=cure):
        list(splitter.split(np.zeros(4 if y is None else len(y)), y))


@pytest.mark.parametrize(
    ("make", "cure"),
    [
        (lambda: LabeledKFold(1), "n_splits must be an int >= 2. Got 1"),
        (lambda: StratifiedLabeledKFold(2.5), "n_splits must be an int >= 2. Got 2.5"),
        (lambda: LabeledKFold(random_state=0), "Got 0: pass shuffle=True too"),
        (lambda: LabelBudgetSplit(1), "n_labeled must be an int >= 2. Got 1"),
        (lambda: LabelBudgetSplit(9, n_splits=0), "n_splits must be an int >= 1. Got 0"),
    ],
)
def test_constructors_refuse_what_cannot_be(make, cure):
    with pytest.raises(ValueError, match=cure):
        make()


def test_a_class_with_one_label_is_warned_about_as_scikit_learn_does():
    y = [0, 0, 0, 1, 1, 1, 2, -1]
    with pytest.warns(UserWarning, match="least populated class in y has only 1 members"):
        list(StratifiedLabeledKFold(3).split(y, y))
    with pytest.warns(UserWarning, match="groups has no effect on LabeledKFold"):
        list(LabeledKFold(2).split([0, 1, 1, 0], [0, 1, 1, 0], groups=[1, 1, 2, 2]))


def test_rows_and_labels_must_match():
    with pytest.raises(ValueError, match="3 rows in X and 4 in y"):
        next(LabeledKFold(2).split(np.zeros((3, 1)), [0, 1, 0, 1]))


@settings(max_examples=60, deadline=None)
@given(case=targets(), seed=st.integers(0, 9), as_mask=st.booleans())
def test_hidden_labels_are_read_as_unlabeled_and_the_others_unchanged(case, seed, as_mask):
    codes, y, marker = case
    before = copy.deepcopy(y)
    hidden = np.random.default_rng(seed).random(len(codes)) < 0.3
    result = mask_labels(y, hidden if as_mask else np.flatnonzero(hidden), unlabeled=marker)
    assert repr(y) == repr(before)
    target = encode_labels(result, unlabeled=marker, min_classes=0)
    classes = encode_labels(y, unlabeled=marker).classes
    assert target.is_labeled.tolist() == ((codes >= 0) & ~hidden).tolist()
    assert target.labels_of_labeled().tolist() == classes[codes[target.is_labeled]].tolist()


def test_mask_labels_refuses_rows_that_are_not_there():
    for rows in ([5], [True, False]):
        with pytest.raises(ValueError, match="row numbers below 4 or a mask of that length"):
            mask_labels([0, 1, -1, 1], rows)
    assert mask_labels([0, 1, -1, 1], []).tolist() == [0, 1, -1, 1]


def test_the_earlier_name_of_mask_labels_still_works():
    with pytest.warns(FutureWarning, match="now called mask_labels") as caught:
        found = model_selection.hide_labels
    assert found is mask_labels
    assert caught[0].filename == __file__
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = model_selection.nonsense
