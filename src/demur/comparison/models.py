"""One model of a comparison: its rules, volume and area, computed apart and put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from demur._results import Interval, Result
from demur.auc.one import auc_interval, interval_of_table
from demur.auc.tables import ModelTables
from demur.comparison.candidates import Candidate, model_candidates
from demur.comparison.choice import Choice
from demur.comparison.class_learner import MOST_SEARCHED
from demur.comparison.estimates import cost_of
from demur.comparison.problem import DecisionProblem
from demur.counts.window import AbstentionWindow
from demur.exceptions import UndefinedError
from demur.honest.bands import VolumeInterval, cluster_volume_interval, volume_interval_of
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.certificates import SurfaceCertificate, surface_certificate
from demur.honest.cross_fitting import CrossFittedSurface, fitted_surface
from demur.honest.estimates import class_shares
from demur.honest.evaluate import Inputs
from demur.multiclass.auc import hand_till_auc
from demur.roc.curve import auc_score
from demur.windows.rule import Rule

__all__ = [
    "ModelComparison",
    "OverAllCosts",
    "RuleCost",
    "Rules",
    "compared_model",
    "rule_cost",
    "rules_of",
    "tested_pairs",
]

# up to so many models a table of differences shows all pairs, beyond only those with the best one
_ALL_PAIRS_UP_TO = 5
# and no more than so many of the others
_MOST_OTHERS = 10


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class RuleCost(Result):
    """One rule of one model: what it costs, honestly and with hindsight."""

    kind: str
    rule: Rule
    cost: float
    interval: Interval
    hindsight_cost: float
    abstention_rate: float
    error_rate: float
    gap: float
    _evidence = ("rule",)

    def to_dict(self) -> dict[str, Any]:
        """Return the rule and its costs as JSON-safe built-in types."""
        return {**Result.to_dict(self), "rule": self.rule.to_dict()}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ModelComparison(Result):
    """One model of a comparison; costs are per case in the user's unit.

    Every number depends on this model, the cases and the problem alone, never on the other models.

    Attributes
    ----------
    kind, rule : str, Rule, or None without costs
        The model's window (its threshold where abstaining is no option), or its cheapest rule for many
        classes and where amounts are known when a case is decided.
    cost, interval, hindsight_cost : float, Interval, float, or None without costs
        Honest cost of that rule, its interval, and the cost with hindsight.
    guaranteed_cost : float or None
        Upper bound of the window's true cost for every sample size, for this model alone.
    window : AbstentionWindow or None
        Chosen on all cases; None for many classes.
    threshold : float or None
        The single threshold for somebody who must decide every case; None for many classes.
    threshold_cost, threshold_interval, threshold_hindsight_cost
        What that costs; of many classes, and where amounts are known, the cheapest rule that decides every
        case.
    rules : mapping
        Kind -> `RuleCost`, every rule that was tried, at the costs in the middle of their ranges.
    abstention_rate, error_rate : float or None
        Honest shares of cases sent to a person, and decided wrong.
    auc, auc_interval
        Area under the ROC curve; of many classes the mean over pairs (Hand and Till), None where a class
        has too few cases.
    vacc, vacc_interval, hindsight_vacc
        Honest volume under the abstention cost surface, its interval, and the sample's own; None for many
        classes, which have no such surface.
    left_out : str
        Why there is no rule here, in words; empty if there is one.
    """

    name: str
    kind: str | None
    rule: Rule | None
    cost: float | None
    interval: Interval | None
    hindsight_cost: float | None
    guaranteed_cost: float | None
    window: AbstentionWindow | None
    threshold: float | None
    threshold_cost: float | None
    threshold_interval: Interval | None
    threshold_hindsight_cost: float | None
    rules: Mapping[str, RuleCost]
    abstention_rate: float | None
    error_rate: float | None
    missed: float | None
    alarms: float | None
    left_out: str
    certificate: SurfaceCertificate | None
    over_all_costs: OverAllCosts
    _reported = ("auc", "auc_interval", "vacc", "vacc_interval", "hindsight_vacc")
    _evidence = ("rule", "rules", "certificate", "over_all_costs")

    @property
    def auc(self) -> float | Any:
        """Area under the ROC curve; None where a class of many has too few cases."""
        return self.over_all_costs.auc

    @property
    def auc_interval(self) -> Interval | Any:
        """Interval of the area."""
        return self.over_all_costs.area.interval

    @property
    def surface(self) -> CrossFittedSurface | Any:
        """Honest cost of the best window for all costs; None for many classes."""
        return self.over_all_costs.surface

    @property
    def volume(self) -> VolumeInterval | Any:
        """Volume under the surface; None for many classes."""
        return self.over_all_costs.volume

    @property
    def vacc(self) -> float | Any:
        """Honest volume under the abstention cost surface; None for many classes."""
        return None if self.volume is None else self.volume.honest

    @property
    def vacc_interval(self) -> Interval | Any:
        """Interval of the volume."""
        return None if self.volume is None else Interval(self.volume.low, self.volume.high)

    @property
    def hindsight_vacc(self) -> float | Any:
        """The sample's own volume."""
        return None if self.volume is None else self.volume.hindsight

    def to_dict(self) -> dict[str, Any]:
        """Return the model as JSON-safe built-in types."""
        rule = None if self.rule is None else self.rule.to_dict()
        rules = {kind: one.to_dict() for kind, one in self.rules.items()}
        return {**Result.to_dict(self), "rule": rule, "rules": rules}


