"""What a page measures away from the costs of its report: intervals as the page computes them, and its words.

The page cannot correct a cost for the choice among several rules. It shows the honest cost of the cheapest
rule, calls it measured and gives no verdict. Its intervals need the sums of losses by class and action only:
the two added errors of a rule, one per class if there are two, are spread over all classes: z^2 / 2m further
cases of each of m classes that the rule could get wrong at all, at the root mean square of what its wrong
answers would cost.

Where every case has its own costs, an added error counts as the root mean square of what such an error costs
among the cases of the class. The spread of what was lost is taken to be at least that of all cases of the
class, larger in proportion if those that were missed are larger:
squares >= cases * max(own mean, mean)^2 * (mean square / mean^2).
"""

from typing import NamedTuple

import numpy as np

from demur._kernels.normal import normal_quantile
from demur._results import Interval
from demur.comparison import choice as choosing
from demur.comparison import words
from demur.comparison.candidates import baseline_code
from demur.comparison.estimates import cost_at, losses_at
from demur.honest.decisions import joint_outcomes
from demur.honest.estimates import class_shares, mean_cost
from demur.honest.intervals import added_errors
from demur.windows.class_rule import ClassRule

_ROUNDING = 64 * np.finfo(np.float64).eps


class Measured(NamedTuple):
    """Honest cost per case with its interval, beside the cost with hindsight."""

    cost: float
    interval: Interval
    hindsight: float


class Sums(NamedTuple):
    """Sums by class and action, averaged over the splits; `worst` is the cost of an added error by class."""

    cases: np.ndarray
    losses: np.ndarray
    squares: np.ndarray
    worst: np.ndarray


# ---------------------------------------------------------------- costs of rules


def measured_cost(candidate, problem):
    """Measure a rule in the middle of the ranges."""
    centre, level = problem.centre, problem.confidence_level
    losses, shares = losses_at(candidate.cases, centre), centre.shares
    hindsight, honest = _both_sums(candidate, losses)
    low, high = _interval(hindsight, honest, shares, level)
    if losses.by_case is not None:
        cost, seen = (mean_cost(sums.cases, sums.losses, shares) for sums in (honest, hindsight))
        # nothing is refunded
        return Measured(cost, Interval(min(max(low, 0.0), cost), max(high, cost)), seen)
    # every case can cost its most expensive outcome, and its cheapest
    possible = losses.relative if losses.may_abstain else losses.relative[:, :-1]
    used = class_shares(candidate.honest, shares).sum(axis=1)
    base = float(used @ np.diagonal(losses.table))
    low = base + max(low, float(used @ possible.min(axis=1)))
    high = base + min(high, float(used @ possible.max(axis=1)))
    tables = (candidate.honest, candidate.hindsight)
    cost, seen = (mean_cost(table, table * losses.table, shares) for table in tables)
    return Measured(cost, Interval(min(low, cost), max(high, cost)), seen)


def _both_sums(candidate, losses, spared=None):
    """Sum the losses with hindsight and of held-out cases, less those of the action `spared`."""
    if losses.by_case is None:
        tables = (candidate.hindsight, candidate.honest)
        return [_table_sums(table, losses.relative, spared) for table in tables]
    judged = candidate.judged
    decisions = ([judged.hindsight], judged.honest)
    return [_case_sums(candidate.cases, losses.by_case, codes, spared) for codes in decisions]


def _table_sums(cases, losses, spared=None):
    """Price a table of outcomes where all cases of a class cost the same."""
    m = len(cases)
    less = np.zeros(m) if spared is None else losses[:, spared]
    wrong = _wrong_calls(cases)
    number, squared = wrong.sum(axis=1), (wrong * losses[:, :m] ** 2).sum(axis=1)
    error = np.sqrt(np.divide(squared, number, out=np.zeros(m), where=number > 0))
    gaps = losses - less[:, None]
    return Sums(cases, cases * gaps, cases * gaps**2, error - less)


