# Everything runs inside .venv, which is built again when pyproject.toml or the pins change.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow check bench manifests docs clean

help:
	@echo "make demo       play a rollout from the first commit to the last gate, with real Git repositories"
	@echo "make test       every check and every test: what CI runs"
	@echo "make test-slow  the long tests; CI runs them, too"
	@echo "make check      the checks without the tests: ruff, mypy, import contracts"
	@echo "make bench      measure a pass beside bare Git"
	@echo "make manifests  write manifests/ again from the models"
	@echo "make docs       write docs/planner.md again from the planner; it plays for minutes"
	@echo "make clean      remove what the other targets made"

demo: $(INSTALLED)
	@$(BIN)/python examples/demo.py

check: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(BIN)/pytest -n $(WORKERS) -m "not slow"

test-slow: $(INSTALLED)
	GITOPS_ROLLOUT_LONG=1 $(BIN)/pytest -n $(WORKERS) -m "slow or law"

bench: $(INSTALLED)
	$(BIN)/python -m tests.bench.run

manifests: $(INSTALLED)
	$(BIN)/python manifests/generate.py

docs: $(INSTALLED)
	$(BIN)/python -m tests.rollout.planner_page

clean:
	rm -rf $(VENV) build dist demo *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find gitops_rollout tests examples -type d -name __pycache__ -prune -exec rm -rf {} +

# The stamp comes last, so that an installation that was cut short is done again.
$(INSTALLED): pyproject.toml .ci/constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .ci/constraints.txt --editable '.[test]'
	touch $(INSTALLED)
