"""The first sentences of a report: the answer, or why there is none."""

from collections.abc import Sequence

from demur.comparison.comparison import Comparison
from demur.comparison.remarks import no_answer
from demur.costs.case_costs import CaseCosts
from demur.costs.matrix import CostMatrix
from demur.costs.model import CostModel
from demur.report.model import ModelReport

__all__ = ["headline"]


def headline(
    comparison: Comparison | None,
    models: Sequence[ModelReport],
    costs: CostModel | CaseCosts | CostMatrix,
    *,
    costs_given: bool,
) -> str:
    """Say what to do, or why the cases do not tell."""
    if comparison is None or comparison.answer is None:
        counts = models[0].surface.counts
        return no_answer(counts.n_positive, counts.n_negative)
    words = comparison.answer.words
    if costs_given or not isinstance(costs, CostModel):
        return words
    review = "" if costs.cost_abstain is None else f" and a review {costs.cost_abstain:g}"
    start = f"If a miss costs {costs.cost_fn:g}, a false alarm {costs.cost_fp:g}{review}"
    return f"{start}: {words[0].lower()}{words[1:]}"
