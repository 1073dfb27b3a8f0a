"""Define the results of a study: cells with a verdict, and figures drawn when they are saved."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from demur._files.whole import draft_of
from demur._results import Result, json_safe
from demur.exceptions import InputError
from demur_studies._placebo import Entry, TableEvidence, table_evidence

if TYPE_CHECKING:
    import numpy as np

    from demur_studies._data import PaperData

__all__ = [
    "EXACT",
    "VERDICTS",
    "Cell",
    "Figure",
    "Reproduction",
    "Study",
    "Tolerance",
    "Verdict",
    "save_figures",
]

Verdict = Literal[
    "number reproduced", "statement reproduced", "explained by", "differs", "own check", "not run"
]
# what a verdict says, for legends and headings
VERDICTS: dict[Verdict, str] = {
    "number reproduced": "printed numbers reproduced",
    "statement reproduced": "printed statements reproduced",
    "explained by": "explained by a variant run beside the paper's text",
    "differs": "differ, with the reason",
    "own check": "our own checks, not of print",
    "not run": "not run",
}
_CONFIDENCE = 0.95
_WEAK = 0.25  # a tolerance above this share of the printed value shows little


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a computed value may lie from print, and why; derived before anything is compared.

    Two sources and no other: the rounding of the print (`printed`), and the chance in our run
    and in the paper's (`repeated`). That another program stands in for the paper's is no source
    of tolerance but a reason to differ.
    """

    because: str
    absolute: float = 0.0

    def allows(self, computed: float, published: float) -> bool:
        """Tell whether the distance is within the tolerance; NaN never is."""
        return abs(computed - published) <= self.absolute * (1 + 1e-12)

    @staticmethod
    def printed(digits: int) -> "Tolerance":
        """Half a unit of the last printed digit, for values that have no randomness."""
        return Tolerance(f"printed to {digits} decimals", absolute=_half_unit(digits))

    @staticmethod
    def repeated(
        digits: int, *, spread: float, ours: float, printed: float, because: str, freedom: float = math.inf
    ) -> "Tolerance":
        """Rounding, and a 95 % prediction interval of the paper's mean given ours.

        `spread` is the standard deviation of one repetition with `freedom` degrees of freedom;
        we average `ours` of them, the paper `printed`: t sqrt(1/ours + 1/printed) spread.
        """
        from scipy.special import ndtri, stdtrit

        level = (1 + _CONFIDENCE) / 2
        times = ndtri(level) if math.isinf(freedom) else stdtrit(freedom, level)
        chance = float(times) * spread * math.sqrt(1 / ours + 1 / printed)
        words = f"printed to {digits} decimals, and 95 % of the chance in {because}"
        return Tolerance(words, absolute=_half_unit(digits) + chance)


def _half_unit(digits: int) -> float:
    # a little more than half a unit: print may round halves either way
    return 0.501 * 10.0**-digits


