"""What a chosen window will cost, measured on cases not used to choose it.

`cross_fitted_surface` answers for the cheapest windows at all costs. A window under constraints,
or with costs of abstaining by class, needs the same folds but its own search in each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from demur._results import Interval, Result
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.exceptions import UndefinedError
from demur.honest.cases import SplitCases
from demur.honest.decisions import outcomes
from demur.honest.estimates import OutcomeSums, class_shares, mean_and_error, table_estimate
from demur.honest.evaluate import BlockLearner, CountsLearner, Learner, evaluate
from demur.honest.rules import Prices
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray
from demur.windows.rule import Window

__all__ = ["ExpectedCost", "expected_cost"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ExpectedCost(Result):
    """Honest cost per case of a window, in the unit of the costs; the lower the better.

    Attributes
    ----------
    cost : float
        Mean over all cases of what each costs under a window chosen without it: what you will pay.
    interval : Interval
        From the cost with hindsight below to the honest cost above, with a few further errors counted;
        covers the true cost of the window in use.
    standard_error : float
        Of `cost`.
    hindsight : float
        Cost of the window in use on the cases it was chosen on: too low on average.
    abstention_rate : float
        Share of the cases abstained on by windows chosen without them.
    confidence_level : float
    folds, repeats : int
        Number of parts of each split, and of splits that were averaged.
    n : float
        Number of cases.

    Examples
    --------
    A fitted classifier says what it will cost:

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from demur import AbstainingClassifier, CostModel
    >>> X, y = make_classification(n_samples=300, random_state=0)
    >>> costs = CostModel(cost_fn=10, cost_fp=2, cost_abstain=0.5)
    >>> model = AbstainingClassifier(LogisticRegression(), costs=costs).fit(X, y)
    >>> expected = model.expected_cost_
    >>> f"{expected.cost:.2f} per case, not {expected.hindsight:.2f}"
    '0.18 per case, not 0.13'
    """

    cost: float
    interval: Interval
    standard_error: float
    hindsight: float
    abstention_rate: float
    confidence_level: float
    folds: int
    repeats: int
    n: float


def expected_cost(
    cases: SplitCases,
    scores: FloatArray,
    choose: Callable[[ScoreCounts], AbstentionWindow] | None,
    costs: CostModel,
    *,
    confidence_level: float,
) -> ExpectedCost:
    """Judge every case by the window `choose` finds without its fold.

    None: by the cheapest window, as long as nobody is paid for a review.
    """
    counts = cases.counts(scores)
    model = cases.judge(scores, counts)
    learner: Learner
    if choose is None:
        prices = Prices.at(costs)
        window = Window(*model.hindsight.tables[0].rule.thresholds(prices.share_cuts()))
        learner = BlockLearner(prices)
    else:
        window = _thresholds(choose, counts)
        learner = CountsLearner(partial(_thresholds, choose))
    (judged,) = evaluate(cases, model, [learner], [window])
    if isinstance(judged, UndefinedError):
        raise judged
    rate = cases.prevalence
    shares = None if rate is None else np.array([1 - rate, rate])
    held_out, seen = outcomes(cases, judged.honest), outcomes(cases, [judged.hindsight])
    estimate = table_estimate(
        held_out, seen, costs.losses, shares, level=confidence_level, abstains=costs.may_abstain
    )
    return ExpectedCost(
        cost=estimate.cost,
        interval=estimate.interval,
        standard_error=mean_and_error(OutcomeSums.of_table(held_out, costs.losses.table), shares)[1],
        hindsight=estimate.hindsight,
        abstention_rate=float(class_shares(held_out, shares)[:, ABSTAIN].sum()),
        confidence_level=confidence_level,
        folds=cases.folds,
        repeats=cases.repeats,
        n=counts.n,
    )


def _thresholds(choose: Callable[[ScoreCounts], AbstentionWindow], counts: ScoreCounts) -> Window:
    window = choose(counts)
    return Window(window.lower, window.upper)
