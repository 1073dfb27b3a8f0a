"""`cheapest_window`: the least cost under limits on abstention, precision and missed positives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from demur._kernels.window_search import CutMasses
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts, as_counts
from demur.counts.window import AbstentionWindow
from demur.exceptions import UndefinedError
from demur.surface.surface import abstention_surface
from demur.typing import ArrayLike, IntArray, Labels
from demur.windows.certified import PrecisionConfidence
from demur.windows.constrained import class_factors, precision_promises, vacuous_note, window_of_cuts
from demur.windows.limits import Limits
from demur.windows.search import CutLimits, Prices, cut_limits, limited_search

__all__ = ["cheapest_window", "limited_window"]


def cheapest_window(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    mu: float | None = None,
    nu: float | None = None,
    nu_negative: float | None = None,
    costs: CostModel | None = None,
    max_abstention: float | None = None,
    min_precision_positive: float | None = None,
    min_precision_negative: float | None = None,
    max_fn_rate: float | None = None,
    confidence_level: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
) -> AbstentionWindow:
    """Cheapest window under limits: reviews, precision of the decisions, missed positives.

    The lower the cost the better; the price of the limits is ``cost - unconstrained_cost``.
    Chosen on these same data: without `confidence_level` the limits hold on new data only up to
    sampling error, and a precision chosen to be just kept is broken about half of the time.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, prevalence
        As in `abstention_surface`. Rates and precisions refer to `prevalence`.
    mu, nu, nu_negative, costs
        The costs, as in `AbstentionSurface.window`: (mu, nu) or a `CostModel`.
    max_abstention : float in [0, 1], optional
        Largest share of cases abstained on. 0: no abstention.
    min_precision_positive, min_precision_negative : float in (0, 1], optional
        Share of right decisions among the positive and among the negative ones. A kind of
        decision that is never made keeps its promise.
    max_fn_rate : float in [0, 1], optional
        Largest share of the positives called negative; those abstained on are not missed.
    confidence_level : float in (0, 1), optional
        Promise the precisions for the population, with this confidence for both sides together;
        the other limits stay those of the data. Needs independent cases (whole-number weights),
        a target below 1 and the sample's own prevalence.

    Returns
    -------
    AbstentionWindow
        Of several cheapest windows the one that abstains least, then the one that calls more
        cases positive, as for `AbstentionWindow`.

    Raises
    ------
    UndefinedError
        If no window keeps all limits; the message says the nearest values that can be kept.

    Notes
    -----
    Exact over all windows of the k distinct scores, in O(k), with `max_abstention` in O(k log k).
    Cuts may lie inside a pooled block, which no unconstrained optimum needs. With
    `confidence_level` a side ends at a score of a fixed grid of ranks at which the exact binomial
    test on the cases beyond it shows the precision; the levels of all ranks, on both sides, sum to
    1 - confidence_level, so the promise holds for whichever window is chosen (proof in
    `demur.windows.certified`).

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML. Clopper,
    Pearson (1934), Biometrika 26, doi:10.1093/biomet/26.4.404 (the exact binomial test).

    Examples
    --------
    A review costs a quarter of a miss. Without a limit two thirds of the cases would be reviewed;
    there is time for a quarter of them:

    >>> from demur import cheapest_window
    >>> y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    >>> s = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
    >>> window = cheapest_window(y, s, mu=1, nu=0.25, max_abstention=0.25)
    >>> round(window.lower, 2), round(window.upper, 2), window.abstention_rate
    (-0.25, 0.2, 0.25)
    >>> round(window.cost, 4), round(window.unconstrained_cost, 4)
    (0.2292, 0.1667)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    limits = Limits(
        max_abstention=max_abstention,
        min_precision_positive=min_precision_positive,
        min_precision_negative=min_precision_negative,
        max_fn_rate=max_fn_rate,
    )
    return limited_window(
        counts,
        limits,
        mu=mu,
        nu=nu,
        nu_negative=nu_negative,
        costs=costs,
        confidence_level=confidence_level,
        prevalence=prevalence,
    )


