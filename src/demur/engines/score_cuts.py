"""Bins of scores between given cuts, found by look-up: few comparisons per row, however many bins.

A grid of equal cells over the range of the scores tells how many cuts lie in earlier cells; at most three
lie in the same cell, and three comparisons settle those. Subtraction, division, product and floor are
monotone under correct rounding (IEEE 754), so a score never falls below a cut of an earlier cell.
"""

from typing import Any, NamedTuple

import numpy as np

from demur.engines.columns import quoted
from demur.engines.frames import narwhals
from demur.engines.score_bins import fitting_bins
from demur.typing import FloatArray, IntArray

__all__ = ["ScoreCuts", "with_places"]

# DuckDB spreads a list out for every two thousand rows: a short one costs little
_CELLS = 2**10
_CUTS_PER_CELL = 3


class ScoreCuts(NamedTuple):
    """Ascending cuts, and the grid on which they are looked up.

    The place of a score is the number of cuts at or below it.
    """

    cuts: FloatArray
    start: float
    width: float

    @classmethod
    def among(cls, scores: FloatArray, wanted: FloatArray) -> "ScoreCuts":
        """Take the cuts `wanted`, the first ones before the others where more than three share a cell.

        The grid fits ascending `scores`.
        """
        grid = fitting_bins(scores, _CELLS)
        fitted = cls(np.empty(0), grid.start, grid.width)
        kept: dict[int, set[float]] = {}
        for cut, cell in zip(wanted.tolist(), fitted.cells(wanted).tolist(), strict=True):
            own = kept.setdefault(cell, set())
            if len(own) < _CUTS_PER_CELL:
                own.add(cut)
        return fitted._replace(cuts=np.array(sorted(cut for own in kept.values() for cut in own)))

    def cells(self, scores: FloatArray) -> IntArray:
        """Cell of every score; the outer cells hold what lies beyond."""
        with np.errstate(over="ignore"):
            cell = np.floor((scores - self.start) / self.width * float(_CELLS))
        return np.clip(cell, 0, _CELLS - 1).astype(np.int64)

    def of_array(self, scores: FloatArray) -> IntArray:
        """Place of every score."""
        return np.searchsorted(self.cuts, scores, side="right")

    def sql(self, score: str) -> tuple[str, str]:
        """Return the place in the SQL of DuckDB, from the number `earlier` of cuts in earlier cells."""
        before = np.searchsorted(self.cells(self.cuts), np.arange(_CELLS))
        cell = (
            f"floor(({score} - {self.start!r}::double) / {self.width!r}::double * {float(_CELLS)!r}::double)"
        )
        cell = f"cast(least(greatest({cell}, 0), {_CELLS - 1}) as integer)"
        earlier = f"('{before.tolist()}'::usmallint[])[{cell} + 1]"
        # beyond the last cut there is none to reach
        listed = ", ".join([*map(repr, self.cuts.tolist()), *["NULL"] * _CUTS_PER_CELL])
        place = "{earlier}"
        for step in range(_CUTS_PER_CELL):
            at = "{earlier}" + f" + {step + 1}"
            place += f" + coalesce(({score} >= ('[{listed}]'::double[])[{at}])::integer, 0)"
        return earlier, place

    def expression(self, score: Any) -> Any:
        """Return the place in the language of any engine: comparisons by halving."""
        return self._halved(narwhals(), score, 0, len(self.cuts) + 1)

    def _halved(self, nw: Any, score: Any, first: int, stop: int) -> Any:
        if stop - first == 1:
            return nw.lit(first)
        middle = (first + stop) // 2
        above, below = self._halved(nw, score, middle, stop), self._halved(nw, score, first, middle)
        return nw.when(score >= float(self.cuts[middle - 1])).then(above).otherwise(below)


def with_places(frame: Any, cuts: dict[str, ScoreCuts]) -> Any:
    """Put places among cuts where scores stand, column by column."""
    if not cuts:
        # engines that plan ahead refuse an empty list of expressions
        return frame
    nw = narwhals()
    if not frame.implementation.is_duckdb():
        return frame.with_columns(**{name: one.expression(nw.col(name)) for name, one in cuts.items()})
    relation, earlier, places = frame.to_native(), [], []
    for place, (name, one) in enumerate(cuts.items()):
        cell, found = one.sql(quoted(name))
        earlier.append(f"{cell} as earlier{place}")
        places.append(f"({found.format(earlier=f'earlier{place}')})::integer as {quoted(name)}")
    others = [quoted(name) for name in relation.columns if name not in cuts]
    relation = relation.project(", ".join(["*", *earlier]))
    return nw.from_native(relation.project(", ".join([*others, *places])))
