"""Take the numbers and the headline of a comparison, write them as JSON, and compare two of them."""

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "TOLERANCE", "differences", "headline_of", "numbers_of", "read", "write"]

FOLDER = Path(__file__).parent

TOLERANCE = 1e-12
"""How far a number may be from the recorded one, times the scale of its kind.

A cost is a sum of at most 150 products of a loss and a mass, and masses add up to 1. However it is added up
(by blocks, by folds, case by case), it differs from the exact sum by at most some 200 roundings of 1.1e-16 of
the largest loss: 2.4e-14 of it, and averages over splits do not add to that. So 1e-12 times the largest loss
of a case (at least 1) leaves a margin of 40 and is still far below what one case decided otherwise changes:
at least a 1500th of a loss (150 cases, ten splits). Shares, AUC and VACC lie between 0 and 1: 1e-12 as it
stands. Thresholds and weights are compared relative to themselves: their unit is that of the scores.
"""

COSTS = frozenset(
    {
        "cost",
        "honest_cost",
        "cost_range",
        "hindsight_cost",
        "threshold_cost",
        "threshold_hindsight_cost",
        "never_abstaining_cost",
        "guaranteed_cost",
        "advice_cost",
        "regret",
        "worst_cost",
        "interval",
        "threshold_interval",
        "baselines",
        "versus",
    }
)
"""Entries in the unit of the costs."""

RELATIVE = frozenset({"lower", "upper", "threshold", "weights", "abstain_weight"})
"""Entries compared relative to themselves."""

ONLY_IF_UNTIED = {
    "window": (
        "lower",
        "upper",
        "abstention_rate",
        "missed",
        "alarms",
        "error_rate",
        "weights",
        "abstain_weight",
    ),
    "threshold": ("threshold",),
}
"""What is not compared where another rule of that kind costs the same."""

_MODEL = (
    "cost",
    "hindsight_cost",
    "threshold",
    "threshold_cost",
    "threshold_hindsight_cost",
    "abstention_rate",
    "missed",
    "alarms",
    "auc",
    "vacc",
    "hindsight_vacc",
)
_CLASS_MODEL = (
    "kind",
    "cost",
    "hindsight_cost",
    "abstention_rate",
    "error_rate",
    "auc",
)
_CLASS_RULE = ("cost", "hindsight_cost", "abstention_rate", "error_rate")
_INTERVALS = (
    "interval",
    "threshold_interval",
    "auc_interval",
    "vacc_interval",
    "guaranteed_cost",
    "left_out",
)
_ANSWER = (
    "kind",
    "model",
    "lower",
    "upper",
    "verdict",
    "cost",
    "honest_cost",
    "interval",
    "cost_range",
    "hindsight_cost",
    "guaranteed_cost",
    "advice_cost",
    "regret",
    "worst_cost",
    "best_share",
    "condition",
    "words",
)


def numbers_of(comparison: Any) -> dict[str, Any]:
    """Return the numbers of each model, which depend on no choice among models, and the baselines."""
    models = {}
    for name, model in comparison.models.items():
        if len(comparison.classes) > 2:
            models[name] = _fields(model, _CLASS_MODEL) | {
                "never_abstaining_cost": model.threshold_cost,
                "rules": {kind: _class_rule(rule) for kind, rule in model.rules.items()},
            }
            continue
        entry = _fields(model, _MODEL)
        if model.window is not None:
            entry |= _fields(model.window, ("lower", "upper"))
        models[name] = entry
    numbers = {"baselines": dict(comparison.trivial), "models": models}
    several = {name: _fields(one, _CLASS_RULE) for name, one in comparison.combinations.items()}
    return {**numbers, "combinations": several} if several else numbers


def _class_rule(one: Any) -> dict[str, Any]:
    found = _fields(one, _CLASS_RULE)
    weights = {"weights": one.rule.weights.tolist(), "abstain_weight": one.rule.abstain_weight}
    return found | {name: value for name, value in weights.items() if value is not None}


def headline_of(comparison: Any) -> dict[str, Any]:
    """Return the answer, what is said about it, and the intervals of each model."""
    models = {name: _fields(model, _INTERVALS) for name, model in comparison.models.items()}
    answer = comparison.answer
    if answer is None:
        return {"models": models}
    versus = {
        key: {"name": one.name, "difference": one.difference, "interval": list(one.interval)}
        for key, one in answer.versus.items()
    }
    return {"answer": _fields(answer, _ANSWER), "versus": versus, "models": models}


def _fields(thing: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields that are there and say something."""
    found = {name: getattr(thing, name, None) for name in names}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in found.items()
        if value is not None and value != ""
    }


# ---------------------------------------------------------------- files


def write(path: Path, entries: Mapping[str, Any]) -> None:
    """Write entries so that a line holds one model, or one part of a headline: differences can be read."""
    lines = []
    for name, entry in entries.items():
        parts = [
            f"  {_text(key)}: {{\n"
            + ",\n".join(f"   {_text(k)}: {_text(v)}" for k, v in value.items())
            + "\n  }"
            if key == "models"
            else f"  {_text(key)}: {_text(value)}"
            for key, value in entry.items()
        ]
        lines.append(f" {_text(name)}: {{\n" + ",\n".join(parts) + "\n }")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _text(value: Any) -> str:
    """Return JSON in which floats are as `repr` writes them, and infinities words."""
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def read(path: Path) -> dict[str, Any]:
    """Read a file of entries."""
    found: dict[str, Any] = json.loads(path.read_text(), object_hook=_numbers)
    return found


def _numbers(found: dict[str, Any]) -> dict[str, Any]:
    return {name: _number(value) for name, value in found.items()}


def _number(value: Any) -> Any:
    if isinstance(value, list):
        return [_number(one) for one in value]
    return float(value) if value in ("inf", "-inf", "nan") else value


# ---------------------------------------------------------------- comparing


def differences(recorded: Any, found: Any, scale: float) -> list[str]:
    """Return what differs, a line each: where, recorded, found, and by how much."""
    return list(_differences((), recorded, found, scale, 1.0))


def _differences(
    place: tuple[str, ...], recorded: Any, found: Any, scale: float, unit: float | None
) -> Iterator[str]:
    """Yield the differences; numbers may differ by the tolerance times `unit`, None: times themselves."""
    if isinstance(recorded, Mapping) and isinstance(found, Mapping):
        left_out = {"tied"} | {name for kind in recorded.get("tied", ()) for name in ONLY_IF_UNTIED[kind]}
        for name in [*recorded, *(key for key in found if key not in recorded)]:
            if name in left_out:
                continue
            there = *place, name
            if name not in found or name not in recorded:
                yield f"{' / '.join(there)}: {'missing' if name in recorded else 'new'}"
                continue
            inner = scale if name in COSTS else unit
            if name in RELATIVE and not isinstance(recorded[name], Mapping):  # "weights" names a rule, too
                inner = None
            yield from _differences(there, recorded[name], found[name], scale, inner)
    elif isinstance(recorded, list) and isinstance(found, list) and len(recorded) == len(found):
        for k, (one, two) in enumerate(zip(recorded, found, strict=True)):
            yield from _differences((*place, str(k)), one, two, scale, unit)
    elif recorded != found:
        gap = ""
        if isinstance(recorded, (int, float)) and isinstance(found, (int, float)):
            apart = abs(recorded - found)
            if apart <= TOLERANCE * (max(1.0, abs(recorded)) if unit is None else unit):
                return
            gap = f", off by {apart:.3g}"
        yield f"{' / '.join(place)}: recorded {recorded!r}, found {found!r}{gap}"
