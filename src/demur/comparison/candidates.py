"""Rules to choose from: those of each model, and the baselines without one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from demur._checks import check_prevalence, input_error
from demur.comparison.class_learner import Chosen, ClassLearner, class_aims, possible_kinds
from demur.comparison.combination_learner import cascade_learners, combination_learners, row_window_learners
from demur.comparison.expected_cost_learner import expected_cost_learners, known_amounts
from demur.comparison.problem import DecisionProblem, Scenario
from demur.comparison.window_learner import WindowLearner, budget_learners, case_window
from demur.costs.case_costs import CaseFactors
from demur.costs.class_costs import ClassCosts
from demur.costs.losses import Losses
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.exceptions import InputError, UndefinedError
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.certificates import surface_certificate
from demur.honest.decisions import Judged, judge_constant, outcomes
from demur.honest.estimates import JudgedRule, cost_gap, paid_sums
from demur.honest.evaluate import BlockLearner, CountsLearner, Inputs, Learner, evaluate
from demur.honest.held_out import reweighted
from demur.honest.rules import PricePoints
from demur.surface.masses import score_masses
from demur.surface.surface import surface_of
from demur.surface.window import ABSTAIN, written_window
from demur.typing import FloatArray
from demur.windows.cheapest import limited_window
from demur.windows.range_search import range_search
from demur.windows.rule import Rule, Window
from demur.windows.search import Prices, prevalence_factors

__all__ = [
    "ALWAYS_ABSTAIN",
    "JOINT_LEARNERS",
    "LEARNERS",
    "Candidate",
    "Cuts",
    "JointLearner",
    "RuleLearner",
    "baseline_candidates",
    "baseline_code",
    "cheapest_at_corners",
    "choose_cuts",
    "joint_candidates",
    "judged_again",
    "losses_at",
    "model_candidates",
]

ALWAYS_ABSTAIN = "always abstain"
_CONSTANT = {1: (0, 0), 0: (1, 1), ABSTAIN: (0, 1)}
"""Windows of a single score that make one decision on all cases."""


class RuleLearner(Learner, Protocol):
    """Learns rules of one kind for a model: on all cases, and without each fold."""

    @property
    def kind(self) -> str:
        """Name of the rule among the candidates of a model."""

    @property
    def aim(self) -> int:
        """Place of the costs it learns for, where rules are learned for several corners; else 0."""

    def order(self, place: int) -> tuple[int, ...]:
        """Return the rank among candidates for ties, the simplest first; windows have 2."""

    def fit_all(self, cases: SplitCases, scores: FloatArray) -> Chosen:
        """Choose the rule on all cases."""


class JointLearner(RuleLearner, Protocol):
    """Learns rules that read the scores of several models, or columns beside them, in this order."""

    @property
    def name(self) -> str:
        """How the rule is called where others have the name of their model."""

    @property
    def members(self) -> tuple[str, ...]:
        """The models whose scores it reads."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The known columns of the cases it reads besides (`SplitCases.known`)."""


LEARNERS: list[Callable[[DecisionProblem], RuleLearner | None]] = []
"""Learners of further rules: each says how rules of its kind are learned for a problem, None for not at all.

Their rules are candidates beside windows, thresholds and the rules of many classes. A rule is written, read
and exported by its entry in `demur.windows.rule.RULES`. A learner may have `reads`, as in `JointLearner`.
"""

JOINT_LEARNERS: list[Callable[[DecisionProblem, tuple[str, ...]], Sequence[JointLearner]]] = [
    combination_learners,
    cascade_learners,
]
"""Learners of rules of several models: from a problem and the names of its models.

They are asked where a problem includes something besides the rules of single models.
"""


class Cuts(NamedTuple):
    """A window among the distinct scores of some cases; `gap` is what is unproven of its optimality."""

    window: AbstentionWindow
    gap: float


