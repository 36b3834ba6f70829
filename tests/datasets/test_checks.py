"""Real data, where they are, against the figures they are known for."""

import doctest
import os
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import Bunch

from dataset_samples import DATA, needs_data, needs_ssl_book
from ssrlpl import datasets
from ssrlpl.datasets import catalog, check_1nn, make_g241
from ssrlpl.datasets.checks import SSL_BOOK_ERRORS, Figure
from ssrlpl.datasets.layout import fingerprint, read_npz


def test_a_figure_agrees_to_its_last_digit():
    assert Figure("a", 44.0549, 44.05, 0.005).agrees
    assert not Figure("a", 44.056, 44.05, 0.005).agrees


def test_only_known_sets_have_a_figure():
    X, y = make_g241(random_state=0)
    for more in ({}, {"splits": np.zeros((12, 50), dtype=int)}):
        with pytest.raises(ValueError, match="dataset must be one with a known 1-NN figure"):
            check_1nn(Bunch(X=X, y=y, name="SSL book g241c", **more))


@needs_ssl_book
@pytest.mark.parametrize("n_labeled", SSL_BOOK_ERRORS)
@pytest.mark.parametrize("name", SSL_BOOK_ERRORS[10])
def test_1nn_errors_of_the_book(name, n_labeled):
    assert check_1nn(datasets.load_ssl_book(name, n_labeled)).agrees


@needs_data
@pytest.mark.parametrize(
    "load",
    [
        datasets.load_usps,
        datasets.load_coil20,
        datasets.load_umist,
        lambda: datasets.load_umist("32x32"),
        lambda: datasets.load_reuters21578(None, None, tfidf=False),
    ],
    ids=["USPS", "COIL-20", "UMIST", "UMIST 32x32", "Reuters-21578"],
)
def test_1nn_figures(load):
    assert check_1nn(load()).agrees


@needs_data
@pytest.mark.skipif(not os.environ.get("SSRLPL_LONG"), reason="takes a minute: set SSRLPL_LONG=1")
def test_1nn_figure_of_mnist():
    assert check_1nn(datasets.load_mnist()).agrees


@needs_data
def test_1nn_notices_spoiled_data():
    data = datasets.load_coil20()
    data.y = np.random.default_rng(0).permutation(data.y)
    assert not check_1nn(data).agrees


@needs_data
@pytest.mark.parametrize("record", [catalog.USPS, catalog.COIL20, catalog.MNIST])
def test_fingerprints_are_those_of_the_real_data(record):
    assert fingerprint(read_npz(Path(DATA) / record.forms[0].file_name)) == record.fingerprint


@needs_data
@needs_ssl_book
@pytest.mark.parametrize("module", ["images", "reuters", "book_sets", "checks"])
def test_examples_that_need_data_run(module):
    """Doctests skip what needs data; here they are run as printed."""
    home = import_module(f"ssrlpl.datasets.{module}")
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder().find(home):
        for example in test.examples:
            example.options.pop(doctest.SKIP, None)
        runner.run(test)
    assert runner.summarize().attempted > 0
    assert runner.summarize().failed == 0