EXACT = Tolerance("computed without rounding or randomness", absolute=1e-9)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Cell(Result):
    """One printed value or statement beside what comes out here.

    Made by `number`, `formula`, `claim` (of print), `variant` (of what the paper says), `check` (of
    demur, not of print) or `not_run`.

    Attributes
    ----------
    where : str
        "Table 1, diabetes, J48".
    published : float or str
        The printed value, or the statement in words; of an own check what should come out.
    computed : float, str or None
        What came out here; None if it was not run.
    tolerance : float or None
        Largest distance of numbers that counts as agreement.
    tolerance_reason : str
        How it was derived; for a statement, how it was checked.
    verdict : {"number reproduced", "statement reproduced", "explained by", "differs", "own check", "not run"}
    reason : str
        Why it differs (erratum), the variant that explains it, or what it needs.
    weak : bool
        Whether the tolerance exceeds a quarter of the printed value: agreement shows little.
    table, row, column : str
        Place in a table with a placebo, for instance measure, data set and method; empty elsewhere.
    """

    where: str
    published: float | str
    computed: float | str | None
    tolerance: float | None
    tolerance_reason: str
    verdict: Verdict
    reason: str = ""
    weak: bool = False
    table: str = ""
    row: str = ""
    column: str = ""

    @classmethod
    def number(
        cls,
        where: str,
        *,
        published: float,
        computed: float,
        tolerance: Tolerance,
        known: str = "",
        place: tuple[str, str, str] = ("", "", ""),
    ) -> "Cell":
        """Compare a printed number with the computed one; `known` says why it is known not to come out.

        `place` is (table, row, column) where the table has a placebo.
        """
        return cls._compared("number reproduced", where, published, computed, tolerance, known, place)

    @classmethod
    def formula(
        cls,
        where: str,
        *,
        published: float,
        computed: float,
        known: str = "",
        place: tuple[str, str, str] = ("", "", ""),
    ) -> "Cell":
        """Compare what a printed formula gives with demur's value: a statement, not a printed number."""
        return cls._compared("statement reproduced", where, published, computed, EXACT, known, place)

    @classmethod
    def _compared(
        cls,
        verdict: Verdict,
        where: str,
        published: float,
        computed: float,
        tolerance: Tolerance,
        known: str,
        place: tuple[str, str, str],
    ) -> "Cell":
        agrees = tolerance.allows(computed, published)
        table, row, column = place
        return cls(
            where=where,
            published=float(published),
            computed=float(computed),
            tolerance=tolerance.absolute,
            tolerance_reason=tolerance.because,
            verdict=verdict if agrees else "differs",
            reason="" if agrees else known,
            weak=tolerance.absolute > _WEAK * abs(published),
            table=table,
            row=row,
            column=column,
        )

    @classmethod
    def claim(
        cls,
        where: str,
        *,
        claim: str,
        holds: bool,
        computed: str,
        checked: str = "",
        known: str = "",
        explained: str = "",
        place: tuple[str, str, str] = ("", "", ""),
    ) -> "Cell":
        """Judge a printed statement; `computed` says what came out here, `checked` how.

        `explained` names the variant with which a statement that does not hold itself does.
        """
        table, row, column = place
        return cls(
            where=where,
            published=claim,
            computed=computed,
            tolerance=None,
            tolerance_reason=checked,
            verdict="statement reproduced" if holds else "explained by" if explained else "differs",
            reason="" if holds else explained or known,
            table=table,
            row=row,
            column=column,
        )

    @classmethod
    def variant(
        cls,
        where: str,
        *,
        published: float,
        computed: float,
        tolerance: Tolerance,
        by: str,
        needed: bool,
        place: tuple[str, str, str] = ("", "", ""),
    ) -> "Cell":
        """Compare a printed number with a variant of what the paper says, run beside the paper's own text.

        "explained by" where the variant agrees and the paper's text does not (`needed`); else a check of
        ours. A variant is run for a whole column or not at all.
        """
        cell = cls._compared("explained by", where, published, computed, tolerance, "", place)
        agrees = cell.verdict == "explained by"
        if agrees and needed:
            return replace(cell, reason=by)
        reason = "" if agrees else f"does not hold: not explained by {by}"
        return replace(cell, verdict="own check", reason=reason)

    @classmethod
    def check(
        cls,
        where: str,
        *,
        expected: float | str,
        computed: float | str,
        holds: bool,
        checked: str = "",
        known: str = "",
    ) -> "Cell":
        """Check demur, or the print against itself: no evidence that the paper was reproduced.

        A check that fails needs its reason in `known`; without one it differs and is a fault.
        """
        return cls(
            where=where,
            published=expected,
            computed=computed,
            tolerance=None,
            tolerance_reason=checked,
            verdict="own check" if holds or known else "differs",
            reason="" if holds or not known else f"does not hold: {known}",
        )

    @classmethod
    def not_run(cls, where: str, *, published: float | str, needs: str) -> "Cell":
        """Keep the place of a value that cannot be computed without `needs`."""
        return cls(
            where=where,
            published=published,
            computed=None,
            tolerance=None,
            tolerance_reason="",
            verdict="not run",
            reason=f"needs {needs}",
        )

    @property
    def is_documented(self) -> bool:
        """Whether nothing is left unexplained: a difference needs a reason."""
        return self.verdict != "differs" or bool(self.reason)

    @property
    def words(self) -> str:
        """The verdict, and whether it is weak: "number reproduced (weak)"."""
        marked = self.weak and self.verdict in ("number reproduced", "explained by")
        return f"{self.verdict} (weak)" if marked else self.verdict

    @property
    def sentence(self) -> str:
        """The verdict in words: "number reproduced", "explained by: a variant", "not run: needs X"."""
        return self.words if not self.reason else f"{self.words}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure to be: its file stem, a caption and the function that draws it."""

    name: str
    caption: str
    draw: Callable[[], Any]  # returns a matplotlib Figure


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Reproduction(Result):
    """What one run of a study reproduces.

    Attributes
    ----------
    cells : tuple of Cell
        In the order of the paper.
    figures : tuple of Figure
        Drawn only when saved.
    remarks : tuple of str
        What the run used: learners, data sources, seeds, and how they differ from the paper.
    """

    cells: tuple[Cell, ...]
    figures: tuple[Figure, ...] = ()
    remarks: tuple[str, ...] = ()
    _evidence: ClassVar[tuple[str, ...]] = ("figures",)

    def count(self, verdict: Verdict) -> int:
        """Return how many cells have this verdict."""
        return sum(cell.verdict == verdict for cell in self.cells)

    @property
    def n_weak(self) -> int:
        """How many of the reproduced numbers have a tolerance above a quarter of the printed value."""
        return sum(cell.weak and cell.verdict == "number reproduced" for cell in self.cells)

    @property
    def is_documented(self) -> bool:
        """Whether every difference has its reason."""
        return all(cell.is_documented for cell in self.cells)

    @property
    def evidence(self) -> tuple[TableEvidence, ...]:
        """The placebo and the paired statistics of every table, in the order of the paper."""
        tables = dict.fromkeys(cell.table for cell in self.cells if cell.table and cell.computed is not None)
        found = (_evidence(name, [c for c in self.cells if c.table == name]) for name in tables)
        return tuple(each for each in found if each is not None)

    @property
    def summary(self) -> str:
        """One sentence: how many cells of each kind."""
        words = {verdict: f"{self.count(verdict)} {text}" for verdict, text in VERDICTS.items()}
        if self.n_weak:
            words["number reproduced"] += f" ({self.n_weak} of them weakly)"
        return f"{len(self.cells)} cells: {'; '.join(words.values())}."

    def to_dict(self) -> dict[str, Any]:
        """Return cells, counts, evidence, captions and remarks as JSON-safe built-in types."""
        return {
            "counts": {
                **{verdict: self.count(verdict) for verdict in VERDICTS},
                "weak": self.n_weak,
                "cells": len(self.cells),
            },
            "summary": self.summary,
            "evidence": [each.to_dict() for each in self.evidence],
            "cells": json_safe(list(self.cells)),
            "figures": [{"name": figure.name, "caption": figure.caption} for figure in self.figures],
            "remarks": list(self.remarks),
        }


