"""Sums of costs per score, class and fold where the data live: honest costs of amounts beyond memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from demur._checks import input_error
from demur.counts.folded_costs import FoldedCosts
from demur.engines.columns import quoted
from demur.engines.cost_sums import CostTerms, is_positive, require_complete
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
from demur.engines.score_bins import LARGEST_FLOAT, fitting_bins
from demur.engines.sources import MEMORY_LIMIT, open_source
from demur.engines.tallies import Columns, as_floats, missing_rows
from demur.typing import FloatArray

__all__ = ["read_folded_costs"]

FOLDS = 10
# groups of scores: cells of both classes and all folds are twenty times as many
_MOST_SCORES = 2**12
_LABEL, _SCORE, _GROUP, _WEIGHT, _FOLD = "label", "score", "group", "weight", "fold"
_ROWS, _NUMBER, _LOWER, _UPPER = "rows", "number", "lower", "upper"
_CLASSES = (
    ("cost_tn", "cost_fp", "review_negative"),
    ("cost_fn", "cost_tp", "review_positive"),
)
_PRODUCTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Scan:
    """One model of a table, and what to add up."""

    table: FrameTable
    columns: Columns
    terms: CostTerms
    model: str
    seed: int

    def grouped(self) -> dict[str, Any]:
        """Group the rows by class, fold and score, or bin of scores."""
        nw = narwhals()
        first = as_floats(self.table.head((self.model,), FIRST_ROWS)[self.model])
        many = looks_like_more_than(_MOST_SCORES, first, more_rows=len(first) == FIRST_ROWS)
        frame, places = self._selected()
        frame = with_folds(frame, FOLDS, self.seed)
        if not many:
            rows = self._added(frame, places, [_SCORE])
            if len(np.unique(rows[_SCORE])) <= 2 * _MOST_SCORES:
                return rows
        frame = with_numbers(frame, fitting_bins(first, _MOST_SCORES), weighted=False)
        edges = {_LOWER: nw.col(_SCORE).min(), _UPPER: nw.col(_SCORE).max()}
        return self._added(frame, places, [_NUMBER], edges)

    def _selected(self) -> tuple[Any, dict[str, str]]:
        nw, table, columns = narwhals(), self.table, self.columns
        kept = {
            _LABEL: key_column(table.frame, columns.y_true, table.types),
            _SCORE: named_column(table.frame, self.model).cast(nw.Float64),
        }
        if columns.groups is not None:
            kept[_GROUP] = key_column(table.frame, columns.groups, table.types)
        places = {column: f"amount{place}" for place, column in enumerate(columns.amounts)}
        numbers = {**places, **({} if columns.weights is None else {columns.weights: _WEIGHT})}
        for column, place in numbers.items():
            value = named_column(table.frame, column).cast(nw.Float64)
            kept[place] = without_nan(table.frame, value)
        return table.frame.select(**kept), places

    def _added(
        self, frame: Any, places: dict[str, str], keys: list[str], edges: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        nw = narwhals()
        costs = self.terms.by_outcome(
            lambda term: nw.col(places[term[0]]) * term[1] if isinstance(term, tuple) else term
        )
        weight = nw.col(_WEIGHT) if self.columns.weights is not None else 1.0
        values: dict[str, Any] = {}
        for names in _CLASSES:
            for name in names:
                if not isinstance(costs[name], float):
                    values[name] = costs[name] * weight
            for i, j in _PRODUCTS:
                one, two = costs[names[i]], costs[names[j]]
                if not (isinstance(one, float) or isinstance(two, float)):
                    values[_product(names, i, j)] = one * two * weight
        for place in [*places.values(), *([_WEIGHT] if self.columns.weights is not None else [])]:
            amount = nw.col(place)
            values[f"{place}_missing"] = amount.is_null().cast(nw.Int64)
            bad = ((amount < 0) | (amount > LARGEST_FLOAT)).fill_null(value=False)
            values[f"{place}_bad"] = bad.cast(nw.Int64)
        frame = frame.with_columns(**values)
        added = {_ROWS: nw.len(), **{name: nw.col(name).sum() for name in values}, **(edges or {})}
        if self.columns.weights is not None:
            added["weights"] = nw.col(_WEIGHT).sum()
        groups = [_GROUP] if self.columns.groups is not None else []
        return collected(frame.group_by(_LABEL, _FOLD, *groups, *keys).agg(**added))

    def sums(self, rows: Mapping[str, Any], positive: Any) -> FoldedCosts:
        """Turn grouped rows into sums: each class has its own costs of a decision."""
        truth = is_positive(rows[_LABEL], positive, self.columns.y_true)
        cases = as_floats(rows["weights"] if "weights" in rows else rows[_ROWS])
        numbers = self.terms.by_outcome(lambda term: 0.0 if isinstance(term, tuple) else term)
        sums, products = np.empty((len(cases), 3)), np.empty((len(cases), 6))
        for own, names in zip((~truth, truth), _CLASSES, strict=True):
            columns = [
                as_floats(rows[name])[own] if name in rows else cases[own] * float(numbers[name])
                for name in names
            ]
            sums[own] = np.stack(columns, axis=1)
            for place, (i, j) in enumerate(_PRODUCTS):
                name = _product(names, i, j)
                if name in rows:
                    products[own, place] = as_floats(rows[name])[own]
                else:
                    # one of the two is the same for all cases of the class
                    fixed, other = (i, j) if names[i] not in rows else (j, i)
                    products[own, place] = float(numbers[names[fixed]]) * columns[other]
        lower, upper = self._ranges(rows)
        kept = cases > 0
        fold = as_floats(rows[_FOLD]).astype(np.int64)
        return FoldedCosts(
            lower[kept], upper[kept], truth[kept], fold[kept], cases[kept], sums[kept], products[kept], FOLDS
        )

    def _ranges(self, rows: Mapping[str, Any]) -> tuple[FloatArray, FloatArray]:
        if _SCORE in rows:
            score = as_floats(rows[_SCORE])
            return score, score
        _, places = np.unique(as_floats(rows[_NUMBER]), return_inverse=True)
        # all cells of a bin share its range
        lower, upper = np.full(places.max() + 1, np.inf), np.full(places.max() + 1, -np.inf)
        np.minimum.at(lower, places, as_floats(rows[_LOWER]))
        np.maximum.at(upper, places, as_floats(rows[_UPPER]))
        return lower[places], upper[places]


def _product(names: tuple[str, ...], i: int, j: int) -> str:
    return f"{names[i]}_{names[j]}"


def read_folded_costs(
    source: Any,
    *,
    columns: Columns,
    terms: CostTerms,
    positive: Any,
    seed: int = 0,
    engine: str | None = None,
    memory_limit: str = MEMORY_LIMIT,
    master: str | None = None,
) -> dict[Any, dict[str, FoldedCosts]]:
    """Return group -> model -> sums per score, class and fold; one group, None, without groups.

    Up to 2**12 distinct scores the sums are of single scores, beyond of bins. Weights stand for repeated
    cases. A case goes into a fold by a hash of its values and the seed, so equal cases share one.
    """
    with open_source(source, columns, engine=engine, memory_limit=memory_limit, master=master) as table:
        check_columns(table, columns)
        assert isinstance(table, FrameTable)
        found: dict[Any, dict[str, FoldedCosts]] = {}
        for model in columns.scores:
            scan = _Scan(table=table, columns=columns, terms=terms, model=model, seed=seed)
            rows = scan.grouped()
            require_complete(rows, model, columns)
            if columns.weights is not None:
                _require_weights(rows, columns.weights)
            for group, part in _parts(rows, columns.groups):
                found.setdefault(group, {})[model] = scan.sums(part, positive)
        return found


def _require_weights(rows: Mapping[str, Any], name: str) -> None:
    missing, bad = (int(rows[f"{_WEIGHT}_{what}"].sum()) for what in ("missing", "bad"))
    if missing:
        raise missing_rows(name, missing)
    if bad:
        raise input_error(name, "must hold finite weights from 0", f"{bad} negative or infinite")


def _parts(rows: Mapping[str, Any], group: str | None) -> list[tuple[Any, Mapping[str, Any]]]:
    if group is None:
        return [(None, rows)]
    values = rows[_GROUP]
    missing = np.array([value is None for value in values])
    if missing.any():
        raise missing_rows(group, int(as_floats(rows[_ROWS])[missing].sum()))
    return [
        (value, {name: column[values == value] for name, column in rows.items()})
        for value in np.unique(values)
    ]


def with_folds(frame: Any, folds: int, seed: int) -> Any:
    """Add the fold of every row: a hash of all its values, in the language of the engine."""
    names = frame.collect_schema().names()
    native = frame.to_native()
    if frame.implementation.is_duckdb():
        hashed = f"hash({', '.join(map(quoted, names))}, {int(seed)})"
        return narwhals().from_native(native.project(f"*, ({hashed} % {folds})::integer as {_FOLD}"))
    if frame.implementation.is_spark_like():
        sql = import_module("pyspark.sql.functions")
        hashed = sql.xxhash64(*(sql.col(name) for name in names), sql.lit(int(seed)))
        fold = sql.pmod(hashed, sql.lit(folds)).cast("int")
        return narwhals().from_native(native.withColumn(_FOLD, fold))
    rule = "must be duckdb or spark for honest costs of amounts"
    raise input_error("engine", rule, frame.implementation.value)
