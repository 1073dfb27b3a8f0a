"""What a policy of any rule costs on a labelled file, in words and as a document."""

from dataclasses import dataclass
from typing import Any

from demur._results import Interval
from demur.cli.answers.batches import labelled_scores
from demur.cli.options.policies import Auditing
from demur.cli.output import number, percent, span, table, wrapped
from demur.cli.reading.policies import read_policy
from demur.engines.files import open_table
from demur.monitoring.judgement import GroupJudgement, PolicyJudgement, judge_policy
from demur.policy.policy import Policy

__all__ = ["Audited", "audit"]

_VERDICT_WORDS = {
    "kept": "The promise is kept",
    "not kept": "The promise is not kept",
    "not yet certain": "It is not yet certain whether the promise is kept",
}
# classes in a table of 80 columns
_MOST_COLUMNS = 6


@dataclass(frozen=True, kw_only=True, eq=False)
class Audited:
    """A policy audited on a file; `amounts` are the columns with the costs of the cases."""

    policy_file: str
    source: str
    policy: Policy
    judgement: PolicyJudgement
    amounts: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the document."""
        content = {"policy": self.policy_file, "source": self.source, **self.judgement.to_dict()}
        return {**content, "amounts": list(self.amounts)} if self.policy.amounts is not None else content

    def words(self) -> str:
        """Say it: the verdict first."""
        judged, names = self.judgement, [str(name) for name in self.policy.classes]
        two = len(names) == 2
        parts = [wrapped(self._verdict())]
        if len(names) <= _MOST_COLUMNS:
            rows = [
                [name, *(number(float(value)) for value in row)]
                for name, row in zip(names, judged.confusion, strict=True)
            ]
            parts.append(table(["true class", *names, "abstain"], rows))
        if two:
            negative = _share(judged.precision_negative, judged.precision_negative_interval)
            positive = _share(judged.precision_positive, judged.precision_positive_interval)
            parts.append(wrapped(f"Right when negative: {negative}. Right when positive: {positive}."))
        if judged.groups:
            errors = ("missed", "alarmed") if two else ("wrong",)
            rows = [_group_row(group, rates=two) for group in judged.groups]
            shown = table(["group", "cases", "decided", *errors, "cost", "limits"], rows)
            parts.append(f"{shown}\nLimits hold for all groups together.")
        return "\n\n".join(parts)

    def _verdict(self) -> str:
        judged, overall = self.judgement, self.judgement.overall
        cases = f"{overall.n_labelled} labelled cases"
        expected = judged.promised_abstention
        decided = (
            f"{_share(1 - overall.decided, Interval(*(1 - end for end in overall.decided_interval[::-1])))} "
            f"abstained on{'' if expected is None else f', expected {percent(expected)}'}"
        )
        if overall.cost is None or overall.cost_interval is None:
            why = " ".join(judged.notes) or "The policy was made without costs."
            return f"{why} {cases}: {decided}."
        cost = f"{number(overall.cost)} per case ({span(overall.cost_interval)}) on {cases}"
        if judged.promised_cost is None or judged.promised_limit is None:
            sentence = f"{' '.join(judged.notes)} It costs {cost}."
        else:
            sentence = (
                f"{_VERDICT_WORDS[str(judged.verdict)]}: the policy costs {cost}; promised "
                f"{number(judged.promised_cost)}, at most {number(judged.promised_limit)}."
            )
        sentence += f" {decided}."
        if self.amounts:
            columns = "column" if len(self.amounts) == 1 else "columns"
            sentence += f" Costs of the cases: {columns} {', '.join(self.amounts)}."
        if len(self.policy.classes) > 2 and overall.error_rate is not None:
            sentence += f" {percent(overall.error_rate)} wrong."
        return sentence


def audit(asked: Auditing, *, quiet: bool) -> Audited:
    """Read the cases and audit the policy on them."""
    policy = read_policy(asked.policy, quiet=quiet)
    with open_table(asked.file) as source:
        cases = labelled_scores(
            source,
            policy,
            label=str(asked.label),
            model=asked.model,
            weight=asked.weight,
            group=asked.group,
        )
    judgement = judge_policy(
        policy,
        cases.scores,
        cases.labels,
        weights=cases.weights,
        groups=cases.groups,
        costs=cases.costs,
        confidence_level=asked.confidence_level,
    )
    return Audited(
        policy_file=asked.policy,
        source=source.name,
        policy=policy,
        judgement=judgement,
        amounts=() if cases.amounts is None else cases.amounts.names,
    )


def _share(share: float | None, limits: Interval | None) -> str:
    return "no cases" if share is None or limits is None else f"{percent(share)} ({span(limits, percent)})"


def _group_row(group: GroupJudgement, *, rates: bool) -> list[str]:
    """Lay out a group, with the errors of both sides if there are two."""
    errors = (group.miss_rate, group.alarm_rate) if rates else (group.error_rate,)
    shares = ["" if share is None else percent(share) for share in (group.decided, *errors)]
    cost = "" if group.cost is None else number(group.cost)
    within = "" if group.cost_interval is None else span(group.cost_interval)
    return [group.name, str(group.n), *shares, cost, within]
