"""The pure search under limits, on running masses, against enumeration."""

import math

import numpy as np
import pytest

from demur import CostModel, ScoreCounts, abstention_surface
from demur.surface.masses import score_masses
from demur.windows.limits import Limits
from demur.windows.search import CutLimits, Prices, cut_limits, limited_search


def problem(seed, n=25):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    labels[:2] = 0, 1
    scores = np.round(rng.normal(size=n) + labels, 1)
    counts = ScoreCounts.from_arrays(labels, scores)
    return counts, score_masses(counts, counts.prevalence), rng


def enumerated(masses, prices, limits):
    """Best allowed pair by looking at all of them; None if there is none."""
    size, below = len(masses.below), masses.below
    tried = [
        (round(prices.cost(masses, i, j), 11), round(float(below[j] - below[i]), 11), j, -i)
        for j in range(size)
        for i in range(j + 1)
        if limits.starts[i] and limits.stops[j] and i >= limits.first[j]
    ]
    tried = [key for key in tried if key[0] < math.inf]
    return (-min(tried)[3], min(tried)[2]) if tried else None


@pytest.mark.parametrize("seed", range(40))
def test_limited_search_against_enumeration(seed):
    _, masses, rng = problem(seed)
    costs = CostModel(cost_fn=rng.integers(1, 5), cost_fp=1, cost_abstain=rng.choice([None, 0.25, 0.5]))
    prices = Prices.of(costs, *rng.choice([1.0, 0.7, 1.4], 2))
    for limits in (
        cut_limits(masses, Limits()),
        cut_limits(masses, Limits(max_abstention=0.2)),
        cut_limits(masses, Limits(max_abstention=0.4, max_fn_rate=0.3)),
        cut_limits(
            masses, Limits(max_abstention=0.5, min_precision_positive=0.7, min_precision_negative=0.7)
        ),
    ):
        assert limited_search(masses, prices, limits) == enumerated(masses, prices, limits)
    assert limited_search(masses, prices) == enumerated(masses, prices, cut_limits(masses, Limits()))


def test_prices_at_another_prevalence_are_those_of_its_surface():
    counts, masses, _ = problem(3)
    costs = CostModel(cost_fn=4, cost_fp=1, cost_abstain=0.4)
    for rate in (0.1, 0.5, 0.8):
        factors = rate / counts.prevalence, (1 - rate) / (1 - counts.prevalence)
        prices = Prices.of(costs, *factors)
        window = abstention_surface(counts, prevalence=rate).window(costs=costs)
        assert prices.cost(masses, window.lower_index, window.upper_index) == pytest.approx(
            window.expected_cost
        )
        cuts = limited_search(masses, prices)
        assert prices.cost(masses, *cuts) == pytest.approx(window.expected_cost)


def test_limits_at_two_prevalences_hold_at_both():
    counts, _, _ = problem(4)
    limits = [
        cut_limits(score_masses(counts, rate), Limits(max_abstention=0.3, min_precision_positive=0.6))
        for rate in (0.2, 0.6)
    ]
    both = limits[0].both(limits[1])
    assert isinstance(both, CutLimits)
    size = len(counts.scores) + 1
    for j in range(size):
        for i in range(j + 1):
            kept = [one.starts[i] and one.stops[j] and i >= one.first[j] for one in limits]
            assert (both.starts[i] and both.stops[j] and i >= both.first[j]) == all(kept)


def test_limits_that_allow_nothing():
    _, masses, _ = problem(5)
    size = len(masses.below)
    nothing = CutLimits(np.zeros(size, bool), np.ones(size, bool), np.zeros(size, np.int64))
    for costs in (CostModel(), CostModel(cost_abstain=0.1)):
        assert limited_search(masses, Prices.of(costs), nothing) is None
