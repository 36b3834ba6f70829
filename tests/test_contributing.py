"""What contributors are told is true: the map of CONTRIBUTING.md, and the Pythons of CI."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "ssrlpl"
ROOMS = sorted(
    f"{folder.relative_to(PACKAGE)}/" for folder in {p.parent for p in PACKAGE.rglob("*.py")}
    if folder != PACKAGE
)  # fmt: skip
MODULES = sorted(path.name for path in PACKAGE.glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", ROOMS + MODULES)
def test_the_map_names_every_package_and_root_module(name):
    assert f"`{name}`" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_no_two_modules_have_the_same_name():
    names = Counter(path.stem for path in PACKAGE.rglob("*.py"))
    shared = {name for name, count in names.items() if count > 1}
    assert shared - {"__init__", "__main__", "_base"} == set()


def test_every_make_target_is_explained():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (targets,) = re.findall(r"^\.PHONY: (.+)$", makefile, re.M)
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `make ([\w-]+)` \|", told, re.M)) == set(targets.split())


def test_ci_tests_the_pythons_that_are_promised():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    (matrix,) = re.findall(r"^ +python: \[(.+)\]$", workflow, re.M)
    assert re.findall(r'"([\d.]+)"', matrix) == promised
    assert project["requires-python"] == f">={promised[0]}"
