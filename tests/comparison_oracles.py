"""The answer by its definition: every window looked at, every held-out case decided one by one.

Slow and obvious. Costs are tuples (miss, alarm, review or None) at a prevalence or at the sample's
own (None). Decisions are 0, 1 and 2 (abstain).
"""

from typing import NamedTuple

import numpy as np

from demur._kernels.thresholds import shortest_in
from loss_oracles import SlowRule, slow_after_choice, slow_estimate, slow_gap
from oracles import folds_of

NEAR = 1e-11
CONSTANT = {"always positive": 1, "always negative": 0, "always abstain": 2}


class Point(NamedTuple):
    """One point of the box of costs and prevalence."""

    miss: float
    alarm: float
    review: float | None
    rate: float | None

    def losses(self):
        review = 0.0 if self.review is None else self.review
        return np.array([[0.0, self.alarm, review], [self.miss, 0.0, review]])

    def deciding(self):
        return self._replace(review=None)

    @property
    def shares(self):
        return None if self.rate is None else [1 - self.rate, self.rate]


class Asked(NamedTuple):
    """Costs at a point, the corners of their box, what to minimise, and limits."""

    point: Point
    corners: tuple
    objective: str = "expected"
    limits: dict = {}  # noqa: RUF012

    @property
    def searched(self):
        """Points at which a window is judged while it is chosen."""
        return [self.point] if self.objective == "expected" else list(self.corners)

    def deciding(self):
        return self._replace(
            point=self.point.deciding(), corners=tuple(corner.deciding() for corner in self.corners)
        )

    def at(self, corner):
        return self._replace(point=corner, corners=(corner,), objective="expected")


def case_masses(y, w, rate):
    """Mass of every case; they sum to 1, those of the positives to the prevalence."""
    if rate is None:
        return w / w.sum()
    return np.where(y == 1, rate * w / w[y == 1].sum(), (1 - rate) * w / w[y == 0].sum())


def keeps_limits(y, code, mass, limits):
    """Whether decisions keep the limits; a kind of decision that is not made keeps its promise."""
    abstained = mass[code == 2].sum()
    if abstained > limits.get("max_abstention", 1.0) + NEAR:
        return False
    if mass[(code == 0) & (y == 1)].sum() > limits.get("max_fn_rate", 1.0) * mass[y == 1].sum() + NEAR:
        return False
    for label, name in ((1, "min_precision_positive"), (0, "min_precision_negative")):
        called = mass[code == label].sum()
        if called > 0 and mass[(code == label) & (y == label)].sum() < limits.get(name, 0) * called - NEAR:
            return False
    return True


def best_window(y, s, w, asked):
    """(lower, upper) of the best window of the cases, by looking at all; None if none keeps the limits.

    Of ties the one that abstains least, then the one with the smaller upper threshold.
    """
    scores = np.unique(s)
    k, group = len(scores), np.searchsorted(scores, s)
    rates = {asked.point.rate, *(corner.rate for corner in asked.searched)}
    masses = {rate: case_masses(y, w, rate) for rate in rates}
    losses = [(point.losses(), masses[point.rate]) for point in asked.searched]
    mass = masses[asked.point.rate]
    ends = [(i, j) for i in range(k + 1) for j in range(i, k + 1) if i == j or asked.point.review is not None]
    allowed, costs = [], []
    for i, j in ends:
        code = np.where(group < i, 0, np.where(group < j, 2, 1))
        if not asked.limits or all(keeps_limits(y, code, masses[rate], asked.limits) for rate in rates):
            allowed.append((i, j, mass[code == 2].sum()))
            costs.append([loss[y, code] @ weight for loss, weight in losses])
    if not allowed:
        return None
    costs = np.array(costs)
    if asked.objective == "regret":
        costs -= costs.min(axis=0)
    values = costs.max(axis=1)
    size = max(abs(point.losses()).max() for point in asked.searched)
    tied = [allowed[at] for at in np.flatnonzero(values <= values.min() + NEAR * size)]
    least = min(abstained for _, _, abstained in tied)
    i, j, _ = min((one for one in tied if one[2] <= least + NEAR), key=lambda one: (one[1], -one[0]))
    cuts = [-np.inf, *((scores[1:] + scores[:-1]) / 2), np.inf]
    return cuts[i], cuts[j]


def written(window, scores):
    """The thresholds with the fewest digits strictly between the scores beside them."""
    return tuple(shortest_in(end, np.asarray(scores, dtype=float)) for end in window)


def decisions(s, window):
    """Positive from the upper threshold on, else negative up to the lower one, else abstain."""
    lower, upper = window
    code = np.full(len(s), 2)
    code[s <= lower] = 0
    code[s >= upper] = 1
    return code


def alike(s, window):
    """The one decision for all scores, or None."""
    made = set(decisions(s, window).tolist())
    return made.pop() if len(made) == 1 else None


def table(y, w, code):
    """Cases by class and decision."""
    out = np.zeros((2, 3))
    np.add.at(out, (y, code), w)
    return out


