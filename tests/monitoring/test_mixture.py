"""Prevalence from unlabelled scores, and what keeping the window costs."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import dirichlet_multinomial, norm

import demur
from demur import Policy, abstention_surface
from demur.monitoring import PolicyMonitor
from demur.monitoring.reference import ReferenceCells, _Samples, fitted_prevalence, likeliest_prevalence
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


def random_samples(rng, cells=6):
    """Cases per cell with some empty ones."""
    columns = [rng.integers(0, 12, cells) * (rng.random(cells) < 0.8) for _ in range(3)]
    return _Samples(*(column.astype(float) + (np.arange(cells) == k) for k, column in enumerate(columns)))


def test_shares_of_the_profile_against_a_general_optimizer(rng):
    for pi in (0.0, 0.03, 0.4, 0.9, 1.0):
        samples = random_samples(rng)
        size = len(samples.new)

        def loss(x, samples=samples, pi=pi, size=size):
            p, q = np.split(np.exp(x), [size])
            p, q = p / p.sum(), q / q.sum()
            mass = pi * p + (1 - pi) * q
            return -(samples.new @ np.log(mass) + samples.positive @ np.log(p) + samples.negative @ np.log(q))

        best = min(
            minimize(loss, rng.standard_normal(2 * size), method="BFGS", options={"gtol": 1e-9}).fun
            for _ in range(3)
        )
        assert samples.profile(pi) == pytest.approx(-best, abs=2e-3)
        assert samples.profile(pi) >= -best - 2e-3
        p, q = samples.shares(pi)
        assert p.sum() == pytest.approx(1)
        assert q.sum() == pytest.approx(1)


def test_slope_of_the_profile_against_differences(rng):
    for _ in range(10):
        samples, pi, step = random_samples(rng), float(rng.uniform(0.1, 0.9)), 1e-5
        difference = (samples.profile(pi + step) - samples.profile(pi - step)) / (2 * step)
        assert samples.slope(pi) == pytest.approx(difference, rel=1e-2, abs=1e-2)


def test_estimate_against_a_grid(rng):
    for size, n, prevalence in [(60, 1, 0.5), (300, 40, 0.0), (300, 40, 1.0), (3000, 500, 0.3)]:
        cells = ReferenceCells.of(shop_policy(rng, size))
        scores = shop(rng, n, prevalence)[1]
        counts = np.bincount(cells.cell_of(scores), minlength=cells.size).astype(float)
        starts = cells.block_starts
        new, positive, negative = (
            np.add.reduceat(column, starts) for column in (counts, cells.positive, cells.negative)
        )

        def likelihood(pi, new=new, positive=positive, negative=negative):
            told = (new > 0) & (positive + negative > 0)
            mass = pi * positive + (1 - pi) * negative
            return float(new[told] @ np.log(np.maximum(mass[told], 1e-300)))

        best = max(likelihood(pi) for pi in np.linspace(0, 1, 2001))
        assert likelihood(likeliest_prevalence(cells, counts)) >= best - 1e-9


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
    best = policy.evidence.surface(prevalence=rate).window(costs=COSTS).expected_cost
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


# ---------------------------------------------------------------- a changed share, or scores that moved


def test_odds_of_a_changed_share_against_the_definition(rng):
    """Likelihood of the new cases, drawn from an urn of the reference cases, at the best share and shift."""
    cells = ReferenceCells.of(shop_policy(rng, 500))
    counts = np.bincount(cells.cell_of(shop(rng, 300, 0.3)[1]), minlength=cells.size).astype(float)
    new, positive, negative = (cells.in_blocks(one) for one in (counts, cells.positive, cells.negative))

    def likelihood(shares):
        return dirichlet_multinomial.logpmf(new.astype(int), 500 * np.array(shares) + 0.5, 300)

    at = cells.prevalence
    ends = norm.ppf(np.clip(np.cumsum(at * positive + (1 - at) * negative)[:-1], 0, 1))
    share = max(likelihood(pi * positive + (1 - pi) * negative) for pi in np.linspace(0, 1, 2001))
    shift = max(likelihood(np.diff([0, *norm.cdf(ends - delta), 1])) for delta in np.linspace(-1, 1, 2001))
    found = fitted_prevalence(cells, counts, alpha=0.05).log_odds
    assert found == pytest.approx(share - shift, abs=0.02)
    assert found > 0


def test_two_cells_cannot_tell_a_share_from_a_shift(rng):
    """Any share of two cells is both a mixture and a shift, so neither is the better explanation."""
    policy = Policy.from_surface(abstention_surface([0, 0, 0, 1] * 30, [0, 0, 1, 1] * 30), costs=COSTS)
    cells = ReferenceCells.of(policy)
    assert cells.size == 2
    assert fitted_prevalence(cells, np.array([10.0, 20.0]), alpha=0.05).log_odds == pytest.approx(0, abs=0.02)


def explained(rng, size, *, batch=500, looks=20, prevalence=0.3, later=0.3, moved=0.0, separation=2.0):
    """Return whether a changed share explains the first alarm on binormal scores; None without an alarm."""

    def drawn(n, rate, shift=0.0):
        positive = rng.random(n) < rate
        return positive, rng.standard_normal(n) + separation * positive + shift

    policy = Policy.from_surface(abstention_surface(*drawn(size, prevalence)), costs=COSTS)
    monitor = PolicyMonitor(policy)
    for _ in range(looks):
        monitor.update(drawn(batch, later, moved)[1])
        if monitor.e_value >= 1 / monitor.alpha:
            return monitor.only_prevalence
    return None


def shares_named(runs, size, **change):
    rng = np.random.default_rng(size)
    told = [one for _ in range(runs) if (one := explained(rng, size, **change)) is not None]
    return np.mean(told)


def test_explanation_of_a_shift_and_of_a_changed_share():
    assert shares_named(10, 1000, moved=0.3) <= 0.2
    assert shares_named(10, 1000, later=0.5) > 0.5


@pytest.mark.long
@pytest.mark.parametrize("separation", [1.5, 2.0])
@pytest.mark.parametrize("prevalence", [0.1, 0.3])
@pytest.mark.parametrize("moved", [0.3, -0.3])
@pytest.mark.parametrize("batch", [100, 500])
def test_moved_scores_are_called_moved_in_four_of_five_alarms(batch, moved, prevalence, separation):
    design = {"batch": batch, "prevalence": prevalence, "later": prevalence, "separation": separation}
    assert shares_named(60, 1000, moved=moved, **design) <= 0.2


@pytest.mark.long
@pytest.mark.parametrize(("prevalence", "later"), [(0.1, 0.25), (0.3, 0.5), (0.3, 0.15)])
@pytest.mark.parametrize("batch", [100, 500])
def test_a_changed_share_is_called_so_in_most_alarms(batch, prevalence, later):
    assert shares_named(60, 1000, batch=batch, prevalence=prevalence, later=later) > 0.5
