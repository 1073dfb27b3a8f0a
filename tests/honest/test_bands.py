"""Bands for surfaces, ROC curves and cost curves: by hand, against their parts and against theory."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import (
    Binormal,
    InputError,
    ScoreCounts,
    UndefinedError,
    cost_curve,
    cost_curve_band,
    cost_line,
    cross_fitted_surface,
    roc_band,
    roc_curve,
    surface_band,
)
from demur._kernels.binomial import binomial_interval
from demur.costs import CostLine
from demur.honest.bands import inverse_error
from demur.honest.held_out import Prices
from demur.honest.multiplier import _Sums, group_sizes, loss_part, max_deviations, upper_quantile
from reference_cases import cases, close

Y, S = Binormal().sample(400, rng=6)
Z = 1.959963984540054


# ---------------------------------------------------------------- surfaces


def test_surface_band_is_built_from_its_parts():
    band = surface_band(Y, S, resolution=8, rng=1, n_resamples=200)
    mu, nu = band.mu[:, None], band.nu[None, :]
    assert band.honest == pytest.approx(band.surface.cost(mu, nu))
    assert band.hindsight == pytest.approx(band.surface.hindsight(mu, nu))
    low, high = band.surface.interval(mu, nu)
    assert (band.pointwise_low, band.pointwise_high) == (pytest.approx(low), pytest.approx(high))
    assert band.high == pytest.approx(band.honest + band.high_factor * band.honest_error)
    assert band.low == pytest.approx(np.maximum(band.hindsight - band.low_factor * band.hindsight_error, 0))
    assert np.all(band.low <= band.pointwise_low)
    assert np.all(band.high >= band.pointwise_high)
    assert min(band.low_factor, band.high_factor) > Z
    average = band.surface.interval(mu, nu, method="average")
    assert np.all(average.high - average.low <= band.pointwise_high - band.pointwise_low + 1e-12)
    json.dumps(band.to_dict(), allow_nan=False)


def test_band_where_everything_is_abstained_on_has_no_width():
    # reviews almost for free: every case costs nu, nothing varies
    band = surface_band([0, 1] * 50, np.tile([0.4, 0.6], 50)[::-1].copy(), resolution=2, rng=0, nu=(0, 1e-3))
    assert band.honest[2, 1] == pytest.approx(5e-4)
    assert band.high[2, 1] == pytest.approx(5e-4)
    assert band.low[2, 1] == pytest.approx(5e-4)


def test_same_bytes_for_any_number_of_workers_and_chunks(monkeypatch):
    options = {"resolution": 4, "rng": 3, "n_resamples": 120}
    plain = surface_band(Y, S, **options)
    threaded = surface_band(ScoreCounts.from_arrays(Y, S), workers=4, **options)
    monkeypatch.setattr("demur.honest.multiplier._NUMBERS_PER_CHUNK", 1)
    single = surface_band(Y, S, **options)
    for other in (threaded, single):
        assert other.low.tobytes() == plain.low.tobytes()
        assert other.high.tobytes() == plain.high.tobytes()


def test_a_generator_is_advanced_and_a_seed_is_not():
    generator = np.random.default_rng(0)
    first, second = (surface_band(Y, S, resolution=2, rng=generator, n_resamples=50) for _ in range(2))
    assert first.high_factor != second.high_factor
    assert surface_band(Y, S, resolution=2, rng=0, n_resamples=50).high_factor == first.high_factor


def test_known_prevalence_moves_the_band():
    band = surface_band(Y, S, resolution=4, rng=1, n_resamples=50, prevalence=0.1)
    assert band.prevalence == 0.1
    # nobody can pay more than always calling negative: the mass of the positives
    assert band.hindsight.max() <= 0.1 + 1e-12


# ---------------------------------------------------------------- multipliers


def test_deviation_at_one_point_is_standard_normal_against_theory():
    surface = cross_fitted_surface(Y, S, rng=0)
    for rules in (surface._honest, surface._hindsight):
        prices = Prices.of_surface(np.array([0.8]), np.array([0.2]))
        part = loss_part(rules, prices, inverse_error(rules.mean_and_error(prices)[1]))
        sizes = group_sizes(rules)
        influence = _Sums(part).on_grid(np.eye(len(sizes)))[0]
        assert influence @ sizes == pytest.approx(0, abs=1e-12)
        assert influence**2 @ sizes == pytest.approx(1 - 1 / 400)
        both = max_deviations(sizes, [part], n_resamples=2000, rng=np.random.default_rng(0))
        draws = both[:, 0]
        assert np.array_equal(both[:, 1], -draws)  # one point: the largest is the smallest
        assert draws.mean() == pytest.approx(0, abs=4 / math.sqrt(2000))
        assert draws.std() == pytest.approx(1, abs=4 / math.sqrt(4000))


def test_deviations_of_the_same_point_twice_do_not_widen_the_band():
    surface = cross_fitted_surface(Y, S, rng=0)
    found = []
    for points in (1, 5):
        prices = Prices.of_surface(np.full(points, 0.8), np.full(points, 0.2))
        part = loss_part(surface._honest, prices, inverse_error(surface._honest.mean_and_error(prices)[1]))
        sizes = group_sizes(surface._honest)
        found.append(max_deviations(sizes, [part], n_resamples=40, rng=np.random.default_rng(1)))
    assert np.array_equal(found[0], found[1])


def test_upper_quantile_by_hand():
    values = np.arange(1.0, 100.0)  # 99 draws: the 95 % quantile is the 95th
    assert upper_quantile(values[::-1].copy(), 0.95) == 95
    assert upper_quantile(values, 0.5) == 50
    assert upper_quantile(np.array([3.0, 1.0]), 0.95) == 3


# ---------------------------------------------------------------- ROC


@pytest.mark.parametrize(("count", "n"), [(0, 10), (10, 10), (3, 10), (1, 400), (57, 123)])
def test_binomial_interval_against_scipy(count, n):
    from scipy.stats import binomtest

    low, high = binomial_interval(count, n, 0.95)
    expected = binomtest(count, n).proportion_ci(0.95, method="exact")
    assert (float(low), float(high)) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_roc_band_by_hand():
    # positives at 2, 3, 4, 5 and negatives at 0, 1, 2, 3
    band = roc_band([0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 2, 3, 2, 3, 4, 5], confidence_level=0.5)
    margin = math.sqrt(math.log(8) / 8)  # 0.5098
    assert (band.fpr_margin, band.tpr_margin) == (pytest.approx(margin), pytest.approx(margin))
    # at fpr 0.6 the rectangle reaches from 0.09 to 1.11: the curve is at 0.75 from 0.25 on
    assert band.at(0.6) == pytest.approx((0.75 - margin, 1))
    assert band.at(0.0) == pytest.approx((0.0, 1.0))
    assert band.tpr_low[2] == pytest.approx(float(binomial_interval(2, 4, 0.5)[0]))
    assert (band.fpr_low[0], band.fpr_high[0]) == pytest.approx((0, 1 - 0.25**0.25))


@given(st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_roc_band_against_every_threshold_within_its_rectangle(seed):
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 1], rng.integers(0, 2, 18)])
    s = rng.integers(0, 6, 20).astype(float)
    band = roc_band(y, s, confidence_level=0.2)
    curve = roc_curve(y, s)
    for x in rng.random(5):
        near = np.abs(curve.fpr - x) <= band.fpr_margin
        low, high = band.at(x)
        if near.any():
            assert low == pytest.approx(max(curve.tpr[near].min() - band.tpr_margin, 0))
            assert high == pytest.approx(min(curve.tpr[near].max() + band.tpr_margin, 1))
        assert low <= high
    assert np.all(band.low <= curve.tpr)
    assert np.all(curve.tpr <= band.high)
    assert np.all((band.tpr_low <= curve.tpr) & (curve.tpr <= band.tpr_high))
    assert np.all((band.fpr_low <= curve.fpr) & (curve.fpr <= band.fpr_high))


def test_weights_count_cases_in_a_roc_band():
    once = roc_band([0, 1, 0, 1], [1, 2, 3, 4], sample_weight=[2, 3, 1, 1])
    rows = roc_band([0, 0, 1, 1, 1, 0, 1], [1, 1, 2, 2, 2, 3, 4])
    assert once.to_dict() == rows.to_dict()


# ---------------------------------------------------------------- cost curves


def test_band_of_a_cost_line_against_its_exact_law():
    line = CostLine.from_predictions([1] * 20 + [0] * 30, [1] * 15 + [0] * 35)
    band = cost_curve_band(line, pc=[0.0, 0.3, 1.0], confidence_level=0.9)
    for k, x in enumerate(band.pc):
        ends = line.interval(float(x), confidence_level=0.9)
        assert (band.pointwise_low[k], band.pointwise_high[k]) == tuple(ends)
    assert np.array_equal(band.honest, band.hindsight)
    # no false alarm was seen: the bootstrap collapses at 0, the simultaneous band does not
    assert band.pointwise_high[0] == 0
    rate = float(binomial_interval(0, 30, math.sqrt(0.9))[1])
    assert band.high[0] == pytest.approx(rate)
    assert band.honest_area == pytest.approx((line.fpr + line.fnr) / 2)
    assert band.method == "exact"


@pytest.mark.parametrize("case", cases("costs_and_abstention.json", "dh.bootstrap_exact"))
def test_pointwise_band_of_a_cost_line_against_enumeration(case):
    data, expect = case["input"], case["expect"]
    line = cost_line(
        data["FP"] / data["N"], data["FN"] / data["P"], n_positive=data["P"], n_negative=data["N"]
    )
    band = cost_curve_band(line, pc=data["x"])
    close(band.pointwise_low[0], expect["quantile_0.025"], case["tol"])
    close(band.pointwise_high[0], expect["quantile_0.975"], case["tol"])
    close(band.honest[0], expect["mean"], case["tol"])


def test_simultaneous_band_of_a_cost_line_against_enumeration():
    # 4 positives, 3 negatives: every outcome, with its probability
    fnr, fpr, level = 0.3, 0.2, 0.8
    x = np.linspace(0, 1, 11)
    truth = x * fnr + (1 - x) * fpr
    covered = 0.0
    for i in range(5):
        for j in range(4):
            probability = (
                math.comb(4, i)
                * fnr**i
                * (1 - fnr) ** (4 - i)
                * math.comb(3, j)
                * fpr**j
                * (1 - fpr) ** (3 - j)
            )
            line = cost_line(j / 3, i / 4, n_positive=4, n_negative=3)
            band = cost_curve_band(line, pc=x, confidence_level=level)
            covered += probability * bool(np.all((band.low <= truth) & (truth <= band.high)))
    assert covered >= level


def test_envelope_band_is_built_from_its_parts():
    band = cost_curve_band(Y, S, rng=2, n_resamples=200)
    curve = cost_curve(Y, S)
    assert band.hindsight == pytest.approx(curve.expected_cost(band.pc), abs=1e-12)
    assert band.hindsight_area == pytest.approx(curve.area(), abs=1e-12)
    assert np.all(band.low <= band.pointwise_low)
    assert np.all(band.pointwise_high <= band.high)
    assert (band.honest[0], band.honest[-1], band.high[0], band.high[-1]) == (0, 0, 0, 0)
    # a few points are above: the honest curve is no envelope, but its mean over pc is its area
    fine = cost_curve_band(Y, S, rng=2, n_resamples=10, pc=(np.arange(4000) + 0.5) / 4000)
    assert fine.honest.mean() == pytest.approx(band.honest_area, abs=1e-4)
    assert band.area_interval.low < curve.area() < band.area_interval.high
    json.dumps(band.to_dict(), allow_nan=False)


def test_envelope_band_agrees_with_the_surface_that_never_abstains():
    # spec 001, section 5: k(mu, infinity) = (pi_P + mu pi_N) NEC(x), for balanced classes
    band = cost_curve_band(Y, S, rng=5, pc=[0.25, 0.5, 0.8], n_resamples=10)
    surface = cross_fitted_surface(Y, S, rng=5, prevalence=0.5)
    for k, x in enumerate(band.pc):
        mu = (1 - x) / x
        factor = 2 / (1 + mu)
        assert band.honest[k] == pytest.approx(factor * surface.cost(mu, math.inf), abs=1e-12)
        # half an error more per class widens the standard error a little
        low, high = surface.interval(mu, math.inf)
        assert band.pointwise_high[k] == pytest.approx(factor * high, abs=2e-3)
        assert band.pointwise_low[k] == pytest.approx(factor * low, abs=2e-3)


def test_standard_error_of_an_envelope_by_hand():
    # 4 positives above 6 negatives: no errors with hindsight, so half an error per class
    y, s = [0] * 6 + [1] * 4, list(range(10))
    band = cost_curve_band(y, s, folds=2, rng=0, pc=[0.3], n_resamples=10)
    error = math.sqrt(0.09 * 0.1 * 0.9 / 4 + 0.49 * (0.5 / 7) * (6.5 / 7) / 6)
    assert band.hindsight[0] == 0
    assert band.honest[0] == 0
    assert band.pointwise_high[0] == pytest.approx(min(Z * error, 0.3))


# ---------------------------------------------------------------- errors

FEW = [0, 1] * 10, list(range(20))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: surface_band(*FEW, folds=30), "`folds` must not exceed the cases of either class"),
        (lambda: surface_band(*FEW, confidence_level=-0.1), r"must lie in \[0, 1\]"),
        (lambda: surface_band(*FEW, mu=(-0.5, 1)), "`mu` must start at 0 or above"),
        (lambda: surface_band(*FEW, rng=[1, 2]), "`rng` must be a seed"),
        (lambda: surface_band(*FEW, rng=np.random.RandomState(0)), "`rng` must be a seed"),
        (lambda: surface_band(*FEW, n_resamples=1.5), "`n_resamples` must be a whole number"),
        (lambda: surface_band(*FEW, workers=True), "`workers` must be a whole number"),
        (lambda: surface_band(FEW[0]), "`y_score` is missing"),
        (lambda: surface_band([0] * 20, FEW[1]), "A surface band needs cases of both classes"),
        (lambda: roc_band([0, 0], [1, 2]), "needs cases of both classes"),
        (lambda: roc_band([0, 1], [1, 2], sample_weight=[1, 0.5]), "whole numbers"),
        (lambda: roc_band([0, 1], [1, 2], confidence_level=1), "strictly between"),
        (lambda: roc_band([0, 1], [1, 2]).at(1.5), r"`fpr` must lie in \[0, 1\]"),
        (lambda: cost_curve_band(*FEW, pc=[0.5, 1.5]), r"`pc` must lie in \[0, 1\], got 1.5"),
        (lambda: cost_curve_band(*FEW, pc=[]), "`pc` must be one-dimensional"),
        (lambda: cost_curve_band(*FEW, folds=11), "`folds` must not exceed"),
        (lambda: cost_curve_band(cost_line(0.1, 0.2), FEW[1]), "`y_score` must be left out"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_cost_line_without_its_number_of_cases_has_no_band():
    with pytest.raises(UndefinedError, match="needs the number of cases"):
        cost_curve_band(cost_line(0.1, 0.2))