class _Aim(NamedTuple):
    """What a rule of a model is to be: a threshold or a window, and for which problem."""

    kind: str
    problem: DecisionProblem


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidate(JudgedRule):
    """One rule: what it is, what it decides on every case, and the tables of its outcomes.

    Attributes
    ----------
    kind : str
        "window", "threshold", a kind of rule of many classes, or the name of a baseline.
    model : str or None
        None for a baseline.
    rule : Rule or None
        Chosen on all cases; None for a baseline.
    window : AbstentionWindow or None
        What is known of a rule with two thresholds, rounded (`written_window`).
    order : tuple
        Simplest first, for ties.
    gap : float
        What is unproven of the search; 0 by default.
    aim : int
        Place of the costs it was chosen for, where rules are chosen for several corners.
    paid : array or None
        Costs by class and action, where every case has its own; before the factors.
    charged : array or None
        Fees by class for asking models, where some are charged.
    handicap : float
        What is added to the cost in the choice: a rule must be cheaper by so much than the preferred one of
        its model.
    learner : RuleLearner or None
        What found it, where that is an entry of `LEARNERS` or `JOINT_LEARNERS`.
    """

    kind: str
    model: str | None
    rule: Rule | None
    window: AbstentionWindow | None
    order: tuple[int, ...]
    gap: float = 0.0
    aim: int = 0
    paid: FloatArray | None = None
    charged: FloatArray | None = None
    handicap: float = 0.0
    learner: RuleLearner | None = None

    @classmethod
    def of(
        cls,
        cases: SplitCases,
        kind: str,
        model: str | None,
        judged: Judged,
        order: tuple[int, ...],
        inputs: JudgedModel | Inputs | None = None,
        **rule: Any,
    ) -> "Candidate":
        """Count what the decisions of a rule lead to, and sum what they cost where that differs by case.

        `inputs` are those of its model, also of cases without a label.
        """
        losses = cases.losses
        if cases.unlabelled is not None:  # decisions of the written rule, which none was learned from
            rule["unlabelled"] = np.full(len(cases.unlabelled), judged.hindsight[0])
            if inputs is not None:
                rule["unlabelled"] = np.asarray(rule["rule"].codes(inputs.unlabelled), dtype=np.int64)
        return cls(
            kind=kind,
            model=model,
            cases=cases,
            judged=judged,
            honest=outcomes(cases, judged.honest),
            hindsight=outcomes(cases, [judged.hindsight]),
            order=order,
            paid=None if losses is None else paid_sums(cases, losses, judged.honest),
            charged=_fee_sums(cases, judged) if judged.honest_fees else None,
            **{"rule": None, "window": None, **rule},
        )

    @property
    def abstains(self) -> bool:
        """Whether abstaining is an action of the rule."""
        if isinstance(self.rule, Window) or self.rule is None:
            return self.kind in (ALWAYS_ABSTAIN, "window")
        return self.rule.abstains

    def on(self, cases: SplitCases) -> "Candidate":
        """Return a baseline for other splits of the same cases."""
        judged = judge_constant(cases, baseline_code(self))
        return Candidate.of(cases, self.kind, None, judged, self.order)


def _fee_sums(cases: SplitCases, judged: Judged) -> FloatArray:
    """Sum the honest fees by class, averaged over the splits."""
    total = np.zeros(cases.n_classes)
    for split, (rows, fees) in enumerate(zip(cases.splits.repeats, judged.honest_fees, strict=True)):
        codes = cases.codes[rows.cell].astype(np.int64)
        total += np.bincount(codes, cases.splits.judged(split) * fees, cases.n_classes)
    return np.asarray(total / len(judged.honest_fees))


def baseline_code(candidate: Candidate) -> int:
    """Return the action that a baseline takes on every case."""
    return int(candidate.judged.hindsight[0])


def losses_at(cases: SplitCases, scenario: Scenario, *, same_review: bool = False) -> Losses:
    """Return what actions cost at one point of the box, by class or by case."""
    if not isinstance(scenario.costs, CaseFactors):
        return scenario.losses
    assert cases.losses is not None
    factors, more = np.array(scenario.costs), cases.unlabelled_losses
    return Losses(
        by_case=cases.losses * factors,
        same_review=same_review,
        unlabelled=None if more is None else more * factors,
    )


def baseline_candidates(cases: SplitCases, problem: DecisionProblem) -> list[Candidate]:
    """Return the rules without a model that keep the limits."""
    always = {"always positive": 1, "always negative": 0}
    if isinstance(problem.costs, ClassCosts):
        always = {f"always {name}": code for code, name in enumerate(problem.costs.classes)}
    if problem.budget is None and problem.may_abstain:
        always[ALWAYS_ABSTAIN] = ABSTAIN
    if problem.many:
        if problem.limits.max_abstention not in (None, 1.0):
            always.pop(ALWAYS_ABSTAIN, None)
    elif problem.limits.kept():
        # the rules without a model are windows on cases that all have one score
        positive = float(cases.sizes[cases.positive].sum())
        totals = np.array([positive]), np.array([float(cases.sizes.sum()) - positive])
        counts = ScoreCounts.from_counts(np.zeros(1), *totals)
        allowed = problem.allowed(
            score_masses(counts, counts.prevalence if problem.rate is None else problem.rate)
        )
        assert allowed is not None
        always = {kind: code for kind, code in always.items() if allowed.keeps(*_CONSTANT[code])}
    return [
        Candidate.of(cases, kind, None, judge_constant(cases, code), (0, place))
        for place, (kind, code) in enumerate(always.items())
    ]


