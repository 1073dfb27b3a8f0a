"""Forecasters, model tree, naive Bayes for regression and stacking, against their definitions."""

import math
import pickle
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from demur import InputError, KalmanForecaster, UndefinedError, rec_curve
from demur.datasets import example_series, mackey_glass
from demur.datasets.series import SERIES_KINDS
from demur.estimators import DifferenceRescaler, ModelTreeRegressor, NaiveBayesRegressor, stack_forecasters
from demur.estimators.stacking import Autoregression, lag_rows
from demur.regression import rec_coverage_curve
from examples import examples
from reference_cases import cases

FILE = "regression.json"
FILTERS = ("ekf", "ukf", "cdkf", "sr-ukf", "sr-cdkf")


def rescaled(series, n_train):
    z = DifferenceRescaler().fit(series[:n_train]).transform(series)
    return z[: n_train - 1], z[n_train - 1 :]


# ---------------------------------------------------------------- generators, preprocessing


@pytest.mark.parametrize("case", cases(FILE, "mackey_glass"))
def test_mackey_glass_against_reference(case):
    data = dict(case["input"])
    got = mackey_glass(data.pop("n"), **data)
    assert got == pytest.approx(np.array(case["expect"]["x"]), abs=case["tol"])


def test_mackey_glass_against_the_shared_series(shared_folder):
    table = np.loadtxt(
        shared_folder / "data" / "timeseries" / "mackey_glass_tau17_generated.csv", delimiter=",", skiprows=1
    )
    # chaos: a difference in the last bit grows about tenfold every 100 time units
    assert mackey_glass(300) == pytest.approx(table[:300, 1], abs=1e-6)


def test_mackey_glass_values_of_the_specification():
    expected = [1.2, 1.11756221, 0.65240429, 0.4919721, 1.06097073, 1.01372753]
    assert mackey_glass(101)[[0, 1, 10, 17, 50, 100]] == pytest.approx(expected, abs=1e-8)
    assert np.array_equal(mackey_glass(20, discard=5), mackey_glass(25)[5:])
    assert np.array_equal(mackey_glass(5, sample=6.0), mackey_glass(25)[::6])
    finer = mackey_glass(61, dt=0.025)
    assert np.abs(mackey_glass(61) - finer).max() == pytest.approx(1.6e-5, rel=0.1)


def test_a_delay_of_one_step_against_a_small_step_solution():
    # tau = dt: the delayed value at the end of a step is its start
    coarse = mackey_glass(3, tau=0.5, dt=0.5, sample=0.5, x0=0.8)
    slope = 0.2 * 0.8 / (1 + 0.8**10) - 0.1 * 0.8
    assert coarse[1] == pytest.approx(0.8 + 0.5 * slope, abs=5e-3)


@pytest.mark.parametrize("kind", SERIES_KINDS)
def test_example_series_are_finite_and_repeatable(kind):
    series = example_series(kind, 120)
    assert series.shape == (120,)
    assert np.isfinite(series).all()
    assert np.array_equal(series, example_series(kind, 120))
    assert series.std() > 0.1


def test_example_series_follow_their_equations():
    y = example_series("ar2", 4000, rng=1)
    rows, targets = lag_rows(y, 2)
    assert np.linalg.lstsq(rows, targets, rcond=None)[0] == pytest.approx([1.5, -0.75], abs=0.04)
    y = example_series("threshold-ar", 4000, rng=1)
    for side, slope in ((y[:-1] <= 0, 0.8), (y[:-1] > 0, -0.6)):
        assert y[:-1][side] @ y[1:][side] / (y[:-1][side] ** 2).sum() == pytest.approx(slope, abs=0.04)
    y = example_series("logistic-map", 1000)
    # noise of 0.01 at both ends, passed on with a slope of at most 3.9
    assert np.abs(y[1:] - 3.9 * y[:-1] * (1 - y[:-1])).max() < 0.01 * 4.9 * 4
    y = example_series("seasonal", 1200, rng=1) - 100 - 0.3 * np.arange(1200)
    cycle = y.reshape(-1, 12).mean(axis=0)
    month = 2 * np.pi * np.arange(12) / 12
    assert cycle == pytest.approx(10 * np.sin(month) + 4 * np.cos(2 * month), abs=0.8)


