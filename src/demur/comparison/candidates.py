"""Rules to choose from: per model a window and a single threshold, and three without a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from demur.comparison.question import Corner, Question
from demur.comparison.window_learner import WindowLearner, case_window
from demur.costs.model import CostModel
from demur.counts.case_window import CaseWindow
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.certificates import surface_certificate
from demur.honest.decisions import (
    Judged,
    Window,
    judge_constant,
    outcomes,
)
from demur.honest.estimates import OutcomeSums, gap_sums
from demur.honest.evaluate import BlockLearner, CountsLearner, Learner, evaluate
from demur.honest.held_out import reweighted
from demur.honest.rules import Prices as PricePoints
from demur.surface.masses import RunningMasses, score_masses
from demur.surface.surface import surface_of
from demur.surface.window import ABSTAIN, AbstentionWindow, written_window
from demur.typing import FloatArray
from demur.windows.cheapest import cheapest_window
from demur.windows.range_search import RangeCuts, range_search
from demur.windows.search import CutLimits, Prices, prevalence_factors

__all__ = [
    "TRIVIAL",
    "Candidate",
    "Cuts",
    "cheapest_at_corners",
    "choose_cuts",
    "model_candidates",
    "trivial_candidates",
]

TRIVIAL = {"always positive": 1, "always negative": 0, "always abstain": ABSTAIN}
"""The rules without a model, and the decision each makes on every case."""
_ALIKE = {1: (0, 0), 0: (1, 1), ABSTAIN: (0, 1)}
"""Windows of a single score that make one decision on all cases."""


class Cuts(NamedTuple):
    """A window among the distinct scores of some cases; `gap` is what is unproven of its optimality."""

    window: AbstentionWindow | CaseWindow
    gap: float


class _Aim(NamedTuple):
    """What a rule of a model is to be: a threshold or a window, and for which question."""

    kind: str
    question: Question


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidate:
    """One rule: what it is, what it decides on every case, and the tables of its outcomes.

    Attributes
    ----------
    kind : str
        "window", "threshold" or the name of a rule without a model.
    model : str or None
    window : AbstentionWindow, CaseWindow or None
        Thresholds chosen on all cases, rounded (`written_window`); None without a model.
    cases : SplitCases
        The splits it was judged on: those of all models, or its own where only counts are at hand.
    judged : Judged
        Its decisions; those of the rule itself where it treats all cases alike.
    honest, hindsight : array
        Cases by class (negative, positive) and decision (negative, positive, abstain).
    order : tuple
        Simplest first, for ties.
    gap : float
        What is unproven of the choice over a range of costs; 0 by default.
    paid, hindsight_paid : OutcomeSums or None
        What was paid, where every case has its own costs; before the factors.
    """

    kind: str
    model: str | None
    window: AbstentionWindow | CaseWindow | None
    cases: SplitCases
    judged: Judged
    honest: FloatArray
    hindsight: FloatArray
    order: tuple[int, int]
    gap: float = 0.0
    paid: OutcomeSums | None = None
    hindsight_paid: OutcomeSums | None = None

    def on(self, cases: SplitCases) -> "Candidate":
        """Return a rule without a model for other splits of the same cases."""
        return _constant(cases, self.kind, self.order)


def trivial_candidates(cases: SplitCases, question: Question) -> list[Candidate]:
    """Return the rules without a model that keep the limits."""
    allowed = question.allowed(_one_score(cases, question.rate))
    return [
        _constant(cases, kind, (0, place))
        for place, (kind, code) in enumerate(TRIVIAL.items())
        if (code != ABSTAIN or question.may_abstain) and (allowed is None or allowed.keeps(*_ALIKE[code]))
    ]


def _one_score(cases: SplitCases, prevalence: float | None) -> RunningMasses:
    """Masses of the cases as if all had one score: the rules without a model are its windows."""
    positive = float(cases.sizes[cases.positive].sum())
    totals = np.array([positive]), np.array([float(cases.sizes.sum()) - positive])
    counts = ScoreCounts.from_counts(np.zeros(1), *totals)
    return score_masses(counts, counts.prevalence if prevalence is None else prevalence)


def model_candidates(
    cases: SplitCases, name: str, model: JudgedModel, question: Question, place: int
) -> list[Candidate]:
    """Return the window and the single threshold of one model, each chosen by the objective.

    Raises `UndefinedError` if the limits allow neither; one of them alone may be missing.
    """
    rules = _rules(cases, name, model, _aims(question), place)
    candidates = [rule for rule in rules if isinstance(rule, Candidate)]
    if not candidates:
        raise next(rule for rule in reversed(rules) if isinstance(rule, UndefinedError))
    return candidates


def cheapest_at_corners(cases: SplitCases, model: JudgedModel, question: Question) -> list[list[Candidate]]:
    """Return the model's window and threshold re-chosen for each corner of the box alone."""
    corners = question.corners()
    aims = [_aims(question.at(corner)) for corner in corners]
    if any(_needs_search(aim) for several in aims for _, aim in several):
        # the folds are pooled once for all corners
        rules = iter(_rules(cases, "", model, [aim for several in aims for aim in several], 0))
        found = [[next(rules) for _ in several] for several in aims]
    else:
        found = [
            _rules(cases, "", _at_prevalence(model, corner.prevalence), several, 0)
            for corner, several in zip(corners, aims, strict=True)
        ]
    return [[rule for rule in several if isinstance(rule, Candidate)] for several in found]


