"""Kalman filters against the linear filter, hand computation, filterpy and each other."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur import DegenerateDataWarning, InputError, UndefinedError
from demur.regression import (
    CentralDifferenceKalmanFilter,
    ExtendedKalmanFilter,
    KalmanModel,
    SquareRootCentralDifferenceKalmanFilter,
    SquareRootUnscentedKalmanFilter,
    UnscentedKalmanFilter,
)
from demur.regression.kalman import downdate, gain, lower_factor, triangle
from examples import examples
from reference_cases import cases

FILE = "regression.json"
FILTERS = [
    ExtendedKalmanFilter,
    UnscentedKalmanFilter,
    CentralDifferenceKalmanFilter,
    SquareRootUnscentedKalmanFilter,
    SquareRootCentralDifferenceKalmanFilter,
]
PAIRS = [
    (UnscentedKalmanFilter, SquareRootUnscentedKalmanFilter),
    (CentralDifferenceKalmanFilter, SquareRootCentralDifferenceKalmanFilter),
]


def linear_model(data):
    return KalmanModel(
        transition=data["A"],
        observation=data["H"],
        process_noise=data["Q"],
        observation_noise=data["R"],
    )


def kalman_filter(A, H, Q, R, x, P, series):
    """The textbook recursion with explicit inverses; rows of `series` with NaN are predicted only."""
    A, H, Q, R, x, P = (np.asarray(part, dtype=float) for part in (A, H, Q, R, x, P))
    for z in series:
        x, P = A @ x, A @ P @ A.T + Q
        present = ~np.isnan(z)
        if present.any():
            Hs, Rs = H[present], R[np.ix_(present, present)]
            K = P @ Hs.T @ np.linalg.inv(Hs @ P @ Hs.T + Rs)
            x = x + K @ (np.asarray(z)[present] - Hs @ x)
            P = P - K @ Hs @ P
    return x, P


def random_system(rng, n, m):
    root_q, root_r = rng.normal(size=(n, n)), rng.normal(size=(m, m))
    return {
        "A": rng.normal(size=(n, n)) / math.sqrt(n),
        "H": rng.normal(size=(m, n)),
        "Q": root_q @ root_q.T / n,
        "R": root_r @ root_r.T + 0.1 * np.eye(m),
    }


def tanh_model(W, H, Q, R, **options):
    W, H = np.array(W), np.array(H)
    return KalmanModel(
        n_state=len(W),
        n_observed=len(H),
        transition=lambda x: np.tanh(W @ x),
        observation=lambda x: np.sin(H @ x),
        process_noise=Q,
        observation_noise=R,
        **options,
    )


# ---------------------------------------------------------------- by hand


def worked_model(**options):
    return KalmanModel(
        n_state=2,
        n_observed=1,
        transition=lambda x: np.array([np.tanh(x[0] + 0.5 * x[1]), x[0]]),
        observation=lambda x: x[0],
        process_noise=0.05,
        observation_noise=0.1,
        **options,
    )


@pytest.mark.parametrize(
    ("kind", "mean", "covariance"),
    [
        (ExtendedKalmanFilter, (0.63324663, 0.69990871), (0.0791429, 0.06246151, 0.16294428)),
        (UnscentedKalmanFilter, (0.60088297, 0.754836), (0.07660058, 0.06016136, 0.19532141)),
        (SquareRootUnscentedKalmanFilter, (0.60088297, 0.754836), (0.07660058, 0.06016136, 0.19532141)),
        (CentralDifferenceKalmanFilter, (0.59288301, 0.75659643), (0.07386031, 0.06261707, 0.20000217)),
        (
            SquareRootCentralDifferenceKalmanFilter,
            (0.59288301, 0.75659643),
            (0.07386031, 0.06261707, 0.20000217),
        ),
    ],
)
@pytest.mark.parametrize("vectorized", [True, False])
def test_worked_step_against_reference_values(kind, mean, covariance, vectorized):
    run = kind(worked_model(vectorized=vectorized), [0.5, -0.2], [[0.3, 0.1], [0.1, 0.2]])
    step = run.step([0.7])
    assert step.mean == pytest.approx(mean, abs=2e-8)
    assert step.covariance[np.triu_indices(2)] == pytest.approx(covariance, abs=2e-8)


@pytest.mark.parametrize("kind", FILTERS)
def test_one_observation_of_a_constant_by_hand(kind):
    # prior N(0, 4), noise 1: gain 4/5, posterior N(4, 4/5), forecast N(0, 5)
    model = KalmanModel(n_state=1, n_observed=1, observation=[[1.0]], observation_noise=1.0)
    step = kind(model, [0.0], 4.0).step([5.0])
    assert (step.forecast[0], step.forecast_covariance[0, 0]) == pytest.approx((0, 5))
    assert (step.mean[0], step.covariance[0, 0]) == pytest.approx((4, 0.8))


@pytest.mark.parametrize("kind", FILTERS)
@pytest.mark.parametrize("transition", [None, [[1.0]], lambda x: x])
def test_forgetting_by_hand(kind, transition):
    # prior N(0, 4) with forgetting 1/2: predicted N(0, 8), gain 8/9
    model = KalmanModel(transition=transition, observation=[[1.0]], observation_noise=1.0, forgetting=0.5)
    step = kind(model, [0.0], 4.0).step([9.0])
    assert step.predicted_covariance[0, 0] == pytest.approx(8)
    assert step.mean[0] == pytest.approx(8)


# ---------------------------------------------------------------- reference cases


@pytest.mark.parametrize("kind", FILTERS)
@pytest.mark.parametrize("case", cases(FILE, "filter_linear"))
def test_linear_systems_against_the_kalman_filter(case, kind):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    run = kind(linear_model(data), data["x0"], data["P0"]).filter(data["z"])
    assert run.mean[-1] == pytest.approx(np.array(expect["x"]), abs=tol)
    assert run.covariance[-1] == pytest.approx(np.array(expect["P"]), abs=tol)


@pytest.mark.parametrize("case", cases(FILE, "filter_nonlinear"))
def test_nonlinear_systems_against_reference(case):
    data, expect, tol = case["input"], case["expect"], case["tol"]
    model = tanh_model(data["W"], data["H"], data["Q"], data["R"])
    unscented = {name: data[name] for name in ("alpha", "beta", "kappa")}
    options = {"ukf": unscented, "cdkf": {"spread": math.sqrt(data["h2"])}}
    for (plain, rooted), name in zip(PAIRS, ("ukf", "cdkf"), strict=True):
        for kind in (plain, rooted):
            run = kind(model, data["x0"], data["P0"], **options[name]).filter(data["z"])
            assert run.mean[-1] == pytest.approx(np.array(expect[f"{name}_x"]), abs=tol)
            assert run.covariance[-1] == pytest.approx(np.array(expect[f"{name}_P"]), abs=tol)


# ---------------------------------------------------------------- laws


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=examples(40), deadline=None)
def test_every_filter_is_the_kalman_filter_on_linear_systems(seed, n, m):
    rng = np.random.default_rng(seed)
    system = random_system(rng, n, m)
    x0, P0 = rng.normal(size=n), np.diag(rng.random(n))
    series = rng.normal(size=(8, m))
    series[rng.random((8, m)) < 0.2] = np.nan
    expected = kalman_filter(*system.values(), x0, P0, series)
    for kind in FILTERS:
        run = kind(linear_model(system), x0, P0).filter(series)
        assert run.mean[-1] == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
        assert run.covariance[-1] == pytest.approx(expected[1], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("alpha", "tol"), [(1.0, 1e-12), (0.5, 1e-12), (0.1, 1e-9), (0.01, 1e-7)])
def test_small_alpha_costs_digits_on_linear_systems(alpha, tol):
    rng = np.random.default_rng(4)
    for _ in range(10):
        system = random_system(rng, 3, 2)
        series = rng.normal(size=(10, 2))
        expected = kalman_filter(*system.values(), np.zeros(3), np.eye(3), series)
        for kind in (UnscentedKalmanFilter, SquareRootUnscentedKalmanFilter):
            run = kind(linear_model(system), np.zeros(3), 1.0, alpha=alpha).filter(series)
            assert run.mean[-1] == pytest.approx(expected[0], abs=tol)
            assert run.covariance[-1] == pytest.approx(expected[1], abs=tol)


@pytest.mark.parametrize(("alpha", "tol"), [(1.0, 1e-13), (0.5, 1e-9), (0.3, 1e-9)])
def test_square_root_forms_equal_the_plain_forms(alpha, tol):
    # alpha below 1 has a negative weight of the centre: the one downdate is exercised, and the
    # difference of two nearly equal covariances amplifies rounding in some of these systems
    rng = np.random.default_rng(7)
    for _ in range(10):
        model = tanh_model(rng.normal(size=(3, 3)), rng.normal(size=(2, 3)), 0.05, 0.1)
        series = rng.normal(size=(30, 2)) / 2
        series[10:13] = np.nan
        series[20, 1] = np.nan
        options = ({"alpha": alpha}, {"spread": 1 + alpha})
        for (plain, rooted), chosen, limit in zip(PAIRS, options, (tol, 1e-13), strict=True):
            full, root = (kind(model, np.zeros(3), 1.0, **chosen).filter(series) for kind in (plain, rooted))
            assert root.mean == pytest.approx(full.mean, abs=limit)
            assert root.covariance == pytest.approx(full.covariance, abs=limit)
            assert root.forecast_covariance == pytest.approx(full.forecast_covariance, abs=limit)


def test_square_root_forms_equal_the_plain_forms_after_500_steps():
    rng = np.random.default_rng(2)
    model = tanh_model(rng.normal(size=(3, 3)), rng.normal(size=(2, 3)), 0.05, 0.1)
    series = rng.normal(size=(500, 2)) / 2
    for plain, rooted in PAIRS:
        full, root = (kind(model, np.zeros(3), 1.0).filter(series) for kind in (plain, rooted))
        assert root.mean[-1] == pytest.approx(full.mean[-1], abs=1e-13)
        assert root.covariance[-1] == pytest.approx(full.covariance[-1], abs=1e-13)


def test_unscented_and_central_difference_means_coincide_against_theory():
    rng = np.random.default_rng(9)
    model = tanh_model(rng.normal(size=(3, 3)), rng.normal(size=(2, 3)), 0.05, 0.1)
    spread = 1.4
    options = {"alpha": 0.7, "kappa": spread**2 / 0.49 - 3}
    unscented = UnscentedKalmanFilter(model, np.ones(3), 0.5, **options).step([0.1, 0.2])
    central = CentralDifferenceKalmanFilter(model, np.ones(3), 0.5, spread=spread).step([0.1, 0.2])
    assert unscented.predicted_mean == pytest.approx(central.predicted_mean, abs=1e-14)


def test_moments_of_a_square_against_theory():
    # x ~ N(m, s2): x**2 has mean m**2 + s2 and variance 4 m**2 s2 + 2 s2**2; both rules are
    # exact for it (the central difference rule with spread sqrt(3))
    model = KalmanModel(n_state=1, n_observed=1, observation=lambda x: x**2, observation_noise=0.0)
    for kind in (UnscentedKalmanFilter, CentralDifferenceKalmanFilter):
        forecast, variance = kind(model, [1.5], 0.4).forecast()
        assert forecast[0] == pytest.approx(1.5**2 + 0.4)
        assert variance[0, 0] == pytest.approx(4 * 1.5**2 * 0.4 + 2 * 0.4**2)


def test_numerical_jacobians_against_analytic_ones():
    rng = np.random.default_rng(5)
    W, H = rng.normal(size=(3, 3)), rng.normal(size=(2, 3))
    analytic = tanh_model(
        W,
        H,
        0.05,
        0.1,
        transition_jacobian=lambda x: (1 - np.tanh(W @ x) ** 2)[:, None] * W,
        observation_jacobian=lambda x: np.cos(H @ x)[:, None] * H,
    )
    series = rng.normal(size=(20, 2)) / 2
    runs = [
        ExtendedKalmanFilter(model, np.zeros(3), 1.0).filter(series)
        for model in (analytic, tanh_model(W, H, 0.05, 0.1))
    ]
    assert runs[1].mean == pytest.approx(runs[0].mean, abs=1e-6)


def test_unscented_filter_against_filterpy():
    kalman = pytest.importorskip("filterpy.kalman")
    rng = np.random.default_rng(11)
    n, m = 4, 2
    W, H = rng.normal(size=(n, n)), rng.normal(size=(m, n))
    points = kalman.MerweScaledSigmaPoints(n, alpha=0.8, beta=2.0, kappa=0.5)
    reference = kalman.UnscentedKalmanFilter(
        n, m, 1.0, hx=lambda x: np.sin(H @ x), fx=lambda x, dt: np.tanh(W @ x), points=points
    )
    reference.x, reference.P = np.zeros(n), np.eye(n)
    reference.Q, reference.R = 0.05 * np.eye(n), 0.1 * np.eye(m)
    series = rng.normal(size=(40, m)) / 2
    options = {"alpha": 0.8, "beta": 2.0, "kappa": 0.5}
    runs = [
        kind(tanh_model(W, H, 0.05, 0.1), np.zeros(n), 1.0, **options).filter(series)
        for kind in (UnscentedKalmanFilter, SquareRootUnscentedKalmanFilter)
    ]
    for k, z in enumerate(series):
        reference.predict()
        reference.update(z)
        for run in runs:
            assert run.mean[k] == pytest.approx(reference.x, abs=1e-12)
            assert run.covariance[k] == pytest.approx(reference.P, abs=1e-12)


# ---------------------------------------------------------------- edges


@pytest.mark.parametrize("kind", FILTERS)
def test_all_observations_missing_is_pure_prediction(kind):
    rng = np.random.default_rng(1)
    system = random_system(rng, 3, 2)
    run = kind(linear_model(system), np.ones(3), 0.3).filter(np.full((6, 2), np.nan))
    x, P = np.ones(3), 0.3 * np.eye(3)
    for _ in range(6):
        x, P = system["A"] @ x, system["A"] @ P @ system["A"].T + system["Q"]
    assert run.mean[-1] == pytest.approx(x, abs=1e-12)
    assert run.covariance[-1] == pytest.approx(P, abs=1e-12)
    assert np.array_equal(run.mean, run.predicted_mean)
    assert run.forecast[-1] == pytest.approx(system["H"] @ x, abs=1e-12)


@pytest.mark.parametrize("kind", FILTERS)
def test_singular_covariances_of_a_lag_state_against_the_kalman_filter(kind):
    # lags: noise enters the first component only, the start is known, observations are exact
    A = [[0.6, -0.3, 0.1], [1, 0, 0], [0, 1, 0]]
    Q = np.diag([0.2, 0, 0])
    system = {"A": A, "H": [[1, 0, 0]], "Q": Q, "R": [[0.0]]}
    series = np.random.default_rng(3).normal(size=(12, 1))
    expected = kalman_filter(*system.values(), np.zeros(3), np.zeros((3, 3)), series)
    run = kind(linear_model(system), np.zeros(3), 0.0).filter(series)
    assert run.mean[-1] == pytest.approx(expected[0], abs=1e-9)
    assert run.covariance[-1] == pytest.approx(expected[1], abs=1e-9)


@pytest.mark.parametrize("kind", FILTERS)
def test_a_known_state_without_noise_stays_put(kind):
    model = KalmanModel(n_state=2, n_observed=2, observation=np.eye(2), observation_noise=0.0)
    run = kind(model, [1.0, 2.0], 0.0).filter([[5.0, 5.0], [1.0, np.nan]])
    assert run.mean.tolist() == [[1.0, 2.0]] * 2
    assert not run.covariance.any()


@pytest.mark.parametrize("kind", FILTERS)
def test_a_constant_series_is_learnt(kind):
    model = KalmanModel(n_state=1, n_observed=1, observation=[[1.0]], observation_noise=0.1)
    run = kind(model, [0.0], 1.0).filter([3.0] * 200)
    assert run.mean[-1, 0] == pytest.approx(3 * 200 / 200.1)
    assert run.covariance[-1, 0, 0] == pytest.approx(0.1 / 200.1)


@pytest.mark.parametrize("kind", FILTERS)
def test_a_correlated_noise_and_a_missing_component_against_the_kalman_filter(kind):
    rng = np.random.default_rng(12)
    system = random_system(rng, 2, 3)
    series = rng.normal(size=(5, 3))
    series[[0, 2, 3], [1, 0, 2]] = np.nan
    expected = kalman_filter(*system.values(), np.zeros(2), np.eye(2), series)
    run = kind(linear_model(system), np.zeros(2), 1.0).filter(series)
    assert run.mean[-1] == pytest.approx(expected[0], abs=1e-12)


def test_an_indefinite_prediction_is_refused_in_words():
    # alpha = .3, beta = -1 give the centre a weight of about -10; x**2 then has a negative variance
    model = KalmanModel(
        n_state=1, n_observed=1, transition=lambda x: x**2, observation=[[1.0]], observation_noise=0.0
    )
    for kind in (UnscentedKalmanFilter, SquareRootUnscentedKalmanFilter):
        with pytest.raises(UndefinedError, match="lost its positive definiteness"):
            kind(model, [0.0], 1.0, alpha=0.3, beta=-1.0).filter([0.0, 0.0])


def test_one_time_observation_functions_replace_that_of_the_model():
    model = KalmanModel(n_state=1, n_observed=1, observation=[[1.0]], observation_noise=1.0)
    for kind in FILTERS:
        run = kind(model, [1.0], 1.0)
        run.predict()
        forecast, _ = run.update([2.0], observation=lambda x: 2 * x)
        assert forecast[0] == pytest.approx(2.0)


def test_very_small_alpha_warns():
    with pytest.warns(DegenerateDataWarning, match="alpha = 0.001"):
        UnscentedKalmanFilter(worked_model(), [0, 0], 1.0, alpha=1e-3)


# ---------------------------------------------------------------- factors


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 8))
@settings(max_examples=examples(50), deadline=None)
def test_factors_against_their_definition(seed, rows, columns):
    wide = np.random.default_rng(seed).normal(size=(rows, columns))
    lower = triangle(wide)
    assert np.array_equal(lower, np.tril(lower))
    assert np.all(np.diagonal(lower) >= 0)
    assert lower @ lower.T == pytest.approx(wide @ wide.T, abs=1e-12)
    again = lower_factor(wide @ wide.T)
    assert again @ again.T == pytest.approx(wide @ wide.T, abs=1e-8)
    whole = triangle(np.hstack([wide, np.eye(rows)]))
    smaller = downdate(whole, wide[:, 0])
    assert smaller @ smaller.T == pytest.approx(whole @ whole.T - np.outer(wide[:, 0], wide[:, 0]), abs=1e-11)


def test_gain_ignores_directions_without_variance():
    cross = np.array([[1.0, 1.0]])
    assert gain(cross, np.array([[2.0, 0.0], [0.0, 0.0]])) == pytest.approx(np.array([[0.25, 0.0]]))


GOOD = {"n_state": 1, "n_observed": 1, "observation": [[1.0]], "observation_noise": 1.0}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: KalmanModel(**{**GOOD, "n_state": 0}), "`n_state` must be a whole number"),
        (lambda: KalmanModel(observation=lambda x: x, observation_noise=1), "`n_state` is needed where"),
        (
            lambda: KalmanModel(observation=lambda x: x, observation_noise=1, n_state=2),
            "`n_observed` is needed where no matrix",
        ),
        (lambda: KalmanModel(**{**GOOD, "observation": [[1.0, 2.0]]}), r"must have shape \(1, 1\)"),
        (lambda: KalmanModel(**{**GOOD, "observation": None}), "must be a matrix or a function"),
        (lambda: KalmanModel(**{**GOOD, "observation_noise": -1}), "positive semidefinite"),
        (lambda: KalmanModel(**{**GOOD, "process_noise": [[1, 2]]}), "`process_noise` must be a number or"),
        (lambda: KalmanModel(**GOOD, forgetting=0), r"`forgetting` must lie in \(0, 1\]"),
        (
            lambda: KalmanModel(
                n_state=2,
                n_observed=1,
                observation=[[1, 0]],
                observation_noise=1,
                process_noise=[[1, 2], [0, 1]],
            ),
            "`process_noise` must be symmetric",
        ),
        (lambda: UnscentedKalmanFilter(3, [0], 1), "`model` must be a KalmanModel"),
        (lambda: UnscentedKalmanFilter(KalmanModel(**GOOD), [0, 1], 1), "`mean` must hold 1 numbers"),
        (lambda: UnscentedKalmanFilter(KalmanModel(**GOOD), [math.nan], 1), "`mean` must be finite"),
        (lambda: UnscentedKalmanFilter(KalmanModel(**GOOD), [0], 1, alpha=0), "alpha and kappa"),
        (lambda: UnscentedKalmanFilter(KalmanModel(**GOOD), [0], 1, kappa=-1), "alpha and kappa"),
        (lambda: CentralDifferenceKalmanFilter(KalmanModel(**GOOD), [0], 1, spread=0.5), "at least 1"),
        (lambda: UnscentedKalmanFilter(KalmanModel(**GOOD), [0], 1).update([1, 2]), "`z` must hold 1"),
        (lambda: UnscentedKalmanFilter(KalmanModel(**GOOD), [0], 1).update([math.inf]), "NaN where missing"),
        (lambda: UnscentedKalmanFilter(KalmanModel(**GOOD), [0], 1).filter([[1, 2]]), "`series` must have"),
        (
            lambda: UnscentedKalmanFilter(KalmanModel(**GOOD), [0], 1).filter("ab"),
            "`series` must hold numbers",
        ),
        (
            lambda: UnscentedKalmanFilter(
                KalmanModel(**{**GOOD, "n_state": 2, "observation": lambda x: np.sum(x)}), [0, 0], 1
            ).step([0]),
            "the first axis is the state",
        ),
        (
            lambda: UnscentedKalmanFilter(
                KalmanModel(**{**GOOD, "n_state": 2, "observation": lambda x: x[0] - x.mean()}), [0, 1], 1
            ).step([0]),
            "depend on the other columns",
        ),
        (
            lambda: UnscentedKalmanFilter(
                KalmanModel(**{**GOOD, "observation": lambda x: np.full_like(x, np.nan)}), [0], 1
            ).step([0]),
            "`observation` must give finite values",
        ),
        (
            lambda: ExtendedKalmanFilter(
                KalmanModel(
                    **{**GOOD, "observation": lambda x: x, "observation_jacobian": lambda x: [1.0, 2.0]}
                ),
                [0],
                1,
            ).step([0]),
            "`observation_jacobian` must have shape",
        ),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InputError, match=message):
        call()
