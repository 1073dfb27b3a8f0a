"""Results of a scan: weights per score or bin and label, and the number of distinct scores.

Every engine hands over the same few columns, so that missing values, labels and weights are judged in one
place, in the same words.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from demur._checks import input_error
from demur.engines.columns import positive_place
from demur.engines.score_bins import ScoreBins
from demur.exceptions import InputError
from demur.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "FIRST_ROWS",
    "Columns",
    "Cut",
    "Tally",
    "as_floats",
    "bin_ranges",
    "coded",
    "has_more_than",
    "is_missing",
    "is_positive",
    "looks_like_more_than",
    "n_distinct",
    "nested_values",
    "refuse_missing",
]


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Which column is what; `amounts` hold costs of the cases."""

    y_true: str
    scores: tuple[str, ...]
    weights: str | None = None
    groups: str | None = None
    amounts: tuple[str, ...] = ()
    time: str | None = None

    @property
    def all(self) -> tuple[str, ...]:
        """All columns in use."""
        roles = (self.y_true, *self.scores, self.weights, self.groups, *self.amounts, self.time)
        return tuple(dict.fromkeys(name for name in roles if name is not None))


@dataclass(frozen=True)
class Cut:
    """How the scores of one column are grouped.

    Attributes
    ----------
    bins : ScoreBins or None
        Per bin, or per distinct score.
    only : set of int or None
        With distinct scores: those in these bins of `bins`, and no others.
    ranges : bool
        Whether the smallest and the largest score of every bin are asked for; the ends of the bins
        take their place otherwise, which nearly halves the work of a scan.
    """

    bins: ScoreBins | None = None
    only: frozenset[int] | None = None
    ranges: bool = True

    @property
    def exact(self) -> bool:
        """Whether the rows of the tally are distinct scores."""
        return self.bins is None or self.only is not None

    def chosen(self, scores: FloatArray) -> BoolArray:
        """Tell which scores are in the bins `only`."""
        assert self.bins is not None
        return np.isin(self.bins.of_array(scores), list(self.only or ()))


@dataclass(frozen=True, kw_only=True, eq=False)
class Tally:
    """Rows of a grouped table: one per distinct (group, label, score or bin), in any order.

    Attributes
    ----------
    label, group : array
        Values as the source has them; `group` is None without groups.
    lower, upper : array
        Smallest and largest score of the row, or the ends of its bin; NaN where the score is missing.
    number : array or None
        Bin of the row; NaN where the score is missing.
    rows : array or None
        Number of cases; None if each row is one case.
    weight : array or None
        Sum of the weights; None without weights.
    missing_weights, bad_weights : int
        Number of cases without a weight, with a negative or infinite one.
    whole : bool
        False where rows beyond the limit were left out.
    shared_limit : bool
        Whether that limit was for this column and others together.
    """

    label: Any
    group: Any
    lower: FloatArray
    upper: FloatArray
    number: FloatArray | None
    rows: IntArray | None
    weight: FloatArray | None
    missing_weights: int = 0
    bad_weights: int = 0
    whole: bool = True
    shared_limit: bool = False

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def case_weights(self) -> FloatArray:
        """Weight of each row: the number of its cases where there are no weights."""
        if self.weight is not None:
            return self.weight
        return np.ones(len(self)) if self.rows is None else self.rows.astype(np.float64)

    def of_rows(self, rows: Any) -> Tally:
        """Return some of the rows."""
        arrays = {
            name: getattr(self, name)
            for name in ("label", "group", "lower", "upper", "number", "rows", "weight")
        }
        return replace(self, **{name: array[rows] for name, array in arrays.items() if array is not None})

    def cases(self, chosen: BoolArray) -> int:
        """Return the number of cases in the chosen rows."""
        return int(np.count_nonzero(chosen) if self.rows is None else self.rows[chosen].sum())

    def require_complete(self, columns: Columns, name: str) -> None:
        """Refuse missing values and weights that are none, with their count."""
        scores = self.lower if self.number is None else self.number
        missing = {columns.y_true: self.cases(is_missing(self.label)), name: self.cases(np.isnan(scores))}
        if columns.groups is not None:
            missing[columns.groups] = self.cases(is_missing(self.group))
        if columns.weights is not None:
            missing[columns.weights] = self.missing_weights
        for column, count in missing.items():
            refuse_missing(column, count)
        if self.bad_weights:
            raise input_error(
                "weights",
                "must name a column of finite numbers from 0",
                f"{self.bad_weights} negative or infinite in {columns.weights!r}",
                "a weight says how many cases a row stands for.",
            )


