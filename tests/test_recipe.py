"""The conda recipe promises what pyproject.toml promises."""

import re
import tomllib
from pathlib import Path

import ssrlpl

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")


def test_the_recipe_builds_this_version():
    assert re.findall(r'^  version: "(.+)"$', RECIPE, re.M) == [ssrlpl.__version__]
    (python,) = re.findall(r'^  python_min: "(.+)"$', RECIPE, re.M)
    assert PROJECT["requires-python"] == f">={python}"


def test_the_recipe_needs_the_core_and_nothing_else():
    needed = re.search(r"  run:\n(.+?)\n  run_constraints:", RECIPE, re.S)[1]
    given = {line.strip("- ").replace(" ", "") for line in needed.splitlines()[1:]}
    assert given == set(PROJECT["dependencies"])
    limited = re.search(r"run_constraints:\n(.+?)\n\n", RECIPE, re.S)[1]
    extras = {need for needs in PROJECT["optional-dependencies"].values() for need in needs}
    for line in limited.splitlines():
        assert line.strip("- ").replace(" ", "").replace("matplotlib-base", "matplotlib") in extras
