"""Cells of the (mu, nu) quadrant in which one block window is optimal.

With the shares of positives r_1 < ... < r_B of the mixed blocks and q = 1 - r, block b
contributes a horizontal nu = r_b (right of its triple point), a ray nu = mu q_b (left of
it) and a vertical mu = r_b / q_b (above it). The overlay of two surfaces is the arrangement
of both sets of shares together, so differences need no other geometry than this.
"""

from collections.abc import Iterator

import numpy as np

from demur._kernels.polygons import areas, clip_to_rectangle, sides_of_rectangle
from demur.typing import FloatArray, IntArray, Range

__all__ = ["cell_batches"]

_CELLS_AT_ONCE = 2**17


def cell_batches(
    shares: FloatArray, mu: Range, nu: Range
) -> Iterator[tuple[IntArray, IntArray, FloatArray, FloatArray]]:
    """Yield (i, j, polygons, areas) of the cells that meet the rectangle with positive area.

    `shares` are strictly ascending and strictly inside (0, 1). Cell (i, j) is where shares
    1..i are called negative, i+1..j abstained on and the rest called positive. In batches,
    because there are (B + 1)(B + 2) / 2 cells, and those to be cut apart, because they are few.
    """
    size = len(shares)
    per_row = max(1, _CELLS_AT_ONCE // (size + 1))
    for start in range(0, size + 1, per_row):
        rows = np.arange(start, min(start + per_row, size + 1))
        ends = np.maximum(_ends(shares, rows, mu[1]), rows)
        i = np.repeat(rows, ends - rows)
        j = np.concatenate([np.arange(row, end) for row, end in zip(rows, ends, strict=True)])
        polygons = _cells(shares, i, j, mu[1], nu[1])
        inside, crossing = sides_of_rectangle(polygons, mu, nu)
        yield _with_area(i[inside], j[inside], polygons[inside])
        yield _with_area(i[crossing], j[crossing], clip_to_rectangle(polygons[crossing], mu, nu))


def _ends(shares: FloatArray, rows: IntArray, far_mu: float) -> IntArray:
    """Element k: the first j from which on cells (rows[k], j) lie to the right of the rectangle."""
    floor = np.concatenate([[0.0], shares])
    with np.errstate(divide="ignore"):
        # cell (i, j) begins at mu = r_i / q_j, which rises with j
        return np.array(
            [np.searchsorted(floor[row] / (1.0 - floor), far_mu, side="left") for row in rows], dtype=np.int64
        )


def _with_area(
    i: IntArray, j: IntArray, polygons: FloatArray
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    area = areas(polygons)
    keep = area > 0
    return i[keep], j[keep], polygons[keep], area[keep]


def _cells(shares: FloatArray, i: IntArray, j: IntArray, far_mu: float, far_nu: float) -> FloatArray:
    """Vertices of the cells; unbounded sides are put just outside (far_mu, far_nu)."""
    size = len(shares)
    r = np.concatenate([[0.0], shares, [1.0]])  # r[0] and r[size + 1] stand for "no constraint"
    q = 1.0 - r
    beyond = max(far_mu, float(shares[-1] / q[size])) + 1.0 if size else far_mu + 1.0
    above = max(far_nu, 1.0) + 1.0
    polygons = np.empty((len(i), 5, 2))

    # i < j: r_i <= nu <= r_{i+1} and nu / q_j <= mu <= nu / q_{j+1}
    bottom, top, ray = r[i], r[i + 1], q[j]
    open_right = j == size
    next_ray = np.where(open_right, 1.0, q[j + 1])
    mus, nus = polygons[..., 0], polygons[..., 1]
    mus[:, 0], nus[:, 0] = bottom / ray, bottom
    mus[:, 1], nus[:, 1] = np.where(open_right, beyond, bottom / next_ray), bottom
    mus[:, 2], nus[:, 2] = np.where(open_right, beyond, top / next_ray), top
    mus[:, 3], nus[:, 3] = top / ray, top
    polygons[:, 4] = polygons[:, 3]

    # i = j = t: r_t / q_t <= mu <= r_{t+1} / q_{t+1} and nu >= max(r_t, mu q_{t+1})
    few = np.flatnonzero(i == j)
    t = i[few]
    last = t == size
    floor, next_q = r[t], np.where(last, 1.0, q[np.minimum(t + 1, size)])
    left = floor / q[t]
    right = np.where(last, beyond, r[np.minimum(t + 1, size)] / next_q)
    polygons[few, 0] = np.stack([left, floor], axis=1)
    polygons[few, 1] = np.stack([np.where(last, beyond, floor / next_q), floor], axis=1)
    polygons[few, 2] = np.stack([right, np.where(last, floor, right * next_q)], axis=1)
    polygons[few, 3] = np.stack([right, np.full(len(t), above)], axis=1)
    polygons[few, 4] = np.stack([left, np.full(len(t), above)], axis=1)
    return polygons