def cost(outcomes, point):
    """Cost per case of a table of outcomes."""
    lost = (outcomes * point.losses()).sum(axis=1) / outcomes.sum(axis=1)
    rate = outcomes[1].sum() / outcomes.sum() if point.rate is None else point.rate
    return (1 - rate) * lost[0] + rate * lost[1]


class Rule(NamedTuple):
    """A candidate: decisions on every case, by split; `by_folds` are those of the folds' own rules."""

    kind: str
    model: str | None
    window: tuple | None
    honest: list
    by_folds: list
    hindsight: np.ndarray

    @property
    def order(self):
        return {"threshold": 1, "window": 2}.get(self.kind, 0)


def cross_fitted(y, s, w, fold, asked):
    """Decision on every case by the best window of the other folds; None if some fold has none."""
    code = np.empty(len(y), dtype=int)
    for v in np.unique(fold):
        window = best_window(y[fold != v], s[fold != v], w[fold != v], asked)
        if window is None:
            return None
        code[fold == v] = decisions(s[fold == v], window)
    return code


def model_rules(y, name, s, w, splits, asked):
    """Threshold and window of one model."""
    rules = []
    for kind, aim in (("threshold", asked.deciding()), ("window", asked)):
        if kind == "window" and asked.point.review is None:
            continue
        window = best_window(y, s, w, aim)
        by_folds = [cross_fitted(y, s, w, fold, aim) for fold in splits]
        if window is None or any(code is None for code in by_folds):
            continue
        one = alike(s, window)
        honest = by_folds if one is None else [np.full(len(y), one)] * len(splits)
        rules.append(Rule(kind, name, window, honest, by_folds, decisions(s, window)))
    return rules


def constant_rules(y, w, splits, asked):
    """Rules without a model that keep the limits."""
    rules = []
    rates = {corner.rate for corner in asked.corners}
    for kind, code in CONSTANT.items():
        if code == 2 and asked.point.review is None:
            continue
        made = np.full(len(y), code)
        if all(keeps_limits(y, made, case_masses(y, w, rate), asked.limits) for rate in rates):
            rules.append(Rule(kind, None, None, [made] * len(splits), [made] * len(splits), made))
    return rules


def averaged(y, w, codes):
    """Table of outcomes averaged over the splits."""
    return sum(table(y, w, code) for code in codes) / len(codes)


def values_of(tables, asked, at_corners):
    """What the objective compares, for tables of outcomes in order of simplicity."""
    if asked.objective == "expected":
        return np.array([cost(one, asked.point) for one in tables]), 0.0
    costs = np.array([[cost(one, corner) for corner in asked.corners] for one in tables])
    largest = abs(costs).max()
    if asked.objective == "regret":
        floors = [
            min([*column, *(cost(one, corner) for one in others)])
            for column, corner, others in zip(costs.T, asked.corners, at_corners, strict=True)
        ]
        costs = costs - floors
    return costs.max(axis=1), largest


def first_best(values, largest):
    """Place of the smallest value; ties go to the simpler rule, which comes first."""
    least = values.min()
    return int(np.argmax(values <= least + 1e-12 * max(abs(least), largest)))


