"""Sums of costs per score, and per score and fold, from any source: one scan per model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from demur._checks import check_number, check_positive_int, check_type, input_error
from demur._files.database import quoted
from demur.costs.case_costs import CaseCosts
from demur.costs.reviewer import ReviewCascade, Reviewer
from demur.counts.costs import COST_PRODUCTS, FoldedCosts, ScoreCosts
from demur.engines.columns import one_pos_label
from demur.engines.frames import (
    FrameTable,
    collected,
    narwhals,
    no_amounts,
    with_numbers,
    without_nan,
)
from demur.engines.score_bins import fitting_bins
from demur.engines.sources import MEMORY_LIMIT, check_power_of_two, named_columns, open_source
from demur.engines.tallies import (
    FIRST_ROWS,
    Columns,
    as_floats,
    bin_ranges,
    coded,
    is_missing,
    is_positive,
    looks_like_more_than,
    refuse_missing,
)
from demur.exceptions import InputError
from demur.typing import BoolArray, FloatArray

__all__ = ["CostTerms", "read_folded_costs", "read_score_costs"]

DEFAULT_DISTINCT = 2**19
DEFAULT_COST_BINS = 2**18
_PRICES = ("cost_fn", "cost_fp", "cost_tp", "cost_tn")
_REVIEWS = ("cost_abstain", "cost_abstain_positive", "cost_abstain_negative")
_SCORE, _NUMBER, _LABEL, _ROWS, _LOWER, _UPPER = "score", "number", "label", "rows", "lower", "upper"
_GROUP, _WEIGHT, _FOLD = "group", "weight", "fold"
# costs of calling a case negative, of calling it positive and of a review, by true class
_OUTCOMES = (
    ("cost_tn", "cost_fp", "review_negative"),
    ("cost_fn", "cost_tp", "review_positive"),
)
FOLDS = 10
_SEED = 0
_GAIN = "a gain is what the other decision costs more; write it there."
# groups of scores: cells of both classes and all folds are twenty times as many
_MOST_SCORES = 2**12


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
    check_power_of_two(bins, "bins", 24)
    data, columns = named_columns(source, y_true=y_true, scores=scores, weights=None, groups=None)
    columns = replace(columns, amounts=prices.columns)
    with open_source(data, columns, engine=engine, memory_limit=memory_limit, master=master) as table:
        if isinstance(table, FrameTable):
            return {
                name: _score_costs(_Scan(table, columns, prices, name, COST_PRODUCTS[:3]), label, bins, limit)
                for name in columns.scores
            }
        rows = table.head(columns.all, table.n_rows or 0)
    for name in columns.all:
        refuse_missing(name, int(np.count_nonzero(is_missing(np.asarray(rows[name])))))
    truth = is_positive(np.asarray(rows[y_true]), label, y_true)
    costs = prices.of_rows(rows)
    made = {name: costs.score_costs(truth, as_floats(rows[name])) for name in columns.scores}
    return made if bins is None else {name: one.binned(at_most=max(bins, 4)) for name, one in made.items()}


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
        given: dict[str, Any] = {
            name: value if isinstance(value, str) else check_number(value, name)
            for name, value in named.items()
            if value is not None
        }
        # 0 in place of columns: `CaseCosts` says what is wrong with the rest
        numbers: dict[str, Any] = {
            name: 0.0 if isinstance(value, str) else value for name, value in given.items()
        }
        CaseCosts(**numbers, reviewer=reviewer)
        if reviewer is not None:
            check_type(reviewer, "reviewer", Reviewer)
            if np.ndim(reviewer.fee):
                raise input_error("fee", "must be one number here", f"{len(reviewer.fee)} fees")
        return cls(given, reviewer)

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


# ---------------------------------------------------------------- sums of an engine


@dataclass(frozen=True, eq=False)
class _Scan:
    """One model of a table, its costs, and which products of two of them are added up."""

    table: FrameTable
    columns: Columns
    terms: CostTerms
    model: str
    products: tuple[tuple[int, int], ...]

    @property
    def numbers(self) -> dict[str, str]:
        """Columns of amounts, and of weights, by the names they get."""
        amounts = {f"amount{place}": column for place, column in enumerate(self.columns.amounts)}
        return amounts if self.columns.weights is None else {**amounts, _WEIGHT: self.columns.weights}

    def selected(self) -> Any:
        """Choose label, score, group, amounts and weight of every row."""
        table = self.table
        numbers = {
            place: without_nan(table.frame, table.numbers(column)) for place, column in self.numbers.items()
        }
        keys = table.keys(self.columns)
        # in this order: it decides the folds
        first = {_LABEL: keys.pop(_LABEL), _SCORE: table.numbers(self.model)}
        return table.frame.select(**first, **keys, **numbers)

    def grouped(self, frame: Any, *keys: str, most: int | None = None) -> dict[str, Any]:
        """Group by class and keys; add up costs, products, and what is wrong with the amounts."""
        nw = narwhals()
        amounts = {column: nw.col(place) for place, column in self.numbers.items() if place != _WEIGHT}
        costs = self.terms.by_outcome(lambda term: _amount(term, amounts))
        values: dict[str, Any] = {}
        for names in _OUTCOMES:
            varying = {name: costs[name] for name in names if not isinstance(costs[name], float)}
            values |= varying
            values |= {
                _product(names, i, j): varying[names[i]] * varying[names[j]]
                for i, j in self.products
                if names[i] in varying and names[j] in varying
            }
        if self.columns.weights is not None:
            values = {name: value * nw.col(_WEIGHT) for name, value in values.items()}
            values["weights"] = nw.col(_WEIGHT)
        for place in self.numbers:
            values[f"{place}_missing"], values[f"{place}_bad"] = no_amounts(nw.col(place))
        added = {_ROWS: nw.len(), **{name: nw.col(name).sum() for name in values}}
        if _NUMBER in keys:
            added |= {_LOWER: nw.col(_SCORE).min(), _UPPER: nw.col(_SCORE).max()}
        return collected(frame.with_columns(**values).group_by(_LABEL, *keys).agg(**added), most)

    def rows(
        self, frame: Any, *keys: str, limit: int, most_bins: int, bins: int | None = None
    ) -> dict[str, Any]:
        """Group by class, keys and score, or bin of scores: if `bins` are given or scores exceed `limit`."""
        first = as_floats(self.table.head((self.model,), FIRST_ROWS)[self.model])
        if bins is None and not looks_like_more_than(limit, first, more_rows=len(first) == FIRST_ROWS):
            # two classes: twice as many rows as distinct scores, times the values of the keys
            rows = self.grouped(frame, *keys, _SCORE, most=None if keys else 2 * limit)
            if len(np.unique(rows[_SCORE]) if keys else rows[_SCORE]) <= 2 * limit:
                return rows
        bins_of_scores = fitting_bins(first, bins or most_bins)
        return self.grouped(with_numbers(frame, bins_of_scores, weighted=False), *keys, _NUMBER)

    def sums(
        self, rows: Mapping[str, Any], positive: Any
    ) -> tuple[BoolArray, FloatArray, FloatArray, FloatArray]:
        """Return class, cases, sums of the three costs and of their products, by row."""
        truth = is_positive(rows[_LABEL], positive, self.columns.y_true)
        cases = as_floats(rows["weights"] if "weights" in rows else rows[_ROWS])
        numbers = self.terms.by_outcome(lambda term: 0.0 if isinstance(term, (str, tuple)) else term)
        sums, products = np.empty((len(cases), 3)), np.empty((len(cases), len(self.products)))
        for own, names in zip((~truth, truth), _OUTCOMES, strict=True):
            columns = [
                as_floats(rows[name])[own] if name in rows else cases[own] * float(numbers[name])
                for name in names
            ]
            sums[own] = np.stack(columns, axis=1)
            for place, (i, j) in enumerate(self.products):
                name = _product(names, i, j)
                if name in rows:
                    products[own, place] = as_floats(rows[name])[own]
                else:
                    # one of the two is the same for all cases of the class
                    fixed, other = (i, j) if names[i] not in rows else (j, i)
                    products[own, place] = float(numbers[names[fixed]]) * columns[other]
        return truth, cases, sums, products


def _amount(term: Any, amounts: Mapping[str, Any]) -> Any:
    """Return a cost as an expression; a number for all cases as it is."""
    if isinstance(term, tuple):
        return amounts[term[0]] * term[1]
    return amounts[term] if isinstance(term, str) else term


def _product(names: tuple[str, ...], i: int, j: int) -> str:
    return f"{names[i]}_{names[j]}"


def _require_complete(rows: Mapping[str, Any], scan: _Scan) -> None:
    """Refuse missing labels, scores, amounts and weights, and negative ones, with their number."""
    columns, name = scan.columns, scan.model
    if not len(rows[_ROWS]):
        raise input_error(name, "must hold at least one row", "none")
    counts = rows[_ROWS].astype(np.int64)
    score = rows[_SCORE] if _SCORE in rows else rows[_NUMBER]
    keys = {columns.y_true: rows[_LABEL], name: score}
    if columns.groups is not None:
        keys[columns.groups] = rows[_GROUP]
    for column, values in keys.items():
        refuse_missing(column, int(counts[is_missing(values)].sum()))
    for place, column in scan.numbers.items():
        missing, bad = (int(rows[f"{place}_{kind}"].sum()) for kind in ("missing", "bad"))
        refuse_missing(column, missing)
        if bad:
            what, hint = ("weights", None) if place == _WEIGHT else ("amounts", _GAIN)
            raise input_error(column, f"must hold finite {what} from 0", f"{bad} negative or infinite", hint)


def _score_costs(scan: _Scan, positive: Any, bins: int | None, limit: int) -> ScoreCosts:
    """Sum one model: one by one, and in bins if there are too many scores."""
    rows = scan.rows(scan.selected(), limit=limit, most_bins=DEFAULT_COST_BINS, bins=bins)
    _require_complete(rows, scan)
    _, cases, sums, squares = scan.sums(rows, positive)
    columns = [cases, *np.ascontiguousarray(sums.T), *np.ascontiguousarray(squares.T)]
    if _SCORE in rows:
        lower, upper = as_floats(rows[_SCORE]), None
    else:
        # the two classes of a bin share its range
        places, lower, upper = bin_ranges(*(as_floats(rows[name]) for name in (_NUMBER, _LOWER, _UPPER)))
        columns = [np.bincount(places, column, len(lower)).astype(np.float64) for column in columns]
    return ScoreCosts.from_sums(
        lower,
        columns[0],
        miss=columns[1],
        alarm=columns[2],
        review=columns[3],
        squares=(columns[4], columns[5], columns[6]),
        upper=upper,
    )


# ---------------------------------------------------------------- sums by fold


def read_folded_costs(
    source: Any,
    *,
    columns: Columns,
    terms: CostTerms,
    positive: Any,
    engine: str | None = None,
) -> dict[Any, dict[str, FoldedCosts]]:
    """Return group -> model -> sums per score, class and fold; one group, None, without groups.

    Up to 2**12 distinct scores the sums are of single scores, beyond of bins. Weights stand for repeated
    cases. A case goes into a fold by a hash of its values, so equal cases share one.
    """
    with open_source(source, columns, engine=engine, memory_limit=MEMORY_LIMIT, master=None) as table:
        assert isinstance(table, FrameTable)
        found: dict[Any, dict[str, FoldedCosts]] = {}
        for model in columns.scores:
            scan = _Scan(table, columns, terms, model, COST_PRODUCTS)
            keys = [_FOLD] if columns.groups is None else [_FOLD, _GROUP]
            rows = scan.rows(_with_folds(scan.selected()), *keys, limit=_MOST_SCORES, most_bins=_MOST_SCORES)
            _require_complete(rows, scan)
            for group, part in _parts(rows):
                truth, cases, sums, products = scan.sums(part, positive)
                if _SCORE in part:
                    lower = upper = as_floats(part[_SCORE])
                else:
                    # all cells of a bin share its range
                    places, low, high = bin_ranges(
                        *(as_floats(part[name]) for name in (_NUMBER, _LOWER, _UPPER))
                    )
                    lower, upper = low[places], high[places]
                fold = as_floats(part[_FOLD]).astype(np.int64)
                kept = cases > 0
                found.setdefault(group, {})[model] = FoldedCosts(
                    lower[kept],
                    upper[kept],
                    truth[kept],
                    fold[kept],
                    cases[kept],
                    sums[kept],
                    products[kept],
                    FOLDS,
                )
        return found


def _parts(rows: Mapping[str, Any]) -> list[tuple[Any, Mapping[str, Any]]]:
    if _GROUP not in rows:
        return [(None, rows)]
    groups, codes = coded(rows[_GROUP])
    return [
        (group, {name: column[codes == place] for name, column in rows.items()})
        for place, group in enumerate(groups)
    ]


def _with_folds(frame: Any) -> Any:
    """Add the fold of every row: a hash of all its values, in the language of the engine."""
    names = frame.collect_schema().names()
    native = frame.to_native()
    if frame.implementation.is_duckdb():
        hashed = f"hash({', '.join(map(quoted, names))}, {_SEED})"
        return narwhals().from_native(native.project(f"*, ({hashed} % {FOLDS})::integer as {_FOLD}"))
    if frame.implementation.is_spark_like():
        sql = import_module("pyspark.sql.functions")
        hashed = sql.xxhash64(*(sql.col(name) for name in names), sql.lit(_SEED))
        return narwhals().from_native(native.withColumn(_FOLD, sql.pmod(hashed, sql.lit(FOLDS)).cast("int")))
    raise input_error(
        "engine", "must be duckdb or spark for honest costs of amounts", frame.implementation.value
    )
