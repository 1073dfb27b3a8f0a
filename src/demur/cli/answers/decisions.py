"""Decisions for the rows of a file: the policy's own SQL on every batch, bad rows told and counted.

Text is read by the row stream and not by the database: cells are written as they stand, and a bad row is
reported with its line, which the database's reader of CSV does not know.

In a Parquet file columns keep their types. From Parquet to Parquet DuckDB does all the work; from text, and
for audits, the rows are decided as for a CSV file first.
"""

import csv
import io
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import click
import numpy as np

from demur._files.database import connect
from demur._files.whole import draft_of, temporary_folder, whole_file
from demur.cli.reading.class_columns import model_columns
from demur.cli.reading.policies import AUDIT_COLUMNS, score_column
from demur.engines.columns import quoted, unknown_column
from demur.engines.files import database_errors
from demur.engines.row_stream import BadRow, Batch, ParquetRows, RowStream
from demur.exceptions import InputError
from demur.monitoring.audit import Audit
from demur.monitoring.reference import ReferenceCells
from demur.monitoring.scale import BatchCounts, scale_sentences, score_range
from demur.policy.labels import label_kind
from demur.policy.policy import Policy
from demur.policy.sql import sql_of
from demur.surface.window import ABSTAIN
from demur.typing import FloatArray, IntArray
from demur.windows.rule import Window

__all__ = [
    "Application",
    "Tally",
    "decision_sink",
    "input_columns",
    "write_decisions",
    "write_parquet_decisions",
]

# how many rows without a score are told one by one
_MOST_TOLD = 10
# problem of a row of numbers that the rule has no decision for
_NO_PROBABILITIES = "the probabilities are negative, infinite or all 0"
_TYPES = {"text": "VARCHAR", "whole": "BIGINT", "number": "DOUBLE"}
_SECONDS_BETWEEN = 0.5
# no decision; a policy knows the places of its classes and -1
_NONE = -2


@dataclass(frozen=True, kw_only=True)
class Application:
    """What is applied to the rows of a file, and what is written.

    Attributes
    ----------
    policy : Policy
        What decides.
    columns : tuple of str
        The columns it reads.
    column : str
        Name of the new column.
    only, strict, quiet : bool
        Whether the decisions are written alone, whether the first bad row ends the work, and whether no
        progress is shown.
    audit : Audit or None
        How cases are drawn for an audit.
    audit_key : str or None
        The column that names a case; None if the whole row and its place do.
    """

    policy: Policy
    columns: tuple[str, ...]
    column: str = "decision"
    only: bool = False
    strict: bool = False
    quiet: bool = False
    audit: Audit | None = None
    audit_key: str | None = None

    @property
    def added(self) -> dict[str, str]:
        """Names of the new columns and their types in SQL."""
        labels = [*self.policy.classes, self.policy.abstain_label]
        audit = dict(zip(AUDIT_COLUMNS, ("INTEGER", "DOUBLE"), strict=True))
        return {self.column: _TYPES[label_kind(labels)], **({} if self.audit is None else audit)}

    def problem(self, bad: BadRow) -> str:
        """Say where a row is bad and why."""
        column = f", column {self.columns[0]}" if len(self.columns) == 1 else ""
        return f"{bad.where}{column}: {bad.problem}"

    def require_new(self, stream: RowStream) -> None:
        """Refuse new columns that the rows have already."""
        for name in self.added:
            if not self.only and name in stream.columns:
                hint = "pass --column NAME, or --only" if name == self.column else "it was audited already"
                raise InputError(f"`{stream.name}` already has a column {name!r}. Hint: {hint}.")

    def refuse(self, tally: "Tally", stream: RowStream) -> None:
        """With `strict` refuse bad rows, and scores of another scale."""
        if self.strict and tally.first_bad:
            raise InputError(f"`{stream.name}` {self.problem(tally.first_bad[0])}.")
        if self.strict and tally.warnings:
            raise InputError(f"`{stream.name}`, column {self.columns[0]}: {' '.join(tally.warnings)}")


