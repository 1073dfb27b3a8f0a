"""Non-inferiority and equivalence of two classifiers: is one not worse than the other by a margin?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_both_classes,
    check_choice,
    check_confidence_level,
    check_labels,
    check_nonnegative,
    check_positive,
    check_prevalence,
    check_same_length,
    check_whole_counts,
    input_error,
)
from demur._kernels.normal import normal_quantile
from demur._kernels.proportions import joined_limits
from demur._kernels.roots import root_between
from demur._results import Interval, Result
from demur.roc.segment import tango_interval, tango_limits
from demur.typing import Labels

__all__ = ["QUESTIONS", "MarginTest", "cost_margin_test", "margin_result", "tango_margin_test"]

QUESTIONS = ("non-inferiority", "equivalence")
_FARTHEST = 37.0  # normal quantile beyond which a p-value counts as 0


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class MarginTest(Result):
    """Whether one classifier is worse by less than a margin; made by the functions named `*_margin_test`.

    Attributes
    ----------
    quantity : str
        What is compared, a minus b, in words.
    question : {"non-inferiority", "equivalence"}
        Is a worse than b by less than the margin; or is neither worse than the other by as much?
    difference, margin : float
    interval : Interval
        Of the difference, at level 1 - 2 significance_level: the claim holds where the interval lies
        on the right side of the margin, or within both.
    pvalue : float
        Small where the claim is established. The null hypothesis is that the margin is reached.
    significance_level : float
    established : bool
        pvalue <= significance_level.
    """

    quantity: str
    question: str
    difference: float
    margin: float
    interval: Interval
    pvalue: float
    significance_level: float
    established: bool


def margin_result(
    quantity: str,
    difference: float,
    limits: Callable[[float], tuple[float, float]],
    margin: float,
    question: str,
    significance_level: float,
    *,
    higher_is_better: bool,
) -> MarginTest:
    """Decide from limits(z), the interval of the difference a - b with normal quantile z."""
    check_choice(question, "question", QUESTIONS)
    level = check_confidence_level(significance_level, "significance_level")
    if level >= 0.5:
        raise input_error("significance_level", "must be below 0.5", level, "0.05 or 0.025 is usual.")
    size = check_positive(margin, "margin", "how much worse would still be acceptable?")
    below = _pvalue_below(limits, size)
    above = _pvalue_below(lambda z: tuple(-end for end in reversed(limits(z))), size)
    worse = above if higher_is_better else below
    pvalue = max(below, above) if question == "equivalence" else worse
    low, high = limits(normal_quantile(1 - level, sides=1))
    return MarginTest(
        quantity=quantity,
        question=question,
        difference=difference,
        margin=size,
        interval=Interval(float(low), float(high)),
        pvalue=pvalue,
        significance_level=level,
        established=pvalue <= level,
    )


def _pvalue_below(limits: Callable[[float], tuple[float, ...]], margin: float) -> float:
    """One-sided p-value of "the difference is at least `margin`": where the limit meets it."""
    from scipy.special import ndtr

    # the upper limit of a difference below the margin rises to it, the lower limit of one above it falls
    end, sign = (1, -1) if sum(limits(0.0)) / 2 < margin else (0, 1)
    if sign * (limits(_FARTHEST)[end] - margin) > 0:
        return float(ndtr(sign * _FARTHEST))
    z = root_between(lambda z: limits(z)[end] - margin, 0.0, _FARTHEST, tolerance=1e-12)
    return float(ndtr(sign * z))


def _tango(b: int, c: int, n: int) -> Callable[[float], tuple[float, float]]:
    """Limits of (b - c) / n for any quantile z."""
    missed, alarmed, cases = np.array([[b], [c], [n]], dtype=np.float64)

    def limits(z: float) -> tuple[float, float]:
        low, high = tango_limits(missed, alarmed, cases, z)
        return float(low[0]), float(high[0])

    return limits


def tango_margin_test(
    b: int,
    c: int,
    n: int,
    *,
    margin: float,
    question: str = "non-inferiority",
    significance_level: float = 0.05,
) -> MarginTest:
    """Test whether one classifier errs no more often than another on the same cases, up to a margin.

    Positive differences mean that classifier a errs more. Assumes independent cases. A difference that
    is "not significant" does not show equivalence: this test does.

    Parameters
    ----------
    b, c : whole numbers
        Cases only classifier a, and only classifier b, gets wrong.
    n : whole number
        All cases.
    margin : float
        How much higher an error rate would still be acceptable, such as 0.05.
    question : {"non-inferiority", "equivalence"}
        "equivalence" asks in both directions (two one-sided tests).
    significance_level : float, default 0.05
        Of each one-sided test.

    Returns
    -------
    MarginTest

    Raises
    ------
    InputError
        For fractional or negative counts, b + c > n, or a margin that is not positive.

    Notes
    -----
    The null hypothesis p_b - p_c = margin has Tango's score statistic; the p-value is its normal tail.
    The claim at level alpha is that the margin lies outside Tango's interval of level 1 - 2 alpha.

    References
    ----------
    Tango (1998), Statistics in Medicine 17,
    doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B.

    Examples
    --------
    A quick test errs on 11 patients the laboratory gets right, and the other way round on 9, of 160.
    Is it worse by less than 10 points?

    >>> from demur.roc import tango_margin_test
    >>> found = tango_margin_test(11, 9, 160, margin=0.1)
    >>> found.established, round(found.pvalue, 4)
    (True, 0.0029)
    """
    counts = []
    for name, value in (("b", b), ("c", c), ("n", n)):
        number = check_whole_counts(value, name)
        if number.ndim:
            raise input_error(name, "must be one whole number of cases", f"shape {number.shape}")
        counts.append(int(number))
    tango_interval(*counts)  # refuses tables that are none
    return margin_result(
        "difference of error rates",
        (counts[0] - counts[1]) / counts[2],
        _tango(*counts),
        margin,
        question,
        significance_level,
        higher_is_better=False,
    )


def cost_margin_test(
    y_true: Labels,
    decision_a: Labels,
    decision_b: Labels,
    *,
    margin: float,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    prevalence: float | None = None,
    question: str = "non-inferiority",
    significance_level: float = 0.05,
    pos_label: Any = None,
) -> MarginTest:
    """Test whether the decisions of one classifier cost no more than those of another, up to a margin.

    Positive differences mean that classifier a costs more. Assumes independent cases and decisions
    whose thresholds were not chosen on them.

    Parameters
    ----------
    y_true : array of n labels
    decision_a, decision_b : array of n labels
        What each classifier said.
    margin : float
        How much more per case would still be acceptable, in the unit of the costs.
    cost_fn, cost_fp : float, default 1
        Cost of a miss and of a false alarm.
    prevalence : float, optional
        Share of positives in use; default: the sample's, taken as known.
    question, significance_level
        As in `tango_margin_test`.
    pos_label : label, optional
        The positive label.

    Returns
    -------
    MarginTest

    Raises
    ------
    UndefinedError
        If a class is missing.

    Notes
    -----
    difference = prevalence cost_fn (misses of a - misses of b) / P + (1 - prevalence) cost_fp (alarms of
    a - alarms of b) / N. Each class has Tango's limits; their distances add up in squares (MOVER).

    References
    ----------
    Zou and Donner (2008), Statistics in Medicine 27, doi:10.1002/sim.3095.

    Examples
    --------
    The cheaper device misses one patient more in twenty. A miss costs 10; is it within 1 per case?

    >>> from demur.roc import cost_margin_test
    >>> y = [1] * 20 + [0] * 80
    >>> a = [1] * 18 + [0] * 2 + [0] * 76 + [1] * 4
    >>> b = [1] * 19 + [0] * 1 + [0] * 74 + [1] * 6
    >>> found = cost_margin_test(y, a, b, margin=1.0, cost_fn=10)
    >>> round(found.difference, 3), found.established
    (0.08, True)
    """
    positive = check_labels(y_true, pos_label)
    decisions = [check_labels(decision, pos_label) for decision in (decision_a, decision_b)]
    check_same_length(y_true=positive, decision_a=decisions[0], decision_b=decisions[1])
    sizes = int(positive.sum()), int((~positive).sum())
    check_both_classes(*sizes, "A test of costs")
    share = check_prevalence(prevalence, positives=sizes[0], negatives=sizes[1])
    miss, alarm = (
        float(check_nonnegative(price, name)) for price, name in ((cost_fn, "cost_fn"), (cost_fp, "cost_fp"))
    )
    parts = []
    for chosen, size, wrong, scale in (
        (positive, sizes[0], False, share * miss),
        (~positive, sizes[1], True, (1 - share) * alarm),
    ):
        first, second = ((decision == wrong) & chosen for decision in decisions)
        only = int(np.count_nonzero(first & ~second)), int(np.count_nonzero(second & ~first))
        parts.append((scale, (only[0] - only[1]) / size, _tango(*only, size)))

    def limits(z: float) -> tuple[float, float]:
        first, second = ((scale, centre, *part(z)) for scale, centre, part in parts)
        return joined_limits(first, second)

    return margin_result(
        "difference of expected costs",
        sum(scale * centre for scale, centre, _ in parts),
        limits,
        margin,
        question,
        significance_level,
        higher_is_better=False,
    )
