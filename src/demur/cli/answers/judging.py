"""What a policy costs on a labelled file, in words and as a document."""

from dataclasses import dataclass
from typing import Any

from demur._results import Interval
from demur.cli.answers.batches import LabelledColumns, labelled_scores
from demur.cli.output import number, percent, table, wrapped
from demur.engines.files import open_table
from demur.monitoring.judgement import GroupJudgement, PolicyJudgement, judge_policy
from demur.windows.policy import Policy

__all__ = ["VERDICT_WORDS", "Judged", "judge"]

VERDICT_WORDS = {
    "kept": "The promise is kept",
    "not kept": "The promise is not kept",
    "not yet certain": "It is not yet certain whether the promise is kept",
}
"""How a verdict on a policy begins."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Judged:
    """A policy judged on a file."""

    policy_file: str
    source: str
    policy: Policy
    judgement: PolicyJudgement

    def to_dict(self) -> dict[str, Any]:
        """Return the document."""
        return {"policy": self.policy_file, "source": self.source, **self.judgement.to_dict()}

    @property
    def broken(self) -> bool:
        """Whether the cost is certainly above what was promised."""
        return self.judgement.broken

    def words(self) -> str:
        """Say it: the verdict first."""
        parts = [wrapped(self._verdict()), _confusion(self.policy, self.judgement)]
        parts.append(wrapped(_precisions(self.judgement)))
        if self.judgement.groups:
            parts.append(_groups(self.judgement.groups))
        return "\n\n".join(part for part in parts if part)

    def _verdict(self) -> str:
        judged, overall = self.judgement, self.judgement.overall
        cases = f"{overall.n_labelled} labelled cases"
        if overall.cost is None or overall.cost_interval is None or judged.promised_cost is None:
            return f"The policy was made without costs. {cases}: {percent(overall.decided)} decided."
        low, high = overall.cost_interval
        cost = (
            f"{number(overall.cost)} per case ({number(low)} to {number(high)}) on {cases}; promised "
            f"{number(judged.promised_cost)}, at most {number(judged.promised_limit or 0.0)}"
        )
        return f"{VERDICT_WORDS[str(judged.verdict)]}: the policy costs {cost}."


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
        confidence_level=confidence_level,
    )
    return Judged(policy_file=policy_file, source=name, policy=policy, judgement=judgement)


def _confusion(policy: Policy, judged: PolicyJudgement) -> str:
    names = str(policy.neg_label), str(policy.pos_label)
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


def _groups(groups: tuple[GroupJudgement, ...]) -> str:
    rows = []
    for group in groups:
        limits = group.cost_interval
        cost = "" if group.cost is None else number(group.cost)
        within = "" if limits is None else f"{number(limits.low)} to {number(limits.high)}"
        shares = [
            "" if share is None else percent(share)
            for share in (group.decided, group.miss_rate, group.alarm_rate)
        ]
        rows.append([group.name, str(group.n), *shares, cost, within])
    head = ["group", "cases", "decided", "missed", "alarmed", "cost", "limits"]
    note = "Limits hold for all groups together."
    return f"{table(head, rows)}\n{note}"
