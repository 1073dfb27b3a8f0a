"""Certificates by hand and against every window of samples from a known population."""

import json
import math

import numpy as np
import pytest

from demur import Binormal, CostModel, InputError, ScoreCounts, abstention_surface, surface_certificate
from demur.honest.certificates import dkw_margin

SCORES, POS, NEG = [-0.9, -0.5, 0.0, 0.4, 0.8], [0, 1, 1, 2, 2], [2, 1, 2, 1, 0]
COUNTS = ScoreCounts.from_counts(SCORES, POS, NEG)


def test_margins_by_hand():
    certificate = surface_certificate(COUNTS, confidence_level=0.95)
    eps = math.sqrt(math.log(4 / 0.05) / 24)
    assert certificate.margin(0.5) == pytest.approx(1.5 * eps)
    assert certificate.upper(1, 0.25) == pytest.approx(1 / 6 + 2 * math.sqrt(math.log(2 / 0.05) / 24))
    # a sample of 12 certifies little: the bounds are cut at 0 and at nu
    assert certificate.interval(1, 0.25) == (0.0, 0.25)
    assert certificate.interval(0.5, 5.0).high == pytest.approx(1 / 3)
    big = surface_certificate(ScoreCounts.from_counts(SCORES, np.array(POS) * 1000, np.array(NEG) * 1000))
    eps = math.sqrt(math.log(80) / 24_000)
    assert big.interval(1, 0.25) == pytest.approx((1 / 6 - 2 * eps, 1 / 6 + 2 * eps))


def test_known_prevalence_by_hand():
    certificate = surface_certificate(COUNTS, prevalence=0.2, confidence_level=0.9)
    eps = math.sqrt(math.log(4 / 0.1) / 12)
    assert certificate.margin(0.5) == pytest.approx(0.2 * eps + 0.5 * 0.8 * eps)
    assert certificate.interval(1, 5.0).high == pytest.approx(min(0.2, 0.8))
    assert surface_certificate([1, 1, 1], [1, 2, 3], prevalence=1.0).margin(7) == pytest.approx(
        dkw_margin(3, 0.025)
    )


def test_certified_window_in_the_users_unit_by_hand():
    certificate = surface_certificate(COUNTS)
    costs = CostModel(cost_fn=100, cost_fp=100, cost_abstain=25)
    window = certificate.window(costs=costs)
    eps = math.sqrt(math.log(2 / 0.05) / 24)
    assert (window.lower, window.upper) == pytest.approx((-0.7, 0.6))
    assert window.expected_cost == pytest.approx(100 / 6)
    assert window.certified_expected_cost == pytest.approx(100 / 6 + 200 * eps)
    assert window.certified_abstention_rate == 1.0
    # right answers that cost something make the estimated prevalence matter
    costs = CostModel(
        cost_fn=110, cost_fp=100, cost_tp=10, cost_abstain_positive=35, cost_abstain_negative=25
    )
    other = certificate.window(costs=costs)
    assert other.cost == pytest.approx(window.cost)
    assert other.certified_expected_cost == pytest.approx(100 / 6 + 10 / 2 + 210 * eps)
    json.dumps(other.to_dict(), allow_nan=False)
    json.dumps(certificate.to_dict(), allow_nan=False)


def test_empty_window_and_class_dependent_costs_by_hand():
    certificate = surface_certificate(COUNTS)
    one_sided = math.sqrt(math.log(2 / 0.05) / 24)
    window = certificate.window(1, math.inf)
    assert window.certified_cost == pytest.approx(0.25 + 2 * one_sided)
    assert window.abstention_rate == 0
    # abstaining on negatives is rewarded: weights 0.8, 0.2 and 1.1, -0.1 in absolute value
    costs = CostModel(cost_abstain_positive=0.2, cost_abstain_negative=-0.1)
    window = certificate.window(costs=costs)
    two_sided = math.sqrt(math.log(4 / 0.05) / 24)
    assert window.certified_cost == pytest.approx(window.cost + 2.2 * two_sided)


def every_window(counts):
    """(lower cut, upper cut, masses F(l), F(u), T(l), T(u)) of all windows of a sample."""
    m = abstention_surface(counts)._groups
    k = len(m.positive_below)
    i, j = np.triu_indices(k)
    low, high = m.lower_cut[i], m.upper_cut[j]
    return low, high, m.positive_below[i], m.positive_below[j], m.negative_above[i], m.negative_above[j]


def test_no_window_at_any_cost_leaves_the_margin_against_the_known_population():
    # spec 105, section 1: never violated at delta = 0.05, typical deviation .43 of the bound
    truth, rng = Binormal(), np.random.default_rng(0)
    ratios, rates = [], []
    for n in (50, 200):
        for _ in range(15):
            counts = ScoreCounts.from_arrays(*truth.sample(n, rng=rng))
            certificate = surface_certificate(counts)
            low, high, below_low, below_high, above_low, above_high = every_window(counts)
            worst = 0.0
            for mu, nu in [(1, 0.25), (0.5, 0.1), (2, 0.9), (0.2, 0.2), (1, 0.0), (0.7, 0.4)]:
                nu = min(nu, 1, mu)
                cost = (1 - nu) * below_low + nu * below_high + (mu - nu) * above_high + nu * above_low
                gap = np.abs(cost - truth.window_cost(low, high, mu, nu)).max()
                worst = max(worst, gap / certificate.margin(mu))
            ratios.append(worst)
            window = certificate.window(0.5, 0.1)
            kept = truth.window_cost(window.lower, window.upper, 0, 1) - truth.window_cost(
                window.lower, window.upper, 0, 0
            )
            rates.append(kept <= window.certified_abstention_rate)
            grid = np.linspace(0.05, 1, 9)
            bounds = certificate.interval(grid[:, None], grid)
            exact = truth.cost(grid[:, None], grid)
            assert np.all((bounds.low <= exact) & (exact <= bounds.high))
    assert max(ratios) <= 1
    assert all(rates)
    assert 0.3 < np.median(ratios) < 0.6


def test_inequality_against_simulation_of_its_law():
    # the margin at 50 % is exceeded in about half of the samples, not much less: it is not slack
    rng = np.random.default_rng(1)
    n, exceeded = 100, 0
    for _ in range(400):
        u = np.sort(rng.random(n))
        steps = np.arange(n + 1) / n
        gap = max(np.max(steps[1:] - u), np.max(u - steps[:-1]))
        exceeded += gap > dkw_margin(n, 0.5)
    assert 0.35 < exceeded / 400 <= 0.55


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: surface_certificate(COUNTS, confidence_level=0), "strictly between 0 and 1, got 0"),
        (lambda: surface_certificate(COUNTS, confidence_level=1.5), r"must lie in \[0, 1\]"),
        (lambda: surface_certificate([0, 1], [1, 2], sample_weight=[0.5, 1]), "whole numbers"),
        (lambda: surface_certificate([1, 1], [1, 2], prevalence=0.5), "no negative case"),
        (lambda: surface_certificate(COUNTS).margin(-1), "`mu` must not be negative"),
        (lambda: surface_certificate(COUNTS).interval(1, -1), "`nu` must not be negative"),
        (lambda: surface_certificate(COUNTS).window(1), "`mu` and `nu` are both needed"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()
