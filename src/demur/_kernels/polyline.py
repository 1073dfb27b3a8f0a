"""Heights of rising polylines, vertical pieces included."""

from typing import Literal

import numpy as np

from demur.typing import ArrayLike, FloatArray

__all__ = ["height"]


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
