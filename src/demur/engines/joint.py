"""`read_joint_counts`: from any source to the joint counts of several models, for the whole answer."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from demur._checks import check_mapping, check_positive_int, check_type, input_error
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.counts.scores import ScoreCounts
from demur.engines.counting import check_columns, read_counts
from demur.engines.frames import FrameTable, collected, key_column, named_column, narwhals
from demur.engines.labels import one_pos_label, positive_place
from demur.engines.score_cuts import ScoreCuts, with_places
from demur.engines.sources import MEMORY_LIMIT, named_columns, open_source
from demur.engines.tallies import Columns, Table, as_floats, coded
from demur.exceptions import InputError
from demur.paired.joint import JointCounts
from demur.surface.surface import surface_of
from demur.typing import FloatArray, IntArray

__all__ = ["MOST_MODELS", "read_joint_counts"]

MOST_MODELS = 4
"""Models whose combinations of bins stay few enough to be counted together."""

_MOST_CELLS = 2**20
_BINNED_CELLS = 2**18
# bins near the thresholds: this share of them, at distances from one in a million to one in ten cases
_FOCUSED, _NEAREST, _FARTHEST = 0.5, 1e-6, 0.1
_LABEL, _ROWS, _WEIGHT = "label", "rows", "weight"


def read_joint_counts(
    source: Any,
    *,
    y_true: Any,
    scores: Any,
    costs: CostModel | CostRange | None = None,
    pos_label: Any = None,
    weights: Any = None,
    counts: Mapping[str, ScoreCounts] | None = None,
    engine: str | None = None,
    cells: int | None = None,
    memory_limit: str = MEMORY_LIMIT,
    master: str | None = None,
) -> JointCounts:
    """Count cases per combination of scores of two to four models, for an answer about data of any size.

    `compare_models` takes the result in place of labels and scores: the same answer, with honest costs
    and paired differences, from rows that never were in memory. The source is grouped where it lives,
    first by the scores of each model alone, then by the bins of all of them together.

    Parameters
    ----------
    source, y_true, pos_label, engine, memory_limit, master
        As in `read_counts`.
    scores : two to four names of columns
        The models; with arrays a mapping from names to arrays.
    costs : CostModel or CostRange, optional
        The costs that will be asked about: bins are finest around the best thresholds at these costs.
        Other costs may be asked about as well; `JointCounts.certified` says what that leaves open.
    weights : str, optional
        Column that tells how many cases a row stands for.
    counts : mapping, optional
        Counts of every model as `read_counts` gives them, if they are at hand: one scan less.
    cells : int, optional
        Most combinations of scores, at most 2**20, the default. Where there are more, each of m models
        has as many bins as the m-th root of `cells`: 512 for two, 64 for three, 22 for four by default.

    Returns
    -------
    JointCounts
        Exact where the models have few enough scores; `certified(costs)` bounds what bins cost otherwise.

    Raises
    ------
    InputError
        As in `read_counts`, and unless there are two to four models.

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
    label = one_pos_label(pos_label, None)
    if cells is not None and check_positive_int(cells, "cells") > _MOST_CELLS:
        raise input_error("cells", f"must not exceed 2**20 = {_MOST_CELLS}", cells)
    if costs is not None and not isinstance(costs, CostRange):
        check_type(costs, "costs", CostModel)
    data, columns = named_columns(source, y_true=y_true, scores=scores, weights=weights, groups=None)
    if not 2 <= len(columns.scores) <= MOST_MODELS:
        hint = "compare the others with `read_counts`, each on its own."
        raise input_error("scores", f"must name two to {MOST_MODELS} models", f"{len(columns.scores)}", hint)
    settings: dict[str, Any] = {"engine": engine, "memory_limit": memory_limit, "master": master}
    if counts is None:
        roles: dict[str, Any] = {
            "y_true": columns.y_true,
            "scores": list(columns.scores),
            "weights": columns.weights,
        }
        counts = read_counts(data, **roles, pos_label=label, **settings)
    known = check_mapping(counts, "counts", ScoreCounts)
    if unknown := [name for name in columns.scores if name not in known]:
        raise input_error("counts", "must hold the counts of every model", f"none of {unknown[0]!r}")
    finest = {name: known[name] for name in columns.scores}
    with open_source(data, columns, **settings) as table:
        check_columns(table, columns)
        cuts: dict[str, ScoreCuts | None] = dict.fromkeys(finest)
        rows = None
        if all(one.exact for one in finest.values()):
            rows = _grouped(table, columns, cuts, 2 * (cells or _MOST_CELLS))
        if rows is None:
            most = max(2, int((cells or _BINNED_CELLS) ** (1 / len(finest)) + 1e-9))
            for name, one in finest.items():
                few = one.exact and len(one.scores) <= most
                cuts[name] = None if few else _bins(one, most, costs)
            rows = _grouped(table, columns, cuts, None)
        assert rows is not None
        return _joint(rows, columns, finest, cuts, label)


