"""Cheapest pair of cuts i <= j over ascending scores, where every score has three sums of costs.

The first i scores are called negative, those from j on positive, the rest is reviewed:

    c(i, j) = miss(1 .. i) + review(i + 1 .. j) + alarm(j + 1 .. G).

One pass from the lowest score keeps the cheapest way to have called all scores so far negative, to be
reviewing, and to be calling positive. Every cost is a sum of what was paid, never a difference of
running sums: one review at a prohibitive price takes no digits from the other windows.
"""

from typing import Any

import numpy as np

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur._kernels.window_search import TIE
from demur.typing import BoolArray, FloatArray

__all__ = ["cheapest_cuts", "least_cost_of_any_order"]


def cheapest_cuts(
    cases: FloatArray, miss: FloatArray, alarm: FloatArray, review: FloatArray, *, may_abstain: bool = True
) -> tuple[int, int]:
    """Return the cheapest (i, j), exact over all pairs, in O(distinct scores).

    Of several cheapest the one that reviews fewest cases, then the smaller j: more positives.
    """
    columns: Any = (cases, miss, alarm, review)
    loop: Any = _cheapest_loop
    if worth_compiling(len(cases)):
        loop = compiled(_cheapest_loop)
    else:
        columns = [column.tolist() for column in columns]
    start, stop = loop(*columns, TIE, may_abstain)
    return int(start), int(stop)


@kernel
def _cheapest_loop(cases: Any, miss: Any, alarm: Any, review: Any, tie: Any, may_abstain: Any) -> Any:
    # Each running cost is a sum and what rounding took from it, so that ties stay ties in long data.
    negative, negative_rest = 0.0, 0.0
    undecided, undecided_rest, start = 0.0, 0.0, 0
    positive, positive_rest = np.inf, 0.0
    # the chosen window costs `excess` more than the cheapest, which is rounding
    best_start, best_stop, fewest, excess = 0, 0, 0.0, 0.0
    below, below_start = 0.0, 0.0
    for at in range(len(cases) + 1):
        # not positive yet: reviewing since `start`, or about to start here
        if not may_abstain or negative + negative_rest <= (undecided + undecided_rest) * (1.0 + tie):
            if not may_abstain or negative + negative_rest <= undecided + undecided_rest:
                undecided, undecided_rest = negative, negative_rest
            start, below_start = at, below
        # positive from here on, or since an earlier score
        cost, least, reviewed = undecided + undecided_rest, positive + positive_rest, below - below_start
        if cost < least:
            excess += least - cost
            positive, positive_rest = undecided, undecided_rest
            if excess > tie * cost or reviewed < fewest:
                best_start, best_stop, fewest, excess = start, at, reviewed, 0.0
        elif cost <= least * (1.0 + tie) and reviewed < fewest:
            best_start, best_stop, fewest, excess = start, at, reviewed, cost - least
        if at < len(cases):
            negative, negative_rest = _plus(negative, negative_rest, miss[at])
            undecided, undecided_rest = _plus(undecided, undecided_rest, review[at])
            positive, positive_rest = _plus(positive, positive_rest, alarm[at])
            below += cases[at]
    return best_start, best_stop


@kernel
def _plus(total: Any, rest: Any, cost: Any) -> Any:
    # Neumaier (1974): what the larger summand swallows of the smaller one is kept
    new = total + cost
    if abs(total) >= abs(cost):
        return new, rest + ((total - new) + cost)
    return new, rest + ((cost - new) + total)


def least_cost_of_any_order(
    miss: FloatArray, alarm: FloatArray, review: FloatArray, several: BoolArray
) -> float:
    """Return a cost that no window can undercut, whatever the order inside bins of `several` scores.

    A cut inside such a bin makes its cases free at best: those that cost something on one side of
    the cut may all lie on the other. Bins that are not cut cost what they cost.
    """
    columns: Any = (miss, alarm, review, several)
    loop: Any = _least_loop
    if worth_compiling(len(miss)):
        loop = compiled(_least_loop)
    else:
        columns = [column.tolist() for column in columns]
    return float(loop(*columns))


@kernel
def _least_loop(miss: Any, alarm: Any, review: Any, several: Any) -> float:
    negative, undecided, positive = 0.0, 0.0, 0.0
    for at in range(len(miss)):
        before_undecided, before_negative = undecided, negative
        negative = before_negative + miss[at]
        undecided = before_undecided + review[at]
        positive = positive + alarm[at]
        if several[at]:
            undecided = min(undecided, before_negative)
            positive = min(positive, before_undecided)
        undecided = min(undecided, negative)
        positive = min(positive, undecided)
    return positive
