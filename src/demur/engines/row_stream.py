"""Rows of a file in batches, cells as they stand there, one column read as scores.

For files of any size: a CSV is read line by line, so that every bad value is reported with its
line; Parquet comes from DuckDB in batches. Only one batch is in memory.
"""

import csv
import glob
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from demur._files.database import connect, quoted, sql_text
from demur.engines.columns import column_kind, require_columns
from demur.engines.files import database_errors, parquet_source
from demur.engines.integrity import Snapshot
from demur.engines.paths import partition_columns, source_files
from demur.engines.text import MISSING_WORDS, header_separator, open_text, ragged_line, text_errors
from demur.exceptions import InputError
from demur.typing import FloatArray

__all__ = ["BadRow", "Batch", "ParquetRows", "RowStream", "open_rows"]

# a batch is bounded by rows and by cells, so that wide tables do not need more memory
_MOST_ROWS = 1 << 16
_MOST_CELLS = 1 << 18
_MISSING = "the score is missing"


class BadRow(NamedTuple):
    """A row without a score: where it stands and what is wrong with it."""

    where: str
    problem: str


class Batch(NamedTuple):
    """Some rows of a file.

    Attributes
    ----------
    rows : list of sequences of str
        The cells; empty where only the scores were asked for.
    scores : array
        Row i holds the scores of row i, one per column asked for; NaN where one is bad.
    bad : list of BadRow
        One entry per row with a NaN, in order.
    groups : list of str
        Group of every row, empty where it is missing; none where no column was asked for.
    """

    rows: Sequence[Sequence[str]]
    scores: FloatArray
    bad: list[BadRow]
    groups: list[str]


_Block = tuple[str, Sequence[int], list[Any], FloatArray, list[str]]
"""How to name a row, the number of each, their cells (none where not asked for), their scores, groups."""


