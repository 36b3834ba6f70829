"""Commands around the library."""

import json

import numpy as np

import ssrlpl
from command_line import run


def test_info_names_versions_and_blas():
    printed = run("info").stdout
    assert f"ssrlpl        {ssrlpl.__version__}" in printed
    assert "threads" in printed
    assert json.loads(run("info", "--json").stdout)["versions"]["numpy"] == np.__version__


def test_reproduce_shows_its_help():
    assert "verdicts_development" in run("reproduce", "--help").stdout
