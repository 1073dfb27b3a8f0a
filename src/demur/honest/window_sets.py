"""Near-optimal windows: how far the thresholds may move before it costs something.

The best thresholds of a sample converge slowly (at rate n^(1/3)), and bootstrap percentiles of
them are not valid. What a user needs to know is another thing: which thresholds are as good
as the best ones for all practical purposes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_nonnegative,
    check_number,
    check_type,
    input_error,
)
from demur._kernels.normal import normal_quantile
from demur._kernels.running import running_sums
from demur._results import Interval, Result
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts, as_counts
from demur.counts.window import AbstentionWindow
from demur.exceptions import InputError, UndefinedError
from demur.honest.cross_fitting import cross_fitted_surface
from demur.honest.held_out import Weighting
from demur.surface.masses import ShareCuts
from demur.surface.surface import AbstentionSurface, abstention_surface, cost_ranges
from demur.typing import ArrayLike, BoolArray, FloatArray, Labels

__all__ = ["WindowSet", "window_interval"]

_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class WindowSet(Result):
    """Thresholds that cost hardly more than the best ones; made by `window_interval`.

    Attributes
    ----------
    window : AbstentionWindow
        The cheapest window.
    lower, upper : Interval
        Every lower (upper) threshold in this range belongs to a near-optimal window.
    lower_cuts, upper_cuts : array
        All near-optimal thresholds, between neighbouring scores; beyond `lower` and `upper` if
        there are separate ranges.
    lower_connected, upper_connected : bool
        Whether one range holds them all.
    tolerance : float
        Extra cost allowed, in the normal form; None where it differs from window to window.
    mu_range, nu_range : Interval or None
        Costs between which the cheapest window stays the same if the other cost does not
        change; None for abstention costs that differ by class.
    fold_lower, fold_upper : array or None
        Element v: thresholds chosen without fold v, if folds were asked for.
    honest_cost : float or None
        Cross-fitted cost of windows chosen this way, if folds were asked for and abstaining costs
        the same for both classes; `window.cost` is the cost with hindsight.
    """

    window: AbstentionWindow
    lower: Interval
    upper: Interval
    lower_cuts: FloatArray
    upper_cuts: FloatArray
    lower_connected: bool
    upper_connected: bool
    tolerance: float | None
    method: str
    mu_range: Interval | None
    nu_range: Interval | None
    fold_lower: FloatArray | None
    fold_upper: FloatArray | None
    honest_cost: float | None
    n: float
    prevalence: float

    def summary(self) -> str:
        """Say in words how much room the thresholds have."""
        extra = "within sampling error of"
        if self.tolerance is not None:
            extra = f"at most {self.tolerance:.3g} above"
        (a, b), (c, d) = self.lower, self.upper
        return (
            f"Lower threshold {self.window.lower:.4g} (any from {a:.4g} to {b:.4g}) and "
            f"upper threshold {self.window.upper:.4g} (any from {c:.4g} to {d:.4g}) "
            f"cost {extra} the smallest cost {self.window.cost:.4g}."
        )

    def __repr__(self) -> str:
        (a, b), (c, d) = self.lower, self.upper
        what = f"lower={a:.4g}..{b:.4g}, upper={c:.4g}..{d:.4g}"
        return f"WindowSet({what}, method={self.method!r}, cost={self.window.cost:.4g})"


def _within(
    surface: AbstentionSurface, window: AbstentionWindow, limit: float, *, may_abstain: bool
) -> tuple[BoolArray, BoolArray]:
    """Lower (and upper) cuts for which some window costs at most `limit`.

    The window that calls i scores negative and abstains up to score j costs start[i] + stop[j].
    """
    m, nu_p, nu_n = surface.masses.scores, window.nu_positive, window.nu_negative
    if not may_abstain:
        good = m.positive_below + window.mu * m.negative_above <= limit
        return good, good
    start = (1 - nu_p) * m.positive_below - nu_n * m.negative_below
    stop = nu_p * m.positive_below + nu_n * m.negative_below + window.mu * m.negative_above
    best_stop = np.minimum.accumulate(stop[::-1])[::-1]
    best_start = np.minimum.accumulate(start)
    return start + best_stop <= limit, stop + best_start <= limit


def _within_error(
    surface: AbstentionSurface,
    window: AbstentionWindow,
    prevalence: float | None,
    level: float,
    *,
    may_abstain: bool,
) -> tuple[BoolArray, BoolArray]:
    """Cuts whose extra cost, the other cut kept, is at most z standard errors of the paired difference."""
    counts, z = surface.counts, normal_quantile(level)
    counts.require_both_classes("A standard error")
    if prevalence is not None and min(counts.n_positive, counts.n_negative) < 2:
        raise UndefinedError(
            "A standard error with a given prevalence needs two cases of each class, "
            f"got {counts.n_positive:g} positive and {counts.n_negative:g} negative."
        )
    counts.require_repeated_cases("a standard error")
    weighting = Weighting.of(counts.n_positive, counts.n_negative, prevalence)
    below = running_sums(counts.positives, counts.negatives)
    nu_p, nu_n, mu = window.nu_positive, window.nu_negative, window.mu
    i, j = window.lower_index, window.upper_index
    cuts = np.arange(len(below[0]))
    # moving a cut up past a case changes its loss by a constant of its class
    changes = [((1 - nu_p, -nu_n), i, cuts <= j), ((nu_p, nu_n - mu), j, cuts >= i)]
    if not may_abstain:
        changes = [((1.0, -mu), i, np.ones(len(cuts), dtype=bool))]
    sets = []
    for change, at, allowed in changes:
        passed = [column - column[at] for column in below]
        sums = [cases * each for cases, each in zip(passed, change, strict=True)]
        squares = [np.abs(cases) * each**2 for cases, each in zip(passed, change, strict=True)]
        extra, error = weighting.mean_and_error(sums, squares)
        sets.append(allowed & (extra <= z * error + _ROUNDING))
    return sets[0], sets[-1]


def _range(cuts: FloatArray, good: BoolArray, at: int) -> tuple[Interval, FloatArray, bool]:
    """Unbroken run of near-optimal cuts around the best one, all of them, and whether that is the same."""
    low, high = at, at
    while low > 0 and good[low - 1]:
        low -= 1
    while high < len(good) - 1 and good[high + 1]:
        high += 1
    members = cuts[good]
    return Interval(float(cuts[low]), float(cuts[high])), members, len(members) == high - low + 1


def _stable_costs(surface: AbstentionSurface, mu: float, nu: float) -> tuple[Interval, Interval]:
    """Return the ranges of mu and of nu over which the cheapest window stays the same."""
    i, j = (int(cut) for cut in ShareCuts.of_surface(mu, nu, nu).blocks(surface.shares))
    _, mu_range, nu_range = cost_ranges(surface.shares, (i, j), mu, nu)
    return Interval(*mu_range), Interval(*nu_range)


def window_interval(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | CostModel | None = None,
    costs: CostModel | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    prevalence: float | None = None,
    tolerance: float | None = None,
    method: str = "relative",
    confidence_level: float = 0.95,
    folds: int | None = None,
    repeats: int | None = None,
    rng: int | np.random.Generator | None = 0,
) -> WindowSet:
    """Thresholds that cost hardly more than the best ones: how much room the window has.

    Not a confidence interval of "the" best threshold, which a sample determines poorly and a
    bootstrap wrongly, but the set a user may choose from. Assumes that the data resemble the
    use, up to the prevalence.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, prevalence
        As in `abstention_surface`.
    costs : CostModel
        What errors and abstaining cost. Without a cost of abstaining, one threshold is sought.
    tolerance : float >= 0, optional
        For "relative": extra cost allowed as a share of the smallest cost; 0.01 by default.
    method : {"relative", "standard-error"}
        "relative": a threshold belongs if with a suitable other one the cost is at most
        (1 + tolerance) times the smallest. "standard-error": if, the other threshold kept, the
        extra cost is at most z standard errors of the paired difference; needs whole-number
        weights.
    confidence_level : float, default 0.95
        Gives z of "standard-error".
    folds : int, optional
        Also report the thresholds chosen without each of so many folds, and the honest cost.
    weights, repeats, rng
        For the folds, as in `cross_fitted_surface`.

    Returns
    -------
    WindowSet
        With `summary()`.

    Raises
    ------
    InputError
        For ill-formed input, a negative tolerance, a missing `costs`.

    Notes
    -----
    The cost is f(i) + h(j) over the cuts i <= j between the distinct scores, so both sets come
    from running minima in O(k). A range is the unbroken run of cuts around the best.

    Examples
    --------
    Reviews cost a tenth of an error. Any lower threshold in the first range and a suitable
    upper one cost at most 5 % more than the best window:

    >>> from demur import Binormal, CostModel, window_interval
    >>> y, s = Binormal(separation=2.0).sample(2000, rng=0)
    >>> room = window_interval(y, s, CostModel(cost_abstain=0.1), tolerance=0.05)
    >>> [round(end, 2) for end in room.lower], [round(end, 2) for end in room.upper]
    ([-0.25, 0.07], [2.15, 3.05])
    """
    if isinstance(y_true, ScoreCounts) and isinstance(y_score, CostModel):
        y_score, costs = None, y_score
    if costs is None:
        raise InputError("`costs` is missing. Hint: pass costs=CostModel(cost_fn=..., cost_abstain=...).")
    check_type(costs, "costs", CostModel)
    check_choice(method, "method", ("relative", "standard-error"))
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)  # type: ignore[arg-type]
    surface = abstention_surface(counts, prevalence=prevalence)
    window = surface.window(costs=costs)
    level, allowed = check_confidence_level(confidence_level), None
    if method == "relative":
        share = check_number(0.01 if tolerance is None else tolerance, "tolerance")
        allowed = float(check_nonnegative(share, "tolerance")) * abs(window.cost)
        # the best window itself belongs, however its cost was rounded
        good = _within(surface, window, window.cost + allowed + _ROUNDING, may_abstain=costs.may_abstain)
    elif tolerance is not None:
        raise input_error("tolerance", "belongs to method='relative'", tolerance)
    else:
        good = _within_error(surface, window, prevalence, level, may_abstain=costs.may_abstain)
    cuts = surface.masses.scores.lower_cut, surface.masses.scores.upper_cut
    lower, lower_cuts, lower_whole = _range(cuts[0], good[0], window.lower_index)
    upper, upper_cuts, upper_whole = _range(cuts[1], good[1], window.upper_index)
    mu, nu = costs.mu, costs.nu_positive
    one_price = nu == costs.nu_negative and nu >= 0
    stays = _stable_costs(surface, mu, nu) if one_price else (None, None)
    fitted = (
        None
        if folds is None
        else cross_fitted_surface(
            y_true,
            y_score,  # type: ignore[arg-type]
            pos_label=pos_label,
            sample_weight=sample_weight,
            weights=weights,
            prevalence=prevalence,
            folds=folds,
            repeats=repeats,
            rng=rng,
        )
    )
    chosen = None if fitted is None else fitted.windows(costs=costs)
    return WindowSet(
        window=window,
        lower=lower,
        upper=upper,
        lower_cuts=lower_cuts,
        upper_cuts=upper_cuts,
        lower_connected=lower_whole,
        upper_connected=upper_whole,
        tolerance=allowed,
        method=method,
        mu_range=stays[0],
        nu_range=stays[1],
        fold_lower=None if chosen is None else np.array([one.lower for one in chosen]),
        fold_upper=None if chosen is None else np.array([one.upper for one in chosen]),
        honest_cost=None if fitted is None or not one_price else float(fitted.cost(mu, nu)),
        n=counts.n,
        prevalence=surface.prevalence,
    )
