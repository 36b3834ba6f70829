"""
How many rows must a person check?
==================================

Before any work: what a number of checked rows can certify, if the error is what you expect.
"""

import matplotlib.pyplot as plt

from ssrlpl.guarantee import audit_curve, audits_needed

counts = [20, 30, 50, 75, 100, 150, 200, 300, 500, 700, 1000]
figure, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
for expected, color in ((0.0, "#0072B2"), (0.02, "#009E73"), (0.05, "#D55E00")):
    rows = audit_curve(10_000, expected_error=expected, counts=counts).rows
    ax.plot(counts, [once for _, once, _ in rows], color=color, label=f"{expected:.0%} wrong")
    ax.plot(counts, [anytime for _, _, anytime in rows], color=color, linestyle=":")
ax.set(xscale="log", yscale="log", xlabel="rows checked", ylabel="certified: at most wrong")
ax.set(yticks=[0.005, 0.01, 0.02, 0.05, 0.1, 0.2], xticks=[20, 50, 100, 200, 500, 1000])
ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
ax.yaxis.set_minor_formatter("")
ax.xaxis.set_minor_formatter("")
ax.legend(title="10,000 rows, one look\n(dotted: any time)")

# %%
# The same as numbers: rows to check until at most 5 % wrong is certified.

for expected in (0.0, 0.01, 0.02, 0.03):
    needed = audits_needed(0.05, expected_error=expected, n_rows=10_000)
    print(f"{expected:.0%} expected: {needed:.0f} rows")
