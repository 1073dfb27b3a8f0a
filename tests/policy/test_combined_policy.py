"""Rules of several scores by hand, and in other languages bit for bit: combinations and guards."""

import itertools
import math
import sqlite3

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import pytest

from demur import ABSTAIN, InputError, Policy
from demur.policy.sql import DIALECTS
from demur.windows import Combined, Guarded, Window

INF = math.inf
NAMES = ("cheap", "large", "third")
CLASSES = ("well", "ill")


def combined(how, names=NAMES[:2], window=(0.3, 0.6), **parts):
    return Combined(how=how, names=names, window=Window(*window), **parts)


VOTES = (Window(0.2, 0.7), Window(0.5, 0.5), Window(-INF, 0.9))
RULES = {
    "average": combined("average"),
    "average of three": combined("average", NAMES, (0.3, 0.3)),
    "average, never negative": combined("average", window=(-INF, 0.6)),
    "average, always positive": combined("average", window=(-INF, -INF)),
    "vote": combined("vote", NAMES, (-0.5, 0.5), windows=VOTES),
    "vote, one always": combined(
        "vote", NAMES, (0, 0), windows=(Window(INF, INF), Window(-INF, -INF), Window(0.2, INF))
    ),
    "vote of nobody": combined("vote", window=(-0.5, 0.5), windows=(Window(-INF, INF),) * 2),
    "variance": combined("variance", NAMES, max_disagreement=0.02),
    "variance, one threshold": combined("variance", window=(0.4, 0.4), max_disagreement=0.0),
    "variance without a limit": combined("variance"),
    "guard": Guarded(lower=0.3, upper=0.6, max_doubt=2.1, names=("cheap", "far")),
    "guard, one threshold": Guarded(lower=0.5, upper=0.5, max_doubt=0.3, names=("cheap", "far")),
    "guard without a limit": Guarded(lower=-INF, upper=0.6, max_doubt=INF, names=("cheap", "far")),
}


def boundary_rows(rule):
    """Numbers at and beside everything that is compared, in all combinations, and random ones."""
    near = [0.3, 0.6, 0.2, 0.7, 0.5, 0.9, 0.4, 0.1 + 0.2]
    near = [value for at in near for value in (np.nextafter(at, -1), at, np.nextafter(at, 2))]
    second = near
    if isinstance(rule, Guarded):
        second = [rule.max_doubt, np.nextafter(rule.max_doubt, -INF), np.nextafter(rule.max_doubt, INF), 0.0]
    rows = [pair for pair in itertools.product(near, second) if np.isfinite(pair).all()]
    rng = np.random.default_rng(0)
    table = np.array(rows)
    if rule.inputs == 3:  # a third score that brings the mean near a threshold
        third = rng.choice([0.3, 0.6], len(table)) * 3 - table.sum(axis=1)
        table = np.column_stack([table, third])
    return np.vstack([table, rng.random((500, rule.inputs)), rng.integers(0, 11, (500, rule.inputs)) / 10])


# ---------------------------------------------------------------- by hand


def test_average_by_hand():
    table = [[0.1, 0.3], [0.4, 0.5], [0.6, 0.6], [0.2, 0.4], [0.9, 0.2]]
    assert RULES["average"].decide(table).tolist() == [0, ABSTAIN, 1, ABSTAIN, ABSTAIN]
    # (0.2 + 0.4) / 2 is a little more than 0.3
    assert RULES["average"].score(np.array(table))[3] == 0.30000000000000004


def test_vote_by_hand():
    # cheap: -1 up to 0.2, 1 from 0.7; large: 1 from 0.5, else -1; third: 1 from 0.9
    table = np.array([[0.1, 0.4, 0.5], [0.5, 0.5, 0.5], [0.7, 0.4, 0.5], [0.7, 0.5, 0.9], [0.2, 0.1, 0.9]])
    rule = RULES["vote"]
    assert rule.score(table).tolist() == [-2, 1, 0, 3, -1]
    assert rule.decide(table).tolist() == [0, 1, ABSTAIN, 1, 0]


