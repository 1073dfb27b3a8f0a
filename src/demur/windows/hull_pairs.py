"""Pairs of ROC hull points between which to abstain, so that the decided cases keep both promises."""

from collections.abc import Iterator

import numpy as np

from demur.counts.scores import ScoreCounts
from demur.roc.curve import RocHull
from demur.roc.isometrics import Target
from demur.typing import FloatArray

__all__ = ["least_abstaining_pair"]

# a margin this close to 0, relative to the size of both classes, keeps the promise
_TIE = 1e-12


def least_abstaining_pair(
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
