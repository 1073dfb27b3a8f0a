"""What rules decide on every case: chosen without the case's fold, and with hindsight.

At fixed costs all that matters of a rule are its decisions. A table of (class, decision) counts
gives its cost, a table of (class, decision, decision of another rule) the paired difference.
Actions are coded 0 (negative), 1 (positive) and `ABSTAIN`, the last column of every table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from demur._kernels.jit import compiled, kernel, worth_compiling
from demur.counts.scores import ScoreCounts
from demur.exceptions import UndefinedError
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.class_rows import ClassRows, others_pooled
from demur.honest.held_out import JudgedRules
from demur.honest.rules import Prices
from demur.surface.window import ABSTAIN, AbstentionWindow, decision_masks
from demur.typing import FloatArray, IntArray

__all__ = [
    "Codes",
    "Judged",
    "Window",
    "codes_by_fold",
    "decision_codes",
    "joint_outcomes",
    "judge_choices",
    "judge_constant",
    "judge_learned",
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


def judge_learned(cases: SplitCases, model: JudgedModel, prices: Prices) -> Judged:
    """Decide with the cheapest windows at one cost point (arrays of no dimension)."""
    honest = []
    for index, (rows, position) in enumerate(zip(cases.splits.repeats, model.honest_position, strict=True)):
        start = index * cases.folds
        first, last = _limits(model.honest, start, start + cases.folds, prices)
        honest.append(codes_by_fold(position, rows.fold, first, last))
    first, last = _limits(model.hindsight, 0, 1, prices)
    return Judged(tuple(honest), _codes(model.hindsight_position, first[0], last[0]))


def _limits(rules: JudgedRules, start: int, stop: int, prices: Prices) -> tuple[Any, Any]:
    cuts = prices.share_cuts()
    pairs = [table.rule.limits(cuts) for table in rules.tables[start:stop]]
    # as short as positions are: a million of them are compared with these
    first, last = (np.array(column, dtype=np.int32) for column in zip(*pairs, strict=True))
    return first, last


def codes_by_fold(position: IntArray, fold: IntArray, first: Any, last: Any) -> Codes:
    """Decide on every row with the limits of its fold: positive from `last` on, negative below `first`."""
    if not worth_compiling(len(position)):
        return _codes(position, first[fold], last[fold])
    codes = np.empty(len(position), dtype=np.int8)
    compiled(_codes_loop)(position, fold, first, last, codes)
    return codes


@kernel
def _codes_loop(position: Any, fold: Any, first: Any, last: Any, codes: Any) -> None:
    for row in range(len(position)):
        at = position[row]
        if at >= last[fold[row]]:
            codes[row] = 1
        elif at < first[fold[row]]:
            codes[row] = 0
        else:
            codes[row] = -1


def _codes(position: IntArray, first: Any, last: Any) -> Codes:
    """Code 0 below the first limit, 1 from the second on, else `ABSTAIN`."""
    codes = np.where(position < first, np.int8(0), np.int8(ABSTAIN))
    codes[position >= last] = 1
    return codes


def judge_constant(cases: SplitCases, code: int) -> Judged:
    """Decide alike on every case."""
    return Judged(
        tuple(np.full(len(rows.cell), code, dtype=np.int8) for rows in cases.splits.repeats),
        np.full(len(cases.splits.repeats[0].cell), code, dtype=np.int8),
    )


def judge_choices(
    cases: SplitCases,
    scores: FloatArray,
    classes: Sequence[Sequence[ClassRows]],
    choose: Callable[[ScoreCounts], Sequence[Window | UndefinedError]],
    hindsight: Sequence[Window],
) -> list[Judged | UndefinedError]:
    """Decide with windows of any kind: `choose` finds some on the cases of all folds but one.

    `hindsight` are the windows it finds on all cases. Where it finds no window without some fold,
    its reason stands in place of the decisions.
    """
    honest: list[list[Codes]] = [[] for _ in hindsight]
    reasons: dict[int, UndefinedError] = {}
    for rows, by_class in zip(cases.splits.repeats, classes, strict=True):
        decided = [np.empty(len(rows.cell), dtype=np.int8) for _ in hindsight]
        buffers = [np.empty_like(one.scores) for one in by_class]
        for fold in range(cases.folds):
            windows = choose(others_pooled(by_class, fold, buffers))
            held = [(one, one.held(fold)) for one in by_class]
            for place, (codes, window) in enumerate(zip(decided, windows, strict=True)):
                if isinstance(window, UndefinedError):
                    reasons.setdefault(place, window)
                    continue
                for one, inside in held:
                    codes[one.rows[inside]] = decision_codes(one.scores[inside], window)
        for column, codes in zip(honest, decided, strict=True):
            column.append(codes)
    cell = cases.splits.repeats[0].cell
    return [
        reasons.get(place) or Judged(tuple(column), decision_codes(scores[cell], window))
        for place, (column, window) in enumerate(zip(honest, hindsight, strict=True))
    ]


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
