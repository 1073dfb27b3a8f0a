"""Short simulated series for comparing forecasters, the Mackey-Glass delay equation among them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from demur._checks import check_choice, check_finite, check_positive_int, check_rng, input_error
from demur.typing import FloatArray

__all__ = ["SERIES_KINDS", "example_series", "mackey_glass"]

SERIES_KINDS = ("ar2", "threshold-ar", "logistic-map", "seasonal", "lorenz", "mackey-glass")
_WARM_UP = 100


def example_series(kind: str, n: int | None = None, *, rng: Any = 0) -> FloatArray:
    """Simulated series of a known recipe, one of each kind that forecasters meet.

    Parameters
    ----------
    kind : str
        "ar2": linear, y_k = 1.5 y_(k-1) - 0.75 y_(k-2) + noise. "threshold-ar": two linear
        regimes. "logistic-map": chaotic map with noise. "seasonal": trend and a yearly
        cycle in months. "lorenz": first coordinate of the Lorenz system. "mackey-glass".
    n : int, optional
        Number of values; 96 for "seasonal", else 300.
    rng : seed or Generator
        For the noise; "lorenz" and "mackey-glass" have none.

    Returns
    -------
    array of n numbers

    Raises
    ------
    InputError
        For an unknown kind.

    References
    ----------
    Tong (1990), Non-linear Time Series, Oxford University Press.

    Examples
    --------
    >>> from demur.datasets import example_series
    >>> len(example_series("seasonal")), len(example_series("lorenz", 50))
    (96, 50)
    """
    check_choice(kind, "kind", SERIES_KINDS)
    count = check_positive_int(n, "n") if n is not None else (96 if kind == "seasonal" else 300)
    generator = check_rng(rng)
    if kind == "mackey-glass":
        return mackey_glass(count)
    if kind == "lorenz":
        return _lorenz(count)
    if kind == "seasonal":
        month = np.arange(count)
        cycle = 10 * np.sin(2 * math.pi * month / 12) + 4 * np.cos(4 * math.pi * month / 12)
        return np.asarray(100 + 0.3 * month + cycle + 2 * generator.normal(size=count))
    noise = generator.normal(size=count + _WARM_UP)
    y = [0.3, 0.3]
    for e in noise:
        if kind == "ar2":
            y.append(1.5 * y[-1] - 0.75 * y[-2] + e)
        elif kind == "threshold-ar":
            y.append((0.8 if y[-1] <= 0 else -0.6) * y[-1] + 0.5 * e)
        else:
            y.append(3.9 * y[-1] * (1 - y[-1]))
    series = np.array(y[-count:])
    return series + 0.01 * noise[-count:] if kind == "logistic-map" else series


def _lorenz(n: int, step: float = 0.01, stride: int = 8) -> FloatArray:
    """First coordinate of the Lorenz (1963) system, classical Runge-Kutta, every 0.08 time units."""

    def slope(p: FloatArray) -> FloatArray:
        x, y, z = p
        return np.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    point, out = np.ones(3), []
    for k in range(_WARM_UP + n * stride):
        if k >= _WARM_UP and (k - _WARM_UP) % stride == 0:
            out.append(point[0])
        k1 = slope(point)
        k2 = slope(point + step / 2 * k1)
        k3 = slope(point + step / 2 * k2)
        k4 = slope(point + step * k3)
        point = point + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.array(out)


def mackey_glass(
    n: int,
    *,
    tau: float = 17.0,
    beta: float = 0.2,
    gamma: float = 0.1,
    power: float = 10.0,
    dt: float = 0.1,
    sample: float = 1.0,
    x0: float = 1.2,
    discard: int = 0,
) -> FloatArray:
    """Mackey-Glass series: chaotic, free of noise and the same on every machine to about 1e-9.

    dx/dt = beta x(t - tau) / (1 + x(t - tau)**power) - gamma x, with x = x0 up to time 0.

    Parameters
    ----------
    n : int
        Number of values returned; the papers use 300.
    tau : float
        Delay; chaotic from about 17. The literature on unscented filters uses 30.
    beta, gamma, power : float
        Constants of the equation.
    dt : float
        Step of the integration; `tau` and `sample` must be multiples of it.
    sample : float
        Time between two values; 1 and 6 are usual.
    x0 : float
        Value up to time 0, and the first value.
    discard : int
        Values dropped at the start.

    Returns
    -------
    array of n numbers
        Element k is x((k + discard) sample).

    Raises
    ------
    InputError
        If `tau` or `sample` is not a multiple of `dt`.

    Notes
    -----
    Classical Runge-Kutta steps. The delayed value at the middle of a step is the mean of
    those at its ends, which limits the accuracy: against dt = 0.025 the values differ by
    1.6e-5 over 60 time units.

    References
    ----------
    Mackey and Glass (1977), Science 197, doi:10.1126/science.267326.

    Examples
    --------
    >>> from demur.datasets import mackey_glass
    >>> mackey_glass(18).round(8)[[0, 1, 10, 17]].tolist()
    [1.2, 1.11756221, 0.65240429, 0.4919721]
    """
    count = check_positive_int(n, "n")
    skipped = check_positive_int(discard, "discard", minimum=0)
    numbers = {"tau": tau, "beta": beta, "gamma": gamma, "power": power, "dt": dt, "sample": sample, "x0": x0}
    for name, value in numbers.items():
        if check_finite(value, name).ndim:
            raise input_error(name, "must be one number", value)
    if dt <= 0:
        raise input_error("dt", "must be above 0", dt)
    lag, stride = _multiple(tau, dt, "tau"), _multiple(sample, dt, "sample")
    x = [float(x0)]  # at all integration steps, from time 0

    def slope(now: float, past: float) -> float:
        return float(beta * past / (1 + past**power) - gamma * now)

    for k in range((skipped + count - 1) * stride):
        now = x[k]
        start = x[k - lag] if k >= lag else x[0]
        end = x[k + 1 - lag] if k + 1 >= lag else x[0]
        middle = (start + end) / 2
        k1 = slope(now, start)
        k2 = slope(now + dt / 2 * k1, middle)
        k3 = slope(now + dt / 2 * k2, middle)
        k4 = slope(now + dt * k3, end)
        x.append(now + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    return np.array(x[skipped * stride :: stride])


def _multiple(value: float, dt: float, name: str) -> int:
    steps = round(value / dt)
    if steps < 1 or abs(steps * dt - value) > 1e-9 * value:
        raise input_error(name, f"must be a positive multiple of dt = {dt:g}", value)
    return steps
