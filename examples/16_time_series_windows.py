"""
Windows of a time series
========================

A machine hums, rattles or whines. A few seconds of a long recording are labeled. Cut it into
windows, describe each by its spectrum, and fill in the rest. Neighboring windows look alike: the
figure is about this recording, and another one may be harder.
"""

import matplotlib.pyplot as plt
import numpy as np

from ssrlpl import SSRLPLCV

rng = np.random.default_rng(0)
names = np.array(["hum", "rattle", "whine"])
seconds, rate = 240, 100
state = np.repeat(rng.integers(0, 3, seconds // 8), 8)  # it stays in a state for eight seconds
time = np.arange(seconds * rate) / rate
now = np.repeat(state, rate)
tone = np.select([now == 0, now == 1, now == 2], [7.0, 11.0, 16.0])
signal = np.sin(2 * np.pi * tone * time) + 1.3 * rng.standard_normal(len(time))

windows = signal.reshape(seconds, rate)  # one second each
X = np.log1p(np.abs(np.fft.rfft(windows * np.hanning(rate), axis=1)))
truth = names[state]
y = np.full(seconds, None, dtype=object)
taught = rng.choice(seconds, 18, replace=False)
y[taught] = truth[taught]

model = SSRLPLCV().fit(X, y)
unlabeled = np.array([label is None for label in y])
print(f"right: {np.mean(model.transduction_[unlabeled] == truth[unlabeled]):.1%}")

# %%

colors = dict(zip(names, ("#0072B2", "#D55E00", "#009E73"), strict=True))
figure, axes = plt.subplots(3, 1, figsize=(10, 3.4), layout="constrained", sharex=True)
rows = {"labels": y, "filled in": model.transduction_, "truth": truth}
for ax, (title, labels) in zip(axes, rows.items(), strict=True):
    for second, label in enumerate(labels):
        ax.axvspan(second, second + 1, color=colors.get(label, "#EEEEEE"), linewidth=0)
    ax.set(yticks=[], xlim=(0, seconds))
    ax.set_ylabel(title, rotation=0, ha="right", va="center")
axes[-1].set_xlabel("seconds")
figure.legend(
    [plt.Rectangle((0, 0), 1, 1, color=color) for color in colors.values()], colors,
    loc="outside upper right", ncols=3, frameon=False,
)  # fmt: skip
