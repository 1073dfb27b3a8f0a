"""Thresholds between ordered levels: by hand and against enumeration."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from demur import CostModel, InputError, abstention_surface
from demur.honest.cases import SplitCases
from demur.ordinal import honest_ordinal_cost, ordinal_thresholds


def enumerated(y, s, table, weight):
    """Smallest cost over all ways to cut the sorted distinct scores; a last column of costs makes gaps."""
    scores = np.unique(s)
    r = len(table)
    states = range(r)
    if table.shape[1] > r:
        states = [action for level in range(r) for action in (level, -1)][:-1]
    best = np.inf
    for cuts in combinations_with_replacement(range(len(scores) + 1), len(states) - 1):
        place = (np.searchsorted(scores, s)[:, None] >= np.array(cuts)).sum(axis=1)
        best = min(best, (weight * table[y, np.array(states)[place]]).sum() / weight.sum())
    return best


def test_by_hand():
    # 0 0 | 1 | 2 2 with one 2 scored below all: two steps, and moving a threshold costs more
    found = ordinal_thresholds([0, 0, 2, 1, 2, 2], [1, 2, 0.5, 3, 4, 5])
    assert found.thresholds.tolist() == [2.5, 3.5]
    assert found.cost == pytest.approx(2 / 6)
    assert found.confusion[2].tolist() == pytest.approx([1 / 6, 0, 2 / 6])
    # calling the middle level for the top costs nothing: one threshold is not needed
    free = ordinal_thresholds([0, 1, 2], [1, 2, 2], costs=[[0, 1, 2], [1, 0, 1], [1, 0, 0]])
    assert free.thresholds.tolist() == [1.5, np.inf]
    assert free.cost == 0
    assert free.decide([0, 1.5, 1.6, 9]).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("levels", [2, 3, 4])
def test_against_enumeration(levels):
    rng = np.random.default_rng(levels)
    for _ in range(15):
        y = np.concatenate([np.arange(levels), rng.integers(0, levels, 7)])
        s = rng.integers(0, 6, len(y)).astype(float) + y
        weight = rng.integers(1, 4, len(y)).astype(float)
        table = rng.integers(0, 9, (levels, levels)).astype(float)
        found = ordinal_thresholds(y, s, costs=table, sample_weight=weight)
        assert found.cost == pytest.approx(enumerated(y, s, table, weight), abs=1e-12)
        called = found.decide(s)
        assert (weight * table[y, called]).sum() / weight.sum() == pytest.approx(found.cost)


def test_gaps_by_hand():
    # 0 1 0 | 1 0 1 ... between the clear scores a look again for .3 beats an error for 1 out of two
    found = ordinal_thresholds([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], cost_abstain=0.3)
    assert (found.thresholds.tolist(), found.gap_ends.tolist()) == ([2.5], [4.5])
    assert found.cost == pytest.approx(0.6 / 6)
    assert found.abstention_rate == pytest.approx(2 / 6)
    assert found.confusion.tolist() == [[2 / 6, 0, 1 / 6], [0, 2 / 6, 1 / 6]]
    assert found.decide([2.5, 2.6, 4.5, 4.6]).tolist() == [0, -1, -1, 1]
    # at half an error abstaining is as cheap as deciding: the rule that decides is taken
    same = ordinal_thresholds([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], cost_abstain=0.5)
    assert same.abstention_rate == 0
    assert same.thresholds.tolist() == same.gap_ends.tolist() == [2.5]
    # paid for abstaining: all cases between the levels, and no level is called
    paid = ordinal_thresholds([0, 1, 2], [1, 2, 3], cost_abstain=-1)
    assert (paid.abstention_rate, paid.cost) == (1, -1)
    assert paid.rule.words("abc") == "send every case to a person"


@pytest.mark.parametrize("number", range(200))
def test_gaps_against_enumeration(number):
    rng = np.random.default_rng(number)
    levels = int(rng.integers(2, 5 if number % 4 else 4))
    y = np.concatenate([np.arange(levels), rng.integers(0, levels, 5)])
    s = rng.integers(0, 5 if levels < 4 else 4, len(y)) + (y if number % 2 else 0.0)
    weight = rng.integers(1, 4, len(y)) if number % 3 else rng.random(len(y)) + 0.1
    table = rng.normal(size=(levels, levels + 1)) if number % 5 else rng.integers(-2, 9, (levels, levels + 1))
    table, weight = table.astype(float), weight.astype(float)
    options = {"costs": table[:, :-1], "sample_weight": weight}
    found = ordinal_thresholds(y, s, **options, cost_abstain=table[:, -1])
    assert found.cost == pytest.approx(enumerated(y, s, table, weight), abs=1e-12)
    assert (weight * table[y, found.decide(s)]).sum() / weight.sum() == pytest.approx(found.cost, abs=1e-12)
    plain = ordinal_thresholds(y, s, **options)
    assert plain.cost == pytest.approx(enumerated(y, s, table[:, :-1], weight), abs=1e-12)
    assert found.cost <= plain.cost + 1e-12
    # a price nobody would pay: the same rule as without gaps
    dear = ordinal_thresholds(y, s, **options, cost_abstain=100.0)
    assert dear.cost == pytest.approx(plain.cost, abs=1e-12)
    assert dear.decide(s).tolist() == plain.decide(s).tolist()
    assert np.array_equal(found.written().decide(s), found.decide(s))


def test_two_levels_with_a_gap_cost_what_the_cheapest_window_costs():
    rng = np.random.default_rng(4)
    y, costs = np.arange(300) % 2, CostModel(cost_fn=5, cost_fp=2, cost_abstain=0.7)
    s = np.round(y + rng.normal(size=300), 1)
    found = ordinal_thresholds(y, s, costs=[[0, 2], [5, 0]], cost_abstain=0.7)
    window = abstention_surface(y, s).window(costs=costs)
    assert found.cost == pytest.approx(costs.cost_fn * window.cost)


def test_the_order_of_the_rows_plays_no_part():
    rng = np.random.default_rng(5)
    y, s, weight = rng.integers(0, 3, 200), np.round(rng.normal(size=200), 1), rng.random(200) + 0.1
    mixed = rng.permutation(200)
    found = [
        ordinal_thresholds(y[rows], s[rows], sample_weight=weight[rows], step_cost=0.1, cost_abstain=0.05)
        for rows in (slice(None), mixed)
    ]
    assert found[0].rule == found[1].rule


def test_infinite_scores():
    found = ordinal_thresholds([0, 1, 2, 2], [-np.inf, 0, 1, np.inf], cost_abstain=0.1)
    assert found.decide([-np.inf, 0, 1, np.inf]).tolist() == [0, 1, 2, 2]
    # the lowest level is never called, not even for the lowest score
    never = ordinal_thresholds([0, 1], [-np.inf, 0], costs=[[1, 0], [1, 0]])
    assert never.decide([-np.inf, 0]).tolist() == [1, 1]


# ---------------------------------------------------------------- honest costs


def test_honest_cost_against_loops_over_folds():
    rng = np.random.default_rng(1)
    y, options = rng.integers(0, 3, 150), {"cost_abstain": 0.3, "step_cost": 1.0}
    s = np.round(y + rng.normal(size=150), 1)
    found = honest_ordinal_cost(y, s, **options)
    table = np.column_stack([np.abs(np.subtract.outer(range(3), range(3))), np.full(3, 0.3)])
    costs, sent = [], []
    for rows in SplitCases.of_classes(y, None, (0, 1, 2), rng=0).splits.repeats:
        codes = np.empty(150, dtype=int)
        for fold in range(found.folds):
            held = rows.fold == fold
            codes[held] = ordinal_thresholds(y[~held], s[~held], **options).decide(s[held])
        costs.append(table[y, codes].mean())
        sent.append((codes == -1).mean())
    assert found.cost == pytest.approx(np.mean(costs))
    assert found.abstention_rate == pytest.approx(np.mean(sent))
    assert found.hindsight == pytest.approx(ordinal_thresholds(y, s, **options).cost)
    assert found.hindsight < found.cost
    assert found.interval.low < found.cost < found.interval.high
    assert len(costs) == found.repeats == 10


def test_two_levels():
    rng = np.random.default_rng(3)
    y = np.arange(80) % 2
    s, site = y + rng.normal(size=80), np.repeat(np.arange(20), 4)
    plain, clustered = (honest_ordinal_cost(y, s, cost_abstain=0.2, groups=one) for one in (None, site))
    assert (plain.units, clustered.units) == (80, 20)
    assert plain.hindsight == pytest.approx(clustered.hindsight)
    assert plain.hindsight == pytest.approx(ordinal_thresholds(y, s, cost_abstain=0.2).cost)


def test_clusters_and_weights_are_kept():
    rng = np.random.default_rng(2)
    y, patient = rng.integers(0, 3, 90), np.repeat(np.arange(30), 3)
    s, weight = y + rng.normal(size=90), np.where(np.arange(90) % 9, 1.0, 0.0)
    found = honest_ordinal_cost(y, s, groups=patient, sample_weight=weight)
    kept = weight > 0
    again = honest_ordinal_cost(y[kept], s[kept], groups=patient[kept], sample_weight=weight[kept])
    assert (found.cost, found.interval, found.units) == (again.cost, again.interval, 30)


def test_errors():
    for price, message in (
        ([0.1, 0.2, 0.3], "`cost_abstain` must be one number, or one for each of 2 levels, got shape"),
        (np.nan, "`cost_abstain` must be finite"),
        ("much", "`cost_abstain` must be a number"),
    ):
        with pytest.raises(InputError, match=message):
            ordinal_thresholds([0, 1], [0, 1], cost_abstain=price)
    with pytest.raises(InputError, match="two cases of at least two classes"):
        honest_ordinal_cost([0, 1], [0, 1])
    with pytest.raises(InputError, match="same length"):
        honest_ordinal_cost([0, 1, 0, 1], [0, 1, 2, 3], groups=[1, 2])
    with pytest.raises(InputError, match="`costs` must be a table of 2 x 2"):
        ordinal_thresholds([0, 1], [0, 1], costs=[[0, 1, 2]])
    with pytest.raises(InputError, match="`step_cost` must not be negative"):
        ordinal_thresholds([0, 1], [0, 1], step_cost=-1)
