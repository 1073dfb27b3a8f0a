"""Prediction tables in files, read with DuckDB: CSV (also gzipped), Parquet, globs, folders, standard input.

A table is opened first (names and kinds of the columns), then only the columns in use are
read. Nothing about the content is guessed beyond the separator and the kind of each column;
every failure is an `InputError` with one sentence.
"""

import glob
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from os import fspath
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Any, Self

from demur._checks import input_error
from demur._files.database import connect, first_line, load_duckdb, quiet, quoted
from demur._files.whole import temporary_folder
from demur._progress import Progress
from demur.engines.addresses import is_remote, remote_files, shown_address
from demur.engines.columns import Column, Kind, column_kind, masked_column, require_columns
from demur.engines.integrity import Snapshot, check_gzip, check_parquet_pages
from demur.engines.paths import folder_keys, is_stream, partition_columns, source_files
from demur.engines.text import (
    MISSING_WORDS,
    NUMBER_AS_PEOPLE_WRITE,
    check_row_lengths,
    copy_with_one_line_end,
    has_rows,
    header_line,
    header_separator,
    mixes_line_ends,
)
from demur.exceptions import InputError

__all__ = ["FileTable", "database_errors", "open_table", "parquet_source"]


class FileTable:
    """An opened table; use it in a ``with`` statement. Made by `open_table`.

    Attributes
    ----------
    name : str
        The source as the user wrote it.
    kinds : dict
        Column name -> kind, in the order of the file.
    n_rows : int
        Number of data rows, at least 1.
    partitions : tuple of str
        Columns that stand in the names of folders, such as day in ``day=1/part.parquet``.
    kind : {"csv", "gzip", "parquet", "remote"}
        What the files are; "remote" are Parquet files at an address.
    columnar : bool
        Whether columns can be read one by one, under the name of the source (Parquet files).
    relation : duckdb.DuckDBPyRelation
        The rows, for queries of one's own; wrap those in `database_errors`.
    """

    def __init__(
        self,
        *,
        name: str,
        relation: Any,
        n_rows: int,
        resources: ExitStack,
        snapshot: Snapshot,
        kind: str,
        partitions: tuple[str, ...] = (),
        columnar: bool = False,
    ) -> None:
        if n_rows == 0:
            raise input_error(name, "must hold at least one row below the header", "none")
        if any("\0" in column for column in relation.columns):
            # libraries in C end a name there
            raise input_error(name, "must have names of columns without the character NUL", "one with it")
        self.name = name
        self.n_rows = n_rows
        self.partitions = partitions
        self.kind = kind
        self.columnar = columnar
        self.relation = relation
        self._resources = resources
        self._snapshot = snapshot
        self.kinds: dict[str, Kind] = {
            column: column_kind(str(kind))
            for column, kind in zip(relation.columns, relation.types, strict=True)
        }

    def read(self, names: Iterable[str]) -> dict[str, Column]:
        """Read columns by name into arrays, rows in the order of the file."""
        wanted = list(dict.fromkeys(names))
        self.require(wanted)
        if not wanted:
            return {}
        if self.kind == "parquet":
            self.check(wanted)
        chosen = self.relation.project(", ".join(map(quoted, wanted)))
        with database_errors(self.name), Progress(None, "reading", "rows") as progress:
            arrays = chosen.fetchnumpy()
            progress.advance(self.n_rows)
        self._snapshot.require_same(self.n_rows, len(arrays[wanted[0]]))
        return {name: masked_column(name, arrays[name], self.kinds[name]) for name in wanted}

    def check(self, names: Iterable[str]) -> None:
        """Raise `InputError` if columns differ from checksums in the files; `read` does so itself."""
        if self.kind == "parquet":
            for path in self._snapshot.states:
                check_parquet_pages(path, list(names), self.name)

    def require(self, names: Iterable[str]) -> None:
        """Raise `InputError` for a column the table does not have."""
        require_columns(self.name, names, self.kinds)

    def not_numbers(self, name: str) -> str:
        """Say in a few words what a column holds in place of numbers."""
        if self.kinds[name] != "text":
            return "another type"
        return f"{self.n_rows - self.n_numeric(name)} of {self.n_rows} rows that are no numbers"

    def n_numeric(self, name: str) -> int:
        """Return how many values of a text column are numbers, a decimal comma allowed."""
        return self._n_rows_where(name, "try_cast(replace({column}, ',', '.') as double) is not null")

    def n_numeric_to_people(self, name: str) -> int:
        """Return how many values of a text column are numbers, with percent signs or separated thousands."""
        signs = NUMBER_AS_PEOPLE_WRITE.replace("'", "''")
        return self._n_rows_where(name, f"regexp_full_match(trim({{column}}), '{signs}')")

    def _n_rows_where(self, name: str, condition: str) -> int:
        self.require([name])
        chosen = condition.replace("{column}", quoted(name))
        with database_errors(self.name):
            return int(self.relation.aggregate(f"count(*) filter ({chosen})").fetchall()[0][0])

    def distinct(self, name: str) -> list[Any]:
        """Return the distinct values of a column, at most a thousand, missing ones left out."""
        self.require([name])
        column = quoted(name)
        with database_errors(self.name):
            values = self.relation.filter(f"{column} is not null").project(column).distinct().limit(1000)
            return sorted(value for (value,) in values.fetchall() if value == value)

    def repeats(self, name: str) -> bool:
        """Tell whether a value of a column stands in several rows."""
        column = quoted(name)
        with database_errors(self.name):
            counts = self.relation.aggregate(f"count({column}), count(distinct {column})").fetchall()
        return bool(counts[0][0] > counts[0][1])

    def n_duplicated(self) -> int:
        """Return how many rows repeat an earlier one in every column."""
        with database_errors(self.name):
            distinct = self.relation.distinct().aggregate("count(*)").fetchall()
        return self.n_rows - int(distinct[0][0])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            # an error may come from a change as well; an interruption does not
            if error is None or isinstance(error, InputError):
                self._snapshot.require_same()
        finally:
            self._resources.close()


