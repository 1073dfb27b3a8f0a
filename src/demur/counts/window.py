"""`AbstentionWindow`: two thresholds on the scores with their cost and rates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from demur._kernels.thresholds import no_threshold
from demur._results import Result

__all__ = ["NEVER_PAYS", "AbstentionWindow"]

NEVER_PAYS = "Abstaining never pays on these cases: no window with reviews costs less than one threshold."

_BY_CLASS = (
    "expected_cost",
    "fn",
    "fp",
    "abstained_positive",
    "abstained_negative",
    "mu",
    "nu_positive",
    "nu_negative",
    "prevalence",
)
_ABOUT = {
    "costs": _BY_CLASS,
    "limits": (
        *_BY_CLASS,
        "positive_performance",
        "negative_performance",
        "unconstrained_cost",
        "confidence_level",
        "note",
    ),
    "ranges": (
        *_BY_CLASS,
        "objective",
        "regret",
        "corner",
        "corner_prevalence",
        "worst_cost",
        "gap",
        "point_lower",
        "point_upper",
        "point_regret",
        "point_worst_cost",
        "costs",
        "prevalence_range",
    ),
    "amounts": ("miss", "alarm", "review", "standard_error", "certified", "n", "note"),
}
"""What a window was chosen for -> the fields that say something then, besides those of every window."""
_ALWAYS = ("lower", "upper", "cost", "abstention_rate", "lower_index", "upper_index")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class AbstentionWindow(Result):
    """Cheapest window for given costs: negative below, abstain inside, positive above.

    Predict positive if ``score >= upper``, negative if ``score <= lower``, else abstain
    (`decide` applies the rule, infinite scores included). Of several cheapest windows it is
    the one that abstains least, then the one that calls more cases positive. Chosen on the same
    cases, its cost there is a little lower than its cost in use.

    Attributes
    ----------
    about : {"costs", "limits", "ranges", "amounts"}
        What it was chosen for: costs by class, limits or promises (`cheapest_window` and others), ranges of
        costs (`range_window`), or costs by case (`ScoreCosts.window`). Attributes listed for another one
        are None or NaN.
    lower, upper : float
        Thresholds; -inf and inf where a side is never used. ``lower == upper`` (or no score
        between them): the window is empty and never abstains.
    cost : float
        Expected cost per case in the normal form (a miss costs 1); of amounts in their unit.
    abstention_rate : float
        Share of all cases abstained on; by class `abstained_positive` plus `abstained_negative`.
    lower_index, upper_index : int
        Number of distinct scores (or bins) below the window, and below or inside it.
    expected_cost : float
        Costs by class: `cost` in the unit of the `CostModel` passed, if one was; over ranges at the means.
    fn, fp : float
        Costs by class: share of all cases that are missed positives, and that are false alarms.
    mu, nu_positive, nu_negative : float
        The costs by class the window was made for; over ranges the means.
    prevalence : float
        P(positive) the shares refer to; over ranges its middle.
    note : str
        Limits and amounts: what could not be reached, or that abstaining never pays; empty if there is
        nothing to say.
    positive_performance, negative_performance : float or None
        Limits: metric of the positive and of the negative decisions on these data: the one promised,
        precision where none was. None: no decision of that kind, the promise is vacuous.
    unconstrained_cost : float
        Limits: cost of the cheapest window without them; `cost` minus this is their price.
    confidence_level : float or None
        Limits: confidence with which the precisions hold for the population; None: on these data only.
    objective, regret, worst_cost, gap
        Ranges: what the window minimises, "regret", "worst" or "expected"; largest excess, over the box, of
        its cost over that of the cheapest window at the same point; largest cost over the box; how much
        smaller the objective of another window could be (0: proven best). Per case, in the user's unit.
    corner, corner_prevalence : CostModel, float
        Ranges: where in the box the regret is largest.
    point_lower, point_upper, point_regret, point_worst_cost : float
        Ranges: the window that is cheapest at the means, and what it costs over the box.
    costs, prevalence_range : CostRange, (float, float)
        Ranges: of the costs and of P(positive).
    miss, alarm, review : float
        Amounts: parts of `cost`, paid on cases called negative, called positive, and sent to a person.
    standard_error : float
        Amounts: standard error of `cost` for this window as it stands; NaN for a single case. It does not
        know that the window was chosen on the same data.
    certified : float
        Amounts: largest amount by which `cost` can exceed that of the cheapest window on the exact scores: 0
        unless the window was searched on bins. NaN for a window that was not searched.
    n : float
        Amounts: number of cases.

    Examples
    --------
    Two frauds of 900 and 40, four good payments. A blocked good payment costs 25, a call 4. Is the
    fraud with the low score worth a call?

    >>> from demur import ScoreCosts
    >>> costs = ScoreCosts.from_arrays(
    ...     [0.1, 0.2, 0.3, 0.4, 0.6, 0.9],
    ...     miss=[0, 0, 40, 0, 0, 900],
    ...     alarm=[25, 25, 0, 25, 25, 0],
    ...     review=4,
    ... )
    >>> window = costs.window()
    >>> window.lower_index, window.upper_index, window.cost, window.note
    (2, 5, 2.0, '')
    """

    lower: float
    upper: float
    cost: float
    abstention_rate: float
    lower_index: int
    upper_index: int
    expected_cost: float = math.nan
    fn: float = math.nan
    fp: float = math.nan
    abstained_positive: float = math.nan
    abstained_negative: float = math.nan
    mu: float = math.nan
    nu_positive: float = math.nan
    nu_negative: float = math.nan
    prevalence: float = math.nan
    about: str = "costs"
    note: str = ""
    positive_performance: float | None = None
    negative_performance: float | None = None
    unconstrained_cost: float = math.nan
    confidence_level: float | None = None
    objective: str | None = None
    regret: float | Any = None
    corner: Any = None
    corner_prevalence: float | Any = None
    worst_cost: float | Any = None
    gap: float | Any = None
    point_lower: float | Any = None
    point_upper: float | Any = None
    point_regret: float | Any = None
    point_worst_cost: float | Any = None
    costs: Any = None
    prevalence_range: tuple[float, float] | None = None
    miss: float | Any = None
    alarm: float | Any = None
    review: float | Any = None
    standard_error: float | Any = None
    certified: float | Any = None
    n: float | Any = None
    _reported = ("coverage",)

    @property
    def _told(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the fields of a short text."""
        short = ("lower", "upper", "abstention_rate", "fn", "fp", "cost", "expected_cost")
        return tuple(name for name in short if name in self._fields())

    def _fields(self) -> list[str]:
        """Return the fields that say something of this window."""
        kept = {*_ALWAYS, *_ABOUT[self.about]}
        return [name for name in Result._fields(self) if name in kept]

    @classmethod
    def of_cuts(
        cls,
        masses: Any,
        cuts: tuple[int, int],
        *,
        mu: float,
        nu_positive: float,
        nu_negative: float,
        prevalence: float,
    ) -> AbstentionWindow:
        """Make the window of masses that calls the first i steps negative and abstains up to step j."""
        i, j = cuts
        fn, fp = float(masses.positive_below[i]), float(masses.negative_above[j])
        # i == j must give exactly 0, also beside an infinite nu
        kept_positive = float(masses.positive_below[j] - masses.positive_below[i])
        kept_negative = float(masses.negative_below[j] - masses.negative_below[i])
        reviews = nu_positive * kept_positive + nu_negative * kept_negative if i < j else 0.0
        lower, upper = float(masses.lower_cut[i]), float(masses.upper_cut[j])
        if math.isnan(lower) or math.isnan(upper):
            raise no_threshold()
        cost = fn + mu * fp + reviews
        return cls(
            lower=lower,
            upper=upper,
            cost=cost,
            expected_cost=cost,
            fn=fn,
            fp=fp,
            # shares of all cases may add up to a rounding error more than 1
            abstention_rate=min(kept_positive + kept_negative, 1.0),
            abstained_positive=kept_positive,
            abstained_negative=kept_negative,
            lower_index=int(masses.groups_below[i]),
            upper_index=int(masses.groups_below[j]),
            mu=mu,
            nu_positive=nu_positive,
            nu_negative=nu_negative,
            prevalence=prevalence,
        )

    @property
    def coverage(self) -> float:
        """Share of the cases that get a decision."""
        return 1.0 - self.abstention_rate

    @property
    def is_empty(self) -> bool:
        """Whether the window never abstains."""
        return self.lower_index == self.upper_index
