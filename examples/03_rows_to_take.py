"""
Which rows may be taken without a look
======================================

A model is surer of some rows than of others. For every share of wrong labels that you can bear,
``accept`` gives the rows that keep it, with 95 % confidence. The stricter you are, the more rows
are left for a person.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from ssrlpl import GraphLabeler
from ssrlpl.datasets import hide_labels
from ssrlpl.guarantee import certify_labels

X, truth = load_digits(return_X_y=True)
y = hide_labels(truth, keep=400, random_state=0)
certificate = certify_labels(GraphLabeler(10), X, y)
print(certificate.summary())

# %%
# The dots are what the accepted rows really hold: below the line, as promised. Where no row may be
# taken, the first of the tests has failed: each limit has its own sequence of sets to test, from
# sure rows to all rows, and one unlucky set ends it. So fix the limit before you look.

limits = np.array([0.02, 0.03, 0.04, 0.05, 0.07, 0.1])
wrong = certificate.labels != truth[certificate.rows]
taken = [certificate.accept(max_error=limit) for limit in limits]

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
left.plot(limits, [rows.mean() for rows in taken], "o-", color="#0072B2")
left.set(xlabel="largest share of wrong labels", ylabel="rows that may be taken", ylim=(0, 1.02))
right.plot(limits, limits, color="#8A8A8A", label="promised")
right.plot(
    limits,
    [wrong[rows].mean() if rows.any() else np.nan for rows in taken],
    "o", color="#D55E00", label="true",
)  # fmt: skip
right.set(xlabel="largest share of wrong labels", ylabel="wrong among those taken")
right.legend()
for ax in (left, right):
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")

# %%
# The rows for a person, least sure first:

print(certificate.to_check(max_error=0.05)[:10])
