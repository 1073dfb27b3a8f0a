"""Windows of classifiers whose costs differ by case: amounts that come with `fit`, and what they lead to."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from demur._checks import check_amounts, check_type, input_error
from demur.comparison.question import Limits, Question
from demur.comparison.window_learner import WindowLearner, case_window
from demur.costs.case_costs import CaseCosts
from demur.costs.model import CostModel
from demur.counts.case_window import CaseWindow
from demur.exceptions import InputError, UndefinedError
from demur.honest.cases import SplitCases
from demur.honest.decisions import Window
from demur.honest.estimates import class_shares, gap_sums, mean_and_error, paid_estimate
from demur.honest.evaluate import evaluate
from demur.honest.expected_cost import ExpectedCost
from demur.surface.window import ABSTAIN
from demur.typing import BoolArray, FloatArray

__all__ = ["AMOUNTS", "CaseSample", "case_costs_of", "case_losses", "given_amounts", "require_numbers"]

AMOUNTS = ("cost_fn", "cost_fp", "cost_abstain")
"""What `fit` and `score` take per case; each overrides the cost of the same name."""


def given_amounts(**amounts: Any) -> dict[str, Any]:
    """Return the amounts that were passed, checked: a long fit should not end in a refusal."""
    return {name: check_amounts(value, name) for name, value in amounts.items() if value is not None}


def require_numbers(costs: CaseCosts) -> None:
    """Refuse amounts of cases that a constructor cannot know."""
    for field in fields(costs):
        if field.name != "reviewer" and isinstance(getattr(costs, field.name), np.ndarray):
            raise input_error(
                "costs",
                "must hold one number per cost",
                f"amounts as {field.name}",
                f"pass them to fit: fit(X, y, {field.name}=...).",
            )


def case_costs_of(costs: CostModel | CaseCosts | None, amounts: dict[str, Any]) -> CaseCosts:
    """Return the stated costs with the amounts of the cases in their place."""
    if costs is None:
        missing = [name for name in AMOUNTS[:2] if name not in amounts]
        if missing:
            raise InputError(f"`{missing[0]}` is needed with amounts. Hint: pass costs=CostModel(...).")
        return CaseCosts(**amounts)
    if isinstance(costs, CaseCosts):
        return replace(costs, **amounts)
    stated: dict[str, Any] = {field.name: getattr(costs, field.name) for field in fields(costs) if field.init}
    if "cost_abstain" in amounts or costs.hired is not None:
        stated |= dict.fromkeys(("cost_abstain_positive", "cost_abstain_negative"))
    if "cost_abstain" not in amounts:
        # a reviewer's mistakes cost what the case costs
        stated["reviewer"] = costs.hired
    return CaseCosts(**{**stated, **amounts})


def case_losses(costs: CaseCosts, positive: BoolArray, decided: Any) -> FloatArray:
    """Return what every case costs under its decision; `ABSTAIN` is the last column."""
    losses = costs.losses(positive).table * np.array(costs.mean)
    paid: FloatArray = losses[np.arange(len(positive)), decided]
    return paid


@dataclass(frozen=True, kw_only=True, eq=False)
class CaseSample:
    """Out-of-fold cases with their own costs.

    Attributes
    ----------
    positive, scores, weights
        The cases, those of weight 0 left out.
    losses : array of (cases, actions)
        Their costs.
    question : Question
        Costs, prevalence and limits.
    """

    positive: BoolArray
    scores: FloatArray
    weights: FloatArray | None
    losses: FloatArray
    question: Question

    @classmethod
    def of(
        cls,
        positive: BoolArray,
        scores: FloatArray,
        weights: FloatArray | None,
        costs: CaseCosts,
        *,
        limits: Limits,
        prevalence: float | None,
        confidence_level: float,
        seed: int,
    ) -> "CaseSample":
        """Check the costs against the cases."""
        check_type(costs, "costs", CaseCosts)
        losses = costs.losses(positive).table
        question = Question.checked(
            costs=costs,
            prevalence=prevalence,
            objective="expected",
            limits=limits,
            confidence_level=confidence_level,
            seed=seed,
        )
        if weights is not None:
            kept = weights > 0
            positive, scores, weights = positive[kept], scores[kept], weights[kept]
            losses = losses[kept]
        return cls(positive=positive, scores=scores, weights=weights, losses=losses, question=question)

    def fit(self) -> tuple[CaseWindow, ExpectedCost | None]:
        """Return the window of all cases and its honest cost; None where the limits fail in some fold."""
        cases = SplitCases.of_rows(
            self.positive,
            self.weights,
            weights="importance",
            prevalence=self.question.rate,
            folds=None,
            repeats=None,
            rng=self.question.seed,
            quantity="a window for amounts",
        )
        cases = replace(cases, losses=self.losses)
        model = cases.judge(self.scores)
        window, _ = case_window(cases, model, self.question)
        learner, thresholds = WindowLearner.of(self.question), Window(window.lower, window.upper)
        (judged,) = evaluate(cases, model, [learner], [thresholds])
        if isinstance(judged, UndefinedError):
            return window, None
        costs = self.question.costs
        assert isinstance(costs, CaseCosts)
        rate, level, factors = self.question.rate, self.question.confidence_level, np.array(costs.mean)
        shares = None if rate is None else np.array([1 - rate, rate])
        honest, hindsight = (
            gap_sums(cases, self.losses, codes).scaled(factors)
            for codes in (judged.honest, [judged.hindsight])
        )
        estimate = paid_estimate(honest, hindsight, shares, level=level)
        return window, ExpectedCost(
            cost=estimate.cost,
            interval=estimate.interval,
            standard_error=mean_and_error(honest, shares)[1],
            hindsight=estimate.hindsight,
            abstention_rate=float(class_shares(honest.cases, shares)[:, ABSTAIN].sum()),
            confidence_level=level,
            folds=cases.folds,
            repeats=cases.repeats,
            n=cases.n,
        )
