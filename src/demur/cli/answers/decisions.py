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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import click
import numpy as np

from demur._files.database import connect
from demur._files.whole import draft_of, temporary_folder, whole_file
from demur.cli.options.policies import Decisions
from demur.cli.output import times
from demur.cli.reading.policies import AUDIT_COLUMNS
from demur.cli.table_files import sql_text
from demur.engines.columns import quoted, unknown_column
from demur.engines.files import database_errors
from demur.engines.row_stream import BadRow, Batch, ParquetRows, RowStream
from demur.engines.text import MISSING_WORDS
from demur.exceptions import InputError
from demur.monitoring.labels import Audit
from demur.monitoring.reference import BatchCounts, ReferenceCells, scale_sentences, score_range
from demur.policy.labels import label_kind
from demur.policy.policy import Policy
from demur.policy.sql import computes_by_group, duckdb_parts
from demur.surface.window import ABSTAIN
from demur.windows.budgeted import Budgeted
from demur.windows.by_group import ByGroup, group_text
from demur.windows.class_rule import ClassRule
from demur.windows.expected_cost import ExpectedCostRule
from demur.windows.expression import Decision
from demur.windows.rule import Window

__all__ = [
    "Application",
    "Tally",
    "decision_sink",
    "write_decisions",
    "write_parquet_decisions",
]

