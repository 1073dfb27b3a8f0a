"""Few numbers that draw many scores: bins of the scores, points of the ROC curve."""

import numpy as np

from demur.counts.scores import ScoreCounts
from demur.report.model import RocPoints, ScoreBins
from demur.roc.curve import roc_curve
from demur.typing import FloatArray

__all__ = ["roc_points", "score_bins"]

_MOST_BINS = 60
_MOST_POINTS = 200


def score_bins(counts: ScoreCounts) -> ScoreBins:
    """Count the cases of each class in at most 60 bins of equal width; infinite scores lie apart."""
    scores = counts.scores
    finite = scores[np.isfinite(scores)]
    inner = _equal_bins(finite)
    below, above = [-np.inf] * bool(np.isneginf(scores[0])), [np.inf] * bool(np.isposinf(scores[-1]))
    edges = np.concatenate([below, inner, above])
    # a score on an inner edge belongs to the bin above it, the largest to the last bin
    starts = np.searchsorted(scores, edges[1:-1], side="left")
    if above:
        starts[-1] = len(finite) + len(below)
    columns = []
    for column in (counts.positives, counts.negatives):
        running = np.concatenate([[0.0], np.cumsum(column)])
        columns.append(np.diff(running[np.concatenate([[0], starts, [len(scores)]])]))
    return ScoreBins(edges=edges, positives=columns[0], negatives=columns[1])


def _equal_bins(finite: FloatArray) -> FloatArray:
    """Edges of bins of equal width around finite scores, ascending."""
    if not finite.size:
        return np.zeros(1)
    low, high = float(finite[0]), float(finite[-1])
    if low == high:
        reach = max(0.5, abs(low) / 4)
        return np.array([low - reach, low + reach])
    # quarters: the range of the largest floats is itself too large for a float
    edges = 4 * np.linspace(low / 4, high / 4, min(_MOST_BINS - 2, max(len(finite), 2)) + 1)
    edges[0], edges[-1] = low, high
    return np.unique(edges)


def roc_points(counts: ScoreCounts) -> RocPoints:
    """Choose at most 200 points of the ROC curve, evenly along its length; none with one class only."""
    if min(counts.n_positive, counts.n_negative) == 0:
        return RocPoints(fpr=np.empty(0), tpr=np.empty(0), thresholds=np.empty(0))
    curve = roc_curve(counts)
    length = curve.fpr + curve.tpr
    if len(length) <= _MOST_POINTS:
        at = np.arange(len(length))
    else:
        wanted = np.linspace(0, 2, _MOST_POINTS - 1)
        at = np.unique(np.append(np.searchsorted(length, wanted, side="left"), len(length) - 1))
        at = np.minimum(at, len(length) - 1)
    return RocPoints(fpr=curve.fpr[at], tpr=curve.tpr[at], thresholds=curve.thresholds[at])
