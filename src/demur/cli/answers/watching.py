"""Batches of scores from files into a monitor, and what it says."""

import hashlib
import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from demur.cli.answers.decisions import AUDIT_COLUMNS
from demur.cli.output import number, percent, remark, wrapped
from demur.engines.columns import Column, quoted
from demur.engines.files import FileTable, database_errors, open_table
from demur.engines.labels import class_name
from demur.engines.paths import is_stream, source_files
from demur.engines.sources import MEMORY_LIMIT
from demur.exceptions import InputError, UndefinedError
from demur.monitoring.lock import locked
from demur.monitoring.monitor import PolicyMonitor
from demur.monitoring.scale import BatchCounts, score_range
from demur.typing import FloatArray
from demur.windows.policy import Policy

__all__ = ["LabelledScores", "Watched", "labelled_scores", "watch"]

_READ = 1 << 20


@dataclass(frozen=True, kw_only=True, eq=False)
class Watched:
    """What a call of `demur watch` did."""

    monitor: PolicyMonitor
    state: str
    new: tuple[str, ...]
    known: tuple[str, ...]
    proposed: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return the document."""
        return {
            "state": self.state,
            "new": list(self.new),
            "known": list(self.known),
            "proposed": self.proposed,
            "monitor": self.monitor.to_dict(),
        }

    def words(self) -> str:
        """Say it: the alarms first."""
        monitor = self.monitor
        said = [wrapped(f"ALARM. {sentence}") for sentence in monitor.alarms]
        if not said:
            said.append(
                wrapped(
                    f"Quiet. The scores look as when the policy was made: evidence of a change "
                    f"{number(monitor.e_value, 2)} to 1, alarm from {number(1 / monitor.alpha, 3)} on."
                )
            )
        if monitor.n:
            said.append(wrapped(_outcome_words(monitor)))
        if monitor.cost is not None:
            said.append(wrapped(_cost_words(monitor)))
        if self.proposed is not None:
            said.append(wrapped(f"A policy for the new share of positives is in {self.proposed}."))
        return "\n".join(said)


def _outcome_words(monitor: PolicyMonitor) -> str:
    low, high = monitor.abstention_interval
    expected = monitor.cells.outcomes(monitor.cells.shares())[1]
    rate_low, rate_high = monitor.prevalence_interval
    return (
        f"{monitor.n} cases in {monitor.batches} {'batch' if monitor.batches == 1 else 'batches'}: "
        f"{percent(monitor.outcomes[1] / monitor.n)} abstained on ({percent(low)} to {percent(high)}), "
        f"expected {percent(expected)}. Share of positives by the scores: {percent(monitor.prevalence)} "
        f"({percent(rate_low)} to {percent(rate_high)}), assumed {percent(monitor.policy.prevalence)}."
    )


def _cost_words(monitor: PolicyMonitor) -> str:
    assert monitor.cost is not None
    assert monitor.cost_interval is not None
    assert monitor.promise is not None
    low, high = monitor.cost_interval
    sides = "".join(
        f" Right when {side}: {percent(share)} ({percent(limits[0])} to {percent(limits[1])})."
        for side, (share, limits) in monitor.precision.items()
    )
    return (
        f"Cost per case by {monitor.n_labelled} labels: {number(monitor.cost)} ({number(low)} to "
        f"{number(high)}); promised {number(monitor.promise.cost)}, at most "
        f"{number(monitor.promise.limit)}.{sides}"
    )


def watch(
    policy_file: str,
    files: Sequence[str],
    state: str,
    *,
    model: str | None,
    label: str | None,
    weight: str | None,
    late: bool,
    at: str | None,
    alpha: float | None,
    propose: str | None,
    quiet: bool,
) -> Watched:
    """Count every file into the state; the state is saved after each, so that none is lost."""
    policy = Policy.load(policy_file)
    new, known = [], []
    with locked(state):
        monitor = _monitor(policy, state, alpha)
        for file in files:
            key = _digest(file)
            if _counted(monitor, file, key, model=model, label=label, weight=weight, late=late, at=at):
                monitor.save(state)
                new.append(file)
            else:
                known.append(file)
                remark(f"{file} was counted before; nothing changed.", quiet=quiet)
    proposed = _propose(monitor, propose)
    return Watched(monitor=monitor, state=state, new=tuple(new), known=tuple(known), proposed=proposed)


def _monitor(policy: Policy, state: str, alpha: float | None) -> PolicyMonitor:
    if not Path(state).exists():
        return PolicyMonitor(policy, alpha=0.05 if alpha is None else alpha)
    monitor = PolicyMonitor.load(state, policy=policy)
    if alpha is not None and alpha != monitor.alpha:
        raise InputError(
            f"`--alpha` must stay {monitor.alpha:g}, as `{state}` was begun, got {alpha:g}. "
            "Hint: leave it out, or begin a new state."
        )
    return monitor


def _propose(monitor: PolicyMonitor, path: str | None) -> str | None:
    """Write the policy for the new prevalence, if that is what changed."""
    if path is None or monitor.e_value < 1 / monitor.alpha or not monitor.only_prevalence:
        return None
    try:
        monitor.proposed_policy().save(path)
    except UndefinedError:
        # a window under constraints cannot be derived again; the alarm says so
        return None
    return path


def _digest(file: str) -> str:
    """Return the fingerprint of the content of a batch."""
    if is_stream(file):
        raise InputError(f"`{file}` must be a file: a batch is told from others by its content.")
    digest = hashlib.sha256()
    with ExitStack() as resources:
        _, paths, _ = source_files(file, stdin=None, resources=resources)
        for path in paths:
            with open(path, "rb") as handle:
                while part := handle.read(_READ):
                    digest.update(part)
    return digest.hexdigest()


def _counted(
    monitor: PolicyMonitor,
    file: str,
    key: str,
    *,
    model: str | None,
    label: str | None,
    weight: str | None,
    late: bool,
    at: str | None,
) -> bool:
    if label is None:
        if monitor.knows(key):
            return False
        with open_table(file, memory_limit=MEMORY_LIMIT) as table:
            batch = counted_table(table, monitor, score_column(monitor.policy, table, model))
        return monitor.update_counts(batch, key=key, at=at)
    with open_table(file) as table:
        cases = labelled_scores(table, monitor.policy, model=model, label=label, weight=weight)
    if late:
        return monitor.update_labels(cases.scores, cases.labels, weights=cases.weights, key=f"{key} labels")
    return monitor.update(cases.scores, cases.labels, weights=cases.weights, key=key, at=at)


# ---------------------------------------------------------------- columns


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


def counted_table(table: FileTable, monitor: PolicyMonitor, column: str) -> BatchCounts:
    """Count the scores of a table per cell in one scan of the database."""
    cells = monitor.cells
    low, high = score_range(monitor.policy)
    score = f"cast({quoted(column)} as double)"
    outside = f"s < {_literal(low)} or s > {_literal(high)}"
    with database_errors(table.name):
        scores = table.relation.project(f"{score} as s").filter("s is not null and not isnan(s)")
        rows = (
            scores.project(f"s, {_cell(cells.cuts, 0, cells.size)} as cell")
            .aggregate(f"cell, count(*), min(s), max(s), count(*) filter ({outside})", "cell")
            .fetchall()
        )
    if not rows:
        raise InputError(f"`{table.name}` must have a score in at least one row of column {column!r}.")
    counts = np.zeros(cells.size)
    for cell, n, *_ in rows:
        counts[cell] = n
    return BatchCounts(
        counts=counts,
        low=min(row[2] for row in rows),
        high=max(row[3] for row in rows),
        outside=sum(row[4] for row in rows),
        missing=table.n_rows - int(counts.sum()),
    )


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
    """Scores, labels in those of the policy (None where missing), weights, groups."""

    scores: FloatArray
    labels: Any
    weights: FloatArray | None
    groups: Any = None


def labelled_scores(
    table: FileTable,
    policy: Policy,
    *,
    model: str | None,
    label: str,
    weight: str | None,
    group: str | None = None,
) -> LabelledScores:
    """Read the cases of a file that have a score; weights of an audit if no others are named."""
    score = score_column(policy, table, model)
    chance = AUDIT_COLUMNS[1] if weight is None and AUDIT_COLUMNS[1] in table.kinds else None
    wanted = [name for name in (score, label, weight, chance, group) if name is not None]
    columns = table.read(wanted)
    good = ~columns[score].missing
    if not good.any():
        raise InputError(f"`{table.name}` must have a score in at least one row of column {score!r}.")
    weights = None
    if weight is not None:
        weights = _numbers(columns[weight], table.name)[good]
    elif chance is not None:
        weights = 1 / _probabilities(columns[chance], table.name)[good]
    return LabelledScores(
        scores=np.asarray(columns[score].values, dtype=np.float64)[good],
        labels=_policy_labels(columns[label], policy)[good],
        weights=weights,
        groups=None if group is None else columns[group].values[good],
    )


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
