"""Paired tests of two models on the same cases: REC curves, and forecasts of a series.

Errors of forecasts are often serially dependent. Blocks of cases allow for it, and so does the
test of Diebold and Mariano; the other procedures assume independent cases.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from demur._checks import (
    check_block_length,
    check_choice,
    check_confidence_level,
    check_positive_int,
    check_rng,
    input_error,
)
from demur._results import Interval, Result
from demur._tables.numbers import number
from demur._tables.table import Column, Table
from demur.exceptions import InputError, UndefinedError
from demur.regression.intervals import (
    bootstrap_interval,
    bootstrap_means,
    capped_errors,
    refuse_blocks,
    resample_chunks,
)
from demur.regression.rec import RecCurve, null_rec_curve, rec_curve, regression_errors
from demur.regression.review import ReviewThreshold
from demur.typing import ArrayLike, FloatArray

__all__ = [
    "ALTERNATIVES",
    "AocDifference",
    "DieboldMariano",
    "RecComparison",
    "RecDifference",
    "aoc_difference_test",
    "compare_regressions",
    "diebold_mariano_test",
    "paired_errors",
    "rec_difference_test",
]

_MOST_PAIRS = 10
_MOST_CROSSINGS = 3
# beyond this many rows the sign-flip test and the t-test of the mean difference agree
_EXCHANGED_UP_TO = 20_000
_SHARES = (0.5, 0.9)

ALTERNATIVES = ("two-sided", "less", "greater")


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
        check_choice(method, "method", ("percentile", "bca"))
        refuse_blocks(method, self.block_length)
        return bootstrap_interval(self._differences, self._means, level, method)


def paired_errors(
    y_true: ArrayLike, pred_a: ArrayLike, pred_b: ArrayLike, loss: str, max_tolerance: float | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the capped errors of two models on the same cases."""
    return (
        capped_errors(y_true, pred_a, loss, max_tolerance, "pred_a"),
        capped_errors(y_true, pred_b, loss, max_tolerance, "pred_b"),
    )


def _sign_flips(blocks: int, n_resamples: int, rng: np.random.Generator) -> tuple[Iterator[FloatArray], bool]:
    """Matrices of signs, one row per exchange: all of them if that is not more work than drawing."""
    if blocks < 60 and 2**blocks <= n_resamples:
        flipped = (np.arange(2**blocks)[:, None] >> np.arange(blocks)) & 1
        return iter([np.asarray(1.0 - 2.0 * flipped)]), True
    chunks = resample_chunks(n_resamples, blocks)
    return (np.asarray(1.0 - 2.0 * rng.integers(0, 2, size=(size, blocks))) for size in chunks), False


