"""A comparison as columns of unrounded numbers, for files that other programs read; costs are per case."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from demur._results import Interval
from demur.cli.answers.comparing import Compared
from demur.cli.answers.parts import part_remarks
from demur.cli.options import Output
from demur.cli.output import remark
from demur.cli.reading.class_columns import ClassRows
from demur.cli.reading.evidence import Evidence
from demur.cli.table_files import holds_all, table_of, write_tables
from demur.comparison.answer import Answer
from demur.comparison.classes.answer import ClassAnswer
from demur.comparison.classes.comparison import ClassComparison
from demur.comparison.models import ModelComparison

__all__ = ["write_class_tables", "write_compared_tables"]

_Rows = Callable[[Any], Iterator[dict[str, Any]]]


def write_compared_tables(evidence: Evidence, parts: Mapping[str, Compared | str], output: Output) -> None:
    """Write the rules, and the pairs of models where there are any."""
    said = {
        name: [*_said(part.comparison.answer), *part_remarks(part.comparison)]
        for name, part in parts.items()
        if not isinstance(part, str)
    }
    _write(evidence, parts, said, {"Rules": _rules, "Pairs": _pairs}, output)


def write_class_tables(rows: ClassRows, parts: Mapping[str, ClassComparison | str], output: Output) -> None:
    """Write the rules for many classes, and what the answer confuses."""
    said = {name: _said(part.answer) for name, part in parts.items() if not isinstance(part, str)}
    _write(rows, parts, said, {"Rules": _class_rules, "Confusion": _confusion}, output)


def _said(answer: Answer | ClassAnswer | None) -> list[str]:
    """Return what the terminal says above its tables: the decision, and the limits it keeps."""
    return [] if answer is None else [text for text in (answer.words, answer.condition) if text]


def _write(
    evidence: Evidence | ClassRows,
    parts: Mapping[str, Any],
    said: Mapping[str, list[str]],
    wanted: Mapping[str, _Rows],
    output: Output,
) -> None:
    """Write tables, groups below each other, and say what a format with one table leaves out."""
    rows: dict[str, list[dict[str, Any]]] = {title: [] for title in wanted}
    words = []
    for name, part in parts.items():
        group = {} if evidence.group is None else {evidence.group: name}
        if isinstance(part, str):
            rows["Rules"].append({**group, "rule": None, "left_out": part})
            continue
        for title, made in wanted.items():
            rows[title] += [{**group, **row} for row in made(part)]
        if said[name]:
            opening = "" if evidence.group is None else f"{evidence.title(name)}. "
            words += [f"{opening}{said[name][0]}", *said[name][1:]]
    tables = {title: table_of(listed) for title, listed in rows.items() if listed}
    write_tables(str(output.path), tables, words=words)
    if len(tables) > 1 and not holds_all(str(output.path)):
        other = list(tables)[1].lower()
        remark(f"The table holds the rules; .xlsx, .md and .json also hold the {other}.", quiet=output.quiet)


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


# ---------------------------------------------------------------- many classes


def _class_rules(comparison: ClassComparison) -> Iterator[dict[str, Any]]:
    """Yield every rule of every model, then the rules without a model."""
    answer = comparison.answer
    for name, model in comparison.models.items():
        for kind, one in model.rules.items():
            yield {
                "rule": kind,
                "model": name,
                "chosen": (name, kind) == (answer.model, answer.kind),
                "cost": one.cost,
                **_ends("cost", one.interval),
                "hindsight_cost": one.hindsight_cost,
                "abstention_rate": one.abstention_rate,
                "error_rate": one.error_rate,
                "auc": model.auc,
                **_ends("auc", model.auc_interval),
            }
    for rule, cost in comparison.trivial.items():
        yield {"rule": rule, "chosen": answer.is_trivial and rule == answer.kind, "cost": cost}


def _confusion(comparison: ClassComparison) -> Iterator[dict[str, Any]]:
    """Yield the honest share and cost of every true class and answer of the rule chosen."""
    answer = comparison.answer
    called = [*map(str, comparison.classes), "abstain"]
    for true, shares, costs in zip(comparison.classes, answer.confusion, answer.confusion_cost, strict=True):
        for name, share, cost in zip(called, shares, costs, strict=True):
            yield {"true": str(true), "answer": name, "share": share, "cost": cost}


def _ends(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high = (None, None) if interval is None else interval
    return {f"{name}_low": low, f"{name}_high": high}
