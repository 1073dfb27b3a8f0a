"""What a study gives back: cells with a verdict, figures that are drawn when they are saved."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from demur._files.whole import draft_of
from demur._results import Result, json_safe
from demur.exceptions import InputError

if TYPE_CHECKING:
    import numpy as np

    from demur.reproduce._data import PaperData

__all__ = ["EXACT", "Cell", "Figure", "Reproduction", "Study", "Tolerance", "save_figures"]

Verdict = Literal["agrees", "differs", "not run"]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a computed value may lie from print: ``absolute + relative * |printed|``, and why."""

    because: str
    absolute: float = 0.0
    relative: float = 0.0

    def allows(self, computed: float, published: float) -> bool:
        """Tell whether the distance is within the tolerance; NaN never is."""
        room = self.absolute + self.relative * abs(published)
        return abs(computed - published) <= room * (1 + 1e-12)

    @staticmethod
    def printed(digits: int) -> "Tolerance":
        """Half a unit of the last printed digit, for values that have no randomness."""
        # a little more than half a unit: print may round halves either way
        return Tolerance(f"printed to {digits} decimals", absolute=0.501 * 10.0**-digits)


EXACT = Tolerance("computed without rounding or randomness", absolute=1e-9)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Cell(Result):
    """One printed value or statement beside what comes out here; made by `number`, `claim` or `not_run`.

    Attributes
    ----------
    where : str
        "Table 1, diabetes, J48".
    published : float or str
        The printed value, or the statement in words.
    computed : float, str or None
        What came out here; None if it was not run.
    tolerance : float or None
        Largest distance of numbers that counts as agreement.
    tolerance_reason : str
        Why it is that large; for a statement, how it was checked.
    verdict : {"agrees", "differs", "not run"}
    reason : str
        Why it differs (erratum) or what it needs.
    """

    where: str
    published: float | str
    computed: float | str | None
    tolerance: float | None
    tolerance_reason: str
    verdict: Verdict
    reason: str = ""

    @classmethod
    def number(
        cls, where: str, *, published: float, computed: float, tolerance: Tolerance, known: str = ""
    ) -> "Cell":
        """Compare a printed number with the computed one; `known` says why it is known not to come out."""
        agrees = tolerance.allows(computed, published)
        room = tolerance.absolute + tolerance.relative * abs(published)
        return cls(
            where=where,
            published=float(published),
            computed=float(computed),
            tolerance=room,
            tolerance_reason=tolerance.because,
            verdict="agrees" if agrees else "differs",
            reason="" if agrees else known,
        )

    @classmethod
    def claim(
        cls, where: str, *, claim: str, holds: bool, computed: str, checked: str = "", known: str = ""
    ) -> "Cell":
        """Judge a statement; `computed` says what came out here, `checked` how."""
        return cls(
            where=where,
            published=claim,
            computed=computed,
            tolerance=None,
            tolerance_reason=checked,
            verdict="agrees" if holds else "differs",
            reason="" if holds else known,
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
    def sentence(self) -> str:
        """The verdict in words: "agrees", "differs: why", "not run: needs X"."""
        return self.verdict if not self.reason else f"{self.verdict}: {self.reason}"


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
    def is_documented(self) -> bool:
        """Whether every difference has its reason."""
        return all(cell.is_documented for cell in self.cells)

    def to_dict(self) -> dict[str, Any]:
        """Return cells, captions and remarks as JSON-safe built-in types."""
        return {
            "cells": json_safe(list(self.cells)),
            "figures": [{"name": figure.name, "caption": figure.caption} for figure in self.figures],
            "remarks": list(self.remarks),
        }


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
