"""Decisions on every case, by the rule learned without its fold and by that of all cases.

At fixed costs all that matters of a rule are its decisions. A table of (class, decision) counts
gives its cost, a table of (class, decision, decision of another rule) the paired difference.
Actions are coded by class, of two 0 (negative) and 1 (positive), and `ABSTAIN`, the last column of every
table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur.honest.cases import SplitCases
from demur.typing import FloatArray

__all__ = [
    "Codes",
    "Judged",
    "code_type",
    "judge_constant",
    "outcomes",
]

Codes: TypeAlias = npt.NDArray[np.signedinteger[Any]]
"""Actions of a rule, one per case: a byte each unless there are very many classes."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Decisions of one rule on all cases.

    Attributes
    ----------
    honest : tuple of arrays
        Element r: decision on every row of split r by the rule chosen without its fold.
    hindsight : array
        Decision on every row by the rule of all cases.
    honest_fees, hindsight_fees : tuple of arrays, array or None
        What was paid to come to these decisions, where the rule charges something.
    """

    honest: tuple[Codes, ...]
    hindsight: Codes
    honest_fees: tuple[FloatArray, ...] = ()
    hindsight_fees: FloatArray | None = None


# ---------------------------------------------------------------- decisions


def code_type(n_classes: int) -> type[np.signedinteger[Any]]:
    """Return the smallest integer type that holds the codes of all classes."""
    return np.int8 if n_classes <= np.iinfo(np.int8).max else np.int16


def judge_constant(cases: SplitCases, code: int) -> Judged:
    """Apply one action to every case."""
    kind = code_type(cases.n_classes)
    return Judged(
        tuple(np.full(len(rows.cell), code, dtype=kind) for rows in cases.splits.repeats),
        np.full(len(cases.splits.repeats[0].cell), code, dtype=kind),
    )


# ---------------------------------------------------------------- tables


def outcomes(cases: SplitCases, *rules: Sequence[Codes], power: int = 1) -> FloatArray:
    """Count cases by class and by the actions of one rule or of two, averaged over the splits.

    A row per class, then an axis per rule, abstaining last. One column of decisions (hindsight) counts for
    the first split. With `power` 2 the squares of the weights are summed.
    """
    m, actions, width = cases.n_classes, cases.n_actions, len(rules)
    decisions = list(zip(*rules, strict=True))
    total = np.zeros(m * actions**width)
    for split, (rows, columns) in enumerate(zip(cases.splits.repeats, decisions, strict=False)):
        judged = cases.splits.judged(split)
        number = judged if power == 1 else judged**power
        if worth_compiling(len(rows.cell)):
            # no list of codes: millions of cases are read once, and nothing is written
            compiled(_tally_loop)(
                cases.codes, rows.cell, number, columns[0], columns[-1], width, actions, total
            )
            continue
        code: Codes = cases.codes[rows.cell].astype(np.int8 if m == 2 else np.int64)
        for column in columns:
            code = actions * code + column % actions
        total += np.bincount(code, number, len(total))
    return (total / len(decisions)).reshape(m, *[actions] * width)


@kernel
def _tally_loop(
    codes: Any, cell: Any, cases: Any, first: Any, second: Any, width: Any, actions: Any, total: Any
) -> None:
    # adds up the cases by class and by the decisions of one rule, or of two
    for row in range(len(cell)):
        code = actions * int(codes[cell[row]]) + first[row] % actions
        if width == 2:
            code = actions * code + second[row] % actions
        total[code] += cases[row]
