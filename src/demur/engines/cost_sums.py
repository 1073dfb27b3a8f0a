"""`read_score_costs`: from any source to `ScoreCosts`, one scan per model, where the data live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from demur._checks import check_number, check_positive_int, check_type, input_error
from demur.costs.case_costs import CaseCosts
from demur.costs.reviewer import Reviewer
from demur.costs.reviewer_cascade import ReviewCascade
from demur.counts.costs import ScoreCosts
from demur.engines.counting import check_columns
from demur.engines.distinct import FIRST_ROWS, looks_like_more_than
from demur.engines.frames import (
    FrameTable,
    collected,
    key_column,
    named_column,
    narwhals,
    with_numbers,
    without_nan,
)
from demur.engines.labels import one_pos_label, positive_place
from demur.engines.score_bins import LARGEST_FLOAT, MOST_BINS, ScoreBins, fitting_bins
from demur.engines.sources import MEMORY_LIMIT, named_columns, open_source
from demur.engines.tallies import Columns, as_floats, coded, is_missing, missing_rows
from demur.exceptions import InputError
from demur.typing import BoolArray, FloatArray

__all__ = ["CostTerms", "is_positive", "read_score_costs", "require_complete"]

DEFAULT_DISTINCT = 2**19
DEFAULT_COST_BINS = 2**18
_PRICES = ("cost_fn", "cost_fp", "cost_tp", "cost_tn")
_REVIEWS = ("cost_abstain", "cost_abstain_positive", "cost_abstain_negative")
_SCORE, _NUMBER, _LABEL, _ROWS, _LOWER, _UPPER = "score", "number", "label", "rows", "lower", "upper"


def read_score_costs(
    source: Any,
    *,
    y_true: str,
    scores: str | Sequence[str],
    cost_fn: str | float,
    cost_fp: str | float,
    cost_abstain: str | float | None = None,
    cost_abstain_positive: str | float | None = None,
    cost_abstain_negative: str | float | None = None,
    reviewer: Reviewer | None = None,
    cost_tp: str | float = 0.0,
    cost_tn: str | float = 0.0,
    pos_label: Any = None,
    positive: Any = None,
    engine: str | None = None,
    bins: int | None = None,
    max_distinct: int = DEFAULT_DISTINCT,
    memory_limit: str = MEMORY_LIMIT,
    master: str | None = None,
) -> dict[str, ScoreCosts]:
    """Sum the costs of cases per score in files, data frames and warehouses of any size.

    The sums `ScoreCosts` holds are added up where the data live; only they come back. From them the
    cheapest window is exact, with hindsight: for honest costs `compare_models` needs the cases. Up to
    `max_distinct` distinct scores the sums are exact; beyond, scores share bins, and ``certified``
    says how much that can cost.

    Parameters
    ----------
    source : path, frame or mapping
        As for `read_counts`.
    y_true : str
        Column with the true classes.
    scores : str or sequence of str
        Columns with the scores, one per model; higher means more positive.
    cost_fn, cost_fp, cost_tp, cost_tn : str or float
        Columns with the costs of a miss, a false alarm, a hit and a correct rejection, or one number for
        all cases; as in `CaseCosts`.
    cost_abstain, cost_abstain_positive, cost_abstain_negative : str or float, optional
        The same for abstaining, for both classes or by class.
    reviewer : Reviewer, optional
        Who takes the cases abstained on, for one fee; replaces the cost of abstaining.
    pos_label, engine, memory_limit, master
        As for `read_counts`.
    bins : int, optional
        Bin all scores, into so many bins; 2**18 where the scores are too many.
    max_distinct : int
        Most distinct scores, per model, that are summed one by one.

    Returns
    -------
    dict
        Model -> `ScoreCosts`.

    Raises
    ------
    InputError
        For a source that cannot be read, an unknown column, missing values, negative amounts (with
        their number), more than two labels.

    Notes
    -----
    Every sum is one of a cost and of its square, over the cases of one class with one score, so the
    scan is a single grouping. Sums depend on the order of adding in the last digits.

    Examples
    --------
    A missed fraud costs its amount, a blocked good payment 25, a phone call 4:

    >>> from demur.engines import read_score_costs
    >>> table = {"fraud": [0, 0, 1, 0, 0, 1], "amount": [60, 15, 40, 80, 20, 900]}
    >>> table["risk"] = [0.1, 0.2, 0.3, 0.4, 0.6, 0.9]
    >>> costs = read_score_costs(
    ...     table, y_true="fraud", scores="risk", cost_fn="amount", cost_fp=25, cost_abstain=4
    ... )
    >>> window = costs["risk"].window()
    >>> window.lower, window.upper, window.cost
    (0.25, 0.75, 2.0)
    """
    named: dict[str, Any] = dict(zip(_PRICES, (cost_fn, cost_fp, cost_tp, cost_tn), strict=True))
    named |= dict(zip(_REVIEWS, (cost_abstain, cost_abstain_positive, cost_abstain_negative), strict=True))
    prices = CostTerms.of(named, reviewer)
    if source is None:
        raise InputError(
            "`source` must hold columns, got None. Hint: arrays go to CaseCosts(...).score_costs(y, scores)."
        )
    limit = check_positive_int(max_distinct, "max_distinct")
    label = one_pos_label(pos_label, positive)
    if bins is not None and check_positive_int(bins, "bins") > MOST_BINS:
        raise input_error("bins", f"must not exceed 2**24 = {MOST_BINS}", bins)
    data, columns = named_columns(source, y_true=y_true, scores=scores, weights=None, groups=None)
    columns = replace(columns, amounts=prices.columns)
    with open_source(data, columns, engine=engine, memory_limit=memory_limit, master=master) as table:
        check_columns(table, columns)
        if isinstance(table, FrameTable):
            asked = _Asked(columns, prices, label, bins, limit)
            return {name: _summed(table, name, asked) for name in columns.scores}
        rows = table.head(columns.all, table.n_rows or 0)
    return _in_memory(rows, columns, prices, label, bins)


# ---------------------------------------------------------------- what a case costs


@dataclass(frozen=True, eq=False)
class CostTerms:
    """Costs by name: a column (with a factor as a pair), or a number for all cases.

    "fee" among them is that of the reviewer, where it is a column.
    """

    named: Mapping[str, str | float | tuple[str, float]]
    reviewer: Reviewer | ReviewCascade | None

    @classmethod
    def of(cls, named: Mapping[str, Any], reviewer: Reviewer | None) -> CostTerms:
        """Check everything that can be told before the data are seen."""
        kept = {name: value for name, value in named.items() if value is not None}
        # numbers in place of columns: `CaseCosts` says what is wrong with the rest
        numbers: dict[str, Any] = {
            name: 0.0 if isinstance(value, str) else check_number(value, name) for name, value in kept.items()
        }
        CaseCosts(**numbers, reviewer=reviewer)
        if reviewer is not None:
            check_type(reviewer, "reviewer", Reviewer)
            if np.ndim(reviewer.fee):
                raise input_error("fee", "must be one number here", f"{len(reviewer.fee)} fees")
        as_told = {name: value if isinstance(value, str) else float(value) for name, value in kept.items()}
        return cls(as_told, reviewer)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns in use."""
        names = (value[0] if isinstance(value, tuple) else value for value in self.named.values())
        return tuple(dict.fromkeys(name for name in names if isinstance(name, str)))

    def of_rows(self, rows: Mapping[str, Any]) -> CaseCosts:
        """Return the costs of rows in memory, where columns have no factors."""
        costs: dict[str, Any] = {
            name: as_floats(rows[value]) if isinstance(value, str) else value
            for name, value in self.named.items()
        }
        return CaseCosts(**costs, reviewer=self.reviewer)

    def by_outcome(self, value_of: Any) -> dict[str, Any]:
        """Return the cost of every outcome, numbers or expressions: of a miss, ..., of either review."""
        price = {name: value_of(self.named.get(name, 0.0)) for name in _PRICES}
        if self.reviewer is not None:
            sensitivity, specificity = self.reviewer.sensitivity, self.reviewer.specificity
            fee = value_of(self.named["fee"]) if "fee" in self.named else float(self.reviewer.fee)
            # who passes cases on is one person with the rates of both, and a second fee for these
            second = (0.0, 0.0)
            if isinstance(self.reviewer, ReviewCascade):
                passed = self.reviewer.passed_on_positive, self.reviewer.passed_on_negative
                second = passed[0] * self.reviewer.senior.fee, passed[1] * self.reviewer.senior.fee
            reviews = (
                price["cost_fn"] * (1 - sensitivity) + price["cost_tp"] * sensitivity + fee + second[0],
                price["cost_fp"] * (1 - specificity) + price["cost_tn"] * specificity + fee + second[1],
            )
        else:
            both = self.named.get("cost_abstain", 0.0)
            reviews = tuple(value_of(self.named.get(name, both)) for name in _REVIEWS[1:])
        return {**price, "review_positive": reviews[0], "review_negative": reviews[1]}


