"""Reliability curves and calibration slopes: by hand, against scikit-learn, R and known truth."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss

from demur import InputError, ScoreCounts, UndefinedError
from demur.calibration import calibration_slope, reliability_curve

R = json.loads((Path(__file__).parents[1] / "reference" / "calibration.json").read_text())
Y, P = [0, 1, 0, 1], [0.1, 0.4, 0.6, 0.8]


@st.composite
def forecasts(draw):
    """Labels of both classes, tied probabilities strictly inside (0, 1), whole weights."""
    n = draw(st.integers(2, 30))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda v: 0 < sum(v) < len(v)))
    p = draw(st.lists(st.sampled_from(np.linspace(0.05, 0.95, 10).tolist()), min_size=n, max_size=n))
    w = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    return np.array(y), np.array(p), np.array(w)


# ---------------------------------------------------------------- reliability


def test_two_pooled_cases_by_hand():
    curve = reliability_curve(Y, P)
    assert curve.observed.tolist() == [0, 0.5, 0.5, 1]
    assert curve.brier == pytest.approx((0.01 + 0.36 + 0.36 + 0.04) / 4)
    assert curve.miscalibration == pytest.approx(0.1925 - 0.125)
    assert curve.discrimination == pytest.approx(0.25 - 0.125)
    assert curve.uncertainty == 0.25
    log = curve.log_score
    assert log.score == pytest.approx(-(math.log(0.9) + 2 * math.log(0.4) + math.log(0.8)) / 4)
    assert log.score - log.miscalibration == pytest.approx(math.log(2) / 2)
    assert log.uncertainty == pytest.approx(math.log(2))


def test_tied_and_certain_forecasts_by_hand():
    # 0.3 twice with one positive, 0 and 1 right: calibrated but for 0.3, which should be 1/2
    curve = reliability_curve([0, 0, 1, 1], [0.0, 0.3, 0.3, 1.0])
    assert curve.forecast.tolist() == [0, 0.3, 1]
    assert curve.observed.tolist() == [0, 0.5, 1]
    assert curve.miscalibration == pytest.approx(2 / 4 * 0.2**2)
    assert curve.log_score.score == pytest.approx(-(math.log(0.7) + math.log(0.3)) / 4)
    assert curve.recalibrated([0.15, 0.65]).tolist() == [0.25, 0.75]
    wrong = reliability_curve([1, 0], [0.0, 0.5])
    assert wrong.log_score.score == wrong.log_score.miscalibration == math.inf


@given(forecasts())
def test_curve_and_scores_against_sklearn(data):
    y, p, w = data
    curve = reliability_curve(y, p, sample_weight=w)
    fitted = IsotonicRegression().fit(p, y, sample_weight=w).predict(p)
    assert curve.recalibrated(p) == pytest.approx(fitted, abs=1e-12)
    assert curve.brier == pytest.approx(brier_score_loss(y, p, sample_weight=w))
    assert curve.brier - curve.miscalibration == pytest.approx(np.average((y - fitted) ** 2, weights=w))
    assert curve.log_score.score == pytest.approx(log_loss(y, p, sample_weight=w))
    for part in (curve, curve.log_score):
        assert part.miscalibration >= 0
        assert part.discrimination >= 0
        total = part.miscalibration - part.discrimination + part.uncertainty
        assert total == pytest.approx(curve.brier if part is curve else part.score)
    repeated = reliability_curve(np.repeat(y, w), np.repeat(p, w))
    assert repeated.brier == pytest.approx(curve.brier)
    assert repeated.observed == pytest.approx(curve.observed)
    counts = ScoreCounts.from_arrays(y, p)
    assert reliability_curve(counts).brier == reliability_curve(y, p).brier


def test_recalibrated_forecasts_have_no_miscalibration():
    y, p = np.array(R["y"]), np.array(R["p"])
    curve = reliability_curve(y, p)
    again = reliability_curve(y, curve.recalibrated(p))
    assert again.miscalibration == pytest.approx(0, abs=1e-15)
    assert again.discrimination == pytest.approx(curve.discrimination)


def test_consistency_band_against_enumeration():
    """Two forecasts, one case each: the four outcomes have known curves and probabilities."""
    curve = reliability_curve([0, 1], [0.25, 0.75])
    band = curve.consistency_band(confidence_level=0.5, n_resamples=2000, rng=1)
    # outcomes (0, 0): 3/16, (0, 1): 9/16, (1, 0): 1/16 pooled to 1/2, (1, 1): 3/16
    # at 0.25: 0 with 12/16, 1/2 with 1/16, 1 with 3/16; at 0.75: 0 with 3/16, 1/2 with 1/16, 1 else
    assert band.low.tolist() == [0, 0.5] or band.low.tolist() == [0, 1]
    assert band.high[1] == 1
    # miscalibration 1/16 is the smallest possible
    assert band.pvalue == 1
    worst = reliability_curve([1, 0], [0.25, 0.75])
    chance = worst.consistency_band(n_resamples=4000, rng=2).pvalue
    assert chance == pytest.approx(sum_of_worse(worst.miscalibration), abs=0.03)


def sum_of_worse(observed):
    """Probability, under the forecasts, of a miscalibration at least as large."""
    outcomes = {(0, 0): 3 / 16, (0, 1): 9 / 16, (1, 0): 1 / 16, (1, 1): 3 / 16}
    total = 0.0
    for (a, b), chance in outcomes.items():
        brier = ((a - 0.25) ** 2 + (b - 0.75) ** 2) / 2
        fitted = 0.25 if (a, b) == (1, 0) else 0.0
        total += chance * (brier - fitted >= observed - 1e-12)
    return total


def test_band_is_the_same_for_a_seed_and_shows_at_most_2000_forecasts():
    rng = np.random.default_rng(0)
    p = rng.random(2500)
    curve = reliability_curve(rng.random(2500) < p, p)
    bands = [curve.consistency_band(n_resamples=30, rng=5, workers=k) for k in (1, 2)]
    assert np.array_equal(bands[0].low, bands[1].low)
    assert bands[0].pvalue == bands[1].pvalue
    assert len(bands[0].forecast) == 2000
    assert bands[0].forecast[[0, -1]].tolist() == [p.min(), p.max()]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: reliability_curve(Y, [0.1, 0.4, 0.6, 1.2]), r"probabilities in \[0, 1\].*from 0.1 to 1.2"),
        (lambda: reliability_curve(Y, P).recalibrated(2), "`probability` must lie"),
        (lambda: reliability_curve(Y, P).consistency_band(n_resamples=0), "`n_resamples`"),
        (
            lambda: reliability_curve(Y, P, sample_weight=[0.5, 1, 1, 1]).consistency_band(),
            "must hold whole numbers",
        ),
        (lambda: calibration_slope(Y, [0.0, 0.4, 0.6, 0.8]), "strictly between 0 and 1.*got 0.0"),
        (lambda: calibration_slope(Y, [0.1, 0.4, 0.6, 7]), r"in \[0, 1\] for a calibration slope"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(InputError, match=words):
        call()


# ---------------------------------------------------------------- slope


def test_slope_by_hand():
    # log-odds -1 and 1 with shares 1/4 and 3/4: the fit goes through both, log 3 = slope
    p = 1 / (1 + math.exp(-1))
    found = calibration_slope([1, 0, 0, 0, 0, 1, 1, 1], [1 - p] * 4 + [p] * 4)
    assert found.slope == pytest.approx(math.log(3))
    assert found.intercept == pytest.approx(0, abs=1e-12)
    assert found.in_the_large == pytest.approx(0, abs=1e-12)
    # the offset that moves a mean forecast of 1/2 to a share of 3/4
    shifted = calibration_slope([1, 1, 0, 1, 1, 1, 0, 1], [0.5] * 4 + [0.50001] * 4)
    assert shifted.in_the_large == pytest.approx(math.log(3), abs=1e-4)


def test_fit_and_profile_against_r():
    found = calibration_slope(R["y"], R["p"])
    for name in ("slope", "intercept", "in_the_large"):
        assert getattr(found, name) == pytest.approx(R[name], abs=1e-8)
        # R interpolates the profile by a spline
        assert getattr(found, f"{name}_interval") == pytest.approx(R[f"{name}_interval"], abs=2e-3)
    assert found.pvalue == pytest.approx(R["pvalue"], rel=1e-6)
    assert found.method == "profile likelihood"


def test_limits_solve_the_profile_equation():
    found = calibration_slope(R["y"], R["p"])
    y, x = np.array(R["y"]), np.log(np.array(R["p"]) / (1 - np.array(R["p"])))

    def deviance(a, b):
        return 2 * np.sum(np.logaddexp(0, a + b * x) - y * (a + b * x))

    best = deviance(found.intercept, found.slope)
    for limit in found.slope_interval:
        around = found.intercept + np.linspace(-1.5, 1.5, 30_001)
        lowest = min(deviance(a, limit) for a in around[::10])
        assert lowest - best == pytest.approx(1.959964**2, abs=1e-4)


def test_weights_of_slopes():
    y, p = np.array(R["y"]), np.array(R["p"])
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    repeats = calibration_slope(y, p, sample_weight=weight, weights="repeats")
    rows = calibration_slope(np.repeat(y, weight), np.repeat(p, weight))
    assert repeats.slope_interval == pytest.approx(rows.slope_interval)
    importance = calibration_slope(y, p, sample_weight=weight)
    assert importance.method == "robust"
    assert importance.slope == pytest.approx(rows.slope)
    scaled = calibration_slope(y, p, sample_weight=weight * 50.0)
    assert scaled.slope_interval == pytest.approx(importance.slope_interval)
    # robust and profile limits agree roughly for equal weights by design; unequal ones are wider
    width = importance.slope_interval.high - importance.slope_interval.low
    assert width > rows.slope_interval.high - rows.slope_interval.low


def test_many_cases_need_no_search():
    rng = np.random.default_rng(0)
    eta = np.round(rng.normal(size=30_000), 2)
    y = rng.random(30_000) < 1 / (1 + np.exp(-eta))
    p = 1 / (1 + np.exp(-1.5 * eta))
    many = calibration_slope(y, p)
    assert many.method == "information"
    few = ~y & (np.cumsum(~y) > 9_990)  # leaves just too few negatives
    searched = calibration_slope(y[~few], p[~few])
    assert searched.method == "profile likelihood"
    error = (searched.slope_interval.high - searched.slope_interval.low) / (2 * 1.959964)
    middle = (searched.slope_interval.high + searched.slope_interval.low) / 2
    assert middle == pytest.approx(searched.slope, abs=0.02 * error)


@pytest.mark.parametrize(
    ("y", "p", "words"),
    [
        ([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], "one threshold separates"),
        ([1, 1, 0, 0], [0.1, 0.2, 0.2, 0.4], "one threshold separates"),
        ([0, 1, 0], [0.4, 0.4, 0.4], "at least 2 different forecasts, got 0.4"),
        ([1, 1], [0.4, 0.5], "no negative case"),
    ],
)
def test_slope_is_undefined(y, p, words):
    with pytest.raises(UndefinedError, match=words):
        calibration_slope(y, p, pos_label=1)


# ---------------------------------------------------------------- simulation


@pytest.mark.long
def test_coverage_of_slopes_and_level_of_calibration_tests():
    rng = np.random.default_rng(3)
    runs = 400
    held = dict.fromkeys(("slope", "intercept", "in_the_large", "robust"), 0)
    rejected = dict.fromkeys(("band", "likelihood"), 0)
    for _ in range(runs):
        eta = rng.normal(size=100)
        y = rng.random(100) < 1 / (1 + np.exp(-eta))
        forecast = 1 / (1 + np.exp(-(2 * eta + 1)))  # eta = (x - 1) / 2
        found = calibration_slope(y, forecast)
        held["slope"] += found.slope_interval.low <= 0.5 <= found.slope_interval.high
        held["intercept"] += found.intercept_interval.low <= -0.5 <= found.intercept_interval.high
        weight = rng.exponential(size=100)
        robust = calibration_slope(y, forecast, sample_weight=weight).slope_interval
        held["robust"] += robust.low <= 0.5 <= robust.high
        calibrated = 1 / (1 + np.exp(-eta))
        honest = calibration_slope(y, calibrated)
        held["in_the_large"] += honest.in_the_large_interval.low <= 0 <= honest.in_the_large_interval.high
        rejected["likelihood"] += honest.pvalue <= 0.05
        curve = reliability_curve(y, calibrated)
        rejected["band"] += curve.consistency_band(n_resamples=39, rng=rng).pvalue <= 0.05
    for name, count in held.items():
        assert count / runs == pytest.approx(0.95, abs=0.055 if name == "robust" else 0.03), name
    for name, count in rejected.items():
        assert count / runs <= 0.075, name
