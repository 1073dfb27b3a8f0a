"""Calibration slope and intercept: in which direction probabilities err, with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_confidence_level, check_weight_meaning, input_error
from demur._kernels.normal import normal_quantile
from demur._kernels.roots import root_between
from demur._results import Interval, Result
from demur.calibration.reliability import check_probabilities
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["CalibrationSlope", "calibration_slope"]

_STEPS = 200
_TOLERANCE = 1e-12
_MANY = 10_000  # cases of each class from which the likelihood is a parabola to three digits


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class CalibrationSlope(Result):
    """Logistic recalibration of probabilities; made by `calibration_slope`.

    Attributes
    ----------
    slope, slope_interval
        1 for a calibrated model; below 1 the probabilities are too extreme, above 1 too timid.
    intercept, intercept_interval
        Of the same fit: 0 for a calibrated model.
    in_the_large, in_the_large_interval
        Intercept with the slope held at 1: above 0 the probabilities are too low on average.
    pvalue : float
        Test that the slope is 1 and the intercept 0, against the chi-squared law with 2 degrees.
    confidence_level : float
    method : str
        How the intervals were made: "profile likelihood"; "information" (estimate -+ z standard
        errors) from 10,000 cases of each class on, where both agree; "robust" for importance weights.
    """

    slope: float
    slope_interval: Interval
    intercept: float
    intercept_interval: Interval
    in_the_large: float
    in_the_large_interval: Interval
    pvalue: float
    confidence_level: float
    method: str


class _Data(NamedTuple):
    """Log-odds of the distinct forecasts, and the weight of each class there."""

    log_odds: FloatArray
    positives: FloatArray
    negatives: FloatArray

    def loss(self, intercept: float, slope: float) -> float:
        """Minus the log likelihood."""
        eta = intercept + slope * self.log_odds
        up, down = np.logaddexp(0, -eta), np.logaddexp(0, eta)
        return float(np.dot(self.positives, up) + np.dot(self.negatives, down))

    def derivatives(self, intercept: float, slope: float) -> tuple[FloatArray, FloatArray]:
        """Gradient and Hessian of the loss."""
        from scipy.special import expit

        p = expit(intercept + slope * self.log_odds)
        total = self.positives + self.negatives
        residual, spread = total * p - self.positives, total * p * (1 - p)
        x = self.log_odds
        gradient = np.array([residual.sum(), np.dot(residual, x)])
        mixed = float(np.dot(spread, x))
        return gradient, np.array([[spread.sum(), mixed], [mixed, np.dot(spread, x * x)]])


def calibration_slope(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> CalibrationSlope:
    """Calibration slope and intercept with intervals; 1 and 0 are best.

    Assumes independent cases and a model fitted on others: on its own training cases logistic
    regression has slope 1 and intercept 0 whatever it will do later. Sees tilted and shifted
    probabilities only; `reliability_curve` sees every rising distortion.

    Parameters
    ----------
    y_true, pos_label, sample_weight
        As in `abstention_surface`.
    y_score : array of n probabilities
        Of the positive class, strictly between 0 and 1.
    confidence_level : float, default 0.95
    weights : {"importance", "repeats"}
        "importance": robust (sandwich) intervals, which multiplying all weights by a constant does not
        change. "repeats": a weight of 2 is two cases.

    Returns
    -------
    CalibrationSlope

    Raises
    ------
    InputError
        If a probability is 0 or 1: its log-odds are infinite.
    UndefinedError
        If a class is missing, all forecasts are equal, or the forecasts separate the classes, where
        the slope grows without bound.

    Notes
    -----
    Maximum likelihood of logit P(y = 1) = intercept + slope logit(p). Limits of the profile
    likelihood: twice the loss of log likelihood is z^2. With importance weights the limits are
    estimate -+ z times the robust standard error, and so is the test.

    References
    ----------
    Cox (1958), Biometrika 45, doi:10.1093/biomet/45.3-4.562.
    Van Calster et al. (2019), BMC Medicine 17, doi:10.1186/s12916-019-1466-7.

    Examples
    --------
    Probabilities twice as far from even odds as they should be must be shrunk before they are used:

    >>> import numpy as np
    >>> from demur.calibration import calibration_slope
    >>> rng = np.random.default_rng(0)
    >>> log_odds = rng.normal(size=1000)
    >>> y = rng.random(1000) < 1 / (1 + np.exp(-log_odds))
    >>> found = calibration_slope(y, 1 / (1 + np.exp(-2 * log_odds)))
    >>> round(found.slope, 2), [round(limit, 2) for limit in found.slope_interval]
    (0.42, [0.34, 0.5])
    """
    from scipy.special import chdtrc

    check_weight_meaning(weights)
    z = normal_quantile(check_confidence_level(confidence_level))
    counts = as_counts(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, both_classes="A calibration slope"
    )
    check_probabilities(counts, "a calibration slope")
    if weights == "repeats":
        counts.require_repeated_cases("a calibration slope")
        plain = squared = counts
    else:
        plain, squared = counts.importance("A calibration slope")
    data = _data(plain)
    positive, negative = np.flatnonzero(plain.positives), np.flatnonzero(plain.negatives)
    if positive[0] >= negative[-1] or negative[0] >= positive[-1]:
        raise UndefinedError(
            "A calibration slope needs forecasts that overlap between the classes, got classes that one "
            "threshold separates, where the slope has no finite value. Hint: collect more cases."
        )
    fit = _newton(data, np.array([0.0, 1.0]), free=(True, True))
    large = _newton(data, np.array([0.0, 1.0]), free=(True, False))
    if plain is squared:
        method = "profile likelihood" if min(plain.n_positive, plain.n_negative) < _MANY else "information"
        errors = np.sqrt(np.diag(np.linalg.inv(data.derivatives(*fit)[1]))).tolist()
        errors.append(1 / math.sqrt(float(data.derivatives(*large)[1][0, 0])))
        statistic = max(2 * (data.loss(0.0, 1.0) - data.loss(*fit)), 0.0)  # likelihood ratio
    else:
        method = "robust"
        errors, statistic = _sandwich(data, _data(squared), fit, large)
    # intercept, slope, and intercept with the slope held at 1
    estimates = ((fit, 0, (False, True)), (fit, 1, (True, False)), (large, 0, (False, False)))
    intervals = [
        _profile_interval(data, fitted, which, free, z, error)
        if method == "profile likelihood"
        else Interval(float(fitted[which] - z * error), float(fitted[which] + z * error))
        for (fitted, which, free), error in zip(estimates, errors, strict=True)
    ]
    return CalibrationSlope(
        slope=float(fit[1]),
        slope_interval=intervals[1],
        intercept=float(fit[0]),
        intercept_interval=intervals[0],
        in_the_large=float(large[0]),
        in_the_large_interval=intervals[2],
        pvalue=float(chdtrc(2, statistic)),
        confidence_level=confidence_level,
        method=method,
    )


def _data(counts: ScoreCounts) -> _Data:
    p = counts.scores
    if p[0] == 0 or p[-1] == 1:
        raise input_error(
            "y_score",
            "must lie strictly between 0 and 1 for a calibration slope",
            float(p[0] if p[0] == 0 else p[-1]),
            "certainty has infinite log-odds; np.clip(p, 1e-6, 1 - 1e-6) is one way to bound it.",
        )
    if len(p) == 1:
        raise UndefinedError(
            f"A calibration slope needs at least 2 different forecasts, got {p[0]:g} for every case. "
            "Hint: reliability_curve compares one forecast with the observed share."
        )
    return _Data(np.log(p) - np.log1p(-p), counts.positives, counts.negatives)


def _newton(data: _Data, start: FloatArray, *, free: tuple[bool, bool]) -> FloatArray:
    """Minimise the convex loss over the free coefficients: Newton steps, halved until they help."""
    at, chosen = start.astype(np.float64), np.flatnonzero(free)
    loss = data.loss(*at)
    for _ in range(_STEPS):
        gradient, hessian = data.derivatives(*at)
        step = np.zeros(2)
        block = hessian[np.ix_(chosen, chosen)]
        step[chosen] = np.linalg.solve(block + _TOLERANCE * np.eye(len(chosen)), gradient[chosen])
        size = 1.0
        while size > 1e-10 and not (lower := data.loss(*(at - size * step))) <= loss:
            size /= 2
        at, loss = at - size * step, lower
        if np.abs(size * step).max() <= _TOLERANCE * (1 + np.abs(at).max()):
            break
    return at


def _profile_interval(
    data: _Data, fitted: FloatArray, which: int, free: tuple[bool, bool], z: float, error: float
) -> Interval:
    """Return where the profile of a coefficient reaches z^2: it rises without bound from its estimate on."""
    best, centre = data.loss(*fitted), float(fitted[which])

    def excess(value: float) -> float:
        start = fitted.copy()
        start[which] = value
        return 2 * (data.loss(*_newton(data, start, free=free)) - best) - z**2

    limits = []
    for sign in (-1, 1):
        reach = z * error
        while excess(centre + sign * reach) < 0:
            reach *= 2
        limits.append(root_between(excess, centre, centre + sign * reach, tolerance=1e-10))
    return Interval(*limits)


def _sandwich(data: _Data, squared: _Data, fit: FloatArray, large: FloatArray) -> tuple[list[float], float]:
    """Return robust standard errors, and the statistic of the Wald test.

    Inverse Hessian times the sum of squared weighted scores times inverse Hessian.
    """
    from scipy.special import expit

    def meat(at: FloatArray) -> FloatArray:
        p = expit(at[0] + at[1] * data.log_odds)
        square = squared.positives * (1 - p) ** 2 + squared.negatives * p**2
        design = np.stack([np.ones_like(p), data.log_odds])
        return np.asarray((design * square) @ design.T)

    inverse = np.linalg.inv(data.derivatives(*fit)[1])
    covariance = inverse @ meat(fit) @ inverse
    large_error = math.sqrt(float(meat(large)[0, 0])) / float(data.derivatives(*large)[1][0, 0])
    gap = fit - [0.0, 1.0]
    wald = float(gap @ np.linalg.solve(covariance, gap))
    return [*np.sqrt(np.diag(covariance)).tolist(), large_error], wald
