"""Prevalence from unlabelled scores, and what keeping the window costs."""

import numpy as np
import pytest

import demur
from demur.monitoring import PolicyMonitor
from demur.monitoring.mixture import fitted_prevalence
from demur.monitoring.reference import ReferenceCells
from monitoring_cases import COSTS, shop, shop_policy


def test_estimate_against_adjust_prevalence(rng):
    policy = shop_policy(rng, 2000)
    cells = ReferenceCells.of(policy)
    counts = np.bincount(cells.cell_of(shop(rng, 700, 0.3)[1]), minlength=cells.size).astype(float)
    starts = cells.block_starts
    positive = policy.prevalence * np.add.reduceat(cells.positive, starts)
    negative = (1 - policy.prevalence) * np.add.reduceat(cells.negative, starts)
    held = np.add.reduceat(counts, starts).astype(int)
    proba = np.repeat(positive / (positive + negative), held)
    expected = demur.adjust_prevalence(proba, prevalence=policy.prevalence).prevalence
    assert fitted_prevalence(cells, counts, alpha=0.05).prevalence == pytest.approx(expected, abs=1e-7)


def fit(rng, size, n, prevalence):
    cells = ReferenceCells.of(shop_policy(rng, size))
    counts = np.bincount(cells.cell_of(shop(rng, n, prevalence)[1]), minlength=cells.size).astype(float)
    return fitted_prevalence(cells, counts, alpha=0.05)


def test_small_reference_makes_the_interval_wide(rng):
    narrow, wide = fit(rng, 20000, 2000, 0.2).interval, fit(rng, 400, 2000, 0.2).interval
    assert narrow.high - narrow.low < 0.7 * (wide.high - wide.low)
    assert narrow.low < 0.2 < narrow.high


@pytest.mark.parametrize("prevalence", [0.0, 1.0])
def test_estimate_reaches_the_ends(rng, prevalence):
    assert fit(rng, 3000, 3000, prevalence).prevalence == pytest.approx(prevalence, abs=0.04)


@pytest.mark.long
@pytest.mark.parametrize("size", [1000, 10000])
def test_interval_of_the_prevalence_covers(size):
    rng = np.random.default_rng(size)
    runs = 200
    covered = 0
    for _ in range(runs):
        low, high = fit(rng, size, 1500, 0.2).interval
        covered += low <= 0.2 <= high
    # blocks are fitted to the reference, so the level is approximate
    assert covered >= 0.9 * runs


def test_cost_of_keeping_by_hand(rng):
    policy = shop_policy(rng, 3000)
    monitor = PolicyMonitor(policy)
    monitor.update(shop(rng, 4000, 0.3)[1])
    rate, blocks = monitor.prevalence, policy.evidence.blocks
    where = policy.decide((blocks.lower + blocks.upper) / 2)
    positive, negative = blocks.positives / blocks.positives.sum(), blocks.negatives / blocks.negatives.sum()
    kept = (
        COSTS.cost_fn * rate * positive[where == 0].sum()
        + COSTS.cost_fp * (1 - rate) * negative[where == 1].sum()
        + COSTS.cost_abstain * (rate * positive[where == -1].sum() + (1 - rate) * negative[where == -1].sum())
    )
    best = policy.at(prevalence=rate).expected_cost
    assert monitor.cost_of_keeping == pytest.approx(kept - best, rel=1e-9)
    low, high = monitor.cost_of_keeping_interval
    assert 0 < low < monitor.cost_of_keeping < high
    assert monitor.proposed_policy().to_dict() == policy.at(prevalence=rate).to_dict()


def test_keeping_the_best_window_costs_nothing(rng):
    policy = shop_policy(rng, 3000)
    monitor = PolicyMonitor(policy)
    assert monitor._keeping(policy.prevalence) == pytest.approx(0.0, abs=1e-9)


def test_a_mixture_of_the_classes_is_rarely_refuted(rng):
    assert sum(fit(rng, 2000, 1500, 0.2).p_value < 0.01 for _ in range(25)) <= 3


@pytest.mark.long
@pytest.mark.parametrize("size", [300, 1000, 10000])
def test_mixture_is_refuted_about_as_often_as_it_says(size):
    rng = np.random.default_rng(size + 1)
    runs = 300
    assert sum(fit(rng, size, 1500, 0.2).p_value < 0.01 for _ in range(runs)) <= 0.05 * runs
