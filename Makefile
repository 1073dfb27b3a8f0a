# Two commands are all a new machine needs: `make demo` and `make test`.
# Everything runs through .venv/bin/python, so paths with spaces and a second call are fine.

PYTHON ?= python3
# the exact versions the tests ran with; CONSTRAINTS=constraints/oldest.txt tries the lower bounds
CONSTRAINTS ?= constraints/newest.txt
VENV ?= .venv
RUN = $(VENV)/bin/python

.PHONY: demo test check lint bench clean

$(VENV)/.installed: pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS) --editable ".[dev]"
	touch $@

demo: $(VENV)/.installed
	$(RUN) -m demur demo

test: $(VENV)/.installed
	$(RUN) -m pytest -n auto

lint: $(VENV)/.installed
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

check: lint test

bench: $(VENV)/.installed
	$(RUN) benchmarks/run.py

clean:
	rm -rf $(VENV) demur-demo
