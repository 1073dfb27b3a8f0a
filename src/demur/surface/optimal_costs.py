"""`OptimalCosts`: all costs at which one window stays the cheapest, in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from demur._checks import check_nonnegative
from demur._kernels.polygons import clip
from demur._results import Result
from demur.surface.surface import AbstentionSurface
from demur.surface.window import AbstentionWindow
from demur.typing import FloatArray, Range

__all__ = ["OptimalCosts", "optimal_costs"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class OptimalCosts(Result):
    """The costs (mu, nu) at which a window is among the cheapest: a convex polygon.

    Attributes
    ----------
    mu : (low, high)
        Relative costs of a false alarm at which the window stays optimal, nu being as given.
    nu : (low, high)
        Relative costs of abstaining at which it stays optimal, mu being as given.
    polygon : array of shape (vertices, 2)
        Vertices (mu, nu) of the region in order, cut at `limits` where it is unbounded.
    limits : (float, float)
        Largest mu and nu of the polygon.

    Notes
    -----
    With r_b the share of positives in block b and q_b = 1 - r_b, a window that abstains on the
    blocks i + 1 to j is optimal where r_i <= nu <= r_{i+1} and mu q_{j+1} <= nu <= mu q_j; an
    empty one at t where r_t / q_t <= mu <= r_{t+1} / q_{t+1} and nu >= max(r_t, mu q_{t+1}).
    """

    mu: Range
    nu: Range
    polygon: FloatArray
    limits: tuple[float, float]
    _planes: FloatArray

    def contains(self, mu: float, nu: float) -> bool:
        """Tell whether the window is among the cheapest at (mu, nu)."""
        point = float(check_nonnegative(mu, "mu")), float(check_nonnegative(nu, "nu"))
        return bool(np.all(self._planes @ [*point, 1.0] <= 1e-12 * (1 + sum(point))))


def _half_planes(shares: FloatArray, i: int, j: int) -> FloatArray:
    """Rows (a, b, c) with a mu + b nu + c <= 0 in the cell of blocks i and j; see `OptimalCosts`."""
    below = float(shares[i - 1]) if i else 0.0
    last = j == len(shares)
    above_j = 0.0 if last else 1 - float(shares[j])
    planes = [(0.0, -1.0, below), (above_j, -1.0, 0.0)]
    if i < j:
        planes += [(0.0, 1.0, -float(shares[i])), (-(1 - float(shares[j - 1])), 1.0, 0.0)]
    else:
        # r_t / q_t <= mu as r_t <= mu q_t, which is right where q_t is 0 as well
        planes.append((below - 1.0 if i else 0.0, 0.0, below))
        if not last:
            planes.append((above_j, 0.0, above_j - 1.0))
    return np.array(planes)


def _range(by: FloatArray, rest: FloatArray) -> Range:
    """Solve by x + rest <= 0 for x >= 0."""
    low, high = 0.0, math.inf
    for slope, level in zip(by.tolist(), rest.tolist(), strict=True):
        if slope > 0:
            high = min(high, -level / slope)
        elif slope < 0:
            low = max(low, -level / slope)
    return low, max(low, high)


def optimal_costs(surface: AbstentionSurface, window: AbstentionWindow) -> OptimalCosts:
    """Return the costs at which a window of `AbstentionSurface.window` stays the cheapest."""
    groups = np.concatenate([[0], np.cumsum(surface.counts.blocks().groups)])
    i, j = (int(np.searchsorted(groups, at)) for at in (window.lower_index, window.upper_index))
    planes = _half_planes(surface.shares, i, j)
    mu, nu = window.mu, window.nu_positive
    # an infinite nu (abstaining is no option) is drawn at the top
    level = nu if math.isfinite(nu) else max(1.0, mu)
    limits = max(1.0, 2 * mu), max(1.0, 2 * level)
    corners = np.array([[[0.0, 0.0], [limits[0], 0.0], list(limits), [0.0, limits[1]]]])
    for a, b, c in planes:
        corners = clip(corners, np.array([a]), np.array([b]), np.array([c]))
    polygon = corners[0]
    distinct = np.any(polygon != np.roll(polygon, 1, axis=0), axis=1)
    return OptimalCosts(
        mu=_range(planes[:, 0], planes[:, 1] * level + planes[:, 2]),
        nu=_range(planes[:, 1], planes[:, 0] * mu + planes[:, 2]),
        polygon=polygon[distinct] if distinct.any() else polygon[:1],
        limits=limits,
        _planes=planes,
    )
