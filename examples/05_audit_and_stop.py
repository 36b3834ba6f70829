"""
Check labels, look after each, stop when it is enough
=====================================================

A person checks filled-in labels in random order. The bound holds for all looks together, so that
it costs nothing to look after every row and to stop at the first bound that is good enough.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from ssrlpl import GraphLabeler
from ssrlpl.datasets import hide_labels
from ssrlpl.guarantee import AuditTrail, audit_order

X, truth = load_digits(return_X_y=True)
y = hide_labels(truth, keep=250, random_state=0)
predicted = GraphLabeler(10).fit(X, y).transduction_

order = audit_order(X, y, random_state=0)
trail = AuditTrail(predicted, order=order)
bounds, stopped = [], None
for row in order[:300]:
    trail.add(row, truth[row])  # here the truth plays the person
    bounds.append(trail.error_upper)
    if stopped is None and trail.enough(0.1):
        stopped = len(bounds)
        print(trail)

# %%
# With 10 % as the goal the person stops at the dot; going on would have made the bound sharper.

still = y < 0
figure, ax = plt.subplots(figsize=(7.5, 3.6), layout="constrained")
ax.plot(range(1, 301), bounds, color="#0072B2", label="at most wrong, 95 % at every look")
ax.axhline((predicted != truth)[still].mean(), color="#D55E00", label="truly wrong")
ax.axhline(0.1, color="#8A8A8A", linestyle=":", label="good enough")
ax.plot(stopped, bounds[stopped - 1], "o", color="black")
ax.set(xlabel="rows checked", ylabel="share of wrong labels", ylim=(0, 0.5))
ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
ax.legend()
