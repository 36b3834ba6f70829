"""Problems that the tests of the baselines share."""

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_digits

from conftest import problem, without_each_label


def overlapping(seed=0, n=90, d=4):
    """Classes that mix, so that no label vector is one-hot by accident."""
    X, y, truth = problem(n, d, share=0.2, seed=seed)
    X -= 0.7 * np.array([X[truth == c].mean(axis=0) for c in range(3)])[truth]
    return X, y, truth


def digits(seed=0, labels=5):
    """Digits with some labels of each class."""
    X, truth = load_digits(return_X_y=True)
    rng = np.random.RandomState(seed)
    y = np.full(len(truth), -1)
    for c in range(10):
        y[rng.choice(np.flatnonzero(truth == c), labels, replace=False)] = c
    return X, y, truth


def digits_3_and_8(of_8, of_3):
    """Eights (0) and threes (1) with the first labels of each class, in file order."""
    X, digit = load_digits(return_X_y=True)
    rows = np.isin(digit, (3, 8))
    X, truth = X[rows] / 16, (digit[rows] == 3).astype(int)
    y = np.full(len(truth), -1)
    for c, count in enumerate((of_8, of_3)):
        y[np.flatnonzero(truth == c)[:count]] = c
    return X, y, truth


def digits_accuracy(model):
    """The share of unlabeled digits that are right, the mean of three draws of labels."""
    found = []
    for seed in range(3):
        X, y, truth = digits(seed)
        found.append(np.mean(model.fit(X, y).predict(X[y < 0]) == truth[y < 0]))
    return np.mean(found)


def predicted_by_refits(model, X, y):
    """The class of each labeled row by a fit without its label; the only one, if one is left."""
    found = []
    for row, hidden in without_each_label(y):
        left = np.unique(hidden[hidden >= 0])
        one = left[0] if len(left) == 1 else clone(model).fit(X, hidden).predict(X[[row]])[0]
        found.append(one)
    return found
