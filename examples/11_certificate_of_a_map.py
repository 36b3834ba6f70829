"""
What the missing labels cost a map
==================================

The paper's question: how far is the map from the one that full labels would give? Its own bound is
vacuous here; the certificate is not, and more labels certify more.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from ssrlpl import KernelSSRLPL, certify
from ssrlpl.datasets import hide_labels

X, truth = load_digits(return_X_y=True)
X, truth = X[:1200], truth[:1200]
counts = (60, 100, 200, 300, 500)
certificates = {
    keep: certify(KernelSSRLPL(), X, hide_labels(truth, keep=keep, random_state=0))
    for keep in counts
}
print(certificates[300].headline())

# %%
# The share of the fully labeled objective that the map keeps, for each number of labels:

looks = {"certified": "#0072B2", "estimated": "#56B4E9", "missing": "#DDDDDD"}
figure, ax = plt.subplots(figsize=(7.5, 3.4), layout="constrained")
for place, found in enumerate(certificates.values()):
    edges = (0, found.retained_lower, found.retained_estimate, 1)
    for left, right, color in zip(edges, edges[1:], looks.values(), strict=False):
        ax.barh(place, right - left, left=left, color=color)
    ax.text(found.retained_lower - 0.01, place, f"{found.retained_lower:.0%}", color="white",
            ha="right", va="center")  # fmt: skip
ax.set(yticks=range(len(counts)), yticklabels=[f"{keep} labels" for keep in counts], xlim=(0, 1))
ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
for name, color in looks.items():
    ax.barh(0, 0, color=color, label=name)
figure.legend(loc="outside lower center", ncols=3, frameon=False)

# %%
# ``certificate.plot()`` draws one such bar. The numbers behind that of 300 labels, with the paper's
# Theorem 3 in the last but one line:

print(certificates[300].table())
