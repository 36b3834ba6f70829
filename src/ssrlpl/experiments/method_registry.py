"""The methods that tables compare. One line adds a rival.

A method is built with hints (seed, number of classes, the paper's p and k) and fitted on rows and
integer codes, -1 for unlabeled. It chooses its parameters on labeled rows only; the two methods
that see every label say so with a flag and serve as a reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from ..baselines.registry import BASELINES
from . import ours, searching
from .fit_and_score import score
from .harness.cell_store import Cell, Row
from .harness.measuring import Trial, Workbench
from .problems import PAPER_SETTINGS, Hints, Problem, load_problem
from .published_rivals import score_published

DICTIONARIES = "ssrlpl.baselines.dictionary"
Measure = Callable[[Any, Problem], Mapping[str, float]]
"""Takes a fitted estimator and its problem, truth included, and returns further numbers."""


@dataclass(frozen=True)
class Method(Trial):
    """An estimator that is fitted and scored.

    ``build`` takes :class:`Hints` and returns an estimator with ``fit(X, y)`` and ``predict(X)``.
    What it chose, in ``chosen_params_`` or ``best_params_``, goes into the row. ``module`` is the
    one whose code makes the numbers. A method that ``sees_all_labels``, those of all training rows,
    is an upper reference and no competitor. ``measure`` gives further numbers for the row.
    """

    build: Callable[[Hints], Any]
    module: str = ours.__name__
    sees_all_labels: bool = False
    measure: Measure | None = None
    is_rival: bool = False

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules whose code makes the numbers, for the fingerprint."""
        return self.module, score.__module__

    def run(self, problem: Problem, cell: Cell) -> Row:
        """Fit the method on a problem; return its errors, its seconds and further numbers."""
        p, k = PAPER_SETTINGS.get(cell.dataset, (None, None))
        hints = Hints(cell.seed, problem.n_classes, len(problem.labeled), p, k)
        estimator = self.build(hints)
        row: Row = score(estimator, problem, sees_all_labels=self.sees_all_labels)
        if self.measure is not None:
            row["measures"] = dict(self.measure(estimator, problem))
        return row


@dataclass(frozen=True)
class PublishedMethod(Trial):
    """A method of :data:`ssrlpl.baselines.BASELINES`, tuned by left-out labels."""

    is_rival: bool = True

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules whose code makes the numbers, for the fingerprint."""
        return (score_published.__module__,)

    def run(self, problem: Problem, cell: Cell) -> Row:
        """Choose settings and fit; return errors and seconds."""
        return score_published(self.name, problem, seed=cell.seed)


PUBLISHED = tuple(
    PublishedMethod(name, entry.title) for name, entry in BASELINES.items() if entry.grid
)
"""Those that learn from unlabeled rows; dictionaries have no grid and are compared elsewhere."""


def _peer(module: str, function: str, _hints: Hints) -> Any:
    return getattr(import_module(module), function)()


def rival(name: str, title: str, function: str, file: str = "peers") -> Method:
    """Return a rival that a function of a file here builds; the file is imported when used."""
    module = f"{__package__}.{file}"
    return Method(name, title, partial(_peer, module, function), module, is_rival=True)


def _dictionary_learner(name: str, hints: Hints) -> Any:
    return getattr(import_module(DICTIONARIES), name)(random_state=hints.seed)


def _dictionary(name: str, title: str) -> Method:
    """Return a dictionary method with its defaults; its class has the capitals of its name."""
    build = partial(_dictionary_learner, name.upper())
    return Method(name, title, build, f"{DICTIONARIES}.{name}", is_rival=True)


_ALL: tuple[Method | PublishedMethod, ...] = (
    Method("linear", "SSRL-PL linear", ours.linear),
    Method("kernel", "SSRL-PL kernel", ours.kernel),
    Method("wta", "SSRL-PL winner-take-all", ours.winner_take_all_kernel),
    Method("linear@paper", "SSRL-PL linear, the paper's p and k", ours.linear_of_paper),
    Method("kernel@paper", "SSRL-PL kernel, the paper's p and k", ours.kernel_of_paper),
    Method("wta@paper", "winner-take-all, the paper's p and k", ours.wta_of_paper),
    Method("plain", "SSRL-PL kernel, k by leave-one-out", ours.plain_kernel),
    Method("cv", "SSRLPLCV", searching.searched, searching.__name__),
    Method("cv_one", "SSRLPLCV, chosen", searching.chosen, searching.__name__),
    Method("labeled_only", "labeled rows only", ours.labeled_only),
    Method("full_map", "fully labeled map", ours.full_map, sees_all_labels=True),
    Method("fully_labeled", "fully labeled", ours.kernel_of_paper, sees_all_labels=True),
    rival("1nn", "1-NN", "one_nearest_neighbor"),
    rival("svm", "tuned RBF-SVM", "tuned_rbf_svm"),
    rival("label_spreading", "tuned LabelSpreading", "tuned_label_spreading"),
    rival("self_training", "SelfTraining", "self_training"),
    rival("umap", "semi-supervised UMAP + 1-NN", "umap_1nn"),
    _dictionary("dksvd", "DKSVD"),
    _dictionary("fddl", "FDDL"),
    _dictionary("lcksvd", "LCKSVD2"),
    _dictionary("ossdl", "OSSDL"),
    _dictionary("s2d2", "S2D2"),
    *PUBLISHED,
)

METHODS = {method.name: method for method in _ALL}
"""The registry."""

WORKBENCH = Workbench(METHODS, load_problem)
"""Where the studies of the paper are computed."""
