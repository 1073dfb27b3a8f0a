"""Joint counts of several models, from any source: pairs for two, cells of bins for up to four."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_mapping, check_times, check_type, input_error
from demur._files.database import quoted
from demur._kernels.time_blocks import time_blocks
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.counts.scores import ScoreCounts
from demur.engines.columns import one_pos_label
from demur.engines.counting import checked_tallies, first_rows_prove, has_at_most_rows, read_counts
from demur.engines.frames import (
    FrameTable,
    MemoryTable,
    Table,
    bin_number,
    collected,
    narwhals,
)
from demur.engines.score_bins import fitting_bins
from demur.engines.sources import MEMORY_LIMIT, check_power_of_two, named_columns, open_source
from demur.engines.tallies import (
    FIRST_ROWS,
    Columns,
    Cut,
    Tally,
    as_floats,
    bin_ranges,
    coded,
    is_missing,
    is_positive,
    refuse_missing,
)
from demur.exceptions import InputError
from demur.paired.counts import JointCounts, PairedCounts
from demur.surface.surface import surface_of
from demur.typing import FloatArray, IntArray

__all__ = ["MOST_MODELS", "ScoreCuts", "read_joint_counts", "read_paired_counts", "with_places"]

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
    def among(cls, scores: FloatArray, wanted: FloatArray) -> ScoreCuts:
        """Take the `wanted` cuts, of those that share a cell of the grid only the first three.

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
    """Replace scores by their places among cuts, in a lazy frame or in arrays by name."""
    if not cuts:
        # engines that plan ahead refuse an empty list of expressions
        return frame
    if isinstance(frame, dict):
        return {**frame, **{name: one.of_array(frame[name]) for name, one in cuts.items()}}
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


MOST_MODELS = 4
"""Models whose combinations of bins stay few enough to be counted together."""

# combinations of scores counted apart; twice as many rows, one per label
_MOST_CELLS = 2**20
_BINNED_CELLS = 2**18
# bins near the thresholds: this share of them, at distances from one in a million to one in ten cases
_FOCUSED, _NEAREST, _FARTHEST = 0.5, 1e-6, 0.1
# combinations of cluster, class and scores, which may be as many as rows; different times
_MOST_IN_CLUSTERS, _MOST_TIMES = 2**22, 2**20
# characters of a date and its time to the minute, and of the date alone
_DATES = 16, 10
_LABEL, _ROWS, _WEIGHT, _GROUP, _TIME, _NUMBER = "label", "rows", "weight", "group", "time", "number{}"


