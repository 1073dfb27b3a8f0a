"""Rules for several prices of a review, and the answer at prices nobody asked about.

A page cannot choose weights again: that takes all cases and all folds. It holds the rules chosen for
the price of a review in use and for some multiples of it. At other prices the answer is the cheapest
of the rules chosen for the nearest multiple, priced anew: what they decide on held-out cases does
not depend on the losses, so their costs stay honest. Rules of expected costs choose nothing from
the cases; they are made for the new prices themselves.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from demur.comparison.classes.answer import ClassAnswer
from demur.comparison.classes.comparison import ClassChoice, ClassComparison
from demur.comparison.classes.estimates import shares_of
from demur.comparison.classes.judging import ClassCandidate, model_candidates
from demur.comparison.classes.search import Chosen, expected_cost_rule, possible_kinds
from demur.costs.losses import Losses
from demur.typing import FloatArray

__all__ = [
    "ReviewLevel",
    "abstaining_kind",
    "class_answer_at",
    "nearest_level",
    "review_levels",
    "review_ratio",
]

_FACTORS = (0.25, 0.5, 2.0, 4.0)
_FEW_FACTORS = (0.5, 2.0)
_MOST_NUMBERS = 10**6
# cells of the tables of one rule of every model: more, and a page would be too large to mail
_MOST_CELLS = 2200


@dataclass(frozen=True, kw_only=True, eq=False)
class ReviewLevel:
    """The rules chosen for one price of a review: `factor` times the one in use."""

    factor: float
    choice: ClassChoice

    @property
    def prices(self) -> Losses:
        """What the rules were chosen for, at the middle of ranges."""
        return self.choice.question.point


def abstaining_kind(kind: str) -> bool:
    """Whether the price of a review matters to rules of this kind."""
    return "abstain" in kind or kind.startswith("cautious")


def review_levels(comparison: ClassComparison) -> tuple[ReviewLevel, ...]:
    """Choose rules for multiples of the price of a review; the first level is the comparison itself."""
    choice, point = comparison.choice, comparison.question.point
    own = ReviewLevel(factor=1.0, choice=choice)
    if point.abstain is None or not np.any(point.abstain > 0):
        return (own,)
    numbers = sum(proba.size for proba in choice.cases.proba.values())
    m = len(choice.cases.classes)
    cells = len(choice.cases.proba) * m * (m + 1)
    factors = _FACTORS if numbers <= _MOST_NUMBERS and cells <= _MOST_CELLS else _FEW_FACTORS
    if cells > 2 * _MOST_CELLS:
        return (own,)
    return (own, *(_level(choice, factor) for factor in factors))


def _level(choice: ClassChoice, factor: float) -> ReviewLevel:
    point = choice.question.point
    assert point.abstain is not None
    question = choice.question.at(Losses.of_matrix(point.answers, factor * point.abstain))
    kinds = [kind for kind in possible_kinds(question) if abstaining_kind(kind)]
    candidates = {
        name: [
            *(one for one in rules if one.aim == 0 and not abstaining_kind(one.kind)),
            *model_candidates(choice.cases, name, question, place, kinds=kinds),
        ]
        for place, (name, rules) in enumerate(choice.candidates.items())
    }
    return ReviewLevel(factor=factor, choice=replace(choice, question=question, candidates=candidates))


def review_ratio(losses: Losses, shares: FloatArray) -> float:
    """Mean price of a review in units of the mean cost of a wrong answer; NaN where neither is known.

    Both beyond the right answer, by the shares of the classes in use.
    """
    if losses.abstain is None:
        return math.nan
    relative, m = losses.relative, len(losses.answers)
    wrong = float(shares @ relative[:, :m].sum(axis=1)) / (m - 1)
    return float(shares @ relative[:, m]) / wrong if wrong > 0 else math.nan


def nearest_level(factors: Sequence[float], ratio: float) -> int:
    """Place of the multiple nearest to `ratio` on a logarithmic scale; the first where there is none."""
    if math.isnan(ratio):
        return 0
    if ratio <= 0:
        return factors.index(min(factors))
    distances = [abs(math.log(ratio / factor)) for factor in factors]
    return distances.index(min(distances))


def class_answer_at(levels: Sequence[ReviewLevel], losses: Losses, *, by_case: bool) -> ClassAnswer:
    """Return the cheapest rule of the nearest level at these losses.

    With `by_case` rules of expected costs are made for these losses, else those at hand are priced.
    """
    own, at = levels[0].choice, 0
    if len(levels) > 1:
        shares = shares_of(own.trivial[0].honest_table, own.question).sum(axis=1)
        ratio = review_ratio(losses, shares) / review_ratio(levels[0].prices, shares)
        at = nearest_level([one.factor for one in levels], ratio)
    level = levels[at]
    choice = replace(level.choice, question=level.choice.question.at(losses))
    may_abstain = losses.abstain is not None
    candidates = {
        name: [
            _at_prices(one, losses) if by_case and one.kind.startswith("expected cost") else one
            for one in rules
            if _has_sense(one, may_abstain=may_abstain, by_case=by_case)
        ]
        for name, rules in level.choice.candidates.items()
    }
    trivial = [one for one in own.trivial if may_abstain or not one.abstains]
    return replace(choice, candidates=candidates, trivial=trivial).answer()


def _has_sense(candidate: ClassCandidate, *, may_abstain: bool, by_case: bool) -> bool:
    """Whether a rule is one of the answers: expected costs of a corner are not those of new losses."""
    if by_case and candidate.aim > 0 and candidate.kind.startswith("expected cost"):
        return False
    return may_abstain or not abstaining_kind(candidate.kind)


def _at_prices(candidate: ClassCandidate, losses: Losses) -> ClassCandidate:
    """The rule of expected costs for other prices; it decides every case alike in every split."""
    cases, model = candidate.cases, candidate.model
    assert model is not None
    rule = expected_cost_rule(cases.classes, losses, abstain=abstaining_kind(candidate.kind))
    codes = rule.codes(cases.proba[model]).astype(np.int16)
    honest = [codes] * len(cases.splits)
    return replace(candidate, chosen=Chosen(rule, 0.0), honest=honest, hindsight=codes)
