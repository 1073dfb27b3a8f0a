"""Rules chosen on some cases: weights, expected costs, cautious thresholds, windows for two classes."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.caution import abstention_windows, class_changes
from demur._kernels.sweep import ascending_order
from demur.cautious.rules import equal_bias
from demur.comparison.classes.question import ClassQuestion
from demur.comparison.classes.rows import ClassCases
from demur.costs.losses import Losses
from demur.costs.matrix import CostMatrix
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.multiclass.rules import LabelledScores, SearchOptions, fitted_rule, log_of_scores
from demur.multiclass.selection import training_priors
from demur.surface.surface import abstention_surface
from demur.surface.window import ABSTAIN, AbstentionWindow, written_window
from demur.typing import FloatArray, IntArray
from demur.windows.cheapest import cheapest_window
from demur.windows.class_rule import ClassRule

__all__ = [
    "KINDS",
    "MOST_SEARCHED",
    "Chosen",
    "Training",
    "chosen_rule",
    "expected_cost_rule",
    "possible_kinds",
    "rule_of_window",
]

KINDS = (
    "argmax",
    "expected cost",
    "weights",
    "cautious",
    "cautious by class",
    "expected cost, abstaining",
    "weights, abstaining",
)
"""Rules of a model, simplest first."""

MOST_SEARCHED = 2**15
"""Weights are chosen on at most this many cases, drawn at random: more would not change them."""

_BY_CLASS = "cautious by class"
_MOST_RESTARTS = 4
_RESTART_WORK = 4000
_SEVERAL_UP_TO = 20_000
_EXACT_UP_TO = 5000


class Chosen(NamedTuple):
    """A rule, and how far the objective that chose it may be above the smallest there is."""

    rule: ClassRule
    gap: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Training:
    """Cases a rule is chosen on."""

    proba: FloatArray
    codes: IntArray
    sizes: FloatArray
    factors: FloatArray
    question: ClassQuestion
    weighted: bool
    seed: tuple[int, ...]

    @classmethod
    def of(
        cls,
        cases: ClassCases,
        proba: FloatArray,
        rows: IntArray,
        question: ClassQuestion,
        seed: tuple[int, ...],
    ) -> "Training":
        """Take some rows, at most `MOST_SEARCHED` of them."""
        if len(rows) > MOST_SEARCHED and len(cases.classes) > 2:
            rng = np.random.default_rng([question.seed, *seed])
            rows = np.sort(rng.choice(rows, MOST_SEARCHED, replace=False))
        part = cls(
            proba=proba[rows],
            codes=cases.codes[rows],
            sizes=cases.sizes[rows],
            factors=np.ones(len(cases.classes)),
            question=question,
            weighted=cases.weighted,
            seed=seed,
        )
        if question.shares is not None:
            sizes = np.bincount(part.codes, part.sizes, len(cases.classes))
            wanted = question.shares * sizes.sum()
            np.divide(wanted, sizes, out=part.factors, where=sizes > 0)
        return part

    @property
    def case_weights(self) -> FloatArray:
        """Share of every case in the whole, as used."""
        weights = self.sizes * self.factors[self.codes]
        return np.asarray(weights / weights.sum())

    def normalised(self) -> FloatArray:
        """Rows that sum to 1."""
        return np.asarray(self.proba / self.proba.sum(axis=1, keepdims=True))

    def answer_costs(self, losses: Losses) -> FloatArray:
        """What each answer to each case adds to the cost, abstaining last."""
        return np.asarray(losses.table[self.codes] * self.case_weights[:, None])


def possible_kinds(question: ClassQuestion) -> tuple[str, ...]:
    """Kinds of rules a question allows: those that abstain need a price and no limit of 0."""
    if question.ranges.may_abstain and question.max_abstention != 0:
        # the bias of two classes does not change the class called, only where to abstain
        return KINDS if len(question.classes) > 2 else tuple(kind for kind in KINDS if kind != _BY_CLASS)
    return KINDS[:3]


def chosen_rule(training: Training, losses: Losses, kind: str, *, proof: bool = False) -> Chosen:
    """Choose the rule of one kind on these cases; with `proof` the one to use, of all cases.

    That one says how far from the best it may be, and the thresholds of two classes are rounded.
    """
    m = len(losses.answers)
    if kind == "argmax":
        return Chosen(_plain(training), 0.0)
    if kind.startswith("expected cost"):
        return Chosen(_expected(training, losses, abstain="abstaining" in kind), 0.0)
    if kind.startswith("weights"):
        return _weights(training, losses, abstain="abstaining" in kind, proof=proof)
    if kind == _BY_CLASS:
        # one case more of every class: a bias of 0 would call its class always
        shares = np.bincount(training.codes, training.case_weights, m) + 1 / len(training.codes)
        return Chosen(_cautious(training, losses, shares / shares.sum()), 0.0)
    return Chosen(_cautious(training, losses, equal_bias(m)), 0.0)


def _plain(training: Training) -> ClassRule:
    classes = training.question.classes
    return ClassRule(classes=classes, weights=np.ones(len(classes)))


def _priced(losses: Losses, *, abstain: bool) -> FloatArray:
    """Costs of the answers beyond the cheapest one of each true class: the same decisions, none negative."""
    table = losses.table if abstain else losses.answers
    return np.asarray(table - table.min(axis=1, keepdims=True))


def expected_cost_rule(classes: tuple[Any, ...], losses: Losses, *, abstain: bool) -> ClassRule:
    """Answer the smallest expected cost: a rule from prices alone, no case is looked at."""
    return ClassRule(
        classes=classes,
        weights=np.ones(len(classes)),
        abstain_weight=1.0 if abstain else None,
        column_costs=_priced(losses, abstain=abstain),
    )


def _expected(training: Training, losses: Losses, *, abstain: bool) -> ClassRule:
    rule = expected_cost_rule(training.question.classes, losses, abstain=abstain)
    return _within_limit(training, losses, rule)


# ---------------------------------------------------------------- weights


def _weights(training: Training, losses: Losses, *, abstain: bool, proof: bool) -> Chosen:
    if len(losses.answers) == 2:
        return Chosen(_two_classes(training, losses, abstain=abstain, written=proof), 0.0)
    question = training.question
    matrix = CostMatrix(values=losses.answers, classes=question.classes)
    columns = not matrix.by_true_class_only
    costs = _priced(losses, abstain=abstain)
    data = LabelledScores(
        log_of_scores(training.proba, log=False),
        training.codes,
        training.sizes if training.weighted else None,
        CostMatrix(values=costs[:, : len(matrix.classes)], classes=question.classes),
        costs[:, -1] if abstain else None,
        question.shares,
    )
    if question.shares is not None:
        data = data._replace(priors=training_priors(data, data))
    n, answers = len(training.codes), costs.shape[1]
    options = SearchOptions(
        rng=np.random.default_rng([question.seed, *training.seed]),
        n_restarts=min(_MOST_RESTARTS, _RESTART_WORK // (n * answers)),
        proof=proof,
        polish=False,
    )
    # restarts reach the exact optimum of three answers but prove nothing: enough for a fold
    exact = proof and answers == 3 and n <= _EXACT_UP_TO
    family = "columns" if columns else "weights"
    # one exact descent generalises as well as many, so large problems get one
    method = "exact" if exact else "restarts" if n * answers <= _SEVERAL_UP_TO else "coordinate"
    best = fitted_rule(data, method, family, options)  # type: ignore[arg-type]
    logs = np.clip(best.log_answer_weights, -650, 650)
    rule = ClassRule(
        classes=question.classes,
        weights=np.exp(logs[: len(matrix.classes)]),
        abstain_weight=float(np.exp(logs[-1])) if abstain else None,
        column_costs=costs if columns else None,
    )
    return Chosen(_within_limit(training, losses, rule), best.objective - best.lower_bound)


# ---------------------------------------------------------------- abstaining


def _within_limit(training: Training, losses: Losses, rule: ClassRule) -> ClassRule:
    """Lower the abstain weight, if need be, to the cheapest one that keeps the limit on these cases."""
    limit = training.question.max_abstention
    if limit is None or not rule.abstains:
        return rule
    codes = rule.codes(training.proba)
    if training.case_weights[codes == ABSTAIN].sum() <= limit * (1 + 1e-12):
        return rule
    never = ClassRule(
        classes=rule.classes,
        weights=rule.weights,
        column_costs=None if rule.column_costs is None else rule.column_costs[:, :-1],
    )
    answers = never.codes(training.proba)
    sureness = _sureness(training.proba, rule, answers)
    v = training.answer_costs(losses)
    rows = np.arange(len(v))
    saved = v[:, -1] - v[rows, answers]
    low, high = cheapest_cut(sureness, saved, training.case_weights, limit)
    return ClassRule(
        classes=rule.classes,
        weights=rule.weights,
        abstain_weight=_between(low, high),
        column_costs=rule.column_costs,
    )


def _sureness(proba: FloatArray, rule: ClassRule, answers: IntArray) -> FloatArray:
    """The abstain weight above which each case is abstained on."""
    rows = np.arange(len(proba))
    if rule.column_costs is None:
        return np.asarray(rule.weights[answers] * proba[rows, answers] / proba.sum(axis=1))
    losses = proba @ rule.column_costs
    least = losses[rows, answers] / rule.weights[answers]
    return np.asarray(losses[:, -1] / np.maximum(least, 1e-300))


def _between(low: float, high: float) -> float:
    """A positive number between two neighbours, the first of which may be missing."""
    if not np.isfinite(low):
        return high / 2
    return low * 2 if not np.isfinite(high) else (low + high) / 2


def _cautious(training: Training, losses: Losses, bias: FloatArray) -> ClassRule:
    """Rule R4 of Ferri and Hernandez-Orallo (2004) at its cheapest window: weights 1 / tau, abstain at 1."""
    p = training.normalised()
    limit, _ = abstention_windows(p, bias)
    _, last, case, window, before, after = class_changes(p, bias, np.minimum(limit, 1.0))
    v = training.answer_costs(losses)
    rows = np.arange(len(v))
    changes = np.concatenate([v[case, after] - v[case, before], v[:, -1] - v[rows, last]])
    abstained = np.concatenate([np.zeros(len(case)), training.case_weights])
    most = training.question.max_abstention
    low, high = cheapest_cut(
        np.concatenate([window, limit]), changes, abstained, 1.0 if most is None else most
    )
    low, high = max(low, 0.0), min(high, 1.0)
    chosen = (low + high) / 2 if high > 0 else 0.0
    thresholds = (1 - bias) * chosen + bias
    return ClassRule(classes=training.question.classes, weights=1 / thresholds, abstain_weight=1.0)


def cheapest_cut(at: FloatArray, change: FloatArray, share: FloatArray, limit: float) -> tuple[float, float]:
    """Neighbours among `at` between which a cut is cheapest: what lies below it changes the cost.

    Each element below the cut adds `change` to the cost and `share` to what must not exceed `limit`.
    Equal elements are passed together; of equally cheap cuts the lowest.
    """
    order = ascending_order(at)
    position = np.concatenate([[-np.inf], at[order], [np.inf]])
    cost = np.concatenate([[0.0], np.cumsum(change[order])])
    reached = np.concatenate([[0.0], np.cumsum(share[order])])
    possible = (position[1:] > position[:-1]) & (reached <= limit * (1 + 1e-12))
    cost = np.where(possible, cost, np.inf)
    tiny = 1e-12 * float(np.abs(change).sum())
    place = int(np.flatnonzero(cost <= cost.min() + tiny)[0])
    return float(position[place]), float(position[place + 1])


# ---------------------------------------------------------------- two classes


def _two_classes(training: Training, losses: Losses, *, abstain: bool, written: bool) -> ClassRule:
    """Cheapest window as weights, with `written` rounded; the second class is the positive one."""
    first, second = training.question.classes
    matrix = CostMatrix(values=losses.answers, classes=(first, second))
    costs = matrix.one_vs_one(second, first, abstain_cost=losses.abstain if abstain else None)
    weight = training.sizes if training.weighted else None
    positive = training.codes == 1
    if not positive.any() or positive.all():
        raise UndefinedError("A window needs cases of both classes.")
    counts = ScoreCounts.from_arrays(positive, positive_scores(training.proba), sample_weight=weight)
    shares, limit = training.question.shares, training.question.max_abstention
    rate = None if shares is None else float(shares[1])
    if abstain and limit is not None:
        window: AbstentionWindow = cheapest_window(counts, costs=costs, prevalence=rate, max_abstention=limit)
    else:
        window = abstention_surface(counts, prevalence=rate).window(costs=costs)
    rule = rule_of_window(window.lower, window.upper, (first, second), abstain=abstain)
    if not written:
        return rule
    short = written_window(window, counts)
    rounded = rule_of_window(short.lower, short.upper, (first, second), abstain=abstain)
    # weights are inverse thresholds, so a score next to one could change sides by a rounding error
    return rounded if np.array_equal(rounded.codes(training.proba), rule.codes(training.proba)) else rule


def positive_scores(proba: FloatArray) -> FloatArray:
    """Probability of the second class; as it stands where the rows sum to 1 up to rounding."""
    total = proba.sum(axis=1)
    if np.all(np.abs(total - 1) < 1e-9):
        return np.ascontiguousarray(proba[:, 1])
    return np.asarray(proba[:, 1] / total)


def rule_of_window(lower: float, upper: float, classes: tuple[object, ...], *, abstain: bool) -> ClassRule:
    """Return the weights that decide as the window does on the probability of the second class."""
    if upper <= 0:
        return ClassRule(classes=classes, weights=[0.0, 1.0])  # type: ignore[arg-type]
    if lower >= 1:
        return ClassRule(classes=classes, weights=[1.0, 0.0])  # type: ignore[arg-type]
    positive = 1 / upper if upper <= 1 else 0.0
    negative = 1 / (1 - lower) if lower >= 0 else 0.0
    weights = np.array([negative, positive])
    if not weights.any():
        # neither class is ever answered
        return ClassRule(classes=classes, weights=np.ones(2), abstain_weight=2.0)
    return ClassRule(classes=classes, weights=weights, abstain_weight=1.0 if abstain else None)
