"""The certificate as text, table and plot; its numbers are computed elsewhere."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

from .._utils.printing import Table, exact_percent, percent_at_least, percent_at_most
from .paired import Comparison
from .proportions import Share


@dataclass(frozen=True)
class ErrorRate:
    """An error rate with its confidence interval: ``errors`` of ``trials`` rows are wrong.

    Examples
    --------
    >>> from ssrlpl.guarantee import ErrorRate
    >>> rate = ErrorRate.of(3, 60, confidence=0.95)
    >>> rate.estimate, round(rate.high, 3)
    (0.05, 0.139)
    """

    estimate: float
    low: float
    high: float
    errors: int
    trials: int

    @classmethod
    def of(cls, errors: int, trials: int, confidence: float) -> ErrorRate:
        """Return the rate with its exact two-sided (Clopper-Pearson) interval."""
        exact = Share.of(errors, trials, confidence)
        return cls(exact.estimate, exact.low, exact.high, errors, trials)

    def __str__(self) -> str:
        return (
            f"{self.estimate:.1%} ({self.errors} of {self.trials};"
            f" {percent_at_least(self.low)} to {percent_at_most(self.high)})"
        )


@dataclass(frozen=True)
class Certificate:
    """Result of :func:`ssrlpl.certify`.

    Attributes
    ----------
    retained_lower : float
        Lower bound on f†/f*, the share of the fully labeled objective that the map retains, by
        the components that labels determine (C-1 of them at most).
    retained_estimate : float
        Point estimate of f†/f*.
    epsilon_estimate, epsilon_upper : float
        Estimate of, and upper bound on, ‖ε‖, the deviation of the cross-moment.
    residual_estimate, residual_upper : float
        Estimate of, and upper bound on, ‖(I-P†)ε‖, the part of ε that reduces the objective.
    objective_root_estimate, objective_root_lower : float
        Estimate of, and lower bound on, √f†.
    theorem_bound : float
        The paper's Theorem 3 with the upper limit of P_e^WTA, scaled to the data.
    theorem_is_vacuous : bool
        Whether that bound is larger than √f* itself.
    retained_first_order : float
        Lower bound on f†/f* from ‖ε‖ alone.
    wta_error : ErrorRate
        P_e^WTA of the map's labels.
    verdict : "helps", "undecided" or "hurts"
        Whether using the unlabeled rows makes 1-NN in the representation better or worse.
    comparison : Comparison
        The counts from which the verdict was made.
    assumptions : tuple of str
        Assumptions under which the bound holds.
    voids : tuple of str
        Signs that an assumption is not true. If the rows that measure do not look like a random
        sample, ``retained_lower`` is 0.
    weak : tuple of str
        What makes the certificate say less; it holds all the same.
    n_untouched : int
        Components of the map beyond those, which no label touched.
    retained_by_all_lower : float
        The bound for all components together. Those that no label touched raise it on any labels:
        it is 1 for a rotation of all columns, and for noise.
    method, confidence, n_samples, n_labeled, n_calibration
        How the certificate was computed.
    limits_hit : tuple of str
        Size limits of ``docs/limits.md`` that the table exceeds.
    estimator : SSRLPL, KernelSSRLPL or Pipeline
        The fitted map that the certificate is about.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ssrlpl import KernelSSRLPL, certify
    >>> from ssrlpl.datasets import hide_labels
    >>> X, truth = load_digits(return_X_y=True)
    >>> y = hide_labels(truth[:800], keep=300, random_state=0)
    >>> certificate = certify(KernelSSRLPL(), X[:800], y)
    >>> 0.5 < certificate.retained_lower <= certificate.retained_estimate <= 1
    True
    >>> certificate.voids
    ()
    """

    retained_lower: float
    retained_estimate: float
    epsilon_estimate: float
    epsilon_upper: float
    residual_estimate: float
    residual_upper: float
    objective_root_estimate: float
    objective_root_lower: float
    theorem_bound: float
    theorem_is_vacuous: bool
    retained_first_order: float
    wta_error: ErrorRate
    verdict: str
    comparison: Comparison
    assumptions: tuple[str, ...]
    voids: tuple[str, ...]
    weak: tuple[str, ...]
    n_untouched: int
    retained_by_all_lower: float
    method: str
    confidence: float
    n_samples: int
    n_labeled: int
    n_calibration: int
    limits_hit: tuple[str, ...]
    estimator: Any = field(repr=False, compare=False)

    def headline(self) -> str:
        """Return the certificate as three lines of text."""
        level = exact_percent(self.confidence)
        rigorous = self.method == "calibration"
        sure = f"With {level} confidence" if rigorous else f"By a heuristic at {level}"
        void = f"VOID: {' '.join(self.voids)} " if self.voids else ""
        weak = f" Weak: {' '.join(self.weak)}" if self.weak else ""
        guess = f"best guess {self.retained_estimate:.1%}"
        if self.n_untouched:
            guess += f"; without {self.n_untouched} components that no label touched"
        holds = "This holds if the labeled rows were drawn at random from all rows."
        if rigorous:
            holds = (
                f"This is the map of the {self.n_labeled - self.n_calibration} teaching labels. It"
                " holds if the held-out labels were drawn at random from the rows that do not"
                " teach."
            )
        return "\n".join(
            [
                f"{void}{sure} the map keeps at least {percent_at_least(self.retained_lower)} of"
                f" what full labels would give ({guess}).",
                self.comparison.in_words("held-out 1-NN error")
                + (" Fit the map on the labeled rows alone." if self.verdict == "hurts" else ""),
                f"{holds}{weak}",
            ]
        )

    def table(self) -> Table:
        """Return the numbers as a table."""
        rows = (
            ("retained f†/f*", self.retained_estimate, f"≥ {self.retained_lower:.4g}"),
            ("  from ‖ε‖ alone", "", f"≥ {self.retained_first_order:.4g}"),
            ("‖ε‖", self.epsilon_estimate, f"≤ {self.epsilon_upper:.4g}"),
            ("‖(I-P†)ε‖", self.residual_estimate, f"≤ {self.residual_upper:.4g}"),
            ("√f†", self.objective_root_estimate, f"≥ {self.objective_root_lower:.4g}"),
            ("error of the label vectors", self.wta_error.estimate,
             f"{self.wta_error.low:.3f} to {self.wta_error.high:.3f}"),
            ("Theorem 3 of the paper", self.theorem_bound,
             "vacuous" if self.theorem_is_vacuous else "not vacuous"),
            ("labels: all, held out", self.n_labeled, f"{self.n_calibration}"),
        )  # fmt: skip
        bound = f"bound ({exact_percent(self.confidence)}, {self.method})"
        return Table(("quantity", "estimate", bound), rows)

    def __str__(self) -> str:
        return f"{self.headline()}\n\n{self.table()}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything except the estimator as plain data, with headline and table."""
        values = {k: v for k, v in self.__dict__.items() if k != "estimator"}
        values["wta_error"] = asdict(self.wta_error)
        values["comparison"] = asdict(self.comparison)
        values["assumptions"] = list(self.assumptions)
        values["voids"] = list(self.voids)
        values["weak"] = list(self.weak)
        values["limits_hit"] = list(self.limits_hit)
        values["headline"] = self.headline()
        values["table"] = self.table().to_dict()
        return values

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{escape(line)}</p>" for line in self.headline().splitlines())
        return f"<div>{lines}{self.table()._repr_html_()}</div>"

    def plot(self, ax: Any = None) -> Any:
        """Draw a bar: the certified share, the estimated share, and what full labels would add.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib axes
        """
        own_figure = ax is None
        if own_figure:
            import matplotlib.pyplot as plt

            ax = plt.figure(figsize=(6.5, 1.9), layout="constrained").add_subplot()
        edges = (0.0, self.retained_lower, self.retained_estimate, 1.0)
        looks = (
            ("#0072B2", "certified"),
            ("#56B4E9", "estimated"),
            ("#DDDDDD", "needs full labels"),
        )
        for left, right, (color, label) in zip(edges, edges[1:], looks, strict=False):
            ax.barh(0, right - left, left=left, color=color, label=f"{label} {right - left:.0%}")
        ax.set(
            xlim=(0, 1), yticks=[], xlabel="share of the fully labeled objective", ylim=(-0.4, 0.4)
        )
        ax.xaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
        ax.set_title(f"unlabeled rows: {self.verdict}", fontsize="medium", loc="left")
        look = {"ncols": 3, "fontsize": "small", "frameon": False}
        if own_figure:
            ax.figure.legend(loc="outside lower center", **look)
        else:
            ax.legend(loc="lower left", **look)
        ax.spines[["top", "right", "left"]].set_visible(False)
        return ax
