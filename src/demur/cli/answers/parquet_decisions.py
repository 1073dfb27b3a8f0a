"""Decisions written to Parquet: columns keep their types, and a database does the work.

From Parquet the policy goes to DuckDB as SQL, which decides like `Policy.decide`. From text, and for
audits, the rows are decided as for a CSV file first.
"""

from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from demur._files.database import connect
from demur._files.temporary import temporary_folder
from demur._files.whole import draft_of
from demur.cli.answers.decisions import AUDIT_COLUMNS, MOST_TOLD, Tally, require_new, write_decisions
from demur.engines.columns import quoted
from demur.engines.row_stream import BadRow, ParquetRows, RowStream
from demur.exceptions import InputError
from demur.monitoring.reference import ReferenceCells
from demur.monitoring.scale import BatchCounts, scale_sentences, score_range
from demur.windows.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demur.cli.answers.decisions import Drawing

__all__ = [
    "convert_decisions",
    "label_type",
    "require_told_apart",
    "text_sql",
    "write_parquet_decisions",
]


def write_parquet_decisions(
    policy: Policy,
    stream: RowStream,
    path: str,
    *,
    score: str,
    column: str,
    only: bool,
    strict: bool,
    quiet: bool,
    drawing: "Drawing | None" = None,
) -> Tally:
    """Decide on every row and write a Parquet file, whole or not at all."""
    added = [column, *(AUDIT_COLUMNS if drawing is not None else ())]
    require_new(stream, added, only=only)
    require_told_apart(stream, [] if only else [*stream.columns, *added])
    if isinstance(stream, ParquetRows) and drawing is None:
        return _in_database(policy, stream, path, score=score, column=column, only=only, strict=strict)
    with temporary_folder() as folder:
        table = folder / "decisions.csv"
        stream.separator = ","
        with open(table, "w", encoding="utf-8", newline="") as handle:
            tally = write_decisions(
                policy,
                stream,
                handle,
                score=score,
                column=column,
                only=only,
                strict=strict,
                quiet=quiet,
                drawing=drawing,
            )
        with draft_of(path) as draft:
            labels = (policy.pos_label, policy.neg_label, policy.abstain_label)
            convert_decisions(labels, stream, table, draft, column, audited=drawing is not None)
            stream.require_same()
    return tally


def require_told_apart(stream: RowStream, names: list[str]) -> None:
    """Refuse names that differ in case only: databases take them for one."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other is not name:
            raise InputError(
                f"`{stream.name}`: the columns {other!r} and {name!r} would be one in Parquet. "
                "Hint: rename one of them, or write CSV."
            )


# ---------------------------------------------------------------- from Parquet


def _in_database(
    policy: Policy, stream: ParquetRows, path: str, *, score: str, column: str, only: bool, strict: bool
) -> Tally:
    stream.require_scores(score)
    tally = _counted(policy, stream, score)
    if strict and tally.bad:
        where, problem = tally.first_bad[0]
        raise InputError(f"`{stream.name}` {where}, column {score}: {problem}.")
    if strict and tally.warnings:
        raise InputError(f"`{stream.name}`, column {score}: {' '.join(tally.warnings)}")
    kept = "" if only else "*, "
    labels = (policy.pos_label, policy.neg_label, policy.abstain_label)
    decision = f"cast({policy.to_sql('duckdb', score)} as {label_type(labels)})"
    chosen = f"select {kept}{decision} as {quoted(column)} from {stream.rows_sql}"
    with draft_of(path) as draft:
        stream.query(f"copy ({chosen}) to {text_sql(str(draft))} (format parquet)")
        stream.require_same()
    return tally


def _counted(policy: Policy, stream: ParquetRows, score: str) -> Tally:
    """Count decisions, and what is odd about the scores, in one scan of their column."""
    codes = replace(policy, pos_label=1, neg_label=0, abstain_label=-1).to_sql("duckdb", score)
    low, high = (_number(value) for value in score_range(policy))
    decided = f"select cast({quoted(score)} as double) as score, {codes} as code from {stream.rows_sql}"
    parts = [
        "count(*)",
        *(f"count(*) filter (code = {code})" for code in (1, 0, -1)),
        "min(score) filter (code is not null)",
        "max(score) filter (code is not null)",
        f"count(*) filter (code is not null and (score < {low} or score > {high}))",
    ]
    found = stream.query(f"select {', '.join(parts)} from ({decided})")[0]
    rows, positive, negative, abstained, smallest, largest, outside = found
    good = positive + negative + abstained
    tally = Tally(rows=rows, positive=positive, negative=negative, abstained=abstained, bad=rows - good)
    if tally.bad:
        numbered = f"select row_number() over () as place, {codes} as code from {stream.rows_sql}"
        first = f"select place from ({numbered}) where code is null order by place limit {MOST_TOLD}"
        places = stream.query(first)
        tally.first_bad = [BadRow(f"row {place}", "the score is missing") for (place,) in places]
    if good:
        batch = BatchCounts(counts=np.array([float(good)]), low=smallest, high=largest, outside=outside)
        tally.warnings = list(scale_sentences(policy, ReferenceCells.of(policy), batch).values())
    return tally


# ---------------------------------------------------------------- from text, and audits


def convert_decisions(
    labels: Sequence[Any], stream: RowStream, table: Path, draft: Path, column: str, *, audited: bool
) -> None:
    """Turn a CSV file of decisions into Parquet: cells as text, decisions and probabilities typed."""
    typed = {column: label_type(labels)}
    if audited:
        typed |= dict(zip(AUDIT_COLUMNS, ("INTEGER", "DOUBLE"), strict=True))
    source = (
        f"read_csv({text_sql(str(table))}, header = true, delim = ',', quote = '\"', escape = '\"', "
        "all_varchar = true, nullstr = '', parallel = false)"
    )
    added = ", ".join(f"cast({quoted(name)} as {kind}) as {quoted(name)}" for name, kind in typed.items())
    with _database(stream) as query:
        if isinstance(stream, ParquetRows):
            # the rows as they are, with their types, beside what was found about them
            chosen = f"select * from {stream.rows_sql} positional join (select {added} from {source})"
        else:
            names = ", ".join(map(quoted, typed))
            chosen = f"select * exclude ({names}), {added} from {source}"
        query(f"copy ({chosen}) to {text_sql(str(draft))} (format parquet)")


@contextmanager
def _database(stream: RowStream) -> "Iterator[Any]":
    """Yield what runs SQL: the stream's own connection where it has one."""
    if isinstance(stream, ParquetRows):
        yield stream.query
        return
    from demur.engines.files import database_errors

    with connect() as connection, database_errors(stream.name):
        yield connection.execute


def label_type(labels: Sequence[Any]) -> str:
    """Type of a column of these labels."""
    if isinstance(labels[0], str):
        return "VARCHAR"
    return "BIGINT" if all(isinstance(label, int) for label in labels) else "DOUBLE"


def text_sql(value: str) -> str:
    """Write a text as SQL does."""
    return "'" + value.replace("'", "''") + "'"


def _number(value: float) -> str:
    return f"cast('{value!r}' as double)"
