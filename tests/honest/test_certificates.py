"""Certificates by hand, against reference values, against all windows and against known populations."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import (
    Binormal,
    CostModel,
    InputError,
    ScoreCounts,
    UndefinedError,
    abstention_surface,
    surface_certificate,
)
from demur.counts import BinnedCounts
from demur.datasets.breast_cancer import breast_cancer_scores
from demur.honest.certificates import RateBounds, RelativeCosts, certified_cost
from demur.honest.distributions import DistributionBounds, distribution_bounds, dkw_margin
from examples import examples
from reference_cases import cases, close

SCORES, POS, NEG = [-0.9, -0.5, 0.0, 0.4, 0.8], [0, 1, 1, 2, 2], [2, 1, 2, 1, 0]
COUNTS = ScoreCounts.from_counts(SCORES, POS, NEG)
REFERENCE = "decisions_certificates.json"


# ---------------------------------------------------------------- bounds of a distribution function


@pytest.mark.parametrize("case", cases(REFERENCE, "certificate.bounds"))
def test_distribution_bounds_against_reference(case):
    data = case["input"]
    bounds = distribution_bounds(data["n"], delta=data["delta"])
    assert bounds.shape == (data["n"] + 1,)
    close(bounds[data["k"]].tolist(), case["expect"]["bounds"], case["tol"])


def test_distribution_bounds_by_hand():
    # one observation: U_(1) is uniform, so B(0) = 1 - delta and A(1) = delta
    assert distribution_bounds(1, delta=0.05) == pytest.approx([0.95, 1.0])
    assert distribution_bounds(1, delta=0.05, side="lower") == pytest.approx([0.0, 0.05])
    # two: k = 0 at level delta 2/3 (Beta(1, 2)), k = 1 at delta 1/3 (Beta(2, 1))
    assert distribution_bounds(2, delta=0.3) == pytest.approx([1 - math.sqrt(0.2), math.sqrt(0.9), 1.0])
    assert distribution_bounds(2, delta=0.3, side="lower") == pytest.approx(
        [0.0, 1 - math.sqrt(0.8), math.sqrt(0.1)]
    )
    margin = math.sqrt(math.log(1 / 0.05) / 20)
    assert distribution_bounds(10, delta=0.05, method="dkw")[3] == pytest.approx(0.3 + margin)
    assert distribution_bounds(10, delta=0.05, method="dkw", side="lower")[7] == pytest.approx(0.7 - margin)


@given(st.integers(1, 400), st.floats(0.001, 0.4))
@settings(max_examples=examples(40), deadline=None)
def test_distribution_bounds_are_monotone_and_enclose_the_sample(n, delta):
    k = np.arange(n + 1)
    law = DistributionBounds(n=n, delta=delta)
    high, low = distribution_bounds(n, delta=delta), distribution_bounds(n, delta=delta, side="lower")
    assert np.array_equal(high, law.upper(k))
    assert np.array_equal(low, law.lower(k))
    assert np.all(np.diff(high) >= 0)
    assert np.all(np.diff(low) >= 0)
    assert np.all((low <= k / n) & (k / n <= high))
    assert low[0] == 0
    assert high[-1] == 1


@pytest.mark.parametrize("method", ["order statistics", "dkw"])
@pytest.mark.parametrize("n", [5, 60, 400])
def test_distribution_bounds_hold_everywhere_at_once_against_simulation(n, method):
    # F is the uniform law; only the order statistics can violate a bound
    rng, delta, runs = np.random.default_rng(n), 0.2, 3000
    u = np.sort(rng.random((runs, n)), axis=1)
    high = distribution_bounds(n, delta=delta, method=method)
    low = distribution_bounds(n, delta=delta, method=method, side="lower")
    # just before U_(k + 1) there are k observations; at U_(k) there are k
    above = np.mean(np.any(u > high[:-1], axis=1))
    below = np.mean(np.any(u < low[1:], axis=1))
    allowed = delta + 3 * math.sqrt(delta * (1 - delta) / runs)
    assert above <= allowed
    assert below <= allowed
    # no empty promise either: the bound is reached now and then
    assert min(above, below) > 0.02


def test_ties_and_defective_laws_only_make_the_bounds_safer():
    # 30 % of the cases never count (the other class), the others have three values
    rng, n, runs = np.random.default_rng(8), 50, 2000
    law = DistributionBounds(n=n, delta=0.1)
    values = rng.choice([0, 1, 2, 9], p=[0.2, 0.3, 0.2, 0.3], size=(runs, n))
    counts = (values[:, :, None] <= np.array([0, 1, 2])).sum(axis=1)
    truth = np.array([0.2, 0.5, 0.7])
    assert np.mean(np.any(law.upper(counts) < truth, axis=1)) <= 0.1
    assert np.mean(np.any(law.lower(counts) > truth, axis=1)) <= 0.1


# ---------------------------------------------------------------- the guaranteed window


@pytest.mark.parametrize("case", cases(REFERENCE, "certificate.window"))
def test_guaranteed_window_against_reference(case):
    data, expect = case["input"], case["expect"]
    certificate = surface_certificate(
        data["labels"], data["scores"], confidence_level=data["confidence_level"]
    )
    window = certificate.guaranteed_window(data["mu"], data["nu"])
    close(window.certified_cost, expect["certified_cost"], case["tol"])
    assert (window.lower_index, window.upper_index) == (expect["lower_index"], expect["upper_index"])
    close(certificate.guaranteed_cost(data["mu"], data["nu"]), expect["certified_cost"], case["tol"])
    assert certificate.of_window(window_pair(window), data["mu"], data["nu"]).to_dict() == window.to_dict()


def window_pair(window):
    return window.lower, window.upper


def every_window_bound(counts, costs, *, prevalence, confidence_level, method):
    """Certified cost of all windows, written from the definition."""
    delta = (1 - confidence_level) / 2
    shares = (1.0, 1.0) if prevalence is None else (prevalence, 1 - prevalence)
    sizes = (counts.n, counts.n) if prevalence is None else (counts.n_positive, counts.n_negative)
    below = np.concatenate([[0], np.cumsum(counts.positives)]).astype(int)
    above = np.concatenate([np.cumsum(counts.negatives[::-1])[::-1], [0]]).astype(int)
    laws = [distribution_bounds(int(size), delta=delta, method=method) for size in sizes]
    missed, alarmed = shares[0] * laws[0][below], shares[1] * laws[1][above]
    missed[0] = alarmed[-1] = 0
    mu, nu_p, nu_n = costs
    bounds = {}
    for i in range(len(below)):
        for j in range(i, len(below)):
            if i == j:
                bounds[i, j] = missed[i] + mu * alarmed[i]
                continue
            # the largest nu_P F + nu_N T with F and T below their bounds and F + T <= 1
            f = min(missed[j], 1)
            first = nu_p * f + nu_n * min(alarmed[i], 1 - f)
            t = min(alarmed[i], 1)
            second = nu_n * t + nu_p * min(missed[j], 1 - t)
            bounds[i, j] = (1 - nu_p) * missed[i] + (mu - nu_n) * alarmed[j] + max(first, second)
    return bounds


@given(st.integers(0, 10**6))
@settings(max_examples=examples(120), deadline=None)
def test_guaranteed_window_against_every_window(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 80))
    y = np.concatenate([[0, 1], rng.integers(0, 2, n)])
    s = np.round(rng.normal(size=n + 2) + rng.choice([0.5, 2, 4]) * y, int(rng.integers(0, 3)))
    counts = ScoreCounts.from_arrays(y, s)
    mu = float(rng.choice([0.1, 0.5, 1, 2]))
    nu_p, nu_n = rng.random(2) * min(1, mu) * rng.choice([0.2, 1])
    if rng.random() < 0.5:
        nu_n = nu_p
    prevalence = rng.choice([None, 0.2])
    method = str(rng.choice(["order statistics", "dkw"]))
    certificate = surface_certificate(counts, prevalence=prevalence, confidence_level=0.7, method=method)
    window = certificate.guaranteed_window(mu, nu_p, nu_n)
    bounds = every_window_bound(
        counts, (mu, nu_p, nu_n), prevalence=prevalence, confidence_level=0.7, method=method
    )
    best = min(bounds.values())
    assert window.certified_cost == pytest.approx(best, abs=1e-12)
    # the tie rule: least abstention, then most positives
    mass = certificate.surface.masses.scores.below
    cheapest = [cut for cut, bound in bounds.items() if bound <= best + 1e-12]
    least = min(mass[j] - mass[i] for i, j in cheapest)
    assert window.abstention_rate == pytest.approx(least, abs=1e-12)
    assert window.upper_index == min(j for i, j in cheapest if mass[j] - mass[i] <= least + 1e-12)
    # never above the rules without a model
    always = [bounds[0, 0], bounds[len(counts.scores), len(counts.scores)], bounds[0, len(counts.scores)]]
    assert window.certified_cost <= min(always) + 1e-12
    assert window.certified_cost <= max(nu_p, nu_n) + 1e-12


def test_rules_without_a_model_certify_exactly_by_hand():
    certificate = surface_certificate(COUNTS)
    law = distribution_bounds(12, delta=0.025)
    abstain, negative, positive = (
        certificate.of_window(pair, 0.5, 0.1)
        for pair in [(-math.inf, math.inf), (math.inf, math.inf), (-math.inf, -math.inf)]
    )
    assert abstain.certified_cost == 0.1
    assert abstain.certified_abstention_rate == 1
    assert (abstain.certified_fn, abstain.certified_fp) == (0, 0)
    assert negative.certified_cost == pytest.approx(law[6])
    assert positive.certified_cost == pytest.approx(0.5 * law[6])
    assert (negative.lower_index, negative.upper_index) == (5, 5)
    assert (positive.lower_index, positive.upper_index) == (0, 0)
    known = surface_certificate(COUNTS, prevalence=0.2)
    assert known.of_window((math.inf, math.inf), 0.5, 0.1).certified_cost == pytest.approx(0.2)
    assert known.of_window((-math.inf, math.inf), 0.5, 0.1, 0.3).certified_cost == pytest.approx(0.02 + 0.24)


def test_guarantee_of_the_demo_says_something():
    data = breast_cancer_scores()
    costs = CostModel(cost_fn=1000, cost_fp=100, cost_abstain=20)
    counts = ScoreCounts.from_arrays(data.diagnosis, data.scores["logistic"], pos_label="malignant")
    sharp, wide = (
        surface_certificate(counts, method=method).guaranteed_window(costs=costs)
        for method in ("order statistics", "dkw")
    )
    assert 1000 * sharp.certified_expected_cost <= 17_500
    assert 1000 * wide.certified_expected_cost > 19_500


def test_infinite_scores_are_cases_like_others():
    y, s = [0, 0, 1, 1, 1, 0], [-math.inf, -math.inf, 0.0, math.inf, math.inf, 0.5]
    certificate = surface_certificate(y, s, confidence_level=0.5)
    window = certificate.of_window((-math.inf, math.inf), 1, 0.2)
    assert (window.lower_index, window.upper_index, window.abstention_rate) == (0, 4, 1)
    window = certificate.guaranteed_window(1, 0.9)
    assert window.certified_cost <= 0.9


# ---------------------------------------------------------------- any window, any unit


def test_window_between_scores_counts_what_decide_would_do():
    certificate = surface_certificate(COUNTS)
    law = distribution_bounds(12, delta=0.025)
    # negative up to -0.5, positive from 0.4 on: one positive missed, one false alarm, (1, 2) kept
    window = certificate.of_window((-0.5, 0.4), 1.0, 0.25)
    assert (window.fn, window.fp, window.abstention_rate) == pytest.approx((1 / 12, 1 / 12, 3 / 12))
    assert (window.certified_fn, window.certified_fp) == pytest.approx((law[1], law[1]))
    assert window.certified_cost == pytest.approx(1.5 * law[1] + 0.25)  # 2 law[3] > 1
    # a threshold: positive from 0 on
    window = certificate.of_window((0.0, 0.0), 1.0, 0.25)
    assert window.certified_cost == pytest.approx(law[1] + law[3])
    assert window.certified_abstention_rate == 0


def test_margins_of_the_dkw_method_by_hand():
    certificate = surface_certificate(COUNTS, confidence_level=0.95, method="dkw")
    eps = math.sqrt(math.log(4 / 0.05) / 24)
    assert certificate.margin(0.5) == pytest.approx(1.5 * eps)
    # a sample of 12 certifies little: the bounds are cut at 0 and at nu
    assert certificate.interval(1, 0.25) == (0.0, 0.25)
    assert certificate.interval(0.5, 5.0).high == pytest.approx(1 / 3)
    counts = ScoreCounts.from_counts(SCORES, np.array(POS) * 1000, np.array(NEG) * 1000)
    big = surface_certificate(counts, method="dkw")
    eps = math.sqrt(math.log(80) / 24_000)
    # the best window makes no error on either side, so only F(u) and T(l) can be smaller: 2 nu eps
    assert big.interval(1, 0.25) == pytest.approx((1 / 6 - 0.5 * eps, 1 / 6 + 2 * eps))
    assert big.upper(1, 0.25) == pytest.approx(1 / 6 + 2 * math.sqrt(math.log(2 / 0.05) / 24_000))


def test_known_prevalence_by_hand():
    certificate = surface_certificate(COUNTS, prevalence=0.2, confidence_level=0.9, method="dkw")
    eps = math.sqrt(math.log(4 / 0.1) / 12)
    assert certificate.margin(0.5) == pytest.approx(0.2 * eps + 0.5 * 0.8 * eps)
    assert certificate.interval(1, 5.0).high == pytest.approx(min(0.2, 0.8))
    one_class = surface_certificate([1, 1, 1], [1, 2, 3], prevalence=1.0, method="dkw")
    assert one_class.margin(7) == pytest.approx(dkw_margin(3, 0.0125))
    law = distribution_bounds(6, delta=0.025)
    window = surface_certificate(COUNTS, prevalence=0.2).of_window((-0.5, 0.4), 0.5, 0.25)
    assert window.certified_fn == pytest.approx(0.2 * law[1])
    assert window.certified_fp == pytest.approx(0.8 * law[1])


BIG = ScoreCounts.from_counts(SCORES, np.array(POS) * 100, np.array(NEG) * 100)


def test_certified_window_in_the_users_unit_by_hand():
    certificate = surface_certificate(BIG, method="dkw")
    costs = CostModel(cost_fn=100, cost_fp=100, cost_abstain=25)
    window = certificate.window(costs=costs)
    eps = math.sqrt(math.log(2 / 0.05) / 2400)
    assert (window.lower, window.upper) == pytest.approx((-0.7, 0.6))
    assert window.expected_cost == pytest.approx(100 / 6)
    assert window.certified_expected_cost == pytest.approx(100 / 6 + 100 * (2 * eps))
    assert window.certified_abstention_rate == pytest.approx(8 / 12 + 2 * math.sqrt(math.log(80) / 2400))
    # right answers that cost something make the estimated prevalence matter
    costs = CostModel(
        cost_fn=110, cost_fp=100, cost_tp=10, cost_abstain_positive=35, cost_abstain_negative=25
    )
    other = certificate.window(costs=costs)
    assert other.cost == pytest.approx(window.cost)
    assert other.certified_expected_cost == pytest.approx(100 / 6 + 10 / 2 + 210 * eps)
    json.dumps(other.to_dict(), allow_nan=False)
    json.dumps(certificate.to_dict(), allow_nan=False)


@pytest.mark.parametrize("right", [(10, 0), (0, 10), (-30, 5), (5, -30)])
@pytest.mark.parametrize("counts", [COUNTS, BIG])
def test_always_abstaining_stays_exact_when_right_answers_have_a_price(right, counts):
    costs = CostModel(cost_fn=120, cost_fp=100, cost_abstain=25, cost_tp=right[0], cost_tn=right[1])
    certificate = surface_certificate(counts)
    abstain = certificate.of_window((-math.inf, math.inf), costs=costs)
    assert abstain.certified_expected_cost == pytest.approx(25)
    guaranteed = certificate.guaranteed_window(costs=costs)
    assert guaranteed.certified_expected_cost <= 25 + 1e-9
    assert guaranteed.certified_expected_cost >= guaranteed.expected_cost - 1e-9


def test_empty_window_and_rewarded_abstaining_by_hand():
    certificate = surface_certificate(BIG, method="dkw")
    one_sided = math.sqrt(math.log(2 / 0.05) / 2400)
    window = certificate.window(1, math.inf)
    assert window.certified_cost == pytest.approx(0.25 + 2 * one_sided)
    assert window.abstention_rate == 0
    # abstaining on negatives is rewarded: weights 0.8, 0.2 and 1.1, -0.1 in absolute value; always
    # calling the highest scores positive makes no false alarm, so T(u) can be 0 exactly
    costs = CostModel(cost_abstain_positive=0.2, cost_abstain_negative=-0.1)
    window = certificate.of_window((-0.7, 0.2), costs=costs)
    two_sided = math.sqrt(math.log(4 / 0.05) / 2400)
    assert window.certified_cost == pytest.approx(window.cost + 2.2 * two_sided)
    guaranteed = certificate.guaranteed_window(costs=costs)
    assert guaranteed.certified_cost <= window.certified_cost
    assert guaranteed.certified_cost >= guaranteed.cost


def test_reviews_above_the_price_of_errors_leave_empty_windows():
    for nu in (math.inf, 0.8):
        window = surface_certificate(BIG).guaranteed_window(0.5, nu)
        assert window.lower_index == window.upper_index
    abstaining = surface_certificate(BIG).of_window((-0.5, 0.4), 0.5, math.inf)
    assert abstaining.certified_cost == math.inf


def test_bound_of_a_window_is_never_below_its_cost_and_dkw_is_wider_in_the_tail():
    y, s = Binormal(separation=3.2, prevalence=0.3).sample(3000, rng=0)
    sharp, wide = (surface_certificate(y, s, method=method) for method in ("order statistics", "dkw"))
    mu, nu = np.meshgrid([0.05, 0.1, 0.5, 1, 3], [0.01, 0.02, 0.1, 0.3])
    assert np.all(sharp.guaranteed_cost(mu, nu) <= wide.guaranteed_cost(mu, nu))
    assert np.all(sharp.upper(mu, nu) >= sharp.surface.cost(mu, nu))
    assert np.all(sharp.guaranteed_cost(mu, nu) <= np.minimum(sharp.upper(mu, nu), nu) + 1e-15)
    low, high = sharp.interval(mu, nu)
    assert np.all((low <= sharp.surface.cost(mu, nu)) & (sharp.surface.cost(mu, nu) <= high))


def test_certified_cost_is_a_pure_function_of_its_bounds():
    at = RateBounds(*(np.array(column) for column in ([0.1, 0.3], [0.4, 0.05], [0.0, 0.1], [0.2, 0.0])))
    cost = certified_cost(at.at(0), at.at(1), RelativeCosts(1.0, 0.2, 0.2), False)
    assert float(cost) == pytest.approx(0.8 * 0.1 + 0.8 * 0.05 + 0.2 * 0.7)
    assert float(certified_cost(at.at(0), at.at(0), RelativeCosts(1.0, 0.2, 0.2), True)) == pytest.approx(0.5)


# ---------------------------------------------------------------- against known populations


def cost_points(rng, number):
    mu = rng.choice([0.02, 0.1, 0.5, 1.0, 2.0], number)
    return mu, np.minimum(1, mu) * rng.random(number)


def violations(truth, n, runs, seed, *, prevalence=None, points=50):
    """Share of samples in which any window at any of the cost points costs more than certified."""
    rng = np.random.default_rng(seed)
    broken = 0
    for _ in range(runs):
        counts = ScoreCounts.from_arrays(*truth.sample(n, rng=rng))
        certificate = surface_certificate(counts, prevalence=prevalence)
        bounds, masses = certificate.cut_bounds[0], certificate.cut_masses
        i, j = np.triu_indices(len(masses.lower_cut))
        # the worst threshold with the same counts: just beside the next score
        below = np.append(counts.scores, np.inf)[masses.groups_below[i]]
        above = np.append(-np.inf, counts.scores)[masses.groups_below[j]]
        lower = np.where(i == 0, -np.inf, np.nextafter(below, -np.inf))
        upper = np.where(j == len(masses.lower_cut) - 1, np.inf, np.nextafter(above, np.inf))
        bad = False
        for mu, nu in zip(*cost_points(rng, points), strict=True):
            certified = certified_cost(bounds.at(i), bounds.at(j), RelativeCosts(mu, nu, nu), i == j)
            for low, high in ((masses.lower_cut[i], masses.upper_cut[j]), (lower, np.maximum(lower, upper))):
                bad |= bool(np.any(truth.window_cost(low, np.maximum(low, high), mu, nu) > certified + 1e-12))
        broken += bad
    return broken / runs


def test_no_window_at_any_cost_exceeds_its_bound_against_the_known_population():
    assert violations(Binormal(separation=2.0, prevalence=0.3), 60, 40, 0, points=10) <= 0.05
    assert violations(Binormal(separation=3.2, prevalence=0.3), 150, 20, 1, prevalence=0.3, points=10) <= 0.05


@pytest.mark.long
@pytest.mark.parametrize("n", [50, 300])
@pytest.mark.parametrize("separation", [1.2, 3.2])
def test_certificate_holds_for_all_windows_and_50_costs_against_the_known_population(n, separation):
    truth = Binormal(separation=separation, prevalence=0.3)
    runs = 200
    assert violations(truth, n, runs, n) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)


def test_intervals_and_rates_hold_against_the_known_population():
    truth, rng = Binormal(), np.random.default_rng(0)
    inside, rates = [], []
    grid = np.linspace(0.05, 1, 6)
    exact = truth.cost(grid[:, None], grid)
    for n in (50, 200):
        for _ in range(25):
            certificate = surface_certificate(*truth.sample(n, rng=rng))
            low, high = certificate.interval(grid[:, None], grid)
            inside.append(np.all((low <= exact) & (exact <= high)))
            window = certificate.guaranteed_window(0.5, 0.2)
            pair = window.lower, window.upper
            miss = truth.window_cost(*pair, 0, 0)
            alarm = truth.window_cost(*pair, 1, 0) - miss
            kept = truth.window_cost(*pair, 0, 1) - miss
            rates.append(
                miss <= window.certified_fn
                and alarm <= window.certified_fp
                and kept <= window.certified_abstention_rate
            )
    assert np.mean(inside) >= 0.94
    assert np.mean(rates) >= 0.94


def test_inequality_against_simulation_of_its_law():
    # the margin at 50 % is exceeded in about half of the samples, not much less: it is not slack
    rng = np.random.default_rng(1)
    n, exceeded = 100, 0
    for _ in range(400):
        u = np.sort(rng.random(n))
        steps = np.arange(n + 1) / n
        gap = max(np.max(steps[1:] - u), np.max(u - steps[:-1]))
        exceeded += gap > dkw_margin(n, 0.25)
    assert 0.35 < exceeded / 400 <= 0.55


def test_a_million_cases_need_a_few_thousand_cuts():
    counts = ScoreCounts.from_arrays(*Binormal(separation=3.2, prevalence=0.3).sample(1_000_000, rng=0))
    certificate = surface_certificate(counts)
    assert len(certificate.cuts) < 10 * math.isqrt(1_000_000)
    window = certificate.guaranteed_window(0.1, 0.02)
    assert window.certified_cost / 0.02 < 0.37
    assert abstention_surface(counts).cost(0.1, 0.02) <= window.cost <= window.certified_cost


# ---------------------------------------------------------------- weights and errors


def test_weights_count_repeated_cases():
    once = surface_certificate([0, 1, 0, 1], [1, 2, 3, 4], sample_weight=[2, 3, 1, 1])
    rows = surface_certificate([0, 0, 1, 1, 1, 0, 1], [1, 1, 2, 2, 2, 3, 4])
    assert once.guaranteed_window(0.5, 0.3).to_dict() == rows.guaranteed_window(0.5, 0.3).to_dict()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: surface_certificate(COUNTS, confidence_level=0), "strictly between 0 and 1, got 0"),
        (lambda: surface_certificate(COUNTS, confidence_level=1.5), r"must lie in \[0, 1\]"),
        (lambda: surface_certificate(COUNTS, method="bootstrap"), "`method` must be"),
        (lambda: surface_certificate([0, 1], [1, 2], sample_weight=[0.5, 1]), "whole numbers"),
        (lambda: surface_certificate([1, 1], [1, 2], prevalence=0.5), "no negative case"),
        (lambda: surface_certificate(COUNTS, method="dkw").margin(-1), "`mu` must not be negative"),
        (lambda: surface_certificate(COUNTS).interval(1, -1), "`nu` must not be negative"),
        (lambda: surface_certificate(COUNTS).window(1), "`mu` and `nu` are both needed"),
        (lambda: surface_certificate(COUNTS).guaranteed_window(1), "`mu` and `nu` are both needed"),
        (lambda: surface_certificate(COUNTS).guaranteed_window([1, 2], 0.1), "must be single numbers"),
        (lambda: surface_certificate(COUNTS).of_window((1, 0), 1, 0.1), r"lower <= upper"),
        (lambda: surface_certificate(COUNTS).guaranteed_window(1, costs=CostModel()), "`costs` replaces"),
        (lambda: distribution_bounds(0, delta=0.1), "`n` must be"),
        (lambda: distribution_bounds(5, delta=0), "`delta` must lie strictly between 0 and 1"),
        (lambda: distribution_bounds(5, delta=0.6, method="dkw"), "must not exceed 0.5"),
        (lambda: distribution_bounds(5, delta=0.1, side="both"), "`side` must be"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_order_statistics_have_no_single_margin():
    with pytest.raises(UndefinedError, match="no margin that is the same for all windows"):
        surface_certificate(COUNTS).margin(1)


def test_abstaining_where_it_never_pays_takes_bounds_from_both_sides():
    """A limit can force such a window: the negatives it spares from an alarm then need a bound from below."""
    y, s = Binormal(separation=1.0).sample(400, rng=3)
    certificate = surface_certificate(y, s, confidence_level=0.9)
    window, mu, nu = (0.2, 0.9), 0.1, 0.2
    positive, s = np.asarray(y) == 1, np.asarray(s)
    # F and T from above and from below: a quarter of the probability to fail for each
    both = DistributionBounds(n=400, delta=0.025)
    missed, missed_or_kept = np.sum(positive & (s <= 0.2)), np.sum(positive & (s < 0.9))
    alarmed, alarmed_or_kept = np.sum(~positive & (s >= 0.9)), np.sum(~positive & (s > 0.2))
    reviewed = nu * min(1.0, float(both.upper(missed_or_kept) + both.upper(alarmed_or_kept)))
    expected = (1 - nu) * both.upper(missed) + (mu - nu) * both.lower(alarmed) + reviewed
    assert certificate.of_window(window, mu, nu).certified_cost == pytest.approx(float(expected), abs=1e-12)
    # an empty window needs bounds from above only, whatever reviews cost
    above = DistributionBounds(n=400, delta=0.05)
    threshold = above.upper(np.sum(positive & (s < 0.5))) + mu * above.upper(np.sum(~positive & (s >= 0.5)))
    found = certificate.of_window((0.5, 0.5), mu, nu).certified_cost
    assert found == pytest.approx(float(threshold), abs=1e-12)


# ---------------------------------------------------------------- one number of a window


def binned():
    return BinnedCounts.from_bins([0, 2, 4, 5], [1, 3, 4, 9], [0, 2, 3, 5], [4, 3, 1, 1])


@pytest.mark.parametrize(
    "counts", [COUNTS, binned(), ScoreCounts.from_counts([-math.inf, 0, 2], [1, 0, 2], [2, 2, 0])]
)
@pytest.mark.parametrize("prevalence", [None, 0.3])
@pytest.mark.parametrize(
    "costs",
    [
        CostModel(cost_fn=9, cost_fp=4, cost_abstain=1),
        CostModel(cost_fn=9, cost_fp=4, cost_abstain=6),  # dearer than a false alarm: bounds from both sides
        CostModel(cost_fn=9, cost_fp=4, cost_abstain=2, cost_tp=1),
    ],
)
def test_bound_of_a_window_is_that_of_of_window(counts, prevalence, costs):
    certificate = surface_certificate(counts, prevalence=prevalence)
    ends = [-math.inf, -0.5, 0.2, 2.5, 4.0, math.inf]
    for lower, upper in [(low, high) for low in ends for high in ends if low <= high]:
        whole = certificate.of_window((lower, upper), costs=costs)
        assert certificate.bound_of((lower, upper), costs=costs) == whole.certified_expected_cost


def test_bins_across_a_threshold_count_as_errors_by_hand():
    # the bin from 2 to 3 holds 2 positives and 3 negatives, the bin from 5 to 9 holds 5 and 1
    counts = binned()
    assert counts.begun_below(2.5, through=True) == (2.0, 7.0)
    assert counts.ended_below(2.5, through=True) == (0.0, 4.0)
    assert counts.begun_below(5.0, through=False) == (5.0, 8.0)
    assert counts.begun_below(5.0, through=True) == (10.0, 9.0)
    window = surface_certificate(counts).of_window((2.5, 5.0), 1.0, 0.1)
    assert (window.fn, window.fp) == pytest.approx((2 / 19, 1 / 19))
    assert (window.lower_index, window.upper_index) == (2, 3)


def test_a_window_that_abstains_without_a_price_is_refused():
    certificate, never = surface_certificate(COUNTS), CostModel(cost_fn=9, cost_fp=4)
    for refused in (certificate.of_window, certificate.bound_of):
        with pytest.raises(
            InputError, match=r"must not abstain where abstaining has no price, got \(-0.5, 0.2\)"
        ):
            refused((-0.5, 0.2), costs=never)
    threshold = certificate.of_window((0.2, 0.2), costs=never)
    assert certificate.bound_of((0.2, 0.2), costs=never) == threshold.certified_expected_cost
