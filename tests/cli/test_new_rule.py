"""A rule that demur does not know: one class and one entry, and everything that takes a policy takes it."""

import csv
import sqlite3
from dataclasses import dataclass
from typing import ClassVar

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import polars as pl
import pytest

from demur import ABSTAIN, Policy
from demur._files.values import part
from demur.policy.sql import DIALECTS
from demur.windows.expression import Case, Column, Comparison, Decision, Number, Product
from demur.windows.rule import RULES, register_rule


@dataclass(frozen=True)
class AmountAtRisk:
    """Positive where odds times amount exceed a limit, negative where the amount is small, else abstain."""

    limit: float
    small: float
    kind: ClassVar[str] = "amount at risk"

    @property
    def inputs(self):
        return 2

    def decide(self, table, /):
        odds, amount = np.asarray(table, dtype=float).T
        return np.where(odds * amount > self.limit, 1, np.where(amount <= self.small, 0, ABSTAIN))

    def to_dict(self):
        return {"kind": self.kind, "limit": self.limit, "small": self.small}

    @classmethod
    def from_dict(cls, data):
        return cls(part(data, "limit", float), part(data, "small", float))

    def to_expression(self, columns, labels):
        odds, amount = map(Column, columns)
        negative, positive, abstain = labels
        branches = (
            (Comparison(">", Product(odds, amount), Number(self.limit)), positive),
            (Comparison("<=", amount, Number(self.small)), negative),
        )
        return Decision(tuple(columns), None, Case(branches, abstain))


ROWS = np.array(
    [[0.1, 50], [0.3, 100], [0.1 + 0.2, 100], [2, 20], [0.2, 5.0], [0.1, 1e6], [0, 10], [0, 10.1]]
)
LABELS = ["ask", "ask", "fraud", "fraud", "fine", "fraud", "fine", "ask"]


@pytest.fixture
def policy():
    register_rule(AmountAtRisk)
    yield Policy(
        rule=AmountAtRisk(30.0, 10.0),
        classes=("fine", "fraud"),
        abstain_label="ask",
        columns=("odds", "amount"),
        model="risk",
    )
    del RULES[AmountAtRisk.kind]


def test_decisions_by_hand_and_from_a_file(policy, tmp_path):
    assert policy.apply(ROWS).tolist() == LABELS
    policy.save(tmp_path / "policy.json")
    back = Policy.load(tmp_path / "policy.json")
    assert back.rule == policy.rule
    assert back.to_dict() == policy.to_dict()
    assert back.apply(ROWS).tolist() == LABELS
    assert (back.lower, back.upper, back.expected_cost, back.evidence) == (None, None, None, None)


@pytest.mark.parametrize("frame", [pd.DataFrame, lambda columns: pl.DataFrame(columns)])
def test_frames_hold_the_columns_in_any_order(policy, frame):
    table = frame({"id": range(len(ROWS)), "amount": ROWS[:, 1], "odds": ROWS[:, 0]})
    assert policy.apply(table).tolist() == LABELS


def test_other_languages_decide_alike(policy):
    odds, amount = ROWS.T  # DuckDB reads them
    frame = pd.DataFrame({"odds": odds, "amount": amount})  # noqa: F841
    found = duckdb.sql(policy.to_sql("duckdb", table="frame")).fetchall()
    assert [row[-1] for row in found] == LABELS
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (o, a)")
    connection.executemany("insert into t values (?, ?)", [*ROWS.tolist(), [None, 1.0], ["x", 1.0]])
    found = connection.execute(policy.to_sql("sqlite", ["o", "a"], table="t")).fetchall()
    connection.close()
    assert [row[-1] for row in found] == [*LABELS, None, None]
    names = {}
    exec(compile(policy.to_python(), "policy.py", "exec"), names)
    assert [names["decide"](row) for row in [*ROWS.tolist(), [None, 1], [np.nan, 1]]] == [*LABELS, None, None]
    session = onnxruntime.InferenceSession(policy.to_onnx().SerializeToString())
    found = session.run(None, {"proba": np.vstack([ROWS, [np.nan, 1.0]])})[0].tolist()
    assert found == [*LABELS, "ask"]
    assert all("odds" in policy.to_sql(dialect) for dialect in DIALECTS)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_command_line_applies_it(run, policy, tmp_path, ending):
    policy.save(tmp_path / "policy.json")
    frame = pd.DataFrame({"id": range(len(ROWS)), "odds": ROWS[:, 0], "amount": ROWS[:, 1]})
    frame.to_csv(tmp_path / "new.csv", index=False)
    duckdb.sql("select * from frame").write_parquet(str(tmp_path / "new.parquet"))
    answer = run("apply", "policy.json", f"new.{ending}", "-o", "out.csv")
    assert answer.code == 0, answer.err
    with open(tmp_path / "out.csv", newline="") as handle:
        assert [row["decision"] for row in csv.DictReader(handle)] == LABELS
    assert " ".join(answer.err.split()).startswith("8 rows: 2 fine, 3 fraud, 3 abstained on.")
    assert run("apply", "policy.json", f"new.{ending}", "-o", "out.parquet", "-q").code == 0
    decided = duckdb.sql(f"select decision from '{tmp_path / 'out.parquet'}'").fetchall()
    assert [row[0] for row in decided] == LABELS
