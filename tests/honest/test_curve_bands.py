"""Bands for ROC curves and cost curves: by hand, against their parts, enumeration and known populations."""

import json
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
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
)
from demur._kernels.proportions import binomial_interval
from demur.costs import CostLine
from demur.honest.curve_bands import fixed_width_displacement
from demur.honest.distributions import distribution_bounds
from examples import examples
from reference_cases import cases, close

Y, S = Binormal().sample(400, rng=6)
Z = 1.959963984540054
W = Z**2 / 4  # errors added of each kind


# ---------------------------------------------------------------- ROC


@pytest.mark.parametrize(("count", "n"), [(0, 10), (10, 10), (3, 10), (1, 400), (57, 123)])
def test_binomial_interval_against_scipy(count, n):
    from scipy.stats import binomtest

    low, high = binomial_interval(count, n, 0.95)
    expected = binomtest(count, n).proportion_ci(0.95, method="exact")
    assert (float(low), float(high)) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_roc_band_by_hand():
    # positives at 2, 3, 4, 5 and negatives at 0, 1, 2, 3
    band = roc_band([0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 2, 3, 2, 3, 4, 5], confidence_level=0.5, method="dkw")
    margin = math.sqrt(math.log(8) / 8)  # 0.5098
    assert (band.fpr_margin, band.tpr_margin) == (pytest.approx(margin), pytest.approx(margin))
    # at fpr 0.6 the low line is between the corners of (0, 0.5) and of the tie that ends at (0.25, 0.75)
    below = max(0.5 - margin, 0)
    share = (0.6 - margin) / 0.25
    assert band.at(0.6) == pytest.approx((below + share * (0.75 - margin - below), 1))
    assert band.at(0.0) == pytest.approx((0.0, 1.0))
    assert band.tpr_low[2] == pytest.approx(float(binomial_interval(2, 4, 0.5)[0]))
    assert (band.fpr_low[0], band.fpr_high[0]) == pytest.approx((0, 1 - 0.25**0.25))


@given(st.integers(0, 1000))
@example(880)  # the line of the upper limits ends with a vertical piece
@settings(max_examples=examples(30), deadline=None)
def test_roc_band_against_every_threshold_within_its_rectangle(seed):
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 1], rng.integers(0, 2, 18)])
    s = rng.integers(0, 6, 20).astype(float)
    band = roc_band(y, s, confidence_level=0.2, method="dkw")
    curve = roc_curve(y, s)
    for x in rng.random(5):
        low, high = band.at(x)
        # the lowest line through lower right corners, the highest through upper left ones
        right, left = np.minimum(curve.fpr + band.fpr_margin, 1), np.maximum(curve.fpr - band.fpr_margin, 0)
        lower, upper = np.maximum(curve.tpr - band.tpr_margin, 0), np.minimum(curve.tpr + band.tpr_margin, 1)
        assert low == pytest.approx(np.interp(x, right, lower))
        assert high == pytest.approx(np.interp(x, left, upper))
        assert low <= high
    assert np.all(band.low <= curve.tpr)
    assert np.all(curve.tpr <= band.high)
    assert np.all((band.tpr_low <= curve.tpr) & (curve.tpr <= band.tpr_high))
    assert np.all((band.fpr_low <= curve.fpr) & (curve.fpr <= band.fpr_high))


@pytest.mark.parametrize("size", [1, 2, 7, 20])
@pytest.mark.parametrize("pointwise", [False, True])
def test_limits_do_not_cross_where_all_scores_are_tied(size, pointwise):
    """Thresholds on one side of a tie alone would give 0.54 to 0.46 for seven cases of each class."""
    band = roc_band([0] * size + [1] * size, [0.0] * (2 * size))
    x = np.linspace(0, 1, 21)
    low, high = band.at(x, pointwise=pointwise)
    assert np.all(low <= x)
    assert np.all(x <= high)


