"""What certificates of labels say beside the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from ..._utils.types import Floats, Ints
from ...active import label_next
from ...guarantee import LabelCertificate, certify_labels
from ...labelers.graph import GraphLabeler
from ...maps.kernel import KernelSSRLPL
from ...model_selection.search import SSRLPLCV
from ...root_scaler import RootScaler
from ..certificate_truth import LABELERS, retained_old_and_new
from ..drawn_problems import Drawn, draw_labels, labels_of, load_drawn
from ..harness.averages import mean_measures
from ..harness.cell_store import Cell, Row
from ..harness.measuring import Measurement, Workbench
from ..harness.study import Plan, Report, Section, Study, flat_table
from ..problems import Problem, Protocol
from ..shown_names import full_name

SMALL = ("digits", "COIL-20", "book g241c", "book BCI", "titanic-like", "noise")
LARGE = ("USPS", "MNIST-10K")
CERTIFIED_MAP_ROWS = 3000
"""Rows up to which the map's certificate is computed."""
LABELS = tuple((name, Drawn(labels)) for name in (*SMALL, *LARGE) for labels in (50, 100, 200, 400))
BEST = "drawn, best of 4"
FAR = "half chosen, far graph"
AUDITS = {"drawn": 0.6, BEST: 0.6, "half chosen": 0.5, FAR: 0.5, "a third chosen": 2 / 3}
"""Share of the labels that audit. The others are drawn, too, or chosen to teach."""


def load_table(dataset: str, protocol: Drawn | Protocol, seed: int) -> Problem:
    """Return a problem with drawn labels; two tables are made up."""
    if dataset not in ("noise", "titanic-like") or not isinstance(protocol, Drawn):
        return load_drawn(dataset, protocol, seed)
    rng = np.random.default_rng(0)
    if dataset == "noise":  # labels that do not depend on any column
        X, truth = rng.normal(size=(2000, 8)), rng.integers(0, 2, 2000)
    else:
        X, truth = _passengers(rng, 1300)
    return draw_labels(X, truth, protocol, seed)


def _passengers(rng: np.random.Generator, n: int) -> tuple[Floats, Ints]:
    """Draw passengers of a ship: who survived can be told for four of five of them."""
    woman, grade = rng.random(n) < 0.36, rng.choice([1, 2, 3], n, p=[0.25, 0.21, 0.54])
    age = np.clip(rng.normal(38 - 4 * grade, 13), 0.5, 80)
    fare = np.exp(rng.normal(4.8 - 0.9 * grade, 0.7))
    family = rng.poisson(0.9, n)
    log_odds = 1.6 + 2.6 * woman - 1.1 * grade - 0.03 * (age - 30) - 0.15 * family
    survived = rng.random(n) < 1 / (1 + np.exp(-log_odds))
    return np.column_stack([woman, grade, age, np.log(fare), family]), survived.astype(np.intp)


