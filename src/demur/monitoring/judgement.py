"""`judge_policy`: what a policy costs on later labelled cases, against what it promised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_confidence_level, check_same_length, check_type
from demur._kernels.proportions import binomial_interval
from demur._results import Interval, Result
from demur._tables.numbers import number, percent, span
from demur._tables.table import Column, Table
from demur.costs.case_costs import CaseCosts
from demur.exceptions import UndefinedError
from demur.monitoring.alarms import policy_notes
from demur.monitoring.betting import CostSequence, loss_range
from demur.monitoring.labels import LabelledCases, known_labels, rule_values
from demur.policy.policy import Policy
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray
from demur.windows.by_group import group_text

__all__ = ["GroupJudgement", "PolicyJudgement", "judge_policy"]

_NO_AMOUNTS = (
    "Costs differ by case: the amounts of these cases are needed to judge what the policy costs "
    "(`costs=CaseCosts(...)`, or the columns in the file)."
)


# classes in a table of 80 columns
_MOST_COLUMNS = 6


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
    error_rate : float or None
        Share of the labelled cases that are decided wrong; None without such cases.
    miss_rate, alarm_rate : float or None
        Share of the positives called negative, and of the negatives called positive; None without
        such cases, and for more than two classes.
    cost : float or None
        Mean cost per case; None for a policy without costs.
    """

    name: str
    n: int
    n_labelled: int
    decided: float
    decided_interval: Interval
    error_rate: float | None
    error_rate_interval: Interval | None
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
    confusion : array of shape (m, m + 1)
        Estimated numbers of cases by true class (rows) and decision (columns, abstained last), in the order
        of the policy's classes: negative, positive; weighted where labels are.
    precision_negative, precision_positive : float or None
        Share of right decisions on each side, with their intervals; None for more than two classes.
    promised_cost, promised_limit : float or None
        Cost per case after the choice, and the upper end of its interval; None where the policy states no
        such end, as one made with hindsight.
    promised_abstention : float or None
        Share of the cases that the policy expects to abstain on, to be compared with 1 - `overall.decided`:
        both are counted on the rule as written.
    e_value : float
        Evidence that the cost exceeds `promised_limit`, halved as in `PolicyMonitor.promise_e_value`.
    broken : bool
        Whether it does: `e_value` is at least 1 / (1 - confidence_level).
    verdict : str or None
        "not kept" if `broken`, "kept" if the interval of the cost ends at or below `promised_limit`, else
        "not yet certain"; None where no cost was promised or could be counted.
    groups : tuple of GroupJudgement
        The same by group.
    notes : tuple of str
        What could not be judged, and why; how clusters count.
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
    promised_abstention: float | None
    e_value: float
    broken: bool
    groups: tuple[GroupJudgement, ...]
    notes: tuple[str, ...]
    confidence_level: float
    _reported = ("verdict",)

    @property
    def verdict(self) -> str | None:
        """Whether the promise is kept, as far as these cases tell."""
        cost = self.overall.cost_interval
        if cost is None or self.promised_limit is None:
            return None
        if self.broken:
            return "not kept"
        return "kept" if cost.high <= self.promised_limit else "not yet certain"

    def tables(self, names: Sequence[str]) -> list[Table]:
        """Return the cases by true class (of these names) and decision, and the groups if there are any."""

        few = len(names) <= _MOST_COLUMNS
        counts = zip([*names, "abstain"], self.confusion.T.tolist(), strict=True)
        decided = [Column(name, column, name if few else None, number) for name, column in counts]
        note = ""
        if len(names) == 2:
            sides = ("negative", "positive")
            shares = [
                share_words(getattr(self, f"precision_{side}"), getattr(self, f"precision_{side}_interval"))
                for side in sides
            ]
            note = " ".join(f"Right when {side}: {share}." for side, share in zip(sides, shares, strict=True))
        head = Column("true_class", names, "true class" if few else None)
        tables = [Table(name="Decisions", columns=(head, *decided), note=note)]
        if not self.groups:
            return tables
        errors = ("missed", "alarmed") if len(names) == 2 else ("wrong",)
        rates = ("miss_rate", "alarm_rate") if len(names) == 2 else ("error_rate",)

        def column(
            name: str, heading: str, show: Any = str, field: str = "", *, ends: bool = False
        ) -> Column:
            return Column(
                name, [getattr(one, field or name) for one in self.groups], heading, show, ends=ends
            )

        columns = (
            column("group", "group", str, "name"),
            column("n", "cases"),
            column("decided", "decided", percent),
            *(column(rate, error, percent) for rate, error in zip(rates, errors, strict=True)),
            column("cost", "cost", number),
            column("cost", "limits", span, "cost_interval", ends=True),
        )
        return [*tables, Table(name="Groups", columns=columns, note="Limits hold for all groups together.")]

    @property
    def words(self) -> str:
        """The verdict in words, what the policy costs, and what could not be judged."""
        overall, expected = self.overall, self.promised_abstention
        low, high = overall.decided_interval
        decided = share_words(1 - overall.decided, (1 - high, 1 - low))
        decided += f" abstained on{'' if expected is None else f', expected {percent(expected)}'}."
        cases = f"{overall.n_labelled} labelled cases"
        if overall.cost is None or overall.cost_interval is None:
            return f"{' '.join(self.notes)} {cases}: {decided}"
        cost = f"{number(overall.cost)} per case ({span(overall.cost_interval)}) on {cases}"
        verdict = f"The policy costs {cost}. {decided}"
        if self.promised_cost is not None and self.promised_limit is not None:
            verdict = (
                f"{_VERDICT_WORDS[str(self.verdict)]}: the policy costs {cost}; promised "
                f"{number(self.promised_cost)}, at most {number(self.promised_limit)}. {decided}"
            )
        wrong = [] if overall.error_rate is None or len(self.confusion) == 2 else [overall.error_rate]
        return " ".join([verdict, *self.notes, *(f"{percent(share)} wrong." for share in wrong)])


