"""From flags to the question a comparison answers."""

from dataclasses import dataclass, replace
from typing import Any

from demur.cli.options import Certainty, Limits, Prices, Source
from demur.cli.output import percent
from demur.cli.reading.evidence import Evidence, Part
from demur.cli.reading.predictions import Predictions
from demur.comparison.case_sums import comparison_of_sums
from demur.comparison.comparison import (
    Cases,
    Comparison,
    comparison_of,
    comparison_of_counts,
    comparison_of_joint,
)
from demur.comparison.question import Limits as KeptLimits
from demur.comparison.question import Question
from demur.comparison.remarks import classes_in_words, model_remarks, no_answer
from demur.costs.case_costs import CaseCosts
from demur.exceptions import InputError
from demur.honest.splits import FEWEST_CASES

__all__ = ["Asked", "compare_part", "file_labels", "is_whole", "kept_limits", "part_remarks", "why_left_out"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """The question, what weights mean, and what to say about the flags."""

    question: Question
    weights: str
    remark: str
    prices: Prices

    def on(self, rows: Predictions) -> Question:
        """Return the question about some rows: costs that differ by case are theirs."""
        if not self.question.by_case:
            return self.question
        return replace(self.question, costs=self.prices.case_costs(rows.amounts))

    @classmethod
    def of(
        cls,
        source: Source,
        prices: Prices,
        limits: Limits,
        certainty: Certainty,
        *,
        costs_needed: bool = False,
    ) -> "Asked":
        """Check the flags together."""
        costs = prices.costs_or_range()
        if costs is None and costs_needed:
            raise InputError(
                "A decision needs costs. "
                "Hint: pass --cost-fn, --cost-fp and --cost-abstain, or --mu and --nu."
            )
        if costs is None and (prices.objective or limits.given()):
            named = "--objective" if prices.objective else next(iter(limits.given()))
            raise InputError(f"`{named}` needs costs. Hint: add --cost-fn and --cost-fp.")
        question = Question.checked(
            costs=costs,
            prevalence=prices.prevalence,
            objective=prices.objective,
            limits=kept_limits(limits),
            confidence_level=certainty.confidence,
            seed=certainty.seed,
        )
        remark = ""
        if prices.objective in ("worst", "regret") and not question.ranged:
            remark = (
                f"--objective {prices.objective} makes no difference here: no cost and no prevalence is a "
                "range. Hint: --cost-fn 400:600 is one."
            )
        remark = remark or _reviewer_remark(prices)
        return cls(question=question, weights=source.weights or "importance", remark=remark, prices=prices)


def _reviewer_remark(prices: Prices) -> str:
    """Say where no review can pay, whatever it costs."""
    reviewer = None if prices.review_fee is None else prices.reviewer(0.0)
    if reviewer is None or reviewer.better_than_chance:
        return ""
    rates = reviewer.sensitivity, reviewer.specificity
    return (
        f"Abstaining never pays: a reviewer who recognises {percent(rates[0])} of the positives and "
        f"{percent(rates[1])} of the negatives is no better than chance."
    )


def kept_limits(limits: Limits) -> KeptLimits:
    """Return the limits the flags describe."""
    return KeptLimits(
        max_abstention=limits.largest_abstention,
        min_precision_positive=limits.min_precision_positive,
        min_precision_negative=limits.min_precision_negative,
        max_fn_rate=limits.max_fn_rate,
        precision_confidence=limits.precision_confidence,
    )


def compare_part(
    evidence: Evidence, part: Part, asked: Asked, labels: tuple[Any, Any] | None = None
) -> Comparison:
    """Compare the models on the cases of one part; from their counts where there are no rows."""
    names = classes_in_words(evidence.negative, evidence.positive)
    labels = file_labels(evidence) if labels is None else labels
    rows = part.rows
    if part.summed is not None:
        return comparison_of_sums(part.summed, asked.question, class_names=names, labels=labels)
    if part.joint is not None:
        return comparison_of_joint(part.joint, asked.question, class_names=names, labels=labels)
    if rows is None:
        return comparison_of_counts(part.counts, asked.question, class_names=names, labels=labels)
    question = asked.on(rows)
    amounts = question.costs.amounts(rows.truth) if isinstance(question.costs, CaseCosts) else None
    # rows that an engine counted stand for so many cases each
    meaning = asked.weights if part.counted is None else "repeats"
    kept = slice(None) if rows.weights is None else rows.weights > 0
    cases = Cases(
        positive=rows.truth[kept],
        scores={name: column[kept] for name, column in rows.scores.items()},
        sample_weight=None if rows.weights is None else rows.weights[kept],
        labels=labels,
        amounts=amounts if amounts is None or rows.weights is None else amounts.take(rows.weights > 0),
    )
    return comparison_of(cases, question, weights=meaning, class_names=names)


def part_remarks(comparison: Comparison) -> list[str]:
    """Say what a reader of the numbers should know, in the words of the report."""
    models = list(comparison.models.values())
    return [*comparison.notes, *model_remarks(models)]


def why_left_out(part: Part, error: InputError) -> str:
    """Say why a group has no answer, in the words of the report."""
    counts = next(iter(part.counts.values()))
    if min(counts.n_positive, counts.n_negative) < FEWEST_CASES:
        return f"{no_answer(counts.n_positive, counts.n_negative)} Honest costs are left out: {error}"
    return f"Left out: {error}"


def file_labels(evidence: Evidence) -> tuple[Any, Any]:
    """Return the labels (negative, positive) as numbers if both are whole numbers, else as text."""
    pair = evidence.negative, evidence.positive
    if all(map(is_whole, pair)):
        return int(pair[0]), int(pair[1])
    return pair


def is_whole(text: str) -> bool:
    """Whether a text is a whole number as Python writes it, so that it comes back the same."""
    return text.removeprefix("-").isdecimal() and text == str(int(text))
