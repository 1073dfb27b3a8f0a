"""Intervals of points of a ROC curve, without resampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_confidence_level,
    check_probability,
    check_scores,
    check_weight_meaning,
    input_error,
)
from demur._kernels.binomial import binomial_interval
from demur._kernels.pointwise_roc import pointwise_limits
from demur._results import Interval, Result, as_scalar
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import UndefinedError
from demur.roc.choosing import hits_and_alarms
from demur.roc.operating import class_sizes
from demur.typing import ArrayLike, FloatArray, Labels, Scalar

__all__ = ["RocInterval", "roc_interval"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RocInterval(Result):
    """Points of a ROC curve with exact limits; made by `roc_interval`.

    Numbers for one point, arrays for several.

    Attributes
    ----------
    held : {"specificity", "sensitivity", "threshold"}
        What was fixed in advance.
    at : float or array
        Its values.
    sensitivity, specificity : float or array
        The empirical curve there; between two thresholds on the straight segment.
    sensitivity_interval, specificity_interval : Interval
        Limits of the true rates. The rate that was held has no length.
    confidence_level : float
        Of each interval alone.
    """

    held: str
    at: Scalar
    sensitivity: Scalar
    specificity: Scalar
    sensitivity_interval: Interval
    specificity_interval: Interval
    confidence_level: float

    @property
    def low(self) -> Scalar:
        """Lower limit of the rate that was not held."""
        return self._asked.low

    @property
    def high(self) -> Scalar:
        """Upper limit of the rate that was not held."""
        return self._asked.high

    @property
    def _asked(self) -> Interval:
        if self.held == "threshold":
            raise UndefinedError(
                "A threshold has two intervals, so `low` and `high` are ambiguous, got held = 'threshold'. "
                "Hint: sensitivity_interval and specificity_interval."
            )
        return self.sensitivity_interval if self.held == "specificity" else self.specificity_interval


def roc_interval(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    specificity: ArrayLike | None = None,
    sensitivity: ArrayLike | None = None,
    threshold: ArrayLike | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> RocInterval:
    """Exact intervals of a ROC curve at one specificity, sensitivity or threshold, or at several.

    At a specificity: the sensitivity of the true curve there, where the threshold is unknown; at a
    sensitivity the other way round; at a threshold both rates of it. What is held must be fixed in
    advance: for a threshold chosen on these cases see `operating_point`, for the whole curve at once
    `roc_band`. Assumes independent cases within each class.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`.
    specificity, sensitivity, threshold : float or array
        Exactly one of the three. Scores from `threshold` on are called positive.
    confidence_level : float, default 0.95
        Of each interval alone.
    weights : {"importance", "repeats"}
        "importance": the effective number of cases, an approximation. "repeats": a weight of 2 is two
        cases.

    Returns
    -------
    RocInterval
        `low`, `high` for a rate; `sensitivity_interval` and `specificity_interval` for a threshold.

    Raises
    ------
    InputError
        If not exactly one of the three is given.
    UndefinedError
        If a class is missing.

    Notes
    -----
    At a threshold the numbers of hits and of correct rejections are binomial (Clopper and Pearson).
    At a specificity x the number of negatives above the unknown threshold is binomial (N, 1 - x),
    which leaves a range of thresholds; the hits there are binomial and independent. Each statement
    has the level sqrt(confidence_level), so both hold with at least confidence_level: for every
    sample size, and without resampling. Wider than a percentile bootstrap, which keeps the threshold
    of the sample where cases are few.

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26, doi:10.1093/biomet/26.4.404.
    Hilgers (1991), Methods of Information in Medicine 30, 96-101.

    Examples
    --------
    Nine of ten healthy people must be left alone. Can we promise to find six in ten of the ill?

    >>> from demur import Binormal
    >>> from demur.roc import roc_interval
    >>> y, s = Binormal(separation=2.0).sample(400, rng=0)
    >>> found = roc_interval(y, s, specificity=0.9)
    >>> round(found.sensitivity, 2), round(found.low, 2), round(found.high, 2)
    (0.81, 0.64, 0.93)
    """
    check_weight_meaning(weights)
    level = check_confidence_level(confidence_level)
    held, values = _held(specificity, sensitivity, threshold)
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    counts.require_both_classes("An interval of a ROC curve")
    (n_positive, n_negative), _ = class_sizes(counts, weights, "an interval of a ROC curve")
    tpr, fpr = hits_and_alarms(counts.positives, counts.negatives)
    if held == "threshold":
        called = len(counts.scores) - np.searchsorted(counts.scores, values, side="left")
        return _result(
            held,
            values,
            (tpr[called], 1 - fpr[called]),
            binomial_interval(tpr[called] * n_positive, n_positive, level),
            binomial_interval((1 - fpr[called]) * n_negative, n_negative, level),
            level,
        )
    # binomial laws need whole numbers; one case may have a weight that rounds to a little less
    sizes = float(np.floor(n_positive + 1e-9)), float(np.floor(n_negative + 1e-9))
    if held == "specificity":
        limits = pointwise_limits(fpr, tpr, 1 - values, sizes[1], sizes[0], level)
        return _result(
            held, values, (_best_rate(fpr, tpr, 1 - values), values), limits, (values, values), level
        )
    # from the other corner: misses against correct rejections, both rising as the threshold does
    missed, rejected = 1 - tpr[::-1], 1 - fpr[::-1]
    limits = pointwise_limits(missed, rejected, 1 - values, sizes[0], sizes[1], level)
    estimate = _best_rate(missed, rejected, 1 - values)
    return _result(held, values, (values, estimate), (values, values), limits, level)


def _held(specificity: Any, sensitivity: Any, threshold: Any) -> tuple[str, FloatArray]:
    given = {"specificity": specificity, "sensitivity": sensitivity, "threshold": threshold}
    named = {name: value for name, value in given.items() if value is not None}
    if len(named) != 1:
        raise input_error(
            "specificity, sensitivity and threshold",
            "must be given one at a time",
            " and ".join(named) or "none",
            "specificity=0.9 asks for the sensitivity there.",
        )
    name, value = named.popitem()
    if name != "threshold":
        return name, check_probability(value, name)
    if isinstance(value, str):
        hint = "operating_point chooses a threshold and corrects the intervals for it."
        raise input_error("threshold", "must be a number", repr(value), hint)
    return name, np.reshape(check_scores(np.ravel(value), "threshold"), np.shape(value))


def _best_rate(held: FloatArray, other: FloatArray, at: FloatArray) -> FloatArray:
    """Height of the curve, on the straight segments; the top of a vertical one."""
    right = np.clip(np.searchsorted(held, at + 1e-12, side="right"), 1, len(held) - 1)
    run = held[right] - held[right - 1]
    share = np.divide(at - held[right - 1], run, out=np.zeros(np.shape(at)), where=run > 0)
    height = other[right - 1] + np.clip(share, 0.0, 1.0) * (other[right] - other[right - 1])
    return np.asarray(np.where(at >= 1, 1.0, height))


def _result(
    held: str,
    at: FloatArray,
    rates: tuple[Any, Any],
    sensitivity: tuple[FloatArray, FloatArray],
    specificity: tuple[FloatArray, FloatArray],
    level: float,
) -> RocInterval:
    def pair(limits: tuple[FloatArray, FloatArray]) -> Interval:
        low, high = (as_scalar(np.asarray(limit)) for limit in limits)
        return Interval(low, high)  # type: ignore[arg-type]

    return RocInterval(
        held=held,
        at=as_scalar(at),
        sensitivity=as_scalar(np.asarray(rates[0])),
        specificity=as_scalar(np.asarray(rates[1])),
        sensitivity_interval=pair(sensitivity),
        specificity_interval=pair(specificity),
        confidence_level=level,
    )
