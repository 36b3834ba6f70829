r"""FISTA (Beck and Teboulle 2009) for quadratic functions with an ℓ1 penalty.

.. math::

    \min_Z\; \tfrac12 \langle Z, \mathcal H Z \rangle - \langle B, Z \rangle
    + \lambda \textstyle\sum |z_{ij}|

with a symmetric linear map :math:`\mathcal H \ge 0`. One application of it is enough for a step:
the point from which a step is taken is a combination of two iterates, and so is its image. For the
same reason the objective costs nothing, and a step that would raise it is taken again without
momentum: the objective cannot rise.

scikit-learn's ``sparse_encode`` solves such problems for :math:`\mathcal H Z = ZG` alone, row by
row: the Fisher term, which joins the rows, is beyond it, and the others take longer there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._utils.types import Floats


def minimize_l1(
    image: Callable[[Floats], Floats],
    linear: Floats,
    penalty: float,
    lipschitz: float,
    start: Floats,
    *,
    max_iter: int,
    tol: float = 1e-4,
    separate: bool = False,
) -> Floats:
    r"""Return Z.

    Parameters
    ----------
    image : callable
        :math:`\mathcal H`.
    linear, start : ndarray of shape (n_rows, n_atoms)
        B, and where to start.
    penalty, lipschitz : float
        λ, and the largest eigenvalue of :math:`\mathcal H`, or more.
    max_iter, tol : int, float
        Stop after so many steps, or when no entry moves by more than this share of the largest.
    separate : bool, default=False
        The rows are problems of their own: momentum and stop are those of a row, and the answer
        does not depend on the rows beside it.

    Examples
    --------
    >>> import numpy as np
    >>> from ssrlpl._core.fista import minimize_l1
    >>> B = np.array([[3.0, -0.5, -2.0]])
    >>> minimize_l1(lambda Z: Z, B, 1.0, 1.0, np.zeros((1, 3)), max_iter=9)
    array([[ 2.,  0., -1.]])
    """
    problem = 1 if separate else None  # the axis of the entries of one problem
    threshold = penalty / lipschitz

    def objective(Z: Floats, HZ: Floats) -> Floats:
        terms = Z * (HZ / 2 - linear) + penalty * np.abs(Z)
        return np.asarray(terms.sum(axis=problem, keepdims=True))

    Z, HZ = start, image(start)
    value = objective(Z, HZ)
    Y, HY, age, done = Z, HZ, np.ones_like(value), np.zeros(value.shape, dtype=bool)
    for _ in range(max_iter):
        step = Y - (HY - linear) / lipschitz
        new = step - np.clip(step, -threshold, threshold)
        image_of_new = image(new)
        value_of_new = objective(new, image_of_new)
        rises = value_of_new > value
        taken = ~rises & ~done
        moved, size = (np.abs(A).max(axis=problem, keepdims=True) for A in (new - Z, new))
        done |= rises & (age == 1)  # by rounding: this is the minimum
        done |= taken & (moved <= tol * size)
        older = 0.5 + np.sqrt(0.25 + age**2)
        momentum = (age - 1) / older
        Y = np.where(taken, new + momentum * (new - Z), Z)
        HY = np.where(taken, image_of_new + momentum * (image_of_new - HZ), HZ)
        Z, HZ = np.where(taken, new, Z), np.where(taken, image_of_new, HZ)
        value, age = np.where(taken, value_of_new, value), np.where(taken, older, 1)
        if done.all():
            break
    return Z


def lasso_codes(gram: Floats, products: Floats, penalty: float, *, max_iter: int) -> Floats:
    r"""Return the codes :math:`\min_z \tfrac12|x - zD|^2 + \lambda|z|_1` of many rows.

    ``gram`` holds the products of the atoms, ``products`` those of rows and atoms.
    """
    largest = max(float(np.linalg.eigvalsh(gram)[-1]), np.finfo(float).tiny)
    start = np.zeros_like(products)
    return minimize_l1(
        lambda Z: Z @ gram, products, penalty, largest, start, max_iter=max_iter, separate=True
    )
