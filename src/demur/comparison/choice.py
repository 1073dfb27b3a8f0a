"""The choice among candidates: smallest honest cost first, and what surrounds it."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from demur._results import Interval
from demur.comparison.answer import Answer, Versus
from demur.comparison.blocks import block_costs, shuffled_cost
from demur.comparison.candidates import ALWAYS_ABSTAIN, Candidate, cheapest_at_corners, losses_at
from demur.comparison.estimates import (
    cost_at,
    cost_of,
    difference_at,
    difference_interval,
    gap_of,
)
from demur.comparison.loss_matrix import choice_cost
from demur.comparison.problem import DecisionProblem
from demur.comparison.words import condition_words
from demur.costs.case_costs import CaseFactors
from demur.costs.class_costs import ClassCosts
from demur.honest.after_choice import AfterChoice, first_smallest
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.certificates import SurfaceCertificate, surface_certificate
from demur.honest.estimates import Estimate, class_shares, mean_cost
from demur.honest.evaluate import Inputs
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray
from demur.windows.rule import Window

__all__ = ["Choice", "chosen", "content_order", "digest_of", "make_answer"]

_TIE = 1e-12
_HARDLY = 0.1 * (1 - 1e-9)
"""Differences below this part of their standard error go to the simpler rule, up to rounding."""
# the cost of the advice is that of a choice among at most so many models, and so many rules of them
_MOST_ADVISED, _MOST_RULES = 64, 128
_GRID = 5
_OVER_RANGES = ("regret", "regret_bound", "worst_cost", "best_share")
_EVERYWHERE = {
    "always positive": Window(-np.inf, -np.inf),
    "always negative": Window(np.inf, np.inf),
    ALWAYS_ABSTAIN: Window(-np.inf, np.inf),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """Everything the answer is chosen from."""

    cases: Mapping[str, SplitCases]
    judged: Mapping[str, JudgedModel | Inputs]
    problem: DecisionProblem
    baselines: Sequence[Candidate]
    candidates: Mapping[str, Sequence[Candidate]]
    certificates: Mapping[str, SurfaceCertificate | None]
    class_names: tuple[str, ...]
    classes: tuple[Any, ...]

    @property
    def first(self) -> SplitCases:
        """The cases of the first model: those of all, unless only counts are at hand."""
        return next(iter(self.cases.values()))

    @cached_property
    def chosen_for_corners(self) -> list[Candidate]:
        """The rule of the smallest honest cost at every corner of the box, if chosen for that corner."""
        corners = self.problem.corners()
        found = [list(self.all) for _ in corners]
        for name, model in self.judged.items():
            again = cheapest_at_corners(self.cases[name], model, self.problem)
            for rules, more in zip(found, again, strict=True):
                rules += more
        return [
            rules[first_smallest(np.array([cost_at(one, scenario) for one in rules]))]
            for rules, scenario in zip(found, corners, strict=True)
        ]

    @cached_property
    def floors(self) -> FloatArray:
        """Their costs."""
        pairs = zip(self.chosen_for_corners, self.problem.corners(), strict=True)
        return np.array([cost_at(one, scenario) for one, scenario in pairs])

    def best(self, candidates: Sequence[Candidate]) -> Candidate:
        """Return the candidate with the smallest objective, the simplest of ties.

        That is the honest cost, the worst one or the regret over the ranges, or the guarantee.
        """
        ordered, problem = sorted(candidates, key=lambda one: one.order), self.problem
        handicaps, scale = np.array([one.handicap for one in ordered]), 0.0
        if problem.objective == "guaranteed":
            values = np.array([_bound(one, self, 1) for one in ordered])
        elif problem.objective in ("worst", "regret"):
            corners = problem.corners()
            costs = np.array([[cost_at(one, scenario) for scenario in corners] for one in ordered])
            floors = self.floors if problem.objective == "regret" else 0.0
            # a regret may be 0: ties are judged by the size of the costs
            values, scale = (costs - floors).max(axis=1) + handicaps, float(np.abs(costs).max())
        else:
            values = np.array([cost_at(one, problem.centre) for one in ordered]) + handicaps
        return ordered[first_smallest(values, scale)]

    @property
    def all(self) -> list[Candidate]:
        """All candidates, simplest first."""
        return sorted(
            [*self.baselines, *(one for several in self.candidates.values() for one in several)],
            key=lambda one: one.order,
        )


def make_answer(choice: Choice, *, models_only: bool = False, advised: bool = True) -> Answer:
    """Choose, and say what surrounds the choice; with `models_only` among the rules of models.

    Unless `advised`, the cost of the choice itself is left out.
    """
    problem, limits = choice.problem, choice.problem.limits.given()
    best = chosen(choice, models_only=models_only)
    after = _after_choice(choice) if advised else None
    found = _expected(best, after, choice)
    estimate, shift = found.estimate, found.cost - found.estimate.cost
    versus = _versus(best, choice, shift)
    ranged = _over_ranges(best, choice, shift) if problem.ranged else dict.fromkeys(_OVER_RANGES)
    plain, advice = _cheapest(choice.baselines, choice), None if after is None else after.all_draws
    baseline = None
    if plain is not None:
        baseline = MappingProxyType({"name": plain.kind, "cost": cost_at(plain, problem.centre)})
    window = _thresholds(best, problem)
    sizes = np.ones(1) if best.cases.cluster is None else np.bincount(best.cases.cluster)
    model = None if best.model is None else choice.judged[best.model]
    # a threshold was chosen for somebody who cannot send a case to a person
    chosen_for = problem.never_abstaining() if best.kind == "threshold" else problem
    # a window without scores inside is one, too
    cut = best.kind == "window" and best.window is not None and best.window.is_empty
    bounded = window is not None and not problem.prices and None not in choice.certificates.values()
    certain = best.kind == ALWAYS_ABSTAIN and _same_review(problem)
    bound = _bound(best, choice, len(choice.judged)) if bounded and not certain else None
    return Answer(
        kind="threshold" if cut else best.kind,
        model=best.model,
        rule=best.rule,
        lower=None if window is None else window.lower,
        upper=None if window is None else window.upper,
        verdict=_verdict(best, versus, baseline, advice),
        cost=found.cost,
        honest_cost=estimate.cost,
        interval=found.interval,
        cost_range=found.cost_range,
        one_added=found.one_added,
        n_unlabelled=0 if best.cases.unlabelled is None else len(best.cases.unlabelled),
        hindsight_cost=estimate.hindsight,
        guaranteed_cost=estimate.cost if certain else bound,
        advice_cost=advice,
        versus=MappingProxyType(versus),
        **ranged,
        gap=best.gap,
        **_outcomes(best, choice),
        n=choice.first.n,
        n_rules=len(choice.all),
        class_sizes=choice.first.class_sizes,
        confidence_level=problem.confidence_level,
        classes=choice.classes,
        class_names=choice.class_names,
        best_trivial=baseline,
        guarantee_defined=bounded,
        condition=condition_words(limits, problem.objective, problem.budget, problem.cost_unknown),
        costs=chosen_for.chosen_for,
        abstain_costs=problem.costs.mean.abstain if isinstance(problem.costs, ClassCosts) else None,
        by_block=block_costs(best, problem) if best.cases.splits.forward else None,
        shuffled_cost=None if best.cases.shuffled is None else shuffled_cost(best, model, problem),
        window=best.window,
        counts=model.counts if isinstance(model, JudgedModel) else None,
        digest=digest_of(choice, best.model) if problem.many or isinstance(model, Inputs) else None,
        cluster_size=float(sizes @ sizes / sizes.sum()),
    )


class _Expected(NamedTuple):
    """What to expect of the chosen rule: its cost after the choice, with interval and range over the box."""

    cost: float
    interval: Interval
    cost_range: Interval | None
    estimate: Estimate
    one_added: bool


def _expected(best: Candidate, after: AfterChoice | None, choice: Choice) -> _Expected:
    """Correct the honest cost of the chosen rule for the choice among several.

    A rule chosen because nothing went wrong is expected to cost as much as with one worst case added.
    """
    problem = choice.problem
    estimate = cost_of(best, problem)
    chosen = estimate.cost
    if best.model is not None and after is not None and after.cost is not None:
        chosen = max(chosen, after.cost)
    shift = chosen - estimate.cost
    cost = chosen
    if best.model is not None and not estimate.worst_seen:
        cost = max(cost, estimate.mean.raised)
    ends, costs = [estimate.interval], [estimate.cost]
    bounded = best.cases.unlabelled is not None
    if problem.ranged or bounded:
        corners = [
            cost_of(best, problem, scenario, best=favourable)
            for scenario in problem.corners()
            for favourable in ((False, True) if bounded else (False,))
        ]
        ends, costs = [one.interval for one in corners], [one.cost for one in corners]
    interval = Interval(min(low for low, _ in ends), max(max(high for _, high in ends) + shift, cost))
    rise = cost - estimate.cost
    cost_range = Interval(min(costs) + rise, max(costs) + rise) if problem.ranged or bounded else None
    return _Expected(cost, interval, cost_range, estimate, cost > chosen)


def chosen(
    choice: Choice, candidates: Sequence[Candidate] | None = None, *, models_only: bool = False
) -> Candidate:
    """Return the best candidate, or a simpler one that is hardly more expensive: the rule of the answer.

    Among `candidates`, by default all; with `models_only` among those of models. A difference below a tenth
    of its standard error goes to the simpler kind of rule.
    """
    candidates = choice.all if candidates is None else candidates
    candidates = [one for one in candidates if not models_only or one.model is not None]
    best, problem = choice.best(candidates), choice.problem
    if problem.objective != "expected":
        return best
    cost, number, widest = cost_at(best, problem.centre), best.cases.n, np.inf
    if best.cases.cluster is None:
        # no standard error of a difference exceeds that of cases a whole range of losses apart
        if problem.shares is not None:
            number = float(np.min(best.cases.class_sizes / np.maximum(problem.shares, 1e-300)))
        spread = float(np.ptp(losses_at(best.cases, problem.centre).table))
        widest = _HARDLY * (2 * spread / float(np.sqrt(max(number, 1.0))))
    simpler = []
    for one in candidates:
        if one.order[0] >= best.order[0] or one.handicap:
            continue  # who has a handicap must be cheaper, not simpler
        paired = one.on(best.cases) if one.model is None and one.cases is not best.cases else one
        # cases of models of which only counts are at hand cannot be paired
        if paired.cases is best.cases and cost_at(paired, problem.centre) - cost < widest:
            gap = gap_of(paired, best, problem)
            simpler += [one] if gap.cost < _HARDLY * gap.standard_error else []
    plainest = min((one.order[0] for one in simpler), default=0)
    return choice.best([one for one in simpler if one.order[0] == plainest]) if simpler else best


def _verdict(
    best: Candidate,
    versus: Mapping[str, Versus],
    baseline: Mapping[str, Any] | None,
    advice: float | None,
) -> str:
    """Say how sure it is that the rule of a model is cheaper than the best rule without one."""
    against = versus.get("trivial")
    if best.model is None or against is None or baseline is None:
        return "unproven"
    # what was left out may have come out otherwise
    if against.interval.high < 0 and not best.cases.selected:
        return "proven"
    pays = advice is None or advice < baseline["cost"]
    return "likely" if against.difference < 0 and pays else "unproven"


def _outcomes(best: Candidate, choice: Choice) -> dict[str, Any]:
    """Return what a rule leads to by class and action: shares of the cases, and what they cost."""
    problem, cases, costs = choice.problem, best.cases, choice.problem.centre.costs
    confusion, stakes, fees = class_shares(best.honest, problem.shares), None, None
    if isinstance(costs, CaseFactors):
        assert best.paid is not None
        assert cases.losses is not None
        # cases of a class and their money are weighted alike
        each = confusion.sum(axis=1, keepdims=True) / best.honest.sum(axis=1, keepdims=True)
        paid = np.asarray(best.paid * np.array(costs) * each)
        # what positives cost if they are called negative
        missed = np.average(cases.losses[cases.positive, 0], weights=cases.sizes[cases.positive])
        stakes = {
            "at_stake": costs.miss * float(missed) * float(confusion[1].sum()),
            "missed": float(paid[1, 0]),
            "alarms": float(paid[0, 1]),
            "reviews": float(paid[:, 2].sum()),
        }
    else:
        paid = np.asarray(confusion * problem.centre.losses.table)
    if problem.prices:  # what asking models costs
        charged = best.charged
        fees = 0.0 if charged is None else mean_cost(best.honest, charged[:, None], problem.shares)
    # over time the classes are those of the cases that were judged
    sizes = best.honest.sum(axis=1) if cases.splits.forward else choice.first.class_sizes
    # decisions are those of the written rule, on all cases
    called, more = class_shares(best.hindsight, problem.shares).sum(axis=0), cases.unlabelled
    if more is not None:
        actions = np.asarray(best.unlabelled) % len(called)
        labelled = best.hindsight.sum()
        called = (called * labelled + np.bincount(actions, more, len(called))) / (labelled + more.sum())
    # a class may be called -1 itself
    abstain = "abstain" if ABSTAIN in choice.classes else ABSTAIN
    return {
        "confusion": confusion,
        "confusion_cost": paid,
        "shares": MappingProxyType(dict(zip((*choice.classes, abstain), called.tolist(), strict=True))),
        "class_shares": np.asarray(sizes / sizes.sum()) if problem.shares is None else problem.shares,
        "fees": fees,
        "stakes": None if stakes is None else MappingProxyType(stakes),
    }


def content_order(choice: Choice, *models: str) -> Any:
    """Sort cases by class, weight and the inputs of some models: the order of the file plays no part."""
    cases = choice.first
    columns = [column for name in models for column in np.atleast_2d(choice.judged[name].scores.T)]
    # the last key of a lexsort is the first to sort by
    return np.lexsort([*columns[::-1], cases.sizes, cases.codes])


def digest_of(choice: Choice, model: str | None) -> str:
    """Return the SHA-256 of labels, weights and probabilities, the same in any order of the rows."""
    cases, order = choice.first, content_order(choice, *([] if model is None else [model]))
    digest = hashlib.sha256(cases.codes[order].astype("<i8").tobytes())
    digest.update(cases.sizes[order].astype("<f8").tobytes())
    if model is not None:
        digest.update((choice.judged[model].scores[order] + 0.0).astype("<f8").tobytes())
    return f"sha256:{digest.hexdigest()}"


def _thresholds(candidate: Candidate, problem: DecisionProblem) -> Window | None:
    """Return the thresholds of a rule, also of a baseline; None for rules that have none."""
    if problem.many or (candidate.window is None and candidate.model is not None):
        return None
    if candidate.window is None:
        return _EVERYWHERE[candidate.kind]
    return Window(float(candidate.window.lower), float(candidate.window.upper))


# ---------------------------------------------------------------- against other rules


def _cheapest(candidates: Sequence[Candidate], choice: Choice) -> Candidate | None:
    if not candidates:
        return None
    point = choice.problem.centre
    ordered = sorted(candidates, key=lambda one: one.order)
    return ordered[first_smallest(np.array([cost_at(one, point) for one in ordered]))]


def _versus(best: Candidate, choice: Choice, shift: float) -> dict[str, Versus]:
    """Compare with the best other rule of each kind, paired on the same held-out cases.

    `shift` is what the chosen rule is expected to cost beyond its honest cost.
    """
    models = [one for several in choice.candidates.values() for one in several]
    own = [one for one in choice.candidates.get(best.model or "", models) if one is not best]
    deciding = [one for one in own if not one.abstains] if best.abstains or best.model is None else []
    others = {
        "trivial": _cheapest([one for one in choice.baselines if one is not best], choice),
        "argmax": _cheapest([one for one in own if one.kind == "argmax"], choice),
        "never_abstaining": _cheapest(deciding, choice),
        "runner_up": _cheapest([one for one in models if one.model != best.model], choice),
    }
    if best.model is not None and best.model not in choice.certificates:
        alone = _cheapest([one for one in models if one.model in choice.certificates], choice)
        others |= {"alone": alone, "runner_up": None if others["runner_up"] is alone else others["runner_up"]}
    versus = {}
    for key, other in others.items():
        if other is not None:
            difference, interval = difference_interval(best, other, choice.problem, shift=shift)
            versus[key] = Versus(name=other.model or other.kind, difference=difference, interval=interval)
    return versus


def _over_ranges(best: Candidate, choice: Choice, shift: float) -> dict[str, Any]:
    """Return honest regret against rules chosen for each corner, its upper end, and the worst honest cost.

    Also the share of an even grid over the ranges at which no other candidate is cheaper.
    """
    problem, corners = choice.problem, choice.problem.corners()
    costs = np.array([cost_at(best, scenario) for scenario in corners])
    ends = [
        difference_at(best, other.on(best.cases) if other.model is None else other, problem, scenario)[1].high
        for other, scenario in zip(choice.chosen_for_corners, corners, strict=True)
    ]
    regret = float((costs - choice.floors).max())
    points = problem.grid(_GRID)
    table = np.array([[cost_at(one, point) for point in points] for one in (best, *choice.all)])
    share = float(np.mean(table[0] <= table.min(axis=0) * (1 + _TIE)))
    found = regret, max(regret, max(ends) + shift), float(costs.max()), share
    return dict(zip(_OVER_RANGES, found, strict=True))


# ---------------------------------------------------------------- advice and guarantee


def _after_choice(choice: Choice) -> AfterChoice | None:
    """Return what following the advice has cost: the choice, judged on cases that did not make it."""
    problem = choice.problem
    if problem.objective == "guaranteed" or problem.limits.precision_confidence is not None:
        return None
    # of many models the cheapest: one behind so many others on all cases is hardly ever first on some
    most = max(1, min(_MOST_ADVISED, _MOST_RULES // max(map(len, choice.candidates.values()), default=1)))
    costs = {
        name: min(cost_at(one, problem.centre) for one in several)
        for name, several in choice.candidates.items()
    }
    kept = sorted(costs, key=costs.__getitem__)[:most]
    candidates = [one for one in choice.all if one.model is None or one.model in kept]
    # ties of a draw go by the names of the models, so that their order plays no part
    candidates.sort(key=lambda one: (one.order[:-1], one.model or "", one.order))
    return choice_cost(candidates, problem)


def _bound(candidate: Candidate, choice: Choice, models: int) -> float:
    """Guaranteed cost of a candidate when `models` certificates are to hold together."""
    problem = choice.problem
    if candidate.model is None:
        point = problem.centre
        if candidate.kind == ALWAYS_ABSTAIN and _same_review(problem):
            return cost_at(candidate, point)
        name = next(iter(choice.judged))
    else:
        name = candidate.model
    certificate = choice.certificates[name]
    if certificate is None:
        return float("inf")
    if models > 1:
        level = 1 - (1 - problem.confidence_level) / models
        counts = choice.judged[name].counts  # type: ignore[union-attr]
        certificate = surface_certificate(counts, prevalence=problem.rate, confidence_level=level)
    thresholds = _thresholds(candidate, problem)
    if thresholds is None:
        return float("inf")
    return certificate.bound_of((thresholds.lower, thresholds.upper), costs=problem.point)


def _same_review(problem: DecisionProblem) -> bool:
    """Whether a review costs the same whoever the case is: then reviewing all cases has no risk."""
    if problem.by_case:
        return False
    reviews = problem.centre.losses.table[:, -1]
    return bool(np.all(reviews == reviews[0]))
