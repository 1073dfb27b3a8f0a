"""Honest costs of rules and of pairs of rules, with intervals, from their losses on every case.

Any number of classes, costs by class or by case. Where all cases of a class cost the same and there is one
split, the cases of a cell of the table of outcomes are one row: their loss is the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from demur._results import Interval
from demur.costs.losses import Losses
from demur.honest.cases import SplitCases
from demur.honest.decisions import Codes, Judged, outcomes
from demur.honest.mean_loss import (
    LossSample,
    MeanLoss,
    class_mean_loss,
    intraclass_correlation,
    mean_loss,
)
from demur.typing import BoolArray, FloatArray

__all__ = [
    "ADDED_TO_DIFFERENCES",
    "Estimate",
    "JudgedRule",
    "class_shares",
    "cost_estimate",
    "cost_gap",
    "loss_rows",
    "mean_cost",
    "paid_sums",
    "paired_interval",
    "row_losses",
    "row_sample",
    "same_decisions",
    "tabled_losses",
    "unlabelled_losses",
    "worst_losses",
    "worst_unit",
]

_MOST_SORTED = 4096
"""So many rows are summed in the order of their content, so that the order of a file plays no part."""
ADDED_TO_DIFFERENCES = 2
"""Units of the worst loss added to differences: with one, equal rules seem to differ too often."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedRule:
    """Decisions of one rule on all cases, and the tables of their outcomes.

    Attributes
    ----------
    cases : SplitCases
        The splits it was judged on.
    judged : Judged
        Its decisions, by rules chosen without the fold of a case and by the rule of all cases.
    honest, hindsight : array
        Cases by class and action, abstaining last.
    scores : array or None
        Inputs of the model, one score or one column per class; None for a rule without a model.
    unlabelled : array or None
        Its decisions on the cases without a label.
    """

    cases: SplitCases
    judged: Judged
    honest: FloatArray
    hindsight: FloatArray
    scores: FloatArray | None = None
    unlabelled: Codes | None = None

    @property
    def taken(self) -> BoolArray:
        """Which actions the rule takes on some case, as written or chosen without a fold."""
        return np.asarray((self.honest + self.hindsight).sum(axis=0) > 0)


class Estimate(NamedTuple):
    """Honest cost per case with its interval, beside the cost with hindsight.

    `worst_seen` tells whether an outcome of the largest loss is among the judged cases.
    """

    cost: float
    mean: MeanLoss
    interval: Interval
    hindsight: float
    worst_seen: bool


def class_shares(cases: FloatArray, shares: FloatArray | None) -> FloatArray:
    """Shares of all cases by class and action, as used; they sum to 1."""
    sizes = cases.sum(axis=1, keepdims=True)
    if shares is None:
        return np.asarray(cases / sizes.sum())
    return np.asarray(np.divide(cases, sizes, out=np.zeros_like(cases), where=sizes > 0) * shares[:, None])


def mean_cost(cases: FloatArray, losses: FloatArray, shares: FloatArray | None) -> float:
    """Expected cost per case, from sums over classes and actions."""
    sizes = cases.sum(axis=1)
    if shares is None:
        each = np.full(len(sizes), 1 / sizes.sum())
    else:
        each = np.divide(shares, sizes, out=np.zeros(len(sizes)), where=sizes > 0)
    return float((each * losses.sum(axis=1)).sum())


def paid_sums(cases: SplitCases, losses: FloatArray, decisions: Sequence[Codes]) -> FloatArray:
    """Sum costs by class and action, averaged over the splits, where every case has its own."""
    actions = losses.shape[1]
    total = np.zeros(cases.n_classes * actions)
    for split, (rows, codes) in enumerate(zip(cases.splits.repeats, decisions, strict=False)):
        code = cases.codes[rows.cell].astype(np.int64) * actions + codes % actions
        total += np.bincount(code, cases.splits.judged(split) * losses[rows.cell, codes], len(total))
    return (total / len(decisions)).reshape(cases.n_classes, actions)


# ---------------------------------------------------------------- losses