def open_table(
    source: str | Path, *, stdin: IO[bytes] | None = None, memory_limit: str | None = None
) -> FileTable:
    """Open a prediction table.

    Parameters
    ----------
    source : str or Path
        A CSV file (separated by comma, semicolon, tab or bar, with a header; may be gzipped),
        a Parquet file, a glob over files of one kind, a directory of such files, the address of
        Parquet files (https://, s3://, gs://, az://), or "-" for CSV on standard input. Columns of
        several files are matched by name; names of folders such as ``day=1`` become columns.
    stdin : binary file, optional
        What "-" reads; the standard input of the process by default.
    memory_limit : str, optional
        What DuckDB may use, such as "1GB"; the rest goes to a temporary folder.

    Returns
    -------
    FileTable
        Close it, or use it in a ``with`` statement.

    Raises
    ------
    InputError
        If the source does not exist, is empty, has no rows or is not such a table.

    Examples
    --------
    >>> import io
    >>> with open_table("-", stdin=io.BytesIO(b"y_true;model\\n0;0.2\\n1;0.9\\n")) as table:
    ...     table.kinds, table.read(["model"])["model"].values.tolist()
    ({'y_true': 'number', 'model': 'number'}, [0.2, 0.9])
    """
    resources = ExitStack()
    try:
        if is_remote(fspath(source)):
            # Parquet files at an address, which DuckDB reads in place
            names, filesystem = remote_files(fspath(source))
            name, kind = shown_address(fspath(source)), "remote"
            snapshot = Snapshot(name, [])
            connection = resources.enter_context(_own_database(memory_limit, resources))
            connection.register_filesystem(filesystem)
            keys = {folder_keys(PurePosixPath(one)) for one in names}
            partitions = keys.pop() if len(keys) == 1 else ()
            relation, n_rows = _parquet(connection, names, name, partitioned=bool(partitions))
            # an address that is shown in part cannot be opened again under its name
            columnar = name == fspath(source)
        else:
            name, paths, kind = source_files(fspath(source), stdin=stdin, resources=resources)
            snapshot = Snapshot(name, paths)
            partitions = () if paths == [Path(name)] else partition_columns(name, paths)
            connection = connect() if memory_limit is None else _own_database(memory_limit, resources)
            resources.enter_context(connection)
            if kind == "gzip":
                for path in paths:
                    check_gzip(path, name)
            relation, n_rows = _relation(
                connection, paths, kind, name, partitioned=bool(partitions), resources=resources
            )
            # what was copied from a stream cannot be read again under its name
            columnar = kind == "parquet" and not is_stream(fspath(source))
        return FileTable(
            name=name,
            relation=relation,
            n_rows=n_rows,
            resources=resources,
            snapshot=snapshot,
            kind=kind,
            partitions=partitions,
            columnar=columnar,
        )
    except BaseException:
        resources.close()
        raise


# ---------------------------------------------------------------- opening with DuckDB


