"""What was tried where our number and the paper's differ; the figures are in ``variants.md``."""

from __future__ import annotations

TRIED = (
    "Tried on each set that is the paper's, one at a time: p (C-1, 10, 24), components beyond C-1"
    " at random, k, the kernel's width (γ/4 to 16γ), equal votes, the linear map, scaled rows and"
    " columns, and five other classifiers in the representation (`variants.md`). What came of it:"
)

_ABOVE = (
    "Nearly all of these lie above the paper's number, as does 1-NN on raw pixels; of"
    " the classifiers the nearest class mean, with which ours would fall to about the paper's"
    " level, comes closest to it."
)

NOTES: dict[str, str] = {
    "MNIST-10K": _ABOVE,
    "USPS": _ABOVE,
    "COIL-20": (
        "None reaches the paper's number with its share of labels; twice the share brings"
        " the plain method near it. The paper does not say how its labeled rows were drawn beyond"
        " one for each class."
    ),
    "Reuters": (
        "Not the same data: Reuters-10K is not on this machine, the stand-in has four topics of"
        " Reuters-21578, which are far easier to tell apart. Nothing can be concluded."
    ),
    "UMIST": (
        "None comes near the paper's number, and three times its labels do not reach it."
        " 1-NN on raw pixels is far below the 75-81 % that the paper has for all of its methods,"
        " so its split, its labels or its images must be others (it counts 564 × 750; ours are"
        " 575 × 644)."
    ),
    "SBData": "The data are not public in the paper's form.",
    "book g241c": (
        "One linear or wide-kernel component finds the direction between the two"
        " Gaussians; narrow kernels and many components lose it."
    ),
    "book g241d": (
        "The clusters of g241d contradict its classes, so the error depends on p and the"
        " width more than on anything else, and ten labels cannot choose them."
    ),
    "book BCI": (
        "All stay near chance: the class of BCI lies in directions of small variance,"
        " which the constraint VᵀV = I passes over. A map with Vᵀ(Σ+ρI)V = I, one of those that"
        " SSRLPLCV may choose, does better; the paper describes none."
    ),
}

PAPERS_RIVALS = (
    "The table compares three systems as the paper prints them with ours on the same splits; only"
    " differences of more than two standard deviations (the larger of both) would need an"
    " explanation.\n\n"
    "* **With 10 labels** all are near chance, here as there.\n"
    "* **With 100 labels** our LapSVM is far better on g241c and g241d, because of the choice: our"
    " grid has the weight γ_I = 0, which is a support vector machine, and the left-out labels take"
    " it in every split of these two sets (neighbors in 241 dimensions are of either class).\n"
    "* **With a graph that is fixed, not chosen,** ours are where the paper's are: γ_I at its"
    " default gives 32.7, 31.5 and 36.6 % on g241c, g241d and BCI, nine times as much 45.6, 40.0"
    " and 43.1, a kernel of a quarter of the width 47.5, 43.2 and 44.6, and LapSVMp with its"
    " authors' defaults 48.1, 43.1 and 48.2 (first three splits, computed beside this study). So"
    " the paper's 40, 31 and 37 % for LapSVM and 36, 31 and 32 % for LapSVMp are plausible for"
    " machines whose graph was not tuned down, not as the best that these machines can do: a tuned"
    " SVM, which LapSVM contains, is better on all three sets.\n"
    "* **Semi-KSC on BCI** is another matter: the paper's 22 ± 2 %, like its own 19 ± 2 %, is"
    " reached by none of the methods run here, nor by any of the thirteen of the SSL book (31.4 is"
    " their lowest, as recalled). Our Semi-KSC has 31.7 % with its best fixed width. We have only"
    " its abstract, so ours may differ from theirs; but with 100 labels and these splits we do not"
    " find 22 % plausible."
)
"""What our runs say about the paper's figures for its rivals."""


def why_different(dataset: str) -> str:
    """Return a sentence on what was tried for a data set whose number differs from the paper's."""
    return NOTES.get(dataset, "Nothing explains it.")
