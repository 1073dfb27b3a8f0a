"""Cuts as policies: by hand, files, SQL, Python and ONNX at every boundary."""

import math
import sqlite3

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import pytest

from demur import InputError, Policy
from demur.policy.sql import DIALECTS
from demur.surface.window import ABSTAIN
from demur.windows import Cuts

INF = math.inf
STAGES = ("healthy", "early", "late")
RULES = {
    "levels": Cuts(classes=STAGES, cuts=(0.25, 0.75), actions=(0, 1, 2)),
    "gaps": Cuts(classes=STAGES, cuts=(0.1, 0.3, 0.3, 0.9), actions=(0, ABSTAIN, 1, ABSTAIN, 2)),
    "spread": Cuts(classes=("predict",), cuts=(0.4,), actions=(0, ABSTAIN)),
    "no first level": Cuts(classes=STAGES, cuts=(-INF, 0.5), actions=(0, ABSTAIN, 2)),
    "no last level": Cuts(classes=STAGES, cuts=(0.5, INF), actions=(0, 1, 2)),
    "never": Cuts(classes=("predict",), cuts=(-INF,), actions=(0, ABSTAIN)),
    "always": Cuts(classes=("predict",), cuts=(INF,), actions=(0, ABSTAIN)),
}
SAID = {
    "levels": "call healthy up to 0.25, early up to 0.75, late above",
    "gaps": "call healthy up to 0.1, late above 0.9, send the rest to a person",
    "spread": "call predict up to 0.4, send the rest to a person",
    "no first level": "call late above 0.5, send the rest to a person",
    "no last level": "call healthy up to 0.5, early above",
    "never": "send every case to a person",
    "always": "call predict",
}


def boundaries(rule):
    ends = [cut for cut in rule.cuts if math.isfinite(cut)]
    return np.array([-1e308, 0.0, 0.45, 1e308, *(np.nextafter(c, to) for c in ends for to in (-INF, c, INF))])


def policy(rule):
    return Policy(rule=rule, abstain_label="ask", model="score", chosen=rule.kind)


def test_by_hand():
    assert RULES["levels"].decide([0.25, 0.2500001, 0.75, 9]).tolist() == [0, 1, 1, 2]
    assert RULES["gaps"].decide([0.1, 0.3, 0.9, 1.0]).tolist() == [0, ABSTAIN, ABSTAIN, 2]
    assert RULES["no first level"].decide([-INF, 0.5, INF]).tolist() == [ABSTAIN, ABSTAIN, 2]
    assert RULES["no last level"].decide([-INF, 0.5, INF]).tolist() == [0, 0, 1]
    assert {name: rule.words(rule.classes) for name, rule in RULES.items()} == SAID


@pytest.mark.parametrize("name", RULES)
def test_files_and_other_languages_against_decide_at_every_boundary(name, tmp_path):
    rule = RULES[name]
    made, scores = policy(rule), boundaries(rule)
    assert rule.abstains == (ABSTAIN in rule.decide(scores))
    made.save(tmp_path / "policy.json")
    assert Policy.load(tmp_path / "policy.json").to_dict() == made.to_dict()
    assert Policy.load(tmp_path / "policy.json").rule == rule
    wanted = made.apply(scores).tolist()
    frame = pd.DataFrame({"score": [*scores, math.nan]})  # noqa: F841 - DuckDB reads it
    with duckdb.connect() as connection:
        found = connection.sql(made.to_sql("duckdb", table="frame")).fetchall()
    assert [row[-1] for row in found] == [*wanted, None]
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (score)")
    connection.executemany("insert into t values (?)", [(score,) for score in [*scores, None]])
    found = connection.execute(f"{made.to_sql('sqlite', table='t')} order by rowid").fetchall()
    connection.close()
    assert [row[-1] for row in found] == [*wanted, None]
    names = {}
    exec(compile(made.to_python(), "policy.py", "exec"), names)
    assert [names["decide"](score) for score in [*scores, None]] == [*wanted, None]
    session = onnxruntime.InferenceSession(made.to_onnx().SerializeToString())
    assert session.run(None, {"score": np.append(scores, math.nan)})[0].tolist() == [*wanted, "ask"]
    assert all("score" in made.to_sql(dialect) for dialect in DIALECTS)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cuts": [0.7, 0.2]}, "`cuts` must ascend"),
        ({"cuts": [0.2, math.nan]}, "`cuts` must not be NaN"),
        ({"cuts": [0.2]}, "`actions` must be 2, one more than cuts, got 3"),
        ({"actions": [0, 1, 3]}, "`actions` must be places among 3 classes, or -1, got 3"),
        ({"actions": [0, 1, True]}, "`actions` must be places among 3 classes, or -1, got True"),
        ({"classes": ["a", "a", "b"]}, "`classes` must be distinct"),
    ],
)
def test_errors(changes, message):
    with pytest.raises(InputError, match=message):
        Cuts(**{"classes": STAGES, "cuts": (0.25, 0.75), "actions": (0, 1, 2), **changes})


def test_files_with_other_parts_are_refused():
    for name, value, message in (
        ("cuts", None, "`cuts` must be a list"),
        ("actions", "012", "`actions` must be a list"),
        ("cuts", [0.1, "x"], "`cuts` must be a number"),
    ):
        with pytest.raises(InputError, match=message):
            Cuts.from_dict({**RULES["levels"].to_dict(), name: value})
    with pytest.raises(InputError, match="`classes` must be those of the rule"):
        Policy(rule=RULES["levels"], classes=("a", "b", "c"))
