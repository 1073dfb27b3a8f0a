"""Cuts of one score into ordered levels at the lowest cost, with or without gaps between the levels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from demur import _html
from demur._checks import (
    check_confidence_level,
    check_groups,
    check_number,
    check_summable,
    input_error,
)
from demur._results import Result, read_only
from demur.costs.losses import Losses
from demur.costs.matrix import CostMatrix
from demur.honest.cases import SplitCases
from demur.honest.decisions import Judged
from demur.honest.evaluate import CutsLearner, Inputs, evaluate
from demur.honest.expected_cost import ExpectedCost, expected_cost_of, judged_rule
from demur.ordinal.roc import ordinal_roc
from demur.policy.evidence import Promise
from demur.policy.policy import Policy
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray, IntArray, Labels
from demur.windows.cuts import Cuts, cheapest_cuts, level_actions

__all__ = ["OrdinalThresholds", "honest_ordinal_cost", "ordinal_thresholds"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class OrdinalThresholds(Result):
    """The cheapest cuts of one score into ordered levels; made by `ordinal_thresholds`.

    Attributes
    ----------
    levels : tuple
        From lowest to highest.
    rule : Cuts
        The rule, which policies take.
    thresholds : array of r - 1 numbers
        Ascending; level k is called up to element k. A level between equal neighbours is never called.
    gap_ends : array of r - 1 numbers
        Level k + 1 is called above element k; between ``thresholds[k]`` and it the rule abstains. The
        thresholds themselves where there are no gaps.
    cost : float
        Cost per case on these cases, with hindsight: the cuts were chosen on them. See `honest_ordinal_cost`.
    abstention_rate : float
        Share of these cases that is abstained on.
    confusion : array of shape (r, r + 1)
        Share of all cases by true level and action, abstaining last; (r, r) where abstaining has no price.
    costs : array of the same shape
        Cost of each of them.
    """

    levels: tuple[Any, ...]
    rule: Cuts
    cost: float
    confusion: FloatArray
    costs: FloatArray
    # distinct scores, and the weight of every level at each of them, for those who draw
    _scores: FloatArray
    _weights: FloatArray
    _reported = ("thresholds", "gap_ends", "abstention_rate")

    @property
    def thresholds(self) -> FloatArray:
        """Where each level but the last one ends."""
        return np.array(self.rule.cuts[:: 1 + self.priced])

    @property
    def gap_ends(self) -> FloatArray:
        """Where each level but the first one begins."""
        return np.array(self.rule.cuts[int(self.priced) :: 1 + self.priced])

    @property
    def priced(self) -> bool:
        """Whether abstaining has a price, so that there may be gaps."""
        return ABSTAIN in self.rule.actions

    @property
    def abstention_rate(self) -> float:
        """Share of these cases that is abstained on."""
        return float(self.confusion[:, len(self.levels) :].sum())

    def decide(self, y_score: ArrayLike) -> IntArray:
        """Index in `levels` for every score, or -1 for abstaining."""
        return self.rule.decide(y_score)

    def policy(self, column: str = "score", expected: ExpectedCost | None = None) -> Policy:
        """Return the policy that `demur apply` takes: a level, or an abstention, from a column of scores.

        `expected`, what `honest_ordinal_cost` returned, is what it promises.
        """
        promise, levels = None, len(self.levels)
        if expected is not None:
            limit, sent = expected.interval.high, self.abstention_rate
            promise = Promise(cost=expected.cost, limit=limit, abstention_rate=sent)
        return Policy(
            rule=self.rule,
            model=column,
            chosen=self.rule.kind,
            promise=promise,
            costs=CostMatrix(values=self.costs[:, :levels], classes=self.levels),
            abstain_costs=self.costs[:, levels] if self.priced else None,
        )

    def _figure(self) -> str:
        called = [*self.levels, "abstain"] if self.priced else self.levels
        return _html.bars(self.confusion.sum(axis=0), called, "share called")

    def written(self) -> Self:
        """Round the cuts between the scores of these cases: the same decisions there, in few digits."""
        return replace(self, rule=self.rule.written(self._scores))


def ordinal_thresholds(
    y_true: Labels,
    y_score: ArrayLike,
    *,
    order: Any = None,
    costs: ArrayLike | None = None,
    step_cost: float = 1.0,
    cost_abstain: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> OrdinalThresholds:
    """Cut one score into ordered levels at the lowest cost; exact, the lower the better.

    With a price of abstaining, neighbouring levels may have a gap between them in which the rule abstains.
    Assumes that a higher score means a higher level. The cost is that of these cases, which chose the
    cuts: `honest_ordinal_cost` says what to expect in use.

    Parameters
    ----------
    y_true, y_score, order, sample_weight
        As in `ordinal_roc`.
    costs : array of shape (r, r), optional
        Cost of calling the level of a column where that of the row is true; default: `step_cost` for
        every step between the two.
    step_cost : float, default 1
        Cost of one step.
    cost_abstain : float or array of r numbers, optional
        Price of abstaining, for all cases or by true level. None: the rule never abstains.

    Returns
    -------
    OrdinalThresholds
        With `thresholds`, `gap_ends`, `cost`, `confusion`, `rule` and `decide`.

    Raises
    ------
    InputError
        As in `ordinal_roc`; for costs that are no table of the levels.

    Notes
    -----
    States along the score are level 1, gap, level 2, ..., level r. With A_s(g) what the cases of score g cost
    in state s, the least cost of the first g scores is D_s(g) = min(D_{s-1}(g), D_s(g-1) + A_s(g)), O(n r)
    after sorting, for costs of either sign. It minimises cost, not the volume under the surface. Of equally
    cheap cuts those that abstain least are taken, then the lowest.

    References
    ----------
    Waegeman, De Baets and Boullart (2006), ROCML; the recursion is Bellman's.

    Examples
    --------
    From which score on is a patient mild, and from which severe, if a mistake costs 1 per stage? And where
    should somebody look again, for a fifth of that?

    >>> from demur.ordinal import ordinal_thresholds
    >>> stage = ["healthy"] * 3 + ["mild"] * 3 + ["severe"] * 3
    >>> score = [1, 2, 3, 5, 7, 8, 4, 8.5, 9]
    >>> stages = ["healthy", "mild", "severe"]
    >>> best = ordinal_thresholds(stage, score, order=stages)
    >>> best.thresholds.tolist(), round(best.cost, 3)
    ([3.5, 8.25], 0.111)
    >>> gaps = ordinal_thresholds(stage, score, order=stages, cost_abstain=0.2)
    >>> gaps.rule.words(stages)
    'call healthy up to 3.5, mild above 4.5 up to 8.25, severe above, send the rest to a person'
    """
    roc = ordinal_roc(y_true, y_score, order=order, sample_weight=sample_weight)
    levels, sweep = roc.levels, roc.counts.sweep
    losses = _losses(len(levels), costs, step_cost, cost_abstain)
    weights = np.column_stack([sweep.column(level) for level in range(len(levels))])
    rule = cheapest_cuts(
        sweep.scores,
        weights @ losses.table,
        mass=weights.sum(axis=1),
        classes=levels,
        actions=level_actions(len(levels), gaps=losses.may_abstain),
    )
    actions = np.arange(len(levels) + losses.may_abstain)
    called = rule.codes(sweep.scores) % (len(levels) + 1)
    confusion = np.column_stack([weights[called == action].sum(axis=0) for action in actions]) / weights.sum()
    table = losses.table[:, actions]
    return OrdinalThresholds(
        levels=levels,
        rule=rule,
        cost=float((confusion * table).sum()),
        confusion=confusion,
        costs=table,
        _scores=read_only(sweep.scores),
        _weights=read_only(weights),
    )


def honest_ordinal_cost(
    y_true: Labels,
    y_score: ArrayLike,
    *,
    order: Any = None,
    costs: ArrayLike | None = None,
    step_cost: float = 1.0,
    cost_abstain: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    rng: int = 0,
) -> ExpectedCost:
    """Estimate what the cuts of `ordinal_thresholds` cost on cases that did not choose them.

    The lower the better. Cuts are chosen on nine tenths of the cases and scored on the last one, in turn.
    Assumes independent cases, or clusters of them.

    Parameters
    ----------
    y_true, y_score, order, costs, step_cost, cost_abstain, sample_weight
        As in `ordinal_thresholds`; weights say how much a case matters.
    groups : array of n values, optional
        Cluster of every case, such as a patient: it is never torn apart.
    confidence_level : float, default 0.95
        Of the interval.
    rng : int, default 0
        Seed of the folds.

    Returns
    -------
    ExpectedCost
        With `cost`, `interval`, `hindsight` and `abstention_rate`.

    Raises
    ------
    InputError
        As in `ordinal_thresholds`; for fewer than two levels with two cases.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.ordinal import honest_ordinal_cost
    >>> rng = np.random.default_rng(0)
    >>> stage = np.arange(120) % 3
    >>> found = honest_ordinal_cost(stage, stage + rng.normal(size=120), cost_abstain=0.3)
    >>> f"{found.cost:.2f} per case, not {found.hindsight:.2f}"
    '0.24 per case, not 0.19'
    """
    level = check_confidence_level(confidence_level)
    roc = ordinal_roc(y_true, y_score, order=order, sample_weight=sample_weight)
    losses = _losses(len(roc.levels), costs, step_cost, cost_abstain)
    codes, scores, weight = roc.counts.codes, roc.counts.scores, roc.counts.weights
    cluster = check_groups(groups, np.size(y_score), "y_score")
    if cluster is not None and len(cluster) > len(codes):  # cases of weight 0 are left out
        cluster = np.unique(cluster[np.asarray(sample_weight) > 0], return_inverse=True)[1]
    cases = SplitCases.of_classes(codes, weight, roc.levels, rng=rng, cluster=cluster)
    actions = level_actions(len(roc.levels), gaps=losses.may_abstain)
    learner = CutsLearner(losses, roc.levels, actions)
    (judged,) = evaluate(cases, Inputs(scores), [learner], [learner.fit_all(cases, scores)])
    assert isinstance(judged, Judged), "every training set has cuts"
    return expected_cost_of(judged_rule(cases, judged, scores), losses, confidence_level=level)


def _losses(levels: int, costs: Any, step_cost: float, cost_abstain: Any) -> Losses:
    """Return the costs of calling every level and, where it has a price, of abstaining."""
    if costs is not None:
        table = np.array(check_summable(costs, "costs"))
    else:
        step = check_number(check_summable(step_cost, "step_cost"), "step_cost")
        if step < 0:
            raise input_error("step_cost", "must not be negative", step)
        table = step * np.abs(np.subtract.outer(np.arange(levels), np.arange(levels))).astype(np.float64)
    if table.shape != (levels, levels):
        rule = f"must be a table of {levels} x {levels} for {levels} levels"
        raise input_error("costs", rule, f"shape {table.shape}")
    if cost_abstain is None:
        return Losses.of_matrix(table, None)
    price = check_summable(cost_abstain, "cost_abstain")
    if price.shape not in ((), (levels,)):
        rule = f"must be one number, or one for each of {levels} levels"
        raise input_error("cost_abstain", rule, f"shape {price.shape}")
    return Losses.of_matrix(table, np.broadcast_to(price, levels))