def read_joint_counts(
    source: Any,
    *,
    y_true: Any,
    scores: Any,
    costs: CostModel | CostRange | None = None,
    pos_label: Any = None,
    weights: Any = None,
    groups: Any = None,
    time: Any = None,
    counts: Mapping[str, ScoreCounts] | None = None,
    engine: str | None = None,
    cells: int | None = None,
    memory_limit: str = MEMORY_LIMIT,
    master: str | None = None,
) -> JointCounts:
    """Count cases per combination of scores of one to four models, for an answer about data of any size.

    `compare_models` takes the result in place of labels and scores: the same answer, with honest costs
    and paired differences, from rows that never were in memory. The source is grouped where it lives,
    first by the scores of each model alone, then by the bins of all of them together.

    Parameters
    ----------
    source, y_true, pos_label, engine, memory_limit, master
        As in `read_counts`.
    scores : one to four names of columns
        The models; with arrays a mapping from names to arrays.
    costs : CostModel or CostRange, optional
        The costs that will be asked about: bins are finest around the best thresholds at these costs.
        Other costs may be asked about as well; `JointCounts.certified` says what that leaves open.
    weights : str, optional
        Column that tells how many cases a row stands for.
    groups : str, optional
        Column of clusters, such as the patient or customer, as `compare_models` takes them. Cells are then
        counted by cluster, and may be as many as the rows.
    time : str, optional
        Column of numbers or dates, as `compare_models` takes them. Cells are then counted by block of time.
        Of more than 2^20 different dates the seconds do not count, or only the days.
    counts : mapping, optional
        Counts of every model as `read_counts` gives them, if they are at hand: one scan less.
    cells : int, optional
        Most combinations of scores, at most 2^20, the default. Where there are more, each of m models
        has as many bins as the m-th root of `cells`: 512 for two, 64 for three, 22 for four by default,
        with `time` of a tenth of it.

    Returns
    -------
    JointCounts
        Exact where the models have few enough scores; `certified(costs)` bounds what bins cost otherwise.

    Raises
    ------
    InputError
        As in `read_counts`, for more than four models, 2^20 different numbers as times, or 2^22
        combinations of cluster, class and scores or bins.

    Notes
    -----
    No case is in a fold yet. Cases of one cell are alike to every rule that `compare_models` can choose,
    so it deals out the numbers of each cell to the folds at random, which has the same law as dealing out
    the rows. A fold that is a function of the values of a row would not: rows alike in label and scores
    would all fall into one fold, and rules be judged on scores they never saw.

    The cells are drawn from the seed together, so that the honest cost of a model shifts by far less
    than its standard error when another model is added; with rows in memory it does not shift at all.

    Examples
    --------
    >>> from demur import CostModel, compare_models
    >>> from demur.engines import read_joint_counts
    >>> table = {"sick": [0, 0, 1, 1] * 30, "new": [1, 2, 2, 3] * 30, "old": [2, 1, 2, 1] * 30}
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> joint = read_joint_counts(table, y_true="sick", scores=["new", "old"], costs=costs)
    >>> compare_models(joint, costs=costs).answer.model
    'new'
    """
    check_power_of_two(cells, "cells", 20)
    if costs is not None and not isinstance(costs, CostRange):
        check_type(costs, "costs", CostModel)
    data, columns = named_columns(
        source, y_true=y_true, scores=scores, weights=weights, groups=groups, time=time
    )
    if len(columns.scores) > MOST_MODELS:
        raise input_error(
            "scores",
            f"must name one to {MOST_MODELS} models",
            f"{len(columns.scores)}",
            "compare the others with `read_counts`, each on its own.",
        )
    roles = [columns.y_true, *columns.scores, columns.weights, columns.groups, columns.time]
    for role, name in (("groups", columns.groups), ("time", columns.time)):
        if name is not None and roles.count(name) > 1:
            raise input_error(role, "must name a column that has no other role", repr(name))
    settings: dict[str, Any] = {"engine": engine, "memory_limit": memory_limit, "master": master}
    if counts is None:
        counts = read_counts(
            data,
            y_true=columns.y_true,
            scores=columns.scores,
            weights=columns.weights,
            pos_label=pos_label,
            **settings,
        )
    known = check_mapping(counts, "counts", ScoreCounts)
    if unknown := [name for name in columns.scores if name not in known]:
        raise input_error("counts", "must hold the counts of every model", f"none of {unknown[0]!r}")
    finest = {name: known[name] for name in columns.scores}
    with open_source(data, columns, **settings) as table:
        rows, blocks = _selected(table, columns), None
        if columns.time is not None:
            rows, *blocks = _in_blocks(rows, columns)
        cuts: dict[str, ScoreCuts | None] = dict.fromkeys(finest)
        limit = None if columns.groups is None else _MOST_IN_CLUSTERS
        found = None
        if all(one.exact for one in finest.values()):
            found = _grouped(rows, columns, 2 * cells if cells else limit or 2 * _MOST_CELLS)
        if found is None:
            number = (cells or _BINNED_CELLS) / (len(blocks[0]) if blocks else 1)
            most = max(2, int(number ** (1 / len(finest)) + 1e-9))
            for name, one in finest.items():
                few = one.exact and len(one.scores) <= most
                cuts[name] = None if few else _bins(one, most, costs)
            placed = {
                _NUMBER.format(place): one for place, one in enumerate(cuts.values()) if one is not None
            }
            found = _grouped(with_places(rows, placed), columns, limit)
        if found is None:
            raise InputError(
                f"Clusters of {columns.groups!r} make more than {_MOST_IN_CLUSTERS:,} combinations with "
                "class and bins of scores. Hint: take a sample of the clusters, or round the scores."
            )
        return _joint(found, columns, finest, cuts, blocks, pos_label)


# ---------------------------------------------------------------- which bins


