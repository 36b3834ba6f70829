"""``docs/limits.md`` promises ``limits_hit_`` of every fitted estimator, also of older files."""

from pathlib import Path

import pytest
from sklearn.linear_model import LogisticRegression

import ssrlpl
from conftest import problem

FILE = Path(__file__).parents[1] / "fixtures" / "model-v1.ssrlpl"


@pytest.mark.parametrize(
    "estimator",
    [ssrlpl.SSRLPLClassifier(), ssrlpl.LabeledOnly(LogisticRegression())],
)
def test_every_fitted_estimator_says_which_limits_it_hit(estimator):
    X, y, _ = problem()
    assert isinstance(estimator.fit(X, y).limits_hit_, tuple)


def test_an_estimator_from_a_file_of_format_1_says_so_too():
    pytest.importorskip("skops")
    model = ssrlpl.load(FILE)
    parts = dict(model.steps).values() if hasattr(model, "steps") else [model]
    ours = [part for part in parts if type(part).__module__.startswith("ssrlpl")]
    assert ours
    assert all(isinstance(part.limits_hit_, tuple) for part in ours)
