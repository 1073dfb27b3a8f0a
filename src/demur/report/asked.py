"""What a report is asked: scores of several models from a mapping or any data frame, and costs."""

from collections.abc import Mapping
from typing import Any

from demur._checks import check_scores, check_type, input_error
from demur.comparison.question import Limits, Question
from demur.costs.case_costs import CaseCosts
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.typing import FloatArray

__all__ = ["START", "model_scores", "page_question"]

START = CostModel(cost_fn=1.0, cost_fp=1.0, cost_abstain=0.2)
"""Where the page starts if the user names no costs."""


def model_scores(scores: Any) -> dict[str, FloatArray]:
    """Return checked scores by name."""
    if hasattr(scores, "columns") and not isinstance(scores, Mapping):
        scores = _frame_columns(scores)
    if not isinstance(scores, Mapping) or not scores:
        kind = type(scores).__name__
        raise input_error("scores", "must be a non-empty mapping {name: scores} or a data frame", kind)
    columns = {str(name): check_scores(column, f"scores[{name!r}]") for name, column in scores.items()}
    if len(columns) < len(scores):
        raise input_error("scores", "must have names that differ as text", list(scores))
    return columns


def _frame_columns(frame: Any) -> Any:
    """Return the columns of a data frame of any kind by name; what is none as it is."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True, pass_through=True)
    return (
        {name: table[name].to_numpy() for name in table.columns} if isinstance(table, nw.DataFrame) else frame
    )


def page_question(
    costs: Any, prevalence: Any, objective: Any, limits: Limits | None, confidence_level: Any, seed: Any
) -> Question:
    """Return the question, at costs the page can start from."""
    return Question.checked(
        costs=costs if isinstance(costs, (CostRange, CaseCosts)) else _check_costs(costs),
        prevalence=prevalence,
        objective=objective,
        limits=Limits() if limits is None else limits,
        confidence_level=confidence_level,
        seed=seed,
    )


def _check_costs(costs: CostModel | None) -> CostModel:
    """Return the costs if the fields of the page can show them: no price of a review below 0."""
    if costs is None:
        return START
    check_type(costs, "costs", CostModel)
    for name in ("cost_abstain", "cost_abstain_positive", "cost_abstain_negative"):
        price = getattr(costs, name)
        if price is not None and price < 0 and costs.hired is None:
            raise input_error(name, "must not be negative in a report", f"{price:g}")
    return costs