def test_lorenz_against_scipy():
    from scipy.integrate import solve_ivp

    def slope(_, p):
        return [10 * (p[1] - p[0]), p[0] * (28 - p[2]) - p[1], p[0] * p[1] - 8 / 3 * p[2]]

    # the first value is at time 1, then one every 0.08
    times = 1 + 0.08 * np.arange(40)
    path = solve_ivp(slope, (0, times[-1]), [1.0, 1.0, 1.0], t_eval=times, rtol=1e-11, atol=1e-11)
    assert example_series("lorenz", 40) == pytest.approx(path.y[0], abs=2e-2)


@pytest.mark.parametrize("case", cases(FILE, "preprocess"))
def test_preprocessing_against_reference(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    rescaler = DifferenceRescaler().fit(data["series"][: data["n_train"]])
    assert (rescaler.lowest_, rescaler.highest_) == pytest.approx((expect["lo"], expect["hi"]), abs=tol)
    z = rescaler.transform(data["series"])
    assert z == pytest.approx(np.array(expect["z"]), abs=tol)
    back = rescaler.inverse_transform(z, previous=data["series"][:-1])
    assert back == pytest.approx(np.array(data["series"][1:]), abs=tol)


def test_the_test_part_does_not_move_the_range():
    series = mackey_glass(100)
    changed = series.copy()
    changed[70:] *= 50
    assert np.array_equal(rescaled(series, 70)[0], rescaled(changed, 70)[0])


# ---------------------------------------------------------------- forecaster


def recursive_least_squares(rows, targets, later_rows, later_targets, *, noise, forgetting, variance, epochs):
    """The textbook recursion; returns the one-step forecasts of the later part."""
    w, out = np.zeros(rows.shape[1]), []
    for epoch in range(epochs):
        P = variance * np.eye(len(w)) * (0.09 if epoch else 1.0)
        last = epoch == epochs - 1
        todo = np.vstack([rows, later_rows]) if last else rows
        goal = np.concatenate([targets, later_targets]) if last else targets
        for x, y in zip(todo, goal, strict=True):
            P = P / forgetting
            gain = P @ x / (x @ P @ x + noise)
            out.append(x @ w)
            w = w + gain * (y - x @ w)
            P = P - np.outer(gain, x @ P)
    return np.array(out[-len(later_targets) :])


@pytest.mark.parametrize("name", FILTERS)
def test_linear_weights_are_recursive_least_squares(name):
    train, test = rescaled(example_series("ar2", 120), 80)
    p = 3
    rows, targets = lag_rows(np.concatenate([train, test]), p)
    rows = np.column_stack([rows, np.ones(len(rows))])
    n = len(train) - p
    options = {"observation_noise": 1e-3, "forgetting": 0.99, "initial_variance": 2.0, "epochs": 3}
    expected = recursive_least_squares(
        rows[:n], targets[:n], rows[n:], targets[n:], noise=1e-3, forgetting=0.99, variance=2.0, epochs=3
    )
    model = KalmanForecaster(filter=name, n_lags=p, hidden=0, **options).fit(train)
    assert model.update_forecast(test).forecast == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", FILTERS)
def test_linear_lag_state_is_the_kalman_filter(name):
    train, test = rescaled(example_series("ar2", 100), 70)
    p, noise = 2, 1e-2
    rows, targets = lag_rows(train, p)
    design = np.column_stack([rows, np.ones(len(rows))])
    w = np.linalg.lstsq(design, targets, rcond=None)[0]
    q = np.mean((design @ w - targets) ** 2)
    A = np.array([w[:2], [1, 0]])
    x, P, expected = train[1::-1], noise * np.eye(2), []
    for z in np.concatenate([train[2:], test]):
        x, P = A @ x + [w[2], 0], A @ P @ A.T + np.diag([q, 0])
        expected.append(x[0])
        K = P[:, 0] / (P[0, 0] + noise)
        x, P = x + K * (z - x[0]), P - np.outer(K, P[0])
    model = KalmanForecaster(filter=name, mode="lags", n_lags=p, hidden=0, observation_noise=noise)
    got = model.fit(train).update_forecast(test).forecast
    assert got == pytest.approx(np.array(expected[-len(test) :]), abs=1e-8)


@pytest.mark.parametrize("mode", ["weights", "lags", "joint"])
@pytest.mark.parametrize("name", ["ekf", "ukf", "sr-ukf", "sr-cdkf"])
def test_networks_beat_the_null_model_on_mackey_glass(mode, name):
    train, test = rescaled(mackey_glass(200, sample=6.0), 140)
    model = KalmanForecaster(filter=name, mode=mode, epochs=2, initial_variance=0.1, alpha=0.5)
    found = model.fit(train).update_forecast(test)
    null = np.mean((test - train.mean()) ** 2)
    assert rec_curve(test, found.forecast, loss="squared").aoc < null
    assert np.all(found.variance > 0)
    # the variance orders the cases: a view with abstention exists for every forecaster
    assert rec_coverage_curve(test, found.forecast, -found.variance).coverage[-1] == 1


def test_areas_on_mackey_glass_against_an_independent_program():
    # null .0410, AR(6) .0104, EKF .00058, SR-UKF .0024 on a series whose sampling is not stated;
    # sampled every 6 units these areas are of the same size and order, and the paper's ranking
    # (SR-UKF before EKF) does not come out
    train, test = rescaled(mackey_glass(300, sample=6.0), 210)
    areas = {}
    for name in ("ekf", "sr-ukf"):
        found = KalmanForecaster(filter=name).fit(train).update_forecast(test).forecast
        areas[name] = rec_curve(test, found, loss="squared").aoc
    null = np.mean((test - train.mean()) ** 2)
    assert null == pytest.approx(0.041, rel=0.15)
    assert areas["ekf"] < areas["sr-ukf"] < 0.2 * null
    assert areas["ekf"] == pytest.approx(0.00058, rel=0.6)


def test_forecasts_never_use_the_value_they_forecast():
    train, test = rescaled(mackey_glass(150), 100)
    changed = test.copy()
    changed[20:] += 5
    model = KalmanForecaster(filter="ekf", epochs=1).fit(train)
    one = pickle.loads(pickle.dumps(model)).update_forecast(test).forecast
    other = model.update_forecast(changed).forecast
    assert np.array_equal(one[:21], other[:21])
    assert not np.allclose(one[21:], other[21:])


@pytest.mark.parametrize("mode", ["weights", "lags", "joint"])
def test_several_steps_ahead_are_iterated_and_change_nothing(mode):
    train, _ = rescaled(example_series("ar2", 100), 90)
    model = KalmanForecaster(filter="ekf", mode=mode, n_lags=2, hidden=0).fit(train)
    forecasts = model.forecast(3)
    assert np.array_equal(forecasts, model.forecast(3))
    assert model.update_forecast(np.full(3, np.nan)).forecast == pytest.approx(forecasts)


def test_missing_values_teach_nothing_and_are_replaced_by_their_forecast():
    series = np.sin(np.arange(200) / 3)
    gaps = series.copy()
    gaps[[50, 51, 90, 150]] = np.nan
    options = {"filter": "ekf", "n_lags": 2, "hidden": 0, "observation_noise": 1e-6, "forgetting": 1.0}
    found = KalmanForecaster(**options).fit(gaps[:120]).update_forecast(gaps[120:])
    assert found.forecast == pytest.approx(series[120:], abs=1e-3)


@pytest.mark.parametrize("mode", ["weights", "lags", "joint"])
def test_a_constant_series_is_forecast_as_constant(mode):
    model = KalmanForecaster(mode=mode, n_lags=2, hidden=0).fit(np.full(60, 3.0))
    assert model.forecast(2) == pytest.approx([3.0, 3.0], abs=1e-2)


def test_adaptive_noise_follows_the_squared_errors():
    rng = np.random.default_rng(0)
    series = rng.normal(size=600)
    model = KalmanForecaster(filter="ekf", n_lags=1, hidden=0, adaptive_noise=True, epochs=3).fit(series)
    assert float(model.filter_.model.observation_noise[0, 0]) == pytest.approx(1.0, rel=0.3)


def test_forecasters_clone_and_pickle():
    train, test = rescaled(mackey_glass(80), 60)
    for mode in ("weights", "lags", "joint"):
        model = KalmanForecaster(mode=mode, epochs=1, hidden=2)
        fitted = clone(model).fit(train)
        again = pickle.loads(pickle.dumps(fitted))
        assert np.array_equal(fitted.update_forecast(test).forecast, again.update_forecast(test).forecast)
    assert clone(model).get_params() == model.get_params()


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(0, 3))
@settings(max_examples=examples(30), deadline=None)
def test_autoregression_against_a_loop_and_differences(seed, p, hidden):
    rng = np.random.default_rng(seed)
    function = Autoregression(p, hidden)
    lags, w = rng.normal(size=p), rng.normal(size=function.n_weights)

    def slow(lags, w):
        x = [*lags, 1.0]
        if not hidden:
            return sum(a * b for a, b in zip(x, w, strict=True))
        total = w[-1]
        for unit in range(hidden):
            inner = sum(x[i] * w[i * hidden + unit] for i in range(p + 1))
            total += w[(p + 1) * hidden + unit] * math.tanh(inner)
        return total

    assert function(lags, w) == pytest.approx(slow(lags, w))
    many = rng.normal(size=(function.n_weights, 5))
    assert function(lags, many) == pytest.approx([slow(lags, column) for column in many.T])
    states = rng.normal(size=(p, 5))
    assert function(states, w) == pytest.approx([slow(column, w) for column in states.T])
    both = [slow(a, b) for a, b in zip(states.T, many.T, strict=True)]
    assert function(states, many) == pytest.approx(both)
    step = 1e-6 * np.eye(len(w))
    slopes = [(slow(lags, w + h) - slow(lags, w - h)) / 2e-6 for h in step]
    assert function.gradient(lags, w) == pytest.approx(slopes, abs=1e-7)