@dataclass(kw_only=True)
class Tally:
    """How often each decision was made.

    Attributes
    ----------
    rows, abstained, bad : int
        Numbers of rows; bad ones have no score and no decision.
    called : dict
        Class -> number of rows; "positive" and "negative" for a window.
    first_bad : list of BadRow
        The first few.
    audited : int
        Decided cases whose true class is asked for.
    warnings : list of str
        What is odd about the scale of the scores.
    """

    rows: int = 0
    called: dict[str, int]
    abstained: int = 0
    bad: int = 0
    first_bad: list[BadRow] = field(default_factory=list)
    audited: int = 0
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, policy: Policy, counts: dict[int | None, int]) -> "Tally":
        """Count codes; None, or anything that is no code, is a row without a decision."""
        names = [str(name) for name in policy.classes]
        codes = list(range(len(names)))
        if isinstance(policy.rule, Window):
            names, codes = ["positive", "negative"], [1, 0]
        called = {name: counts.get(code, 0) for name, code in zip(names, codes, strict=True)}
        rows, abstained = sum(counts.values()), counts.get(ABSTAIN, 0)
        return cls(rows=rows, called=called, abstained=abstained, bad=rows - abstained - sum(called.values()))

    def add(self, other: "Tally") -> None:
        """Add the rows of another tally."""
        self.rows += other.rows
        self.abstained += other.abstained
        self.bad += other.bad
        self.audited += other.audited
        for name, number in other.called.items():
            self.called[name] += number
        self.first_bad += other.first_bad[: _MOST_TOLD - len(self.first_bad)]

    def sentence(self) -> str:
        """Say it in words."""
        listed = ", ".join(f"{number} {name}" for name, number in self.called.items())
        return (
            f"{self.rows} rows: {listed}, {self.abstained} abstained on"
            + (f", {self.bad} without a decision." if self.bad else ".")
            + (f" A label is asked for in {self.audited} decided rows." if self.audited else "")
        )

    def to_dict(self, policy: Policy) -> dict[str, Any]:
        """Return the numbers and the first bad rows."""
        content = {**vars(self), "first_bad": [row._asdict() for row in self.first_bad]}
        return {**content, **content.pop("called")} if isinstance(policy.rule, Window) else content


def input_columns(policy: Policy, stream: RowStream, model: str | None) -> tuple[str, ...]:
    """Return the columns that the rule reads: the user's, the policy's, or the only possible ones."""
    if policy.rule.inputs == 1:
        return (score_column(policy, stream.columns, stream.name, model),)
    if model is None and all(name in stream.columns for name in policy.columns):
        return policy.columns
    names = [str(name) for name in policy.classes]
    if len(names) != policy.rule.inputs:
        names = list(policy.columns)
    if model is None and policy.model is not None and not all(name in stream.columns for name in names):
        missing = next(name for name in policy.columns if name not in stream.columns)
        raise InputError(
            f"`{stream.name}` has no column {missing!r}, one of the policy's columns. Hint: pass --model "
            f"NAME=COLUMN,... for {', '.join(names)}; the columns are {', '.join(stream.columns)}."
        )
    given = () if model is None else (model,)
    ((_, columns),) = model_columns(stream.columns, names, given, stream.name).items()
    return columns


@contextmanager
def decision_sink(output: str | None, *, strict: bool) -> Iterator[IO[str]]:
    """Open where decisions go; with `strict` standard output too gets everything or nothing."""
    if output not in (None, "-"):
        with whole_file(str(output)) as handle:
            yield handle
    elif strict:
        with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as draft:
            yield draft
            draft.seek(0)
            shutil.copyfileobj(draft, sys.stdout)
    else:
        yield sys.stdout


def write_decisions(applied: Application, stream: RowStream, handle: IO[str]) -> Tally:
    """Decide on every row; a bad row gets an empty decision, or with `strict` ends the work."""
    applied.require_new(stream)
    policy, audit, only = applied.policy, applied.audit, applied.only
    if audit is not None and applied.audit_key not in (None, *stream.columns):
        raise unknown_column(stream.name, str(applied.audit_key), stream.columns)
    batches = stream.batches(applied.columns, cells=not only)
    _write_rows(handle, [[*(() if only else stream.columns), *applied.added]], stream.separator)
    tally = Tally.of(policy, {})
    cells = ReferenceCells.of(policy) if _has_scale(policy) else None
    scores: BatchCounts | None = None
    # in the order of the codes: from the end an empty cell for no decision, and the label of abstaining
    names = np.array([*map(str, policy.classes), "", str(policy.abstain_label)], dtype=object)
    with connect() as connection, _shown_progress(tally, quiet=applied.quiet) as show:
        decide = _codes_by_sql(policy, connection)
        for batch in batches:
            codes = decide(batch.scores)
            counted = _counted(policy, batch, codes, tally.rows)
            applied.refuse(counted, stream)
            answers = [names[codes].tolist()]
            if audit is not None:
                keys = _case_keys(applied, stream, batch, tally.rows)
                drawn = audit.drawn(keys) & (codes >= 0)
                counted.audited = int(np.count_nonzero(drawn))
                chance = np.where(codes >= 0, repr(audit.share), "1")
                columns = np.where(drawn, "1", "0"), chance
                answers += [np.where(codes == _NONE, "", column).tolist() for column in columns]
            tally.add(counted)
            good = batch.scores[~np.isnan(batch.scores)]
            if cells is not None and len(good):
                found = BatchCounts.of(good, cells, policy)
                scores = found if scores is None else scores.joined(found)
            kept: Any = [()] * len(codes) if only else batch.rows
            rows = [(*row, *answer) for row, answer in zip(kept, zip(*answers, strict=True), strict=True)]
            _write_cells(handle, rows, stream.separator)
            show()
    if cells is not None and scores is not None:
        tally.warnings = list(scale_sentences(policy, cells, scores).values())
    applied.refuse(Tally(called={}, warnings=tally.warnings), stream)
    return tally


