"""The answer of `demur compare`, for all cases or group by group: in words and as a document."""

from dataclasses import dataclass
from typing import Any

from demur.cli.answers.certainty import Certainty, certainty_sections, how_sure
from demur.cli.answers.comparison import Comparison, compare_models
from demur.cli.answers.wording import comparison_text, decision
from demur.cli.output import document, heading, wrapped
from demur.cli.reading.evidence import Evidence, Part
from demur.costs.model import CostModel
from demur.exceptions import UndefinedError

__all__ = ["Compared", "Settings", "compare_parts", "compared_document", "compared_text"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the user asked for."""

    costs: CostModel | None
    prevalence: float | None
    confidence_level: float
    seed: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """The models on the cases of one part, and how sure that is."""

    found: Comparison
    sure: Certainty

    def text(self, output: str | None) -> str:
        """Return the answer in words."""
        return comparison_text(self.found, output=output, more=certainty_sections(self.sure))

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as built-in types."""
        words = None if self.found.costs is None else decision(self.found)
        return {"decision": words, **self.found.to_dict(), "how_sure": self.sure.to_dict()}


def compare_parts(read: Evidence, settings: Settings) -> dict[str, Compared | str]:
    """Compare the models on every part; a group that lacks a class gives the reason instead."""
    if read.group is None:
        return {"": _compared(read.whole, settings)}
    found: dict[str, Compared | str] = {}
    for name, part in read.parts.items():
        try:
            found[name] = _compared(part, settings)
        except UndefinedError as error:
            found[name] = f"Left out: {error}"
    return found


def _compared(part: Part, settings: Settings) -> Compared:
    found = compare_models(part.counts, costs=settings.costs, prevalence=settings.prevalence)
    sure = how_sure(part.rows, found, confidence_level=settings.confidence_level, seed=settings.seed)
    return Compared(found=found, sure=sure)


def compared_text(read: Evidence, parts: dict[str, Compared | str], *, output: str | None) -> str:
    """Return one block of text per part."""
    blocks = []
    for name, part in parts.items():
        if read.group is not None:
            blocks.append(heading(read.title(name), output=output))
        blocks.append(wrapped(part) if isinstance(part, str) else part.text(output))
    return "\n\n".join([*blocks, *map(wrapped, read.bins_in_words())])


def compared_document(read: Evidence, parts: dict[str, Compared | str]) -> str:
    """Return the JSON document."""
    return document("compare", read.answered({name: _answer(part) for name, part in parts.items()}))


def _answer(part: Compared | str) -> dict[str, Any]:
    return {"left_out": part} if isinstance(part, str) else part.to_dict()
