"""`ExpectedCostLearner`: rules that know the amounts of a case, on many training sets.

Probabilities are isotonic (pool adjacent violators), with one case of the base rate added to every block,
pooled again, and straight between the means of the blocks: a block without positives would never be reviewed,
whatever the amount. As amounts may tell about the class, the score is first joined with their logarithms by
logistic regression.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from demur.comparison.class_learner import MOST_SEARCHED, Chosen
from demur.comparison.problem import DecisionProblem
from demur.comparison.threads import workers
from demur.costs.case_costs import CaseCosts
from demur.counts.scores import ScoreCounts
from demur.honest.cases import SplitCases
from demur.honest.evaluate import FoldRules, TrainingSets
from demur.typing import BoolArray, FloatArray, IntArray
from demur.windows.expected_cost import ExpectedCostRule, PiecewiseLinear, pseudo_log

__all__ = [
    "EXPECTED_COST",
    "NO_REVIEWS",
    "SCORE_ONLY",
    "ExpectedCostLearner",
    "expected_cost_learners",
    "known_amounts",
    "rules_by_fold",
]

EXPECTED_COST, SCORE_ONLY, NO_REVIEWS = (
    "expected cost",
    "expected cost, score only",
    "expected cost, no reviews",
)
_MOST_STEPS = 50
_SETTLED = 1e-9
_EXAMPLES = (0.1, 0.5, 0.9)
"""Quantiles of the amounts that the words show thresholds for."""


@dataclass(frozen=True, eq=False)
class ExpectedCostLearner:
    """Rules of the smallest expected cost; by the score alone, or by the score and what amounts tell."""

    problem: DecisionProblem
    model: str
    kind: str
    aim: int = 0

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns of amounts; none where they are not known when a case is decided."""
        return known_amounts(self.problem)

    def order(self, place: int) -> tuple[int, int]:
        """Return the rank among candidates for ties: after windows."""
        return (3 + (NO_REVIEWS, SCORE_ONLY, EXPECTED_COST).index(self.kind), place)

    def fit_all(self, cases: SplitCases, table: FloatArray) -> Chosen:
        """Choose the rule on all cases."""
        return Chosen(self.rule(cases, table, np.arange(len(table)), cases.sizes, (0,), {}))

    def fit(self, sets: TrainingSets) -> FoldRules:
        """Return the rule of every training set."""
        return FoldRules(rules_by_fold(sets, self.rule), 2)

    def rule(
        self,
        cases: SplitCases,
        table: FloatArray,
        cell: IntArray,
        sizes: FloatArray,
        seed: tuple[int, ...],
        known: dict[str, Any],
    ) -> ExpectedCostRule:
        """Choose the rule on some rows, each `sizes` cases of a cell.

        `known` keeps their probabilities for other rules.
        """
        rate, score_only = self.problem.rate, self.kind == SCORE_ONLY or not self.reads
        positive, table = cases.positive[cell], table[cell]
        score, amounts = table[:, 0], table[:, 1:].T
        if SCORE_ONLY not in known:
            known[SCORE_ONLY] = {"calibration": _calibrated(score, positive, sizes, rate)}
        if not score_only and EXPECTED_COST not in known:
            chance = known[SCORE_ONLY]["calibration"]
            scale = PiecewiseLinear(chance.points, np.log(chance.values / (1 - chance.values)))
            logs = tuple(pseudo_log(column) for column in amounts)
            inputs = zip((scale, *logs), (score, *amounts), strict=True)
            features = np.column_stack([one.at(column) for one, column in inputs])
            drawn: Any = slice(None)
            if len(table) > MOST_SEARCHED:  # as good for so few weights
                rng = np.random.default_rng([self.problem.seed, *seed])
                drawn = rng.choice(len(table), MOST_SEARCHED, replace=False)
            weights = _logistic(features[drawn], positive[drawn], sizes[drawn])
            # added from the first to the last, as the rule does
            place = sum(weight * column for weight, column in zip(weights, features.T, strict=True))
            calibration = _calibrated(np.asarray(place), positive, sizes, rate)
            joined = {"scale": scale, "logs": logs, "weights": tuple(weights), "calibration": calibration}
            known[EXPECTED_COST] = joined
        linear = self._linear_costs(cases, cell, sizes)
        # round amounts that are small, usual and large among some
        usual = np.quantile(amounts[0], _EXAMPLES) if len(amounts) == 1 else ()
        rounded = dict.fromkeys(float(f"{value:.1g}") for value in usual)
        rule = ExpectedCostRule(
            names=(self.model, *self.reads),
            costs=linear[:, :2] if self.kind == NO_REVIEWS else linear,
            examples=tuple(value for value in rounded if value > 0),
            **known[SCORE_ONLY if score_only else EXPECTED_COST],
        )
        return self._within_limit(rule, table, positive, sizes)

    def _linear_costs(self, cases: SplitCases, cell: IntArray, sizes: FloatArray) -> FloatArray:
        """Return the costs as a rule knows them: by amount, by class, or their means by class."""
        costs = self.problem.costs
        if not isinstance(costs, CaseCosts):
            return self.problem.centre.losses.table[:, :, None]
        if self.reads:
            return costs.linear_costs()
        assert cases.losses is not None
        own = [cases.positive[cell] == kind for kind in (False, True)]
        means = [np.average(cases.losses[cell[one]], axis=0, weights=sizes[one]) for one in own]
        return np.asarray(np.stack(means)[:, :, None] * np.array(costs.mean)[None, :, None])

    def _within_limit(
        self, rule: ExpectedCostRule, table: FloatArray, positive: BoolArray, sizes: FloatArray
    ) -> ExpectedCostRule:
        """Raise what a review must save, if need be, so that these cases keep the limit on their share."""
        limit = self.problem.limits.max_abstention
        if limit is None or not rule.abstains:
            return rule
        weight = sizes * _class_factors(positive, sizes, self.problem.rate)[positive.astype(np.int64)]
        savings = rule.savings(table)
        order = np.argsort(-savings, kind="stable")
        ahead = np.cumsum(weight[order]) <= limit * weight.sum() * (1 + 1e-12)
        # all cases of one saving are sent or none of them
        kept = savings[order][int(ahead.sum()) :]
        least = max(float(kept[0]), 0.0) if len(kept) else 0.0
        return replace(rule, least_saving=least)