def model_candidates(
    cases: SplitCases,
    name: str,
    model: JudgedModel | Inputs,
    problem: DecisionProblem,
    place: int,
    *,
    kinds: Sequence[str] | None = None,
) -> list[Candidate]:
    """Return the rules of one model: window and threshold, or those of many classes; `kinds` only.

    Raises `UndefinedError` if the limits allow none; one of them alone may be missing.
    """
    further = []
    if problem.budget is None and problem.cost_unknown is None:  # others do not keep it, or know no such case
        further = [made for learner in LEARNERS if (made := learner(problem)) is not None]
    if isinstance(model, Inputs) and not problem.many:
        return _learned(cases, name, model, row_window_learners(problem), place)
    if isinstance(model, Inputs):
        wanted = possible_kinds(problem) if kinds is None else kinds
        learners = [
            ClassLearner(kind, losses, problem, aim)
            for aim, losses in enumerate(class_aims(problem))
            for kind in wanted
            # costs do not change the largest probability
            if aim == 0 or kind != "argmax"
        ]
        return _learned(cases, name, model, [*learners, *further], place)
    rules = _rules(cases, name, model, _aims(problem), place)
    candidates = [rule for rule in rules if isinstance(rule, Candidate)]
    candidates += _learned(cases, name, model, further, place) if further else []
    amounts = known_amounts(problem) if problem.by_case else ()
    several: list[Any] = [] if problem.budget is None else [budget_learners(problem, name)]
    several += [expected_cost_learners(problem, name)] if amounts else []
    found: list[Candidate] = []
    for knowing in filter(None, several):
        if np.isfinite(model.scores).all():
            inputs = _with_columns(cases, [model], knowing[0].reads)
            found += _learned(cases, name, inputs, knowing, place)
    candidates = _preferring(found, candidates, problem) if amounts else [*candidates, *found]
    if not candidates:
        raise next(rule for rule in reversed(rules) if isinstance(rule, UndefinedError))
    if problem.prices:
        candidates = [_charged(one, problem.prices.get(name, 0.0)) for one in candidates]
    return candidates


def joint_candidates(
    table: Mapping[str, SplitCases],
    models: Mapping[str, JudgedModel | Inputs],
    problem: DecisionProblem,
    joined: Sequence[str],
) -> tuple[dict[str, Any], dict[str, list[Candidate]]]:
    """Return the rules of some models together by their names, and what each of them reads."""
    cases = next(iter(table.values()))
    unknown = [name for name in problem.prices if name not in models]
    if unknown:
        raise input_error("prices", f"must name models ({', '.join(models)})", repr(unknown[0]))
    if not problem.include:
        return {}, {}
    if cases.source == "counts" or any(one is not cases for one in table.values()):
        raise InputError(
            "`include` needs all scores of every case, got counts. Hint: pass labels and scores."
        )
    learners = [one for made in JOINT_LEARNERS for one in made(problem, tuple(joined))]
    if problem.budget is not None:
        learners = []  # they do not keep it
    taken = [one.name for one in learners if one.name in models]
    if taken:
        raise input_error("scores", "must not name a model like a rule of several", repr(taken[0]))
    inputs = {
        one.name: _with_columns(cases, [models[name] for name in one.members], one.reads) for one in learners
    }
    found = {
        one.name: _learned(cases, one.name, inputs[one.name], [one], len(models) + place)
        for place, one in enumerate(learners)
    }
    return inputs, {name: candidates for name, candidates in found.items() if candidates}


def _with_columns(
    cases: SplitCases, models: Sequence[JudgedModel | Inputs], reads: Sequence[str]
) -> JudgedModel | Inputs | Any:
    """Return the scores of models and what else is known of the cases as one table."""
    if len(models) == 1 and not reads:
        return models[0]
    columns = [*(model.scores for model in models), *(cases.known[name] for name in reads)]
    more: list[Any] = [model.unlabelled for model in models]
    if cases.unlabelled is not None:
        more += [cases.unlabelled_known[name] for name in reads]
    unlabelled = None if cases.unlabelled is None else np.column_stack(more)
    return Inputs(np.column_stack(columns), unlabelled)