def test_disagreement_by_hand():
    # means 0.5; squared deviations 0, 2 x 0.01, 2 x 0.16
    table = np.array([[0.5, 0.5], [0.6, 0.4], [0.9, 0.1]])
    rule = combined("variance", window=(0.3, 0.4), max_disagreement=0.05)
    assert rule.disagreement(table) == pytest.approx([0, 0.02, 0.32])
    assert rule.decide(table).tolist() == [1, 1, ABSTAIN]


def test_guard_by_hand():
    table = [[0.9, 2.1], [0.9, 2.2], [0.1, 0], [0.5, 0], [0.1, INF]]
    assert RULES["guard"].decide(table).tolist() == [1, ABSTAIN, 0, ABSTAIN, ABSTAIN]


def test_fees_by_hand():
    priced = combined("vote", windows=VOTES[:2], prices=(0.02, 0.6))
    assert priced.charge(np.zeros((3, 2))).tolist() == [0.62] * 3
    guard = Guarded(lower=0, upper=1, max_doubt=1, names=("a", "b"), price=0.25)
    assert guard.charge(np.zeros((2, 2))).tolist() == [0.25] * 2


def test_words_by_hand():
    said = {name: rule.words(CLASSES) for name, rule in RULES.items()}
    assert said["average"] == "call ill from 0.6 up, well up to 0.3, send the rest to a person"
    assert said["average of three"] == "call ill from 0.3 up, well below"
    assert said["vote"] == (
        "let each model vote well up to its first and ill from its second threshold (cheap 0.2 and 0.7, "
        "large 0.5 and 0.5, third -inf and 0.9); by votes for minus against call ill from 0.5 up, "
        "well up to -0.5, "
        "send the rest to a person"
    )
    assert said["variance"] == (
        "send to a person where squared deviations from the mean sum to more than 0.02; else call ill "
        "from 0.6 up, well up to 0.3, send the rest to a person"
    )
    assert said["guard"] == (
        "send to a person where far exceeds 2.1; else call ill from 0.6 up, well up to 0.3, send the rest to "
        "a person"
    )
    assert said["guard without a limit"] == "call ill from 0.6 up, send the rest to a person"
    assert Window(-INF, INF).words(CLASSES) == "send every case to a person"


@pytest.mark.parametrize("name", RULES)
def test_abstains_says_whether_some_row_is_abstained_on(name):
    rule = RULES[name]
    found = rule.decide(np.vstack([boundary_rows(rule), np.full(rule.inputs, 0.45)]))
    assert rule.abstains == (ABSTAIN in found)


# ---------------------------------------------------------------- the same decisions elsewhere


def policy(rule):
    return Policy(rule=rule, classes=CLASSES, abstain_label="ask")


@pytest.mark.parametrize("name", RULES)
def test_files_hold_the_rule(name, tmp_path):
    made = policy(RULES[name])
    made.save(tmp_path / "policy.json")
    back = Policy.load(tmp_path / "policy.json")
    assert back.rule == RULES[name]
    assert back.columns == RULES[name].names
    assert back.to_dict() == made.to_dict()


@pytest.mark.parametrize("name", RULES)
def test_other_languages_against_decide_at_every_boundary(name):
    made, table = policy(RULES[name]), boundary_rows(RULES[name])
    wanted = made.apply(table).tolist()
    missing = [math.nan, *[0.5] * (made.rule.inputs - 1)]
    frame = pd.DataFrame(np.vstack([table, missing]), columns=list(made.columns))  # noqa: F841 - DuckDB reads it
    with duckdb.connect() as connection:
        found = connection.sql(made.to_sql("duckdb", table="frame")).fetchall()
    assert [row[-1] for row in found] == [*wanted, None]
    connection = sqlite3.connect(":memory:")
    connection.execute(f"create table t ({', '.join(made.columns)})")
    marks = ", ".join("?" * made.rule.inputs)
    connection.executemany(f"insert into t values ({marks})", [*table.tolist(), missing])
    found = connection.execute(f"{made.to_sql('sqlite', table='t')} order by rowid").fetchall()
    connection.close()
    assert [row[-1] for row in found] == [*wanted, None]
    names = {}
    exec(compile(made.to_python(), "policy.py", "exec"), names)
    assert [names["decide"](row) for row in [*table.tolist(), missing]] == [*wanted, None]
    session = onnxruntime.InferenceSession(made.to_onnx().SerializeToString())
    assert session.run(None, {"proba": np.vstack([table, missing])})[0].tolist() == [*wanted, "ask"]
    assert all(made.columns[0] in made.to_sql(dialect) for dialect in DIALECTS)


