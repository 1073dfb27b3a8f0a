"""Many convex polygons at once: clipping, area, integral of a plane; cells of the costs of one window.

A batch is an array of shape (polygons, vertices, 2); polygons with fewer vertices repeat
their last one, which changes neither area nor integral. An empty polygon is all one point.

One block window is optimal in each cell of the (mu, nu) quadrant. With the shares of positives
r_1 < ... < r_B of the mixed blocks and q = 1 - r, block b contributes a horizontal nu = r_b (right of its
triple point), a ray nu = mu q_b (left of it) and a vertical mu = r_b / q_b (above it). The overlay of two
surfaces is the arrangement of both sets of shares together, so differences need no other geometry.

Where abstaining costs alpha nu + e on a positive and beta nu + f mu on a negative (`surface/review.py`) the
horizontals fall, as (alpha r + beta q) nu = (1 - e) r - f q mu, and the rays are (alpha r + beta q) nu =
(1 - f) q mu - e r. Lines of one kind still do not meet where mu > 0, so the arrangement stays the same.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from demur.typing import FloatArray, IntArray, Range

__all__ = [
    "areas",
    "cell_batches",
    "clip",
    "clip_to_rectangle",
    "extremes",
    "plane_integrals",
]


def clip(polygons: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """Keep the part of polygon k with a[k] x + b[k] y + c[k] <= 0 (Sutherland-Hodgman)."""
    side = a[:, None] * polygons[..., 0] + b[:, None] * polygons[..., 1] + c[:, None]
    following = np.roll(polygons, -1, axis=1)
    next_side = np.roll(side, -1, axis=1)
    inside = side <= 0
    crossing = inside != (next_side <= 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(crossing, side / (side - next_side), 0.0)
    hits = polygons + share[..., None] * (following - polygons)

    count, width = side.shape
    # every edge may emit its start and its crossing: interleave, then close the gaps
    emitted = np.stack([inside, crossing], axis=2).reshape(count, 2 * width)
    points = np.stack([polygons, hits], axis=2).reshape(count, 2 * width, 2)
    order = np.argsort(~emitted, axis=1, kind="stable")[:, : width + 1]
    packed = np.take_along_axis(points, order[..., None], axis=1)
    last = np.maximum(emitted.sum(axis=1) - 1, 0)
    filler = np.take_along_axis(packed, last[:, None, None], axis=1)
    return np.where((np.arange(width + 1) <= last[:, None])[..., None], packed, filler)


def extremes(corners: Iterable[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest element over a few arrays: column by column, as their axis is short."""
    first, *rest = corners
    low, high = first.copy(), first.copy()
    for corner in rest:
        np.minimum(low, corner, out=low)
        np.maximum(high, corner, out=high)
    return low, high


def clip_to_rectangle(polygons: FloatArray, x: tuple[float, float], y: tuple[float, float]) -> FloatArray:
    """Keep the part of every polygon inside [x0, x1] x [y0, y1]."""
    one = np.ones(len(polygons))
    for a, b, c in ((1, 0, -x[1]), (-1, 0, x[0]), (0, 1, -y[1]), (0, -1, y[0])):
        polygons = clip(polygons, a * one, b * one, c * one)
    return polygons


def _signed(first: FloatArray, second: FloatArray) -> FloatArray:
    """Signed area of the triangles of two sides from one vertex."""
    return np.asarray((first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]) / 2)


def areas(polygons: FloatArray) -> FloatArray:
    """Area of every polygon."""
    origin, first, *others = (polygons[:, vertex] for vertex in range(polygons.shape[1]))
    side, total = first - origin, np.zeros(len(polygons))
    for vertex in others:
        following = vertex - origin
        total += _signed(side, following)
        side = following
    return np.abs(total)


