"""Bins of scores: a monotone map from any float to a whole number.

Only differences, quotients, products and floor are used. Each of them is monotone under
correct rounding (IEEE 754), so the whole map is, in NumPy and in every engine alike: a
larger score never gets a smaller bin, and equal scores always share one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur.typing import FloatArray

__all__ = ["DEFAULT_BINS", "LARGEST_FLOAT", "ScoreBins", "fitting_bins"]

DEFAULT_BINS = 2**20
LARGEST_FLOAT = float(np.finfo(np.float64).max)
# share of the scores seen first that may lie in the tails
_TAIL = 0.005


@dataclass(frozen=True)
class ScoreBins:
    """Bins of equal width over a range, wider and wider ones beyond; infinities have their own.

    With t = (score - start) / width, the number of a bin is floor(t bins) for t in [0, 1]: for
    probabilities floor(score 2^k), and a bin of its own for 1. Beyond, 1 - 1 / (1 + |t|) brings every
    float into [0, 1), which is cut into a quarter as many bins on either side.

    Attributes
    ----------
    bins : int
        Number of bins of the range.
    start, width : float
        The range; [0, 1] unless scores lie elsewhere.
    """

    bins: int = DEFAULT_BINS
    start: float = 0.0
    width: float = 1.0

    def number(
        self,
        score: Any,
        *,
        choose: Callable[..., Any],
        floor: Callable[[Any], Any],
        size: Callable[[Any], Any],
    ) -> Any:
        """Return the bin of a score: the one formula, for arrays and for expressions of an engine.

        `choose(condition, yes, no)`, `floor(value)` and `size(value)`, the absolute value, are
        written in the language of `score`.
        """
        tail = max(1, self.bins // 4)
        t = (score - self.start) / self.width
        away = 1.0 / (size(t) + 1.0)
        # at t = 1 the curve 1 - 1 / (1 + t) stands at 1/2: the upper tail starts there
        above = floor((0.5 - away) * (2.0 * tail)) + float(self.bins + 1)
        below = -1.0 - floor((1.0 - away) * float(tail))
        inside = floor(t * float(self.bins))
        finite = choose(t < 0, below, choose(t > 1, above, inside))
        capped = choose(score > LARGEST_FLOAT, float(self.bins + tail + 3), finite)
        return choose(score < -LARGEST_FLOAT, float(-tail - 3), capped)

    def of_array(self, scores: FloatArray) -> FloatArray:
        """Return the bin of every score; NaN for NaN."""
        # differences from the start may overflow: the bins beyond take them
        with np.errstate(over="ignore", invalid="ignore"):
            numbers: FloatArray = self.number(scores, choose=np.where, floor=np.floor, size=np.abs)
        return numbers

    @property
    def has_plain_ends(self) -> bool:
        """Whether the ends of the bins follow from their numbers alone."""
        return self.start == 0 and self.width == 1 and self.bins & (self.bins - 1) == 0

    def ends(self, numbers: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Smallest and largest float of each bin; None if one lies beyond the range.

        With bins of a power of two the product score * bins is exact, so that its floor is, too.
        """
        known = numbers[~np.isnan(numbers)]
        if not self.has_plain_ends or np.any((known < 0) | (known > self.bins)):
            return None
        above = np.nextafter((numbers + 1) / self.bins, -np.inf)
        return numbers / self.bins, np.where(numbers == self.bins, 1.0, above)


def fitting_bins(seen: FloatArray, bins: int) -> ScoreBins:
    """Return bins that fit scores like those `seen`: [0, 1] if all lie there, most of them otherwise.

    Start and width are short binary numbers, so that samples of the same model get the same
    bins, whose counts can be merged.
    """
    finite = seen[np.isfinite(seen)]
    if not finite.size or (finite.min() >= 0 and finite.max() <= 1):
        return ScoreBins(bins)
    low, high = (float(value) for value in np.quantile(finite, [_TAIL, 1 - _TAIL], method="nearest"))
    if not 0 < high - low < math.inf:
        return ScoreBins(bins)
    exponent = math.frexp(high - low)[1]
    # a start on a grid of a quarter of the width: 3/4 of the width may be left for the scores
    width = math.ldexp(1.0, min(exponent + 1, 1023))
    start = math.floor(low / (width / 4)) * (width / 4)
    return ScoreBins(bins, start, width) if math.isfinite(start) else ScoreBins(bins)
