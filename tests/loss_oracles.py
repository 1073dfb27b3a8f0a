"""Mean losses, their intervals and worst losses from the definitions, case by case; slow and obvious.

Losses of a case are a list by action; abstaining is the last action, -1.
"""

import math
from statistics import median
from typing import NamedTuple

import numpy as np
from scipy import stats


class SlowMean(NamedTuple):
    """Mean of losses, and with the worst units added."""

    cost: float
    error: float
    units: int
    raised: float
    raised_error: float

    def interval(self, level=0.95, shift=0.0):
        t = stats.t.ppf((1 + level) / 2, self.units - 1)
        return self.cost - t * self.error, self.raised + shift + t * self.raised_error


def normalised(n, weights, classes, shares):
    """Weights of the cases; they sum to 1, those of every class to its share in use if given."""
    weights = [1.0] * n if weights is None else list(weights)
    if shares is None:
        return [weight / sum(weights) for weight in weights]
    sizes = {k: sum(w for w, own in zip(weights, classes, strict=True) if own == k) for k in set(classes)}
    return [shares[k] * weight / sizes[k] for k, weight in zip(classes, weights, strict=True)]


def slow_mean(losses, worst, *, weights=None, groups=None, classes=None, shares=None, added=1):
    """Mean loss, unit by unit."""
    n = len(losses)
    weight = normalised(n, weights, classes, shares)
    groups = list(range(n)) if groups is None else list(groups)
    cost = sum(weight[i] * losses[i] for i in range(n))
    totals = {}
    for i in range(n):
        centre = cost
        if shares is not None:
            alike = [j for j in range(n) if classes[j] == classes[i]]
            size = sum(weight[j] for j in alike)
            centre = sum(weight[j] * losses[j] for j in alike) / size if size else 0.0
        totals[groups[i]] = totals.get(groups[i], 0.0) + weight[i] * (losses[i] - centre)
    units = len(totals)
    error = math.sqrt(units / (units - 1) * sum(total**2 for total in totals.values()))
    u = 1 / units
    raised = (cost + added * u * worst) / (1 + added * u)
    with_worst = [total / (1 + added * u) for total in totals.values()]
    with_worst += [u * (worst - raised) / (1 + added * u)] * added
    factor = (units + added) / (units + added - 1)
    return SlowMean(cost, error, units, raised, math.sqrt(factor * sum(total**2 for total in with_worst)))


def half_of_class(members, scores, action, abstain):
    """The half of the cases of a class whose scores speak most for an action; all for abstaining."""
    if scores is None or action == abstain:
        return members
    if isinstance(scores[0], (list, tuple)):
        toward = {i: scores[i][action] for i in members}
    else:
        toward = {i: scores[i] if action == 1 else -scores[i] for i in members}
    middle = median(toward.values())
    return [i for i in members if toward[i] >= middle]


def worst_cells(costs, taken, *, weights=None, classes, shares=None, scores=None, spared=None):
    """{(class, action): largest loss of a case, times its weight by the mean weight}.

    `spared` are the actions of another rule: losses are then those beyond the cheapest of them.
    """
    n, abstain = len(costs), len(costs[0]) - 1
    weight = normalised(n, weights, classes, shares)
    found = {}
    for k in sorted(set(classes)):
        members = [i for i in range(n) if classes[i] == k]
        if shares is not None and shares[k] == 0:
            continue
        for action in sorted({a % (abstain + 1) for a in taken}):
            values = []
            for i in half_of_class(members, scores, action, abstain):
                other = 0.0 if spared is None else min(costs[i][b] for b in spared)
                values.append(weight[i] * n * (costs[i][action] - other))
            found[k, action] = max(values)
    return found


class SlowRule(NamedTuple):
    """Decisions on every case: element r of `honest` are those of split r, `hindsight` those as written."""

    honest: list
    hindsight: list
    scores: list | None = None

    @property
    def taken(self):
        return sorted({action for codes in (*self.honest, self.hindsight) for action in codes})

    def losses(self, costs):
        """Loss of every case, averaged over the splits."""
        paid = [[costs[i][codes[i]] for i in range(len(costs))] for codes in self.honest]
        return [sum(column) / len(paid) for column in zip(*paid, strict=True)]


class SlowEstimate(NamedTuple):
    """What a rule costs."""

    mean: SlowMean
    interval: tuple
    hindsight: float
    worst_seen: bool


