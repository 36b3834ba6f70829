"""Large tables: CPU-seconds, peak memory and share of right labels, each fit in its own process."""

import resource
import time
from multiprocessing import get_context

import numpy as np

from ssrlpl._utils.printing import Table

from .tools import mnist

METHODS = ("SSRLPLCV", "LabelSpreading(knn)", "umap-learn, semi-supervised")
MOST_ROWS = {"LabelSpreading(knn)": 200_000, "umap-learn, semi-supervised": 200_000}
"""Above these the others take hours, or more memory than a laptop has."""


def generated(n, d, seed=0):
    """Return n rows of ten classes, three groups each, in d columns of which half carry nothing."""
    rng = np.random.default_rng(seed)
    useful = d // 2
    centers = rng.normal(size=(30, useful)) * 1.1
    group = rng.integers(30, size=n)
    X = rng.normal(size=(n, d)).astype(np.float32)
    X[:, :useful] += centers[group].astype(np.float32)
    return X, group % 10


def one_fit(method, rows, columns, n_labeled):
    """Return CPU-seconds, megabytes above the input, and shares of right labels: old, new rows.

    ``columns`` is None for the images of MNIST. The last tenth of the rows is new.
    """
    X, truth = mnist() if columns is None else generated(rows + rows // 10, columns)
    n = min(rows, len(X) - len(X) // 11)
    rng = np.random.default_rng(0)
    y = np.full(n, -1)
    some = rng.permutation(n)[:n_labeled]
    y[some] = truth[some]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    said, new = _labels_by(method, X[:n], y, X[n:], truth[n:])
    took = time.process_time() - start
    above = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return took, above / 1e3, 100 * np.mean(said[y < 0] == truth[:n][y < 0]), 100 * new


def _labels_by(method, X, y, new, truth):
    if method == "SSRLPLCV":
        from ssrlpl import SSRLPLCV

        model = SSRLPLCV().fit(X, y)
        return model.transduction_, np.mean(model.predict(new) == truth)
    if method.startswith("Label"):
        from sklearn.semi_supervised import LabelSpreading

        model = LabelSpreading(kernel="knn", n_neighbors=10, alpha=0.9, max_iter=100).fit(X, y)
        return model.transduction_, np.mean(model.predict(new) == truth)
    from sklearn.neighbors import KNeighborsClassifier
    from umap import UMAP

    Z = UMAP(n_components=10, random_state=0).fit_transform(X, y)
    nearest = KNeighborsClassifier(5).fit(Z[y >= 0], y[y >= 0])
    return nearest.predict(Z), np.nan  # its transform of new rows takes as long again


def large_tables(
    tables=((70_000, None, 1000), (50_000, 30, 500), (200_000, 50, 1000), (1_000_000, 50, 1000)),
    methods=METHODS,
) -> Table:
    """Fits of large tables in float32; "memory" is the peak above the input."""
    found = []
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for rows, columns, n_labeled in tables:
            name = "MNIST" if columns is None else f"{rows:,} × {columns}"
            for method in methods:
                if rows > MOST_ROWS.get(method, np.inf):
                    found.append((name, method, "-", "-", "-", "-"))
                    continue
                took, above, old, new = pool.apply(one_fit, (method, rows, columns, n_labeled))
                new = "-" if np.isnan(new) else round(new, 1)
                line = (name, method, round(took), round(above), round(old, 1), new)
                found.append(line)
    head = ("table", "method", "CPU-seconds", "MB", "right, %", "new rows, %")
    return Table(head, tuple(found))


def growth(columns=50, n_labeled=1000) -> Table:
    """How SSRLPLCV grows from 100,000 to 1,000,000 rows."""
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        small, large = (
            pool.apply(one_fit, ("SSRLPLCV", rows, columns, n_labeled))[0]
            for rows in (100_000, 1_000_000)
        )
    line = (round(small), round(large), round(large / small, 1))
    return Table(("100,000 rows, CPU-seconds", "1,000,000 rows", "ratio"), (line,))
