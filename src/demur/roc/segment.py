"""Tango's interval for the difference of two error counts, and the confident ROC segment.

A confusion matrix holds b missed positives and c false alarms among n cases. Elazmeh,
Japkowicz and Matwin (2006) judge an operating point by (b - c) / n, which looks at neither of
the two (possibly huge) counts of right answers, and call it confident if the score interval of
Tango (1998) for that difference contains 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from demur._checks import check_choice, check_confidence_level, check_scores, check_whole_counts, input_error
from demur._checks.arrays import broadcast
from demur._kernels.normal import normal_quantile
from demur._results import Interval, Result, as_scalar
from demur.counts.scores import ScoreCounts, as_counts
from demur.roc.curve import roc_curve
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray, Labels, Scalar

__all__ = [
    "AreaKind",
    "ConfidentSegment",
    "TangoInterval",
    "confident_segment",
    "tango_interval",
    "tango_limits",
]

AreaKind = Literal["union", "vertical", "horizontal", "sum", "concordant"]
_WEIGHTS_HINT = "Tango's interval counts cases; use whole weights or none."


# ---------------------------------------------------------------- the interval


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class TangoInterval(Result):
    """Score interval for the difference of two paired error shares; made by `tango_interval`.

    Attributes
    ----------
    low, high : float or array
        Limits, within [-1, 1].
    difference : float or array
        The estimate (b - c) / n.
    confidence_level : float
        Level of each single interval.
    """

    low: Scalar
    high: Scalar
    difference: Scalar
    confidence_level: float


def tango_interval(
    b: ArrayLike, c: ArrayLike, n: ArrayLike, *, confidence_level: float = 0.95
) -> TangoInterval:
    """Tango's score interval for the difference (b - c) / n of two counts on the same cases.

    Positive: `b` happens more often than `c`. For a confusion matrix `b` are the missed
    positives and `c` the false alarms; for two classifiers on the same cases they are the cases
    only the first, and only the second, gets wrong. Assumes independent cases.

    Parameters
    ----------
    b, c : whole numbers >= 0
        The two counts, numbers or arrays that broadcast.
    n : whole number >= 1
        All cases, at least b + c.
    confidence_level : float, default 0.95
        Strictly between 0 and 1.

    Returns
    -------
    TangoInterval
        With `low`, `high` and `difference`; floats for numbers, arrays for arrays.

    Raises
    ------
    InputError
        For fractional or negative counts, n = 0, or b + c > n.

    Notes
    -----
    The interval holds all d with |T(d)| <= z, where T(d) = (b - c - n d) / sqrt(n (2 q + d (1 - d)))
    and q is the likelihood estimate of the probability of `c` under the difference d. The limits
    are (b - c + x) / (n + z^2), with x the outer roots of a cubic: no iteration. T(0) is McNemar's
    statistic without continuity correction. The sign is that of b - c; some packages estimate
    (c - b) / n.

    References
    ----------
    Tango (1998), Statistics in Medicine 17, 891-908,
    doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B.

    Examples
    --------
    A test on 161 patients misses 6 and raises 16 false alarms. Are the errors out of balance?

    >>> from demur.roc import tango_interval
    >>> gap = tango_interval(6, 16, 161)
    >>> f"{gap.difference:.3f}, between {gap.low:.3f} and {gap.high:.3f}: more false alarms"
    '-0.062, between -0.124 and -0.005: more false alarms'
    """
    missed, alarmed, cases = _check_table(b, c, n)
    level = check_confidence_level(confidence_level)
    low, high = tango_limits(missed, alarmed, cases, normal_quantile(level))
    return TangoInterval(
        low=as_scalar(low),
        high=as_scalar(high),
        difference=as_scalar(np.asarray((missed - alarmed) / cases)),
        confidence_level=level,
    )


def _check_table(b: ArrayLike, c: ArrayLike, n: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Broadcast the counts of one or many tables and check them against each other."""
    given = {"b": b, "c": c, "n": n}
    whole: list[Any] = [check_whole_counts(value, name, _WEIGHTS_HINT) for name, value in given.items()]
    missed, alarmed, cases = broadcast("b, c and n", *whole)
    if np.any(cases == 0):
        raise input_error("n", "must be at least 1", 0, "without cases there is no difference to estimate.")
    crowded = missed + alarmed > cases
    if np.any(crowded):
        rule = f"must be at least b + c = {(missed + alarmed)[crowded][0]}"
        raise input_error("n", rule, cases[crowded][0], "n counts all cases.")
    return missed.astype(np.float64), alarmed.astype(np.float64), cases.astype(np.float64)


