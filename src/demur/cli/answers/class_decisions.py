"""Decisions of a policy for many classes on the rows of a file, to CSV or Parquet."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np

from demur._files.temporary import temporary_folder
from demur._files.whole import draft_of
from demur.cli.answers.decisions import (
    MOST_TOLD,
    decision_sink,
    require_new,
    show_progress,
    write_cells,
    write_rows,
)
from demur.cli.answers.parquet_decisions import (
    convert_decisions,
    label_type,
    require_told_apart,
    text_sql,
)
from demur.cli.reading.class_columns import model_columns
from demur.engines.columns import quoted
from demur.engines.row_stream import BadRow, Batch, ParquetRows, RowStream
from demur.exceptions import InputError
from demur.surface.window import ABSTAIN
from demur.typing import IntArray
from demur.windows.class_policy import ClassPolicy
from demur.windows.export.class_decision import sql_parts
from demur.windows.export.sql_dialects import DIALECTS

__all__ = ["ClassTally", "apply_to_classes", "probability_columns"]

_NO_PROBABILITIES = "the probabilities are negative, infinite or all 0"


@dataclass(kw_only=True)
class ClassTally:
    """How often each class was called.

    Attributes
    ----------
    rows, abstained, bad : int
        Numbers of rows; bad ones have no decision.
    called : dict
        Class -> number of rows.
    first_bad : list of BadRow
        The first few.
    """

    rows: int = 0
    abstained: int = 0
    bad: int = 0
    called: dict[str, int] = field(default_factory=dict)
    first_bad: list[BadRow] = field(default_factory=list)

    def sentence(self) -> str:
        """Say it in words."""
        listed = ", ".join(f"{number} {name}" for name, number in self.called.items())
        rest = f", {self.bad} without a decision" if self.bad else ""
        return f"{self.rows} rows: {listed}, {self.abstained} abstained on{rest}."

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers and the first bad rows."""
        return {**vars(self), "first_bad": [row._asdict() for row in self.first_bad]}


def probability_columns(policy: ClassPolicy, stream: RowStream, model: str | None) -> tuple[str, ...]:
    """Return the columns with the probabilities: the user's, the policy's, or those named like classes."""
    if model is None and all(name in stream.columns for name in policy.columns):
        return policy.columns
    classes = [str(name) for name in policy.classes]
    if model is None and policy.model is not None and not all(name in stream.columns for name in classes):
        missing = next(name for name in policy.columns if name not in stream.columns)
        raise InputError(
            f"`{stream.name}` has no column {missing!r}, one of the policy's columns. Hint: pass --model "
            f"NAME=COLUMN,... for {', '.join(classes)}; the columns are {', '.join(stream.columns)}."
        )
    ((_, columns),) = model_columns(
        stream.columns, classes, () if model is None else (model,), stream.name
    ).items()
    return columns


def apply_to_classes(
    policy: ClassPolicy,
    stream: RowStream,
    path: str | None,
    *,
    columns: Sequence[str],
    column: str,
    only: bool,
    strict: bool,
    quiet: bool,
    parquet: bool,
) -> ClassTally:
    """Decide on every row and write CSV or Parquet; a bad row gets an empty decision."""
    require_new(stream, [column], only=only)
    if not parquet:
        with decision_sink(path, strict=strict) as handle:
            return _write(policy, stream, handle, columns, column, only=only, strict=strict, quiet=quiet)
    require_told_apart(stream, [] if only else [*stream.columns, column])
    labels = [*policy.classes, policy.abstain_label]
    if isinstance(stream, ParquetRows):
        for name in columns:
            stream.require_scores(name)
        return _in_database(policy, stream, str(path), columns, column, only=only, strict=strict)
    with temporary_folder() as folder:
        table = folder / "decisions.csv"
        stream.separator = ","
        with open(table, "w", encoding="utf-8", newline="") as handle:
            tally = _write(policy, stream, handle, columns, column, only=only, strict=strict, quiet=quiet)
        with draft_of(str(path)) as draft:
            convert_decisions(labels, stream, table, draft, column, audited=False)
            stream.require_same()
    return tally


