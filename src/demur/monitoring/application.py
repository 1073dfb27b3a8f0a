"""Decisions for the rows of a file: the policy's own SQL on every row, bad rows reported and counted.

Text is read by the row stream and not by the database: cells are written as they stand, and a bad row is
reported with its line, which the database's reader of CSV does not know.

In a Parquet file columns keep their types. From Parquet to Parquet DuckDB does all the work; from text, and
for audits, the rows are decided as for a CSV file first.
"""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from demur._files.database import connect, quoted, sql_text
from demur._files.whole import draft_of, temporary_folder
from demur._tables.numbers import times
from demur.engines.columns import require_columns
from demur.engines.files import database_errors
from demur.engines.row_stream import BadRow, Batch, ParquetRows, RowStream
from demur.engines.text import MISSING_WORDS
from demur.exceptions import InputError
from demur.monitoring.labels import AUDIT_COLUMNS, Audit
from demur.monitoring.reference import BatchCounts, ReferenceCells, scale_sentences, score_range
from demur.policy.labels import label_kind
from demur.policy.policy import Policy
from demur.policy.sql import DIALECTS, duckdb_parts
from demur.surface.window import ABSTAIN
from demur.typing import IntArray
from demur.windows.by_group import group_text
from demur.windows.rule import Window

__all__ = ["Application"]

# how many rows without a score are told one by one
_MOST_TOLD = 10
_TYPES = {"text": "VARCHAR", "whole": "BIGINT", "number": "DOUBLE"}
# no decision; a policy knows the places of its classes and -1
_NONE = -2


