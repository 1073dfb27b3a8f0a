"""Whether files are what was written, and stay the same while they are read.

gzip has checksums always, Parquet where the writer asked for them; DuckDB reads past both, so that a
flipped bit would be another number without a word. Columns are read one after the other, and a file is read
more than once: one that is written to or replaced meanwhile gives numbers of no state it ever had.
"""

import glob
import gzip
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import IO

from demur._checks import input_error
from demur._files.database import connect, load_duckdb
from demur.engines.text import text_errors

__all__ = ["Snapshot", "check_gzip", "check_parquet_pages"]

_PART = 1 << 20
_RENEW = "the file is damaged; copy or write it again."
# headers of pages are in Thrift's compact protocol: kinds of values, and two fields by their numbers
_BOOLEANS, _INTEGERS, _TEXT, _STRUCT = (1, 2), (4, 5, 6), 8, 12
_PAGE_BYTES, _PAGE_CHECKSUM = 3, 4
_DEEPEST = 32
_HEADER_BYTES = 1 << 16


def check_gzip(path: Path, shown: str) -> None:
    """Refuse a gzipped file whose content is not what was packed."""
    with text_errors(shown), gzip.open(path, "rb") as handle:
        while handle.read(_PART):
            pass


def check_parquet_pages(path: Path, columns: Collection[str], shown: str) -> None:
    """Refuse a Parquet file whose pages of these columns differ from their checksums.

    Files without checksums pass after a look at the first page of each column. So do files that are no
    Parquet: reading them as a table reports what is wrong.
    """
    facts = "path_in_schema, dictionary_page_offset, data_page_offset, total_compressed_size"
    try:
        with connect() as connection:
            chunks = connection.execute(
                f"select {facts} from parquet_metadata($name)", {"name": glob.escape(str(path))}
            ).fetchall()
    except (load_duckdb().Error, UnicodeDecodeError):
        return
    with text_errors(shown), open(path, "rb") as handle:
        size = path.stat().st_size
        for place, *offsets, length in chunks:
            # parts of a nested column are written after its name
            name = next((name for name in columns if f"{place}, ".startswith(f"{name}, ")), None)
            # some writers put 0 where there is no dictionary
            starts = [start for start in offsets if start is not None and 4 <= start < size]
            if name is not None and starts:
                start = min(starts)
                _check_chunk(handle, name, start, min(length, size - start), shown)


def _check_chunk(handle: IO[bytes], name: str, start: int, length: int, shown: str) -> None:
    """Compare the pages of one column chunk with their checksums, until one has none."""
    end = start + length
    while start < end:
        handle.seek(start)
        header = _PageHeader(handle.read(min(_HEADER_BYTES, end - start)))
        try:
            fields = header.numbers()
        except (IndexError, ValueError):
            return
        n_bytes, checksum = fields.get(_PAGE_BYTES), fields.get(_PAGE_CHECKSUM)
        start += header.at
        if n_bytes is None or checksum is None or not 0 <= n_bytes <= end - start:
            return
        handle.seek(start)
        if zlib.crc32(handle.read(n_bytes)) != checksum & 0xFFFFFFFF:
            rule = f"must hold what was written in column {name!r}"
            raise input_error(shown, rule, "a page with another checksum", _RENEW)
        start += n_bytes


class _PageHeader:
    """Header of a Parquet page; what does not end within `data` raises `IndexError`."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def numbers(self, depth: int = 0) -> dict[int, int]:
        """Read the whole numbers among the fields, up to the field that says stop; pass over all others."""
        found: dict[int, int] = {}
        field = 0
        while (head := self._byte()) != 0:
            kind, step = head & 15, head >> 4
            field = field + step if step else self._signed()
            if kind in _INTEGERS:
                found[field] = self._signed()
            elif kind == _TEXT:
                length = self._unsigned()
                self.at += length
            elif kind == _STRUCT and depth < _DEEPEST:
                self.numbers(depth + 1)
            elif kind not in _BOOLEANS:
                raise ValueError("headers of pages hold no lists, maps or deeper structures")
        return found

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128 or shift > 63:
                return value

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)


_HINT = "wait until it is complete, or read a copy."


class Snapshot:
    """Size, time and identity of files at one moment."""

    def __init__(self, name: str, paths: Iterable[Path]) -> None:
        self._name = name
        self.states = {path: _state(path) for path in paths}

    def require_same(self, expected: int = 0, got: int = 0) -> None:
        """Raise `InputError` if a file was changed, replaced or removed since.

        Also if a second reading got another number of rows than expected.
        """
        for path, state in self.states.items():
            if _state(path) != state:
                other = f"{path} changed" if len(self.states) > 1 else "it changed"
                raise input_error(self._name, "must stay the same while it is read", other, _HINT)
        if expected != got:
            raise input_error(
                self._name, "must stay the same while it is read", f"{got} rows after {expected}", _HINT
            )


def _state(path: Path) -> tuple[int, ...] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns
