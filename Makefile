# The two commands: `make demo` and `make test`. Each sets up what it needs in .venv and is quick when run again.
# `make check` is the loop while one works; `make test-all` holds what takes long.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# A build for the CPU where the package index offers one under this version.
TORCH ?= torch==2.13.0

# The versions that development goes on with. `make setup LOCK=/dev/null` takes the newest ones.
LOCK ?= requirements-dev.lock

# Tests start many processes: without stored bytecode each would compile the whole package again.
unexport PYTHONDONTWRITEBYTECODE

EXTRAS := .venv-extras
EXTRAS_READY := $(EXTRAS)/.ready

.PHONY: help setup demo lint check weights test test-all test-extras bench docs lock clean

help:
	@echo "make demo    run a small evaluation on the embedded model"
	@echo "make check   style, types, layers and the quick tests: under a minute"
	@echo "make test    the same, the documentation and all ordinary tests: some minutes"
	@echo "make test-all      the same, and what takes longer: all commands of the documentation, simulations, repeated kills"
	@echo "make test-extras   test what needs torch, Ray, Inspect or lm-eval, in an environment of its own"
	@echo "make bench   measure speed, memory and interval coverage"
	@echo "make docs    build the documentation into site/"
	@echo "make lock    write requirements-dev.lock anew, with the newest versions"
	@echo "make clean   remove the environments"

setup: $(READY)

$(READY): pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "counterfoil needs Python 3.11 or newer; $(PYTHON) is older. Name another one: make setup PYTHON=python3.12"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(LOCK) --editable ".[local,web,dev]"
	@touch $(READY)

# Simulated respondents, whose true values are known, give figures that tell something in seconds; the embedded model
# shows that a model is asked.
demo: setup
	@$(BIN)/counterfoil models get smollm2
	@$(BIN)/counterfoil run bias --data english --model 'planted/bias?unknown=0.4' --model 'planted/bias?unknown=0.7' --model 'planted/bias?unknown=0.9' --variant 1 --variant 1-debiased --out runs/demo-bias
	@$(BIN)/counterfoil run explain --model planted/explain --model 'planted/explain?right=0.6' --variant baseline --variant cfe --out runs/demo-explain
	@$(BIN)/counterfoil run memorization --model planted/memorization --model 'planted/memorization?memorized=0.6' --out runs/demo-memorization
	@$(BIN)/counterfoil run explain --model smollm2 --variant baseline --limit 4 --max-tokens 40 --out runs/demo-smollm2
	@$(BIN)/counterfoil compare runs/demo-bias --a 'planted/bias?unknown=0.4' --b 'planted/bias?unknown=0.9'
	@$(BIN)/counterfoil report runs/demo-bias runs/demo-explain runs/demo-memorization runs/demo-smollm2 --title "What counterfoil shows, on respondents whose true values are known" --out runs/demo.html
	@echo "Open runs/demo.html. All of it, question by question: $(BIN)/counterfoil serve runs"

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo >$(VENV)/layers.log 2>&1 || { cat $(VENV)/layers.log; exit 1; }

# Each test process takes seconds to collect all tests, so the quick ones have two.
check: lint
	@$(BIN)/python -m pytest -n 2 -m "not slow and not heavy"

weights: setup
	@$(BIN)/counterfoil models get smollm2
	@command -v chromium >/dev/null || echo "There is no chromium here, so the tests in a browser are skipped: apt-get install chromium"

test: lint weights
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir "$$(mktemp -d)"
	@$(BIN)/python -m pytest -n 3 --dist loadfile -m "not slow"

test-all: test
	@$(BIN)/python -m pytest -n 3 -m slow

# torch comes first: the others would take the newest, with gigabytes for GPUs that tests do without.
$(EXTRAS_READY): pyproject.toml
	$(PYTHON) -m venv $(EXTRAS)
	$(EXTRAS)/bin/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	$(EXTRAS)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[local,web,dev,bench,hf,inspect,lm-eval,ray]" trl
	@touch $(EXTRAS_READY)

test-extras: $(EXTRAS_READY)
	@$(EXTRAS)/bin/counterfoil models get smollm2
	@$(EXTRAS)/bin/python -m pytest -n 2 --dist loadgroup tests/extras

docs: setup
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir site

bench: setup
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[bench]"
	@$(BIN)/python -m benchmarks

lock:
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && $(PYTHON) -m venv "$$folder" \
		&& "$$folder/bin/python" -m pip install --quiet --disable-pip-version-check ".[local,web,dev]" \
		&& { echo '# Made by `make lock`: everything that ".[local,web,dev]" installs.'; \
			"$$folder/bin/python" -m pip freeze --exclude counterfoil; } > requirements-dev.lock

clean:
	rm -rf $(VENV) $(EXTRAS)
