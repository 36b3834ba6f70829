r"""Bounds on the loss of the objective due to unknown labels, one function for each term.

Notation: :math:`A(Y) = X^\top H Y/(n-1)`, so that :math:`f_X(V, Y) = \|V^\top A(Y)\|_F^2`. Y is the
matrix of true labels and Y_p that of the label vectors that were used;
:math:`\epsilon = A(Y) - A(Y_p)`. V† is the best map for Y_p and V* the best map for Y; P† is the
orthogonal projection onto the span of V†, and :math:`f^* = f(V^*, Y)`,
:math:`f^\dagger = f(V^\dagger, Y)`.
"""

from __future__ import annotations

import numpy as np

from .._utils.types import Floats


def theorem_bound(
    n: int, n_unlabeled: int, error_rate: float, *, largest_norm: float = 1.0
) -> float:
    r"""Return the bound of the paper's Theorem 3 on :math:`\sqrt{f^*} - \sqrt{f^\dagger}`.

    .. math:: \frac{2(2+\sqrt2)\,u}{n-1} P_e^{WTA}

    The paper assumes data in the unit ball. For data of norm up to ``largest_norm`` both sides of
    the inequality are multiplied by it.

    Examples
    --------
    >>> from ssrlpl.guarantee import theorem_bound
    >>> round(float(theorem_bound(1000, 900, error_rate=0.1)), 3)
    0.615
    """
    return largest_norm * 2 * (2 + np.sqrt(2)) * n_unlabeled / (n - 1) * error_rate


def label_mean_bound(n: int, n_unlabeled: int, error_rate: float) -> float:
    r"""Return the appendix's bound :math:`\|\bar Y_n - \bar Y_p\| \le \sqrt2\,(u/n) P_e`.

    Examples
    --------
    >>> from ssrlpl.guarantee import label_mean_bound
    >>> round(label_mean_bound(1000, 900, error_rate=0.1), 3)
    0.127
    """
    return float(np.sqrt(2) * n_unlabeled / n * error_rate)


def cross_mean_bound(n: int, n_unlabeled: int, error_rate: float) -> float:
    r"""Return the appendix's :math:`\|\overline{XY_n} - \overline{XY_p}\|_F \le 2(u/n)P_e`.

    Examples
    --------
    >>> from ssrlpl.guarantee import cross_mean_bound
    >>> round(cross_mean_bound(1000, 900, error_rate=0.1), 3)
    0.18
    """
    return 2 * n_unlabeled / n * error_rate


def nearest_neighbor_bound(bayes_error: float, n_classes: int, penalty: float = 0.0) -> float:
    r"""Return the appendix's :math:`2P^* - \frac{C}{C-1}P^{*2} + \delta`, a bound for 1-NN.

    ``bayes_error`` is the error of the Bayes classifier, ``penalty`` the δ(m) that tends to zero
    as the number m of labeled rows grows; the paper gives no formula for it.

    Examples
    --------
    >>> from ssrlpl.guarantee import nearest_neighbor_bound
    >>> round(nearest_neighbor_bound(0.1, n_classes=2), 3)
    0.18
    """
    return 2 * bayes_error - n_classes / (n_classes - 1) * bayes_error**2 + penalty


def lemma_objective(V: Floats, X: Floats, Y: Floats) -> float:
    r"""Return :math:`f_X(V, Y)` in the form of the paper's Lemma 1.

    .. math:: \frac{n^2}{(n-1)^2} \|V^\top(\overline{XY} - \bar X\bar Y)\|_F^2

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl.guarantee import lemma_objective
    >>> X, Y = np.array([[0.0], [2.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> lemma_objective(np.eye(1), X, Y)  # |XᵀHY|² = |(-1, 1)|²
    2.0
    """
    n = len(X)
    spread = X.T @ Y / n - np.outer(X.mean(axis=0), Y.mean(axis=0))
    return float((n / (n - 1)) ** 2 * np.sum((V.T @ spread) ** 2))


