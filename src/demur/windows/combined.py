"""Several cautious classifiers made into one: average, vote, disagreement, delegation chain."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from demur._checks import (
    check_amounts,
    check_choice,
    check_labels,
    check_probability_scores,
    check_same_length,
    check_weights,
    input_error,
)
from demur._kernels.thresholds import shortest_in
from demur._results import Result
from demur.costs.model import CostModel
from demur.exceptions import InputError
from demur.surface.window import ABSTAIN, decide
from demur.typing import ArrayLike, FloatArray, IntArray, Labels
from demur.windows.guarded import cheapest_guard
from demur.windows.row_costs import RowCosts

__all__ = [
    "WAYS",
    "CombinedRule",
    "check_fees",
    "check_members",
    "combined_rule",
    "combined_rule_of",
    "written_rule",
]

WAYS = ("average", "vote", "variance", "chain")
"""How several classifiers become one."""

_MOST_SWEEPS = 20  # of the search of a chain; every sweep that changes something is cheaper
_TIE = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class CombinedRule(Result):
    """One rule of several classifiers; made by `combined_rule`.

    Attributes
    ----------
    how : str
        "average", "vote", "variance", "chain", or the name of a member that answers alone.
    names : tuple of str
        The members, in order.
    windows : tuple of (lower, upper)
        Windows of the members: what each votes by, or passes on at each stage of a chain. Empty
        otherwise.
    window : (lower, upper) or None
        Window on the average or on the balance of votes; None for a chain.
    max_disagreement : float
        Larger standard deviations of the members are abstained on; inf but for "variance".
    stage_costs : array
        Cost of asking each member.
    cost : float
        Cost per case on these cases, with hindsight, what was asked included.
    """

    how: str
    names: tuple[str, ...]
    windows: tuple[tuple[float, float], ...]
    window: tuple[float, float] | None
    max_disagreement: float
    stage_costs: FloatArray
    cost: float

    def decide(self, scores: ArrayLike) -> IntArray:
        """Return 1, 0 or `ABSTAIN` for every row of scores, one column per member in their order."""
        table = np.asarray(scores, dtype=np.float64)
        if self.how == "chain":
            return _walk(table, self.windows)[0]
        assert self.window is not None
        codes = decide(_one_score(self.how, self.names, self.windows, table), self.window)
        if self.how == "variance":
            codes[table.std(axis=1) > self.max_disagreement] = ABSTAIN
        return codes

    def fees(self, scores: ArrayLike) -> FloatArray:
        """Return what was paid for asking members, for every row of scores."""
        table = np.asarray(scores, dtype=np.float64)
        if self.how == "chain":
            return np.cumsum(self.stage_costs)[_walk(table, self.windows)[1]]
        asked = self.stage_costs[self.names.index(self.how)] if self.how in self.names else None
        return np.full(len(table), self.stage_costs.sum() if asked is None else asked)

    # as a rule among others
    codes, charge = decide, fees


def combined_rule(
    y_true: Labels,
    scores: Mapping[str, ArrayLike],
    *,
    how: str = "average",
    costs: CostModel,
    stage_costs: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> CombinedRule:
    """Cheapest way to make one cautious classifier of several, by one of four rules.

    The smaller the cost the better. Assumes probabilities from models that have not seen these cases.
    Which rule is best depends on the models; `honest.combination_costs` judges all of them on the same
    folds.

    Parameters
    ----------
    y_true, pos_label
        As in `abstention_surface`.
    scores : mapping {name: array of n probabilities}
        At least two members. For a chain, in the order in which they are asked.
    how : {"average", "vote", "variance", "chain"}
        "average": a window on the mean probability. "vote": every member votes by its own cheapest
        window and may abstain; a window on the balance of votes. "variance": a window on the mean, and
        abstain where the members disagree too much. "chain": what a member abstains on goes to the
        next.
    costs : CostModel
        Of errors and of abstaining in the end.
    stage_costs : array of one number >= 0 per member, optional
        What asking a member costs per case. All members are asked, but in a chain only those a case
        reaches. Default 0.
    sample_weight : array of n numbers >= 0, optional

    Returns
    -------
    CombinedRule
        With `decide`, `fees` and `cost`.

    Raises
    ------
    InputError
        For fewer than two members, scores that are no probabilities, unequal lengths.

    Notes
    -----
    Each window is the cheapest there is, given the others. In a chain the cost of passing a case on is
    what the rest of the chain will cost for it; windows are searched from the last stage to the first
    and again until nothing changes, so the chain is a local optimum and each of its windows exact. The
    balance of votes is (votes for - votes against) / members.

    References
    ----------
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI, who leave the combination of cautious
    classifiers open.

    Examples
    --------
    A quick test is certain of the outer cases; a dear one settles the inner ones. Asking the second for
    every case would cost 0.1 more on all:

    >>> from demur import CostModel
    >>> from demur.windows import combined_rule
    >>> y = [0, 0, 0, 1, 0, 1, 1, 1]
    >>> tests = {"quick": [0.1, 0.1, 0.2, 0.5, 0.5, 0.8, 0.9, 0.9],
    ...          "dear": [0.1, 0.2, 0.2, 0.9, 0.1, 0.8, 0.8, 0.9]}
    >>> for how in ("average", "chain"):
    ...     rule = combined_rule(y, tests, how=how, costs=CostModel(), stage_costs=[0, 0.1])
    ...     print(how, round(rule.cost, 3))
    average 0.1
    chain 0.025
    """
    check_choice(how, "how", WAYS)
    positive = check_labels(y_true, pos_label)
    names, table = check_members(scores)
    weights = check_weights(sample_weight)
    check_same_length(y_true=positive, scores=table, sample_weight=weights)
    fees = check_fees(stage_costs, names)
    return combined_rule_of(how, names, table, RowCosts.of(positive, costs, weights), fees)


def check_members(scores: Any) -> tuple[tuple[str, ...], FloatArray]:
    """Return the names and the probabilities, one column per member."""
    if not isinstance(scores, Mapping) or len(scores) < 2:
        rule = "must be a mapping {name: probabilities} of two or more"
        raise input_error("scores", rule, repr(scores)[:80])
    columns = {
        str(name): check_probability_scores(column, f"scores[{name!r}]") for name, column in scores.items()
    }
    check_same_length(**columns)
    clash = sorted(set(columns) & set(WAYS))
    if clash:
        raise InputError(
            f"`scores` must not use the name {clash[0]!r}: it is a way to combine. Hint: rename it."
        )
    return tuple(columns), np.column_stack(list(columns.values()))


def check_fees(stage_costs: Any, names: Sequence[str]) -> FloatArray:
    """Return the cost of asking each member."""
    if stage_costs is None:
        return np.zeros(len(names))
    fees = np.atleast_1d(check_amounts(stage_costs, "stage_costs"))
    if len(fees) != len(names):
        raise input_error("stage_costs", f"must hold one number per member ({len(names)})", len(fees))
    return fees


def combined_rule_of(
    how: str, names: tuple[str, ...], table: FloatArray, amounts: RowCosts, fees: FloatArray
) -> CombinedRule:
    """Choose the rule on checked columns; `how` may also be the name of a member."""
    windows: tuple[tuple[float, float], ...] = ()
    window, limit = None, math.inf
    if how == "chain":
        windows = _chain(table, amounts, fees)
    else:
        if how == "vote":
            found = [amounts.window(column) for column in table.T]
            windows = tuple((one.lower, one.upper) for one in found)
        score = _one_score(how, names, windows, table)
        if how == "variance" and amounts.may_abstain:
            guarded = cheapest_guard(score, table.std(axis=1), amounts)
            window, limit = (guarded.lower, guarded.upper), guarded.max_doubt
        else:
            cheapest = amounts.window(score)
            window = cheapest.lower, cheapest.upper
    rule = CombinedRule(
        how=how,
        names=names,
        windows=windows,
        window=window,
        max_disagreement=limit,
        stage_costs=fees,
        cost=0.0,
    )
    paid = amounts.mean(rule.decide(table))
    asked = float(np.average(rule.fees(table), weights=amounts.weight))
    return replace(rule, cost=paid + asked)


def written_rule(rule: CombinedRule, table: FloatArray) -> CombinedRule:
    """Round the thresholds of a rule chosen on these columns (`shortest_in`): the same decisions there."""

    def short(window: tuple[float, float], score: FloatArray) -> tuple[float, float]:
        return shortest_in(window[0], score), shortest_in(window[1], score)

    score = None if rule.window is None else _one_score(rule.how, rule.names, rule.windows, table)
    return replace(
        rule,
        windows=tuple(map(short, rule.windows, table.T)),
        window=None if rule.window is None or score is None else short(rule.window, score),
        max_disagreement=shortest_in(rule.max_disagreement, table.std(axis=1)),
    )


def _one_score(
    how: str, names: tuple[str, ...], windows: Sequence[tuple[float, float]], table: FloatArray
) -> FloatArray:
    """Score the window looks at: one column, the mean, or the balance of votes."""
    if how in names:
        return table[:, names.index(how)]
    if how == "vote":
        votes = [decide(column, window) for column, window in zip(table.T, windows, strict=True)]
        return np.asarray(np.mean([(codes == 1) * 1.0 - (codes == 0) for codes in votes], axis=0))
    return np.asarray(table.mean(axis=1))


# ---------------------------------------------------------------- chain


def _walk(table: FloatArray, windows: Sequence[tuple[float, float]]) -> tuple[IntArray, IntArray]:
    """Decision on every row and the last stage that was asked."""
    codes = np.full(len(table), ABSTAIN, dtype=np.int64)
    last = np.zeros(len(table), dtype=np.int64)
    rows = np.arange(len(table))
    for stage, window in enumerate(windows):
        last[rows] = stage
        codes[rows] = decide(table[rows, stage], window)
        rows = rows[codes[rows] == ABSTAIN]
        if not len(rows):
            break
    return codes, last


def _chain(table: FloatArray, amounts: RowCosts, fees: FloatArray) -> tuple[tuple[float, float], ...]:
    """Windows of the stages, each the cheapest given the others."""
    stages = table.shape[1]
    windows: list[tuple[float, float]] = [(-math.inf, math.inf)] * stages
    least, scale = math.inf, float(np.max([amounts.miss, amounts.alarm, amounts.review], axis=0).sum())
    for _ in range(_MOST_SWEEPS):
        best = list(windows)
        for stage in reversed(range(stages)):
            rows = np.flatnonzero(_walk(table, best[:stage])[0] == ABSTAIN)
            # a stage that no case here reaches learns from all
            rows = rows if len(rows) else np.arange(len(table))
            best[stage] = _stage_window(table, amounts, fees, best, stage, rows)
        codes, last = _walk(table, best)
        cost = float(amounts.paid(codes).sum() + (amounts.weight * np.cumsum(fees)[last]).sum())
        if cost >= least - _TIE * scale:
            break
        windows, least = best, cost
    return tuple(windows)


def _stage_window(
    table: FloatArray,
    amounts: RowCosts,
    fees: FloatArray,
    windows: Sequence[tuple[float, float]],
    stage: int,
    rows: IntArray,
) -> tuple[float, float]:
    """Cheapest window of one stage on the rows that reach it; passing on costs what follows will."""
    here = amounts.of_rows(rows)
    if stage < len(windows) - 1:
        codes, last = _walk(table[rows, stage + 1 :], windows[stage + 1 :])
        follows = here.paid(codes) - here.base + here.weight * np.cumsum(fees[stage + 1 :])[last]
        here = here._replace(review=follows, may_abstain=True)
    window = here.window(table[rows, stage])
    return window.lower, window.upper
