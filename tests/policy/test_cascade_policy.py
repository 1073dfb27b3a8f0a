"""Cascades as policies: files, and the same decisions in SQL, Python and ONNX."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from demur import Policy
from demur.windows import Cascade
from exported import RUNS, in_duckdb, in_python, in_sqlite

INF = math.inf
NAMES = ("cheap", "large")


def cascade(cuts=(0.1, 0.4, 0.6, 0.9), lower=0.2, upper=0.7, prices=(0.02, 0.6), names=NAMES):
    return Cascade(names=names, cuts=cuts, lower=lower, upper=upper, prices=prices)


RULES = {
    "five segments": cascade(),
    "negative numbers": cascade((-3.5, -1.25, 0, 1e-300), -0.1, 0.3),
    "nobody": cascade((0.1, 0.9, 0.9, 0.9), 0.5, 0.5),
    "person first": cascade((-INF, -INF, 0.6, INF), -INF, 0.7),
    "person last": cascade((0.25, 0.5, INF, INF), 1 / 3, INF),
    "everything passed on": cascade((-INF, INF, INF, INF), 0.1, 0.2),
    "nothing passed on": cascade((0.1, 0.1, 0.7, 0.7), 0.1, 0.2),
    "always a person": cascade((-INF, -INF, INF, INF), 0.1, 0.2),
    "always negative": cascade((INF, INF, INF, INF), 0.1, 0.2),
    "always positive": cascade((-INF, -INF, -INF, -INF), 0.1, 0.2),
}


def boundary_rows(rule, rows=2000):
    """Rows of numbers at the thresholds, next to them, and at the ends of all floats."""
    ends = [*rule.cuts, rule.lower, rule.upper]
    values = [near for end in ends for near in (end, *(np.nextafter(end, to) for to in (-INF, INF)))]
    values += [-INF, INF, 0.0, -0.0, 0.15, 0.45, 0.65]
    return np.random.default_rng(0).choice(values, (rows, 2))


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("run", RUNS)
def test_boundary_rows_against_apply(run, name):
    made = Policy(rule=RULES[name], classes=("no", "yes"), abstain_label="ask")
    rows = boundary_rows(RULES[name])
    assert run(made, rows.tolist()) == made.apply(rows).tolist()


@pytest.mark.parametrize("run", [in_duckdb, in_sqlite, in_python])
def test_missing_numbers_get_no_decision(run):
    made = Policy(rule=cascade())
    rows = [[0.05, None], [None, 0.5], [math.nan, 0.5], [0.05, math.nan], [0.05, 0.5]]
    assert run(made, rows) == [None, None, None, None, 0]


@pytest.mark.parametrize("name", RULES)
def test_files_bring_the_rule_back(name, tmp_path):
    rule = RULES[name]
    assert Cascade.from_dict(json.loads(json.dumps(rule.to_dict()))) == rule
    made = Policy(rule=rule, classes=("no", "yes"), chosen="cascade")
    assert made.columns == NAMES
    made.save(tmp_path / "policy.json")
    loaded = Policy.load(tmp_path / "policy.json")
    assert loaded.rule == rule
    rows = boundary_rows(rule, 50)
    assert loaded.apply(pd.DataFrame(rows, columns=NAMES)).tolist() == made.apply(rows).tolist()
