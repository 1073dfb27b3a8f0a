"""Clusters and times of rows that stay where they are: the numbers of `compare_models` in memory."""

import duckdb
import numpy as np
import pandas as pd
import pytest

from command_line import table_file
from comparison_oracles import flat_numbers
from demur import CostModel, InputError, compare_models
from demur.engines import joint as engine
from demur.engines import read_joint_counts

COSTS = CostModel(cost_fn=10, cost_fp=10, cost_abstain=2.5)
MODELS = ["a", "b"]
NAMES = {"y_true": "y", "scores": MODELS}
DESIGNS = [
    {"groups": "patient"},
    {"groups": "ward"},
    {"time": "day"},
    {"time": "hour"},
    {"groups": "patient", "time": "day"},
    {"groups": "ward", "time": "hour"},
]


def visits(patients=60, each=12, *, digits=0, seed=0):
    """Visits of patients, in any order; few scores, so that visits of a patient are alike."""
    rng = np.random.default_rng(seed)
    patient = rng.permutation(np.repeat(np.arange(patients), each))
    n = len(patient)
    y = (rng.random(n) < np.where(rng.random(patients) < 0.4, 0.8, 0.1)[patient]).astype(int)
    shared = 0.7 * rng.normal(size=patients)[patient]
    days = rng.integers(0, 90, n)
    return {
        "y": y,
        **{
            name: (1.5 * y + shared + sd * rng.normal(size=n)).round(digits)
            for name, sd in zip("ab", (0.7, 1), strict=True)
        },
        "patient": np.array([f"p{k}" for k in patient]),
        "ward": patient % 25,
        "day": np.datetime64("2024-01-01") + days,
        "hour": (days + rng.random(n)).round(1),
    }


def compared(table, **placed):
    """Compare the rows in memory."""
    scores = {name: table[name] for name in MODELS}
    given = {role: table[name] for role, name in placed.items()}
    return compare_models(table["y"], scores, costs=COSTS, **given)


def parquet_file(folder, table):
    frame = pd.DataFrame({**table, "day": table["day"].astype("datetime64[s]")})
    path = folder / "visits.parquet"
    with duckdb.connect() as connection:
        connection.register("visits", frame)
        columns = "* replace (day::date as day)"
        connection.execute(f"copy (select {columns} from visits) to '{path}' (format parquet)")
    return path


def assert_same(found, expected, *, shuffled):
    """Compare all numbers; over time without clusters the shuffled split is another one."""
    one, two = flat_numbers(found.to_dict()), flat_numbers(expected.to_dict())
    other = {key for key in two if shuffled and ("shuffled_cost" in key or "vacc" in key)}
    assert one.keys() == two.keys()
    assert {key: one[key] for key in two.keys() - other} == pytest.approx(
        {key: two[key] for key in two.keys() - other}, rel=1e-11, abs=1e-11
    )
    for key in other:
        assert one[key] == pytest.approx(two[key], abs=0.1), key


# ---------------------------------------------------------------- the numbers of memory


@pytest.mark.parametrize("placed", DESIGNS, ids=lambda placed: " and ".join(placed.values()))
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_answer_of_duckdb_against_memory(tmp_path, kind, placed):
    table = visits()
    path = parquet_file(tmp_path, table) if kind == "parquet" else table_file(tmp_path, **table)
    joint = read_joint_counts(path, **NAMES, costs=COSTS, **placed)
    assert joint.exact
    assert len(joint.positives) < len(table["y"])
    found, expected = compare_models(joint, costs=COSTS), compared(table, **placed)
    assert_same(found, expected, shuffled="groups" not in placed)
    assert (found.units, found.answer.verdict) == (expected.units, expected.answer.verdict)
    assert found.answer.words == expected.answer.words
    assert [(one.start, one.end) for one in found.by_block or ()] == [
        (one.start, one.end) for one in expected.by_block or ()
    ]
    if "groups" in placed:
        assert found.notes == expected.notes


@pytest.mark.parametrize("kind", ["lazy Polars", "Dask", "pandas", "a mapping"])
def test_other_engines_against_memory(kind):
    table = visits(40, 6)
    frame = pd.DataFrame({**table, "day": table["day"].astype("datetime64[s]")})
    source = {"pandas": frame, "a mapping": table}.get(kind)
    if kind == "Dask":
        source = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=3)
    elif kind == "lazy Polars":
        source = pytest.importorskip("polars").DataFrame(table).lazy()
    for placed in ({"groups": "patient"}, {"groups": "ward", "time": "day"}):
        joint = read_joint_counts(source, **NAMES, costs=COSTS, **placed)
        assert_same(compare_models(joint, costs=COSTS), compared(table, **placed), shuffled=False)