def test_order_statistic_band_by_hand():
    y, x = [0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 2, 3, 2, 3, 4, 5]
    band = roc_band(y, x, confidence_level=0.6)
    high = distribution_bounds(4, delta=0.1)
    low = distribution_bounds(4, delta=0.1, side="lower")
    # thresholds with k false alarms are possible at fpr 0.4 if low[k] <= 0.4 <= high[k]
    alarms, misses = np.array([0, 0, 0, 1, 2, 3, 4]), np.array([4, 3, 2, 1, 0, 0, 0])
    possible = (low[alarms] <= 0.4) & (high[alarms] >= 0.4)
    expected = (1 - high[misses[possible]]).min(), (1 - low[misses[possible]]).max()
    assert band.at(0.4) == pytest.approx(expected)
    assert (band.fpr_margin, band.tpr_margin) == (None, None)
    json.dumps(band.to_dict(), allow_nan=False)


def test_pointwise_limits_by_hand():
    # 10 negatives and 10 positives, separated; at fpr 0.5 there are 2 to 8 alarms in 90 % of samples
    y, x = [0] * 10 + [1] * 10, list(range(20))
    band = roc_band(y, x, confidence_level=0.81)  # 0.9 for alarms, 0.9 for hits
    low, high = band.at(0.5, pointwise=True)
    assert (low, high) == pytest.approx((0.05**0.1, 1.0))  # 10 of 10 hits at all of these thresholds
    # where no alarm is likely, any threshold above the negatives is possible, also one without hits
    assert band.at([0.0, 0.2], pointwise=True).low == pytest.approx([0.0, 0.0])
    assert np.all((band.pointwise_low <= band.tpr) & (band.tpr <= band.pointwise_high))


def test_fixed_width_band_by_hand():
    # separated classes: every resampled curve is the curve itself, the band is the curve
    apart = roc_band([1, 1, 0, 0], [4.0, 3.0, 2.0, 1.0], method="fixed width", n_resamples=20)
    assert apart.area() == pytest.approx(0, abs=1e-3)
    assert apart.at(0.5) == pytest.approx((1.0, 1.0))
    y, s = [1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0]
    band = roc_band(y, s, method="fixed width", n_resamples=50, rng=3)
    distance = fixed_width_displacement(
        ScoreCounts.from_arrays(y, s), level=0.95, n_resamples=50, rng=np.random.default_rng(3)
    )
    aside = above = distance / math.sqrt(2)
    assert (band.fpr_margin, band.tpr_margin) == pytest.approx((aside, above))
    # the point (0.5, 1) of the curve moves to (0.5 - aside, 1 + above), (0, 0) to (aside, -above)
    for x in (0.1, 0.4, 0.9):
        low, high = band.at(x)
        assert high == pytest.approx(min(1.0, _curve_height(x + aside, upper=True) + above))
        assert low == pytest.approx(max(0.0, _curve_height(x - aside, upper=False) - above))
    again = roc_band(y, s, method="fixed width", n_resamples=50, rng=3)
    assert again.low.tobytes() == band.low.tobytes()


def _curve_height(x, *, upper):
    """Height of the curve (0, 0), (0, 0.5), (0.5, 0.5), (0.5, 1), (1, 1)."""
    if upper:
        return 0.0 if x < 0 else 0.5 if x < 0.5 else 1.0
    return 0.0 if x <= 0 else 0.5 if x <= 0.5 else 1.0


def roc_coverage(truth, n, runs, seed, method):
    """Shares of samples whose band holds the whole curve, and single points of it; mean area."""
    from scipy.special import ndtr, ndtri

    rng = np.random.default_rng(seed)
    cuts = np.linspace(-4, truth.separation + 4, 200)
    fpr, tpr = ndtr(-cuts), ndtr(truth.separation - cuts)
    single = np.array([0.02, 0.1, 0.3, 0.7])
    height = ndtr(truth.separation + ndtri(single))
    whole, points, area = 0, np.zeros(4), 0.0
    for _ in range(runs):
        band = roc_band(*truth.sample(n, rng=rng), method=method, n_resamples=150, rng=rng)
        low, high = band.at(fpr)
        whole += bool(np.all((low <= tpr + 1e-12) & (tpr <= high + 1e-12)))
        low, high = band.at(single, pointwise=True)
        points += (low <= height) & (height <= high)
        area += band.area() / runs
    return whole / runs, points / runs, area


