"""Leave-one-out scores of SSRLPLCV's candidates against refits, and the choice among them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

from conftest import mixed
from ssrlpl._core.readout import NearestReading
from ssrlpl.labels import encode_labels
from ssrlpl.learners import LabeledForest
from ssrlpl.model_selection import SSRLPLCV
from ssrlpl.model_selection.candidates import Bench, Space, family, leading_of
from ssrlpl.model_selection.candidates.discriminant import AllRowsDiscriminant
from ssrlpl.model_selection.candidates.forest import ForestLabels
from ssrlpl.model_selection.candidates.graph_labels import GraphLabels
from ssrlpl.model_selection.candidates.labeled_only import LabeledLeastSquares
from ssrlpl.model_selection.candidates.logistic_regression import LogisticLabels
from ssrlpl.model_selection.candidates.pairwise_squares import PairwiseLeastSquares
from ssrlpl.model_selection.candidates.plain_map import PlainMap
from ssrlpl.model_selection.candidates.shrunken_discriminant import ShrunkenDiscriminant
from ssrlpl.model_selection.rule import choose, nested_choice
from ssrlpl.model_selection.scoreboard import standard_error

EXACT_KINDS = (
    GraphLabels,
    LabeledLeastSquares,
    PairwiseLeastSquares,
    PlainMap,
    AllRowsDiscriminant,
)


def is_exact(candidate):
    in_folds = getattr(candidate, "metric", "") == "discriminant"
    return isinstance(candidate, EXACT_KINDS) and not in_folds


def scores_alone(candidate, bench):
    ((_, scores),) = candidate.loo_scores(bench, [candidate])
    return scores


def refitted_scores(candidate, bench, X, target):
    """Hide each label in turn, fit the estimator anew, and ask it about the row.

    With few labels a class the other labels of its class take its weight.
    """
    found = np.zeros((target.n_labeled, len(target.classes)))
    for i, row in enumerate(target.labeled):
        rest = target.hiding(row)
        weight = None
        if candidate.takes_weights and bench.has_few_of_a_class:
            own = rest.codes[rest.labeled] == target.codes[row]
            weight = np.where(own, (own.sum() + 1) / max(own.sum(), 1), 1.0)
        again = Bench(candidate.space, X, rest, 0, weight, like=bench)
        if isinstance(candidate, PlainMap):  # a class without a label has no say in the map
            _, _, Z = candidate.build(again).representation.refit(again.X, rest)
            reading = NearestReading(Z[rest.labeled], rest.codes[rest.labeled], found.shape[1])
            found[i] = reading(Z[[row]])[0]
        else:
            found[i] = candidate.row_scores(again)[row]
    return found


def check_against_refits(candidate, bench, X, target, tol=1e-8):
    expected = refitted_scores(candidate, bench, X, target)
    atol = tol * np.abs(expected).max()
    found = scores_alone(candidate, bench)
    assert_allclose(found, expected, atol=atol, err_msg=candidate.words())


SPACES = [
    Space(),
    Space(standardized=True),
    Space(n_principal=3),
    Space(True, 2),
    Space(n_principal=3, rooted=True),
]
KINDS = {
    "graph": lambda space: GraphLabels(0, space, 7, alpha=0.9, sharpness=4.0),
    "graph, few neighbors": lambda space: GraphLabels(0, space, 3, 0.99, 1.0),
    "pairs": lambda space: PairwiseLeastSquares(0, space, 1.0, 0.01),
    "discriminant": lambda space: AllRowsDiscriminant(0, space, 1e-2),
    "ridge": lambda space: LabeledLeastSquares(0, space, "rbf", 0.25, 0.01),
    "ridge, linear": lambda space: LabeledLeastSquares(0, space, "linear", 1.0, 0.1),
}


@pytest.mark.parametrize("space", SPACES, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("single", [False, True], ids=["", "class with one label"])
def test_scores_are_those_of_refits(kind, space, single):
    X, y, _ = mixed()
    X = X * [1, 2, 30, 1, 1, 1] + 5
    if single:
        y[np.flatnonzero(y == 1)[1:]] = -1
    target, candidate = encode_labels(y), KINDS[kind](space)
    check_against_refits(candidate, Bench(space, X, target, 0), X, target)


@pytest.mark.parametrize("rooted", [False, True])
@pytest.mark.parametrize("from_rooted", [False, True])
def test_fewer_components_are_the_first_of_more(rooted, from_rooted):
    X, y, _ = mixed()
    target, more = encode_labels(y), Space(True, 4, rooted=from_rooted)
    space = Space(True, 2, rooted=rooted)
    steps = leading_of(space, {more: Bench(more, X, target, 0)})
    found, fresh = (Bench(space, X, target, 0, steps=known) for known in (steps, None))
    assert [type(step) for _, step in found.steps.steps] == [
        type(step) for _, step in fresh.steps.steps
    ]
    assert_allclose(np.abs(found.X), np.abs(fresh.X), atol=1e-10)  # the sign is arbitrary
    assert_allclose(found.steps.transform(X), found.X)
    scales = fresh.steps[:2].transform(X).std(axis=0)
    assert_allclose(found.X.std(axis=0), np.sqrt(scales) if rooted else scales)


def test_plain_method_without_a_class():
    """The class has no row to be near to and never wins."""
    X, y, _ = mixed(1)
    y[np.flatnonzero(y == 1)[1:]] = -1
    target, candidate = encode_labels(y), PlainMap(0, Space(), 5)
    bench = Bench(Space(), X, target, 0)
    ours = scores_alone(candidate, bench)
    position = np.flatnonzero(y[y >= 0] == 1)[0]
    assert ours[position].argmin() == 1
    assert_allclose(ours, refitted_scores(candidate, bench, X, target), atol=1e-8)


@pytest.mark.parametrize("space", SPACES[:3], ids=str)
@pytest.mark.parametrize("k", [1, 5, 40])
def test_scores_of_the_plain_method_are_those_of_refits(space, k):
    X, y, _ = mixed(1)
    target, candidate = encode_labels(y), PlainMap(0, space, k)
    bench = Bench(space, X, target, 0)
    expected = refitted_scores(candidate, bench, X, target)
    assert_allclose(scores_alone(candidate, bench), expected, atol=1e-8)


def test_every_candidate_of_the_family_is_judged_by_refits():
    """The family as it is, on a table where scales differ and all kinds of candidates occur."""
    X, y, _ = mixed(1, n=40, d=6, share=0.15)
    X = X * [1, 1, 40, 1, 1, 1]
    target = encode_labels(y)
    candidates = [candidate for candidate in family(X, 3) if is_exact(candidate)]
    benches = {space: Bench(space, X, target, 0) for space in {c.space for c in candidates}}
    for candidate in candidates:
        check_against_refits(candidate, benches[candidate.space], X, target)
    assert {type(candidate) for candidate in candidates} == set(EXACT_KINDS)


def test_no_candidate_judges_a_row_by_its_own_label():
    """Scores of a row with another label at it, also of candidates that are left out in folds."""
    X, y, _ = mixed(1, n=60, d=6, share=0.5)
    target = encode_labels(y)
    changed = y.copy()
    row = target.labeled[4]
    changed[row] = (changed[row] + 1) % 3
    for candidate in family(X, 3):
        if isinstance(candidate, LogisticLabels):  # approximate: tests/_core/test_logistic.py
            continue
        own, other = (
            scores_alone(candidate, Bench(candidate.space, X, encode_labels(labels), 0))[4]
            for labels in (y, changed)
        )
        # The folds of the other rows of the two classes shift, so the graph may differ.
        if is_exact(candidate) or isinstance(candidate, ForestLabels):
            assert_allclose(own, other, atol=1e-9, err_msg=candidate.words())
        assert np.isfinite(own).all()


@pytest.mark.parametrize("kind", [*EXACT_KINDS, LogisticLabels, ShrunkenDiscriminant, ForestLabels])
def test_candidates_in_a_group_are_those_alone(kind):
    X, y, _ = mixed(2)
    bench = Bench(Space(), X, encode_labels(y), 0)
    group = [c for c in family(X, 3) if type(c) is kind and c.space == Space()]
    together = dict(kind.loo_scores(bench, group))
    assert set(together) == set(group)
    for candidate in group:
        assert_allclose(together[candidate], scores_alone(candidate, bench), atol=1e-12)


def test_sparse_scores_are_those_of_refits():
    X, y, truth = mixed(3, n=40, share=0.1)
    y[:6] = truth[:6]  # two labels of each class at least
    X = sparse.csr_array(np.where(np.abs(X) < 0.3, 0, X))
    target = encode_labels(y)
    for candidate in filter(is_exact, family(X, 3)):
        check_against_refits(candidate, Bench(candidate.space, X, target, 0), X, target, tol=1e-7)


# The choice.


def nested_wrong(wrong, losses, tiers):
    return wrong[nested_choice(wrong, losses, tiers), np.arange(wrong.shape[1])]


def errors_of(*rates, n=100):
    """One row for each candidate, with its rate of errors at the first rows."""
    return np.array([np.arange(n) < round(rate * n) for rate in rates])


def test_preferred_tier_wins_within_a_standard_error():
    losses, tiers = np.zeros((2, 100)), np.array([0, 1])
    within = 0.1 + standard_error(0.1, 100)
    assert 0.12 < within < 0.14
    assert choose(errors_of(0.13, 0.10), losses, tiers) == 0
    assert choose(errors_of(0.14, 0.10), losses, tiers) == 1


def test_lowest_error_wins_in_its_tier_then_the_lowest_loss():
    losses = np.tile([[0.3], [0.2], [0.1], [0.0]], 100)
    tiers = np.array([0, 0, 0, 1])
    assert choose(errors_of(0.11, 0.10, 0.10, 0.10), losses, tiers) == 2
    assert choose(errors_of(0.11, 0.10, 0.12, 0.10), losses, tiers) == 1
    assert choose(errors_of(0.1, 0.1, 0.1, 0.1), 0 * losses, tiers) == 0  # the first of equals


def test_no_error_is_known_to_be_zero():
    assert standard_error(0.0, 10) > 0
    assert standard_error(1.0, 10) > 0
    assert_allclose(standard_error(0.5, 98), 0.5 / np.sqrt(98))


def test_nested_error_judges_a_row_by_the_choice_of_the_others():
    # Each candidate is right at two rows: without one of them the other candidates win.
    wrong = ~np.repeat(np.eye(4, dtype=bool), 2, axis=1)
    tiers = np.zeros(4, dtype=int)
    assert wrong.mean(axis=1).min() == 0.75
    assert nested_wrong(wrong, np.zeros(wrong.shape), tiers).mean() == 1.0


def test_nested_error_of_a_single_candidate_is_its_error():
    wrong = errors_of(0.3)
    assert_allclose(nested_wrong(wrong, np.zeros((1, 100)), np.array([0])).mean(), 0.3)


def test_nested_choice_does_not_see_the_loss_at_the_row():
    """Without row 0 both candidates err once and the losses prefer B, which is wrong there.

    The loss at row 0 would prefer A. Without row 1, A wins by its errors and is wrong; without
    row 2, A wins by its losses and is right.
    """
    wrong = np.array([[False, True, False], [True, False, True]])
    losses = np.array([[0.1, 1.5, 0.1], [1.9, 0.1, 1.4]])
    assert losses[0].sum() < losses[1].sum()
    assert_allclose(nested_wrong(wrong, losses, np.array([0, 0])).mean(), 2 / 3)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_luck_is_seen_through(n_classes):
    """Labels drawn at random: the lowest error flatters, the nested one is near chance.

    Rows of a table share their fits: the nested error of a table has a standard deviation of 0.14
    (40 tables), so two standard errors of eight tables are 0.1.
    """
    lowest, nested = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 4)), np.full(60, -1)
        y[:30] = rng.permutation(np.arange(30) % n_classes)
        model = SSRLPLCV().fit(X, y)
        lowest.append(model.cv_results_["loo_error"].min())
        nested.append(model.nested_error_)
    chance = 1 - 1 / n_classes
    assert np.mean(lowest) < chance - 0.05
    assert np.mean(nested) > chance - 0.1
    assert np.mean(nested) > np.mean(lowest) + 0.05


@pytest.mark.parametrize("per_class", [3, 8])
def test_a_forest_that_learns_nothing_is_at_chance_when_rows_are_left_out(per_class):
    """Trees that did not see a row saw less of its class: unscaled votes would be wrong always."""
    target = encode_labels(np.repeat([0, 1], per_class))
    bench = Bench(Space(), np.ones((2 * per_class, 2)), target, 0)
    candidate = ForestLabels(1, Space(), False)
    scores = scores_alone(candidate, bench)
    own = np.exp(scores)[np.arange(2 * per_class), bench.codes]
    assert own.mean() == pytest.approx(0.5, abs=0.06)
    forest = RandomForestClassifier(100, oob_score=True, random_state=0).fit(bench.X, bench.codes)
    unscaled = forest.oob_decision_function_[np.arange(2 * per_class), bench.codes]
    assert unscaled.mean() < own.mean() - 0.02


def test_a_forest_is_fitted_once_for_rows_left_out_and_for_all_rows(monkeypatch):
    X, y, _ = mixed()
    target, candidate = encode_labels(y), ForestLabels(1, Space(), True)
    expected = candidate.row_scores(Bench(Space(), X, target, 0))
    fit, fits = LabeledForest.fit_checked, []
    monkeypatch.setattr(LabeledForest, "fit_checked", lambda *args: fits.append(args) or fit(*args))
    bench = Bench(Space(), X, target, 0)
    scores_alone(candidate, bench)
    assert_array_equal(candidate.row_scores(bench), expected)
    assert len(fits) == 1


def test_numbers_of_components_are_plain():
    """``best_params_`` shows them."""
    assert {type(one.space.n_principal) for one in family(mixed()[0])} == {int, type(None)}
