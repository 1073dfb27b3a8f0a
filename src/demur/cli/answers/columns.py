"""A comparison as columns of unrounded numbers, for files that other programs read; costs are per case."""

from collections.abc import Iterator
from typing import Any

from demur._results import Interval
from demur.cli.answers.comparing import Compared
from demur.cli.reading.evidence import Evidence
from demur.cli.table_files import Table, table_of
from demur.comparison.models import ModelComparison

__all__ = ["compared_tables", "compared_words"]


def compared_tables(evidence: Evidence, parts: dict[str, Compared | str]) -> dict[str, Table]:
    """Return the rules, and the pairs of models where there are any; groups below each other."""
    rules, pairs = [], []
    for name, part in parts.items():
        group = {} if evidence.group is None else {evidence.group: name}
        if isinstance(part, str):
            rules.append({**group, "rule": None, "left_out": part})
            continue
        rules += [{**group, **row} for row in _rules(part)]
        pairs += [{**group, **row} for row in _pairs(part)]
    tables = {"Rules": table_of(rules), "Pairs": table_of(pairs)}
    return {title: table for title, table in tables.items() if table}


def compared_words(evidence: Evidence, parts: dict[str, Compared | str]) -> list[str]:
    """Return the answers in words, one paragraph for each part that has one."""
    told = []
    for name, part in parts.items():
        answer = None if isinstance(part, str) else part.comparison.answer
        if answer is not None:
            title = "" if evidence.group is None else f"**{evidence.title(name)}** "
            told.append(f"{title}{answer.words}")
    return told


def _rules(part: Compared) -> Iterator[dict[str, Any]]:
    """Yield the models as given, then the rules without a model."""
    comparison = part.comparison
    chosen = None if comparison.answer is None else (comparison.answer.model or comparison.answer.kind)
    for name, model in comparison.models.items():
        yield {
            "rule": name,
            "needs_model": True,
            **({} if chosen is None else {"chosen": name == chosen, **_costs(model)}),
            "auc": model.auc,
            **_ends("auc", model.auc_interval),
            "vacc": model.vacc,
            **_ends("vacc", model.vacc_interval),
            "hindsight_vacc": model.hindsight_vacc,
            "cost_curve_area": part.curves[name].area(),
            **({"left_out": model.left_out} if model.left_out else {}),
        }
    for rule, cost in comparison.trivial.items():
        yield {"rule": rule, "needs_model": False, "chosen": rule == chosen, "cost": cost}


def _costs(model: ModelComparison) -> dict[str, Any]:
    window = model.window
    return {
        "cost": model.cost,
        **_ends("cost", model.interval),
        "hindsight_cost": model.hindsight_cost,
        "guaranteed_cost": model.guaranteed_cost,
        "threshold_cost": model.threshold_cost,
        **_ends("threshold_cost", model.threshold_interval),
        "lower": None if window is None else window.lower,
        "upper": None if window is None else window.upper,
        "threshold": model.threshold,
        "abstention_rate": model.abstention_rate,
        "missed": model.missed,
        "alarms": model.alarms,
    }


def _pairs(part: Compared) -> Iterator[dict[str, Any]]:
    level = part.comparison.question.confidence_level
    for pair in part.pairs:
        yield {
            "first": pair.first,
            "second": pair.second,
            "auc_difference": pair.auc.difference,
            **_ends("auc_difference", pair.auc.interval(level)),
            "auc_adjusted_pvalue": pair.auc_pvalue,
            "vacc_difference": pair.volume.difference,
            **_ends("vacc_difference", pair.volume.interval(level)),
            "vacc_adjusted_pvalue": pair.volume_pvalue,
        }


def _ends(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high = (None, None) if interval is None else interval
    return {f"{name}_low": low, f"{name}_high": high}
