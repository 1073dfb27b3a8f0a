"""Plan a study: solve for its size, its power, its level or the difference it can find."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from demur._checks import check_choice, check_number, check_positive, check_rate, input_error
from demur._kernels.roots import root_between
from demur._results import Result
from demur.auc.planning import auc_power, auc_sample_size
from demur.exceptions import UndefinedError

__all__ = ["AucStudy", "PilotStudy", "auc_study", "pilot_study"]

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


def _root(excess: Callable[[float], float], low: float, high: float, what: str) -> float:
    if excess(low) * excess(high) > 0:
        raise UndefinedError(
            f"No {what} between {low:.3g} and {high:.3g} gives the study asked for. "
            "Hint: change the size or the power."
        )
    return root_between(excess, low, high)


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

    def power_with(**changed: Any) -> float:
        arguments = {**names, "n_negative": n_negative, **shared, **changed}
        arguments.pop("power")
        return auc_power(**arguments)

    if solved == "power":
        value = power_with()
    else:
        target = check_rate(power, "power")
        if solved == "auc":
            floor = null_auc if other_auc is None else other_auc
            value = _root(lambda a: power_with(auc=a) - target, floor + _EDGE, 1 - _EDGE, "AUC")
        else:
            value = _root(lambda a: power_with(significance_level=a) - target, 1e-15, 1 - _EDGE, "level")
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
        if names[name] is not None and not 0 < check_rate(names[name], name) < 1:
            raise input_error(name, "must lie strictly between 0 and 1", names[name])
    gap = None if difference is None else abs(check_number(difference, "difference"))
    if gap == 0:
        raise input_error("difference", "must not be 0", 0, "there is nothing to find.")
    size = None if times is None else check_positive(times, "times")
    critical = None if significance_level is None else -float(ndtri(significance_level / sides))
    reach = None if power is None else float(ndtri(power))
    if solved == "power":
        value = float(ndtr(gap * math.sqrt(size / spread) - critical))  # type: ignore[operator]
    elif solved == "significance_level":
        value = sides * float(ndtr(reach - gap * math.sqrt(size / spread)))  # type: ignore[operator]
        if value >= 1:
            raise UndefinedError(
                "No significance level below 1 gives the study this power. Hint: ask for more cases."
            )
    elif solved == "times":
        value = _squared(critical + reach) * spread / gap**2  # type: ignore[operator]
    else:
        value = max(critical + reach, 0.0) * math.sqrt(spread / size)  # type: ignore[operator]
    return PilotStudy(solved=solved, **{**names, solved: value})  # type: ignore[arg-type]


def _squared(quantiles: float) -> float:
    """Square of a sum of quantiles; a power below the level is reached by any study."""
    return max(quantiles, 0.0) ** 2
