"""Closed-form integrals of the block formula over costs.

`positive` and `negative` are the masses P_b, N_b of the blocks; a block with one class
only costs nothing anywhere and drops out of every integral.
"""

import math

import numpy as np

from demur.typing import FloatArray, Range

__all__ = [
    "beta_expectation",
    "corner_volume",
    "mean_rates",
    "proper_volume_scores",
    "rectangle_scores",
    "symmetric_loss",
]

_QUADRATURE_ERROR = 1e-12


def _mixed(positive: FloatArray, negative: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Masses of the blocks that hold both classes, and their share of positives."""
    keep = (positive > 0) & (negative > 0)
    P, N = positive[keep], negative[keep]
    return P, N, P / (P + N)


def corner_volume(
    positive: FloatArray, negative: FloatArray, price: FloatArray, mu: float, nu: float
) -> float:
    """Integral of sum_b min(P, x N, y price) over 0 <= x <= mu, 0 <= y <= nu."""
    keep = (positive > 0) & (negative > 0) & (price > 0)
    P, N, M = positive[keep], negative[keep], price[keep]
    a = np.minimum(P, nu * M)
    steep = nu * N * mu**2 / 2 - N**2 * mu**3 / (6 * M)
    flat = nu * a**2 / (2 * N) - a**3 / (6 * M * N) + (mu - a / N) * (a * nu - a**2 / (2 * M))
    return float(np.where(N * mu <= a, steep, flat).sum())


def beta_expectation(
    positive: FloatArray, negative: FloatArray, mu_law: tuple[float, float], nu_law: tuple[float, float]
) -> float:
    """Expectation of the cost for independent Beta distributions of mu and nu.

    E = sum_b integral over s in [0, min(P, N)] of Pr(mu > s / N) Pr(nu > s / M) ds.
    """
    from scipy.integrate import quad_vec
    from scipy.special import betaincc

    P, N, _ = _mixed(positive, negative)
    if not len(P):
        return 0.0
    M, length = P + N, np.minimum(P, N)

    def integrand(u: float) -> FloatArray:
        s = length * u
        survival = betaincc(*mu_law, np.minimum(s / N, 1.0)) * betaincc(*nu_law, s / M)
        return np.asarray(length * survival)

    parameters = (*mu_law, *nu_law)
    if all(value == int(value) for value in parameters):
        # a polynomial of degree sum(parameters) - 2: this many nodes are exact
        nodes, weights = np.polynomial.legendre.leggauss(math.ceil((sum(parameters) - 1) / 2))
        return float(sum(w / 2 * integrand((x + 1) / 2).sum() for x, w in zip(nodes, weights, strict=True)))
    value, error = quad_vec(
        lambda u: integrand(u).sum(),
        0.0,
        1.0,
        epsabs=_QUADRATURE_ERROR,
        epsrel=_QUADRATURE_ERROR,
        limit=10_000,
    )
    if error > 10 * _QUADRATURE_ERROR:
        raise ArithmeticError(f"quadrature stopped at an estimated error of {error:.1e}")
    return float(value)


def mean_rates(positive: FloatArray, negative: FloatArray) -> tuple[float, float, float]:
    """Means of abstention rate, false-positive and false-negative mass over the unit square."""
    P, N, r = _mixed(positive, negative)
    q = 1 - r
    low = r < q
    abstained = np.where(low, r - r**2 / (2 * q), q / 2)
    x = np.minimum(1.0, r / q)
    alarms = x - q * x**2 / 2
    misses = np.where(low, (1 - r / q) * (1 - r), 0.0)
    return float(((P + N) * abstained).sum()), float((N * alarms).sum()), float((P * misses).sum())


def symmetric_loss(positive: FloatArray, negative: FloatArray, d: float) -> float:
    """2 times the integral over c in [0, 1] of the best cost with costs c, 1 - c and d."""
    P, N, r = _mixed(positive, negative)
    v = r * (1 - r)
    return float(((P + N) * np.where(v <= d, v, 2 * d - d**2 / v)).sum())


def proper_volume_scores(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Scores S(1, p) and S(0, p) of forecasts p, whose mean is the plug-in volume."""
    q = 1 - p
    # each branch is evaluated inside its own half only
    lo, hi = np.minimum(p, 0.5), np.maximum(p, 0.5)
    lq, hq = 1 - lo, 1 - hi
    g_low = lo - lo**2 / 2 - lo**2 / (2 * lq) + lo**3 / (3 * lq)
    slope_low = 1 - lo - (2 * lo * lq + lo**2) / (2 * lq**2) + (3 * lo**2 * lq + lo**3) / (3 * lq**2)
    g = np.where(p <= 0.5, g_low, hq / 2 - hq**2 / 6)
    slope = np.where(p <= 0.5, slope_low, -0.5 + hq / 3)
    return g + q * slope, g - p * slope


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
