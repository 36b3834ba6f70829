"""Commands around the library."""

import json
from pathlib import Path

import numpy as np

import ssrlpl
from command_line import refused, run


def test_info_names_versions_and_blas():
    printed = run("info").stdout
    assert f"ssrlpl        {ssrlpl.__version__}" in printed
    assert "threads" in printed
    assert json.loads(run("info", "--json").stdout)["versions"]["numpy"] == np.__version__


def test_reproduce_shows_its_help():
    assert "verdicts_development" in run("reproduce", "--help").stdout


def test_the_demo_does_not_overwrite_a_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("wine.csv").write_text("a,label\n1,x\n")
    assert "wine.csv exists: pass --force" in refused("demo", "wine", "--out", ".")
    assert Path("wine.csv").read_text() == "a,label\n1,x\n"
