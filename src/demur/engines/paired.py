"""`read_paired_counts`: from any source to the joint counts of two models."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from demur._checks import check_positive_int, input_error
from demur.engines.counting import check_columns, checked_tallies
from demur.engines.distinct import FIRST_ROWS, first_rows_prove_pairs, has_at_most_rows
from demur.engines.frames import FrameTable, named_column, narwhals
from demur.engines.labels import one_pos_label, positive_place
from demur.engines.score_bins import ScoreBins, fitting_bins
from demur.engines.sources import MEMORY_LIMIT, named_columns, open_source
from demur.engines.tallies import Columns, Cut, Table, Tally, as_floats, coded
from demur.paired.counts import PairedCounts
from demur.typing import FloatArray

__all__ = ["read_paired_counts"]

DEFAULT_BINS = 2**10
MOST_BINS = 2**12
# pairs of scores counted apart; twice as many rows, one per label
_MOST_CELLS = 2**20


def read_paired_counts(
    source: Any,
    *,
    y_true: Any,
    scores: Any,
    pos_label: Any = None,
    positive: Any = None,
    weights: Any = None,
    engine: str | None = None,
    bins: int | None = None,
    memory_limit: str = MEMORY_LIMIT,
    master: str | None = None,
) -> PairedCounts:
    """Count positives and negatives per pair of scores of two models, from data of any size.

    The joint statistic that `auc_difference_test`, `surface_difference_band` and
    `volume_difference_test` take in place of the rows. The source is grouped where it lives.
    Up to 2**20 distinct pairs of scores the counts are exact; beyond, both scores are binned,
    and results say how far that can shift a difference.

    Parameters
    ----------
    source, y_true, pos_label, weights, engine, memory_limit, master
        As in `read_counts`.
    scores : two names of columns
        Model a and model b; with arrays a mapping from two names to arrays.
    bins : int, optional
        Bin both scores, into so many bins of the range that holds most of them, at most 2**12;
        2**10 where bins are needed and none are given.

    Returns
    -------
    PairedCounts
        With `exact`, and `evidence` for how much the bins leave uncertain.

    Raises
    ------
    InputError
        As in `read_counts`, and unless there are two models.

    Notes
    -----
    Joint counts, not resampling weights: every paired test follows from them, as often as wanted,
    and counts of further days add up. Scores are binned before the scan where the first 2**21 rows
    prove too many pairs, and after it otherwise. With bins the source is scanned once for the
    ranges of the bins of b, and once for the pairs.

    Examples
    --------
    >>> from demur import auc_difference_test
    >>> from demur.engines import read_paired_counts
    >>> table = {"sick": [1, 0, 1, 0, 1, 0], "new": [9, 2, 7, 3, 8, 5], "old": [4, 2, 7, 6, 3, 1]}
    >>> counts = read_paired_counts(table, y_true="sick", scores=["new", "old"])
    >>> counts
    PairedCounts(n=6, cells=6, exact)
    >>> round(auc_difference_test(counts).difference, 3)
    0.222
    """
    label = one_pos_label(pos_label, positive)
    if bins is not None and check_positive_int(bins, "bins") > MOST_BINS:
        raise input_error("bins", f"must not exceed 2**12 = {MOST_BINS} per model", bins)
    data, columns = named_columns(source, y_true=y_true, scores=scores, weights=weights, groups=None)
    if len(columns.scores) != 2:
        raise input_error("scores", "must name two models", f"{len(columns.scores)}")
    with open_source(data, columns, engine=engine, memory_limit=memory_limit, master=master) as table:
        check_columns(table, columns)
        if bins is None and not _too_many_pairs(table, columns):
            tally = _exact_pairs(table, columns)
            if table.in_memory or len(tally) <= 2 * _MOST_CELLS:
                return _from_tally(tally, columns, label, tally.lower, tally.group)
        return _binned_pairs(table, columns, label, DEFAULT_BINS if bins is None else bins)


def _too_many_pairs(table: Table, columns: Columns) -> bool:
    """Tell whether more than 2**20 pairs are proven before the scan."""
    if table.in_memory:
        return False
    first, second = columns.scores
    rows = table.head((first, second), FIRST_ROWS)
    pairs = np.column_stack([as_floats(rows[name]) for name in (first, second)])
    if len(pairs) < FIRST_ROWS or len(np.unique(pairs, axis=0)) <= FIRST_ROWS / 2:
        return False
    if has_at_most_rows(_MOST_CELLS, table, first):
        return False
    return first_rows_prove_pairs(_MOST_CELLS, table, (first, second))


def _exact_pairs(table: Table, columns: Columns) -> Tally:
    """Group by the score of a, with the score of b in the place of a group."""
    first, second = columns.scores
    roles = Columns(y_true=columns.y_true, scores=(first,), weights=columns.weights, groups=second)
    return _tallied(table, roles, Cut(), None if table.in_memory else 2 * _MOST_CELLS)


def _tallied(table: Table, columns: Columns, cut: Cut, most: int | None) -> Tally:
    name = columns.scores[0]
    return checked_tallies(table, columns, table.tallies(columns, {name: cut}, most))[name]


def _binned_pairs(table: Table, columns: Columns, positive: Any, bins: int) -> PairedCounts:
    """Group by the bins of both; the ranges of the bins of b come from a scan of their own."""
    first, second = columns.scores
    rows = table.head(columns.scores, FIRST_ROWS)
    cut_a, cut_b = (fitting_bins(as_floats(rows[name]), bins) for name in columns.scores)
    alone = Columns(y_true=columns.y_true, scores=(second,), weights=columns.weights)
    alone_b = _tallied(table, alone, Cut(cut_b), None)
    wider, number = _with_bins(table, columns, cut_b)
    roles = Columns(y_true=columns.y_true, scores=(first,), weights=columns.weights, groups=number)
    tally = _tallied(wider, roles, Cut(cut_a), None)
    low_a, high_a = _ranges(tally, tally.number, tally.number)
    low_b, high_b = _ranges(alone_b, alone_b.number, as_floats(tally.group))
    return _from_tally(tally, columns, positive, low_a, low_b, upper_a=high_a, upper_b=high_b)


def _with_bins(table: Table, columns: Columns, cut: ScoreBins) -> tuple[Table, str]:
    """Add the bin of the second score as a column, and return its name."""
    name = columns.scores[1]
    added = next(new for new in (f"bin of {name}{'_' * k}" for k in range(99)) if new not in table.kinds)
    if not isinstance(table, FrameTable):
        held = table.head(columns.all, sys.maxsize)
        return type(table)(table.name, {**held, added: cut.of_array(as_floats(held[name]))}), added  # type: ignore[call-arg]
    nw = narwhals()
    number = cut.number(
        named_column(table.frame, name).cast(nw.Float64),
        choose=lambda test, yes, no: nw.when(test).then(_literal(nw, yes)).otherwise(_literal(nw, no)),
        floor=lambda value: value.floor(),
        size=lambda value: value.abs(),
    )
    frame = table.frame.with_columns(**{added: number})
    return FrameTable(table.name, frame, at_once=table.at_once), added


def _literal(nw: Any, value: Any) -> Any:
    return nw.lit(value) if isinstance(value, float) else value


def _ranges(tally: Tally, number: Any, wanted: Any) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest score of the bins `wanted`, over all rows of the tally."""
    numbers, places = np.unique(number, return_inverse=True)
    lower, upper = np.full(len(numbers), np.inf), np.full(len(numbers), -np.inf)
    # cases of weight 0 are dropped, also from the ranges
    held = np.ones(len(tally), dtype=np.bool_) if tally.weight is None else tally.weight > 0
    np.minimum.at(lower, places[held], tally.lower[held])
    np.maximum.at(upper, places[held], tally.upper[held])
    at = np.searchsorted(numbers, wanted)
    return lower[at], upper[at]


def _from_tally(
    tally: Tally,
    columns: Columns,
    positive: Any,
    score_a: Any,
    score_b: Any,
    **upper: FloatArray,
) -> PairedCounts:
    labels, codes = coded(tally.label)
    place = positive_place(labels, positive, column=columns.y_true)
    weight = np.ones(len(tally)) if tally.case_weights is None else tally.case_weights
    kept = weight > 0
    positives = np.where(codes == place, weight, 0.0)
    cells = {name: values[kept] for name, values in upper.items()}
    first, second = np.asarray(score_a)[kept], as_floats(score_b)[kept]
    return PairedCounts.from_cells(first, second, positives[kept], (weight - positives)[kept], **cells)
