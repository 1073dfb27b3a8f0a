"""The first sentences of a report: the answer, or why there is none."""

import re
from collections.abc import Iterator, Sequence

from demur.comparison.comparison import Comparison
from demur.comparison.models import ModelComparison
from demur.comparison.words import short_name
from demur.costs.case_costs import CaseCosts
from demur.costs.model import CostModel
from demur.report.model import DataSource, ModelReport

__all__ = ["class_words", "headline", "model_remarks", "no_answer"]

# labels that say less than "positive" and "negative"
_NO_WORD = re.compile(r"[-+.\d]*|true|false|yes|no|pos|neg", re.IGNORECASE)


def class_words(source: DataSource) -> tuple[str, str]:
    """Return how sentences call the negative and the positive class."""
    pair = source.negative, source.positive
    if any(_NO_WORD.fullmatch(label) for label in pair):
        return "negative", "positive"
    return pair


def headline(
    comparison: Comparison | None,
    models: Sequence[ModelReport],
    costs: CostModel | CaseCosts,
    *,
    costs_given: bool,
) -> str:
    """Say what to do, or why the cases do not tell."""
    counts = models[0].surface.counts
    if comparison is None or comparison.answer is None:
        return no_answer(counts.n_positive, counts.n_negative)
    words = comparison.answer.words
    if costs_given or isinstance(costs, CaseCosts):
        return words
    review = "" if costs.cost_abstain is None else f" and a review {costs.cost_abstain:g}"
    start = f"If a miss costs {costs.cost_fn:g}, a false alarm {costs.cost_fp:g}{review}"
    return f"{start}: {words[0].lower()}{words[1:]}"


def no_answer(n_positive: float, n_negative: float) -> str:
    """Say why so few cases do not tell what to do."""
    if min(n_positive, n_negative) == 0:
        only = "positive" if n_positive else "negative"
        return f"All cases are {only}: there is nothing to decide, and nothing to learn about thresholds."
    return (
        f"{n_positive:g} positive and {n_negative:g} negative cases are too few to judge "
        "any rule on cases that did not choose it: collect more before you decide."
    )


def model_remarks(models: Sequence[ModelReport | ModelComparison]) -> Iterator[str]:
    """Say what is odd about the models as a whole."""
    for model in models:
        if model.auc is not None and model.auc < 0.5:
            yield f"{short_name(model.name)} ranks worse than chance (AUC {model.auc:.3f}); flip its scores?"