def generalization_term(
    n: int, delta: float, *, largest_norm: float = 1.0, largest_label_norm: float = 1.0
) -> float:
    r"""Return an upper bound on the difference of :math:`\sqrt{f}` of a sample and the population.

    For independent rows, with probability at least 1-δ and for all maps V at once,

    .. math:: |\sqrt{f_n(V)} - \sqrt{f_\infty(V)}| \le
              \frac{n}{n-1}\, 3bc\, \frac{1 + \sqrt{2\log(3/\delta)}}{\sqrt n}
              + \frac{bc}{n-1}

    with :math:`\|x\| \le b` and :math:`\|y\| \le c`. *Proof.* By Lemma 1 the left side is at most
    the norm of the error of :math:`\overline{XY} - \bar X\bar Y`, up to the factor n/(n-1), which
    gives the last term because the limit has norm at most bc. The error is at most that of
    :math:`\overline{XY}`, plus c times that of x̄, plus b times that of ȳ. Each is the error of a
    mean of n independent vectors of norm at most B; its norm has expectation at most B/√n and
    exceeds it by more than :math:`B\sqrt{2\log(3/\delta)/n}` with probability at most δ/3 (bounded
    differences). This is the O(1/√n) of the paper's remark after Theorem 3, with its constants.

    Examples
    --------
    >>> from ssrlpl.guarantee import generalization_term
    >>> bool(generalization_term(10_000, 0.05) < generalization_term(1_000, 0.05))
    True
    """
    bc = largest_norm * largest_label_norm
    one_mean = bc * (1 + np.sqrt(2 * np.log(3 / delta))) / np.sqrt(n)
    return float(n / (n - 1) * 3 * one_mean + bc / (n - 1))


def first_order_bound(epsilon: float) -> float:
    r"""Return :math:`2\|\epsilon\|`, a bound on :math:`\sqrt{f^*} - \sqrt{f^\dagger}`.

    *Proof.* :math:`\sqrt{f(V, \cdot)}` is a seminorm of A and 1-Lipschitz for orthonormal V:
    :math:`\sqrt{f^*} \le \sqrt{f(V^*, Y_p)} + \|\epsilon\| \le \sqrt{f(V^\dagger, Y_p)} +
    \|\epsilon\| \le \sqrt{f^\dagger} + 2\|\epsilon\|`, since V† is the best map for Y_p. The
    paper's proof then bounds ε by two more triangle inequalities.

    Examples
    --------
    >>> from ssrlpl.guarantee import first_order_bound
    >>> first_order_bound(0.05)
    0.1
    """
    return 2 * epsilon


def epsilon_by_row_norms(centered_norms: Floats, label_errors: Floats) -> float:
    r"""Return :math:`\frac1{n-1}\sum_i \|x_i - \bar x\|\|e_i\| \ge \|\epsilon\|`, errors e.

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl.guarantee import epsilon_by_row_norms
    >>> epsilon_by_row_norms(np.array([1.0, 2.0, 2.0]), np.array([0.0, 0.0, 1.0]))
    1.0
    """
    return float(np.sum(centered_norms * label_errors) / (len(centered_norms) - 1))


def epsilon_by_singular_value(top_singular_value: float, label_errors: Floats) -> float:
    r"""Return :math:`\sigma_{max}(HX)\,\|E\|_F/(n-1) \ge \|\epsilon\|_F`, errors E.

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl.guarantee import epsilon_by_singular_value
    >>> epsilon_by_singular_value(3.0, np.array([0.0, 0.0, 1.0]))
    1.5
    """
    return float(top_singular_value * np.linalg.norm(label_errors) / (len(label_errors) - 1))


def second_order_gap(residual_epsilon: float) -> float:
    r"""Return :math:`\|(I-P^\dagger)\epsilon\|^2`, a bound on :math:`f^*-f^\dagger` for p ≥ C-1.

    *Proof.* f* is at most :math:`\|A(Y)\|^2` and :math:`f^\dagger = \|P^\dagger A(Y)\|^2`, so the
    difference is at most :math:`\|(I-P^\dagger)A(Y)\|^2`. The span of a map of p ≥ C-1 components
    contains the columns of A(Y_p), so :math:`(I-P^\dagger)A(Y_p) = 0` and only ε remains. With C-1
    or more components V* spans A(Y), so the first step is an equality.

    Examples
    --------
    >>> from ssrlpl.guarantee import second_order_gap
    >>> round(second_order_gap(0.1), 3)
    0.01
    """
    return residual_epsilon**2


def retained_from_second_order(objective_root: float, residual: float) -> float:
    r"""Return the lower bound on f†/f* from :math:`\sqrt{f^\dagger} \ge a` and ‖(I-P†)ε‖ ≤ g.

    f†/f* = f†/(f† + gap) increases with f† and decreases with the gap, so it is at least
    a²/(a² + g²).
    """
    a = max(objective_root, 0.0)
    return a**2 / (a**2 + residual**2) if a > 0 else 0.0


def retained_from_first_order(objective_root: float, epsilon: float) -> float:
    r"""Return the lower bound on f†/f* from ‖ε‖ alone, for any number of components.

    :math:`\sqrt{f^\dagger} \ge \sqrt{f(V^\dagger, Y_p)} - \|\epsilon\|` and
    :math:`\sqrt{f^*} \le \sqrt{f(V^\dagger, Y_p)} + \|\epsilon\|`, see :func:`first_order_bound`.
    """
    low = max(objective_root - epsilon, 0.0)
    return (low / (objective_root + epsilon)) ** 2 if low else 0.0
