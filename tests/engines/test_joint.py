"""Joint counts of several models: the answer of rows in memory, from groups of a scan."""

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pytest

from comparison_oracles import flat_numbers
from demur import CostModel, CostRange, InputError, abstention_surface, compare_models, read_counts
from demur.engines import read_joint_counts
from demur.engines.joint import ScoreCuts, _bins, with_places
from demur.paired import JointCounts

COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
MODELS = ["first", "second", "third"]


def drawn(n, *, digits=None, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    shared = rng.normal(size=n)
    logits = [1.5 * y + 0.7 * shared + noise * rng.normal(size=n) for noise in (0.6, 1.0, 1.6)]
    scores = [1 / (1 + np.exp(0.8 - z)) for z in logits]
    return y.astype(int), {
        name: np.round(s, digits) if digits else s for name, s in zip(MODELS, scores, strict=True)
    }


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """4,000 cases with scores that are all different."""
    y, scores = drawn(4000)
    path = tmp_path_factory.mktemp("joint") / "scores.parquet"
    table = {"y": y, **scores}
    with duckdb.connect() as connection:
        columns = ", ".join(f"unnest($c{k}::double[]) as {name}" for k, name in enumerate(table))
        params = {
            f"c{k}": np.asarray(column, dtype=float).tolist() for k, column in enumerate(table.values())
        }
        connection.execute(f"copy (select {columns}) to '{path}' (format parquet)", params)
    return path, y, scores


def spread_out(joint):
    """One row per case, positives first, in the order of the cells: the order in which folds are dealt."""
    cells = np.arange(len(joint.positives))
    one, zero = (np.repeat(cells, cases.astype(int)) for cases in (joint.positives, joint.negatives))
    cell = np.concatenate([one, zero])
    y = np.concatenate([np.ones(len(one), int), np.zeros(len(zero), int)])
    return y, {name: joint.lower[name][cell] for name in joint.models}


@pytest.mark.parametrize("models", [MODELS[:2], MODELS])
def test_the_answer_against_the_same_bins_in_memory(file, models):
    joint = read_joint_counts(file[0], y_true="y", scores=models, costs=COSTS, cells=2**10)
    assert not joint.exact
    y, scores = spread_out(joint)
    ours, theirs = compare_models(joint, costs=COSTS), compare_models(y, scores, costs=COSTS)
    assert ours.split == "counts"
    assert ours.repeats == theirs.repeats > 1
    found, expected = flat_numbers(ours.answer.to_dict()), flat_numbers(theirs.answer.to_dict())
    assert found.keys() - expected.keys() == {"/evidence/certified"}
    # thresholds lie between bins, not between their smallest scores
    skipped = {key for key in expected if "lower" in key or "upper" in key}
    for key in expected.keys() - skipped:
        assert found[key] == pytest.approx(expected[key], rel=1e-12, abs=1e-12), key
    for name in models:
        one, two = ours.models[name], theirs.models[name]
        for field in ("cost", "threshold_cost", "hindsight_cost", "auc", "vacc", "abstention_rate"):
            assert getattr(one, field) == pytest.approx(getattr(two, field), rel=1e-12)
        assert one.interval == pytest.approx(two.interval, rel=1e-12)


def test_bins_are_those_of_the_scores_and_certified(file):
    path, y, scores = file
    joint = read_joint_counts(path, y_true="y", scores=MODELS[:2], costs=COSTS, cells=2**10)
    assert len(joint.positives) <= 2**10
    for name in joint.models:
        binned = joint.binned(name)
        places = np.searchsorted(binned.scores, scores[name], side="right") - 1
        assert np.all(scores[name] <= binned.upper_scores[places])
        np.testing.assert_array_equal(np.bincount(places, y, len(binned.scores)), binned.positives)
        at = COSTS.mu, COSTS.nu
        lost = abstention_surface(binned).cost(*at) - abstention_surface(y, scores[name]).cost(*at)
        assert -1e-12 <= lost <= joint.certified(COSTS) + 1e-12
    # bins near the thresholds of these costs leave next to nothing open there, but much elsewhere
    assert joint.certified(COSTS) < 1e-9
    assert joint.certified() > 1e-3
    assert joint.certified(CostRange(cost_fn=(50, 200), cost_fp=40, cost_abstain=12)) < 0.05


def test_rounded_scores_are_exact_and_engines_agree(file, tmp_path):
    y, scores = drawn(3000, digits=2)
    weights = np.arange(3000) % 3
    table = {"y": y, **scores, "w": weights}
    memory = read_joint_counts(table, y_true="y", scores=MODELS[:2], weights="w", costs=COSTS)
    relation = tmp_path / "t.csv"
    lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    relation.write_text("\n".join(lines))
    scanned = read_joint_counts(relation, y_true="y", scores=MODELS[:2], weights="w", costs=COSTS)
    for joint in (memory, scanned):
        assert joint.exact
        assert joint.certified(COSTS) == 0
        assert joint.n == weights.sum()
    np.testing.assert_array_equal(memory.positives, scanned.positives)
    np.testing.assert_array_equal(memory.lower["second"], scanned.lower["second"])
    coarse = [
        read_joint_counts(source, y_true="y", scores=MODELS, costs=COSTS, cells=2**9)
        for source in (table, relation)
    ]
    np.testing.assert_array_equal(coarse[0].negatives, coarse[1].negatives)


def test_joint_counts_by_hand():
    table = {"y": [1, 1, 0, 0, 0], "a": [2, 2, 1, 1, 2], "b": [5, 6, 5, 5, 5]}
    joint = read_joint_counts(table, y_true="y", scores=["a", "b"])
    assert joint.lower["a"].tolist() == [1, 2, 2]
    assert joint.lower["b"].tolist() == [5, 5, 6]
    assert joint.positives.tolist() == [0, 1, 1]
    assert joint.negatives.tolist() == [2, 1, 0]


@pytest.mark.parametrize("kind", ["lazy Polars", "Dask"])
def test_engines_that_plan_ahead_take_scores_without_bins_against_memory(kind):
    y, scores = drawn(300, digits=1)
    table = pd.DataFrame({"y": y, **scores})
    if kind == "Dask":
        source = pytest.importorskip("dask.dataframe").from_pandas(table, npartitions=3)
    else:
        source = pytest.importorskip("polars").DataFrame({"y": y, **scores}).lazy()
    names = {"y_true": "y", "scores": MODELS}
    planned, memory = read_joint_counts(source, **names), read_joint_counts(table, **names)
    np.testing.assert_array_equal(planned.positives, memory.positives)
    np.testing.assert_array_equal(planned.lower["third"], memory.lower["third"])


def test_bins_start_at_the_best_thresholds():
    y, scores = drawn(2000)
    counts = read_counts(None, y_true=y, scores=scores)["first"]
    cuts = _bins(counts, 32, COSTS).cuts
    window = abstention_surface(counts).window(costs=COSTS)
    assert {counts.scores[window.lower_index], counts.scores[window.upper_index]} <= set(cuts.tolist())
    assert len(cuts) < 36


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e12])
def test_places_by_look_up_against_comparisons(scale):
    rng = np.random.default_rng(1)
    scores = scale * np.concatenate([rng.normal(size=500) ** 3, [0.0, 1e3, -1e3]])
    wanted = rng.choice(scores, 200)
    chosen = ScoreCuts.among(np.sort(scores), wanted)
    assert 50 < len(chosen.cuts) <= 200
    scores = np.concatenate([scores, [np.inf, -np.inf], np.nextafter(chosen.cuts, -np.inf)])
    by_comparing = (scores[:, None] >= chosen.cuts).sum(axis=1)
    np.testing.assert_array_equal(chosen.of_array(scores), by_comparing)
    with duckdb.connect() as connection:
        relation = connection.sql(
            "select unnest($s::double[]) as s, 7 as other", params={"s": scores.tolist()}
        )
        frame = with_places(nw.from_native(relation), {"s": chosen})
        np.testing.assert_array_equal(frame.to_native().fetchnumpy()["s"], by_comparing)
    halved = nw.from_native(pd.DataFrame({"s": scores})).with_columns(p=chosen.expression(nw.col("s")))
    np.testing.assert_array_equal(halved["p"].to_numpy(), by_comparing)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scores": list("abcde")}, "one to 4 models"),
        ({"cells": 2**21}, "must not exceed 2"),
        ({"costs": 3}, "must be a CostModel"),
    ],
)
def test_refusals(change, words):
    y, scores = drawn(50)
    options = {"y_true": "y", "scores": MODELS[:2], **change}
    with pytest.raises(InputError, match=words):
        read_joint_counts({"y": y, **scores}, **options)


def test_joint_counts_take_the_place_of_labels_and_scores():
    y, scores = drawn(400)
    joint = read_joint_counts({"y": y, **scores}, y_true="y", scores=MODELS[:2])
    with pytest.raises(InputError, match="leave scores, weights"):
        compare_models(joint, scores, costs=COSTS)
    with pytest.raises(InputError, match="`scores` are missing"):
        compare_models(y, costs=COSTS)
    with pytest.raises(InputError, match="models of counts"):
        JointCounts(lower={}, upper={}, positives=[1], negatives=[1], counts=joint.counts)