def row_losses(
    rules: Sequence[JudgedRule], losses: Losses, shares: FloatArray | None
) -> tuple[list[FloatArray], LossSample]:
    """Return the honest loss of each rule on every row, averaged over the splits, and the rows' weights."""
    cases = rules[0].cases
    rows = cases.splits.repeats[0]
    classes = cases.codes[rows.cell].astype(np.int64)
    costs = losses.table[classes] if losses.by_case is None else losses.table[rows.cell]
    place = np.arange(len(costs))
    found = []
    for rule in rules:
        paid = [costs[place, codes] for codes in rule.judged.honest]
        fees = rule.judged.honest_fees
        found.append(np.mean(paid, axis=0) + (np.mean(fees, axis=0) if fees else 0.0))
    return found, row_sample(cases, shares)


def row_sample(cases: SplitCases, shares: FloatArray | None) -> LossSample:
    """Return the weights of all rows, and the units they form."""
    rows, judged = cases.splits.repeats[0], cases.splits.judged()
    return LossSample.of(
        judged,
        judged**2 if cases.weights == "importance" else judged,
        cases.units,
        classes=cases.codes[rows.cell].astype(np.int64),
        shares=shares,
        cluster=None if cases.cluster is None else cases.cluster[rows.cell],
    )


def tabled_losses(
    rules: Sequence[JudgedRule], losses: Losses, shares: FloatArray | None
) -> tuple[list[FloatArray], LossSample]:
    """Return the loss of one or two rules in every cell of the table of their outcomes, and their weights."""
    cases, table = rules[0].cases, losses.table
    decisions = [rule.judged.honest for rule in rules]
    mass, found = rules[0].honest, [table]
    if len(rules) > 1:
        mass = outcomes(cases, *decisions)
        found = [np.broadcast_to(one, mass.shape) for one in (table[:, :, None], table[:, None, :])]
    squares = outcomes(cases, *decisions, power=2) if cases.weights == "importance" else mass
    classes = np.repeat(np.arange(len(mass)), mass[0].size)
    sample = LossSample.of(mass.ravel(), squares.ravel(), cases.units, classes=classes, shares=shares)
    return [one.ravel() for one in found], sample


def loss_rows(
    rules: Sequence[JudgedRule],
    losses: Losses,
    shares: FloatArray | None,
    *,
    best: bool = False,
) -> tuple[FloatArray, LossSample]:
    """Return the loss of a rule, or of one beyond another, on rows of cases, and the weights of the rows.

    Cases without a label cost what they do at their least favourable class, with `best` at their most
    favourable one.
    """
    cases = rules[0].cases
    same_costs = losses.by_case is None and cases.repeats == 1 and cases.cluster is None
    tabled = same_costs and not any(rule.judged.honest_fees for rule in rules)
    found, sample = (tabled_losses if tabled else row_losses)(rules, losses, shares)
    loss = found[0] if len(rules) == 1 else found[0] - found[1]
    if not tabled and len(loss) <= _MOST_SORTED:
        classes = cases.codes[cases.splits.repeats[0].cell]
        order = np.lexsort([loss, sample.weight, classes])
        loss = loss[order]
        stratum, cluster = (None if one is None else one[order] for one in (sample.stratum, sample.cluster))
        sample = LossSample(sample.weight[order], sample.squares[order], sample.units, stratum, cluster)
    if cases.unlabelled is None:
        return loss, sample
    bound, more = unlabelled_losses(rules, losses, best=best), cases.unlabelled
    labelled = float(cases.splits.judged().sum())
    total = labelled + float(more.sum())
    joined = LossSample(
        np.concatenate([sample.weight * (labelled / total), more / total]),
        np.concatenate([sample.squares * (labelled / total) ** 2, (more / total) ** 2]),
        sample.units,
    )
    return np.concatenate([loss, bound]), joined


def unlabelled_losses(rules: Sequence[JudgedRule], losses: Losses, *, best: bool) -> FloatArray:
    """Bound the loss of a rule, or its excess over another, on every case without a label."""
    columns = [losses.bounds(rule.unlabelled) for rule in rules if rule.unlabelled is not None]
    gaps = columns[0] if len(rules) == 1 else columns[0] - columns[1]
    return np.asarray(gaps.min(axis=0) if best else gaps.max(axis=0))


# ---------------------------------------------------------------- the worst loss


