"""The linear map on all of MNIST against the machine's limit, PCA and UMAP."""

from sklearn.decomposition import PCA

from ssrlpl import SSRLPL, KNNLabeler
from ssrlpl._utils.printing import Table

from .tools import GivenLabels, mnist, mnist_part, seconds


def parts_of_the_fit() -> Table:
    """Labeling beside the bare product X·X_labeledᵀ, the map beside PCA(9)."""
    X, y, _ = mnist_part(len(mnist()[0]), 1000)
    anchors = X[y >= 0]
    Y = KNNLabeler().fit(X, y).label_distributions_
    bare = seconds(lambda: X @ anchors.T)
    label = seconds(lambda: KNNLabeler().fit(X, y))
    alone = seconds(lambda: SSRLPL(labeler=GivenLabels(Y)).fit(X, y))
    whole = seconds(lambda: SSRLPL().fit(X, y))
    pca = seconds(lambda: PCA(9).fit(X), repeat=1)
    rows = (
        ("bare product X·X_labeledᵀ", bare, ""),
        (
            "labeling (KNNLabeler)",
            label,
            f"{label / bare:.2f} × the bare product (goal: at most 3)",
        ),
        ("map, labels given", alone, f"{pca / alone:.1f} × faster than PCA (goal: faster)"),
        ("PCA(9), scikit-learn", pca, ""),
        ("whole fit", whole, ""),
    )
    return Table((f"{len(X):,}×784, 1,000 labels, float32", "seconds", ""), rows)


def against_umap(n=10_000) -> Table:
    """Time of a fit per row beside umap-learn's semi-supervised fit, compiled beforehand."""
    import umap

    X, y, _ = mnist_part(n, 1000)
    umap.UMAP().fit(X[:2000], y=y[:2000])  # compiles
    peer = seconds(lambda: umap.UMAP().fit(X, y=y), repeat=1) / n
    whole_X, whole_y, _ = mnist_part(len(mnist()[0]), 1000)
    ours = seconds(lambda: SSRLPL().fit(whole_X, whole_y)) / len(whole_X)
    rows = (
        ("umap-learn, semi-supervised, 10,000 rows", 1e6 * peer, 1.0),
        (f"SSRLPL, {len(whole_X):,} rows", 1e6 * ours, peer / ours),
    )
    return Table(("", "µs a row", "times faster (goal: 50)"), rows)