@pytest.mark.parametrize("placed", DESIGNS[3:5], ids=["time", "both"])
def test_bins_against_rows_with_the_scores_of_their_bins(tmp_path, placed):
    table = visits(digits=6)
    joint = read_joint_counts(parquet_file(tmp_path, table), **NAMES, costs=COSTS, cells=2**8, **placed)
    assert not joint.exact
    binned = [np.searchsorted(np.unique(joint.lower[name]), table[name], side="right") - 1 for name in MODELS]
    rows = {name: np.unique(joint.lower[name])[at] for name, at in zip(MODELS, binned, strict=True)}
    found, expected = compare_models(joint, costs=COSTS), compared({**table, **rows}, **placed)
    for name in MODELS:
        one, two = found.models[name], expected.models[name]
        for field in ("cost", "interval", "threshold_cost", "auc", "auc_interval", "abstention_rate"):
            assert getattr(one, field) == pytest.approx(getattr(two, field), rel=1e-11), field
    assert found.answer.cost == pytest.approx(expected.answer.cost, rel=1e-11)
    assert found.answer.interval == pytest.approx(expected.answer.interval, rel=1e-11)
    assert any("Scores were counted in bins" in note for note in found.notes)


def test_weights_are_repeated_rows(tmp_path):
    table = visits(40, 5)
    weight = np.random.default_rng(0).integers(0, 4, len(table["y"]))
    placed = {"groups": "patient", "time": "day"}
    path = table_file(tmp_path, **table, w=weight)
    joint = read_joint_counts(path, **NAMES, weights="w", costs=COSTS, **placed)
    rows = np.repeat(np.arange(len(weight)), weight)
    expected = compared({name: column[rows] for name, column in table.items()}, **placed)
    assert_same(compare_models(joint, costs=COSTS), expected, shuffled=False)


def test_one_model_against_memory(tmp_path):
    table = visits(40, 6)
    path = table_file(tmp_path, **table)
    joint = read_joint_counts(path, y_true="y", scores="a", costs=COSTS, groups="patient")
    found = compare_models(joint, costs=COSTS)
    expected = compare_models(table["y"], {"a": table["a"]}, costs=COSTS, groups=table["patient"])
    assert_same(found, expected, shuffled=False)


@pytest.mark.parametrize("digits", [0, 6])
def test_clusters_of_one_case_change_nothing(tmp_path, digits):
    table = visits(40, 6, digits=digits)
    path = table_file(tmp_path, **table, case=np.arange(240))
    for more in ({}, {"time": "day"}):
        alone, together = (
            read_joint_counts(path, **NAMES, costs=COSTS, groups=groups, **more) for groups in ("case", None)
        )
        assert alone.cluster is None
        np.testing.assert_array_equal(alone.positives, together.positives)
        found = [compare_models(one, costs=COSTS).to_dict() for one in (alone, together)]
        assert found[0] == found[1]


# ---------------------------------------------------------------- by hand


def test_cells_of_clusters_by_hand():
    table = {"y": [1, 1, 0, 0, 0], "a": [2, 2, 1, 1, 2], "b": [5, 5, 5, 5, 5], "g": ["x", "y", "x", "x", "x"]}
    joint = read_joint_counts(table, **NAMES, groups="g")
    assert joint.lower["a"].tolist() == [1, 2, 2]
    assert joint.cluster.tolist() == [0, 0, 1]
    assert joint.positives.tolist() == [0, 1, 1]
    assert joint.negatives.tolist() == [2, 1, 0]
    assert repr(joint) == "JointCounts(n=5, models a, b, cells=3, 2 clusters, exact)"


