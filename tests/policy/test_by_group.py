"""Policies with a rule per group: exports against `decide`, files, what is promised, refusals."""

import json
import math
import sqlite3
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sqlglot

from demur import (
    ABSTAIN,
    CaseCosts,
    CostModel,
    InputError,
    Policy,
    UndefinedError,
    compare_models,
)
from demur.policy.sql import DIALECTS
from demur.windows import ByGroup, ClassRule, Constant, Window
from export_cases import WINDOWS, hard_scores

WEIGHTS = ClassRule(classes=("a", "b", "c"), weights=[1, 1, 2], abstain_weight=0.6)
COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
NAN = math.nan


def policy(rules, fallback, **settings):
    """Return the policy of a rule per group."""
    return Policy(rule=ByGroup(column="site", rules=rules, fallback=fallback), **settings)


def two_models():
    """Return a policy of two models, a constant and odd names of groups, labels and columns."""
    rules = {
        "north": (['it\'s "new"'], Window(0.1 + 0.2, 0.7000000000000001)),
        "7": (["old"], Window(0.5, 0.5)),
        "it's */ ${x}\\": ([], Constant(ABSTAIN)),
        "true": ([], Constant(1)),
        "2024-05-31": (["old"], Window(-math.inf, 0.3)),
    }
    labels = {"classes": ("well", "it's ill"), "abstain_label": "-- ask"}
    return policy(rules, (["old"], Window(0.2, 0.8)), **labels)


def boundary_rows():
    """Return scores at and beside thresholds for every spelling of a group, and missing numbers."""
    cuts = [0.1 + 0.2, 0.7000000000000001, 0.5, 0.3, 0.2, 0.8]
    near = [np.nextafter(cut, end) for cut in cuts for end in (-math.inf, math.inf)]
    groups = [
        "north",
        "7",
        "7.0",
        "it's */ ${x}\\",
        "true",
        "True",
        "2024-05-31",
        "North",
        "north ",
        "",
        None,
    ]
    rows = [[score, 1 - score, group] for group in groups for score in [*cuts, *near, math.inf, -math.inf]]
    # a score of a model that the group does not read may be missing, one that it reads may not
    for group in groups:
        rows += [[None, 0.5, group], [0.5, None, group], [NAN, 0.5, group], [0.5, NAN, group]]
    return rows


def in_python(made, rows):
    """Run the exported function."""
    scope = {}
    exec(made.to_python(), scope)
    assert list(scope["COLUMNS"]) == list(made.columns)
    return [scope["decide"](row) for row in rows]


def in_database(connection, made, rows, kinds, dialect):
    """Run the exported expression on a table of these rows."""
    names = [f"c{k}" for k in range(len(kinds))]
    connection.execute("drop table if exists t")
    columns = ", ".join(f"{name} {kind}" for name, kind in zip(names, kinds, strict=True))
    connection.execute(f"create table t ({columns}, place integer)")
    places = ", ".join("?" for _ in (*kinds, "place"))
    connection.executemany(
        f"insert into t values ({places})", [[*row, place] for place, row in enumerate(rows)]
    )
    query = f"select {made.to_sql(dialect, names)} from t order by place"
    return [decision for (decision,) in connection.execute(query).fetchall()]


def expected(made, rows):
    """Return the label of each row by itself; None where its own rule misses a number."""
    found = []
    for row in rows:
        try:
            found.append(made.apply(np.array([row], dtype=object)).tolist()[0])
        except InputError:
            found.append(None)
    return found


@pytest.mark.parametrize("where", ["duckdb", "sqlite", "python"])
def test_boundaries_missing_and_unknown_groups_against_decide(where):
    made, rows = two_models(), boundary_rows()
    if where == "python":
        found = in_python(made, rows)
    elif where == "duckdb":
        found = in_database(duckdb.connect(), made, rows, ["double", "double", "varchar"], where)
    else:
        rows = [row for row in rows if not any(value in (math.inf, -math.inf) for value in row[:2])]
        found = in_database(sqlite3.connect(":memory:"), made, rows, ["real", "real", "text"], where)
    truth = expected(made, rows)
    assert found == truth
    assert {*made.classes, made.abstain_label, None} == set(truth)


