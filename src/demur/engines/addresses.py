"""Addresses: tables in warehouses (duckdb://scores.db#predictions), Parquet files on the web and in stores.

Passwords and tokens in an address never appear in a message, not even where a library repeats them. DuckDB
reads files at addresses through fsspec, in ranges, so that only the columns in use travel.
"""

import base64
import glob
import os
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Lock, local
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

from demur._checks import input_error
from demur._files.database import first_line
from demur.exceptions import InputError

__all__ = [
    "is_address",
    "is_remote",
    "remote_files",
    "shown_address",
    "warehouse_table",
    "without_secrets",
]

# a drive letter is no scheme
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
# the user's password may hold any sign, @ and # among them
_PASSWORD = re.compile(r"^([^:]+://[^:/@]*):(.+)@", re.DOTALL)
_SECRET_OPTION = re.compile(
    r"([?&;][^=&;#]*(?:pass|pwd|token|secret|key|credential|sig)[^=&;#]*)=([^&;#]+)", re.I
)
_HIDDEN = "***"
# Ibis makes a new database of a path it does not find
_IN_ONE_FILE = ("sqlite", "duckdb", "file")


def is_address(source: str) -> bool:
    """Tell whether a source is an address, not a path."""
    return _ADDRESS.match(source) is not None


def shown_address(source: str) -> str:
    """Return a source as messages may show it: without the password and tokens of an address."""
    if not is_address(source):
        return source
    return _SECRET_OPTION.sub(rf"\1={_HIDDEN}", _PASSWORD.sub(rf"\1:{_HIDDEN}@", source))


def without_secrets(text: str, source: str) -> str:
    """Return a text with the secrets of an address hidden wherever they appear."""
    if not is_address(source):
        return text
    matches = _PASSWORD.findall(source) + _SECRET_OPTION.findall(source)
    secrets = {form for _, secret in matches for form in (secret, unquote(secret))}
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, _HIDDEN)
    return text


def warehouse_table(source: str) -> Any:
    """Return the Ibis table at an address, URL#table."""
    shown = shown_address(source)
    try:
        ibis = import_module("ibis")
    except ImportError:
        raise InputError(
            f"`{shown}` is an address, and warehouses are read through Ibis, which is missing. "
            "Hint: pip install 'demur[ibis]'."
        ) from None
    address, _, table = source.rpartition("#")
    if not address or not table:
        raise input_error("source", "must name the table after the address", repr(shown), "write URL#table.")
    scheme, _, rest = address.partition("://")
    path = rest.partition("?")[0]
    in_one_file = scheme.lower() in _IN_ONE_FILE and path not in ("", ":memory:")
    if in_one_file and not path.startswith(("md:", "motherduck:")) and not Path(path).exists():
        raise input_error(
            shown_address(address), "must be the address of an existing database", "no such file"
        )
    try:
        return ibis.connect(address).table(table)
    # every backend of Ibis raises errors of its own
    except Exception as error:  # noqa: BLE001
        reason = without_secrets(first_line(error), source)
        raise InputError(f"`{shown}` must be a table Ibis can open, got this: {reason}.") from None


_WEB = ("http", "https")
_PARTIAL_CONTENT = 206
# where fsspec finds files, and what it needs besides itself
_STORES = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "az": "adlfs",
    "abfs": "adlfs",
    "abfss": "adlfs",
    "hf": "huggingface_hub",
    "memory": "fsspec",
}
_TABLES = (".parquet", ".pq")
_SECONDS = 60
_BLOCK = 1 << 20


def is_remote(source: str) -> bool:
    """Tell whether a source is the address of files, not of a warehouse."""
    scheme, separator, rest = source.partition("://")
    return bool(separator) and "#" not in rest and scheme.lower() in {*_WEB, *_STORES}


def remote_files(source: str) -> tuple[list[str], Any]:
    """Find the Parquet files at an address: their names for DuckDB, and the file system that opens them.

    Raises `InputError` in one sentence if there are none.
    """
    shown = shown_address(source)
    try:
        from fsspec.spec import AbstractFileSystem  # type: ignore[import-untyped]
    except ImportError:
        raise InputError(
            f"`{shown}` is an address, and files at addresses are read through fsspec, which is missing. "
            "Hint: pip install 'demur[remote]'."
        ) from None
    scheme = source.partition("://")[0].lower()
    try:
        files = _web_file(source) if scheme in _WEB else _stored_files(source)
    except InputError:
        raise
    # every store has errors of its own
    except Exception as error:  # noqa: BLE001
        raise input_error(shown, "must be readable", without_secrets(first_line(error), source)) from None
    if not files:
        raise input_error(shown, "must match Parquet files", "none", "other files: copy them first.")

    class Files(AbstractFileSystem):  # type: ignore[misc]
        """The files found, under names that hold no secrets."""

        protocol = "remote"
        cachable = False

        def glob(self, path: str, **_: Any) -> list[str]:
            return [path]

        def open(self, path: str, *_: Any, **__: Any) -> Any:
            return _SharedFile(files[_bare(path)].open())

        def info(self, path: str, **_: Any) -> dict[str, Any]:
            return {"name": path, "size": files[_bare(path)].size, "type": "file"}

        def modified(self, path: str) -> datetime:
            del path
            return datetime.fromtimestamp(0, UTC)

    return [f"remote://{name}" for name in files], Files()


