# make demo and make test need nothing but Python 3.11+ and make: each creates what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
ARRAYS := .venv-arrays
# One test worker per core; BLAS threads would only get in each other's way.
TEST_ENV := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MPLBACKEND=Agg

.PHONY: demo test test-long test-arrays fuzz check lint types layers coverage docs docs-look lowest wheel bench reproduce clean
.DELETE_ON_ERROR:

demo: $(VENV)/.demo  ## the main job on built-in data
	$(BIN)/python -m ssrlpl.experiments.demo --out demo-output
	@echo
	$(BIN)/ssrlpl demo digits --out demo-output --force

test: $(VENV)/.dev  ## tests, doctests and the README's code
	$(TEST_ENV) $(BIN)/python -m pytest -n auto

test-long: $(VENV)/.long  ## the guarantee tried to be broken, 200 draws a world; takes minutes
	$(TEST_ENV) SSRLPL_LONG=1 $(BIN)/python -m pytest -n auto tests/guarantee tests/distributed

test-arrays: $(ARRAYS)/.dev  ## tests with rows of torch and array-api-strict, which make test skips
	$(TEST_ENV) $(ARRAYS)/bin/python -m pytest -n auto tests/maps/test_other_arrays.py tests/test_estimator_checks.py

fuzz: $(VENV)/.dev  ## 1,000 tables that nobody would make on purpose, by the command line; minutes
	$(TEST_ENV) $(BIN)/python tests/table_fuzz.py 0 1000

check: lint types layers test  ## everything CI checks

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell

types: $(VENV)/.dev
	$(BIN)/mypy

layers: $(VENV)/.dev
	$(BIN)/lint-imports

coverage: $(VENV)/.dev  ## the tests again, with the share of src/ssrlpl that they reach, branches too
	$(TEST_ENV) $(BIN)/python -m pytest -n auto --cov --cov-report=
	$(BIN)/coverage report

docs: $(VENV)/.docs  ## the site, in build/site: every example is run, warnings are errors, links inside are checked
	rm -rf docs/reference/generated  # Sphinx keeps pages of names that are gone
	$(TEST_ENV) $(BIN)/python -m sphinx -W --keep-going -q -b html docs build/site
	$(BIN)/python docs/_checks/links.py build/site

docs-look: $(VENV)/.docs  ## every page of build/site in Chromium; minutes
	$(BIN)/python docs/_checks/browser.py build/site

lowest: $(LOWEST)/.dev  ## the tests with the lowest versions that pyproject.toml promises
	$(TEST_ENV) $(LOWEST)/bin/python -m pytest -n auto

wheel: $(VENV)/.dev  ## wheel and sdist, the same bytes twice; all names and the demo in an empty environment
	.ci/build_twice $(BIN)/python
	$(BIN)/twine check --strict dist/*
	.ci/try_wheel $(PYTHON)

bench: $(VENV)/.bench  ## ratios against peers and the machine's limit, see benchmarks/README.md
	$(BIN)/python -m benchmarks

reproduce: $(VENV)/.long  ## the paper's tables and figures, a few cells of each; needs SSRLPL_DATA
	$(TEST_ENV) $(BIN)/python -m ssrlpl.experiments.reproduce all --quick --jobs 2

clean:
	rm -rf $(VENV) $(LOWEST) $(ARRAYS) demo-output dist build .coverage docs/gallery docs/reference/generated

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: call make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[plot,cli]'
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.demo

# uv reads the floors out of pyproject.toml itself: there is no second list that could become stale.
$(LOWEST)/.dev: $(VENV)/.dev pyproject.toml
	$(BIN)/uv venv --quiet --clear --python 3.11 $(LOWEST)
	$(BIN)/uv pip install --quiet --python $(LOWEST) --resolution lowest-direct -e '.[dev]'
	$(BIN)/uv pip list --quiet --python $(LOWEST)
	@touch $@

# By pip, and torch first: a machine may hold a CPU build of that version, where pip is told to look.
$(ARRAYS)/.dev: $(BIN)/python pyproject.toml
	$(BIN)/python -m venv --clear $(ARRAYS)
	$(ARRAYS)/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(ARRAYS)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev,arrays-test]'
	@touch $@

$(VENV)/.long: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[paper]'
	@touch $@

$(VENV)/.docs: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@ $(VENV)/.demo

$(VENV)/.bench: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@ $(VENV)/.demo
