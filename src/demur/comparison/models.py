"""One model of a comparison: its rules, volume and area, computed apart and put together."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from demur._results import Interval, Result
from demur.auc.one import auc_interval, interval_of_table
from demur.auc.tables import ModelTables
from demur.comparison.candidates import Candidate, model_candidates
from demur.comparison.estimates import cost_of, rates_of
from demur.comparison.question import Question
from demur.counts.case_window import CaseWindow
from demur.exceptions import UndefinedError
from demur.honest.bands import VolumeInterval, volume_interval_of
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.certificates import SurfaceCertificate, surface_certificate
from demur.honest.cross_fitting import CrossFittedSurface, fitted_surface
from demur.roc.curve import auc_score
from demur.surface.window import AbstentionWindow

__all__ = [
    "ModelComparison",
    "Parts",
    "Rules",
    "Volume",
    "area_of",
    "compared_model",
    "rules_of",
    "tested_pairs",
    "volume_of",
]

# up to so many models a table of differences shows all pairs, beyond only those with the best one
_ALL_PAIRS_UP_TO = 5
# and no more than so many of the others
_MOST_OTHERS = 10


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ModelComparison(Result):
    """One model of a comparison; costs are per case in the user's unit.

    Every number depends on this model, the cases and the question alone, never on the other models.

    Attributes
    ----------
    cost, interval, hindsight_cost : float, Interval, float, or None without costs
        Honest cost of the model's window (of its threshold where abstaining is no option), its
        interval, and the cost with hindsight.
    guaranteed_cost : float or None
        Upper bound of the window's true cost for every sample size, for this model alone.
    window : AbstentionWindow, CaseWindow or None
        Chosen on all cases; a `CaseWindow` where costs differ by case.
    threshold : float or None
        The single threshold for somebody who must decide every case.
    threshold_cost, threshold_interval, threshold_hindsight_cost
        What that costs.
    abstention_rate : float or None
        Honest share of cases sent to a person.
    auc, auc_interval
        Area under the ROC curve.
    vacc, vacc_interval, hindsight_vacc
        Honest volume under the abstention cost surface, its interval, and the sample's own.
    left_out : str
        Why there is no rule here, in words; empty if there is one.
    """

    name: str
    cost: float | None
    interval: Interval | None
    hindsight_cost: float | None
    guaranteed_cost: float | None
    window: AbstentionWindow | CaseWindow | None
    threshold: float | None
    threshold_cost: float | None
    threshold_interval: Interval | None
    threshold_hindsight_cost: float | None
    abstention_rate: float | None
    missed: float | None
    alarms: float | None
    auc: float
    auc_interval: Interval
    vacc: float
    vacc_interval: Interval
    hindsight_vacc: float
    left_out: str
    surface: CrossFittedSurface
    certificate: SurfaceCertificate | None
    volume: VolumeInterval
    _evidence = ("surface", "certificate", "volume")


class Rules(NamedTuple):
    """Candidates of a model, or why there are none; what is certain about them for every sample size."""

    candidates: list[Candidate]
    left_out: str
    certificate: SurfaceCertificate | None
    guaranteed: float | None

    def of_kind(self, kind: str) -> Candidate | None:
        """Return the candidate of one kind."""
        return next((one for one in self.candidates if one.kind == kind), None)


class Volume(NamedTuple):
    """The cross-fitted surface of a model and its volume."""

    surface: CrossFittedSurface
    interval: VolumeInterval


class Parts(NamedTuple):
    """What is computed of one model, each part on its own."""

    rules: Future[Rules]
    volume: Future[Volume]
    area: Future[Interval]


def rules_of(cases: SplitCases, name: str, model: JudgedModel, question: Question, place: int) -> Rules:
    """Choose the model's rules and bound the cost of the best one."""
    candidates, left_out = [], ""
    if question.costs is not None:
        try:
            candidates = model_candidates(cases, name, model, question, place)
        except UndefinedError as error:
            left_out = str(error)
    bounded = cases.weights != "importance" and not question.by_case
    if not bounded or isinstance(question.prevalence, tuple):
        return Rules(candidates, left_out, None, None)
    level = question.confidence_level
    certificate = surface_certificate(model.counts, prevalence=question.rate, confidence_level=level)
    window = candidates[-1].window if candidates else None
    if not isinstance(window, AbstentionWindow):
        return Rules(candidates, left_out, certificate, None)
    return Rules(candidates, left_out, certificate, certificate.bound_of(window, costs=question.point))


def volume_of(cases: SplitCases, model: JudgedModel, level: float) -> Volume:
    """Judge the model over all costs."""
    surface = fitted_surface(cases, model)
    return Volume(surface, volume_interval_of(surface, confidence_level=level))


def area_of(tables: ModelTables | None, place: int, model: JudgedModel, level: float) -> Interval:
    """Interval of the area under the ROC curve: from the ranks of the cases, else from counts."""
    if tables is None:
        return auc_interval(model.counts, confidence_level=level)
    return interval_of_table(tables.single(place), level)


def compared_model(name: str, model: JudgedModel, parts: Parts, question: Question) -> ModelComparison:
    """Put the parts of a model together."""
    rules, (surface, volume) = parts.rules.result(), parts.volume.result()
    threshold = rules.of_kind("threshold")
    rule = rules.of_kind("window") or threshold
    estimate = None if rule is None else cost_of(rule, question)
    single = None if threshold is None else cost_of(threshold, question)
    shares = None if rule is None else rates_of(rule.honest, question.rate)
    return ModelComparison(
        name=name,
        cost=None if estimate is None else estimate.cost,
        interval=None if estimate is None else estimate.interval,
        hindsight_cost=None if estimate is None else estimate.hindsight,
        guaranteed_cost=rules.guaranteed,
        window=None if rule is None else rule.window,
        threshold=None if threshold is None or threshold.window is None else threshold.window.upper,
        threshold_cost=None if single is None else single.cost,
        threshold_interval=None if single is None else single.interval,
        threshold_hindsight_cost=None if single is None else single.hindsight,
        abstention_rate=None if shares is None else float(shares[:, 2].sum()),
        missed=None if shares is None else float(shares[1, 0]),
        alarms=None if shares is None else float(shares[0, 1]),
        auc=auc_score(model.counts),
        auc_interval=Interval(*parts.area.result()),
        vacc=volume.honest,
        vacc_interval=Interval(volume.low, volume.high),
        hindsight_vacc=volume.hindsight,
        left_out=rules.left_out,
        surface=surface,
        certificate=rules.certificate,
        volume=volume,
    )


def tested_pairs(models: Mapping[str, ModelComparison]) -> list[tuple[str, str]]:
    """List the pairs whose p-values are adjusted together: those that a table of differences shows.

    The model of the smaller volume comes first.
    """
    names = sorted(models, key=lambda name: models[name].vacc)
    if len(names) <= _ALL_PAIRS_UP_TO:
        return list(combinations(names, 2))
    return [(names[0], other) for other in names[1 : 1 + _MOST_OTHERS]]
