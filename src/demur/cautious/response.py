"""Response curves: accuracy, error, cost or AUC against the share of abstentions, exactly.

One curve, the mean over folds, the hull that says which curve to use where, and ROC curves of the answered
cases stacked over the share of abstentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_choice,
    check_members,
    check_nonnegative,
    check_probability,
    check_rate,
    check_same_length,
    input_error,
)
from demur._kernels.polyline import lower_hull
from demur._results import Result, as_scalar, read_only
from demur.cautious.confusion import CautiousConfusion, cost_matrix, exact_capacity, measure_by_accuracy
from demur.cautious.states import States, TwoClassStates, response_states
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError, UndefinedError
from demur.roc.curve import RocCurve, roc_curve
from demur.typing import ArrayLike, FloatArray, Labels, Scalar

__all__ = [
    "SAME_VALUE",
    "AverageResponseCurve",
    "Polyline",
    "ResponseCurve",
    "ResponseHull",
    "ResponsePoint",
    "RocResponseSurface",
    "average_response_curves",
    "curve_of_states",
    "response_curve",
    "response_hull",
    "roc_response_surface",
]

SAME_VALUE = 1e-12
"""Values this close are equal: they differ by rounding only."""
_LOWER_IS_BETTER = ("error", "cost")
METRICS = ("accuracy", "error", "cost", "auc", "efficacy", "f_score", "capacity")


class Polyline(Result):
    """A measure over abstention 0 to 1; equal abscissae are a vertical step."""

    abstention: FloatArray
    value: FloatArray
    metric: str

    @property
    def higher_is_better(self) -> bool:
        """Orientation of the metric."""
        return self.metric not in _LOWER_IS_BETTER

    @cached_property
    def points_with_value(self) -> tuple[FloatArray, FloatArray]:
        """Abstention and value of the points that have a value."""
        keep = ~np.isnan(self.value)
        if keep.all():
            return self.abstention, self.value
        return self.abstention[keep], self.value[keep]

    @cached_property
    def area(self) -> float:
        """Area under the curve over abstention 0 to 1: the mean value if all shares are equally likely."""
        x, y = self.points_with_value
        return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)

    @property
    def probabilistic_capacity(self) -> float:
        """Area under the accuracy, or above the error; the paper gives both this name."""
        if self.metric not in ("accuracy", "error"):
            raise UndefinedError(f"Probabilistic capacity exists for accuracy and error, got {self.metric}.")
        return self.area if self.metric == "accuracy" else 1 - self.area

    def limits_at(self, at: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Limits from the left and from the right, and the best value, at some abscissae."""
        x, y = self.points_with_value
        first, past = np.searchsorted(x, at, side="left"), np.searchsorted(x, at, side="right")
        on = past > first
        lower = np.maximum(past - 1, 0)
        upper = np.minimum(past, len(x) - 1)
        width = np.where(x[upper] > x[lower], x[upper] - x[lower], 1.0)
        between = y[lower] + (y[upper] - y[lower]) * (at - x[lower]) / width
        left = np.where(on, y[np.minimum(first, len(x) - 1)], between)
        right = np.where(on, y[lower], between)
        best = np.maximum(left, right) if self.higher_is_better else np.minimum(left, right)
        pick = np.max if self.higher_is_better else np.min
        for k in np.flatnonzero(past - first > 2):  # a step of several corners may leave its ends
            best[k] = pick(y[first[k] : past[k]])
        return left, right, best

    def at(self, abstention: ArrayLike) -> Scalar:
        """Return the value at shares of abstentions, interpolated; on a vertical step the best one."""
        x = check_probability(abstention, "abstention")
        return as_scalar(self.limits_at(np.atleast_1d(x))[2].reshape(x.shape))

    def dominates(self, other: Polyline) -> bool:
        """Tell whether this curve is nowhere worse than `other`, and somewhere better.

        Exact: both are straight between their corners. A class bias or a model whose curve is
        dominated can be discarded.
        """
        if not isinstance(other, Polyline):
            raise input_error("other", "must be a response curve", type(other).__name__)
        if other.metric != self.metric:
            raise input_error("other", f"must be a response of {self.metric}", other.metric)
        grid = np.union1d(self.points_with_value[0], other.points_with_value[0])
        sides = [curve.limits_at(grid) for curve in (self, other)]
        for left, right, best in sides:  # beyond the ends there is no curve
            left[0], right[-1] = best[0], best[-1]
        sign = 1.0 if self.higher_is_better else -1.0
        gain = np.concatenate([sign * (own - rival) for own, rival in zip(*sides, strict=True)])
        return bool(gain.max() > SAME_VALUE and gain.min() >= -SAME_VALUE)


