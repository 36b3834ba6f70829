"""All published methods of this room: their names, their origin and the grids they are tuned on.

Parameters are chosen by leave-one-label-out (:func:`ssrlpl.model_selection.loo_predict`); of
equally good settings the first is taken, so each list begins with the most ordinary value.

Added because a rival did badly without it, seen in errors on unlabeled rows: ``class_prior`` by
the labels and ``damping`` of Poisson learning, ``class_mass`` of linear neighborhoods (SSL book,
splits 0 to 5, defaults; 0.01 is one of three values of ``damping`` tried on splits 0 and 1 of COIL,
Digit1, USPS and Text), ``class_mass`` of sparse neighborhoods (a drawn table); γ₁, γ₂ and the
widths 16 and 64 of Semi-KSC (SSL book, splits 0 to 3 of Digit1, USPS and g241c, 24 settings);
``normalized`` and the default weights of the Laplacian machines (chosen on 16 development tables,
after the authors' own defaults and 19 other settings were seen on splits 0 to 3 of Digit1, USPS,
g241c and BCI). Other values were not changed after a look at errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._base import Baseline
from .dictionary import DKSVD, LCKSVD
from .harmonic import HarmonicFunctions
from .lap_rls import LapRLS
from .lap_svm import LapSVM
from .lap_svm_primal import LapSVMPrimal
from .lds import LDS
from .linear_neighborhood import LinearNeighborhoodPropagation
from .mincut import GraphMincut
from .pairwise import PairwisePropagation
from .poisson import PoissonLearning
from .semi_ksc import SemiKSC
from .sparse_neighborhood import SparseNeighborhoodPropagation
from .transductive_svm import TransductiveSVM

GRAPH_NEIGHBORS = (10, 5, 20)
SPARSE_PENALTIES = (0.1, 0.3, 0.03)
KERNEL_WIDTHS = (1.0, 4.0)
PRIMAL_PENALTIES = {
    "sharpness": KERNEL_WIDTHS,
    "gamma_A": (1e-2, 1e-4, 1e-1),
    "gamma_I": (1e-2, 1e-1, 1.0),
    "normalized": (False, True),
}


@dataclass(frozen=True)
class Published:
    """A published method.

    Parameters
    ----------
    title, origin : str
        Its name and its reference, for tables.
    estimator : type
        The class.
    grid : mapping
        Values of its parameters to choose from, most ordinary first.
    """

    title: str
    origin: str
    estimator: type[Baseline]
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


BASELINES: dict[str, Published] = {
    "lap_svm": Published(
        "LapSVM",
        "Belkin, Niyogi, Sindhwani 2006",
        LapSVM,
        {
            "sharpness": KERNEL_WIDTHS,
            "gamma_A": ("auto", 1e-2, 1e-4),
            "gamma_I": ("auto", 0.0),
            "normalized": (False, True),
        },
    ),
    "lap_svm_primal": Published("LapSVMp", "Melacci, Belkin 2011", LapSVMPrimal, PRIMAL_PENALTIES),
    "lap_rls": Published("LapRLS", "Belkin, Niyogi, Sindhwani 2006", LapRLS, PRIMAL_PENALTIES),
    "semi_ksc": Published(
        "Semi-KSC",
        "Alzate, Suykens 2012 (our derivation)",
        SemiKSC,
        {"sharpness": (*KERNEL_WIDTHS, 16.0, 64.0), "gamma_2": (100.0, 1.0)},
    ),
    # Without a grid: a label left out costs eleven minimizations for each class.
    "transductive_svm": Published("∇TSVM", "Chapelle, Zien 2005", TransductiveSVM),
    "lds": Published("LDS", "Chapelle, Zien 2005", LDS),
    "harmonic": Published(
        "harmonic functions",
        "Zhu, Ghahramani, Lafferty 2003",
        HarmonicFunctions,
        {"n_neighbors": GRAPH_NEIGHBORS, "sharpness": (1.0, 4.0)},
    ),
    "poisson": Published(
        "Poisson learning",
        "Calder et al. 2020",
        PoissonLearning,
        {"n_neighbors": GRAPH_NEIGHBORS, "class_prior": (None, "labels"), "damping": (0.0, 0.01)},
    ),
    "mincut": Published(
        "graph mincut",
        "Blum, Chawla 2001",
        GraphMincut,
        {"n_neighbors": GRAPH_NEIGHBORS},
    ),
    "linear_neighborhood": Published(
        "linear neighborhoods (LNP)",
        "Wang, Zhang 2008",
        LinearNeighborhoodPropagation,
        {"n_neighbors": (7, 5, 10, 20), "class_mass": (False, True)},
    ),
    "sparse_neighborhood": Published(
        "sparse neighborhoods (LPSN)",
        "Zang, Zhang 2012",
        SparseNeighborhoodPropagation,
        {"penalty": SPARSE_PENALTIES, "class_mass": (False, True)},
    ),
    "pairwise": Published(
        "propagation over pairs",
        "Zhang, Zhao, Chow 2015 (our reading)",
        PairwisePropagation,
        {"penalty": SPARSE_PENALTIES, "class_mass": (False, True)},
    ),
    # Without grids: a label left out costs a dictionary. Their defaults are explained in
    # dictionary/__init__.py.
    "dksvd": Published("D-KSVD", "Zhang, Li 2010", DKSVD),
    "lcksvd": Published("LC-KSVD2", "Jiang, Lin, Davis 2013", LCKSVD),
}
"""The registry."""
