# Everything a newcomer needs: `make run` shows what Strobe does, `make test` shows that it is right.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
unexport PYTHONDONTWRITEBYTECODE  # hundreds of processes would each compile every source again
LOWEST := $(VENV)/lowest
SWEEPS := tests/sweep tests/cli/test_sweep.py tests/compiler/runtime/test_in_parallel.py
OTHERS := test_docs.py test_examples.py test_benchmarks.py reliability  # tests of what needs extras by its nature
PYTEST = $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: run test test-all elsewhere suite lint types fuzz soak lowest bench docs clean

run: $(VENV)/.run
	$(BIN)/strobe study stanford --force

test: lint  # what a person runs; types are checked while tests run: each alone leaves a processor idle
	@$(MAKE) --no-print-directory -j 2 types suite

test-all: lint types  # everything
	$(PYTEST)

elsewhere: $(VENV)/.test  # the rest of the suite, and the numeric part again, as another machine would run it
	$(BIN)/python -m reliability.elsewhere -m "slow or numeric" -n 2 --dist worksteal

suite: $(VENV)/.test
	$(PYTEST) -m "not slow"

lint: $(VENV)/.test
	$(BIN)/ruff check --no-cache .  # what a folder is called decides how imports are sorted, and the cache does not know it
	$(BIN)/ruff format --no-cache --check .

types: $(VENV)/.test
	$(BIN)/basedpyright

fuzz: $(VENV)/.fuzz  # formulations on other arms and trees, hostile inputs, random programs: about an hour
	STROBE_ARMS=1000 $(BIN)/python -m pytest -n 2 tests/analysis/test_equivalence.py tests/kinematics/test_general_6r.py
	STROBE_FUZZ=1 $(BIN)/python -m pytest -n 2 tests/laws tests/algebra tests/compiler/graph tests/equations
	$(BIN)/python -m reliability.readers --inputs 1000000 --processes 2 --record
	$(BIN)/python -m reliability.guided --seconds 600 --record
	$(BIN)/python -m reliability.commands --inputs 5000 --processes 2 --record
	$(BIN)/python -m reliability.arguments --inputs 20000 --processes 2 --record
	$(BIN)/python -m reliability.frames --inputs 20000 --record
	$(BIN)/python -m reliability.one_call --inputs 1300 --processes 2 --record
	$(BIN)/python -m reliability.caches --seconds 600 --record
	$(BIN)/python -m reliability.compiler --record
	$(BIN)/python -m reliability.sanitized --record
	$(BIN)/python -m reliability.page

soak: $(VENV)/.test  # half an hour of calls while the cache is damaged, then sweeps whose processes are killed
	$(BIN)/python -m reliability.soak --minutes 30 --record
	$(BIN)/python -m reliability.killing --times 50 --record
	$(BIN)/python -m reliability.page

lowest: $(LOWEST)/.installed  # what make test runs, on the lowest versions that are allowed: without extras, then sweeps
	$(LOWEST)/bin/python -m pytest -n 2 --dist worksteal -m "not slow" \
		$(addprefix --ignore tests/,$(OTHERS))
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -c $(LOWEST)/constraints.txt -e ".[scale]"
	$(LOWEST)/bin/python -m pytest -n 2 -m "not slow" $(SWEEPS)
	$(LOWEST)/bin/python -m pip uninstall --quiet --yes dask distributed zarr pyarrow

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

$(LOWEST)/.installed: pyproject.toml reliability/lowest.py
	$(PYTHON) -m venv $(LOWEST)
	$(PYTHON) -m reliability.lowest scale > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -c $(LOWEST)/constraints.txt -e . \
		pytest pytest-xdist hypothesis
	@touch $@

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .hypothesis .ruff_cache
