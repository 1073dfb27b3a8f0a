"""Tables on a Spark cluster: a session for a master, CSV and Parquet files as a Spark data frame.

Nothing is counted here. The frame goes to `read_counts`, which groups it with the same expression
as every other frame, so Spark brings no formula of its own. PySpark and Java are needed only when
a session is opened; every failure is an `InputError` with one sentence.
"""

import csv
import os
import re
import shutil
import socket
import struct
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from demur._checks import input_error
from demur.engines.addresses import is_address, shown_address, without_secrets
from demur.engines.columns import Column, require_columns
from demur.engines.frames import FrameTable, column_kinds, narwhals
from demur.engines.paths import is_stream, partition_columns, source_files
from demur.engines.tallies import is_missing
from demur.engines.text import MISSING_WORDS, NUMBER_AS_PEOPLE_WRITE, header_line, header_separator
from demur.exceptions import InputError

__all__ = ["SparkTable", "open_frame", "spark_errors", "spark_session"]

_WAIT_SECONDS = 10.0
_STREAM_REQUEST = 6  # the type of a frame in Spark's network protocol
# what the connection to a driver that was killed ends with
_GONE = (ConnectionError, EOFError)
_MASTERS = re.compile(r"local(-cluster)?(\[[\d*, ]+\])?|spark://[^/,]+:\d+(,[^/,]+:\d+)*|yarn|k8s://.+")
# enough rows to show one that is at fault
_SHOWN_ROWS = 10_000
# what DuckDB reads as a number; Java alone would take "1d" and "0x1p3" as well
_NUMBER = r"(?i)^\s*-?(\d+\.?\d*(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?|inf|infinity|nan)$"


# ---------------------------------------------------------------- a session


@contextmanager
def spark_session(master: str | None = None) -> Iterator[Any]:
    """Open a Spark session on a master; use the one this process already has, if there is one.

    Parameters
    ----------
    master : str, optional
        As Spark writes it: spark://host:7077, local[2], yarn, k8s://https://host:443. By default
        that of the session in use, or all cores of this machine. Memory, cores and everything
        else come from the user's spark-defaults.conf.

    Raises
    ------
    InputError
        If PySpark or Java is missing, the master has another form or does not answer.
    """
    try:
        with _quiet_about_pandas():
            import_module("pyarrow")  # what counts come back through
            sql = import_module("pyspark.sql")
    except ImportError as error:
        raise InputError(
            f"The Spark engine needs PySpark and PyArrow ({error}). Hint: pip install 'demur[spark]'."
        ) from None
    try:
        running = sql.SparkSession.getActiveSession()
    except _failures() as error:
        raise InputError(
            f"The Spark session of this process is of no use any more: {_reason(error)}. "
            "Hint: start Python again."
        ) from None
    if master is None:
        master = "local[*]" if running is None else running.sparkContext.master
    if not _MASTERS.fullmatch(master):
        raise InputError(
            f"A Spark master looks like spark://host:7077, local[2], yarn or k8s://host, got {master!r}."
        )
    if running is not None:
        if running.sparkContext.master != master:
            raise InputError(
                f"A Spark session with master {running.sparkContext.master} is open, got {master!r}. "
                "Hint: a process has one at a time; stop it, or use its master."
            )
        yield running
        return
    home = os.environ.get("JAVA_HOME")
    if not (Path(home, "bin", "java").exists() if home else shutil.which("java")):
        where = f"JAVA_HOME is {home}, which has none" if home else "there is no `java` on the PATH"
        raise InputError(f"The Spark engine needs Java 17 or newer: {where}. Hint: install a Java runtime.")
    _require_answer(master, _WAIT_SECONDS)
    with _quiet_about_pandas():
        session = _started(sql, master)
        try:
            yield session
        finally:
            # a driver that is gone cannot be stopped
            with suppress(*_failures()):
                session.stop()