# how many rows without a score are told one by one
_MOST_TOLD = 10
_NO_PROBABILITIES = "the probabilities are negative, infinite or all 0"
_NO_PLACE = "the batch or the key is missing, or a number out of range"
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
    asked : Decisions
        The flags: what is written, and whether the first bad row ends the work.
    audit : Audit or None
        How cases are drawn for an audit.
    quiet : bool
        Whether no progress is shown.
    """

    policy: Policy
    columns: tuple[str, ...]
    asked: Decisions
    audit: Audit | None = None
    quiet: bool = False

    @property
    def added(self) -> dict[str, str]:
        """Names of the new columns and their types in SQL."""
        labels = [*self.policy.classes, self.policy.abstain_label]
        audit = dict(zip(AUDIT_COLUMNS, ("INTEGER", "DOUBLE"), strict=True))
        return {self.asked.column: _TYPES[label_kind(labels)], **({} if self.audit is None else audit)}

    def batches(self, stream: RowStream) -> Iterator[Batch]:
        """Yield the rows of a file with the numbers that decide on them, and their groups if these matter."""
        rule, cells = self.policy.rule, not self.asked.only
        if not isinstance(rule, ByGroup):
            return stream.batches(_number_columns(self), cells=cells)
        *numbers, group = self.columns
        return stream.batches(numbers, cells=cells, group=group, reads=rule.reads)

    def problem(self, bad: BadRow) -> str:
        """Say where a row is bad and why."""
        column = f", column {self.columns[0]}" if len(self.columns) == 1 else ""
        return f"{bad.where}{column}: {bad.problem}"

    @property
    def out_of_range(self) -> str:
        """Problem of a row of numbers that the rule has no decision for."""
        if isinstance(self.policy.rule, ClassRule):
            return _NO_PROBABILITIES
        if isinstance(self.policy.rule, Budgeted):
            return _NO_PLACE
        if isinstance(self.policy.rule, ExpectedCostRule):
            return "a score is infinite, or an amount negative or too large"
        return "a number is infinite"

    def read(self) -> str:
        """Say which columns were read as what."""
        listed = ", ".join(self.columns)
        if isinstance(self.policy.rule, ByGroup):
            return f"Numbers from columns {', '.join(self.columns[:-1])}, groups by {self.columns[-1]}"
        if isinstance(self.policy.rule, Budgeted):
            return f"Places by {self.columns[-2]}, from columns {listed}"
        if len(self.columns) == 1:
            return f"Scores from column {listed}"
        what = "Probabilities" if isinstance(self.policy.rule, ClassRule) else "Numbers"
        return f"{what} from columns {listed}"

    def require_new(self, stream: RowStream) -> None:
        """Refuse new columns that the rows have already."""
        for name in self.added:
            if not self.asked.only and name in stream.columns:
                hint = (
                    "pass --column NAME, or --only" if name == self.asked.column else "it was audited already"
                )
                raise InputError(f"`{stream.name}` already has a column {name!r}. Hint: {hint}.")

    def refuse(self, stream: RowStream, bad: Sequence[BadRow], warnings: Sequence[str] = ()) -> None:
        """With --strict refuse bad rows, and scores of another scale."""
        if self.asked.strict and bad:
            raise InputError(f"`{stream.name}` {self.problem(bad[0])}.")
        if self.asked.strict and warnings:
            raise InputError(f"`{stream.name}`, column {self.columns[0]}: {' '.join(warnings)}")


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
    unknown : Counter or None
        Group that a rule per group does not know -> number of rows; the empty one where it is missing.
    """

    rows: int
    called: dict[str, int]
    abstained: int
    bad: int
    first_bad: list[BadRow] = field(default_factory=list)
    audited: int = 0
    warnings: list[str] = field(default_factory=list)
    unknown: Counter[str] | None = None

    @classmethod
    def of(cls, policy: Policy, counts: Mapping[int | None, int], **more: Any) -> "Tally":
        """Count codes; None, or anything that is no code, is a row without a decision."""
        called = {str(name): counts.get(code, 0) for code, name in enumerate(policy.classes)}
        if _two_sided(policy):
            called = {"positive": counts.get(1, 0), "negative": counts.get(0, 0)}
        rows, abstained = sum(counts.values()), counts.get(ABSTAIN, 0)
        bad = rows - abstained - sum(called.values())
        return cls(rows=rows, called=called, abstained=abstained, bad=bad, **more)

    def sentence(self) -> str:
        """Say it in words."""
        listed = ", ".join(f"{number} {name}" for name, number in self.called.items())
        return (
            f"{self.rows} rows: {listed}, {self.abstained} abstained on"
            + (f", {self.bad} without a decision." if self.bad else ".")
            + (f" A label is asked for in {self.audited} decided rows." if self.audited else "")
            + self._unknown_words()
        )

    def _unknown_groups(self) -> dict[str, int]:
        """Count the groups without a rule, their rows, and rows without a group."""
        groups = Counter(self.unknown)
        missing = groups.pop("", 0)
        return {"groups": len(groups), "rows": groups.total(), "missing": missing}

    def _unknown_words(self) -> str:
        """Say how many rows had no rule of their group."""
        groups, rows, missing = self._unknown_groups().values()
        said = [f"{times(rows, 'row')} of {times(groups, 'unknown group')}"] if groups else []
        said += [f"{times(missing, 'row')} without a group"] if missing else []
        return f" {' and '.join(said)}: decided by the rule for all." if said else ""

    def to_dict(self, policy: Policy) -> dict[str, Any]:
        """Return the numbers and the first bad rows."""
        content = {**vars(self), "first_bad": [row._asdict() for row in self.first_bad]}
        if content.pop("unknown") is not None:
            content["unknown_groups"] = self._unknown_groups()
        return {**content, **content.pop("called")} if _two_sided(policy) else content


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
    """Decide on every row; a bad row gets an empty decision, or with --strict ends the work."""
    applied.require_new(stream)
    policy, audit, asked = applied.policy, applied.audit, applied.asked
    if asked.audit_key not in (None, *stream.columns):
        raise unknown_column(stream.name, str(asked.audit_key), stream.columns)
    key = None if asked.audit_key is None else stream.columns.index(asked.audit_key)
    whole = _whole_codes(applied, stream) if isinstance(policy.rule, Budgeted) else None
    batches, unknown = applied.batches(stream), Counter[str]()
    _write_rows(handle, [[*(() if asked.only else stream.columns), *applied.added]], stream.separator)
    cells = ReferenceCells.of(policy) if _has_scale(policy) else None
    scores: BatchCounts | None = None
    # in the order of the codes: from the end an empty cell for no decision, and the label of abstaining
    names = np.array([*map(str, policy.classes), "", str(policy.abstain_label)], dtype=object)
    counts = np.zeros(len(policy.classes) - _NONE, dtype=np.int64)
    first_bad: list[BadRow] = []
    audited = 0
    query = "" if whole is not None else _code_query(policy)
    with connect() as connection, _shown_progress(quiet=applied.quiet) as show:
        for batch in batches:
            before = int(counts.sum())
            if whole is None:
                connection.register("demur_batch", _inputs(policy, batch, unknown))
                codes = np.asarray(connection.execute(query).fetchnumpy()["code"], dtype=np.int64)
            else:
                codes = whole[before : before + len(batch.scores)]
            counts += np.bincount(codes - _NONE, minlength=len(counts))
            unscored = np.isnan(batch.scores).any(axis=1)
            broken = np.flatnonzero((codes == _NONE) & ~unscored)[:_MOST_TOLD].tolist()
            first_bad += [
                *batch.bad,
                *(BadRow(f"row {before + k + 1}", applied.out_of_range) for k in broken),
            ]
            first_bad = first_bad[:_MOST_TOLD]
            applied.refuse(stream, first_bad)
            answers = [names[codes].tolist()]
            if audit is not None:
                # the place keeps equal rows apart
                keys = (
                    "\x1f".join([str(before + k), *row]) if key is None else row[key]
                    for k, row in enumerate(batch.rows)
                )
                drawn = audit.drawn(keys) & (codes >= 0)
                audited += int(np.count_nonzero(drawn))
                columns = np.where(drawn, "1", "0"), np.where(codes >= 0, repr(audit.share), "1")
                answers += [np.where(codes == _NONE, "", column).tolist() for column in columns]
            good = batch.scores[~np.isnan(batch.scores)]
            if cells is not None and len(good):
                found = BatchCounts.of(good, cells, policy)
                scores = found if scores is None else scores.joined(found)
            kept: Any = [()] * len(codes) if asked.only else batch.rows
            rows = ((*row, *answer) for row, answer in zip(kept, zip(*answers, strict=True), strict=True))
            _write_rows(handle, rows, stream.separator)
            show(int(counts.sum()))
    warnings = []
    if cells is not None and scores is not None:
        warnings = list(scale_sentences(policy, cells, scores).values())
    applied.refuse(stream, (), warnings)
    coded: dict[int | None, int] = dict(enumerate(counts.tolist(), start=_NONE))
    told = {"unknown": unknown} if isinstance(policy.rule, ByGroup) else {}
    return Tally.of(policy, coded, first_bad=first_bad, audited=audited, warnings=warnings, **told)


