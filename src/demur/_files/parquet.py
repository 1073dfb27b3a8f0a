"""Columns of numbers to and from one Parquet file, with a schema name and version inside."""

import glob
import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from demur._checks import input_error
from demur._files.database import connect, first_line, load_duckdb, sql_text
from demur._files.whole import draft_of
from demur.exceptions import InputError
from demur.typing import FloatArray

__all__ = ["parquet_fact", "read_columns", "write_columns"]

_RENEW = "the file was damaged or edited; count and save again."


def write_columns(
    path: str | Path,
    columns: dict[str, FloatArray],
    *,
    schema: str,
    version: int,
    model: str | None = None,
) -> None:
    """Write equally long columns, and the name of their model; the file appears whole or not at all."""
    duckdb = load_duckdb()
    named = ""
    if model is not None:
        if "\0" in model:
            raise input_error("model", "must be a name without the character NUL", repr(model))
        named = f", model: {sql_text(model)}"
    with draft_of(path) as draft:
        try:
            with connect() as connection:
                connection.register("written", columns)
                connection.execute(
                    f"copy written to {sql_text(draft)} "
                    f"(format parquet, use_tmp_file false, kv_metadata {{schema: '{schema}', "
                    f"version: '{version}', digest: '{_digest(columns)}'{named}}})"
                )
        except duckdb.Error as error:
            raise InputError(f"`{path}` cannot be written: {first_line(error)}.") from None


def read_columns(
    path: str | Path, names: dict[int, tuple[str, ...]], *, schema: str
) -> tuple[int, dict[str, FloatArray]]:
    """Read version and columns written by `write_columns`; refuses other files and other versions.

    `names` tells which columns each version holds. Columns that differ from what was written are
    refused, too: the file holds a digest of them (those of demur 1 hold none).
    """
    duckdb = load_duckdb()
    if not Path(path).is_file():
        got = "a folder" if str(path) and Path(path).is_dir() else "no such file"
        raise input_error(str(path) or "path", "must be a readable Parquet file", got)
    source = sql_text(glob.escape(str(path)))
    try:
        with connect() as connection:
            stored = connection.sql(f"select decode(key), decode(value) from parquet_kv_metadata({source})")
            written: dict[str, str] = dict(stored.fetchall())
            if written.get("schema") != schema:
                raise input_error(
                    str(path), f"must hold {schema}", written.get("schema", "another Parquet file")
                )
            known = {str(version): columns for version, columns in names.items()}
            if written.get("version") not in known:
                raise input_error(
                    str(path),
                    f"must be of version {' or '.join(known)}",
                    written.get("version"),
                    "use a newer demur.",
                )
            wanted = ", ".join(known[written["version"]])
            columns: dict[str, Any] = connection.sql(
                f"select {wanted} from read_parquet({source})"
            ).fetchnumpy()
    except duckdb.Error as error:
        raise InputError(f"`{path}` must be a readable Parquet file: {first_line(error)}.") from None
    except UnicodeDecodeError:
        raise input_error(str(path), "must be a readable Parquet file", "broken text", _RENEW) from None
    if "digest" in written and written["digest"] != _digest(columns):
        raise input_error(str(path), "must hold the numbers that were written", "others", _RENEW)
    return int(written["version"]), columns


def parquet_fact(path: Path, key: str) -> str | None:
    """Return what `write_columns` wrote into a file under "schema" or "model"; None if nothing."""
    # a pipe can be read only once
    if not path.is_file():
        return None
    try:
        with open(path, "rb") as handle:
            if handle.read(4) != b"PAR1":
                return None
    except OSError:
        return None
    duckdb = load_duckdb()
    try:
        with connect() as connection:
            # DuckDB would take [1] for a pattern
            source = f"parquet_kv_metadata({sql_text(glob.escape(str(path)))})"
            stored = connection.sql(
                f"select decode(value) from {source} where decode(key) = '{key}'"
            ).fetchall()
    except (duckdb.Error, UnicodeDecodeError):
        # whoever reads the file as a table says what is wrong with it
        return None
    return str(stored[0][0]) if stored else None


def _digest(columns: dict[str, Any]) -> str:
    """Return a digest of names and values; empty for columns that hold anything but numbers."""
    digest = hashlib.sha256()
    for name, values in columns.items():
        if np.ma.is_masked(values) or values.dtype.kind != "f":
            return ""
        numbers = np.ma.getdata(values)
        digest.update(f"{name} {len(numbers)} ".encode())
        digest.update(numbers.astype("<f8").tobytes())
    return digest.hexdigest()
