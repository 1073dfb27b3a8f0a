"""Rules of the smallest expected cost as policies: files, and the same decisions in other systems."""

import json
import math

import numpy as np
import pytest

from demur import InputError, Policy
from demur.surface.window import ABSTAIN
from expected_cost_cases import boundary_rows, learned
from exported import RUNS, in_duckdb, in_onnx, in_python, in_sqlite


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("seed", [0, 1])
def test_exports_decide_alike_on_boundaries(run, seed):
    made = Policy(rule=learned(seed), classes=("legit", "fraud"), abstain_label="ask")
    rows = boundary_rows(made.rule, 700)
    assert len(rows) > 2000
    assert run(made, rows) == made.apply(rows).tolist()


def test_rows_without_a_decision():
    made = Policy(rule=learned())
    broken = [[math.nan, 5.0], [0.5, math.nan], [0.5, -1.0], [0.5, 2e100], [math.inf, 5.0], [-math.inf, 5.0]]
    for run in (in_duckdb, in_python):
        assert run(made, broken) == [None] * 6
    assert in_sqlite(made, [[None, 5.0], [0.5, None], [0.5, -1.0], [0.5, "1"]]) == [None] * 4
    assert in_onnx(made, broken) == [ABSTAIN] * 6
    assert in_python(made, [[None, 5.0]]) == [None]


def test_file_comes_back(tmp_path):
    made = Policy(rule=learned(), model="risk")
    made.save(tmp_path / "policy.json")
    again = Policy.load(tmp_path / "policy.json")
    assert again.columns == ("score", "amount 0")
    assert again.rule.to_dict() == made.rule.to_dict()
    rows = boundary_rows(made.rule, 50)
    assert np.array_equal(again.decide(rows), made.decide(rows))


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("names", "score", "`names` must be a list of names"),
        ("costs", [[[1, 2]]], "`costs` must have the shape"),
        ("calibration", {"points": [1, 1], "values": [0, 1]}, "`calibration.points` must ascend"),
        (
            "calibration",
            {"points": [1, 2], "values": [0]},
            "`calibration` must hold as many points as values",
        ),
        ("weights", [1.0], "`weights` must be 2 numbers beside scale"),
        ("logs", {}, "`logs` must be a list"),
        ("least_saving", "x", "`least_saving` must be a number"),
    ],
)
def test_broken_files_are_refused_in_one_sentence(tmp_path, part, value, message):
    content = Policy(rule=learned()).to_dict()
    content["rule"][part] = value
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="is not a policy to trust") as error:
        Policy.load(path)
    assert message in str(error.value)
