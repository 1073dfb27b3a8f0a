"""Policies and probabilities of many classes that are hard to hand over: ties, ends of the floats, NaN."""

import math

import numpy as np

from demur import CostMatrix, Policy
from demur.windows import ClassRule

WORDS = ("it's 'ill'", 'well\\"\n${user} */ é', "-- ask; \\'?")
COSTS = np.array([[0.0, 1, 4], [3, 0, 2], [8, 6, 0]])
RULES = {
    "plain": {"weights": [1.0, 1.0, 1.0]},
    "weights": {"weights": [1.0, 0.1 + 0.2, 5 / 3]},
    "abstaining": {"weights": [1.0, 2.151657, 0.0], "abstain_weight": 0.7000000000000001},
    "columns": {"weights": [1.0, 1 / 3, 1.7], "column_costs": COSTS},
    "columns, abstaining": {
        "weights": [1.0, 1.1, 0.9],
        "abstain_weight": 1.3,
        "column_costs": np.column_stack([COSTS, [0.5, 0.5, 0.7]]),
    },
}


def class_policy(rule="abstaining", classes=("a", "b", "c"), **parts):
    """A policy with one of the rules above."""
    made = ClassRule(classes=classes, **RULES[rule])
    costs = CostMatrix(values=COSTS, classes=classes)
    return Policy(rule=made, costs=costs, model="risk */ /* of \n'it'", **parts)


def hard_rows(rows=300, seed=0):
    """Ties of two and three classes, scores at the thresholds, tiny and huge numbers, random rows."""
    rng = np.random.default_rng(seed)
    grid = rng.integers(0, 5, (rows, 3)) / 4
    ends = [
        [1, 1, 1],
        [5e-324, 0, 0],
        [1e300, 1e300, 1e299],
        [0.3, 1.0, 0.18],
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
    ]
    near = np.column_stack([np.full(5, 0.7), *rng.random((2, 5)) / 3])
    single = rng.random((rows, 3)).astype(np.float32).astype(np.float64)
    return np.concatenate([grid[grid.sum(axis=1) > 0], ends, near, single, rng.dirichlet([1, 1, 1], rows)])


BROKEN = [[math.nan, 0.5, 0.5], [0.5, None, 0.5], [-0.1, 0.5, 0.6], [math.inf, 0.1, 0.1], [0.0, 0.0, 0.0]]
"""Rows without a decision."""
