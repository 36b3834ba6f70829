"""
Labels that were not drawn at random
====================================

People label what is easy, or one class first. Such labels may teach, but they must not audit: they
make a model look better than it is. Rows drawn at random for the audit alone repair it.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from ssrlpl import GraphLabeler, GuaranteeWarning
from ssrlpl.guarantee import certify_labels

X, truth = load_digits(return_X_y=True)

# The easy rows: those nearest to the mean of their class.
means = np.array([X[truth == label].mean(axis=0) for label in range(10)])
easy = np.argsort(np.linalg.norm(X - means[truth], axis=1))[:400]
y = np.full(len(X), -1)
y[easy] = truth[easy]

# %%
# First mistake: all labels are easy ones, and some of them audit. A test notices that they are not
# like the other rows, and nothing is certified; the estimate is still there to be misread.

with warnings.catch_warnings():
    warnings.simplefilter("ignore", GuaranteeWarning)
    fooled = [certify_labels(GraphLabeler(), X, y, random_state=seed) for seed in range(10)]
print(fooled[0].summary())

# %%
# Repaired: the easy ones teach, 150 rows drawn at random from the others audit.


def audited(seed):
    """Return the certificate of one draw of the rows that audit."""
    others = np.flatnonzero(y < 0)
    drawn = np.random.default_rng(seed).choice(others, 150, replace=False)
    audit = np.isin(np.arange(len(X)), drawn)
    return certify_labels(GraphLabeler(), X, np.where(audit, truth, y), audit=audit)


sound = [audited(seed) for seed in range(10)]
print(sound[0].summary())

# %%
# Ten draws of each:

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
cases = {"easy labels audit": fooled, "random labels audit": sound}
for ax, (name, certificates) in zip(axes, cases.items(), strict=True):
    draws = np.arange(1, 11)
    wrong = [np.mean(found.labels != truth[found.rows]) for found in certificates]
    ax.plot(draws, wrong, "x", color="#D55E00", label="truly wrong")
    ax.plot(draws, [c.error_estimate for c in certificates], "o", color="#0072B2", label="estimate")
    bounds = [np.nan if c.cannot else c.error_upper for c in certificates]
    ax.plot(draws, bounds, "_", color="black", ms=14, mew=2, label="certified: at most")
    ax.set(title=name, xlabel="draw", xticks=draws, ylim=(-0.01, None))
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
axes[0].set_ylabel("share of wrong labels")
axes[0].text(5.5, 0.06, "nothing is certified", ha="center")
axes[1].legend(loc="lower right")