def test_infinite_scores_have_a_vote_but_no_mean():
    table = [[INF, 0.1, -INF], [-INF, INF, INF]]
    assert RULES["vote"].decide(table).tolist() == [ABSTAIN, 1]
    for name, rule in RULES.items():
        if isinstance(rule, Combined) and rule.how != "vote":
            row = [INF, -INF, 0.5][: rule.inputs]
            with pytest.raises(InputError, match="`table` must be finite"):
                rule.decide([row])
            names = {}
            exec(policy(rule).to_python(), names)
            assert names["decide"](row) is None, name
            found = duckdb.sql(
                f"select {policy(rule).to_sql()} from "
                "(select 'inf'::double as cheap, '-inf'::double as large, 0.5 as third)"
            )
            assert found.fetchall() == [(None,)]


def test_rows_keep_their_order_in_a_database():
    """A subquery for every row would let the database put a million rows in another order."""
    made, rng = policy(RULES["variance"]), np.random.default_rng(1)
    table = rng.random((300_000, 3))
    frame = pd.DataFrame(table, columns=list(NAMES))  # noqa: F841 - DuckDB reads it
    found = duckdb.sql(made.to_sql(table="frame", decision="d")).fetchnumpy()["d"]
    assert np.array_equal(np.asarray(found), made.apply(table))


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: combined("best"), "`how` must be one of"),
        (lambda: combined("average", ("one",)), "`names` must be two or more different names"),
        (lambda: combined("average", ("a", "a")), "`names` must be two or more different names"),
        (lambda: combined("vote"), "`windows` must be 2 for vote of 2 models, got 0"),
        (lambda: combined("average", windows=VOTES[:2]), "`windows` must be 0 for average"),
        (lambda: combined("average", prices=(1,)), "`prices` must be 2 for average"),
        (lambda: combined("average", prices=(1, -1)), "`prices` must not be negative"),
        (lambda: combined("average", max_disagreement=1), "`max_disagreement` must be at least 0, and inf"),
        (lambda: combined("variance", max_disagreement=-1), "`max_disagreement` must be at least 0"),
        (lambda: RULES["average"].decide([[0.1, 0.2, 0.3]]), "`table` must have 2 columns"),
        (lambda: Guarded(lower=1, upper=0, max_doubt=1, names=("a", "b")), "`lower` must not exceed"),
        (lambda: Guarded(lower=0, upper=1, max_doubt=-INF, names=("a", "b")), "`max_doubt` must let some"),
        (lambda: Guarded(lower=0, upper=1, max_doubt=1, names=("a", "a")), "`names` must be two different"),
        (lambda: Combined.from_dict({**RULES["vote"].to_dict(), "names": "ab"}), "`names` must be a list"),
        (lambda: Combined.from_dict({**RULES["vote"].to_dict(), "prices": ["a"] * 3}), "`prices` must be"),
        (lambda: Combined.from_dict({"names": [], "windows": [], "prices": []}), "`how` is missing"),
        (lambda: Guarded.from_dict({**RULES["guard"].to_dict(), "names": 3}), "`names` must be a list"),
        (lambda: Guarded.from_dict({**RULES["guard"].to_dict(), "price": "x"}), "`price` must be a number"),
    ],
)
def test_errors_name_the_argument(make, message):
    with pytest.raises(InputError, match=message):
        make()
