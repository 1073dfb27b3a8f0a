"""Search for the cheapest `Cascade` on cases whose losses are known.

Passing a case on costs the price of the second model and what happens to this very case there. Costs are
complex numbers, which compare by their real part, the cost, and then by their imaginary part, which counts
cases sent to a person and, for less, cases passed on. Both parts are multiples of a small power of two: sums
and differences are exact in any order, so that equal costs are equal.
"""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.segments import cheapest_segments, exactly_summable
from demur._kernels.sweep import score_groups
from demur._kernels.thresholds import cut_points, no_threshold, shortest_in
from demur.surface.window import window_codes
from demur.typing import FloatArray, IntArray
from demur.windows.cascade import Cascade

__all__ = ["GRID", "cheapest_cascade", "written_cascade"]

GRID = (64, 256)
"""Bins of the first and of the second score where the search begins: of no more scores it is exhaustive."""
_STARTS = 1 / 16
"""Cascades of the grid to improve, per bin of the second score: the best there need not end as the best."""


def cheapest_cascade(
    losses: FloatArray,
    weight: FloatArray,
    scores: FloatArray,
    *,
    names: tuple[str, str],
    prices: tuple[float, float],
    may_abstain: bool = True,
    grid: tuple[int, int] = GRID,
) -> Cascade:
    """Return the cheapest cascade of two scores on these cases.

    The best on a grid of quantiles, and the window on the second score alone, are improved stage by stage on
    all scores until nothing gets cheaper. With no more distinct scores than the grid has bins no cascade is
    cheaper. Of equally cheap ones: the fewest cases sent to a person, then the fewest passed on.

    Parameters
    ----------
    losses : array of (n, 3)
        Cost of calling each case negative, calling it positive and sending it to a person, times its weight.
    weight : array of n numbers
    scores : array of (n, 2)
        First and second score.
    names, prices : pairs
        As in `Cascade`.
    may_abstain : bool
        False: nobody looks at cases.
    grid : (int, int)
        Bins of the first and of the second score.

    Raises
    ------
    UndefinedError
        Where no float separates an infinite score from its neighbour.
    """
    *actions, passing = _exact_costs(losses if may_abstain else losses[:, :2], weight, prices[1])
    first, along = _Bins.of(scores[:, 0]), [actions[0], *actions[2:], actions[1]]
    stages = _Stages(along, passing, scores, first, [first.sums(costs) for costs in along])
    starts = [*stages.best_on_grid(grid), stages.second(np.arange(len(scores)))]
    best = min((stages.descend(window) for window in starts), key=lambda found: found.cost)
    if np.isnan([*best.cuts, *best.window]).any():
        raise no_threshold()
    lower, upper = best.window
    return Cascade(names=names, cuts=best.cuts, lower=lower, upper=upper, prices=prices)


def written_cascade(rule: Cascade, scores: FloatArray) -> Cascade:
    """Round the thresholds between the cases they were chosen on, as of any rule that is written."""
    first, second = scores.T
    passed = second[rule.passes(first)]
    cuts: Any = tuple(shortest_in(cut, first) for cut in rule.cuts)
    return replace(
        rule,
        cuts=cuts,
        lower=shortest_in(rule.lower, passed),
        upper=shortest_in(rule.upper, passed),
    )


# ---------------------------------------------------------------- exact sums


def _exact_costs(losses: FloatArray, weight: FloatArray, price: float) -> Any:
    """Return rows of costs: of the actions beyond the cheapest one of each case, of passing it on last."""
    costs = np.column_stack([losses - losses.min(axis=1, keepdims=True), price * weight])
    # what costs more on one case than one action on all cases is in no cheapest rule
    most = 2 * costs[:, :-1].sum(axis=0).min()
    ties = np.zeros_like(costs)
    ties[:, 2:-1] = weight[:, None]
    ties[:, -1] = weight / (2 * weight.sum())
    exact = exactly_summable(np.minimum(costs, most) if most > 0 else costs) + 1j * exactly_summable(ties)
    return np.ascontiguousarray(exact.T)


# ---------------------------------------------------------------- bins


