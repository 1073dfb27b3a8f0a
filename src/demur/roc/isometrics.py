"""ROC isometrics: the lines on which precision, F-measure or generalised m-estimate is constant.

A positive metric judges the positive decisions, a negative metric the negative ones. With
`hits` and `alarms` the right and wrong decisions of that kind, `own` and `other` the decided
cases of that class and of the other, all three metrics are one formula,

    [(1 + alpha^2) hits + m own] / [alpha^2 own + hits + alarms + m (own + other)],

where alpha = 0 except for F and m = 0 except for the m-estimate (Table 1 of Vanderlooy,
Sprinkhuizen-Kuyper and Smirnov 2006). It is linear in numerator and denominator, so a promised
value is a half-plane of ROC space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from demur._checks import (
    check_choice,
    check_finite,
    check_nonnegative,
    check_number,
    check_positive,
    input_error,
)
from demur._results import Result
from demur.typing import FloatArray

__all__ = [
    "FMeasure",
    "GmEstimate",
    "HalfPlane",
    "Isometric",
    "IsometricGrid",
    "Precision",
    "Target",
    "check_skew",
    "check_target",
    "check_target_value",
    "isometric",
    "isometric_grid",
    "isometric_of",
]

_SIDES = ("positive", "negative")


class HalfPlane(NamedTuple):
    """Points of ROC space with ``by_fpr * fpr + by_tpr * tpr >= level``: the metric reaches its value."""

    by_fpr: float
    by_tpr: float
    level: float

    def margin(self, fpr: Any, tpr: Any) -> Any:
        """Return by_fpr * fpr + by_tpr * tpr - level; not negative where the value is reached."""
        return self.by_fpr * fpr + self.by_tpr * tpr - self.level


class Target(Result):
    """A promised value of one metric; use `Precision`, `FMeasure` or `GmEstimate`."""

    __slots__ = ()
    _reported = ("metric",)
    metric: ClassVar[str]
    value: float

    # alpha^2 of the F-measure, and prior cases per case of the m-estimate (m-hat in the paper)
    _alpha_squared = 0.0
    prior_share = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", check_target_value(self.value))

    def _parts(self, hits: Any, alarms: Any, own: Any, other: Any, prior: float) -> tuple[Any, Any]:
        """Numerator and denominator of the formula in the head of this file."""
        a2 = self._alpha_squared
        return (1 + a2) * hits + prior * own, a2 * own + hits + alarms + prior * (own + other)

    def performance(self, hits: Any, alarms: Any, own: Any, other: Any, *, prior: float | None = None) -> Any:
        """Return the metric for weights of decisions; NaN where it is 0/0 (no such decision).

        `prior` replaces `m`, for an m-estimate whose m is held as a number of cases.
        """
        top, bottom = self._parts(hits, alarms, own, other, self.prior_share if prior is None else prior)
        with np.errstate(invalid="ignore"):
            return np.where(np.asarray(bottom) > 0, np.divide(top, np.where(bottom > 0, bottom, 1)), np.nan)

    def margin(self, hits: Any, alarms: Any, own: Any, other: Any) -> Any:
        """Return numerator - value * denominator: not negative iff the value is reached, 0 for 0/0.

        Linear in all four arguments, so that the parts of one window can be added.
        """
        top, bottom = self._parts(hits, alarms, own, other, self.prior_share)
        return top - self.value * bottom

    def at(self, fpr: Any, tpr: Any, *, side: str, skew: float) -> Any:
        """Return the metric at points of ROC space (Table 1); NaN where it is 0/0."""
        c = check_skew(skew)
        if check_choice(side, "side", _SIDES) == "positive":
            return self.performance(tpr, c * fpr, 1.0, c)
        return self.performance(c * (1 - fpr), 1 - tpr, c, 1.0)

    def half_plane(self, side: str, skew: float) -> HalfPlane:
        """Return the part of ROC space in which the value is reached (Table 1 without divisions)."""
        z, a2, m, c = self.value, self._alpha_squared, self.prior_share, skew
        if side == "positive":
            return HalfPlane(-z * c, 1 + a2 - z, z * a2 + m * (z * (1 + c) - 1))
        return HalfPlane(-(1 + a2 - z) * c, z, z + (1 + a2) * (z - 1) * c + m * (z * (1 + c) - c))

    def rotation_point(self, side: str, skew: float) -> tuple[float, float]:
        """Return the point (fpr, tpr) all isometrics of this metric pass through."""
        a2, m = self._alpha_squared, self.prior_share
        if side == "positive":
            return 0.0 - a2 / skew - m, 0.0 - m
        return 1.0 + m, 1.0 + a2 * skew + m


@dataclass(frozen=True, slots=True)
class Precision(Target):
    """Promise that a share `value` in (0, 1] of the decisions of one kind is right.

    Positive precision TP / (TP + FP), negative precision TN / (TN + FN); with a skew other than
    the sample's, negatives count more or less. Without a decision of the kind it is 0/0 and
    counts as kept, reported as vacuous.
    """

    value: float
    metric: ClassVar[str] = "precision"


@dataclass(frozen=True, slots=True)
class FMeasure(Target):
    """Promise a value of the F-measure of one class: precision and recall in one number.

    `alpha` > 0 weighs recall against precision: below 1 recall matters less (van Rijsbergen 1979).
    """

    value: float
    alpha: float = 1.0
    metric: ClassVar[str] = "f_measure"

    def __post_init__(self) -> None:
        Target.__post_init__(self)
        object.__setattr__(self, "alpha", check_positive(self.alpha, "alpha"))

    @property
    def _alpha_squared(self) -> float:  # type: ignore[override]
        return self.alpha**2


@dataclass(frozen=True, slots=True)
class GmEstimate(Target):
    """Promise a value of the generalised m-estimate: a precision shrunk to the class share.

    As if some cases had been decided before, spread over the classes like the data. `m` >= 0 is
    their number divided by the number of cases (the paper's m-hat); m = 0 is `Precision`.
    """

    value: float
    m: float
    metric: ClassVar[str] = "gm_estimate"

    def __post_init__(self) -> None:
        Target.__post_init__(self)
        object.__setattr__(self, "m", float(check_nonnegative(check_number(self.m, "m"), "m")))

    @property
    def prior_share(self) -> float:  # type: ignore[override]
        """Prior cases per case."""
        return self.m


# the names of the metrics, and their symbols in the paper
_METRICS = {
    "precision": "precision",
    "prec": "precision",
    "f_measure": "f_measure",
    "F": "f_measure",
    "f": "f_measure",
    "gm_estimate": "gm_estimate",
    "gm": "gm_estimate",
}


def check_target_value(value: Any, name: str = "value") -> float:
    """Return one number in (0, 1]."""
    number = check_number(value, name)
    if not 0 < number <= 1:
        raise input_error(name, "must lie in (0, 1]", number, "a target is a share, such as 0.9.")
    return number


def check_skew(skew: Any) -> float:
    """Return the skew ratio c = (cost_fp / cost_fn) (1 - prevalence) / prevalence, one number > 0."""
    return check_positive(skew, "skew", "it is cost_fp (1 - prevalence) / (cost_fn prevalence).")


def check_target(target: Any, name: str) -> Target:
    """Require one of the three kinds of target."""
    if not isinstance(target, (Precision, FMeasure, GmEstimate)):
        raise input_error(
            name, "must be a Precision, FMeasure or GmEstimate", repr(target), f"pass {name}=Precision(0.9)."
        )
    return target


def _target(metric: str, value: float, alpha: float, m: float) -> Target:
    name = _METRICS[check_choice(metric, "metric", tuple(_METRICS))]
    if name == "f_measure":
        return FMeasure(value, alpha)
    return GmEstimate(value, m) if name == "gm_estimate" else Precision(value)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Isometric(Result):
    """Line tpr = slope fpr + intercept on which one metric is constant; made by `isometric`.

    Attributes
    ----------
    target : Precision, FMeasure or GmEstimate
        The metric and its value.
    side : str
        "positive" or "negative": which decisions it judges.
    skew : float
        Skew ratio c.
    slope, intercept : float
        Of the line. A vertical line has slope inf.
    rotation_point : (float, float)
        Point (fpr, tpr) shared by the isometrics of all values; the metric is 0/0 there.
    half_plane : HalfPlane
        Points at which the metric is at least the value, without divisions.
    """

    target: Target
    side: str
    skew: float
    slope: float
    intercept: float
    rotation_point: tuple[float, float]
    half_plane: HalfPlane

    def segment(self) -> FloatArray:
        """Return the part inside the unit square as rows (fpr, tpr); no rows if there is none."""
        a, b, d = self.half_plane
        ends = [(x, (d - a * x) / b) for x in (0.0, 1.0)] if b else []
        ends += [((d - b * y) / a, y) for y in (0.0, 1.0)] if a else []
        # an end on the border may miss it by rounding
        inside = [end for end in ends if all(-1e-12 <= at <= 1 + 1e-12 for at in end)]
        if not inside:
            return np.empty((0, 2))
        return np.asarray(np.clip([min(inside), max(inside)], 0.0, 1.0))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class IsometricGrid(Result):
    """Isometrics of one metric for several values, of both sides; made by `isometric_grid`.

    Attributes
    ----------
    metric : str
        Name of the metric.
    values : array
        Values of the metric.
    positive, negative : tuple of Isometric
        Element i: the line of ``values[i]`` for the positive and for the negative decisions.
    """

    metric: str
    values: FloatArray
    positive: tuple[Isometric, ...]
    negative: tuple[Isometric, ...]


def isometric_of(target: Target, side: str, skew: float) -> Isometric:
    """Return the line on which `target` is just met."""
    a, b, d = plane = target.half_plane(side, skew)
    slope = -a / b if b else np.inf
    # Value 1 is a vertical line: fpr = 0 for precision (intercept 0 in Table 1), fpr = -m else.
    intercept = d / b if b else (np.inf if d else 0.0)
    return Isometric(
        target=target,
        side=side,
        skew=skew,
        slope=float(slope),
        intercept=float(intercept),
        rotation_point=target.rotation_point(side, skew),
        half_plane=plane,
    )


def isometric(
    metric: str, side: str, value: float, *, skew: float, alpha: float = 1.0, m: float = 0.0
) -> Isometric:
    """Line of ROC space on which precision, F-measure or m-estimate takes one value.

    Everything on or above the line has at least this value (to the left of it, if vertical), so
    a classifier keeps a promise iff its ROC point does not lie below. Depends on the skew
    ratio: prevalence and costs enter only through it.

    Parameters
    ----------
    metric : {"precision", "f_measure", "gm_estimate"}
        Or the paper's symbol "prec", "F", "gm".
    side : {"positive", "negative"}
        Judge the positive or the negative decisions.
    value : float in (0, 1]
        Value on the line.
    skew : float > 0
        c = (cost_fp / cost_fn) (1 - prevalence) / prevalence; below 1 positives matter more.
    alpha : float > 0
        Weight of recall in the F-measure; the other metrics do not use it.
    m : float >= 0
        Prior cases of the m-estimate divided by the number of cases (m-hat in the paper).

    Returns
    -------
    Isometric
        With `slope`, `intercept`, `rotation_point`, `half_plane` and `segment`.

    Raises
    ------
    InputError
        For a value outside (0, 1], a skew or alpha that is not positive, a negative m.

    Notes
    -----
    Table 1 of the paper. With z the value: precision has slope c z/(1-z) through (0, 0), or
    c (1-z)/z through (1, 1) for the negative side; F rotates about (-alpha^2/c, 0) and
    (1, 1 + alpha^2 c), the m-estimate about (-m, -m) and (1 + m, 1 + m).

    References
    ----------
    Vanderlooy, Sprinkhuizen-Kuyper, Smirnov (2006), "An Analysis of Reliable Classifiers through
    ROC Isometrics", ROCML. Fuernkranz and Flach (2005), Machine Learning 58,
    doi:10.1007/s10994-005-5011-x.

    Examples
    --------
    Nine right positives in ten, three negatives per positive: the true positive rate must be 27
    times the false positive rate.

    >>> from demur.roc import isometric
    >>> round(isometric("precision", "positive", 0.9, skew=3).slope, 6)
    27.0
    """
    check_choice(side, "side", _SIDES)
    return isometric_of(_target(metric, value, alpha, m), side, check_skew(skew))


def isometric_grid(
    metric: str, *, skew: float, alpha: float = 1.0, m: float = 0.0, values: Any = None
) -> IsometricGrid:
    """Isometrics of several values (0.1, 0.2, ..., 0.9 by default), of both sides, to draw or read.

    Parameters as in `isometric`; figures 1 to 3 of the paper are the grids of "precision",
    "f_measure" with alpha = 1 and "gm_estimate" with m = 0.1, all at skew 1.

    Examples
    --------
    >>> from demur.roc import isometric_grid
    >>> grid = isometric_grid("precision", skew=1, values=[0.5, 0.8])
    >>> [round(line.slope, 6) for line in grid.positive]
    [1.0, 4.0]
    """
    c = check_skew(skew)
    # a copy: results make their arrays read-only
    chosen = np.array(check_finite(np.arange(1, 10) / 10 if values is None else values, "values"), ndmin=1)
    targets = [_target(metric, float(value), alpha, m) for value in chosen]
    if not targets:
        raise input_error("values", "must hold at least one value", "none")
    return IsometricGrid(
        metric=targets[0].metric,
        values=chosen,
        positive=tuple(isometric_of(target, "positive", c) for target in targets),
        negative=tuple(isometric_of(target, "negative", c) for target in targets),
    )
