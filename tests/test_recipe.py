"""The conda recipe promises what pyproject.toml promises."""

import importlib
import tomllib
from pathlib import Path

import pytest

import ssrlpl

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RECIPE = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))


def test_the_recipe_builds_this_version():
    assert RECIPE["context"]["name"] == PROJECT["project"]["name"]
    assert RECIPE["context"]["version"] == ssrlpl.__version__
    assert PROJECT["project"]["requires-python"] == f">={RECIPE['context']['python_min']}"


def test_the_recipe_needs_the_core_and_nothing_else():
    needs = RECIPE["requirements"]
    python, *run = needs["run"]
    assert python.startswith("python >=")
    assert {line.replace(" ", "") for line in run} == set(PROJECT["project"]["dependencies"])
    extras = PROJECT["project"]["optional-dependencies"].values()
    known = {need for extra in extras for need in extra}
    for line in needs["run_constraints"]:
        assert line.replace(" ", "").replace("matplotlib-base", "matplotlib") in known
    assert set(PROJECT["build-system"]["requires"]) <= set(needs["host"])


def test_the_recipe_says_what_the_package_says():
    about = RECIPE["about"]
    assert about["summary"] == PROJECT["project"]["description"]
    assert about["license"] == PROJECT["project"]["license"]
    assert about["homepage"] in PROJECT["project"]["urls"].values()
    commands = [f"{name} = {place}" for name, place in PROJECT["project"]["scripts"].items()]
    assert RECIPE["build"]["python"]["entry_points"] == commands


def test_what_the_recipe_tries_is_there():
    imports, command = RECIPE["tests"]
    for name in imports["python"]["imports"]:
        importlib.import_module(name)
    (line,) = command["script"]
    exec(line.split('"')[1], {})
