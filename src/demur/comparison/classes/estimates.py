"""Costs of rules for many classes, and of pairs of rules, from tables of decisions.

The intervals are those of two classes (`demur.honest.intervals`), with as many classes as there are.
The two added errors of each rule, one per class there, are spread over all classes: w = z^2 / 2m
further cases of each class that the rule could get wrong at all, at the root mean square of what the
wrong answers it gives would cost. For m = 2 these are the numbers of two classes.
"""

from typing import NamedTuple

import numpy as np

from demur._kernels.normal import normal_quantile
from demur._results import Interval
from demur.comparison.classes.judging import ClassCandidate, joint_table
from demur.comparison.classes.question import ClassQuestion
from demur.costs.losses import Losses
from demur.honest.expected_cost import Estimate
from demur.honest.intervals import added_errors
from demur.typing import FloatArray

__all__ = ["cost_at", "cost_of", "difference_of", "shares_of"]

_ROUNDING = 64 * np.finfo(np.float64).eps


class _Sums(NamedTuple):
    """Per class: cases, losses, squared losses, loss of an added error, and its weight from 0 to 1."""

    n: FloatArray
    total: FloatArray
    squares: FloatArray
    worst: FloatArray
    risk: FloatArray
    decided: FloatArray


def shares_of(table: FloatArray, question: ClassQuestion) -> FloatArray:
    """Shares of all cases by true class and answer, as used; they sum to 1."""
    sizes = table.sum(axis=1, keepdims=True)
    if question.shares is None:
        return np.asarray(table / sizes.sum())
    return np.asarray(
        np.divide(table, sizes, out=np.zeros_like(table), where=sizes > 0) * question.shares[:, None]
    )


def cost_at(candidate: ClassCandidate, losses: Losses, question: ClassQuestion) -> float:
    """Honest cost per case."""
    return float((shares_of(candidate.honest_table, question) * losses.table).sum())


def cost_of(candidate: ClassCandidate, question: ClassQuestion) -> Estimate:
    """Honest cost with its interval for the true cost of the rule in use, in the middle of the ranges."""
    point = question.point
    shares = shares_of(candidate.honest_table, question).sum(axis=1)
    base = float(shares @ np.diag(point.answers))
    losses = point.relative
    low, high = _interval(candidate, losses, np.zeros(len(losses)), question)
    # every case can cost its most expensive outcome, and its cheapest
    possible = losses if candidate.abstains else losses[:, :-1]
    low, high = (
        max(low, float(shares @ possible.min(axis=1))),
        min(high, float(shares @ possible.max(axis=1))),
    )
    cost = cost_at(candidate, point, question)
    hindsight = float((shares_of(candidate.hindsight_table, question) * point.table).sum())
    return Estimate(cost, Interval(min(base + low, cost), max(base + high, cost)), hindsight)


def _wrong_calls(table: FloatArray) -> FloatArray:
    """Number of calls of each answer that are wrong for each class: rows classes, columns answers."""
    m = len(table)
    calls = np.tile(table.sum(axis=0)[:m], (m, 1))
    np.fill_diagonal(calls, 0.0)
    return calls


def _sums(table: FloatArray, losses: FloatArray, spared: FloatArray) -> _Sums:
    m = len(table)
    gaps = losses - spared[:, None]
    wrong = _wrong_calls(table)
    number = wrong.sum(axis=1)
    squared = (wrong * losses[:, :m] ** 2).sum(axis=1)
    rms = np.sqrt(np.divide(squared, number, out=np.zeros(m), where=number > 0))
    return _Sums(
        n=table.sum(axis=1),
        total=(table * gaps).sum(axis=1),
        squares=(table * gaps**2).sum(axis=1),
        worst=rms - spared,
        risk=np.minimum(number, 1.0),
        decided=np.minimum(table[:, :m].sum(axis=1), 1.0),
    )


def _interval(
    candidate: ClassCandidate, losses: FloatArray, spared: FloatArray, question: ClassQuestion
) -> tuple[float, float]:
    """Ends for the cost of the rule beyond what it spares each class, as `honest_interval` has them."""
    hindsight, honest = (
        _sums(table, losses, spared) for table in (candidate.hindsight_table, candidate.honest_table)
    )
    # the rule in use may err where it makes a call, even if the rules of the folds made none
    honest = honest._replace(risk=np.maximum(honest.risk, hindsight.risk))
    honest = honest._replace(worst=np.where(honest.risk > 0, np.maximum(honest.worst, hindsight.worst), 0.0))
    level = question.confidence_level
    z, errors = normal_quantile(level), _errors(question)
    right = 0.0 if question.shares is None else errors
    seen, seen_error = _mean_and_error(hindsight, question.shares, right=right)
    high, high_error = _mean_and_error(honest, question.shares, errors=errors)
    return seen - z * seen_error, high + z * high_error


def _errors(question: ClassQuestion) -> float:
    """Errors added to each class: two in all classes together, times z^2 / 4."""
    return added_errors(question.confidence_level) * 2 / len(question.classes)


def _mean_and_error(
    sums: _Sums, shares: FloatArray | None, *, errors: float = 0.0, right: float = 0.0
) -> tuple[float, float]:
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


# ---------------------------------------------------------------- differences


def difference_of(
    first: ClassCandidate, second: ClassCandidate, question: ClassQuestion
) -> tuple[float, Interval]:
    """Honest difference per case, first minus second, with its interval, paired on the same cases."""
    point = question.point
    difference = cost_at(first, point, question) - cost_at(second, point, question)
    if _same_decisions(first, second):
        return 0.0, Interval(0.0, 0.0)
    losses = point.relative
    if second.model is None:
        spared = losses[:, int(second.hindsight[0])]
        return difference, Interval(*_interval(first, losses, spared, question))
    if first.model is None:
        low, high = _interval(second, losses, losses[:, int(first.hindsight[0])], question)
        return difference, Interval(-high, -low)
    z = normal_quantile(question.confidence_level)
    seen, seen_error = _gap(first, second, losses, question, honest=False)
    kept, kept_error = _gap(first, second, losses, question, honest=True)
    half = z * max(seen_error, kept_error)
    return difference, Interval(min(seen, kept) - half, max(seen, kept) + half)


def _gap(
    first: ClassCandidate,
    second: ClassCandidate,
    losses: FloatArray,
    question: ClassQuestion,
    *,
    honest: bool,
) -> tuple[float, float]:
    """Mean difference and its standard error; added errors cancel in the mean but not in the spread."""
    pair = (first.honest, second.honest) if honest else ([first.hindsight], [second.hindsight])
    joint = joint_table(first.cases, *pair)
    gap = losses[:, :, None] - losses[:, None, :]
    zero = np.zeros(len(losses))
    own = [_sums(joint.sum(axis=axis), losses, zero) for axis in (2, 1)]
    extra = sum(one.risk * one.worst**2 for one in own)
    sums = _Sums(
        n=joint.sum(axis=(1, 2)),
        total=(joint * gap).sum(axis=(1, 2)),
        squares=(joint * gap**2).sum(axis=(1, 2)) + _errors(question) * extra,
        worst=zero,
        risk=zero,
        decided=zero,
    )
    return _mean_and_error(sums, question.shares)


def _same_decisions(first: ClassCandidate, second: ClassCandidate) -> bool:
    pairs = zip((first.hindsight, *first.honest), (second.hindsight, *second.honest), strict=True)
    return all(one is two or np.array_equal(one, two) for one, two in pairs)
