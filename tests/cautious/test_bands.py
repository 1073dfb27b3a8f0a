"""Bands of response curves and intervals of capacity: by hand, against the curve, and simulated."""

import numpy as np
import pytest

from demur import CautiousConfusion, CostModel, InputError, UndefinedError, response_curve
from demur.cautious import capacity_interval, response_band

COSTS = CostModel(cost_fn=4, cost_fp=1, cost_abstain=0.3)


def cases(n, rng):
    """Calibrated cases: error (1 - c) / 2 at confidence c, uniform, so E(a) = (1 - a)^2 / 4."""
    p = rng.random(n)
    return (rng.random(n) < p).astype(int), p


def test_error_response_by_hand():
    # confidences 0.2, 0.2, 0.6, 0.8 with errors at 0.2 (one) and 0.8: E = 2/4, at half 1/4, then down to 0
    y, p = [0, 1, 1, 0], [0.6, 0.6, 0.8, 0.9]
    band = response_band(y, p, metric="error", abstention=[0, 0.25, 0.5, 0.75, 0.875], n_resamples=20)
    assert band.value == pytest.approx([0.5, 0.375, 0.25, 0.25, 0.125])
    # area: 1/2 (0.5 + 0.25) / 2 + 1/4 0.25 + 1/4 0.125
    assert band.capacity == pytest.approx(1 - (0.1875 + 0.0625 + 0.03125))
    # alone: of the last quarter every answer is wrong
    accuracy = response_band(y, p, abstention=[0.5, 0.75], n_resamples=20)
    assert accuracy.value == pytest.approx([0.5, 0])


@pytest.mark.parametrize("metric", ["error", "cost", "accuracy", "efficacy", "f_score", "capacity"])
def test_values_are_those_of_the_curve_and_lie_in_the_band(metric):
    y, p = cases(150, np.random.default_rng(3))
    costs = COSTS if metric == "cost" else None
    curve = response_curve(y, p, metric=metric, costs=costs)
    states = curve.abstention[:-1:10]
    band = response_band(y, p, metric=metric, costs=costs, abstention=states, n_resamples=50)
    assert band.value == pytest.approx(curve.value[:-1:10])
    assert np.all(band.low <= band.pointwise_low + 1e-12)
    assert np.all(band.pointwise_low <= band.value + 1e-12)
    assert np.all(band.value <= band.pointwise_high + 1e-12)
    assert np.all(band.pointwise_high <= band.high + 1e-12)
    assert band.capacity == pytest.approx(1 - response_curve(y, p, metric="error").area)
    again = response_band(y, p, metric=metric, costs=costs, abstention=states, n_resamples=50)
    assert np.array_equal(again.low, band.low)


def test_three_classes_and_no_error_seen():
    rng = np.random.default_rng(4)
    proba = rng.dirichlet([1, 1, 1], 60)
    band = response_band(proba.argmax(axis=1), proba, n_resamples=20)
    assert band.value.min() == 1
    # no error among 60 cases does not prove that there is none
    assert 0.85 < band.low[0] < 0.97
    assert band.capacity_interval.low < 1
    with pytest.raises(UndefinedError, match="leave out `bias`"):
        response_band(proba.argmax(axis=1), proba, bias=[0.5, 0.2, 0.3])


def test_errors_name_the_argument():
    with pytest.raises(InputError, match="`abstention`"):
        response_band([0, 1], [0.1, 0.9], abstention=[1.0])
    with pytest.raises(InputError, match="`metric`"):
        response_band([0, 1], [0.1, 0.9], metric="auc")
    with pytest.raises(InputError, match="`costs`"):
        response_band([0, 1], [0.1, 0.9], metric="cost")


def test_capacity_interval_against_numerical_derivatives():
    model = CautiousConfusion([[190, 10, 20], [0, 300, 0], [0, 10, 380], [10, 20, 60]])
    found = capacity_interval(model)
    n, z = 1000, 1.959963984540054
    added = z**2 / 4

    def capacity(error, share):
        return 1 - (error * (1 + share) / 2 + 2 / 3 * share**2 / 2)

    p, a = (40 + added) / (n + 2 * added), 90 / (n + 2 * added)
    step = 1e-6
    gradient = np.array(
        [
            (capacity(p + step, a) - capacity(p - step, a)) / (2 * step),
            (capacity(p, a + step) - capacity(p, a - step)) / (2 * step),
        ]
    )
    covariance = np.array([[p * (1 - p), -p * a], [-p * a, a * (1 - a)]]) / n
    half = z * np.sqrt(gradient @ covariance @ gradient)
    assert found.high == pytest.approx(capacity(0.04, 0.09) + half, abs=1e-9)
    assert found.low == pytest.approx(capacity((40 + added) / (n + added), 0.09) - half, abs=1e-9)


@pytest.mark.long
def test_bands_cover_the_true_response():
    """Truth in closed form: error (1 - a)^2 / 4, capacity 11/12. The bounds allow for 200 samples."""
    rng = np.random.default_rng(8)
    share = np.arange(0, 100, 4) / 100
    true = (1 - share) ** 2 / 4
    for n in (60, 400):
        inside = capacity = alone = 0
        for seed in range(200):
            y, p = cases(n, rng)
            band = response_band(y, p, metric="error", abstention=share, n_resamples=200, rng=seed)
            inside += bool(np.all((band.low <= true) & (true <= band.high)))
            capacity += band.capacity_interval.low <= 11 / 12 <= band.capacity_interval.high
            wrong = int(np.sum((p > 0.5) != y) - np.sum(((p > 0.5) != y) & (np.abs(2 * p - 1) < 0.3)))
            asked = int(np.sum(np.abs(2 * p - 1) < 0.3))
            matrix = [[n - asked - wrong, 0], [wrong, 0], [asked, 0]]
            interval = capacity_interval(CautiousConfusion(matrix))
            alone += interval.low <= 1 - (0.1225 * 1.3 / 2 + 0.3**2 / 4) <= interval.high
        assert min(inside, capacity, alone) >= 182, (n, inside, capacity, alone)
