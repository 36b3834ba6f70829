r"""The transductive support vector machine by gradients, with an annealed weight.

.. math::

    \min_{w, b} \tfrac12 |w|^2 + C \sum_{i \in L} \max(0, 1 - y_i f_i)^2
    + C^* \sum_{i \in U} \exp(-3 f_i^2), \qquad f = Xw + b,

subject to :math:`\frac1u \sum_{i \in U} f_i = \frac1l \sum_{i \in L} y_i` (balance). The constraint
gives :math:`b = \bar y - \bar x_U \cdot w`, so that it holds exactly and w is free. The problem is
not convex: :math:`C^*` grows in steps, and each minimum is the start of the next step. Where C is
large, there are several minima from the first step on, and the start decides which of them is
found: the steps are taken from several starts, and the lowest end is the answer. Starts whose
minima meet go on as one, so an ordinary problem takes little longer than from one start.

It is solved for :math:`v = w/\sqrt C` and features :math:`\sqrt C x`, divided by C: then C is one,
and no tolerance depends on the scale of the data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize

from .._utils.types import Floats, Ints

_SHARPNESS = 3
"""Of exp(-3f²), as in the paper."""

_SHARES = np.geomspace(0.01, 1, 12)[1:]
"""Values of C* as shares of its last value: eleven, as in the authors' program."""

_SLOW_SHARES = np.geomspace(1e-4, 0.01, 12)
"""Smaller values, along which one of the starts is found."""

_SAME = 1e-6
"""Relative difference of two minima below which they are taken for one."""

_OPTIONS = {"maxiter": 5000, "maxfun": 20_000, "ftol": 1e-9, "gtol": 1e-6, "maxcor": 20}


def fit_low_density(
    X: Any, labeled: Ints, Y: Floats, C: float, unlabeled_cost: float, *, balance: bool
) -> tuple[Floats, Floats, Floats]:
    """Return w (columns), b and the objective for each column of labels ±1; X may be sparse.

    ``unlabeled_cost`` is C*/C. Without ``balance``, and without unlabeled rows, b is free.
    """
    others = np.setdiff1d(np.arange(X.shape[0]), labeled)
    near, far = X[labeled] * np.sqrt(C), X[others] * np.sqrt(C)
    fixed = balance and len(others) > 0
    middle = np.asarray(far.mean(axis=0)).ravel() if fixed else np.zeros(X.shape[1])

    def objective(point: Floats, y: Floats, of_unlabeled: float) -> tuple[float, Floats]:
        v = point[:-1]
        b = y.mean() - middle @ v if fixed else point[-1]
        margin = np.maximum(0, 1 - y * (near @ v + b))
        values = far @ v + b
        bump = of_unlabeled * np.exp(-_SHARPNESS * values**2)
        pull = -2 * y * margin
        push = -2 * _SHARPNESS * values * bump
        total = pull.sum() + push.sum()
        gradient = v + near.T @ pull + far.T @ push - total * middle
        value = v @ v / 2 + margin @ margin + bump.sum()
        return float(value), np.append(gradient, 0.0 if fixed else total)

    anneals = unlabeled_cost > 0 and len(others) > 0
    W, b, values = np.zeros((X.shape[1], Y.shape[1])), np.zeros(Y.shape[1]), np.zeros(Y.shape[1])
    for column, y in enumerate(Y.T):

        def solve(start: Floats, share: float, y: Floats = y) -> Any:
            args = (y, share * unlabeled_cost)
            return minimize(objective, start, args, "L-BFGS-B", jac=True, options=_OPTIONS)

        nothing = np.zeros(X.shape[1] + 1)
        found = _annealed(solve, nothing) if anneals else solve(nothing, 1.0)
        point = found.x
        W[:, column], values[column] = np.sqrt(C) * point[:-1], C * found.fun
        b[column] = y.mean() - middle @ point[:-1] if fixed else point[-1]
    return W, b, values


def _annealed(solve: Callable[[Floats, float], Any], nothing: Floats) -> Any:
    """Return the lowest minimum that growing shares of C* lead to.

    ``solve(start, share)`` returns a minimum near a start. The starts are zero, as in the authors'
    program, and the machine of the labeled rows alone; if these two lead to different minima, also
    where very small shares lead from that machine.
    """
    machine = solve(nothing, 0.0).x
    ends = _distinct([solve(start, _SHARES[0]) for start in (nothing, machine)])
    if len(ends) > 1:
        for share in _SLOW_SHARES:
            machine = solve(machine, share).x
        ends.append(solve(machine, _SHARES[0]))
    for share in _SHARES[1:]:
        ends = [solve(end.x, share) for end in _distinct(ends)]
    return min(ends, key=lambda end: float(end.fun))


def _distinct(ends: list[Any]) -> list[Any]:
    """Return the minima without repetitions, lowest first."""
    ends = sorted(ends, key=lambda end: float(end.fun))
    return [
        end
        for place, end in enumerate(ends)
        if place == 0 or end.fun - ends[place - 1].fun > _SAME * abs(end.fun)
    ]


def default_cost(X: Any) -> float:
    """Return one over the sum of the variances of the columns; 1 if all rows are equal."""
    n = X.shape[0]
    mean = np.asarray(X.mean(axis=0)).ravel()
    squares = X.multiply(X).sum() if hasattr(X, "multiply") else np.vdot(X, X)
    variance = float(squares - n * (mean @ mean)) / (n - 1)
    return 1 / variance if variance > 1e-12 * abs(float(squares)) else 1.0
