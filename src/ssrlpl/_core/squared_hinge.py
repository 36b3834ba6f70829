r"""The squared hinge loss: its exact line search, and the machine of a given kernel matrix.

With a kernel matrix G of the labeled rows and labels :math:`y_i = \pm 1`:

.. math::

    \min_{c, b} \tfrac12 \sum_i \max(0, 1 - y_i f_i)^2 + \tfrac12 c^\top G c,
    \qquad f = G c + b

At the minimum :math:`c_i = y_i - f_i` on the rows with :math:`y_i f_i < 1` (the active rows) and
zero elsewhere, so that :math:`(G_{EE} + I) c_E = y_E - b` and, with an intercept,
:math:`1^\top c = 0`.
"""

from __future__ import annotations

import numpy as np

from .._utils.types import Floats
from .cholesky import positive_solver

_MAX_STEPS = 1000
"""In exact arithmetic the steps end by themselves; rounding errors must not make them cycle."""


def exact_step(slope: Floats, curvature: Floats, margins: Floats, changes: Floats) -> Floats:
    r"""Return the step t ≥ 0 that minimizes each column's convex, piecewise quadratic function.

    .. math:: \phi(t) = a t + \tfrac12 c t^2 + \tfrac12 \sum_i \max(0, m_i + t s_i)^2

    with slope a and curvature c for each column, margins m and their changes s for each labeled
    row and column. The derivative is linear between the break points :math:`-m_i / s_i`: one sort
    and two running sums give its zero.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        times = -margins / changes
    ahead = times > 0  # False for NaN, which is 0/0: such a row never counts
    times = np.where(ahead & np.isfinite(times), times, np.inf)
    first = (margins > 0) | ((margins == 0) & (changes > 0))
    order = np.argsort(times, axis=0, kind="stable")
    # A row whose hinge opens enters the sums at its break point, the others leave them.
    sign = np.where(np.isfinite(times), np.sign(changes), 0)

    def running(start: Floats, terms: Floats) -> Floats:
        sums = np.cumsum(np.take_along_axis(sign * terms, order, axis=0), axis=0)
        begin = start + np.sum(np.where(first, terms, 0), axis=0)
        return np.vstack([begin, begin + sums])

    slopes, curvatures = running(slope, margins * changes), running(curvature, changes**2)
    zeros = np.divide(-slopes, curvatures, out=np.zeros_like(slopes), where=curvatures > 0)
    ends = np.vstack([np.take_along_axis(times, order, axis=0), np.full(len(slope), np.inf)])
    begins = np.vstack([np.zeros(len(slope)), ends[:-1]])
    piece = np.argmax(zeros <= ends, axis=0)
    columns = np.arange(len(slope))
    # A zero before its piece is a rounding error at a break point.
    return np.asarray(np.maximum(zeros[piece, columns], begins[piece, columns]))


def squared_error_machine(G: Floats, Y: Floats, *, intercept: bool) -> tuple[Floats, Floats]:
    """Return c and b of the machine with all rows active; Y has one column for each problem."""
    solve = positive_solver(G + np.eye(len(G)))
    c = solve(Y)
    if not intercept:
        return c, np.zeros(Y.shape[1])
    ones = solve(np.ones(len(G)))
    b = c.sum(axis=0) / ones.sum()
    return c - np.outer(ones, b), b


def squared_hinge_machine(G: Floats, y: Floats, *, intercept: bool) -> tuple[Floats, float, int]:
    """Return c, b and the number of Newton steps for one column of labels ±1.

    Each step solves the system of the rows that are active now. If these are the active rows of
    the solution, it is the minimum; otherwise an exact line search makes sure that the steps end.
    """
    c, b = np.zeros(len(y)), 0.0
    values = np.zeros(len(y))
    for count in range(1, _MAX_STEPS + 1):
        rows = np.flatnonzero(y * values < 1)
        part, shift = squared_error_machine(
            G[np.ix_(rows, rows)], y[rows, None], intercept=intercept
        )
        aim, aim_b = np.zeros(len(y)), float(shift[0])
        aim[rows] = part[:, 0]
        reached = G @ aim + aim_b
        if np.array_equal(np.flatnonzero(y * reached < 1), rows):
            return aim, aim_b, count
        way, change = aim - c, reached - values
        bent = change - (aim_b - b)  # G (aim - c)
        slope, curvature = c @ bent, way @ bent
        step = exact_step(
            np.array([slope]),
            np.array([curvature]),
            (1 - y * values)[:, None],
            (-y * change)[:, None],
        )[0]
        c, b, values = c + step * way, b + step * (aim_b - b), values + step * change
    return c, b, _MAX_STEPS
