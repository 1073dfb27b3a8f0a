"""Power and sample size for one AUC against a value, and for two AUCs; studies solved for what is open."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from demur._checks import (
    check_choice,
    check_fraction,
    check_number,
    check_positive,
    check_positive_int,
    check_rate,
    input_error,
)
from demur._kernels.roots import root_between
from demur._results import Result
from demur.auc.one import MODEL_VARIANCES
from demur.exceptions import UndefinedError

__all__ = [
    "AucSampleSize",
    "AucStudy",
    "PilotStudy",
    "auc_power",
    "auc_sample_size",
    "auc_study",
    "pilot_study",
]

_MOST = 2**40  # beyond a million million positives the answer is "never"


def _planned_power(
    auc: Any,
    null_auc: Any,
    other_auc: Any,
    correlation: Any,
    variance: str,
    significance_level: Any,
    alternative: str,
) -> tuple[Callable[[float, float], float], float]:
    """Check a question; return the power by numbers of negatives and positives, and the level of one side."""
    from scipy.special import ndtr, ndtri

    check_choice(variance, "variance", tuple(MODEL_VARIANCES))
    check_choice(alternative, "alternative", ("two-sided", "one-sided"))
    given = {"auc": auc, "null_auc": null_auc, "other_auc": other_auc}
    rates = {
        name: check_fraction(value, name, "its variance is 0 there.")
        for name, value in given.items()
        if value is not None
    }
    reference = "null_auc" if other_auc is None else "other_auc"
    expected, other = rates["auc"], rates[reference]
    if expected == other:
        raise input_error("auc", f"must differ from {reference}", expected, "there is nothing to find.")
    level = check_fraction(significance_level, "significance_level")
    rho = check_number(correlation, "correlation")
    if not -1 < rho < 1:
        raise input_error("correlation", "must lie strictly between -1 and 1", rho)
    if other_auc is None and rho:
        raise input_error("correlation", "is only for two AUCs", rho, "pass other_auc.")
    tail = level / 2 if alternative == "two-sided" else level

    def power(n_negative: float, n_positive: float) -> float:
        """Chance to find the difference, in the right direction (normal theory)."""
        # variance of the tested quantity if there is no difference, and if there is; without a difference
        # two AUCs are both in the middle
        first, second, middle = (
            MODEL_VARIANCES[variance](rate, n_negative, n_positive)
            for rate in (expected, other, (expected + other) / 2)
        )
        null, truth = second, first
        if other_auc is not None:
            null, truth = 2 * middle * (1 - rho), first + second - 2 * rho * math.sqrt(first * second)
        critical = -float(ndtri(tail)) * math.sqrt(null)
        return float(ndtr((abs(expected - other) - critical) / math.sqrt(truth)))

    return power, tail


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
    power, _ = _planned_power(
        auc, null_auc, other_auc, correlation, variance, significance_level, alternative
    )
    return power(check_positive_int(n_negative, "n_negative"), check_positive_int(n_positive, "n_positive"))


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
    power_of, tail = _planned_power(
        auc, null_auc, other_auc, correlation, variance, significance_level, alternative
    )
    target = check_rate(power, "power")
    if not tail < target < 1:
        raise input_error("power", "must lie between the significance level and 1", target)
    ratio = check_positive(negatives_per_positive, "negatives_per_positive")

    def reached(n_positive: int) -> float:
        return power_of(math.ceil(n_positive * ratio), n_positive)

    n_positive = 1 + bisect_left(range(1, _MOST + 1), target, key=reached)
    if n_positive > _MOST:
        raise UndefinedError(
            f"No study of up to {_MOST:.0e} positives reaches the power, got auc {auc:g}. "
            "Hint: the difference is too small to be found."
        )
    return AucSampleSize(
        n_positive=n_positive, n_negative=math.ceil(n_positive * ratio), power=reached(n_positive)
    )


_EDGE = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AucStudy(Result):
    """A study of one AUC against a value, or of two AUCs; made by `auc_study`.

    Attributes
    ----------
    solved : str
        Which of the others was left open.
    auc, power, significance_level : float
    n_positive, n_negative : int
    """

    solved: str
    auc: float
    n_positive: int
    n_negative: int
    power: float
    significance_level: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PilotStudy(Result):
    """A study planned from a pilot, a multiple of its size; made by `pilot_study`.

    Attributes
    ----------
    solved : str
        Which of the others was left open.
    difference : float
        What the study is to find.
    times : float
        How many times as large as the pilot, with the same mix of cases.
    power, significance_level : float
    """

    solved: str
    difference: float
    times: float
    power: float
    significance_level: float


def _one_open(values: dict[str, Any]) -> str:
    missing = [name for name, value in values.items() if value is None]
    if len(missing) != 1:
        raise input_error(
            ", ".join(values),
            "must leave exactly one open (None), which is solved for",
            ", ".join(missing) or "none open",
        )
    return missing[0]


def auc_study(
    *,
    auc: float | None = None,
    n_positive: int | None = None,
    n_negative: int | None = None,
    power: float | None = None,
    significance_level: float | None = 0.05,
    negatives_per_positive: float = 1.0,
    null_auc: float = 0.5,
    other_auc: float | None = None,
    correlation: float = 0.0,
    variance: str = "equal-binormal",
    alternative: str = "two-sided",
) -> AucStudy:
    """Solve a study of AUCs for the one value not given: its size, power, level or the AUC it can find.

    Leave exactly one of `auc`, `n_positive`, `power` and `significance_level` open (None). Assumes what
    `auc_power` assumes.

    Parameters
    ----------
    auc : float or None
        The AUC expected; open: the smallest above `null_auc` (or `other_auc`) the study finds.
    n_positive, n_negative : int or None
        Cases of each class. If the positives are open, `negatives_per_positive` gives the mix.
    power, significance_level : float or None
    null_auc, other_auc, correlation, variance, alternative
        As in `auc_power`.

    Returns
    -------
    AucStudy
        All numbers of the study, and which was `solved`.

    Raises
    ------
    InputError
        If not exactly one number is open.
    UndefinedError
        If no number solves it.

    Examples
    --------
    With 30 + 30 cases, how good must a model be to be recognised as better than chance nine times in ten?

    >>> from demur.auc import auc_study
    >>> round(auc_study(n_positive=30, n_negative=30, power=0.9).auc, 2)
    0.73
    """
    names = {"auc": auc, "n_positive": n_positive, "power": power, "significance_level": significance_level}
    solved = _one_open(names)
    shared = {
        "null_auc": null_auc,
        "other_auc": other_auc,
        "correlation": correlation,
        "variance": variance,
        "alternative": alternative,
    }
    if solved == "n_positive":
        found = auc_sample_size(
            auc=auc,  # type: ignore[arg-type]
            power=power,  # type: ignore[arg-type]
            significance_level=significance_level,  # type: ignore[arg-type]
            negatives_per_positive=negatives_per_positive,
            **shared,  # type: ignore[arg-type]
        )
        given = {**names, "n_positive": found.n_positive, "power": found.power}
        return AucStudy(solved=solved, n_negative=found.n_negative, **given)  # type: ignore[arg-type]
    if n_negative is None:
        raise input_error("n_negative", "must be given beside n_positive", None)
    known: dict[str, Any] = {**names, "n_negative": n_negative, **shared}
    del known["power"]
    if solved == "power":
        value = auc_power(**known)
    else:
        target = check_rate(power, "power")
        # the range to search, and what the error sentence calls it
        floor = null_auc if other_auc is None else other_auc
        low, word = (floor + _EDGE, "AUC") if solved == "auc" else (1e-15, "level")

        def excess(value: float) -> float:
            return auc_power(**{**known, solved: value}) - target

        if excess(low) * excess(1 - _EDGE) > 0:
            raise UndefinedError(
                f"No {word} between {low:.3g} and {1 - _EDGE:.3g} gives the study asked for. "
                "Hint: change the size or the power."
            )
        value = root_between(excess, low, 1 - _EDGE)
    return AucStudy(solved=solved, n_negative=n_negative, **{**names, solved: value})  # type: ignore[arg-type]


def pilot_study(
    *,
    variance: float,
    difference: float | None = None,
    times: float | None = None,
    power: float | None = None,
    significance_level: float | None = 0.05,
    alternative: str = "two-sided",
) -> PilotStudy:
    """Plan a study from the variance a pilot has shown: of two AUCs, of partial AUCs, of clustered cases.

    Leave exactly one of `difference`, `times`, `power` and `significance_level` open (None). Assumes that
    the study has the mix of the pilot (classes, clusters) and that variances fall with its size.

    Parameters
    ----------
    variance : float
        Of the difference in the pilot: `variance` of `auc_difference_test(method="delong")`,
        `partial_auc_difference_test`, `roc_point_test` or `auc_unpaired_test`, or
        `auc_cluster_variance(minus=...)`.
    difference : float or None
        What the study is to find; rather what would matter than what the pilot happened to show.
    times : float or None
        How many times as large as the pilot.
    power, significance_level : float or None
    alternative : {"two-sided", "one-sided"}

    Returns
    -------
    PilotStudy

    Raises
    ------
    InputError
        If not exactly one number is open, or the variance is not positive.

    Notes
    -----
    power = Phi(|difference| sqrt(times / variance) - z): the one equation, solved for each number.

    Examples
    --------
    A pilot of 50 + 50 cases compared two partial AUCs. How many times as many would show 0.03?

    >>> import numpy as np
    >>> from demur.auc import partial_auc_difference_test, pilot_study
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> a, b = rng.normal(size=(2, 100)) + 1.5 * y
    >>> pilot = partial_auc_difference_test(y, a, b, max_fpr=0.2, rng=0)
    >>> round(pilot_study(variance=pilot.variance, difference=0.03, power=0.8).times, 1)
    5.0
    """
    from scipy.special import ndtr, ndtri

    names = {
        "difference": difference,
        "times": times,
        "power": power,
        "significance_level": significance_level,
    }
    solved = _one_open(names)
    check_choice(alternative, "alternative", ("two-sided", "one-sided"))
    sides = 2 if alternative == "two-sided" else 1
    spread = check_positive(
        variance, "variance", "a pilot without variance says nothing about a larger study."
    )
    for name in ("power", "significance_level"):
        if names[name] is not None:
            check_fraction(names[name], name)
    # what is open is NaN, and so is what it would be needed for
    gap = math.nan if difference is None else abs(check_number(difference, "difference"))
    if gap == 0:
        raise input_error("difference", "must not be 0", 0, "there is nothing to find.")
    size = math.nan if times is None else check_positive(times, "times")
    critical = math.nan if significance_level is None else -float(ndtri(significance_level / sides))
    reach = math.nan if power is None else float(ndtri(power))
    # a power below the level is reached by any study
    signal, needed = gap * math.sqrt(size / spread), max(critical + reach, 0.0)
    value = {
        "power": float(ndtr(signal - critical)),
        "significance_level": sides * float(ndtr(reach - signal)),
        "times": needed**2 * spread / gap**2,
        "difference": needed * math.sqrt(spread / size),
    }[solved]
    if solved == "significance_level" and value >= 1:
        raise UndefinedError(
            "No significance level below 1 gives the study this power. Hint: ask for more cases."
        )
    return PilotStudy(solved=solved, **{**names, solved: value})  # type: ignore[arg-type]
