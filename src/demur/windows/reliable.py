"""Reliable classifiers (Vanderlooy, Sprinkhuizen-Kuyper, Smirnov 2006): a promised performance per class.

The positive promise is an isometric that meets the ROC hull in a point a, the negative one meets
it in b. Where a lies before b on the hull, no single threshold keeps both promises, and the
scores between the two points are abstained on. Points inside a hull edge are reached by drawing
at random among the cases of one block (theorem 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from demur._checks import check_choice, input_error
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import UndefinedError
from demur.roc.curve import RocHull, roc_curve
from demur.roc.isometrics import Precision, Target, check_skew, check_target
from demur.typing import ArrayLike, FloatArray, Labels
from demur.windows.hull_points import HullPoint, best_between, kept_stretch, point_at
from demur.windows.promised import widest_coverage_window
from demur.windows.reliable_rule import ExpectedCounts, ReliableWindow

__all__ = ["reliable_window"]

# Positions on the hull (edge + fraction) this close are one point: case 1 of the paper.
_SAME_POSITION = 1e-10
# a margin this close to 0, relative to the size of both classes, keeps the promise
_TIE = 1e-12


def reliable_window(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    positive: Target,
    negative: Target,
    skew: float | None = None,
    search: str = "isometric",
    confidence_level: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> ReliableWindow:
    """Rule that promises a performance for the positive and for the negative decisions.

    It abstains as little as the ROC hull allows; often (cases 1 and 2) not at all. The promise is
    kept on these data as a ratio of expected counts. For new data, where it is broken about every
    second time, ask for a `confidence_level`.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`; both classes are needed.
    positive, negative : Precision, FMeasure or GmEstimate
        Promise for the positive and for the negative decisions. The paper advises `GmEstimate` for
        the rarer class only and `Precision` for the other.
    skew : float > 0, optional
        c = (cost_fp / cost_fn) (1 - prevalence) / prevalence; the sample's, at equal costs, if None.
    search : {"isometric", "direct"}
        "isometric": the points a and b keep the promises with every case decided, as in the paper.
        "direct": the decided cases keep them, which is what they are for. The same for precision; F can
        be promised that no point of the hull reaches, with less abstention where both exist.
    confidence_level : float in (0, 1), optional
        Promise both precisions for the population, with this confidence; as in `cheapest_window`.
        The rule then has two thresholds at tested ranks and draws nothing at random. Needs
        `Precision` below 1 on both sides, independent cases, and no `skew`.

    Returns
    -------
    ReliableWindow
        With the thresholds `lower` and `upper`, `case`, the points `a` and `b`, `upr`, `unr`,
        performances reached, `decide`, `deterministic` and `roc`. In case 2 the point between b and
        a that keeps both promises with the largest tpr - c fpr is used, of several the one with
        the highest tpr; if there is none (F, m-estimate), `note` says so.

    Raises
    ------
    UndefinedError
        If a class is missing, or a target of F or m-estimate is reached nowhere on the hull
        ("isometric"); the message says what is. Precision can always be kept by making no such
        decision. "direct" always has an answer; where a promise holds only because nothing is left to
        test it, `note` says so.

    Notes
    -----
    a is the hull point with the highest tpr at which the positive metric is at least its target,
    b the one with the lowest fpr for the negative metric; both in closed form. The
    scores between them are abstained on if a comes before b. Precision is then met exactly
    (theorem 4), F exceeded (theorem 6); see `ReliableWindow.reached` for the m-estimate. With F
    on both sides and alpha >= 1 it never abstains: F_n peaks before F_p along every hull. With
    "direct", the least abstention over all pairs of hull points is found exactly: a linear program in
    two variables for every pair of edges. For precision and F no pair of thresholds abstains less.

    References
    ----------
    Vanderlooy, Sprinkhuizen-Kuyper, Smirnov (2006), "An Analysis of Reliable Classifiers through
    ROC Isometrics", ROCML.

    Examples
    --------
    Nine of ten decisions right on both sides. More than half of the cases must then go to people:

    >>> from demur import Precision, reliable_window
    >>> y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    >>> window = reliable_window(y, s, positive=Precision(0.9), negative=Precision(0.9))
    >>> window.case, round(window.abstention_rate, 4), round(window.accuracy, 4)
    (3, 0.5397, 0.9)

    No point of the hull has F = 0.8, but the decided cases can, for both classes: abstain on 27 %.

    >>> from demur import FMeasure
    >>> window = reliable_window(y, s, positive=FMeasure(0.8), negative=FMeasure(0.8), search="direct")
    >>> round(window.abstention_rate, 4), round(window.positive_reached, 4), round(window.negative_reached, 4)
    (0.2708, 0.8, 0.8)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    counts.require_both_classes("A reliable classifier")
    check_target(positive, "positive")
    check_target(negative, "negative")
    if confidence_level is not None:
        return _certified(counts, positive, negative, skew, confidence_level)
    c = counts.n_negative / counts.n_positive if skew is None else check_skew(skew)
    hull = roc_curve(counts).convex_hull()
    if check_choice(search, "search", ("isometric", "direct")) == "direct":
        return _kept_by_decided(counts, hull, positive, negative, c)
    positive_from, at_a = kept_stretch(hull, positive, "positive", c)
    at_b, negative_to = kept_stretch(hull, negative, "negative", c)
    note = ""
    if abs(at_a - at_b) <= _SAME_POSITION:
        case, cuts = 1, (at_a, at_a)
    elif at_a < at_b:
        case, cuts = 3, (at_a, at_b)
    else:
        # The paper lets every point from b to a keep both promises. True for precision; F and the
        # m-estimate can fail again near a corner of ROC space, so the stretches must overlap.
        low, high = max(at_b, positive_from), min(at_a, negative_to)
        if low > high:
            note = (
                "Each promise is kept somewhere on the ROC hull, but no single point keeps both. "
                "Hint: lower a target or use search='direct'."
            )
            low, high = at_b, at_a
        place = best_between(hull, low, high, c)
        case, cuts = 2, (place, place)
    a, b, start, stop = (point_at(hull, at) for at in (at_a, at_b, *cuts))
    return ReliableWindow(
        counts=counts,
        positive=positive,
        negative=negative,
        skew=c,
        case=case,
        a=a,
        b=b,
        positive_cut=start,
        negative_cut=stop,
        expected=ExpectedCounts.between(counts, start, stop),
        note=note,
    )


def _kept_by_decided(
    counts: ScoreCounts, hull: RocHull, positive: Target, negative: Target, skew: float
) -> ReliableWindow:
    """Make the rule whose decided cases keep both promises with the least abstention."""
    place = _point_for_both(hull, positive, negative, skew)
    cuts = _least_abstaining_pair(counts, hull, positive, negative, skew) if place is None else (place, place)
    a, b = (point_at(hull, at) for at in cuts)
    window = ReliableWindow(
        counts=counts,
        positive=positive,
        negative=negative,
        skew=skew,
        case=3 if place is None else 2,
        a=a,
        b=b,
        positive_cut=a,
        negative_cut=b,
        expected=ExpectedCounts.between(counts, a, b),
        search="direct",
    )
    empty = [side for side in ("positive", "negative") if np.isnan(window.reached(side))]
    if not empty:
        return window
    return replace(
        window,
        note=f"The promise for the {' and the '.join(empty)} decisions holds only because no case is left "
        "to test it. Hint: lower a target.",
    )


def _point_for_both(hull: RocHull, positive: Target, negative: Target, skew: float) -> float | None:
    """Position of the best hull point that keeps both promises with every case decided, if there is one."""
    try:
        first = kept_stretch(hull, positive, "positive", skew)
        second = kept_stretch(hull, negative, "negative", skew)
    except UndefinedError:
        return None
    low, high = max(first[0], second[0]), min(first[1], second[1])
    if low > high + _SAME_POSITION:
        return None
    return best_between(hull, min(low, high), high, skew)


def _least_abstaining_pair(
    counts: ScoreCounts, hull: RocHull, positive: Target, negative: Target, skew: float
) -> tuple[float, float]:
    """Return the positions a < b on the hull with the least abstention that keeps both promises.

    A margin of either promise is a term of a plus a term of b (`Target.margin`), each linear along a
    hull edge, and so is the abstained weight: for every pair of edges this is a linear program in two
    variables, solved at its corners. To abstain on everything keeps every promise, so there is always
    an answer. Of equally small abstentions the one with the most right decisions is taken.
    """
    tpr, fpr = hull.tpr, skew * hull.fpr
    fnr, tnr = 1 - tpr, skew - fpr
    by_a = np.array([positive.margin(tpr, fpr, tpr, fpr), negative.margin(0.0, 0.0, fpr, tpr)])
    by_b = np.array([positive.margin(0.0, 0.0, fnr, tnr), negative.margin(tnr, fnr, tnr, fnr)])
    above = (counts.n_positive * hull.tpr + counts.n_negative * hull.fpr) / counts.n
    slack = _TIE * (1 + skew)
    best, answer = (-np.inf, -np.inf), (0.0, float(len(tpr) - 1))
    for edge in range(len(tpr) - 1):
        others = np.arange(edge, len(tpr) - 1)
        steps_a, steps_b = by_a[:, edge + 1] - by_a[:, edge], by_b[:, others + 1] - by_b[:, others]
        start = by_a[:, edge, None] + by_b[:, others]
        for along_a, along_b in _corners(start, steps_a, steps_b):
            with np.errstate(invalid="ignore"):
                margins = start + steps_a[:, None] * along_a + steps_b * along_b
                inside = (along_a >= 0) & (along_a <= 1) & (along_b >= 0) & (along_b <= 1)
                kept = inside & (margins >= -slack).all(axis=0)
                kept[0] &= along_a[0] <= along_b[0]  # both points lie on one edge
            if not kept.any():
                continue
            a, b = edge + along_a[kept], others[kept] + along_b[kept]
            vertices = np.arange(len(tpr))
            decided = np.interp(a, vertices, above) - np.interp(b, vertices, above)
            right = np.interp(a, vertices, tpr) + np.interp(b, vertices, tnr)
            most = decided >= decided.max() - _TIE
            pick = int(np.flatnonzero(most)[np.argmax(right[most])])
            found = float(decided[pick]), float(right[pick])
            if found[0] > best[0] + _TIE or (found[0] >= best[0] - _TIE and found[1] > best[1] + _TIE):
                best, answer = found, (float(a[pick]), float(b[pick]))
    return answer


def _corners(
    start: FloatArray, steps_a: FloatArray, steps_b: FloatArray
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield where two of the six lines meet: the sides of the unit square and the two promises.

    Column f of `start` and `steps_b` belongs to one edge of b. A pair of parallel lines gives NaN or
    infinity, which lies in no square.
    """
    size = start.shape[1]
    ends = np.zeros(size), np.ones(size)
    for one in ends:
        for other in ends:
            yield one, other
    with np.errstate(divide="ignore", invalid="ignore"):
        for margin, step_a, step_b in zip(start, steps_a, steps_b, strict=True):
            for end in ends:
                yield end, -(margin + step_a * end) / step_b
                yield -(margin + step_b * end) / step_a, end
        determinant = steps_a[0] * steps_b[1] - steps_a[1] * steps_b[0]
        yield (
            (start[1] * steps_b[0] - start[0] * steps_b[1]) / determinant,
            (start[0] * steps_a[1] - start[1] * steps_a[0]) / determinant,
        )


def _certified(
    counts: ScoreCounts, positive: Target, negative: Target, skew: float | None, level: float
) -> ReliableWindow:
    """Make the rule of the window that abstains least among those that promise with confidence."""
    if not (isinstance(positive, Precision) and isinstance(negative, Precision)):
        got = f"{type(positive).__name__} and {type(negative).__name__}"
        raise input_error("positive and negative", "must be Precision with confidence_level", got)
    if skew is not None:
        rule = "must be left out with confidence_level: precision is tested on these cases"
        raise input_error("skew", rule, skew, "sample the cases at the prevalence in use.")
    window = widest_coverage_window(
        counts,
        min_precision_positive=positive.value,
        min_precision_negative=negative.value,
        confidence_level=level,
    )
    i, j = window.lower_index, window.upper_index
    a = _threshold_point(counts, j, window.upper)
    # "negative" ends strictly below score i, which is where "not negative" begins
    b = _threshold_point(counts, i, float(counts.scores[i]) if 0 < i < len(counts.scores) else window.lower)
    return ReliableWindow(
        counts=counts,
        positive=positive,
        negative=negative,
        skew=counts.n_negative / counts.n_positive,
        case=3 if i < j else 2,
        a=a,
        b=b,
        positive_cut=a,
        negative_cut=b,
        expected=ExpectedCounts.between(counts, a, b),
        certified=window,
        note=window.note,
    )


def _threshold_point(counts: ScoreCounts, position: int, threshold: float) -> HullPoint:
    """Return the ROC point of a threshold, on or below the hull, with the hull edge it lies under."""
    from_top = np.cumsum(counts.blocks().groups[::-1])
    return HullPoint(
        fpr=float(counts.negatives[position:].sum()) / counts.n_negative,
        tpr=float(counts.positives[position:].sum()) / counts.n_positive,
        edge=int(np.searchsorted(from_top, len(counts.scores) - position, side="right")),
        fraction=0.0,
        upper=threshold,
        lower=threshold,
    )
