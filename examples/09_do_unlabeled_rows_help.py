"""
Do the unlabeled rows help?
===========================

They may not. ``verdict_`` compares the model with the same one made of the labeled rows alone, on
rows left out, and says "undecided" where the labels cannot tell. A point is the gain, a line its
95 % interval. The verdict looks at the probabilities, too, which tell more than mistakes do: it may
be "helps" where the line crosses zero.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import StandardScaler

from ssrlpl import SSRLPLCV
from ssrlpl.datasets import hide_labels

digits, breast = load_digits(), load_breast_cancer()
tables = {
    "digits": (digits.data[:900], digits.target[:900]),
    "breast cancer": (StandardScaler().fit_transform(breast.data), breast.target),
}
colors = {"helps": "#009E73", "undecided": "#8A8A8A", "hurts": "#D55E00"}
counts = (50, 80, 120, 200)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for ax, (name, (X, truth)) in zip(axes, tables.items(), strict=True):
    for place, keep in enumerate(counts):
        model = SSRLPLCV().fit(X, hide_labels(truth, keep=keep, random_state=0))
        found, color = model.comparison_, colors[model.verdict_]
        ax.errorbar(place, found.gain, 1.96 * found.standard_error, fmt="o", color=color, capsize=4)
        print(f"{name}, {keep} labels: {model.verdict_}, gain {found.gain:+.1%}")
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set(title=name, xlabel="labels", xticks=range(len(counts)), xticklabels=counts)
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:+.0f}")
axes[0].set_ylabel("fewer wrong of 100,\nwith the unlabeled rows")
for verdict, color in colors.items():
    axes[1].plot([], [], "o", color=color, label=verdict)
axes[1].legend(title="verdict_")