def _aims(question: Question) -> list[_Aim]:
    """Return what is searched for: a threshold and, if somebody can look at cases, a window."""
    aims = [_Aim("threshold", question.never_abstaining())]
    return [*aims, _Aim("window", question)] if question.may_abstain else aims


def _at_prevalence(model: JudgedModel, prevalence: float | None) -> JudgedModel:
    if prevalence is None:
        return model
    return model._replace(
        honest=reweighted(model.honest, prevalence), hindsight=reweighted(model.hindsight, prevalence)
    )


def _rules(
    cases: SplitCases, name: str, model: JudgedModel, aims: Sequence[_Aim], place: int
) -> list[Candidate | UndefinedError]:
    """Return one rule of a model per aim, or the reason why the limits allow none."""
    chosen: dict[_Aim, Cuts] = {}
    rules: dict[_Aim, Candidate | UndefinedError] = {}
    for aim in aims:
        try:
            cuts = _chosen(cases, model, aim.question)
            chosen[aim] = cuts._replace(window=written_window(cuts.window, model.counts))
        except UndefinedError as error:
            rules[aim] = error
    asked, windows = [aim.question for aim in chosen], [_thresholds(cuts) for cuts in chosen.values()]
    verdicts = evaluate(cases, model, [_learner(question) for question in asked], windows)
    for (aim, cuts), decided in zip(chosen.items(), verdicts, strict=True):
        if isinstance(decided, UndefinedError):
            rules[aim] = decided  # all cases together keep the limits, but not without some fold
            continue
        alike = _alike(cuts.window, model.counts)
        judged = decided if alike is None else judge_constant(cases, alike)
        order = (1 if aim.kind == "threshold" else 2, place)
        rules[aim] = _candidate(cases, aim.kind, name, cuts, judged, order)
    return [rules[aim] for aim in aims]


def _chosen(cases: SplitCases, model: JudgedModel, question: Question) -> Cuts:
    if question.by_case:
        return Cuts(*case_window(cases, model, question))
    return choose_cuts(model.counts, question)


def _thresholds(cuts: Cuts) -> Window:
    return Window(cuts.window.lower, cuts.window.upper)


def _constant(cases: SplitCases, kind: str, order: tuple[int, int]) -> Candidate:
    judged = judge_constant(cases, TRIVIAL[kind])
    return _candidate(cases, kind, None, None, judged, order)


def _candidate(
    cases: SplitCases,
    kind: str,
    model: str | None,
    cuts: Cuts | None,
    judged: Judged,
    order: tuple[int, int],
) -> Candidate:
    return Candidate(
        kind=kind,
        model=model,
        window=None if cuts is None else cuts.window,
        cases=cases,
        judged=judged,
        honest=outcomes(cases, judged.honest),
        hindsight=outcomes(cases, [judged.hindsight]),
        order=order,
        gap=0.0 if cuts is None else cuts.gap,
        paid=None if cases.losses is None else gap_sums(cases, cases.losses, judged.honest),
        hindsight_paid=None if cases.losses is None else gap_sums(cases, cases.losses, [judged.hindsight]),
    )


