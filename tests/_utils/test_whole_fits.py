"""A fit that is stopped, also by Ctrl-C, leaves the estimator as it was."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from conftest import problem
from ssrlpl import (
    SSRLPL,
    SSRLPLCV,
    GivenLabels,
    GraphLabeler,
    KernelSSRLPL,
    KNNLabeler,
    LabeledForest,
    LabeledOnly,
    LabeledRidge,
    SSRLPLClassifier,
)
from ssrlpl.baselines import BASELINES
from ssrlpl.model_selection import consensus


def stop(*_args, **_kwargs):
    raise KeyboardInterrupt


def test_a_search_that_is_stopped_at_its_end_is_not_fitted(monkeypatch):
    X, y, _ = problem(n=60)
    model = SSRLPLCV()
    with monkeypatch.context() as late:
        late.setattr(consensus.Consensus, "fit", stop)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    assert vars(model) == vars(SSRLPLCV())
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_an_earlier_fit_survives_one_that_is_stopped(monkeypatch):
    X, y, _ = problem(n=60)
    model = SSRLPLCV().fit(X, y)
    said = model.predict_proba(X)
    monkeypatch.setattr(consensus.Consensus, "fit", stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :1], y)
    assert model.n_features_in_ == X.shape[1]
    np.testing.assert_array_equal(model.predict_proba(X), said)


@pytest.mark.parametrize(
    "estimator",
    [
        *(SSRLPL(), KernelSSRLPL(), GraphLabeler(), KNNLabeler(), SSRLPLClassifier()),
        *(LabeledRidge(), LabeledForest(), GivenLabels(np.ones((60, 3)))),
        LabeledOnly(KNNLabeler()),
        *(entry.estimator() for entry in BASELINES.values() if entry.grid),
    ],
)
def test_so_do_the_parts(estimator, monkeypatch):
    X, y, _ = problem(n=60)
    before = dict(vars(estimator))
    monkeypatch.setattr("ssrlpl.labels.PartialLabels.one_hot", stop)
    monkeypatch.setattr("ssrlpl._core.trees.Trees.of", stop)  # forests need no label vectors
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X, y)
    assert vars(estimator) == before


def test_a_chunk_that_is_stopped_counts_once(monkeypatch):
    X, y, _ = problem(n=60)
    whole, model = (SSRLPL().partial_fit(X[:40], y[:40]) for _ in range(2))
    whole.partial_fit(X[40:])
    with monkeypatch.context() as late:
        late.setattr(SSRLPL, "_solve", stop)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X[40:])
        with pytest.raises(KeyboardInterrupt):
            SSRLPL().partial_fit(X, y)
    np.testing.assert_array_equal(model.partial_fit(X[40:]).components_, whole.components_)


def test_the_bar_ends_when_the_fit_ends(monkeypatch):
    monkeypatch.setattr("ssrlpl._utils.progress.PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr("ssrlpl._utils.progress._REDRAW_SECONDS", 0.0)
    shares = []
    monkeypatch.setattr(
        "ssrlpl._utils.progress.Progress._draw",
        lambda _, share, elapsed: shares.append(share),
    )
    X, y, _ = problem(n=60)
    SSRLPLCV(verbose=True).fit(X, y)
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    assert 0.3 < shares[len(shares) // 2] < 1
