"""SSRLPLCV: a representation and a classifier with all settings chosen by leave-one-out."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from .._utils import limits
from .._utils.arrays import in_numpy
from .._utils.chunked import takes_chunks
from .._utils.progress import Progress
from .._utils.quiet_learners import quiet_learners
from .._utils.types import Array, Floats, Ints, MatrixLike, VectorLike
from .._utils.validation import (
    DTYPES,
    check_choice,
    check_count,
    check_magnitude,
    check_table,
    read_class_prior,
)
from .._utils.whole_fits import whole_or_not
from .._utils.workers import count_workers, in_order, one_blas_thread
from ..guarantee.paired import compare_left_out
from ..labels import PartialLabels, encode_labels
from ..mixture import MixtureClassifier
from .candidates import Bench, Candidate, Space, family, leading_of, params_of
from .consensus import Consensus
from .found_model import FoundModel
from .given_weights import labeled_weights
from .refits import Refits
from .rule import Winner
from .sampled_rows import choice_rows
from .scoreboard import Scoreboard
from .second_round import with_all_rows

CHOICES = ("all", "one")

_ROWS_LIKE_THE_SEARCH = 30_000
"""Rows whose labels and map take about as long as the search, for the progress bar."""


class SSRLPLCV(FoundModel):
    """Representation and classifier in one, from all candidates that leave-one-out finds good.

    The candidates are the paper's method, labels propagated over neighborhood graphs, linear
    discriminants, and, on the labeled rows alone, kernel least squares, logistic regression and
    forests. Their probabilities are mixed, so that unlabeled rows count as much as they help, and
    one map is fitted to the mixture. No setting is required.

    Parameters
    ----------
    n_components : int, optional
        Dimensions of the representation, by default (and at most) the number of classes minus
        one. The classifier always uses all of them.
    choose : {"all", "one"}, default="all"
        "all" mixes the probabilities of the best candidates, weighted by their leave-one-out
        loss, and fits one whitened kernel map to the mixture, so that nothing depends on one
        lucky choice. "one" takes the best candidate: graph labels, unless another one is better
        by more than one standard error.
    class_prior : dict or array-like of shape (n_classes,), optional
        Shares of the classes among all rows, if they are known: a dict (or a pandas Series) by
        class, or an array in sorted order. The mixture is scaled to them; ``choose="one"`` cannot
        use them and refuses. By default the shares are what the candidates find.
    class_weight : dict or "balanced", optional
        Weights of the classes, as in scikit-learn, on top of ``sample_weight``: mistakes in a
        class with a larger weight count more. A class that a dict does not name has weight one.
    n_jobs : int, optional
        Number of threads for the search and the fits of the candidates, which share the threads
        of BLAS; None means as many as BLAS has, -1 all cores.
    unlabeled : "auto", None, a value or a list, default="auto"
        What marks an unlabeled row, see :func:`ssrlpl.encode_labels`.
    random_state : int or RandomState, default=0
        Draws the rows on which the search is made if there are more than 3,000, the sample for
        median distances, and the forests.
    verbose : bool, default=False
        Show a progress bar if the fit takes longer than two seconds.

    Attributes
    ----------
    best_estimator_ : estimator
        The map that was fitted to the mixture (or the chosen candidate): a pipeline of public
        estimators, or a single estimator. If forests have a weight, a
        :class:`MixtureClassifier` of that map and the forests.
    best_params_ : dict
        Its parameters that differ from the defaults, as its constructor and ``set_params`` take
        them.
    loo_error_ : float
        Leave-one-out error of the mixture (or the chosen candidate): labeled rows classified with
        their own label hidden. Rows with the only label of their class do not count, because
        nothing else could tell that class. None, as the next two, if that is so for all rows.
    nested_error_ : float
        The same, but weights (or the choice) are made without the row that is tested, too.
        Report this error. It is a little optimistic still, because the losses that weigh the
        candidates were measured at rows whose fits knew the row: 44 %, where 50 is the truth,
        on tables with 30 labels of two classes that are pure chance.
    labeled_only_error_ : float
        The nested error of the candidates that use the labeled rows alone (and unlabeled rows
        only for column scales and the median distance).
    score_board_ : list of dict
        The errors beside each other, lowest first: "name", "loo_error" and "standard_error" of
        this model, of what a person would pick ("logistic regression", "random forest"), of the
        "labeled rows only", of "plain SSRL-PL" (not with weights, which it cannot use), and of
        always saying the "largest class". All but the last are left-out errors, with settings
        chosen without the row that is tested; they are None if every class has one label.
    comparison_ : Comparison
        Comparison of this model with the same made of labeled-only candidates, on the same
        left-out rows: errors, gain with its standard error, p-value. Every labeled row counts the
        same here, whatever its weight. None if every row has a label, or every class one label.
    n_single_ : int
        Number of classes that have one label, so that candidates are not judged by them. If they
        are a quarter of the classes or more, only graph labels are mixed.
    uses_unlabeled_ : bool
        Whether a candidate with weight uses unlabeled rows.
    verdict_ : str
        Whether the unlabeled rows help: "helps", "undecided" or "hurts", by that comparison;
        None if there is none. If they hurt, they are left out: the result is made of candidates
        of the labeled rows alone, and so are the errors above.
    cv_results_ : dict of ndarray
        For each candidate: "candidate" (a description), "loo_error", "standard_error",
        "squared_loss", "tier", "uses_unlabeled", "weight" (of its probabilities in the result)
        and "role" ("winner" for the largest weight, and the best of its kind: "plain",
        "labeled-only", "logistic regression"). It can be passed to ``pandas.DataFrame``.
    loo_probabilities_ : ndarray of shape (n_labeled, n_classes)
        Probabilities of labeled rows with their own label hidden, in row order; with more than
        1,500 labels, of the 1,500 labeled rows that were used. A model file holds up to 1,000,000
        of these numbers, and none of more.
    loo_rows_, loo_codes_ : ndarray of shape (n_labeled,)
        The numbers of these rows, and the positions of their labels in ``classes_``.
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Probabilities of the training rows; one-hot for labeled ones. A model file holds up to
        1,000,000 of these numbers, and none of more.
    transduction_ : ndarray of shape (n_samples,)
        The most probable label of each training row.
    neighbor_recall_ : float
        Share of the nearest rows that the searches for neighbors among all rows found, the lowest
        of them; 1 up to 20,000 rows.
    map_ : SSRLPL, KernelSSRLPL or LabeledRidge
        The fitted map inside ``best_estimator_``.
    limits_hit_ : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    n_components_ : int
        Dimensions of the representation.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ssrlpl import SSRLPLCV
    >>> X, y = load_digits(return_X_y=True)
    >>> partly = y.copy()
    >>> partly[50:] = -1  # the first 50 rows keep their label
    >>> model = SSRLPLCV().fit(X, partly)
    >>> model.transform(X).shape
    (1797, 9)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        choose: str = "all",
        class_prior: Any = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
        unlabeled: Any = "auto",
        random_state: Any = 0,
        verbose: bool = False,
    ):
        self.n_components = n_components
        self.choose = choose
        self.class_prior = class_prior
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.unlabeled = unlabeled
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    @whole_or_not
    @takes_chunks
    def fit(
        self, X: MatrixLike, y: VectorLike, sample_weight: VectorLike | None = None
    ) -> SSRLPLCV:
        """Combine or choose candidates by leave-one-out and fit all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All rows, labeled and unlabeled.
        y : array-like of shape (n_samples,)
            Labels, with a marker for unlabeled rows.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, on any scale. Those of labeled rows count, in their losses and
            mistakes and in what the candidates learn; candidates that cannot use them (the plain
            map, the discriminant) do not take part. Equal weights are no weights.

        Returns
        -------
        self
        """
        check_choice("choose", self.choose, CHOICES, or_callable=False)
        count_workers(self.n_jobs)  # refuses what is no number of threads before any work
        X = in_numpy(X)
        X = check_table(self, X, accept_sparse="csr", dtype=DTYPES, ensure_min_samples=2)
        check_magnitude(X)
        target = encode_labels(y, unlabeled=self.unlabeled, n_samples=X.shape[0])
        self.classes_ = target.classes
        self.n_components_ = self._count_components(len(target.classes))
        shares = read_class_prior(self.class_prior, target.classes)
        if shares is not None and self.choose == "one":
            raise ValueError(
                "class_prior scales the mixture of all candidates, but got choose='one': pass"
                " choose='all' or no class_prior."
            )
        weight = labeled_weights(sample_weight, self.class_weight, X, target)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        with Progress("search", 1.0) as progress:
            self._fit_checked(X, target, shares, seed, weight, progress)
        return self

    def _fit_checked(
        self,
        X: Any,
        target: PartialLabels,
        shares: Floats | None,
        seed: int,
        weight: Floats | None,
        progress: Progress,
    ) -> None:
        searched = choice_rows(target, seed)
        share = 1 / (1.1 + X.shape[0] / _ROWS_LIKE_THE_SEARCH)  # of the time, about
        benches, board = self._search(X, target, searched, seed, weight, progress, share)
        is_whole = len(searched) == X.shape[0]
        refits = Refits(
            board,
            benches,
            X,
            target,
            seed,
            is_whole=is_whole,
            weight=weight,
            unlabeled=self.unlabeled,
            workers=count_workers(self.n_jobs),
            advance=lambda part: progress.advance((1 - share) * part),
        )
        if refits.is_large and not board.is_blind:
            sampled = np.isin(target.labeled, searched)
            board = refits.board = with_all_rows(board, refits.bench, sampled)
        refits.advance(0.3)
        choice = self._chosen(board, target, is_large=refits.is_large)
        self.loo_rows_ = searched[target.is_labeled[searched]]
        self._keep_results(board, choice)
        self.best_estimator_, Y = choice.fit(refits, shares)
        if hasattr(self, "feature_names_in_"):
            name_columns(self.best_estimator_, self.feature_names_in_)
        self.best_params_ = params_of(self.best_estimator())
        self.neighbor_recall_ = refits.neighbor_recall
        self.limits_hit_ = _limits_hit(self.map_, X, target)
        Y[target.is_labeled] = target.one_hot()
        self.label_distributions_ = Y
        self.transduction_ = self.classes_[Y.argmax(axis=1)]
        refits.advance(0.4)

    def _chosen(
        self, board: Scoreboard, target: PartialLabels, *, is_large: bool
    ) -> Winner | Consensus:
        """Return the mixture or the winner, of the labeled rows alone if the others hurt."""

        def choice_of(alone: bool) -> Winner | Consensus:
            if self.choose == "one":
                return Winner(board, alone=alone)
            return Consensus(board, alone=alone, is_large=is_large)

        choice = choice_of(alone=False)
        self.comparison_ = None
        if target.is_labeled.all() or board.is_blind:
            return choice
        rows = board.judged
        self.comparison_ = compare_left_out(
            ~choice.nested_wrong[rows],
            ~choice.alone_wrong[rows],
            choice.loss_gain[rows],
            len(target.classes),
        )
        return choice_of(alone=True) if self.comparison_.verdict == "hurts" else choice

    def candidates(self, X: Any) -> list[Candidate]:
        """Return the candidates for checked rows; a subclass may omit some."""
        return family(X, len(self.classes_))

    def _search(
        self,
        X: Any,
        target: PartialLabels,
        rows: Ints,
        seed: int,
        weight: Floats | None,
        progress: Progress,
        share: float,
    ) -> tuple[dict[Space, Bench], Scoreboard]:
        part = target.of_rows(rows)
        some = X if len(rows) == X.shape[0] else X[rows]
        if weight is not None:
            weight = weight[np.isin(target.labeled, rows)]
        candidates = self.candidates(X)
        if weight is not None:
            candidates = [one for one in candidates if one.takes_weights]
        groups: dict[Any, list[Candidate]] = {}
        for candidate in candidates:  # candidates of one kind and space share factorizations
            groups.setdefault((type(candidate), candidate.space), []).append(candidate)
        with quiet_learners:
            benches: dict[Space, Bench] = {}
            spaces = {candidate.space for candidate in candidates}
            # Small products of NumPy's BLAS and of SciPy's in turns: their threads would wait.
            with one_blas_thread():
                for space in sorted(spaces, key=lambda space: -(space.n_principal or 0)):
                    known = leading_of(space, benches)
                    benches[space] = Bench(space, some, part, seed, weight, steps=known)
            found: dict[Candidate, Floats] = {}
            # The longest first: at the end no thread is left alone with one of them.
            longest_first = sorted(groups, key=lambda key: -key[0].effort * len(groups[key]))
            scored = in_order(
                lambda key: dict(key[0].loo_scores(benches[key[1]], groups[key])),
                longest_first,
                workers=count_workers(self.n_jobs),
                ahead=len(groups),
            )
            with closing(scored):
                for some_scores in scored:
                    found |= some_scores
                    progress.advance(share * len(some_scores) / len(candidates))
        scores = [found[candidate] for candidate in candidates]
        codes = part.codes[part.is_labeled]
        weight = np.ones(len(codes)) if weight is None else weight
        return benches, Scoreboard(candidates, scores, codes, weight)

    def _keep_results(self, board: Scoreboard, choice: Winner | Consensus) -> None:
        self.loo_probabilities_, self.loo_codes_ = choice.loo_probabilities, board.codes
        claims = not board.is_blind
        self.loo_error_ = float(board.mean(choice.wrong)) if claims else None
        self.nested_error_ = float(board.mean(choice.nested_wrong)) if claims else None
        self.labeled_only_error_ = float(board.mean(choice.alone_wrong)) if claims else None
        self.score_board_ = board.compared(
            {"SSRLPLCV": choice.nested_wrong, "labeled rows only": choice.alone_wrong}
        )
        self.cv_results_ = board.results(choice.weights)
        self.uses_unlabeled_ = bool(board.uses_unlabeled[choice.weights > 0].any())
        self.n_single_ = int(np.count_nonzero(~board.judged))
        self._choice = choice.words()

    def _count_components(self, n_classes: int) -> int:
        if self.n_components is None:
            return n_classes - 1
        if check_count("n_components", self.n_components) >= n_classes:
            raise ValueError(
                f"n_components must be an int in [1, n_classes - 1]. Got {self.n_components} with"
                f" {n_classes} classes: labels determine no more; for further directions use"
                " SSRLPL or KernelSSRLPL."
            )
        return self.n_components


