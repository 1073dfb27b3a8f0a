# Two commands are all a new machine needs: `make demo` and `make test`.
# A contributor's day: `make quick` while working, `make test` before a commit, `make check` before a merge.
# Everything runs through .venv/bin/python, so paths with spaces and a second call are fine.

PYTHON ?= python3
# the exact versions the tests ran with; CONSTRAINTS=constraints/oldest.txt tries the lower bounds
CONSTRAINTS ?= constraints/newest.txt
VENV ?= .venv
RUN = $(VENV)/bin/python
# byte code is kept: parallel workers and the programs that tests start compile a file once
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo quick test test-long fuzz test-core check lint bench coverage docs release-check web web-check clean

INSTALL = $(RUN) -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS) --editable

# all a user would want on a laptop: compiled loops, files, figures, and the studies for `demur reproduce`
$(VENV)/.demo: pyproject.toml studies/pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) ".[all]" --editable ./studies
	touch $@

# what tests, benchmarks and documentation need on top: Spark, a browser driver, other data frames
$(VENV)/.installed: pyproject.toml studies/pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) ".[dev]" --editable ./studies
	touch $@

demo: $(VENV)/.demo
	$(RUN) -m demur demo

# lint, and the tests nearest to what changed, within a minute
quick: lint
	$(RUN) -m pytest -q -n auto -m "not long" $$($(RUN) tools/changed_tests.py)

# every test but the Monte-Carlo coverage
test: $(VENV)/.installed
	$(RUN) -m pytest -n auto -m "not long"

# Monte-Carlo coverage, level and power, and the page in a real JupyterLab
$(VENV)/.lab: $(VENV)/.installed
	$(INSTALL) ".[lab]"
	touch $@

test-long: $(VENV)/.lab
	$(RUN) -m pytest -n auto -m long --ignore tests/package/test_fuzz.py

# hostile arguments, files and saved objects, the same ones every time: three minutes of processor time. A call that
# takes a minute fails, and so does a process that takes five
fuzz: export DEMUR_FUZZ = 70
fuzz: $(VENV)/.installed
	ulimit -t 300 && $(RUN) -m pytest -q -n auto tests/package/test_fuzz.py

# the mathematics alone: what other versions of Python and of the dependencies must pass;
# VENV=.venv-oldest CONSTRAINTS=constraints/oldest.txt tries the lower bounds
CORE = counts costs roc surface windows paired auc honest cautious multiclass ordinal unlabelled regression
$(VENV)/.core: pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) ".[test]"
	touch $@

# machine code of its own: other versions of the compiler would replace it in turns
test-core: export NUMBA_CACHE_DIR = $(abspath $(VENV))/compiled
test-core: $(VENV)/.core
	DEMUR_PROFILE=brief $(RUN) -m pytest -q -n auto -m "not long" $(CORE:%=tests/%) $(CORE:%=src/demur/%)

lint: $(VENV)/.installed
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

# everything, with four times as many random examples of each law
check: export DEMUR_PROFILE = thorough
check: lint web-check test test-long fuzz docs

bench: $(VENV)/.installed
	$(RUN) benchmarks/run.py --output docs/performance.md

# what every interval covers, on designs with known truth: hours on one core; with --cache in pieces
coverage: $(VENV)/.installed
	$(RUN) tools/coverage_page.py --runs 2000 --output docs/coverage.md

# DATA_DIR=folder adds the papers' data that cannot be shipped
docs: $(VENV)/.installed
	$(RUN) tools/build_docs.py $(if $(DATA_DIR),--data-dir "$(DATA_DIR)")

# build, twine check, install wheel and sdist in clean environments, run the README there: all dependencies are
# downloaded twice. The files that passed are in dist/; TAG=v0.3.0 refuses another version
$(VENV)-release/.installed: pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(VENV)-release
	$(VENV)-release/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS) \
	    --editable ".[release]"
	touch $@

release-check: $(VENV)-release/.installed
	$(VENV)-release/bin/python tools/release_check.py --output dist $(if $(TAG),--tag "$(TAG)")

web/node_modules/.installed: web/package-lock.json
	cd web && npm ci --no-audit --no-fund --silent
	touch $@

# rebuilds the page that ships inside the package; Python users need no Node
web: web/node_modules/.installed
	cd web && npm run --silent check && npm run --silent build

# types, tests of the mathematics, and whether the committed page is what the source builds
web-check: web/node_modules/.installed
	cd web && npm run --silent check && npm test --silent && npm run --silent verify

clean:
	rm -rf $(VENV) $(VENV)-release .venv-oldest .venv-3.13 demur-demo build dist docs/generated web/node_modules