@pytest.mark.parametrize("separation", [1.2, 3.0])
def test_roc_bands_cover_the_curve_of_the_known_population(separation):
    truth = Binormal(separation=separation)
    sharp = roc_coverage(truth, 200, 60, 1, "order statistics")
    wide = roc_coverage(truth, 200, 60, 1, "dkw")
    assert min(sharp[0], wide[0]) >= 0.95
    assert sharp[1].min() >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / 60)
    assert sharp[2] < 1.05 * wide[2]
    if separation == 3.0:
        assert sharp[2] < 0.75 * wide[2]


@pytest.mark.long
def test_fixed_width_band_covers_the_curve_of_the_known_population():
    for n, separation in ((100, 1.2), (300, 2.5)):
        covered, points, _ = roc_coverage(Binormal(separation=separation), n, 300, n, "fixed width")
        assert covered >= 0.93
        assert points.min() >= 0.95


def test_weights_count_cases_in_a_roc_band():
    once = roc_band([0, 1, 0, 1], [1, 2, 3, 4], sample_weight=[2, 3, 1, 1])
    rows = roc_band([0, 0, 1, 1, 1, 0, 1], [1, 1, 2, 2, 2, 3, 4])
    assert once.to_dict() == rows.to_dict()


# ---------------------------------------------------------------- cost curves


def test_band_of_a_cost_line_by_hand():
    line = CostLine.from_predictions([1] * 20 + [0] * 30, [1] * 15 + [0] * 35)
    band = cost_curve_band(line, pc=[0.0, 0.3, 1.0], confidence_level=0.9)
    fnr, fpr = binomial_interval(5, 20, 0.9), binomial_interval(0, 30, 0.9)
    # the ends are the exact intervals of the rates: no false alarm was seen, yet some are possible
    assert (band.pointwise_low[0], band.pointwise_high[0]) == pytest.approx((0, float(fpr[1])))
    assert (band.pointwise_low[2], band.pointwise_high[2]) == pytest.approx(tuple(map(float, fnr)))
    above = math.hypot(0.3 * (float(fnr[1]) - 0.25), 0.7 * float(fpr[1]))
    assert band.pointwise_high[1] == pytest.approx(0.3 * 0.25 + above)
    assert np.array_equal(band.honest, band.hindsight)
    together = float(binomial_interval(0, 30, math.sqrt(0.9))[1])
    assert band.high[0] == pytest.approx(together)
    assert band.honest_area == pytest.approx((line.fpr + line.fnr) / 2)
    middle = cost_curve_band(line, pc=[0.5], confidence_level=0.9)
    assert tuple(band.area_interval) == pytest.approx((middle.pointwise_low[0], middle.pointwise_high[0]))
    assert band.method == "fixed classifier"


@pytest.mark.parametrize("case", cases("costs_and_abstention.json", "dh.bootstrap_exact"))
def test_bootstrap_interval_of_a_cost_line_against_enumeration(case):
    data, expect = case["input"], case["expect"]
    line = cost_line(
        data["FP"] / data["N"], data["FN"] / data["P"], n_positive=data["P"], n_negative=data["N"]
    )
    low, high = line.interval(data["x"])
    close(low, expect["quantile_0.025"], case["tol"])
    close(high, expect["quantile_0.975"], case["tol"])
    close(cost_curve_band(line, pc=data["x"]).honest[0], expect["mean"], case["tol"])


