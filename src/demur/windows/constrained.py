"""Windows under constraints: limited abstention, promised performance per class.

Why searching cuts between distinct scores is exact: whatever the thresholds, a window only
decides how many of the k distinct scores lie at or below `lower` (i of them) and below `upper`
(j of them), so the (k + 1)(k + 2) / 2 pairs i <= j are all windows there are. Block borders are
not enough here: they hold the optimum of every cost, but a constraint can force a cut inside a
block. Costs, abstained weight and the margins of all metrics are a term of i plus a term of j,
which is what makes the searches fast.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from demur._checks import check_choice, check_prevalence, check_rate
from demur._kernels.thresholds import cut_points
from demur._kernels.window_search import TIE, CutMasses, cheapest_cuts, widest_cuts, widest_joint_cuts
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import InputError, UndefinedError
from demur.roc.isometrics import Precision, Target, check_skew, check_target, check_target_value
from demur.surface.surface import abstention_surface
from demur.surface.window import AbstentionWindow, no_threshold
from demur.typing import ArrayLike, BoolArray, FloatArray, Labels

__all__ = [
    "ConstrainedWindow",
    "cheapest_window",
    "cost_ratio_of",
    "deterministic_window",
    "widest_coverage_window",
    "window_of_cuts",
]

# judges decisions nothing was promised for; its value is not used
_ANY_PRECISION = Precision(1.0)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ConstrainedWindow(AbstentionWindow):
    """Best window under constraints; `decide` applies it like any `AbstentionWindow`.

    Attributes
    ----------
    positive_performance, negative_performance : float or None
        Metric of the positive and of the negative decisions on these data: the one promised,
        precision where none was. None: no decision of that kind, the promise is vacuous.
    unconstrained_cost : float
        Cost of the cheapest window without the constraints; `cost` minus this is their price.
    note : str
        What could not be reached, in words; empty if there is nothing to say.

    Notes
    -----
    The other attributes are those of `AbstentionWindow`. Where no costs were given, `cost`,
    `expected_cost`, `unconstrained_cost`, `mu` and `nu_*` are NaN.
    """

    positive_performance: float | None
    negative_performance: float | None
    unconstrained_cost: float = math.nan
    note: str = ""


def _scale(counts: ScoreCounts, prevalence: float | None) -> tuple[float, float]:
    """Factors of the classes under which precision and abstention mean what they do in use.

    1 and 1 for the sample's own prevalence, so that whole-number counts stay exact.
    """
    rate = check_prevalence(prevalence, positives=counts.n_positive, negatives=counts.n_negative)
    if prevalence is None:
        return 1.0, 1.0
    sizes = (rate, counts.n_positive), (1 - rate, counts.n_negative)
    first, second = (share * counts.n / size if size else 0.0 for share, size in sizes)
    return first, second


# ---------------------------------------------------------------- the window of a pair of cuts


def _thresholds(counts: ScoreCounts, i: int, j: int) -> tuple[float, float]:
    lower, upper = cut_points(counts.scores, counts.upper_scores)
    pair = float(lower[i]), float(upper[j])
    if math.isnan(pair[0]) or math.isnan(pair[1]):
        raise no_threshold()
    return pair


def window_of_cuts(
    counts: ScoreCounts,
    i: int,
    j: int,
    *,
    positive: Target | None = None,
    negative: Target | None = None,
    cost_ratio: float = 1.0,
    prevalence: float | None = None,
) -> ConstrainedWindow:
    """Describe the window with i distinct scores called negative and all from j on positive."""
    scale = _scale(counts, prevalence)
    masses, n = CutMasses.of(counts.positives, counts.negatives, *scale), counts.n
    fn, tn = float(masses.positive_below[i]), float(masses.negative_below[i])
    tp, fp = float(masses.positive_above[j]), float(masses.negative_above[j])
    kept = float(masses.positive_below[j]) - fn, float(masses.negative_below[j]) - tn
    decided = tp + fn, cost_ratio * (fp + tn)
    reached = (
        (positive or _ANY_PRECISION).performance(tp, cost_ratio * fp, *decided),
        (negative or _ANY_PRECISION).performance(cost_ratio * tn, fn, *decided[::-1]),
    )
    lower, upper = _thresholds(counts, i, j)
    return ConstrainedWindow(
        lower=lower,
        upper=upper,
        cost=math.nan,
        expected_cost=math.nan,
        fn=fn / n,
        fp=fp / n,
        abstention_rate=(kept[0] + kept[1]) / n,
        abstained_positive=kept[0] / n,
        abstained_negative=kept[1] / n,
        lower_index=i,
        upper_index=j,
        mu=math.nan,
        nu_positive=math.nan,
        nu_negative=math.nan,
        prevalence=counts.prevalence if prevalence is None else float(prevalence),
        positive_performance=None if np.isnan(reached[0]) else float(reached[0]),
        negative_performance=None if np.isnan(reached[1]) else float(reached[1]),
    )


def _kept_promises(
    masses: CutMasses,
    positive: Target | None,
    negative: Target | None,
    cost_ratio: float,
    *,
    full_curve: bool,
) -> tuple[BoolArray, BoolArray]:
    """Tell which cuts i keep the negative and which cuts j the positive promise, each alone.

    With `full_curve` the metric is that of the ROC point (every case decided); otherwise it must
    not depend on the other cut, which is so for precision.
    """
    p, q = masses.total
    tp, fp = masses.positive_above, masses.negative_above
    slack = -TIE * (p + cost_ratio * q)
    own = (p, cost_ratio * q) if full_curve else (0.0, 0.0)
    everything = np.ones(len(tp), dtype=np.bool_)
    hits, alarms = cost_ratio * masses.negative_below, masses.positive_below
    starts = everything if negative is None else negative.margin(hits, alarms, *own[::-1]) >= slack
    stops = everything if positive is None else positive.margin(tp, cost_ratio * fp, *own) >= slack
    return starts, stops


def _joint_margins(
    masses: CutMasses, positive: Target, negative: Target, cost_ratio: float
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Margins of both promises for the decided cases: a term of the cut j plus a term of the cut i."""
    tp, fp = masses.positive_above, cost_ratio * masses.negative_above
    fn, tn = masses.positive_below, cost_ratio * masses.negative_below
    return (
        (positive.margin(tp, fp, tp, fp), positive.margin(0.0, 0.0, fn, tn)),
        (negative.margin(0.0, 0.0, fp, tp), negative.margin(tn, fn, tn, fn)),
    )


