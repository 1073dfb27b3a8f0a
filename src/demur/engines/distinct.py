"""How many distinct scores a column has: a guess from its first rows, and proofs that need no guess."""

import math
from typing import Any

import numpy as np

from demur.engines.tallies import Table, Tally, as_floats, coded
from demur.typing import FloatArray

__all__ = [
    "FIRST_ROWS",
    "first_rows_prove",
    "first_rows_prove_pairs",
    "has_at_most_rows",
    "has_more_than",
    "looks_like_more_than",
]

# rows looked at before the scan: enough to tell continuous scores from rounded ones
FIRST_ROWS = 2**16
# rows that may be held to prove that there are more scores than the default limit, 2**20
_PROVING_ROWS = 2**21


def looks_like_more_than(limit: int, first: FloatArray, *, more_rows: bool) -> bool:
    """Guess from the first scores whether there are more than `limit`.

    Of n draws among `limit` values, at most limit (1 - exp(-n / limit)) are distinct on average,
    fewer where some are likelier; one per cent more than that is no chance for n of thousands. Rows
    that are no random draws, such as sorted ones, make the guess wrong.
    """
    expected = limit * -math.expm1(-len(first) / limit)
    distinct = len(np.unique(first))
    return distinct > limit or (more_rows and distinct > 1.01 * expected)


def has_at_most_rows(limit: int, table: Table, name: str) -> bool:
    """Tell whether a table is known to have at most `limit` rows; any of its columns serves to ask."""
    if table.n_rows is not None:
        return table.n_rows <= limit
    return limit < _PROVING_ROWS and len(table.head((name,), limit + 1)[name]) <= limit


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
    if tally.rows is not None and _most_in_one_class(tally, several) > limit:
        return True
    lower, upper = tally.lower, tally.upper[several]
    if tally.group is None:
        return _distinct(np.concatenate([lower, upper])) > limit
    codes = coded(tally.group)[1]
    pairs = np.column_stack([np.concatenate([codes, codes[several]]), np.concatenate([lower, upper])])
    return len(np.unique(pairs[~np.isnan(pairs[:, 1])], axis=0)) > limit


def first_rows_prove(limit: int, table: Table, name: str) -> bool:
    """Tell whether rows enough to hold in memory already show more than `limit` distinct scores."""
    if limit >= _PROVING_ROWS:
        return False
    return _distinct(as_floats(table.head((name,), _PROVING_ROWS)[name])) > limit


def first_rows_prove_pairs(limit: int, table: Table, names: tuple[str, str]) -> bool:
    """Tell whether such rows show more than `limit` distinct pairs of two scores."""
    if limit >= _PROVING_ROWS:
        return False
    rows = table.head(names, _PROVING_ROWS)
    scores = [as_floats(rows[name]) for name in names]
    # a score that is new makes a pair that is new: mostly one column says enough
    return _distinct(scores[0]) > limit or len(np.unique(np.column_stack(scores), axis=0)) > limit


def _most_in_one_class(tally: Tally, several: Any) -> int:
    """Return the distinct scores of the class with most of them: its rows never share a score."""
    return int(np.bincount(coded(tally.label)[1], 1.0 + several).max())


def _distinct(scores: FloatArray) -> int:
    return len(np.unique(scores[~np.isnan(scores)]))