class Rules(NamedTuple):
    """Candidates of a model, or why there are none; what is certain about them for every sample size."""

    candidates: list[Candidate]
    left_out: str
    certificate: SurfaceCertificate | None
    guaranteed: float | None


class Area(NamedTuple):
    """Area under the ROC curve and its interval; None where they are not defined."""

    auc: float | None
    interval: Interval | None


@dataclass(frozen=True, eq=False)
class OverAllCosts:
    """What no cost enters: area and volume of a model, each computed when somebody asks for it."""

    cases: SplitCases
    model: JudgedModel | Inputs
    tables: ModelTables | None
    place: int
    level: float

    @cached_property
    def surface(self) -> CrossFittedSurface | None:
        """Cross-fitted surface of a model of two classes; None for many classes."""
        if isinstance(self.model, Inputs):
            return None
        return fitted_surface(self.cases.shuffled or self.cases, self.model)

    @cached_property
    def volume(self) -> VolumeInterval | None:
        """Volume under the surface; None for many classes."""
        if self.surface is None or isinstance(self.model, Inputs):
            return None
        cases = self.cases.shuffled or self.cases
        if cases.cluster is None:
            return volume_interval_of(self.surface, confidence_level=self.level)
        return cluster_volume_interval(self.surface, cases, self.model, confidence_level=self.level)

    @cached_property
    def auc(self) -> float | None:
        """Area under the ROC curve; of many classes that of `area`."""
        return self.area.auc if isinstance(self.model, Inputs) else auc_score(self.model.counts)

    @cached_property
    def area(self) -> Area:
        """Area under the ROC curve with its interval: from the ranks of the cases, else from counts.

        Of many classes the mean over pairs, of a random part of very many cases.
        """
        cases, model, tables, level = self.cases, self.model, self.tables, self.level
        if isinstance(model, Inputs):
            return _mean_area(cases, model, level)
        if tables is None:
            interval = Interval(*auc_interval(model.counts, confidence_level=level))
        elif cases.cluster is None:
            interval = Interval(*interval_of_table(tables.single(self.place), level))
        else:
            interval = Interval(*tables.clustered(self.place).limits(level))
        return Area(self.auc, interval)


def _mean_area(cases: SplitCases, model: Inputs, level: float) -> Area:
    """Return the mean area over pairs of classes (Hand and Till)."""
    rows: Any = slice(None)
    if len(cases.codes) > MOST_SEARCHED:
        rows = np.random.default_rng(0).choice(len(cases.codes), MOST_SEARCHED, replace=False)
    codes, weight = cases.codes[rows], cases.sizes[rows] if cases.weights == "importance" else None
    if len(np.unique(codes)) < cases.n_classes:
        return Area(None, None)
    labels = list(range(cases.n_classes))
    try:
        auc = hand_till_auc(codes, model.scores[rows], labels=labels, sample_weight=weight)
        return Area(float(auc), auc.interval(level) if cases.cluster is None else None)
    except UndefinedError:
        return Area(None, None)


