"""Policies on files: DuckDB decides from Parquet like NumPy, where rules compute numbers first."""

import duckdb
import numpy as np
import pytest

from demur import Policy
from demur.engines.row_stream import open_rows
from demur.monitoring.application import Application
from demur.windows import ByGroup, ClassRule, Combined, Window

N = 3000


def _classes(rng):
    costs = rng.integers(1, 4, (5, 6)).astype(float)
    rule = ClassRule(classes=list("abcde"), weights=np.ones(5), abstain_weight=1.0, column_costs=costs)
    # few different numbers: many ties
    return Policy(rule=rule, abstain_label="ask"), dict(
        zip("abcde", rng.integers(1, 4, (5, N)) / 4, strict=True)
    )


def _groups(rng):
    rules = {
        str(place): (
            ["one", "two"],
            Combined(
                how="variance", names=("m", "n"), window=Window(0.3, 0.4 + place / 200), max_disagreement=0.1
            ),
        )
        for place in range(60)
    }
    rule = ByGroup(column="place", rules=rules, fallback=(["one"], Window(0.2, 0.8)))
    scores = {name: rng.integers(0, 100, N) / 100 for name in ("one", "two")}
    return Policy(rule=rule), {**scores, "place": rng.integers(0, 70, N)}


@pytest.mark.parametrize("made", [_classes, _groups])
def test_decisions_in_the_database_against_numpy(rng, tmp_path, made):
    policy, columns = made(rng)
    table = {"row": np.arange(N), **columns}
    with duckdb.connect() as connection:
        connection.register("cases", table)
        connection.sql("select * from cases").write_parquet(str(tmp_path / "cases.parquet"))
    with open_rows(str(tmp_path / "cases.parquet")) as stream:
        applied = Application(policy, stream, policy.columns)
        applied.write_parquet(str(tmp_path / "decided.parquet"))
    found = duckdb.sql(f"select row, decision from '{tmp_path / 'decided.parquet'}'").fetchall()
    expected = policy.apply(np.column_stack([columns[name].astype(object) for name in policy.columns]))
    assert found == list(enumerate(expected.tolist()))
    assert applied.counts.total() == N
    assert len(set(expected)) > 2