def _note(
    window: ConstrainedWindow,
    masses: CutMasses,
    targets: tuple[Target | None, Target | None],
    cost_ratio: float,
) -> str:
    """Say which promise is vacuous and how far decisions of that kind alone could go."""
    right, wrong = cost_ratio * masses.negative_below, cost_ratio * masses.negative_above
    kinds = (
        ("positive", window.positive_performance, masses.positive_above, wrong),
        ("negative", window.negative_performance, right, masses.positive_below),
    )
    lines = []
    for target, (word, reached, hits, alarms) in zip(targets, kinds, strict=True):
        if target is not None and reached is None:
            best = float(np.nanmax(target.performance(hits, alarms, hits, alarms)))
            lines.append(
                f"No {word} decision is made; alone, {word} decisions reach at most "
                f"{target.metric} {best:.4g} here, {target.value:g} was asked for."
            )
    return " ".join(lines)


def _promises(positive: float | None, negative: float | None) -> tuple[Precision | None, Precision | None]:
    """Targets of the arguments min_precision_positive and min_precision_negative."""
    given = (positive, "min_precision_positive"), (negative, "min_precision_negative")
    first, second = (
        None if value is None else Precision(check_target_value(value, name)) for value, name in given
    )
    return first, second


def cheapest_window(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    mu: float | None = None,
    nu: float | None = None,
    nu_negative: float | None = None,
    costs: CostModel | None = None,
    max_abstention: float = 1.0,
    min_precision_positive: float | None = None,
    min_precision_negative: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
) -> ConstrainedWindow:
    """Cheapest window that abstains on at most a given share of the cases.

    For a limited review capacity, and for promised precisions on top of the costs. The
    lower the cost the better; the price of the constraints is ``cost - unconstrained_cost``.
    Chosen on these same data: on new data the limit holds only up to sampling error.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, prevalence
        As in `abstention_surface`. Rates and precisions refer to `prevalence`.
    mu, nu, nu_negative, costs
        The costs, as in `AbstentionSurface.window`: (mu, nu) or a `CostModel`.
    max_abstention : float in [0, 1]
        Largest share of cases abstained on. 0: no abstention.
    min_precision_positive, min_precision_negative : float in (0, 1], optional
        Share of right decisions among the positive and among the negative ones. A kind of
        decision that is never made keeps its promise.

    Returns
    -------
    ConstrainedWindow
        Of several cheapest windows the one that abstains least, then the one that calls more
        cases positive, as for `AbstentionWindow`.

    Raises
    ------
    UndefinedError
        If no window keeps all constraints; the message says which abstention rate would.

    Notes
    -----
    Exact over all windows of the distinct scores, in O(k log k) for k of them. Cuts may lie
    inside a pooled block, which no unconstrained optimum needs.

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML.

    Examples
    --------
    A review costs a quarter of a miss. Without a limit two thirds of the cases would be reviewed;
    there is time for a quarter of them:

    >>> from demur import cheapest_window
    >>> y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    >>> window = cheapest_window(y, s, mu=1, nu=0.25, max_abstention=0.25)
    >>> round(window.lower, 2), round(window.upper, 2), window.abstention_rate
    (-0.25, 0.2, 0.25)
    >>> round(window.cost, 4), round(window.unconstrained_cost, 4)
    (0.2292, 0.1667)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    free = abstention_surface(counts, prevalence=prevalence).window(mu, nu, nu_negative, costs=costs)
    limit = check_rate(max_abstention, "max_abstention")
    targets = _promises(min_precision_positive, min_precision_negative)
    masses = CutMasses.of(counts.positives, counts.negatives, *_scale(counts, prevalence))
    allowed = _kept_promises(masses, *targets, 1.0, full_curve=False)
    prices = free.nu_positive, free.nu_negative
    cuts = cheapest_cuts(masses, free.mu, prices, limit * counts.n, *allowed)
    if cuts is None:
        raise _impossible(masses, allowed, limit)
    window = window_of_cuts(counts, *cuts, prevalence=prevalence)
    kept = (window.abstained_positive, prices[0]), (window.abstained_negative, prices[1])
    cost = window.fn + free.mu * window.fp + sum(share * price for share, price in kept if share)
    return replace(
        window,
        cost=cost,
        expected_cost=cost if costs is None else float(costs.expected_cost(cost, window.prevalence)),
        unconstrained_cost=free.cost,
        mu=free.mu,
        nu_positive=prices[0],
        nu_negative=prices[1],
        note=_note(window, masses, targets, 1.0),
    )


def _impossible(masses: CutMasses, allowed: tuple[BoolArray, BoolArray], limit: float) -> UndefinedError:
    start, stop = widest_cuts(masses, *allowed, 1.0)
    needed = (masses.below[stop] - masses.below[start]) / masses.below[-1]
    return UndefinedError(
        f"No window keeps the precisions with max_abstention = {limit:g} and finite cost. "
        f"Hint: these precisions need an abstention rate of at least {needed:.4g}."
    )


# ---------------------------------------------------------------- promised performance


def widest_coverage_window(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    min_precision_positive: float | None = None,
    min_precision_negative: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
) -> ConstrainedWindow:
    """Window that decides on as many cases as possible with promised precisions per class.

    The higher the coverage the better. No costs are needed. Precision depends on the
    prevalence: pass the one in use if the sample's differs. The promise holds exactly on these
    data; on new data only up to sampling error.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, prevalence
        As in `abstention_surface`; both classes are needed.
    min_precision_positive, min_precision_negative : float in (0, 1], optional
        Share of right decisions among the positive and among the negative ones; at least one
        of the two. None: no promise for that kind of decision.

    Returns
    -------
    ConstrainedWindow
        Of several windows with the same coverage the one with the most right decisions, then
        the one with the higher thresholds. A kind of decision that is never made keeps its
        promise; then its performance is None and `note` says what is reachable.

    Raises
    ------
    UndefinedError
        If a class is missing.

    Notes
    -----
    Precision of the positive decisions depends on `upper` only, of the negative ones on `lower`
    only, so the search is linear in the number of distinct scores and exact. A single promise
    never needs abstention: the other kind of decision takes the rest.

    References
    ----------
    Vanderlooy, Sprinkhuizen-Kuyper, Smirnov (2006), "An Analysis of Reliable Classifiers through
    ROC Isometrics", ROCML, theorem 4.

    Examples
    --------
    Four of five positive and all negative decisions right: decide on 58 % of the cases, send the
    scores between -0.7 and 0.2 to people.

    >>> from demur.windows import widest_coverage_window
    >>> y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    >>> window = widest_coverage_window(y, s, min_precision_positive=0.8, min_precision_negative=1)
    >>> round(window.lower, 2), round(window.upper, 2), round(window.coverage, 4)
    (-0.7, 0.2, 0.5833)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    counts.require_both_classes("A window for promised precisions")
    if min_precision_positive is None and min_precision_negative is None:
        raise InputError(
            "`min_precision_positive` and `min_precision_negative` are both missing. "
            "Hint: promise at least one."
        )
    targets = _promises(min_precision_positive, min_precision_negative)
    masses = CutMasses.of(counts.positives, counts.negatives, *_scale(counts, prevalence))
    cuts = widest_cuts(masses, *_kept_promises(masses, *targets, 1.0, full_curve=False), 1.0)
    window = window_of_cuts(counts, *cuts, prevalence=prevalence)
    return replace(window, note=_note(window, masses, targets, 1.0))