@pytest.mark.parametrize("kind", ["integer", "double", "boolean", "date", "timestamp"])
def test_groups_that_are_no_text_against_decide(kind):
    made = two_models()
    groups = {"boolean": [True, False], "date": ["2024-05-31", "2024-06-01"]}
    given = groups.get("date" if kind == "timestamp" else kind, [7, 8])
    rows = [[0.4, 0.45, group] for group in [*given, None]]
    found = in_database(duckdb.connect(), made, rows, ["double", "double", kind], "duckdb")
    frame = pd.DataFrame(rows, columns=made.columns)
    if kind in ("date", "timestamp"):
        frame["site"] = pd.to_datetime(frame["site"])
    assert found == made.apply(frame).tolist()
    assert found == in_python(made, frame.itertuples(index=False))
    # an unknown group abstains at 0.45, the known one does not but for the date
    assert found[1:] == ["-- ask", "-- ask"]
    assert found[0] == {"boolean": "it's ill", "date": "it's ill", "timestamp": "it's ill"}.get(kind, "well")


def test_hard_scores_against_decide():
    scores = hard_scores()
    rules = {str(k): (["s"], Window(*window)) for k, window in enumerate(WINDOWS)}
    made = policy(rules, ([], Constant(ABSTAIN)))
    rows = [[score, k] for k in (*range(len(WINDOWS)), "?") for score in scores.tolist()]
    truth = made.apply(np.array(rows, dtype=object)).tolist()
    assert in_python(made, rows) == truth
    frame = pd.DataFrame(rows, columns=["s", "site"]).astype({"site": str})
    frame["place"] = np.arange(len(frame))
    query = f"select {made.to_sql('duckdb', ['s', 'site'])} from frame order by place"
    assert [decision for (decision,) in duckdb.sql(query).fetchall()] == truth
    # the same rows in a frame of another library
    assert (
        made.apply(pl.DataFrame({"site": frame["site"].tolist(), "s": frame["s"].tolist()})).tolist() == truth
    )


def test_many_classes_of_two_models_against_decide():
    rules = {
        "x": (["n1", "n2", "n3"], WEIGHTS),
        "y": (["o1", "o2", "o3"], replace(WEIGHTS, abstain_weight=None)),
        "z": ([], Constant(2)),
    }
    made = policy(rules, (["o1", "o2", "o3"], WEIGHTS))
    assert made.classes == ("a", "b", "c")
    assert made.columns == ("n1", "n2", "n3", "o1", "o2", "o3", "site")
    rng = np.random.default_rng(0)
    rows = [
        [*rng.dirichlet([1, 1, 1]), *rng.dirichlet([1, 1, 1]), group] for group in ("x", "y", "z", "?") * 50
    ]
    rows += [[*[None] * 3, 0.2, 0.3, 0.5, group] for group in "xyz"]
    rows += [[0.2, 0.3, 0.5, *[-1.0, 2.0, 0.0], group] for group in "xyz?"]
    truth = expected(made, rows)
    assert truth[200:] == [None, "c", "c", "c", None, "c", None]
    assert in_python(made, rows) == truth
    kinds = [*["double"] * 6, "varchar"]
    assert in_database(duckdb.connect(), made, rows, kinds, "duckdb") == truth
    kinds = [*["real"] * 6, "text"]
    assert in_database(sqlite3.connect(":memory:"), made, rows, kinds, "sqlite") == truth


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_parser_of_the_dialect_reads_the_query(dialect):
    made = two_models()
    (tree,) = sqlglot.parse(made.to_sql(dialect, table="lake.scores"), read=dialect)
    assert tree.selects[-1].alias == "decision"
    assert {column.name for column in tree.find_all(sqlglot.exp.Column)} == set(made.columns)
    texts = {literal.this for literal in tree.find_all(sqlglot.exp.Literal) if literal.is_string}
    texts |= {national.this for national in tree.find_all(sqlglot.exp.National)}
    assert {"north", "7", "7.0", "it's */ ${x}\\", "well", "it's ill"} <= {
        text.replace("\\u0024", "$") for text in texts
    }


def test_onnx_and_wrong_columns_are_refused_in_one_sentence():
    made = two_models()
    with pytest.raises(InputError, match=r"A rule per group has no ONNX model: .* cannot compare text"):
        made.to_onnx()
    with pytest.raises(InputError, match=r"must name 3 columns, those of it's .*, old, site"):
        made.to_sql("duckdb", ["a", "b"])
    with pytest.raises(UndefinedError, match="was made without blocks"):
        made.at(prevalence=0.2)
    with pytest.raises(InputError, match="must have the column 'old'"):
        made.apply(pd.DataFrame({'it\'s "new"': [0.1], "site": ["north"]}))


# ---------------------------------------------------------------- files


