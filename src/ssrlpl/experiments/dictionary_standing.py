"""What can be said of dictionary methods: against each other, and beside the paper's figures."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from .harness.averages import Summary, common_means
from .method_registry import METHODS
from .paper_comparison import Difference
from .published import Printed
from .shown_names import shown_name

SUPERVISED, SEMI_SUPERVISED = ("dksvd", "fddl", "lcksvd"), ("ossdl", "s2d2")
OTHER_DATA = ("Reuters",)
"""Not the paper's data: nothing can be said of its figures."""


def semi_against_supervised(summaries: Sequence[Summary]) -> str:
    """Say whether the two methods that use unlabeled rows do better than the three that do not."""
    methods = (*SEMI_SUPERVISED, *SUPERVISED)
    means = common_means(s for s in summaries if s.method in methods)
    if len(means) < len(methods) or not all(means.values()):
        return ""
    averages = {m: fmean(means[m]) for m in methods}
    semi, supervised = (
        fmean(averages[m] for m in group) for group in (SEMI_SUPERVISED, SUPERVISED)
    )
    words = "do not lose to" if semi >= supervised else "lose to"
    listed = ", ".join(f"{METHODS[m].title} {averages[m]:.1f}" for m in methods)
    return (
        f"On average the semi-supervised two ({semi:.1f}) {words} the supervised three"
        f" ({supervised:.1f}): {listed}."
    )


def plausibility(summaries: Sequence[Summary], published: Printed) -> str:
    """Say for each dictionary method how the paper's figures lie beside ours, set by set."""
    lines = []
    for method in (*SUPERVISED, *SEMI_SUPERVISED):
        title = METHODS[method].title
        found = [
            Difference(s, published[s.key][title])
            for s in summaries
            if s.method == method and s.mean is not None and s.dataset not in OTHER_DATA
        ]
        if found:
            lines.append(f"* **{title}.** {_verdict(found)}")
    return "\n".join(lines)


def _verdict(found: Sequence[Difference]) -> str:
    close = [d for d in found if not d.is_large]
    below = [d for d in found if d.is_large and (d.value or 0) > 0]
    above = [d for d in found if d.is_large and (d.value or 0) < 0]
    parts = [
        f"{words} {_places(some)}"
        for some, words in (
            (close, "within two standard deviations of ours on"),
            (below, "lower than ours on"),
            (above, "higher than ours on"),
        )
        if some
    ]
    says = "plausible" if len(close) > len(found) / 2 else "not what we find"
    return f"The paper's figures are {says} on our splits: {'; '.join(parts)}."


def _places(some: Sequence[Difference]) -> str:
    by_set: dict[str, list[float]] = {}
    for d in some:
        by_set.setdefault(shown_name(d.ours.dataset), []).append(-(d.value or 0))
    return ", ".join(
        f"{name} ({' and '.join(f'{v:+.1f}' for v in values)})" for name, values in by_set.items()
    )