@contextmanager
def _quiet_about_pandas() -> Iterator[None]:
    """Suppress the warning of PySpark about new versions of pandas, which is not used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


def _require_answer(master: str, seconds: float) -> None:
    """Check that a standalone master answers: Spark itself would try for a minute without a reason."""
    if not master.startswith("spark://"):
        return
    reasons = []
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), timeout=seconds) as connection:
                if _speaks_spark(connection):
                    return
            reasons.append("something else answers there")
        except (OSError, OverflowError) as error:
            reasons.append(str(getattr(error, "strerror", None) or error))
    raise InputError(
        f"No Spark master answers at {master} within {seconds:g} seconds ({'; '.join(reasons)}). "
        "Hint: check host and port, and that the master runs."
    )


def _speaks_spark(connection: socket.socket) -> bool:
    """Request a stream that does not exist: a Spark master refuses it in a frame of its own protocol.

    A frame is its own length in 8 bytes, a type in one, and the rest. Who hangs up without a word may
    be a master that wants a secret first: Spark itself will tell.
    """
    asked = b"/files/none"
    frame = bytes([_STREAM_REQUEST]) + struct.pack(">i", len(asked)) + asked
    connection.sendall(struct.pack(">q", 8 + len(frame)) + frame)
    try:
        answer = connection.recv(9)
    except ConnectionError:
        return True
    return not answer or answer[0] == 0


def _started(sql: Any, master: str) -> Any:
    core, launch = import_module("pyspark"), import_module("pyspark.java_gateway").launch_gateway
    on_terminal = sys.stderr.isatty()
    conf = core.SparkConf().setMaster(master).setAppName("demur")
    conf.set("spark.ui.showConsoleProgress", str(on_terminal).lower())
    # what Java says goes to the terminal, or into a file that is read only when the start fails
    with tempfile.TemporaryFile() as log:
        try:
            gateway = None
            if core.SparkContext._gateway is None:
                gateway = launch(
                    conf, {"stdout": 2 if on_terminal else log, "stderr": None if on_terminal else log}
                )
            return sql.SparkSession(core.SparkContext(conf=conf, gateway=gateway))
        except _failures() as error:
            raise InputError(f"Spark does not start on {master}: {_reason(error, log)}.") from None


def _failures() -> tuple[type[Exception], ...]:
    from_java = import_module("py4j.protocol").Py4JError, import_module("pyspark.errors").PySparkException
    return *from_java, *_GONE


def _reason(error: Exception, log: IO[bytes] | None = None) -> str:
    """Return the line that tells why: the innermost cause, without Spark's codes around it."""
    if isinstance(error, (*_GONE, import_module("py4j.protocol").Py4JNetworkError)):
        return "its driver has stopped"
    text, cause = str(error), getattr(error, "java_exception", getattr(error, "_origin", None))
    while cause is not None:
        text, cause = str(cause.getMessage() or cause.toString()), cause.getCause()
    if log is not None and "JAVA_GATEWAY_EXITED" in text:
        log.seek(0)
        text = (log.read().decode(errors="replace").strip() or text).splitlines()[-1]
    return re.sub(r"^\[[\w.]+\] |\s*SQLSTATE: \w+$", "", text.strip().split("\n", 1)[0].strip()).rstrip(".")


@contextmanager
def spark_errors(shown: str) -> Iterator[None]:
    """Turn what Spark says into one sentence."""
    try:
        yield
    except _failures() as error:
        raise InputError(
            f"`{shown_address(shown)}` must be a readable table, "
            f"got this from Spark: {without_secrets(_reason(error), shown)}."
        ) from None


# ---------------------------------------------------------------- a table to look at


