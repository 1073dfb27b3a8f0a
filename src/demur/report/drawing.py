"""Few numbers that draw many scores: bins of the scores, points of the ROC curve."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from demur.counts.scores import ScoreCounts
from demur.report.model import RocPoints, ScoreBins
from demur.roc.curve import roc_curve
from demur.typing import FloatArray

__all__ = ["roc_points", "score_bins"]

_MOST_BINS = 60
# probabilities this near to 0 or 1 share the ends of an axis of log-odds
_END = 1e-5
_MOST_POINTS = 200


def score_bins(counts: ScoreCounts) -> ScoreBins:
    """Count the cases of each class in at most 60 bins of equal width; infinite scores lie apart.

    Probabilities of which more than half would share the two outermost bins are binned by their log-odds.
    """
    scores = counts.scores
    finite = _finite(scores)
    bins = _binned(counts, _equal_bins(finite))
    held = bins.positives + bins.negatives
    piled = len(held) == _MOST_BINS - 2 and held[0] + held[-1] > 0.5 * float(np.sum(held))
    if not piled or scores[0] < 0 or scores[-1] > 1:
        return bins
    return replace(_binned(counts, _log_odds_bins(finite)), log_odds=True)


def _binned(counts: ScoreCounts, inner: FloatArray) -> ScoreBins:
    """Count the cases between the edges, and infinite scores beyond them."""
    scores = counts.scores
    finite = _finite(scores)
    below, above = [-np.inf] * bool(np.isneginf(scores[0])), [np.inf] * bool(np.isposinf(scores[-1]))
    edges = np.concatenate([below, inner, above])
    # a score on an inner edge belongs to the bin above it, the largest to the last bin
    starts = np.searchsorted(scores, edges[1:-1], side="left")
    if above:
        starts[-1] = len(finite) + len(below)
    bounds = list(pairwise([0, *starts.tolist(), len(scores)]))
    positives, negatives = (
        np.array([column[begin:end].sum() for begin, end in bounds])
        for column in (counts.positives, counts.negatives)
    )
    return ScoreBins(edges=edges, positives=positives, negatives=negatives)


def _finite(ascending: FloatArray) -> FloatArray:
    begin = np.searchsorted(ascending, -np.inf, side="right")
    return ascending[begin : np.searchsorted(ascending, np.inf, side="left")]


def _log_odds_bins(probabilities: FloatArray) -> FloatArray:
    """Edges of bins of equal width in log-odds, ascending; the outermost are the ends of the scores."""
    from scipy.special import expit, logit

    low, high = np.clip(probabilities[[0, -1]], _END, 1 - _END)
    edges: FloatArray = expit(np.linspace(logit(low), logit(high), _MOST_BINS - 1))
    edges[0], edges[-1] = probabilities[0], probabilities[-1]
    return edges


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
