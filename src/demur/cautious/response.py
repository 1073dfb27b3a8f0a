"""Response curves: accuracy, error, cost or AUC against the share of abstentions, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_choice, check_rate, input_error
from demur._results import read_only
from demur.cautious.confusion import CautiousConfusion, cost_matrix, exact_capacity
from demur.cautious.polyline import SAME_VALUE, Polyline
from demur.cautious.states import States, response_states
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["ResponseCurve", "ResponsePoint", "curve_of_states", "response_curve"]

METRICS = ("accuracy", "error", "cost", "auc", "efficacy", "f_score", "capacity")


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

    def __repr__(self) -> str:
        what = f"metric={self.metric!r}, n={self.n:g}, states={len(self.value)}, area={self.area:.6g}"
        return f"ResponseCurve({what})"


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
    abstention, (low, high) = states.abstention, states.edges
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
    if metric in ("accuracy", "efficacy", "f_score"):
        answered = states.answered
        accuracy = np.divide(states.right, answered, out=np.ones(len(answered)), where=answered > 0)
        if metric == "accuracy":
            return accuracy, 1.0
        coverage = 1 - states.abstention
        if metric == "f_score":
            # accuracy is 1 by convention where nothing is answered, so the sum is never 0
            both = accuracy + coverage
            return np.divide(2 * accuracy * coverage, both, out=np.zeros(len(both)), where=both > 0), 0.0
        return (accuracy + coverage) / 2, 0.5
    error = states.wrong / states.n
    if metric == "error":
        return error, 0.0
    return exact_capacity(error, states.abstention, guess_error), 1 - guess_error / 2
