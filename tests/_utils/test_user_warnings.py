"""Every warning points at the user's own line, however deep the code is that gives it."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from conftest import problem
from ssrlpl import SSRLPL, KernelSSRLPL, KNNLabeler, SSRLPLClassifier, certify, loo_predict
from ssrlpl._core import spectrum
from ssrlpl.model_selection import LabeledKFold

SOURCE = Path(__file__).parents[2] / "src" / "ssrlpl"


class Silent(KNNLabeler):
    """Gives no probability to any row it has not seen."""

    def predict_proba(self, X):
        return np.zeros((len(X), len(self.classes_)))


X, Y_FEW, _ = problem(n=40, share=0.1)
FEW = np.where(np.arange(40) < 3, Y_FEW, -1)
COPIES = np.repeat(X[:3], 9, axis=0)
CALLS = {
    "a labeler": lambda: KNNLabeler(9).fit(X, FEW),
    "a labeler in a map": lambda: KernelSSRLPL(labeler=KNNLabeler(9)).fit_transform(X, FEW),
    "a map in a classifier in a pipeline": lambda: make_pipeline(
        StandardScaler(), SSRLPLClassifier(SSRLPL(labeler=KNNLabeler(9)))
    ).fit(X, FEW),
    "refits of a classifier": lambda: loo_predict(
        make_pipeline(StandardScaler(), SSRLPLClassifier(SSRLPL(labeler=KNNLabeler(9)))), X, Y_FEW
    ),
    "a chunk": lambda: SSRLPL(labeler=Silent(1)).partial_fit(X, Y_FEW).partial_fit(X),
    "directions": lambda: KernelSSRLPL(5, labeler=KNNLabeler(1)).fit(COPIES, 9 * [0, 1, -1]),
    "a certificate": lambda: certify(SSRLPL(labeler=KNNLabeler(1)), X, Y_FEW, method="loo"),
    "a column of labels": lambda: SSRLPL().fit(X, Y_FEW[:, None]),
    "a splitter": lambda: list(LabeledKFold(2).split(X, Y_FEW, groups=Y_FEW)),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("always")
def test_a_warning_names_the_line_of_the_user(name):
    with pytest.warns(UserWarning, match=r"\w") as caught:
        CALLS[name]()
    assert {warning.filename for warning in caught} == {__file__}


def test_an_eigenproblem_that_does_not_converge_names_it_too(monkeypatch):
    monkeypatch.setattr(spectrum, "_MAX_BLOCKS", 1)
    monkeypatch.setattr(spectrum, "_dense_is_cheaper", lambda *_: False)
    rng = np.random.default_rng(0)
    wide, y = rng.normal(size=(90, 60)), np.arange(90) % 2
    with pytest.warns(UserWarning, match="relative residual") as caught:
        SSRLPL(8).fit(wide, y)
    assert caught[0].filename == __file__


def test_nobody_warns_by_hand():
    for path in SOURCE.rglob("*.py"):
        if path.name != "user_warnings.py":
            assert not re.search(r"\bwarnings\.warn\(", path.read_text(encoding="utf-8")), path