def _permutation_pvalue(observed: float, exchanged: FloatArray, alternative: str, *, exact: bool) -> float:
    """Share of exchanges at least as extreme; a drawn set includes the observed one."""
    slack = 1e-12 * max(abs(observed), float(np.abs(exchanged).max(initial=0.0)))
    if alternative == "two-sided":
        observed, exchanged = abs(observed), np.abs(exchanged)
    elif alternative == "less":
        observed, exchanged = -observed, -exchanged
    drawn = 0 if exact else 1
    return float((drawn + np.count_nonzero(exchanged >= observed - slack)) / (drawn + len(exchanged)))


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
    Exact in size for every distribution of the errors; all exchanges are enumerated when there are
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
    length = check_block_length(block_length, len(first))
    generator = check_rng(rng)
    gap = first - second
    sums = np.add.reduceat(gap, np.arange(0, len(gap), length))
    # a block without a difference can be exchanged freely: leaving it out changes nothing
    sums = sums[sums != 0]
    flips, exact = _sign_flips(len(sums), count, generator)
    exchanged = np.concatenate([signs @ sums for signs in flips]) / len(gap)
    difference = float(gap.mean())
    return AocDifference(
        aoc_a=float(first.mean()),
        aoc_b=float(second.mean()),
        difference=difference,
        pvalue=_permutation_pvalue(difference, exchanged, alternative, exact=exact),
        alternative=alternative,
        exact=exact,
        block_length=length,
        n=len(gap),
        _differences=gap,
        _means=bootstrap_means(gap, count, length, generator),
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
    exchanged = np.concatenate([gaps(signs).max(axis=1) for signs in flips])
    return RecDifference(
        statistic=float(observed.max()),
        tolerance=float(values[observed.argmax()]),
        pvalue=_permutation_pvalue(float(observed.max()), exchanged, "greater", exact=exact),
        exact=exact,
        n=n,
    )


# ---------------------------------------------------------------- forecasts of a series


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class DieboldMariano(Result):
    """Test of equal forecast accuracy; made by `diebold_mariano_test`.

    Attributes
    ----------
    difference : float
        Mean loss of a minus mean loss of b; negative: model a is better.
    variance : float
        Variance of `difference`, serial dependence included.
    statistic, pvalue : float
        With the small-sample correction and the t distribution with n - 1 degrees of freedom.
    """

    difference: float
    variance: float
    statistic: float
    pvalue: float
    alternative: str
    horizon: int
    n: int

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval of the difference that belongs to the test."""
        from scipy.special import stdtrit

        level = check_confidence_level(confidence_level)
        half = float(stdtrit(self.n - 1, (1 + level) / 2)) * math.sqrt(self.variance)
        return Interval(self.difference - half, self.difference + half)


def diebold_mariano_test(
    y_true: ArrayLike,
    pred_a: ArrayLike,
    pred_b: ArrayLike,
    *,
    loss: str = "squared",
    horizon: int = 1,
    alternative: str = "two-sided",
) -> DieboldMariano:
    """Test whether two forecasts of a series are equally accurate.

    Allows for loss differences that are correlated up to `horizon` - 1 steps, as errors of
    optimal forecasts `horizon` steps ahead are. Assumes that the loss difference is
    stationary; a forecaster that is still learning breaks that.

    Parameters
    ----------
    y_true, pred_a, pred_b : array of n finite numbers
        The series and the two forecasts, in the order of time.
    loss : {"absolute", "squared"}
        Loss to compare.
    horizon : int
        Steps ahead of the forecasts; less than n.
    alternative : {"two-sided", "less", "greater"}
        "less": model a has the smaller loss, so it is better.

    Returns
    -------
    DieboldMariano
        With `statistic`, `pvalue` and `interval(confidence_level)`. Identical forecasts give
        statistic 0 and p = 1.

    Raises
    ------
    UndefinedError
        If the variance of the difference is not positive: the loss difference is the same
        non-zero number at every time, or its autocovariances cancel it.

    Notes
    -----
    d = mean of the loss differences, V = (g_0 + 2 sum_{k<h} g_k) / n with autocovariances
    g_k, and d / sqrt(V) times sqrt((n + 1 - 2h + h (h - 1) / n) / n), compared with t_(n-1).

    References
    ----------
    Diebold and Mariano (1995), J. Business and Economic Statistics 13, doi:10.2307/1392185.
    Harvey, Leybourne and Newbold (1997), Int. J. Forecasting 13,
    doi:10.1016/S0169-2070(96)00719-4.

    Examples
    --------
    >>> from demur.regression import diebold_mariano_test
    >>> y = [1.0, 3.0, 2.0, 4.0, 3.0, 5.0]
    >>> test = diebold_mariano_test(y, [1.1, 2.8, 2.3, 3.9, 3.2, 4.7], [2, 2, 3, 3, 4, 3])
    >>> test.difference < 0, test.pvalue < 0.05
    (True, True)
    """
    from scipy.special import stdtr

    check_choice(alternative, "alternative", ALTERNATIVES)
    first, second = paired_errors(y_true, pred_a, pred_b, loss)
    h = check_positive_int(horizon, "horizon")
    n = len(first)
    if n < 2 or h >= n:
        raise input_error("horizon", f"must be less than the number of forecasts, {n}", h)
    gap = first - second
    mean = float(gap.mean())
    if not gap.any():
        return DieboldMariano(
            difference=0.0, variance=0.0, statistic=0.0, pvalue=1.0, alternative=alternative, horizon=h, n=n
        )
    centred = gap - mean
    covariances = [float(centred[k:] @ centred[: n - k]) / n for k in range(h)]
    variance = (covariances[0] + 2 * sum(covariances[1:])) / n
    if variance <= 1e-28 * float(np.max(np.abs(gap))) ** 2:
        raise UndefinedError(
            "The loss difference has no positive long-run variance, so the test does not exist. "
            "Hint: lower the horizon, or use aoc_difference_test with blocks."
        )
    # Harvey, Leybourne and Newbold (1997), eq. 9
    variance /= (n + 1 - 2 * h + h * (h - 1) / n) / n
    statistic = mean / math.sqrt(variance)
    tail = {"two-sided": -abs(statistic), "less": statistic, "greater": -statistic}[alternative]
    sides = 2 if alternative == "two-sided" else 1
    return DieboldMariano(
        difference=mean,
        variance=variance,
        statistic=statistic,
        pvalue=float(sides * stdtr(n - 1, tail)),
        alternative=alternative,
        horizon=h,
        n=n,
    )


# ---------------------------------------------------------------- several models


@dataclass(frozen=True, kw_only=True, eq=False)
class RecComparison:
    """Regressions on the same cases: REC curves, the best one, p-values of equal areas; what reviews save."""

    loss: str
    curves: dict[str, RecCurve]
    null: RecCurve
    best: str
    pvalues: dict[str, float | None]
    skill: dict[str, float | None]
    reviews: ReviewThreshold | None = None

    def dominant(self, a: str, b: str) -> str | None:
        """Return which of two curves is above the other at every tolerance, if one is."""
        ways = ((a, b), (b, a))
        return next((one for one, other in ways if self.curves[one].dominates(self.curves[other])), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer; JSON makes built-in types of it."""
        models = [
            {
                "name": name,
                "aoc": curve.aoc,
                "relative_aoc": self.skill[name],
                "mean_error": curve.mean_error,
                "max_tolerance": curve.max_tolerance,
                **{f"tolerance_{100 * q:.0f}": float(curve.tolerance_at(q)) for q in _SHARES},
                "pvalue_against_best": self.pvalues[name],
            }
            for name, curve in self.curves.items()
        ]
        pairs = [
            {
                "first": a,
                "second": b,
                "dominant": self.dominant(a, b),
                "crossings": self.curves[a].crossings(self.curves[b]),
            }
            for a, b in combinations(self.curves, 2)
        ]
        null = {"constant": "mean", "aoc": self.null.aoc}
        found = {} if self.reviews is None else {"reviews": self.reviews}
        return {"loss": self.loss, "best": self.best, "null": null, "models": models, "pairs": pairs, **found}

    def opening(self) -> list[str]:
        """Return the decision in words."""

        if self.reviews is not None:
            return [self.reviews.words]
        if (self.skill[self.best] or 0.0) >= 1:
            return [f"No model errs less than predicting the mean: {self.best} comes closest."]
        half, most = (number(float(self.curves[self.best].tolerance_at(q))) for q in _SHARES)
        decision = (
            f"Use {self.best}: half of its {self.loss} errors are at most {half}, nine of ten at most {most}."
        )
        doubtful = [name for name, p in self.pvalues.items() if p is not None and p > 0.05]
        if doubtful:
            decision += f" Not clearly better than {', '.join(doubtful)} (p > 0.05)."
        return [decision]

    def tables(self) -> list[Table]:
        """Return what reviews save, the models, and the models in pairs."""

        curves = {**self.curves, "null model": self.null}
        shares = [self.skill.get(name, 1.0) for name in curves]
        whole = all(curve.max_tolerance >= curve.tolerance[-1] for curve in self.curves.values())
        note = (
            f"AOC: area over the REC curve, the mean {self.loss} error"
            f"{'' if whole else ' cut at the largest tolerance'}; smaller is better. "
            "p: of an area equal to the best model's, rows independent."
        )
        columns = (
            Column("model", list(curves), "model"),
            Column("aoc", [curve.aoc for curve in curves.values()], "AOC", number),
            Column("relative_aoc", shares, "of null", lambda share: f"{100 * share:.1f} %"),
            *(
                Column(
                    f"tolerance_{100 * q:.0f}",
                    [float(curve.tolerance_at(q)) for curve in curves.values()],
                    f"{100 * q:.0f} % within",
                    number,
                )
                for q in _SHARES
            ),
            Column("pvalue", [self.pvalues.get(name) for name in curves], "p (best)", "{:.2g}".format),
        )
        models = Table(name="Models", columns=columns, note=note)
        found = [] if self.reviews is None else list(self.reviews.tables().values())
        return [*found, models, *([self._pairs()] if len(self.curves) > 1 else [])]

    def closing(self) -> list[str]:
        """Return nothing."""
        return []

    def _pairs(self) -> Table:

        pairs, title = list(combinations(self.curves, 2)), "Which curve is above, pair by pair"
        if len(pairs) > _MOST_PAIRS:
            pairs = [pair for pair in pairs if self.best in pair]
            title = f"Which curve is above, {self.best} against each other model"
        words = []
        for a, b in pairs:
            winner, at = self.dominant(a, b), self.curves[a].crossings(self.curves[b])
            if winner is not None:
                words.append(f"{winner} at every tolerance")
            elif len(at) == 0:
                words.append("the same curve")
            else:
                shown = ", ".join(number(float(t)) for t in at[:_MOST_CROSSINGS])
                rest = len(at) - _MOST_CROSSINGS
                words.append(f"they cross at {shown}" + (f" and {rest} more" if rest > 0 else ""))
        columns = (
            Column("first", [a for a, _ in pairs]),
            Column("second", [b for _, b in pairs]),
            Column("", [f"{a} / {b}" for a, b in pairs], "first / second"),
            Column("above", words, "above"),
        )
        return Table(name="Pairs", title=title, columns=columns)


def compare_regressions(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    *,
    loss: str = "absolute",
    max_tolerance: float | None = None,
    target: str = "y_true",
) -> RecComparison:
    """Compare regressions on the same cases with each other and with the mean of the true values.

    Errors of input name the true values `target`, and the predictions as they are named.
    """
    curves, errors = {}, {}
    for name, predicted in predictions.items():
        try:
            curves[name] = rec_curve(y_true, predicted, loss=loss, max_tolerance=max_tolerance)
            error = regression_errors(y_true, predicted, loss=loss)
        except InputError as refused:
            text = str(refused).replace("`y_true`", repr(target)).replace("`y_pred`", repr(name))
            raise InputError(text) from None
        errors[name] = np.minimum(error, curves[name].max_tolerance)
    null = null_rec_curve(y_true, loss=loss, max_tolerance=max_tolerance)
    best = min(curves, key=lambda name: curves[name].aoc)
    skill: dict[str, float | None] = dict.fromkeys(curves)
    for name, curve in curves.items():
        with suppress(UndefinedError):
            skill[name] = curve.relative_aoc(null)
    return RecComparison(
        loss=loss,
        curves=curves,
        null=null,
        best=best,
        pvalues={name: _pvalue(errors[best], errors[name]) if name != best else None for name in curves},
        skill=skill,
    )


def _pvalue(first: FloatArray, second: FloatArray) -> float | None:
    """P-value of equal areas; None where no test exists (a constant difference)."""
    zeros = np.zeros(len(first))
    if len(first) <= _EXCHANGED_UP_TO:
        return aoc_difference_test(zeros, first, second, rng=0).pvalue
    try:
        return diebold_mariano_test(zeros, first, second, loss="absolute").pvalue
    except UndefinedError:
        return None
