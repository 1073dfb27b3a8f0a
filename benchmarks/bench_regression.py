"""REC curves against np.sort, sigma-point filters against filterpy."""

import importlib.util

import numpy as np
from timing import alternate, ratio_row, seconds

from demur import KalmanForecaster, rec_curve
from demur.datasets import mackey_glass
from demur.estimators import ModelTreeRegressor
from demur.regression import (
    CentralDifferenceKalmanFilter,
    ExtendedKalmanFilter,
    KalmanModel,
    SquareRootCentralDifferenceKalmanFilter,
    SquareRootUnscentedKalmanFilter,
    UnscentedKalmanFilter,
    rec_coverage_curve,
)

N_STATE = 33  # the weights of a network with 6 lags and 4 hidden units
STEPS = 1000


def rows():
    yield from curves()
    yield from filters()
    yield from estimators()


def curves():
    for n, digits in ((10**6, None), (10**7, None), (10**7, 4)):
        rng = np.random.default_rng(0)
        y = rng.normal(size=n)
        p = y + rng.normal(size=n)
        if digits:
            y, p = np.round(y, digits), np.round(p, digits)
        errors = np.abs(y - p)
        mine, sort = alternate(
            lambda y=y, p=p: rec_curve(y, p), lambda errors=errors: np.sort(errors), repeats=3
        )
        size = f"{n:.0e}" + (" tied" if digits else "")
        yield ratio_row("REC curve and AOC / np.sort", size, mine, sort, "<= 3")
    y, p = rng.normal(size=(2, 10**6))
    confidence = rng.random(10**6)
    whole = rec_coverage_curve(y, p, confidence)
    whole.tolerance_at(0.9)  # compile
    mine, sort = alternate(
        lambda: rec_coverage_curve(y, p, confidence), lambda: np.argsort(confidence), repeats=3
    )
    yield ratio_row("REC with abstention / np.argsort", "1e+06", mine, sort, "<= 5.5")
    mine, sort = alternate(lambda: whole.tolerance_at(0.9), lambda: np.argsort(confidence), repeats=3)
    yield ratio_row("  tolerance at every coverage / np.argsort", "1e+06", mine, sort, "")


def system():
    rng = np.random.default_rng(0)
    inner, outer = rng.normal(size=(N_STATE, N_STATE)) / 6, rng.normal(size=(1, N_STATE))
    return (
        lambda x: np.tanh(inner @ x),
        lambda x: np.sin(outer @ x),
        rng.normal(size=STEPS),
    )


def filters():
    transition, observation, series = system()
    model = KalmanModel(
        n_state=N_STATE,
        n_observed=1,
        transition=transition,
        observation=observation,
        process_noise=0.01,
        observation_noise=0.1,
    )
    kinds = (
        SquareRootUnscentedKalmanFilter,
        UnscentedKalmanFilter,
        SquareRootCentralDifferenceKalmanFilter,
        CentralDifferenceKalmanFilter,
        ExtendedKalmanFilter,
    )
    size = f"{STEPS} steps, {N_STATE}-d"
    peer = filterpy_run(transition, observation, series)
    for kind in kinds:

        def ours(kind=kind):
            return kind(model, np.zeros(N_STATE), 1.0).filter(series)

        asked = "<= 2" if kind is SquareRootUnscentedKalmanFilter else ""
        if peer is None:
            (mine,) = alternate(ours, repeats=2)
            yield (kind.__name__, size, seconds(mine), "filterpy is not installed: not compared", "", asked)
            continue
        mine, theirs = alternate(ours, peer, repeats=2)
        yield ratio_row(f"{kind.__name__} / filterpy UKF", size, mine, theirs, asked)
    if peer is not None:
        gap = np.abs(peer() - UnscentedKalmanFilter(model, np.zeros(N_STATE), 1.0).filter(series).mean[-1])
        assert gap.max() < 1e-9, "the two sides disagree"


def filterpy_run(transition, observation, series):
    """Run filterpy's unscented filter over the series, or None where it is missing."""
    if importlib.util.find_spec("filterpy") is None:
        return None
    from filterpy.kalman import MerweScaledSigmaPoints
    from filterpy.kalman import UnscentedKalmanFilter as Peer

    def run():
        points = MerweScaledSigmaPoints(N_STATE, 1.0, 2.0, 0.0)
        peer = Peer(N_STATE, 1, 1.0, hx=observation, fx=lambda x, dt: transition(x), points=points)
        peer.P, peer.Q, peer.R = np.eye(N_STATE), 0.01 * np.eye(N_STATE), 0.1 * np.eye(1)
        for value in series:
            peer.predict()
            peer.update(value)
        return peer.x

    return run


def estimators():
    series = mackey_glass(1000)
    for name in ("ekf", "sr-ukf"):
        (mine,) = alternate(lambda name=name: KalmanForecaster(filter=name, epochs=1).fit(series), repeats=2)
        yield (f"KalmanForecaster {name}, one epoch", "1000 values", seconds(mine), "", "", "")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5000, 10))
    y = np.where(X[:, 0] > 0, X[:, 1], -2 * X[:, 2]) + rng.normal(size=5000)
    (mine,) = alternate(lambda: ModelTreeRegressor().fit(X, y), repeats=2)
    yield ("ModelTreeRegressor.fit", "5000 x 10", seconds(mine), "", "", "")
