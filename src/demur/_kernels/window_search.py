"""Best pair of cuts i <= j over ascending distinct scores: least cost or least abstention.

The first i scores are called negative, those from j on positive, the rest is abstained on. What is
minimised and what limits it is a term of i plus a term of j, so no search visits all pairs.

Where every score has three sums of costs (`cheapest_case_cuts`),

    c(i, j) = miss(1 .. i) + review(i + 1 .. j) + alarm(j + 1 .. G),

one pass from the lowest score keeps the cheapest way to have called all scores so far negative, to be
reviewing, and to be calling positive. Every cost is a sum of what was paid, never a difference of
running sums: one review at a prohibitive price takes no digits from the other windows.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from demur._kernels.jit import kernel, run
from demur._kernels.running import running_sums
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "TIE",
    "CutMasses",
    "cheapest_case_cuts",
    "cheapest_pairs",
    "costs_up_to",
    "least_cost_of_any_order",
    "widest_cuts",
    "widest_joint_cuts",
]

TIE = 64 * float(np.finfo(np.float64).eps)
"""Sums of weights that differ by less, relative to the total, count as equal."""


@dataclass(frozen=True, eq=False)
class CutMasses:
    """Weights on both sides of the cuts: element i is for the first i distinct scores, or the rest."""

    positive_below: FloatArray
    negative_below: FloatArray
    positive_above: FloatArray
    negative_above: FloatArray

    @classmethod
    def of(
        cls, positives: FloatArray, negatives: FloatArray, to_positive: float = 1.0, to_negative: float = 1.0
    ) -> "CutMasses":
        """Sum the weights per distinct score, times one factor per class."""
        # Scaling after the sums keeps whole-number counts exact; summing from the near end keeps
        # precise what a difference of totals would round away.
        below, above = (running_sums(positives, negatives, backwards=back) for back in (False, True))
        for sums in (below, above):
            for column, factor in zip(sums, (to_positive, to_negative), strict=True):
                if factor != 1.0:
                    column *= factor
        return cls(*below, *above)

    @property
    def total(self) -> tuple[float, float]:
        """Weight of the positives and of the negatives."""
        return float(self.positive_below[-1]), float(self.negative_below[-1])

    @cached_property
    def below(self) -> FloatArray:
        """Weight below the cuts."""
        return self.positive_below + self.negative_below

    @cached_property
    def above(self) -> FloatArray:
        """Weight above the cuts."""
        return self.positive_above + self.negative_above


def cheapest_pairs(
    start: FloatArray, stop: FloatArray, below: FloatArray, slack: FloatArray, first: IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """Least ``start[i] + stop[j]`` over i <= j for every row; i = j = -1 where all are infinite.

    `below` is the weight below the cuts: of several cheapest pairs the one that abstains least, then
    the smaller j. Costs within `slack` count as equal. With `first` only i >= ``first[j]`` are
    allowed. O(k) per row, or O(k log k) with `first`.
    """
    if first is None:
        # the smallest of the first j + 1 values: a later tie moves on, and the first is its own minimum
        tied = start <= np.minimum.accumulate(start, axis=1) + slack
        begins = np.maximum.accumulate(np.where(tied, np.arange(start.shape[1]), 0), axis=1)
    else:
        begins = _moving_minimum(start, first, slack)
    total = stop + np.take_along_axis(start, begins, axis=1)
    least = total.min(axis=1, keepdims=True)
    widths = below - np.take_along_axis(below, begins, axis=1)
    abstained = np.where(total <= least + slack, widths, np.inf)
    narrowest = abstained.min(axis=1, keepdims=True)
    j = np.argmax(abstained <= narrowest + TIE * below[:, -1:], axis=1)
    i = np.take_along_axis(begins, j[:, None], axis=1)[:, 0]
    none = np.isinf(least[:, 0])
    return np.where(none, -1, i), np.where(none, -1, j)


def _moving_minimum(values: FloatArray, first: IntArray, slack: FloatArray) -> IntArray:
    """Index of the smallest value in ``values[r, first[r, j] : j + 1]`` for every r, j, the last of ties.

    Blocks of 1, 2, 4, ... values, of which only the current size is kept; a range is the union
    of two blocks of the largest size that fits. O(k log k) time, O(k) memory, no Python loop over k.
    Rows lie end to end: no range crosses a border, so blocks that do are never used.
    """
    rows, width = values.shape
    borders = np.arange(rows)[:, None] * width
    within = np.broadcast_to(slack, values.shape).ravel()
    first, last = (first + borders).ravel(), np.arange(values.size)
    level = np.frexp(last - first + 1.0)[1] - 1
    smallest = np.empty_like(last)
    # of every block its smallest value and where that is
    least, place, size = values.ravel(), last, 1
    for power in range(int(level.max()) + 1):
        at = np.flatnonzero(level == power)
        left, right = first[at], at - size + 1
        later = least[right] <= least[left] + within[at]
        smallest[at] = np.where(later, place[right], place[left])
        later = least[size:] <= least[:-size] + within[: len(least[size:])]
        least, place = (np.where(later, column[size:], column[:-size]) for column in (least, place))
        size *= 2
    return np.asarray(smallest.reshape(rows, width) - borders)


def widest_cuts(masses: CutMasses, starts: BoolArray, stops: BoolArray, cost_ratio: float) -> tuple[int, int]:
    """Least abstained weight over i <= j with ``starts[i]`` and ``stops[j]``, in O(distinct scores).

    For every j the largest allowed i <= j abstains least, because every score has weight.
    """
    allowed, ends = np.flatnonzero(starts), np.flatnonzero(stops)
    nearest = np.searchsorted(allowed, ends, side="right") - 1
    ends = ends[nearest >= 0]
    begins = allowed[nearest[nearest >= 0]]
    slack = TIE * sum(masses.total)
    up_to_end, up_to_begin = (masses.positive_below[at] + masses.negative_below[at] for at in (ends, begins))
    abstained = up_to_end - up_to_begin
    right = masses.positive_above[ends] + cost_ratio * masses.negative_below[begins]
    least = np.flatnonzero(abstained <= abstained.min() + slack)
    most = least[right[least] >= right[least].max() - slack * max(1.0, cost_ratio)]
    return int(begins[most[-1]]), int(ends[most[-1]])


def widest_joint_cuts(
    masses: CutMasses,
    weight: float,
    first: tuple[FloatArray, FloatArray],
    second: tuple[FloatArray, FloatArray],
) -> tuple[int, int]:
    """Least abstained weight such that two margins, each a term of j plus a term of i, are not negative.

    `first` and `second` hold those terms; `weight` is that of a rightly called negative.
    O(k log k) for k distinct scores.
    """
    slack = TIE * (masses.total[0] + weight * masses.total[1])
    size = len(masses.below)
    # stops that allow ever more starts by the first margin, and the order in which these come
    orders = np.argsort(first[0], kind="stable"), np.argsort(-first[1], kind="stable")
    # starts are the leaves of a tree, whose root is node 1
    tree, nearest = np.full(2 << (size - 1).bit_length(), -np.inf), np.empty(size, np.int64)
    steps = size * size.bit_length()
    run(_nearest_loop, steps, [*first, *second, *orders, slack, tree], [nearest])
    sides = masses.below, masses.positive_above, weight * masses.negative_below
    i, j = run(_widest_loop, steps, [*sides, nearest, slack])
    return int(i), int(j)


@kernel
def _nearest_loop(
    by_stop: Any,
    by_start: Any,
    other_by_stop: Any,
    other_by_start: Any,
    stops: Any,
    starts: Any,
    slack: Any,
    tree: Any,
    nearest: Any,
) -> None:
    # For every stop the largest start up to it that keeps both margins, or -1. The tree holds the starts that
    # keep the first one, and in each node the largest term of the other margin. Rounded sums rise with their
    # terms, so the sum with the largest term tells whether some start of a node keeps the margin.
    leaves = len(tree) // 2
    entered = 0
    for j in stops:
        while entered < len(starts) and by_stop[j] + by_start[starts[entered]] >= -slack:
            start = starts[entered]
            node = leaves + start
            while node > 0 and tree[node] < other_by_start[start]:
                tree[node] = other_by_start[start]
                node //= 2
            entered += 1
        term = other_by_stop[j]
        node = leaves + j
        # to the next node on the left, from a first child through its parents
        while node > 0 and term + tree[node] < -slack:
            while node % 2 == 0:
                node //= 2
            node -= 1
        if node == 0:
            nearest[j] = -1
            continue
        while node < leaves:
            node = 2 * node + 1
            if term + tree[node] < -slack:
                node -= 1
        nearest[j] = node - leaves


@kernel
def _widest_loop(mass: Any, tp: Any, tn: Any, nearest: Any, slack: Any) -> Any:
    # Abstaining on everything always keeps both promises (0/0), so there is an answer.
    top = len(mass) - 1
    best, best_right, best_i, best_j = mass[top] + 1.0, 0.0, 0, top
    for j in range(top, -1, -1):
        i = nearest[j]
        if i >= 0 and mass[j] - mass[i] <= best + slack:
            abstained, right = mass[j] - mass[i], tp[j] + tn[i]
            if abstained < best - slack or right > best_right + slack:
                best, best_right, best_i, best_j = abstained, right, i, j
    return best_i, best_j


def cheapest_case_cuts(
    cases: FloatArray, miss: FloatArray, alarm: FloatArray, review: FloatArray, *, may_abstain: bool = True
) -> tuple[int, int]:
    """Return the cheapest (i, j), exact over all pairs, in O(distinct scores).

    Of several cheapest the one that reviews fewest cases, then the smaller j: more positives.
    """
    start, stop = run(_cheapest_loop, len(cases), [cases, miss, alarm, review, TIE, may_abstain])
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


def costs_up_to(
    place: IntArray, level: IntArray, miss: FloatArray, alarm: FloatArray, review: FloatArray
) -> FloatArray:
    """Return the cost of the cheapest window on the rows up to every level, with all others reviewed.

    Row i stands at the distinct score ``place[i]`` and costs `miss`, `alarm` or `review`. O(n log n): a tree
    over the scores holds for every run of them the least cost from one decision to a later one.
    """
    levels, leaves = int(level.max()) + 1, 1 << int(place.max()).bit_length()
    # from the last level on, which nothing is above
    above = np.append(np.cumsum(np.bincount(level, review, levels)[:0:-1])[::-1], 0.0)
    tree, costs = np.zeros((6, 2 * leaves)), np.empty(levels)
    rows = [np.argsort(level, kind="stable"), place, level, miss, alarm, review, above]
    run(_levels_loop, len(place) * leaves.bit_length(), [*rows, *tree], [costs])
    return costs


@kernel
def _levels_loop(
    rows: Any,
    place: Any,
    level: Any,
    miss: Any,
    alarm: Any,
    review: Any,
    above: Any,
    negative: Any,
    to_review: Any,
    to_positive: Any,
    reviewed: Any,
    review_to_positive: Any,
    positive: Any,
    costs: Any,
) -> None:
    # The last arrays are the tree: the least cost of runs of scores that go from one decision to another.
    leaves = len(negative) // 2
    for at in range(len(rows)):
        row = rows[at]
        node = leaves + place[row]
        negative[node] += miss[row]
        reviewed[node] += review[row]
        positive[node] += alarm[row]
        to_review[node] = min(negative[node], reviewed[node])
        review_to_positive[node] = min(reviewed[node], positive[node])
        to_positive[node] = min(to_review[node], positive[node])
        while node > 1:
            node //= 2
            left, right = 2 * node, 2 * node + 1
            negative[node] = negative[left] + negative[right]
            reviewed[node] = reviewed[left] + reviewed[right]
            positive[node] = positive[left] + positive[right]
            to_review[node] = min(negative[left] + to_review[right], to_review[left] + reviewed[right])
            review_to_positive[node] = min(
                reviewed[left] + review_to_positive[right], review_to_positive[left] + positive[right]
            )
            to_positive[node] = min(
                negative[left] + to_positive[right],
                to_review[left] + review_to_positive[right],
                to_positive[left] + positive[right],
            )
        # overwritten until the last row of the level
        costs[level[row]] = to_positive[1] + above[level[row]]


def least_cost_of_any_order(
    miss: FloatArray, alarm: FloatArray, review: FloatArray, several: BoolArray
) -> float:
    """Return a cost that no window can undercut, whatever the order inside bins of `several` scores.

    A cut inside such a bin makes its cases free at best: those that cost something on one side of
    the cut may all lie on the other. Bins that are not cut cost what they cost.
    """
    return float(run(_least_loop, len(miss), [miss, alarm, review, several]))


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