_VERDICT_WORDS = {
    "kept": "The promise is kept",
    "not kept": "The promise is not kept",
    "not yet certain": "It is not yet certain whether the promise is kept",
}


def share_words(share: float | None, limits: Iterable[float] | None) -> str:
    """Say a share and its limits: "80.0 % (71.2 % to 86.7 %)"."""
    return "no cases" if share is None or limits is None else f"{percent(share)} ({span(limits, percent)})"


def judge_policy(
    policy: Policy,
    table: Any,
    labels: Any,
    *,
    weights: ArrayLike | None = None,
    groups: Any = None,
    costs: CaseCosts | None = None,
    confidence_level: float = 0.95,
) -> PolicyJudgement:
    """Judge a policy on later labelled cases: cost against promise, errors, one line per group.

    Assumes that the cases are independent, or clusters like those of the policy's data, and that none of
    them helped to choose the policy. With
    labels for a part of the cases only, the part must be random with known probabilities.

    Parameters
    ----------
    policy : Policy
        The policy to judge, of any rule.
    table : array, or data frame
        Scores; rows or a frame with one column per class where the rule reads several.
    labels : array
        True classes in the labels of the policy; None or NaN where a case has none.
    weights : array, optional
        1 / probability of being labelled; needed where labels are missing.
    groups : array, optional
        Group of every case; the intervals then hold for all groups together (Bonferroni).
    costs : CaseCosts, optional
        For a policy of amounts: the costs of these cases, factors at the middle of their ranges. Without
        them errors are counted, and `notes` says that the cost cannot be judged.
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
    and every law of the costs between the smallest and the largest loss. A policy decided with clusters
    counts so many cases as one as a cluster has. For amounts these are the
    smallest and the largest that any action could have on these cases, whatever their classes: larger
    amounts that might come later are not allowed for. Limits of shares are exact binomial ones; with
    unequal weights they are approximate.

    References
    ----------
    Waudby-Smith and Ramdas (2024), JRSS B 86, doi:10.1093/jrsssb/qkad009. Clopper and Pearson
    (1934), Biometrika 26, doi:10.1093/biomet/26.4.404.

    Examples
    --------
    The policy promised a cost of about 0.2 per case. On later cases every second alarm is false:

    >>> from demur import CostModel, Policy, compare_models
    >>> from demur.monitoring import judge_policy
    >>> y, s = [0, 0, 1, 0, 1, 1] * 50, [0.1, 0.2, 0.3, 0.3, 0.8, 0.9] * 50
    >>> costs = CostModel(cost_fn=5, cost_fp=2, cost_abstain=0.6)
    >>> policy = Policy.from_answer(compare_models(y, {"risk": s}, costs=costs).answer)
    >>> later = judge_policy(policy, [0.1, 0.9] * 200, [0, 1, 0, 0] * 100, groups=["north", "south"] * 200)
    >>> round(later.promised_cost, 2), round(later.promised_limit, 2), later.overall.cost, later.verdict
    (0.22, 0.26, 0.5, 'not kept')
    >>> [(group.name, group.cost) for group in later.groups]
    [('north', 0.0), ('south', 1.0)]
    """
    check_type(policy, "policy", Policy)
    level = check_confidence_level(confidence_level)
    values = rule_values(policy, table)
    if not known_labels(labels, policy)[0].any():
        raise UndefinedError("A judgement needs labels. Hint: all of them are missing.")
    cases = LabelledCases.of(policy, values, labels, weights=weights, costs=costs)
    alpha = 1 - level
    bounds = None if cases.losses is None else loss_range(cases.losses)
    limit = policy.expected_limit
    sequence = _sequence(cases, alpha, bounds, limit)
    log_e = 0.0 if sequence is None else sequence.log_evidence
    notes = policy_notes(policy)
    if policy.amounts is not None and costs is None:
        notes.append(_NO_AMOUNTS)
    parts, names = np.array([]), []
    if groups is not None:
        column = np.asarray(groups)
        check_same_length(scores=cases.codes, groups=column)
        parts = np.array([group_text(value) or str(value) for value in column.tolist()])
        names = sorted(set(parts.tolist()))
    two = len(policy.classes) == 2
    negative, positive = (
        cases.share(cases.truth == code, two & (cases.codes == code), alpha) for code in (0, 1)
    )
    return PolicyJudgement(
        overall=_judged("all", policy, cases, alpha, bounds),
        confusion=cases.table(len(policy.classes), weighted=True),
        precision_negative=negative[0],
        precision_negative_interval=negative[1],
        precision_positive=positive[0],
        precision_positive_interval=positive[1],
        promised_cost=None if limit is None else policy.expected_cost,
        promised_limit=limit,
        promised_abstention=policy.abstention_rate,
        e_value=float(np.exp(min(log_e, 700.0))),
        broken=bool(log_e >= -np.log(alpha)),
        groups=tuple(
            _judged(name, policy, cases.take(parts == name), alpha / len(names), bounds) for name in names
        ),
        notes=tuple(notes),
        confidence_level=level,
    )


