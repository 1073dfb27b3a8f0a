"""Places of sorted numbers among others: how many are smaller, how many at most equal."""

from typing import Any

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur._kernels.sweep import sorted_values
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = ["places", "places_among"]


def places(lower: Any, upper: Any) -> tuple[IntArray, IntArray]:
    """For each element of `upper`: how many of `lower` are smaller, and how many at most equal.

    Both ascending.
    """
    if not worth_compiling(len(lower) + len(upper)):
        return np.searchsorted(lower, upper, "left"), np.searchsorted(lower, upper, "right")
    # walks along both arrays, in less than half the time of look-ups one by one
    below, reached = np.empty(len(upper), np.int64), np.empty(len(upper), np.int64)
    compiled(_lookup_loop)(lower, upper, below, reached)
    return below, reached


@kernel
def _lookup_loop(lower: Any, upper: Any, below: Any, reached: Any) -> None:
    left = 0
    right = 0
    for index in range(len(upper)):
        value = upper[index]
        while left < len(lower) and lower[left] < value:
            left += 1
        right = max(right, left)
        while right < len(lower) and lower[right] == value:
            right += 1
        below[index] = left
        reached[index] = right


def places_among(values: FloatArray, members: BoolArray) -> tuple[IntArray, BoolArray]:
    """Place of every finite value on a scale that only the members divide, and whether it equals a member.

    The place is the number of members below, plus one if a member is equal. So a member is above
    all values of smaller place, and a value is above all members of its place or below that it
    does not equal. Only the members are sorted; every value is looked up among them.
    """
    own = sorted_values(values[members])
    if not worth_compiling(len(values)):
        below, reached = (np.searchsorted(own, values, side) for side in ("left", "right"))
        tied = reached > below
        return below + tied, tied
    low, width = own[0], own[-1] - own[0]
    # eight cells of equal width per member: where these are spread out, most values find theirs empty
    scale = 8 * len(own) / width if width > 0 else 0.0
    cells = ((own - low) * scale).astype(np.int64)
    starts = np.append(0, np.cumsum(np.bincount(cells))).astype(np.int32)
    found, tied = np.empty(len(values), np.int64), np.empty(len(values), np.bool_)
    compiled(_locate_loop)(values, own, scale, starts, found, tied)
    return found, tied


@kernel
def _locate_loop(values: Any, own: Any, scale: Any, starts: Any, found: Any, tied: Any) -> None:
    lowest = own[0]
    highest = own[len(own) - 1]
    for index in range(len(values)):
        value = values[index]
        if value < lowest:
            found[index] = 0
            tied[index] = False
            continue
        if value > highest:
            found[index] = len(own)
            tied[index] = False
            continue
        # the cell rises with the value, so members of lower cells are below it
        cell = int((value - lowest) * scale)
        start = starts[cell]
        stop = starts[cell + 1]
        while start < stop:
            middle = (start + stop) // 2
            if own[middle] < value:
                start = middle + 1
            else:
                stop = middle
        equal = start < len(own) and own[start] == value
        found[index] = start + (1 if equal else 0)
        tied[index] = equal
