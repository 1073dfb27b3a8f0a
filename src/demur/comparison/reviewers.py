"""`compare_reviewers`: who should take the cases the model abstains on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from demur._checks import check_mapping, input_error
from demur._results import Result
from demur.comparison.answer import Answer
from demur.comparison.comparison import Comparison, compare_models
from demur.costs.case_costs import CaseCosts
from demur.costs.model import CostModel
from demur.costs.reviewer import ReviewCascade, Reviewer
from demur.typing import ArrayLike, Labels

__all__ = ["ReviewerComparison", "compare_reviewers"]

_TIE = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ReviewerComparison(Result):
    """Several reviewers for the same models and cases; made by `compare_reviewers`.

    Attributes
    ----------
    best : str
        The reviewer with whom the answer costs least; of ties the first.
    costs : mapping
        Reviewer -> honest cost per case of the answer with them.
    comparisons : mapping
        Reviewer -> `Comparison`.
    """

    best: str
    costs: Mapping[str, float]
    comparisons: Mapping[str, Comparison]
    _evidence = ("comparisons",)
    _reported = ("words",)

    @property
    def answer(self) -> Answer:
        """What to do, with the best reviewer."""
        return self.comparisons[self.best].answer

    @property
    def words(self) -> str:
        """Whom to ask, what the others would cost, and the answer."""
        others = sorted((cost, name) for name, cost in self.costs.items() if name != self.best)
        told = ", ".join(f"{name} {1000 * cost:,.4g}" for cost, name in others)
        cost = f"{1000 * self.costs[self.best]:,.4g} per 1000 cases"
        return f"Let {self.best} review: {cost}{f' ({told})' if told else ''}. {self.answer.words}"


def compare_reviewers(
    y_true: Labels,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    costs: CostModel | CaseCosts,
    reviewers: Mapping[str, Reviewer | ReviewCascade],
    prevalence: float | None = None,
    max_abstention: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    class_names: tuple[str, str] = ("negative", "positive"),
    confidence_level: float = 0.95,
    seed: int = 0,
) -> ReviewerComparison:
    """Find the reviewer who should take the cases abstained on: the one with the smallest honest cost.

    One reviewer takes all cases of the window. Sending each score to the cheapest of several would be
    no window any more; for a junior who passes cases on, take a `ReviewCascade`. Smaller costs are
    better. The smallest of several honest costs is a little too small; with few reviewers hardly.

    Parameters
    ----------
    y_true, scores
        As in `compare_models`.
    costs : CostModel or CaseCosts
        Costs of errors, without a cost of abstaining.
    reviewers : mapping {name: Reviewer or ReviewCascade}
        Whom to choose from.
    prevalence, max_abstention, pos_label, sample_weight, weights, class_names, confidence_level, seed
        As in `compare_models`.

    Returns
    -------
    ReviewerComparison
        With `best`, `costs`, `comparisons`, `answer`, `words`.

    Raises
    ------
    InputError
        For costs of abstaining beside the reviewers, and ill-formed input.

    Examples
    --------
    A miss costs 100, a false alarm 40. Is a senior at 12 worth it, or does a junior at 3 do?

    >>> from demur import Binormal, CostModel, Reviewer
    >>> from demur.comparison import compare_reviewers
    >>> y, s = Binormal(separation=2.0).sample(300, rng=0)
    >>> reviewers = {
    ...     "junior": Reviewer(fee=3, sensitivity=0.85, specificity=0.9), "senior": Reviewer(fee=12),
    ... }
    >>> compare_reviewers(y, s, costs=CostModel(cost_fn=100, cost_fp=40), reviewers=reviewers).best
    'junior'
    """
    if not isinstance(reviewers, Mapping) or not reviewers:
        raise input_error("reviewers", "must be a non-empty mapping {name: Reviewer}", repr(reviewers))
    single = {name: one for name, one in reviewers.items() if not isinstance(one, ReviewCascade)}
    if single:
        check_mapping(single, "reviewers", Reviewer)
    if not isinstance(costs, (CostModel, CaseCosts)):
        raise input_error("costs", "must be a CostModel or CaseCosts", type(costs).__name__)
    if costs.may_abstain:
        hint = "the reviewers say what abstaining costs."
        raise input_error("costs", "must not have a cost of abstaining beside reviewers", repr(costs), hint)
    comparisons: dict[str, Comparison] = {}
    for name, one in reviewers.items():
        found = compare_models(
            y_true,
            scores,
            costs=_with(costs, one),
            prevalence=prevalence,
            max_abstention=max_abstention,
            pos_label=pos_label,
            sample_weight=sample_weight,
            weights=weights,
            class_names=class_names,
            confidence_level=confidence_level,
            seed=seed,
        )
        assert isinstance(found, Comparison), "costs of two classes give one"
        comparisons[str(name)] = found
    paid: dict[str, float] = {name: one.answer.cost for name, one in comparisons.items()}
    least = min(paid.values())
    best = next(name for name, cost in paid.items() if cost <= least * (1 + _TIE))
    return ReviewerComparison(best=best, costs=paid, comparisons=comparisons)


def _with(costs: CostModel | CaseCosts, reviewer: Reviewer | ReviewCascade) -> CostModel | CaseCosts:
    return replace(costs, reviewer=reviewer)
