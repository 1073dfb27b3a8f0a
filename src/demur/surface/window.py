"""Two thresholds on the scores: negative below, abstain in between, positive above."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from demur._checks import check_scores, input_error
from demur._kernels.thresholds import no_threshold, shortest_cut
from demur._results import Result
from demur.counts.case_window import CaseWindow
from demur.counts.scores import ScoreCounts
from demur.surface.masses import RunningMasses
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray

__all__ = [
    "ABSTAIN",
    "AbstentionWindow",
    "decide",
    "decision_masks",
    "no_threshold",
    "window_thresholds",
    "written_window",
]

ABSTAIN = -1
"""Code of an abstention among the integer decisions 1 (positive) and 0 (negative)."""

# scores decided at a time, so that what lies between scores and codes stays in the cache
_CHUNK = 1 << 16


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class AbstentionWindow(Result):
    """Cheapest window for given costs: negative below, abstain inside, positive above.

    Predict positive if ``score >= upper``, negative if ``score <= lower``, else abstain
    (`decide` applies the rule, infinite scores included). Of several cheapest windows it is
    the one that abstains least, then the one that calls more cases positive.

    Attributes
    ----------
    lower, upper : float
        Thresholds; -inf and inf where a side is never used. ``lower == upper`` (or no score
        between them): the window is empty and never abstains.
    cost : float
        Expected cost per case in the normal form (a miss costs 1).
    expected_cost : float
        The same in the unit of the `CostModel` passed, if one was.
    fn, fp : float
        Share of all cases that are missed positives, and that are false alarms.
    abstention_rate : float
        Share of all cases abstained on; `abstained_positive` plus `abstained_negative`.
    lower_index, upper_index : int
        Number of distinct scores below the window, and below or inside it.
    mu, nu_positive, nu_negative : float
        The costs the window was made for.
    prevalence : float
        P(positive) the shares refer to.
    """

    lower: float
    upper: float
    cost: float
    expected_cost: float
    fn: float
    fp: float
    abstention_rate: float
    abstained_positive: float
    abstained_negative: float
    lower_index: int
    upper_index: int
    mu: float
    nu_positive: float
    nu_negative: float
    prevalence: float
    _reported = ("coverage",)
    _told = ("lower", "upper", "abstention_rate", "fn", "fp", "cost", "expected_cost")

    @classmethod
    def of_cuts(
        cls,
        masses: RunningMasses,
        cuts: tuple[int, int],
        *,
        mu: float,
        nu_positive: float,
        nu_negative: float,
        prevalence: float,
    ) -> AbstentionWindow:
        """Make the window that calls the first i steps negative and abstains up to step j."""
        i, j = cuts
        fn, fp = float(masses.positive_below[i]), float(masses.negative_above[j])
        # i == j must give exactly 0, also beside an infinite nu
        kept_positive = float(masses.positive_below[j] - masses.positive_below[i])
        kept_negative = float(masses.negative_below[j] - masses.negative_below[i])
        reviews = nu_positive * kept_positive + nu_negative * kept_negative if i < j else 0.0
        lower, upper = masses.thresholds(i, j)
        cost = fn + mu * fp + reviews
        return cls(
            lower=lower,
            upper=upper,
            cost=cost,
            expected_cost=cost,
            fn=fn,
            fp=fp,
            # shares of all cases may add up to a rounding error more than 1
            abstention_rate=min(kept_positive + kept_negative, 1.0),
            abstained_positive=kept_positive,
            abstained_negative=kept_negative,
            lower_index=int(masses.groups_below[i]),
            upper_index=int(masses.groups_below[j]),
            mu=mu,
            nu_positive=nu_positive,
            nu_negative=nu_negative,
            prevalence=prevalence,
        )

    @property
    def coverage(self) -> float:
        """Share of the cases that get a decision."""
        return 1.0 - self.abstention_rate

    @property
    def is_empty(self) -> bool:
        """Whether the window never abstains."""
        return self.lower_index == self.upper_index


def decide(scores: ArrayLike, window: AbstentionWindow | CaseWindow | tuple[float, float]) -> IntArray:
    """Apply a window: 1 (positive), 0 (negative) or `ABSTAIN` for every score.

    Positive if ``score >= upper``, else negative if ``score <= lower``, else abstain. A
    threshold of inf (upper) or -inf (lower) is never reached, not even by an infinite score.

    Parameters
    ----------
    scores : array of n numbers
        On the scale the window was made for.
    window : AbstentionWindow, CaseWindow or (lower, upper)
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


_AnyWindow = TypeVar("_AnyWindow", bound=AbstentionWindow | CaseWindow)


def written_window(window: _AnyWindow, counts: ScoreCounts) -> _AnyWindow:
    """Round the thresholds of a window chosen on these counts for people to read, copy and deploy.

    Each is the number of the fewest digits strictly between the scores beside it, the nearest to their
    middle (`shortest_cut`), so no decision on these cases changes. Windows of folds are not rounded:
    that would change decisions on the cases they are scored on.
    """
    return replace(
        window,
        lower=shortest_cut(window.lower, *counts.beside(window.lower, through=True)),
        upper=shortest_cut(window.upper, *counts.beside(window.upper, through=False)),
    )


def window_thresholds(window: Any) -> tuple[float, float]:
    """Return the thresholds of a window or of a pair (lower, upper), checked."""
    if isinstance(window, (AbstentionWindow, CaseWindow)):
        return window.lower, window.upper
    try:
        lower, upper = (float(value) for value in window)
    except (TypeError, ValueError):
        lower, upper = math.nan, math.nan
    if not lower <= upper:
        rule = "must be an AbstentionWindow or a pair (lower, upper) with lower <= upper"
        raise input_error("window", rule, repr(window))
    return lower, upper