# ---------------------------------------------------------------- one curve


class ResponsePoint(NamedTuple):
    """One state of a response curve; `window` is for a `CautionWindowRule`."""

    window: float
    abstention: float
    value: float


@dataclass(frozen=True, kw_only=True, eq=False)
class ResponseCurve(Polyline):
    """A measure of a cautious classifier against its share of abstentions; see `response_curve`.

    Attributes
    ----------
    window : array
        Element t: a window of `CautionWindowRule` that gives state t: 0 for the first, else the
        middle of the interval; inf for an added end point that no window reaches.
    window_low, window_high : array
        State t holds for window_low < window <= window_high (the first one from 0).
    abstention, value : array
        Element t: share of abstentions and measure of state t. NaN where the AUC of the answered
        cases does not exist.
    area : float
        Area under the curve, over the points that have a value.
    metric : str
        What `value` is.
    n : float
        Total weight of the cases.
    n_classes : int
        Number of classes.
    bias : array
        Class bias of the rule.
    """

    window: FloatArray
    window_low: FloatArray
    window_high: FloatArray
    abstention: FloatArray
    value: FloatArray
    metric: str
    n: float
    n_classes: int
    bias: FloatArray
    states: States
    _reported = ("area",)
    _evidence = ("states",)
    _told = ("metric", "n", "states:value", "area")

    def with_metric(self, metric: str, *, costs: ArrayLike | CostModel | None = None) -> ResponseCurve:
        """Return the curve of another metric from the same states, without sorting again."""
        return curve_of_states(self.states, metric, costs)

    def best(self) -> ResponsePoint:
        """Return the best state that answers something: of equally good ones the least abstention.

        At abstention 1 most measures have a conventional value; only the cost there is real, so
        abstaining on everything can win for metric "cost" alone.
        """
        sign = 1.0 if self.higher_is_better else -1.0
        barred = np.isnan(self.value) | ((self.abstention == 1) & (self.metric != "cost"))
        value = np.where(barred, -np.inf, sign * self.value)
        return self._point(int(np.argmax(value >= value.max() - SAME_VALUE)))

    def within(self, abstention: float) -> ResponsePoint:
        """Return the last state that abstains on at most this share of the cases."""
        rate = check_rate(abstention, "abstention")
        return self._point(int(np.searchsorted(self.abstention, rate + SAME_VALUE, side="right")) - 1)

    def _point(self, state: int) -> ResponsePoint:
        return ResponsePoint(
            float(self.window[state]), float(self.abstention[state]), float(self.value[state])
        )

    def confusion(self, state: int) -> CautiousConfusion:
        """Return the confusion matrix of one state (its index in `value`)."""
        reached = len(self.states.breaks) + 1
        if not -reached <= state < reached:
            raise input_error("state", f"must be the index of one of {reached} states", state)
        return self.states.confusion(state % reached)


