"""What a policy for many classes costs on a labelled file, in words."""

from typing import Any

from demur.cli.output import document, number, percent, table, wrapped
from demur.cli.reading.class_columns import read_labelled_classes
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
    confidence_level: float,
    as_json: bool,
) -> tuple[str, bool]:
    """Judge the policy; return the text or the document, and whether the promise is broken."""
    source, codes, proba, weights = read_labelled_classes(
        policy, file, label=label, model=model, weight=weight
    )
    labels = [policy.classes[code] for code in codes.tolist()]
    judged = judge_class_policy(
        policy, proba, labels, sample_weight=weights, confidence_level=confidence_level
    )
    if as_json:
        content: dict[str, Any] = {"policy": policy_file, "source": source, **judged.to_dict()}
        return document("judge", content), judged.broken
    return _words(policy, judged), judged.broken


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
