"""`ClassLearner`: rules of many classes (weights, expected costs, cautious thresholds) on training sets."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._kernels.caution import abstention_windows, class_changes
from demur._kernels.jit import whole_job
from demur._kernels.sweep import ascending_order
from demur.cautious.rules import equal_bias
from demur.comparison.problem import DecisionProblem, Scenario
from demur.comparison.threads import workers
from demur.costs.class_costs import ClassCosts
from demur.costs.losses import Losses
from demur.costs.matrix import CostMatrix
from demur.counts.window import AbstentionWindow
from demur.honest.cases import SplitCases
from demur.honest.evaluate import FixedLearner, FoldRules, TrainingSets
from demur.multiclass.weights import (
    LabelledScores,
    SearchOptions,
    fitted_rule,
    log_of_scores,
    training_priors,
)
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray, IntArray
from demur.windows.class_rule import ClassRule

__all__ = [
    "KINDS",
    "MOST_SEARCHED",
    "Chosen",
    "ClassLearner",
    "Training",
    "cheapest_cut",
    "class_aims",
    "expected_cost_rule",
    "possible_kinds",
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
_FIXED = ("argmax", "expected cost", "expected cost, abstaining")
_PASSES = 16
_MOST_RESTARTS = 4
_RESTART_WORK = 4000
_SEVERAL_UP_TO = 20_000
_EXACT_UP_TO = 5000


class Chosen(NamedTuple):
    """A rule, how far the objective that chose it may be above the smallest there is, and its window."""

    rule: Any
    gap: float = 0.0
    window: AbstentionWindow | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Training:
    """Cases a rule is chosen on; `case_weights` are their shares in the whole, as used."""

    proba: FloatArray
    codes: IntArray
    sizes: FloatArray
    case_weights: FloatArray
    classes: tuple[Any, ...]
    problem: DecisionProblem
    weighted: bool
    seed: tuple[int, ...]

    @classmethod
    def of(
        cls,
        cases: SplitCases,
        proba: FloatArray,
        rows: IntArray,
        problem: DecisionProblem,
        seed: tuple[int, ...],
    ) -> "Training":
        """Take some rows, at most `MOST_SEARCHED` of them."""
        assert isinstance(problem.costs, ClassCosts)
        if len(rows) > MOST_SEARCHED:
            rng = np.random.default_rng([problem.seed, *seed])
            rows = np.sort(rng.choice(rows, MOST_SEARCHED, replace=False))
        codes, sizes = np.asarray(cases.codes[rows], dtype=np.int64), cases.sizes[rows]
        factors = np.ones(cases.n_classes)
        if problem.shares is not None:
            by_class = np.bincount(codes, sizes, cases.n_classes)
            np.divide(problem.shares * by_class.sum(), by_class, out=factors, where=by_class > 0)
        weights = sizes * factors[codes]
        return cls(
            proba=proba[rows],
            codes=codes,
            sizes=sizes,
            case_weights=np.asarray(weights / weights.sum()),
            classes=problem.costs.classes,
            problem=problem,
            weighted=cases.weights == "importance",
            seed=seed,
        )


def possible_kinds(problem: DecisionProblem) -> tuple[str, ...]:
    """Return the kinds of rules a problem allows: those that abstain need a price and no limit of 0.

    Weights are searched for classes that are answers only.
    """
    kinds = KINDS if problem.may_abstain and problem.limits.max_abstention != 0 else KINDS[:3]
    weighted = problem.cost_unknown is None
    return tuple(kind for kind in kinds if weighted or not kind.startswith("weights"))


def class_aims(problem: DecisionProblem) -> list[Losses]:
    """Return the costs rules are chosen for: the middle, and for ranges the corners that matter."""
    costs = problem.costs
    assert isinstance(costs, ClassCosts)
    aims = [costs.mean]
    if costs.ranged and problem.objective != "expected":
        aims += [costs.high] if problem.objective == "worst" else costs.corners()
    return [Scenario(one, None, problem.cost_unknown).losses for one in aims]


@dataclass(frozen=True, eq=False)
class ClassLearner:
    """Rules of one kind, chosen for some losses; `aim` is the place of these among the costs asked about."""

    kind: str
    losses: Losses
    problem: DecisionProblem
    aim: int = 0

    def order(self, place: int) -> tuple[int, int, int]:
        """Return the rank among candidates: simple kinds first, then the costs, then the models."""
        return (1 + KINDS.index(self.kind), self.aim, place)

    def fit_all(self, cases: SplitCases, proba: FloatArray) -> Chosen:
        """Choose the rule of all cases, and how far it may be from the best."""
        training = Training.of(cases, proba, np.arange(len(proba)), self.problem, (0,))
        return self.chosen(training, proof=True)

    def fit(self, sets: TrainingSets) -> FoldRules:
        """Return the rule of every training set."""
        cases, proba, fold = sets.cases, sets.model.scores, sets.rows.fold
        if self.kind in _FIXED and self.problem.limits.max_abstention is None:
            training = Training.of(cases, proba, np.arange(0), self.problem, (0,))
            return FixedLearner(self.chosen(training).rule).fit(sets)

        def rule_without(held: int) -> ClassRule:
            with whole_job(work):
                if held not in sets.by_fold:
                    rows, seed = np.flatnonzero(sets.trains(held)), (1 + sets.split, held)
                    sets.by_fold[held] = Training.of(cases, proba, rows, self.problem, seed)
                rule: ClassRule = self.chosen(sets.by_fold[held]).rule
                return rule

        # every descent goes over all rows, answers and moves several times
        work = len(fold) * (cases.n_classes + 1) ** 2 * _PASSES * cases.folds * cases.repeats
        with workers(len(fold)) as pool:
            rules = list(pool.map(rule_without, cases.splits.judged_folds))
        return FoldRules([*rules[:1] * cases.splits.first, *rules], cases.n_classes)

    def chosen(self, training: Training, *, proof: bool = False) -> Chosen:
        """Choose the rule on some cases; with `proof` the one to use, and how far from the best it may be."""
        kind, losses, m = self.kind, self.losses, len(training.classes)
        if kind == "argmax":
            return Chosen(ClassRule(classes=training.classes, weights=np.ones(m)), 0.0)
        if not kind.startswith("cautious"):
            abstain = "abstaining" in kind
            if kind.startswith("weights"):
                found = _weights(training, losses, abstain=abstain, proof=proof)
            else:
                found = Chosen(expected_cost_rule(training.classes, losses, abstain=abstain), 0.0)
            limit = self.problem.limits.max_abstention
            if limit is None or not found.rule.abstains:
                return found
            return found._replace(rule=_within_limit(training, losses, found.rule, limit))
        bias = equal_bias(m)
        if kind == _BY_CLASS:
            # one case more of every class: a bias of 0 would call its class always
            shares = np.bincount(training.codes, training.case_weights, m)[:m] + 1 / len(training.codes)
            bias = shares / shares.sum()
        return Chosen(_cautious(training, losses, bias), 0.0)


def _priced(losses: Losses, *, abstain: bool) -> FloatArray:
    """Costs of the answers beyond the cheapest one of each true class: the same decisions, none negative.

    Only classes that are answers have a probability.
    """
    table = (losses.table if abstain else losses.answers)[: losses.table.shape[1] - 1]
    return np.asarray(table - table.min(axis=1, keepdims=True))


def expected_cost_rule(classes: tuple[Any, ...], losses: Losses, *, abstain: bool) -> ClassRule:
    """Answer the smallest expected cost: a rule from prices alone, no case is looked at."""
    return ClassRule(
        classes=classes,
        weights=np.ones(len(classes)),
        abstain_weight=1.0 if abstain else None,
        column_costs=_priced(losses, abstain=abstain),
    )


# ---------------------------------------------------------------- weights


def _weights(training: Training, losses: Losses, *, abstain: bool, proof: bool) -> Chosen:
    problem, m = training.problem, len(training.classes)
    matrix = CostMatrix(values=losses.answers, classes=training.classes)
    # weights of the probabilities contain the Bayes rule only for costs by true class alone
    columns = not matrix.by_true_class_only
    costs = _priced(losses, abstain=abstain)
    data = LabelledScores(
        log_of_scores(training.proba, log=False),
        training.codes,
        training.sizes if training.weighted else None,
        CostMatrix(values=costs[:, :m], classes=training.classes),
        costs[:, -1] if abstain else None,
        problem.shares,
    )
    if problem.shares is not None:
        data = data._replace(priors=training_priors(data, data))
    n, answers = len(training.codes), costs.shape[1]
    options = SearchOptions(
        rng=np.random.default_rng([problem.seed, *training.seed]),
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
        classes=training.classes,
        weights=np.exp(logs[:m]),
        abstain_weight=float(np.exp(logs[-1])) if abstain else None,
        column_costs=costs if columns else None,
    )
    return Chosen(rule, best.objective - best.lower_bound)


# ---------------------------------------------------------------- abstaining


def _within_limit(training: Training, losses: Losses, rule: ClassRule, limit: float) -> ClassRule:
    """Lower the abstain weight, if need be, to the cheapest one that keeps the limit on these cases."""
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
    # what each answer to each case adds to the cost, abstaining last
    v = losses.table[training.codes] * training.case_weights[:, None]
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
    p = np.asarray(training.proba / training.proba.sum(axis=1, keepdims=True))
    limit, _ = abstention_windows(p, bias)
    _, last, case, window, before, after = class_changes(p, bias, np.minimum(limit, 1.0))
    # what each answer to each case adds to the cost, abstaining last
    v = losses.table[training.codes] * training.case_weights[:, None]
    rows = np.arange(len(v))
    changes = np.concatenate([v[case, after] - v[case, before], v[:, -1] - v[rows, last]])
    abstained = np.concatenate([np.zeros(len(case)), training.case_weights])
    most = training.problem.limits.max_abstention
    low, high = cheapest_cut(
        np.concatenate([window, limit]), changes, abstained, 1.0 if most is None else most
    )
    low, high = max(low, 0.0), min(high, 1.0)
    chosen = (low + high) / 2 if high > 0 else 0.0
    thresholds = (1 - bias) * chosen + bias
    return ClassRule(classes=training.classes, weights=1 / thresholds, abstain_weight=1.0)


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