# ---------------------------------------------------------------- regressors


def test_linear_data_give_a_single_leaf():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = 2 * X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=300)
    tree = ModelTreeRegressor().fit(X, y)
    assert tree.n_leaves_ == 1
    assert tree._tree.coefficients == pytest.approx([2, -1, 0], abs=0.03)
    exact = ModelTreeRegressor().fit(X, 2 * X[:, 0] - X[:, 1])
    assert exact.n_leaves_ == 1


def test_a_useless_attribute_is_dropped_by_the_error_estimate():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] + 0.5 * rng.normal(size=60)
    tree = ModelTreeRegressor(min_spread=2.0).fit(X, y)
    used = np.flatnonzero(tree._tree.coefficients)
    assert 0 in used
    # the kept model is at least as good by mean|r| (n + v) / (n - v) as that of all attributes
    design = np.column_stack([X, np.ones(60)])
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    assert tree._tree.error <= np.mean(np.abs(residual)) * (60 + 5) / (60 - 5) + 1e-12
    own = np.column_stack([X[:, used], np.ones(60)])
    residual = y - own @ np.linalg.lstsq(own, y, rcond=None)[0]
    v = len(used) + 1
    assert tree._tree.error == pytest.approx(np.mean(np.abs(residual)) * (60 + v) / (60 - v))


