"""Lower convex hull of points in the plane (monotone chain, Andrew 1979)."""

import numpy as np

from demur.typing import FloatArray, IntArray

__all__ = ["lower_hull"]

# Three points of the unit square this close to a line are collinear up to rounding.
_COLLINEAR = 1e-14


def lower_hull(points: FloatArray) -> IntArray:
    """Indices of the strict vertices from left to right; of equal points the first."""
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