# ---------------------------------------------------------------- which bins


def _bins(counts: ScoreCounts, most: int, costs: CostModel | CostRange | None) -> ScoreCuts:
    """Cuts between about `most` bins: evenly many cases in each, more bins near the best thresholds."""
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


# ---------------------------------------------------------------- the scan


def _grouped(
    table: Table, columns: Columns, cuts: Mapping[str, ScoreCuts | None], most: int | None
) -> dict[str, Any] | None:
    """Group by label and the places of all scores among cuts, or by the scores where there are none.

    None for more than `most` rows.
    """
    names = {name: f"number{place}" for place, name in enumerate(columns.scores)}
    if not isinstance(table, FrameTable):
        rows = _grouped_in_memory(table, columns, names, cuts)
        return rows if most is None or len(rows[_ROWS]) <= most else None
    nw = narwhals()
    kept: dict[str, Any] = {_LABEL: key_column(table.frame, columns.y_true, table.types)}
    if columns.weights is not None:
        kept[_WEIGHT] = named_column(table.frame, columns.weights).cast(nw.Float64)
    kept |= {number: named_column(table.frame, name).cast(nw.Float64) for name, number in names.items()}
    sums = {_ROWS: nw.len()}
    if columns.weights is not None:
        sums[_WEIGHT] = nw.col(_WEIGHT).sum()
    frame = table.frame.select(**kept)
    frame = with_places(frame, {names[name]: one for name, one in cuts.items() if one is not None})
    frame = frame.group_by(_LABEL, *names.values()).agg(**sums)
    if most is not None and not frame.implementation.is_polars():
        frame = frame.head(most + 1)
    rows = collected(frame)
    return rows if most is None or len(rows[_ROWS]) <= most else None


def _grouped_in_memory(
    table: Table, columns: Columns, names: Mapping[str, str], cuts: Mapping[str, ScoreCuts | None]
) -> dict[str, Any]:
    held = table.head(columns.all, sys.maxsize)
    labels, codes = coded(held[columns.y_true])
    keys = [codes.astype(np.float64)]
    for name in names:
        scores, own = as_floats(held[name]), cuts[name]
        keys.append(scores if own is None else own.of_array(scores).astype(np.float64))
    cells, at = np.unique(np.column_stack(keys), axis=0, return_inverse=True)
    at = at.reshape(-1)
    rows = {
        _LABEL: np.array(labels, dtype=object)[cells[:, 0].astype(np.int64)],
        _ROWS: np.bincount(at, minlength=len(cells)),
        **{number: cells[:, 1 + place] for place, number in enumerate(names.values())},
    }
    if columns.weights is not None:
        rows[_WEIGHT] = np.bincount(at, as_floats(held[columns.weights]), len(cells))
    return rows


# ---------------------------------------------------------------- from groups to cells


def _joint(
    rows: Mapping[str, Any],
    columns: Columns,
    finest: Mapping[str, ScoreCounts],
    cuts: Mapping[str, ScoreCuts | None],
    label: Any,
) -> JointCounts:
    """Put the classes of a cell side by side; cells ascend in the scores of the models."""
    labels, codes = coded(rows[_LABEL])
    place = positive_place(labels, label, column=columns.y_true)
    cases = as_floats(rows[_WEIGHT] if columns.weights is not None else rows[_ROWS])
    kept = cases > 0
    numbers = np.column_stack([as_floats(rows[f"number{at}"])[kept] for at in range(len(finest))])
    cells, at = np.unique(numbers, axis=0, return_inverse=True)
    inside = np.where(codes[kept] == place, cases[kept], 0.0)
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
    ends = {
        name: _ends(column, counts, cuts[name])
        for column, (name, counts) in zip(cells.T, finest.items(), strict=True)
    }
    return JointCounts(
        lower={name: low for name, (low, _) in ends.items()},
        upper={name: high for name, (_, high) in ends.items()},
        positives=positives,
        negatives=negatives,
        counts=finest,
    )


def _ends(numbers: FloatArray, counts: ScoreCounts, cuts: ScoreCuts | None) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest score of bins by number; a score that was counted apart is both."""
    if cuts is None:
        return numbers, numbers
    starts = np.append(0, np.searchsorted(counts.scores, cuts.cuts))
    stops = np.append(starts[1:], len(counts.scores))
    places = numbers.astype(np.int64)
    return counts.scores[starts[places]], counts.upper_scores[stops[places] - 1]