def worst_losses(
    rule: JudgedRule, losses: Losses, shares: FloatArray | None, other: JudgedRule | None = None
) -> FloatArray:
    """Return the largest loss of a case of average weight, by class and action; -inf for actions not taken.

    Against another rule, the largest loss beyond the cheapest action of that one. Where cases differ in
    costs or weight, only those count that the rule may treat so: of every class the half nearest to the
    scores decided so, for abstaining all.
    """
    cases, sizes = rule.cases, rule.honest.sum(axis=1)
    used = (sizes > 0) if shares is None else (sizes > 0) & (shares > 0)
    possible = used[:, None] & rule.taken
    factor = np.ones(len(sizes)) if shares is None else shares * sizes.sum() / np.maximum(sizes, 1e-300)
    table = np.full(possible.shape, -np.inf)
    weighted = cases.weights == "importance"
    if losses.by_case is None and not weighted:
        spared = 0.0 if other is None else losses.table[:, other.taken].min(axis=1, keepdims=True)
        table[possible] = ((losses.table - spared) * factor[:, None])[possible]
        return table
    weight = cases.sizes / cases.sizes.mean() if weighted else np.ones(len(cases.sizes))
    for k in np.flatnonzero(used):
        own = np.flatnonzero((cases.codes == k) & (cases.sizes > 0))
        costs = losses.table[own] if losses.by_case is not None else losses.table[[k] * len(own)]
        spared = 0.0 if other is None else costs[:, other.taken].min(axis=1)
        for action in np.flatnonzero(rule.taken):
            gaps = weight[own] * factor[k] * (costs[:, action] - spared)
            if rule.scores is not None and action < rule.honest.shape[1] - 1:
                scores = rule.scores[own]
                toward = scores[:, action] if scores.ndim == 2 else scores if action else -scores
                gaps = gaps[toward >= np.median(toward)]
            table[k, action] = gaps.max()
    return table


def worst_unit(worst: float, loss: FloatArray, sample: LossSample, cases: SplitCases) -> float:
    """Return the worst mean loss of a cluster, by the intraclass correlation of its cases."""
    if sample.cluster is None or cases.cluster is None:
        return worst
    rows = cases.splits.repeats[0]
    judged = sample.weight > 0
    number = sample.cases[judged]
    size = number.sum() / sample.units
    classes = cases.codes[rows.cell]
    cluster = cases.cluster[rows.cell]
    counted = cases.splits.judged() > 0
    each = None if cases.weights == "importance" else rows.cases[counted]
    correlation = max(
        intraclass_correlation(loss[judged], sample.cluster[judged], number),
        *(
            intraclass_correlation((classes == k)[counted].astype(np.float64), cluster[counted], each)
            for k in range(cases.n_classes)
        ),
    )
    mean = float(sample.weight @ loss)
    return mean + float(np.sqrt(1 / size + (1 - 1 / size) * correlation)) * (worst - mean)


# ---------------------------------------------------------------- estimates


def cost_estimate(
    rule: JudgedRule,
    losses: Losses,
    shares: FloatArray | None,
    *,
    level: float,
    rate_variance: float = 0.0,
    best: bool = False,
) -> Estimate:
    """Estimate what a rule costs in use.

    The lower end is never below what is certain: the actions of the written rule at their cheapest. With
    `best` cases without a label have their most favourable class, else their least favourable one.
    """
    loss, sample = loss_rows([rule], losses, shares, best=best)
    worst = worst_losses(rule, losses, shares)
    highest_fee = max((float(paid.max()) for paid in rule.judged.honest_fees), default=0.0)
    highest = float(worst.max()) + highest_fee
    unit = highest if sample.cluster is None else worst_unit(highest, loss, sample, rule.cases)
    mean = mean_loss(loss, sample, unit, rate_variance=rate_variance)
    table = losses.table
    if losses.by_case is None:
        honest, paid = rule.honest * table, rule.hindsight * table
        table = table[rule.honest.sum(axis=1) > 0]
    else:
        honest, paid = (
            paid_sums(rule.cases, table, decisions)
            for decisions in (rule.judged.honest, [rule.judged.hindsight])
        )
    if not rule.judged.honest_fees and rule.unlabelled is None:
        # the same to the last digit as where only the cost is asked for
        mean = mean._replace(cost=mean_cost(rule.honest, honest, shares))
    floor = rule.hindsight * table.min(axis=0)
    if losses.same_review:
        floor[:, -1] = paid[:, -1]
    certain = mean_cost(rule.hindsight, floor, shares) if rule.unlabelled is None else -np.inf
    hindsight = mean_cost(rule.hindsight, paid, shares)
    if rule.judged.hindsight_fees is not None:
        hindsight += float(np.average(rule.judged.hindsight_fees, weights=rule.cases.splits.judged()))
    # one action for all cases costs what the known shares of the classes make of it, and a cost is certain
    # where every action costs the same on all cases
    taken = rule.taken
    one_action = shares is not None and np.count_nonzero(taken) == 1
    settled = one_action or not np.ptp(table[:, taken], axis=0).any()
    # fees for asking models are the same for all cases, or as uncertain as the way to a decision
    settled &= not rule.judged.honest_fees or highest_fee == min(
        float(paid.min()) for paid in rule.judged.honest_fees
    )
    if mean.standard_error == 0 and settled:
        mean = mean._replace(raised=mean.cost, raised_error=0.0)
    low, high = mean.interval(level)
    interval = Interval(min(max(low, certain), mean.cost), max(high, mean.cost))
    largest = worst.max()
    worst_seen = bool(rule.honest[worst >= largest - 1e-12 * abs(largest)].any())
    return Estimate(mean.cost, mean, interval, hindsight, worst_seen)


