"""What a policy takes from an answer at costs that differ by case."""

from typing import Any

from demur.windows.policy_checks import require_window_of
from demur.windows.policy_evidence import PolicyEvidence

__all__ = ["parts_by_case"]


def parts_by_case(answer: Any, abstain_label: Any) -> dict[str, Any]:
    """Return the arguments of `Policy`, with where the amounts came from."""
    require_window_of(answer.window, answer.counts)
    negative, positive = answer.labels
    return {
        "lower": answer.window.lower,
        "upper": answer.window.upper,
        "pos_label": positive,
        "neg_label": negative,
        "abstain_label": abstain_label,
        "costs": None,
        "prevalence": answer.prevalence,
        "expected_cost": answer.cost,
        "abstention_rate": answer.abstention_rate,
        "fn": answer.missed,
        "fp": answer.alarms,
        "rule": "amounts",
        "evidence": PolicyEvidence.from_counts(answer.counts),
        "model": answer.model,
        "note": answer.condition,
        "amounts": answer.costs.to_dict(),
    }
