"""Prediction tables in files, read with DuckDB: CSV (also gzipped), Parquet, globs, folders, standard input.

A table is opened first (names and kinds of the columns), then only the columns in use are
read. Nothing about the content is guessed beyond the separator and the kind of each column;
every failure is an `InputError` with one sentence.
"""

import csv
import glob
import gzip
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from os import fspath
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self

import numpy as np

from demur._checks import input_error
from demur.exceptions import InputError
from demur.typing import BoolArray

__all__ = [
    "MISSING_WORDS",
    "Column",
    "FileTable",
    "Kind",
    "column_kind",
    "database_errors",
    "header_separator",
    "open_table",
    "open_text",
    "parquet_source",
    "partition_columns",
    "quoted",
    "ragged_line",
    "source_files",
    "text_errors",
    "unknown_column",
]

Kind = Literal["number", "bool", "text", "other"]

_SEPARATORS = (",", ";", "\t", "|")
MISSING_WORDS = ("", "NA", "N/A", "NULL", "null")
_TABLE_SUFFIXES = (".csv", ".tsv", ".gz", ".parquet", ".pq")
_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|REAL|DOUBLE|DECIMAL.*")
_TEXTS = re.compile(r"VARCHAR|ENUM.*")
# What a file is, by its first bytes: names and suffixes lie more often.
_MAGIC = ((b"PAR1", "parquet"), (b"\x1f\x8b", "gzip"))
_FOREIGN = (
    (b"PK\x03\x04", "an Excel or zip file", "export it as CSV."),
    (b"\xff\xfe", "UTF-16 text", "save it as UTF-8."),
    (b"\xfe\xff", "UTF-16 text", "save it as UTF-8."),
    (b"SQLite format 3", "an SQLite database", "export the table as CSV."),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Column:
    """One column as it stands in the file.

    Attributes
    ----------
    values : array
        Element i is the value of data row i + 1; what stands at missing places is undefined.
    missing : array of bool
        True where the value is missing (empty, NA, NULL or NaN).
    kind : {"number", "bool", "text", "other"}
        What the values are; "other" covers dates and nested types.
    """

    name: str
    values: Any
    missing: BoolArray
    kind: Kind

    @property
    def n_missing(self) -> int:
        """Number of missing values."""
        return int(np.count_nonzero(self.missing))

    @property
    def first_missing(self) -> int | None:
        """Data row (from 1, the header not counted) of the first missing value."""
        return int(np.argmax(self.missing)) + 1 if self.missing.any() else None

    def filled(self) -> Any:
        """Return the values with NaN (numbers) or None (all else) where they are missing."""
        if not self.missing.any():
            return self.values
        filler, kind = (np.nan, np.float64) if self.kind == "number" else (None, object)
        values = self.values.astype(kind)
        values[self.missing] = filler
        return values


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
    columnar : bool
        Whether columns can be read one by one (Parquet).
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
        partitions: tuple[str, ...] = (),
        columnar: bool = False,
    ) -> None:
        if n_rows == 0:
            raise input_error(name, "must hold at least one row below the header", "none")
        self.name = name
        self.n_rows = n_rows
        self.partitions = partitions
        self.columnar = columnar
        self.relation = relation
        self._resources = resources
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
        chosen = self.relation.project(", ".join(map(quoted, wanted)))
        with database_errors(self.name):
            arrays = chosen.fetchnumpy()
        return {name: _column(name, arrays[name], self.kinds[name]) for name in wanted}

    def require(self, names: Iterable[str]) -> None:
        """Raise `InputError` for a column the table does not have."""
        for name in names:
            if name not in self.kinds:
                raise unknown_column(self.name, name, self.kinds)

    def n_numeric(self, name: str) -> int:
        """Return how many values of a text column are numbers, a decimal comma allowed."""
        self.require([name])
        as_number = f"try_cast(replace({quoted(name)}, ',', '.') as double)"
        with database_errors(self.name):
            return int(self.relation.aggregate(f"count({as_number})").fetchall()[0][0])

    def distinct(self, name: str) -> list[Any]:
        """Return the distinct values of a column, at most a thousand, missing ones left out."""
        self.require([name])
        column = quoted(name)
        with database_errors(self.name):
            found = self.relation.filter(f"{column} is not null").project(column).distinct().limit(1000)
            return sorted(value for (value,) in found.fetchall() if value == value)

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
        self._resources.close()


