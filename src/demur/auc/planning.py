"""Power and sample size for one AUC against a value, and for two AUCs against each other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from demur._checks import check_choice, check_number, check_positive_int, check_rate, input_error
from demur._results import Result
from demur.auc.one import MODEL_VARIANCES
from demur.exceptions import UndefinedError

__all__ = ["AucSampleSize", "auc_power", "auc_sample_size"]

_MOST = 2**40  # beyond a million million positives the answer is "never"


class _Plan(NamedTuple):
    """A checked question: what is tested, at which level, against which alternative."""

    auc: float
    null_auc: float
    other_auc: float | None
    correlation: float
    variance: str
    level: float
    sides: int

    def power(self, n_negative: float, n_positive: float) -> float:
        """Chance to find the difference, in the right direction (normal theory)."""
        from scipy.special import ndtr, ndtri

        null, truth = self._deviations(n_negative, n_positive)
        gap = abs(self.auc - (self.null_auc if self.other_auc is None else self.other_auc))
        critical = -float(ndtri(self.level / self.sides)) * null
        return float(ndtr((gap - critical) / truth))

    def _deviations(self, n_negative: float, n_positive: float) -> tuple[float, float]:
        """Standard deviation of the tested quantity if there is no difference, and if there is."""

        def variance(auc: float) -> float:
            return MODEL_VARIANCES[self.variance](auc, n_negative, n_positive)

        if self.other_auc is None:
            return math.sqrt(variance(self.null_auc)), math.sqrt(variance(self.auc))
        first, second = variance(self.auc), variance(self.other_auc)
        truth = first + second - 2 * self.correlation * math.sqrt(first * second)
        # without a difference both have the AUC in the middle
        null = 2 * variance((self.auc + self.other_auc) / 2) * (1 - self.correlation)
        return math.sqrt(null), math.sqrt(truth)


def _check_plan(
    auc: Any,
    null_auc: Any,
    other_auc: Any,
    correlation: Any,
    variance: str,
    significance_level: Any,
    alternative: str,
) -> _Plan:
    check_choice(variance, "variance", tuple(MODEL_VARIANCES))
    check_choice(alternative, "alternative", ("two-sided", "one-sided"))
    given = {"auc": auc, "null_auc": null_auc, "other_auc": other_auc}
    rates = {name: check_rate(value, name) for name, value in given.items() if value is not None}
    for name, rate in rates.items():
        if not 0 < rate < 1:
            raise input_error(name, "must lie strictly between 0 and 1", rate, "its variance is 0 there.")
    reference = "null_auc" if other_auc is None else "other_auc"
    if rates["auc"] == rates[reference]:
        raise input_error("auc", f"must differ from {reference}", rates["auc"], "there is nothing to find.")
    level = check_rate(significance_level, "significance_level")
    if not 0 < level < 1:
        raise input_error("significance_level", "must lie strictly between 0 and 1", level)
    rho = check_number(correlation, "correlation")
    if not -1 < rho < 1:
        raise input_error("correlation", "must lie strictly between -1 and 1", rho)
    if other_auc is None and rho:
        raise input_error("correlation", "is only for two AUCs", rho, "pass other_auc.")
    sides = 2 if alternative == "two-sided" else 1
    return _Plan(rates["auc"], rates["null_auc"], rates.get("other_auc"), rho, variance, level, sides)


def auc_power(
    *,
    auc: float,
    n_positive: int,
    n_negative: int,
    null_auc: float = 0.5,
    other_auc: float | None = None,
    correlation: float = 0.0,
    variance: str = "equal-binormal",
    significance_level: float = 0.05,
    alternative: str = "two-sided",
) -> float:
    """Chance that a study of the given size finds the difference; the higher the better.

    One AUC against `null_auc` (0.5 is chance, but "better than the 0.75 of today" is a fair
    question too), or against `other_auc` of a second model. Assumes independent cases, the named
    model of the scores and large samples: below about 20 cases per class it is a rough guide.

    Parameters
    ----------
    auc : float
        The AUC expected.
    n_positive, n_negative : int
        Cases of each class.
    null_auc : float, default 0.5
        One AUC: the value to be refuted.
    other_auc : float, optional
        Two AUCs: that of the second model.
    correlation : float, default 0
        Two AUCs: correlation of their estimates; 0 for different cases, typically 0.3 to 0.6 for
        two models on the same cases; estimate it with `auc_covariance` from a pilot study.
    variance : {"equal-binormal", "hanley-mcneil"}
        As `method` in `auc_variance`. The former is that of pROC's `power.roc.test`; it was
        made for ratings on a few levels and is cautious for continuous scores, for which the latter
        is close.
    significance_level : float, default 0.05
    alternative : {"two-sided", "one-sided"}

    Returns
    -------
    float
        In (0, 1); a difference in the wrong direction does not count.

    Raises
    ------
    InputError
        If an AUC is 0 or 1, or there is no difference to find.

    Notes
    -----
    Phi((gap - z sqrt(V0)) / sqrt(V1)) with V0 the variance without and V1 with the difference. For
    two AUCs V1 = Va + Vb - 2 rho sqrt(Va Vb), and V0 is the same at the AUC in the middle.

    References
    ----------
    Obuchowski and McClish (1997), Statistics in Medicine 16,
    doi:10.1002/(SICI)1097-0258(19970715)16:13<1529::AID-SIM565>3.0.CO;2-H.

    Examples
    --------
    A study of 40 + 80 cases would show that 0.75 is better than chance, not that it beats 0.65:

    >>> from demur.auc import auc_power
    >>> round(auc_power(auc=0.75, n_positive=40, n_negative=80), 3)
    0.997
    >>> round(auc_power(auc=0.75, n_positive=40, n_negative=80, null_auc=0.65), 3)
    0.456
    """
    plan = _check_plan(auc, null_auc, other_auc, correlation, variance, significance_level, alternative)
    sizes = [
        check_positive_int(size, name)
        for size, name in ((n_negative, "n_negative"), (n_positive, "n_positive"))
    ]
    return plan.power(*sizes)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AucSampleSize(Result):
    """Smallest study that reaches a power; made by `auc_sample_size`.

    Attributes
    ----------
    n_positive, n_negative : int
        Cases of each class.
    power : float
        Power reached, at least the one asked for.
    """

    n_positive: int
    n_negative: int
    power: float

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.n_positive + self.n_negative


def auc_sample_size(
    *,
    auc: float,
    power: float = 0.8,
    negatives_per_positive: float = 1.0,
    null_auc: float = 0.5,
    other_auc: float | None = None,
    correlation: float = 0.0,
    variance: str = "equal-binormal",
    significance_level: float = 0.05,
    alternative: str = "two-sided",
) -> AucSampleSize:
    """Smallest study that finds a difference with the given power; the fewer the cheaper.

    Parameters
    ----------
    auc, null_auc, other_auc, correlation, variance, significance_level, alternative
        As in `auc_power`.
    power : float, default 0.8
        Chance to find the difference.
    negatives_per_positive : float, default 1
        Ratio of the classes in the study; the number of negatives is rounded up.

    Returns
    -------
    AucSampleSize

    Raises
    ------
    InputError
        As in `auc_power`.

    Notes
    -----
    The smallest number of positives whose `auc_power` reaches `power`, found by bisection over whole
    numbers: power grows with the sample.

    References
    ----------
    Obuchowski and McClish (1997), Statistics in Medicine 16,
    doi:10.1002/(SICI)1097-0258(19970715)16:13<1529::AID-SIM565>3.0.CO;2-H.

    Examples
    --------
    To show that a new model (0.85) beats the present one (0.80) on the same cases, correlation 0.5:

    >>> from demur.auc import auc_sample_size
    >>> auc_sample_size(auc=0.85, other_auc=0.80, correlation=0.5).n
    688
    """
    plan = _check_plan(auc, null_auc, other_auc, correlation, variance, significance_level, alternative)
    target = check_rate(power, "power")
    if not plan.level / plan.sides < target < 1:
        raise input_error("power", "must lie between the significance level and 1", target)
    ratio = check_number(negatives_per_positive, "negatives_per_positive")
    if ratio <= 0:
        raise input_error("negatives_per_positive", "must be positive", ratio)

    def reached(n_positive: int) -> float:
        return plan.power(math.ceil(n_positive * ratio), n_positive)

    high = 1
    while reached(high) < target:
        high *= 2
        if high > _MOST:
            raise UndefinedError(
                f"No study of up to {_MOST:.0e} positives reaches the power, got auc {plan.auc:g}. "
                "Hint: the difference is too small to be found."
            )
    low = high // 2  # fails, or is 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= target else (middle, high)
    return AucSampleSize(n_positive=high, n_negative=math.ceil(high * ratio), power=reached(high))
