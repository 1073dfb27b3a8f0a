"""Bands around response curves, and intervals of capacity: what a curve says beyond these cases."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    as_floats,
    check_choice,
    check_class_codes,
    check_confidence_level,
    check_positive_int,
    check_proba,
    check_probability,
    check_rng,
    check_same_length,
    check_simplex,
    check_type,
    input_error,
)
from demur._kernels.normal import normal_quantile
from demur._kernels.sweep import ScoreGroups, score_groups
from demur._results import Interval, Result
from demur.cautious.confusion import CautiousConfusion, cost_matrix, exact_capacity, measure_by_accuracy
from demur.cautious.rules import critical_windows, equal_bias
from demur.costs.model import CostModel
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["ResponseBand", "capacity_interval", "response_band"]

BAND_METRICS = ("accuracy", "error", "cost", "efficacy", "f_score", "capacity")
_GRID = np.arange(100) / 100
_DRAWS_AT_ONCE = 64


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ResponseBand(Result):
    """Band around a response curve; made by `response_band`. Element i belongs to ``abstention[i]``.

    Attributes
    ----------
    abstention : array
        Shares of abstentions.
    value : array
        The measure on these cases; between two states in random mixture, so errors are linear.
    low, high : array
        Simultaneous band: with the confidence level the whole curve of the population lies inside, so
        it holds for a share of abstentions chosen after a look at it.
    pointwise_low, pointwise_high : array
        The narrower interval for one share of abstentions fixed in advance.
    capacity : float
        1 minus the area under the error response (probabilistic capacity).
    capacity_interval : Interval
        For the capacity in the population.
    metric : str
        What `value` is.
    confidence_level : float
    n : int
        Number of cases.
    """

    abstention: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    pointwise_low: FloatArray
    pointwise_high: FloatArray
    capacity: float
    capacity_interval: Interval
    metric: str
    confidence_level: float
    n: int


class _Cases(NamedTuple):
    """Cases from the least confident on: loss if answered, loss if abstained on, group of confidence."""

    groups: ScoreGroups
    answered: FloatArray
    abstained: FloatArray
    wrong: FloatArray
    worst: float

    def curve(
        self, counts: FloatArray, grid: FloatArray, answered: FloatArray, abstained: FloatArray
    ) -> FloatArray:
        """Mean loss at shares of abstentions; `counts` says how often each case is there, row by row."""
        n = counts.sum(axis=1, keepdims=True)
        sums = [
            np.cumsum(np.add.reduceat(counts * column, self.groups.starts, axis=1), axis=1) / n
            for column in (np.ones(counts.shape[1]), answered, abstained)
        ]
        shares, answers, abstentions = (np.pad(column, ((0, 0), (1, 0))) for column in sums)
        values = answers[:, -1:] - answers + abstentions
        return np.array([np.interp(grid, x, y) for x, y in zip(shares, values, strict=True)])


def response_band(
    y_true: Labels,
    proba: ArrayLike,
    *,
    metric: str = "accuracy",
    costs: ArrayLike | CostModel | None = None,
    bias: ArrayLike | None = None,
    labels: Any = None,
    abstention: ArrayLike | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: int | np.random.Generator | None = 0,
) -> ResponseBand:
    """Band around the response of a measure to abstention, and an interval of the capacity.

    Says what the curve of these cases tells about the population. Assumes independent cases that were
    not used to fit the classifier. Nothing is chosen along the curve, so no folds are needed: the band
    holds for all shares of abstentions together, also the one that looks best.

    Parameters
    ----------
    y_true, proba, costs, bias, labels
        As in `response_curve`; cases of weight 1.
    metric : {"accuracy", "error", "cost", "efficacy", "f_score", "capacity"}
        Which response. All but the cost are functions of error and abstention, so their bands are one.
    abstention : array of numbers in [0, 1), optional
        Where; 0, 0.01, ..., 0.99 by default.
    confidence_level : float, default 0.95
    n_resamples : int, default 1000
        Bootstrap samples.
    rng : int or Generator
        The same seed gives the same band.

    Returns
    -------
    ResponseBand
        With `low`, `high`, `pointwise_low`, `pointwise_high`, `capacity` and `capacity_interval`.

    Raises
    ------
    InputError
        As in `response_curve`.
    UndefinedError
        For more than two classes with unequal biases, where answers change along the curve.

    Notes
    -----
    E(a) is the loss per case when the share a with the least confidence is abstained on. The largest
    studentised deviation of the bootstrap over all a gives the factor of the simultaneous band. Where few
    errors are left the bootstrap knows none it has not seen: the standard error is at least that of a
    share with w = z^2/4 errors and as many right answers added (Agresti and Coull 1998), and the upper
    end counts w further errors.
    Accuracy is 1 - E(a) / (1 - a), the other measures follow alike. Simulated coverage of the 95 % band:
    see docs/how_to/how_sure.md.

    References
    ----------
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI, who ask for the statistical meaning of
    these curves. Agresti, Coull (1998), The American Statistician 52, doi:10.1080/00031305.1998.10480550.

    Examples
    --------
    Is the accuracy above 0.8 once a third of the cases is abstained on? Not certainly; once two thirds
    are, it is:

    >>> import numpy as np
    >>> from demur.cautious import response_band
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> y = (rng.random(500) < p).astype(int)
    >>> band = response_band(y, p, abstention=[0, 1/3, 2/3])
    >>> band.value.round(2).tolist(), band.low.round(2).tolist()
    ([0.76, 0.84, 0.91], [0.72, 0.79, 0.85])
    """
    check_choice(metric, "metric", BAND_METRICS)
    if (costs is None) != (metric != "cost"):
        raise input_error("costs", "must be given for metric 'cost' and for no other", costs)
    level = check_confidence_level(confidence_level)
    draws, generator = check_positive_int(n_resamples, "n_resamples", minimum=2), check_rng(rng)
    grid = _GRID if abstention is None else np.atleast_1d(check_probability(abstention, "abstention"))
    if grid.max() >= 1:
        raise input_error("abstention", "must be below 1: there is no answer to judge", float(grid.max()))
    cases, n_classes = _cases_of(y_true, proba, labels, bias, costs)
    n = len(cases.wrong)
    one = np.ones((1, n))
    found = cases.curve(one, grid, cases.answered, cases.abstained)[0]
    error = cases.curve(one, grid, cases.wrong, np.zeros(n))[0]
    area = _areas(cases, one)[0]
    deviations, areas = _bootstrap(cases, grid, found, draws, generator)
    z = normal_quantile(level)
    added = z**2 / 4
    share = (n * error + added) / (n + 2 * added)
    spread = np.maximum(deviations.std(axis=0), cases.worst * np.sqrt(share * (1 - share) / n))
    largest = np.abs(deviations / spread).max(axis=1)
    factor = max(z, float(np.quantile(largest, level, method="higher")))
    # the upper end counts further errors, as where none was seen
    raised = found + added * (cases.worst - found) / (n + added)
    ends = [
        _limits_of_measure(metric, n_classes, low, high, grid)
        for low, high in (
            (found, found),
            (found - factor * spread, raised + factor * spread),
            (found - z * spread, raised + z * spread),
        )
    ]
    half = z * max(float(areas.std()), math.sqrt(added) / n)
    return ResponseBand(
        abstention=grid,
        value=ends[0][0],
        low=ends[1][0],
        high=ends[1][1],
        pointwise_low=ends[2][0],
        pointwise_high=ends[2][1],
        capacity=1 - area,
        capacity_interval=Interval(max(1 - area - added / (2 * n) - half, 0.0), min(1 - area + half, 1.0)),
        metric=metric,
        confidence_level=level,
        n=n,
    )


def _cases_of(y_true: Labels, proba: Any, labels: Any, bias: Any, costs: Any) -> tuple[_Cases, int]:
    """Order the cases by confidence, with the loss of answering and of abstaining on each."""
    rows = as_floats(proba, "proba")
    if rows.ndim == 1:
        column = check_probability(rows, "proba")
        rows = np.column_stack([1 - column, column])
    rows = check_proba(rows)
    n_classes = rows.shape[1]
    codes = check_class_codes(y_true, n_classes, labels)
    check_same_length(y_true=codes, proba=rows)
    share = equal_bias(n_classes) if bias is None else check_simplex(bias, "bias", size=n_classes)
    windows = critical_windows(rows, bias=share)
    if len(windows.case):
        raise UndefinedError(
            "Answers change along the curve for more than two classes with unequal biases. "
            "Hint: leave out `bias`."
        )
    groups = score_groups(np.minimum(windows.abstain, 1.0))
    truth, answer = codes[groups.order], windows.first[groups.order]
    wrong = (truth != answer).astype(np.float64)
    if costs is None:
        return _Cases(groups, wrong, np.zeros(len(wrong)), wrong, 1.0), n_classes
    table = cost_matrix(costs, n_classes, positive=1)
    return _Cases(groups, table[answer, truth], table[-1, truth], wrong, float(np.ptp(table))), n_classes


def _areas(cases: _Cases, counts: FloatArray) -> FloatArray:
    """Area under the error response, exactly: the error is linear between states."""
    n = counts.sum(axis=1, keepdims=True)
    mass, wrong = (
        np.add.reduceat(counts * column, cases.groups.starts, axis=1) / n
        for column in (np.ones(counts.shape[1]), cases.wrong)
    )
    after = wrong.sum(axis=1, keepdims=True) - np.cumsum(wrong, axis=1)
    return np.asarray((mass * (after + wrong / 2)).sum(axis=1))


def _bootstrap(
    cases: _Cases, grid: FloatArray, centre: FloatArray, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Deviations of resampled curves from the curve, and areas under resampled error responses."""
    n = len(cases.wrong)
    curves, areas = [], []
    for start in range(0, draws, _DRAWS_AT_ONCE):
        size = min(_DRAWS_AT_ONCE, draws - start)
        counts = rng.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)
        curves.append(cases.curve(counts, grid, cases.answered, cases.abstained) - centre)
        areas.append(_areas(cases, counts))
    return np.concatenate(curves), np.concatenate(areas)


