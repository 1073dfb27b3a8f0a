"""A shop in which one case in ten is a fraud: what tests of monitoring share."""

import numpy as np
from scipy.special import expit, logit, ndtr

import demur

SEPARATION = 2.0
COSTS = demur.CostModel(cost_fn=100, cost_fp=20, cost_abstain=4)


def shop(rng, n, prevalence=0.1):
    """Return who is positive, and P(positive) as calibrated at 10 % positives."""
    positive = rng.random(n) < prevalence
    marker = rng.standard_normal(n) + SEPARATION * positive
    return positive, expit(SEPARATION * marker - SEPARATION**2 / 2 + logit(0.1))


def distribution(score, prevalence=0.1):
    """Distribution function of the scores of `shop`."""
    marker = (logit(np.clip(score, 1e-300, 1 - 1e-16)) + SEPARATION**2 / 2 - logit(0.1)) / SEPARATION
    return prevalence * ndtr(marker - SEPARATION) + (1 - prevalence) * ndtr(marker)


def shop_policy(rng, n, **labels):
    """Return a policy chosen on n cases of the shop."""
    positive, score = shop(rng, n)
    while not positive.any():
        positive, score = shop(rng, n)
    return demur.Policy.from_surface(demur.abstention_surface(positive, score), costs=COSTS, **labels)


def cell_shares(cells, prevalence=0.1):
    """Return the true share of every cell."""
    running = np.concatenate([[0.0], distribution(cells.cuts, prevalence), [1.0]])
    shares = np.maximum(np.diff(running), 0.0)
    return shares / shares.sum()
