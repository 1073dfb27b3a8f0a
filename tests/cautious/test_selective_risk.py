"""Selective risk against the definition, theory and hand computation."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import InputError, risk_coverage_curve
from demur.cautious import selective_risk
from examples import examples


@st.composite
def losses(draw, max_size=9):
    n = draw(st.integers(1, max_size))
    loss = draw(st.lists(st.sampled_from([0.0, 0.0, 1.0, 0.25, 0.5]), min_size=n, max_size=n))
    levels = draw(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5))
    confidence = draw(st.lists(st.sampled_from(levels), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 0.5, 3.0]), min_size=n, max_size=n))
    return loss, confidence, weights


def accepted_loss(loss, confidence, weights, coverage):
    """G(c): whole groups from the top, and the rest as a share of the next group."""
    room, total, accepted = coverage * sum(weights), sum(weights), 0.0
    for level in sorted(set(confidence), reverse=True):
        cases = [(w, e) for w, e, c in zip(weights, loss, confidence, strict=True) if c == level]
        mass = sum(w for w, _ in cases)
        taken = min(room, mass)
        accepted += taken / mass * sum(w * e for w, e in cases)
        room -= taken
    return accepted / total


def integrate(function, breaks):
    """Gauss quadrature between the kinks; 40 nodes are exact to rounding for these integrands."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    total = 0.0
    for low, high in itertools.pairwise(breaks):
        at = (high - low) / 2 * nodes + (high + low) / 2
        total += (high - low) / 2 * sum(w * function(x) for w, x in zip(weights, at, strict=True))
    return total


# ---------------------------------------------------------------- by hand, theory


def test_two_groups_by_hand():
    # sure: one error in two; unsure: none in two. G = c/2 up to 1/2, then 1/4.
    curve = risk_coverage_curve([1, 0, 0, 0], [2, 2, 1, 1])
    assert curve.coverage.tolist() == [0.5, 1]
    assert curve.risk.tolist() == [0.5, 0.25]
    assert curve.generalized_risk.tolist() == [0.25, 0.25]
    assert curve.thresholds.tolist() == [2, 1]
    assert curve.augrc == pytest.approx(0.25 / 2 * 0.5 + 0.25 * 0.5)
    assert curve.aurc == pytest.approx(0.5 * 0.5 + 0.25 * math.log(2))
    assert curve.e_aurc == pytest.approx(curve.aurc - (0.25 + 0.75 * math.log(0.75)))
    assert curve.risk_at(0.25) == 0.5
    assert curve.risk_at(0.75) == pytest.approx(0.25 / 0.75)


def test_discrete_convention_by_hand():
    curve = risk_coverage_curve([1, 0, 0, 0], [2, 2, 1, 1], convention="discrete")
    assert curve.risk == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])
    assert curve.aurc == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert curve.augrc == pytest.approx(1 / 4)
    assert curve.e_aurc == pytest.approx(curve.aurc - 1 / 16)
    # the order of the rows decides among equal confidences: why it is not the default
    other = risk_coverage_curve([0, 1, 0, 0], [2, 2, 1, 1], convention="discrete")
    assert other.aurc < curve.aurc
    assert (curve.convention, other.convention) == ("discrete", "discrete")


@pytest.mark.parametrize("wrong", [0, 1, 3, 9, 10])
def test_best_order_against_theory(wrong):
    # errors last: AURC = e + (1 - e) ln(1 - e), the continuous optimum
    loss = np.array([0] * (10 - wrong) + [1] * wrong)
    rate = wrong / 10
    curve = risk_coverage_curve(loss, -loss)
    expected = rate + ((1 - rate) * math.log(1 - rate) if rate < 1 else 0)
    assert curve.aurc == pytest.approx(expected, abs=1e-15)
    assert curve.e_aurc == pytest.approx(0, abs=1e-15)
    assert curve.augrc == pytest.approx(rate**2 / 2)


def test_uninformative_confidence_against_theory():
    curve = risk_coverage_curve([1, 0, 0, 0, 1], [7] * 5)
    assert (curve.aurc, curve.augrc) == pytest.approx((0.4, 0.2))
    assert curve.risk.tolist() == [0.4]


def test_discrete_converges_to_exact():
    rng = np.random.default_rng(3)
    sure = rng.random(20_000)
    loss = (rng.random(20_000) > sure).astype(float)
    exact = risk_coverage_curve(loss, sure)
    discrete = risk_coverage_curve(loss, sure, convention="discrete")
    assert discrete.aurc == pytest.approx(exact.aurc, abs=1e-3)
    assert discrete.augrc == pytest.approx(exact.augrc, abs=1e-4)
    assert discrete.coverage == pytest.approx(exact.coverage)