def _limits_of_measure(
    metric: str, n_classes: int, low: FloatArray, high: FloatArray, share: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Turn limits of the loss per case into limits of the measure, low first."""
    if metric == "cost":
        return low, high
    # an error is an answer, so there are at most 1 - a of them
    errors = [np.clip(end, 0.0, 1 - share) for end in (low, high)]
    if metric == "error":
        return errors[0], errors[1]
    if metric == "capacity":
        best, worst = (exact_capacity(end, share, (n_classes - 1) / n_classes) for end in errors)
    else:
        best, worst = (measure_by_accuracy(metric, 1 - end / (1 - share), 1 - share) for end in errors)
    return worst, best


def capacity_interval(confusion: CautiousConfusion, *, confidence_level: float = 0.95) -> Interval:
    """Interval of the capacity of one cautious classifier in the population.

    The higher the capacity the better. Assumes that the classifier was fixed before these cases were
    seen, and that each is one independent case.

    Parameters
    ----------
    confusion : CautiousConfusion
        Whole numbers of cases.
    confidence_level : float, default 0.95

    Returns
    -------
    Interval

    Notes
    -----
    Capacity = 1 - [E (1 + A) / 2 + s A^2 / 2] is a smooth function of two shares of one multinomial
    sample. Standard error by the delta method, with coefficients (1 + A) / 2 of E and E / 2 + s A of A;
    w = z^2 / 4 errors and as many right answers are added to the shares, so that an interval without
    errors does not collapse, and the lower end counts w further errors.

    References
    ----------
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI, section 2.

    Examples
    --------
    >>> from demur import CautiousConfusion
    >>> from demur.cautious import capacity_interval
    >>> model = CautiousConfusion([[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]])
    >>> interval = capacity_interval(model)
    >>> round(model.capacity, 4), round(interval.low, 3), round(interval.high, 3)
    (0.9755, 0.947, 0.999)
    """
    check_type(confusion, "confusion", CautiousConfusion)
    z = normal_quantile(check_confidence_level(confidence_level))
    n, added = float(confusion.matrix.sum()), z**2 / 4
    error, share, s = confusion.error, confusion.abstention, confusion.guess_error
    p, a = (n * error + added) / (n + 2 * added), n * share / (n + 2 * added)
    by_error, by_share = (1 + a) / 2, p / 2 + s * a
    variance = by_error**2 * p * (1 - p) + by_share**2 * a * (1 - a) - 2 * by_error * by_share * p * a
    half = z * math.sqrt(max(variance, 0.0) / n)
    lowered = float(exact_capacity((n * error + added) / (n + added), share, s))
    return Interval(max(lowered - half, 0.0), min(confusion.capacity + half, 1.0))