@given(st.integers(0, 10**6))
@settings(max_examples=examples(30), deadline=None)
def test_splits_against_trying_them_all(seed):
    from demur.estimators.trees import _best_split

    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(14, 2)).astype(float)
    y = rng.normal(size=14)
    best, least = None, y.std() * (1 - 1e-12)
    for feature in range(2):
        values = np.unique(X[:, feature])
        for threshold in (values[1:] + values[:-1]) / 2:
            left = X[:, feature] <= threshold
            if min(left.sum(), (~left).sum()) >= 3:
                spread = (left.sum() * y[left].std() + (~left).sum() * y[~left].std()) / 14
                if spread < least - 1e-12:
                    best, least = (feature, threshold), spread
    found = _best_split(X, y, 3)
    assert (found is None) == (best is None)
    if found is not None:
        left = X[:, found[0]] <= found[1]
        got = (left.sum() * y[left].std() + (~left).sum() * y[~left].std()) / 14
        assert got == pytest.approx(least)


def test_smoothing_by_hand():
    X = np.repeat([[0.0], [1.0]], 10, axis=0) + np.tile(np.arange(10)[:, None] / 100, (2, 1))
    y = np.where(X[:, 0] > 0.5, 5.0, 0.0)
    raw = ModelTreeRegressor(smoothing=0).fit(X, y)
    smooth = ModelTreeRegressor(smoothing=15).fit(X, y)
    assert (raw.n_leaves_, smooth.n_leaves_) == (2, 2)
    root = float(smooth._tree.model(np.array([[0.0]]))[0])
    assert raw.predict([[0.0]])[0] == pytest.approx(0.0)
    assert smooth.predict([[0.0]])[0] == pytest.approx((10 * 0.0 + 15 * root) / 25)