def _bins(counts: ScoreCounts, most: int, costs: CostModel | CostRange | None) -> ScoreCuts:
    """Return cuts between about `most` bins of equal numbers of cases, finer near the best thresholds."""
    cases = counts.positives + counts.negatives
    below = np.concatenate([[0.0], np.cumsum(cases)[:-1]]) / counts.n
    places = _threshold_places(counts, costs)
    near = int(_FOCUSED * most / len(places)) if len(places) else 0
    shares = []
    if near:
        away = np.geomspace(_NEAREST, _FARTHEST, near // 2)
        shares += [below[place] + step for place in places for step in (-away, away)]
    shares.append(np.linspace(0, 1, most - near * len(places), endpoint=False))
    others = np.searchsorted(below, np.concatenate(shares))
    starts = np.concatenate([places, others[(others > 0) & (others < len(below))]])
    return ScoreCuts.among(counts.scores, counts.scores[starts])


def _threshold_places(counts: ScoreCounts, costs: CostModel | CostRange | None) -> IntArray:
    """Places of the scores above the best thresholds: of the window, and of never abstaining."""
    if costs is None:
        return np.empty(0, dtype=np.int64)
    surface, found = surface_of(counts, None), set()
    for point in [costs] if isinstance(costs, CostModel) else [costs.lower, costs.mean, costs.upper]:
        for nu in ((point.nu_positive, point.nu_negative), (np.inf, np.inf)):
            window = surface.window(point.mu, *nu)
            found |= {window.lower_index, window.upper_index}
    return np.array(sorted(place for place in found if 0 < place < len(counts.scores)), dtype=np.int64)


# ---------------------------------------------------------------- the scans


def _selected(table: Table, columns: Columns) -> Any:
    """Choose label, scores, weight, cluster and time of all rows: a lazy frame, or arrays by name."""
    numbers = {_NUMBER.format(place): name for place, name in enumerate(columns.scores)}
    numbers |= {} if columns.weights is None else {_WEIGHT: columns.weights}
    if isinstance(table, FrameTable):
        chosen = {role: table.numbers(name) for role, name in numbers.items()}
        when = {} if columns.time is None else {_TIME: table.times(columns.time)}
        return table.frame.select(**table.keys(columns), **when, **chosen)
    columns_read = table.head(columns.all, sys.maxsize)
    keys = {_LABEL: columns.y_true, _GROUP: columns.groups, _TIME: columns.time}
    rows = {role: columns_read[name] for role, name in keys.items() if name is not None}
    rows |= {role: as_floats(columns_read[name]) for role, name in numbers.items()}
    return {**rows, _ROWS: np.ones(len(rows[_LABEL]), dtype=np.int64)}


def _grouped(
    rows: Any, columns: Columns, most: int | None, keys: Sequence[str] | None = None
) -> dict[str, Any] | None:
    """Count cases by keys, by default all of them; None for more than `most` groups.

    Rows in memory come as they are.
    """
    if keys is None:
        numbers = [_NUMBER.format(place) for place in range(len(columns.scores))]
        named = {_LABEL: columns.y_true, _GROUP: columns.groups, _TIME: columns.time}
        keys = [*(role for role, name in named.items() if name is not None), *numbers]
    if isinstance(rows, dict):
        codes = (rows[key] if rows[key].dtype.kind in "if" else coded(rows[key])[1] for key in keys)
        few = most is None or len(np.unique(np.column_stack(list(codes)), axis=0)) <= most
        return rows if few else None
    nw = narwhals()
    sums = {_ROWS: nw.len()}
    if columns.weights is not None:
        sums[_WEIGHT] = nw.col(_WEIGHT).sum()
    found = collected(rows.group_by(*keys).agg(**sums), most)
    return found if most is None or len(found[_ROWS]) <= most else None


def _in_blocks(rows: Any, columns: Columns) -> tuple[Any, FloatArray, FloatArray]:
    """Replace times by blocks of time; return the rows, and the first and last time of every block."""
    in_memory = isinstance(rows, dict)
    found = _grouped(rows, columns, None if in_memory else _MOST_TIMES, [_TIME])
    for length in _DATES:
        if found is None and rows.collect_schema()[_TIME] == narwhals().String:
            rows = rows.with_columns(**{_TIME: narwhals().col(_TIME).str.slice(0, length)})
            found = _grouped(rows, columns, _MOST_TIMES, [_TIME])
    if found is None:
        rule = f"must have at most {_MOST_TIMES:,} different values for an engine"
        raise input_error("time", rule, f"more in {columns.time!r}", "round it.")
    refuse_missing(str(columns.time), int(found[_ROWS][is_missing(found[_TIME])].sum()))
    cases = as_floats(found.get(_WEIGHT, found[_ROWS]))
    written, cases = found[_TIME][cases > 0], cases[cases > 0]
    times = check_times(written, len(written))
    block, order = time_blocks(times, cases), np.argsort(written, kind="stable")
    later = np.diff(block[order], prepend=0)
    if later.min() < 0:
        raise input_error(
            "time",
            "must be written alike in all rows, so that text sorts as time does",
            f"{written[order[np.argmin(later)]]!r} in {columns.time!r}",
            "dates such as 2024-05-31.",
        )
    own = [times[block == one] for one in range(int(block.max()) + 1)]
    start, end = (np.array([one(times) for times in own]) for one in (np.min, np.max))
    cuts = written[order][later > 0].tolist()
    if in_memory:
        number = sum((rows[_TIME] >= cut for cut in cuts), start=np.zeros(len(rows[_ROWS]), dtype=np.int64))
        return {**rows, _TIME: number}, start, end
    nw = narwhals()
    number = sum(((nw.col(_TIME) >= cut).cast(nw.Int64) for cut in cuts), start=nw.lit(0))
    return rows.with_columns(**{_TIME: number}), start, end


# ---------------------------------------------------------------- from groups to cells


def _joint(
    rows: Mapping[str, Any],
    columns: Columns,
    finest: Mapping[str, ScoreCounts],
    cuts: Mapping[str, ScoreCuts | None],
    blocks: Sequence[FloatArray] | None,
    label: Any,
) -> JointCounts:
    """Make joint counts of grouped rows; cells ascend in the scores of the models."""
    cases = as_floats(rows.get(_WEIGHT, rows[_ROWS]))
    kept = cases > 0
    keys: dict[str, Any] = {
        _NUMBER.format(at): as_floats(rows[_NUMBER.format(at)]) for at in range(len(finest))
    }
    if blocks:
        keys[_TIME] = rows[_TIME]
    if columns.groups is not None:
        refuse_missing(columns.groups, int(rows[_ROWS][is_missing(rows[_GROUP])].sum()))
        codes = coded(rows[_GROUP])[1]
        # clusters of one case each are no clusters
        if len(np.unique(codes[kept])) < cases.sum():
            keys[_GROUP] = codes
    numbers = np.column_stack([column[kept] for column in keys.values()])
    cells, at = np.unique(numbers, axis=0, return_inverse=True)
    inside = np.where(is_positive(rows[_LABEL], label, columns.y_true), cases, 0.0)[kept]
    positives, negatives = (
        np.bincount(at.reshape(-1), column, len(cells)).astype(np.float64)
        for column in (inside, cases[kept] - inside)
    )
    for name, counts in finest.items():
        known = counts.n_positive, counts.n_negative
        if not np.allclose([positives.sum(), negatives.sum()], known, rtol=1e-9, atol=0):
            raise InputError(
                f"`source` must not change while it is read, got {counts.n:g} cases of {name!r} in the "
                f"first scan and {cases.sum():g} in the second."
            )
    ends = {}
    placed = dict(zip(keys, cells.T, strict=True))
    for column, (name, counts) in zip(cells.T, finest.items(), strict=False):
        own = cuts[name]
        if own is None:
            # a score that was counted apart is both ends
            ends[name] = column, column
            continue
        starts = np.append(0, np.searchsorted(counts.scores, own.cuts))
        stops = np.append(starts[1:], len(counts.scores))
        places = column.astype(np.int64)
        ends[name] = counts.scores[starts[places]], counts.upper_scores[stops[places] - 1]
    return JointCounts(
        lower={name: low for name, (low, _) in ends.items()},
        upper={name: high for name, (_, high) in ends.items()},
        positives=positives,
        negatives=negatives,
        counts=finest,
        cluster=placed.get(_GROUP),
        start=blocks[0][placed[_TIME].astype(np.int64)] if blocks else None,
        end=blocks[1][placed[_TIME].astype(np.int64)] if blocks else None,
    )


DEFAULT_BINS = 2**10


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
    Up to 2^20 distinct pairs of scores the counts are exact; beyond, both scores are binned,
    and results say how far that can shift a difference.

    Parameters
    ----------
    source, y_true, pos_label, weights, engine, memory_limit, master
        As in `read_counts`.
    scores : two names of columns
        Model a and model b; with arrays a mapping from two names to arrays.
    bins : int, optional
        Bin both scores, into so many bins of the range that holds most of them, at most 2^12;
        2^10 where bins are needed and none are given.

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
    and counts of further days add up. Scores are binned before the scan where the first 2^21 rows
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
    check_power_of_two(bins, "bins", 12, " per model")
    data, columns = named_columns(source, y_true=y_true, scores=scores, weights=weights, groups=None)
    if len(columns.scores) != 2:
        raise input_error("scores", "must name two models", f"{len(columns.scores)}")
    with open_source(data, columns, engine=engine, memory_limit=memory_limit, master=master) as table:
        if bins is None and not _too_many_pairs(table, columns):
            # group by the score of a, with the score of b in the place of a group
            first, second = columns.scores
            roles = replace(columns, scores=(first,), groups=second)
            tally = _tallied(table, roles, Cut(), None if table.in_memory else 2 * _MOST_CELLS)
            if table.in_memory or len(tally) <= 2 * _MOST_CELLS:
                return _from_tally(tally, columns, label, tally.lower, tally.group)
        return _binned_pairs(table, columns, label, DEFAULT_BINS if bins is None else bins)


def _too_many_pairs(table: Table, columns: Columns) -> bool:
    """Tell whether the first rows prove more than 2**20 pairs."""
    if table.in_memory:
        return False
    first, second = columns.scores
    rows = table.head((first, second), FIRST_ROWS)
    pairs = np.column_stack([as_floats(rows[name]) for name in (first, second)])
    if len(pairs) < FIRST_ROWS or len(np.unique(pairs, axis=0)) <= FIRST_ROWS / 2:
        return False
    if has_at_most_rows(_MOST_CELLS, table, first):
        return False
    return first_rows_prove(_MOST_CELLS, table, first, second)


def _tallied(table: Table, columns: Columns, cut: Cut, most: int | None) -> Tally:
    name = columns.scores[0]
    return checked_tallies(table, columns, table.tallies(columns, {name: cut}, most))[name]


def _binned_pairs(table: Table, columns: Columns, positive: Any, bins: int) -> PairedCounts:
    """Group by the bins of both; the ranges of the bins of b come from a scan of their own."""
    first, second = columns.scores
    rows = table.head(columns.scores, FIRST_ROWS)
    cut_a, cut_b = (fitting_bins(as_floats(rows[name]), bins) for name in columns.scores)
    alone_b = _tallied(table, replace(columns, scores=(second,)), Cut(cut_b), None)
    # the bin of the second score as a column of its own
    number = next(new for new in (f"bin of {second}{'_' * k}" for k in range(99)) if new not in table.kinds)
    wider: Table
    if isinstance(table, FrameTable):
        frame = table.frame.with_columns(**{number: bin_number(table.numbers(second), cut_b)})
        wider = FrameTable(table.name, frame, at_once=table.at_once)
    else:
        columns_read = table.head(columns.all, sys.maxsize)
        wider = MemoryTable(
            table.name, {**columns_read, number: cut_b.of_array(as_floats(columns_read[second]))}
        )
    tally = _tallied(wider, replace(columns, scores=(first,), groups=number), Cut(cut_a), None)
    low_a, high_a = _ranges(tally, tally.number)
    low_b, high_b = _ranges(alone_b, as_floats(tally.group))
    return _from_tally(tally, columns, positive, low_a, low_b, upper_a=high_a, upper_b=high_b)


def _ranges(tally: Tally, wanted: Any) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest score of the bins `wanted`, over all rows of the tally."""
    assert tally.number is not None
    # cases of weight 0 are dropped, also from the ranges
    counted = tally.case_weights > 0
    ends = np.where(counted, tally.lower, np.inf), np.where(counted, tally.upper, -np.inf)
    _, lower, upper = bin_ranges(tally.number, *ends)
    at = np.searchsorted(np.unique(tally.number), wanted)
    return lower[at], upper[at]


def _from_tally(
    tally: Tally,
    columns: Columns,
    positive: Any,
    score_a: Any,
    score_b: Any,
    **upper: FloatArray,
) -> PairedCounts:
    weight = tally.case_weights
    kept = weight > 0
    positives = np.where(is_positive(tally.label, positive, columns.y_true), weight, 0.0)
    cells = {name: values[kept] for name, values in upper.items()}
    first, second = np.asarray(score_a)[kept], as_floats(score_b)[kept]
    return PairedCounts.from_cells(first, second, positives[kept], (weight - positives)[kept], **cells)