@pytest.mark.parametrize(("n_positive", "n_negative"), [(20, 20), (20, 100), (10, 300)])
@pytest.mark.parametrize("fnr", [0.0, 0.01, 0.2, 0.5])
@pytest.mark.parametrize("fpr", [0.0, 0.01, 0.1])
def test_cost_line_is_covered_at_every_operating_point_against_enumeration(n_positive, n_negative, fnr, fpr):
    from scipy.stats import binom

    pc = np.array([0.0, 0.1, 0.5, 0.9, 1.0])
    truth = fnr * pc + fpr * (1 - pc)
    covered, area, total = np.zeros(5), 0.0, 0.0
    for misses in range(n_positive + 1):
        for alarms in range(n_negative + 1):
            weight = binom.pmf(misses, n_positive, fnr) * binom.pmf(alarms, n_negative, fpr)
            if weight < 1e-5:
                continue
            line = cost_line(
                alarms / n_negative, misses / n_positive, n_positive=n_positive, n_negative=n_negative
            )
            band = cost_curve_band(line, pc=pc)
            low, high = band.pointwise_low - 1e-12, band.pointwise_high + 1e-12
            covered += weight * ((low <= truth) & (truth <= high))
            area += weight * (band.area_interval.low - 1e-12 <= truth[2] <= band.area_interval.high + 1e-12)
            total += weight
    assert total > 0.99
    assert covered.min() / total >= 0.95
    assert area / total >= 0.95


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
    # k(mu, infinity) = (pi_P + mu pi_N) NEC(x), here for balanced classes
    band = cost_curve_band(Y, S, rng=5, pc=[0.25, 0.5, 0.8], n_resamples=10)
    surface = cross_fitted_surface(Y, S, rng=5, prevalence=0.5)
    for k, x in enumerate(band.pc):
        mu = (1 - x) / x
        factor = 2 / (1 + mu)
        assert band.honest[k] == pytest.approx(factor * surface.cost(mu, math.inf), abs=1e-12)
        low, high = surface.interval(mu, math.inf)
        assert band.pointwise_high[k] == pytest.approx(min(factor * high, x, 1 - x), abs=1e-12)
        assert band.pointwise_low[k] == pytest.approx(factor * low, abs=1e-12)


def test_upper_end_of_an_envelope_by_hand():
    # 4 positives far above 6 negatives: no error, so only the added ones count
    y, s = [0] * 6 + [1] * 4, [0, 1, 2, 3, 4, 5, 100, 101, 102, 103]
    band = cost_curve_band(y, s, folds=2, repeats=1, rng=0, pc=[0.45], n_resamples=10)
    mean, variance = 0.0, 0.0
    for price, n in ((0.45, 4), (0.55, 6)):
        rate = W / (n + W)
        mean += price * rate
        variance += price**2 * rate * (1 - rate) / (n + W - 1)
    assert band.hindsight[0] == 0
    assert band.honest[0] == 0
    assert band.pointwise_low[0] == 0
    assert band.pointwise_high[0] == pytest.approx(min(mean + Z * math.sqrt(variance), 0.45))
    assert band.area_interval.high > 0


# ---------------------------------------------------------------- errors

FEW = [0, 1] * 10, list(range(20))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: roc_band([0, 0], [1, 2]), "needs cases of both classes"),
        (lambda: roc_band([0, 1], [1, 2], sample_weight=[1, 0.5]), "whole numbers"),
        (lambda: roc_band([0, 1], [1, 2], confidence_level=1), "strictly between"),
        (lambda: roc_band([0, 1], [1, 2]).at(1.5), r"`fpr` must lie in \[0, 1\]"),
        (lambda: cost_curve_band(*FEW, pc=[0.5, 1.5]), r"`pc` must lie in \[0, 1\], got 1.5"),
        (lambda: cost_curve_band(*FEW, pc=[]), "`pc` must be one-dimensional"),
        (lambda: cost_curve_band(*FEW, folds=11), "`folds` must not exceed"),
        (lambda: cost_curve_band(cost_line(0.1, 0.2), FEW[1]), "`y_score` must be left out"),
        (lambda: roc_band([0, 1], [1, 2], method="bootstrap"), "`method` must be"),
        (lambda: roc_band([0, 1], [1, 2], n_resamples=0), "`n_resamples` must be"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_cost_line_without_its_number_of_cases_has_no_band():
    with pytest.raises(UndefinedError, match="needs the number of cases"):
        cost_curve_band(cost_line(0.1, 0.2))