def _inputs(policy: Policy, batch: Batch, unknown: Counter[str]) -> dict[str, Any]:
    """Return the columns c0, c1, ... of a batch and the place of its rows; unknown groups are counted."""
    columns: list[Any] = [np.ascontiguousarray(column) for column in batch.scores.T]
    if isinstance(policy.rule, ByGroup):
        groups = list(map(group_text, batch.groups))
        columns.append(np.array(groups, dtype=object))
        unknown.update(group for group in groups if group not in policy.rule.rules)
    return {**{f"c{k}": column for k, column in enumerate(columns)}, "place": np.arange(len(batch.scores))}


def _number_columns(applied: Application) -> tuple[str, ...]:
    """Return the columns that must hold numbers: all but those of batch and key."""
    return applied.columns[:-2] if isinstance(applied.policy.rule, Budgeted) else applied.columns


def _whole_codes(applied: Application, stream: RowStream) -> Any:
    """Decide all rows at once, as batches share places; `_NONE` where a number, batch or key is missing."""
    rule, places = applied.policy.rule, [stream.columns.index(name) for name in applied.columns[-2:]]
    assert isinstance(rule, Budgeted)
    read = [
        (batch.scores, [[row[place].strip() for place in places] for row in batch.rows])
        for batch in stream.batches(_number_columns(applied))
    ]
    numbers = np.concatenate([np.empty((0, len(_number_columns(applied)))), *(scores for scores, _ in read)])
    cells = np.array([pair for _, pairs in read for pair in pairs], dtype=object).reshape(-1, len(places))
    given = [all(word not in MISSING_WORDS for word in pair) for pair in cells]
    good = np.array(given, dtype=np.bool_) & rule.inner.valid(numbers)
    codes = np.full(len(numbers), _NONE, dtype=np.int64)
    if good.any():
        codes[good] = rule.decide_columns([*numbers[good].T, *cells[good].T])
    return codes


def _code_query(policy: Policy) -> str:
    """Return the policy's own SQL on columns c0, c1, ... of a batch: codes, `_NONE` for no decision."""
    codes = [*range(len(policy.classes)), ABSTAIN]
    decision = policy.rule.to_expression([f"c{k}" for k in range(policy.rule.inputs)], codes)
    assert isinstance(decision, Decision), "batches are decided as a whole"
    sql, rows = duckdb_parts(decision, codes, "demur_batch")
    # rules of groups may compute numbers in queries of their own, which keep no order
    order = " order by place" if isinstance(policy.rule, ByGroup) else ""
    return f"select coalesce({sql}, {_NONE}) as code from {rows}{order}"


def _two_sided(policy: Policy) -> bool:
    """Tell whether decisions are positive or negative: a window, or one for each group."""
    return isinstance(policy.rule, Window | ByGroup) and len(policy.classes) == 2


def _has_scale(policy: Policy) -> bool:
    """Tell whether a policy is a window that knows the scores it was made for."""
    known = policy.evidence is not None and policy.evidence.blocks is not None
    return known and isinstance(policy.rule, Window)