def _case_sums(cases, losses, decisions, spared=None):
    """Sum the losses of two classes where every case has its own."""
    # a first column for what is spared: nothing, or what the action costs
    base = np.zeros((len(losses), 1)) if spared is None else losses[:, [spared]]
    actions = [codes % losses.shape[1] + 1 for codes in decisions]
    first = [np.zeros(len(codes), dtype=np.int8) for codes in decisions]
    number, gaps, squares = _joint_sums(cases, np.column_stack([base, losses]), actions, first)
    return Sums(number[:, 1:, 0], gaps[:, 1:, 0], squares[:, 1:, 0], _error_losses(cases, losses - base))


def _wrong_calls(table):
    """Number of calls of each answer that are wrong for each class: rows classes, columns answers."""
    m = len(table)
    calls = np.tile(table.sum(axis=0)[:m], (m, 1))
    np.fill_diagonal(calls, 0.0)
    return calls


# ---------------------------------------------------------------- means and intervals


def _interval(hindsight, honest, shares, level):
    """Ends for the true cost of the rule in use: from the cost with hindsight to the honest one."""
    z, errors = normal_quantile(level), added_errors(level) * 2 / len(honest.cases)
    # the rule in use may err where it makes a call, even if the rules of the folds made none
    risks = [np.minimum(_wrong_calls(sums.cases).sum(axis=1), 1.0) for sums in (hindsight, honest)]
    risk = np.maximum(*risks)
    worst = np.where(risk > 0, np.maximum(honest.worst, hindsight.worst), 0.0)
    decided = np.minimum(hindsight.cases[:, :-1].sum(axis=1), 1.0)
    right = 0.0 if shares is None else errors * decided
    low, low_error = _moments(*_by_class(hindsight), shares, more=right)
    high, high_error = _moments(*_by_class(honest), shares, more=errors * risk, worst=worst)
    return low - z * low_error, high + z * high_error


def _by_class(sums):
    return sums.cases.sum(axis=1), sums.losses.sum(axis=1), sums.squares.sum(axis=1)


def _moments(n, total, squares, shares, *, more=0.0, worst=0.0):
    """Mean and its standard error from sums by class, with `more` cases of each that cost `worst`."""
    n, total, squares = n + more, total + more * worst, squares + more * worst**2
    if shares is None:
        n, total, squares = (np.array([column.sum()]) for column in (n, total, squares))
        shares = np.ones(1)
    used = shares > 0
    shares, n, total, squares = (column[used] for column in (shares, n, total, squares))
    spread = squares - total**2 / n
    spread = np.where(spread > _ROUNDING * squares, spread, 0.0)
    variance = shares**2 * spread / (n * np.maximum(n - 1, 1.0))
    return float((shares * total / n).sum()), float(np.sqrt(variance.sum()))


# ---------------------------------------------------------------- pairs of rules


def measured_difference(first, second, problem):
    """Measure the cost of a rule minus that of another, paired case by case.

    Where two models were split apart (only counts at hand) their half-widths add up.
    """
    if first.model is None and second.cases is not first.cases:
        first = first.on(second.cases)
    elif second.model is None and second.cases is not first.cases:
        second = second.on(first.cases)
    difference = cost_at(first, problem.centre) - cost_at(second, problem.centre)
    if first.cases is not second.cases:
        one, two = (measured_cost(rule, problem).interval for rule in (first, second))
        return difference, Interval(one.low - two.high, one.high - two.low)
    both = [[rule.judged.hindsight, *rule.judged.honest] for rule in (first, second)]
    if all(np.array_equal(one, two) for one, two in zip(*both, strict=True)):
        return 0.0, Interval(0.0, 0.0)
    if second.model is None:
        return difference, _beyond(first, second, problem)
    if first.model is None:
        low, high = _beyond(second, first, problem)
        return difference, Interval(-high, -low)
    return difference, _paired(first, second, problem)


def _beyond(rule, constant, problem):
    """Interval of the cost of a rule beyond that of one action for all cases."""
    losses = losses_at(rule.cases, problem.centre)
    sums = _both_sums(rule, losses, baseline_code(constant))
    return Interval(*_interval(*sums, problem.shares, problem.confidence_level))


def _paired(first, second, problem):
    """Interval of a difference: the errors added to both rules cancel in the mean but not in the spread."""
    cases, level = first.cases, problem.confidence_level
    losses = losses_at(cases, problem.centre)
    pairs = (
        ([first.judged.hindsight], [second.judged.hindsight]),
        (first.judged.honest, second.judged.honest),
    )
    found = [_gap_moments(cases, losses, *pair, problem.shares, level) for pair in pairs]
    half = normal_quantile(level) * max(error for _, error in found)
    means = [mean for mean, _ in found]
    return Interval(min(means) - half, max(means) + half)