def rules_of(
    cases: SplitCases, name: str, model: JudgedModel | Inputs, problem: DecisionProblem, place: int
) -> Rules:
    """Choose the model's rules and bound the cost of the best one."""
    candidates, left_out = [], ""
    if problem.costs is not None:
        try:
            candidates = model_candidates(cases, name, model, problem, place)
        except UndefinedError as error:
            left_out = str(error)
    unbounded = not cases.independent or problem.by_case or isinstance(problem.prevalence, tuple)
    if unbounded or isinstance(model, Inputs):
        return Rules(candidates, left_out, None, None)
    level = problem.confidence_level
    certificate = surface_certificate(model.counts, prevalence=problem.rate, confidence_level=level)
    window = candidates[-1].window if candidates else None
    if window is None:
        return Rules(candidates, left_out, certificate, None)
    return Rules(candidates, left_out, certificate, certificate.bound_of(window, costs=problem.point))


def compared_model(
    name: str, rules: Rules, over_all: OverAllCosts, problem: DecisionProblem, choice: Choice | None
) -> ModelComparison:
    """Put the parts of a model together."""
    by_kind = {one.kind: one for one in rules.candidates}
    rule, threshold = by_kind.get("window"), by_kind.get("threshold")
    window, cut = rule or threshold, threshold
    several = problem.ranged and problem.cost_unknown is not None
    chosen = choice is not None and (problem.many or problem.budget is not None)
    if several or chosen or any(one.handicap for one in rules.candidates):
        assert choice is not None
        rule = choice.best(rules.candidates)
        threshold = choice.best([one for one in rules.candidates if not one.abstains])
    rule = rule or threshold
    costs = {one: rule_cost(one, problem) for one in rules.candidates}
    found = None if rule is None else costs[rule]
    decided = None if threshold is None else costs[threshold]
    shares = None if rule is None or problem.many else class_shares(rule.honest, problem.shares)
    return ModelComparison(
        name=name,
        kind=None if found is None else found.kind,
        rule=None if found is None else found.rule,
        cost=None if found is None else found.cost,
        interval=None if found is None else found.interval,
        hindsight_cost=None if found is None else found.hindsight_cost,
        guaranteed_cost=rules.guaranteed,
        window=None if window is None else window.window,
        threshold=None if cut is None or cut.window is None else cut.window.upper,
        threshold_cost=None if decided is None else decided.cost,
        threshold_interval=None if decided is None else decided.interval,
        threshold_hindsight_cost=None if decided is None else decided.hindsight_cost,
        rules={one.kind: costs[one] for one in rules.candidates if one.aim == 0},
        abstention_rate=None if found is None else found.abstention_rate,
        error_rate=None if found is None else found.error_rate,
        missed=None if shares is None else float(shares[1, 0]),
        alarms=None if shares is None else float(shares[0, 1]),
        left_out=rules.left_out,
        certificate=rules.certificate,
        over_all_costs=over_all,
    )


def rule_cost(candidate: Candidate, problem: DecisionProblem) -> RuleCost:
    """Return what one rule of a model costs."""
    estimate, shares = cost_of(candidate, problem), class_shares(candidate.honest, problem.shares)
    assert candidate.rule is not None
    return RuleCost(
        kind=candidate.kind,
        rule=candidate.rule,
        cost=estimate.cost,
        interval=estimate.interval,
        hindsight_cost=estimate.hindsight,
        abstention_rate=float(shares[:, -1].sum()),
        error_rate=float(shares[:, :-1].sum() - np.trace(shares[:, :-1])),
        gap=candidate.gap,
    )


def tested_pairs(models: Mapping[str, ModelComparison]) -> list[tuple[str, str]]:
    """List the pairs whose p-values are adjusted together: those that a table of differences shows.

    The model of the smaller volume comes first.
    """
    names = sorted(models, key=lambda name: models[name].vacc)
    if len(names) <= _ALL_PAIRS_UP_TO:
        return list(combinations(names, 2))
    return [(names[0], other) for other in names[1 : 1 + _MOST_OTHERS]]
