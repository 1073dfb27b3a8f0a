"""`ReliableWindow`: a rule that keeps a promise per class, its rates, performance and decisions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from demur._checks import check_choice, check_confidence_level, check_rng, check_scores
from demur._kernels.proportions import binomial_interval
from demur._kernels.window_search import CutMasses
from demur._results import Interval, Result
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.exceptions import UndefinedError
from demur.roc.curve import ReliableRoc, RocHull, cut_out, roc_curve
from demur.roc.isometrics import Isometric, Target, isometric_of
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray
from demur.windows.constrained import cost_ratio_of, window_of_cuts
from demur.windows.hull_points import HullPoint, best_between, kept_stretch
from demur.windows.promised import deterministic_window

__all__ = ["ExpectedCounts", "ReliableWindow"]

_SIDES = ("positive", "negative")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ExpectedCounts(Result):
    """Expected weight of every outcome on the data: decided rightly, wrongly, abstained on."""

    tp: float
    fp: float
    fn: float
    tn: float
    abstained_positive: float
    abstained_negative: float

    @classmethod
    def between(cls, counts: ScoreCounts, positive_cut: HullPoint, negative_cut: HullPoint) -> ExpectedCounts:
        """Expect positive decisions above one point of the hull and negative ones below the other."""
        p, q = counts.n_positive, counts.n_negative
        return cls(
            tp=p * positive_cut.tpr,
            fp=q * positive_cut.fpr,
            fn=p * (1 - negative_cut.tpr),
            tn=q * (1 - negative_cut.fpr),
            abstained_positive=p * (negative_cut.tpr - positive_cut.tpr),
            abstained_negative=q * (negative_cut.fpr - positive_cut.fpr),
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReliableWindow(Result):
    """Rule that keeps a promise per class in expectation; made by `reliable_window`.

    Attributes
    ----------
    case : int
        1: the isometrics meet on the hull, one classifier has exactly both performances.
        2: they meet below it, one classifier between b and a keeps both promises, nobody abstains.
        3: they meet above it; the scores between a and b are abstained on.
    a, b : HullPoint
        Where the positive and the negative promise end: a has the highest tpr, b the lowest fpr.
    positive_cut, negative_cut : HullPoint
        Above the first a case is called positive, below the second negative. a and b in case 3;
        otherwise one and the same point.
    upr, unr : float
        Expected share of the positives and of the negatives abstained on (eq. 8 and 9).
    skew, new_skew : float
        Skew ratio of the data and of the decided cases, c (1 - unr) / (1 - upr).
    new_fpr, new_tpr : float
        ROC point of the decided cases (theorem 2). NaN where no case of the class is decided.
    expected : ExpectedCounts
        Expected outcomes on the data; their ratios meet the promises, not the expected ratios.
    positive_reached, negative_reached : float
        Promised metrics of the decided cases at `new_skew`, with the m of `GmEstimate` as a share
        of the decided cases. NaN where `positive_vacuous` or `negative_vacuous`.
    positive_vacuous, negative_vacuous : bool
        The metric is 0/0: there is no decision of that kind to judge.
    accuracy : float
        Skew-weighted accuracy of the decided cases; between the two precisions (theorem 5).
    positive, negative : Precision, FMeasure or GmEstimate
        The promises.
    search : str
        "isometric": a and b keep the promises with every case decided. "direct": the decided cases do.
    certified : AbstentionWindow or None
        The window of two thresholds whose precisions hold with a confidence level, if one was
        asked for. The points a and b are then its thresholds, on or below the hull.
    note : str
        Empty, or a sentence on promises that are not kept together (case 2 with F or m-estimate)
        or that hold only because no such decision is made.
    """

    counts: ScoreCounts
    positive: Target
    negative: Target
    skew: float
    case: int
    a: HullPoint
    b: HullPoint
    positive_cut: HullPoint
    negative_cut: HullPoint
    expected: ExpectedCounts
    search: str = "isometric"
    certified: AbstentionWindow | None = None
    note: str = ""
    _reported = (
        "upr",
        "unr",
        "new_skew",
        "new_fpr",
        "new_tpr",
        "positive_reached",
        "negative_reached",
        "positive_vacuous",
        "negative_vacuous",
        "accuracy",
    )
    _told = ("case", "lower", "upper", "upr", "unr")

    @cached_property
    def hull(self) -> RocHull:
        """ROC hull the points a and b lie on."""
        return roc_curve(self.counts).convex_hull()

    # ---------------------------------------------------------------- rates

    @property
    def upr(self) -> float:
        """Expected share of the positives abstained on."""
        return self.negative_cut.tpr - self.positive_cut.tpr

    @property
    def unr(self) -> float:
        """Expected share of the negatives abstained on."""
        return self.negative_cut.fpr - self.positive_cut.fpr

    @property
    def abstention_rate(self) -> float:
        """Expected share of all cases abstained on."""
        return (self.expected.abstained_positive + self.expected.abstained_negative) / self.counts.n

    @property
    def coverage(self) -> float:
        """Expected share of the cases that get a decision."""
        return 1.0 - self.abstention_rate

    @property
    def new_skew(self) -> float:
        """Skew ratio of the decided cases."""
        return self.skew * (1 - self.unr) / (1 - self.upr) if self.upr < 1 else math.nan

    @property
    def new_fpr(self) -> float:
        """False positive rate of the decided negatives."""
        return self.positive_cut.fpr / (1 - self.unr) if self.unr < 1 else math.nan

    @property
    def new_tpr(self) -> float:
        """True positive rate of the decided positives."""
        return self.positive_cut.tpr / (1 - self.upr) if self.upr < 1 else math.nan

    # ---------------------------------------------------------------- performance

    @cached_property
    def _cost_ratio(self) -> float:
        return cost_ratio_of(self.counts, self.skew)

    @property
    def _decided(self) -> tuple[float, float, float, float]:
        """Expected hits and alarms of both kinds, negatives weighted by the cost ratio."""
        e, w = self.expected, self._cost_ratio
        return e.tp, w * e.fp, w * e.tn, e.fn

    @property
    def positive_reached(self) -> float:
        """Promised metric of the positive decisions."""
        return self.reached("positive")

    @property
    def negative_reached(self) -> float:
        """Promised metric of the negative decisions."""
        return self.reached("negative")

    @property
    def positive_vacuous(self) -> bool:
        """Whether a keeps the positive promise only because nothing is called positive there."""
        if self.search == "direct":
            return math.isnan(self.positive_reached)
        return bool(np.isnan(self.positive.at(self.a.fpr, self.a.tpr, side="positive", skew=self.skew)))

    @property
    def negative_vacuous(self) -> bool:
        """Whether b keeps the negative promise only because nothing is called negative there."""
        if self.search == "direct":
            return math.isnan(self.negative_reached)
        return bool(np.isnan(self.negative.at(self.b.fpr, self.b.tpr, side="negative", skew=self.skew)))

    @property
    def accuracy(self) -> float:
        """Skew-weighted accuracy of the decided cases; NaN if none is decided."""
        tp, fp, tn, fn = self._decided
        total = tp + fp + tn + fn
        return (tp + tn) / total if total > 0 else math.nan

    def reached(self, side: str, *, hold: str = "share") -> float:
        """Return the promised metric of the decided cases, as a ratio of expectations.

        Precision is met exactly (theorem 4), F at least (theorem 6). An m-estimate can also fall
        short: with m held as a number of cases it is at least the promise iff upr <= unr for the
        positive and upr >= unr for the negative decisions (theorems 7 and 8).

        Parameters
        ----------
        side : {"positive", "negative"}
            Which decisions.
        hold : {"share", "count"}
            Keep the prior cases of `GmEstimate` a fixed share of the decided cases (m-hat in the
            paper), or a fixed number (m), which weighs more the fewer cases are decided.
        """
        tp, fp, tn, fn = self._decided
        own, other = tp + fn, fp + tn
        if check_choice(side, "side", _SIDES) == "positive":
            target, weights = self.positive, (tp, fp, own, other)
        else:
            target, weights = self.negative, (tn, fn, other, own)
        prior = target.prior_share
        if check_choice(hold, "hold", ("share", "count")) == "count" and own + other > 0:
            whole = self.counts.n_positive + self._cost_ratio * self.counts.n_negative
            prior *= whole / (own + other)
        return float(target.performance(*weights, prior=prior))

    def precision_interval(self, side: str, *, confidence_level: float = 0.95) -> Interval:
        """Return Clopper-Pearson limits of the precision of one kind of decision on new data.

        The promise itself is kept on these data only. From the expected numbers of right and wrong
        decisions; assumes independent cases of weight 1, and ignores that the window was chosen on
        the same cases, so that the lower limit is a little too high.
        """
        level = check_confidence_level(confidence_level)
        e = self.expected
        right, wrong = (e.tp, e.fp) if check_choice(side, "side", _SIDES) == "positive" else (e.tn, e.fn)
        if right + wrong == 0:
            raise UndefinedError(
                f"A precision needs decisions, got no {side} decision. Hint: lower the target."
            )
        low, high = binomial_interval(right, right + wrong, level)
        return Interval(float(low), float(high))

    # ---------------------------------------------------------------- use

    @property
    def upper(self) -> float:
        """Scores >= upper are called positive for sure."""
        return self.positive_cut.upper

    @property
    def lower(self) -> float:
        """Scores < lower are called negative for sure."""
        return self.negative_cut.lower

    def decide(self, scores: ArrayLike, *, rng: Any = None) -> IntArray:
        """Return 1 (positive), 0 (negative) or `ABSTAIN` for every score, drawing where a cut splits a block.

        Same seed, same decisions; one draw per score. `rng` is a seed or a numpy Generator.
        """
        values = check_scores(scores, "scores")
        draw = check_rng(rng).random(len(values))
        codes = np.full(len(values), ABSTAIN, dtype=np.int64)
        # One draw serves both cuts: on a shared block positive has probability fraction(a) <=
        # fraction(b), negative 1 - fraction(b), and no case can be both.
        codes[~_above(values, draw, self.negative_cut)] = 0
        codes[_above(values, draw, self.positive_cut)] = 1
        return codes

    def deterministic(self) -> AbstentionWindow:
        """Return the nearest window without randomisation: a rounded back, b forward to hull vertices.

        Keeps promises of precision and F on these data with at least as much abstention; for less
        abstention see `deterministic_window`, which is not bound to the hull. Raises
        `UndefinedError` where F or m-estimate leave no vertex that keeps both promises.
        """
        if self.certified is not None:
            return self.certified
        if self.search == "direct":
            return deterministic_window(
                self.counts, positive=self.positive, negative=self.negative, skew=self.skew
            )
        hull = self.hull
        # the vertices that keep the positive promise, and those that keep the negative one
        (first, start), (stop, last) = (
            (math.ceil(low), math.floor(high))
            for low, high in (
                kept_stretch(hull, self.positive, "positive", self.skew),
                kept_stretch(hull, self.negative, "negative", self.skew),
            )
        )
        if start >= stop:
            low, high = max(first, stop), min(start, last)
            if low > high:
                raise UndefinedError(
                    "No vertex of the ROC hull keeps both promises. "
                    "Hint: lower a target or use deterministic_window."
                )
            start = stop = int(best_between(hull, low, high, self.skew))
        blocks = self.counts.blocks()
        from_top = np.concatenate([[0], np.cumsum(blocks.groups[::-1])])
        j, i = (int(from_top[-1] - from_top[at]) for at in (start, stop))
        return window_of_cuts(
            self.counts,
            CutMasses.of(self.counts.positives, self.counts.negatives),
            i,
            j,
            positive=self.positive,
            negative=self.negative,
            cost_ratio=self._cost_ratio,
        )

    def roc(self) -> ReliableRoc:
        """Return the ROC hull of the decided cases (theorem 2); convex again (theorem 3).

        With `certified` the ROC curve itself, of which the tested thresholds are points.
        """
        if self.certified is not None:
            curve, size = roc_curve(self.counts), len(self.counts.scores)
            stops = size - self.certified.upper_index, size - self.certified.lower_index
            return cut_out(curve.fpr, curve.tpr, *stops)
        return cut_out(self.hull.fpr, self.hull.tpr, self.positive_cut.position, self.negative_cut.position)

    @property
    def isometrics(self) -> tuple[Isometric, Isometric]:
        """The lines of the positive and of the negative promise."""
        return (
            isometric_of(self.positive, "positive", self.skew),
            isometric_of(self.negative, "negative", self.skew),
        )


def _above(values: FloatArray, draw: FloatArray, point: HullPoint) -> BoolArray:
    """Tell which scores lie above a hull point; a threshold of inf is never reached."""
    sure = (values >= point.upper) & (point.upper < math.inf)
    return sure | ((values >= point.lower) & (point.lower < math.inf) & (draw < point.fraction))