def refuse_missing(column: str, count: int) -> None:
    """Raise `InputError` if values of a column are missing."""
    if count:
        raise InputError(
            f"Column {column!r} has {count} missing {'value' if count == 1 else 'values'}. "
            "Hint: drop those rows, or fill them in where the model has an answer."
        )


def is_missing(values: Any) -> BoolArray:
    """Tell where a value is None or NaN."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=np.bool_)
    try:
        return np.fromiter((value is None or value != value for value in values), np.bool_, len(values))
    except ValueError:
        # arrays are compared element by element
        raise nested_values(values) from None


def nested_values(values: Any) -> InputError:
    """Build the error for classes or groups that are lists or records."""
    nested = (value for value in values if isinstance(value, (list, dict, np.ndarray)))
    shown = next(nested, values[0])
    return InputError(
        f"A column of classes or groups must hold one value per row, got {str(shown)[:40]}. "
        "Hint: write a column of numbers, text or truth values."
    )


def as_floats(values: Any) -> FloatArray:
    """Return numbers as float64; None becomes NaN."""
    return np.asarray(values, dtype=np.float64)


def is_positive(labels: Any, positive: Any, column: str) -> BoolArray:
    """Tell which labels are the positive one."""
    known, codes = coded(labels)
    return np.asarray(codes == positive_place(known, positive, column=column), dtype=np.bool_)


def bin_ranges(
    number: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the place of each row among the distinct bins, and the smallest and largest score of those."""
    numbers, places = np.unique(number, return_inverse=True)
    low, high = np.full(len(numbers), np.inf), np.full(len(numbers), -np.inf)
    np.minimum.at(low, places, lower)
    np.maximum.at(high, places, upper)
    return places, low, high


def coded(values: Any) -> tuple[list[Any], IntArray]:
    """Return the distinct values, sorted where they sort, and the place of each row among them."""
    if values.dtype.kind == "O":
        try:
            distinct = list(dict.fromkeys(values.tolist()))
        except TypeError:
            raise nested_values(values) from None
        # labels of several types have no order: they stay as they come
        with suppress(TypeError):
            distinct.sort()
        places = {value: place for place, value in enumerate(distinct)}
        return distinct, np.fromiter((places[value] for value in values.tolist()), np.int64, len(values))
    low, high = values.min(), values.max()
    # two classes are the rule: no sort
    if low < high and bool(np.all((values == low) | (values == high))):
        return [low.item(), high.item()], (values == high).astype(np.int64)
    uniques, codes = np.unique(values, return_inverse=True)
    return uniques.tolist(), codes.astype(np.int64)


# rows looked at before the scan: enough to tell continuous scores from rounded ones
FIRST_ROWS = 2**16


def looks_like_more_than(limit: int, first: FloatArray, *, more_rows: bool) -> bool:
    """Guess from the first scores whether there are more than `limit`.

    Of n draws among `limit` values, at most limit (1 - exp(-n / limit)) are distinct on average,
    fewer where some are likelier; one per cent more than that is no chance for n of thousands. Rows
    that are no random draws, such as sorted ones, make the guess wrong.
    """
    expected = limit * -math.expm1(-len(first) / limit)
    distinct = len(np.unique(first))
    return distinct > limit or (more_rows and distinct > 1.01 * expected)


def has_more_than(limit: int, tally: Tally) -> bool:
    """Tell whether a tally proves more than `limit` distinct scores (pairs of group and score).

    A bin proves its smallest and its largest score in each class. An exact tally that is whole
    proves all of its scores, so that False means there are no more.
    """
    if not tally.whole:
        return True
    several = tally.upper > tally.lower
    if len(tally) + np.count_nonzero(several) <= limit:
        return False
    lower, upper = tally.lower, tally.upper[several]
    if tally.group is None:
        return n_distinct(np.concatenate([lower, upper])) > limit
    codes = coded(tally.group)[1]
    pairs = np.column_stack([np.concatenate([codes, codes[several]]), np.concatenate([lower, upper])])
    return len(np.unique(pairs[~np.isnan(pairs[:, 1])], axis=0)) > limit


def n_distinct(scores: FloatArray) -> int:
    """Return how many scores differ; NaN is none."""
    return len(np.unique(scores[~np.isnan(scores)]))
