"""What a policy for many classes costs on a labelled file, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur.cli.answers.batches import LabelledColumns
from demur.cli.answers.judging import VERDICT_WORDS
from demur.cli.output import number, percent, table, wrapped
from demur.cli.reading.class_columns import ClassPart, read_labelled_classes
from demur.comparison.classes.judgement import ClassJudgement, judge_class_policy
from demur.windows.class_policy import ClassPolicy

__all__ = ["JudgedClasses", "judge_classes"]

_MOST_COLUMNS = 6


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedClasses:
    """A policy for many classes judged on a file; every group apart where there are some."""

    policy_file: str
    source: str
    policy: ClassPolicy
    judgement: ClassJudgement
    groups: Mapping[str, ClassJudgement] | None

    @property
    def broken(self) -> bool:
        """Whether the cost is certainly above what was promised."""
        return self.judgement.broken

    def to_dict(self) -> dict[str, Any]:
        """Return the document."""
        content = {"policy": self.policy_file, "source": self.source, **self.judgement.to_dict()}
        if self.groups is not None:
            content["groups"] = [{"name": name, **one.to_dict()} for name, one in self.groups.items()]
        return content

    def words(self) -> str:
        """Say it: the verdict first."""
        text = _words(self.policy, self.judgement)
        return f"{text}\n\n{_groups(self.groups)}" if self.groups else text


def judge_classes(
    policy: ClassPolicy, policy_file: str, file: str, columns: LabelledColumns, confidence_level: float
) -> JudgedClasses:
    """Read the cases and judge the policy on them.

    With a column of groups also every group, with intervals that hold for all of them together (Bonferroni).
    """
    source, parts = read_labelled_classes(
        policy, file, label=columns.label, model=columns.model, weight=columns.weight, group=columns.group
    )
    groups = None
    if columns.group is not None:
        level = 1 - (1 - confidence_level) / len(parts)
        groups = {name: _judged(policy, [part], level) for name, part in parts.items()}
    return JudgedClasses(
        policy_file=policy_file,
        source=source,
        policy=policy,
        judgement=_judged(policy, list(parts.values()), confidence_level),
        groups=groups,
    )


def _judged(policy: ClassPolicy, parts: Sequence[ClassPart], level: float) -> ClassJudgement:
    codes = np.concatenate([part.codes for part in parts])
    weights = [part.weights for part in parts if part.weights is not None]
    return judge_class_policy(
        policy,
        np.concatenate([part.proba[""] for part in parts]),
        [policy.classes[code] for code in codes.tolist()],
        sample_weight=np.concatenate(weights) if weights else None,
        confidence_level=level,
    )


def _groups(groups: Mapping[str, ClassJudgement]) -> str:
    rows = [
        [
            name,
            f"{one.n:,.0f}",
            percent(1 - one.abstention_rate),
            percent(one.error_rate),
            number(one.cost),
            f"{number(one.interval.low)} to {number(one.interval.high)}",
        ]
        for name, one in groups.items()
    ]
    head = ["group", "cases", "decided", "wrong", "cost", "limits"]
    return f"{table(head, rows)}\nLimits hold for all groups together."


def _words(policy: ClassPolicy, judged: ClassJudgement) -> str:
    low, high = judged.interval
    cost = (
        f"{number(judged.cost)} per case ({number(low)} to {number(high)}) on {judged.n:,.0f} labelled cases"
    )
    if judged.promised_cost is None or judged.promised_limit is None:
        sentence = f"The policy promised nothing. It costs {cost}."
    else:
        sentence = (
            f"{VERDICT_WORDS[str(judged.verdict)]}: the policy costs {cost}; promised "
            f"{number(judged.promised_cost)}, at most {number(judged.promised_limit)}."
        )
    sentence += f" {percent(judged.error_rate)} wrong, {percent(judged.abstention_rate)} abstained on."
    names = [str(name) for name in policy.classes]
    if len(names) > _MOST_COLUMNS:
        return wrapped(sentence)
    rows = [
        [name, *(number(1000 * float(value), 3) for value in row)]
        for name, row in zip(names, judged.confusion, strict=True)
    ]
    return f"{wrapped(sentence)}\n\n{table(['true, of 1000', *names, 'abstain'], rows)}"
