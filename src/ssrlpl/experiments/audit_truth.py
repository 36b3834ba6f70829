"""Populations of predictions with known truth, made to try to break a certificate of labels.

A certificate of labels depends on a model only through its predictions, so a world consists of
predictions and true labels. In most worlds no model is fitted: any relation between the two could
come from some model and an adversary who chose its training rows. In the others a nearest-neighbor
rule is fitted once, to 60 fixed rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from .._utils.types import Floats, Ints, Mask
from ..guarantee.accepting import accepted
from ..guarantee.audited import AuditedRows
from ..guarantee.conformal import sets_of_classes
from ..guarantee.proportions import (
    Share,
    most_wrong,
    most_wrong_at_any_time,
    share_upper,
    unchecked_share,
)

MAX_ERROR = 0.1
"""What ``accept`` is asked for: the worlds are made to be near it."""

STATEMENTS = (
    "bound", "accept", "accept others", "sets", "sets per class", "new rows", "precision", "recall",
)  # fmt: skip

TAUGHT = 60
"""Rows that teach in worlds with a fitted model."""


class AuditWorld(NamedTuple):
    """Predicted and true classes of rows, and the scores of all classes."""

    predicted: Ints
    truth: Ints
    scores: Floats


def _world(rng: np.random.Generator, sureness: Floats, is_wrong: Mask) -> AuditWorld:
    """Return a world of three classes with given confidence and errors; class 2 is rare."""
    n = len(sureness)
    predicted = np.where(rng.random(n) < 0.04, 2, rng.integers(0, 2, n))
    others = (predicted + rng.integers(1, 3, n)) % 3
    left = 1 - sureness
    scores = np.repeat(left[:, None] / 2, 3, axis=1)
    scores[np.arange(n), predicted] = sureness
    return AuditWorld(predicted, np.where(is_wrong, others, predicted), scores)


def calibrated(rng: np.random.Generator, n: int) -> AuditWorld:
    """Draw a model whose confidence is the probability that it is right."""
    sureness = 1 - 0.6 * rng.random(n) ** 2
    return _world(rng, sureness, rng.random(n) > sureness)


def boastful(rng: np.random.Generator, n: int) -> AuditWorld:
    """Draw a model that is nearly certain of every row, and wrong in 12 % of them at random."""
    sureness = 1 - 0.01 * rng.random(n)
    return _world(rng, sureness, rng.random(n) < 0.12)


def flipped_cluster(rng: np.random.Generator, n: int) -> AuditWorld:
    """Draw a model that is right, except for a hidden cluster among the rows it is surest of."""
    sureness = np.sort(0.4 + 0.6 * rng.random(n))[::-1]
    is_wrong = np.zeros(n, dtype=bool)
    is_wrong[: n // 20] = True
    return _world(rng, sureness, is_wrong)


def at_the_limit(rng: np.random.Generator, n: int) -> AuditWorld:
    """Draw errors that exceed the limit by one row at every threshold."""
    sureness = np.sort(rng.random(n))[::-1]
    ranks = np.arange(1, n + 1)
    allowed = np.floor(MAX_ERROR * ranks) + 1
    return _world(rng, sureness, np.diff(allowed, prepend=0) > 0)


def saw_tooth(rng: np.random.Generator, n: int) -> AuditWorld:
    """Draw blocks of good and bad rows: the error crosses the limit at many thresholds."""
    sureness = np.sort(rng.random(n))[::-1]
    block = np.arange(n) // (n // 24) % 2
    return _world(rng, sureness, rng.random(n) < np.where(block == 1, 2.2, 0.2) * MAX_ERROR)


def tied(rng: np.random.Generator, n: int) -> AuditWorld:
    """Draw a model with three levels of confidence."""
    step = rng.integers(0, 3, n)
    return _world(rng, np.array([0.5, 0.8, 1.0])[step], rng.random(n) < 0.16 - 0.06 * step)


def rare_class(rng: np.random.Generator, n: int) -> AuditWorld:
    """Draw a class of 3 % of the rows that is never predicted."""
    world = _world(rng, 1 - 0.3 * rng.random(n), rng.random(n) < 0.06)
    is_rare = rng.random(n) < 0.03
    predicted = np.where(world.predicted == 2, 0, world.predicted)
    return AuditWorld(predicted, np.where(is_rare, 2, world.truth), world.scores)


def noise(rng: np.random.Generator, n: int) -> AuditWorld:
    """Draw labels that have nothing to do with the predictions."""
    world = _world(rng, 1 - 0.1 * rng.random(n), np.zeros(n, dtype=bool))
    return world._replace(truth=rng.integers(0, 3, n))


def _neighbors(X: Floats, truth: Ints, teaching: Ints) -> AuditWorld:
    """Return what the five nearest of the teaching rows say about all others, and the truth."""
    model = KNeighborsClassifier(5, weights="distance").fit(X[teaching], truth[teaching])
    rest = np.setdiff1d(np.arange(len(truth)), teaching)
    scores = np.zeros((len(rest), 3))
    scores[:, model.classes_] = model.predict_proba(X[rest])
    return AuditWorld(scores.argmax(axis=1), truth[rest], scores)


def _clusters(rng: np.random.Generator, n: int) -> tuple[Floats, Ints]:
    """Draw three classes that overlap a little, with rows to teach from."""
    truth = rng.integers(0, 3, n + TAUGHT)
    centers = 3.2 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    return centers[truth] + rng.normal(size=(n + TAUGHT, 2)), truth


def leverage(rng: np.random.Generator, n: int) -> AuditWorld:
    """Draw a few rows far away, where the model is sure and half of the labels are others."""
    X, truth = _clusters(rng, n)
    far = rng.permutation(len(X))[: len(X) // 15]
    X[far], truth[far] = 40 + rng.normal(size=(len(far), 2)), rng.integers(0, 2, len(far))
    return _neighbors(X, truth, rng.permutation(len(X))[:TAUGHT])


def heavy_tails(rng: np.random.Generator, n: int) -> AuditWorld:
    """Draw rows with noise that has no variance."""
    X, truth = _clusters(rng, n)
    return _neighbors(X + rng.standard_t(1.2, X.shape) / 3, truth, np.arange(TAUGHT))


def near_duplicates(rng: np.random.Generator, n: int) -> AuditWorld:
    """Draw 150 rows that come again and again, each with its label: whole groups are wrong."""
    X, truth = _clusters(rng, 150 - TAUGHT)
    source = rng.integers(0, 150, n + TAUGHT)
    copies = X[source] + 1e-3 * rng.normal(size=(n + TAUGHT, 2))
    return _neighbors(copies, truth[source], rng.permutation(n + TAUGHT)[:TAUGHT])


def taught_from_a_corner(rng: np.random.Generator, n: int) -> AuditWorld:
    """Draw teaching rows from one corner, with one row of each class."""
    X, truth = _clusters(rng, n)
    corner = np.argsort(X[:, 0] - X[:, 1])[::-1]
    first = corner[np.unique(truth[corner], return_index=True)[1]]
    return _neighbors(X, truth, np.union1d(first, corner[:TAUGHT])[:TAUGHT])


AUDIT_WORLDS: dict[str, Callable[[np.random.Generator, int], AuditWorld]] = {
    draw.__name__.replace("_", " "): draw
    for draw in (
        calibrated, boastful, flipped_cluster, at_the_limit, saw_tooth, tied, rare_class, noise,
        leverage, heavy_tails, near_duplicates, taught_from_a_corner,
    )
}  # fmt: skip
"""By the name of the function."""


def statement_breaks(
    name: str, level: float, seed: int, *, n_rows: int = 2000, n_audited: int = 300
) -> dict[str, bool]:
    """Tell which statements at one level are false for one draw of audited rows.

    For the sets, which promise an average, one filled-in row is drawn and looked at. The world
    stays the same, and only the audited rows are drawn again: it is their draw that the
    confidence is about. New rows are drawn from the world with replacement. Sets per class,
    precision and recall are looked at for one class, which changes with the seed. "accept others"
    is about delivered labels that are others in one row of 21, in right ones only.
    """
    world, order = _drawn(name, seed, n_rows)
    n_rows, one = len(world.truth), seed % 3
    is_audited = np.zeros(n_rows, dtype=bool)
    is_audited[order[:n_audited]] = True
    audited = AuditedRows(world.predicted, world.scores, is_audited, world.truth[is_audited])
    is_wrong, delta = world.predicted != world.truth, 1 - level
    seen = audited.n_wrong, n_audited, n_rows
    upper = unchecked_share(most_wrong(*seen, delta), *seen)
    filled_in = order[n_audited:]
    barred = np.zeros(n_rows, dtype=bool)
    barred[filled_in[~is_wrong[filled_in]][: len(filled_in) // 21]] = True
    of_class = filled_in[world.truth[filled_in] == one]
    again = is_wrong[np.random.default_rng([seed, 2]).integers(0, n_rows, n_audited)]
    return {
        "bound": bool(is_wrong[~is_audited].mean() > upper),
        "accept": _accepts_too_many(is_wrong, audited, delta, None),
        "accept others": _accepts_too_many(is_wrong, audited, delta, barred),
        "sets": not _holds_truth(audited, world, filled_in[0], level, per_class=False),
        "sets per class": bool(len(of_class))
        and not _holds_truth(audited, world, of_class[0], level, per_class=True),
        "new rows": bool(is_wrong.mean() > share_upper(int(again.sum()), n_audited, delta)),
        "precision": _outside(is_wrong, world.predicted == one, is_audited, level),
        "recall": _outside(is_wrong, world.truth == one, is_audited, level),
    }


def _accepts_too_many(
    is_wrong: Mask, audited: AuditedRows, delta: float, barred: Mask | None
) -> bool:
    taken = accepted(audited, MAX_ERROR, delta, barred) & ~audited.is_audited
    return bool(taken.any() and is_wrong[taken].mean() > MAX_ERROR)


def trail_breaks(
    name: str, level: float, seed: int, *, n_rows: int = 2000, n_audited: int = 300
) -> bool:
    """Tell whether the bound of one audit was ever below the truth about the unchecked rows.

    It is the bound of ``AuditTrail``, computed once for all draws.
    """
    world, order = _drawn(name, seed, n_rows)
    is_wrong = world.predicted != world.truth
    true, most = int(is_wrong.sum()), len(is_wrong)
    wrong_so_far = np.cumsum(is_wrong[order[:n_audited]]).tolist()
    for checked, wrong in enumerate(wrong_so_far, start=1):
        most = min(most, _at_any_time(wrong, checked, len(is_wrong), 1 - level))
        if true > most:
            return True
    return False


_at_any_time = cache(most_wrong_at_any_time)


@cache
def _world_of(name: str, n_rows: int) -> AuditWorld:
    return AUDIT_WORLDS[name](np.random.default_rng(0), n_rows)


def _drawn(name: str, seed: int, n_rows: int) -> tuple[AuditWorld, Ints]:
    """Return a world, always the same, and its rows in random order."""
    world = _world_of(name, n_rows)
    # The second number keeps the draws of one seed apart: here the audited rows, above new rows.
    return world, np.random.default_rng([seed, 1]).permutation(len(world.truth))


def _outside(is_wrong: Mask, group: Mask, is_audited: Mask, level: float) -> bool:
    """Tell whether the share of right rows in a group lies outside its interval."""
    checked = group & is_audited
    found = Share.of(int((checked & ~is_wrong).sum()), int(checked.sum()), level)
    return bool(group.any()) and not found.low <= 1 - is_wrong[group].mean() <= found.high


def _holds_truth(
    audited: AuditedRows, world: AuditWorld, row: np.intp, level: float, *, per_class: bool
) -> bool:
    sets = sets_of_classes(audited, world.scores[[row]], level, per_class)
    return bool(sets[0, world.truth[row]])
