"""All answers of a `PolicyMonitor` as JSON-safe built-in types; its module imports this one."""

from typing import Any

from demur._results import json_safe
from demur.exceptions import UndefinedError

__all__ = ["answers_of"]


def answers_of(monitor: Any) -> dict[str, Any]:
    """Return the answers; None where there is nothing to answer from."""
    answers: dict[str, Any] = {
        "batches": monitor.batches,
        "n": monitor.n,
        "alpha": monitor.alpha,
        "alarms": monitor.alarms,
        "e_value": monitor.e_value,
        "changed_since": monitor.changed_since,
        "outcomes": dict(zip(monitor.actions, monitor.outcomes, strict=True)),
        "expected_outcomes": dict(zip(monitor.actions, monitor.reference.expected, strict=True)),
        "abstention_interval": monitor.abstention_interval,
        "prevalence": None,
        "prevalence_interval": None,
        "cost_of_keeping": None,
        "cost_of_keeping_interval": None,
        "recent": None,
        "n_labelled": monitor.n_labelled,
        "cost": monitor.cost,
        "cost_interval": monitor.cost_interval,
        "promised_cost": None if monitor.promise is None else monitor.promise.cost,
        "promised_limit": None if monitor.promise is None else monitor.promise.limit,
        "promise_e_value": monitor.promise_e_value,
        "precision": {
            side: {"share": share, "interval": limits} for side, (share, limits) in monitor.precision.items()
        },
        "agreement": None,
    }
    if monitor.agreement is not None:
        share, limits, kappa = monitor.agreement
        answers["agreement"] = {"share": share, "interval": limits, "kappa": kappa}
    if monitor.n:
        answers["recent"] = monitor.recent().to_dict()
    if not monitor.watches_scores:
        ranges = zip(monitor.reference.low, monitor.reference.high, strict=True)
        answers["expected_ranges"] = dict(zip(monitor.actions, ranges, strict=True))
    # scores that moved say nothing about the share of positives
    elif monitor.n and not monitor.scores_moved:
        answers["prevalence"] = monitor.prevalence
        answers["prevalence_interval"] = monitor.prevalence_interval
        try:
            answers["cost_of_keeping"] = monitor.cost_of_keeping
            answers["cost_of_keeping_interval"] = monitor.cost_of_keeping_interval
        except UndefinedError:
            # a window under constraints cannot be derived again: there is nothing to compare with
            answers["cost_of_keeping"] = None
    safe: dict[str, Any] = json_safe(answers)
    return safe
