"""ROC and precision-recall curves, the convex hull, AUC and partial AUC, the curve of decided cases.

Theorem 2 of Vanderlooy, Sprinkhuizen-Kuyper and Smirnov (2006): where the middle of a curve, from a to b, is
abstained on, the parts before a and after b are stretched until they meet, and the curve of a convex hull
stays convex (theorem 3).
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_finite, check_range, check_rate, input_error
from demur._kernels.polyline import height
from demur._kernels.running import running_sums
from demur._kernels.thresholds import cut_points
from demur._results import Result, read_only
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import DegenerateDataWarning, UndefinedError
from demur.typing import ArrayLike, FloatArray, Labels, Range

__all__ = [
    "PrecisionRecallCurve",
    "ReliableRoc",
    "RocCurve",
    "RocHull",
    "area_between",
    "at_position",
    "auc_score",
    "average_precision_of",
    "check_part",
    "cut_out",
    "precision_recall_curve",
    "reliable_roc",
    "roc_curve",
    "running_rate",
]

_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class RocHull(Result):
    """Upper convex hull of a ROC curve, from (0, 0) to (1, 1): the operating points worth having.

    Attributes
    ----------
    fpr, tpr : array
        Vertices, ascending. The edge from vertex b to b + 1 is one pooled block, top scores first.
    thresholds : array
        Element b: predict positive from this score on to reach vertex b; inf for (0, 0),
        -inf for (1, 1).
    auc : float
        Area under the hull, at least the AUC.
    """

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    auc: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class RocCurve(Result):
    """True against false positive rate of every threshold; made by `roc_curve`.

    Attributes
    ----------
    fpr, tpr : array
        Element i: rates when every score >= ``thresholds[i]`` is called positive.
    thresholds : array
        Descending: inf (nothing is positive), then every distinct score.
    auc : float
        Area under the curve, ties counted one half.
    n_positive, n_negative : float
        Weight of each class.
    """

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    auc: float
    n_positive: float
    n_negative: float
    counts: ScoreCounts
    _told = ("auc", "points:fpr")

    def convex_hull(self) -> RocHull:
        """Return the upper convex hull; its edges are the pooled blocks of the scores."""
        blocks = self.counts.blocks()
        fpr, tpr = (running_rate(column[::-1]) for column in (blocks.negatives, blocks.positives))
        thresholds = cut_points(blocks.lower, blocks.upper)[1][::-1]
        return RocHull(fpr=fpr, tpr=tpr, thresholds=thresholds.copy(), auc=float(np.trapezoid(tpr, fpr)))

    def partial_auc(self, min_fpr: float = 0.0, max_fpr: float = 1.0, *, standardize: bool = False) -> float:
        """Return the area between two false positive rates.

        Parameters
        ----------
        min_fpr, max_fpr : float
            Ends of the range, 0 <= min_fpr < max_fpr <= 1.
        standardize : bool
            Rescale so that 1/2 is the diagonal and 1 a perfect curve (McClish 1989). Below the
            diagonal it is less than 1/2 and not comparable between ranges, which a
            `DegenerateDataWarning` says.
        """
        low, high = check_part("fpr", min_fpr, max_fpr)
        return area_between(self.fpr, self.tpr, low, high, standardize=standardize)

    def partial_auc_sensitivity(
        self, min_tpr: float, max_tpr: float = 1.0, *, standardize: bool = False
    ) -> float:
        """Return the area of specificity over a range of sensitivity (true positive rate).

        The mirror image of `partial_auc` for uses that must find at least `min_tpr` of the
        positives. `standardize` as there.
        """
        low, high = check_part("tpr", min_tpr, max_tpr)
        # specificity against 1 - sensitivity is the same curve read from the other corner
        x, y = 1 - self.tpr[::-1], 1 - self.fpr[::-1]
        return area_between(x, y, 1 - high, 1 - low, standardize=standardize)


def running_rate(counts: FloatArray) -> FloatArray:
    """Share of the weight up to each element, from 0 to 1."""
    total = np.concatenate([[0.0], np.cumsum(counts)])
    return np.asarray(total / total[-1])


def check_part(axis: str, start: float, stop: float) -> Range:
    """Require a range of rates on one axis, "fpr" or "tpr", that is not empty."""
    low, high = check_range((start, stop), f"(min_{axis}, max_{axis})", high=1.0)
    if low == high:
        raise input_error(f"max_{axis}", f"must exceed min_{axis} = {low:g}", high)
    return low, high


def area_between(
    x: FloatArray,
    y: FloatArray,
    low: float,
    high: float,
    *,
    standardize: bool = False,
    resampled: bool = False,
) -> float:
    """Area under an ascending polyline between two abscissae.

    On a vertical step at a limit the height does not matter: the step has no width. Standardised, 1/2
    is the diagonal and 1 a perfect curve (McClish 1989). Below the diagonal in the range the line is
    continued, as in scikit-learn (pROC returns NA), with a `DegenerateDataWarning`: the smallest
    possible value depends on the range there (0.47 for rates up to 0.1, -9 for rates from 0.9 on), so
    such numbers cannot be compared between ranges. Resamples of a curve may fall below the diagonal
    without a warning.
    """
    inside = (x > low) & (x < high)
    ends = [height(x, y, low, side="right"), height(x, y, high, side="left")]
    xs = np.concatenate([[low], x[inside], [high]])
    area = float(np.trapezoid(np.concatenate([ends[:1], y[inside], ends[1:]]), xs))
    if not standardize:
        return area
    diagonal, perfect = (high**2 - low**2) / 2, high - low
    if not resampled and area < diagonal * (1 - _ROUNDING):
        warnings.warn(
            f"the curve lies below the diagonal in the range (area {area:.4g}, chance {diagonal:.4g}), so "
            "its standardised partial AUC is below 1/2 and cannot be compared with other ranges; check "
            "whether higher scores mean more positive",
            DegenerateDataWarning,
            stacklevel=3,
        )
    return (1 + (area - diagonal) / (perfect - diagonal)) / 2


def roc_curve(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> RocCurve:
    """True against false positive rate of every threshold; up and left is better.

    Ranks only: any increasing rescaling of the scores gives the same curve. The direction is
    never guessed: a classifier worse than chance stays below the diagonal.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`.

    Returns
    -------
    RocCurve
        With `auc`, `convex_hull`, `partial_auc`, `partial_auc_sensitivity`. All distinct
        scores are kept; collinear points are not dropped.

    Raises
    ------
    UndefinedError
        If a class is missing: one of the rates does not exist.

    References
    ----------
    Fawcett (2006), Pattern Recognition Letters 27, doi:10.1016/j.patrec.2005.10.010.

    Examples
    --------
    >>> from demur import roc_curve
    >>> curve = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.auc
    0.75
    >>> curve.convex_hull().auc
    0.875
    """
    counts = as_counts(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, both_classes="A ROC curve"
    )
    return RocCurve(
        fpr=read_only(running_rate(counts.negatives[::-1])),
        tpr=read_only(running_rate(counts.positives[::-1])),
        thresholds=read_only(np.concatenate([[np.inf], counts.scores[::-1]])),
        auc=auc_score(counts),
        n_positive=counts.n_positive,
        n_negative=counts.n_negative,
        counts=counts,
    )


def auc_score(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Area under the ROC curve; the higher the better.

    The probability that a random positive scores above a random negative, ties counted one
    half (Mann-Whitney). Blind to prevalence and to costs: see `vacc_score` for a summary
    that is not. Parameters as in `abstention_surface`.

    Raises
    ------
    UndefinedError
        If a class is missing.

    References
    ----------
    Hanley and McNeil (1982), Radiology 143, doi:10.1148/radiology.143.1.7063747.

    Examples
    --------
    >>> from demur import auc_score
    >>> auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    counts = as_counts(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, both_classes="The AUC"
    )
    won, tied = counts.pair_shares
    return min(won + tied / 2, 1.0)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class PrecisionRecallCurve(Result):
    """Precision against recall of every threshold; made by `precision_recall_curve`.

    Attributes
    ----------
    precision, recall : array
        Element i: values when every score >= ``thresholds[i]`` is called positive; recall ascends.
    thresholds : array
        Every distinct score, descending.
    average_precision : float
        Mean precision over the positives, without interpolation.
    prevalence : float
        P(positive) assumed: the precision of calling everything positive.
    """

    precision: FloatArray
    recall: FloatArray
    thresholds: FloatArray
    average_precision: float
    prevalence: float
    _told = ("average_precision", "points:recall")


def precision_recall_curve(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
) -> PrecisionRecallCurve:
    """Precision against recall of every threshold; up and right is better.

    Precision depends on the prevalence: pass the one in use if the sample's differs. The
    artificial point (recall 0, precision 1) that some packages add is left out.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, prevalence
        As in `abstention_surface`.

    Raises
    ------
    UndefinedError
        If there are no positives: recall does not exist.

    References
    ----------
    Davis and Goadrich (2006), ICML, doi:10.1145/1143844.1143874.

    Examples
    --------
    >>> from demur import precision_recall_curve
    >>> curve = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(curve.average_precision, 4)
    0.8333
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    true_positives, precision, average = _precision(counts, prevalence)
    return PrecisionRecallCurve(
        precision=read_only(precision),
        recall=read_only(true_positives / counts.n_positive),
        thresholds=read_only(counts.scores[::-1].copy()),
        average_precision=average,
        prevalence=counts.prevalence if prevalence is None else check_rate(prevalence, "prevalence"),
    )


def average_precision_of(counts: ScoreCounts, prevalence: float | None) -> float:
    """Return the average precision of `precision_recall_curve` without the curve."""
    return _precision(counts, prevalence)[2]


def _precision(counts: ScoreCounts, prevalence: float | None) -> tuple[FloatArray, FloatArray, float]:
    """Weight of the true positives and precision of every threshold, the highest first; their average.

    The mean precision is weighted with the positives each threshold adds.
    """
    if counts.n_positive == 0:
        raise UndefinedError(
            "A precision-recall curve needs positive cases, got none. Hint: check y_true and pos_label."
        )
    to_positive, to_negative = counts.class_weights(prevalence)
    above = running_sums(counts.positives, counts.negatives, backwards=True)
    true_positives, called = (sums[-2::-1] for sums in above)
    hits = true_positives if to_positive == 1 else true_positives * to_positive
    # in the memory of the false positives: new memory takes longer than the arithmetic
    if to_negative != 1:
        called *= to_negative
    called += hits
    if called[0] == 0:
        raise UndefinedError(
            f"`prevalence` leaves no mass at the top score, so precision is 0/0 there, got {prevalence}."
        )
    precision = np.divide(hits, called, out=called)
    return true_positives, precision, float(counts.positives[::-1] @ precision / counts.n_positive)


# A point this close to a vertex (as a share of an edge) is the vertex, given with rounding.
_SAME_POSITION = 1e-10


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ReliableRoc(Result):
    """ROC curve of the cases that are still decided; made by `reliable_roc` and `ReliableWindow.roc`.

    Attributes
    ----------
    fpr, tpr : array
        The curve after the part between two points was cut out (theorem 2).
    point : (float, float)
        The point (fpr, tpr) both cut points fall on: the classifier that abstains.
    upr, unr : float
        Share of the positives and of the negatives that was cut out.
    auc : float
        Area under the curve, for the decided cases.
    """

    fpr: FloatArray
    tpr: FloatArray
    point: tuple[float, float]
    upr: float
    unr: float
    auc: float


def at_position(values: FloatArray, position: float) -> float:
    """Return the value at edge + fraction along a polyline."""
    edge = min(int(position), len(values) - 1)
    fraction = position - edge
    return float(values[edge] + fraction * (values[edge + 1] - values[edge]) if fraction else values[edge])


def cut_out(fpr: FloatArray, tpr: FloatArray, start: float, stop: float) -> ReliableRoc:
    """Return the ROC curve without the part between two positions (theorem 2, eq. 10 and 11)."""
    first, last = (np.array([at_position(rates, at) for rates in (fpr, tpr)]) for at in (start, stop))
    unr, upr = (last - first).tolist()
    if upr >= 1 or unr >= 1:
        word = "positive" if upr >= 1 else "negative"
        raise UndefinedError(
            f"The ROC curve of the decided cases needs both classes, got no decided {word} case. "
            "Hint: lower the targets."
        )
    curve, kept, whole = np.column_stack([fpr, tpr]), 1 - (last - first), math.floor(start) + 1
    # where the cut begins is a corner of its own, unless it is a vertex of the curve
    before = np.vstack([curve[:whole], *([first] if start > whole - 1 else [])])
    x, y = np.vstack([before / kept, 1 - (1 - curve[math.floor(stop) + 1 :]) / kept]).T
    return ReliableRoc(
        fpr=x,
        tpr=y,
        point=tuple((first / kept).tolist()),
        upr=upr,
        unr=unr,
        auc=float(np.trapezoid(y, x)),
    )


def _locate(fpr: FloatArray, tpr: FloatArray, point: Any, name: str) -> float:
    """Position of a point of a ROC curve; fpr + tpr grows strictly along it."""
    pair = check_finite(point, name)
    if pair.shape != (2,):
        raise input_error(name, "must be a point (fpr, tpr)", repr(point))
    length = fpr + tpr
    edge = int(np.clip(np.searchsorted(length, pair.sum(), side="right") - 1, 0, len(length) - 2))
    position = edge + float((pair.sum() - length[edge]) / (length[edge + 1] - length[edge]))
    if abs(position - round(position)) < _SAME_POSITION:
        position = float(round(position))
    if not 0 <= position <= len(fpr) - 1 or not np.allclose(
        [at_position(fpr, position), at_position(tpr, position)], pair, atol=1e-9
    ):
        raise input_error(name, "must lie on the ROC curve", tuple(pair.tolist()))
    return position


def reliable_roc(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    point_a: tuple[float, float],
    point_b: tuple[float, float],
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> ReliableRoc:
    """ROC curve of the cases that are left when the scores between two ROC points are abstained on.

    Up and left is better, but the classes of the decided cases may be mixed differently: the new
    curve can lie above the old one while a metric that depends on the mix gets worse.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`; both classes are needed.
    point_a, point_b : (float, float)
        Points (fpr, tpr) of the ROC curve, a not after b; the part between them is cut out.

    Returns
    -------
    ReliableRoc
        With `fpr`, `tpr`, `point`, `upr`, `unr`, `auc`.

    Raises
    ------
    InputError
        If a point is not on the curve, or a lies after b.
    UndefinedError
        If no case of a class is left.

    Notes
    -----
    Before a: fpr / (1 - unr), tpr / (1 - upr); after b: 1 - (1 - fpr) / (1 - unr), likewise tpr. The
    skew ratio becomes c (1 - unr) / (1 - upr). Theorem 2 asks for 0 < upr, unr < 1; 0 is harmless.

    References
    ----------
    Vanderlooy, Sprinkhuizen-Kuyper, Smirnov (2006), "An Analysis of Reliable Classifiers through
    ROC Isometrics", ROCML, theorems 2 and 3.

    Examples
    --------
    Leaving out the middle score, one positive and one negative, leaves a perfect ranking:

    >>> from demur.roc import reliable_roc
    >>> curve = reliable_roc([0, 0, 1, 1], [1, 2, 2, 3], point_a=(0, 0.5), point_b=(0.5, 1))
    >>> curve.auc, curve.point
    (1.0, (0.0, 1.0))
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    curve = roc_curve(counts)
    start, stop = (
        _locate(curve.fpr, curve.tpr, point, name)
        for point, name in ((point_a, "point_a"), (point_b, "point_b"))
    )
    if start > stop:
        raise input_error("point_a", f"must not lie after point_b = {tuple(point_b)}", tuple(point_a))
    return cut_out(curve.fpr, curve.tpr, start, stop)