class Application:
    """A policy on the rows of a file: what is written, and afterwards how often each decision was made.

    Parameters
    ----------
    policy : Policy
        What decides.
    stream : RowStream
        The rows.
    columns : tuple of str
        The columns it reads.
    column : str
        Name of the column with the decisions.
    only : bool
        Whether the columns of the file are left out.
    strict : bool
        Whether the first bad row, or scores on another scale, end the work.
    audit : Audit or None
        How cases are drawn for an audit.
    audit_key : str or None
        Column that names a case of an audit; by default it is the whole row and its place.
    show : callable
        Called with the number of rows of every batch that is done.

    Attributes
    ----------
    counts : Counter
        Code of a decision -> number of rows; any other key stands for rows without a decision.
    first_bad : list of BadRow
        The first few rows without a decision.
    audited : int
        Decided cases whose true class is asked for.
    warnings : list of str
        What is odd about the scale of the scores.
    unknown : Counter
        Group that a rule per group does not know -> number of rows; the empty one where it is missing.
    """

    def __init__(
        self,
        policy: Policy,
        stream: RowStream,
        columns: tuple[str, ...],
        *,
        column: str = "decision",
        only: bool = False,
        strict: bool = False,
        audit: Audit | None = None,
        audit_key: str | None = None,
        show: Callable[[int], Any] = int,
    ) -> None:
        rule: Any = policy.rule
        self.policy, self.stream, self.columns, self.show = policy, stream, columns, show
        self.column, self.only, self.strict = column, only, strict
        self.audit, self.audit_key = audit, audit_key
        self.counts, self.unknown, self.audited = Counter[Any](), Counter[str](), 0
        self.first_bad: list[BadRow] = []
        self.warnings: list[str] = []
        self._numbers = columns[: len(columns) - getattr(rule, "texts", 0)]
        self._texts = columns[len(self._numbers) :]
        self._labels = [*policy.classes, policy.abstain_label]
        self._two_sided = len(policy.classes) == 2 and getattr(rule, "two_sided", False)
        self._whole = getattr(rule, "whole_batches", False)
        self._undecided = getattr(rule, "undecided", "a number is infinite")
        audit_types = zip(AUDIT_COLUMNS, ("INTEGER", "DOUBLE"), strict=True)
        self._added = {column: _TYPES[label_kind(self._labels)], **dict(audit_types if audit else ())}
        known = (
            isinstance(rule, Window) and policy.evidence is not None and policy.evidence.blocks is not None
        )
        self._cells = ReferenceCells.of(policy) if known else None
        for name in () if only else self._added:
            if name in stream.columns:
                hint = "pass --column NAME, or --only" if name == column else "it was audited already"
                raise InputError(f"`{stream.name}` already has a column {name!r}. Hint: {hint}.")
        require_columns(stream.name, filter(None, [audit_key, *self._texts]), stream.columns)
        for name in self._numbers:
            stream.require_scores(name)

    @property
    def called(self) -> dict[str, int]:
        """Class -> number of rows; positive and negative for a window."""
        names = {1: "positive", 0: "negative"} if self._two_sided else dict(enumerate(self.policy.classes))
        return {str(name): self.counts[code] for code, name in names.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of rows and the first bad ones."""
        called, rows, abstained = self.called, self.counts.total(), self.counts[ABSTAIN]
        numbers: dict[str, Any] = {
            "rows": rows,
            **({} if self._two_sided else {"called": called}),
            "abstained": abstained,
            "bad": rows - abstained - sum(called.values()),
            "first_bad": [row._asdict() for row in self.first_bad],
            "audited": self.audited,
            "warnings": self.warnings,
        }
        if hasattr(self.policy.rule, "reads"):
            groups, missing = len(self.unknown), self.unknown[""]
            numbers["unknown_groups"] = {
                "groups": groups - ("" in self.unknown),
                "rows": self.unknown.total() - missing,
                "missing": missing,
            }
        return {**numbers, **called} if self._two_sided else numbers

    def words(self) -> str:
        """Return the numbers of rows by decision, and the columns read, as a sentence."""
        numbers = self.to_dict()
        text = (
            f"{numbers['rows']} rows: {', '.join(f'{rows} {name}' for name, rows in self.called.items())}, "
        )
        text += f"{numbers['abstained']} abstained on"
        text += f", {numbers['bad']} without a decision." if numbers["bad"] else "."
        if self.audited:
            text += f" A label is asked for in {self.audited} decided rows."
        groups, rows, missing = numbers.get("unknown_groups", {"groups": 0, "rows": 0, "missing": 0}).values()
        others = [f"{times(rows, 'row')} of {times(groups, 'unknown group')}"] if groups else []
        others += [f"{times(missing, 'row')} without a group"] if missing else []
        text += f" {' and '.join(others)}: decided by the rule for all." if others else ""
        read = getattr(self.policy.rule, "inputs_words", "Numbers from columns {columns}")
        if len(self.columns) == 1:
            read = "Scores from column {columns}"
        listed = {"columns": ", ".join(self.columns), "numbers": ", ".join(self._numbers)}
        return f"{text} {read.format(**listed, texts=self._texts)}."

    def problem(self, bad: BadRow) -> str:
        """Say where a row is bad and why."""
        column = f", column {self.columns[0]}" if len(self.columns) == 1 else ""
        return f"{bad.where}{column}: {bad.problem}"

    def _require_strict(self, scores: BatchCounts | None = None) -> None:
        """Warn of scores on another scale; refuse them, and bad rows, if the work is strict."""
        if self._cells is not None and scores is not None:
            self.warnings = list(scale_sentences(self.policy, self._cells, scores).values())
        if self.strict and self.first_bad:
            raise InputError(f"`{self.stream.name}` {self.problem(self.first_bad[0])}.")
        if self.strict and self.warnings:
            raise InputError(f"`{self.stream.name}`, column {self.columns[0]}: {' '.join(self.warnings)}")

    # ---------------------------------------------------------------- row by row

    def write_csv(self, handle: IO[str], *, only: bool = False) -> None:
        """Decide on every row; a bad row gets an empty decision, or ends the work if that is strict."""
        stream, only = self.stream, only or self.only
        _write_rows(handle, [[*(() if only else stream.columns), *self._added]], stream.separator)
        scores: BatchCounts | None = None
        # in the order of the codes: from the end an empty cell for no decision, and the label of abstaining
        *names, abstain = map(str, self._labels)
        labels = np.array([*names, "", abstain], dtype=object)
        for batch, codes in self._decided():
            before = self.counts.total()
            self.counts.update(codes.tolist())
            broken = np.flatnonzero((codes == _NONE) & ~np.isnan(batch.scores).any(axis=1))[:_MOST_TOLD]
            self.first_bad += batch.bad
            self.first_bad += [BadRow(f"row {before + k + 1}", self._undecided) for k in broken.tolist()]
            del self.first_bad[_MOST_TOLD:]
            self._require_strict()
            answers = [labels[codes].tolist(), *self._audited(batch, codes, before)]
            good = batch.scores[~np.isnan(batch.scores)]
            if self._cells is not None and len(good):
                found = BatchCounts.of(good, self._cells, self.policy)
                scores = found if scores is None else scores.joined(found)
            kept: Any = [()] * len(codes) if only else batch.rows
            rows = ((*row, *answer) for row, answer in zip(kept, zip(*answers, strict=True), strict=True))
            _write_rows(handle, rows, stream.separator)
            self.show(len(codes))
        self._require_strict(scores)

    def _decided(self) -> Iterator[tuple[Batch, IntArray]]:
        """Yield the rows with their codes; groups without a rule are counted."""
        rule: Any = self.policy.rule
        if self._whole:
            codes = self._whole_codes()
            for batch in self.stream.batches(self._numbers, cells=not self.only):
                own, codes = np.split(codes, [len(batch.scores)])
                yield batch, own
            return
        grouped = {"group": self._texts[0], "reads": rule.reads} if self._texts else {}
        places, names = [*range(len(self.policy.classes)), ABSTAIN], [f"c{k}" for k in range(rule.inputs)]
        sql, source = duckdb_parts(rule.to_expression(names, places), places, "demur_batch")
        with connect() as connection:
            for batch in self.stream.batches(self._numbers, cells=not self.only, **grouped):
                columns: list[Any] = [np.ascontiguousarray(column) for column in batch.scores.T]
                if grouped:
                    groups = list(map(group_text, batch.groups))
                    self.unknown.update(group for group in groups if group not in rule.rules)
                    columns.append(np.array(groups, dtype=object))
                connection.register("demur_batch", dict(zip(names, columns, strict=True)))
                found = connection.execute(f"select coalesce({sql}, {_NONE}) as code from {source}")
                yield batch, np.asarray(found.fetchnumpy()["code"], dtype=np.int64)

    def _whole_codes(self) -> IntArray:
        """Decide all rows at once, as batches share places; `_NONE` where one of the cells is missing."""
        rule: Any = self.policy.rule
        places = [self.stream.columns.index(name) for name in self._texts]
        scores, cells = [np.empty((0, len(self._numbers)))], [np.empty((0, len(places)), dtype=object)]
        for batch in self.stream.batches(self._numbers):
            scores.append(batch.scores)
            cells.append(
                np.array([[row[place].strip() for place in places] for row in batch.rows], dtype=object)
            )
        numbers, texts = np.concatenate(scores), np.concatenate(cells)
        good = rule.inner.valid(numbers) & ~np.isin(texts, MISSING_WORDS).any(axis=1)
        codes = np.full(len(numbers), _NONE)
        if good.any():
            codes[good] = rule.decide_columns([*numbers[good].T, *texts[good].T])
        return codes

    def _audited(self, batch: Batch, codes: IntArray, before: int) -> list[list[str]]:
        """Return the columns of an audit, if there is one: cases to be labelled, and their probability."""
        if self.audit is None:
            return []
        key = None if self.audit_key is None else self.stream.columns.index(self.audit_key)
        # the place keeps equal rows apart
        keys = (
            "\x1f".join([str(before + k), *row]) if key is None else row[key]
            for k, row in enumerate(batch.rows)
        )
        drawn = self.audit.drawn(keys) & (codes >= 0)
        self.audited += int(np.count_nonzero(drawn))
        columns = np.where(drawn, "1", "0"), np.where(codes >= 0, repr(self.audit.share), "1")
        return [np.where(codes == _NONE, "", column).tolist() for column in columns]

    # ---------------------------------------------------------------- Parquet

    def write_parquet(self, path: str) -> None:
        """Decide on every row and write a Parquet file, whole or not at all."""
        stream = self.stream
        names: dict[str, str] = {}
        for name in [] if self.only else [*stream.columns, *self._added]:
            # databases take names that differ in case only for one
            other = names.setdefault(name.lower(), name)
            if other is not name:
                raise InputError(
                    f"`{stream.name}`: the columns {other!r} and {name!r} would be one in Parquet. "
                    "Hint: rename one of them, or write CSV."
                )
        with temporary_folder() as folder, draft_of(path) as draft:
            if isinstance(stream, ParquetRows) and self.audit is None and not self._whole:
                self._decide_in_database(stream, draft)
            else:
                self._decide_in_text(folder / "decisions.csv", draft)

    def _decide_in_text(self, table: Path, draft: Path) -> None:
        """Write decisions as CSV, then as Parquet: cells as text, decisions and probabilities typed."""
        stream, rows = self.stream, ""
        stream.separator = ","
        if isinstance(stream, ParquetRows):
            # the rows as they are, with their types, beside what was found about them
            rows = (
                f"(select {', '.join(map(quoted, stream.columns))} from {stream.rows_sql}) positional join "
            )
        with open(table, "w", encoding="utf-8", newline="") as handle:
            self.write_csv(handle, only=bool(rows))
        kept = [] if self.only else map(quoted, stream.columns)
        typed = [f"cast({quoted(name)} as {kind}) as {quoted(name)}" for name, kind in self._added.items()]
        source = (
            f"read_csv({sql_text(table)}, header = true, delim = ',', quote = '\"', escape = '\"', "
            "all_varchar = true, nullstr = '', parallel = false)"
        )
        with connect() as connection, database_errors(stream.name):
            chosen = f"select {', '.join([*kept, *typed])} from {rows}{source}"
            connection.execute(f"copy ({chosen}) to {sql_text(draft)} (format parquet)")
        stream.require_same()

    def _decide_in_database(self, stream: ParquetRows, draft: Path) -> None:
        """Let DuckDB decide, in one scan, and count what it wrote."""
        rule: Any = self.policy.rule
        sql, rows = duckdb_parts(
            rule.to_expression(self.columns, self._labels), self._labels, stream.rows_sql
        )
        ((column, kind),) = self._added.items()
        chosen = [
            *([] if self.only else map(quoted, stream.columns)),
            f"cast({sql} as {kind}) as {quoted(column)}",
        ]
        stream.query(f"copy (select {', '.join(chosen)} from {rows}) to {sql_text(draft)} (format parquet)")
        stream.require_same()
        written = f"select {quoted(column)} as d from read_parquet({sql_text(draft)})"
        codes = {label: code for code, label in enumerate(self.policy.classes)} | {self._labels[-1]: ABSTAIN}
        for label, size in stream.query(f"select d, count(*) from ({written}) group by all"):
            self.counts[codes.get(label, _NONE)] += size
        if self.counts[_NONE]:
            first = f"select row_number() over () as place, d from ({written})"
            places = stream.query(
                f"select place from ({first}) where d is null order by place limit {_MOST_TOLD}"
            )
            problem = "the score is missing"
            if len(self.columns) > 1 and not self._two_sided:
                problem = f"a number is missing, or {self._undecided}"
            self.first_bad = [BadRow(f"row {place}", problem) for (place,) in places]
        for name in self._texts:
            groups = f"select cast({quoted(name)} as varchar), count(*) from {stream.rows_sql} group by all"
            for group, size in stream.query(groups):
                if group_text(group) not in rule.rules:
                    self.unknown[group_text(group)] += size
        scores = None
        if self._cells is not None and self.counts.total() > self.counts[_NONE]:
            low, high = map(DIALECTS["duckdb"].literal, score_range(self.policy))
            score = f"select cast({quoted(self.columns[0])} as double) as s from {stream.rows_sql}"
            numbers = f"count(*), min(s), max(s), count(*) filter (s < {low} or s > {high})"
            ((good, low, high, outside),) = stream.query(
                f"select {numbers} from ({score}) where not isnan(s)"
            )
            scores = BatchCounts(counts=np.array([float(good)]), low=low, high=high, outside=outside)
        self._require_strict(scores)


def _write_rows(handle: IO[str], rows: Iterable[Sequence[Any]], separator: str) -> None:
    """Write many rows at once: an unbuffered stream would be called once per row."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    handle.write(text.getvalue())