class SlowAnswer:
    """Candidates in order of simplicity, their tables, and the best of them."""

    def __init__(self, y, scores, w, splits, asked):
        self.y, self.scores, self.w, self.splits, self.asked = y, scores, w, splits, asked
        constant = constant_rules(y, w, splits, asked)
        of_models = [rule for name, s in scores.items() for rule in model_rules(y, name, s, w, splits, asked)]
        by_kind = [[rule for rule in of_models if rule.kind == kind] for kind in ("threshold", "window")]
        self.rules = [*constant, *by_kind[0], *by_kind[1]]
        self.tables = [averaged(y, w, rule.honest) for rule in self.rules]
        self.rules_at_corners = []
        if asked.objective == "regret":
            for corner in asked.corners:
                there = [model_rules(y, name, s, w, splits, asked.at(corner)) for name, s in scores.items()]
                self.rules_at_corners.append([rule for rules in there for rule in rules])
        at_corners = [[averaged(y, w, one.honest) for one in rules] for rules in self.rules_at_corners]
        self.values, self.largest = values_of(self.tables, asked, at_corners)
        self.place = self._chosen()
        self.best = self.rules[self.place]

    def _chosen(self):
        """The best rule, or a simpler kind that is dearer by less than a tenth of the standard error."""
        best = first_best(self.values, self.largest)
        if self.asked.objective != "expected":
            return best
        simpler = [
            place
            for place, rule in enumerate(self.rules)
            if rule.order < self.rules[best].order
            and self.values[place] - self.values[best]
            < 0.1 * (1 - 1e-9) * self.gap(rule, self.rules[best]).error
        ]
        if not simpler:
            return best
        simplest = min(self.rules[place].order for place in simpler)
        members = [place for place in simpler if self.rules[place].order == simplest]
        return members[first_best(self.values[members], self.largest)]

    def rule(self, kind, model):
        for rule, outcomes in zip(self.rules, self.tables, strict=True):
            if (rule.kind, rule.model) == (kind, model):
                return rule, outcomes
        return None

    def cheapest(self, members):
        """The cheapest of some rules at the point; ties to the simpler."""
        places = [at for at, rule in enumerate(self.rules) if members(rule)]
        if not places:
            return None
        costs = np.array([cost(self.tables[at], self.asked.point) for at in places])
        return self.rules[places[first_best(costs, 0.0)]]

    # ------------------------------------------------------------ losses of the cases

    def _given(self, point):
        return {"classes": self.y.tolist(), "weights": self.w.tolist(), "shares": point.shares}

    def slow_rule(self, rule):
        """The decisions of a rule as the losses take them; a rule that decides alike has no scores."""
        alike = len({int(code) for codes in (*rule.honest, rule.hindsight) for code in codes}) == 1
        scores = None if rule.model is None or alike else self.scores[rule.model].tolist()
        return SlowRule([codes.tolist() for codes in rule.honest], rule.hindsight.tolist(), scores)

    def estimate(self, rule, point):
        """Honest cost of a rule at one point, with its interval."""
        return slow_estimate(self.slow_rule(rule), point.losses()[self.y].tolist(), **self._given(point))

    def gap(self, rule, other, point=None):
        """Honest difference of two rules at one point."""
        point = self.asked.point if point is None else point
        costs = point.losses()[self.y].tolist()
        return slow_gap(self.slow_rule(rule), self.slow_rule(other), costs, **self._given(point))

    def difference_ends(self, rule, other, point):
        """Interval of a difference: neither end beyond what the actions of the two rules can differ by."""
        taken = [
            {int(code) for codes in (*one.honest, one.hindsight) for code in codes} for one in (rule, other)
        ]
        losses = point.losses()
        possible = [
            losses[k][a] - losses[k][b] for k in set(self.y.tolist()) for a in taken[0] for b in taken[1]
        ]
        high, low = self.gap(rule, other, point).interval()[1], -self.gap(other, rule, point).interval()[1]
        return max(low, min(possible)), min(high, max(possible))

    def regret_bound(self):
        """Largest upper end of the differences to the rules chosen for each corner."""
        ends = []
        for corner, more in zip(self.asked.corners, self.rules_at_corners, strict=True):
            rules = [*self.rules, *more]
            costs = np.array([cost(averaged(self.y, self.w, rule.honest), corner) for rule in rules])
            other = rules[first_best(costs, 0.0)]
            pairs = zip(
                (self.best.hindsight, *self.best.honest), (other.hindsight, *other.honest), strict=True
            )
            same = all(np.array_equal(one, two) for one, two in pairs)
            ends.append(0.0 if same else self.difference_ends(self.best, other, corner)[1])
        return max(ends)

    def after_choice(self, seed):
        """What the choice costs on cases left out of it: where a model's rule is chosen, and always.

        Ties go to the simpler rule, then by the name of the model.
        """
        asked, rules = self.asked, sorted(self.rules, key=lambda rule: (rule.order, rule.model or ""))
        points = [asked.point, *([] if asked.objective == "expected" else asked.corners)]
        losses = []
        for point in points:
            table = point.losses()[self.y]
            if point.shares is not None:
                # cases stand for the shares of the middle
                table = table * (np.array(point.shares) / asked.point.shares)[self.y, None]
            paid = [
                np.mean([table[np.arange(len(self.y)), codes] for codes in rule.honest], axis=0)
                for rule in rules
            ]
            losses.append(np.column_stack(paid))
        losses = np.array(losses)
        # units stand in the order of their class, weight and losses
        names = [(rule.model or "", rule.kind) for rule in rules]
        by_name = sorted(range(len(names)), key=names.__getitem__)
        keys = [
            (
                self.y[i],
                self.w[i],
                *[losses[k, i, j] for k in range(len(points)) for j in by_name][::-1],
            )
            for i in range(len(self.y))
        ]
        order = sorted(range(len(keys)), key=keys.__getitem__)

        def choose(costs):
            if asked.objective == "expected":
                return first_best(costs[0], 0.0)
            there = costs[1:]
            floors = there.min(axis=1, keepdims=True) if asked.objective == "regret" else 0.0
            return first_best((there - floors).max(axis=0), abs(there).max())

        models = [rule.model is not None for rule in rules]
        return slow_after_choice(
            losses[:, order],
            choose,
            models,
            weights=self.w[order],
            classes=self.y[order].tolist(),
            shares=asked.point.shares,
            seed=seed,
        )


def splits_of(y, seed):
    """The splits of a comparison of few cases: ten, of ten folds or the cases of the smaller class."""
    folds = min(10, int((y == 1).sum()), int((y == 0).sum()))
    return folds_of(y, folds, 10, seed)


def flat_numbers(value, path=""):
    """All numbers of a nested document, by their place in it."""
    if isinstance(value, dict):
        return {k: v for key, inner in value.items() for k, v in flat_numbers(inner, f"{path}/{key}").items()}
    if isinstance(value, (list, tuple)):
        return {
            k: v
            for place, inner in enumerate(value)
            for k, v in flat_numbers(inner, f"{path}/{place}").items()
        }
    return {path: value} if isinstance(value, (int, float)) and not isinstance(value, bool) else {}