def test_a_tree_with_more_attributes_than_cases_and_a_constant_target():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(12, 40))
    assert np.isfinite(ModelTreeRegressor().fit(X, X[:, 0]).predict(X)).all()
    for model in (ModelTreeRegressor(), NaiveBayesRegressor()):
        assert model.fit(X, np.full(12, 3.0)).predict(X) == pytest.approx(np.full(12, 3.0))


def slow_naive_bayes(model, X, y, row, nominal=()):
    """Posterior on the grid of the model, from the definition, one density at a time."""

    def kernel(u):
        return math.exp(-0.5 * u * u) / math.sqrt(2 * math.pi)

    h, densities = model.bandwidth_, []
    for g in model._grid:
        k = [kernel((g - yi) / h) for yi in y]
        density = sum(k) / len(y) / h
        for j, hj in enumerate(model.bandwidths_):
            if j in nominal:
                codes = len(set(X[:, j]))
                share = sum(ki for ki, xi in zip(k, X[:, j], strict=True) if xi == row[j]) / sum(k)
                density *= (len(y) * share + 1) / (len(y) + codes)
            else:
                near = sum(kernel((row[j] - xi) / hj) / hj * ki for xi, ki in zip(X[:, j], k, strict=True))
                density *= near / sum(k)
        densities.append(density)
    mass = np.array(densities)
    return mass / mass.sum()


def test_naive_bayes_against_its_definition():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(25, 3))
    X[:, 2] = rng.integers(0, 3, size=25)
    y = X[:, 0] + (X[:, 2] == 1) + 0.2 * rng.normal(size=25)
    mean = NaiveBayesRegressor(nominal=[2], resolution=60).fit(X, y)
    median = NaiveBayesRegressor(loss="absolute", nominal=[2], resolution=60).fit(X, y)
    for row in X[:4]:
        mass = slow_naive_bayes(mean, X, y, row, nominal=(2,))
        assert mean.predict([row])[0] == pytest.approx(mass @ mean._grid, abs=1e-9)
        assert median.predict([row])[0] == mean._grid[np.argmax(np.cumsum(mass) >= 0.5)]


def test_the_bandwidth_has_the_best_leave_one_out_likelihood():
    y = np.random.default_rng(4).gamma(1.0, size=40)
    model = NaiveBayesRegressor().fit(np.arange(40.0)[:, None], y)
    base = y.std() * 40**-0.2

    def likelihood(h):
        return sum(
            math.log(sum(math.exp(-0.5 * ((a - b) / h) ** 2) for j, b in enumerate(y) if j != i) / h)
            for i, a in enumerate(y)
        )

    best = max((0.25, 0.5, 0.75, 1.0, 1.5, 2.0), key=lambda c: likelihood(c * base))
    assert model.bandwidth_ == pytest.approx(best * base)


def test_far_away_inputs_fall_back_to_the_prior():
    X, y = np.linspace(0, 1, 50)[:, None], np.linspace(0, 1, 50)
    assert np.isfinite(NaiveBayesRegressor().fit(X, y).predict([[1e6], [-1e6]])).all()


def test_model_tree_beats_naive_bayes_on_piecewise_linear_data_against_paper():
    # the paper's figure 2: the curve of the model tree dominates on pwLinear (Breiman's data)
    rng = np.random.default_rng(5)
    X = rng.integers(-1, 2, size=(400, 10)).astype(float)
    up = 3 + 3 * X[:, 1] + 2 * X[:, 2] + X[:, 3]
    down = -3 + 3 * X[:, 4] + 2 * X[:, 5] + X[:, 6]
    y = np.where(rng.random(400) < 0.5, up, down)
    X[:, 0] = np.where(y == up, 1, -1)
    y = y + rng.normal(size=400)
    train, test = slice(0, 200), slice(200, 400)
    curves = [
        rec_curve(y[test], model.fit(X[train], y[train]).predict(X[test]))
        for model in (ModelTreeRegressor(), NaiveBayesRegressor())
    ]
    assert curves[0].aoc < 0.7 * curves[1].aoc


