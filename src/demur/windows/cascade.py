"""`Cascade`: a cheap model first, a more expensive one where that is worth it, and a person.

The first score has five segments: negative, pass on, person, pass on, positive. The outer two end where a
window on it would, the person gets a window inside, and what lies between the two windows is passed on.

Search for the cheapest cascade on cases whose losses are known: passing a case on costs the price of the
second model and what happens to this very case there. Costs are complex numbers, which compare by their real
part, the cost, and then by their imaginary part, which counts cases sent to a person and, for less, cases
passed on. Both parts are multiples of a small power of two: sums and differences are exact in any order, so
that equal costs are equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from demur._checks import check_columns, check_nonnegative, input_error
from demur._files.values import part, threshold
from demur._html import threshold_text
from demur._kernels.segments import cheapest_segments, exactly_summable
from demur._kernels.sweep import score_groups
from demur._kernels.thresholds import cut_points, no_threshold, shortest_in
from demur._results import json_safe
from demur.surface.window import ABSTAIN, window_codes
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray
from demur.windows.expression import All, Case, Column, Comparison, Decision, Number, window_branches
from demur.windows.window_rule import Window

__all__ = ["GRID", "Cascade", "cheapest_cascade", "written_cascade"]


GRID = (64, 256)
"""Bins of the first and of the second score where the search begins: of no more scores it is exhaustive."""
_STARTS = 1 / 16
"""Cascades of the grid to improve, per bin of the second score: the best there need not end as the best."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cascade:
    """Ask a first model, pass some cases on to a second one, and send some to a person.

    Thresholds of -inf and inf are never reached, not even by an infinite score. A case that is not passed on
    may have any second score, but not NaN.

    Parameters
    ----------
    names : (str, str)
        The models, first and second; the columns of the rule.
    cuts : (float, float, float, float)
        Thresholds on the first score, ascending: negative up to the first, to a person between the second and
        the third, positive from the fourth on; everything else is passed on. No case goes to a person where
        the second equals the third.
    lower, upper : float
        Window on the second score for cases passed on; in between they go to a person.
    prices : (float, float)
        Price of asking each model about one case.

    Raises
    ------
    InputError
        For NaN, thresholds in the wrong order, negative prices, and names that coincide.

    Examples
    --------
    A small language model answers where it is sure, and a large one is asked where that helps:

    >>> from demur.windows import Cascade
    >>> rule = Cascade(
    ...     names=("cheap", "large"),
    ...     cuts=(0.1, 0.4, 0.6, 0.9),
    ...     lower=0.2,
    ...     upper=0.7,
    ...     prices=(0.02, 0.6),
    ... )
    >>> table = [[0.05, 0.9], [0.5, 0.9], [0.7, 0.9], [0.7, 0.5]]
    >>> rule.decide(table).tolist(), rule.charge(table).tolist()
    ([0, -1, 1, -1], [0.02, 0.02, 0.62, 0.62])
    >>> print(rule.words(("negative", "positive")))  # doctest: +NORMALIZE_WHITESPACE
    ask cheap first: answer negative up to 0.1 and positive from 0.9 up; send 0.4 to 0.6 to a person;
    pass the rest on to large, which answers negative up to 0.2 and positive from 0.7 up, else a person
    """

    names: tuple[str, str]
    cuts: tuple[float, float, float, float]
    lower: float
    upper: float
    prices: tuple[float, float]
    kind: ClassVar[str] = "cascade"
    inputs: ClassVar[int] = 2

    def __post_init__(self) -> None:
        names: Any = self.names
        cuts: Any = self.cuts
        if not isinstance(names, (tuple, list)) or [type(name) for name in names] != [str, str]:
            raise input_error("names", "must be two names", repr(names))
        if names[0] == names[1]:
            raise input_error("names", "must differ", repr(names))
        if not isinstance(cuts, (tuple, list)) or len(cuts) != 4:
            raise input_error("cuts", "must be four numbers", repr(cuts))
        cuts = tuple(threshold(cut, "cuts") for cut in cuts)
        if list(cuts) != sorted(cuts):
            raise input_error("cuts", "must be in ascending order", repr(cuts))
        window = Window(self.lower, self.upper)
        prices = check_nonnegative(self.prices, "prices")
        if prices.shape != (2,):
            raise input_error("prices", "must be two numbers", repr(self.prices))
        values = (tuple(names), cuts, window.lower, window.upper, tuple(prices.tolist()))
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def can_pass(self) -> bool:
        """Whether some first score is passed on."""
        negative, start, stop, positive = self.cuts
        return negative < start or stop < positive if start < stop else negative < positive

    @property
    def abstains(self) -> bool:
        """Whether some case goes to a person."""
        return self.cuts[1] < self.cuts[2] or (self.can_pass and self.lower < self.upper)

    def passes(self, first: ArrayLike) -> BoolArray:
        """Tell for every first score whether the second model is asked."""
        scores = np.asarray(first, dtype=np.float64)
        outer = window_codes(scores, self.cuts[0], self.cuts[3])
        return np.asarray((outer == ABSTAIN) & (window_codes(scores, *self.cuts[1:3]) != ABSTAIN))

    def decide(self, table: ArrayLike) -> IntArray:
        """Return 1 (positive), 0 (negative) or `ABSTAIN` for every row of a first and a second score."""
        return np.asarray(self.codes(check_columns(table, "table", columns=2)), dtype=np.int64)

    def codes(self, table: FloatArray) -> Any:
        """Decide checked rows, a byte each."""
        first, second = table.T
        codes, passed = window_codes(first, self.cuts[0], self.cuts[3]), self.passes(first)
        codes[passed] = window_codes(second[passed], self.lower, self.upper)
        return codes

    def charge(self, table: ArrayLike) -> FloatArray:
        """Return the price of the models asked about every row."""
        return np.where(self.passes(np.asarray(table)[:, 0]), sum(self.prices), self.prices[0])

    def words(self, class_names: Sequence[str]) -> str:
        """Say the rule, after "Use cheap, then large: "."""
        first, second = self.names
        start, stop = self.cuts[1:3]
        calls = _calls(self.cuts[0], self.cuts[3], class_names)
        steps = [f"answer {calls}"] if calls else []
        if start < stop:
            shown = f"{threshold_text(start)} to {threshold_text(stop)}"
            if not self.can_pass:
                shown = "the rest" if steps else "every case"
            elif math.isinf(start):
                shown = f"up to {threshold_text(stop)}"
            elif math.isinf(stop):
                shown = f"{threshold_text(start)} and up"
            steps.append(f"send {shown} to a person")
        if self.can_pass:
            later = _calls(self.lower, self.upper, class_names)
            answers = f", which answers {later}" if later else ""
            sent = "" if self.lower == self.upper else ", else a person" if later else ", then to a person"
            steps.append(f"pass {'the rest' if steps else 'every case'} on to {second}{answers}{sent}")
        return f"ask {first} {'first' if self.can_pass else 'only'}: {'; '.join(steps)}"

    # ---------------------------------------------------------------- files and other languages

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON-safe built-in types (infinities as "inf" and "-inf")."""
        return {"kind": self.kind, **{name: json_safe(getattr(self, name)) for name in self.__slots__}}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the rule that `to_dict` described; refuse anything else in one sentence."""
        return cls(**{name: part(data, name) for name in cls.__slots__})

    def to_expression(self, columns: Sequence[str], labels: Sequence[Any]) -> Decision:
        """Return the decision; infinite thresholds hold for all scores or for none and are never written."""
        first, second = columns
        negative, positive, abstain = labels
        start, stop = self.cuts[1:3]
        person = [Comparison(">", Column(first), Number(start))] if start > -math.inf else []
        person += [Comparison(">", Number(stop), Column(first))] if stop < math.inf else []
        branches = [
            *window_branches(Column(first), self.cuts[0], self.cuts[3], negative, positive),
            *([(All(tuple(person)) if person else None, abstain)] if start < stop else []),
            *window_branches(Column(second), self.lower, self.upper, negative, positive),
            (None, abstain),
        ]
        return Decision(columns=(first, second), valid=None, value=Case.of(branches))


def _calls(lower: float, upper: float, class_names: Sequence[str]) -> str:
    """Say the answers of a window; empty for one that always abstains."""
    negative, positive = class_names
    if lower == upper:
        by_end = {math.inf: f"{negative} always", -math.inf: f"{positive} always"}
        return by_end.get(lower) or f"{positive} from {threshold_text(upper)} up, {negative} below"
    listed = [f"{negative} up to {threshold_text(lower)}"] if lower > -math.inf else []
    listed += [f"{positive} from {threshold_text(upper)} up"] if upper < math.inf else []
    return " and ".join(listed)


# ---------------------------------------------------------------- search


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
    def of(cls, scores: FloatArray, at_most: int | None = None) -> _Bins:
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
