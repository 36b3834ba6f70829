"""The page of limits says what the code does."""

import re
from pathlib import Path

import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import ssrlpl
from conftest import problem
from ssrlpl import SSRLPL, SSRLPLCV, GraphLabeler, KernelSSRLPL, KNNLabeler, certify
from ssrlpl._utils import limits
from ssrlpl.baselines import TransductiveSVM

PAGE = Path(__file__).parents[2] / "docs" / "limits.md"
OLD_MODEL = Path(__file__).parents[1] / "fixtures" / "model-v1.ssrlpl"


def test_the_page_names_every_limit_with_its_value_and_no_other():
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", PAGE.read_text(encoding="utf-8"), re.M)
    written = {name: int(value.replace(",", "")) for name, value in rows}
    assert len(rows) == len(written)
    assert written == {name: value for name, value in vars(limits).items() if name.isupper()}


def test_fitted_estimators_say_which_limits_were_hit(monkeypatch):
    X, y, _ = problem(n=60)
    small = KernelSSRLPL(labeler=GraphLabeler(5), constraint="whitened").fit(X, y)
    assert small.limits_hit_ == SSRLPLCV().fit(X, y).limits_hit_ == ()
    for name in ("MEDIAN_ROWS", "EXACT_KERNEL_ROWS", "DENSE_GRAPH_ROWS", "SEARCH_ROWS"):
        monkeypatch.setattr(limits, name, 50)
    large = clone(small).fit(X, y)
    assert set(large.limits_hit_) == {"MEDIAN_ROWS", "EXACT_KERNEL_ROWS", "DENSE_GRAPH_ROWS"}
    for no_median in (
        KernelSSRLPL(kernel="linear", labeler=KNNLabeler(similarity="uniform")),
        *(KNNLabeler(similarity="cosine"), KNNLabeler(gamma=2.0), TransductiveSVM()),
    ):
        assert no_median.fit(X, y).limits_hit_ == ()
    assert SSRLPL(labeler=GraphLabeler(5)).fit(X, y).limits_hit_ == ("DENSE_GRAPH_ROWS",)
    assert "SEARCH_ROWS" in SSRLPLCV().fit(X, y).limits_hit_
    monkeypatch.setattr(limits, "TEN_FOLD_ROWS", 50)
    assert certify(SSRLPL(), X, y).limits_hit == ("TEN_FOLD_ROWS",)


@pytest.mark.parametrize(
    "estimator", [ssrlpl.SSRLPLClassifier(), ssrlpl.LabeledOnly(LogisticRegression())]
)
def test_every_fitted_estimator_says_which_limits_it_hit(estimator):
    X, y, _ = problem()
    assert isinstance(estimator.fit(X, y).limits_hit_, tuple)


def test_an_estimator_from_a_file_of_format_1_says_so_too():
    pytest.importorskip("skops")
    model = ssrlpl.load(OLD_MODEL)
    parts = dict(model.steps).values() if hasattr(model, "steps") else [model]
    ours = [part for part in parts if type(part).__module__.startswith("ssrlpl")]
    assert ours
    assert all(isinstance(part.limits_hit_, tuple) for part in ours)