class RowStream(ABC):
    """An opened file. Made by `open_rows`.

    Attributes
    ----------
    name : str
        The source as the user wrote it.
    columns : list of str
        Names of the columns.
    separator : str
        Separator of the fields; a comma for Parquet.
    """

    name: str
    columns: list[str]
    separator: str = ","
    _types: dict[str, str]
    _snapshot: Snapshot

    def batches(
        self,
        columns: Sequence[str],
        *,
        cells: bool = True,
        group: str | None = None,
        reads: Callable[[Sequence[str]], Any] | None = None,
    ) -> Iterator[Batch]:
        """Yield the rows in the order of the file, with `columns` side by side as the scores.

        A row with a bad value has NaN there and is reported once. `cells` = False leaves the other columns
        out where that saves work. With a column of groups, `reads` tells which scores the rows of some groups
        need: the others are 0, whatever the file holds.
        """
        for column in columns:
            self.require_scores(column)
        if group is not None:
            require_columns(self.name, [group], self.columns)
        return self._checked_batches(list(columns), group, reads, cells=cells)

    def require_scores(self, column: str) -> None:
        """Refuse a column that is not there or holds no numbers."""
        require_columns(self.name, [column], self.columns)
        kind = self._types.get(column)
        if kind is not None and column_kind(kind) not in ("number", "bool"):
            raise InputError(f"`{self.name}` must have numbers in column {column!r}, got {kind}.")

    def require_same(self) -> None:
        """Raise `InputError` if a file was changed since it was opened."""
        self._snapshot.require_same()

    def _checked_batches(
        self, columns: list[str], group: str | None, reads: Callable[..., Any] | None, *, cells: bool
    ) -> Iterator[Batch]:
        size = max(1, min(_MOST_ROWS, _MOST_CELLS // len(self.columns)))
        for word, numbers, rows, scores, groups in self._batches(columns, size, group, cells=cells):
            if reads is not None:
                scores[~reads(groups)] = 0.0
            bad = []
            for k in np.flatnonzero(np.isnan(scores).any(axis=1)).tolist():
                column = columns[int(np.argmax(np.isnan(scores[k])))]
                problem = self._problem(rows[k], column) if rows else _MISSING
                bad.append(
                    BadRow(f"{word} {numbers[k]}", problem if len(columns) == 1 else f"{column}: {problem}")
                )
            yield Batch(rows, scores, bad, groups)
        # before the last row counts as done: whoever writes the rows must not finish
        self.require_same()

    def _problem(self, row: Sequence[str], column: str) -> str:
        """Say why a row has no score in a column."""
        return _MISSING

    @abstractmethod
    def _batches(self, columns: list[str], size: int, group: str | None, *, cells: bool) -> Iterator[_Block]:
        """Yield at most `size` rows; the columns exist and may hold numbers."""


@contextmanager
def open_rows(source: str, *, stdin: IO[bytes] | None = None) -> Iterator[RowStream]:
    """Open a CSV (also gzipped) or Parquet file, a glob or directory of either, or "-" for standard input.

    A file without rows is fine. Raises `InputError` in one sentence for everything else.

    Examples
    --------
    >>> import io
    >>> with open_rows("-", stdin=io.BytesIO(b"id;score\\n007;0.5\\n008;x\\n")) as stream:
    ...     batch = next(stream.batches(["score"]))
    >>> batch.rows, batch.bad[0].where, batch.bad[0].problem
    ([['007', '0.5'], ['008', 'x']], 'line 3', "'x' is not a number")
    """
    with ExitStack() as resources:
        name, paths, kind = source_files(source, stdin=stdin, resources=resources)
        snapshot = Snapshot(name, paths)
        stream: RowStream
        if kind == "parquet":
            stream = ParquetRows(name, paths, resources.enter_context(connect()))
        else:
            stream = _TextRows(name, paths, kind)
        stream._snapshot = snapshot
        yield stream


# ---------------------------------------------------------------- CSV


class _TextRows(RowStream):
    def __init__(self, name: str, paths: list[Path], kind: str) -> None:
        self.name = name
        self._paths = paths
        self._kind = kind
        self._types = {}
        for path in paths:
            with text_errors(name), open_text(path, kind) as handle:
                separator, rows = self._reader(handle)
                # names as `open_table` has them, without spaces around
                header = [name.strip() for name in next(rows, [])]
            if path is paths[0]:
                self.separator, self.columns = separator, header
            elif (separator, header) != (self.separator, self.columns):
                raise InputError(f"`{name}` must match files with one header, but {path} has another.")

    def _reader(self, handle: IO[str]) -> tuple[str, Any]:
        first = handle.readline()
        separator = header_separator(first, self.name)
        return separator, csv.reader(chain([first], handle), delimiter=separator)

    def _batches(self, columns: list[str], size: int, group: str | None, *, cells: bool) -> Iterator[_Block]:
        places = [self.columns.index(column) for column in columns]
        at = None if group is None else self.columns.index(group)
        for path in self._paths:
            word = f"{path} line" if len(self._paths) > 1 else "line"
            numbered = self._rows(path)
            while block := dict(islice(numbered, size)):
                rows = list(block.values())
                scores = np.array([_score(row[place]) for row in rows for place in places])
                groups = [] if at is None else ["" if row[at] in MISSING_WORDS else row[at] for row in rows]
                yield word, list(block), rows, scores.reshape(len(rows), len(places)), groups

    def _problem(self, row: Sequence[str], column: str) -> str:
        word = row[self.columns.index(column)].strip()
        missing = word in MISSING_WORDS or word.lower().lstrip("+-") == "nan"
        return _MISSING if missing else f"{word[:40]!r} is not a number"

    def _rows(self, path: Path) -> Iterator[tuple[int, list[str]]]:
        """Yield (line, cells); blank lines are no rows, except in a file of one column."""
        width = len(self.columns)
        with text_errors(self.name), open_text(path, self._kind) as handle:
            rows = self._reader(handle)[1]
            next(rows)
            try:
                for row in rows:
                    if len(row) == width:
                        yield rows.line_num, row
                    elif row:
                        shown = self.name if len(self._paths) == 1 else str(path)
                        raise ragged_line(shown, expected=width, got=len(row), line=rows.line_num)
                    elif width == 1:
                        yield rows.line_num, [""]
            except csv.Error as error:
                rule = f"must be a readable table, got this in line {rows.line_num}: {error}"
                raise InputError(f"`{self.name}` {rule}.") from None


def _score(text: str) -> float:
    """Return the number, NaN if there is none; Python alone would take 1_000 for a thousand."""
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan


# ---------------------------------------------------------------- Parquet


class ParquetRows(RowStream):
    """Parquet files: their columns have types, so a database can read and write them as they are."""

    def __init__(self, name: str, paths: list[Path], connection: Any) -> None:
        self.name = name
        self._connection = connection
        # a name such as scores[1].parquet is meant as it stands: globs are resolved already
        self._params = {"names": [glob.escape(str(path)) for path in paths]}
        self._source = parquet_source(partitioned=bool(partition_columns(name, paths)))
        with database_errors(name):
            relation = connection.sql(f"select * from {self._source}", params=self._params)
        self.columns = list(relation.columns)
        self._types = dict(zip(self.columns, map(str, relation.types), strict=True))

    @property
    def rows_sql(self) -> str:
        """The rows as SQL writes them after FROM."""
        # COPY takes no parameters
        names = ", ".join(map(sql_text, self._params["names"]))
        return self._source.replace("$names", f"[{names}]")

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Run SQL over `rows_sql`."""
        with database_errors(self.name):
            found: list[tuple[Any, ...]] = self._connection.execute(sql).fetchall()
        return found

    def _batches(self, columns: list[str], size: int, group: str | None, *, cells: bool) -> Iterator[_Block]:
        # DuckDB writes the cells, so that dates and decimals look as they do in its own CSV files
        texts = [*(self.columns if cells else ()), *(() if group is None else (group,))]
        shown = [f"coalesce(cast({quoted(name)} as varchar), '')" for name in texts]
        chosen = ", ".join([*shown, *(f"cast({quoted(column)} as double)" for column in columns)])
        with database_errors(self.name):
            result = self._connection.execute(f"select {chosen} from {self._source}", self._params)
        m, rows_before = len(columns), 0
        while True:
            with database_errors(self.name):
                fetched = result.fetchmany(size)
            if not fetched:
                return
            scores = np.array([row[-m:] for row in fetched], dtype=np.float64)  # None becomes NaN
            numbers = range(rows_before + 1, rows_before + len(fetched) + 1)
            groups = [] if group is None else [row[-m - 1] for row in fetched]
            width = len(self.columns)
            yield "row", numbers, [row[:width] for row in fetched] if cells else [], scores, groups
            rows_before += len(fetched)
