"""Costs by block of time, where rules are chosen on the past and judged on the block that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._results import Interval, Result
from demur.comparison.candidates import Candidate, judged_again, losses_at, model_candidates
from demur.comparison.estimates import cost_at
from demur.comparison.problem import DecisionProblem
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.estimates import row_losses
from demur.honest.evaluate import Inputs
from demur.honest.mean_loss import mean_loss

__all__ = ["BlockCost", "block_costs", "shuffled_cost", "time_notes"]

_NOTICED = 0.05


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class BlockCost(Result):
    """Honest cost in one block of time, of rules chosen on the blocks before.

    Attributes
    ----------
    block : int
        Number of the block, from 1 on.
    start, end
        First and last time in it.
    n : float
        Number of cases.
    cost, interval : float, Interval
        Cost per case, and its interval for this block alone.
    """

    block: int
    start: Any
    end: Any
    n: float
    cost: float
    interval: Interval


def block_costs(candidate: Candidate, problem: DecisionProblem) -> tuple[BlockCost, ...]:
    """Return the cost of a rule in every judged block of time."""
    cases = candidate.cases
    splits, centre = cases.splits, problem.centre
    losses = losses_at(cases, centre)
    (loss,), sample = row_losses([candidate], losses, centre.shares)
    fold, worst = splits.repeats[0].fold, float(loss.max())
    found = []
    for block in splits.judged_folds:
        own = fold == block
        part = sample.part(own)
        mean = mean_loss(loss[own], part._replace(units=max(part.units, 2.0)), worst)
        start, end = (_plain(when) for when in splits.periods[block])
        size = float(splits.judged()[own].sum())
        low, high = mean.interval(problem.confidence_level)
        # no case costs less than the cheapest
        interval = Interval(max(low, float(loss.min())), high)
        found.append(
            BlockCost(block=block + 1, start=start, end=end, n=size, cost=mean.cost, interval=interval)
        )
    return tuple(found)


def shuffled_cost(
    candidate: Candidate, model: JudgedModel | Inputs | None, problem: DecisionProblem
) -> float | None:
    """Return what a shuffled split says the same kind of rule costs; None without times or a model."""
    cases = candidate.cases.shuffled
    if cases is None or model is None or candidate.model is None:
        return None
    if candidate.learner is not None and isinstance(model, Inputs):
        found = judged_again(candidate, cases, model)
        return None if found is None else cost_at(found, problem.centre)
    again = cases.judge(model.scores) if isinstance(model, JudgedModel) else model
    same = model_candidates(cases, candidate.model, again, problem, 0)
    kept = [one for one in same if (one.kind, one.aim) == (candidate.kind, candidate.aim)]
    return cost_at(kept[0], problem.centre) if kept else None


def time_notes(cases: SplitCases, forward: float, shuffled: float | None) -> tuple[str, ...]:
    """Say which blocks of time were judged, and how choosing on the past compares with a shuffled split."""
    splits = cases.splits
    start, end = _plain(splits.periods[splits.first][0]), _plain(splits.periods[-1][1])
    blocks = f"blocks {splits.first + 1} to {splits.folds} of {splits.folds}"
    period = f"Costs are those of {start} to {end} ({blocks}), not of what follows."
    notes = [f"Rules were chosen on the past. {period}"]
    if shuffled:
        more = forward / shuffled - 1
        if abs(more) >= _NOTICED:
            said = f"{100 * abs(more):.0f} % {'more' if more > 0 else 'less'} than a shuffled split suggests"
            notes.append(f"Choosing on the past costs {said}: conditions may have changed.")
    return tuple(notes)


def _plain(when: Any) -> Any:
    """Return a time as a number, or as the text of a date."""
    if not isinstance(when, np.datetime64):
        return when.item()
    return str(when).removesuffix(".000000").removesuffix("T00:00:00")
