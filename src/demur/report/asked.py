"""What a report is asked: scores of several models from a mapping or any data frame, and costs."""

from collections.abc import Mapping
from typing import Any

from demur._checks import check_scores, check_type, input_error
from demur.comparison.problem import DecisionProblem, Limits
from demur.costs.case_costs import CaseCosts
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.typing import FloatArray

__all__ = ["START", "model_scores", "page_problem"]

START = CostModel(cost_fn=1.0, cost_fp=1.0, cost_abstain=0.2)
"""Where the page starts if the user names no costs."""


def model_scores(scores: Any) -> dict[str, FloatArray]:
    """Return checked scores by name."""
    if hasattr(scores, "columns") and not isinstance(scores, Mapping):
        import narwhals as nw

        frame = nw.from_native(scores, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            scores = {name: frame[name].to_numpy() for name in frame.columns}
    if not isinstance(scores, Mapping) or not scores:
        kind = type(scores).__name__
        raise input_error("scores", "must be a non-empty mapping {name: scores} or a data frame", kind)
    columns = {str(name): check_scores(column, f"scores[{name!r}]") for name, column in scores.items()}
    if len(columns) < len(scores):
        raise input_error("scores", "must have names that differ as text", list(scores))
    return columns


def page_problem(
    costs: Any, prevalence: Any, objective: Any, limits: Limits | None, confidence_level: Any, seed: Any
) -> DecisionProblem:
    """Return the problem at costs the page can start from: its fields show no review below 0."""
    if costs is None:
        costs = START
    elif not isinstance(costs, (CostRange, CaseCosts)):
        check_type(costs, "costs", CostModel)
        for name in ("cost_abstain", "cost_abstain_positive", "cost_abstain_negative"):
            price = getattr(costs, name)
            if price is not None and price < 0 and costs.hired is None:
                raise input_error(name, "must not be negative in a report", f"{price:g}")
    return DecisionProblem.checked(
        costs=costs,
        prevalence=prevalence,
        objective=objective,
        limits=Limits() if limits is None else limits,
        confidence_level=confidence_level,
        seed=seed,
    )
