# make demo   set up, run the quick validation suite, print where the report is
# make test   set up, run the tests that take less than a few minutes
# make docs   set up, build the documentation site
PYTHON ?= python3
BIN := .venv/bin
# two test processes: one BLAS thread each; bytecode is kept, also where the environment says not to, so that no
# process compiles sources that another one has compiled; each process takes half of the tests in their order, so
# that kernels and references of a file are made once, and the one that ends first takes over half of the rest
ONE_THREAD := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
PYTEST := $(ONE_THREAD) $(BIN)/python -m pytest -q -n 2 --dist worksteal

.PHONY: demo test slow draws docs lint format clean

# pip compiles packages on one core, and their tests with them: all cores do it afterwards, without these
.venv/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e ".[test,lint]" > .venv/install.log 2>&1 \
	  || { cat .venv/install.log; exit 1; }
	$(BIN)/python -m compileall -qq -j 0 -x /tests/ .venv/lib || true
	touch .venv/ready

demo: .venv/ready
	$(BIN)/hermite-analytics validate quick --out report --overwrite

# MARKS="not gpu" runs the slow ones in the same run, which collects the tests once
MARKS := not slow and not gpu
test: .venv/ready
	$(PYTEST) -m "$(MARKS)"

slow: .venv/ready .venv/docs-ready
	$(PYTEST) -m "slow"

# all random draws of the nets; `make test` and `make slow` run a sample of each
draws: .venv/ready
	$(PYTEST) -m "draws" --all-draws tests

.venv/docs-ready: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]" > .venv/docs-install.log 2>&1 \
	  || { cat .venv/docs-install.log; exit 1; }
	touch .venv/docs-ready

# the site, into build/site; a warning is an error, and nothing is asked of a network
docs: .venv/docs-ready
	$(BIN)/python -m sphinx -W --keep-going -q -j 2 -b html -d build/site-doctrees docs build/site
	@echo "the site is at build/site/index.html"

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv build dist *.egg-info report
