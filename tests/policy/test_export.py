"""A policy in SQL and Python decides like `Policy.decide`, also at the thresholds."""

import math
import sqlite3
import sys

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur import InputError
from demur.policy.sql import DIALECTS, binary_fraction
from export_cases import INF, LABELS, WINDOWS, WORDS, hard_scores, policy

ROWS = 1_000_000


def in_duckdb(made, scores, column="score"):
    frame = pd.DataFrame({column: scores})  # noqa: F841 - DuckDB reads it
    with duckdb.connect() as connection:
        return [row[0] for row in connection.sql(f"select {made.to_sql(score=column)} from frame").fetchall()]


def in_sqlite(made, scores):
    with sqlite3.connect(":memory:") as connection:
        connection.execute("create table t (score)")
        connection.executemany("insert into t values (?)", [(score,) for score in scores])
        query = f"select {made.to_sql('sqlite')} from t order by rowid"
        decisions = [row[0] for row in connection.execute(query)]
    connection.close()
    return decisions


def in_python(made, scores):
    names = {}
    exec(compile(made.to_python(), "policy.py", "exec"), names)
    return [names["decide"](score) for score in scores]


# ---------------------------------------------------------------- by hand


def test_expression_by_hand():
    text = policy((0.25, 0.5), pos_label="ill", neg_label="well", abstain_label="ask").to_sql()
    head, _, expression = text.partition("*/")
    assert expression.split("\n") == [
        "",
        "CASE",
        '  WHEN "score" IS NULL OR isnan(CAST("score" AS DOUBLE)) THEN NULL',
        "  WHEN CAST(\"score\" AS DOUBLE) >= CAST('0.5' AS DOUBLE) THEN 'ill'",
        "  WHEN CAST(\"score\" AS DOUBLE) <= CAST('0.25' AS DOUBLE) THEN 'well'",
        "  ELSE 'ask'",
        "END",
    ]
    assert "cost_fn 100, cost_fp 40, cost_abstain 12" in head
    assert policy().evidence.digest in head


def test_function_by_hand():
    made = policy((0.25, 0.5), pos_label="ill", neg_label="well", abstain_label="ask")
    assert in_python(made, [0.5, 0.25, 0.3, None, math.nan, "0.9", INF, -INF]) == [
        "ill", "well", "ask", None, None, "ill", "ill", "well",
    ]  # fmt: skip
    assert "import" not in made.to_python().replace("imports", "")


# ---------------------------------------------------------------- the same decisions


@pytest.mark.parametrize("labels", LABELS, ids=["whole", "text", "number"])
@pytest.mark.parametrize("window", WINDOWS, ids=str)
@pytest.mark.parametrize("run", [in_duckdb, in_sqlite, in_python])
def test_hard_scores_against_decide(run, window, labels):
    made, scores = policy(window, **labels), hard_scores()
    assert run(made, scores.tolist()) == made.apply(scores).tolist()


@pytest.mark.parametrize("run", [in_duckdb, in_sqlite, in_python])
def test_a_million_scores_against_decide(run):
    made = policy(WINDOWS[0], pos_label="ill", neg_label="well", abstain_label="ask")
    scores = hard_scores([WINDOWS[0]], rows=ROWS)
    assert len(scores) > ROWS
    assert run(made, scores if run is in_duckdb else scores.tolist()) == made.apply(scores).tolist()


