"""Rules to choose from: per model a window and a single threshold, and three without a model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from demur.comparison.question import Corner, Question
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.certificates import surface_certificate
from demur.honest.decisions import (
    ABSTAINED,
    Judged,
    Window,
    judge_choices,
    judge_constant,
    judge_learned,
    outcomes,
)
from demur.honest.held_out import reweighted
from demur.honest.rules import Prices as PricePoints
from demur.surface.masses import RunningMasses, score_masses
from demur.surface.surface import surface_of
from demur.surface.window import AbstentionWindow
from demur.typing import FloatArray
from demur.windows.cheapest import cheapest_window
from demur.windows.range_search import range_search
from demur.windows.search import CutLimits, Prices

__all__ = [
    "TRIVIAL",
    "Candidate",
    "Cuts",
    "cheapest_at",
    "choose_cuts",
    "model_candidates",
    "trivial_candidates",
]

TRIVIAL = {"always positive": 1, "always negative": 0, "always abstain": ABSTAINED}
"""The rules without a model, and the decision each makes on every case."""


class Cuts(NamedTuple):
    """A window among the distinct scores of some cases; `gap` is what is unproven of its optimality."""

    window: AbstentionWindow
    gap: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidate:
    """One rule: what it is, what it decides on every case, and the tables of its outcomes.

    Attributes
    ----------
    kind : str
        "window", "threshold" or the name of a rule without a model.
    model : str or None
    window : AbstentionWindow or None
        Thresholds chosen on all cases; None without a model.
    cases : SplitCases
        The splits it was judged on: those of all models, or its own where only counts are at hand.
    judged : Judged
        Its decisions.
    honest, hindsight : array
        Cases by class (negative, positive) and decision (negative, positive, abstain).
    order : tuple
        Simplest first, for ties.
    gap : float
        What is unproven of the choice over a range of costs; 0 by default.
    """

    kind: str
    model: str | None
    window: AbstentionWindow | None
    cases: SplitCases
    judged: Judged
    honest: FloatArray
    hindsight: FloatArray
    order: tuple[int, int]
    gap: float = 0.0

    def on(self, cases: SplitCases) -> "Candidate":
        """Return a rule without a model for other splits of the same cases."""
        return _candidate(cases, self.kind, None, None, judge_constant(cases, TRIVIAL[self.kind]), self.order)


def trivial_candidates(cases: SplitCases, question: Question) -> list[Candidate]:
    """Return the rules without a model that keep the limits."""
    candidates = []
    for place, (kind, code) in enumerate(TRIVIAL.items()):
        if code == ABSTAINED and not question.may_abstain:
            continue
        judged = judge_constant(cases, code)
        candidate = _candidate(cases, kind, None, None, judged, (0, place))
        if _keeps_limits(candidate.hindsight, code, question, cases):
            candidates.append(candidate)
    return candidates


def _keeps_limits(table: FloatArray, code: int, question: Question, cases: SplitCases) -> bool:
    limits = question.limits
    negative, positive = table.sum(axis=1)
    rate = question.rate
    share = float(positive / (positive + negative)) if rate is None else rate
    promised = {1: (limits.min_precision_positive, share), 0: (limits.min_precision_negative, 1 - share)}
    wanted, precision = promised.get(code, (None, 1.0))
    if wanted is not None and precision < wanted:
        return False
    if code == 0 and limits.max_fn_rate is not None and limits.max_fn_rate < 1:
        return False
    return not (code == ABSTAINED and limits.max_abstention is not None and limits.max_abstention < 1)


def model_candidates(
    cases: SplitCases, name: str, model: JudgedModel, question: Question, place: int
) -> list[Candidate]:
    """Return the window and the single threshold of one model, each chosen by the objective.

    Raises `UndefinedError` if the limits allow neither; one of them alone may be missing.
    """
    aims = [("threshold", question.never_abstaining())]
    if question.may_abstain:
        aims.append(("window", question))
    kept, windows, reason = [], [], None
    for kind, aim in aims:
        try:
            windows.append(choose_cuts(model.counts, aim))
            kept.append((kind, aim))
        except UndefinedError as error:
            reason = error
    if not kept:
        assert reason is not None
        raise reason
    judged = _judge(cases, model, [aim for _, aim in kept], [cuts.window for cuts in windows])
    candidates = []
    for (kind, _), cuts, decisions in zip(kept, windows, judged, strict=True):
        alike = _alike(cuts.window, model.counts)
        decided = decisions if alike is None else judge_constant(cases, alike)
        order = (1 if kind == "threshold" else 2, place)
        candidates.append(_candidate(cases, kind, name, cuts.window, decided, order, cuts.gap))
    return candidates


def cheapest_at(
    cases: SplitCases, model: JudgedModel, question: Question, corner: Corner
) -> list[FloatArray]:
    """Held-out outcomes of the model's window and threshold re-chosen for one corner of the box."""
    at_corner = replace(question, costs=corner.costs, prevalence=corner.prevalence, objective="expected")
    if corner.prevalence is not None:
        model = model._replace(
            honest=reweighted(model.honest, corner.prevalence),
            hindsight=reweighted(model.hindsight, corner.prevalence),
        )
    try:
        return [one.honest for one in model_candidates(cases, "", model, at_corner, 0)]
    except UndefinedError:
        return []


