"""ROC curve of the decided cases: what is left of a curve when its middle is abstained on.

Theorem 2 of Vanderlooy, Sprinkhuizen-Kuyper and Smirnov (2006): the parts before a and after b
are stretched until they meet, and the curve of a convex hull stays convex (theorem 3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_finite, input_error
from demur._results import Result
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import UndefinedError
from demur.roc.curve import roc_curve
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["ReliableRoc", "at_position", "cut_out", "reliable_roc"]

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
    first = [(at_position(fpr, at), at_position(tpr, at)) for at in (start, stop)]
    unr, upr = first[1][0] - first[0][0], first[1][1] - first[0][1]
    if upr >= 1 or unr >= 1:
        word = "positive" if upr >= 1 else "negative"
        raise UndefinedError(
            f"The ROC curve of the decided cases needs both classes, got no decided {word} case. "
            "Hint: lower the targets."
        )
    whole, after = math.floor(start) + 1, math.floor(stop) + 1
    ends = [first[0]] if start > whole - 1 else []
    columns = []
    for axis, (rates, cut) in enumerate(((fpr, unr), (tpr, upr))):
        before = np.concatenate([rates[:whole], [end[axis] for end in ends]])
        columns.append(np.concatenate([before / (1 - cut), 1 - (1 - rates[after:]) / (1 - cut)]))
    x, y = columns
    return ReliableRoc(
        fpr=x,
        tpr=y,
        point=(first[0][0] / (1 - unr), first[0][1] / (1 - upr)),
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
    on_curve = 0 <= position <= len(fpr) - 1
    if not on_curve or not np.allclose(
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
    start = _locate(curve.fpr, curve.tpr, point_a, "point_a")
    stop = _locate(curve.fpr, curve.tpr, point_b, "point_b")
    if start > stop:
        raise input_error("point_a", f"must not lie after point_b = {tuple(point_b)}", tuple(point_a))
    return cut_out(curve.fpr, curve.tpr, start, stop)
