"""Trees as arrays against scikit-learn's own predictions, and against damaged arrays."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from conftest import problem
from ssrlpl._core.trees import Trees


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_votes_are_those_of_scikit_learn(kind, is_sparse):
    X, _, truth = problem(n=300)
    forest = kind(7, random_state=0).fit(X[:90], truth[:90])
    rows = sparse.csr_array(X) if is_sparse else X
    assert_array_equal(Trees.of(forest)(rows), forest.predict_proba(X))


def test_rows_are_read_in_blocks(monkeypatch):
    X, _, truth = problem(n=300)
    trees = Trees.of(RandomForestClassifier(7, random_state=0).fit(X, truth))
    whole = trees(X)
    monkeypatch.setattr("ssrlpl._core.trees.block_rows", lambda _: 7)
    assert_array_equal(trees(X), whole)


def test_trees_of_equal_rows_are_leaves():
    forest = RandomForestClassifier(3, random_state=0).fit(np.ones((6, 2)), [0, 0, 0, 1, 1, 1])
    assert_array_equal(Trees.of(forest)(np.ones((2, 2))), forest.predict_proba(np.ones((2, 2))))


def test_nodes_in_a_circle_are_refused():
    """They would be followed for ever."""
    X, _, truth = problem()
    trees = Trees.of(RandomForestClassifier(2, random_state=0).fit(X, truth))
    circle = np.where(trees.left == -1, -1, 0)
    with pytest.raises(ValueError, match="damaged: fit it again"):
        replace(trees, left=circle, right=circle)(X)
