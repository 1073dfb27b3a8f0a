"""Which files a source names: one file, a folder, a glob, or standard input, and what kind they are.

A name is taken literally if such a file exists; only then * ? [ ] make it a pattern.
"""

import glob
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from pathlib import Path, PurePath
from typing import IO

from demur._checks import input_error
from demur._files.whole import temporary_folder
from demur.engines.addresses import is_address, shown_address
from demur.exceptions import InputError

__all__ = ["TABLE_SUFFIXES", "folder_keys", "is_stream", "partition_columns", "source_files"]

_SHOWN_CHARACTERS = 80
_HIDDEN = (".", "_")
TABLE_SUFFIXES = (".csv", ".tsv", ".gz", ".parquet", ".pq")
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
    """Return what to call a source, its files and their kind; "-" and pipes are copied first."""
    if source == "-":
        name = "standard input"
        # a process may be started without one
        if stdin is None and sys.stdin is None:
            raise input_error(name, "must be open", "a closed stream", "name a file.")
        paths = [resources.enter_context(_spooled(stdin or sys.stdin.buffer, name))]
    else:
        name, paths = source, _existing(source)
        if is_stream(source):
            with _opened(paths[0], source) as stream:
                paths = [resources.enter_context(_spooled(stream, source))]
    kinds = {_file_kind(path, name if len(paths) == 1 else str(path)) for path in paths}
    if len(kinds) > 1:
        raise input_error(name, "must match files of one kind", " and ".join(sorted(kinds)))
    return name, paths, kinds.pop()


def is_stream(source: str) -> bool:
    """Tell whether a source can be read only once: standard input, a pipe such as <(command), a terminal.

    Other devices are refused: some never end.
    """
    if source == "-":
        return True
    path = Path(source)
    mode = path.stat().st_mode if path.exists() else stat.S_IFREG
    device = stat.S_ISCHR(mode) or stat.S_ISBLK(mode)
    if device and not path.samefile(os.devnull):
        with _opened(path, source) as stream:
            if not stream.isatty():
                raise input_error(source, "must be a file or a pipe", "a device")
    return device or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _opened(path: Path, shown: str) -> IO[bytes]:
    try:
        return open(path, "rb")
    except OSError as error:
        raise input_error(shown, "must be readable", str(error.strerror)) from None


@contextmanager
def _spooled(stream: IO[bytes], shown: str) -> Iterator[Path]:
    """Copy a stream to a temporary file: DuckDB reads a source more than once."""
    with temporary_folder() as folder:
        path = folder / "stdin.csv"
        try:
            with open(path, "wb") as copy:
                shutil.copyfileobj(stream, copy)
        except OSError as error:
            raise input_error(
                shown,
                f"must be copied to {folder.parent}",
                str(error.strerror),
                "set TMPDIR to a folder with more room, or name a file.",
            ) from None
        yield path


def _existing(name: str) -> list[Path]:
    if not name:
        # an empty path is the current folder for the operating system, never for the user
        raise input_error("source", "must name a file, a folder or a pattern", "an empty name")
    path = Path(name)
    try:
        if path.is_dir():
            return _files_in(path, name)
        if path.exists():
            return [path]
        return _matching(name)
    except OSError as error:
        shown = name if len(name) <= _SHOWN_CHARACTERS else f"{name[: _SHOWN_CHARACTERS - 3]}..."
        elsewhere = error.filename is not None and str(error.filename) != name
        reason = f"{error.strerror}: {error.filename}" if elsewhere else str(error.strerror)
        raise input_error(shown, "must be readable", reason) from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise input_error("source", "must name a file", "the character NUL in its name") from None


def _matching(name: str) -> list[Path]:
    """Return the files that a name matches which is not that of a file."""
    path = Path(name)
    if is_address(name):
        hint = "export the table as Parquet or CSV, or count it with `read_counts`."
        raise input_error(shown_address(name), "must be a file", "an address", hint)
    if glob.has_magic(name):
        files = [Path(match) for match in sorted(glob.glob(name, recursive=True)) if os.path.isfile(match)]
        if files:
            return files
        raise input_error(name, "must match at least one file", "none")
    hint = f"there is no directory {path.parent}."
    if path.parent.is_dir():
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
        close = get_close_matches(path.name, names, n=1, cutoff=0.8)
        hint = f"did you mean {path.with_name(close[0])}?" if close else ""
    raise input_error(name, "must be an existing file", "no such file", hint or None)


def _files_in(folder: Path, shown: str) -> list[Path]:
    """Return the tables in a directory and below; ignore hidden files and marks such as _SUCCESS.

    A folder that cannot be read is refused: without its rows the answer would be another one.
    """
    tables = []
    for parent, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not name.startswith(_HIDDEN))
        for name in names:
            path = Path(parent) / name
            if not name.startswith(_HIDDEN) and path.suffix.lower() in TABLE_SUFFIXES and path.is_file():
                tables.append(path)
    # an engine that writes in parts leaves empty ones
    filled = sorted(path for path in tables if path.stat().st_size)
    if filled:
        return filled
    raise input_error(
        shown,
        "must hold CSV or Parquet files",
        "empty ones only" if tables else "none",
        "name a file, or another directory.",
    )


def _refuse(error: OSError) -> None:
    raise error


def partition_columns(source: str, paths: list[Path]) -> tuple[str, ...]:
    """Return the columns in names of folders, key=value; none unless all files below the source agree.

    Where there are some, DuckDB takes those of the folders above too.
    """
    fixed = Path(source)
    while glob.has_magic(str(fixed)) and not fixed.exists():
        fixed = fixed.parent
    if not fixed.is_dir():
        return ()
    keys = {folder_keys(path.relative_to(fixed)) for path in paths}
    return folder_keys(paths[0]) if len(keys) == 1 and keys.pop() else ()


def folder_keys(path: PurePath) -> tuple[str, ...]:
    """Return the keys of folders key=value in a path."""
    return tuple(part.partition("=")[0] for part in path.parent.parts if "=" in part)


def _file_kind(path: Path, shown: str) -> str:
    with _opened(path, shown) as handle:
        start = handle.read(16)
    if not start:
        raise input_error(shown, "must hold a header and rows", "an empty file")
    for magic, kind, hint in _FOREIGN:
        if start.startswith(magic):
            raise input_error(shown, "must be CSV or Parquet", kind, hint)
    return next((kind for magic, kind in _MAGIC if start.startswith(magic)), "csv")