def _bare(path: str) -> str:
    return path.removeprefix("remote://")


class _File(NamedTuple):
    """One file: its size, and how to open it."""

    size: int
    open: Callable[[], Any]


class _SharedFile:
    """A file that several threads read, each at its own position.

    DuckDB moves to a place and reads in two calls, and its threads share the file: of two that read at
    once, one would get the bytes of the other.
    """

    def __init__(self, opened: Any) -> None:
        self._opened, self._alone, self._own = opened, Lock(), local()

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move the position of the thread."""
        with self._alone:
            if whence == os.SEEK_CUR:
                offset, whence = offset + self.tell(), os.SEEK_SET
            self._own.place = int(self._opened.seek(offset, whence))
        return self.tell()

    def tell(self) -> int:
        """Return the position of the thread."""
        return getattr(self._own, "place", 0)

    def read(self, length: int = -1) -> bytes:
        """Read on from the position of the thread."""
        with self._alone:
            self._opened.seek(self.tell())
            data = bytes(self._opened.read(length))
        self._own.place = self.tell() + len(data)
        return data

    def close(self) -> None:
        """Close the file for all threads."""
        self._opened.close()


# ---------------------------------------------------------------- stores


def _stored_files(source: str) -> Mapping[str, _File]:
    scheme = source.partition("://")[0].lower()
    try:
        store, path = import_module("fsspec.core").url_to_fs(source)
    except ImportError:
        found = _arrow_store(source) if _STORES[scheme] == "s3fs" else None
        if found is None:
            raise input_error(
                shown_address(source),
                f"needs {_STORES[scheme]} to be read",
                "no such package",
                f"pip install {_STORES[scheme]}.",
            ) from None
        store, path = found
    folder = not glob.has_magic(path) and store.isdir(path)
    paths = store.find(path) if folder else store.glob(path)
    return {
        one.lstrip("/"): _File(int(store.size(one)), partial(store.open, one, "rb"))
        for one in sorted(paths)
        if one.lower().endswith(_TABLES)
    }


def _arrow_store(source: str) -> tuple[Any, str] | None:
    """Return S3 as PyArrow reads it, and the path in it; None without PyArrow."""
    path = source.partition("://")[2]
    if "@" in path.partition("/")[0]:
        raise input_error(
            shown_address(source),
            "must begin with the bucket",
            "a name and a password",
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile.",
        )
    try:
        s3 = import_module("pyarrow.fs").S3FileSystem
    except (ImportError, AttributeError):
        return None
    # PyArrow finds the credentials by itself, but not always where the store is
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    opened = s3(endpoint_override=endpoint) if endpoint else s3()
    return import_module("fsspec.implementations.arrow").ArrowFSWrapper(opened), path


# ---------------------------------------------------------------- the web


def _web_file(source: str) -> Mapping[str, _File]:
    """Find the file at an address and its size; refuse a server that sends no ranges of bytes."""
    # the address without name and password, and the header that has them
    parts = urlsplit(source)
    user, separator, host = parts.netloc.rpartition("@")
    url, headers = urlunsplit(parts._replace(netloc=host)), {}
    if separator:
        headers["Authorization"] = f"Basic {base64.b64encode(unquote(user).encode()).decode()}"
    path = unquote(urlsplit(url).path)
    if not path.lower().endswith(_TABLES):
        raise input_error(
            shown_address(source),
            "must be a Parquet file",
            repr(path),
            "for a CSV file: curl ADDRESS | demur compare - ...",
        )
    with _answer(url, {**headers, "Range": "bytes=0-3"}) as answer:
        length = answer.headers.get("Content-Range", "").rpartition("/")[2]
        if answer.status != _PARTIAL_CONTENT or not length.isdecimal():
            raise input_error(
                shown_address(source),
                "must be on a server that gives parts of files",
                "the whole file",
                "download it first.",
            )
    size = int(length)
    return {urlsplit(url).netloc + path: _File(size, lambda: _web_handle(url, headers, size))}


def _answer(url: str, headers: Mapping[str, str]) -> Any:
    # files on this machine need none of it
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    try:
        return urlopen(Request(url, headers=dict(headers)), timeout=_SECONDS)
    except HTTPError as error:
        with error:
            raise OSError(f"{error.code} {error.reason}") from None
    except URLError as error:
        raise OSError(str(error.reason)) from None


def _web_handle(url: str, headers: Mapping[str, str], size: int) -> Any:
    from fsspec.spec import AbstractBufferedFile

    class Handle(AbstractBufferedFile):  # type: ignore[misc]
        """A file that asks for the ranges it needs, a megabyte ahead."""

        def _fetch_range(self, start: int, end: int) -> bytes:
            with _answer(url, {**headers, "Range": f"bytes={start}-{end - 1}"}) as answer:
                data: bytes = answer.read()
            return data

    return Handle(None, "remote", mode="rb", block_size=_BLOCK, cache_type="readahead", size=size)