def _write_rows(handle: IO[str], rows: Iterable[Sequence[Any]], separator: str) -> None:
    """Write rows in one go: an unbuffered stream would be called once per row."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    handle.write(text.getvalue())


@contextmanager
def _shown_progress(*, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show the number of rows done, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        yield lambda rows: None
        return
    last, shown = time.monotonic(), ""

    def show(rows: int) -> None:
        nonlocal last, shown
        if time.monotonic() - last > _SECONDS_BETWEEN:
            last, shown = time.monotonic(), f"{rows:,} rows"
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
    for name in [] if applied.asked.only else [*stream.columns, *applied.added]:
        # databases take names that differ in case only for one
        other = seen.setdefault(name.lower(), name)
        if other is not name:
            raise InputError(
                f"`{stream.name}`: the columns {other!r} and {name!r} would be one in Parquet. "
                "Hint: rename one of them, or write CSV."
            )
    rule = applied.policy.rule
    row_by_row = applied.audit is None and not isinstance(rule, Budgeted)
    # numbers that rules of groups compute are queries of their own, which keep no order
    if isinstance(rule, ByGroup):
        decision = rule.to_expression(
            applied.columns, [*applied.policy.classes, applied.policy.abstain_label]
        )
        row_by_row &= not computes_by_group(decision)
    if isinstance(stream, ParquetRows) and row_by_row:
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
    policy, column = applied.policy, applied.asked.column
    grouped = isinstance(policy.rule, ByGroup)
    for name in applied.columns[:-1] if grouped else applied.columns:
        stream.require_scores(name)
    expression = policy.rule.to_expression(applied.columns, [*policy.classes, policy.abstain_label])
    assert isinstance(expression, Decision), "batches are decided as a whole"
    sql, rows = duckdb_parts(expression, [*policy.classes, policy.abstain_label], stream.rows_sql)
    kept = "" if applied.asked.only else f"{', '.join(map(quoted, stream.columns))}, "
    chosen = f"select {kept}cast({sql} as {applied.added[column]}) as {quoted(column)} from {rows}"
    with draft_of(path) as draft:
        stream.query(f"copy ({chosen}) to {sql_text(draft)} (format parquet)")
        stream.require_same()
        written = f"select {quoted(column)} as d from read_parquet({sql_text(draft)})"
        found = dict(stream.query(f"select d, count(*) from ({written}) group by all"))
        codes = {label: code for code, label in enumerate(policy.classes)} | {policy.abstain_label: ABSTAIN}
        tally = Tally.of(policy, {codes.get(label): number for label, number in found.items()})
        if tally.bad:
            first = f"select row_number() over () as place, d from ({written})"
            places = stream.query(
                f"select place from ({first}) where d is null order by place limit {_MOST_TOLD}"
            )
            problem = "the score is missing"
            if len(applied.columns) > 1 and not _two_sided(policy):
                problem = "a number is missing, or " + applied.out_of_range
            tally.first_bad = [BadRow(f"row {place}", problem) for (place,) in places]
        if _has_scale(policy) and tally.bad < tally.rows:
            tally.warnings = _scale_warnings(applied, stream)
        if isinstance(policy.rule, ByGroup):
            written = f"cast({quoted(applied.columns[-1])} as varchar)"
            sizes = stream.query(f"select {written}, count(*) from {stream.rows_sql} group by all")
            tally.unknown = Counter()
            for group, size in sizes:
                if group_text(group) not in policy.rule.rules:
                    tally.unknown[group_text(group)] += size
        applied.refuse(stream, tally.first_bad, tally.warnings)
    return tally


def _scale_warnings(applied: Application, stream: ParquetRows) -> list[str]:
    """Say what is odd about the scale of the scores."""
    policy = applied.policy
    low, high = (f"cast('{value!r}' as double)" for value in score_range(policy))
    score = f"cast({quoted(applied.columns[0])} as double)"
    ((good, smallest, largest, outside),) = stream.query(
        f"select count(*), min(s), max(s), count(*) filter (s < {low} or s > {high}) from (select "
        f"{score} as s from {stream.rows_sql}) where not isnan(s)"
    )
    batch = BatchCounts(counts=np.array([float(good)]), low=smallest, high=largest, outside=outside)
    return list(scale_sentences(policy, ReferenceCells.of(policy), batch).values())


def _convert(applied: Application, stream: RowStream, table: Path, draft: Path) -> None:
    """Turn a CSV file of decisions into Parquet: cells as text, decisions and probabilities typed."""
    source = (
        f"read_csv({sql_text(table)}, header = true, delim = ',', quote = '\"', escape = '\"', "
        "all_varchar = true, nullstr = '', parallel = false)"
    )
    names = ", ".join(map(quoted, applied.added))
    typed = [f"cast({quoted(name)} as {kind}) as {quoted(name)}" for name, kind in applied.added.items()]
    added, target = ", ".join(typed), f"to {sql_text(draft)} (format parquet)"
    if isinstance(stream, ParquetRows):
        # the rows as they are, with their types, beside what was found about them
        beside = f"select * from {stream.rows_sql} positional join (select {added} from {source})"
        stream.query(f"copy ({beside}) {target}")
        return
    with connect() as connection, database_errors(stream.name):
        connection.execute(f"copy (select * exclude ({names}), {added} from {source}) {target}")
