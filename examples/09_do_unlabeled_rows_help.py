"""
Do the unlabeled rows help?
===========================

They may not. ``verdict_`` compares the model with the same one made of the labeled rows alone, on
rows left out, and says "undecided" where the labels cannot tell.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import StandardScaler

from ssrlpl import SSRLPLCV
from ssrlpl.datasets import hide_labels

digits, breast = load_digits(), load_breast_cancer()
tables = {
    "digits, 80 labels": (digits.data[:900], digits.target[:900], 80),
    "breast cancer, 60 labels": (StandardScaler().fit_transform(breast.data), breast.target, 60),
}

figure, ax = plt.subplots(figsize=(8, 2.2), layout="constrained")
for place, (name, (X, truth, keep)) in enumerate(tables.items()):
    y = hide_labels(truth, keep=keep, random_state=0)
    model = SSRLPLCV().fit(X, y)
    found = model.comparison_
    print(f"{name}: {model.verdict_}, gain {found.gain:+.1%} ± {found.standard_error:.1%}")
    low, high = found.gain + 1.96 * found.standard_error * np.array([-1, 1])
    ax.plot([low, high], [place, place], color="#0072B2")
    ax.plot(found.gain, place, "o", color="#0072B2")
ax.axvline(0, color="#8A8A8A")
ax.set(yticks=range(len(tables)), yticklabels=tables, ylim=(-0.6, 1.6))
ax.set(xlabel="lower error with the unlabeled rows, left out (95 % interval)")
ax.xaxis.set_major_formatter(lambda value, _: f"{value:+.0%}")