def rules_by_fold(sets: TrainingSets, choose: Callable[..., Any]) -> list[Any]:
    """Return the rule of every fold, chosen on the rows of its training set."""
    cases, table, splits = sets.cases, sets.model.scores, sets.cases.splits

    def rule_without(held: int) -> Any:
        kept, seed = sets.trains(held), (1 + sets.split, held)
        cell, sizes = sets.rows.cell[kept], sets.rows.cases[kept]
        return choose(cases, table, cell, sizes, seed, sets.by_fold.setdefault(held, {}))

    with workers(len(table)) as pool:
        rules = list(pool.map(rule_without, splits.judged_folds))
    return [*rules[:1] * splits.first, *rules]


def known_amounts(problem: DecisionProblem) -> tuple[str, ...]:
    """Return the columns of amounts that are known when a case is decided."""
    costs = problem.costs
    return tuple(costs.known_columns()) if isinstance(costs, CaseCosts) and costs.known_at_decision else ()


def expected_cost_learners(problem: DecisionProblem, model: str) -> list[ExpectedCostLearner]:
    """Return the learners for amounts that are known when a case is decided; none under other limits.

    Beside a budget the one that sends nothing to people.
    """
    if not known_amounts(problem) or set(problem.limits.given()) - {"max_abstention"}:
        return []
    kinds = [EXPECTED_COST, SCORE_ONLY] if problem.budget is None else []
    kinds += [NO_REVIEWS] if problem.may_abstain else []
    return [ExpectedCostLearner(problem, model, kind) for kind in kinds]


# ---------------------------------------------------------------- probabilities


def _class_factors(positive: BoolArray, sizes: FloatArray, rate: float | None) -> FloatArray:
    """Return the factors of the weights of a negative and of a positive under a prevalence in use."""
    if rate is None:
        return np.ones(2)
    total, ill = float(sizes.sum()), float(sizes[positive].sum())
    return np.array([(1 - rate) * total / max(total - ill, 1e-300), rate * total / max(ill, 1e-300)])


def _calibrated(
    place: FloatArray, positive: BoolArray, sizes: FloatArray, rate: float | None
) -> PiecewiseLinear:
    """Return the smoothed isotonic probabilities of positives by place."""
    weighted = bool(np.any(sizes != 1))
    if weighted:
        counts = ScoreCounts.from_counts(
            place, np.where(positive, sizes, 0.0), np.where(positive, 0.0, sizes)
        )
    else:
        counts = ScoreCounts.from_arrays(positive, place)
    blocks, factors = counts.blocks(), _class_factors(positive, sizes, rate)
    ill, well = blocks.positives * factors[1], blocks.negatives * factors[0]
    base = float(ill.sum() / (ill.sum() + well.sum()))
    steps = np.arange(len(ill), dtype=np.float64)
    again = ScoreCounts.from_counts(steps, ill + base, well + (1 - base)).blocks()
    first, last = again.lower.astype(np.int64), again.upper.astype(np.int64)
    # by distinct score, so that the order of the rows plays no part
    number, block = counts.positives + counts.negatives, np.searchsorted(blocks.upper[last], counts.scores)
    # means beside the first score of a block, so that sums of huge scores stay finite
    start = blocks.lower[first]
    moved = np.bincount(block, number * (counts.scores - start[block]), len(start))
    centre = start + moved / np.bincount(block, number, len(start))
    return PiecewiseLinear.through(centre, again.positives / (again.positives + again.negatives))


def _logistic(features: FloatArray, positive: BoolArray, sizes: FloatArray) -> list[float]:
    """Return the weights of a logistic regression, slightly drawn towards 0, by Newton steps."""
    from scipy.special import expit

    centre, spread = features.mean(axis=0), features.std(axis=0)
    spread[spread == 0] = 1.0
    table = np.column_stack([np.ones(len(features)), (features - centre) / spread])
    penalty = np.diag([0.0, *np.ones(features.shape[1])])
    fit = np.zeros(table.shape[1])
    for _ in range(_MOST_STEPS):
        p = expit(table @ fit)
        slope = table.T @ (sizes * (positive - p)) - penalty @ fit
        curve = (table * (sizes * p * (1 - p))[:, None]).T @ table + penalty
        step = np.linalg.solve(curve + 1e-9 * np.eye(len(fit)), slope)
        fit = fit + step
        if np.abs(step).max() < _SETTLED:
            break
    return [float(weight) for weight in fit[1:] / spread]