def _alike(window: AbstentionWindow | CaseWindow, counts: ScoreCounts) -> int | None:
    """Return the one decision of a window that treats all cases alike; None for any other."""
    distinct = int(counts.blocks().groups.sum())
    ends = window.lower_index, window.upper_index
    return {(0, 0): 1, (distinct, distinct): 0, (0, distinct): ABSTAIN}.get(ends)


# ---------------------------------------------------------------- the choice among windows


def choose_cuts(counts: ScoreCounts, question: Question) -> Cuts:
    """Choose a window on some cases by the objective, under the limits.

    Raises `UndefinedError` if no window keeps the limits.
    """
    costs, rate = question.point, question.rate
    if question.objective == "guaranteed":
        certificate = surface_certificate(counts, prevalence=rate, confidence_level=question.confidence_level)
        safest = certificate.guaranteed_window(costs=costs)
        masses = score_masses(counts, counts.prevalence if rate is None else rate)
        return Cuts(_window(masses, (safest.lower_index, safest.upper_index), costs, rate, counts), 0.0)
    if not _seeks_over_the_range(question):
        if not question.limits.given():
            return Cuts(surface_of(counts, rate).window(costs=costs), 0.0)
        kept = question.limits.given()
        level = kept.pop("precision_confidence", None)
        limited = cheapest_window(counts, costs=costs, prevalence=rate, confidence_level=level, **kept)
        return Cuts(limited, 0.0)
    masses = score_masses(counts, counts.prevalence if rate is None else rate)
    best = _over_the_range(masses, question, counts, question.allowed(masses))
    if best is None:
        raise UndefinedError("No window keeps the limits over the whole range. Hint: loosen one of them.")
    return Cuts(_window(masses, (best.start, best.stop), costs, rate, counts), best.gap)


def _over_the_range(
    masses: RunningMasses, question: Question, counts: ScoreCounts, allowed: CutLimits | None
) -> RangeCuts | None:
    """Return the window of the least regret or worst cost; `masses` are made under the question's rate."""
    prices = [_prices(corner, counts, question.rate) for corner in question.corners()]
    return range_search(masses, prices, regret=question.objective == "regret", limits=allowed)


def _prices(corner: Corner, counts: ScoreCounts, rate: float | None) -> Prices:
    """Prices at a corner for masses made under the prevalence `rate`."""
    assert isinstance(corner.costs, CostModel)
    if corner.prevalence is None:
        return Prices.of(corner.costs)
    base = counts.prevalence if rate is None else rate
    return Prices.of(corner.costs, *prevalence_factors(corner.prevalence, base))


def _window(
    masses: RunningMasses,
    cuts: tuple[int, int],
    costs: CostModel,
    rate: float | None,
    counts: ScoreCounts,
) -> AbstentionWindow:
    return AbstentionWindow.of_cuts(
        masses,
        cuts,
        mu=costs.mu,
        nu_positive=costs.nu_positive,
        nu_negative=costs.nu_negative,
        prevalence=counts.prevalence if rate is None else rate,
    )


# ---------------------------------------------------------------- windows without each fold


def _learner(question: Question) -> Learner:
    """Return how the windows of a question are learned from the cases of all folds but one."""
    if not _needs_search(question):
        return BlockLearner(PricePoints.at(question.point))
    if _asks_the_counts(question):
        return CountsLearner(partial(_window_of, question))
    return WindowLearner.of(question)


def _window_of(question: Question, counts: ScoreCounts) -> Window:
    return _thresholds(choose_cuts(counts, question))


def _needs_search(question: Question) -> bool:
    if question.by_case or question.limits.given() or question.objective == "guaranteed":
        return True
    return _seeks_over_the_range(question)


def _asks_the_counts(question: Question) -> bool:
    """Tell whether running sums alone do not say which window is best: bounds on shares of few cases do."""
    return question.objective == "guaranteed" or question.limits.precision_confidence is not None


def _seeks_over_the_range(question: Question) -> bool:
    """Tell whether no single point of the costs says which window is best."""
    return question.ranged and question.objective != "expected"
