"""Policies with places for every batch decide alike in Python, DuckDB, SQLite and PostgreSQL."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from demur import ABSTAIN, InputError, Policy
from demur.costs.budget import Places
from demur.policy.sql import DIALECTS
from demur.windows import Budgeted, ExpectedCostRule, PiecewiseLinear, Window
from postgres_server import postgres_fixture  # noqa: F401 - a fixture

N = 2000


def made(per="day", *, amounts=True, least=0.0, reviews=7, text_key=True, labels=("well", "ill"), **how):
    """A rule with awkward numbers: of the score alone, or of the score and what the amount tells."""
    chance = PiecewiseLinear(np.array([-1.1, 0.1, 1 / 3, 2.5]), np.array([0.02, 0.1, 0.1, 0.9]))
    costs = np.array([[[0.0, 0.0], [40.1, 0.0], [5.3, 0.0]], [[0.0, 0.7], [0.0, 0.0], [5.3, 0.0]]])
    more = {}
    if amounts:
        logs = PiecewiseLinear(2.0 ** np.arange(9), np.arange(9.0))
        more = {"scale": chance, "logs": (logs,), "weights": (1.3, 0.07)}
    else:
        costs = costs[:, :, :1] + np.array([[[0.0], [0.0], [0.0]], [[80.0], [0.0], [0.0]]])
    names = ("m", "amount") if amounts else ("m",)
    rule = ExpectedCostRule(names=names, calibration=chance, costs=costs, **more)
    places = Places(reviews, "date", "id", per, text_key, **how)
    made = Budgeted(inner=rule, places=places, least_saving=least)
    return Policy(rule=made, classes=labels, model="m", chosen="budgeted")


def cases(n=N, seed=0, *, text_key=True):
    """Cases with many ties: scores and amounts have few values, and days many cases."""
    rng = np.random.default_rng(seed)
    minutes = rng.integers(0, 60 * 24 * 30, n).astype("m8[m]")
    numbers = rng.permutation(n)
    words = np.array(["B{}é", "a{}", "Z{}", "_{}"])[numbers % 4]
    return pd.DataFrame(
        {
            "id": [word.format(key) for word, key in zip(words, numbers, strict=True)]
            if text_key
            else numbers,
            "m": np.round(rng.normal(0.5, 1, n), 1),
            "amount": np.round(rng.lognormal(3.5, 1, n), -1),
            "date": (np.datetime64("2026-02-20T00:00:00") + minutes).astype("datetime64[s]"),
        }
    )


def as_text(frame):
    return frame.assign(date=frame["date"].astype(str))


def in_duckdb(policy, frame):  # DuckDB reads the frame
    found = duckdb.sql(policy.to_sql(table="frame")).df()
    return found.set_index("id")["decision"].loc[frame["id"]].tolist()


def in_sqlite(policy, frame):
    with sqlite3.connect(":memory:") as connection:
        as_text(frame).to_sql("frame", connection, index=False)
        found = pd.read_sql(policy.to_sql("sqlite", table="frame"), connection)
    connection.close()
    return found.set_index("id")["decision"].loc[frame["id"]].tolist()


def in_python(policy, frame):
    names = {}
    exec(compile(policy.to_python(), "policy.py", "exec"), names)
    assert "import" not in policy.to_python()
    rows = frame[list(names["COLUMNS"])].to_numpy().tolist()
    return names["decide_batch"](rows)


# ---------------------------------------------------------------- the same decisions


@pytest.mark.parametrize("run", [in_duckdb, in_sqlite, in_python])
@pytest.mark.parametrize("per", ["hour", "day", "week", "month"])
@pytest.mark.parametrize("how", [{}, {"arrival": True, "least": 3.7}], ids=["whole day", "arrival"])
def test_decisions_with_ties_against_decide(run, per, how):
    policy, frame = made(per, reviews={"hour": 1, "day": 7, "week": 40, "month": 90}[per], **how), cases()
    expected = policy.apply(frame)
    assert 150 < (expected == "abstain").sum() < 800
    assert len(frame["m"].unique()) < 80
    assert run(policy, frame) == expected.tolist()


@pytest.mark.parametrize("run", [in_duckdb, in_sqlite, in_python])
@pytest.mark.parametrize("text_key", [True, False])
def test_batches_as_they_stand_and_a_score_alone_against_decide(run, text_key):
    policy = made(None, amounts=False, text_key=text_key, labels=(0, 1))
    frame = cases(text_key=text_key)
    frame["date"] = frame["date"].dt.day
    expected = policy.decide(frame)
    assert (expected == ABSTAIN).sum() > 150
    assert run(policy, frame) == expected.tolist()


@pytest.mark.parametrize("how", [{}, {"arrival": True, "least": 3.7}], ids=["whole day", "arrival"])
def test_decisions_in_postgres_against_decide(postgres, how):
    policy, frame = made(**how), cases()
    text = frame.to_csv(index=False, header=False)
    postgres.run(
        "drop table if exists frame;"
        "create table frame (id text, m double precision, amount double precision, date timestamp);\n"
        "copy frame from :'rows' with (format csv);",
        rows=text,
    )
    query = policy.to_sql("postgres", table="frame")
    answer = postgres.run(f"select id || ' ' || decision from ({query}) as decided;")
    found = dict(line.split(" ") for line in answer.splitlines())
    assert [found[key] for key in frame["id"]] == policy.apply(frame).tolist()


@pytest.mark.parametrize("per", ["day", "week", None])
def test_places_left_over_in_python_source_against_decide(per):
    frame = cases(seed=1)
    quiet = frame["date"].dt.day % 3 == 0 if per != "week" else frame["date"].dt.day < 10
    frame = frame[~quiet | (frame.index % 30 == 0)]
    if per is None:
        frame["date"] = frame["date"].dt.day.astype(str)
    reviews = 90 if per == "week" else 12
    policy = made(per, carry_over=True, reviews=reviews)
    expected = policy.apply(frame).tolist()
    assert expected != made(per, reviews=reviews).apply(frame).tolist()
    assert in_python(policy, frame) == expected


@pytest.mark.parametrize("run", [in_duckdb, in_sqlite, in_python])
def test_rows_without_a_decision_take_no_place(run):
    frame = cases(300)
    policy = made("month", reviews=5)
    best = frame[policy.decide(frame) == ABSTAIN].index[:3]
    broken = frame.copy()
    broken.loc[best[0], "m"] = np.nan
    broken.loc[best[1], "amount"] = -1.0
    broken.loc[best[2], "date"] = pd.NaT
    kept = broken.drop(best)
    expected = policy.apply(kept).tolist()
    found = pd.Series(run(policy, broken), index=broken.index, dtype=object)
    assert found[best].isna().all()
    assert found.drop(best).tolist() == expected


def test_a_row_without_a_key_takes_no_place():
    policy, frame = made("month", reviews=5), cases(300)
    best = frame[policy.decide(frame) == ABSTAIN].index[0]
    broken = frame.copy()
    broken.loc[best, "id"] = None
    expected = policy.apply(frame.drop(best)).tolist()
    for run in (in_python, lambda made, rows: duckdb.sql(made.to_sql(table="rows")).df()["decision"]):
        found = [one for one in run(policy, broken) if one is not None and one == one]
        assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("per", ["hour", "day", "week", "month"])
def test_every_database_gets_a_query(dialect, per):
    sqlglot = pytest.importorskip("sqlglot")
    query = made(per).to_sql(dialect, table="main.cases", decision="what to do")
    assert query.count("ROW_NUMBER() OVER (PARTITION BY") == 1
    if (dialect, per) != ("tsql", "week"):  # sqlglot does not know iso_week
        assert sqlglot.parse_one(query, dialect=dialect).named_selects[-1] == "what to do"


# ---------------------------------------------------------------- refusals


def test_what_cannot_be_exported_is_one_sentence():
    with pytest.raises(InputError, match="`table` is needed: this policy gives places to whole batches"):
        made().to_sql()
    with pytest.raises(InputError, match="SQL does not know the places that earlier batches left over"):
        made(carry_over=True).to_sql(table="cases")
    with pytest.raises(InputError, match="places to whole batches, and ONNX decides row by row"):
        made().to_onnx()


def test_decide_says_that_whole_batches_are_needed():
    policy, frame = made(), cases(50)
    with pytest.raises(InputError, match="must have the column 'date': this policy gives places to whole"):
        policy.decide(frame.drop(columns="date"))
    with pytest.raises(InputError, match="must have 4 columns"):
        policy.decide(frame[["m", "amount", "id"]].to_numpy())


# ---------------------------------------------------------------- whole tables


def test_decide_batch_takes_frames_arrays_and_other_batches():
    policy, frame = made(reviews=3), cases(400)
    codes = policy.decide(frame)
    assert np.array_equal(policy.decide_batch(frame), codes)
    assert np.array_equal(policy.decide_batch(pl.from_pandas(frame)), codes)
    assert np.array_equal(policy.decide_batch(frame[["m", "amount", "date", "id"]].to_numpy()), codes)
    renamed = frame.rename(columns={"date": "came"})
    assert np.array_equal(policy.decide_batch(renamed, batch="came"), codes)
    assert np.array_equal(policy.decide_batch(renamed, batch=frame["date"]), codes)
    without = frame[["m", "amount", "id"]].to_numpy()
    assert np.array_equal(policy.decide_batch(without, batch=frame["date"].to_numpy()), codes)


def test_without_a_batch_all_rows_are_one():
    for policy in (made(reviews=3), made(None, reviews=3)):
        frame = cases(400).drop(columns="date")
        codes = policy.decide_batch(frame)
        assert (codes == ABSTAIN).sum() == 3
        saving = policy.rule.inner.savings(frame[["m", "amount"]].to_numpy())
        assert saving[codes == ABSTAIN].min() >= np.sort(saving)[-3]


def test_decide_batch_needs_its_columns():
    policy, frame = made(), cases(50)
    with pytest.raises(InputError, match="must have the column 'id'"):
        policy.decide_batch(frame.drop(columns="id"))
    with pytest.raises(InputError, match="must have the column 'day'"):
        policy.decide_batch(frame, batch="day")
    with pytest.raises(InputError, match="must have the columns m, amount, date, id"):
        policy.decide_batch(np.ones((4, 2)))


def test_other_rules_decide_row_by_row():
    policy = Policy(rule=Window(0.2, 0.6), chosen="constrained")
    assert policy.decide_batch([0.1, 0.5, 0.9]).tolist() == [0, ABSTAIN, 1]


def test_a_file_gives_the_same_policy_back(tmp_path):
    policy, frame = made(arrival=True, least=2.5, carry_over=True), cases(400)
    policy.save(tmp_path / "policy.json")
    loaded = Policy.load(tmp_path / "policy.json")
    assert loaded.to_json() == policy.to_json()
    assert loaded.columns == ("m", "amount", "date", "id")
    assert np.array_equal(loaded.decide(frame), policy.decide(frame))


def test_frames_and_arrays_of_objects_decide_alike():
    rng = np.random.default_rng(0)
    n = 200
    dates = np.datetime64("2026-03-01T00:00") + rng.integers(0, 9 * 24 * 3600 * 1000, n).astype("m8[ms]")
    columns = {"id": rng.permutation(n), "m": np.round(rng.random(n), 1), "date": dates}
    chance = PiecewiseLinear(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    inner = ExpectedCostRule(names=("m",), calibration=chance, costs=[[[0], [40], [5]], [[100], [0], [5]]])
    rule = Budgeted(inner=inner, places=Places(3, "date", "id", "day", text_key=False))
    codes = rule.decide(pd.DataFrame(columns))
    assert (codes == ABSTAIN).sum() == 27
    assert np.array_equal(rule.decide(pl.DataFrame(columns)), codes)
    rows = pd.DataFrame(columns)[["m", "date", "id"]].to_numpy()
    assert np.array_equal(rule.decide(rows), codes)
    assert np.array_equal(rule.decide([[*row[:1], str(row[1]), row[2]] for row in rows]), codes)
    with pytest.raises(InputError, match=r"must have 3 columns .m, date, id.*whole batches"):
        rule.decide(rows[:, ::2])