def _codes_by_sql(policy: Policy, connection: Any) -> Callable[[FloatArray], IntArray]:
    """Return a function from numbers to codes, `_NONE` where there is no decision: the policy's own SQL."""
    names = [f"c{k}" for k in range(policy.rule.inputs)]
    codes = [*range(len(policy.classes)), ABSTAIN]
    decision = policy.rule.to_expression(names, codes)
    sql = sql_of(decision, labels=codes, origin=[], dialect="duckdb", table=None, name="code")

    def decide(scores: FloatArray) -> IntArray:
        columns = {name: np.ascontiguousarray(scores[:, k]) for k, name in enumerate(names)}
        connection.register("demur_batch", columns)
        found = connection.execute(f"select coalesce({sql}, {_NONE}) as code from demur_batch").fetchnumpy()
        return np.asarray(found["code"], dtype=np.int64)

    return decide


def _counted(policy: Policy, batch: Batch, codes: IntArray, before: int) -> Tally:
    """Count a batch, with its first bad rows."""
    counts = np.bincount(codes - _NONE, minlength=len(policy.classes) - _NONE).tolist()
    tally = Tally.of(policy, dict(enumerate(counts, start=_NONE)))
    broken = np.flatnonzero((codes == _NONE) & ~np.isnan(batch.scores).any(axis=1)).tolist()
    bad = [*batch.bad, *(BadRow(f"row {before + k + 1}", _NO_PROBABILITIES) for k in broken[:_MOST_TOLD])]
    tally.first_bad = bad[:_MOST_TOLD]
    return tally


def _case_keys(applied: Application, stream: RowStream, batch: Batch, before: int) -> Iterator[str]:
    """Yield what names the cases of a batch: a cell, or all of them together with the place in the file."""
    key = None if applied.audit_key is None else stream.columns.index(applied.audit_key)
    for k, row in enumerate(batch.rows):
        # the place keeps equal rows apart
        yield "\x1f".join([str(before + k), *row]) if key is None else row[key]


def _has_scale(policy: Policy) -> bool:
    """Tell whether a policy is a window that knows the scores it was made for."""
    known = policy.evidence is not None and policy.evidence.blocks is not None
    return known and isinstance(policy.rule, Window)


def _write_rows(handle: IO[str], rows: Iterable[Sequence[Any]], separator: str) -> None:
    """Write rows in one go: an unbuffered stream would be called once per row."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    handle.write(text.getvalue())


def _write_cells(handle: IO[str], rows: Sequence[Sequence[str]], separator: str) -> None:
    """Write rows of text: joined where no cell needs quotes, which is quicker, else as `_write_rows` does."""
    breaks = len(rows[0]) - 1
    # where the first row needs quotes, the others are not even tried
    for some in (rows[:1], rows):
        text = "\n".join(map(separator.join, some))
        lines, cells = text.count("\n") == len(some) - 1, text.count(separator) == len(some) * breaks
        # would the rows come back from the text?
        if not breaks or '"' in text or "\r" in text or not lines or not cells:
            _write_rows(handle, rows, separator)
            return
    handle.write(f"{text}\n")


@contextmanager
def _shown_progress(tally: Tally, *, quiet: bool) -> Iterator[Any]:
    """Show the number of rows done, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    last, shown = time.monotonic(), ""

    def show() -> None:
        nonlocal last, shown
        if time.monotonic() - last > _SECONDS_BETWEEN:
            last, shown = time.monotonic(), f"{tally.rows:,} rows"
            click.echo(f"\r{shown}", err=True, nl=False)

    try:
        yield show
    finally:
        click.echo(f"\r{' ' * len(shown)}\r" if shown else "", err=True, nl=False)