def deterministic_window(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    positive: Target,
    negative: Target,
    skew: float | None = None,
    search: str = "direct",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> ConstrainedWindow:
    """Window without randomisation that promises a performance per class and abstains least.

    `reliable_window` meets the targets in expectation, at points of the ROC hull that need a
    random draw; this one meets them exactly on these data, with two thresholds at observed scores
    and usually a little more abstention.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`; both classes are needed.
    positive, negative : Precision, FMeasure or GmEstimate
        Promise for the positive and for the negative decisions.
    skew : float > 0, optional
        c = (cost_fp / cost_fn) (1 - prevalence) / prevalence; the sample's, at equal costs, if None.
        It weighs the decisions; the abstained weight is always the sample's.
    search : {"direct", "isometric"}
        "direct": the decisions actually made keep the promises. "isometric": the ROC points of the
        two thresholds keep them with every case decided, as in the paper. The same for precision.

    Returns
    -------
    ConstrainedWindow
        Ties: least abstained weight, then most right decisions (negatives weighted by the cost
        ratio), then the higher thresholds. A promise that no decision tests is reported by a
        performance of None and a `note`.

    Raises
    ------
    UndefinedError
        If a class is missing, or no pair of ROC points keeps both promises ("isometric").

    Notes
    -----
    For k distinct scores "isometric" takes O(k), "direct" at most O(k^2) steps, and O(k w) when the
    window holds w scores. The m of `GmEstimate` stays a share of the decided cases. For F, direct
    never abstains more (theorem 6).

    References
    ----------
    Vanderlooy, Sprinkhuizen-Kuyper, Smirnov (2006), "An Analysis of Reliable Classifiers through
    ROC Isometrics", ROCML.

    Examples
    --------
    >>> from demur import FMeasure
    >>> from demur.windows import deterministic_window
    >>> y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    >>> window = deterministic_window(y, s, positive=FMeasure(0.8), negative=FMeasure(0.75))
    >>> window.lower_index, window.upper_index, round(window.abstention_rate, 4)
    (2, 3, 0.25)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    counts.require_both_classes("A window for promised performance")
    targets = check_target(positive, "positive"), check_target(negative, "negative")
    ratio = cost_ratio_of(counts, skew)
    masses = CutMasses.of(counts.positives, counts.negatives)
    if check_choice(search, "search", ("direct", "isometric")) == "direct":
        cuts = widest_joint_cuts(masses, ratio, *_joint_margins(masses, *targets, ratio))
    else:
        starts, stops = _kept_promises(masses, *targets, ratio, full_curve=True)
        # some start must not lie above every stop; argmax finds the first one
        if not (starts.any() and stops[np.argmax(starts) :].any()):
            raise UndefinedError(
                f"No pair of thresholds keeps both promises at its ROC points, got {targets[0]} for "
                f"positive and {targets[1]} for negative decisions; at most "
                f"{_reachable(masses, targets, ratio)} is reached there, each alone. "
                "Hint: lower a target, or use search='direct'."
            )
        cuts = widest_cuts(masses, starts, stops, ratio)
    window = window_of_cuts(counts, *cuts, positive=targets[0], negative=targets[1], cost_ratio=ratio)
    return replace(window, note=_note(window, masses, targets, ratio))


def cost_ratio_of(counts: ScoreCounts, skew: float | None) -> float:
    """Return the weight of a negative beside a positive that gives the sample this skew."""
    return 1.0 if skew is None else check_skew(skew) * counts.n_positive / counts.n_negative


def _reachable(masses: CutMasses, targets: tuple[Target, Target], cost_ratio: float) -> str:
    """Say the largest value of each metric over the ROC points of the full curve."""
    p, q = masses.total[0], cost_ratio * masses.total[1]
    reached = (
        targets[0].performance(masses.positive_above, cost_ratio * masses.negative_above, p, q),
        targets[1].performance(cost_ratio * masses.negative_below, masses.positive_below, q, p),
    )
    return " and ".join(f"{np.nanmax(values):.4g}" for values in reached)
