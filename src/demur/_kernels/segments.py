"""Cheapest segments along a score, and sums that are exact in any order."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from demur.typing import FloatArray

__all__ = ["cheapest_segments", "exactly_summable"]


def exactly_summable(values: FloatArray) -> FloatArray:
    """Round numbers to multiples of a power of two, so small that their sums and differences are exact.

    Rows may hold several columns, of which a sum takes one number per row.
    """
    each = np.abs(values)
    _, exponent = np.frexp(4 * (each.max(axis=1) if values.ndim > 1 else each).sum())
    unit = np.ldexp(1.0, max(int(exponent) - 53, -1022))
    return np.asarray(np.round(values / unit) * unit)


def cheapest_segments(costs: Sequence[Any]) -> tuple[complex, list[int]]:
    """Choose where segments along a score end; row s is what every score costs in segment s.

    Segments may be empty. The cheapest way to have reached segment s at a score is a running minimum over
    where it began; of equally cheap places the first is taken. Costs may be complex: these compare by their
    real part, then by their imaginary part.
    """
    below = [np.concatenate([[0], np.cumsum(one)]) for one in costs]
    reached, begun = below[0], []
    for sums in below[1:]:
        begun.append(reached - sums)
        reached = sums + np.minimum.accumulate(begun[-1])
    cuts = [len(below[0]) - 1]
    for sums in reversed(begun):
        cuts.insert(0, int(np.argmin(sums[: cuts[0] + 1])))
    return complex(reached[-1]), cuts[:-1]
