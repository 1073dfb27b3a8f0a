"""Batches of scores and labels from files: counted per cell in one scan, days kept apart."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from demur.cli.answers.case_amounts import AmountColumns
from demur.cli.reading.policies import AUDIT_COLUMNS, input_columns
from demur.cli.reading.roles import require_numbers
from demur.costs.case_costs import CaseCosts
from demur.engines.columns import Column, quoted
from demur.engines.files import FileTable, database_errors
from demur.engines.labels import class_name
from demur.exceptions import InputError
from demur.monitoring.monitor import PolicyMonitor
from demur.monitoring.reference import BatchCounts, score_range
from demur.policy.policy import Policy
from demur.policy.sql import sql_of
from demur.typing import FloatArray
from demur.windows.budgeted import Budgeted
from demur.windows.by_group import ByGroup

__all__ = ["LabelledScores", "counted_days", "day_key", "labelled_scores", "rule_columns"]

# the cell of a row without a score
_NOWHERE = -1


def rule_columns(policy: Policy, table: FileTable, model: str | None) -> tuple[str, ...]:
    """Return the columns that the rule reads, which hold numbers but for groups."""
    if isinstance(policy.rule, Budgeted):
        raise InputError(
            "This policy gives places to whole batches, and watching and auditing take cases one by one. "
            "Hint: `demur apply` decides; Policy.decide_batch and judge_policy do so in Python."
        )
    columns = input_columns(policy, list(table.kinds), table.name, model)
    table.require(columns)
    if len(columns) == 1:
        _require_number(table, columns[0])
    else:
        for name in columns[:-1] if isinstance(policy.rule, ByGroup) else columns:
            require_numbers(table, name, "--model")
    return columns


def _require_number(table: FileTable, name: str) -> None:
    if table.kinds[name] != "number":
        raise InputError(f"`{table.name}` must have numbers in column {name!r}, got {table.kinds[name]}.")


def counted_days(
    table: FileTable, monitor: PolicyMonitor, columns: tuple[str, ...], *, date: str | None = None
) -> dict[str | None, BatchCounts]:
    """Count the scores, or the decisions, of a table per cell in one scan of the database, one batch per day.

    Without a column of dates all rows are one batch, of the day None.
    """
    day = f"{_day(table, date)} as d"
    with database_errors(table.name):
        if monitor.watches_scores:
            low, high = score_range(monitor.policy)
            outside = f"s < {_literal(low)} or s > {_literal(high)}"
            found = _cell(monitor.cells.cuts, 0, monitor.cells.size)
            placed = table.relation.project(f"cast({quoted(columns[0])} as double) as s, {day}").project(
                f"s, d, case when s is null or isnan(s) then {_NOWHERE} else {found} end as cell"
            )
        else:
            # the place of a decision among the actions, abstaining last; null without one
            places = list(range(len(monitor.policy.classes) + 1))
            decision = monitor.policy.rule.to_expression(columns, places)
            found = sql_of(decision, labels=places, origin=[], dialect="duckdb", table=None, name="cell")
            outside = "false"
            placed = table.relation.project(f"0.0::double as s, {day}, coalesce({found}, {_NOWHERE}) as cell")
        rows = placed.aggregate(
            f"d, cell, count(*), min(s), max(s), count(*) filter ({outside})", "d, cell"
        ).fetchall()
    if date is not None and any(row[0] is None for row in rows):
        raise _undated(table, date, sum(row[2] for row in rows if row[0] is None))
    days: dict[str | None, BatchCounts] = {}
    for day in sorted({row[0] for row in rows}, key=str):
        scored = [row[1:] for row in rows if row[0] == day and row[1] != _NOWHERE]
        if scored:
            counts = np.zeros(monitor.reference.size)
            cells, cases, lowest, highest, beyond = zip(*scored, strict=True)
            counts[list(cells)] = cases
            days[day] = BatchCounts(
                counts=counts,
                low=min(lowest),
                high=max(highest),
                outside=sum(beyond),
                missing=sum(row[2] for row in rows if row[:2] == (day, _NOWHERE)),
            )
    if not days:
        raise _unscored(table, columns)
    return days


def _unscored(table: FileTable, columns: tuple[str, ...]) -> InputError:
    if len(columns) == 1:
        return InputError(f"`{table.name}` must have a score in at least one row of column {columns[0]!r}.")
    return InputError(
        f"`{table.name}` must have at least one row with numbers in all of the columns {', '.join(columns)}."
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
    return f"case when s <= {_literal(cuts[middle - 1])} then {below} else {above} end"


def _literal(value: float) -> str:
    # a plain literal would be a decimal number
    return f"'{float(value)!r}'::double"


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledScores:
    """Cases of a file whose labels are those of the policy, None where missing.

    Attributes
    ----------
    scores : array
        One number per case, or one row with the columns of the rule.
    labels, weights, second, groups, days : array or None
        One value per case.
    amounts : AmountColumns or None
        Where the costs of the cases stand, for a policy of amounts; `prices` are these columns.
    """

    scores: FloatArray
    labels: Any
    weights: FloatArray | None
    second: Any = None
    groups: Any = None
    days: Any = None
    amounts: AmountColumns | None = None
    prices: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def costs(self) -> CaseCosts | None:
        """The costs of the cases; None where they do not differ or are not known."""
        return None if self.amounts is None else self.amounts.costs(self.prices)

    def by_day(self) -> Iterator[tuple[str | None, "LabelledScores"]]:
        """Yield the cases of each day in order; all of them, of the day None, where there are no dates."""
        if self.days is None:
            yield None, self
            return
        for day in sorted(set(self.days.tolist())):
            own = self.days == day
            yield (
                day,
                replace(
                    self,
                    scores=self.scores[own],
                    labels=self.labels[own],
                    weights=None if self.weights is None else self.weights[own],
                    second=None if self.second is None else self.second[own],
                    prices={name: column[own] for name, column in self.prices.items()},
                ),
            )


def labelled_scores(
    table: FileTable,
    policy: Policy,
    *,
    label: str,
    model: str | None,
    weight: str | None,
    second: str | None = None,
    group: str | None = None,
    date: str | None = None,
) -> LabelledScores:
    """Read the cases of a file that have a score; weights of an audit if no others are named."""
    columns = rule_columns(policy, table, model)
    amounts = AmountColumns.of(policy, table)
    chance = AUDIT_COLUMNS[1] if weight is None and AUDIT_COLUMNS[1] in table.kinds else None
    given = (*columns, label, weight, chance, second, group)
    prices = () if amounts is None else amounts.names
    read = table.read(list(dict.fromkeys([*(name for name in given if name is not None), *prices])))
    missing = np.column_stack([read[name].missing for name in columns])
    if isinstance(policy.rule, ByGroup):  # what the rules of other groups read may be missing
        missing = missing[:, :-1] & policy.rule.reads(read[columns[-1]].filled().tolist())
    good = ~missing.any(axis=1)
    if not good.any():
        raise _unscored(table, columns)

    def numbers(name: str) -> FloatArray:
        _require_number(table, name)
        return np.asarray(read[name].filled(), dtype=np.float64)

    weights = None
    if (weighing := weight or chance) is not None:
        weights = numbers(weighing)
        # a case without a label may have no weight
        weights = np.where(np.isnan(weights), 1.0, weights)
        if chance is not None:
            wrong = weights[~((weights > 0) & (weights <= 1))]
            if len(wrong):
                raise InputError(
                    f"`{table.name}` must have probabilities above 0 and at most 1 in column {chance!r}, got "
                    f"{wrong[0]:g}. Hint: `demur apply --audit` writes them; --weight COLUMN takes others."
                )
            weights = 1 / weights
    kind: Any = object if isinstance(policy.rule, ByGroup) else np.float64
    scores = np.column_stack([np.asarray(read[name].filled(), dtype=kind) for name in columns])[good]
    return LabelledScores(
        scores=scores[:, 0] if policy.rule.inputs == 1 else scores,
        labels=_policy_labels(read[label], policy)[good],
        weights=None if weights is None else weights[good],
        second=None if second is None else _policy_labels(read[second], policy)[good],
        groups=None if group is None else read[group].values[good],
        days=None if date is None else _days(table, date)[good],
        amounts=amounts,
        prices={name: numbers(name)[good] for name in prices},
    )


def _days(table: FileTable, date: str) -> Any:
    """Return the day of every row."""
    with database_errors(table.name):
        days = table.relation.project(f"{_day(table, date)} as d").fetchnumpy()["d"]
    missing = np.ma.getmaskarray(days)
    if missing.any():
        raise _undated(table, date, int(missing.sum()))
    return np.asarray(np.ma.getdata(days), dtype=object)


def _policy_labels(column: Column, policy: Policy) -> Any:
    """Return the labels of a column as the policy writes them; 1.0 in a file is 1."""
    # the positive class first where there is one
    classes = policy.classes[::-1] if len(policy.classes) == 2 else policy.classes
    named = {class_name(value): value for value in classes}
    values, places = np.unique(column.values[~column.missing].astype(str), return_inverse=True)
    labels = np.full(len(column.values), None, dtype=object)
    told = []
    for value in values.tolist():
        name = value if column.kind != "number" else class_name(float(value))
        if name not in named:
            *others, last = named
            raise InputError(
                f"Label column {column.name!r} holds {name!r}; the policy knows {', '.join(others)} and "
                f"{last}. Hint: pass another --label, or leave the cell empty where the class is unknown."
            )
        told.append(named[name])
    labels[~column.missing] = np.array(told, dtype=object)[places] if told else None
    return labels