def chosen_to_teach(X: Any, truth: Ints, count: int, seed: int, *, far: bool) -> Ints:
    """Return rows that a person would be asked to label: a few at random, then by ``label_next``.

    A map finds regions without a label until there are 40; then a graph names doubtful rows. The
    far graph reaches further than the usual one, in 30 half-whitened principal components, and is
    asked for ten rows at a time.
    """
    if far:
        X = make_pipeline(PCA(30, random_state=0), RootScaler()).fit_transform(X)
    graph = GraphLabeler(10, alpha=0.99, sharpness=8) if far else LABELERS["graph"]
    order = np.random.default_rng(seed).permutation(len(truth))
    two_classes = int(np.argmax(truth[order] != truth[order[0]])) + 1
    rows = order[: max(min(20, count // 2), two_classes)]
    while len(rows) < count:
        asked = KernelSSRLPL(labeler=GraphLabeler()) if len(rows) < 40 else graph
        n = min(10 if far else max(10, count // 8), count - len(rows))
        rows = np.append(rows, label_next(asked, X, labels_of(rows, truth), n, random_state=seed))
    return rows


def measure_labels(problem: Problem, cell: Cell) -> Mapping[str, float] | str:
    """Return what certificates say of one draw of labels, and the truth."""
    X, truth, labels = problem.X, problem.truth, len(problem.labeled)
    if labels >= len(truth):
        return "Every row has a label."
    if cell.method == BEST:
        y, share = labels_of(problem.labeled, truth), AUDITS[BEST]
        found = certify_labels(SSRLPLCV(), X, y, audit=share, random_state=cell.seed, splits=4)
        return _statements(found, truth)
    rng, n_audited = np.random.RandomState(cell.seed), round(AUDITS[cell.method] * labels)
    if cell.method == "drawn":
        teaching, audit = problem.labeled[n_audited:], problem.labeled[:n_audited]
    else:
        far = cell.method == FAR
        teaching = chosen_to_teach(X, truth, labels - n_audited, cell.seed, far=far)
        rest = np.setdiff1d(np.arange(len(truth)), teaching)
        audit = rng.permutation(rest)[:n_audited]
    y = labels_of(np.union1d(teaching, audit), truth)
    mask = np.isin(np.arange(len(truth)), audit)
    if len(np.unique(truth[teaching])) < 2:
        return "All teaching labels are of one class."
    said = _statements(certify_labels(SSRLPLCV(), X, y, audit=mask), truth)
    return said | (retained_old_and_new(X, y, audit) if len(truth) <= CERTIFIED_MAP_ROWS else {})


def _statements(found: LabelCertificate, truth: Ints) -> dict[str, float]:
    """Return what a certificate says, and the truth."""
    hidden = truth[found.rows]
    wrong, sets = found.labels != hidden, found.prediction_sets()
    place = np.minimum(np.searchsorted(found.classes, hidden), len(found.classes) - 1)
    named = sets[np.arange(len(hidden)), place] & (found.classes[place] == hidden)
    return {
        "truth": float(wrong.mean()),
        "bound": found.error_upper,
        "accepted at 5 %": float(found.accept(0.05).mean()),
        "accepted at 1 %": float(found.accept(0.01).mean()),
        "set size": float(sets.sum(axis=1).mean()),
        "coverage": float((named | sets.all(axis=1)).mean()),  # a full set says "any class"
    } | found.baselines


def _fewer(dataset: str, _method: str) -> int | None:
    """Return the number of draws, if it is not that of digits and USPS."""
    return None if dataset in ("digits", "USPS") else 1


def _takes(dataset: str, method: str) -> bool:
    """Return whether a way of dividing the labels is tried.

    Four divisions need four searches, and ten rows at a time many graphs.
    """
    return dataset in {BEST: ("digits",), FAR: ("digits", "USPS")}.get(method, (dataset,))


def report(rows: Sequence[Row]) -> Report:
    """Return the mean of every statement, and of the truth, by data set and number of labels."""
    flat = [
        {"data": full_name(data), "labels": int(protocol.split()[0]), "teaching rows": method}
        | means
        for (data, protocol, method), means in mean_measures(rows).items()
    ]
    return Report(flat, [Section("Statements about filled-in labels", flat_table(flat))])


STUDY = Study(
    name="certified_labels",
    title="What certificates of labels say beside the truth",
    about=(
        "`certify_labels(SSRLPLCV(), ...)` at 95 %. “drawn”: all labels are drawn at random, 60 %"
        " of them audit; “best of 4”: with `splits=4`, digits only. “half chosen”: half of the"
        " labels are chosen to teach, first by `label_next` of a map, then of a graph, and the"
        " other half audits; “far graph”: of a graph that reaches further, in principal components"
        " (digits and USPS; picked among four ways on one draw of USPS, with its labels in view);"
        " “a third chosen”: two thirds audit. Error of the filled-in labels,"
        " its bound, the shares of rows accepted at 5 % and 1 %, size and coverage of prediction"
        " sets, the errors of the largest class and of logistic regression, and what the kernel"
        " map retains at least, without and with a control variate (tables of up to 3,000 rows);"
        " means over three draws of digits and USPS, and one draw of the others."
    ),
    full=Plan(LABELS, tuple(AUDITS), 3, takes=_takes, fewer=_fewer),
    quick=Plan((("digits", Drawn(100)), ("noise", Drawn(100))), tuple(AUDITS), 1, takes=_takes),
    report=report,
    bench=Workbench({name: Measurement(name, name, measure_labels) for name in AUDITS}, load_table),
)
