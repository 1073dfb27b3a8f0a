"""Cost curves (Drummond and Holte): normalised expected cost against the operating point.

The x axis is PC(+), which joins prevalence and costs in one number between 0 and 1
(`probability_cost`); the y axis is the expected cost divided by the worst possible one. A
fixed classifier is a straight line, a scoring classifier the lower envelope of the lines
of its thresholds:

    NEC(x) = sum over blocks b of min(x p_b, (1 - x) n_b),

with p_b, n_b the shares of the positives and of the negatives in the pooled blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_members,
    check_nonnegative,
    check_number,
    check_positive,
    check_probability,
    check_range,
    check_rate,
    check_same_length,
    check_type,
    input_error,
)
from demur._kernels.thresholds import cut_points
from demur._results import Interval, Result, as_scalar, json_safe
from demur.costs.lines import CostLine
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import InputError, UndefinedError
from demur.typing import ArrayLike, FloatArray, Labels, Scalar

__all__ = [
    "AverageCostCurve",
    "BestRange",
    "CostCurve",
    "ReviewedCostCurve",
    "average_cost_curves",
    "best_ranges",
    "cost_curve",
]

_TIE = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Envelope(Result):
    """sum_b min(x p_b, (1 - x) n_b) for any blocks with sum p = sum n = 1; the lower the better."""

    positive_share: FloatArray
    negative_share: FloatArray
    _plotted = ("expected_cost", "PC(+)", "expected cost", 1.0)

    @cached_property
    def _sorted(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Block ratios ascending, positives called negative and negatives called positive per cut."""
        ratio = self.positive_share / (self.positive_share + self.negative_share)
        order = np.argsort(ratio, kind="stable")
        missed = np.concatenate([[0.0], np.cumsum(self.positive_share[order])])
        alarmed = np.concatenate([np.cumsum(self.negative_share[order][::-1])[::-1], [0.0]])
        return ratio[order], missed, alarmed

    def _cut(self, pc: FloatArray) -> Any:
        """Number of blocks called negative at `pc`; ties go to positive."""
        return np.searchsorted(self._sorted[0], 1 - pc, side="left")

    def expected_cost(self, pc: ArrayLike) -> Scalar:
        """Return the smallest normalised expected cost at operating points `pc` in [0, 1]."""
        x = check_probability(pc, "pc")
        cut = self._cut(x)
        _, missed, alarmed = self._sorted
        return as_scalar(np.asarray(x * missed[cut] + (1 - x) * alarmed[cut]))

    @cached_property
    def vertices(self) -> FloatArray:
        """Corners (pc, cost) of the curve from (0, 0) to (1, 0), ascending."""
        inner = np.unique(1 - self._sorted[0])
        x = np.concatenate([[0.0], inner[(inner > 0) & (inner < 1)], [1.0]])
        return np.column_stack([x, np.asarray(self.expected_cost(x))])

    @property
    def operating_range(self) -> Interval | None:
        """Operating points between which the curve is below both trivial classifiers; None if nowhere."""
        ratio = self._sorted[0]
        low, high = float(1 - ratio[-1]), float(1 - ratio[0])
        return Interval(low, high) if low < high else None

    def area(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return the area under the curve between two operating points, in closed form.

        Over [0, 1] it lies between 0 (perfect) and 1/4 (uninformative).
        """
        start, stop = check_range((low, high), "(low, high)", high=1.0)
        return self._area_to(stop) - self._area_to(start)

    def _area_to(self, x: float) -> float:
        p, n = self.positive_share, self.negative_share
        turn = n / (p + n)
        whole = p * n / (2 * (p + n)) - n * (1 - x) ** 2 / 2
        return float(np.where(x <= turn, p * x**2 / 2, whole).sum())

    def expected_area(self, a: float, b: float) -> float:
        """Return the expected cost when the operating point follows a Beta(a, b) law, in closed form."""
        law = check_positive(a, "a"), check_positive(b, "b")
        return _beta_cost(self.positive_share, self.negative_share, *law)

    def h_measure(self, a: float = 2.0, b: float = 2.0, *, prevalence: float | None = None) -> float:
        """Return an H-measure: 1 minus expected cost over that of an uninformative classifier.

        1 is perfect, 0 uninformative; the higher the better. Assumes the Beta distribution says how
        likely the operating points are; the AUC would let each classifier choose its own.

        Parameters
        ----------
        a, b : float
            Parameters of the Beta law of the operating point.
        prevalence : float, optional
            None: the law is one of PC(+), prevalence and costs together. Given: the law is one
            of the share of the cost that falls on a miss, cost_fn / (cost_fn + cost_fp), at this
            prevalence (Hand 2009).

        References
        ----------
        Hand (2009), Machine Learning 77, doi:10.1007/s10994-009-5119-5.
        """
        rate = 0.5 if prevalence is None else check_rate(prevalence, "prevalence")
        if rate in (0.0, 1.0):
            raise UndefinedError(f"The H-measure needs both classes, got prevalence {rate:g}.")
        law = check_positive(a, "a"), check_positive(b, "b")
        cost = _beta_cost(rate * self.positive_share, (1 - rate) * self.negative_share, *law)
        return 1 - cost / _beta_cost(np.array([rate]), np.array([1 - rate]), *law)

    def to_dict(self) -> dict[str, Any]:
        """Return corners, area and operating range as JSON-safe built-in types."""
        return {
            "vertices": self.vertices.tolist(),
            "area": self.area(),
            "operating_range": json_safe(self.operating_range),
            **self._certainty(),
        }


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CostCurve(_Envelope):
    """Lower envelope of the cost lines of all thresholds; made by `cost_curve`.

    Attributes
    ----------
    positive_share, negative_share : array
        Element b: share of the positives (negatives) in pooled block b.
    fpr, fnr : array
        Element i: rates of threshold i (the line from (0, fpr) to (1, fnr)), from "call
        everything positive" to "call nothing positive".
    vertices : array of shape (corners, 2)
        Corners (pc, cost) of the envelope.
    operating_range : Interval or None
        Where the classifier beats both trivial ones.
    """

    counts: ScoreCounts

    @cached_property
    def fpr(self) -> FloatArray:
        """False positive rate per threshold, descending from 1."""
        negatives = self.counts.negatives
        return np.concatenate([np.cumsum(negatives[::-1])[::-1], [0.0]]) / self.counts.n_negative

    @cached_property
    def fnr(self) -> FloatArray:
        """False negative rate per threshold, ascending from 0."""
        return np.concatenate([[0.0], np.cumsum(self.counts.positives)]) / self.counts.n_positive

    def threshold(self, pc: ArrayLike) -> Scalar:
        """Return the best threshold at `pc`: call positive the scores >= it; inf means none."""
        blocks = self.counts.blocks()
        cuts = cut_points(blocks.lower, blocks.upper)[1]
        return as_scalar(np.asarray(cuts[self._cut(check_probability(pc, "pc"))]))

    def reviewed(self, nu: float, *, mu: float = 1.0) -> ReviewedCostCurve:
        """Return the curve if abstaining is allowed, at the cost nu of a review; see `ReviewedCostCurve`.

        Parameters
        ----------
        nu : float >= 0
            Cost of a review in units of a miss; from mu / (1 + mu) on nobody abstains.
        mu : float > 0
            Cost of a false alarm in units of a miss. It joins PC(+) and the prevalence.

        Examples
        --------
        A review costs a quarter of a miss, a false alarm as much as a miss. Which of two models is cheaper
        at which prevalence?

        >>> from demur import best_ranges, cost_curve
        >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
        >>> scores = {"clears": [1, 1, 3, 3, 3, 3, 3, 3], "detects": [1, 1, 1, 1, 1, 1, 3, 3]}
        >>> curves = {name: cost_curve(y, column).reviewed(0.25) for name, column in scores.items()}
        >>> for part in best_ranges(curves):
        ...     low, high = (curves["clears"].prevalence(pc) for pc in (part.low, part.high))
        ...     print(f"{low:.3f} to {high:.3f}: {' or '.join(part.winners)}")
        0.000 to 0.333: detects
        0.333 to 0.500: clears
        0.500 to 0.667: detects
        0.667 to 1.000: clears
        """
        price, alarm = check_number(check_nonnegative(nu, "nu"), "nu"), check_positive(mu, "mu")
        # abstaining pays below mu / (1 + mu) (Friedel et al. 2006, lemma 1); no block changes from there on
        price = min(price, alarm / (1 + alarm))
        p, n = self.positive_share, self.negative_share
        positive = np.concatenate([(1 - price) * p, price * p])
        negative = np.concatenate([price / alarm * n, (1 - price / alarm) * n])
        held = positive + negative > 0
        return ReviewedCostCurve(
            positive_share=positive[held], negative_share=negative[held], mu=alarm, nu=price
        )

    def __repr__(self) -> str:
        return f"CostCurve(n={self.counts.n:g}, corners={len(self.vertices)}, area={self.area():.6g})"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReviewedCostCurve(_Envelope):
    """Cost curve of a classifier that may abstain, at one price of a review; made by `CostCurve.reviewed`.

    The lower the better. A miss costs 1, a false alarm mu and a review nu; costs are divided by the worst
    ones without reviews, as in every cost curve. At fixed mu the axis PC(+) is one of prevalences,
    mu PC(+) / (1 - PC(+) + mu PC(+)).

    Attributes
    ----------
    mu, nu : float
        Costs of a false alarm and of a review; a nu at which abstaining never pays is cut to mu / (1 + mu).

    Notes
    -----
    A block with shares p and n of the classes costs min(x p, (1 - x) n, nu (x p + (1 - x) n / mu)). These
    three lines are the cost of two blocks that may not abstain, one with the shares (1 - nu) p and nu n / mu,
    one with nu p and (1 - nu / mu) n: the curve is a cost curve, with its corners, area and measures.
    """

    mu: float
    nu: float

    def prevalence(self, pc: ArrayLike) -> Scalar:
        """Return P(positive) at the operating points `pc`."""
        x = check_probability(pc, "pc")
        return as_scalar(np.asarray(self.mu * x / (1 - x + self.mu * x)))

    def trivial(self) -> ReviewedCostCurve:
        """Return the curve of the best of "always negative", "always positive" and "always review"."""
        positive, negative = np.array([1 - self.nu, self.nu]), np.array([self.nu, self.mu - self.nu])
        return replace(self, positive_share=positive, negative_share=negative / self.mu)

    def __repr__(self) -> str:
        return f"ReviewedCostCurve(mu={self.mu:g}, nu={self.nu:g}, area={self.area():.6g})"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AverageCostCurve(_Envelope):
    """Pointwise average of cost curves: the cost curve of the average performance.

    Averages what each curve reaches with its own thresholds, so it lies at or below the
    envelope of the averaged lines and has no single threshold.
    """

    n_curves: int

    def __repr__(self) -> str:
        return f"AverageCostCurve(curves={self.n_curves}, area={self.area():.6g})"


def _beta_cost(p: FloatArray, n: FloatArray, a: float, b: float) -> float:
    """Expectation of sum_b min(x p_b, (1 - x) n_b) for x ~ Beta(a, b)."""
    from scipy.special import betainc

    turn = n / (p + n)
    missed = p * a / (a + b) * betainc(a + 1, b, turn)
    alarmed = n * b / (a + b) * (1 - betainc(a, b + 1, turn))
    return float((missed + alarmed).sum())


def cost_curve(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> CostCurve:
    """Smallest normalised expected cost of a scoring classifier at every operating point.

    The lower the better; the two trivial classifiers form the tent min(x, 1 - x). Assumes
    the score distributions within each class stay as they are when prevalence changes. The
    threshold is chosen on the same data, so small samples look a little too good.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`.

    Returns
    -------
    CostCurve
        With `expected_cost`, `threshold`, `vertices`, `area`, `expected_area`, `h_measure`,
        `operating_range`.

    Raises
    ------
    UndefinedError
        If a class is missing: one of the error rates does not exist.

    References
    ----------
    Drummond and Holte (2006), Machine Learning 65, doi:10.1007/s10994-006-8199-5.

    Examples
    --------
    Misses cost five times a false alarm, and one case in five is positive:

    >>> from demur import cost_curve

    >>> from demur.costs import probability_cost
    >>> y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    >>> curve = cost_curve(y, s)
    >>> pc = probability_cost(0.2, cost_fn=5, cost_fp=1)
    >>> round(curve.expected_cost(pc), 4), curve.threshold(pc)
    (0.2593, 0.2)
    """
    counts = as_counts(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, both_classes="A cost curve"
    )
    blocks = counts.blocks()
    return CostCurve(
        positive_share=blocks.positives / counts.n_positive,
        negative_share=blocks.negatives / counts.n_negative,
        counts=counts,
    )


def average_cost_curves(
    curves: Iterable[_Envelope] | Iterable[CostLine], *, weights: ArrayLike | None = None
) -> AverageCostCurve | CostLine:
    """Pointwise average of cost curves, or of cost lines, such as those of cross-validation folds.

    Averaging costs at equal operating points is averaging performance; averaging ROC curves
    is not. Lines average to a line, envelopes to a concave curve.

    Parameters
    ----------
    curves : sequence of CostCurve, or sequence of CostLine
        At least one, all of one kind.
    weights : array, optional
        Non-negative weights, scaled to sum to 1; equal by default.

    Returns
    -------
    AverageCostCurve or CostLine

    Examples
    --------
    >>> from demur.costs import average_cost_curves
    >>> from demur import cost_line
    >>> mean = average_cost_curves([cost_line(0.1, 0.3), cost_line(0.3, 0.1)])
    >>> mean.expected_cost(0.25)
    0.2
    """
    members = check_members(curves, "curves")
    share = np.ones(len(members)) if weights is None else np.atleast_1d(check_nonnegative(weights, "weights"))
    check_same_length(curves=members, weights=share)
    if share.sum() == 0:
        raise input_error("weights", "must not all be zero", "a sum of 0")
    pairs = list(zip(share / share.sum(), members, strict=True))
    if all(isinstance(member, CostLine) for member in members):
        fpr, fnr = (float(sum(w * getattr(line, name) for w, line in pairs)) for name in ("fpr", "fnr"))
        return CostLine(fpr=fpr, fnr=fnr)
    for member in members:
        check_type(member, "curves", _Envelope)
    # sum_b min(...) is linear in the list of blocks: the average has all blocks, scaled
    return AverageCostCurve(
        positive_share=np.concatenate([w * curve.positive_share for w, curve in pairs if w > 0]),
        negative_share=np.concatenate([w * curve.negative_share for w, curve in pairs if w > 0]),
        n_curves=len(members),
    )


class BestRange(NamedTuple):
    """Operating points at which the same models are cheapest.

    `winners` holds one name, or several that tie over the whole range.
    """

    low: float
    high: float
    winners: tuple[str, ...]

    @property
    def winner(self) -> str:
        """Name of the winner, the first listed of several."""
        return self.winners[0]


def best_ranges(curves: Mapping[str, Any]) -> list[BestRange]:
    """Find which model is cheapest on which range of operating points, exactly.

    Parameters
    ----------
    curves : mapping {name: curve}
        Cost curves, average curves and cost lines may be mixed.

    Returns
    -------
    list of BestRange
        Adjacent ranges from 0 to 1; borders are exact crossings. Models that tie over a whole
        range (as all do where only a trivial rule is left) share it.

    Examples
    --------
    >>> from demur import best_ranges, cost_line
    >>> for part in best_ranges({"A": cost_line(0.1, 0.4), "B": cost_line(0.3, 0.2)}):
    ...     print(f"{part.low:.2f} to {part.high:.2f}: {part.winner}")
    0.00 to 0.50: A
    0.50 to 1.00: B
    """
    if not isinstance(curves, Mapping) or not curves:
        raise input_error("curves", "must be a non-empty mapping {name: curve}", repr(curves))
    for name, curve in curves.items():
        if not isinstance(curve, (CostLine, _Envelope)):
            raise InputError(
                f"`curves[{name!r}]` must be a cost curve or a cost line, got {type(curve).__name__}."
            )
    names = list(curves)
    corners = [curve.vertices[:, 0] for curve in curves.values() if isinstance(curve, _Envelope)]
    x = np.unique(np.concatenate([[0.0, 1.0], *corners]))
    values = np.array([np.asarray(curve.expected_cost(x)) for curve in curves.values()])
    parts: list[BestRange] = []
    for k in range(len(x) - 1):
        for low, high, who in _segment_winners(x[k], x[k + 1], values[:, k], values[:, k + 1]):
            winners = tuple(names[index] for index in who)
            if parts and parts[-1].winners == winners:
                parts[-1] = parts[-1]._replace(high=high)
            else:
                parts.append(BestRange(low, high, winners))
    return parts


def _segment_winners(
    x0: float, x1: float, at0: FloatArray, at1: FloatArray
) -> Iterable[tuple[float, float, tuple[int, ...]]]:
    """Walk along the lower envelope of straight lines on one segment."""
    slope = (at1 - at0) / (x1 - x0)
    here, value = float(x0), at0.copy()
    while True:
        lowest = np.flatnonzero(value <= value.min() + _TIE)
        steepest = slope[lowest].min()
        who = lowest[slope[lowest] <= steepest + _TIE / (x1 - x0)]
        falling = slope < steepest - _TIE / (x1 - x0)
        above = value - value[who[0]] > _TIE
        with np.errstate(divide="ignore", invalid="ignore"):
            meets = np.where(falling & above, (value - value[who[0]]) / (steepest - slope), np.inf)
        until = here + float(meets.min())
        if until >= x1 - _TIE:
            yield here, float(x1), tuple(int(index) for index in who)
            return
        yield here, until, tuple(int(index) for index in who)
        here = until
        value = at0 + slope * (here - x0)
