"""Proper scores whose mean is the volume of a plug-in rule over any rectangle of costs."""

import numpy as np

from demur.typing import FloatArray, Range

__all__ = ["rectangle_scores"]


def rectangle_scores(p: FloatArray, mu: Range, nu: Range) -> tuple[FloatArray, FloatArray]:
    """Return S(1, p) and S(0, p): losses of a positive and of a negative, integrated over costs.

    A case with forecast p is treated as the surface treats a block of share p, at every
    (mu, nu) of the rectangle. The volume H(P, N) of one block is homogeneous of degree 1 in
    its masses, so by Euler's theorem these losses are its partial derivatives at (p, 1 - p).
    """
    if_positive, if_negative = np.zeros_like(p), np.zeros_like(p)
    for x, x_sign in ((mu[1], 1.0), (mu[0], -1.0)):
        for y, y_sign in ((nu[1], 1.0), (nu[0], -1.0)):
            if x * y > 0:  # otherwise a rectangle without area
                by_positive, by_negative = _corner_slopes(p, x, y)
                if_positive += x_sign * y_sign * by_positive
                if_negative += x_sign * y_sign * by_negative
    return if_positive, if_negative


def _corner_slopes(p: FloatArray, mu: float, nu: float) -> tuple[FloatArray, FloatArray]:
    """Derivatives of the integral of min(P, x N, y (P + N)) over [0, mu] x [0, nu], at P + N = 1.

    The three cases of the volume (`corner_volume`), differentiated by P and by N: the false alarm is
    cheapest throughout; the miss is reached; abstaining is cheaper than both from some mu on.
    """
    n = 1 - p
    alarm = n * mu <= np.minimum(p, nu)
    miss = ~alarm & (p <= nu)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = p / n
        by_positive = np.select(
            [alarm, miss],
            [
                n**2 * mu**3 / 6,
                mu * nu - nu * odds - mu * (2 * p - p**2) / 2 + (3 * p - p**2) * odds / 3,
            ],
            mu * nu**2 / 2 - nu**3 / (3 * n),
        )
        by_negative = np.select(
            [alarm, miss],
            [
                nu * mu**2 / 2 - (2 * n - n**2) * mu**3 / 6,
                nu * odds**2 / 2 + mu * p**2 / 2 - p * (1 + n) * odds**2 / 3,
            ],
            mu * nu**2 / 2 - nu**3 * (2 * n - 1) / (6 * n**2),
        )
    return by_positive, by_negative
