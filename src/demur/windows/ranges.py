"""`range_window`: one window for costs and a prevalence that are known only up to a range."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
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
from demur.windows.search import Prices, prevalence_factors

__all__ = ["Corner", "box_corners", "range_window"]

_OBJECTIVES = ("regret", "worst", "expected")


class Corner(NamedTuple):
    """A corner of a box: costs, prevalence, and the prices they put on masses at the middle prevalence."""

    costs: CostModel
    prevalence: float
    prices: Prices


def box_corners(points: Iterable[CostModel], prevalence: tuple[float, float]) -> list[Corner]:
    """Return cost points at both ends of a range of prevalences.

    The cost of a fixed window is linear in each cost and in the prevalence. So is the cheapest
    cost concave in each, hence cost minus cheapest cost convex, and both the largest cost and the
    largest regret lie at corners.
    """
    middle = _middle(*prevalence)
    ends = itertools.product(dict.fromkeys(prevalence), points)
    return [Corner(costs, rate, Prices.of(costs, *prevalence_factors(rate, middle))) for rate, costs in ends]


def _middle(low: float, high: float) -> float:
    return low + (high - low) / 2


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
    given: Any = prevalence
    if prevalence is not None and np.ndim(prevalence):
        given = check_range(prevalence, "prevalence", high=1.0)
    ends = given if isinstance(given, tuple) else (given, given)
    # both ends must be possible with these data
    low, high = (
        check_prevalence(end, positives=counts.n_positive, negatives=counts.n_negative) for end in ends
    )
    return _best_window(counts, costs, (low, high), objective)


def _best_window(
    counts: ScoreCounts, costs: CostRange, rates: tuple[float, float], objective: str
) -> AbstentionWindow:
    """Find the window, and judge it and the one of the means at every corner."""
    masses, mean = score_masses(counts, _middle(*rates)), Prices.of(costs.mean)
    corners = box_corners(costs.corners(), rates)
    # the largest cost of any window is where all costs are at their high ends
    costliest = [corner.prices for corner in box_corners([costs.upper], rates)]
    prices = [corner.prices for corner in corners]
    cuts = _searched(masses, {"regret": prices, "worst": costliest, "expected": [mean]}[objective], objective)
    floors = cuts.floors
    if objective != "regret":
        floors = tuple(_searched(masses, [at], "regret").floors[0] for at in prices)
    point = _searched(masses, [mean], "expected")

    def excess(found: RangeCuts) -> list[float]:
        at = (one.cost(masses, found.start, found.stop) for one in prices)
        # rounding must not make a window cheaper than the cheapest one
        return [max(0.0, cost - floor) for cost, floor in zip(at, floors, strict=True)]

    def largest(found: RangeCuts, points: list[Prices]) -> float:
        return max(one.cost(masses, found.start, found.stop) + float(one.base(masses)) for one in points)

    regrets = excess(cuts)
    corner = corners[int(np.argmax(regrets))]
    window = AbstentionWindow.of_cuts(
        masses,
        (cuts.start, cuts.stop),
        mu=costs.mean.mu,
        nu_positive=costs.mean.nu_positive,
        nu_negative=costs.mean.nu_negative,
        prevalence=_middle(*rates),
    )
    return replace(
        window,
        about="ranges",
        expected_cost=largest(cuts, [mean]),
        objective=objective,
        regret=max(regrets),
        corner=corner.costs,
        corner_prevalence=corner.prevalence,
        worst_cost=largest(cuts, costliest),
        gap=cuts.gap,
        point_lower=float(masses.lower_cut[point.start]),
        point_upper=float(masses.upper_cut[point.stop]),
        point_regret=max(excess(point)),
        point_worst_cost=largest(point, costliest),
        costs=costs,
        prevalence_range=rates,
    )


def _searched(masses: RunningMasses, points: list[Prices], objective: str) -> RangeCuts:
    cuts = range_search(masses, points, regret=objective == "regret")
    assert cuts is not None, "without limits some window is allowed"
    return cuts
