"""scikit-learn's own contract, on every estimator, with no check left out in silence."""

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
    SSRLPLClassifier,
    TableTransformer,
)
from ssrlpl.baselines import HarmonicFunctions, PoissonLearning
from ssrlpl.maps.ridge import LabeledRidge

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
    SSRLPL(constraint="whitened", unlabeled=None),
    SSRLPL(constraint="whitened", rho=0.1, unlabeled_weight=0.0, unlabeled=None),
    KernelSSRLPL(constraint="whitened", unlabeled=None),
    KernelSSRLPL(constraint="whitened", kernel="linear", relabel_rounds=1, unlabeled=None),
    SSRLPLCV(unlabeled=None),
    SSRLPLCV(choose="all", unlabeled=None),
    TableTransformer(),
    TableTransformer(scale=False),
    HarmonicFunctions(unlabeled=None),
    PoissonLearning(unlabeled=None),
    PoissonLearning(3, weights="binary", mutual=True, unlabeled=None),
]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
