"""scikit-learn's own contract, on every estimator, with no check left out in silence."""

from importlib.util import find_spec

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from ssrlpl import (
    SSRLPL,
    SSRLPLCV,
    GraphLabeler,
    KernelSSRLPL,
    KNNLabeler,
    LabeledOnly,
    RootScaler,
    SSRLPLClassifier,
    TableTransformer,
    baselines,
)
from ssrlpl.learners import LabeledForest
from ssrlpl.maps.ridge import LabeledRidge
from ssrlpl.mixture import MixtureClassifier

# The checks train on classes {-1, +1}. With unlabeled=None, -1 is a class like any other, so
# that none of them has to be skipped.
ESTIMATORS = [
    KNNLabeler(unlabeled=None),
    KNNLabeler(similarity="cosine", winner_take_all=True, unlabeled=None),
    SSRLPL(unlabeled=None),
    SSRLPL(n_components=2, unlabeled=None),
    KernelSSRLPL(unlabeled=None),
    KernelSSRLPL(kernel="polynomial", n_components=3, unlabeled=None),
    LabeledOnly(LogisticRegression(), unlabeled=None),
    SSRLPLClassifier(unlabeled=None),
    SSRLPLClassifier(SSRLPL(), LogisticRegression(), unlabeled=None),
    GraphLabeler(unlabeled=None),
    GraphLabeler(3, method="harmonic", metric="cosine", unlabeled=None),
    LabeledRidge(unlabeled=None),
    LabeledRidge("linear", unlabeled=None),
    LabeledForest(n_trees=5, unlabeled=None),
    LabeledForest(True, 5, unlabeled=None),
    MixtureClassifier(SSRLPLClassifier(), [LabeledForest(n_trees=5)], unlabeled=None),
    SSRLPL(constraint="whitened", unlabeled=None),
    SSRLPL(constraint="whitened", rho=0.1, unlabeled_weight=0.0, unlabeled=None),
    KernelSSRLPL(constraint="whitened", unlabeled=None),
    KernelSSRLPL(constraint="whitened", kernel="linear", relabel_rounds=1, unlabeled=None),
    SSRLPLCV(unlabeled=None),
    SSRLPLCV(choose="one", unlabeled=None),
    RootScaler(),
    TableTransformer(),
    TableTransformer(scale=False),
    baselines.HarmonicFunctions(unlabeled=None),
    baselines.PoissonLearning(unlabeled=None),
    baselines.PoissonLearning(3, weights="binary", mutual=True, unlabeled=None),
    baselines.PoissonLearning(damping=0.01, class_prior="labels", unlabeled=None),
    baselines.GraphMincut(unlabeled=None),
    baselines.GraphMincut(weights="cosine", metric="cosine", unlabeled=None),
    baselines.LinearNeighborhoodPropagation(unlabeled=None),
    baselines.SparseNeighborhoodPropagation(unlabeled=None),
    baselines.PairwisePropagation(unlabeled=None),
    baselines.LapRLS(unlabeled=None),
    baselines.LapRLS("linear", fit_intercept=True, solver="cg", unlabeled=None),
    baselines.LapSVM(unlabeled=None),
    baselines.LapSVM("cosine", weights="cosine", fit_intercept=False, unlabeled=None),
    baselines.LapSVMPrimal(unlabeled=None),
    baselines.LapSVMPrimal(solver="cg", normalized=True, unlabeled=None),
    baselines.SemiKSC(unlabeled=None),
    baselines.TransductiveSVM(unlabeled=None),
    baselines.TransductiveSVM(1.0, kernel="rbf", unlabeled=None),
    baselines.LDS(unlabeled=None),
    baselines.DKSVD(n_sweeps=2, unlabeled=None),
    baselines.LCKSVD(n_sweeps=2, unlabeled=None),
    baselines.LCKSVD(3, variant=1, alpha=1.0, n_sweeps=2, unlabeled=None),
    baselines.FDDL(n_rounds=1, unlabeled=None),
    baselines.FDDL(3, rule="global", n_rounds=1, unlabeled=None),
    baselines.OSSDL(n_sweeps=2, unlabeled=None),
    baselines.S2D2(n_sweeps=2, unlabeled=None),
    baselines.S2D2(3, discrimination=0, n_sweeps=2, unlabeled=None),
]


_A_ROW_STAYS = "weights are those of labels: a row without weight is still a row of the table"


def known_differences(estimator):
    """Return checks of scikit-learn that ask for something else than we promise."""
    if not isinstance(estimator, SSRLPLCV):
        return {}
    return dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data",
         "check_sample_weight_equivalence_on_sparse_data"), _A_ROW_STAYS,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def _array_api(monkeypatch):
    """Let scikit-learn check arrays of other libraries too, if the extra for it is installed."""
    if find_spec("array_api_strict"):
        monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("small_forests")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=known_differences)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