# ---------------------------------------------------------------- Parquet


def write_parquet_decisions(applied: Application, stream: RowStream, path: str) -> Tally:
    """Decide on every row and write a Parquet file, whole or not at all."""
    applied.require_new(stream)
    seen: dict[str, str] = {}
    for name in [] if applied.only else [*stream.columns, *applied.added]:
        # databases take names that differ in case only for one
        other = seen.setdefault(name.lower(), name)
        if other is not name:
            raise InputError(
                f"`{stream.name}`: the columns {other!r} and {name!r} would be one in Parquet. "
                "Hint: rename one of them, or write CSV."
            )
    if isinstance(stream, ParquetRows) and applied.audit is None:
        return _in_database(applied, stream, path)
    with temporary_folder() as folder:
        table = folder / "decisions.csv"
        stream.separator = ","
        with open(table, "w", encoding="utf-8", newline="") as handle:
            tally = write_decisions(applied, stream, handle)
        with draft_of(path) as draft:
            _convert(applied, stream, table, draft)
            stream.require_same()
    return tally


def _in_database(applied: Application, stream: ParquetRows, path: str) -> Tally:
    """Let DuckDB decide, in one scan, and count what it wrote."""
    for name in applied.columns:
        stream.require_scores(name)
    kept = "" if applied.only else "*, "
    decision = f"cast({applied.policy.to_sql('duckdb', applied.columns)} as {applied.added[applied.column]})"
    chosen = f"select {kept}{decision} as {quoted(applied.column)} from {stream.rows_sql}"
    with draft_of(path) as draft:
        target = _text_sql(str(draft))
        stream.query(f"copy ({chosen}) to {target} (format parquet)")
        stream.require_same()
        tally = _counted_in_file(applied, stream, target)
        applied.refuse(tally, stream)
    return tally


def _counted_in_file(applied: Application, stream: ParquetRows, written: str) -> Tally:
    """Count the decisions in a file, and what is odd about the scores they come from."""
    policy, column = applied.policy, quoted(applied.column)
    found = dict(stream.query(f"select {column}, count(*) from read_parquet({written}) group by all"))
    codes = {label: code for code, label in enumerate(policy.classes)} | {policy.abstain_label: ABSTAIN}
    tally = Tally.of(policy, {codes.get(label): number for label, number in found.items()})
    if tally.bad:
        numbered = f"select row_number() over () as place, {column} as d from read_parquet({written})"
        first = f"select place from ({numbered}) where d is null order by place limit {_MOST_TOLD}"
        problem = "the score is missing"
        if len(applied.columns) > 1:
            problem = "a probability is missing, or " + _NO_PROBABILITIES
        tally.first_bad = [BadRow(f"row {place}", problem) for (place,) in stream.query(first)]
    if _has_scale(policy) and tally.bad < tally.rows:
        low, high = (f"cast('{value!r}' as double)" for value in score_range(policy))
        score = f"cast({quoted(applied.columns[0])} as double)"
        ((good, smallest, largest, outside),) = stream.query(
            f"select count(*), min(s), max(s), count(*) filter (s < {low} or s > {high}) from (select "
            f"{score} as s from {stream.rows_sql}) where not isnan(s)"
        )
        batch = BatchCounts(counts=np.array([float(good)]), low=smallest, high=largest, outside=outside)
        tally.warnings = list(scale_sentences(policy, ReferenceCells.of(policy), batch).values())
    return tally


def _convert(applied: Application, stream: RowStream, table: Path, draft: Path) -> None:
    """Turn a CSV file of decisions into Parquet: cells as text, decisions and probabilities typed."""
    source = (
        f"read_csv({_text_sql(str(table))}, header = true, delim = ',', quote = '\"', escape = '\"', "
        "all_varchar = true, nullstr = '', parallel = false)"
    )
    typed = applied.added
    added = ", ".join(f"cast({quoted(name)} as {kind}) as {quoted(name)}" for name, kind in typed.items())
    target = f"to {_text_sql(str(draft))} (format parquet)"
    if isinstance(stream, ParquetRows):
        # the rows as they are, with their types, beside what was found about them
        beside = f"select * from {stream.rows_sql} positional join (select {added} from {source})"
        stream.query(f"copy ({beside}) {target}")
        return
    names = ", ".join(map(quoted, typed))
    with connect() as connection, database_errors(stream.name):
        connection.execute(f"copy (select * exclude ({names}), {added} from {source}) {target}")


def _text_sql(value: str) -> str:
    """Write a text as SQL does."""
    return "'" + value.replace("'", "''") + "'"
