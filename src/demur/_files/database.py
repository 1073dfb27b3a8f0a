"""One DuckDB database in memory for the process: opening another takes as long as reading a small file."""

import os
import signal
from contextlib import suppress
from functools import cache
from typing import Any

from demur.exceptions import InputError

__all__ = ["connect", "first_line", "load_duckdb", "quiet", "quoted", "sql_text"]

_SIGNALS = {signal.SIGINT, signal.SIGTERM}
_CAN_WAIT = hasattr(signal, "pthread_sigmask")


def load_duckdb() -> Any:
    """Import DuckDB, or say what to install.

    Signals wait meanwhile: one that interrupts the loading of its compiled module aborts the process.
    """
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS) if _CAN_WAIT else set()
    try:
        import duckdb
    except ImportError:
        raise InputError(
            "Files are read and written with DuckDB, which is not installed. "
            "Hint: pip install 'demur[files]'."
        ) from None
    finally:
        if _CAN_WAIT:
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)
    return duckdb


def connect() -> Any:
    """Open a separate connection to the database of this process; the caller closes it.

    Views and temporary tables belong to the connection that made them. What holds for the whole
    database must not be set here: another file system or a limit on memory needs a database of its own.

    Examples
    --------
    >>> with connect() as connection:
    ...     connection.sql("select 6 * 7").fetchall()
    [(42,)]
    """
    return quiet(_database().cursor())


def quiet(connection: Any) -> Any:
    """Keep DuckDB's own progress bar away: it would go to standard output, between our numbers."""
    connection.execute("set enable_progress_bar = false")
    return connection


def quoted(name: str) -> str:
    """Quote a column name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def sql_text(value: object) -> str:
    """Write a text as SQL does."""
    return "'" + str(value).replace("'", "''") + "'"


def first_line(error: Exception) -> str:
    """Return the first line of an error of a library, without its full stop; its type if it says nothing."""
    return str(error).strip().split("\n", 1)[0].strip().rstrip(".") or type(error).__name__


@cache
def _database() -> Any:
    duckdb = load_duckdb()
    database = duckdb.connect()
    # a file may change between two readings; before version 1.3 DuckDB keeps nothing of it
    with suppress(duckdb.CatalogException):
        database.execute("set global enable_external_file_cache = false")
    return database


# its threads would not live on in a forked process, which could then neither use nor close it
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_database.cache_clear)
