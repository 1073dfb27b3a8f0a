"""Promises of the public surface: documented, keyword-only, light, layered, JSON-safe."""

import dataclasses
import inspect
import json
import os
import pickle
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import demur
from public_surface import CLASSES, FUNCTIONS, PUBLIC

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_is_documented_and_listed(name):
    value = PUBLIC[name]
    if inspect.isclass(value) or inspect.isfunction(value):
        assert value.__doc__
        assert len(value.__doc__) > 40
    listed = re.search(rf"`{name.rpartition('.')[2]}[`(]", (ROOT / "docs" / "api.md").read_text())
    assert listed, f"docs/api.md does not list {name}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_function_is_typed_with_keyword_only_options(name):
    signature = inspect.signature(FUNCTIONS[name])
    positional = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert len(positional) <= 3, "only the data are positional"
    assert all(p.default in (p.empty, None) for p in positional), "options are keyword-only"
    for parameter in signature.parameters.values():
        assert parameter.annotation is not parameter.empty, parameter.name
        assert parameter.kind not in (parameter.VAR_KEYWORD,), "no **kwargs that hides options"
    assert signature.return_annotation is not signature.empty


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature_fits_a_screen(name):
    shown = str(inspect.signature(FUNCTIONS[name]))
    assert "_NestedSequence" not in shown, "annotations stay strings: from __future__ import annotations"
    assert len(textwrap.wrap(shown, 80)) <= 25


def test_help_of_compare_models_is_short():
    assert len(inspect.getdoc(demur.compare_models).splitlines()) <= 80


def test_unknown_name_raises_attribute_error():
    with pytest.raises(AttributeError, match="roc_kurve"):
        demur.roc_kurve  # noqa: B018
    with pytest.raises(ImportError, match="auc_powr"):
        from demur.auc import auc_powr  # noqa: F401
    assert "roc_curve" in dir(demur)


MISSPELT = """
import demur
from demur.auc import auc_powr
from demur import compare_model
demur.roc.roc_curv
demur.compare_models([0, 1], [0.1, 0.2]).answer.wrods
"""


def strictly_checked(file, code):
    """Return what mypy --strict says about a user's program, a line each."""
    file.write_text(code)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(file)]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert not done.stderr
    return done.stdout.splitlines()


@pytest.mark.long
def test_misspelt_names_are_refused_against_mypy(tmp_path):
    found = strictly_checked(tmp_path / "misspelt.py", MISSPELT)
    assert {int(line.split(":")[1]) for line in found if ": error: " in line} == {3, 4, 5, 6}


@pytest.mark.long
def test_python_of_the_readme_has_types_against_mypy(tmp_path):
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S).group(1)
    assert strictly_checked(tmp_path / "readme.py", code) == []


def test_star_import_brings_what_a_stub_lists():
    code = "from demur.auc import *; import demur.auc as auc; print(set(auc.__all__) <= set(globals()))"
    assert run_python(code) == ["True"]


def test_public_functions_and_classes_can_be_pickled():
    for value in (*FUNCTIONS.values(), *CLASSES.values()):
        assert pickle.loads(pickle.dumps(value)) is value


def run_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_import_is_light():
    heavy = ("matplotlib", "duckdb", "sklearn", "pandas", "numba", "scipy", "numpy", "click")
    loaded = run_python(f"import sys, demur; print(*[m for m in {heavy!r} if m in sys.modules])")
    assert loaded == []
    core = "import sys; from demur import abstention_surface as a; a([0, 1], [1, 2]).window(1, .5)"
    loaded = run_python(f"{core}; print(*[m for m in {heavy!r} if m in sys.modules])")
    assert loaded == ["numpy"]


def _results():
    y, s = [0, 1, 0, 1, 1], [0.1, 0.4, 0.3, 0.2, np.inf]
    surface = demur.abstention_surface(y, s)
    lines = demur.cost_line(0.1, 0.2, n_positive=5, n_negative=5), demur.cost_line(0.2, 0.2)
    return [
        surface,
        surface.window(1, 0.1),
        surface.window(costs=demur.CostModel(cost_fn=3)),
        surface.grid(4),
        surface.cells(),
        surface.minus(surface.trivial()),
        surface.counts,
        demur.roc_curve(y, s),
        demur.roc_curve(y, s).convex_hull(),
        demur.precision_recall_curve(y, s),
        demur.cost_curve(y, s),
        *lines,
        demur.costs.average_cost_curves(lines),
        demur.costs.cost_line_difference(y, y, [0, 1, 1, 1, 1]),
        demur.net_benefit_curve(y, s),
        demur.CostModel(cost_fn=3, cost_abstain=0.1),
    ]


@pytest.mark.parametrize("result", _results(), ids=lambda r: type(r).__name__)
def test_results_are_json_safe_frozen_and_short(result):
    json.dumps(result.to_dict(), allow_nan=False)
    assert len(repr(result)) < 2000
    if not isinstance(result, demur.ScoreCounts):
        field = next(iter(dataclasses.fields(result))).name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field, 3)
        with pytest.raises(TypeError):
            iter(result)
