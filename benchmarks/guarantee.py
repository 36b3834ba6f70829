"""What a certificate costs."""

from ssrlpl import KernelSSRLPL, certify
from ssrlpl._utils.printing import Table

from .tools import mnist_part, seconds


def cost(n=10_000) -> Table:
    """Certificates of MNIST-10K with 1,000 labels beside one kernel fit."""
    X, y, _ = mnist_part(n, 1000)
    fit = seconds(lambda: KernelSSRLPL().fit(X, y))
    rows = [("kernel fit", fit, 1.0)]
    for method in ("calibration", "loo"):
        spent = seconds(lambda method=method: certify(KernelSSRLPL(), X, y, method=method), 2)
        rows.append((f'certify, "{method}"', spent, spent / fit))
    columns = (f"n = {n:,}, float32", "seconds", "times the fit (goal: at most 3)")
    return Table(columns, tuple(rows))