def test_cells_of_blocks_by_hand():
    # ten times of two cases each, the last of four: 2, 2, ... of 22, so a block is 2.2 cases long
    when = [*np.repeat(np.arange(9), 2), 9, 9, 9, 9]
    table = {"y": [0, 1] * 11, "a": [1] * 22, "b": [5] * 22, "t": when}
    joint = read_joint_counts(table, **NAMES, time="t")
    # cases before each time: 0, 2, 4, ..., 18; times ten, over 22: blocks 0, 0, 1, 2, 3, 4, 5, 6, 7, 8
    assert joint.start.tolist() == [0, 2, 3, 4, 5, 6, 7, 8, 9]
    assert joint.end.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert joint.positives.tolist() == joint.negatives.tolist() == [2, 1, 1, 1, 1, 1, 1, 1, 2]
    assert repr(joint) == "JointCounts(n=22, models a, b, cells=9, 9 blocks of time, exact)"


def test_of_too_many_dates_minutes_or_days_count(tmp_path, monkeypatch):
    table = visits(40, 6)
    seconds = table["day"].astype("datetime64[s]") + np.arange(240)
    path = table_file(tmp_path, **{**table, "day": seconds.astype(str)})
    exact = read_joint_counts(path, **NAMES, time="day")
    assert np.array_equal(np.unique(exact.start)[0], seconds.min())
    for most, unit in ((239, "m"), (120, "D")):
        monkeypatch.setattr(engine, "_MOST_TIMES", most)
        rounded = read_joint_counts(path, **NAMES, time="day")
        shorter = {**table, "day": seconds.astype(f"datetime64[{unit}]").astype(str)}
        expected = read_joint_counts(table_file(tmp_path, "shorter.csv", **shorter), **NAMES, time="day")
        np.testing.assert_array_equal(rounded.start, expected.start)
        np.testing.assert_array_equal(rounded.positives, expected.positives)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("placed", "words"),
    [
        ({"groups": "a"}, "`groups` must name a column that has no other role, got 'a'"),
        ({"time": "y"}, "`time` must name a column that has no other role, got 'y'"),
        ({"groups": "day", "time": "day"}, "must name a column that has no other role, got 'day'"),
        ({"groups": "nobody"}, "has no column 'nobody'"),
        ({"time": "nobody"}, "has no column 'nobody'"),
        ({"groups": "some"}, "Column 'some' has 3 missing values. Hint: drop those rows"),
        ({"time": "seldom"}, "Column 'seldom' has 4 missing values. Hint: drop those rows"),
        ({"time": "patient"}, "`time` must hold one number or date per case"),
        ({"time": "odd"}, "`time` must be written alike in all rows, so that text sorts as time does"),
        ({"groups": ["a"]}, "`groups` must name a column, got list"),
    ],
)
def test_columns_that_will_not_do(tmp_path, placed, words):
    table = visits(20, 6)
    some = np.where(np.arange(120) < 3, "", table["patient"])
    seldom = np.where(np.arange(120) < 4, "", table["hour"].astype(str))
    odd = [f"{day}T06:00{'' if k % 2 else '+14:00'}" for k, day in enumerate(table["day"])]
    path = table_file(tmp_path, **table, some=some, seldom=seldom, odd=odd)
    with pytest.raises(InputError, match=words):
        read_joint_counts(path, **NAMES, **placed)


def test_more_than_can_be_kept(tmp_path, monkeypatch):
    path = table_file(tmp_path, **visits(20, 6, digits=6))
    monkeypatch.setattr(engine, "_MOST_IN_CLUSTERS", 100)
    with pytest.raises(InputError, match="Clusters of 'patient' make more than 100 combinations"):
        read_joint_counts(path, **NAMES, groups="patient")
    # fewer bins
    assert len(read_joint_counts(path, **NAMES, groups="ward", cells=4).positives) <= 100
    monkeypatch.setattr(engine, "_MOST_TIMES", 50)
    with pytest.raises(InputError, match="`time` must have at most 50 different values for an engine, got"):
        read_joint_counts(path, **NAMES, time="hour")


def test_joint_counts_have_their_clusters_and_times():
    joint = read_joint_counts(visits(20, 6), **NAMES, groups="patient")
    with pytest.raises(InputError, match="groups, time and pos_label out; read_joint_counts takes them"):
        compare_models(joint, costs=COSTS, groups=np.zeros(120))
    with pytest.raises(InputError, match="a guarantee needs independent cases"):
        compare_models(joint, costs=COSTS, objective="guaranteed")
    fields = {name: getattr(joint, name) for name in ("lower", "upper", "positives", "negatives", "counts")}
    for wrong in ({"cluster": [0, 1]}, {"start": [0, 1], "end": [0, 1]}):
        with pytest.raises(InputError, match="same length"):
            type(joint)(**fields, **wrong)