def _evidence(name: str, cells: list[Cell]) -> TableEvidence | None:
    entries = [
        Entry(cell.row, cell.column, cell.published, cell.computed, cell.tolerance or 0.0)
        for cell in cells
        if cell.computed is not None
    ]
    return table_evidence(name, entries)


class Study(Protocol):
    """What a module of this package offers; see the package's docstring."""

    @property
    def TITLE(self) -> str: ...  # noqa: N802

    @property
    def REFERENCE(self) -> str: ...  # noqa: N802

    @property
    def PUBLISHED(self) -> Mapping[str, Any]: ...  # noqa: N802

    def run(self, *, quick: bool, data: "PaperData", rng: "np.random.Generator") -> Reproduction:
        """Run the experiments of the paper and compare."""


def save_figures(figures: tuple[Figure, ...], folder: Path, *, prefix: str) -> list[Path]:
    """Draw all figures, then write them as PNG files of whole content; return the files."""
    import io

    import matplotlib

    matplotlib.use("Agg")  # files only: never open a window
    import matplotlib.pyplot as plt

    drawn = []
    for figure in figures:
        buffer = io.BytesIO()
        canvas = figure.draw()
        canvas.savefig(buffer, format="png", dpi=120)
        plt.close(canvas)
        drawn.append((folder / f"{prefix}-{figure.name}.png", buffer.getvalue()))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"`--output {folder}` cannot be written: {error.strerror}.") from None
    for file, content in drawn:
        with draft_of(file) as draft:
            draft.write_bytes(content)
    return [file for file, _ in drawn]
