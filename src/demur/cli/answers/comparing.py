"""The answer of `demur compare`, for all cases or group by group: in words and as a document."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from demur.cli.answers.asking import Asked
from demur.cli.answers.pairs import PairDifference, pair_differences
from demur.cli.answers.parts import compare_part, part_remarks, why_left_out
from demur.cli.answers.tables import (
    costs_section,
    pairs_section,
    quality_section,
    ranges_section,
    thresholds_section,
)
from demur.cli.output import document, heading, wrapped
from demur.cli.reading.evidence import Evidence
from demur.comparison.comparison import Comparison
from demur.costs.curves import BestRange, CostCurve, best_ranges, cost_curve
from demur.engines.joint import MOST_MODELS
from demur.exceptions import InputError

__all__ = ["Compared", "compare_parts", "compared", "compared_document", "compared_text"]

_COSTS_WANTED = (
    "For a decision in words give your costs, for example --cost-fn 100 --cost-fp 40 --cost-abstain 12."
)
_NO_PAIRS = (
    "Tests of pairs are left out: they need both scores of every case, and only counts were read. "
    f"Hint: name two to {MOST_MODELS} models and no groups, or leave --engine out where the cases fit into "
    "memory."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """The comparison of one part, and what holds over all costs."""

    comparison: Comparison
    curves: Mapping[str, CostCurve]
    ranges: list[BestRange]
    pairs: list[PairDifference]

    def text(self, output: str | None) -> str:
        """Return the answer in words and tables."""
        comparison = self.comparison
        opening, sections, closing = [], [], []
        if comparison.answer is None:
            closing.append(wrapped(_COSTS_WANTED))
        else:
            answer = comparison.answer
            opening = [wrapped(text) for text in (answer.words, answer.condition) if text]
            sections += [costs_section(comparison), thresholds_section(comparison)]
        sections.append(quality_section(comparison, self.curves))
        sections.append(ranges_section(comparison, self.curves, self.ranges))
        if self.pairs:
            sections.append(pairs_section(comparison, self.pairs))
        elif len(comparison.models) > 1:
            closing.append(wrapped(_NO_PAIRS))
        titled = [f"{heading(title, output=output)}\n{body}" for title, body in sections]
        return "\n\n".join([*opening, *titled, *map(wrapped, part_remarks(comparison)), *closing])

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as built-in types."""
        answer = self.comparison.answer
        return {
            "decision": None if answer is None else answer.words,
            "comparison": self.comparison.to_dict(),
            "best_ranges": [part._asdict() for part in self.ranges],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "curves": {
                name: {
                    "cost_curve": curve.to_dict(),
                    "cost_curve_area": curve.area(),
                    "surface": self.comparison.models[name].surface.surface.to_dict(),
                }
                for name, curve in self.curves.items()
            },
        }


def compared(comparison: Comparison) -> Compared:
    """Add what holds over all costs."""
    curves = {name: cost_curve(model.counts) for name, model in comparison.judged.items()}
    return Compared(
        comparison=comparison,
        curves=curves,
        ranges=best_ranges(curves),
        pairs=pair_differences(comparison),
    )


def compare_parts(evidence: Evidence, asked: Asked) -> dict[str, Compared | str]:
    """Compare the models on every part; a group that allows no honest cost gives the reason instead."""
    if evidence.group is None:
        return {"": compared(compare_part(evidence, evidence.whole, asked))}
    parts: dict[str, Compared | str] = {}
    for name, part in evidence.parts.items():
        try:
            parts[name] = compared(compare_part(evidence, part, asked))
        except InputError as error:
            parts[name] = why_left_out(part, error)
    return parts


def compared_text(evidence: Evidence, parts: dict[str, Compared | str], *, output: str | None) -> str:
    """Return one block of text per part."""
    blocks = []
    for name, part in parts.items():
        if evidence.group is not None:
            blocks.append(heading(evidence.title(name), output=output))
        blocks.append(wrapped(part) if isinstance(part, str) else part.text(output))
    return "\n\n".join([*blocks, *map(wrapped, evidence.bins_in_words())])


def compared_document(evidence: Evidence, parts: dict[str, Compared | str]) -> str:
    """Return the JSON document."""
    answers = {
        name: {"left_out": part} if isinstance(part, str) else part.to_dict() for name, part in parts.items()
    }
    return document("compare", evidence.answered(answers), version=2)