# ---------------------------------------------------------------- stacking


class _Replay:
    """A forecaster that knows the future up to an error; it records what it was shown."""

    shown: ClassVar[list] = []

    def __init__(self, error=0.0, gain=1.0):
        self.error, self.gain = error, gain

    def get_params(self, deep=True):
        return {"error": self.error, "gain": self.gain}

    def fit(self, series):
        _Replay.shown.append(np.array(series))
        return self

    def update_forecast(self, series):
        class Found:
            forecast = self.gain * np.nan_to_num(series) + self.error

        return Found


def test_parts_and_targets_of_the_protocol_by_hand():
    _Replay.shown = []
    series = np.arange(20.0) ** 2
    stacked = stack_forecasters(series, {"a": _Replay(1.0), "b": _Replay(-1.0)}, meta="mean", rescale=False)
    # 50 % train the bases, 20 % the meta-regressor, 30 % are the test
    assert [shown.tolist() for shown in _Replay.shown] == [series[:10].tolist()] * 2
    assert stacked.target.tolist() == series[14:].tolist()
    assert stacked.forecast == pytest.approx(series[14:])
    assert stacked.base_forecasts["a"] == pytest.approx(series[14:] + 1)
    assert stacked.weights == {"a": 0.5, "b": 0.5}
    assert stacked.train_mean == series[:10].mean()
    assert stacked.curves()["stack"].aoc == pytest.approx(0)
    assert stacked.null_curve(loss="absolute").aoc == pytest.approx(np.mean(series[14:] - series[:10].mean()))


@pytest.mark.parametrize("meta", ["linear", "model-tree"])
def test_a_biased_base_is_corrected_by_the_meta_regressor(meta):
    series = np.random.default_rng(6).normal(size=300)
    stacked = stack_forecasters(series, {"a": _Replay(2.0, 0.5)}, meta=meta, rescale=False)
    assert stacked.forecast == pytest.approx(stacked.target, abs=1e-9)


def test_forward_selection_finds_the_best_mixture_by_hand():
    series = np.random.default_rng(7).normal(size=100)
    bases = {"low": _Replay(-1.0), "high": _Replay(3.0), "far": _Replay(50.0)}
    stacked = stack_forecasters(series, bases, meta="selection", rescale=False, n_picks=20)
    # 3/4 of -1 and 1/4 of 3 cancel
    assert stacked.weights == pytest.approx({"low": 0.75, "high": 0.25, "far": 0.0})
    median = stack_forecasters(series, bases, meta="median", rescale=False)
    assert median.forecast == pytest.approx(median.target + 3)


def test_nothing_after_a_time_changes_the_forecast_for_it():
    series = mackey_glass(160)
    changed = series.copy()
    changed[140:] *= 3
    bases = {name: KalmanForecaster(filter=name, epochs=1, hidden=2) for name in ("ekf", "sr-ukf")}
    one, other = (stack_forecasters(s, bases) for s in (series, changed))
    # the test part starts at 112; differences shift by nothing, 140 is forecast from the past
    same = 140 - 112 + 1
    assert np.array_equal(one.forecast[:same], other.forecast[:same])
    assert not np.allclose(one.forecast[same + 1 :], other.forecast[same + 1 :])


def test_a_stack_of_any_regressor_and_missing_values():
    from sklearn.linear_model import Ridge

    series = mackey_glass(150)
    series[[90, 130]] = np.nan
    bases = {"ekf": KalmanForecaster(filter="ekf", epochs=1, hidden=0)}
    stacked = stack_forecasters(series, bases, meta=Ridge(1e-6))
    # a missing value makes two differences missing; of the 45 tested two are left out
    assert len(stacked.target) == 43
    assert stacked.curves()["stack"].relative_aoc(stacked.null_curve()) < 0.5


