"""Files that are no tables of cases: JSON records, and counts that were saved."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demur._files.database import connect, load_duckdb
from demur._files.parquet import parquet_schema
from demur._files.temporary import temporary_folder
from demur.counts.scores import SCHEMA
from demur.exceptions import InputError

__all__ = ["holds_counts", "holds_records", "records_as_table"]

_RECORDS = (".json", ".jsonl", ".ndjson")


def holds_counts(file: str) -> bool:
    """Tell whether a file was written by `ScoreCounts.save`."""
    path = Path(file)
    return path.is_file() and parquet_schema(path) == SCHEMA


def holds_records(file: str) -> bool:
    """Tell whether a file is named like JSON: a list of records, or one record per line."""
    path = Path(file)
    return path.suffix.lower() in _RECORDS and path.is_file()


@contextmanager
def records_as_table(file: str) -> Iterator[str]:
    """Yield the name of a Parquet file with the records of a JSON file as rows."""
    duckdb = load_duckdb()
    with temporary_folder() as folder:
        table = folder / "records.parquet"
        source = "'" + str(Path(file)).replace("'", "''") + "'"
        # all records tell the types: a first number among 20 000 whole ones must not fail
        query = f"select * from read_json({source}, sample_size = -1)"
        try:
            with connect() as connection:
                target = str(table).replace("'", "''")
                connection.execute(f"copy ({query}) to '{target}' (format parquet)")
        except duckdb.Error as error:
            said = str(error).split("\n", 1)[0].strip().rstrip(".")
            raise InputError(
                f"`{file}` must hold JSON records, a list or one per line, got this from DuckDB: {said}."
            ) from None
        yield str(table)