# ---------------------------------------------------------------- against the definition


@given(losses())
@settings(max_examples=examples(80), deadline=None)
def test_areas_against_quadrature(data):
    loss, confidence, weights = data
    curve = risk_coverage_curve(loss, confidence, sample_weight=weights)
    for coverage, risk in zip(curve.coverage, curve.risk, strict=True):
        expected = accepted_loss(loss, confidence, weights, coverage) / coverage
        assert risk == pytest.approx(expected, abs=1e-12)
    breaks = [0.0, *curve.coverage]
    generalized = integrate(lambda c: accepted_loss(loss, confidence, weights, c), breaks)
    selective = integrate(lambda c: accepted_loss(loss, confidence, weights, c) / c, breaks)
    assert curve.augrc == pytest.approx(generalized, abs=1e-12)
    assert curve.aurc == pytest.approx(selective, abs=1e-12)


@given(losses())
@settings(max_examples=examples(80), deadline=None)
def test_laws_of_areas(data):
    loss, confidence, weights = data
    curve = risk_coverage_curve(loss, confidence, sample_weight=weights)
    assert curve.coverage[-1] == 1
    assert -1e-12 <= curve.e_aurc <= curve.aurc + 1e-12
    assert curve.risk[-1] == pytest.approx(np.average(loss, weights=weights))
    repeats = [int(2 * w) for w in weights]
    repeated = risk_coverage_curve(np.repeat(loss, repeats), np.repeat(confidence, repeats))
    assert repeated.aurc == pytest.approx(curve.aurc, abs=1e-12)
    assert repeated.e_aurc == pytest.approx(curve.e_aurc, abs=1e-12)
    ranks = [sorted(set(confidence)).index(value) for value in confidence]
    assert risk_coverage_curve(loss, ranks, sample_weight=weights).aurc == pytest.approx(
        curve.aurc, abs=1e-12
    )


@given(st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=1, max_size=5))
@settings(max_examples=examples(25), deadline=None)
def test_no_order_beats_the_best_one_against_enumeration(loss):
    best = min(
        risk_coverage_curve(order, range(len(loss), 0, -1)).aurc for order in itertools.permutations(loss)
    )
    curve = risk_coverage_curve(loss, range(len(loss)))
    assert curve.aurc - curve.e_aurc == pytest.approx(best, abs=1e-12)


# ---------------------------------------------------------------- bootstrap


def toy(n, rng, slope=1.0):
    sure = rng.random(n)
    return (rng.random(n) > 0.5 + slope * sure / 2).astype(float), sure


@pytest.mark.parametrize("statistic", ["aurc", "e_aurc", "augrc"])
@pytest.mark.parametrize("convention", ["exact", "discrete"])
def test_resample_is_the_curve_of_the_drawn_cases(statistic, convention):
    from demur.cautious.selective_risk import resampled_statistic

    loss, sure = toy(60, np.random.default_rng(0))
    sure = sure.round(1) if convention == "exact" else sure
    loss = np.where(loss == 1, 0.7, loss)
    drawn = np.random.default_rng(1).integers(60, size=60)
    expected = getattr(risk_coverage_curve(loss[drawn], sure[drawn], convention=convention), statistic)
    curve = risk_coverage_curve(loss, sure, convention=convention)
    got = resampled_statistic(curve, statistic)(np.bincount(drawn, minlength=60))
    assert got == pytest.approx(expected, abs=1e-12)


def test_interval_covers_at_its_level():
    rng = np.random.default_rng(11)
    truth = risk_coverage_curve(*toy(200_000, rng)).aurc
    hits = 0
    for seed in range(100):
        low, high = risk_coverage_curve(*toy(150, rng)).interval(n_resamples=200, rng=seed)
        hits += low <= truth <= high
    # Binomial(100, .95): fewer than 86 would happen once in ten thousand times
    assert hits >= 86


def test_intervals_repeat_with_the_seed():
    curve = risk_coverage_curve(*toy(80, np.random.default_rng(5)))
    assert curve.interval(rng=3, n_resamples=50) == curve.interval(rng=3, n_resamples=50)
    assert curve.interval(rng=3, n_resamples=50) != curve.interval(rng=4, n_resamples=50)
    low, high = curve.interval("augrc", rng=3, n_resamples=200)
    assert low < curve.augrc < high
    narrow = curve.interval("augrc", rng=3, n_resamples=200, confidence_level=0.5)
    assert low < narrow.low < narrow.high < high


