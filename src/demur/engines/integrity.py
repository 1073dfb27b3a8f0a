"""Whether files are what was written, and stay the same while they are read.

gzip has checksums always, Parquet where the writer asked for them; DuckDB reads past both, so that a
flipped bit would be another number without a word. Columns are read one after the other, and a file is read
more than once: one that is written to or replaced meanwhile gives numbers of no state it ever had.
"""

import gzip
import zlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from demur._checks import input_error
from demur.engines.text import text_errors

__all__ = ["Snapshot", "check_gzip", "check_parquet_pages"]

_PART = 1 << 20
_RENEW = "the file is damaged; copy or write it again."
# Parquet writes its headers in Thrift's compact protocol
_TRUE, _FALSE, _BYTE, _SHORT, _INT, _LONG, _DOUBLE, _TEXT, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_DEEPEST = 32
_HEADER_BYTES = 1 << 16
# fields of FileMetaData, RowGroup, ColumnChunk, ColumnMetaData and PageHeader, by their numbers
_ROW_GROUPS, _COLUMNS, _CHUNK = 4, 1, 3
_PATH, _CHUNK_BYTES, _DATA_OFFSET, _DICTIONARY_OFFSET = 3, 7, 9, 11
_PAGE_BYTES, _PAGE_CHECKSUM = 3, 4


def check_gzip(path: Path, shown: str) -> None:
    """Refuse a gzipped file whose content is not what was packed."""
    with text_errors(shown), gzip.open(path, "rb") as handle:
        while handle.read(_PART):
            pass


def check_parquet_pages(path: Path, columns: Collection[str], shown: str) -> None:
    """Refuse a Parquet file whose pages of these columns differ from their checksums.

    Files without checksums pass after a look at the first page of each column. So does what is no
    Parquet file at all: whoever reads it as a table says what is wrong.
    """
    with text_errors(shown), open(path, "rb") as handle:
        size = path.stat().st_size
        try:
            chunks = list(_chunks(handle, size, columns))
        except _MalformedError:
            return
        for name, start, length in chunks:
            _check_chunk(handle, name, start, min(length, size - start), shown)


def _chunks(handle: IO[bytes], size: int, columns: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """Yield column, first byte and number of bytes of every column chunk asked for."""
    handle.seek(max(size - 8, 0))
    end = handle.read(8)
    length = int.from_bytes(end[:4], "little")
    if end[4:] != b"PAR1" or length > size - 12:
        raise _MalformedError
    handle.seek(size - 8 - length)
    footer = _Compact(handle.read(length)).struct()
    for group in _items(footer, _ROW_GROUPS):
        for column in _items(group, _COLUMNS):
            about = column.get(_CHUNK) if isinstance(column, dict) else None
            if not isinstance(about, dict):
                raise _MalformedError
            path = [part for part in _items(about, _PATH) if isinstance(part, bytes)]
            name = path[0].decode(errors="replace") if path else ""
            starts = [about[key] for key in (_DICTIONARY_OFFSET, _DATA_OFFSET) if key in about]
            n_bytes = about.get(_CHUNK_BYTES)
            # some writers put 0 where there is no dictionary
            starts = [start for start in starts if isinstance(start, int) and 4 <= start < size]
            if not starts or not isinstance(n_bytes, int):
                raise _MalformedError
            if name in columns:
                yield name, min(starts), n_bytes


def _check_chunk(handle: IO[bytes], name: str, start: int, length: int, shown: str) -> None:
    """Compare the pages of one column chunk with their checksums, until one has none."""
    end = start + length
    while start < end:
        handle.seek(start)
        header = _Compact(handle.read(min(_HEADER_BYTES, end - start)))
        try:
            fields = header.struct()
        except _MalformedError:
            fields = {}
        n_bytes, checksum = fields.get(_PAGE_BYTES), fields.get(_PAGE_CHECKSUM)
        start += header.at
        if not isinstance(n_bytes, int) or not isinstance(checksum, int) or not 0 <= n_bytes <= end - start:
            return
        handle.seek(start)
        if zlib.crc32(handle.read(n_bytes)) != checksum & 0xFFFFFFFF:
            rule = f"must hold what was written in column {name!r}"
            raise input_error(shown, rule, "a page with another checksum", _RENEW)
        start += n_bytes


class _MalformedError(Exception):
    """What is no header of Parquet."""


def _items(fields: Any, key: int) -> list[Any]:
    found = fields.get(key) if isinstance(fields, dict) else None
    if not isinstance(found, list):
        raise _MalformedError
    return found


class _Compact:
    """Values of Thrift's compact protocol, read one after the other; structs as {number of field: value}."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Read fields up to the one that says stop."""
        if depth > _DEEPEST:
            raise _MalformedError
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != 0:
            kind, step = head & 15, head >> 4
            number = number + step if step else self._signed()
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        if kind in (_SHORT, _INT, _LONG):
            return self._signed()
        if kind == _DOUBLE:
            return self._bytes(8)
        if kind == _TEXT:
            return self._bytes(self._unsigned())
        if kind in (_LIST, _SET):
            head = self._byte()
            n = head >> 4 if head >> 4 < 15 else self._unsigned()
            return [self._value(head & 15, depth + 1) for _ in range(self._plausible(n))]
        if kind == _STRUCT:
            return self.struct(depth + 1)
        # Parquet has no maps
        raise _MalformedError

    def _plausible(self, n: int) -> int:
        """No list holds more values than there are bytes."""
        if n > len(self.data) - self.at:
            raise _MalformedError
        return n

    def _byte(self) -> int:
        return self._bytes(1)[0]

    def _bytes(self, n: int) -> bytes:
        start, self.at = self.at, self.at + self._plausible(n)
        return self.data[start : self.at]

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
        self._states = {path: _state(path) for path in paths}

    @property
    def paths(self) -> list[Path]:
        """The files."""
        return list(self._states)

    def require_same(self) -> None:
        """Raise `InputError` if a file was changed, replaced or removed since."""
        for path, state in self._states.items():
            if _state(path) != state:
                other = f"{path} changed" if len(self._states) > 1 else "it changed"
                raise input_error(self._name, "must stay the same while it is read", other, _HINT)

    def require_rows(self, expected: int, got: int) -> None:
        """Raise `InputError` if a second reading gave another number of rows."""
        if expected != got:
            rows = f"{got} rows after {expected}"
            raise input_error(self._name, "must stay the same while it is read", rows, _HINT)


def _state(path: Path) -> tuple[int, ...] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns
