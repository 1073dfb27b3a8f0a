"""`judge_policy`: what a policy costs on later labelled cases, against what it promised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_confidence_level, check_same_length, check_scores, check_type
from demur._kernels.binomial import binomial_interval
from demur._results import Interval, Result
from demur.exceptions import UndefinedError
from demur.monitoring.betting import CostSequence
from demur.monitoring.labels import known_labels, label_weights, unbiased_costs
from demur.monitoring.promise import Promise
from demur.monitoring.reference import ReferenceCells
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray
from demur.windows.policy import Policy
from demur.windows.policy_evidence import promise_verdict

__all__ = ["GroupJudgement", "PolicyJudgement", "judge_policy"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class GroupJudgement(Result):
    """One policy in one group of cases; intervals hold for all groups together.

    Attributes
    ----------
    name : str
        The group.
    n, n_labelled : int
        Cases, and those with a label.
    decided : float
        Share of the cases that get a decision; `decided_interval` its limits.
    miss_rate, alarm_rate : float or None
        Share of the positives called negative, and of the negatives called positive; None without
        such cases.
    cost : float or None
        Mean cost per case; None for a policy without costs.
    """

    name: str
    n: int
    n_labelled: int
    decided: float
    decided_interval: Interval
    miss_rate: float | None
    miss_rate_interval: Interval | None
    alarm_rate: float | None
    alarm_rate_interval: Interval | None
    cost: float | None
    cost_interval: Interval | None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class PolicyJudgement(Result):
    """What a policy costs on labelled cases; made by `judge_policy`.

    Attributes
    ----------
    overall : GroupJudgement
        All cases.
    confusion : array of 2 x 3
        Estimated numbers of cases by true class (rows: negative, positive) and decision (columns:
        negative, positive, abstained); weighted where labels are.
    precision_negative, precision_positive : float or None
        Share of right decisions on each side, with their intervals.
    promised_cost, promised_limit : float or None
        Expected cost per case, and how far above it the true cost may be, given the evidence of the policy.
    e_value : float
        Evidence that the cost exceeds `promised_limit`.
    broken : bool
        Whether it does: `e_value` is at least 1 / (1 - confidence_level).
    verdict : str or None
        "not kept" if `broken`, "kept" if the interval of the cost ends at or below `promised_limit`, else
        "not yet certain"; None for a policy without costs.
    groups : tuple of GroupJudgement
        The same by group.
    confidence_level : float
        Level of all intervals.
    """

    overall: GroupJudgement
    confusion: FloatArray
    precision_negative: float | None
    precision_negative_interval: Interval | None
    precision_positive: float | None
    precision_positive_interval: Interval | None
    promised_cost: float | None
    promised_limit: float | None
    e_value: float
    broken: bool
    groups: tuple[GroupJudgement, ...]
    confidence_level: float
    _reported = ("verdict",)

    @property
    def verdict(self) -> str | None:
        """Whether the promise is kept, as far as these cases tell."""
        return promise_verdict(self.overall.cost_interval, self.promised_limit, broken=self.broken)


@dataclass(frozen=True, eq=False)
class _Cases:
    """Cases with a decision and perhaps a label."""

    codes: IntArray
    known: BoolArray
    positive: BoolArray
    weights: FloatArray

    def of(self, chosen: BoolArray) -> _Cases:
        return _Cases(self.codes[chosen], self.known[chosen], self.positive[chosen], self.weights[chosen])

    def share(self, hits: Any, among: Any, alpha: float) -> tuple[float | None, Interval | None]:
        """Return a weighted share of labelled cases with exact limits (Clopper and Pearson).

        With unequal weights the number of cases is the one with the same variance (Kish).
        """
        weights = self.weights[among & self.known]
        if not len(weights) or weights.sum() == 0:
            return None, None
        share = float(self.weights[hits & among & self.known].sum() / weights.sum())
        n = float(weights.sum() ** 2 / (weights**2).sum())
        low, high = binomial_interval(share * n, n, 1 - alpha)
        return share, Interval(float(low), float(high))


def judge_policy(
    policy: Policy,
    scores: ArrayLike,
    labels: Any,
    *,
    weights: ArrayLike | None = None,
    groups: Any = None,
    confidence_level: float = 0.95,
) -> PolicyJudgement:
    """Judge a policy on later labelled cases: cost against promise, errors, one line per group.

    Assumes that the cases are independent and none of them helped to choose the policy. With
    labels for a part of the cases only, the part must be random with known probabilities.

    Parameters
    ----------
    policy : Policy
        The policy to judge.
    scores : array
        On the scale of the policy.
    labels : array
        True classes in the labels of the policy; None or NaN where a case has none.
    weights : array, optional
        1 / probability of being labelled; needed where labels are missing.
    groups : array, optional
        Group of every case; the intervals then hold for all groups together (Bonferroni).
    confidence_level : float, default 0.95
        Level of the intervals and of the verdict.

    Returns
    -------
    PolicyJudgement
        With `overall`, `groups`, `confusion`, `verdict`.

    Raises
    ------
    UndefinedError
        If no case has a label.

    Notes
    -----
    Limits of the cost come from betting (``demur.monitoring.betting``): right for every sample size
    and every law of the costs. Limits of shares are exact binomial ones; with unequal weights they
    are approximate.

    References
    ----------
    Waudby-Smith and Ramdas (2024), JRSS B 86, doi:10.1093/jrsssb/qkad009. Clopper and Pearson
    (1934), Biometrika 26, doi:10.1093/biomet/26.4.404.

    Examples
    --------
    The policy promised a cost of 0.2 per case. On later cases every second alarm is false:

    >>> import numpy as np
    >>> from demur import CostModel, Policy, abstention_surface
    >>> from demur.monitoring import judge_policy
    >>> y, s = [0, 0, 1, 0, 1, 1] * 50, [0.1, 0.2, 0.3, 0.3, 0.8, 0.9] * 50
    >>> costs = CostModel(cost_fn=5, cost_fp=2, cost_abstain=0.6)
    >>> policy = Policy.from_surface(abstention_surface(y, s), costs=costs)
    >>> later = judge_policy(policy, [0.1, 0.9] * 200, [0, 1, 0, 0] * 100, groups=["north", "south"] * 200)
    >>> round(later.promised_cost, 3), later.overall.cost, later.verdict
    (0.2, 0.5, 'not kept')
    >>> [(group.name, group.cost) for group in later.groups]
    [('north', 0.0), ('south', 1.0)]
    """
    check_type(policy, "policy", Policy)
    level = check_confidence_level(confidence_level)
    values = check_scores(scores, "scores")
    check_same_length(scores=values, labels=labels)
    known, positive = known_labels(labels, policy)
    if not known.any():
        raise UndefinedError("A judgement needs labels. Hint: all of them are missing.")
    codes = policy.decide(values)
    cases = _Cases(codes, known, positive, label_weights(weights, known))
    alpha = 1 - level
    promise = Promise.of(policy, ReferenceCells.of(policy), alpha=alpha)
    sequence = _sequence(policy, cases, alpha, None if promise is None else promise.limit)
    negative_side = cases.share(~positive, codes == 0, alpha)
    positive_side = cases.share(positive, codes == 1, alpha)
    log_e = 0.0 if sequence is None else sequence.most_broken
    table = np.zeros((2, 3))
    np.add.at(table, (positive[known].astype(np.int64), codes[known]), cases.weights[known])
    return PolicyJudgement(
        overall=_judged("all", policy, cases, alpha),
        confusion=table,
        precision_negative=negative_side[0],
        precision_negative_interval=negative_side[1],
        precision_positive=positive_side[0],
        precision_positive_interval=positive_side[1],
        promised_cost=None if promise is None else promise.cost,
        promised_limit=None if promise is None else promise.limit,
        e_value=float(np.exp(min(log_e, 700.0))),
        broken=bool(log_e >= -np.log(alpha)),
        groups=_by_group(groups, policy, cases, alpha),
        confidence_level=level,
    )


def _sequence(policy: Policy, cases: _Cases, alpha: float, limit: float | None) -> CostSequence | None:
    if policy.costs is None:
        return None
    prices = policy.costs.losses.table
    low, high = float(prices.min()), float(prices.max())
    costs = unbiased_costs(cases.codes, cases.known, cases.positive, cases.weights, prices)
    shuffled = np.random.default_rng(0).permutation(np.sort(costs))
    begun = CostSequence(low=low, high=high, alpha=alpha, promise=None if limit is None else min(limit, high))
    return begun.updated(shuffled, largest_weight=float(cases.weights.max()))


def _judged(name: str, policy: Policy, cases: _Cases, alpha: float) -> GroupJudgement:
    n = len(cases.codes)
    decided = int(np.count_nonzero(cases.codes != ABSTAIN))
    low, high = binomial_interval(decided, n, 1 - alpha)
    missed = cases.share(cases.codes == 0, cases.positive, alpha)
    alarmed = cases.share(cases.codes == 1, ~cases.positive, alpha)
    sequence = _sequence(policy, cases, alpha, None)
    return GroupJudgement(
        name=name,
        n=n,
        n_labelled=int(cases.known.sum()),
        decided=decided / n,
        decided_interval=Interval(float(low), float(high)),
        miss_rate=missed[0],
        miss_rate_interval=missed[1],
        alarm_rate=alarmed[0],
        alarm_rate_interval=alarmed[1],
        cost=None if sequence is None else sequence.mean,
        cost_interval=None if sequence is None else sequence.interval,
    )


def _by_group(groups: Any, policy: Policy, cases: _Cases, alpha: float) -> tuple[GroupJudgement, ...]:
    if groups is None:
        return ()
    column = np.asarray(groups)
    check_same_length(scores=cases.codes, groups=column)
    names = sorted({str(value) for value in column.tolist()})
    shown = np.array([str(value) for value in column.tolist()])
    each = alpha / len(names)
    return tuple(_judged(name, policy, cases.of(shown == name), each) for name in names)
