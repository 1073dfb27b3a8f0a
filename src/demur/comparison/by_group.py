"""Cost, errors and reviews of the chosen rule by group of cases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from demur._checks import input_error
from demur._kernels.proportions import wilson_limits
from demur._results import Interval, Result
from demur.comparison.candidates import Candidate, losses_at
from demur.comparison.estimates import cost_of
from demur.comparison.problem import DecisionProblem
from demur.exceptions import InputError
from demur.honest.cases import SplitCases
from demur.honest.estimates import row_losses, worst_losses, worst_unit
from demur.honest.mean_loss import LossSample, mean_loss
from demur.surface.window import ABSTAIN
from demur.typing import BoolArray, FloatArray
from demur.windows.by_group import group_text

__all__ = ["GroupCost", "GroupCosts", "group_costs"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class GroupCost(Result):
    """One rule in one group of cases; a group of fewer than two cases has a number of cases only.

    Cost and errors are honest: decided by rules chosen without the fold of a case. Reviews are those of the
    rule as written. Intervals are for the group alone.

    Attributes
    ----------
    name : str
        The group; empty where it is missing.
    n, share : float
        Number of cases, and their share of all cases in use: the mean of the costs of all groups, weighted
        by it, is the cost of the rule.
    cost, cost_interval : float, Interval
        Cost per case. There is no interval of a single unit.
    error_rate, error_rate_interval : float, Interval
        Share of the cases decided wrong.
    miss_rate, alarm_rate : float or None
        Share of the positives called negative, and of the negatives called positive, with their intervals;
        None without such cases, and for more than two classes.
    abstention_rate, abstention_rate_interval : float, Interval
        Share of the cases that the written rule abstains on, and Wilson's limits of it.
    """

    name: str
    n: float
    share: float
    cost: float | None = None
    cost_interval: Interval | None = None
    error_rate: float | None = None
    error_rate_interval: Interval | None = None
    miss_rate: float | None = None
    miss_rate_interval: Interval | None = None
    alarm_rate: float | None = None
    alarm_rate_interval: Interval | None = None
    abstention_rate: float | None = None
    abstention_rate_interval: Interval | None = None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class GroupCosts(Result):
    """The rule of an answer by group of cases; made by `Comparison.by`.

    Attributes
    ----------
    groups : tuple of GroupCost
        In the order of their names; numbers by size.
    note : str
        How the costs of the groups add up to that of all cases, and what does not.
    whole : GroupCost
        All cases; the interval of its cost is that of the rule measured by itself.
    two_classes : bool
        Whether errors are misses and false alarms.
    confidence_level : float
        Level of the intervals, each for itself.

    Examples
    --------
    In the south the score tells nothing, and most positives are missed:

    >>> import numpy as np
    >>> from demur import Binormal, CostModel, compare_models
    >>> y, s = Binormal(separation=3.0).sample(1000, rng=0)
    >>> south = np.arange(1000) % 4 == 0
    >>> s = np.where(south, np.random.default_rng(0).normal(size=1000), s)
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> found = compare_models(y, s, costs=costs).by(np.where(south, "south", "north"))
    >>> [(group.name, round(group.cost), round(group.miss_rate, 2)) for group in found.groups]
    [('north', 3, 0.01), ('south', 26, 0.84)]
    """

    groups: tuple[GroupCost, ...]
    whole: GroupCost
    two_classes: bool
    confidence_level: float
    _reported = ("note",)

    @property
    def note(self) -> str:
        """How the costs of the groups add up to that of all cases, and what does not."""
        counted = [group.n / self.whole.n for group in self.groups]
        by_cases = np.allclose([group.share for group in self.groups], counted, rtol=1e-9, atol=0)
        weight = "cases" if by_cases else "their shares in use (weights, or a prevalence given)"
        note = f"costs of the groups, weighted by {weight}, add up to that of all"
        small = sum(group.cost is None for group in self.groups)
        return (
            f"{note}; groups of fewer than two cases ({small}) have no cost of their own" if small else note
        )


class _Rows(NamedTuple):
    """What a rule does to every row: its loss, whether it errs, and whether the written one abstains."""

    loss: FloatArray
    wrong: FloatArray
    abstained: BoolArray
    classes: Any
    number: FloatArray
    sample: LossSample
    worst: float


def group_costs(candidate: Candidate, problem: DecisionProblem, values: Any) -> GroupCosts:
    """Return what a rule costs and does in every group; `values` are the groups of the cases."""
    cases, centre = candidate.cases, problem.centre
    if cases.unlabelled is not None:
        raise InputError(
            "`values` need cases with a label, but labels that are missing are bounded. "
            "Hint: missing_labels='drop' leaves these cases out."
        )
    rows = cases.splits.repeats[0]
    names = _names(cases, values)[rows.cell]
    classes = cases.codes[rows.cell].astype(np.int64)
    losses = losses_at(cases, centre)
    (loss,), sample = row_losses([candidate], losses, centre.shares)
    judged = candidate.judged
    wrong = np.mean([(codes != classes) & (codes != ABSTAIN) for codes in judged.honest], axis=0)
    fees = max((float(paid.max()) for paid in judged.honest_fees), default=0.0)
    worst = float(worst_losses(candidate, losses, centre.shares).max()) + fees
    worst = worst_unit(worst, loss, sample, cases)
    found = _Rows(loss, wrong, judged.hindsight == ABSTAIN, classes, cases.splits.judged(), sample, worst)
    level, two = problem.confidence_level, not problem.many
    whole = _group("all", sample.weight > 0, found, level, two=two)
    return GroupCosts(
        groups=tuple(
            _group(name, (names == name) & (sample.weight > 0), found, level, two=two)
            for name in sorted(set(names.tolist()), key=_order)
        ),
        whole=replace(whole, cost_interval=cost_of(candidate, problem).interval),
        two_classes=two,
        confidence_level=level,
    )


def _names(cases: SplitCases, values: Any) -> Any:
    """Return the group of every cell as text."""
    if cases.source != "rows":
        hint = "pass labels and scores; in the command line leave --engine out."
        raise InputError(f"`values` need the cases themselves, but only counts are at hand. Hint: {hint}")
    column, n = np.asarray(values), len(cases.codes)
    given = n if cases.rows is None else int(cases.rows.max()) + 1
    if column.ndim != 1 or len(column) < given or (cases.rows is None and len(column) > n):
        hint = "leave out cases without a label, as the comparison does."
        wanted = f"must hold one value for each of {given} cases"
        raise input_error("values", wanted, f"an array of shape {column.shape}", hint)
    column = column if cases.rows is None else column[cases.rows]
    distinct, place = column, np.arange(n)
    if column.dtype.kind != "O":
        distinct, place = np.unique(column, return_inverse=True)
    return np.array([group_text(value) for value in distinct], dtype=object)[place]


def _order(name: str) -> tuple[bool, float, str]:
    """Sort numbers by size, and before text."""
    try:
        return False, float(name), name
    except ValueError:
        return True, 0.0, name


def _group(name: str, own: BoolArray, rows: _Rows, level: float, *, two: bool) -> GroupCost:
    """Judge the rule on some of the rows."""
    sample = rows.sample
    told: dict[str, Any] = {"name": name, "n": float(rows.number[own].sum())}
    told["share"] = float(sample.weight[own].sum())
    if sample.cases[own].sum() < 2:
        return GroupCost(**told)
    estimates = {
        "cost": (rows.loss, own, rows.worst, float(rows.loss.min()), np.inf),
        "error_rate": (rows.wrong, own, 1.0, 0.0, 1.0),
    }
    if two:
        estimates |= {
            "miss_rate": (rows.wrong, own & (rows.classes == 1), 1.0, 0.0, 1.0),
            "alarm_rate": (rows.wrong, own & (rows.classes == 0), 1.0, 0.0, 1.0),
        }
    for key, (loss, some, worst, lowest, highest) in estimates.items():
        if not some.any():
            continue
        part = sample.part(some)
        mean = mean_loss(loss[some], part, worst)
        told[key] = mean.cost
        if part.units >= 2:
            low, high = mean.interval(level)
            told[f"{key}_interval"] = Interval(max(low, lowest), min(high, highest))
    from scipy.special import ndtri

    part = sample.part(own)
    sent = min(float(part.weight @ rows.abstained[own]), 1.0)
    # as many independent cases as have the same variance (Kish 1965), or clusters
    number = part.units if part.cluster is not None else 1 / float(part.squares.sum())
    ends = wilson_limits(sent, number, float(ndtri((1 + level) / 2)))
    told |= {"abstention_rate": sent, "abstention_rate_interval": Interval(*map(float, ends))}
    return GroupCost(**told)