def _write(
    policy: ClassPolicy,
    stream: RowStream,
    handle: IO[str],
    columns: Sequence[str],
    column: str,
    *,
    only: bool,
    strict: bool,
    quiet: bool,
) -> ClassTally:
    batches = stream.wide_batches(columns, cells=not only)
    write_rows(handle, [[column] if only else [*stream.columns, column]], stream.separator)
    names = [str(name) for name in policy.classes]
    tally = ClassTally(called=dict.fromkeys(names, 0))
    m = len(names)
    labels = np.array([*map(str, policy.classes), str(policy.abstain_label), ""], dtype=object)
    with show_progress(tally, quiet=quiet) as show:
        for batch in batches:
            codes, bad = _codes(policy, batch, tally.rows)
            if strict and bad:
                raise InputError(f"`{stream.name}` {bad[0].where}: {bad[0].problem}.")
            tally.rows += len(codes)
            counts = np.bincount(codes, minlength=m + 2).tolist()
            for name, number in zip(names, counts, strict=False):
                tally.called[name] += number
            tally.abstained += counts[m]
            tally.bad += counts[m + 1]
            tally.first_bad += bad[: MOST_TOLD - len(tally.first_bad)]
            told = labels[codes].tolist()
            cells: Any = [()] * len(told) if only else batch.rows
            rows = [(*row, answer) for row, answer in zip(cells, told, strict=True)]
            write_cells(handle, rows, stream.separator)
            show()
    return tally


def _codes(policy: ClassPolicy, batch: Batch, before: int) -> tuple[IntArray, list[BadRow]]:
    """Places among the classes, abstaining next, no decision last; and the rows without one."""
    m = len(policy.classes)
    with np.errstate(invalid="ignore"):
        numbers = ~np.isnan(batch.scores).any(axis=1)
        good = numbers & (batch.scores >= 0).all(axis=1) & (batch.scores.max(axis=1) > 0)
        good &= np.isfinite(batch.scores).all(axis=1)
    codes = np.full(len(good), m + 1, dtype=np.int64)
    found = policy.rule.codes(batch.scores[good])
    codes[good] = np.where(found == ABSTAIN, m, found)
    bad = list(batch.bad)
    broken = np.flatnonzero(numbers & ~good).tolist()
    bad += [BadRow(f"row {before + k + 1}", _NO_PROBABILITIES) for k in broken]
    return codes, bad


def _in_database(
    policy: ClassPolicy,
    stream: ParquetRows,
    path: str,
    columns: Sequence[str],
    column: str,
    *,
    only: bool,
    strict: bool,
) -> ClassTally:
    """Let DuckDB decide, in one scan, and count what it wrote."""
    labels = [*policy.classes, policy.abstain_label]
    parts = sql_parts(policy.decision(), DIALECTS["duckdb"], columns)
    # every number is computed once, under a name that the rows do not have
    free = "demur"
    while any(name.lower().startswith(free) for name in stream.columns):
        free += "_"
    names = [f"{free}{k}" for k in range(len(parts.values))]
    numbers = ", ".join(f"{value} as {name}" for value, name in zip(parts.values, names, strict=True))
    inner = f"select *, {numbers} from {stream.rows_sql}"
    chosen = f"case when {parts.valid} then {parts.choice(names)} end"
    decision = f"cast({chosen} as {label_type(labels)}) as {quoted(column)}"
    kept = "" if only else f"* exclude ({', '.join(names)}), "
    with draft_of(path) as draft:
        target = text_sql(str(draft))
        stream.query(f"copy (select {kept}{decision} from ({inner})) to {target} (format parquet)")
        stream.require_same()
        counted = stream.query(
            f"select {quoted(column)}, count(*) from read_parquet({target}) group by all order by all"
        )
        found = dict(counted)
        tally = ClassTally(
            rows=sum(found.values()),
            abstained=found.get(policy.abstain_label, 0),
            bad=found.get(None, 0),
            called={str(name): found.get(name, 0) for name in policy.classes},
        )
        if tally.bad:
            numbered = (
                f"select row_number() over () as place, {quoted(column)} as d from read_parquet({target})"
            )
            first = f"select place from ({numbered}) where d is null order by place limit {MOST_TOLD}"
            problem = "a probability is missing, or " + _NO_PROBABILITIES
            tally.first_bad = [BadRow(f"row {place}", problem) for (place,) in stream.query(first)]
        if strict and tally.bad:
            raise InputError(f"`{stream.name}` {tally.first_bad[0].where}: {tally.first_bad[0].problem}.")
    return tally