def response_curve(
    y_true: Labels | ScoreCounts,
    proba: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    metric: str = "accuracy",
    costs: ArrayLike | CostModel | None = None,
    labels: Any = None,
) -> ResponseCurve:
    """How a measure responds as a classifier abstains on more and more of its cases.

    Accuracy, AUC, efficacy, f-score and capacity: the higher the better; error and cost: the lower. The
    window of a `CautionWindowRule` grows from 0 to 1 and every state on the way is a point; no
    grid. Assumes that low probabilities mark the doubtful cases; where they do not, the curve
    falls although cases are dropped. The curve is measured, not tuned, so it is honest on cases
    that were not used to fit the classifier.

    Parameters
    ----------
    y_true : array of n class indices, or ScoreCounts
        Index of the column of the actual class, or any label named in `labels`. A `ScoreCounts`
        of probabilities stands for two classes, its positives being class 1.
    proba : array of shape (n, classes), or of n numbers
        Rows in [0, 1] that sum to 1; n numbers are the probabilities of class 1 of two.
    sample_weight : array of n numbers >= 0, optional
        Weight 2 means the same as a repeated row.
    bias : array of numbers >= 0 that sum to 1, optional
        Class bias of the rule; equal by default.
    metric : {"accuracy", "error", "cost", "auc", "efficacy", "f_score", "capacity"}
        Accuracy and AUC are those of the answered cases, error and cost are per case of all.
    costs : array of shape (classes + 1, classes), or CostModel
        For metric "cost": rows predicted with abstention last, columns actual.
    labels : sequence, optional
        Label of each column, such as ``classifier.classes_``.

    Returns
    -------
    ResponseCurve
        With `window`, `abstention`, `value`, `area`, `at`, `best`, `dominates`, `confusion`.

    Raises
    ------
    InputError
        For probabilities or a bias that do not sum to 1, unknown labels, or missing costs.
    UndefinedError
        For the AUC of cases of one class.

    Notes
    -----
    Points are joined linearly and end in (1, end): accuracy and AUC 1, error 0, cost of
    abstaining on everything, efficacy 1/2, f-score 0, capacity 1 - s/2. The AUC of more than two classes is
    Hand and Till's M. Interpolated errors and costs are reached by random mixing; interpolated
    accuracies are a drawing convention. O(n log n); for AUC and c > 2 classes O(n c log n).

    References
    ----------
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI, sections 4 to 6.
    Hand, Till (2001), Machine Learning 45, doi:10.1023/A:1010920819831.

    Examples
    --------
    A false alarm costs 5, a miss 1, a review 0.2. Reviewing half of the cases is cheapest:

    >>> from demur import CostModel, response_curve
    >>> y, p = [0, 0, 1, 0, 1, 0, 1, 1], [0.05, 0.1, 0.3, 0.35, 0.6, 0.7, 0.9, 0.95]
    >>> costs = CostModel(cost_fp=5, cost_fn=1, cost_abstain=0.2)
    >>> best = response_curve(y, p, metric="cost", costs=costs).best()
    >>> round(best.abstention, 3), round(best.value, 3), round(best.window, 3)
    (0.5, 0.1, 0.6)
    """
    states = response_states(y_true, proba, labels=labels, sample_weight=sample_weight, bias=bias)
    return curve_of_states(states, metric, costs)


def curve_of_states(states: States, metric: str, costs: Any) -> ResponseCurve:
    """Return the curve of one metric over the states of a classifier."""
    check_choice(metric, "metric", METRICS)
    if (costs is None) != (metric != "cost"):
        hint = "they are for metric='cost'." if costs is not None else "pass costs=CostModel(...)."
        got = "none" if costs is None else "some"
        raise input_error("costs", "must be given for metric 'cost' and for no other", got, hint)
    value, end = _measure(states, metric, costs)
    abstention, breaks = states.abstention, states.breaks
    low, high = np.concatenate([[0.0], breaks]), np.concatenate([breaks, [1.0]])
    window = (low + high) / 2
    window[0] = 0.0
    if states.answered[-1] == 0:
        value[-1] = end
    else:
        # cases certain of a class are never abstained on: the end is a convention, no state
        value, abstention = np.append(value, end), np.append(abstention, 1.0)
        window, low, high = np.append(window, np.inf), np.append(low, 1.0), np.append(high, np.inf)
    return ResponseCurve(
        window=read_only(window),
        window_low=read_only(low),
        window_high=read_only(high),
        abstention=read_only(abstention),
        value=read_only(value),
        metric=metric,
        n=states.n,
        n_classes=states.n_classes,
        bias=states.bias,
        states=states,
    )


