"""Law of the largest deviation of a cost estimate over a grid, from its covariance matrix.

The multiplier process of `multiplier` is a normal vector with one entry per grid point. Where
there are more groups of cases than grid points it is quicker to compute its covariance matrix,
exactly, and to draw from that: a loss is a sum of steps in the position of a case, so sums of
products of losses are look-ups in cumulative tables of positions.
"""

from typing import Any

import numpy as np

from demur._kernels.jit import COMPILE_FROM, compiled, kernel
from demur.honest.held_out import JudgedRules
from demur.honest.multiplier import step_weights
from demur.honest.pairs import JudgedPair
from demur.honest.rules import Prices
from demur.typing import FloatArray, IntArray

__all__ = ["deviations", "matrix_pays", "pair_covariance", "rules_covariance"]

_MANY_GROUPS = 2**13
_GROUPS_PER_POINT = 8


def matrix_pays(rules: JudgedRules, groups: int, points: int) -> bool:
    """Tell whether the matrix over `points` is cheaper than a multiplier for each of the `groups`.

    Few groups pay for a small matrix as well, but not for loading the compiler: only where there
    are so many cases that it is loaded already. What is loaded must not decide, as the draws differ.
    """
    many = rules.weighting.n_positive + rules.weighting.n_negative >= COMPILE_FROM
    return groups > (min(_MANY_GROUPS, _GROUPS_PER_POINT * points) if many else _MANY_GROUPS)


def rules_covariance(rules: JudgedRules, prices: Prices, scale: FloatArray) -> FloatArray:
    """Covariance of the deviations of one model's mean cost times `scale`, over the grid."""
    out = np.zeros((scale.size, scale.size))
    steps = _steps(rules, prices, scale)
    nothing = np.zeros((scale.size, 3), dtype=np.int64), np.zeros((scale.size, 3))
    for segment, (cuts, weights) in enumerate(steps):
        table = rules.tables[segment % len(rules.tables)]
        below = _running(table.columns[segment // len(rules.tables)])
        compiled(_add_products)(
            cuts,
            weights,
            below,
            *nothing,
            np.zeros(1),
            np.zeros((len(below), 1)),
            np.zeros((1, len(below))),
            out,
        )
    return _mirrored(out)


def pair_covariance(pair: JudgedPair, prices: Prices, scale: FloatArray) -> FloatArray:
    """Covariance of the deviations of the mean difference of two models times `scale`, over the grid."""
    out = np.zeros((scale.size, scale.size))
    first, second = (_steps(rules, prices, scale) for rules in (pair.first, pair.second))
    for segment, joint in enumerate(pair.cumulative_tables()):
        # both ways round, as walking down a column of a large table is slow
        turned = np.ascontiguousarray(joint.T)
        below = turned[-1], joint[-1]
        compiled(_add_products)(*first[segment], below[0], *second[segment], below[1], joint, turned, out)
    return _mirrored(out)


def deviations(covariance: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Draw the largest and the largest negative entry of the normal vector: (n_resamples x 2)."""
    from scipy.linalg.lapack import dpstrf

    # pivoting: points with the same windows make the matrix singular
    factor, _, rank, _ = dpstrf(covariance, lower=1)
    drawn = np.tril(factor)[:, :rank] @ rng.standard_normal((rank, n_resamples))
    return np.column_stack([drawn.max(axis=0), -drawn.min(axis=0)])


def _running(column: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(column)])


def _mirrored(lower: FloatArray) -> FloatArray:
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)


def _steps(rules: JudgedRules, prices: Prices, scale: FloatArray) -> list[tuple[IntArray, FloatArray]]:
    """Per class and fold: cuts and weights of the centred, scaled loss as a sum of steps 1[x < cut].

    The third cut lies above all positions.
    """
    steps, share_cuts = [], prices.share_cuts()
    for coefficients in step_weights(rules, prices, scale):
        weights = np.ascontiguousarray(np.stack(coefficients, axis=1))
        for table in rules.tables:
            above = np.full(scale.shape, table.rule.n_positions)
            cuts = np.stack([*table.rule.limits(share_cuts), above], axis=1).astype(np.int64)
            steps.append((cuts, weights))
    return steps


@kernel
def _add_products(
    cuts_a: Any,
    weights_a: Any,
    below_a: Any,
    cuts_b: Any,
    weights_b: Any,
    below_b: Any,
    joint: Any,
    turned: Any,
    out: Any,
) -> None:
    """Add, for grid points q <= p, the sum over the cases of (loss a - loss b) at p times that at q.

    Element [x, y] of `joint` counts the cases among the first x positions of a and y of b;
    `turned` is its transpose.
    """
    points, steps = cuts_a.shape
    sums_a = np.zeros(len(below_a))
    sums_b = np.zeros(len(below_b))
    for p in range(points):
        # sums of the loss at p over the cases below every position of a, and of b
        sums_a[:] = 0.0
        sums_b[:] = 0.0
        for k in range(steps):
            for x in range(len(below_a)):
                sums_a[x] += weights_a[p, k] * below_a[min(cuts_a[p, k], x)]
                sums_a[x] -= weights_b[p, k] * turned[cuts_b[p, k], x]
            for y in range(len(below_b)):
                sums_b[y] += weights_a[p, k] * joint[cuts_a[p, k], y]
                sums_b[y] -= weights_b[p, k] * below_b[min(cuts_b[p, k], y)]
        for q in range(p + 1):
            total = 0.0
            for k in range(steps):
                total += weights_a[q, k] * sums_a[cuts_a[q, k]]
                total -= weights_b[q, k] * sums_b[cuts_b[q, k]]
            out[p, q] += total
