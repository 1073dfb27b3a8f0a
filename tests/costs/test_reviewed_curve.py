"""Cost curves with abstention: cost over prevalence and price of a review, against formula and surface."""

import math

import numpy as np
import pytest

from demur import Binormal, InputError, ScoreCounts, abstention_surface, best_ranges, cost_curve
from demur.costs import probability_cost


def sample(seed=0, separation=1.5, digits=1):
    y, s = Binormal(separation=separation).sample(150, rng=seed)
    return y, np.round(s, digits)


def test_surface_of_prevalences_against_the_cost_formula_at_random_points():
    """k = sum_b min(x P_b, (1 - x) N_b, nu (x P_b + (1 - x) N_b / mu)), shares P_b, N_b of blocks."""
    y, s = sample()
    curve, rng = cost_curve(y, s), np.random.default_rng(1)
    P, N = curve.positive_share, curve.negative_share
    points = zip(rng.random(10_000), rng.random(10_000), 3 * rng.random(10_000) + 1e-3, strict=True)
    worst = 0.0
    for x, nu, mu in points:
        formula = np.minimum(np.minimum(x * P, (1 - x) * N), nu * (x * P + (1 - x) * N / mu)).sum()
        worst = max(worst, abs(curve.reviewed(nu, mu=mu).expected_cost(x) - formula))
    assert worst < 1e-12


@pytest.mark.parametrize("mu", [0.2, 1.0, 4.0])
def test_a_slice_is_the_surface_at_every_prevalence(mu):
    y, s = sample(seed=2)
    counts = ScoreCounts.from_arrays(y, s)
    for nu in (0.0, 0.1, 0.4, 2.0, 1e9):
        curve = cost_curve(counts).reviewed(nu, mu=mu)
        for rate in (0.001, 0.2, 0.5, 0.9, 0.999):
            surface = abstention_surface(counts, prevalence=rate)
            pc = probability_cost(rate, cost_fn=1, cost_fp=mu)
            assert curve.prevalence(pc) == pytest.approx(rate, abs=1e-12)
            worst = rate + mu * (1 - rate)
            assert curve.expected_cost(pc) * worst == pytest.approx(surface.cost(mu, nu), abs=1e-12)
            trivial = surface.trivial().cost(mu, nu)
            assert curve.trivial().expected_cost(pc) * worst == pytest.approx(trivial, abs=1e-12)


def test_who_is_cheapest_at_every_prevalence_against_many_points():
    curves = {
        name: cost_curve(*sample(seed=3, separation=separation)).reviewed(0.2)
        for name, separation in {"a": 1.2, "b": 1.5}.items()
    }
    y, s = sample(seed=3)
    curves["coarse"] = cost_curve(y, (s > 0.5) + 2 * (s > 1.5)).reviewed(0.2)
    found = best_ranges(curves)
    assert (found[0].low, found[-1].high) == (0.0, 1.0)
    for x in np.linspace(0, 1, 2001)[1:-1]:
        costs = {name: curve.expected_cost(x) for name, curve in curves.items()}
        (part,) = [one for one in found if one.low <= x < one.high]
        assert min(costs.values()) == pytest.approx(costs[part.winner], abs=1e-12)


def test_corners_and_area_by_hand():
    # one block of both classes, reviews at a fifth: two walls under a roof at 0.2
    curve = cost_curve([0, 1], [1, 1]).reviewed(0.2)
    assert curve.vertices == pytest.approx(np.array([[0, 0], [0.2, 0.2], [0.8, 0.2], [1, 0]]))
    assert curve.area() == pytest.approx(0.2 * 0.8)
    assert curve.trivial().area() == pytest.approx(0.16)
    # where false alarms cost half as much a review is worth less: none from a third on
    assert cost_curve([0, 1], [1, 1]).reviewed(1, mu=0.5).nu == pytest.approx(1 / 3)
    assert repr(curve).startswith("ReviewedCostCurve(mu=1, nu=0.2, area=")


def test_prices_that_are_none_are_refused():
    curve = cost_curve([0, 1], [1, 2])
    with pytest.raises(InputError, match="`nu` must not be negative"):
        curve.reviewed(-0.1)
    with pytest.raises(InputError, match="`mu` must be positive"):
        curve.reviewed(0.1, mu=0)
    with pytest.raises(InputError, match="`nu` must be finite"):
        curve.reviewed(math.inf)
