"""Short simulated series for comparing forecasters."""

import math
from typing import Any

import numpy as np

from demur._checks import check_choice, check_positive_int, check_rng
from demur.datasets.mackey_glass import mackey_glass
from demur.typing import FloatArray

__all__ = ["SERIES_KINDS", "example_series"]

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
        return _seasonal(count, generator)
    return _recursion(kind, count, generator)


def _recursion(kind: str, n: int, rng: np.random.Generator) -> FloatArray:
    noise = rng.normal(size=n + _WARM_UP)
    y = [0.3, 0.3]
    for e in noise:
        if kind == "ar2":
            y.append(1.5 * y[-1] - 0.75 * y[-2] + e)
        elif kind == "threshold-ar":
            y.append((0.8 if y[-1] <= 0 else -0.6) * y[-1] + 0.5 * e)
        else:
            y.append(3.9 * y[-1] * (1 - y[-1]))
    series = np.array(y[-n:])
    return series + 0.01 * noise[-n:] if kind == "logistic-map" else series


def _seasonal(n: int, rng: np.random.Generator) -> FloatArray:
    month = np.arange(n)
    cycle = 10 * np.sin(2 * math.pi * month / 12) + 4 * np.cos(4 * math.pi * month / 12)
    return np.asarray(100 + 0.3 * month + cycle + 2 * rng.normal(size=n))


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