def same_decisions(first: JudgedRule, second: JudgedRule) -> bool:
    """Tell whether two rules have the same decisions and fees on every case."""
    columns = []
    for judged in (first.judged, second.judged):
        fees = judged.honest_fees or (None,) * len(judged.honest)
        columns.append([judged.hindsight, judged.hindsight_fees, *judged.honest, *fees])
    return all(one is two or np.array_equal(one, two) for one, two in zip(*columns, strict=True))


def cost_gap(
    first: JudgedRule,
    second: JudgedRule,
    losses: Losses,
    shares: FloatArray | None,
    *,
    rate_variance: float = 0.0,
) -> MeanLoss:
    """Estimate the cost of a rule minus that of another on the same cases.

    The worst loss is that of the first; cases without a label have the class that is worst for it. Two units
    of it are added; where classes are strata, one of its own to each.
    """
    gap, sample = loss_rows([first, second], losses, shares)
    fees = max((float(paid.max()) for paid in first.judged.honest_fees), default=0.0)
    fees -= min((float(paid.min()) for paid in second.judged.honest_fees), default=0.0)
    if sample.stratum is not None and sample.cluster is None:
        by_class = worst_losses(first, losses, None, second).max(axis=1) + fees
        if first.cases.weights == "importance":  # a unit of a class has the mean weight of that class
            number = np.bincount(first.cases.codes, minlength=len(by_class))
            by_class *= number * first.cases.sizes.mean() / np.maximum(first.cases.class_sizes, 1e-300)
        return class_mean_loss(gap, sample, by_class, rate_variance=rate_variance)
    worst = float(worst_losses(first, losses, shares, second).max()) + fees
    unit = worst if sample.cluster is None else worst_unit(worst, gap, sample, first.cases)
    return mean_loss(gap, sample, unit, added=ADDED_TO_DIFFERENCES, rate_variance=rate_variance)


def paired_interval(
    first: JudgedRule,
    second: JudgedRule,
    losses: Losses,
    shares: FloatArray | None,
    *,
    level: float,
    rate_variance: float = 0.0,
) -> tuple[float, Interval]:
    """Estimate the cost of a rule minus that of another on the same cases, with an interval.

    Each of them may make the errors that were not seen: the lower end is the negated upper end of the
    difference the other way round.
    """
    if same_decisions(first, second):
        return 0.0, Interval(0.0, 0.0)
    gap, back = (
        cost_gap(*pair, losses, shares, rate_variance=rate_variance)
        for pair in ((first, second), (second, first))
    )
    low, high = -back.interval(level).high, gap.interval(level).high
    if not first.judged.honest_fees and not second.judged.honest_fees:
        # no case differs by more than the actions of the two rules can
        rows = losses.table[first.honest.sum(axis=1) > 0] if losses.by_case is None else losses.table
        one, two = rows[:, first.taken], rows[:, second.taken]
        low = max(low, float((one.min(axis=1) - two.max(axis=1)).min()))
        high = min(high, float((one.max(axis=1) - two.min(axis=1)).max()))
    return gap.cost, Interval(min(low, gap.cost), max(high, gap.cost))
