"""Heights of rising polylines, vertical pieces included, and the lower convex hull of points."""

from typing import Literal

import numpy as np

from demur.typing import ArrayLike, FloatArray, IntArray

__all__ = ["height", "lower_hull"]


def height(
    across: FloatArray, up: FloatArray, at: ArrayLike, *, side: Literal["left", "right"]
) -> FloatArray:
    """Height of a rising polyline above `at`; of a vertical piece the lower ("left") or the upper end."""
    at = np.asarray(at, dtype=np.float64)
    right = np.clip(np.searchsorted(across, at, side=side), 1, len(across) - 1)
    run = across[right] - across[right - 1]
    # only at an end of the line is the piece vertical: before it all the way down, behind it all the way up
    behind = at >= across[right] if side == "right" else at > across[right]
    share = np.divide(at - across[right - 1], run, out=np.array(behind, dtype=np.float64), where=run > 0)
    return np.asarray(up[right - 1] + np.clip(share, 0.0, 1.0) * (up[right] - up[right - 1]))


# Three points of the unit square this close to a line are collinear up to rounding.
_COLLINEAR = 1e-14


def lower_hull(points: FloatArray) -> IntArray:
    """Indices of the strict vertices from left to right (Andrew 1979); of equal points the first."""
    order = np.lexsort((points[:, 1], points[:, 0]))
    chain: list[int] = []
    for index in order.tolist():
        x, y = points[index]
        if chain and points[chain[-1], 0] == x:
            continue  # above, or equal to, the point already kept at this abscissa
        while len(chain) >= 2:
            (x0, y0), (x1, y1) = points[chain[-2]], points[chain[-1]]
            if (x1 - x0) * (y - y0) - (x - x0) * (y1 - y0) > _COLLINEAR:
                break
            chain.pop()
        chain.append(index)
    return np.array(chain, dtype=np.int64)