def _measure(states: States, metric: str, costs: Any) -> tuple[FloatArray, float]:
    """Values per state, and the end value at abstention 1."""
    guess_error = (states.n_classes - 1) / states.n_classes
    if metric == "auc":
        value = states.auc()
        if np.isnan(value[0]):
            raise UndefinedError(
                "The AUC needs cases of at least two classes, got one class. Hint: check y_true and labels."
            )
        return value, 1.0
    if metric == "cost":
        table = cost_matrix(costs, states.n_classes, positive=1)
        return states.total_cost(table) / states.n, float(table[-1] @ states.class_totals) / states.n
    ends = {"accuracy": 1.0, "efficacy": 0.5, "f_score": 0.0}
    if metric in ends:
        answered = states.answered
        # accuracy is 1 by convention where nothing is answered, so accuracy + coverage is never 0
        accuracy = np.divide(states.right, answered, out=np.ones(len(answered)), where=answered > 0)
        return measure_by_accuracy(metric, accuracy, 1 - states.abstention), ends[metric]
    error = states.wrong / states.n
    if metric == "error":
        return error, 0.0
    return exact_capacity(error, states.abstention, guess_error), 1 - guess_error / 2


# ---------------------------------------------------------------- several curves


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
    _told = ("metric", "curves:n_curves", "area")
    _reported = ("area",)


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
    # a step has two points
    order = np.repeat(np.arange(len(grid)), np.where(left != right, 2, 1))
    second = np.diff(order, prepend=-1) == 0
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


# ---------------------------------------------------------------- ROC curves


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RocResponseSurface(Result):
    """ROC curves of the answered cases, stacked over the share of abstentions.

    Attributes
    ----------
    abstention, auc : array
        Element t: share of abstentions and AUC of state t; NaN where a class is missing.
    window : array
        As in `ResponseCurve`.
    volume : float
        Volume under the surface, the area under AUC against abstention; the higher the better.
    """

    abstention: FloatArray
    auc: FloatArray
    window: FloatArray
    volume: float
    states: TwoClassStates
    _evidence = ("states",)
    _told = ("states:auc", "volume")

    def roc(self, abstention: float) -> RocCurve:
        """Return the ROC curve of the last state that abstains on at most this share."""
        rate = check_rate(abstention, "abstention")
        state = int(np.searchsorted(self.states.abstention, rate + SAME_VALUE, side="right")) - 1
        if np.isnan(self.states.auc()[state]):
            raise UndefinedError(
                f"The ROC curve at abstention {rate:g} needs answered cases of both classes. "
                "Hint: ask for a smaller share."
            )
        return roc_curve(self.states.answered_counts(state))


def roc_response_surface(
    y_true: Labels | ScoreCounts,
    proba: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    labels: Any = None,
) -> RocResponseSurface:
    """ROC curves of the answered cases for every share of abstentions, two classes.

    The higher the better. Assumes that scores stay as they are and only the doubtful cases leave.

    Parameters
    ----------
    y_true, proba, sample_weight, bias, labels
        As in `response_curve`; class 1 is the positive one.

    Returns
    -------
    RocResponseSurface
        With `volume`, `auc`, `abstention` and the curves, `roc(abstention)`.

    Raises
    ------
    UndefinedError
        If a class is missing.

    Notes
    -----
    The volume is the area under AUC(A), over the states in which it exists, ending in (1, 1).

    References
    ----------
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI, figures 9 and 10.

    Examples
    --------
    >>> from demur.cautious import roc_response_surface
    >>> y, p = [0, 0, 1, 0, 1, 0, 1, 1], [0.05, 0.1, 0.3, 0.35, 0.6, 0.7, 0.9, 0.95]
    >>> surface = roc_response_surface(y, p)
    >>> round(surface.roc(0).auc, 4), round(surface.roc(0.5).auc, 4), round(surface.volume, 4)
    (0.8125, 1.0, 0.9466)
    """
    states = response_states(y_true, proba, labels=labels, sample_weight=sample_weight, bias=bias)
    if not isinstance(states, TwoClassStates):
        raise InputError(
            f"`proba` must have two columns for a ROC surface, got {states.n_classes}. "
            "Hint: response_curve(metric='auc') averages over pairs of classes."
        )
    curve = curve_of_states(states, "auc", None)
    return RocResponseSurface(
        abstention=curve.abstention, auc=curve.value, window=curve.window, volume=curve.area, states=states
    )