def _charged(candidate: Candidate, price: float) -> Candidate:
    """Return a rule that pays for asking its model once per case."""
    judged = candidate.judged
    fees = tuple(np.full(len(codes), price) for codes in judged.honest)
    judged = replace(judged, honest_fees=fees, hindsight_fees=np.full(len(judged.hindsight), price))
    return replace(candidate, judged=judged, charged=_fee_sums(candidate.cases, judged))


def _learned(
    cases: SplitCases,
    name: str,
    model: JudgedModel | Inputs,
    learners: Sequence[RuleLearner],
    place: int,
) -> list[Candidate]:
    """Return the rule of each learner, with the decisions of those it learns without each fold."""
    chosen = [learner.fit_all(cases, model.scores) for learner in learners]
    verdicts = evaluate(cases, model, learners, [one.rule for one in chosen])
    candidates = []
    for learner, one, judged in zip(learners, chosen, verdicts, strict=True):
        if isinstance(judged, Judged):
            found = {"rule": one.rule, "gap": one.gap, "aim": learner.aim, "learner": learner}
            found["window"] = one.window
            # what speaks for the actions of a rule: a score, a column per class or one per action
            scores: Any = model.scores
            if hasattr(one.rule, "support"):
                scores = np.asarray(one.rule.support(scores))
            elif scores.ndim > 1 and cases.n_classes <= 2:
                # only columns of classes speak for one each
                scores = np.asarray(one.rule.score(scores) if hasattr(one.rule, "score") else scores[:, 0])
            found["scores"] = scores
            order = learner.order(place)
            candidates.append(Candidate.of(cases, learner.kind, name, judged, order, model, **found))
    return candidates


def _preferring(
    knowing: list[Candidate], others: list[Candidate], problem: DecisionProblem
) -> list[Candidate]:
    """Prefer the first rule that knows the case: others must be cheaper by a paired standard error.

    Plain minima of honest costs among rules so much alike lose what knowing the case gains.
    """
    if not knowing:
        return others
    preferred, shares = knowing[0], problem.shares
    losses = losses_at(preferred.cases, problem.centre)
    return [
        *(
            replace(one, handicap=cost_gap(one, preferred, losses, shares).standard_error)
            for one in [*others, *knowing[1:]]
        ),
        preferred,
    ]


def judged_again(candidate: Candidate, cases: SplitCases, model: Inputs) -> Candidate | None:
    """Return what the learner of a candidate finds on other splits of the same cases; None without a rule."""
    assert candidate.learner is not None
    assert candidate.model is not None
    found = _learned(cases, candidate.model, model, [candidate.learner], 0)
    return found[0] if found else None


def cheapest_at_corners(
    cases: SplitCases, model: JudgedModel | Inputs, problem: DecisionProblem
) -> list[list[Candidate]]:
    """Return the model's window and threshold re-chosen for each corner of the box alone.

    Rules of many classes are chosen for the corners already.
    """
    corners = problem.corners()
    if isinstance(model, Inputs):
        return [[] for _ in corners]
    if problem.budget is not None:
        return [model_candidates(cases, "", model, problem.at(scenario), 0) for scenario in corners]
    aims = [_aims(problem.at(scenario)) for scenario in corners]
    if problem.by_case or problem.limits.given():
        # the folds are pooled once for all corners
        rules = iter(_rules(cases, "", model, [aim for several in aims for aim in several], 0))
        found = [[next(rules) for _ in several] for several in aims]
    else:
        found = []
        for scenario, several in zip(corners, aims, strict=True):
            there = model
            if scenario.rate is not None:
                honest, hindsight = (
                    reweighted(one, scenario.rate) for one in (model.honest, model.hindsight)
                )
                there = model._replace(honest=honest, hindsight=hindsight)
            found.append(_rules(cases, "", there, several, 0))
    return [[rule for rule in several if isinstance(rule, Candidate)] for several in found]


def _aims(problem: DecisionProblem) -> list[_Aim]:
    """Return what is searched for: a threshold and, if somebody can look at cases, a window."""
    aims = [_Aim("threshold", problem.never_abstaining())]
    reviews = problem.may_abstain and problem.budget is None
    return [*aims, _Aim("window", problem)] if reviews else aims