def test_scores_of_32_bits_against_decide():
    window = (float(np.float32(0.3)), 0.6)
    scores = np.array([0.3, 0.6, 0.60000002, 0.29999998, 0.1, 0.9], dtype=np.float32)
    made = policy(window)
    expected = made.decide(scores).tolist()
    assert expected[0] == 0
    assert in_duckdb(made, scores) == expected
    # the scores themselves, not turned into floats of Python
    assert in_python(made, list(scores)) == expected


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_missing_scores_get_no_decision(window):
    made = policy(window)
    assert in_duckdb(made, [math.nan, None, 0.5])[:2] == [None, None]
    assert in_sqlite(made, [math.nan, None, "abc", "0.5", b"1"]) == [None] * 5
    assert in_python(made, [math.nan, None, np.float32("nan")]) == [None] * 3


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_binary_fraction_is_exact_in_sqlite(value):
    connection = sqlite3.connect(":memory:")
    assert connection.execute(f"select {binary_fraction(value, 'REAL')}").fetchone()[0] == value
    connection.close()


# ---------------------------------------------------------------- one byte per case


@pytest.mark.parametrize("labels", LABELS, ids=["whole", "text", "number"])
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_categories_of_pandas_against_labels(window, labels):
    made, scores = policy(window, **labels), hard_scores(rows=200_000)
    found = made.apply(scores, output="pandas")
    assert found.codes.dtype == np.int8
    assert found.categories.tolist() == [made.neg_label, made.pos_label, made.abstain_label]
    assert np.asarray(found).tolist() == made.apply(scores).tolist()


def test_encoded_output_that_cannot_be(monkeypatch):
    with pytest.raises(InputError, match="`output` must be"):
        policy().apply([0.5], output="polars")
    with pytest.raises(InputError, match="`scores` must not contain NaN"):
        policy().apply([0.5, math.nan], output="pandas")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"needs pandas\. Hint: pip install pandas"):
        policy().apply([0.5], output="pandas")


# ---------------------------------------------------------------- names


@pytest.mark.parametrize("name", ["score", "select", "my score", 'a"b', "x.y", "[z]", "`t`", "Score"])
def test_any_name_of_a_column(name):
    made = policy(**WORDS)
    scores = np.array([0.1, 0.4, 0.9])
    assert in_duckdb(made, scores, name) == made.apply(scores).tolist()
    connection = sqlite3.connect(":memory:")
    quoted = DIALECTS["sqlite"].column(name)
    connection.execute(f"create table t ({quoted})")
    connection.executemany("insert into t values (?)", [(score,) for score in scores.tolist()])
    query = made.to_sql("sqlite", name, table="main.t", decision="what next")
    found = connection.execute(query)
    assert [column[0] for column in found.description] == [name, "what next"]
    assert [row[1] for row in found] == made.apply(scores).tolist()
    connection.close()


def test_sqlite_does_not_take_an_unknown_column_for_text():
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (other)")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        connection.execute(policy().to_sql("sqlite", table="t"))
    connection.close()


def test_other_names_of_dialects():
    made = policy()
    assert made.to_sql("PostgreSQL") == made.to_sql("postgres")
    assert made.to_sql("Spark SQL") == made.to_sql("spark")
    assert made.to_sql("T-SQL") == made.to_sql("tsql")


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dialect": "oracle"}, "`dialect` must be .*got 'oracle'"),
        ({"dialect": None}, "`dialect` must be"),
        ({"score": ""}, "`score` must be a name, got ''"),
        ({"score": 3}, "`score` must be a name, got 3"),
        ({"table": "a\0b"}, "`table` must be a name"),
        ({"table": "t", "decision": ""}, "`decision` must be a name"),
    ],
)
def test_wrong_arguments_of_sql(options, message):
    with pytest.raises(InputError, match=message):
        policy().to_sql(**options)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"pos_label": "a\0", "neg_label": "b", "abstain_label": "c"}, "must be text that other systems"),
        ({"pos_label": "\ud800", "neg_label": "b", "abstain_label": "c"}, "must be text that other systems"),
        ({"pos_label": 2**63}, "must fit into 64 bits"),
    ],
)
def test_labels_that_no_other_system_holds(labels, message):
    made = policy(**labels)
    with pytest.raises(InputError, match=message):
        made.to_sql()
    assert in_python(made, [0.9, 0.5]) == [made.pos_label, made.abstain_label]