class SparkTable:
    """Files as a Spark data frame, with what has to be known before its columns get their roles.

    Attributes
    ----------
    name : str
        The source as the user wrote it, without passwords.
    frame : pyspark.sql.DataFrame
        What `read_counts` takes.
    kinds : dict
        Column name -> kind, in the order of the files.
    n_rows : int
        Number of data rows, at least 1.
    partitions : tuple of str
        Columns that stand in the names of folders.
    """

    def __init__(self, session: Any, source: str) -> None:
        self.name = shown_address(source)
        # what only Spark can look at, hdfs:// and s3a://, has no folders to read here
        self.partitions = () if is_address(source) else partition_columns(source, _files(source)[0])
        self.frame = open_frame(session, source)
        self._frame = narwhals().from_native(self.frame)
        self.kinds = column_kinds(self._frame)
        with spark_errors(source):
            self.n_rows = int(self.frame.count())
        if self.n_rows == 0:
            raise input_error(self.name, "must hold at least one row below the header", "none")

    def require(self, names: Iterable[str]) -> None:
        """Raise `InputError` for a column the table does not have."""
        require_columns(self.name, names, self.kinds)

    def n_numeric(self, name: str) -> int:
        """Return how many values of a text column are numbers, a decimal comma allowed."""
        sql = import_module("pyspark.sql.functions")
        with spark_errors(self.name):
            number = sql.replace(_column(name), sql.lit(","), sql.lit(".")).rlike(_NUMBER)
            return int(self.frame.filter(number).count())

    def n_numeric_to_people(self, name: str) -> int:
        """Return how many values of a text column are numbers, with percent signs or separated thousands."""
        sql = import_module("pyspark.sql.functions")
        with spark_errors(self.name):
            number = sql.trim(_column(name)).rlike(f"^({NUMBER_AS_PEOPLE_WRITE})$")
            return int(self.frame.filter(number).count())

    def n_duplicated(self) -> int:
        """Return how many rows repeat an earlier one in every column."""
        with spark_errors(self.name):
            return self.n_rows - int(self.frame.distinct().count())

    def distinct(self, name: str) -> list[Any]:
        """Return the distinct values of a column, at most a thousand, missing ones left out."""
        with spark_errors(self.name):
            chosen = self.frame.select(_column(name).alias("value")).dropna().distinct()
            return sorted(row[0] for row in chosen.limit(1000).collect())

    def repeats(self, name: str) -> bool:
        """Tell whether a value of a column stands in several rows."""
        with spark_errors(self.name):
            chosen = self.frame.select(_column(name).alias("value")).dropna()
            return bool(chosen.count() > chosen.distinct().count())

    def read(self, names: Iterable[str]) -> dict[str, Column]:
        """Read the first rows of columns, for messages."""
        wanted = list(dict.fromkeys(names))
        self.require(wanted)
        with spark_errors(self.name):
            rows = FrameTable(self.name, self._frame, at_once=True).head(tuple(wanted), _SHOWN_ROWS)
        return {
            name: Column(name=name, values=values, missing=is_missing(values), kind=self.kinds[name])
            for name, values in rows.items()
        }


# ---------------------------------------------------------------- files as a frame


def open_frame(session: Any, source: str) -> Any:
    """Return files as a Spark data frame whose columns are numbers, booleans, text or something else.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
        As `spark_session` gives it.
    source : str
        A CSV file (also gzipped), a Parquet file, a glob of either, or a place such as
        hdfs://host/folder. Every worker must see the files under the same name. Columns of several
        files are matched by name, and those of a CSV are numbers where all values are.

    Raises
    ------
    InputError
        If the source does not exist or Spark cannot read it.
    """
    if is_address(source):
        with spark_errors(source):
            if not re.search(r"\.(csv|txt|tsv)(\.gz)?/?$", source):
                return _parquet(session.read, [source])
            first = session.read.text(source).first()
            if first is None:
                raise input_error(shown_address(source), "must hold a header and rows", "empty files")
            separator, names = _header(first[0].removeprefix("\ufeff"), shown_address(source))
            return _with_numbers(_csv_part(session.read, [source], separator, names, whole=False), set(names))
    paths, kind = _files(source)
    for path in paths:
        if path.name.startswith(("_", ".")):
            raise input_error(
                str(path), "must not start with _ or .", path.name, "Spark passes over such files; rename it."
            )
        if (kind == "gzip") != (path.suffix == ".gz") and kind != "parquet":
            raise input_error(
                str(path),
                "must end in .gz exactly if it is gzipped",
                path.name,
                "Spark goes by the name; rename it.",
            )
    reader = session.read
    if partition_columns(source, paths):
        # the folder below which the names of folders are columns
        above = next(one for one in paths[0].parents if not any("=" in part for part in one.parts))
        reader = reader.option("basePath", _uri(above))
    with spark_errors(source):
        if kind == "parquet":
            return _parquet(reader, [_uri(path) for path in paths])
        try:
            return _csv(reader, paths, kind, source, whole=False)
        except _failures():
            # a field may go over several lines; then Spark has to read every file in one piece
            return _csv(reader, paths, kind, source, whole=True)


