"""Roots of functions of one number.

`scipy.optimize` has such searches, but importing it takes a third of a second: as long as the whole
answer for a small file.
"""

import math
import sys
from collections.abc import Callable

__all__ = ["root_between"]


def root_between(
    function: Callable[[float], float], low: float, high: float, *, tolerance: float = 0.0
) -> float:
    """Return where a continuous function with different signs at `low` and `high` crosses 0.

    Exact up to `tolerance` and the spacing of floats. Steps of inverse quadratic interpolation where
    the last three points allow it, halving otherwise (Chandrupatla 1997, doi:10.1016/S0965-9978(96)00051-8).
    """
    newest, opposite = low, high
    value, opposite_value = function(newest), function(opposite)
    if value * opposite_value > 0 or math.isnan(value + opposite_value):
        raise ValueError(f"no change of sign: {value} at {low}, {opposite_value} at {high}")
    share = 0.5
    while True:
        best, residual = min((newest, value), (opposite, opposite_value), key=lambda point: abs(point[1]))
        narrow = (2 * sys.float_info.epsilon * abs(best) + tolerance / 2) / (abs(opposite - newest) or 1.0)
        if residual == 0 or narrow > 0.5 or newest == opposite:
            return best
        share = min(max(share, narrow), 1 - narrow)
        point = newest + share * (opposite - newest)
        previous, previous_value = newest, value
        newest, value = point, function(point)
        if (value > 0) != (previous_value > 0):
            # the root lies between the last two points; the third is the one left behind
            opposite, previous = previous, opposite
            opposite_value, previous_value = previous_value, opposite_value
        # the root lies between a and b; c is the third point
        (a, fa), (b, fb), (c, fc) = (
            (newest, value),
            (opposite, opposite_value),
            (previous, previous_value),
        )
        place, height = (a - b) / (c - b), (fa - fb) / (fc - fb)
        share = 0.5  # the parabola through the three points may turn between them
        if height**2 < place and (1 - height) ** 2 < 1 - place:
            share = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