def open_table(
    source: str | Path, *, stdin: IO[bytes] | None = None, memory_limit: str | None = None
) -> FileTable:
    """Open a prediction table.

    Parameters
    ----------
    source : str or Path
        A CSV file (separated by comma, semicolon, tab or bar, with a header; may be gzipped),
        a Parquet file, a glob over files of one kind, a directory of such files, or "-" for CSV
        on standard input. Columns of several files are matched by name; names of folders such
        as ``day=1`` become columns.
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
        name, paths, kind = source_files(fspath(source), stdin=stdin, resources=resources)
        partitions = partition_columns(name, paths)
        connection = resources.enter_context(_connection(memory_limit, resources))
        relation, n_rows = _relation(connection, paths, kind, name, partitioned=bool(partitions))
        return FileTable(
            name=name,
            relation=relation,
            n_rows=n_rows,
            resources=resources,
            partitions=partitions,
            columnar=kind == "parquet",
        )
    except BaseException:
        resources.close()
        raise


def unknown_column(shown: str, name: str, columns: Iterable[str]) -> InputError:
    """Build the error for a column the table does not have."""
    present = list(columns)
    close = get_close_matches(name, present, n=1, cutoff=0.5)
    return InputError(
        f"`{shown}` has no column {name!r}; its columns are {', '.join(present)}."
        + (f" Hint: did you mean {close[0]}?" if close else "")
    )


# ---------------------------------------------------------------- which files


def source_files(
    source: str, *, stdin: IO[bytes] | None, resources: ExitStack
) -> tuple[str, list[Path], str]:
    """Return what to call a source, its files and their kind; "-" is copied to a temporary file."""
    if source == "-":
        name, paths = "standard input", [resources.enter_context(_spooled(stdin or sys.stdin.buffer))]
    else:
        name, paths = source, _existing(source)
    kinds = {_file_kind(path, name if len(paths) == 1 else str(path)) for path in paths}
    if len(kinds) > 1:
        raise input_error(name, "must match files of one kind", " and ".join(sorted(kinds)))
    return name, paths, kinds.pop()


@contextmanager
def _spooled(stream: IO[bytes]) -> Iterator[Path]:
    """Copy a stream to a temporary file: DuckDB reads a source more than once."""
    with tempfile.TemporaryDirectory(prefix="demur-") as folder:
        path = Path(folder) / "stdin.csv"
        with open(path, "wb") as copy:
            shutil.copyfileobj(stream, copy)
        yield path


def _existing(name: str) -> list[Path]:
    path = Path(name)
    if path.is_dir():
        return _files_in(path, name)
    if path.exists():
        return [path]
    if glob.has_magic(name):
        found = [Path(match) for match in sorted(glob.glob(name, recursive=True))]
        files = [match for match in found if match.is_file()]
        if files:
            return files
        raise input_error(name, "must match at least one file", "none")
    raise input_error(name, "must be an existing file", "no such file", _similar_file(path))


def _files_in(folder: Path, shown: str) -> list[Path]:
    """Return the tables in a directory and below; marks such as _SUCCESS and hidden files are none."""
    found = []
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        if not hidden and path.suffix.lower() in _TABLE_SUFFIXES and path.is_file():
            found.append(path)
    # an engine that writes in parts leaves empty ones
    filled = [path for path in found if path.stat().st_size]
    if filled:
        return filled
    got = "empty ones only" if found else "none"
    raise input_error(shown, "must hold CSV or Parquet files", got, "name a file, or another directory.")


def partition_columns(source: str, paths: list[Path]) -> tuple[str, ...]:
    """Return the columns in names of folders, key=value; none unless all files below the source agree.

    Where there are some, DuckDB takes those of the folders above too.
    """
    fixed = Path(source)
    while glob.has_magic(str(fixed)) and not fixed.exists():
        fixed = fixed.parent
    if not fixed.is_dir():
        return ()
    keys = {_folder_keys(path.relative_to(fixed)) for path in paths}
    return _folder_keys(paths[0]) if len(keys) == 1 and keys.pop() else ()


def _folder_keys(path: Path) -> tuple[str, ...]:
    return tuple(part.partition("=")[0] for part in path.parent.parts if "=" in part)


def _similar_file(path: Path) -> str | None:
    if not path.parent.is_dir():
        return f"there is no directory {path.parent}."
    names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    close = get_close_matches(path.name, names, n=1, cutoff=0.8)
    return f"did you mean {path.with_name(close[0])}?" if close else None


def _file_kind(path: Path, shown: str) -> str:
    try:
        with open(path, "rb") as handle:
            start = handle.read(16)
    except OSError as error:
        raise input_error(shown, "must be readable", str(error.strerror)) from None
    if not start:
        raise input_error(shown, "must hold a header and rows", "an empty file")
    for magic, kind, hint in _FOREIGN:
        if start.startswith(magic):
            raise input_error(shown, "must be CSV or Parquet", kind, hint)
    return next((kind for magic, kind in _MAGIC if start.startswith(magic)), "csv")


# ---------------------------------------------------------------- opening with DuckDB


def _connection(memory_limit: str | None, resources: ExitStack) -> Any:
    import duckdb

    if memory_limit is None:
        connection = duckdb.connect()
    else:
        folder = resources.enter_context(tempfile.TemporaryDirectory(prefix="demur-"))
        try:
            connection = duckdb.connect(config={"memory_limit": memory_limit, "temp_directory": folder})
        except duckdb.Error:
            raise input_error("memory_limit", "must be a size such as '1GB'", repr(memory_limit)) from None
    # a bar of DuckDB's own would go to standard output, between our numbers
    connection.execute("set enable_progress_bar = false")
    return connection


def parquet_source(*, partitioned: bool) -> str:
    """Return the SQL for the Parquet files in the parameter `names`."""
    return f"read_parquet($names, union_by_name = true, hive_partitioning = {str(partitioned).lower()})"


def _relation(
    connection: Any, paths: list[Path], kind: str, shown: str, *, partitioned: bool
) -> tuple[Any, int]:
    """Return the DuckDB relation and its number of rows."""
    # a name such as scores[1].csv is meant as it stands: globs are resolved already
    names = [glob.escape(str(path)) for path in paths]
    if kind == "parquet":
        with database_errors(shown):
            source = parquet_source(partitioned=partitioned)
            relation = connection.sql(f"select * from {source}", params={"names": names})
            return relation, int(relation.aggregate("count(*)").fetchall()[0][0])
    # a file without rows tells nothing about kinds, and older versions of DuckDB call it text
    filled = [path for path in paths if len(paths) == 1 or _has_rows(path, kind, shown)] or paths[:1]
    names = [glob.escape(str(path)) for path in filled]
    separators = {_separator(path, kind, shown) for path in filled}
    if len(separators) > 1:
        raise input_error(shown, "must match files with one separator", sorted(separators))
    separator = separators.pop()
    try:
        # DuckDB decides the kinds on a sample; a later surprise makes the reading fail
        relation = _csv_relation(connection, names, kind, separator, sample=20480, partitioned=partitioned)
        return relation, _read_through(relation)
    except _duckdb_error():
        with database_errors(shown, paths=paths, kind=kind, separator=separator):
            relation = _csv_relation(connection, names, kind, separator, sample=-1, partitioned=partitioned)
            return relation, _read_through(relation)


def _csv_relation(
    connection: Any, names: list[str], kind: str, separator: str, *, sample: int, partitioned: bool
) -> Any:
    # Only floats and text: DuckDB would read yes/no as booleans and dates into dates, round 0.25
    # to 0 where the sample held whole numbers only, and drop lines that start with "#" or odd
    # first lines, all without a word.
    words = ", ".join(f"'{word}'" for word in MISSING_WORDS)
    return connection.sql(
        f"""
        select * from read_csv($names, header = true, skip = 0, comment = '', delim = '{separator}',
            quote = '"', escape = '"', nullstr = [{words}], sample_size = {sample}, union_by_name = true,
            compression = '{"gzip" if kind == "gzip" else "none"}',
            hive_partitioning = {str(partitioned).lower()},
            auto_type_candidates = ['DOUBLE', 'VARCHAR'])
        """,
        params={"names": names},
    )


def _read_through(relation: Any) -> int:
    """Convert every value once, so that a surprise shows now; return the number of rows."""
    counts = ", ".join(f"count({quoted(name)})" for name in relation.columns)
    return int(relation.aggregate(f"count(*), {counts}").fetchall()[0][0])


def _has_rows(path: Path, kind: str, shown: str) -> bool:
    with text_errors(shown), open_text(path, kind) as handle:
        handle.readline()
        return any(line.strip() for line in handle)


def _separator(path: Path, kind: str, shown: str) -> str:
    with text_errors(shown), open_text(path, kind) as handle:
        header = handle.readline()
    return header_separator(header, shown)


def header_separator(header: str, shown: str) -> str:
    """Return the separator of the header line; refuse a header that repeats a name."""
    outside = re.sub(r'"[^"]*"', "", header)
    separator = max(_SEPARATORS, key=outside.count)
    names = [name.strip() for name in next(csv.reader([header], delimiter=separator), [])]
    counted = Counter(name.lower() for name in names if name)
    repeated = [name for name in names if counted[name.lower()] > 1]
    if repeated:
        raise input_error(
            shown,
            "must not repeat a column name",
            " and ".join(repeated),
            "names that differ only in upper and lower case count as repeated; rename one.",
        )
    return separator


def open_text(path: Path, kind: str) -> IO[str]:
    """Open a CSV file, gzipped or not, as text."""
    if kind == "gzip":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return open(path, encoding="utf-8-sig", newline="")


@contextmanager
def text_errors(shown: str) -> Iterator[None]:
    """Turn failures of reading text into one sentence."""
    try:
        yield
    except UnicodeDecodeError:
        raise input_error(shown, "must be UTF-8 text", "other bytes", "save it as UTF-8.") from None
    except (OSError, EOFError) as error:
        raise input_error(shown, "must be readable", str(error)) from None


def _duckdb_error() -> type[Exception]:
    import duckdb

    error: type[Exception] = duckdb.Error
    return error


@contextmanager
def database_errors(
    shown: str, *, paths: Iterable[Path] = (), kind: str = "csv", separator: str = ","
) -> Iterator[None]:
    """Turn what DuckDB says into one sentence; for CSV files look for the row at fault first."""
    try:
        yield
    except _duckdb_error() as error:
        for path in paths:
            _check_row_lengths(path, kind, separator, shown)
        first_line = str(error).split("\n", 1)[0].strip().rstrip(".")
        raise InputError(f"`{shown}` must be a readable table, got this from DuckDB: {first_line}.") from None


def _check_row_lengths(path: Path, kind: str, separator: str, shown: str) -> None:
    with text_errors(shown), open_text(path, kind) as handle:
        rows = csv.reader(handle, delimiter=separator)
        header = next(rows)
        for row in rows:
            if row and len(row) != len(header):
                raise ragged_line(shown, expected=len(header), got=len(row), line=rows.line_num)


def ragged_line(shown: str, *, expected: int, got: int, line: int) -> InputError:
    """Build the error for a line with too few or too many fields."""
    return input_error(
        shown,
        f"must have {expected} fields in every line, as in the header",
        f"{got} in line {line}",
        "quote fields that contain the separator.",
    )


# ---------------------------------------------------------------- columns


def quoted(name: str) -> str:
    """Quote a column name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def column_kind(database_type: str) -> Kind:
    """Return what kind of values a DuckDB type holds."""
    if _NUMBERS.fullmatch(database_type):
        return "number"
    if database_type == "BOOLEAN":
        return "bool"
    return "text" if _TEXTS.fullmatch(database_type) else "other"


def _column(name: str, array: Any, kind: Kind) -> Column:
    missing = np.array(np.ma.getmaskarray(array))
    values = np.ma.getdata(array)
    if kind == "number" and values.dtype.kind == "f":
        missing |= np.isnan(values)
    return Column(name=name, values=values, missing=missing, kind=kind)
