"""`read_counts`: from any source to `ScoreCounts`, in one scan, or two where scores are binned."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from demur._checks import check_nonnegative, check_positive_int, input_error
from demur._checks.arrays import INTEGERS_EXACT_IN_FLOAT
from demur.counts.bins import BinnedCounts, bins_to_refine
from demur.counts.scores import ScoreCounts
from demur.engines.columns import one_pos_label, positive_place
from demur.engines.frames import Table
from demur.engines.score_bins import DEFAULT_BINS, fitting_bins
from demur.engines.sources import MEMORY_LIMIT, check_power_of_two, named_columns, open_source
from demur.engines.tallies import (
    FIRST_ROWS,
    Columns,
    Cut,
    Tally,
    as_floats,
    bin_ranges,
    coded,
    has_more_than,
    is_missing,
    looks_like_more_than,
    n_distinct,
)

__all__ = ["checked_tallies", "first_rows_prove", "has_at_most_rows", "read_counts"]

DEFAULT_DISTINCT = 2**20
# bins of all groups together, and of each group at least
_MOST_GROUPED_BINS = 2**22
_FEWEST_BINS = 2**6
# rows that may be held to prove that there are more scores than the default limit, 2**20
_PROVING_ROWS = 2**21
_ALL = None  # the one group when there are no groups


def read_counts(
    source: Any,
    *,
    y_true: Any,
    scores: Any,
    pos_label: Any = None,
    positive: Any = None,
    weights: Any = None,
    groups: Any = None,
    engine: str | None = None,
    bins: int | None = None,
    tolerance: float = 1e-6,
    max_distinct: int | None = None,
    memory_limit: str = MEMORY_LIMIT,
    master: str | None = None,
) -> dict[Any, Any]:
    """Count positives and negatives per score from files, data frames and warehouses of any size.

    Every source ends in the same `ScoreCounts`, from which all of demur starts. The source is
    grouped by score where it lives; only the groups come back. Up to `max_distinct` distinct
    scores the counts are exact; beyond, scores are binned and a second scan makes exact those
    bins that matter, until every cost is certified to `tolerance`.

    Parameters
    ----------
    source : path, frame, mapping or None
        A CSV (also gzipped) or Parquet file, a glob or a directory of either, also partitioned
        (``day=1/part.parquet``: day is a column); the address of Parquet files, https://, s3://, gs:// or
        az://, read in place (extra ``demur[remote]``); a pandas, Polars, PyArrow, Dask or PySpark
        frame, a DuckDB relation, an Ibis table; a warehouse as ``URL#table`` for `ibis.connect`
        (extra ``demur[ibis]``); a mapping of arrays. None: the arguments below are arrays.
    y_true : str
        Column with the true classes.
    scores : str or sequence of str
        Columns with the scores, one per model; higher means more positive. With arrays: an
        array, or a mapping from models to arrays.
    pos_label : label, optional
        The positive class; may be left out for {0, 1}, {-1, 1} and {false, true}. `positive` is its
        older name.
    weights : str, optional
        Column of case weights >= 0; cases of weight 0 are dropped.
    groups : str, optional
        Column that divides the cases; all groups are counted in the same scan. Beyond `max_distinct`
        they share 2**22 bins, at least 64 each.
    engine : {"memory", "duckdb", "narwhals", "polars", "dask", "ibis", "spark"}, optional
        Who counts. By default files and relations: DuckDB; lazy frames: their own engine, through
        Narwhals; arrays and eager frames: memory. "memory" loads the columns of any source,
        "narwhals" uses the frame's engine, "duckdb" takes eager frames too, and "spark" takes
        files as well, on `master`; the others only confirm what the source is.
    bins : int, optional
        Bin all scores, into so many bins of the range that holds most of them, at most 2**24.
    tolerance : float
        Largest error of a cost the bins may leave, in units of the more expensive error.
    max_distinct : int, optional
        Most distinct scores, per model (with groups: pairs of group and score), that are counted
        exactly; 2**20 by default, no limit where all cases are in memory anyway.
    memory_limit : str
        What DuckDB may use for files, such as "2GB"; what does not fit goes to a temporary folder.
    master : str, optional
        Spark master for files with ``engine="spark"``; by default the session in use, or this machine.

    Returns
    -------
    dict
        Model -> `ScoreCounts`; with `groups`, group -> that, groups in ascending order. Binned
        counts are `BinnedCounts`: ``exact`` and ``certified`` tell what they promise.

    Raises
    ------
    InputError
        For a source that cannot be read, an unknown column, missing or NaN values (with their
        number), text in place of scores, more than two labels, negative or infinite weights.

    Notes
    -----
    Scores are binned only where more than `max_distinct` distinct ones are proven, never because
    the first rows look like it. The first 2**16 rows only choose what is tried first: exact counts
    in one scan, or bins, whose ends prove the number of scores in the same scan and are refined in
    a second one. Where the first rows mislead, as in a file sorted by score, one more scan is
    needed. Several models share a scan where the source has to be read whole; of Parquet files
    and warehouses each column is read on its own. CSV files are read through once before, to
    settle which columns are numbers.

    Bins are floor(2^k score) for scores in [0, 1]. Otherwise, and for what lies outside, with t
    the place in the range, the bin is the floor of a multiple of 1 - 1 / (1 + |t|), with the sign
    of t: made of -, / and floor only, it keeps the order of all floats in every engine. Infinite
    scores have their own bins. Each bin carries the smallest and the largest score in it, or its ends
    where probabilities are so many that DuckDB shows it before the scan. Where even the bins that
    matter hold more scores than can be kept, they stay, and ``certified`` says how much that matters.

    Sums of weights depend on the order of adding in the last digits; counts do not.

    Examples
    --------
    Two models, one scan: which one ranks better?

    >>> from demur import auc_score, read_counts
    >>> table = {"sick": ["yes", "no", "yes", "no"], "a": [0.9, 0.2, 0.4, 0.6], "b": [0.8, 0.1, 0.7, 0.3]}
    >>> counts = read_counts(table, y_true="sick", pos_label="yes", scores=["a", "b"])
    >>> {model: float(auc_score(own)) for model, own in counts.items()}
    {'a': 0.75, 'b': 1.0}
    """
    allowed = float(check_nonnegative(tolerance, "tolerance"))
    if max_distinct is not None:
        check_positive_int(max_distinct, "max_distinct")
    check_power_of_two(bins, "bins", 24)
    data, columns = named_columns(source, y_true=y_true, scores=scores, weights=weights, groups=groups)
    wanted = one_pos_label(pos_label, positive)
    limit = DEFAULT_DISTINCT if max_distinct is None else max_distinct
    with open_source(data, columns, engine=engine, memory_limit=memory_limit, master=master) as table:
        no_limit = table.in_memory and max_distinct is None
        # two labels: twice as many rows as distinct scores
        cap = None if no_limit else 2 * limit
        cuts = {name: Cut() for name in columns.scores}
        if not no_limit or bins is not None:
            cuts = _first_cuts(table, columns, wanted, bins=bins, limit=limit)
        tallies = checked_tallies(table, columns, table.tallies(columns, cuts, cap))
        if bins is None and not no_limit:
            _settle(table, columns, cuts, tallies, limit)
        labels = coded(tallies[columns.scores[0]].label)[0]
        place = positive_place(labels, wanted, column=columns.y_true)
        # nothing where no case is positive
        label = () if place is None else (labels[place],)
        counted = {
            name: {
                group: _exact_counts(part) if cuts[name].exact else _binned_counts(part)
                for group, part in _parts(tallies[name], label).items()
            }
            for name in columns.scores
        }
        tallies.clear()
        binned = {name: cuts[name] for name in columns.scores if not cuts[name].exact}
        _refine(table, columns, binned, counted, label, tolerance=allowed, cap=cap)
    counts = {
        group: {name: counted[name][group] for name in columns.scores} for group in counted[columns.scores[0]]
    }
    return counts if columns.groups is not None else counts[_ALL]


# ---------------------------------------------------------------- before the scan


def _first_cuts(
    table: Table, columns: Columns, positive: Any, *, bins: int | None, limit: int
) -> dict[str, Cut]:
    """Look at some rows; choose which columns to bin first, and refuse labels of more than two classes."""
    rows = table.head((columns.y_true, *columns.scores), FIRST_ROWS)
    labels = rows[columns.y_true]
    present = labels[~is_missing(labels)]
    if len(present) and len(coded(present)[0]) > 2:
        # numbers by mistake would make as many groups as there are cases
        positive_place(coded(present)[0], positive, column=columns.y_true)
    firsts = {name: as_floats(rows[name]) for name in columns.scores}
    more_rows = len(labels) == FIRST_ROWS
    many = {name for name in columns.scores if looks_like_more_than(limit, firsts[name], more_rows=more_rows)}
    if many and has_at_most_rows(limit, table, columns.y_true):
        many = set()
    binned = many if bins is None else set(columns.scores)
    number = (bins or _bins_for(table, columns)) if binned else 0
    cuts = {
        name: Cut(fitting_bins(first, number) if name in binned else None) for name, first in firsts.items()
    }
    if bins is None and table.reads_ahead:
        # what is proven before the scan need not be proven by the ranges of the bins
        for name, cut in cuts.items():
            if cut.bins is not None and cut.bins.has_plain_ends and first_rows_prove(limit, table, name):
                cuts[name] = replace(cut, ranges=False)
    return cuts


def _bins_for(table: Table, columns: Columns) -> int:
    """Return the number of bins of a group: all groups together share those that fit into memory."""
    if columns.groups is None:
        return DEFAULT_BINS
    groups = len(coded(table.head((columns.groups,), FIRST_ROWS)[columns.groups])[0])
    return min(DEFAULT_BINS, max(_FEWEST_BINS, 1 << int(math.log2(_MOST_GROUPED_BINS / groups))))


def has_at_most_rows(limit: int, table: Table, name: str) -> bool:
    """Tell whether a table has at most `limit` rows, counted on the column `name` if need be."""
    if table.n_rows is not None:
        return table.n_rows <= limit
    return limit < _PROVING_ROWS and len(table.head((name,), limit + 1)[name]) <= limit


def first_rows_prove(limit: int, table: Table, *names: str) -> bool:
    """Tell whether the first 2**21 rows already hold more than `limit` distinct scores.

    With two names: pairs of scores. A score that is new makes a pair that is new, so that mostly one
    column says enough.
    """
    if limit >= _PROVING_ROWS:
        return False
    rows = table.head(names, _PROVING_ROWS)
    scores = [as_floats(rows[name]) for name in names]
    if n_distinct(scores[0]) > limit:
        return True
    return len(names) > 1 and len(np.unique(np.column_stack(scores), axis=0)) > limit


# ---------------------------------------------------------------- the scans


def _settle(
    table: Table, columns: Columns, cuts: dict[str, Cut], tallies: dict[str, Tally], limit: int
) -> None:
    """Correct `cuts` and `tallies`: bins exactly where a column has more than `limit` distinct scores."""
    late = [name for name in columns.scores if cuts[name].exact and has_more_than(limit, tallies[name])]
    # rows cut off by a limit that columns share prove nothing about one of them
    proven = {name for name in late if tallies[name].whole or not tallies[name].shared_limit}
    proven |= {name for name in columns.scores if not cuts[name].ranges}
    if late:
        first = table.head(tuple(late), FIRST_ROWS)
        number = _bins_for(table, columns)
        cuts |= {name: Cut(fitting_bins(as_floats(first[name]), number)) for name in late}
        tallies |= checked_tallies(
            table, columns, table.tallies(columns, {name: cuts[name] for name in late}, 2 * limit)
        )
    for name in columns.scores:
        if cuts[name].exact or name in proven or has_more_than(limit, tallies[name]):
            continue
        if first_rows_prove(limit, table, name):
            continue
        exact = table.tallies(columns, {name: Cut()}, 2 * limit)[name]
        if not has_more_than(limit, exact):
            cuts[name], tallies[name] = Cut(), exact


def checked_tallies(table: Table, columns: Columns, tallies: dict[str, Tally]) -> dict[str, Tally]:
    """Return the tallies; refuse no rows, missing values, and weights without a finite sum."""
    for name, tally in tallies.items():
        if not len(tally):
            raise input_error(table.name, "must hold at least one row", "none")
        tally.require_complete(columns, name)
        largest = float(np.abs(tally.lower).max())
        if name in table.integers and largest > INTEGERS_EXACT_IN_FLOAT:
            rule = f"as integers must stay within 2**53 (larger ones would merge), in {name!r}"
            raise input_error("scores", rule, f"{largest:.0f}", "rank them first.")
        weight = tally.weight
        if weight is not None and not 0 < weight.sum() < np.inf:
            raise input_error("weights", "must have a positive, finite sum", float(weight.sum()))
    return tallies


def _refine(
    table: Table,
    columns: Columns,
    cuts: dict[str, Cut],
    counted: dict[str, dict[Any, Any]],
    label: tuple[Any, ...],
    *,
    tolerance: float,
    cap: int | None,
) -> None:
    """Scan a second time: replace the bins that matter in `counted` by their scores."""
    second = {}
    for name, cut in cuts.items():
        assert cut.bins is not None
        open_scores = [
            rough.scores[bins_to_refine(rough, tolerance=tolerance)] for rough in counted[name].values()
        ]
        only = frozenset(cut.bins.of_array(np.concatenate(open_scores)).astype(np.int64).tolist())
        if only:
            second[name] = Cut(cut.bins, only)
    if not second:
        return
    most = None if cap is None else max(cap, 2 * DEFAULT_DISTINCT)
    for name, tally in table.tallies(columns, second, most).items():
        if not tally.whole:
            # more scores than may be held: the bins stay, and say what they certify
            continue
        for group, part in _parts(tally, label).items():
            rough, exact = counted[name][group], _exact_counts(part)
            places = np.flatnonzero(second[name].chosen(rough.scores))
            counted[name][group] = rough.refined(places, exact.scores, exact.positives, exact.negatives)


# ---------------------------------------------------------------- from a tally to counts


def _parts(tally: Tally, label: tuple[Any, ...]) -> dict[Any, Tally]:
    """Split the rows by group, with True for the positive label; a group without weight has no cases."""
    positive = tally.label == label[0] if label else np.zeros(len(tally), dtype=np.bool_)
    tally = replace(tally, label=np.asarray(positive, dtype=np.bool_))
    if tally.group is None:
        return {_ALL: tally}
    groups, codes = coded(tally.group)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(groups) + 1))
    parts = (tally.of_rows(order[first:stop]) for first, stop in pairwise(starts))
    return {group: part for group, part in zip(groups, parts, strict=True) if part.case_weights.any()}


def _exact_counts(part: Tally) -> ScoreCounts:
    """Count every distinct score; numbers of rows are cases, not weights."""
    if part.rows is None or part.weight is not None:
        return ScoreCounts.from_arrays(part.label, part.lower, sample_weight=part.weight)
    cases = part.rows.astype(np.float64)
    positives = np.where(part.label, cases, 0.0)
    return ScoreCounts.from_counts(part.lower, positives, cases - positives)


def _binned_counts(part: Tally) -> BinnedCounts:
    """Merge the rows of every bin: its range and the weight of each class."""
    part = part.of_rows(part.case_weights > 0)
    weight = part.case_weights
    assert part.number is not None
    places, lower, upper = bin_ranges(part.number, part.lower, part.upper)
    masses = [np.where(part.label == kind, weight, 0.0) for kind in (True, False)]
    positives, negatives = (np.bincount(places, mass, len(lower)) for mass in masses)
    return BinnedCounts.from_bins(lower, upper, positives, negatives)
