"""What a policy of any rule costs on a labelled file, in words and as a document."""

from dataclasses import dataclass
from typing import Any

from demur._results import Interval
from demur.cli.answers.batches import LabelledColumns, labelled_scores
from demur.cli.output import number, percent, table, wrapped
from demur.engines.files import open_table
from demur.monitoring.judgement import GroupJudgement, PolicyJudgement, judge_policy
from demur.policy.policy import Policy

__all__ = ["Judged", "judge"]

_VERDICT_WORDS = {
    "kept": "The promise is kept",
    "not kept": "The promise is not kept",
    "not yet certain": "It is not yet certain whether the promise is kept",
}
# classes in a table of 80 columns
_MOST_COLUMNS = 6


@dataclass(frozen=True, kw_only=True, eq=False)
class Judged:
    """A policy judged on a file; `amounts` are the columns with the costs of the cases."""

    policy_file: str
    source: str
    policy: Policy
    judgement: PolicyJudgement
    amounts: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the document."""
        content = {"policy": self.policy_file, "source": self.source, **self.judgement.to_dict()}
        return {**content, "amounts": list(self.amounts)} if self.policy.amounts is not None else content

    @property
    def broken(self) -> bool:
        """Whether the cost is certainly above what was promised."""
        return self.judgement.broken

    def words(self) -> str:
        """Say it: the verdict first."""
        parts = [wrapped(self._verdict()), _confusion(self.policy, self.judgement)]
        if len(self.policy.classes) == 2:
            parts.append(wrapped(_precisions(self.judgement)))
        if self.judgement.groups:
            parts.append(_groups(self.judgement.groups, rates=len(self.policy.classes) == 2))
        return "\n\n".join(part for part in parts if part)

    def _verdict(self) -> str:
        judged, overall = self.judgement, self.judgement.overall
        cases = f"{overall.n_labelled} labelled cases"
        if overall.cost is None or overall.cost_interval is None:
            why = " ".join(judged.notes) or "The policy was made without costs."
            return f"{why} {cases}: {percent(overall.decided)} decided."
        low, high = overall.cost_interval
        cost = f"{number(overall.cost)} per case ({number(low)} to {number(high)}) on {cases}"
        if judged.promised_cost is None:
            sentence = f"The policy promised nothing. It costs {cost}."
        else:
            sentence = (
                f"{_VERDICT_WORDS[str(judged.verdict)]}: the policy costs {cost}; promised "
                f"{number(judged.promised_cost)}, at most {number(judged.promised_limit or 0.0)}."
            )
        if self.amounts:
            sentence += f" Costs of the cases: {_columns(self.amounts)}."
        if len(self.policy.classes) > 2 and overall.error_rate is not None:
            abstained = percent(1 - overall.decided)
            sentence += f" {percent(overall.error_rate)} wrong, {abstained} abstained on."
        return sentence


def _columns(names: tuple[str, ...]) -> str:
    return f"{'column' if len(names) == 1 else 'columns'} {', '.join(names)}"


def judge(
    policy: Policy, policy_file: str, file: str, columns: LabelledColumns, confidence_level: float
) -> Judged:
    """Read the cases and judge the policy on them."""
    with open_table(file) as source:
        cases = labelled_scores(source, policy, columns)
        name = source.name
    judgement = judge_policy(
        policy,
        cases.scores,
        cases.labels,
        weights=cases.weights,
        groups=cases.groups,
        costs=cases.costs,
        confidence_level=confidence_level,
    )
    amounts = () if cases.amounts is None else cases.amounts.names
    return Judged(policy_file=policy_file, source=name, policy=policy, judgement=judgement, amounts=amounts)


def _confusion(policy: Policy, judged: PolicyJudgement) -> str:
    names = [str(name) for name in policy.classes]
    if len(names) > _MOST_COLUMNS:
        return ""
    rows = [
        [name, *(number(float(value)) for value in row)]
        for name, row in zip(names, judged.confusion, strict=True)
    ]
    return table(["true class", *names, "abstain"], rows)


def _precisions(judged: PolicyJudgement) -> str:
    sides = (
        ("negative", judged.precision_negative, judged.precision_negative_interval),
        ("positive", judged.precision_positive, judged.precision_positive_interval),
    )
    return " ".join(f"Right when {side}: {_share(share, limits)}." for side, share, limits in sides)


def _share(share: float | None, limits: Interval | None) -> str:
    if share is None or limits is None:
        return "no cases"
    return f"{percent(share)} ({percent(limits.low)} to {percent(limits.high)})"


def _groups(groups: tuple[GroupJudgement, ...], *, rates: bool) -> str:
    """Lay out the groups, with the errors of both sides if there are two."""
    rows = []
    for group in groups:
        limits = group.cost_interval
        cost = "" if group.cost is None else number(group.cost)
        within = "" if limits is None else f"{number(limits.low)} to {number(limits.high)}"
        errors = (group.miss_rate, group.alarm_rate) if rates else (group.error_rate,)
        shares = ["" if share is None else percent(share) for share in (group.decided, *errors)]
        rows.append([group.name, str(group.n), *shares, cost, within])
    head = ["group", "cases", "decided", *(("missed", "alarmed") if rates else ("wrong",)), "cost", "limits"]
    return f"{table(head, rows)}\nLimits hold for all groups together."
