"""Two thresholds on the scores: negative below, abstain in between, positive above."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from demur._checks import check_scores, input_error
from demur._kernels.thresholds import no_threshold, shortest_cut
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray

__all__ = [
    "ABSTAIN",
    "decide",
    "decision_masks",
    "no_threshold",
    "window_codes",
    "window_thresholds",
    "written_window",
]

ABSTAIN = -1
"""Code of an abstention among the integer decisions 1 (positive) and 0 (negative)."""

# scores decided at a time, so that what lies between scores and codes stays in the cache
_CHUNK = 1 << 16


def decide(scores: ArrayLike, window: AbstentionWindow | tuple[float, float]) -> IntArray:
    """Apply a window: 1 (positive), 0 (negative) or `ABSTAIN` for every score.

    Positive if ``score >= upper``, else negative if ``score <= lower``, else abstain. A
    threshold of inf (upper) or -inf (lower) is never reached, not even by an infinite score.

    Parameters
    ----------
    scores : array of n numbers
        On the scale the window was made for.
    window : AbstentionWindow or (lower, upper)
        ``lower <= upper``.

    Returns
    -------
    array of n int
        Element i is the decision for ``scores[i]``.

    Examples
    --------
    >>> from demur import decide
    >>> decide([0.1, 0.5, 0.9], (0.3, 0.6)).tolist()
    [0, -1, 1]
    """
    values = check_scores(scores, "scores")
    lower, upper = window_thresholds(window)
    codes = np.empty(values.shape, dtype=np.int64)
    for start in range(0, len(values), _CHUNK):
        part = slice(start, start + _CHUNK)
        positive, above = decision_masks(values[part], lower, upper)
        # 2 - 1, 0 - 0 and 0 - 1, in one-byte integers
        codes[part] = 2 * positive.view(np.int8) - above.view(np.int8)
    return codes


def decision_masks(values: FloatArray, lower: float, upper: float) -> tuple[BoolArray, BoolArray]:
    """Tell where the decision is positive, and where it is positive or to abstain."""
    everywhere = np.ones(len(values), dtype=np.bool_)
    above = values > lower if lower > -math.inf else everywhere
    positive = values >= upper if upper < math.inf else ~everywhere
    return positive, above | positive


def window_codes(values: FloatArray, lower: float, upper: float) -> Any:
    """Decide checked scores by two thresholds, a byte each."""
    positive, above = decision_masks(values, lower, upper)
    codes = np.where(above, np.int8(ABSTAIN), np.int8(0))
    codes[positive] = 1
    return codes


def written_window(window: AbstentionWindow, counts: ScoreCounts) -> AbstentionWindow:
    """Round the thresholds of a window chosen on these counts for people to read, copy and deploy.

    Each is the number of the fewest digits strictly between the scores beside it, the nearest to their
    middle (`shortest_cut`), so no decision on these cases changes. Windows of folds are not rounded:
    that would change decisions on the cases they are scored on.
    """
    return replace(
        window,
        lower=shortest_cut(window.lower, *counts.neighbours(window.lower, through=True)),
        upper=shortest_cut(window.upper, *counts.neighbours(window.upper, through=False)),
    )


def window_thresholds(window: Any) -> tuple[float, float]:
    """Return the thresholds of a window or of a pair (lower, upper), checked."""
    if isinstance(window, AbstentionWindow):
        return window.lower, window.upper
    try:
        lower, upper = (float(value) for value in window)
    except (TypeError, ValueError):
        lower, upper = math.nan, math.nan
    if not lower <= upper:
        rule = "must be an AbstentionWindow or a pair (lower, upper) with lower <= upper"
        raise input_error("window", rule, repr(window))
    return lower, upper