def _own_database(memory_limit: str | None, resources: ExitStack) -> Any:
    """Open a separate database, with settings of its own."""
    duckdb = load_duckdb()
    if memory_limit is None:
        return quiet(duckdb.connect())
    folder = str(resources.enter_context(temporary_folder()))
    try:
        return quiet(duckdb.connect(config={"memory_limit": memory_limit, "temp_directory": folder}))
    except duckdb.Error:
        raise input_error("memory_limit", "must be a size such as '1GB'", repr(memory_limit)) from None


def parquet_source(*, partitioned: bool) -> str:
    """Return the SQL for the Parquet files in the parameter `names`."""
    return f"read_parquet($names, union_by_name = true, hive_partitioning = {str(partitioned).lower()})"


def _parquet(connection: Any, names: list[str], shown: str, *, partitioned: bool) -> tuple[Any, int]:
    """Return the DuckDB relation of Parquet files and its number of rows."""
    with database_errors(shown):
        source = parquet_source(partitioned=partitioned)
        relation = connection.sql(f"select * from {source}", params={"names": names})
        return relation, int(relation.aggregate("count(*)").fetchall()[0][0])


def _relation(
    connection: Any, paths: list[Path], kind: str, shown: str, *, partitioned: bool, resources: ExitStack
) -> tuple[Any, int]:
    """Return the DuckDB relation and its number of rows."""
    # a name such as scores[1].csv is meant as it stands: globs are resolved already
    names = [glob.escape(str(path)) for path in paths]
    if kind == "parquet":
        return _parquet(connection, names, shown, partitioned=partitioned)
    # a file without rows tells nothing about kinds, and older versions of DuckDB call it text
    filled = [path for path in paths if len(paths) == 1 or has_rows(path, kind, shown)] or paths[:1]
    names = [glob.escape(str(path)) for path in filled]
    separators = {header_separator(header_line(path, kind, shown), shown) for path in filled}
    if len(separators) > 1:
        raise input_error(shown, "must match files with one separator", sorted(separators))
    separator = separators.pop()
    try:
        # DuckDB decides the kinds on a sample; a later surprise makes the reading fail
        return _csv_relation(connection, names, kind, separator, sample=20480, partitioned=partitioned)
    except load_duckdb().Error:
        # copies of files that mix line ends: DuckDB takes one kind in a file
        mixed = [path for path in filled if mixes_line_ends(path, kind, shown)]
        copies = {}
        for place, path in enumerate(mixed):
            copies[path] = resources.enter_context(temporary_folder()) / f"{place}.csv"
            copy_with_one_line_end(path, copies[path], kind, shown)
        names = [glob.escape(str(copies.get(path, path))) for path in filled]
        with database_errors(shown, paths=paths, kind=kind, separator=separator):
            return _csv_relation(connection, names, kind, separator, sample=-1, partitioned=partitioned)


def _csv_relation(
    connection: Any, names: list[str], kind: str, separator: str, *, sample: int, partitioned: bool
) -> tuple[Any, int]:
    """Return the DuckDB relation of CSV files and its number of rows.

    Every value is converted once, so that a bad one fails now.
    """
    # Only floats and text: DuckDB would read yes/no as booleans and dates into dates, round 0.25
    # to 0 where the sample held whole numbers only, and drop lines that start with "#" or odd
    # first lines, all without a word.
    words = ", ".join(f"'{word}'" for word in MISSING_WORDS)
    relation = connection.sql(
        f"""
        select * from read_csv($names, header = true, skip = 0, comment = '', delim = '{separator}',
            quote = '"', escape = '"', nullstr = [{words}], sample_size = {sample}, union_by_name = true,
            compression = '{"gzip" if kind == "gzip" else "none"}',
            hive_partitioning = {str(partitioned).lower()},
            auto_type_candidates = ['DOUBLE', 'VARCHAR'])
        """,
        params={"names": names},
    )
    counts = ", ".join(f"count({quoted(name)})" for name in relation.columns)
    with Progress(None, "checking", "rows") as progress:
        n_rows = int(relation.aggregate(f"count(*), {counts}").fetchall()[0][0])
        progress.advance(n_rows)
    return relation, n_rows


@contextmanager
def database_errors(
    shown: str, *, paths: Iterable[Path] = (), kind: str = "csv", separator: str = ","
) -> Iterator[None]:
    """Turn what DuckDB says into one sentence; for CSV files look for the row at fault first."""
    try:
        yield
    except load_duckdb().Error as error:
        for path in paths:
            check_row_lengths(path, kind, separator, shown)
        reason = first_line(error)
        raise InputError(f"`{shown}` must be a readable table, got this from DuckDB: {reason}.") from None
