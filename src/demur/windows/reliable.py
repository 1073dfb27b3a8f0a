"""Reliable classifiers (Vanderlooy, Sprinkhuizen-Kuyper, Smirnov 2006): a promised performance per class.

The positive promise is an isometric that meets the ROC hull in a point a, the negative one meets
it in b. Where a lies before b on the hull, no single threshold keeps both promises, and the
scores between the two points are abstained on. Points inside a hull edge are reached by drawing
at random among the cases of one block (theorem 1).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from demur._checks import check_choice, check_confidence_level, check_rng, check_scores, input_error
from demur._kernels.binomial import binomial_interval
from demur._results import Interval, Result
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import UndefinedError
from demur.roc.curve import RocHull, roc_curve
from demur.roc.decided import ReliableRoc, at_position, cut_out
from demur.roc.isometrics import Isometric, Target, check_skew, check_target, isometric_of
from demur.surface.window import ABSTAIN, no_threshold
from demur.typing import ArrayLike, FloatArray, IntArray, Labels
from demur.windows.constrained import ConstrainedWindow, cost_ratio_of, window_of_cuts

__all__ = [
    "ExpectedCounts",
    "HullPoint",
    "ReliableWindow",
    "reliable_window",
]

# Spec 002, section 3: a vertex this close to the isometric lies on it (relative to its coefficients).
_ON_LINE = 1e-12
# Positions on the hull (edge + fraction) this close are one point: case 1 of the paper.
_SAME_POSITION = 1e-10
_SIDES = ("positive", "negative")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class HullPoint(Result):
    """A point of the ROC hull and how to reach it: call positive by threshold, one block by chance.

    Attributes
    ----------
    fpr, tpr : float
        The point.
    edge : int
        Hull edge it lies on, from (0, 0); edges are the blocks of scores from the top.
    fraction : float
        Share of the edge that is passed, 0 <= fraction < 1: the weight of the next vertex when two
        classifiers are mixed (theorem 1). 0: the point is the vertex where the edge starts.
    upper : float
        Scores >= upper lie above the point for sure.
    lower : float
        Scores >= lower (and below upper) lie above it with probability `fraction`; all others
        below. Equal to `upper` at a vertex.
    """

    fpr: float
    tpr: float
    edge: int
    fraction: float
    upper: float
    lower: float

    @property
    def position(self) -> float:
        """Edge plus fraction: orders the points of the hull, also along vertical edges."""
        return self.edge + self.fraction


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ExpectedCounts(Result):
    """Expected weight of every outcome on the data: decided rightly, wrongly, abstained on."""

    tp: float
    fp: float
    fn: float
    tn: float
    abstained_positive: float
    abstained_negative: float


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
    note : str
        Empty, or a sentence that the promises are not kept together (case 2 with F or m-estimate).
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
        return bool(np.isnan(self.positive.at(self.a.fpr, self.a.tpr, side="positive", skew=self.skew)))

    @property
    def negative_vacuous(self) -> bool:
        """Whether b keeps the negative promise only because nothing is called negative there."""
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

    def deterministic(self) -> ConstrainedWindow:
        """Return the nearest window without randomisation: a rounded back, b forward to hull vertices.

        Keeps promises of precision and F on these data with at least as much abstention; for less
        abstention see `deterministic_window`, which is not bound to the hull. Raises
        `UndefinedError` where F or m-estimate leave no vertex that keeps both promises.
        """
        hull = self.hull
        # the vertices that keep the positive promise, and those that keep the negative one
        (first, start), (stop, last) = (
            (math.ceil(low), math.floor(high))
            for low, high in (
                _stretch(hull, self.positive, "positive", self.skew),
                _stretch(hull, self.negative, "negative", self.skew),
            )
        )
        if start >= stop:
            low, high = max(first, stop), min(start, last)
            if low > high:
                raise UndefinedError(
                    "No vertex of the ROC hull keeps both promises. "
                    "Hint: lower a target or use deterministic_window."
                )
            start = stop = int(_best_between(hull, low, high, self.skew))
        blocks = self.counts.blocks()
        from_top = np.concatenate([[0], np.cumsum(blocks.groups[::-1])])
        j, i = (int(from_top[-1] - from_top[at]) for at in (start, stop))
        return window_of_cuts(
            self.counts,
            i,
            j,
            positive=self.positive,
            negative=self.negative,
            cost_ratio=self._cost_ratio,
        )

    def roc(self) -> ReliableRoc:
        """Return the ROC hull of the decided cases (theorem 2); convex again (theorem 3)."""
        return cut_out(self.hull.fpr, self.hull.tpr, self.positive_cut.position, self.negative_cut.position)

    @property
    def isometrics(self) -> tuple[Isometric, Isometric]:
        """The lines of the positive and of the negative promise."""
        return (
            isometric_of(self.positive, "positive", self.skew),
            isometric_of(self.negative, "negative", self.skew),
        )

    def __repr__(self) -> str:
        what = f"case={self.case}, lower={self.lower:.6g}, upper={self.upper:.6g}"
        return f"ReliableWindow({what}, upr={self.upr:.4g}, unr={self.unr:.4g})"


def _above(values: FloatArray, draw: FloatArray, point: HullPoint) -> Any:
    """Tell which scores lie above a hull point; a threshold of inf is never reached."""
    sure = (values >= point.upper) & (point.upper < math.inf)
    return sure | ((values >= point.lower) & (point.lower < math.inf) & (draw < point.fraction))


# ---------------------------------------------------------------- points of the hull


def _point(hull: RocHull, position: float) -> HullPoint:
    edge = int(position)
    fraction = position - edge
    upper = float(hull.thresholds[edge])
    lower = float(hull.thresholds[edge + 1]) if fraction else upper
    if math.isnan(upper) or math.isnan(lower):
        raise no_threshold()
    return HullPoint(
        fpr=at_position(hull.fpr, position),
        tpr=at_position(hull.tpr, position),
        edge=edge,
        fraction=fraction,
        upper=upper,
        lower=lower,
    )


def _stretch(hull: RocHull, target: Target, side: str, skew: float) -> tuple[float, float]:
    """First and last position at which a promise is kept.

    The hull is concave, so a half-plane holds one stretch of it (spec 002, section 3).
    """
    plane = target.half_plane(side, skew)
    h = plane.margin(hull.fpr, hull.tpr)
    kept = np.flatnonzero(h >= -_ON_LINE * sum(map(abs, plane)))
    if not len(kept):
        best = float(np.nanmax(target.at(hull.fpr, hull.tpr, side=side, skew=skew)))
        raise input_error(
            side,
            "cannot be kept at any point of this ROC hull",
            target,
            f"at most {best:.6g} is reached; lower the target.",
            error=UndefinedError,
        )
    return _crossing(h, int(kept[0]), -1), _crossing(h, int(kept[-1]), 1)


def _crossing(h: FloatArray, inside: int, step: int) -> float:
    """Position between a vertex that keeps the promise and the next one, which does not."""
    if not 0 <= inside + step < len(h):
        return float(inside)
    ahead = max(float(h[inside]), 0.0)
    return inside + step * ahead / (ahead - float(h[inside + step]))


def _best_between(hull: RocHull, low: float, high: float, skew: float) -> float:
    """Position in [low, high] with the largest tpr - c fpr; of ties the highest tpr."""
    places = np.array([low, *range(math.ceil(low), math.floor(high) + 1), high])
    fpr, tpr = (np.array([at_position(rates, at) for at in places]) for rates in (hull.fpr, hull.tpr))
    gain = tpr - skew * fpr
    tied = np.flatnonzero(gain >= gain.max() - _ON_LINE * (1 + skew))
    return float(places[tied[-1]])


# ---------------------------------------------------------------- the design


def reliable_window(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    positive: Target,
    negative: Target,
    skew: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> ReliableWindow:
    """Rule that promises a performance for the positive and for the negative decisions.

    It abstains as little as the ROC hull allows; often (cases 1 and 2) not at all. The promise is
    kept on these data as a ratio of expected counts. It is no guarantee on new data: see
    `ReliableWindow.precision_interval`.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`; both classes are needed.
    positive, negative : Precision, FMeasure or GmEstimate
        Promise for the positive and for the negative decisions. The paper advises `GmEstimate` for
        the rarer class only and `Precision` for the other.
    skew : float > 0, optional
        c = (cost_fp / cost_fn) (1 - prevalence) / prevalence; the sample's, at equal costs, if None.

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
        If a class is missing, or a target of F or m-estimate is reached nowhere on the hull; the
        message says what is. Precision can always be kept by making no such decision.

    Notes
    -----
    a is the hull point with the highest tpr at which the positive metric is at least its target,
    b the one with the lowest fpr for the negative metric; both in closed form. The
    scores between them are abstained on if a comes before b. Precision is then met exactly
    (theorem 4), F exceeded (theorem 6); see `ReliableWindow.reached` for the m-estimate. With F
    on both sides and alpha >= 1 it never abstains: F_n peaks before F_p along every hull.

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
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    counts.require_both_classes("A reliable classifier")
    check_target(positive, "positive")
    check_target(negative, "negative")
    c = counts.n_negative / counts.n_positive if skew is None else check_skew(skew)
    hull = roc_curve(counts).convex_hull()
    positive_from, at_a = _stretch(hull, positive, "positive", c)
    at_b, negative_to = _stretch(hull, negative, "negative", c)
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
                "Hint: lower a target or try deterministic_window(search='direct')."
            )
            low, high = at_b, at_a
        place = _best_between(hull, low, high, c)
        case, cuts = 2, (place, place)
    a, b, start, stop = (_point(hull, at) for at in (at_a, at_b, *cuts))
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
        expected=_expected(counts, start, stop),
        note=note,
    )


def _expected(counts: ScoreCounts, start: HullPoint, stop: HullPoint) -> ExpectedCounts:
    p, q = counts.n_positive, counts.n_negative
    return ExpectedCounts(
        tp=p * start.tpr,
        fp=q * start.fpr,
        fn=p * (1 - stop.tpr),
        tn=q * (1 - stop.fpr),
        abstained_positive=p * (stop.tpr - start.tpr),
        abstained_negative=q * (stop.fpr - start.fpr),
    )