def test_file_comes_back(tmp_path):
    made = two_models()
    made.save(tmp_path / "policy.json")
    back = Policy.load(tmp_path / "policy.json")
    assert back.to_dict() == made.to_dict()
    assert made.to_dict()["version"] == 3
    assert back.chosen == "by group"
    rows = [row for row in boundary_rows() if None not in row[:2]]
    rows = np.array([row for row in rows if not any(math.isnan(value) for value in row[:2])], dtype=object)
    assert back.apply(rows).tolist() == made.apply(rows).tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rule: rule.update(rules=[]), "`rules` must be an object"),
        (lambda rule: rule.update(rules={}), "`rules` must name at least one group"),
        (lambda rule: rule.pop("fallback"), "`fallback` is missing"),
        (lambda rule: rule.update(column=3), "`column` must be text"),
        (lambda rule: rule["rules"]["7"].update(columns=["a", "b"]), "must name 1 different columns"),
        (lambda rule: rule["rules"]["7"].update(columns="old"), "`columns` must be a list of names"),
        (lambda rule: rule["rules"]["7"].update(rule={"kind": "by group"}), "`rule.kind` must be one of"),
        (lambda rule: rule["rules"]["7"]["rule"].update(lower=2), "`lower` must not exceed upper"),
        (lambda rule: rule["rules"]["7"].update(note="?"), "must be a field of a policy"),
        (lambda rule: rule["rules"]["true"]["rule"].update(code=2), "must be more than 2 for the rule"),
        (lambda rule: rule["rules"].update({"7.0": rule["rules"]["7"]}), "must spell every group in one way"),
    ],
)
def test_broken_files_are_refused_in_one_sentence(tmp_path, change, message):
    data = two_models().to_dict()
    change(data["rule"])
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match=message) as told:
        Policy.load(path)
    assert "is not a policy to trust" in str(told.value)
    assert str(told.value).count("\n") == 0


def test_an_edited_file_is_noticed(tmp_path):
    path = tmp_path / "policy.json"
    two_models().save(path)
    path.write_text(path.read_text().replace('"upper": 0.8', '"upper": 0.9'))
    with pytest.raises(InputError, match="the file was damaged or edited"):
        Policy.load(path)


def test_classes_that_do_not_fit_are_refused():
    window, always = (["s"], Window(0.3, 0.6)), ([], Constant(2))
    with pytest.raises(InputError, match="must be negative and positive for a window"):
        policy({"a": window}, window, classes=("a", "b", "c"))
    with pytest.raises(InputError, match="must be more than 2 for the rule"):
        policy({"a": window}, always)
    with pytest.raises(InputError, match="`classes` must be those of the rule"):
        policy({"a": (["p", "q", "r"], WEIGHTS)}, always, classes=("a", "b", "d"))


# ---------------------------------------------------------------- from answers


def cases(n=600, seed=0):
    """Return classes, scores of two models and groups; each model is good in one group only."""
    rng = np.random.default_rng(seed)
    y, site = rng.integers(0, 2, n), rng.choice(["north", "south", "tiny"], n, p=[0.55, 0.43, 0.02])
    good, noise = y + rng.normal(scale=0.5, size=n), rng.normal(size=n)
    new = np.where(site == "north", good, noise)
    return y, {"new": new, "old": np.where(site == "north", noise, good)}, site


def answers(costs=COSTS, **settings):
    """Return the answers of two groups and of all cases; the third has too few cases."""
    y, scores, site = cases()

    def answer(own):
        priced = costs.take(own) if isinstance(costs, CaseCosts) else costs
        return compare_models(
            y[own], {name: column[own] for name, column in scores.items()}, costs=priced, **settings
        ).answer

    everything = answer(np.ones(len(y), dtype=bool))
    return {**{name: answer(site == name) for name in ("north", "south")}, "tiny": everything}, everything


def test_policy_of_answers_decides_as_each_answer():
    found, fallback = answers()
    made = Policy.from_answers(found, column="site", fallback=fallback, abstain_label=-1)
    _, scores, site = cases()
    assert found["north"].model == "new"
    assert found["south"].model == "old"
    assert made.model is None
    assert set(made.columns) == {"new", "old", "site"}
    frame = pd.DataFrame({**scores, "site": site})
    codes = made.decide(frame)
    for name, answer in found.items():
        own = site == name
        assert np.array_equal(codes[own], answer.decide(scores[answer.model][own]))
    assert "Without a rule of their own: tiny." in made.note
    limits = ", ".join(f"{name} {found[name].interval.high:.4g}" for name in ("north", "south"))
    assert f"Upper ends of the cost per case: all cases {fallback.interval.high:.4g}, {limits}." in made.note