def _candidate(
    cases: SplitCases,
    kind: str,
    model: str | None,
    window: AbstentionWindow | None,
    judged: Judged,
    order: tuple[int, int],
    gap: float = 0.0,
) -> Candidate:
    return Candidate(
        kind=kind,
        model=model,
        window=window,
        cases=cases,
        judged=judged,
        honest=outcomes(cases, judged.honest),
        hindsight=outcomes(cases, [judged.hindsight]),
        order=order,
        gap=gap,
    )


def _alike(window: AbstentionWindow, counts: ScoreCounts) -> int | None:
    """Return the one decision of a window that treats all cases alike; None for any other."""
    distinct = int(counts.blocks().groups.sum())
    ends = window.lower_index, window.upper_index
    return {(0, 0): 1, (distinct, distinct): 0, (0, distinct): ABSTAINED}.get(ends)


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
    if not question.ranged or question.objective == "expected":
        if not question.limits.given():
            return Cuts(surface_of(counts, rate).window(costs=costs), 0.0)
        kept = question.limits.given()
        level = kept.pop("precision_confidence", None)
        limited = cheapest_window(counts, costs=costs, prevalence=rate, confidence_level=level, **kept)
        return Cuts(limited, 0.0)
    masses = score_masses(counts, counts.prevalence if rate is None else rate)
    prices = [_prices(corner, counts, rate) for corner in question.corners()]
    regret = question.objective == "regret"
    best = range_search(masses, prices, regret=regret, limits=_limits(counts, masses, question))
    if best is None:
        raise UndefinedError("No window keeps the limits over the whole range. Hint: loosen one of them.")
    return Cuts(_window(masses, (best.start, best.stop), costs, rate, counts), best.gap)


def _limits(counts: ScoreCounts, masses: RunningMasses, question: Question) -> CutLimits | None:
    if not question.limits.given():
        return None
    limits = question.limits.cuts(masses)
    if isinstance(question.prevalence, tuple):
        for rate in question.prevalence:
            limits = limits.both(question.limits.cuts(score_masses(counts, rate)))
    return limits


def _prices(corner: Corner, counts: ScoreCounts, rate: float | None) -> Prices:
    """Prices at a corner for masses made under the prevalence `rate`."""
    if corner.prevalence is None:
        return Prices.of(corner.costs)
    base = counts.prevalence if rate is None else rate
    return Prices.of(corner.costs, corner.prevalence / base, (1 - corner.prevalence) / (1 - base))


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


# ---------------------------------------------------------------- decisions on every case


def _judge(
    cases: SplitCases, model: JudgedModel, aims: Sequence[Question], windows: Sequence[AbstentionWindow]
) -> list[Judged]:
    if not any(_needs_search(aim) for aim in aims):
        return [judge_learned(cases, model, _price_point(aim.point)) for aim in aims]

    def choose(counts: ScoreCounts) -> list[Window]:
        return [_fold_window(counts, aim) for aim in aims]

    hindsight = [Window(window.lower, window.upper) for window in windows]
    return judge_choices(cases, model.scores, model.classes, choose, hindsight)


def _needs_search(question: Question) -> bool:
    searched = question.ranged and question.objective != "expected"
    return bool(question.limits.given()) or searched or question.objective == "guaranteed"


def _fold_window(counts: ScoreCounts, question: Question) -> Window:
    """Window of one fold; where the limits allow none there, decide as the limits allow."""
    try:
        window = choose_cuts(counts, question).window
    except UndefinedError:
        if question.may_abstain and (question.limits.max_abstention or 1.0) >= 1:
            return Window(-math.inf, math.inf)
        raise
    return Window(window.lower, window.upper)


def _price_point(costs: CostModel) -> PricePoints:
    mu, positive, negative = (np.asarray(value) for value in (costs.mu, costs.nu_positive, costs.nu_negative))
    return PricePoints.of_surface(mu, positive, negative)