def plane_integrals(polygons: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """Integral of a[k] x + b[k] y + c[k] over polygon k: exact, triangle by triangle."""
    # of the triangles (vertex 0, i, i + 1)
    origin = polygons[:, :1]
    first, second = polygons[:, 1:-1] - origin, polygons[:, 2:] - origin
    signed, centre = _signed(first, second), origin + (first + second) / 3
    height = a[:, None] * centre[..., 0] + b[:, None] * centre[..., 1] + c[:, None]
    total = (signed * height).sum(axis=1)
    return np.asarray(np.where(signed.sum(axis=1) < 0, -total, total))


_CELLS_AT_ONCE = 2**17


Coefficients = tuple[float, float, float, float]
"""alpha, beta, e and f: what abstaining costs by class."""


def cell_batches(
    shares: FloatArray, mu: Range, nu: Range, prices: Coefficients = (1.0, 1.0, 0.0, 0.0)
) -> Iterator[tuple[IntArray, IntArray, FloatArray, FloatArray]]:
    """Yield (i, j, polygons, areas) of the cells that meet the rectangle with positive area.

    `shares` are strictly ascending and strictly inside (0, 1). Cell (i, j) is where shares
    1..i are called negative, i+1..j abstained on and the rest called positive. In batches,
    because there are (B + 1)(B + 2) / 2 cells, and those to be cut apart, because they are few.
    """
    size = len(shares)
    floor = np.concatenate([[0.0], shares])
    per_row = max(1, _CELLS_AT_ONCE // (size + 1))
    for start in range(0, size + 1, per_row):
        rows = np.arange(start, min(start + per_row, size + 1))
        # the mu at which cell (i, j) begins rises with j: the first j right of the rectangle
        begins = (_meeting(floor[row], floor, prices)[0] for row in rows)
        reached = [np.searchsorted(one, mu[1], side="left") for one in begins]
        ends = np.maximum(np.array(reached, dtype=np.int64), rows)
        i = np.repeat(rows, ends - rows)
        j = np.concatenate([np.arange(row, end) for row, end in zip(rows, ends, strict=True)])
        polygons = _cells(shares, i, j, mu[1], nu[1], prices)
        (low_mu, low_nu), (high_mu, high_nu) = (ends.T for ends in extremes(polygons.transpose(1, 0, 2)))
        inside = (low_mu >= mu[0]) & (high_mu <= mu[1]) & (low_nu >= nu[0]) & (high_nu <= nu[1])
        outside = (high_mu <= mu[0]) | (low_mu >= mu[1]) | (high_nu <= nu[0]) | (low_nu >= nu[1])
        crossing = ~(inside | outside)
        clipped = clip_to_rectangle(polygons[crossing], mu, nu)
        for chosen, cells in ((inside, polygons[inside]), (crossing, clipped)):
            area = areas(cells)
            keep = area > 0
            yield i[chosen][keep], j[chosen][keep], cells[keep], area[keep]


def _falling(share: FloatArray, mu: FloatArray | float, prices: Coefficients) -> FloatArray:
    """Return the nu at which a review of a block costs what calling it negative costs."""
    alpha, beta, missed, alarmed = prices
    weight = alpha * share + beta * (1.0 - share)
    return np.asarray(((1.0 - missed) * share - alarmed * (1.0 - share) * mu) / weight)


def _meeting(share: FloatArray, other: FloatArray, prices: Coefficients) -> tuple[FloatArray, FloatArray]:
    """Return (mu, nu) at which reviews cost what calling `share` negative and `other` positive costs."""
    alpha, beta, missed, alarmed = prices
    q, other_q = 1.0 - share, 1.0 - other
    weight, other_weight = alpha * share + beta * q, alpha * other + beta * other_q
    rise = (1.0 - alarmed) * other_q * weight + alarmed * q * other_weight
    mu = ((1.0 - missed) * share * other_weight + missed * other * weight) / rise
    return mu, _falling(share, mu, prices)


def _cells(
    shares: FloatArray, i: IntArray, j: IntArray, far_mu: float, far_nu: float, prices: Coefficients
) -> FloatArray:
    """Vertices of the cells; unbounded sides are put just outside (far_mu, far_nu)."""
    size = len(shares)
    # r[0] stands for "no constraint"; that of a share beyond the last one is the line mu = beyond
    r = np.concatenate([[0.0], shares])
    beyond = max(far_mu, float(shares[-1] / (1.0 - shares[-1]))) + 1.0 if size else far_mu + 1.0
    above = max(far_nu, 1.0 / min(prices[:2])) + 1.0
    polygons = np.empty((len(i), 5, 2))

    def corner(low: IntArray, high: IntArray) -> FloatArray:
        """Where the falling line of block `low` meets the ray of block `high`."""
        last = high > size
        mu, nu = _meeting(r[low], r[np.minimum(high, size)], prices)
        mu = np.where(last, beyond, mu)
        return np.stack([mu, np.where(last, _falling(r[low], mu, prices), nu)], axis=1)

    # i < j: between two falling lines and two rays
    wide = np.flatnonzero(i < j)
    a, b = i[wide], j[wide]
    for vertex, ends in enumerate(((a, b), (a, b + 1), (a + 1, b + 1), (a + 1, b), (a + 1, b))):
        polygons[wide, vertex] = corner(*ends)

    # i = j = t: r_t / q_t <= mu <= r_{t+1} / q_{t+1}, above the falling line of t and the ray of t + 1
    few = np.flatnonzero(i == j)
    t = i[few]
    left, low = corner(t, t), corner(t, t + 1)
    right = np.where((t == size)[:, None], low, corner(np.minimum(t + 1, size), np.minimum(t + 1, size)))
    top = np.full(len(t), above)
    polygons[few] = np.stack(
        [left, low, right, np.stack([right[:, 0], top], axis=1), np.stack([left[:, 0], top], axis=1)], axis=1
    )
    return polygons
