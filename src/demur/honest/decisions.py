"""What rules decide on every case: chosen without the case's fold, and with hindsight.

At fixed costs all that matters of a rule are its decisions. A table of (class, decision) counts
gives its cost, a table of (class, decision, decision of another rule) the paired difference.
Actions are coded 0 (negative), 1 (positive) and `ABSTAIN`, the last column of every table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur.honest.cases import SplitCases
from demur.surface.window import ABSTAIN, AbstentionWindow, decision_masks
from demur.typing import FloatArray

__all__ = [
    "Codes",
    "Judged",
    "Window",
    "decision_codes",
    "joint_outcomes",
    "judge_constant",
    "outcomes",
]

Codes: TypeAlias = npt.NDArray[np.int8]


class Window(NamedTuple):
    """Two thresholds, as `decide` takes them."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Decisions of one rule on all cases.

    Attributes
    ----------
    honest : tuple of arrays
        Element r: decision on every row of split r by the rule chosen without its fold.
    hindsight : array
        Decision on every row by the rule of all cases.
    """

    honest: tuple[Codes, ...]
    hindsight: Codes


# ---------------------------------------------------------------- decisions


def judge_constant(cases: SplitCases, code: int) -> Judged:
    """Decide alike on every case."""
    return Judged(
        tuple(np.full(len(rows.cell), code, dtype=np.int8) for rows in cases.splits.repeats),
        np.full(len(cases.splits.repeats[0].cell), code, dtype=np.int8),
    )


def decision_codes(scores: FloatArray, window: Window | AbstentionWindow) -> Codes:
    """Apply a window."""
    positive, above = decision_masks(scores, window.lower, window.upper)
    codes = np.where(above, np.int8(ABSTAIN), np.int8(0))
    codes[positive] = 1
    return codes


# ---------------------------------------------------------------- tables


def outcomes(cases: SplitCases, decisions: Sequence[Codes]) -> FloatArray:
    """Count cases, averaged over the splits: rows negative, positive; columns negative, positive, abstain.

    One column of decisions (hindsight) counts for the first split.
    """
    return _table(cases, [(codes,) for codes in decisions])


def joint_outcomes(cases: SplitCases, first: Sequence[Codes], second: Sequence[Codes]) -> FloatArray:
    """Number of cases by class, decision of the first rule and decision of the second."""
    return _table(cases, list(zip(first, second, strict=True)))


def _table(cases: SplitCases, decisions: Sequence[tuple[Codes, ...]]) -> FloatArray:
    width = len(decisions[0])
    total = np.zeros(2 * 3**width)
    for rows, columns in zip(cases.splits.repeats, decisions, strict=False):
        if worth_compiling(len(rows.cell)):
            # no list of codes: millions of cases are read once, and nothing is written
            compiled(_tally_loop)(
                cases.positive, rows.cell, rows.cases, columns[0], columns[-1], width, total
            )
            continue
        code = cases.positive[rows.cell].astype(np.int8)
        for column in columns:
            code = 3 * code + column % 3
        total += np.bincount(code, rows.cases, len(total))
    return (total / len(decisions)).reshape(2, *[3] * width)


@kernel
def _tally_loop(
    positive: Any, cell: Any, cases: Any, first: Any, second: Any, width: Any, total: Any
) -> None:
    # adds up the cases by class and by the decisions of one rule, or of two
    for row in range(len(cell)):
        code = 3 * int(positive[cell[row]]) + first[row] % 3
        if width == 2:
            code = 3 * code + second[row] % 3
        total[code] += cases[row]