def tango_limits(b: FloatArray, c: FloatArray, n: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """Limits in closed form; T(delta)^2 = z^2 is a quartic with the known root (b - c) / n.

    Dividing that root out of Tango (1998), eq. 1 and 2, and shifting by (b - c) / (n + z^2) leaves
    x^3 - p x - r = 0 with p = z^2 (z^2 + v), r = z^4 (b - c) (n - b - c) / n and
    v = b + c - (b - c)^2 / n. All three roots are real; the middle one belongs to the wrong q.
    """
    k, gap, total = z * z, b - c, b + c
    v = (total * (n - total) + 4 * b * c) / n  # the same without cancellation
    # k + v is 0 only where z^2 underflows and an error count is 0: the other branch answers
    q = np.maximum(k + v, np.finfo(np.float64).tiny)
    turn = 1.5 * z * gap * (n - total) / (n * q) * np.sqrt(3 / q)
    angle = np.arccos(np.clip(turn, -1, 1)) / 3
    reach = 2 * z * np.sqrt(q / 3)
    above, below = reach * np.cos(angle), reach * np.cos(angle + 2 * np.pi / 3)

    # One of the counts is 0: the cubic factors and may have a double root, where the arc cosine
    # would lose half of the digits. Away from 0 this is the Wilson limit of |b - c| / n.
    root = np.sqrt(k * k + 4 * k * v)
    far, near = (k + root) / 2, np.maximum(k, (root - k) / 2)
    factored = b * c == 0
    above = np.where(factored, np.where(gap >= 0, far, near), above)
    below = np.where(factored, np.where(gap >= 0, -near, -far), below)
    return np.asarray((gap + below) / (n + k)), np.asarray((gap + above) / (n + k))


# ---------------------------------------------------------------- the segment


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ConfidentSegment(Result):
    """ROC points whose two error counts do not differ significantly; made by `confident_segment`.

    Attributes
    ----------
    points : array of shape (points, 2)
        Row i: (false positive rate, true positive rate) when every score >= ``thresholds[i]`` is
        called positive, from (0, 0) on.
    thresholds : array
        Descending; inf: nothing is called positive.
    b, c : array
        Missed positives and false alarms of each point.
    difference, low, high : array
        (b - c) / n and its Tango limits.
    confident : array of bool
        Whether the limits enclose 0; one contiguous run of points.
    first, last : int or None
        Ends of that run; None where no point is confident.
    cauc : float or None
        Area of the confident segment, `area` ("union"); the higher the better.
    ave_d : float or None
        Mean of (b - c) / n over the segment; its sign can cancel, so read it beside `ave_abs_d`.
    ave_abs_d : float or None
        Mean of |b - c| / n over the segment; the lower the better.
    n_confident : int
        Number of confident points.
    n : int
        Number of cases.
    confidence_level : float
        Level of each single interval.
    """

    points: FloatArray
    thresholds: FloatArray
    b: IntArray
    c: IntArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    confident: BoolArray
    first: int | None
    last: int | None
    n: int
    confidence_level: float
    _reported = ("n_confident", "cauc", "ave_d", "ave_abs_d", "threshold_range")
    _told = ("points:points", "confident:n_confident", "cauc")

    @property
    def fpr(self) -> FloatArray:
        """False positive rate of each point."""
        return self.points[:, 0]

    @property
    def tpr(self) -> FloatArray:
        """True positive rate of each point."""
        return self.points[:, 1]

    @property
    def n_confident(self) -> int:
        """Number of confident points."""
        return int(np.count_nonzero(self.confident))

    @property
    def segment(self) -> FloatArray:
        """The confident rows of `points`."""
        return self.points[self.confident]

    @property
    def cauc(self) -> float | None:
        """Area of the confident segment; None without one."""
        return self.area("union")

    def area(self, kind: AreaKind = "union") -> float | None:
        """Return the area of the confident segment from (F1, T1) to (F2, T2); None without one.

        Parameters
        ----------
        kind : str
            "union": the region below the segment or right of it, within the strips F1 to F2 and
            T1 to T2; the AUC if the segment is the whole curve. "vertical": below it only, 0 for a
            vertical segment. "horizontal": right of it only. "sum": both, the overlap twice.
            "concordant": half of "sum", additive over segments (Carrington et al. 2020).
        """
        check_choice(kind, "kind", get_args(AreaKind))
        if self.first is None:
            return None
        # All readings of "the TP area and the FP area" in Elazmeh et al. (2006), section 3; their figure 3 is
        # not conclusive. The union is the reading taken here: the only one that equals the AUC on the whole
        # curve and is positive on a vertical segment, the usual one under imbalance.
        fpr, tpr = self.segment.T
        vertical = float(np.trapezoid(tpr, fpr))
        horizontal = float(np.trapezoid(1 - fpr, tpr))
        return {
            "union": vertical + float((1 - fpr[-1]) * (tpr[-1] - tpr[0])),
            "vertical": vertical,
            "horizontal": horizontal,
            "sum": vertical + horizontal,
            "concordant": (vertical + horizontal) / 2,
        }[kind]

    @property
    def ave_d(self) -> float | None:
        """Mean of (b - c) / n over the segment; None without one."""
        return self._mean(self.b - self.c)

    @property
    def ave_abs_d(self) -> float | None:
        """Mean of |b - c| / n over the segment; None without one."""
        return self._mean(np.abs(self.b - self.c))

    def _mean(self, gap: IntArray) -> float | None:
        # summing whole numbers first: a balanced segment gives exactly 0
        return None if self.first is None else int(gap[self.confident].sum()) / (self.n_confident * self.n)

    @property
    def threshold_range(self) -> Interval | None:
        """Smallest and largest confident threshold; None without one."""
        if self.first is None or self.last is None:
            return None
        return Interval(float(self.thresholds[self.last]), float(self.thresholds[self.first]))


def confident_segment(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    thresholds: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> ConfidentSegment:
    """Part of the ROC curve on which misses and false alarms do not differ significantly.

    A point is confident if the Tango interval of (misses - false alarms) / n contains 0. A good
    classifier has a high `cauc` and a low `ave_abs_d`. Beware: "confident" means that a test did
    not reject, not that the ROC point is known precisely; with few cases every point is confident.
    Nor does it look at costs: a balanced number of errors is right only where a miss and a false
    alarm cost the same.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in `abstention_surface`.
    confidence_level : float, default 0.95
        Level of each interval; the intervals are not simultaneous.
    thresholds : array, optional
        Judge these thresholds only, such as 0, 0.01, ..., 1; those that make the same errors
        count once (the largest is kept). Default: every distinct score, and inf.
    sample_weight : array of whole numbers >= 0, optional
        Repetitions of a case. Weights that leave a fraction at some score are refused: the
        interval is one of counts.

    Returns
    -------
    ConfidentSegment
        With `points`, `confident`, `first`, `last`, `cauc`, `area`, `ave_d`, `ave_abs_d`. The run
        can be empty when scores are tied; then `first`, `last` and all summaries are None.

    Raises
    ------
    UndefinedError
        If a class is missing.
    InputError
        For fractional weights, and as in `abstention_surface`.

    Notes
    -----
    0 lies in the interval if and only if (b - c)^2 <= z^2 (b + c), McNemar's test; so the mask needs
    no interval. Along the curve each case moves b - c by 1 in the same direction and b + c by 1,
    so the statistic is monotone and the confident points are one run. `ave_d` is an average over
    points, so it depends on which thresholds are judged.

    References
    ----------
    Elazmeh, Japkowicz, Matwin (2006), "A Framework for Comparative Evaluation of Classifiers in the
    Presence of Class Imbalance", ROCML; and ECML, doi:10.1007/11871842_16.

    Examples
    --------
    Between which thresholds are misses and false alarms in balance, and how good is that part?

    >>> from demur import confident_segment
    >>> y = [1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0]
    >>> s = [0.9, 0.8, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.3, 0.2, 0.2, 0.1]
    >>> part = confident_segment(y, s)
    >>> part
    ConfidentSegment(points=10, confident=5, cauc=0.53125)
    >>> part.threshold_range
    Interval(low=0.5, high=0.9)
    >>> round(part.ave_d, 4), round(part.ave_abs_d, 4)
    (0.0333, 0.1333)
    """
    counts = as_counts(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, both_classes="A confident segment"
    )
    level = check_confidence_level(confidence_level)
    z, n = normal_quantile(level), int(counts.n)
    points, cuts, missed, alarmed = _judged_points(counts, thresholds)
    b, c = missed.astype(np.float64), alarmed.astype(np.float64)
    confident = (b - c) ** 2 <= z * z * (b + c)
    run = np.flatnonzero(confident)
    low, high = tango_limits(b, c, np.full(len(b), counts.n), z)
    return ConfidentSegment(
        points=points,
        thresholds=cuts,
        b=missed,
        c=alarmed,
        difference=(b - c) / n,
        low=low,
        high=high,
        confident=confident,
        first=int(run[0]) if len(run) else None,
        last=int(run[-1]) if len(run) else None,
        n=n,
        confidence_level=level,
    )


def _judged_points(
    counts: ScoreCounts, thresholds: ArrayLike | None
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """ROC points in descending order of threshold, their thresholds, misses and false alarms."""
    positives, negatives = (
        check_whole_counts(column, "sample_weight", _WEIGHTS_HINT)
        for column in (counts.positives, counts.negatives)
    )
    curve = roc_curve(counts)
    points = np.column_stack([curve.fpr, curve.tpr])
    missed = np.concatenate([np.cumsum(positives)[::-1], [0]])
    alarmed = np.concatenate([[0], np.cumsum(negatives[::-1])])
    if thresholds is None:
        return points, curve.thresholds, missed, alarmed
    wanted = np.unique(check_scores(thresholds, "thresholds"))[::-1]
    # how many distinct scores are called positive; inf means none, even where a score is inf
    called = len(counts.scores) - np.searchsorted(counts.scores, wanted, side="left")
    called[np.isposinf(wanted)] = 0
    kept, position = np.unique(called, return_index=True)
    return points[kept], wanted[position], missed[kept], alarmed[kept]