def slow_estimate(rule, costs, *, classes, weights=None, shares=None, level=0.95, same_review=False):
    """Honest cost of a rule with its interval; `costs` are lists by action of every case."""
    n, abstain = len(costs), len(costs[0]) - 1
    given = {"weights": weights, "classes": classes, "shares": shares}
    worst = worst_cells(costs, rule.taken, scores=rule.scores, **given)
    largest = max(worst.values())
    mean = slow_mean(rule.losses(costs), largest, **given)
    weight = normalised(n, weights, classes, shares)
    certain = hindsight = 0.0
    for i, action in enumerate(rule.hindsight):
        hindsight += weight[i] * costs[i][action]
        cheapest = min(row[action] for row in costs)
        known = same_review and action % (abstain + 1) == abstain
        certain += weight[i] * (costs[i][action] if known else cheapest)
    low, high = mean.interval(level)
    same = all(len({row[action] for row in costs}) == 1 for action in rule.taken)
    # one action for all cases, and shares of the classes that are known
    same = same or (shares is not None and len(set(rule.taken)) == 1)
    if mean.error < 1e-12 and same:
        # whatever the cases are, they cost that
        low = high = mean.cost
        mean = mean._replace(raised=mean.cost, raised_error=0.0)
    interval = min(max(low, certain), mean.cost), max(high, mean.cost)
    near = {cell for cell, value in worst.items() if value >= largest - 1e-12 * abs(largest)}
    made = {(classes[i], codes[i] % (abstain + 1)) for codes in rule.honest for i in range(n)}
    return SlowEstimate(mean, interval, hindsight, bool(near & made))


def slow_gap(rule, other, costs, *, classes, weights=None, shares=None):
    """Mean of the losses of a rule less those of another, with two of the worst units added.

    Where classes are strata, one unit is added to each class: the worst of that class.
    """
    given = {"weights": weights, "classes": classes, "shares": shares}
    if shares is not None:
        return _slow_class_gap(rule, other, costs, **given)
    worst = max(worst_cells(costs, rule.taken, scores=rule.scores, spared=other.taken, **given).values())
    gaps = [one - two for one, two in zip(rule.losses(costs), other.losses(costs), strict=True)]
    return slow_mean(gaps, worst, added=2, **given)


def _slow_class_gap(rule, other, costs, *, classes, weights, shares):
    gaps = [one - two for one, two in zip(rule.losses(costs), other.losses(costs), strict=True)]
    plain = slow_mean(gaps, 0.0, weights=weights, classes=classes, shares=shares, added=0)
    raised = variance = 0.0
    for k in sorted(set(classes)):
        members = [i for i, own in enumerate(classes) if own == k]
        if shares[k] == 0:
            continue
        mine = [1.0 if weights is None else weights[i] for i in members]
        share = [one / sum(mine) for one in mine]
        number = 1 / sum(one**2 for one in share)
        mean = sum(one * gaps[i] for one, i in zip(share, members, strict=True))
        worst = -math.inf
        abstain = len(costs[0]) - 1
        for action in {a % (abstain + 1) for a in rule.taken}:
            for i in half_of_class(members, rule.scores, action, abstain):
                spared = min(costs[i][b] for b in other.taken)
                relative = share[members.index(i)] * len(members)
                worst = max(worst, relative * (costs[i][action] - spared))
        u = 1 / number
        own_raised = (mean + u * worst) / (1 + u)
        squares = sum((one * (gaps[i] - mean)) ** 2 for one, i in zip(share, members, strict=True))
        squares = (squares + (u * (worst - own_raised)) ** 2) / (1 + u) ** 2
        raised += shares[k] * own_raised
        variance += shares[k] ** 2 * squares * (number + 1) / number
    return plain._replace(raised=raised, raised_error=math.sqrt(variance))


# ---------------------------------------------------------------- the choice


def mix32(x):
    """Mix 32 bits: the finaliser of MurmurHash3."""
    x ^= x >> 16
    x = x * 0x85EBCA6B % 2**32
    x ^= x >> 13
    x = x * 0xC2B2AE35 % 2**32
    return x ^ (x >> 16)


def slow_after_choice(losses, choose, models, *, weights, classes=None, shares=None, seed=0, resamples=400):
    """Mean cost of what is chosen in every draw, on the units left out: if a model's rule is, and always.

    `losses` has the axes scenario, unit and candidate; `choose` takes the mean losses by scenario.
    """
    n = len(weights)
    parts = [(1.0, list(range(n)))]
    if shares is not None:
        members = [[i for i in range(n) if classes[i] == k] for k in range(len(shares))]
        parts = [(share, own) for share, own in zip(shares, members, strict=True) if share > 0]
    costs = []
    for b in range(resamples):
        inside, outside = 0.0, 0.0
        for share, own in parts:
            places = [mix32((seed * 0x9E3779B9 + b * n + k) % 2**32) * len(own) // 2**32 for k in own]
            drawn = [own[place] for place in places]
            left = [i for i in own if i not in drawn]
            if not left:
                break
            inside = inside + share * np.average(losses[:, drawn], axis=1, weights=weights[drawn])
            outside = outside + share * np.average(losses[:, left], axis=1, weights=weights[left])
        else:
            best = choose(inside)
            costs.append((models[best], outside[0, best]))
    of_models = [cost for is_model, cost in costs if is_model]
    return np.mean(of_models) if of_models else None, np.mean([cost for _, cost in costs])
