"""The choice among candidates: smallest honest cost first, and what surrounds it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from demur.comparison.answer import Answer, Versus
from demur.comparison.candidates import Candidate, cheapest_at_corners
from demur.comparison.estimates import (
    Estimate,
    cost_at,
    cost_of,
    difference_interval,
    rates_of,
)
from demur.comparison.loss_matrix import choice_cost
from demur.comparison.question import Question
from demur.comparison.words import condition_words
from demur.costs.case_costs import CaseFactors
from demur.honest.after_choice import first_smallest
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.certificates import SurfaceCertificate, surface_certificate
from demur.typing import FloatArray

__all__ = ["Choice", "make_answer"]

_TIE = 1e-12
# the cost of the advice is that of a choice among at most so many models
_MOST_ADVISED = 64
_GRID = 5
_EVERYWHERE = {
    "always positive": (-np.inf, -np.inf),
    "always negative": (np.inf, np.inf),
    "always abstain": (-np.inf, np.inf),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """Everything the answer is chosen from."""

    cases: Mapping[str, SplitCases]
    judged: Mapping[str, JudgedModel]
    question: Question
    trivial: Sequence[Candidate]
    candidates: Mapping[str, Sequence[Candidate]]
    certificates: Mapping[str, SurfaceCertificate | None]
    class_names: tuple[str, str]
    labels: tuple[Any, Any]

    @cached_property
    def floors(self) -> FloatArray:
        """Smallest honest cost at every corner of the box if the rule is chosen for that corner."""
        corners = self.question.corners()
        costs = [[cost_at(one, corner) for one in self.all] for corner in corners]
        for name, model in self.judged.items():
            by_corner = cheapest_at_corners(self.cases[name], model, self.question)
            for corner, rules, paid in zip(corners, by_corner, costs, strict=True):
                paid += [cost_at(one, corner) for one in rules]
        return np.array([min(paid) for paid in costs])

    @property
    def all(self) -> list[Candidate]:
        """All candidates, simplest first."""
        return sorted(
            [*self.trivial, *(one for several in self.candidates.values() for one in several)],
            key=lambda one: one.order,
        )


def make_answer(choice: Choice, *, models_only: bool = False) -> Answer:
    """Choose, and say what surrounds the choice; with `models_only` among the rules of models."""
    question = choice.question
    candidates = [one for one in choice.all if not models_only or one.model is not None]
    best = candidates[first_smallest(*_values(candidates, choice))]
    estimate = cost_of(best, question)
    shares = rates_of(best.honest, question.rate)
    lower, upper = _thresholds(best)
    trivial = _best_trivial(choice)
    regret, worst = _over_ranges(best, choice)
    negative, positive = choice.class_names
    counts = next(iter(choice.judged.values())).counts
    return Answer(
        kind=_kind(best),
        model=best.model,
        lower=lower,
        upper=upper,
        cost=estimate.cost,
        interval=estimate.interval,
        hindsight_cost=estimate.hindsight,
        guaranteed_cost=_guaranteed(best, choice, estimate),
        advice_cost=_advice(choice),
        versus=MappingProxyType(_versus(best, choice)),
        regret=regret,
        worst_cost=worst,
        best_share=_best_share(best, choice),
        gap=best.gap,
        called_positive=float(shares[:, 1].sum()),
        called_negative=float(shares[:, 0].sum()),
        abstention_rate=float(shares[:, 2].sum()),
        missed=float(shares[1, 0]),
        alarms=float(shares[0, 1]),
        n=next(iter(choice.cases.values())).n,
        prevalence=counts.prevalence if question.rate is None else question.rate,
        confidence_level=question.confidence_level,
        positive=positive,
        negative=negative,
        best_trivial=trivial,
        guarantee_defined=_guarantee_defined(choice),
        condition=condition_words(question.limits.given(), question.objective),
        stakes=_stakes(best, choice),
        # a threshold was chosen for somebody who cannot send a case to a person
        costs=(question.never_abstaining() if best.kind == "threshold" else question).chosen_for,
        labels=choice.labels,
        window=best.window,
        counts=None if best.model is None else choice.judged[best.model].counts,
    )


def _stakes(candidate: Candidate, choice: Choice) -> Mapping[str, float] | None:
    """Money per case where every case has its own costs: at stake, lost by each error, paid for reviews."""
    factors, rate = choice.question.centre
    if candidate.paid is None or not isinstance(factors, CaseFactors):
        return None
    losses, positive = candidate.cases.losses, candidate.cases.positive
    assert losses is not None
    # what positives cost if they are called negative
    stake = factors.miss * float(np.average(losses[positive, 0], weights=candidate.cases.sizes[positive]))
    shares = rates_of(candidate.honest, rate)
    # cases of a class and their money are weighted alike
    each = shares.sum(axis=1, keepdims=True) / candidate.honest.sum(axis=1, keepdims=True)
    paid = candidate.paid.losses * np.array(factors) * each
    return MappingProxyType(
        {
            "at_stake": stake * float(shares[1].sum()),
            "missed": float(paid[1, 0]),
            "alarms": float(paid[0, 1]),
            "reviews": float(paid[:, 2].sum()),
        }
    )


def _kind(candidate: Candidate) -> str:
    """A window without scores inside is a threshold."""
    window = candidate.window
    if candidate.kind == "window" and window is not None and window.lower_index == window.upper_index:
        return "threshold"
    return candidate.kind


def _values(candidates: Sequence[Candidate], choice: Choice) -> tuple[FloatArray, float]:
    """What the objective compares: honest cost, worst honest cost, honest regret, or the guarantee.

    Also the size of the costs by which ties are judged, as a regret may be 0.
    """
    question = choice.question
    if question.objective == "guaranteed":
        return np.array([_bound(one, choice, 1) for one in candidates]), 0.0
    if question.objective in ("worst", "regret"):
        costs = np.array([[cost_at(one, corner) for corner in question.corners()] for one in candidates])
        floors = choice.floors if question.objective == "regret" else 0.0
        return np.asarray((costs - floors).max(axis=1)), float(np.abs(costs).max())
    point = question.centre
    return np.array([cost_at(one, point) for one in candidates]), 0.0


def _thresholds(candidate: Candidate) -> tuple[float, float]:
    if candidate.window is None:
        return _EVERYWHERE[candidate.kind]
    return float(candidate.window.lower), float(candidate.window.upper)


# ---------------------------------------------------------------- against other rules


def _best_trivial(choice: Choice) -> Mapping[str, Any] | None:
    if not choice.trivial:
        return None
    point = choice.question.centre
    costs = np.array([cost_at(one, point) for one in choice.trivial])
    best = choice.trivial[first_smallest(costs)]
    return MappingProxyType({"name": best.kind, "cost": cost_at(best, point)})


def _cheapest(candidates: Sequence[Candidate], choice: Choice) -> Candidate | None:
    if not candidates:
        return None
    point = choice.question.centre
    ordered = sorted(candidates, key=lambda one: one.order)
    return ordered[first_smallest(np.array([cost_at(one, point) for one in ordered]))]


def _versus(best: Candidate, choice: Choice) -> dict[str, Versus]:
    """Compare with the best other rule of each kind, paired on the same held-out cases."""
    models = [one for several in choice.candidates.values() for one in several]
    own = choice.candidates.get(best.model or "", ())
    others = {
        "trivial": _cheapest([one for one in choice.trivial if one is not best], choice),
        "never_abstaining": _cheapest(
            [one for one in (own or models) if one.kind == "threshold" and one is not best], choice
        ),
        "runner_up": _cheapest([one for one in models if one.model != best.model], choice),
    }
    versus = {}
    for key, other in others.items():
        if other is not None:
            difference, interval = difference_interval(best, other, choice.question)
            versus[key] = Versus(name=other.model or other.kind, difference=difference, interval=interval)
    return versus


def _over_ranges(best: Candidate, choice: Choice) -> tuple[float | None, float | None]:
    """Honest regret against rules chosen for each corner, and worst honest cost over the corners."""
    if not choice.question.ranged:
        return None, None
    costs = np.array([cost_at(best, corner) for corner in choice.question.corners()])
    return float((costs - choice.floors).max()), float(costs.max())


def _best_share(best: Candidate, choice: Choice) -> float | None:
    """Share of an even grid over the ranges at which no other candidate is cheaper."""
    if not choice.question.ranged:
        return None
    points = choice.question.grid(_GRID)
    costs = np.array([[cost_at(one, point) for point in points] for one in (best, *choice.all)])
    return float(np.mean(costs[0] <= costs.min(axis=0) * (1 + _TIE)))


# ---------------------------------------------------------------- advice and guarantee


def _advice(choice: Choice) -> float | None:
    """Return what following the advice has cost: the choice, judged on cases that did not make it."""
    question = choice.question
    if question.objective == "guaranteed" or question.limits.precision_confidence is not None:
        return None
    first, *others = choice.cases.values()
    if any(one is not first for one in others):
        return None  # models split apart have no cases in common
    kept = _advisable(choice)
    candidates = [one for one in choice.all if one.model is None or one.model in kept]
    return choice_cost(first, candidates, question).all_draws


def _advisable(choice: Choice) -> set[str]:
    """Models that the advice is chosen among: all, or the cheapest of many.

    A model behind so many others on all cases is hardly ever first on some of them.
    """
    centre = choice.question.centre
    costs = {
        name: min(cost_at(one, centre) for one in several) for name, several in choice.candidates.items()
    }
    return set(sorted(costs, key=costs.__getitem__)[:_MOST_ADVISED])


def _guarantee_defined(choice: Choice) -> bool:
    return all(one is not None for one in choice.certificates.values())


def _bound(candidate: Candidate, choice: Choice, models: int) -> float:
    """Guaranteed cost of a candidate when `models` certificates are to hold together."""
    question = choice.question
    if candidate.model is None:
        point = question.centre
        if candidate.kind == "always abstain" and _same_review(question):
            return cost_at(candidate, point)
        name = next(iter(choice.judged))
    else:
        name = candidate.model
    certificate = choice.certificates[name]
    if certificate is None:
        return float("inf")
    if models > 1:
        level = 1 - (1 - question.confidence_level) / models
        counts = choice.judged[name].counts
        certificate = surface_certificate(counts, prevalence=question.rate, confidence_level=level)
    return certificate.bound_of(_thresholds(candidate), costs=question.point)


def _same_review(question: Question) -> bool:
    """Whether a review costs the same whoever the case is: then reviewing all cases has no risk."""
    if question.by_case:
        return False
    costs = question.point
    negative, positive = costs.losses.table[:, 2]
    return bool(negative == positive)


def _guaranteed(best: Candidate, choice: Choice, estimate: Estimate) -> float | None:
    """Bound of the answer's true cost, valid for the choice among all models."""
    if best.kind == "always abstain" and _same_review(choice.question):
        return estimate.cost
    if not _guarantee_defined(choice):
        return None
    return _bound(best, choice, len(choice.judged))