def limited_window(
    counts: ScoreCounts,
    limits: Limits,
    *,
    mu: float | None = None,
    nu: float | None = None,
    nu_negative: float | None = None,
    costs: CostModel | None = None,
    confidence_level: float | None = None,
    prevalence: float | None = None,
) -> AbstentionWindow:
    """Return the cheapest window under any limits; see `cheapest_window`."""
    free = abstention_surface(counts, prevalence=prevalence).window(mu, nu, nu_negative, costs=costs)
    targets = precision_promises(limits.min_precision_positive, limits.min_precision_negative)
    limits.check_prevalence(prevalence)
    masses = CutMasses.of(counts.positives, counts.negatives, *class_factors(counts, prevalence))
    confidence = PrecisionConfidence.of(counts, masses, targets, confidence_level, prevalence)
    allowed = cut_limits(masses, limits)
    if confidence is not None:
        starts, stops = confidence.positions()
        allowed = CutLimits(allowed.starts & starts, allowed.stops & stops, allowed.first)
    prices = Prices(1.0, free.mu, free.nu_positive, free.nu_negative)
    cuts = limited_search(masses, prices, allowed)
    if cuts is None:
        raise _impossible(limits, masses, allowed, prices, confident=confidence is not None)
    window = window_of_cuts(counts, masses, *cuts, prevalence=prevalence)
    if confidence is not None:
        window = confidence.applied(window)
    cost = prices.cost(masses, *cuts) / counts.n
    return replace(
        window,
        cost=cost,
        expected_cost=cost if costs is None else float(costs.expected_cost(cost, window.prevalence)),
        unconstrained_cost=free.cost,
        mu=free.mu,
        nu_positive=free.nu_positive,
        nu_negative=free.nu_negative,
        note=vacuous_note(window, masses, targets),
    )


def _impossible(
    limits: Limits, masses: CutMasses, allowed: CutLimits, prices: Prices, *, confident: bool
) -> UndefinedError:
    """Say which abstention the other limits need, or what they can be if it stays as it is."""
    below = masses.below
    nearest_start = _last_start(allowed)
    stops = np.flatnonzero(allowed.stops & (nearest_start >= 0))
    # of the window that abstains least, whatever its cost and width
    needed = float((below[stops] - below[nearest_start[stops]]).min()) / float(below[-1])
    what = "precisions" if all(row.promise for row, _ in limits.kept() if row.reached) else "limits"
    limit = 1.0 if limits.max_abstention is None else limits.max_abstention
    first = allowed.first if prices.may_abstain else np.arange(len(below))
    # a precision of these data is not one that could be promised with confidence
    nearest = [] if confident else _nearest(limits, masses, allowed._replace(first=first))
    instead = f"; otherwise the nearest that can be kept is {' or '.join(nearest)}" if nearest else ""
    return UndefinedError(
        f"No window keeps the {what} with max_abstention = {limit:g} and finite cost. "
        f"Hint: these {what} need an abstention rate of at least {needed:.4g}{instead}."
    )


def _nearest(limits: Limits, masses: CutMasses, allowed: CutLimits) -> list[str]:
    """Nearest feasible value of every limit on one end, the others staying as they are."""
    nearest = []
    for row, _ in limits.kept():
        if row.reached is None:
            continue
        without = cut_limits(masses, replace(limits, **{row.name: None}))
        if row.end == "start":
            # the nearest allowed stop from every start on
            size = len(allowed.stops)
            stops = np.where(allowed.stops, np.arange(size), size)
            nearest_stop = np.minimum.accumulate(stops[::-1])[::-1]
            first = np.append(allowed.first, size)[nearest_stop]
            possible = without.starts & (first <= np.arange(size))
        else:
            last = _last_start(allowed)
            possible = without.stops & (last >= 0) & (last >= allowed.first)
        values = row.reached(masses)[possible]
        values = values[np.isfinite(values)]
        if len(values):
            nearest.append(f"{row.name} = {float(values.max() if row.promise else values.min()):.4g}")
    return nearest


def _last_start(allowed: CutLimits) -> IntArray:
    """Largest allowed start up to every position; -1 if there is none."""
    last: IntArray = np.maximum.accumulate(np.where(allowed.starts, np.arange(len(allowed.starts)), -1))
    return last
