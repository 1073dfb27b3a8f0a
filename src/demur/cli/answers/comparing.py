"""The answer of `demur compare`, for all cases or group by group: in words, as a document and as tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demur._results import Interval
from demur.cli.answers.asking import Breakdown, Read, part_remarks
from demur.cli.answers.tables import (
    blocks_section,
    class_costs_section,
    class_quality,
    confusion_section,
    costs_section,
    groups_section,
    quality_section,
    ranges_section,
    thresholds_section,
)
from demur.cli.options import Output
from demur.cli.output import heading, remark, span, table, told_apart, wrapped
from demur.cli.table_files import holds_all, table_of, write_tables
from demur.comparison.comparison import Comparison
from demur.comparison.pairs import PairDifference
from demur.costs.curves import BestRange, CostCurve, best_ranges, cost_curve
from demur.engines.joint import MOST_MODELS

__all__ = [
    "Compared",
    "compared",
    "compared_text",
    "write_compared_tables",
]

_COSTS_WANTED = (
    "For a decision in words give your costs, for example --cost-fn 100 --cost-fp 40 --cost-abstain 12."
)
_NO_PAIRS = (
    "Tests of pairs are left out: they need both scores of every case, and only counts were read. "
    f"Hint: name two to {MOST_MODELS} models and no groups, or leave --engine out where the cases fit into "
    "memory."
)
# room beside the numbers of a pair
_LONGEST_IN_PAIR = 11


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """The comparison of one part, its answer by group of cases, and what holds over all costs."""

    comparison: Comparison
    by: Breakdown | None
    curves: Mapping[str, CostCurve]
    ranges: list[BestRange]
    pairs: Sequence[PairDifference]

    def text(self, output: str | None) -> str:
        """Return the answer in words and tables."""
        comparison, answer = self.comparison, self.comparison.answer
        many = comparison.problem.many
        opening, sections, closing = [], [], []
        if answer is None:
            closing.append(_COSTS_WANTED)
        else:
            opening = [text for text in (answer.words, answer.condition) if text]
        if many:
            sections += [class_costs_section(comparison), confusion_section(comparison)]
            remarks = [*class_quality(comparison), *comparison.notes]
        else:
            if answer is not None:
                sections += [costs_section(comparison), thresholds_section(comparison)]
            sections.append(quality_section(comparison, self.curves))
            sections.append(ranges_section(comparison, self.curves, self.ranges))
            remarks = part_remarks(comparison)
        if self.by is not None:
            sections.append(groups_section(*self.by))
        if comparison.by_block is not None:
            sections.append(blocks_section(comparison))
        if self.pairs:
            sections.append(_pairs_section(comparison, self.pairs))
        elif len(comparison.models) > 1 and not many:
            closing.append(_NO_PAIRS)
        titled = [f"{heading(title, output=output)}\n{body}" for title, body in sections]
        return "\n\n".join([*map(wrapped, opening), *titled, *map(wrapped, [*remarks, *closing])])

    def to_dict(self) -> dict[str, Any]:
        """Return the answer; JSON makes built-in types of it."""
        answer = self.comparison.answer
        told = self.comparison.to_dict() | ({} if self.by is None else {"by": self.by.to_dict()})
        said = {"decision": None if answer is None else answer.words, "comparison": told}
        if self.comparison.problem.many:
            return said
        return {
            **said,
            "best_ranges": [part._asdict() for part in self.ranges],
            "pairs": self.pairs,
            "curves": {
                name: {
                    "cost_curve": curve,
                    "cost_curve_area": curve.area(),
                    "surface": self.comparison.models[name].surface.surface,
                }
                for name, curve in self.curves.items()
            },
        }


def compared(comparison: Comparison, by: Breakdown | None = None) -> Compared:
    """Add what holds over all costs; of many classes nothing does."""
    if comparison.problem.many:
        return Compared(comparison=comparison, by=by, curves={}, ranges=[], pairs=[])
    curves = {name: cost_curve(model.counts) for name, model in comparison.judged.items()}
    return Compared(
        comparison=comparison,
        by=by,
        curves=curves,
        ranges=best_ranges(curves),
        pairs=comparison.pairs(),
    )


def compared_text(read: Read, parts: Mapping[str, Compared | str], *, output: str | None) -> str:
    """Return one block of text per part."""
    blocks = []
    for name, part in parts.items():
        if read.cases.group is not None:
            blocks.append(heading(read.cases.title(name), output=output))
        blocks.append(wrapped(part) if isinstance(part, str) else part.text(output))
    return "\n\n".join([*blocks, *map(wrapped, read.cases.bins_in_words())])


def _pairs_section(comparison: Comparison, pairs: Sequence[PairDifference]) -> tuple[str, str]:
    """Differences of AUC and VACC between models, adjusted for their number."""
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    shown = dict(zip(names, told_apart(names, _LONGEST_IN_PAIR), strict=True))
    rows = [
        [
            f"{shown[pair.first]} / {shown[pair.second]}",
            f"{pair.auc.difference:+.3f}",
            _pvalue(pair.auc_adjusted_pvalue),
            f"{pair.volume.difference:+.4f}",
            span(pair.volume.interval(comparison.problem.confidence_level), "{:.4f}".format),
            _pvalue(pair.volume_adjusted_pvalue),
        ]
        for pair in pairs
    ]
    body = table(["first / second", "AUC gap", "p", "VACC gap", "interval", "p"], rows)
    note = "gap: first minus second; AUC by DeLong's test, VACC by per-case scores"
    if pairs[0].auc.clusters is not None:
        note = "gap: first minus second; AUC by Obuchowski's test, VACC by totals of clusters"
    return "Differences, pair by pair (p adjusted for the pairs shown, Holm)", f"{body}\n{wrapped(note)}"


def _pvalue(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


# ---------------------------------------------------------------- files; costs are per case


def write_compared_tables(read: Read, parts: Mapping[str, Compared | str], output: Output) -> None:
    """Write the rules, and the pairs of models or the confusions of many classes where there are any.

    What --by asks for comes first. Groups stand below each other; what a format with one table leaves out is
    said.
    """
    rows: dict[str, list[dict[str, Any]]] = {"Groups": [], "Rules": [], "Pairs": [], "Confusion": []}
    words = []
    for name, part in parts.items():
        group = {} if read.cases.group is None else {read.cases.group: name}
        if isinstance(part, str):
            rows["Rules"].append({**group, "rule": None, "left_out": part})
            continue
        for listed, made in zip(rows.values(), (_groups, _rules, _pairs, _confusion), strict=True):
            listed += [{**group, **row} for row in made(part)]
        answer = part.comparison.answer
        said = [] if answer is None else [text for text in (answer.words, answer.condition) if text]
        said += part_remarks(part.comparison)
        if said and group:
            said[0] = f"{read.cases.title(name)}. {said[0]}"
        words += said
    tables = {title: table_of(listed) for title, listed in rows.items() if listed}
    write_tables(str(output.path), tables, words=words)
    if len(tables) > 1 and not holds_all(str(output.path)):
        first, other, *_ = map(str.lower, tables)
        remark(
            f"The table holds the {first}; .xlsx, .md and .json also hold the {other}.", quiet=output.quiet
        )


def _groups(part: Compared) -> Iterator[dict[str, Any]]:
    """Yield the values of the column of --by, and all cases together."""
    if part.by is None:
        return
    for one in (*part.by.costs.groups, part.by.costs.whole):
        name = None if one is part.by.costs.whole else one.name
        row: dict[str, Any] = {"column": part.by.column, "group": name, "n": one.n, "share": one.share}
        for key in ("cost", "error_rate", "miss_rate", "alarm_rate", "abstention_rate"):
            row |= {key: getattr(one, key), **_ends(key, getattr(one, f"{key}_interval"))}
        yield row


def _rules(part: Compared) -> Iterator[dict[str, Any]]:
    """Yield the models as given, then the rules of several, then those without a model."""
    comparison = part.comparison
    if comparison.problem.many:
        yield from _class_rules(comparison)
        return
    chosen = None if comparison.answer is None else (comparison.answer.model or comparison.answer.kind)
    for name, model in comparison.models.items():
        window = model.window
        costs = {
            "chosen": name == chosen,
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
        yield {
            "rule": name,
            "needs_model": True,
            **({} if chosen is None else costs),
            "auc": model.auc,
            **_ends("auc", model.auc_interval),
            "vacc": model.vacc,
            **_ends("vacc", model.vacc_interval),
            "hindsight_vacc": model.hindsight_vacc,
            "cost_curve_area": part.curves[name].area(),
            **({"left_out": model.left_out} if model.left_out else {}),
        }
    for name, one in comparison.combinations.items():
        yield {
            "rule": name,
            "needs_model": True,
            "chosen": name == chosen,
            "cost": one.cost,
            **_ends("cost", one.interval),
            "hindsight_cost": one.hindsight_cost,
            "abstention_rate": one.abstention_rate,
        }
    for rule, cost in comparison.trivial.items():
        yield {"rule": rule, "needs_model": False, "chosen": rule == chosen, "cost": cost}


def _pairs(part: Compared) -> Iterator[dict[str, Any]]:
    level = part.comparison.problem.confidence_level
    for pair in part.pairs:
        yield {
            "first": pair.first,
            "second": pair.second,
            "auc_difference": pair.auc.difference,
            **_ends("auc_difference", pair.auc.interval(level)),
            "auc_adjusted_pvalue": pair.auc_adjusted_pvalue,
            "vacc_difference": pair.volume.difference,
            **_ends("vacc_difference", pair.volume.interval(level)),
            "vacc_adjusted_pvalue": pair.volume_adjusted_pvalue,
        }


def _class_rules(comparison: Comparison) -> Iterator[dict[str, Any]]:
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


def _confusion(part: Compared) -> Iterator[dict[str, Any]]:
    """Yield the honest share and cost of every true class and answer of the rule chosen for many classes."""
    comparison, answer = part.comparison, part.comparison.answer
    if not comparison.problem.many:
        return
    called = [*map(str, comparison.classes), "abstain"]
    for true, shares, costs in zip(comparison.classes, answer.confusion, answer.confusion_cost, strict=True):
        for name, share, cost in zip(called, shares, costs, strict=True):
            yield {"true": str(true), "answer": name, "share": share, "cost": cost}


def _ends(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high = (None, None) if interval is None else interval
    return {f"{name}_low": low, f"{name}_high": high}
