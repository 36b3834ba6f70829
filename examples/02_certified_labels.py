"""
From a few labels to a certified table
======================================

Of 1,797 images of digits 200 have a label. Fill in the others, and say how many of them are right.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from ssrlpl import SSRLPLCV
from ssrlpl.datasets import hide_labels
from ssrlpl.guarantee import certify_labels

X, truth = load_digits(return_X_y=True)
y = hide_labels(truth, keep=200, random_state=0)  # -1 where a label is hidden
certificate = certify_labels(SSRLPLCV(), X, y)
print(certificate.summary())

# %%
# 40 % of the labels taught the model, the others audited it: it never saw them. Since we hid the
# labels ourselves, we can look at what nobody knows in practice. The bound holds with 95 %
# confidence: in up to one of twenty draws of the labels the truth lies above it.

wrong = certificate.labels != truth[certificate.rows]
print(f"Truly wrong: {wrong.mean():.2%}. Certified: at most {certificate.error_upper:.2%}.")

# %%
# Which classes are found, as the audited rows show it. Small numbers have wide intervals.

print(certificate.table())

figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for place, quality in enumerate(certificate.quality):
    share = quality.recall
    ax.plot([place, place], [share.low, share.high], color="#0072B2")
    ax.plot(place, share.estimate, "o", color="#0072B2")
ax.set(xticks=range(10), xlabel="class", ylabel="found if true, with 95 % interval")
ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
