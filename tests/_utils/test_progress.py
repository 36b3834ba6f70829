"""Who asks to be told how far a fit is, is told, and may stop it."""

import threading

import dask
import dask.array as da
import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from conftest import problem
from ssrlpl import (
    SSRLPL,
    SSRLPLCV,
    GraphLabeler,
    KernelSSRLPL,
    SSRLPLClassifier,
    hsic_test,
    loo_predict,
    on_progress,
)
from ssrlpl.distributed import Chunks

ESTIMATORS = [
    SSRLPL(),
    SSRLPL(relabel_rounds=1),
    KernelSSRLPL(),
    KernelSSRLPL(relabel_rounds=2),
    KernelSSRLPL(constraint="whitened", landmarks=range(20)),
    SSRLPLClassifier(),
    GraphLabeler(),
    SSRLPLCV(),
]


def shares_of(work):
    """Return the names of the tasks and the shares that were told."""
    told = []
    with on_progress(lambda task, share: told.append((task, share))):
        work()
    tasks, shares = zip(*told, strict=True)
    return set(tasks), list(shares)


def from_zero_to_one(shares):
    return shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1


def as_array(X):
    return X


def as_chunks(X):
    return Chunks([lambda part=part: part for part in np.array_split(X, 4)])


def as_dask(X):
    return da.from_array(X, chunks=(40, -1))


@pytest.mark.parametrize("form", [as_array, as_chunks, as_dask])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_shares_go_from_zero_to_one(estimator, form):
    X, y, _ = problem(n=120)
    with dask.config.set(scheduler="threads"):
        if form is not as_array:
            estimator = type(estimator)()  # landmarks are given by the numbers of rows
        tasks, shares = shares_of(lambda: estimator.fit(form(X), y))
    assert tasks == {type(estimator).__name__}
    assert from_zero_to_one(shares)
    assert shares.count(1) == 1
    if form is not as_array:
        assert len(shares) > 5  # every chunk was told


class EnoughError(Exception):
    pass


@pytest.mark.parametrize("form", [as_array, as_chunks, as_dask])
@pytest.mark.parametrize("estimator", [SSRLPL(), KernelSSRLPL(), SSRLPLCV()], ids=str)
@pytest.mark.parametrize("limit", [0.0, 0.3, 1.0])
def test_an_error_stops_the_fit_and_leaves_the_estimator_as_it_was(estimator, form, limit):
    X, y, _ = problem(n=120)
    before = dict(vars(estimator))

    def stop(_, share):
        if share >= limit:
            raise EnoughError

    with pytest.raises(EnoughError), on_progress(stop), dask.config.set(scheduler="threads"):
        estimator.fit(form(X), y)
    assert vars(estimator) == before
    assert from_zero_to_one(shares_of(lambda: estimator.fit(X, y))[1])  # nothing is left over
    vars(estimator).clear()
    vars(estimator).update(before)


def test_a_pipeline_tells_of_its_steps():
    X, y, _ = problem()
    model = make_pipeline(PCA(3), KernelSSRLPL())
    assert shares_of(lambda: model.fit(X, y))[0] == {"KernelSSRLPL"}


def test_so_do_functions():
    X, y, _ = problem()
    for work in (lambda: loo_predict(KernelSSRLPL(), X, y), lambda: hsic_test(X, y)):
        tasks, shares = shares_of(work)
        assert len(tasks) == 1
        assert from_zero_to_one(shares)


def test_a_fit_within_the_function_tells_nothing():
    X, y, _ = problem()
    told = []

    def fit_another(task, _):
        told.append(task)
        SSRLPL().fit(X, y)

    with on_progress(fit_another):
        KernelSSRLPL().fit(X, y)
    assert set(told) == {"KernelSSRLPL"}


def test_other_threads_and_later_fits_tell_nothing():
    X, y, _ = problem()
    told = []
    with on_progress(lambda *step: told.append(step)):
        other = threading.Thread(target=lambda: SSRLPL().fit(X, y))
        other.start()
        other.join()
    SSRLPL().fit(X, y)
    assert told == []


def test_the_numbers_are_the_same():
    X, y, _ = problem(n=120)
    alone = KernelSSRLPL().fit(as_dask(X), y)
    with on_progress(lambda *_: None):
        watched = KernelSSRLPL().fit(as_dask(X), y)
    np.testing.assert_array_equal(watched.dual_coef_, alone.dual_coef_)
