"""Batches of scores and labels from files: counted per cell in one scan, days kept apart."""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur.cli.answers.decisions import AUDIT_COLUMNS
from demur.engines.columns import Column, quoted
from demur.engines.files import FileTable, database_errors
from demur.engines.labels import class_name
from demur.exceptions import InputError
from demur.monitoring.monitor import PolicyMonitor
from demur.monitoring.scale import BatchCounts, score_range
from demur.typing import BoolArray, FloatArray
from demur.windows.policy import Policy

__all__ = ["LabelledColumns", "LabelledScores", "counted_days", "day_key", "labelled_scores", "score_column"]

# the cell of a row without a score
_NOWHERE = -1


def score_column(policy: Policy, table: FileTable, model: str | None) -> str:
    """Return the column with the scores: the user's, the policy's, or the only one."""
    name = model if model is not None else policy.model
    if name is None and len(table.kinds) == 1:
        name = next(iter(table.kinds))
    if name is None or (model is None and name not in table.kinds):
        why = (
            "the policy names no model"
            if name is None
            else f"there is no column {name!r}, the policy's model"
        )
        columns = ", ".join(table.kinds)
        raise InputError(f"`{table.name}`: {why}. Hint: pass --model COLUMN; the columns are {columns}.")
    table.require([name])
    if table.kinds[name] != "number":
        raise InputError(f"`{table.name}` must have numbers in column {name!r}, got {table.kinds[name]}.")
    return name


def counted_days(
    table: FileTable, monitor: PolicyMonitor, column: str, *, date: str | None = None
) -> dict[str | None, BatchCounts]:
    """Count the scores of a table per cell in one scan of the database, one batch per day.

    Without a column of dates all rows are one batch, of the day None.
    """
    cells = monitor.cells
    low, high = score_range(monitor.policy)
    score = f"cast({quoted(column)} as double)"
    cell = f"case when s is null or isnan(s) then {_NOWHERE} else {_cell(cells.cuts, 0, cells.size)} end"
    outside = f"s < {_literal(low)} or s > {_literal(high)}"
    with database_errors(table.name):
        rows = (
            table.relation.project(f"{score} as s, {_day(table, date)} as d")
            .project(f"s, d, {cell} as cell")
            .aggregate(f"d, cell, count(*), min(s), max(s), count(*) filter ({outside})", "d, cell")
            .fetchall()
        )
    days: dict[str | None, BatchCounts] = {}
    if date is not None and any(row[0] is None for row in rows):
        raise _undated(table, date, sum(row[2] for row in rows if row[0] is None))
    for day in sorted({row[0] for row in rows}, key=str):
        held = [row[1:] for row in rows if row[0] == day]
        if any(cell != _NOWHERE for cell, *_ in held):
            days[day] = _batch(held, cells.size)
    if not days:
        raise InputError(f"`{table.name}` must have a score in at least one row of column {column!r}.")
    return days


def _batch(rows: list[Any], size: int) -> BatchCounts:
    """Return the batch of rows (cell, cases, smallest, largest, outside)."""
    scored = [row for row in rows if row[0] != _NOWHERE]
    counts = np.zeros(size)
    for cell, n, *_ in scored:
        counts[cell] = n
    return BatchCounts(
        counts=counts,
        low=min(row[2] for row in scored),
        high=max(row[3] for row in scored),
        outside=sum(row[4] for row in scored),
        missing=sum(row[1] for row in rows if row[0] == _NOWHERE),
    )


def _day(table: FileTable, date: str | None) -> str:
    """Return the SQL of the day of a row, as text; null where there is none."""
    if date is None:
        return "cast(null as varchar)"
    table.require([date])
    return f"cast(try_cast({quoted(date)} as date) as varchar)"


def _undated(table: FileTable, date: str, n: int) -> InputError:
    return InputError(
        f"`{table.name}` must have a date in every row of column {date!r}, got {n} without one. "
        "Hint: dates look like 2026-03-01."
    )


def day_key(day: str, batch: BatchCounts) -> str:
    """Return the name of a day: a file that grows brings its old days again, which count once."""
    content = f"{day} {batch.counts.astype(np.int64).tolist()} {batch.low!r} {batch.high!r}"
    return hashlib.sha256(content.encode()).hexdigest()


def _cell(cuts: FloatArray, first: int, last: int) -> str:
    """Return the SQL that finds the cell of s among cells first..last - 1 by halving."""
    if last - first == 1:
        return str(first)
    middle = (first + last) // 2
    below, above = _cell(cuts, first, middle), _cell(cuts, middle, last)
    return f"case when s <= {_literal(float(cuts[middle - 1]))} then {below} else {above} end"


