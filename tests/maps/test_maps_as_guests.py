"""Maps handed to leave-one-out: settings are checked, and subclasses keep their own methods."""

import numpy as np
import pytest

from conftest import problem, without_each_label
from ssrlpl import SSRLPL, KernelSSRLPL
from ssrlpl.model_selection import loo_predict


@pytest.mark.parametrize(
    ("map_", "words"),
    [
        (KernelSSRLPL(0), "n_components must be"),
        (KernelSSRLPL(-3), "n_components must be"),
        (KernelSSRLPL(1.5), "n_components must be"),
        (KernelSSRLPL(kernel="other"), "kernel must be"),
        (KernelSSRLPL(gamma=-1.0), "gamma must be"),
        (KernelSSRLPL(constraint="other"), "constraint must be"),
        (KernelSSRLPL(constraint="whitened", rho=-1.0), "rho must be"),
        (KernelSSRLPL(unlabeled_weight=3.0), "unlabeled_weight must be"),
        (KernelSSRLPL(kernel_params={"power": 2}), "kernel_params are for"),
        (SSRLPL(constraint="other"), "constraint must be"),
    ],
)
def test_leave_one_out_refuses_the_settings_that_fit_refuses(map_, words):
    X, y, _ = problem()
    with pytest.raises(ValueError, match=words):
        map_.fit(X, y)
    with pytest.raises(ValueError, match=words):
        loo_predict(map_, X, y)


class FirstColumnWide(KernelSSRLPL):
    """A subclass that scales rows by itself, as a user may write it."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(self._scaled(X), y, sample_weight)

    def fit_transform(self, X, y, sample_weight=None):
        return self.fit(X, y, sample_weight).transform(X)

    def transform(self, X):
        return super().transform(self._scaled(X))

    @staticmethod
    def _scaled(X):
        return X * np.r_[1000.0, np.ones(X.shape[1] - 1)]


def test_leave_one_out_of_a_subclass_is_that_of_its_own_fit_and_transform():
    X, y, _ = problem(n=90)
    expected = []
    for row, rest in without_each_label(y):
        Z = FirstColumnWide().fit_transform(X, rest)
        labeled = np.flatnonzero(rest >= 0)
        expected.append(rest[labeled[np.sum((Z[labeled] - Z[row]) ** 2, axis=1).argmin()]])
    assert loo_predict(KernelSSRLPL(), X, y).tolist() != expected  # scaling matters here
    assert loo_predict(FirstColumnWide(), X, y).tolist() == expected
