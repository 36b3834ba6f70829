"""Base classes of kernel machines: kernel, decision values, and the deformed kernel."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from .._core.bandwidth import WITH_GAMMA, median_gamma
from .._core.blocks import middle_of
from .._core.kernels import Kernel
from .._core.products import cross_product
from .._core.shared import SharedRows
from .._utils import limits
from .._utils.types import Floats, Ints
from .._utils.validation import check_choice, check_gamma, check_share
from ..labelers._base import Hidden
from ..labels import PartialLabels
from ._base import GroupedBaseline, MarginBaseline

KERNELS = ("rbf", "laplacian", "linear", "cosine")


def one_vs_rest(target: PartialLabels) -> Floats:
    """Return labels ±1 of the labeled rows: a column for each class, one column for two classes."""
    Y = 2 * target.one_hot() - 1
    return Y[:, 1:] if Y.shape[1] == 2 else Y


def one_column(values: Floats) -> Floats:
    """Return decision values in the shape of ``decision_function``."""
    return values[:, 0] if values.shape[1] == 1 else values


def both_classes(values: Floats) -> Floats:
    """Return a score for each class, if there is one column of values for two classes."""
    return np.hstack([-values, values]) if values.shape[1] == 1 else values


def one_or_each(values: Floats) -> Any:
    """Return the only entry as a float (two classes), or all entries (one for each class)."""
    return float(values[0]) if len(values) == 1 else values


class KernelMachine(MarginBaseline):
    """A baseline whose decision values are sums of kernel functions of the training rows."""

    kernel: str
    gamma: str | float
    sharpness: float
    X_fit_: Any
    dual_coef_: Floats
    intercept_: Floats

    def _start(self, X: Any) -> None:
        """Check the kernel and keep it; the coefficients are left to the caller."""
        check_choice("kernel", self.kernel, KERNELS, or_callable=False)
        check_gamma(self.gamma)
        check_share("sharpness", self.sharpness, high=np.inf)
        fixed = not isinstance(self.gamma, str)
        gamma = float(self.gamma) if fixed else median_gamma(X, self.kernel)
        self.gamma_ = self.sharpness * gamma
        no_median = fixed or self.kernel not in WITH_GAMMA
        self.limits_hit_ = limits.hit(MEDIAN_ROWS=0 if no_median else X.shape[0])
        shift = middle_of(X) if self.kernel == "rbf" else None
        self._kernel = Kernel(self.kernel, self.gamma_, shift=shift)

    def _decide(self, X: Any) -> Floats:
        found = cross_product(self._kernel, X, self.X_fit_, self.dual_coef_)
        return one_column(np.asarray(found, dtype=np.float64) + self.intercept_)


@dataclass(frozen=True)
class Deformed:
    """A machine on all rows, written as a machine on the labeled rows.

    With c the coefficients of the labeled rows, the coefficients of all rows are ``spread @ c``,
    the intercept is ``offset @ c`` plus that of the machine, and the values of the labeled rows
    are ``kernel @ c`` plus the same.
    """

    spread: Floats
    kernel: Floats
    offset: Floats


class DeformedMachine(GroupedBaseline, KernelMachine):
    """A machine that all rows enter through a deformed kernel of the labeled rows.

    Labels do not enter the deformed kernel. So a label is left out by dropping a row and a column
    of a small matrix, and leave-one-out costs little more than one fit.
    """

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise if a setting is wrong."""

    @abstractmethod
    def _deform(self, shared: SharedRows, labeled: Ints) -> Deformed:
        """Return the deformed kernel of the labeled rows."""

    @abstractmethod
    def _machine(self, G: Floats, Y: Floats) -> tuple[Floats, Floats]:
        """Return coefficients and intercepts, one column for each column of labels ±1."""

    def fit_checked(self, X: Any, target: PartialLabels, shared: SharedRows | None = None) -> Any:
        """Check the settings, then fit to checked rows and a decoded target.

        ``shared`` caches what other fits have computed from the same rows.
        """
        self._check_parameters()
        self.n_features_in_, self.classes_ = X.shape[1], target.classes
        self._start(X)
        self.X_fit_ = X
        self._solve(SharedRows(X) if shared is None else shared, target)
        return self

    def _solve(self, shared: SharedRows, target: PartialLabels) -> None:
        found, Y = self._deform(shared, target.labeled), one_vs_rest(target)
        c, b = self._machine(found.kernel, Y)
        self.dual_coef_, self.intercept_ = found.spread @ c, found.offset @ c + b
        image = found.kernel @ c
        self._report(image + b, np.sum(c * image, axis=0), Y)

    def _report(self, values: Floats, penalty: Floats, Y: Floats) -> None:
        """Store what is known at the solution: values of the labeled rows, and their cᵀGc."""

    def _kernel_key(self) -> tuple[str, float]:
        return self.kernel, self.gamma_

    def _kernel_matrix(self, shared: SharedRows) -> Floats:
        """Return K(X, X) in double precision; refuse tables for which it would be too large."""
        X = shared.X
        if X.shape[0] > limits.KERNEL_MEMORY_ROWS:
            raise ValueError(
                f"{type(self).__name__} keeps two matrices of all pairs of rows and takes at most"
                f" {limits.KERNEL_MEMORY_ROWS:,} rows. Got {X.shape[0]:,}: pass fewer unlabeled"
                " rows, or use LapSVMPrimal(solver='cg')."
            )
        return shared.once(
            ("kernel", self._kernel_key()),
            lambda: np.asarray(self._kernel.square(X.astype(np.float64, copy=False))),
            8 * X.shape[0] ** 2,
        )

    def _left_out(
        self, X: Any, target: PartialLabels, groups: Hidden, shared: SharedRows | None
    ) -> Floats:
        fresh = clone(self)
        fresh._check_parameters()
        fresh._start(X)
        rows = SharedRows(X) if shared is None else shared
        G = fresh._deform(rows, target.labeled).kernel
        codes = target.codes[target.labeled]
        scores = np.full((len(G), len(target.classes)), -np.inf)
        hidden = [np.searchsorted(target.labeled, group) for group in groups]
        if self._linear:
            # With c = My the value of row i without its label is y_i - c_i/M_ii.
            Y, M = one_vs_rest(target), fresh._machine(G, np.eye(len(G)))[0]
            values = Y - fresh._machine(G, Y)[0] / np.diag(M)[:, None]
            scores[:] = both_classes(values)
            single = np.bincount(codes)[codes] == 1  # a class disappears
            scores[single], hidden = -np.inf, [part for part in hidden if single[part[0]]]
        for part in hidden:
            rest = np.delete(np.arange(len(G)), part)
            left = np.unique(codes[rest])
            if len(left) == 1:
                scores[part, left] = 0
                continue
            Y = np.where(codes[rest, None] == left, 1.0, -1.0)
            c, b = fresh._machine(G[np.ix_(rest, rest)], Y[:, 1:] if len(left) == 2 else Y)
            scores[np.ix_(part, left)] = both_classes(G[np.ix_(part, rest)] @ c + b)
        return scores
