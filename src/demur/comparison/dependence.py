"""What scores tell of cases that are not independent: scores that move with time, rows that are copies.

Copies are rows with the same class and the same scores of all models, where neither rounding nor a model with
few levels explains that:

- rounded scores are as often one step apart as twice the same, so that steps tell how many ties to expect;
- cases of different classes share a level of a model, copies never differ in their class.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from demur._checks import check_times
from demur.comparison.missing import score_difference
from demur.exceptions import InputError
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = ["copied_rows", "moved_scores"]

_MOST_COPIES = 6  # rows per distinct case, on average: more of them are the levels of a model
_ONE_CLASS = 20  # vectors of one class for each one of several
_FEWEST = 5
_ONE_STEP = 1.5


def moved_scores(dates: Iterable[tuple[Any, BoolArray]], scores: Mapping[str, FloatArray]) -> str:
    """Say how scores of the later half differ from those of the earlier one; empty if they may not.

    Of every column of dates its values, and where they are missing.
    """
    for values, missing in dates:
        known = ~missing
        try:
            when = check_times(values[known], int(known.sum()))
        except InputError:  # not all of them are dates
            continue
        late = when > np.sort(when)[(len(when) - 1) // 2]
        for name, column in scores.items():
            words = score_difference(name, column[known], late, ("early", "late"))
            if words is not None:
                return words
    return ""


# ---------------------------------------------------------------- copies


def copied_rows(codes: BoolArray | IntArray, columns: Sequence[FloatArray]) -> int:
    """Count rows that repeat the class and all scores of an earlier one, if ties do not explain them."""
    rows, cell = np.arange(len(codes)), np.zeros(len(codes), dtype=np.int64)
    for column in columns:
        # only rows that are tied so far are looked at: of continuous scores few or none
        values, place = np.unique(column[rows], return_inverse=True)
        _, cell, size = np.unique(cell * len(values) + place, return_inverse=True, return_counts=True)
        rows, cell = rows[size[cell] > 1], cell[size[cell] > 1]
    _, first, cell, size = np.unique(cell, return_index=True, return_inverse=True, return_counts=True)
    several = np.zeros(len(size), dtype=np.bool_)
    several[cell[codes[rows] != codes[rows[first]][cell]]] = True
    one_class = np.count_nonzero(~several)
    distinct = len(codes) - len(rows) + len(size)
    if one_class <= _ONE_CLASS * np.count_nonzero(several) or _MOST_COPIES * distinct < len(codes):
        return 0
    return int((size - 1)[~several].sum()) if one_class >= _FEWEST + _ties_of_rounding(columns) else 0


def _ties_of_rounding(columns: Sequence[FloatArray]) -> int:
    """Bound the ties to expect of the column with most values: its values that are one step apart.

    A step is the smallest difference of all values, or of those of one power of 2, where digits are
    significant ones.
    """
    values = max((np.unique(column[np.isfinite(column)]) for column in columns), key=len)
    gaps, ties = np.diff(values), 0
    for part in (np.zeros(len(gaps), dtype=np.int64), np.frexp(values[:-1])[1]):
        names, code = np.unique(part, return_inverse=True)
        step = np.full(len(names), np.inf)
        np.minimum.at(step, code, gaps)
        # the smallest difference itself is no sign of steps
        ties = max(ties, int(np.count_nonzero(gaps <= _ONE_STEP * step[code])) - len(names))
    return ties
