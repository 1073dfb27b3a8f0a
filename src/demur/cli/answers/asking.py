"""From flags to the question a comparison answers, and to the cases it is asked about."""

from dataclasses import dataclass, replace

from demur.cli.options import Certainty, Limits, Output, Prices, Source
from demur.cli.output import percent, remark
from demur.cli.reading.evidence import Evidence, read_evidence
from demur.cli.reading.predictions import Predictions
from demur.comparison.question import Question
from demur.exceptions import InputError

__all__ = ["Asked", "ask_and_read"]


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
            limits=limits.kept(),
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


def ask_and_read(
    source: Source,
    prices: Prices,
    limits: Limits,
    certainty: Certainty,
    output: Output,
    *,
    costs_needed: bool = False,
    split: bool = True,
) -> tuple[Asked, Evidence]:
    """Check the flags, read the file, and say what there is to say about both."""
    asked = Asked.of(source, prices, limits, certainty, costs_needed=costs_needed)
    evidence = read_evidence(source, prices, split=split)
    remark(evidence.sentence, quiet=output.quiet)
    remark(asked.remark, quiet=output.quiet)
    return asked, evidence
