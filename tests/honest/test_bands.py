"""Bands for surfaces: by hand, against their parts and against theory."""

import json
import math

import numpy as np
import pytest

from demur import (
    Binormal,
    InputError,
    ScoreCounts,
    cross_fitted_surface,
    surface_band,
)
from demur.honest.deviation_law import (
    group_sizes,
    inverse_error,
    loss_part,
    max_deviations,
    upper_quantile,
)
from demur.honest.intervals import added_errors, mean_and_error
from demur.honest.rules import PricePoints

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
    # above, w = z^2 / 4 misses and as many false alarms are counted in, as in the pointwise interval
    prices = PricePoints.of_surface(*(axis.ravel() for axis in np.broadcast_arrays(mu, nu)))
    sums = band.surface.judged.interval_sums(prices)
    top, error = (part.reshape(9, 9) for part in mean_and_error(sums, errors=added_errors(0.95)))
    assert band.high == pytest.approx(top + band.high_factor * error)
    assert np.all(band.high >= band.honest + band.high_factor * band.honest_error - 1e-12)
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
    counts = ScoreCounts.from_arrays(Y, S)
    forms = ((Y, S), (counts,))
    plain = [surface_band(*form, **options) for form in forms]
    threaded = [surface_band(*form, workers=4, **options) for form in forms]
    monkeypatch.setattr("demur.honest.deviation_law._NUMBERS_PER_CHUNK", 1)
    single = [surface_band(*form, **options) for form in forms]
    for one, *others in zip(plain, threaded, single, strict=True):
        for other in others:
            assert other.low.tobytes() == one.low.tobytes()
            assert other.high.tobytes() == one.high.tobytes()
    # rows and counts are split apart, so they agree up to the choice of folds only
    assert plain[0].hindsight.tobytes() == plain[1].hindsight.tobytes()
    assert plain[0].honest == pytest.approx(plain[1].honest, abs=0.02)


def test_a_generator_is_advanced_and_a_seed_is_not():
    options = {"resolution": 2, "n_resamples": 50}
    generator = np.random.default_rng(0)
    first, second = (surface_band(Y, S, rng=generator, **options) for _ in range(2))
    assert first.high_factor != second.high_factor
    again = surface_band(Y, S, rng=np.random.default_rng(0), **options)
    assert again.high.tobytes() == first.high.tobytes()
    seeded = [surface_band(Y, S, rng=0, **options).high.tobytes() for _ in range(2)]
    assert seeded[0] == seeded[1] == surface_band(Y, S, **options).high.tobytes()  # the default seed is 0


def test_known_prevalence_moves_the_band():
    band = surface_band(Y, S, resolution=4, rng=1, n_resamples=50, prevalence=0.1)
    assert band.prevalence == 0.1
    # nobody can pay more than always calling negative: the mass of the positives
    assert band.hindsight.max() <= 0.1 + 1e-12


# ---------------------------------------------------------------- multipliers


def test_deviation_at_one_point_is_standard_normal_against_theory():
    surface = cross_fitted_surface(Y, S, rng=0, repeats=2)
    for rules in (surface.judged, surface.judged_with_hindsight):
        prices = PricePoints.of_surface(np.array([0.8]), np.array([0.2]))
        part = loss_part(rules, prices, inverse_error(rules.mean_and_error(prices)[1]))
        sizes = group_sizes(rules)
        influence = part(np.eye(len(sizes)))[0]
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
        prices = PricePoints.of_surface(np.full(points, 0.8), np.full(points, 0.2))
        part = loss_part(surface.judged, prices, inverse_error(surface.judged.mean_and_error(prices)[1]))
        sizes = group_sizes(surface.judged)
        found.append(max_deviations(sizes, [part], n_resamples=40, rng=np.random.default_rng(1)))
    assert np.array_equal(found[0], found[1])


def test_upper_quantile_by_hand():
    values = np.arange(1.0, 100.0)  # 99 draws: the 95 % quantile is the 95th
    assert upper_quantile(values[::-1].copy(), 0.95) == 95
    assert upper_quantile(values, 0.5) == 50
    assert upper_quantile(np.array([3.0, 1.0]), 0.95) == 3


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
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()