def _gap_moments(cases, losses, first, second, shares, level):
    if losses.by_case is None:
        joint = joint_outcomes(cases, first, second)
        gap = losses.relative[:, :, None] - losses.relative[:, None, :]
        sums = joint, joint * gap, joint * gap**2
        worst = [_table_sums(joint.sum(axis=axis), losses.relative).worst for axis in (2, 1)]
    else:
        sums = _joint_sums(cases, losses.by_case, first, second)
        worst = [_error_losses(cases, losses.by_case)] * 2
    errors = added_errors(level) * 2 / len(sums[0])
    n, total, squares = (column.sum(axis=(1, 2)) for column in sums)
    for axis, error in zip((2, 1), worst, strict=True):
        risk = np.minimum(_wrong_calls(sums[0].sum(axis=axis)).sum(axis=1), 1.0)
        squares = squares + errors * risk * error**2
    return _moments(n, total, squares, shares)


def _joint_sums(cases, losses, first, second):
    """Cases, gaps of losses and squares by [class, action of the first rule, action of the second].

    Every case has its own losses; squares are at least those of as many cases of the class.
    """
    width = losses.shape[1]
    size = 2 * width**2
    sums, own = np.zeros((3, size)), np.zeros((2, size))
    for rows, one, two in zip(cases.splits.repeats, first, second, strict=False):
        paid = losses[rows.cell, one], losses[rows.cell, two]
        gap = paid[0] - paid[1]
        code = (cases.positive[rows.cell].astype(np.int64) * width + one % width) * width + two % width
        sums += [np.bincount(code, rows.cases * gap**power, size) for power in range(3)]
        own += [np.bincount(code, rows.cases * loss, size) for loss in paid]
    number, gaps, squares = (sums / len(first)).reshape(3, 2, width, width)
    every_gap = (losses[:, :, None] - losses[:, None, :]).reshape(len(losses), -1)
    drawn = _class_means(cases, every_gap**2).reshape(2, width, width)
    means = _class_means(cases, losses)
    usual = np.array([means[:, :, None] + 0 * drawn, means[:, None, :] + 0 * drawn])
    here = (own / len(first)).reshape(2, 2, width, width) / np.maximum(number, 1e-300)
    ratio = np.divide(here, usual, out=np.ones_like(here), where=usual > 0).max(axis=0)
    # rounding must not make equal amounts larger than they are
    larger = np.where(ratio > 1 + 1e-9, ratio**2, 1.0)
    return number, gaps, np.maximum(squares, number * drawn * larger)


def _class_means(cases, columns):
    """Mean of every column over the negatives and over the positives."""
    by_class = (~cases.positive, cases.positive)
    return np.array([np.average(columns[own], axis=0, weights=cases.sizes[own]) for own in by_class])


def _error_losses(cases, losses):
    """Root mean square, with the sign of the mean, of an error on a negative and on a positive."""
    errors = losses[:, [1, 0]]
    means, squares = _class_means(cases, errors), _class_means(cases, errors**2)
    return np.copysign(np.sqrt(np.diagonal(squares)), np.diagonal(means))


# ---------------------------------------------------------------- the cheapest rule, in numbers and words


def cheapest_measured(choice):
    """Return the rule of the smallest objective; unlike Python, the page prefers no simpler one to it."""
    return choice.best(choice.all)


