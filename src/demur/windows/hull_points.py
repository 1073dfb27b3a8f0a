"""Points of the ROC hull, how to reach them by thresholds and chance, and where promises are kept."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from demur._checks import input_error
from demur._kernels.thresholds import no_threshold
from demur._results import Result
from demur.exceptions import UndefinedError
from demur.roc.curve import RocHull, at_position
from demur.roc.isometrics import Target
from demur.typing import FloatArray

__all__ = ["HullPoint", "best_between", "kept_stretch", "point_at"]

# a vertex this close to the isometric lies on it (relative to the coefficients of the isometric)
_ON_LINE = 1e-12


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


def point_at(hull: RocHull, position: float) -> HullPoint:
    """Return the point at edge + fraction along the hull."""
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


def kept_stretch(hull: RocHull, target: Target, side: str, skew: float) -> tuple[float, float]:
    """Return the first and the last position at which a promise is kept.

    The hull is concave, so a half-plane holds one stretch of it.
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
            f"at most {best:.6g} is reached; lower the target, or promise it for the decided cases "
            "(search='direct').",
            error=UndefinedError,
        )
    return _crossing(h, int(kept[0]), -1), _crossing(h, int(kept[-1]), 1)


def _crossing(h: FloatArray, inside: int, step: int) -> float:
    """Position between a vertex that keeps the promise and the next one, which does not."""
    if not 0 <= inside + step < len(h):
        return float(inside)
    margin = max(float(h[inside]), 0.0)
    return inside + step * margin / (margin - float(h[inside + step]))


def best_between(hull: RocHull, low: float, high: float, skew: float) -> float:
    """Return the position in [low, high] with the largest tpr - c fpr; of ties the highest tpr."""
    places = np.array([low, *range(math.ceil(low), math.floor(high) + 1), high])
    fpr, tpr = (np.array([at_position(rates, at) for at in places]) for rates in (hull.fpr, hull.tpr))
    gain = tpr - skew * fpr
    tied = np.flatnonzero(gain >= gain.max() - _ON_LINE * (1 + skew))
    return float(places[tied[-1]])