def _files(source: str) -> tuple[list[Path], str]:
    if source == "-":
        raise InputError("Spark reads files, not standard input. Hint: name a file that every worker sees.")
    with ExitStack() as resources:
        _, paths, kind = source_files(source, stdin=None, resources=resources)
        if is_stream(source):
            raise input_error(source, "must be a file where Spark reads it", "a pipe")
    return paths, kind


def _uri(path: Path) -> str:
    """Name a local file for Spark, which would take [ and ] for a pattern."""
    return "file://" + re.sub(r"([\\{}\[\]*?])", r"\\\1", str(path.absolute()))


def _parquet(reader: Any, places: list[str]) -> Any:
    return reader.option("mergeSchema", "true").parquet(*places)


def _csv(reader: Any, paths: list[Path], kind: str, shown: str, *, whole: bool) -> Any:
    """Read files with one header together, then match columns by name: Spark goes by position."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for path in paths:
        header = _header(header_line(path, kind, shown), shown)
        alike.setdefault(header, []).append(_uri(path))
    frames = [_csv_part(reader, places, *header, whole=whole) for header, places in alike.items()]
    frame = reduce(lambda stacked, more: stacked.unionByName(more, allowMissingColumns=True), frames)
    return _with_numbers(frame, {name for _, names in alike for name in names})


def _header(line: str, shown: str) -> tuple[str, tuple[str, ...]]:
    """Return separator and names; a column without a name is called as DuckDB does."""
    separator = header_separator(line, shown)
    names = next(csv.reader([line], delimiter=separator), [])
    return separator, tuple(name.strip() or f"column{k}" for k, name in enumerate(names))


def _csv_part(reader: Any, places: list[str], separator: str, names: tuple[str, ...], *, whole: bool) -> Any:
    kinds = import_module("pyspark.sql.types")
    # text first: Spark would make booleans and dates of it. FAILFAST without column pruning, or a
    # line with too few fields would be filled up in silence
    return reader.option("columnPruning", "false").csv(
        places,
        schema=kinds.StructType([kinds.StructField(name, kinds.StringType()) for name in names]),
        sep=separator,
        header=True,
        quote='"',
        escape='"',
        mode="FAILFAST",
        multiLine=whole,
    )


def _with_numbers(frame: Any, texts: set[str]) -> Any:
    """Make numbers of the columns that hold nothing else, and nulls of the words for missing values.

    Columns beside `texts` stand in the names of folders, and have a type already.
    """
    sql = import_module("pyspark.sql.functions")
    columns = {name: _column(name) for name in frame.columns}
    present = {name: sql.when(~columns[name].isin(*MISSING_WORDS), columns[name]) for name in texts}
    counts = []
    for name, value in present.items():
        number = sql.when(value.rlike(_NUMBER), value)
        counts.append((sql.count(value) == sql.count(number)).alias(name))
    numbers = frame.agg(*counts).first().asDict()
    for name, value in present.items():
        columns[name] = (sql.trim(value).cast("double") if numbers[name] else value).alias(name)
    return frame.select(*columns.values())


def _column(name: str) -> Any:
    """Name a column as it stands: Spark would look for a field of a structure in a.b."""
    return import_module("pyspark.sql.functions").col("`" + name.replace("`", "``") + "`")
