"""Which files a source names: one file, a folder, a glob, or standard input, and what kind they are.

A name is taken literally if such a file exists; only then * ? [ ] make it a pattern.
"""

import glob
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import IO

from demur._checks import input_error
from demur.engines.addresses import is_address, shown_address

__all__ = ["partition_columns", "source_files"]

_TABLE_SUFFIXES = (".csv", ".tsv", ".gz", ".parquet", ".pq")
# What a file is, by its first bytes: names and suffixes lie more often.
_MAGIC = ((b"PAR1", "parquet"), (b"\x1f\x8b", "gzip"))
_FOREIGN = (
    (b"PK\x03\x04", "an Excel or zip file", "export it as CSV."),
    (b"\xff\xfe", "UTF-16 text", "save it as UTF-8."),
    (b"\xfe\xff", "UTF-16 text", "save it as UTF-8."),
    (b"SQLite format 3", "an SQLite database", "export the table as CSV."),
)


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
    if not name:
        # an empty path is the current folder for the operating system, never for the user
        raise input_error("source", "must name a file, a folder or a pattern", "an empty name")
    path = Path(name)
    if path.is_dir():
        return _files_in(path, name)
    if path.exists():
        return [path]
    if is_address(name):
        hint = "export the table as Parquet or CSV, or count it with `read_counts`."
        raise input_error(shown_address(name), "must be a file", "an address", hint)
    if glob.has_magic(name):
        matches = [Path(match) for match in sorted(glob.glob(name, recursive=True))]
        files = [match for match in matches if match.is_file()]
        if files:
            return files
        raise input_error(name, "must match at least one file", "none")
    raise input_error(name, "must be an existing file", "no such file", _similar_file(path))


def _files_in(folder: Path, shown: str) -> list[Path]:
    """Return the tables in a directory and below; marks such as _SUCCESS and hidden files are none."""
    tables = []
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        if not hidden and path.suffix.lower() in _TABLE_SUFFIXES and path.is_file():
            tables.append(path)
    # an engine that writes in parts leaves empty ones
    filled = [path for path in tables if path.stat().st_size]
    if filled:
        return filled
    got = "empty ones only" if tables else "none"
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