def measured_facts(choice, best=None):
    """List what the page knows of a rule, by default of the cheapest."""
    best, problem = best or cheapest_measured(choice), choice.problem
    found, confusion = measured_cost(best, problem), class_shares(best.honest, problem.shares)
    over = choosing._over_ranges(best, choice, 0.0) if problem.ranged else {}
    empty = best.kind == "window" and best.window is not None and best.window.is_empty
    stakes = choosing._outcomes(best, choice)["stakes"]
    plain = choosing._cheapest(choice.baselines, choice)
    baseline = plain and {"name": plain.kind, "cost": cost_at(plain, problem.centre)}
    defined = not problem.many and not problem.prices and None not in choice.certificates.values()
    bounded = defined and choosing._thresholds(best, problem) is not None
    return {
        "kind": "threshold" if empty else best.kind,
        "model": best.model,
        **(_class_facts if problem.many else _window_facts)(best, choice, confusion, found.cost),
        "abstained": float(confusion[:, -1].sum()),
        "abstention_rate": float(confusion[:, -1].sum()),
        "cost": found.cost,
        "interval": tuple(found.interval),
        "versus": _versus(best, choice),
        "worst_cost": over.get("worst_cost"),
        "regret": over.get("regret"),
        "advice_cost": None,
        "best_trivial": baseline,
        "guaranteed_cost": choosing._guaranteed(best, choice, found, bounded=bounded),
        "guarantee_defined": defined,
        "n": choice.first.n,
        "confidence_level": problem.confidence_level,
        **({} if stakes is None else {"stakes": dict(stakes)}),
    }


def _window_facts(best, choice, confusion, _):
    window, (negative, positive) = choosing._thresholds(best, choice.problem), choice.class_names
    called = confusion.sum(axis=0).tolist()
    return {
        "positive": positive,
        "negative": negative,
        "lower": window.lower,
        "upper": window.upper,
        "calls_positive": window.upper < np.inf,
        "calls_negative": window.lower > -np.inf,
        "called_positive": called[1],
        "called_negative": called[0],
        "missed": float(confusion[1, 0]),
        "alarms": float(confusion[0, 1]),
    }


def _class_facts(best, choice, confusion, cost):
    rule, m = best.rule, len(choice.classes)
    assert isinstance(rule, ClassRule | None)
    paid = confusion[:, :m] * choice.problem.centre.losses.relative[:, :m]
    true, answer = np.unravel_index(int(np.argmax(paid)), paid.shape)
    dearest = {"true": choice.class_names[true], "answer": choice.class_names[answer]}
    return {
        "classes": list(choice.class_names),
        "weights": None if rule is None else rule.weights.tolist(),
        "abstain_weight": None if rule is None else rule.abstain_weight,
        "family": None if rule is None else rule.family,
        "called": confusion[:, :m].sum(axis=0).tolist(),
        "wrong": float(confusion[:, :m].sum() - np.trace(confusion[:, :m])),
        "dearest": {**dearest, "share": paid.max() / cost} if paid.max() > 0 and cost > 0 else None,
    }


def _versus(best, choice):
    """Compare with the cheapest other rule of each kind."""
    models = [one for several in choice.candidates.values() for one in several]
    own = [one for one in choice.candidates.get(best.model or "", models) if one is not best]
    deciding = [one for one in own if not one.abstains] if best.abstains or best.model is None else []
    others = {
        "trivial": [one for one in choice.baselines if one is not best],
        "argmax": [one for one in own if one.kind == "argmax"],
        "never_abstaining": deciding,
        "runner_up": [one for one in models if one.model != best.model],
    }
    versus = {}
    for key, several in others.items():
        other = choosing._cheapest(several, choice)
        if other is not None:
            difference, interval = measured_difference(best, other, choice.problem)
            name = other.model or other.kind
            versus[key] = {"name": name, "difference": difference, "interval": tuple(interval)}
    return versus


def measured_words(facts):
    """Say what the page measures: Python's sentences, without the verdict and the cost of the choice."""
    cost = words._costs({**facts, "cost_range": None}).removeprefix("Cost")
    costs = [f"Measured cost{cost}", *_range_words(facts)]
    if facts["model"] is None:
        return " ".join([words.rule_words(facts), *costs])
    return " ".join(
        [
            words.rule_words(facts),
            words._happens(facts),
            *words._stakes(facts),
            *costs,
            *words._unproven(facts),
            *words._guarantee(facts),
        ]
    )


def _range_words(facts):
    if facts["worst_cost"] is None:
        return
    step = words.step_of(facts)
    yield f"Over the range of costs it costs at most {words.money(facts['worst_cost'], step)}"
    if facts["regret"] is None:
        yield "anywhere."
    else:
        yield f"and at most {words.money(facts['regret'], step)} more than a rule chosen for the true costs."
