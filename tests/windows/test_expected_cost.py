"""The rule of the smallest expected cost: by hand, against a slow loop, in files and in other systems."""

import math

import numpy as np
import pytest

from demur import InputError, abstention_surface
from demur.costs import CostModel
from demur.counts import ScoreCounts
from demur.surface.window import ABSTAIN
from demur.windows import PiecewiseLinear
from demur.windows.expected_cost import pseudo_log
from expected_cost_cases import COSTS, learned, rule


def expected(made, row):
    """Expected cost of every action on one row, from the definition."""
    score, *amounts = row
    z = score
    if made.scale is not None:
        logs = [np.interp(a, log.points, log.values) for a, log in zip(amounts, made.logs, strict=True)]
        scaled = np.interp(score, made.scale.points, made.scale.values)
        z = sum(w * x for w, x in zip(made.weights, [scaled, *logs], strict=True))
    p = np.interp(z, made.calibration.points, made.calibration.values)
    costs = made.costs @ np.array([1.0, *amounts])
    return (1 - p) * costs[0] + p * costs[1]


# ---------------------------------------------------------------- by hand


def test_decisions_by_hand():
    # at an amount of 100: negative while 100 p <= 4, positive where 25 (1 - p) <= 4
    rows = [[0.03, 100], [0.05, 100], [0.83, 100], [0.85, 100], [0.5, 1], [0.5, 0]]
    assert rule().decide(rows).tolist() == [0, ABSTAIN, ABSTAIN, 1, 0, 0]
    # who cannot abstain: positive from odds x amount = 25 on
    two_ways = rule(costs=COSTS[:, :2])
    assert two_ways.decide([[0.19, 100], [0.21, 100], [0.5, 25], [0.5, 24]]).tolist() == [0, 1, 1, 0]
    assert not two_ways.abstains


def test_ties_go_to_positive_then_negative_by_hand():
    alike = np.ones((2, 3, 2)) * [1, 0]
    assert rule(costs=alike).decide([[0.5, 3]]).tolist() == [1]
    dear = alike.copy()
    dear[:, 1] = 2
    assert rule(costs=dear).decide([[0.5, 3]]).tolist() == [0]


def test_thresholds_by_hand():
    assert rule().thresholds(100) == pytest.approx((0.04, 0.84))
    assert rule(costs=COSTS[:, :2]).thresholds(100) == pytest.approx((0.2, 0.2))
    assert rule().thresholds(0) == (1.0, 1.0)  # nothing to lose: positive only where that is certain
    assert rule(least_saving=1.0).thresholds(100) == pytest.approx((0.05, 0.8))
    assert rule(least_saving=100.0).thresholds(100) == pytest.approx((0.2, 0.2))


def test_words_by_hand():
    assert rule(examples=(20.0, 200.0)).words(("legit", "fraud")) == (
        "with amount known, call fraud when odds x amount exceed 25 and the probability exceeds 84 %, legit "
        "when probability x amount is at most 4, else send it to a person. At amount 20: fraud from 0.84 up, "
        "legit up to 0.2, else a person; 200: fraud from 0.84 up, legit up to 0.02, else a person"
    )
    assert "25: fraud from 0.5 up, legit below" in rule(costs=COSTS[:, :2], examples=(25.0,)).words(
        ("legit", "fraud")
    )
    two_ways = rule(costs=COSTS[:, :2]).words(("legit", "fraud"))
    assert two_ways == "with amount known, call fraud when odds x amount exceed 25, else legit"
    dear = COSTS + np.array([[[0, 0], [0, 0.1], [0, 0]], [[0, 0], [0, 0], [0, 0]]])
    assert rule(costs=dear).words(("legit", "fraud")).endswith("that is expected to cost least")
    flat = PiecewiseLinear(np.array([0.0]), np.array([0.3]))
    assert (
        rule(calibration=flat, examples=(1.0,))
        .words(("legit", "fraud"))
        .endswith("At amount 1: always legit")
    )
    assert rule(calibration=flat, examples=(90.0,)).words(("legit", "fraud")).endswith("90: always a person")


def test_pseudo_log_by_hand():
    log = pseudo_log(np.array([3.0, 40.0]))
    assert log.points.tolist() == [2, 4, 8, 16, 32, 64]
    assert log.at(np.array([0.0, 2.0, 3.0, 48.0, 64.0, 1e9])).tolist() == [1, 1, 1.5, 5.5, 6, 6]


def test_points_too_close_are_left_out():
    points = np.array([0.0, 0.0, 5e-324, 1.0])
    kept = PiecewiseLinear.through(points, np.array([0.1, 0.2, 0.3, 0.4]))
    assert kept.points.tolist() == [0.0, 1.0]


# ---------------------------------------------------------------- against definitions


@pytest.mark.parametrize("amounts", [1, 2])
def test_codes_against_expected_costs(amounts):
    rng = np.random.default_rng(1)
    for seed in range(20):
        made = learned(seed, amounts)
        rows = np.column_stack([rng.normal(0, 3, 200), np.exp(rng.normal(4, 2, (200, amounts)))])
        costs = np.array([expected(made, row) for row in rows])
        codes = made.decide(rows)
        paid = costs[np.arange(200), codes]
        assert paid == pytest.approx(costs.min(axis=1), rel=1e-9)
        assert made.savings(rows) == pytest.approx(costs[:, :2].min(axis=1) - costs[:, 2], abs=1e-9)
        assert made.support(rows) == pytest.approx(costs.min(axis=1)[:, None] - costs, abs=1e-9)


def test_thresholds_against_decisions():
    rng = np.random.default_rng(2)
    for seed in range(30):
        made = learned(seed)
        amount = float(np.exp(rng.normal(4, 2)))
        lower, upper = made.thresholds(amount)
        # scores beyond the first and the last point are as good as those
        for score in np.linspace(made.scale.points[0], made.scale.points[-1], 301):
            if min(abs(score - lower), abs(score - upper)) > 1e-6:
                wanted = 1 if score > upper else 0 if score < lower else ABSTAIN
                assert made.decide([[score, amount]])[0] == wanted


def test_plain_isotonic_probabilities_give_the_cheapest_window():
    """Friedel, Rueckert and Kramer (2006): at fixed costs the best window follows from the blocks."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        y = rng.random(80) < 0.4
        s = np.round(y + rng.normal(0, 1.2, 80), 1)
        costs = CostModel(
            cost_fn=rng.uniform(5, 20), cost_fp=rng.uniform(2, 9), cost_abstain=rng.uniform(0.3, 2)
        )
        counts = ScoreCounts.from_arrays(y, s)
        blocks = counts.blocks()
        share = blocks.positives / (blocks.positives + blocks.negatives)
        ends = np.stack([blocks.lower, blocks.upper], axis=1).ravel()
        steps = PiecewiseLinear.through(ends, np.repeat(share, 2))
        made = rule(names=("score",), calibration=steps, costs=costs.losses.table[:, :, None])
        # points of a block of one score are one point
        window = abstention_surface(counts).window(costs=costs)
        wanted = np.where(s >= window.upper, 1, np.where(s <= window.lower, 0, ABSTAIN))
        assert np.array_equal(made.codes(s[:, None]), wanted)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.5, -1]], "`table` must hold amounts from 0 to 1e\\+100, got -1"),
        ([[math.inf, 1]], "`table` must hold finite scores"),
        ([[0.5]], "`table` must"),
        ([[math.nan, 1]], "`table` must"),
    ],
)
def test_wrong_tables(rows, message):
    with pytest.raises(InputError, match=message):
        rule().decide(rows)
