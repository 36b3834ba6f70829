"""The kernel map against the paper's eigenproblem and against bare matrix products."""

import numpy as np
from scipy import linalg
from sklearn.metrics.pairwise import rbf_kernel

from ssrlpl import KernelSSRLPL
from ssrlpl._core.blocks import row_slices
from ssrlpl._core.gram import gram_block_rows
from ssrlpl._core.table import Table

from .tools import GivenLabels, mnist_part, peak_megabytes, seconds, usps_part


def against_the_papers_eigenproblem(sizes=(1000, 2000, 4000)) -> Table:
    """Kernel map beside scipy.linalg.eigh(Q, K): USPS (256 pixels), Y and γ given to both.

    Both compute K from the rows. The eigenproblem needs float64, K is all but singular; the map
    does not, so it is shown in float32 too, with the largest difference of the representation
    (whose columns have unit variance) from the one in float64. The top C-1 pairs are cheaper for
    LAPACK than all of them.
    """
    rows = []
    for n in sizes:
        X, y = usps_part(n, n // 10)
        fitted = KernelSSRLPL().fit(X, y)
        map_ = KernelSSRLPL(gamma=fitted.gamma_, labeler=GivenLabels(fitted.label_distributions_))
        small = X.astype(np.float32)
        in_64 = seconds(lambda map_=map_, X=X, y=y: map_.fit(X, y), repeat=5)
        in_32 = seconds(lambda map_=map_, X=small, y=y: map_.fit(X, y), repeat=5)
        top = seconds(lambda X=X, f=fitted: _generalized(X, f, top_only=True), repeat=1)
        everything = seconds(lambda X=X, f=fitted: _generalized(X, f, top_only=False), repeat=1)
        off = _largest_difference(map_.fit_transform(X, y), map_.fit_transform(small, y))
        rows.append((n, top, everything, in_64, top / in_64, in_32, top / in_32, f"{off:.0e}"))
    columns = (
        "n",
        "top C-1 pairs, s",
        "all pairs, s",
        "ours in float64, s",
        "times (goal at 4,000: 50)",
        "ours in float32, s",
        "times",
        "float32 differs by",
    )
    return Table(columns, tuple(rows))


def _largest_difference(Z, other):
    scale = Z.std(axis=0)
    return np.abs(Z / scale - other / scale).max()


def _generalized(X, fitted, *, top_only):
    n, p = len(X), fitted.n_components_
    # The jitter keeps K positive definite in floating point; without it eigh refuses.
    K = rbf_kernel(X, gamma=fitted.gamma_) + 1e-10 * np.eye(n)
    B = fitted.label_distributions_ - fitted.label_distributions_.mean(axis=0)
    KB = K @ B
    subset = [n - p, n - 1] if top_only else None
    return linalg.eigh(KB @ KB.T, K, subset_by_index=subset)[0][::-1]


def against_bare_products(n=20_000) -> Table:
    """Kernel fit beside the products X_i X_jᵀ of the same blocks, float32."""
    X, y, _ = mnist_part(n, 1000)
    ours = seconds(lambda: KernelSSRLPL().fit(X, y))
    bare = seconds(lambda: _bare_products(X))
    peak = peak_megabytes(lambda: KernelSSRLPL().fit(X, y))
    announced = KernelSSRLPL().estimate_memory(*X.shape, 10, dtype=X.dtype) / 1e6
    rows = (
        ("kernel fit, s", ours),
        ("bare block products, s", bare),
        ("ratio (goal: at most 1.6)", ours / bare),
        ("peak memory above X, MB (goal: below 300)", peak),
        ("announced by estimate_memory, MB", announced),
        ("K itself would be, MB", n * n * 4 / 1e6),
    )
    return Table((f"n = {n:,}, d = 784, C = 10, 1,000 labels, float32", ""), rows)


def _bare_products(X):
    slices = list(row_slices(len(X), gram_block_rows(X.itemsize)))
    for i, rows in enumerate(slices):
        for columns in slices[i:]:
            X[rows] @ X[columns].T


def growth(sizes=(10_000, 20_000, 40_000)) -> Table:
    """Time of the kernel fit against n; quadratic means four times for twice the rows."""
    rows, before = [], None
    for n in sizes:
        X, y, _ = mnist_part(n, 1000)
        spent = seconds(lambda X=X, y=y: KernelSSRLPL().fit(X, y), repeat=2)
        rows.append((n, spent, "-" if before is None else spent / before))
        before = spent
    return Table(("n", "kernel fit, s", "times the row above (quadratic: 4)"), tuple(rows))


def completion(n=20_000) -> Table:
    """Three components more than the labels determine, without ever storing K."""
    X, y, _ = mnist_part(n, 1000)
    plain = seconds(lambda: KernelSSRLPL().fit(X, y), repeat=1)
    more = seconds(lambda: KernelSSRLPL(12).fit(X, y), repeat=1)
    columns = (f"n = {n:,}, float32", "seconds", "times the plain fit")
    return Table(columns, (("p = 9", plain, 1.0), ("p = 12", more, more / plain)))