class _Asked(NamedTuple):
    """What to sum, and how finely."""

    columns: Columns
    prices: CostTerms
    positive: Any
    bins: int | None
    limit: int


# ---------------------------------------------------------------- rows in memory


def _in_memory(
    rows: Mapping[str, Any], columns: Columns, prices: CostTerms, positive: Any, bins: int | None
) -> dict[str, ScoreCosts]:
    for name in columns.all:
        missing = int(np.count_nonzero(is_missing(np.asarray(rows[name]))))
        if missing:
            raise missing_rows(name, missing)
    truth = is_positive(np.asarray(rows[columns.y_true]), positive, columns.y_true)
    costs = prices.of_rows(rows)
    made = {name: costs.score_costs(truth, as_floats(rows[name])) for name in columns.scores}
    return made if bins is None else {name: one.binned(at_most=max(bins, 4)) for name, one in made.items()}


def is_positive(labels: Any, positive: Any, column: str) -> BoolArray:
    """Tell which labels are the positive one."""
    known, codes = coded(labels)
    place = positive_place(known, positive, column=column)
    return np.asarray(codes == place, dtype=np.bool_)


# ---------------------------------------------------------------- sums of an engine


def _summed(table: FrameTable, name: str, asked: _Asked) -> ScoreCosts:
    """Sum one model: one by one, and in bins if there are too many scores."""
    first = as_floats(table.head((name,), FIRST_ROWS)[name])
    many = looks_like_more_than(asked.limit, first, more_rows=len(first) == FIRST_ROWS)
    if asked.bins is None and not many:
        rows = _grouped(table, name, asked, None, most=2 * asked.limit)
        if len(rows[_ROWS]) <= 2 * asked.limit:
            return _score_costs(rows, name, asked)
    wanted = fitting_bins(first, asked.bins or DEFAULT_COST_BINS)
    return _score_costs(_grouped(table, name, asked, wanted, most=None), name, asked)


