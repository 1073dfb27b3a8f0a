"""Mean costs of rules and of pairs of rules, with intervals, from sums of losses by class and action.

Any number of classes, and costs by class or by case. The intervals are those of `demur.honest.intervals`:
the two added errors of each rule, one per class if there are two, are spread over all classes: w = z^2 / 2m
further cases of each class that the rule could get wrong at all, at the root mean square of what the wrong
answers it gives would cost.

Where every case has its own costs two things differ, and neither does where all cases of a class cost the
same. An added error has no amount of its own: it counts as the root mean square of what such an error costs
among the cases of the class, which is at least its mean. And few cases are missed, the largest amounts
seldom among them, so the spread of what was lost is too small on average: it is taken to be at least that of
all cases of the class, larger in proportion if those that were missed are larger:
squares >= cases * max(own mean, mean)^2 * (mean square / mean^2).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.normal import normal_quantile
from demur._results import Interval
from demur.costs.losses import Losses
from demur.honest.cases import SplitCases
from demur.honest.decisions import Codes
from demur.honest.intervals import added_errors
from demur.typing import FloatArray

__all__ = [
    "Estimate",
    "OutcomeSums",
    "class_shares",
    "cost_interval",
    "difference_interval",
    "error_losses",
    "gap_sums",
    "joint_sums",
    "mean_and_error",
    "mean_cost",
    "paid_estimate",
    "table_beyond",
    "table_difference",
    "table_estimate",
]

_ROUNDING = 64 * np.finfo(np.float64).eps


class Estimate(NamedTuple):
    """Honest cost per case with its interval, beside the cost with hindsight."""

    cost: float
    interval: Interval
    hindsight: float


class OutcomeSums(NamedTuple):
    """Sums over the cases by class (rows) and action (columns), averaged over the splits.

    `worst` holds, by class, what an added error costs.
    """

    cases: FloatArray
    losses: FloatArray
    squares: FloatArray
    worst: FloatArray

    @classmethod
    def of_table(
        cls, cases: FloatArray, losses: FloatArray, spared: FloatArray | None = None
    ) -> "OutcomeSums":
        """Price a table of outcomes where all cases of a class cost the same.

        `spared` is taken off the losses of each class: what another rule costs there.
        """
        m = len(cases)
        less = np.zeros(m) if spared is None else spared
        wrong = _wrong_calls(cases)
        number, squared = wrong.sum(axis=1), (wrong * losses[:, :m] ** 2).sum(axis=1)
        error = np.sqrt(np.divide(squared, number, out=np.zeros(m), where=number > 0))
        gaps = losses - less[:, None]
        return cls(cases, cases * gaps, cases * gaps**2, error - less)

    def scaled(self, factors: FloatArray) -> "OutcomeSums":
        """Return the sums with all costs of an action times a factor; of two classes by case."""
        return OutcomeSums(
            self.cases, self.losses * factors, self.squares * factors**2, self.worst * factors[[1, 0]]
        )


def _wrong_calls(table: FloatArray) -> FloatArray:
    """Number of calls of each answer that are wrong for each class: rows classes, columns answers."""
    m = len(table)
    calls = np.tile(table.sum(axis=0)[:m], (m, 1))
    np.fill_diagonal(calls, 0.0)
    return calls


def class_shares(cases: FloatArray, shares: FloatArray | None) -> FloatArray:
    """Shares of all cases by class and action, as used; they sum to 1."""
    sizes = cases.sum(axis=1, keepdims=True)
    if shares is None:
        return np.asarray(cases / sizes.sum())
    return np.asarray(np.divide(cases, sizes, out=np.zeros_like(cases), where=sizes > 0) * shares[:, None])


def mean_cost(cases: FloatArray, losses: FloatArray, shares: FloatArray | None) -> float:
    """Expected cost per case, from sums over classes and actions."""
    sizes = cases.sum(axis=1)
    if shares is None:
        each = np.full(len(sizes), 1 / sizes.sum())
    else:
        each = np.divide(shares, sizes, out=np.zeros(len(sizes)), where=sizes > 0)
    return float((each * losses.sum(axis=1)).sum())


def table_estimate(
    honest: FloatArray,
    hindsight: FloatArray,
    losses: Losses,
    shares: FloatArray | None,
    *,
    level: float,
    abstains: bool,
) -> Estimate:
    """Honest cost with its interval from tables of outcomes, where all cases of a class cost the same.

    `abstains`: whether abstaining is an action of the rule.
    """
    relative = losses.relative
    sums = [OutcomeSums.of_table(table, relative) for table in (hindsight, honest)]
    low, high = cost_interval(sums[0], sums[1], shares, level=level)
    # every case can cost its most expensive outcome, and its cheapest
    possible, used = relative if abstains else relative[:, :-1], class_shares(honest, shares).sum(axis=1)
    base = float(used @ np.diagonal(losses.table))
    low = base + max(low, float(used @ possible.min(axis=1)))
    high = base + min(high, float(used @ possible.max(axis=1)))
    cost, seen = (mean_cost(table, table * losses.table, shares) for table in (honest, hindsight))
    # a rule without risk has no interval but its cost, however the sums were rounded
    return Estimate(cost, Interval(min(low, cost), max(high, cost)), seen)


def table_difference(
    hindsight: FloatArray, honest: FloatArray, losses: Losses, shares: FloatArray | None, *, level: float
) -> Interval:
    """Interval of a difference from tables of joint outcomes, where all cases of a class cost the same."""
    sides = []
    for joint in (hindsight, honest):
        own = [OutcomeSums.of_table(joint.sum(axis=axis), losses.relative).worst for axis in (2, 1)]
        sides.append((GapSums.of_table(joint, losses.relative), own[0], own[1]))
    return difference_interval(sides[0], sides[1], shares, level=level)


def table_beyond(
    hindsight: FloatArray,
    honest: FloatArray,
    code: int,
    losses: Losses,
    shares: FloatArray | None,
    *,
    level: float,
) -> Interval:
    """Interval of the cost of a rule beyond that of one action for all cases.

    The interval of a cost, of losses less what the action costs on the same case: an error added to the
    rule is none of the other, so it does not cancel in the mean.
    """
    relative = losses.relative
    sums = [OutcomeSums.of_table(table, relative, relative[:, code]) for table in (hindsight, honest)]
    return Interval(*cost_interval(sums[0], sums[1], shares, level=level))


# ---------------------------------------------------------------- means and intervals


class _ByClass(NamedTuple):
    """Per class: cases, losses, squared losses, loss of an added error, and its weight from 0 to 1."""

    n: FloatArray
    total: FloatArray
    squares: FloatArray
    worst: FloatArray
    risk: FloatArray
    decided: FloatArray


def _by_class(sums: OutcomeSums) -> _ByClass:
    m = len(sums.cases)
    return _ByClass(
        n=sums.cases.sum(axis=1),
        total=sums.losses.sum(axis=1),
        squares=sums.squares.sum(axis=1),
        worst=sums.worst,
        # a rule that never gives a wrong answer to a class cannot err there
        risk=np.minimum(_wrong_calls(sums.cases).sum(axis=1), 1.0),
        decided=np.minimum(sums.cases[:, :m].sum(axis=1), 1.0),
    )


def _moments(
    sums: _ByClass, shares: FloatArray | None, *, errors: float = 0.0, right: float = 0.0
) -> tuple[float, float]:
    """Mean and its standard error, with added errors and right answers of each class."""
    wrong = errors * sums.risk
    n = sums.n + wrong + right * sums.decided
    total, squares = sums.total + wrong * sums.worst, sums.squares + wrong * sums.worst**2
    if shares is None:
        n, total, squares = (np.array([column.sum()]) for column in (n, total, squares))
        shares = np.ones(1)
    used = shares > 0
    shares, n, total, squares = (column[used] for column in (shares, n, total, squares))
    spread = squares - total**2 / n
    spread = np.where(spread > _ROUNDING * squares, spread, 0.0)
    variance = shares**2 * spread / (n * np.maximum(n - 1, 1.0))
    return float((shares * total / n).sum()), float(np.sqrt(variance.sum()))


def mean_and_error(sums: OutcomeSums, shares: FloatArray | None) -> tuple[float, float]:
    """Expected cost per case and its standard error; the classes are samples apart where shares are known."""
    return _moments(_by_class(sums), shares)


def cost_interval(
    hindsight: OutcomeSums, honest: OutcomeSums, shares: FloatArray | None, *, level: float
) -> tuple[float, float]:
    """Ends for the true cost of the rule in use: from the cost with hindsight to the honest one."""
    seen, kept = _by_class(hindsight), _by_class(honest)
    # the rule in use may err where it makes a call, even if the rules of the folds made none
    kept = kept._replace(risk=np.maximum(kept.risk, seen.risk))
    kept = kept._replace(worst=np.where(kept.risk > 0, np.maximum(kept.worst, seen.worst), 0.0))
    z, errors = normal_quantile(level), _errors(level, len(seen.n))
    low, low_error = _moments(seen, shares, right=0.0 if shares is None else errors)
    high, high_error = _moments(kept, shares, errors=errors)
    return low - z * low_error, high + z * high_error


def _errors(level: float, m: int) -> float:
    """Errors added to each class: two in all classes together, times z^2 / 4."""
    return added_errors(level) * 2 / m


def paid_estimate(
    honest: OutcomeSums, hindsight: OutcomeSums, shares: FloatArray | None, *, level: float
) -> Estimate:
    """Honest cost with its interval from sums, where every case has its own costs: nothing is refunded."""
    low, high = cost_interval(hindsight, honest, shares, level=level)
    cost, seen = (mean_cost(sums.cases, sums.losses, shares) for sums in (honest, hindsight))
    return Estimate(cost, Interval(min(max(low, 0.0), cost), max(high, cost)), seen)


# ---------------------------------------------------------------- pairs of rules


class GapSums(NamedTuple):
    """Sums over [class, action of the first rule, action of the second]: cases, gaps of losses, squares."""

    cases: FloatArray
    gaps: FloatArray
    squares: FloatArray

    @classmethod
    def of_table(cls, joint: FloatArray, losses: FloatArray) -> "GapSums":
        """Price a table of joint outcomes where all cases of a class cost the same."""
        gap = losses[:, :, None] - losses[:, None, :]
        return cls(joint, joint * gap, joint * gap**2)


def difference_interval(
    hindsight: tuple[GapSums, FloatArray, FloatArray],
    honest: tuple[GapSums, FloatArray, FloatArray],
    shares: FloatArray | None,
    *,
    level: float,
) -> Interval:
    """Interval of the cost of the first rule minus that of the second, paired case by case.

    Each side comes with what an added error of the first and of the second rule costs, by class. These
    errors cancel in the mean but not in the spread.
    """
    (seen, seen_error), (kept, kept_error) = (
        _gap_moments(*side, shares, level=level) for side in (hindsight, honest)
    )
    half = normal_quantile(level) * max(seen_error, kept_error)
    return Interval(min(seen, kept) - half, max(seen, kept) + half)


def _gap_moments(
    sums: GapSums, first: FloatArray, second: FloatArray, shares: FloatArray | None, *, level: float
) -> tuple[float, float]:
    m, zero = len(sums.cases), np.zeros(len(sums.cases))
    extra: Any = 0.0
    for axis, worst in ((2, first), (1, second)):
        risk = np.minimum(_wrong_calls(sums.cases.sum(axis=axis)).sum(axis=1), 1.0)
        extra = extra + risk * worst**2
    return _moments(
        _ByClass(
            n=sums.cases.sum(axis=(1, 2)),
            total=sums.gaps.sum(axis=(1, 2)),
            squares=sums.squares.sum(axis=(1, 2)) + _errors(level, m) * extra,
            worst=zero,
            risk=zero,
            decided=zero,
        ),
        shares,
    )


# ---------------------------------------------------------------- costs by case, two classes


def _class_means(cases: SplitCases, columns: FloatArray) -> FloatArray:
    """Mean of every column over the negatives and over the positives."""
    by_class = (~cases.positive, cases.positive)
    return np.array([np.average(columns[own], axis=0, weights=cases.sizes[own]) for own in by_class])


def error_losses(cases: SplitCases, losses: FloatArray) -> FloatArray:
    """Root mean square, with the sign of the mean, of an error on a negative and on a positive."""
    errors = losses[:, [1, 0]]
    means, squares = _class_means(cases, errors), _class_means(cases, errors**2)
    return np.copysign(np.sqrt(np.diagonal(squares)), np.diagonal(means))


def joint_sums(
    cases: SplitCases, losses: FloatArray, first: Sequence[Codes], second: Sequence[Codes]
) -> GapSums:
    """Sum the gaps of two rules where every case has its own losses.

    Squares are at least those of as many cases of the class.
    """
    width = losses.shape[1]
    size = 2 * width**2
    sums, own = np.zeros((3, size)), np.zeros((2, size))
    for rows, one, two in zip(cases.splits.repeats, first, second, strict=False):
        paid = losses[rows.cell, one], losses[rows.cell, two]
        gap = paid[0] - paid[1]
        code = (cases.positive[rows.cell].astype(np.int64) * width + one % width) * width + two % width
        sums += [np.bincount(code, rows.cases * gap**power, size) for power in range(3)]
        own += [np.bincount(code, rows.cases * loss, size) for loss in paid]
    number, gaps, squares = (sums / len(first)).reshape(3, 2, width, width)
    every_gap = (losses[:, :, None] - losses[:, None, :]).reshape(len(losses), -1)
    drawn = _class_means(cases, every_gap**2).reshape(2, width, width)
    means = _class_means(cases, losses)
    usual = np.array([means[:, :, None] + 0 * drawn, means[:, None, :] + 0 * drawn])
    here = (own / len(first)).reshape(2, 2, width, width) / np.maximum(number, 1e-300)
    ratio = np.divide(here, usual, out=np.ones_like(here), where=usual > 0).max(axis=0)
    # rounding must not make equal amounts larger than they are
    larger = np.where(ratio > 1 + 1e-9, ratio**2, 1.0)
    return GapSums(number, gaps, np.maximum(squares, number * drawn * larger))


def gap_sums(
    cases: SplitCases, losses: FloatArray, decisions: Sequence[Codes], spared: int | None = None
) -> OutcomeSums:
    """Sum the losses of a rule where every case has its own; those of the action `spared` are taken off."""
    # a first column for what is spared: nothing, or what the action costs
    base = np.zeros((len(losses), 1)) if spared is None else losses[:, [spared]]
    actions = [codes % losses.shape[1] + 1 for codes in decisions]
    first = [np.zeros(len(codes), dtype=np.int8) for codes in decisions]
    sums = joint_sums(cases, np.column_stack([base, losses]), actions, first)
    number, gaps, squares = (column[:, 1:, 0] for column in sums)
    return OutcomeSums(number, gaps, squares, error_losses(cases, losses - base))
