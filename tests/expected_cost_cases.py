"""Rules of the smallest expected cost for tests of exports: made by hand, curved, and their boundaries."""

import math

import numpy as np

from demur.windows import ExpectedCostRule, PiecewiseLinear
from demur.windows.expected_cost import pseudo_log

__all__ = ["COSTS", "boundary_rows", "learned", "rule"]

# a miss costs the amount, a false alarm 25, a review 4
COSTS = np.array([[[0, 0], [25, 0], [4, 0]], [[0, 1], [0, 0], [4, 0]]], dtype=float)
STRAIGHT = PiecewiseLinear(np.array([0.0, 1.0]), np.array([0.0, 1.0]))


def rule(**changes):
    """Return a rule whose score is the probability."""
    return ExpectedCostRule(
        **{"names": ("score", "amount"), "calibration": STRAIGHT, "costs": COSTS, **changes}
    )


def learned(seed=0, amounts=1):
    """A rule with curved functions and weights, as a learner makes them."""
    rng = np.random.default_rng(seed)
    points = np.sort(rng.normal(0, 2, 9))
    logs = tuple(pseudo_log(np.exp(rng.normal(4, 2, 50))) for _ in range(amounts))
    costs = np.zeros((2, 3, 1 + amounts))
    costs[0, 1, 0], costs[:, 2, 0], costs[1, 0, 1:] = 25, 4, rng.uniform(0.2, 1.5, amounts)
    costs[1, 2, 1:] = 0.01
    z = np.sort(rng.normal(0, 3, 12))
    return rule(
        names=("score", *(f"amount {k}" for k in range(amounts))),
        calibration=PiecewiseLinear(z, np.sort(rng.uniform(0, 1, 12))),
        costs=costs,
        scale=PiecewiseLinear(points, np.sort(rng.normal(0, 2, 9))),
        logs=logs,
        weights=(1.1, *(0.2,) * amounts),
    )


def boundary_rows(made, number):
    """Scores one step beside every threshold of many amounts, and points of all functions."""
    rng = np.random.default_rng(4)
    amounts = np.concatenate([np.exp(rng.normal(4, 2, number)), [0, 5e-324, 1e-5, 1, 2, 1024, 1e50, 1e100]])
    rows = []
    for amount in amounts:
        for cut in made.thresholds(amount):
            if math.isfinite(cut):
                beside = (math.nextafter(cut, -math.inf), cut, math.nextafter(cut, math.inf))
                rows += [[score, amount] for score in beside]
                rows.append([cut, math.nextafter(amount, math.inf) if amount < 1e100 else amount])
    rows += [[point, amount] for point in made.scale.points for amount in (0.0, *made.logs[0].points)]
    return rows
