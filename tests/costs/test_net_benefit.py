"""Net benefit against the definition, dcurves, hand computation and simulated truth."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from demur import InputError, UndefinedError, net_benefit_curve
from demur._kernels.proportions import Stratum, linear_limits, wilson_limits
from demur.costs import net_benefit_difference
from examples import examples
from oracles import scored_data, threshold_rates

Y, P = [0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.35, 0.6, 0.7, 0.9]
UNIT = st.floats(0, 1)


@st.composite
def probability_data(draw, models=1):
    size = draw(st.integers(2, 12))
    y = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=size - 2, max_size=size - 2))]
    levels = st.sampled_from([0.0, 0.2, 0.25, 0.5, 0.75, 1.0])
    columns = [draw(st.lists(levels, min_size=size, max_size=size)) for _ in range(models)]
    return np.array(y), [np.array(column) for column in columns]


# ---------------------------------------------------------------- by hand and against dcurves


def test_net_benefit_against_dcurves():
    # dca(y ~ p, data, thresholds = .25) gives 0.3889; the others by its formula, TP/n - FP/n t/(1 - t)
    curve = net_benefit_curve(Y, P)
    assert curve.net_benefit(0.25) == pytest.approx(0.5 - 2 / 6 / 3)  # 0.3889
    assert curve.net_benefit(0.5) == pytest.approx(2 / 6 - 1 / 6)
    assert curve.net_benefit(0.65) == pytest.approx(2 / 6)
    assert curve.treat_all(0.25) == pytest.approx(0.5 - 0.5 / 3)
    # net_intervention_avoided: (nb - nb of all) / (t / (1 - t)), here per case
    assert curve.net_interventions_avoided(0.25) == pytest.approx((0.5 - 1 / 9 - 1 / 3) * 3)
    # in hindsight the threshold 0.325 would have been better
    assert curve.optimal_net_benefit(0.25) == pytest.approx(0.5 - 1 / 6 / 3)  # 0.4444
    assert curve.optimal_threshold(0.25) == pytest.approx(0.325)


def test_a_harmful_model_is_shown_as_harmful():
    y, p = [0, 0, 0, 1, 1], [0.8, 0.9, 0.7, 0.3, 0.6]
    curve = net_benefit_curve(y, p)
    assert curve.net_benefit(0.65) == pytest.approx(-3 / 5 * 0.65 / 0.35)
    assert curve.net_benefit(0.65) < min(curve.treat_none(0.65), 0)
    assert curve.optimal_net_benefit(0.65) == pytest.approx(0, abs=1e-15)


def test_net_benefit_by_hand():
    curve = net_benefit_curve([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    # at 1/2 the scores 0.6 (false) and 0.9 (true) are acted on
    assert curve.net_benefit(0.5) == pytest.approx(0.25 - 0.25)
    # a case at the threshold is acted on
    assert curve.net_benefit(0.3) == pytest.approx(0.5 - 0.25 * 0.3 / 0.7)
    assert curve.optimal_net_benefit(0.5) == pytest.approx(0.25)
    # cutting at 0.75 is as good; of equal cuts the one with more positives counts
    assert curve.optimal_threshold(0.5) == pytest.approx(0.2)
    assert curve.to_dict()["optimal_net_benefit"][50] == pytest.approx(0.25)
    assert curve.to_dict()["net_benefit"][50] == pytest.approx(0)
    assert np.asarray(curve.treat_none([0.1, 0.2])).tolist() == [0, 0]


def test_standard_error_by_hand():
    curve = net_benefit_curve(Y, P)
    # at 1/2: two cases count 1, one -1, three 0; their mean is 1/6
    values = np.array([1, 1, -1, 0, 0, 0])
    assert curve.standard_error(0.5) == pytest.approx(values.std() / math.sqrt(6))
    given = net_benefit_curve(Y, P, prevalence=0.2)
    # rates 2/3 of 3 and 1/3 of 3
    assert given.standard_error(0.5) == pytest.approx(math.sqrt((0.2**2 + 0.8**2) * 2 / 27))


def test_wilson_limits_by_hand():
    low, high = wilson_limits([0.0, 0.5, 1.0], 10, 2.0)
    # centre (p + z^2/2n) / (1 + z^2/n), half length z / (1 + z^2/n) sqrt(p q / n + z^2/4n^2)
    assert high[0] == pytest.approx(0.4 / 1.4)
    assert low[0] == 0
    half = 2 / 1.4 * math.sqrt(0.035)
    assert (low[1], high[1]) == pytest.approx((0.5 - half, 0.5 + half))
    assert (low[2], high[2]) == pytest.approx((1 - 0.4 / 1.4, 1))


@given(UNIT, st.integers(1, 1000))
@settings(max_examples=examples(60), deadline=None)
def test_limits_of_one_share_are_wilsons(share, n):
    expected = [float(limit) for limit in wilson_limits(share, n, 1.96)]
    low, high = map(float, linear_limits([Stratum((1.0,), (share,), n)], 1.96))
    assert (low, high) == pytest.approx(expected)
    low, high = map(float, linear_limits([Stratum((-1.0,), (share,), n)], 1.96))
    assert (-high, -low) == pytest.approx(expected)


# ---------------------------------------------------------------- definition


@given(scored_data(both_classes=True), st.floats(0, 0.95), st.floats(0.05, 0.95))
@settings(max_examples=examples(100), deadline=None)
def test_optimal_net_benefit_against_definition(data, t, prevalence):
    y, s, w = data
    curve = net_benefit_curve(y, s, sample_weight=w, prevalence=prevalence)
    weight = t / (1 - t)
    best = max(prevalence * (1 - fn) - (1 - prevalence) * fp * weight for fp, fn in threshold_rates(y, s, w))
    assert curve.optimal_net_benefit(t) == pytest.approx(best, abs=1e-11)
    assert curve.treat_all(t) == pytest.approx(prevalence - (1 - prevalence) * weight)
    assert curve.optimal_net_benefit(t) >= max(0.0, curve.treat_all(t)) - 1e-12


@given(probability_data(), st.sampled_from([0.0, 0.2, 0.25, 0.3, 0.75, 0.9]), st.data())
@settings(max_examples=examples(100), deadline=None)
def test_net_benefit_and_its_error_against_definition(data, t, more):
    y, (p,) = data
    w = np.array(more.draw(st.lists(st.floats(0.5, 4), min_size=len(y), max_size=len(y))))
    values = np.where(y == 1, 1.0, -t / (1 - t)) * (p >= t)
    mean = (w * values).sum() / w.sum()
    curve = net_benefit_curve(y, p, sample_weight=w)
    assert curve.net_benefit(t) == pytest.approx(mean, abs=1e-12)
    error = math.sqrt((w**2 * (values - mean) ** 2).sum()) / w.sum()
    assert curve.standard_error(t) == pytest.approx(error, abs=1e-12)
    assert curve.net_benefit(t) <= curve.optimal_net_benefit(t) + 1e-12
    low, high = curve.interval(t)
    assert low - 1e-12 <= curve.net_benefit(t) <= high + 1e-12
    scaled = net_benefit_curve(y, p, sample_weight=100 * w)
    assert scaled.interval(t) == pytest.approx((low, high), abs=1e-9)


@given(probability_data(), st.data())
@settings(max_examples=examples(40), deadline=None)
def test_repeats_are_repeated_rows(data, more):
    y, (p,) = data
    w = more.draw(st.lists(st.integers(1, 3), min_size=len(y), max_size=len(y)))
    t = [0.0, 0.2, 0.5]
    weighted = net_benefit_curve(y, p, sample_weight=w, weights="repeats")
    repeated = net_benefit_curve(np.repeat(y, w), np.repeat(p, w))
    assert weighted.standard_error(t) == pytest.approx(repeated.standard_error(t))
    for one, other in zip(weighted.interval(t), repeated.interval(t), strict=True):
        assert one == pytest.approx(other)


def test_net_benefit_without_positives_in_use():
    curve = net_benefit_curve([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9], prevalence=0)
    assert np.asarray(curve.optimal_net_benefit([0.0, 0.5])).tolist() == [0, 0]
    assert np.asarray(curve.net_benefit([0.0, 0.5])).tolist() == [0, -0.5]


def test_interval_keeps_its_length_without_errors():
    y, p = [0] * 20 + [1] * 20, [0.1] * 20 + [0.9] * 20
    curve = net_benefit_curve(y, p, prevalence=0.5)
    low, high = curve.interval(0.5)
    assert curve.standard_error(0.5) == 0
    assert low < 0.45 < curve.net_benefit(0.5) == high == 0.5
    wide = curve.interval([0.5, 0.6], confidence_level=0.99)
    assert np.all(np.asarray(wide.low) < low)


# ---------------------------------------------------------------- two models


@given(probability_data(models=2), st.sampled_from([0.2, 0.25, 0.5, 0.9]), st.sampled_from([None, 0.3]))
@settings(max_examples=examples(80), deadline=None)
def test_difference_against_the_two_curves_and_the_definition(data, t, prevalence):
    y, (a, b) = data
    gap = net_benefit_difference(y, a, b, threshold_probability=t, prevalence=prevalence)
    single = [net_benefit_curve(y, p, prevalence=prevalence).net_benefit(t) for p in (a, b)]
    assert (gap.net_benefit_a, gap.net_benefit_b) == pytest.approx(single, abs=1e-12)
    assert gap.difference == pytest.approx(single[0] - single[1], abs=1e-12)
    values = np.where(y == 1, 1.0, -t / (1 - t)) * ((a >= t) * 1.0 - (b >= t))
    if prevalence is None:
        expected = values.std() / math.sqrt(len(y))
    else:
        shares = ((1, prevalence), (0, 1 - prevalence))
        expected = math.sqrt(sum(share**2 * values[y == k].var() / (y == k).sum() for k, share in shares))
    assert gap.standard_error == pytest.approx(expected, abs=1e-12)
    low, high = gap.interval()
    assert low - 1e-12 <= gap.difference <= high + 1e-12
    assert low < high
    mirrored = net_benefit_difference(y, b, a, threshold_probability=t, prevalence=prevalence)
    assert mirrored.interval() == pytest.approx((-high, -low), abs=1e-12)
    json.dumps(gap.to_dict(), allow_nan=False)


def test_difference_with_weights():
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(0, 2, 40), rng.random(40), rng.random(40)
    w = rng.integers(1, 4, 40)
    question = {"threshold_probability": 0.4}
    repeated = net_benefit_difference(*(np.repeat(v, w) for v in (y, a, b)), **question)
    weighted = net_benefit_difference(y, a, b, sample_weight=w, weights="repeats", **question)
    assert weighted.standard_error == pytest.approx(repeated.standard_error)
    assert weighted.interval() == pytest.approx(repeated.interval())
    importance = [net_benefit_difference(y, a, b, sample_weight=w * f, **question) for f in (1, 100)]
    assert importance[0].interval() == pytest.approx(importance[1].interval())
    assert importance[0].standard_error > 1.1 * repeated.standard_error


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "prevalence", "separation", "t"), [(100, 0.1, 1.5, 0.1), (300, 0.05, 2, 0.05), (100, 0.5, 2.5, 0.3)]
)
def test_intervals_cover_the_truth(n, prevalence, separation, t):
    rng = np.random.default_rng(1)
    base = math.log(prevalence / (1 - prevalence))

    def draw(size):
        y = rng.random(size) < prevalence
        x = rng.normal(size=size) + separation * y
        noisy = x + 0.7 * rng.normal(size=size)
        return y, expit(base + separation * x - separation**2 / 2), expit(base + separation * noisy / 2)

    y, a, b = draw(400_000)
    truth, other = (net_benefit_curve(y, p).net_benefit(t) for p in (a, b))
    covered = np.zeros(2)
    for _ in range(600):
        y, a, b = draw(n)
        low, high = net_benefit_curve(y, a).interval(t)
        gap = net_benefit_difference(y, a, b, threshold_probability=t).interval()
        covered += [low <= truth <= high, gap.low <= truth - other <= gap.high]
    # 0.95 less three and a half standard errors of the simulation
    assert np.all(covered / 600 >= 0.919)


# ---------------------------------------------------------------- wrong arguments


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: net_benefit_curve([0, 1], [0, 1]).net_benefit(1), InputError, r"\[0, 1\)"),
        (
            lambda: net_benefit_curve([0, 1], [0, 2]).net_benefit(0.5),
            InputError,
            r"probabilities in \[0, 1\] to act on them, got scores from 0 to 2. Hint: calibrate",
        ),
        (lambda: net_benefit_curve([0, 1], [-1, 1]).interval(0.5), InputError, "probabilities"),
        (
            lambda: net_benefit_curve(Y, P).net_interventions_avoided(0),
            InputError,
            "`threshold_probability` must be positive, got 0",
        ),
        (lambda: net_benefit_curve(Y, P, weights="all"), InputError, "`weights` must be one of"),
        (lambda: net_benefit_curve([0, 0], [0, 1]), UndefinedError, "both classes"),
        (
            lambda: net_benefit_difference(Y, P, [2] * 6, threshold_probability=0.5),
            InputError,
            "`score_b` must hold probabilities",
        ),
        (
            lambda: net_benefit_difference(Y, P, P[1:], threshold_probability=0.5),
            InputError,
            "must have the same length",
        ),
        (lambda: net_benefit_difference(Y, P, P, threshold_probability=1), InputError, r"\[0, 1\)"),
    ],
)
def test_error_sentences(call, error, message):
    with pytest.raises(error, match=message):
        call()