def _literal(value: float) -> str:
    if math.isinf(value):
        return f"'{'-' if value < 0 else ''}infinity'::double"
    # a plain literal would be a decimal number
    return f"'{value!r}'::double"


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledScores:
    """Scores, labels in those of the policy (None where missing), weights, second labels, groups, days."""

    scores: FloatArray
    labels: Any
    weights: FloatArray | None
    second: Any = None
    groups: Any = None
    days: Any = None

    def by_day(self) -> Iterator[tuple[str | None, "LabelledScores"]]:
        """Yield the cases of each day in order; all of them, of the day None, where there are no dates."""
        if self.days is None:
            yield None, self
            return
        for day in sorted(set(self.days.tolist())):
            yield day, self._of(self.days == day)

    def _of(self, chosen: BoolArray) -> "LabelledScores":
        return LabelledScores(
            scores=self.scores[chosen],
            labels=self.labels[chosen],
            weights=None if self.weights is None else self.weights[chosen],
            second=None if self.second is None else self.second[chosen],
        )


@dataclass(frozen=True, kw_only=True)
class LabelledColumns:
    """Which columns of a file hold what; without `model` the scores of the policy's own."""

    label: str
    model: str | None = None
    weight: str | None = None
    second: str | None = None
    group: str | None = None
    date: str | None = None


def labelled_scores(table: FileTable, policy: Policy, named: LabelledColumns) -> LabelledScores:
    """Read the cases of a file that have a score; weights of an audit if no others are named."""
    score = score_column(policy, table, named.model)
    chance = AUDIT_COLUMNS[1] if named.weight is None and AUDIT_COLUMNS[1] in table.kinds else None
    given = (score, named.label, named.weight, chance, named.second, named.group)
    wanted = [name for name in given if name is not None]
    columns = table.read(wanted)
    good = ~columns[score].missing
    if not good.any():
        raise InputError(f"`{table.name}` must have a score in at least one row of column {score!r}.")
    weights = None
    if named.weight is not None:
        weights = _numbers(columns[named.weight], table.name)[good]
    elif chance is not None:
        weights = 1 / _probabilities(columns[chance], table.name)[good]
    return LabelledScores(
        scores=np.asarray(columns[score].values, dtype=np.float64)[good],
        labels=_policy_labels(columns[named.label], policy)[good],
        weights=weights,
        second=None if named.second is None else _policy_labels(columns[named.second], policy)[good],
        groups=None if named.group is None else columns[named.group].values[good],
        days=None if named.date is None else _days(table, named.date)[good],
    )


def _days(table: FileTable, date: str) -> Any:
    """Return the day of every row."""
    with database_errors(table.name):
        days = table.relation.project(f"{_day(table, date)} as d").fetchnumpy()["d"]
    missing = np.ma.getmaskarray(days)
    if missing.any():
        raise _undated(table, date, int(missing.sum()))
    return np.asarray(np.ma.getdata(days), dtype=object)


def _numbers(column: Column, source: str) -> FloatArray:
    """Return a column of numbers, 1 where one is missing: a case without a label may have no weight."""
    if column.kind != "number":
        raise InputError(f"`{source}` must have numbers in column {column.name!r}, got {column.kind}.")
    filled = np.asarray(column.filled(), dtype=np.float64)
    return np.where(np.isnan(filled), 1.0, filled)


def _probabilities(column: Column, source: str) -> FloatArray:
    """Return the probabilities of a label that `demur apply --audit` wrote."""
    values = _numbers(column, source)
    wrong = values[~((values > 0) & (values <= 1))]
    if len(wrong):
        raise InputError(
            f"`{source}` must have probabilities above 0 and at most 1 in column {column.name!r}, got "
            f"{wrong[0]:g}. Hint: `demur apply --audit` writes them; --weight COLUMN takes others."
        )
    return values


def _policy_labels(column: Column, policy: Policy) -> Any:
    """Return the labels of a column as the policy writes them; 1.0 in a file is 1."""
    named = {class_name(value): value for value in (policy.pos_label, policy.neg_label)}
    values, places = np.unique(column.values[~column.missing].astype(str), return_inverse=True)
    labels = np.full(len(column.values), None, dtype=object)
    told = []
    for value in values.tolist():
        name = value if column.kind != "number" else class_name(float(value))
        if name not in named:
            raise InputError(
                f"Label column {column.name!r} holds {name!r}; the policy knows {' and '.join(named)}. "
                "Hint: pass another --label, or leave the cell empty where the class is unknown."
            )
        told.append(named[name])
    labels[~column.missing] = np.array(told, dtype=object)[places] if told else None
    return labels