def _rules(
    cases: SplitCases, name: str, model: JudgedModel, aims: Sequence[_Aim], place: int
) -> list[Candidate | UndefinedError]:
    """Return one rule of a model per aim, or the reason why the limits allow none."""
    chosen: dict[_Aim, Cuts] = {}
    rules: dict[_Aim, Candidate | UndefinedError] = {}
    for aim in aims:
        try:
            if aim.problem.by_case:
                cuts = Cuts(*case_window(cases, model, aim.problem))
            else:
                cuts = choose_cuts(model.counts, aim.problem)
            chosen[aim] = cuts._replace(window=written_window(cuts.window, model.counts))
        except UndefinedError as error:
            rules[aim] = error
    learners = [_learner(aim.problem, forward=cases.splits.forward) for aim in chosen]
    windows = [Window(cuts.window.lower, cuts.window.upper) for cuts in chosen.values()]
    verdicts = evaluate(cases, model, learners, windows)
    distinct = int(model.counts.blocks().groups.sum())
    constants = {(0, 0): 1, (distinct, distinct): 0, (0, distinct): ABSTAIN}
    for (aim, (window, gap)), rule, decided in zip(chosen.items(), windows, verdicts, strict=True):
        if isinstance(decided, UndefinedError):
            rules[aim] = decided  # all cases together keep the limits, but not without some fold
            continue
        # a window that decides alike on all cases is the rule without a model
        constant = constants.get((window.lower_index, window.upper_index))
        judged = decided if constant is None else judge_constant(cases, constant)
        order = (1 if aim.kind == "threshold" else 2, place)
        found = {"rule": rule, "window": window, "gap": gap}
        found["scores"] = model.scores if constant is None else None
        rules[aim] = Candidate.of(cases, aim.kind, name, judged, order, model, **found)
    return [rules[aim] for aim in aims]


# ---------------------------------------------------------------- the choice among windows


def choose_cuts(counts: ScoreCounts, problem: DecisionProblem) -> Cuts:
    """Choose a window on some cases by the objective, under the limits.

    Raises `UndefinedError` if no window keeps the limits.
    """
    costs, rate, limits = problem.point, problem.rate, problem.limits
    prevalence = check_prevalence(rate, positives=counts.n_positive, negatives=counts.n_negative)
    relative = {"mu": costs.mu, "nu_positive": costs.nu_positive, "nu_negative": costs.nu_negative}
    relative["prevalence"] = prevalence
    if problem.objective == "guaranteed":
        certificate = surface_certificate(counts, prevalence=rate, confidence_level=problem.confidence_level)
        safest = certificate.guaranteed_window(costs=costs)
        masses, cuts = score_masses(counts, prevalence), (safest.lower_index, safest.upper_index)
        return Cuts(AbstentionWindow.of_cuts(masses, cuts, **relative), 0.0)
    if problem.objective in ("worst", "regret"):
        masses = score_masses(counts, prevalence)
        prices = [_prices(scenario, prevalence) for scenario in problem.corners()]
        regret, allowed = problem.objective == "regret", problem.allowed(masses)
        best = range_search(masses, prices, regret=regret, limits=allowed)
        if best is None:
            raise UndefinedError("No window keeps the limits over the whole range. Hint: loosen one of them.")
        return Cuts(AbstentionWindow.of_cuts(masses, (best.start, best.stop), **relative), best.gap)
    if limits.given():
        level = limits.precision_confidence
        limited = limited_window(counts, limits, costs=costs, prevalence=rate, confidence_level=level)
        return Cuts(limited, 0.0)
    return Cuts(surface_of(counts, rate).window(costs=costs), 0.0)


def _prices(scenario: Scenario, prevalence: float) -> Prices:
    """Prices at a corner for masses made under a prevalence."""
    assert isinstance(scenario.costs, CostModel)
    if scenario.rate is None:
        return Prices.of(scenario.costs)
    return Prices.of(scenario.costs, *prevalence_factors(scenario.rate, prevalence))


# ---------------------------------------------------------------- windows without each fold


def _learner(problem: DecisionProblem, *, forward: bool) -> Learner:
    """Return how the windows of a problem are learned; pooled blocks are those of random folds."""
    if problem.objective == "guaranteed" or problem.limits.precision_confidence is not None:
        # running sums alone do not say which window is best: bounds on shares of few cases do
        return CountsLearner(partial(_window_of, problem))
    if problem.by_case or problem.limits.given() or problem.objective != "expected" or forward:
        return WindowLearner.of(problem)
    return BlockLearner(PricePoints.at(problem.point))


def _window_of(problem: DecisionProblem, counts: ScoreCounts) -> Window:
    window = choose_cuts(counts, problem).window
    return Window(window.lower, window.upper)
