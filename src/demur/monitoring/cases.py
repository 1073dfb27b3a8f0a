"""Cases of a file for a policy: counted per cell in one scan of the database, or read with their labels.

Costs of cases come from the columns that a policy of amounts names.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from demur._files.database import quoted
from demur._files.values import is_number
from demur.costs.case_costs import CaseCosts
from demur.costs.reviewer import ReviewCascade, Reviewer
from demur.engines.columns import Column, class_name
from demur.engines.files import FileTable, database_errors, open_table
from demur.engines.paths import is_stream, source_files
from demur.engines.sources import MEMORY_LIMIT
from demur.exceptions import InputError
from demur.monitoring.labels import AUDIT_COLUMNS
from demur.monitoring.monitor import PolicyMonitor
from demur.monitoring.reference import BatchCounts, score_range
from demur.policy.policy import Policy
from demur.policy.sql import DIALECTS, duckdb_parts
from demur.typing import FloatArray
from demur.windows.expression import Decision

__all__ = ["FileCounted", "LabelledScores", "count_file", "counted_days", "labelled_scores"]

# the cell of a row without a score
_NOWHERE = -1
_READ = 1 << 20
_LITERAL = DIALECTS["duckdb"].literal


def _require_inputs(policy: Policy, table: FileTable, columns: Sequence[str]) -> None:
    """Refuse a rule for whole batches, and columns without numbers."""
    if getattr(policy.rule, "whole_batches", False):
        raise InputError(
            "This policy gives places to whole batches, and watching and auditing take cases one by one. "
            "Hint: `demur apply` decides; Policy.decide_batch and judge_policy do so in Python."
        )
    table.require(columns)
    for name in columns[: len(columns) - getattr(policy.rule, "texts", 0)]:
        _require_numbers(table, name)


def _require_numbers(table: FileTable, name: str) -> None:
    if table.kinds[name] not in ("number", "bool"):
        raise InputError(f"`{table.name}` must have numbers in column {name!r}, got {table.kinds[name]}.")


def _unscored(table: FileTable, columns: Sequence[str]) -> InputError:
    where = f"a score in at least one row of column {columns[0]!r}"
    if len(columns) > 1:
        where = f"at least one row with numbers in all of the columns {', '.join(columns)}"
    return InputError(f"`{table.name}` must have {where}.")


def _day(table: FileTable, date: str | None) -> str:
    """Return the SQL of the day of a row, as text; null where there is none."""
    if date is None:
        return "cast(null as varchar)"
    table.require([date])
    return f"cast(try_cast({quoted(date)} as date) as varchar)"


def _undated(table: FileTable, date: str | None, n: int) -> InputError:
    return InputError(
        f"`{table.name}` must have a date in every row of column {date!r}, got {n} without one. "
        "Hint: dates look like 2026-03-01."
    )


# ---------------------------------------------------------------- counted


def counted_days(
    table: FileTable, monitor: PolicyMonitor, columns: tuple[str, ...], *, date: str | None = None
) -> dict[str | None, BatchCounts]:
    """Count the scores, or the decisions, of a table per cell in one scan of the database, one batch per day.

    Without a column of dates all rows are one batch, of the day None.
    """
    policy, rows, outside = monitor.policy, "demur_rows", "false"
    _require_inputs(policy, table, columns)
    if monitor.watches_scores:
        low, high = map(_LITERAL, score_range(policy))
        outside = f"s < {low} or s > {high}"
        rows = f"(select *, cast({quoted(columns[0])} as double) as s from {rows})"
        found = _cell(monitor.cells.cuts, 0, monitor.cells.size)
        score, cell = "s", f"case when s is null or isnan(s) then null else {found} end"
    else:
        # the place of a decision among the actions, abstaining last; null without one
        places = list(range(monitor.reference.size))
        decision = policy.rule.to_expression(columns, places)
        assert isinstance(decision, Decision)
        score, (cell, rows) = "0.0::double", duckdb_parts(decision, places, rows)
    placed = (
        f"select {score} as s, {_day(table, date)} as d, coalesce({cell}, {_NOWHERE}) as cell from {rows}"
    )
    numbers = f"count(*), min(s), max(s), count(*) filter ({outside})"
    with database_errors(table.name):
        query = f"select d, cell, {numbers} from ({placed}) group by d, cell"
        groups = table.relation.query("demur_rows", query).fetchall()
    if date is not None and any(group[0] is None for group in groups):
        raise _undated(table, date, sum(group[2] for group in groups if group[0] is None))
    days: dict[str | None, BatchCounts] = {}
    for day in sorted({group[0] for group in groups}, key=str):
        cells = {group[1]: group[2:] for group in groups if group[0] == day}
        missing, *_ = cells.pop(_NOWHERE, (0,))
        if cells:
            counts = np.zeros(monitor.reference.size)
            counts[list(cells)], lowest, highest, beyond = zip(*cells.values(), strict=True)
            days[day] = BatchCounts(
                counts=counts, low=min(lowest), high=max(highest), outside=sum(beyond), missing=missing
            )
    if not days:
        raise _unscored(table, columns)
    return days


def _cell(cuts: FloatArray, first: int, last: int) -> str:
    """Return the SQL that finds the cell of s among cells first..last - 1 by halving."""
    if last - first == 1:
        return str(first)
    middle = (first + last) // 2
    below, above = _cell(cuts, first, middle), _cell(cuts, middle, last)
    return (
        f"case when s <= {DIALECTS['duckdb'].literal(float(cuts[middle - 1]))} then {below} else {above} end"
    )


# ---------------------------------------------------------------- labelled


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledScores:
    """Cases of a file whose labels are those of the policy, None where missing.

    Attributes
    ----------
    scores : array
        One number per case, or one row with the columns of the rule.
    labels, weights, second, groups, days : array or None
        One value per case.
    costs : CaseCosts or None
        The costs of the cases; None where they do not differ or are not known.
    amounts : tuple of str
        The columns that they come from.
    """

    scores: FloatArray
    labels: Any
    weights: FloatArray | None = None
    second: Any = None
    groups: Any = None
    days: Any = None
    costs: CaseCosts | None = None
    amounts: tuple[str, ...] = ()

    def by_day(self) -> Iterator[tuple[str | None, "LabelledScores"]]:
        """Yield the cases of each day in order; all of them, of the day None, where there are no dates."""
        if self.days is None:
            yield None, self
            return
        for day in sorted(set(self.days.tolist())):
            own = self.days == day
            columns = {name: getattr(self, name) for name in ("scores", "labels", "weights", "second")}
            parts = {name: column[own] for name, column in columns.items() if column is not None}
            yield day, replace(self, **parts, costs=None if self.costs is None else self.costs.take(own))


def labelled_scores(
    table: FileTable,
    policy: Policy,
    columns: tuple[str, ...],
    *,
    label: str,
    weight: str | None,
    second: str | None = None,
    group: str | None = None,
    date: str | None = None,
) -> LabelledScores:
    """Read the cases of a file that have a score; weights of an audit if no others are named."""
    _require_inputs(policy, table, columns)
    places = _amount_places(policy, table)
    amounts = tuple(dict.fromkeys(column for column, _ in (places or {}).values()))
    chance = AUDIT_COLUMNS[1] if weight is None and AUDIT_COLUMNS[1] in table.kinds else None
    read = table.read(filter(None, (*columns, label, weight, chance, second, group, *amounts)))
    missing = np.column_stack([read[name].missing for name in columns])
    rule: Any = policy.rule
    if hasattr(rule, "reads"):  # the numbers that rules of other groups read may be missing
        missing = missing[:, :-1] & rule.reads(read[columns[-1]].filled().tolist())
    good = ~missing.any(axis=1)
    if not good.any():
        raise _unscored(table, columns)

    def numbers(name: str) -> FloatArray:
        _require_numbers(table, name)
        return np.asarray(read[name].filled(), dtype=np.float64)

    weights = None
    if weight or chance:
        weights = numbers(weight or chance or "")
        # a case without a label may have no weight
        weights = np.where(np.isnan(weights), 1.0, weights)
    if chance and weights is not None:
        wrong = weights[~((weights > 0) & (weights <= 1))]
        if len(wrong):
            raise InputError(
                f"`{table.name}` must have probabilities above 0 and at most 1 in column {chance!r}, got "
                f"{wrong[0]:g}. Hint: `demur apply --audit` writes them; --weight COLUMN takes others."
            )
        weights = 1 / weights
    kind: Any = object if hasattr(rule, "reads") else np.float64
    scores = np.column_stack([np.asarray(read[name].filled(), dtype=kind) for name in columns])[good]
    prices = {text: factor * numbers(column)[good] for text, (column, factor) in (places or {}).items()}
    days = None
    if date is not None:
        with database_errors(table.name):
            days = table.relation.project(f"{_day(table, date)} as d").fetchnumpy()["d"]
        undated = np.ma.getmaskarray(days)
        if undated.any():
            raise _undated(table, date, int(undated.sum()))
    return LabelledScores(
        scores=scores[:, 0] if rule.inputs == 1 else scores,
        labels=_policy_labels(read[label], policy)[good],
        weights=None if weights is None else weights[good],
        second=None if second is None else _policy_labels(read[second], policy)[good],
        groups=None if group is None else read[group].values[good],
        days=None if days is None else np.asarray(np.ma.getdata(days), dtype=object)[good],
        costs=None if places is None else _costs(policy.amounts, prices.__getitem__),
        amounts=amounts,
    )


def _policy_labels(column: Column, policy: Policy) -> Any:
    """Return the labels of a column as the policy writes them; 1.0 in a file is 1."""
    # the positive class first where there is one
    classes = policy.classes[::-1] if len(policy.classes) == 2 else policy.classes
    named = {class_name(value): value for value in classes}
    values, places = np.unique(column.values[~column.missing].astype(str), return_inverse=True)
    names = [class_name(float(value)) if column.kind == "number" else value for value in values.tolist()]
    for name in names:
        if name not in named:
            *others, last = named
            raise InputError(
                f"Label column {column.name!r} holds {name!r}; the policy knows {', '.join(others)} and "
                f"{last}. Hint: pass another --label, or leave the cell empty where the class is unknown."
            )
    labels = np.full(len(column.values), None, dtype=object)
    labels[~column.missing] = np.array([named[name] for name in names], dtype=object)[places]
    return labels


# ---------------------------------------------------------------- into a monitor


class FileCounted(NamedTuple):
    """Whether each batch of a file was new to a monitor, and where the costs of its cases came from."""

    new: list[bool]
    costs: str = ""


def count_file(
    monitor: PolicyMonitor,
    file: str,
    columns: Callable[[Sequence[str], str], tuple[str, ...]],
    *,
    label: str | None = None,
    weight: str | None = None,
    second_label: str | None = None,
    date: str | None = None,
    at: str | None = None,
    late: bool = False,
) -> FileCounted:
    """Count a file into a monitor, or each of its days, with labels if there is a column of them.

    `columns` chooses what the rule reads from the names of all columns and that of the file. With `late` the
    scores of the labels came before. A batch is known by its content.
    """
    policy, whole = monitor.policy, _digest(file) if date is None else None
    if label is None and whole is not None and monitor.knows(whole):
        return FileCounted([False])
    new = []
    with open_table(file, memory_limit=MEMORY_LIMIT if label is None else None) as table:
        read = columns(list(table.kinds), table.name)
        if label is None:
            for day, batch in counted_days(table, monitor, read, date=date).items():
                key = whole or _day_key(str(day), batch)
                new.append(monitor.update_counts(batch, key=key, at=day or at))
            return FileCounted(new)
        cases = labelled_scores(
            table, policy, read, label=label, weight=weight, second=second_label, date=date
        )
    for day, part in cases.by_day():
        key = whole or _day_key(str(day), monitor.batch_counts(part.scores))
        known: dict[str, Any] = {"weights": part.weights, "second_labels": part.second, "costs": part.costs}
        if late:
            new.append(monitor.update_labels(part.scores, part.labels, key=f"{key} labels", **known))
        else:
            new.append(monitor.update(part.scores, part.labels, key=key, at=day or at, **known))
    if cases.costs is None:
        return FileCounted(new, "not counted, for lack of the columns with the amounts")
    return FileCounted(new, f"by {', '.join(cases.amounts) or 'the policy alone'}")


def _day_key(day: str, batch: BatchCounts) -> str:
    """Return the key of a day by its content: days of a growing file count once."""
    content = f"{day} {batch.counts.astype(np.int64).tolist()} {batch.low!r} {batch.high!r}"
    return hashlib.sha256(content.encode()).hexdigest()


def _digest(file: str) -> str:
    """Return the fingerprint of the content of a batch."""
    if is_stream(file):
        raise InputError(f"`{file}` must be a file: batches are identified by their content.")
    digest = hashlib.sha256()
    with ExitStack() as resources:
        for path in source_files(file, stdin=None, resources=resources)[1]:
            with open(path, "rb") as handle:
                while part := handle.read(_READ):
                    digest.update(part)
    return digest.hexdigest()


# ---------------------------------------------------------------- costs of cases


def _amount_places(policy: Policy, table: FileTable) -> dict[str, tuple[str, float]] | None:
    """Return "amount" or "0.6*amount" of a policy -> column and factor; None where a file lacks a column."""
    if policy.amounts is None:
        return None
    texts: list[Any] = []
    _filled(policy.amounts, texts.append)
    places = {}
    for text in texts:
        factor, star, column = str(text).partition("*")
        if text in table.kinds:
            places[text] = text, 1.0
        elif text is not None and star and column in table.kinds and is_number(factor):
            places[text] = column, float(factor)
        else:
            return None
    return places


def _filled(described: Any, column: Callable[[Any], Any]) -> Any:
    """Replace the columns that a policy describes by the amounts of cases."""
    if not isinstance(described, Mapping):
        return described
    if "column" in described:
        return column(described["column"])
    return {name: _filled(part, column) for name, part in described.items()}


def _costs(amounts: Any, column: Callable[[Any], Any]) -> CaseCosts:
    """Return the costs that a policy describes, with the amounts of cases."""
    filled = _filled(amounts, column)
    people = filled.pop("reviewer", None)
    if people is not None and "junior" in people:
        stages = {name: _built(Reviewer, people[name]) for name in ("junior", "senior")}
        filled["reviewer"] = ReviewCascade(**{**people, **stages})
    elif people is not None:
        filled["reviewer"] = _built(Reviewer, people)
    costs: CaseCosts = _built(CaseCosts, filled)
    return costs


def _built(kind: Any, values: Mapping[str, Any]) -> Any:
    """Build an object from the values that are its fields."""
    return kind(**{one.name: values[one.name] for one in fields(kind) if values.get(one.name) is not None})