def _sequence(
    cases: LabelledCases, alpha: float, bounds: tuple[float, float] | None, limit: float | None
) -> CostSequence | None:
    if bounds is None:
        return None
    low, high = bounds
    shuffled = np.random.default_rng(0).permutation(np.sort(cases.unbiased_costs()))
    begun = CostSequence(
        low=low,
        high=high,
        alpha=alpha,
        cluster_size=cases.cluster_size,
        promise=None if limit is None else min(limit, high),
    )
    return begun.updated(shuffled, largest_weight=float(cases.weights.max()))


def _judged(
    name: str, policy: Policy, cases: LabelledCases, alpha: float, bounds: tuple[float, float] | None
) -> GroupJudgement:
    n, size = len(cases.codes), cases.cluster_size
    decided = int(np.count_nonzero(cases.codes != ABSTAIN))
    low, high = binomial_interval(decided / size, n / size, 1 - alpha)
    wrong = cases.share(cases.wrong, cases.known, alpha)
    two = len(policy.classes) == 2
    missed = cases.share(cases.codes == 0, two & (cases.truth == 1), alpha)
    alarmed = cases.share(cases.codes == 1, two & (cases.truth == 0), alpha)
    sequence = _sequence(cases, alpha, bounds, None)
    return GroupJudgement(
        name=name,
        n=n,
        n_labelled=int(cases.known.sum()),
        decided=decided / n,
        decided_interval=Interval(float(low), float(high)),
        error_rate=wrong[0],
        error_rate_interval=wrong[1],
        miss_rate=missed[0],
        miss_rate_interval=missed[1],
        alarm_rate=alarmed[0],
        alarm_rate_interval=alarmed[1],
        cost=None if sequence is None else sequence.mean,
        cost_interval=None if sequence is None else sequence.interval,
    )
