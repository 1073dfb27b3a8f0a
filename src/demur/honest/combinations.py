"""Honest costs of several cautious classifiers combined, and of a window with a guard."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_labels,
    check_same_length,
    check_scores,
    check_times,
    check_weights,
    cluster_codes,
    input_error,
)
from demur._results import Interval, Result
from demur.costs.model import CostModel
from demur.exceptions import InputError
from demur.honest.cases import SplitCases, clusters_of
from demur.honest.decisions import Judged
from demur.honest.estimates import JudgedRule, paired_interval
from demur.honest.evaluate import Decides, Inputs, RowLearner, evaluate
from demur.honest.expected_cost import ExpectedCost, expected_cost_of, judged_rule
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray, Labels
from demur.windows.combined import WAYS, CombinedRule, check_fees, check_members, combined_rule_of
from demur.windows.guarded import GuardedWindow, cheapest_guard
from demur.windows.row_costs import RowCosts

__all__ = ["CombinationCosts", "GuardedCost", "combination_costs", "guarded_cost"]


def _judge_rows(cases: SplitCases, columns: FloatArray, choose: Callable[[IntArray], Decides]) -> JudgedRule:
    """Judge every row by the rule that `choose` finds on the rows of all folds but its own."""
    every = np.arange(len(cases.positive))
    (judged,) = evaluate(cases, Inputs(columns), [RowLearner(choose)], [choose(every)])
    assert isinstance(judged, Judged), "rules of rows exist on all cases"
    return judged_rule(cases, judged, None)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class CombinationCosts(Result):
    """Honest cost of every member and of every way to combine them; made by `combination_costs`.

    Attributes
    ----------
    rows : mapping {name: ExpectedCost}
        The members alone, then the ways to combine them: honest cost per case with its interval, cost
        with hindsight and abstention rate, all on the same folds, fees included.
    best_member : str
        The member with the smallest honest cost.
    versus_best_member : mapping {way: (difference, interval)}
        Honest cost of the way minus that of the best member on the same cases; below 0: it pays to
        combine.
    trivial : mapping {rule: cost}
        Cost per case of the rules that ask no member: always positive, always negative, always abstain.
    confidence_level : float
    n : float
        Number of cases.
    """

    rows: dict[str, ExpectedCost]
    best_member: str
    versus_best_member: dict[str, tuple[float, Interval]]
    trivial: dict[str, float]
    confidence_level: float
    n: float

    @property
    def best(self) -> str:
        """Name of the row with the smallest honest cost."""
        return min(self.rows, key=lambda name: self.rows[name].cost)


def combination_costs(
    y_true: Labels,
    scores: Mapping[str, ArrayLike],
    *,
    costs: CostModel,
    stage_costs: ArrayLike | None = None,
    ways: Sequence[str] = WAYS,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    confidence_level: float = 0.95,
    folds: int | None = None,
    repeats: int | None = None,
    rng: int | np.random.Generator | None = 0,
) -> CombinationCosts:
    """Honest cost of several cautious classifiers, each alone and combined, on the same folds.

    The smaller the better. Every window, vote, limit and chain is chosen on nine folds and scored on the
    tenth. A combination has more to choose than a single window, so its cost with hindsight flatters it
    more: compare honest costs only. Assumes independent cases, or clusters, that none of the models was
    fitted to.

    Parameters
    ----------
    y_true, scores, costs, stage_costs, pos_label, sample_weight
        As in `windows.combined_rule`; weights are importance weights.
    ways : sequence of str
        Which combinations; all four by default.
    groups, time : array of n values, optional
        Cluster and time of every case, as in `compare_models`.
    confidence_level : float, default 0.95
        Of the intervals.
    folds, repeats, rng
        As in `cross_fitted_surface`.

    Returns
    -------
    CombinationCosts
        With `rows`, `best`, `best_member` and `versus_best_member`.

    Raises
    ------
    InputError
        As in `windows.combined_rule`, or for fewer than two cases of a class.

    References
    ----------
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI.

    Examples
    --------
    Two noisy tests of the same cases. Does it pay to combine them, and how?

    >>> import numpy as np
    >>> from demur import CostModel
    >>> from demur.honest import combination_costs
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(400) % 2
    >>> scores = {name: 1 / (1 + np.exp(-(2 * y - 1) - rng.normal(0, 1.5, 400))) for name in ("a", "b")}
    >>> found = combination_costs(y, scores, costs=CostModel(cost_abstain=0.2), repeats=2)
    >>> found.best, found.best_member
    ('chain', 'a')
    >>> difference, interval = found.versus_best_member["chain"]
    >>> bool(interval.high < 0)
    True
    """
    level = check_confidence_level(confidence_level)
    names, table = check_members(scores)
    for way in ways:
        check_choice(way, "ways", WAYS)
    fees = check_fees(stage_costs, names)
    given = y_true, pos_label, sample_weight, groups, time
    cases, weights, kept = _split(*given, folds, repeats, rng, scores=table)
    table, amounts = table[kept], RowCosts.of(cases.positive, costs, weights)

    def chosen(how: str, rows: IntArray) -> CombinedRule:
        return combined_rule_of(how, names, table[rows], amounts.of_rows(rows), fees)

    judged = {how: _judge_rows(cases, table, partial(chosen, how)) for how in (*names, *ways)}
    found = {
        name: expected_cost_of(rule, costs.losses, confidence_level=level) for name, rule in judged.items()
    }
    best = min(names, key=lambda name: found[name].cost)
    return CombinationCosts(
        rows=found,
        best_member=best,
        versus_best_member={
            way: paired_interval(judged[way], judged[best], costs.losses, None, level=level) for way in ways
        },
        trivial=_trivial(amounts),
        confidence_level=level,
        n=float(cases.sizes.sum()),
    )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class GuardedCost(Result):
    """Honest cost of a window with a guard, beside that of the window alone; made by `guarded_cost`.

    Attributes
    ----------
    guarded : ExpectedCost
        Of the window with the guard.
    unguarded : ExpectedCost
        Of the window alone, on the same folds.
    difference : float
        Honest cost with the guard minus without it; below 0: the guard pays.
    difference_interval : Interval
        Of the difference, on the same cases.
    trivial : mapping {rule: cost}
        Cost per case of the rules that look at no score.
    """

    guarded: ExpectedCost
    unguarded: ExpectedCost
    difference: float
    difference_interval: Interval
    trivial: dict[str, float]

    @property
    def cost(self) -> float:
        """Honest cost per case of the window with the guard."""
        return self.guarded.cost


def guarded_cost(
    y_true: Labels,
    y_score: ArrayLike,
    y_doubt: ArrayLike,
    *,
    costs: CostModel,
    max_doubt: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    confidence_level: float = 0.95,
    folds: int | None = None,
    repeats: int | None = None,
    rng: int | np.random.Generator | None = 0,
) -> GuardedCost:
    """Honest cost of a window with a guard against unfamiliar cases.

    The smaller the better; the honest cost of the window alone stands beside it. Window and guard are
    chosen on nine folds and scored on the tenth. Assumes independent cases, or clusters.

    Parameters
    ----------
    y_true, y_score, y_doubt, costs, max_doubt, pos_label, sample_weight
        As in `windows.guarded_window`; weights are importance weights.
    groups, time : array of n values, optional
        Cluster and time of every case, as in `compare_models`.
    confidence_level, folds, repeats, rng
        As in `cross_fitted_surface`.

    Returns
    -------
    GuardedCost
        With `cost`, `guarded`, `unguarded`, `difference` and its interval.

    Raises
    ------
    InputError
        As in `windows.guarded_window`, or for fewer than two cases of a class.

    References
    ----------
    Friedel, Rueckert, Kramer (2006), "Cost Curves for Abstaining Classifiers", ROCML.

    Examples
    --------
    One case in ten comes from elsewhere, where the score means nothing but the distance is large:

    >>> import numpy as np
    >>> from demur import CostModel
    >>> from demur.honest import guarded_cost
    >>> rng = np.random.default_rng(0)
    >>> y, elsewhere = np.arange(500) % 2, np.arange(500) % 10 < 1
    >>> score = np.where(elsewhere, rng.normal(0, 3, 500), 2 * y - 1 + rng.normal(0, 0.7, 500))
    >>> distance = rng.normal(np.where(elsewhere, 5, 1), 0.5)
    >>> costs = CostModel(cost_abstain=0.1)
    >>> found = guarded_cost(y, score, distance, costs=costs, repeats=1)
    >>> print(f"{found.cost:.3f} with the guard, {found.unguarded.cost:.3f} without")
    0.041 with the guard, 0.071 without
    >>> bool(found.difference_interval.high < 0)
    True
    """
    level = check_confidence_level(confidence_level)
    score, doubt = check_scores(y_score), check_scores(y_doubt, "y_doubt")
    if not costs.may_abstain:
        raise InputError("`costs` must say what abstaining costs. Hint: CostModel(cost_abstain=...).")
    given = y_true, pos_label, sample_weight, groups, time
    cases, weights, kept = _split(*given, folds, repeats, rng, y_score=score, y_doubt=doubt)
    score, doubt, amounts = score[kept], doubt[kept], RowCosts.of(cases.positive, costs, weights)

    def chosen(limit: float | None, rows: IntArray) -> GuardedWindow:
        return cheapest_guard(score[rows], doubt[rows], amounts.of_rows(rows), max_doubt=limit)

    columns = np.column_stack([score, doubt])
    guarded, plain = (_judge_rows(cases, columns, partial(chosen, limit)) for limit in (max_doubt, np.inf))
    difference, interval = paired_interval(guarded, plain, costs.losses, None, level=level)
    return GuardedCost(
        guarded=expected_cost_of(guarded, costs.losses, confidence_level=level),
        unguarded=expected_cost_of(plain, costs.losses, confidence_level=level),
        difference=difference,
        difference_interval=interval,
        trivial=_trivial(amounts),
    )


def _trivial(amounts: RowCosts) -> dict[str, float]:
    """Mean cost per case of one decision for all."""
    codes = {"always positive": 1, "always negative": 0}
    if amounts.may_abstain:
        codes["always abstain"] = ABSTAIN
    n = len(amounts.weight)
    return {rule: amounts.mean(np.full(n, code)) for rule, code in codes.items()}


def _split(
    y_true: Labels,
    pos_label: Any,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    time: ArrayLike | None,
    folds: int | None,
    repeats: int | None,
    rng: Any,
    **columns: FloatArray,
) -> tuple[SplitCases, FloatArray | None, BoolArray]:
    """Split the rows that weigh something; return also their weights, and which rows those are."""
    positive = check_labels(y_true, pos_label)
    weights = None if sample_weight is None else check_weights(sample_weight)
    check_same_length(y_true=positive, sample_weight=weights, **columns)
    kept = np.ones(len(positive), dtype=np.bool_) if weights is None else weights > 0
    if not kept.any():
        raise input_error("sample_weight", "must be positive for some case", "zeros only")
    weights = None if weights is None else weights[kept]
    cases = SplitCases.of_rows(
        positive[kept],
        weights,
        weights="importance",
        prevalence=None,
        folds=folds,
        repeats=repeats,
        rng=rng,
        quantity="an honest cost",
        cluster=clusters_of(cluster_codes(groups, len(positive)), kept),
    )
    times = check_times(time, len(positive))
    return cases if times is None else cases.by_time(times[kept]), weights, kept