class _Bins(NamedTuple):
    """Neighbouring scores put together: the bin of every case, and thresholds around the bins."""

    place: IntArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, scores: FloatArray, at_most: int | None = None) -> "_Bins":
        """Make bins of about as many cases each; of no more scores than bins each has its own."""
        groups = score_groups(scores)
        number = len(groups.starts)
        wanted = np.arange(number)
        if at_most is not None and number > at_most:
            wanted = groups.starts * at_most // len(scores)
        starts = np.flatnonzero(np.diff(wanted, prepend=-1))
        place = np.repeat(np.arange(len(starts)), np.diff(starts, append=number))
        last = np.append(starts[1:], number) - 1
        return cls(place[groups.places()], *cut_points(groups.scores[starts], groups.scores[last]))

    @property
    def number(self) -> int:
        """Number of bins."""
        return len(self.lower) - 1

    def sums(self, column: Any) -> Any:
        """Sum a column over every bin."""
        return _sums(self.place, column, self.number)

    def window(self, start: int, stop: int) -> tuple[float, float]:
        """Return the thresholds around some bins; those of none are equal."""
        return float(self.upper[stop] if start == stop else self.lower[start]), float(self.upper[stop])


def _sums(place: IntArray, column: Any, number: int) -> Any:
    return np.bincount(place, column.real, number) + 1j * np.bincount(place, column.imag, number)


# ---------------------------------------------------------------- two stages


class _Found(NamedTuple):
    """A cascade, what it costs, and which cases it passes on."""

    cost: tuple[float, float]
    cuts: Any
    window: tuple[float, float]
    passed: IntArray


class _Stages(NamedTuple):
    """Costs of the actions on every case in the order of segments, and of passing it on; scores, sums."""

    along: list[Any]
    passing: Any
    scores: FloatArray
    first: _Bins
    totals: list[Any]

    def descend(self, window: tuple[float, float]) -> _Found:
        """Choose the first stage and the second in turn until nothing gets cheaper."""
        found, cheaper = self.with_second(window), True
        while cheaper and len(found.passed):
            # the last window costs the same, but lies in the middle between the cases passed on
            better = self.with_second(self.second(found.passed))
            found, cheaper = better, better.cost < found.cost
        return found

    def second(self, rows: IntArray) -> tuple[float, float]:
        """Return the cheapest window on the second score of some cases."""
        bins = _Bins.of(self.scores[rows, 1])
        _, cuts = cheapest_segments([bins.sums(costs[rows]) for costs in self.along])
        return bins.window(cuts[0], cuts[-1])

    def with_second(self, window: tuple[float, float]) -> _Found:
        """Choose the first stage for a window on the second score."""
        # places of the actions: the first is negative, the last positive, and between them is a person
        codes = window_codes(self.scores[:, 1], *window) % 3
        chosen = np.choose(codes, [self.along[0], self.along[-1], self.along[1]])
        later = self.first.sums(self.passing + chosen)
        start, *rest = self.totals
        cost, cuts = cheapest_segments([start, *(one for costs in rest for one in (later, costs))])
        # of an empty segment both ends are where the positives begin
        start, stop = cuts[1:3] if cuts[1] < cuts[-2] else (cuts[-1], cuts[-1])
        negative, positive = self.first.window(cuts[0], cuts[-1])
        place = self.first.place
        passed = (place >= cuts[0]) & (place < cuts[-1]) & ((place < start) | (place >= stop))
        ends = (negative, *self.first.window(start, stop), positive)
        return _Found((cost.real, cost.imag), ends, window, np.flatnonzero(passed))

    def best_on_grid(self, grid: tuple[int, int]) -> list[tuple[float, float]]:
        """Return the windows on the second score of the cheapest cascades between bins, best first."""
        first, second = (_Bins.of(*pair) for pair in zip(self.scores.T, grid, strict=True))
        shape = first.number, second.number
        cell = first.place * second.number + second.place

        def below(costs: Any) -> Any:
            sums = _sums(cell, costs, shape[0] * shape[1]).reshape(shape)
            return np.pad(np.cumsum(sums, axis=1), ((0, 0), (1, 0)))

        negative, *person, positive = map(below, self.along)
        start = stop = np.arange(second.number + 1)
        into, out = negative, positive[:, -1:] - positive + first.sums(self.passing)[:, None]
        if person:
            start, stop = np.triu_indices(second.number + 1)
            into, out = negative - person[0], out + person[0]
        totals = [costs[:, -1] for costs in (negative, *person, positive)]
        least = np.zeros((2 * len(totals) - 1, len(start)), dtype=np.complex128)
        for place in range(first.number):
            # every second segment is passed on
            least[1::2] += into[place, start] + out[place, stop]
            least[::2] += np.array([[costs[place]] for costs in totals])
            for segment in range(1, len(least)):
                np.minimum(least[segment], least[segment - 1], out=least[segment])
        best = np.argsort(least[-1], kind="stable")[: math.ceil(grid[1] * _STARTS)]
        return [second.window(*cuts) for cuts in zip(start[best], stop[best], strict=True)]
