"""`range_window`: one window for costs and a prevalence that are known only up to a range."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_choice, check_prevalence, check_range, input_error
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.counts.scores import ScoreCounts, as_counts
from demur.counts.window import AbstentionWindow
from demur.exceptions import InputError
from demur.surface.masses import RunningMasses, score_masses
from demur.typing import ArrayLike, Labels
from demur.windows.range_search import RangeCuts, range_search
from demur.windows.search import CutLimits, Prices, limited_search, prevalence_factors

__all__ = ["CostBox", "range_window"]

_OBJECTIVES = ("regret", "worst", "expected")


class _Corner(NamedTuple):
    """A corner of the box: costs, prevalence, and the prices they put on the masses."""

    costs: CostModel
    prevalence: float
    prices: Prices


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class CostBox:
    """A box of costs and prevalences, as prices on masses at the middle prevalence.

    The cost of a fixed window is linear in each cost and in the prevalence. So is the cheapest
    cost concave in each, hence cost minus cheapest cost convex, and both the largest cost and the
    largest regret lie at corners.

    Attributes
    ----------
    costs : CostRange
        The ranges of the costs.
    prevalence : (float, float)
        The range of P(positive).
    """

    costs: CostRange
    prevalence: tuple[float, float]

    @property
    def middle(self) -> float:
        """Mean prevalence: the one the masses must have."""
        low, high = self.prevalence
        return low + (high - low) / 2

    def corners(self) -> list[_Corner]:
        """Return the at most 16 corners."""
        return [self._corner(costs, rate) for rate in self._ends for costs in self.costs.corners()]

    @property
    def mean(self) -> Prices:
        """Prices at the means."""
        return Prices.of(self.costs.mean)

    def worst(self) -> list[Prices]:
        """Return the prices among which the largest cost of any window is: all costs at their high ends."""
        return [self._corner(self.costs.upper, rate).prices for rate in self._ends]

    def search(
        self, masses: RunningMasses, objective: str, limits: CutLimits | None = None
    ) -> RangeCuts | None:
        """Return the best window of masses at the middle prevalence; None if the limits allow none."""
        if objective == "expected":
            return range_search(masses, [self.mean], regret=False, limits=limits)
        if objective == "worst":
            return range_search(masses, self.worst(), regret=False, limits=limits)
        return range_search(masses, [corner.prices for corner in self.corners()], limits=limits)

    @property
    def _ends(self) -> tuple[float, ...]:
        low, high = self.prevalence
        return (low,) if low == high else (low, high)

    def _corner(self, costs: CostModel, rate: float) -> _Corner:
        return _Corner(costs, rate, Prices.of(costs, *prevalence_factors(rate, self.middle)))


def range_window(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | CostRange | None = None,
    costs: CostRange | None = None,
    *,
    objective: str = "regret",
    prevalence: float | tuple[float, float] | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> AbstentionWindow:
    """One window for costs, and perhaps a prevalence, that are known only up to a range.

    The lower the regret (or the worst cost) the better. The window is fixed before the costs are
    known. Chosen on these same data, so all its costs are a little optimistic on small samples.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`.
    costs : CostRange
        Ranges of the costs; the second argument if the first is a `ScoreCounts`.
    objective : {"regret", "worst", "expected"}
        "regret": smallest largest excess over the cheapest window at the true costs. "worst":
        smallest largest cost. "expected": smallest expected cost, which is the cheapest window
        at the means.
    prevalence : float or (low, high), optional
        P(positive) in use, or its range; the sample's if None.

    Returns
    -------
    AbstentionWindow
        Of several best windows the one that abstains least, then the one that calls more cases
        positive.

    Raises
    ------
    InputError
        For ill-formed input.

    Notes
    -----
    The cost of a window (l, u) is linear in every cost and in the prevalence. *Expected*: for
    independent costs and prevalence, whatever their laws, it is the cost at the means. *Worst*:
    it increases in every cost, so the maximum lies at the upper ends, and at one of the two ends
    of the prevalence. *Regret*: the cheapest cost k is concave in every coordinate, so c_w - k is
    convex in each and its maximum lies at one of the at most 16 corners c: the window minimises
    max_c [A_c(l) + B_c(u) - k_c] over all l <= u, not only over block ends (`range_search`).

    References
    ----------
    Savage (1951), "The Theory of Statistical Decision", JASA 46, doi:10.1080/01621459.1951.10500768
    (minimax regret). Friedel, Rueckert, Kramer (2006), ROCML (windows and their costs).

    Examples
    --------
    A miss costs 100 to 400, a false alarm 100, a review 10 to 50. The window for the middle of
    the ranges may cost 8.33 per case too much; this one reviews less, and at most 5.83:

    >>> from demur import CostRange
    >>> from demur.windows import range_window
    >>> y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    >>> costs = CostRange(cost_fn=(100, 400), cost_fp=100, cost_abstain=(10, 50))
    >>> window = range_window(y, s, costs)
    >>> round(window.lower, 2), round(window.upper, 2), round(window.point_upper, 2)
    (-0.7, 0.2, 0.6)
    >>> round(window.regret, 2), round(window.point_regret, 2), window.corner.cost_abstain
    (5.83, 8.33, 10.0)
    """
    if isinstance(y_score, CostRange):
        if costs is not None:
            raise InputError("`costs` were given twice. Hint: pass one CostRange.")
        y_score, costs = None, y_score
    if not isinstance(costs, CostRange):
        got = type(costs).__name__
        raise input_error("costs", "must be a CostRange", got, "CostRange(cost_fn=(400, 600), ...).")
    check_choice(objective, "objective", _OBJECTIVES)
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    box = CostBox(costs=costs, prevalence=_prevalence_range(counts, prevalence))
    masses = score_masses(counts, box.middle)
    cuts = box.search(masses, objective)
    assert cuts is not None, "without limits some window is allowed"
    return _described(box, masses, objective, cuts)


def _prevalence_range(counts: ScoreCounts, prevalence: Any) -> tuple[float, float]:
    """Return the range of P(positive): both ends must be possible with these data."""
    classes = {"positives": counts.n_positive, "negatives": counts.n_negative}
    if prevalence is None or np.ndim(prevalence) == 0:
        rate = check_prevalence(prevalence, **classes)
        return rate, rate
    low, high = check_range(prevalence, "prevalence", high=1.0)
    return check_prevalence(low, **classes), check_prevalence(high, **classes)


def _described(box: CostBox, masses: RunningMasses, objective: str, cuts: RangeCuts) -> AbstentionWindow:
    """Judge the window found and the one of the means at every corner."""
    corners, mean = box.corners(), box.costs.mean
    floors = cuts.floors
    if objective != "regret":
        floors = tuple(_cheapest(masses, corner.prices) for corner in corners)
    point = limited_search(masses, box.mean)
    assert point is not None, "without limits some window is allowed"

    def excess(pair: tuple[int, int]) -> list[float]:
        at = (corner.prices.cost(masses, *pair) for corner in corners)
        # rounding must not make a window cheaper than the cheapest one
        return [max(0.0, cost - floor) for cost, floor in zip(at, floors, strict=True)]

    def worst(pair: tuple[int, int]) -> float:
        return max(prices.cost(masses, *pair) + float(prices.base(masses)) for prices in box.worst())

    pair = cuts.start, cuts.stop
    regrets = excess(pair)
    corner = corners[int(np.argmax(regrets))]
    window = AbstentionWindow.of_cuts(
        masses,
        pair,
        mu=mean.mu,
        nu_positive=mean.nu_positive,
        nu_negative=mean.nu_negative,
        prevalence=box.middle,
    )
    return replace(
        window,
        about="ranges",
        expected_cost=box.mean.cost(masses, *pair) + float(box.mean.base(masses)),
        objective=objective,
        regret=max(regrets),
        corner=corner.costs,
        corner_prevalence=corner.prevalence,
        worst_cost=worst(pair),
        gap=cuts.gap,
        point_lower=float(masses.lower_cut[point[0]]),
        point_upper=float(masses.upper_cut[point[1]]),
        point_regret=max(excess(point)),
        point_worst_cost=worst(point),
        costs=box.costs,
        prevalence_range=box.prevalence,
    )


def _cheapest(masses: RunningMasses, prices: Prices) -> float:
    cuts = limited_search(masses, prices)
    assert cuts is not None, "without limits some window is allowed"
    return prices.cost(masses, *cuts)
