# Everything a newcomer needs: `make run` shows what Strobe does, `make test` shows that it is right.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test suite lint types fuzz soak lowest bench docs clean

run: $(VENV)/.run
	$(BIN)/strobe study stanford --force

test: lint  # types are checked while tests run: each alone leaves a processor idle
	@$(MAKE) --no-print-directory -j 2 types suite

suite: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/basedpyright

fuzz: $(VENV)/.test  # every formulation on 1,000 other arms and hundreds of other trees, and other examples: minutes
	STROBE_ARMS=1000 $(BIN)/python -m pytest -n 2 tests/analysis/test_equivalence.py tests/kinematics/test_general_6r.py
	STROBE_FUZZ=1 $(BIN)/python -m pytest -n 2 tests/laws tests/algebra tests/graph tests/equations

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks

docs: $(VENV)/.docs  # every page is run again: what it shows depends on the code, not on the page alone
	$(BIN)/sphinx-build -W --keep-going -E -q -b html docs docs/_build/html
	@echo "documentation: docs/_build/html/index.html"

# One stamp per set of extras; a changed pyproject.toml installs again.
$(VENV)/.run: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.%: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[$*]"
	@touch $@

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .hypothesis .ruff_cache
