"""Tables of rows, whoever holds them: DuckDB for files on this machine, Spark for a cluster."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from demur.engines.columns import Column, Kind
from demur.engines.files import FileTable, open_table
from demur.engines.sources import MEMORY_LIMIT

if TYPE_CHECKING:
    from demur.engines.spark import SparkTable

__all__ = ["Table", "for_counting", "frame_of", "label_column", "open_with"]


class Table(Protocol):
    """What has to be known of a table before its columns get their roles."""

    name: str
    kinds: dict[str, Kind]
    n_rows: int
    partitions: tuple[str, ...]

    def require(self, names: Iterable[str]) -> None:
        """Raise `InputError` for a column the table does not have."""

    def n_numeric(self, name: str) -> int:
        """Return how many values of a text column are numbers."""

    def n_numeric_to_people(self, name: str) -> int:
        """Return how many values of a text column are numbers with percent signs or separated thousands."""

    def distinct(self, name: str) -> list[Any]:
        """Return the distinct values of a column, at most a thousand, missing ones left out."""

    def read(self, names: Iterable[str]) -> dict[str, Column]:
        """Read columns by name into arrays."""


@contextmanager
def open_with(file: str, engine: str, master: str | None) -> "Iterator[FileTable | SparkTable]":
    """Open a table with DuckDB or Spark; its rows stay where they are until somebody reads them."""
    if engine != "spark":
        limit = None if engine == "memory" else MEMORY_LIMIT
        with open_table(file, memory_limit=limit) as table:
            yield table
        return
    from demur.engines.spark import SparkTable, spark_errors, spark_session

    with spark_session(master) as session, spark_errors(file):
        yield SparkTable(session, file)


def label_column(table: Table, name: str) -> Column:
    """Return the distinct labels as if they were all the rows."""
    labels = np.array(table.distinct(name))
    nothing = np.zeros(len(labels), dtype=np.bool_)
    return Column(name=name, values=labels, missing=nothing, kind=table.kinds[name])


def frame_of(table: Any) -> Any:
    """Return the rows as their engine has them."""
    return table.relation if isinstance(table, FileTable) else table.frame


def for_counting(table: Any) -> Any:
    """Return what `read_counts` takes: Parquet files by name, so that it reads only the columns it needs."""
    return table.name if isinstance(table, FileTable) and table.columnar else frame_of(table)
