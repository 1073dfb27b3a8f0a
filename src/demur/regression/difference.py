"""How sure a REC curve is: bands, intervals of the area, tests of two models on the same cases.

Errors of forecasts are often serially dependent. Blocks of cases allow for it, and so does the
test of Diebold and Mariano (`diebold_mariano`); the other procedures assume independent cases.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_positive_int,
    check_rng,
    check_type,
    input_error,
)
from demur._kernels.binomial import binomial_interval
from demur._results import Interval, Result
from demur.exceptions import InputError
from demur.regression.rec import RecCurve, regression_errors, tolerance_limit
from demur.typing import ArrayLike, FloatArray

__all__ = [
    "AocDifference",
    "RecBand",
    "RecDifference",
    "aoc_difference_test",
    "aoc_interval",
    "rec_band",
    "rec_difference_test",
]

ALTERNATIVES = ("two-sided", "less", "greater")
_CHUNK = 2**21  # random numbers held at a time


# ---------------------------------------------------------------- bands


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RecBand(Result):
    """Confidence band of a REC curve; made by `rec_band`.

    Attributes
    ----------
    tolerance, accuracy : array
        The step curve.
    low, high : array
        Limits of the accuracy at each tolerance; the curve is constant in between.
    confidence_level : float
        Probability that the band holds the true curve (at all tolerances, or at each one).
    method : str
        "dkw" or "clopper-pearson".
    simultaneous : bool
        Whether the level is for all tolerances at once.
    """

    tolerance: FloatArray
    accuracy: FloatArray
    low: FloatArray
    high: FloatArray
    confidence_level: float
    method: str
    simultaneous: bool


def rec_band(curve: RecCurve, *, confidence_level: float = 0.95, method: str = "dkw") -> RecBand:
    """Confidence band of a REC curve, for all tolerances at once or for each one.

    Assumes independent cases of weight 1. For forecasts of a series the errors are often
    dependent and the true band is wider.

    Parameters
    ----------
    curve : RecCurve
        Without case weights.
    confidence_level : float
        In (0, 1).
    method : {"dkw", "clopper-pearson"}
        "dkw": simultaneous, of constant half-width. "clopper-pearson": exact at each single
        tolerance, too narrow for statements about the whole curve.

    Returns
    -------
    RecBand
        Element i of `low` and `high` bounds the accuracy from ``tolerance[i]`` up to the next.

    Raises
    ------
    InputError
        If the curve is weighted: the number of independent cases is unknown.

    Notes
    -----
    Dvoretzky-Kiefer-Wolfowitz with Massart's constant: half-width
    sqrt(ln(2 / alpha) / 2n), clipped to [0, 1].

    References
    ----------
    Massart (1990), Annals of Probability 18, doi:10.1214/aop/1176990746.
    Clopper and Pearson (1934), Biometrika 26, doi:10.1093/biomet/26.4.404.

    Examples
    --------
    With 50 cases nobody can tell 80 % accuracy from 95 %:

    >>> from demur.regression import rec_band

    >>> from demur import rec_curve
    >>> band = rec_band(rec_curve(range(50), [0.0] * 50))
    >>> round(float(band.high[39] - band.accuracy[39]), 3)
    0.192
    """
    check_type(curve, "curve", RecCurve)
    level = check_confidence_level(confidence_level)
    check_choice(method, "method", ("dkw", "clopper-pearson"))
    if curve.weighted:
        raise input_error(
            "curve", "must be without case weights", "a weighted one", "repeat rows instead of weighting."
        )
    if method == "dkw":
        half = math.sqrt(math.log(2 / (1 - level)) / (2 * curve.n_cases))
        low, high = np.clip(curve.accuracy - half, 0, 1), np.clip(curve.accuracy + half, 0, 1)
    else:
        low, high = binomial_interval(np.rint(curve.accuracy * curve.n_cases), curve.n_cases, level)
    return RecBand(
        tolerance=curve.tolerance,
        accuracy=curve.accuracy,
        low=low,
        high=high,
        confidence_level=level,
        method=method,
        simultaneous=method == "dkw",
    )


# ---------------------------------------------------------------- bootstrap of a mean


def _capped_errors(
    y_true: ArrayLike, y_pred: ArrayLike, loss: str, max_tolerance: float | None, name: str = "y_pred"
) -> FloatArray:
    """Errors cut at `max_tolerance`, whose mean is the AOC; `name` is the user's word for `y_pred`."""
    try:
        errors = regression_errors(y_true, y_pred, loss=loss)
    except InputError as error:
        raise InputError(str(error).replace("`y_pred`", f"`{name}`")) from None
    return np.minimum(errors, tolerance_limit(max_tolerance, math.inf))