def test_promise_is_the_mean_by_cases_by_hand():
    found, fallback = answers()
    made = Policy.from_answers(found, column="site", fallback=fallback)
    north, south = found["north"], found["south"]
    rest = fallback.n - north.n - south.n
    assert rest == np.sum(cases()[2] == "tiny") > 0

    def mean(of):
        return (north.n * of(north) + south.n * of(south) + rest * of(fallback)) / fallback.n

    assert made.expected_cost == pytest.approx(mean(lambda one: one.cost), rel=1e-12)
    assert made.expected_limit == pytest.approx(mean(lambda one: one.interval.high), rel=1e-12)
    assert made.abstention_rate == pytest.approx(mean(lambda one: one.shares[-1]), rel=1e-12)
    assert made.fn == pytest.approx(mean(lambda one: one.missed), rel=1e-12)
    assert made.fp == pytest.approx(mean(lambda one: one.alarms), rel=1e-12)
    assert made.error_rate == pytest.approx(made.fn + made.fp, rel=1e-12)
    assert made.evidence.n == fallback.n
    assert made.evidence.class_sizes.tolist() == fallback.class_sizes.tolist()
    assert made.shares.tolist() == fallback.class_shares.tolist()
    assert made.costs.to_dict() == COSTS.to_dict()


def test_fingerprint_follows_the_cases():
    found, fallback = answers()
    made = Policy.from_answers(found, column="site", fallback=fallback)
    again = Policy.from_answers(dict(reversed(found.items())), column="site", fallback=fallback)
    assert again.evidence.digest == made.evidence.digest
    other = Policy.from_answers({"north": found["north"]}, column="site", fallback=fallback)
    assert other.evidence.digest != made.evidence.digest


def test_rules_without_a_model_are_constants():
    y, scores, site = cases()
    own = site == "south"
    cheap = compare_models(y[own], scores["new"][own], costs=replace(COSTS, cost_abstain=0.1)).answer
    assert cheap.kind == "always abstain"
    found, fallback = answers()
    made = Policy.from_answers({"north": found["north"], "south": cheap}, column="site", fallback=fallback)
    assert made.rule.rules["south"] == ((), Constant(ABSTAIN))
    with pytest.raises(InputError, match="must hold the rule of a model for some group, got none"):
        Policy.from_answers({"south": cheap}, column="site", fallback=cheap)


def test_answers_of_many_classes_and_of_amounts():
    rng = np.random.default_rng(1)
    y, site = rng.integers(0, 3, 400), rng.choice(["x", "y"], 400)
    good, noise = rng.dirichlet([1, 1, 1], 400) + np.eye(3)[y], rng.dirichlet([1, 1, 1], 400)
    proba = {"new": np.where((site == "x")[:, None], good, noise), "old": noise + 0.5 * good}
    costs = {k: {j: 1.0 for j in range(3) if j != k} for k in range(3)}

    def answer(own):
        given = {name: columns[own] for name, columns in proba.items()}
        return compare_models(y[own], given, classes=[0, 1, 2], costs=costs, abstain_cost=0.4).answer

    found, fallback = {name: answer(site == name) for name in "xy"}, answer(site != "")
    assert (found["x"].model, found["y"].model) == ("new", "old")
    made = Policy.from_answers(found, column="site", fallback=fallback)
    assert made.columns[:3] == ("new_0", "new_1", "new_2")
    assert made.abstain_costs.tolist() == [0.4] * 3
    named = {"new": ["a", "b", "c"], "old": ["d", "e", "f"]}
    made = Policy.from_answers(found, column="site", fallback=fallback, columns=named)
    assert made.columns == (*"abcdef", "site")
    table = np.column_stack([proba["new"], proba["old"], site]).astype(object)
    codes = made.decide(table)
    for name in "xy":
        own = site == name
        assert np.array_equal(codes[own], found[name].decide(proba[found[name].model][own]))
    amounts = rng.lognormal(size=600)
    priced = CaseCosts(cost_fn=5 * amounts, cost_fp=1.0, cost_abstain=0.4)
    by_case, whole = answers(priced)
    policy_of_amounts = Policy.from_answers(by_case, column="site", fallback=whole)
    assert policy_of_amounts.amounts["cost_fn"] == whole.costs.to_dict()["cost_fn"]
    assert policy_of_amounts.costs is None
    with pytest.raises(InputError, match="`answers` must all be about the classes"):
        Policy.from_answers({"x": found["x"]}, column="site", fallback=whole)
