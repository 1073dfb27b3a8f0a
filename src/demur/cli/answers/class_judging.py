"""What a policy for many classes costs on a labelled file, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from demur.cli.output import document, number, percent, table, wrapped
from demur.cli.reading.class_columns import ClassPart, read_labelled_classes
from demur.comparison.classes.judgement import ClassJudgement, judge_class_policy
from demur.windows.class_policy import ClassPolicy

__all__ = ["judge_classes"]

_MOST_COLUMNS = 6


def judge_classes(
    policy: ClassPolicy,
    policy_file: str,
    file: str,
    *,
    label: str,
    model: str | None,
    weight: str | None,
    group: str | None,
    confidence_level: float,
    as_json: bool,
) -> tuple[str, bool]:
    """Judge the policy; return the text or the document, and whether the promise is broken.

    With `group` also every group, with intervals that hold for all of them together (Bonferroni).
    """
    source, parts = read_labelled_classes(policy, file, label=label, model=model, weight=weight, group=group)
    judged = _judged(policy, list(parts.values()), confidence_level)
    level = 1 - (1 - confidence_level) / len(parts)
    groups = {} if group is None else {name: _judged(policy, [part], level) for name, part in parts.items()}
    if as_json:
        content: dict[str, Any] = {"policy": policy_file, "source": source, **judged.to_dict()}
        if group is not None:
            content["groups"] = [{"name": name, **one.to_dict()} for name, one in groups.items()]
        return document("judge", content), judged.broken
    text = _words(policy, judged)
    return (f"{text}\n\n{_groups(groups)}" if groups else text), judged.broken


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
        verdict = "is broken" if judged.broken else "stands"
        sentence = (
            f"The promise {verdict}: the policy costs {cost}; promised {number(judged.promised_cost)}, "
            f"at most {number(judged.promised_limit)}."
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
