"""A policy for many classes: file, labels, and the same decisions in SQL, Python and ONNX."""

import json
import math
import sqlite3

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import pytest
import sqlglot

from class_cases import BROKEN, RULES, WORDS, class_policy, hard_rows
from demur import InputError, Policy, compare_models
from demur.policy.sql import DIALECTS
from demur.surface.window import ABSTAIN
from demur.windows import ClassRule
from exported import in_onnx, in_python

COLUMNS = ["p a", "select", 'b"c']


def in_duckdb(made, rows):
    frame = pd.DataFrame(rows, columns=COLUMNS, dtype=float)  # noqa: F841 - DuckDB reads it
    with duckdb.connect() as connection:
        query = f"select {made.to_sql(columns=COLUMNS)} from frame"
        return [row[0] for row in connection.sql(query).fetchall()]


def in_sqlite(made, rows):
    with sqlite3.connect(":memory:") as connection:
        named = ", ".join(map(DIALECTS["sqlite"].column, COLUMNS))
        connection.execute(f"create table t ({named})")
        connection.executemany("insert into t values (?, ?, ?)", rows)
        query = made.to_sql("sqlite", COLUMNS, table="t", decision="d")
        decisions = [row[-1] for row in connection.execute(query)]
    connection.close()
    return decisions


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("run", [in_duckdb, in_sqlite, in_python, in_onnx])
def test_hard_rows_against_apply(run, rule):
    rows = hard_rows()
    whole = run is in_duckdb
    made = class_policy(rule, (3, 1, 2)) if whole else class_policy(rule, WORDS, abstain_label="?")
    assert run(made, rows.tolist()) == made.apply(rows).tolist()


@pytest.mark.parametrize("rule", ["abstaining", "columns"])
def test_broken_rows_get_no_decision(rule):
    made = class_policy(rule)
    assert in_duckdb(made, BROKEN) == [None] * 5
    assert in_sqlite(made, [*BROKEN, ["0.5", 0.2, 0.3]]) == [None] * 6
    assert in_python(made, BROKEN) == [None] * 5
    # ONNX knows no missing label
    assert in_onnx(made, BROKEN) == ["abstain"] * 5


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_parser_of_the_dialect_reads_the_query(dialect):
    names = ["p a", "b", 'b"c']
    query = class_policy("columns", WORDS, abstain_label="?").to_sql(dialect, names, table="lake.scores")
    (tree,) = sqlglot.parse(query, read=dialect)
    assert tree.selects[-1].alias == "decision"
    assert {column.name for column in tree.find_all(sqlglot.exp.Column)} == set(names)


def test_behind_a_classifier():
    from skl2onnx import to_onnx
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    x = (rng.normal(size=(60, 2)) + y[:, None]).astype(np.float32)
    model = GaussianNB().fit(x, np.array(["c", "a", "b"])[y])
    made = class_policy("weights", ("c", "a", "b"))
    both = made.to_onnx(to_onnx(model, x[:1], options={"zipmap": False}))
    session = onnxruntime.InferenceSession(both.SerializeToString())
    decision, proba = session.run(["decision", "proba"], {session.get_inputs()[0].name: x})
    # columns in the order of the policy: c, a, b
    assert proba == pytest.approx(model.predict_proba(x)[:, [2, 0, 1]], abs=1e-4)
    assert decision.tolist() == made.apply(proba).tolist()


def test_file_comes_back(tmp_path):
    rng = np.random.default_rng(1)
    y = np.arange(60) % 3
    p = rng.dirichlet([1, 1, 1], 60) + 0.5 * np.eye(3)[y]
    costs = {0: {1: 1, 2: 4}, 1: {0: 3, 2: 2}, 2: {0: 8, 1: 6}}
    answer = compare_models(y, {"new": p}, classes=[0, 1, 2], costs=costs, abstain_cost=0.9).answer
    made = Policy.from_answer(answer)
    assert isinstance(made.rule, ClassRule)
    made.save(tmp_path / "policy.json")
    back = Policy.load(tmp_path / "policy.json")
    assert back.to_dict() == made.to_dict()
    assert made.to_dict()["version"] == 3
    assert back.expected_cost == answer.cost
    assert back.evidence.digest == answer.digest
    assert back.abstain_label == -1
    assert np.array_equal(back.decide(p), answer.decide(p))
    assert back.apply(p).tolist() == np.where(answer.decide(p) == ABSTAIN, -1, answer.decide(p)).tolist()
    assert back.apply(p, output="pandas").tolist() == back.apply(p).tolist()
    assert back.apply(p, output="arrow").to_pylist() == back.apply(p).tolist()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"classes": ["a"]}, "`costs.values` must have the shape"),
        ({"classes": ["a", "b", "d"]}, "`classes` must be those of the rule"),
        ({"abstain_label": "a"}, "`abstain_label` must differ from every class"),
        ({"abstain_label": 3}, "must be all strings or all numbers"),
        ({"columns": ["x", "x", "y"]}, "`columns` must be 3 different names"),
        ({"costs": {"kind": "matrix", "values": [[0, 1], [1, 0]]}}, r"must have the shape \(3, 3\)"),
        ({"costs": {"kind": "matrix", "values": [[0, 1, 1], [1], [1, 1, 0]]}}, "rows of one length"),
        ({"version": 4}, "`version` must be"),
        ({"rule": {"kind": "class weights"}}, "`classes` is missing"),
        ({"rule": {"kind": "class weights", "classes": ["a"]}}, "`classes` must list at least two"),
        ({"rule": {"kind": "class weights", "classes": ["a", "b", "c"]}}, "`family` is missing"),
        ({"promise": {"cost": "much"}}, "must be a number"),
    ],
)
def test_broken_files_are_refused_in_one_sentence(tmp_path, changed, message):
    path = tmp_path / "policy.json"
    path.write_text(json.dumps({**class_policy().to_dict(), **changed}))
    with pytest.raises(InputError, match=message) as told:
        Policy.load(path)
    assert "is not a policy to trust" in str(told.value)


def test_wrong_arguments():
    with pytest.raises(InputError, match="`columns` must name 3 columns"):
        class_policy().to_sql(columns=["a", "b"])
    with pytest.raises(InputError, match="`output` needs `model`"):
        class_policy().to_onnx(output="x")
    with pytest.raises(InputError, match="must not contain NaN"):
        class_policy().apply([[math.nan, 1, 1]])
    with pytest.raises(InputError, match=r"`rule` must be a rule .*, got str"):
        Policy(rule="weights")