def _grouped(
    table: FrameTable, name: str, asked: _Asked, bins: ScoreBins | None, *, most: int | None
) -> dict[str, Any]:
    """Group the rows by class and score, or bin, and add up costs, squares and what is wrong with them."""
    nw, columns = narwhals(), asked.columns
    kept = {
        _LABEL: key_column(table.frame, columns.y_true, table.types),
        _SCORE: named_column(table.frame, name).cast(nw.Float64),
    }
    places = {column: f"amount{place}" for place, column in enumerate(columns.amounts)}
    for column, place in places.items():
        value = named_column(table.frame, column).cast(nw.Float64)
        kept[place] = without_nan(table.frame, value)
    frame = table.frame.select(**kept)
    if bins is not None:
        frame = with_numbers(frame, bins, weighted=False)
    costs = asked.prices.by_outcome(lambda value: nw.col(places[value]) if isinstance(value, str) else value)
    added = {_ROWS: nw.len()}
    squared: dict[str, Any] = {}
    for outcome, cost in costs.items():
        if not isinstance(cost, float):
            squared |= {outcome: cost, f"{outcome}_squares": cost * cost}
    for place in places.values():
        amount = nw.col(place)
        squared[f"{place}_missing"] = amount.is_null().cast(nw.Int64)
        bad = ((amount < 0) | (amount > LARGEST_FLOAT)).fill_null(value=False)
        squared[f"{place}_bad"] = bad.cast(nw.Int64)
    frame = frame.with_columns(**squared)
    added |= {column: nw.col(column).sum() for column in squared}
    if bins is not None:
        added |= {_LOWER: nw.col(_SCORE).min(), _UPPER: nw.col(_SCORE).max()}
    grouped = frame.group_by(_LABEL, _SCORE if bins is None else _NUMBER).agg(**added)
    if most is not None and not grouped.implementation.is_polars():
        grouped = grouped.head(most + 1)
    return collected(grouped)


