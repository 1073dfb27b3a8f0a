"""Policies and scores that are hard to hand over: awkward thresholds, labels and floats."""

import dataclasses
import math

import numpy as np

from demur import CostModel, Policy, abstention_surface
from demur.windows import Window

INF = math.inf
TINY = 5e-324
LARGEST = np.finfo(np.float64).max
# pairs of thresholds, among them ones without a short decimal, at the ends of the floats, and infinite ones
WINDOWS = [
    (0.1 + 0.2, 0.7000000000000001),
    (-1e-310, TINY),
    (-LARGEST, LARGEST),
    (-0.0, 0.0),
    (1 / 3, 1 / 3),
    (1e21, 2.0**70 * 3),
    (9007199254740993.0, 1.2345678901234567e300),
    (-INF, INF),
    (-INF, 0.3),
    (0.3, INF),
    (-INF, -INF),
    (INF, INF),
]
WORDS = {"pos_label": "it's 'ill'", "neg_label": 'well\\"\n${user} */ é', "abstain_label": "-- ask; \\'?"}
LABELS = [{}, WORDS, {"pos_label": 2.5, "neg_label": -1, "abstain_label": 1e-9}]


def policy(window=(0.3, 0.6), **labels):
    """A policy with this window."""
    surface = abstention_surface([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.5, 0.5, 0.9])
    costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    made = Policy.from_surface(surface, costs=costs, model="risk */ /* of \n'it'", **labels)
    return dataclasses.replace(made, rule=Window(*window))


def hard_scores(windows=WINDOWS, rows=0, seed=0):
    """Every threshold and its neighbours, the ends of the floats, infinities, and `rows` random scores."""
    cuts = np.array([cut for window in windows for cut in window])
    ends = [-INF, INF, LARGEST, -LARGEST, TINY, -TINY, 0.0, -0.0, 1.0]
    rng = np.random.default_rng(seed)
    random = np.concatenate([rng.random(rows // 2), rng.normal(scale=1e3, size=rows - rows // 2)])
    finite = cuts[np.isfinite(cuts)]
    with np.errstate(over="ignore"):
        near = [np.nextafter(finite, INF), np.nextafter(finite, -INF)]
        single = [finite.astype(np.float32).astype(np.float64), random[: rows // 4].astype(np.float32)]
    return np.concatenate([cuts, *near, *single, ends, random])
