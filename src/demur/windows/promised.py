"""Windows for promised performance per class that abstain as little as possible; no costs needed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from demur._checks import check_choice
from demur._kernels.window_search import TIE, CutMasses, widest_cuts, widest_joint_cuts
from demur.counts.scores import ScoreCounts, as_counts
from demur.counts.window import AbstentionWindow
from demur.exceptions import InputError, UndefinedError
from demur.roc.isometrics import Target, check_target
from demur.typing import ArrayLike, Labels
from demur.windows.certified import PrecisionConfidence
from demur.windows.constrained import (
    class_factors,
    cost_ratio_of,
    precision_promises,
    vacuous_note,
    window_of_cuts,
)
from demur.windows.limits import Limits
from demur.windows.search import cut_limits

__all__ = ["PromisedPrecisions", "deterministic_window", "widest_coverage_window"]


def widest_coverage_window(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    min_precision_positive: float | None = None,
    min_precision_negative: float | None = None,
    confidence_level: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
) -> AbstentionWindow:
    """Window that decides on as many cases as possible with promised precisions per class.

    The higher the coverage the better. No costs are needed. Precision depends on the
    prevalence: pass the one in use if the sample's differs. Without `confidence_level` the promise
    holds exactly on these data, on new data only up to sampling error.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, prevalence
        As in `abstention_surface`; both classes are needed.
    min_precision_positive, min_precision_negative : float in (0, 1], optional
        Share of right decisions among the positive and among the negative ones; at least one
        of the two. None: no promise for that kind of decision.
    confidence_level : float in (0, 1), optional
        Promise the precisions for the population, with this confidence; as in `cheapest_window`.

    Returns
    -------
    AbstentionWindow
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
    search = PromisedPrecisions(counts, prevalence=prevalence)
    return search.widest(min_precision_positive, min_precision_negative, confidence_level=confidence_level)


class PromisedPrecisions:
    """Searches for promised precisions on the same cases, which are summed once for all of them."""

    def __init__(self, counts: ScoreCounts, *, prevalence: float | None = None) -> None:
        counts.require_both_classes("A window for promised precisions")
        self.counts, self.prevalence = counts, prevalence
        self.masses = CutMasses.of(counts.positives, counts.negatives, *class_factors(counts, prevalence))

    def widest(
        self, positive: float | None, negative: float | None, *, confidence_level: float | None = None
    ) -> AbstentionWindow:
        """Find the window of `widest_coverage_window`."""
        if positive is None and negative is None:
            raise InputError(
                "`min_precision_positive` and `min_precision_negative` are both missing. "
                "Hint: promise at least one."
            )
        counts, masses, prevalence = self.counts, self.masses, self.prevalence
        targets = precision_promises(positive, negative)
        confidence = PrecisionConfidence.of(counts, masses, targets, confidence_level, prevalence)
        if confidence is not None:
            starts, stops = confidence.positions()
        else:
            limits = Limits(min_precision_positive=positive, min_precision_negative=negative)
            promised = cut_limits(masses, limits)
            starts, stops = promised.starts, promised.stops
        cuts = widest_cuts(masses, starts, stops, 1.0)
        window = window_of_cuts(counts, masses, *cuts, prevalence=prevalence)
        if confidence is not None:
            window = confidence.applied(window)
        return replace(window, note=vacuous_note(window, masses, targets))


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
) -> AbstentionWindow:
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
    AbstentionWindow
        Ties: least abstained weight, then most right decisions (negatives weighted by the cost
        ratio), then the higher thresholds. A promise that no decision tests is reported by a
        performance of None and a `note`.

    Raises
    ------
    UndefinedError
        If a class is missing, or no pair of ROC points keeps both promises ("isometric").

    Notes
    -----
    For k distinct scores "isometric" takes O(k) steps and "direct" O(k log k). The m of `GmEstimate`
    stays a share of the decided cases. For F, direct never abstains more (theorem 6).

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
    targets = first, second = check_target(positive, "positive"), check_target(negative, "negative")
    ratio = cost_ratio_of(counts, skew)
    masses = CutMasses.of(counts.positives, counts.negatives)
    tp, fp = masses.positive_above, ratio * masses.negative_above
    fn, tn = masses.positive_below, ratio * masses.negative_below
    if check_choice(search, "search", ("direct", "isometric")) == "direct":
        # margins of both promises for the decided cases: a term of the cut j plus a term of the cut i
        of_positive = first.margin(tp, fp, tp, fp), first.margin(0.0, 0.0, fn, tn)
        of_negative = second.margin(0.0, 0.0, fp, tp), second.margin(tn, fn, tn, fn)
        cuts = widest_joint_cuts(masses, ratio, of_positive, of_negative)
    else:
        # with every case decided
        p, q = masses.total[0], ratio * masses.total[1]
        slack = -TIE * (p + q)
        starts, stops = second.margin(tn, fn, q, p) >= slack, first.margin(tp, fp, p, q) >= slack
        # some start must not lie above every stop; argmax finds the first one
        if not (starts.any() and stops[np.argmax(starts) :].any()):
            reached = first.performance(tp, fp, p, q), second.performance(tn, fn, q, p)
            most = " and ".join(f"{np.nanmax(values):.4g}" for values in reached)
            raise UndefinedError(
                f"No pair of thresholds keeps both promises at its ROC points, got {first} for "
                f"positive and {second} for negative decisions; at most {most} is reached there, each "
                "alone. Hint: lower a target, or use search='direct'."
            )
        cuts = widest_cuts(masses, starts, stops, ratio)
    window = window_of_cuts(counts, masses, *cuts, positive=first, negative=second, cost_ratio=ratio)
    return replace(window, note=vacuous_note(window, masses, targets, ratio))