def _check_block(block_length: Any, n: int) -> int:
    if block_length is None:
        return 1
    if block_length == "auto":
        return max(1, round(math.cbrt(n)))
    length = check_positive_int(block_length, "block_length")
    if length > n:
        raise input_error("block_length", f"must not exceed the number of cases, {n}", length)
    return length


def _chunks(total: int, width: int) -> Iterator[int]:
    """Numbers of resamples to draw at a time."""
    step = max(1, _CHUNK // width)
    for start in range(0, total, step):
        yield min(step, total - start)


def _bootstrap_means(
    values: FloatArray, n_resamples: int, length: int, rng: np.random.Generator
) -> FloatArray:
    """Means of resamples of n values in moving blocks of `length` (Kuensch 1989); 1: independent."""
    n = len(values)
    n_blocks = -(-n // length)
    running = np.concatenate([[0.0], np.cumsum(values)])
    # the last block is cut so that every resample has n values
    rest = n - (n_blocks - 1) * length
    out = []
    for size in _chunks(n_resamples, n_blocks):
        start = rng.integers(0, n - length + 1, size=(size, n_blocks))
        if length == 1:
            out.append(values[start].mean(axis=1))
            continue
        sums = running[start + length] - running[start]
        sums[:, -1] = running[start[:, -1] + rest] - running[start[:, -1]]
        out.append(sums.sum(axis=1) / n)
    return np.concatenate(out)


def _bootstrap_interval(values: FloatArray, means: FloatArray, level: float, method: str) -> Interval:
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        tails = _bca_levels(values, means, tails)
    low, high = np.quantile(means, tails)
    return Interval(float(low), float(high))


def _bca_levels(values: FloatArray, means: FloatArray, tails: FloatArray) -> FloatArray:
    """Levels of the bias-corrected accelerated bootstrap (Efron 1987, eq. 6.8)."""
    from scipy.special import ndtr, ndtri

    centred = values - values.mean()
    spread = float(np.sum(centred**2))
    if spread == 0:
        return tails
    # the acceleration of a mean by the jackknife is its skewness / (6 sqrt(n))
    acceleration = float(np.sum(centred**3)) / (6 * spread**1.5)
    below = np.mean(means < values.mean()) + np.mean(means == values.mean()) / 2
    bias = ndtri(np.clip(below, 0.5 / len(means), 1 - 0.5 / len(means)))
    shifted = bias + ndtri(tails)
    levels: FloatArray = ndtr(bias + shifted / (1 - acceleration * shifted))
    return levels


def _check_bootstrap(method: str, length: int) -> None:
    check_choice(method, "method", ("percentile", "bca"))
    if method == "bca" and length > 1:
        raise input_error(
            "method", "must be 'percentile' with blocks (BCa assumes independent cases)", repr(method)
        )


def aoc_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    loss: str = "absolute",
    max_tolerance: float | None = None,
    confidence_level: float = 0.95,
    method: str = "bca",
    block_length: int | str | None = None,
    n_resamples: int = 2000,
    rng: Any = None,
) -> Interval:
    """Bootstrap interval of the area over a REC curve.

    The area is the mean of the capped errors, so the interval is one of a mean.

    Parameters
    ----------
    y_true, y_pred, loss, max_tolerance
        As in `rec_curve`.
    confidence_level : float
        In (0, 1).
    method : {"bca", "percentile"}
        BCa corrects bias and skewness; it assumes independent cases.
    block_length : int, "auto" or None
        Length of the moving blocks for serially dependent errors, in the order of time;
        "auto": n ** (1/3). None: independent cases. Blocks need ``method="percentile"``.
    n_resamples : int
        Number of resamples.
    rng : seed or Generator
        Same seed, same interval.

    Returns
    -------
    Interval
        (low, high).

    Raises
    ------
    InputError
        For wrong input, or BCa with blocks.

    References
    ----------
    Efron (1987), JASA 82, doi:10.1080/01621459.1987.10478410.
    Kuensch (1989), Annals of Statistics 17, doi:10.1214/aos/1176347265.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.regression import aoc_interval
    >>> y = np.arange(200.0)
    >>> low, high = aoc_interval(y, y + np.sin(y), rng=0)
    >>> low < 2 / np.pi < high
    True
    """
    values = _capped_errors(y_true, y_pred, loss, max_tolerance)
    level = check_confidence_level(confidence_level)
    length = _check_block(block_length, len(values))
    _check_bootstrap(method, length)
    count = check_positive_int(n_resamples, "n_resamples")
    return _bootstrap_interval(values, _bootstrap_means(values, count, length, check_rng(rng)), level, method)


# ---------------------------------------------------------------- two models


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AocDifference(Result):
    """Paired comparison of two areas; made by `aoc_difference_test`.

    Attributes
    ----------
    aoc_a, aoc_b : float
        Areas over the two curves.
    difference : float
        `aoc_a` - `aoc_b`; negative: model a is better.
    pvalue : float
        Of the hypothesis that exchanging the models' errors changes nothing.
    exact : bool
        Whether all exchanges were enumerated.
    block_length : int
        Cases exchanged (and resampled) together.
    n : int
        Number of cases.
    """

    aoc_a: float
    aoc_b: float
    difference: float
    pvalue: float
    alternative: str
    exact: bool
    block_length: int
    n: int
    _differences: FloatArray = field(repr=False)
    _means: FloatArray = field(repr=False)

    def interval(self, confidence_level: float = 0.95, *, method: str = "percentile") -> Interval:
        """Return the paired bootstrap interval of the difference ("percentile" or "bca")."""
        level = check_confidence_level(confidence_level)
        _check_bootstrap(method, self.block_length)
        return _bootstrap_interval(self._differences, self._means, level, method)


def paired_errors(
    y_true: ArrayLike, pred_a: ArrayLike, pred_b: ArrayLike, loss: str, max_tolerance: float | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the capped errors of two models on the same cases."""
    return (
        _capped_errors(y_true, pred_a, loss, max_tolerance, "pred_a"),
        _capped_errors(y_true, pred_b, loss, max_tolerance, "pred_b"),
    )


def _sign_flips(blocks: int, n_resamples: int, rng: np.random.Generator) -> tuple[Iterator[FloatArray], bool]:
    """Matrices of signs, one row per exchange: all of them if that is not more work than drawing."""
    if blocks < 60 and 2**blocks <= n_resamples:
        every = (np.arange(2**blocks)[:, None] >> np.arange(blocks)) & 1
        return iter([np.asarray(1.0 - 2.0 * every)]), True
    drawn = (
        np.asarray(1.0 - 2.0 * rng.integers(0, 2, size=(size, blocks)))
        for size in _chunks(n_resamples, blocks)
    )
    return drawn, False


def _permutation_pvalue(observed: float, found: FloatArray, alternative: str, *, exact: bool) -> float:
    """Share of exchanges at least as extreme; a drawn set includes the observed one."""
    slack = 1e-12 * max(abs(observed), float(np.abs(found).max(initial=0.0)))
    if alternative == "two-sided":
        extreme = np.abs(found) >= abs(observed) - slack
    else:
        sign = 1.0 if alternative == "greater" else -1.0
        extreme = sign * found >= sign * observed - slack
    if exact:
        return float(np.mean(extreme))
    return float((1 + np.count_nonzero(extreme)) / (1 + len(found)))


def aoc_difference_test(
    y_true: ArrayLike,
    pred_a: ArrayLike,
    pred_b: ArrayLike,
    *,
    loss: str = "absolute",
    max_tolerance: float | None = None,
    alternative: str = "two-sided",
    block_length: int | str | None = None,
    n_resamples: int = 2000,
    rng: Any = None,
) -> AocDifference:
    """Test whether two models have the same area over the REC curve, on the same cases.

    Sign-flip permutation: under the hypothesis the two errors of a case could be exchanged.
    Exact in size whatever the law of the errors; all exchanges are enumerated when there are
    at most `n_resamples` of them. Identical models give p = 1.

    Parameters
    ----------
    y_true, pred_a, pred_b : array of n finite numbers
        Targets and the predictions of the two models, case by case.
    loss, max_tolerance
        As in `rec_curve`.
    alternative : {"two-sided", "less", "greater"}
        "less": model a has the smaller area, so it is better.
    block_length : int, "auto" or None
        Number of successive cases exchanged, and resampled for the interval, together; for
        serially dependent errors. None: 1.
    n_resamples : int
        Number of random exchanges and of bootstrap resamples.
    rng : seed or Generator
        Same seed, same numbers.

    Returns
    -------
    AocDifference
        With `difference`, `pvalue` and `interval(confidence_level)`.

    Raises
    ------
    InputError
        For wrong input; the message names the argument.

    References
    ----------
    Kuensch (1989), Annals of Statistics 17, doi:10.1214/aos/1176347265.

    Examples
    --------
    Model a is closer in every one of 8 cases; by chance that happens once in 2**8, and
    once more with a and b exchanged:

    >>> from demur.regression import aoc_difference_test
    >>> test = aoc_difference_test([0.0] * 8, [0.1] * 8, [0.3] * 8)
    >>> round(test.difference, 6), test.pvalue
    (-0.2, 0.0078125)
    """
    check_choice(alternative, "alternative", ALTERNATIVES)
    first, second = paired_errors(y_true, pred_a, pred_b, loss, max_tolerance)
    count = check_positive_int(n_resamples, "n_resamples")
    length = _check_block(block_length, len(first))
    generator = check_rng(rng)
    gap = first - second
    sums = np.add.reduceat(gap, np.arange(0, len(gap), length))
    # a block without a difference can be exchanged freely: leaving it out changes nothing
    sums = sums[sums != 0]
    flips, exact = _sign_flips(len(sums), count, generator)
    found = np.concatenate([signs @ sums for signs in flips]) / len(gap)
    difference = float(gap.mean())
    return AocDifference(
        aoc_a=float(first.mean()),
        aoc_b=float(second.mean()),
        difference=difference,
        pvalue=_permutation_pvalue(difference, found, alternative, exact=exact),
        alternative=alternative,
        exact=exact,
        block_length=length,
        n=len(gap),
        _differences=gap,
        _means=_bootstrap_means(gap, count, length, generator),
    )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RecDifference(Result):
    """Largest gap between two REC curves on the same cases; made by `rec_difference_test`."""

    statistic: float
    tolerance: float
    pvalue: float
    exact: bool
    n: int


def rec_difference_test(
    y_true: ArrayLike,
    pred_a: ArrayLike,
    pred_b: ArrayLike,
    *,
    n_resamples: int = 2000,
    rng: Any = None,
) -> RecDifference:
    """Test whether two models have the same REC curve, on the same cases.

    The statistic is the largest gap between the curves (Kolmogorov-Smirnov). The table of
    that statistic assumes independent samples, which two models on the same cases are not;
    here the errors of each case are exchanged instead. The same for absolute and squared
    errors, because only their order enters. Assumes independent cases.

    Parameters
    ----------
    y_true, pred_a, pred_b : array of n finite numbers
        Targets and the predictions of the two models, case by case.
    n_resamples : int
        Number of random exchanges; all 2**n are enumerated if there are no more.
    rng : seed or Generator
        Same seed, same numbers.

    Returns
    -------
    RecDifference
        `statistic` = max |acc_a - acc_b|, `tolerance` (of the absolute error) where it is
        reached, `pvalue`.

    Raises
    ------
    InputError
        For wrong input; the message names the argument.

    Examples
    --------
    >>> from demur.regression import rec_difference_test
    >>> test = rec_difference_test([0.0] * 8, [0.1] * 8, [0.3] * 8)
    >>> test.statistic, test.tolerance, test.pvalue
    (1.0, 0.1, 0.0078125)
    """
    first, second = paired_errors(y_true, pred_a, pred_b, "absolute")
    count = check_positive_int(n_resamples, "n_resamples")
    apart = np.flatnonzero(first != second)
    n, m = len(first), len(apart)
    if m == 0:
        return RecDifference(statistic=0.0, tolerance=0.0, pvalue=1.0, exact=True, n=n)
    values, rank = np.unique(np.concatenate([first[apart], second[apart]]), return_inverse=True)
    order = np.argsort(rank, kind="stable")
    last = np.append(np.flatnonzero(np.diff(rank[order])), len(order) - 1)
    case = order % m
    side = np.where(order < m, 1.0, -1.0)

    def gaps(signs: FloatArray) -> FloatArray:
        return np.abs(np.cumsum(signs[:, case] * side, axis=1)[:, last]) / n

    observed = gaps(np.ones((1, m)))[0]
    flips, exact = _sign_flips(m, count, check_rng(rng))
    found = np.concatenate([gaps(signs).max(axis=1) for signs in flips])
    return RecDifference(
        statistic=float(observed.max()),
        tolerance=float(values[observed.argmax()]),
        pvalue=_permutation_pvalue(float(observed.max()), found, "greater", exact=exact),
        exact=exact,
        n=n,
    )