def require_complete(rows: Mapping[str, Any], name: str, columns: Columns) -> None:
    """Refuse missing labels, scores and amounts, and negative amounts, with their number."""
    if not len(rows[_ROWS]):
        raise input_error(name, "must hold at least one row", "none")
    counts = rows[_ROWS].astype(np.int64)
    score = rows[_SCORE] if _SCORE in rows else rows[_NUMBER]
    for column, values in ((columns.y_true, rows[_LABEL]), (name, score)):
        missing = int(counts[is_missing(values)].sum())
        if missing:
            raise missing_rows(column, missing)
    for place, column in enumerate(columns.amounts):
        missing = int(rows[f"amount{place}_missing"].sum())
        if missing:
            raise missing_rows(column, missing)
        bad = int(rows[f"amount{place}_bad"].sum())
        if bad:
            raise input_error(
                column,
                "must hold finite amounts from 0",
                f"{bad} negative or infinite",
                "a gain is what the other decision costs more; write it there.",
            )


def _score_costs(rows: dict[str, Any], name: str, asked: _Asked) -> ScoreCosts:
    """Turn grouped rows into sums per score or bin: each class has its own costs of a decision."""
    require_complete(rows, name, asked.columns)
    truth = is_positive(rows[_LABEL], asked.positive, asked.columns.y_true)
    cases = rows[_ROWS].astype(np.float64)
    numbers = asked.prices.by_outcome(lambda value: 0.0 if isinstance(value, str) else value)

    def total(outcome: str, power: int) -> FloatArray:
        column = outcome if power == 1 else f"{outcome}_squares"
        return as_floats(rows[column]) if column in rows else cases * numbers[outcome] ** power

    pairs = {
        "miss": ("cost_fn", "cost_tn"),
        "alarm": ("cost_tp", "cost_fp"),
        "review": ("review_positive", "review_negative"),
    }
    sums, squares = (
        [np.where(truth, total(pair[0], power), total(pair[1], power)) for pair in pairs.values()]
        for power in (1, 2)
    )
    if _SCORE in rows:
        lower, upper, columns = as_floats(rows[_SCORE]), None, [cases, *sums, *squares]
    else:
        # the two classes of a bin share its range
        number, places = np.unique(as_floats(rows[_NUMBER]), return_inverse=True)
        lower, upper = np.full(len(number), np.inf), np.full(len(number), -np.inf)
        np.minimum.at(lower, places, as_floats(rows[_LOWER]))
        np.maximum.at(upper, places, as_floats(rows[_UPPER]))
        columns = [
            np.bincount(places, column, len(number)).astype(np.float64) for column in (cases, *sums, *squares)
        ]
    return ScoreCosts.from_sums(
        lower,
        columns[0],
        **dict(zip(pairs, columns[1:4], strict=True)),
        squares=(columns[4], columns[5], columns[6]),
        upper=upper,
    )