def test_paired_difference():
    rng = np.random.default_rng(7)
    loss, sure = toy(400, rng)
    good, same = risk_coverage_curve(loss, sure), risk_coverage_curve(loss, np.exp(sure))
    blind = risk_coverage_curve(loss, rng.random(400))
    gap = good.minus(blind, rng=0, n_resamples=200)
    assert gap.difference == pytest.approx(good.aurc - blind.aurc)
    assert gap.interval.high < 0
    equal = good.minus(same, rng=0, n_resamples=50)
    assert (equal.difference, equal.interval.low, equal.interval.high) == pytest.approx((0, 0, 0), abs=1e-15)
    json.dumps(gap.to_dict(), allow_nan=False)


def test_user_arrays_stay_writeable():
    loss, sure, weights = np.zeros(3), np.arange(3.0), np.ones(3)
    json.dumps(risk_coverage_curve(loss, sure, sample_weight=weights).to_dict(), allow_nan=False)
    assert all(array.flags.writeable for array in (loss, sure, weights))


# ---------------------------------------------------------------- wrong input

CURVE = risk_coverage_curve([0, 1, 0], [1, 2, 3])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: risk_coverage_curve([0, 2], [1, 2]), r"`loss` must lie in \[0, 1\], got 2"),
        (lambda: risk_coverage_curve([0, math.nan], [1, 2]), "`loss` must be finite"),
        (lambda: risk_coverage_curve([0, 1], [1, math.nan]), "`confidence` must not contain NaN"),
        (lambda: risk_coverage_curve([0, 1], [1]), "same length"),
        (lambda: risk_coverage_curve([], []), "at least one case"),
        (lambda: risk_coverage_curve([[0, 1]], [1]), "`loss` must be one-dimensional"),
        (lambda: risk_coverage_curve([0, 1], [1, 2], sample_weight=[0, 0]), "must not all be zero"),
        (lambda: risk_coverage_curve([0, 1], [1, 2], convention="loose"), "`convention` must be one of"),
        (
            lambda: risk_coverage_curve([0, 1], [1, 2], convention="discrete", sample_weight=[1, 2]),
            "must be left out of the discrete convention",
        ),
        (lambda: CURVE.risk_at(0), "`coverage` must be above 0"),
        (lambda: CURVE.risk_at(1.5), r"`coverage` must lie in \[0, 1\]"),
        (lambda: CURVE.interval("auc"), "`statistic` must be one of 'aurc', 'e_aurc', 'augrc'"),
        (lambda: CURVE.interval(n_resamples=1), "`n_resamples` must be a whole number of at least 2"),
        (lambda: CURVE.interval(confidence_level=1), "`confidence_level` must lie strictly between"),
        (lambda: CURVE.interval(rng="seed"), "`rng` must be a seed"),
        (lambda: CURVE.minus(3), "`other` must be a RiskCoverageCurve"),
        (lambda: CURVE.minus(risk_coverage_curve([0, 1], [1, 2])), "same length"),
        (
            lambda: CURVE.minus(risk_coverage_curve([0, 1, 0], [1, 2, 3], convention="discrete")),
            "must follow the convention 'exact'",
        ),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.parametrize("weights", [[1, 1e-300, 1e-20, 1], [1e150] * 4, [1e-200] * 4])
def test_areas_of_weights_of_any_size(weights):
    heavy = [w > 1e-10 * max(weights) for w in weights]
    loss, confidence = np.array([1.0, 0.0, 1.0, 0.0]), np.array([0.9, 0.8, 0.7, 0.6])
    found = risk_coverage_curve(loss, confidence, sample_weight=weights)
    expected = risk_coverage_curve(loss[heavy], confidence[heavy])
    assert (found.aurc, found.augrc) == pytest.approx((expected.aurc, expected.augrc))


def test_areas_of_many_groups_are_those_of_one_piece(monkeypatch):
    rng = np.random.default_rng(4)
    loss, confidence = (rng.random(1000) < 0.3).astype(float), rng.random(1000)
    whole = risk_coverage_curve(loss, confidence)
    for groups in (1, 7, 998, 999, 1000):
        monkeypatch.setattr(selective_risk, "_GROUPS_AT_ONCE", groups)
        pieces = risk_coverage_curve(loss, confidence)
        assert (pieces.aurc, pieces.augrc) == pytest.approx((whole.aurc, whole.augrc), rel=1e-12)