def test_stacks_of_the_paper_on_real_series(shared_folder):
    # Table 3 of the paper: its Santa Fe row has AOC .0013 to .0015; the protocol is not stated,
    # so sizes are not compared (these bases train on 250 values). The paper's section 4.3 says
    # that the stack of SR-CDKF and SR-UKF beats SR-UKF on all series. It does on this one,
    # chosen because it is in the paper, without beating SR-CDKF; with this protocol it did on
    # 4 of 11 series tried (5 real, 6 generated), so the claim is not to be relied on.
    table = np.loadtxt(
        shared_folder / "data" / "timeseries" / "santafe_a_1000.csv", delimiter=",", skiprows=1
    )
    bases = {name: KalmanForecaster(filter=name, epochs=2) for name in ("sr-cdkf", "sr-ukf")}
    stacked = stack_forecasters(table[:500, 1], bases)
    areas = {name: curve.aoc for name, curve in stacked.curves().items()}
    null = stacked.null_curve().aoc
    assert areas["stack"] < 0.3 * null
    assert areas["sr-cdkf"] < areas["stack"] < areas["sr-ukf"]


# ---------------------------------------------------------------- errors

GOOD = np.sin(np.arange(40.0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mackey_glass(10, tau=17.05), "`tau` must be a positive multiple of dt"),
        (lambda: mackey_glass(10, sample=0), "`sample` must be a positive multiple"),
        (lambda: mackey_glass(0), "`n` must be a whole number"),
        (lambda: mackey_glass(10, dt=0), "`dt` must be above 0"),
        (lambda: mackey_glass(10, x0=math.nan), "`x0` must be finite"),
        (lambda: example_series("chaos"), "`kind` must be one of"),
        (lambda: DifferenceRescaler().fit([1.0, 1.0, 1.0]), "a straight line"),
        (lambda: DifferenceRescaler().fit([1.0]), "got none"),
        (lambda: DifferenceRescaler(low=1, high=0).fit(GOOD), "`high` must exceed low"),
        (lambda: DifferenceRescaler().fit([1.0, math.inf]), "must be finite, or NaN"),
        (lambda: KalmanForecaster(filter="kf").fit(GOOD), "`filter` must be one of"),
        (lambda: KalmanForecaster(mode="dual").fit(GOOD), "`mode` must be one of"),
        (lambda: KalmanForecaster(n_lags=0).fit(GOOD), "`n_lags` must be a whole number"),
        (lambda: KalmanForecaster(observation_noise=0).fit(GOOD), "`observation_noise` must be positive"),
        (lambda: KalmanForecaster().fit(GOOD[:7]), r"at least n_lags \+ 2 = 8 values"),
        (lambda: KalmanForecaster().fit([math.nan, *GOOD]), "must be observed at the first n_lags"),
        (
            lambda: KalmanForecaster().fit([*GOOD[:6], *[math.nan] * 9]),
            "must hold 7 observed values",
        ),
        (lambda: KalmanForecaster().fit(np.ones((9, 2))), "must be one-dimensional"),
        (lambda: KalmanForecaster().fit(["a", "b"]), "`series` must hold numbers"),
        (lambda: KalmanForecaster(forgetting=0).fit(GOOD), "`forgetting` must lie in"),
        (lambda: ModelTreeRegressor(min_samples_leaf=0).fit([[1.0]], [1.0]), "`min_samples_leaf` must be"),
        (lambda: ModelTreeRegressor(smoothing=-1).fit([[1.0]], [1.0]), "`smoothing` must not be negative"),
        (lambda: NaiveBayesRegressor(loss="x").fit([[1.0]], [1.0]), "`loss` must be one of"),
        (lambda: NaiveBayesRegressor(nominal=[4]).fit([[1.0]], [1.0]), "must be columns of the 1 of X"),
        (lambda: stack_forecasters(GOOD, {}), "`bases` must be a non-empty mapping"),
        (lambda: stack_forecasters(GOOD, {"a": 3}), r"`bases\['a'\]` must have fit and update_forecast"),
        (lambda: stack_forecasters(GOOD, {"a": _Replay()}, meta=3), "`meta` must be a name or a regressor"),
        (lambda: stack_forecasters(GOOD, {"a": _Replay()}, meta="vote"), "`meta` must be one of"),
        (lambda: stack_forecasters(GOOD, {"a": _Replay()}, train_share=0.9), "for all three parts"),
        (
            lambda: stack_forecasters([*GOOD, *[math.nan] * 20], {"a": _Replay()}, rescale=False),
            "one that is all missing",
        ),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_a_straight_line_is_undefined_and_not_only_wrong():
    with pytest.raises(UndefinedError):
        DifferenceRescaler().fit(np.arange(5.0))
