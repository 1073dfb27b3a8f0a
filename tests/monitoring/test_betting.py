"""Confidence sequences of shares and of the mean cost: by hand, by enumeration, by simulation."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import betaln

from demur import PolicyMonitor
from demur.monitoring.betting import CostSequence, share_sequence
from monitoring_cases import shop, shop_policy


def test_limits_of_a_share_are_where_the_mixture_is_twenty_times_as_likely():
    low, high = share_sequence(30, 100, alpha=0.05, expected=0.5)
    mixture = betaln(30.5, 70.5) - betaln(0.5, 0.5)
    for p in (low, high):
        assert mixture - 30 * math.log(p) - 70 * math.log1p(-p) == pytest.approx(math.log(20), rel=1e-9)
    assert low < 0.3 < high


@pytest.mark.parametrize(("count", "n", "low", "high"), [(0, 0, 0, 1), (0, 9, 0, None), (9, 9, None, 1)])
def test_limits_at_the_ends(count, n, low, high):
    interval = share_sequence(count, n, alpha=0.05)
    assert interval.low == low or low is None
    assert interval.high == high or high is None


def share_covered(rng, p, looks=1000):
    counts, n = rng.binomial(20, p, looks).cumsum(), 20 * np.arange(1, looks + 1)
    for k, m in zip(counts[::10], n[::10], strict=True):
        low, high = share_sequence(k, m, alpha=0.05, expected=0.3)
        if not low <= p <= high:
            return False
    return True


def test_share_is_covered_at_all_times(rng):
    assert sum(share_covered(rng, p, looks=200) for p in [0.02, 0.3, 0.7] * 10) >= 26


def test_capital_is_a_martingale_at_the_mean():
    """Over all sequences of eight cases the expected capital is 1, from a start with a past."""
    begun = CostSequence(low=0.0, high=10.0, alpha=0.05, promise=2.0).updated(np.array([0.0, 10.0, 4.0] * 3))
    prices, chances = np.array([0.0, 4.0, 10.0]), np.array([0.6, 0.25, 0.15])
    mean = float(prices @ chances)
    begun = CostSequence(
        low=0.0, high=10.0, alpha=0.05, promise=mean, n=begun.n, mean=begun.mean, spread=begun.spread
    )
    expected = 0.0
    for sequence in itertools.product(range(3), repeat=5):
        after = begun.updated(prices[list(sequence)])
        expected += math.prod(chances[list(sequence)]) * math.exp(after.broken)
    assert expected == pytest.approx(1.0, rel=1e-12)


def test_capitals_run_one_way_along_the_grid(rng):
    sequence = CostSequence(low=-1.0, high=9.0, alpha=0.1)
    sequence = sequence.updated(rng.choice([-1.0, 0.0, 9.0], 500, p=[0.3, 0.6, 0.1]))
    assert np.all(np.diff(sequence.rising) <= 1e-9)
    assert np.all(np.diff(sequence.falling) >= -1e-9)
    low, high = sequence.interval
    assert low < sequence.mean < high


def test_state_keeps_the_sequence(rng):
    sequence = CostSequence(low=0.0, high=5.0, alpha=0.05, promise=1.0).updated(rng.choice([0.0, 5.0], 300))
    empty = CostSequence(low=0.0, high=5.0, alpha=0.05, promise=1.0)
    again = empty.with_state(sequence.to_state())
    assert (again.n, again.mean, again.broken) == (sequence.n, sequence.mean, sequence.broken)
    assert np.all(again.rising <= sequence.rising)
    assert np.allclose(again.rising, sequence.rising, atol=2e-4)
    with pytest.raises(ValueError, match="another grid"):
        empty.with_state({**sequence.to_state(), "rising": [0.0]})


def cost_covered(rng, looks, *, audit):
    """Tell whether the true mean cost is inside after every batch, and never called above itself.

    Acted cases are audited at random.
    """
    prices, chances = np.array([0.0, 4.0, 20.0, 100.0]), np.array([0.6, 0.3, 0.08, 0.02])
    mean = float(prices @ chances)
    sequence, inside = CostSequence(low=0.0, high=100.0, alpha=0.05, promise=mean), True
    for _ in range(looks):
        costs = rng.choice(prices, 200, p=chances)
        if audit < 1:
            reviewed = costs == 4.0
            chosen = reviewed | (rng.random(200) < audit)
            costs = np.where(chosen, np.where(reviewed, costs, costs / audit), 0.0)
        sequence = sequence.updated(costs, largest_weight=1 / audit)
        low, high = sequence.interval
        inside &= low <= mean <= high
    return inside, sequence.most_broken < math.log(20), sequence


@pytest.mark.parametrize("audit", [1.0, 0.1])
def test_cost_is_covered_at_all_times(rng, audit):
    results = [cost_covered(rng, 30, audit=audit) for _ in range(20)]
    assert sum(covered for covered, _, _ in results) >= 17
    assert sum(kept for _, kept, _ in results) >= 17
    low, high = results[0][2].interval
    assert high - low < (3.0 if audit == 1 else 30.0)


@pytest.mark.long
@pytest.mark.parametrize("audit", [1.0, 0.1, 0.01])
def test_cost_sequence_covers_in_95_of_100_runs(audit):
    rng = np.random.default_rng(round(1000 * audit))
    runs = 300
    results = [cost_covered(rng, 200, audit=audit)[:2] for _ in range(runs)]
    covered, kept = np.mean(results, axis=0)
    assert covered >= 0.95
    assert kept >= 0.95


@pytest.mark.long
def test_share_sequence_covers_in_95_of_100_runs():
    rng = np.random.default_rng(7)
    runs = 400
    missed = sum(not share_covered(rng, p) for p in [0.005, 0.1, 0.5, 0.9] * (runs // 4))
    assert missed <= runs * 0.05 + 2 * math.sqrt(runs * 0.05 * 0.95)


@pytest.mark.long
def test_precision_of_negatives_is_covered_at_all_times_by_an_audit_of_one_in_a_hundred():
    rng = np.random.default_rng(17)
    policy = shop_policy(rng, 5000)
    everyone, score = shop(rng, 2_000_000)
    truth = float(np.mean(~everyone[policy.decide(score) == 0]))
    runs, covered, widths = 60, 0, []
    for _ in range(runs):
        monitor, inside = PolicyMonitor(policy), True
        for _ in range(20):
            y, s = shop(rng, 3000)
            reviewed = policy.decide(s) == -1
            known = reviewed | (rng.random(3000) < 0.01)
            monitor.update(s, np.where(known, y, np.nan), weights=np.where(reviewed, 1.0, 100.0))
            if "negative" in monitor.precision:
                low, high = monitor.precision["negative"][1]
                inside &= low <= truth <= high
        covered += inside
        widths.append(high - low)
    assert covered >= 0.95 * runs - 2 * math.sqrt(runs * 0.05 * 0.95)
    assert max(widths) < 0.1