def name_columns(fitted: Any, names: Array) -> None:
    """Tell a fitted estimator, and the part of it that sees rows first, the names of columns."""
    if isinstance(fitted, MixtureClassifier):
        fitted.feature_names_in_ = names
        for part in (fitted.reader_, *fitted.others_):
            name_columns(part, names)
        return
    fitted = fitted[0] if isinstance(fitted, Pipeline) else fitted
    for part in (fitted, getattr(fitted, "representation_", None)):
        if part is not None:
            part.feature_names_in_ = names


def _limits_hit(map_: Any, X: Any, target: PartialLabels) -> tuple[str, ...]:
    """Return the size limits that a search of the table exceeds, or its map."""
    n_rows, n_columns = X.shape
    n_labeled, n_classes = target.n_labeled, len(target.classes)
    return limits.hit(
        map_,
        MEDIAN_ROWS=n_rows,
        SEARCH_ROWS=n_rows,
        SEARCH_LABELED=n_labeled,
        MAP_CHOICE_ROWS=n_rows,
        MAP_ROWS=n_rows,
        DISCRIMINANT_COLUMNS=n_columns,
        RANKED_COLUMNS=n_columns,
        LOGISTIC_COEFFICIENTS=(min(n_labeled, n_columns) + 1) * n_classes,
        PAIRWISE_CLASSES=n_classes,
        FEWER_CANDIDATES_CLASSES=n_classes,
        LEAST_SQUARES_LABELED=n_labeled,
        EXACT_NEIGHBOR_ROWS=0 if hasattr(X, "tocsr") else n_rows,
    )
