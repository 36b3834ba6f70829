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

from ssrlpl import SSRLPLCV, GuaranteeWarning
from ssrlpl.guarantee import certify_labels

X, truth = load_digits(return_X_y=True)
rng = np.random.default_rng(0)

# The easy rows: those nearest to the mean of their class.
means = np.array([X[truth == label].mean(axis=0) for label in range(10)])
easy = np.argsort(np.linalg.norm(X - means[truth], axis=1))[:400]
at_random = rng.choice(np.setdiff1d(np.arange(len(X)), easy), 150, replace=False)

# %%
# First mistake: all labels are easy ones, and some of them audit. A test notices that they are not
# like the other rows, and nothing is certified; the estimate is still there to be misread.

y = np.full(len(X), -1)
y[easy] = truth[easy]
with warnings.catch_warnings():
    warnings.simplefilter("ignore", GuaranteeWarning)
    fooled = certify_labels(SSRLPLCV(), X, y)
print(fooled.summary())

# %%
# Repaired: the easy ones teach, rows drawn at random from the others audit.

y[at_random] = truth[at_random]
audit = np.zeros(len(X), dtype=bool)
audit[at_random] = True
sound = certify_labels(SSRLPLCV(), X, y, audit=audit)
print(sound.summary())

# %%

figure, ax = plt.subplots(figsize=(7.5, 2.4), layout="constrained")
cases = {"easy labels audit": fooled, "random labels audit": sound}
for place, certificate in enumerate(cases.values()):
    wrong = np.mean(certificate.labels != truth[certificate.rows])
    ax.plot(certificate.error_estimate, place, "o", color="#0072B2", label="estimate")
    ax.plot(wrong, place, "x", color="#D55E00", label="truth")
    if not certificate.cannot:
        ax.plot(certificate.error_upper, place, "|", color="black", ms=14, label="certified")
ax.set(yticks=range(2), yticklabels=cases, ylim=(-0.6, 1.6), xlabel="share of wrong labels")
ax.set(xticks=np.arange(0, 0.21, 0.05))
ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
ax.legend(*(list(column)[-3:] for column in ax.get_legend_handles_labels()))
