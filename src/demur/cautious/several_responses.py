"""Several response curves: their mean over folds, and the hull that says which one to use where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_members, check_nonnegative, check_same_length, input_error
from demur._kernels.convex_hull import lower_hull
from demur._results import Result
from demur.cautious.polyline import Polyline
from demur.cautious.response import ResponseCurve
from demur.typing import ArrayLike, FloatArray

__all__ = ["AverageResponseCurve", "ResponseHull", "average_response_curves", "response_hull"]


def _common_metric(curves: Mapping[Any, Any]) -> str:
    """Return the one metric of all curves; there must be at least one."""
    if not curves:
        raise input_error("curves", "must hold at least one response curve", "none")
    for name, curve in curves.items():
        if not isinstance(curve, Polyline):
            raise input_error(f"curves[{name!r}]", "must be a response curve", type(curve).__name__)
    metrics = sorted({curve.metric for curve in curves.values()})
    if len(metrics) > 1:
        raise input_error("curves", "must be of one metric", metrics, "one call for each.")
    return str(metrics[0])


@dataclass(frozen=True, kw_only=True, eq=False)
class AverageResponseCurve(Polyline):
    """Mean of response curves at equal abstention; made by `average_response_curves`.

    Has no windows: each member reaches an abstention with its own.
    """

    abstention: FloatArray
    value: FloatArray
    metric: str
    n_curves: int
    _reported = ("area",)

    def __repr__(self) -> str:
        return f"AverageResponseCurve(metric={self.metric!r}, curves={self.n_curves}, area={self.area:.6g})"


def average_response_curves(
    curves: Iterable[ResponseCurve], *, weights: ArrayLike | None = None
) -> AverageResponseCurve:
    """Mean of response curves at equal shares of abstentions, such as those of the folds.

    Each curve is interpolated linearly between its states; the mean is exact at all their
    abscissae together. Averaging curves is not pooling: to pool, pass the cases of all folds to one
    `response_curve`, which compares their probabilities on one scale.

    Parameters
    ----------
    curves : sequence of ResponseCurve
        At least one, all of one metric.
    weights : array, optional
        Non-negative weights, scaled to sum to 1; equal by default.

    Returns
    -------
    AverageResponseCurve
        With `abstention`, `value`, `area`, `at`, `dominates`.

    Raises
    ------
    InputError
        If there is no curve, the metrics differ, or the weights do not fit.

    Examples
    --------
    >>> from demur.cautious import average_response_curves
    >>> from demur import response_curve
    >>> folds = [([0, 1, 1], [0.2, 0.4, 0.9]), ([0, 1, 0], [0.1, 0.8, 0.4])]
    >>> mean = average_response_curves(response_curve(y, p, metric="error") for y, p in folds)
    >>> round(mean.at(0), 4), round(mean.at(0.5), 4)
    (0.1667, 0.0)
    """
    members = check_members(curves, "curves")
    metric = _common_metric(dict(enumerate(members)))
    share = np.ones(len(members)) if weights is None else np.atleast_1d(check_nonnegative(weights, "weights"))
    check_same_length(curves=members, weights=share)
    if share.sum() == 0:
        raise input_error("weights", "must not all be zero", "a sum of 0")
    share = share / share.sum()
    grid = np.unique(np.concatenate([curve.points_with_value[0] for curve in members]))
    sides = [curve.limits_at(grid)[:2] for curve in members]
    left, right = (sum(w * side[k] for w, side in zip(share, sides, strict=True)) for k in (0, 1))
    step = left != right
    order = np.sort(np.concatenate([np.arange(len(grid)), np.flatnonzero(step)]))
    second = np.concatenate([[False], order[1:] == order[:-1]])
    return AverageResponseCurve(
        abstention=grid[order],
        value=np.where(second, right[order], left[order]),
        metric=metric,
        n_curves=len(members),
    )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ResponseHull(Result):
    """Best response that switching between curves reaches; made by `response_hull`.

    Attributes
    ----------
    abstention, value : array
        Corners of the hull, ascending in abstention.
    corners : tuple of str
        Curve that each corner belongs to; the first listed of several.
    discarded : tuple of str
        Curves without a corner.
    area : float
        Area under the hull.
    metric : str
        What `value` is.
    """

    abstention: FloatArray
    value: FloatArray
    corners: tuple[str, ...]
    discarded: tuple[str, ...]
    area: float
    metric: str


def response_hull(curves: Mapping[str, ResponseCurve]) -> ResponseHull:
    """Convex hull of several response curves: which model or bias is worth using where.

    The upper hull for measures that should be high (accuracy, AUC), the lower one for error and
    cost. Models without a corner can be discarded.

    Parameters
    ----------
    curves : mapping {name: ResponseCurve}
        All of one metric.

    Returns
    -------
    ResponseHull
        With `abstention`, `value`, `corners`, `discarded`, `area`.

    Raises
    ------
    InputError
        If the mapping is empty or the metrics differ.

    Notes
    -----
    The common end point (1, end) belongs to the first curve and keeps none from being discarded.

    Examples
    --------
    >>> from demur import response_curve
    >>> from demur.cautious import response_hull
    >>> y = [0, 0, 1, 1]
    >>> curves = {
    ...     "sure": response_curve(y, [0.1, 0.4, 0.45, 0.9], metric="error"),
    ...     "lost": response_curve(y, [0.1, 0.6, 0.45, 0.9], metric="error"),
    ... }
    >>> response_hull(curves).discarded
    ('lost',)
    """
    if not isinstance(curves, Mapping):
        raise input_error("curves", "must be a mapping {name: response curve}", type(curves).__name__)
    members = {str(name): curve for name, curve in curves.items()}
    metric, names = _common_metric(members), list(members)
    points = [curve.points_with_value for curve in members.values()]
    owner = np.repeat(np.arange(len(points)), [len(abstention) for abstention, _ in points])
    x, y = (np.concatenate(column) for column in zip(*points, strict=True))
    sign = -1.0 if members[names[0]].higher_is_better else 1.0
    kept = lower_hull(np.column_stack([x, sign * y]))
    used = {names[owner[k]] for k in kept if x[k] < 1}
    return ResponseHull(
        abstention=x[kept],
        value=y[kept],
        corners=tuple(names[owner[k]] for k in kept),
        discarded=tuple(name for name in names if name not in used),
        area=float(np.trapezoid(y[kept], x[kept])),
        metric=metric,
    )
