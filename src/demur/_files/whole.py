"""The one way files are written: whole or not at all, and nothing but a regular file is replaced.

A regular file is written under a temporary name beside its own and then renamed; it keeps the mode
and, where the system allows, the owner of the file it replaces. Devices, pipes and descriptors of
this process (/dev/stdout) are written to: a rename would put a file in their place.
"""

import atexit
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from demur.exceptions import InputError

__all__ = ["draft_of", "temporary_folder", "temporary_name", "whole_file"]

_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:self|thread-self))/fd/(\d+)")
_MOST_LINKS = 40


@contextmanager
def draft_of(path: str | Path) -> Iterator[Path]:
    """Yield the name of an empty file to fill; it becomes `path` when the block ends without an error.

    What stood there before stays until then. A failure of the file system is an `InputError` with
    one sentence.
    """
    with _writing(path):
        if not _is_replaceable(path):
            with temporary_folder() as folder:
                draft = folder / "draft"
                draft.touch()
                yield draft
                with open(draft, "rb") as content, _opened_directly(path, "wb") as sink:
                    shutil.copyfileobj(content, sink)
            return
        target = Path(os.path.realpath(path))
        # a random name: process numbers repeat on other hosts and in containers; a short one: the
        # target's own name may be as long as the file system allows
        with temporary_name(target.with_name(f".demur-{os.urandom(8).hex()}.tmp")) as draft:
            # as private as the file it replaces, from the first byte on
            replaced = os.stat(target) if target.exists() else None
            mode = 0o666 if replaced is None else 0o600
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
            yield draft
            if replaced is not None:
                if hasattr(os, "chown"):
                    with suppress(PermissionError):
                        os.chown(draft, replaced.st_uid, replaced.st_gid)
                os.chmod(draft, stat.S_IMODE(replaced.st_mode))
            os.replace(draft, target)


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[str]]:
    """Open a text file for writing that takes its name only when the block ends without an error.

    Devices and pipes get the text as it is written.
    """
    text: dict[str, Any] = {"encoding": "utf-8", "newline": ""}
    with _writing(path):
        if _is_replaceable(path):
            with draft_of(path) as draft, open(draft, "w", **text) as handle:
                yield handle
        else:
            with _opened_directly(path, "w", **text) as handle:
                yield handle


@contextmanager
def _writing(path: str | Path) -> Iterator[None]:
    """Turn failures of the file system into one sentence."""
    try:
        if "\0" in str(path):
            raise InputError(f"`{str(path)!r}` cannot be written: a name cannot hold the character NUL.")
        yield
    except BrokenPipeError:
        # a pipe whose reader went away is no fault of the user; the command line ends quietly
        raise
    except OSError as error:
        raise InputError(f"`{path}` cannot be written: {error.strerror or error}.") from None


def _is_replaceable(path: str | Path) -> bool:
    """Tell whether a path is a regular file or nothing yet; links are followed."""
    if _descriptor(path) is not None:
        return False
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return True
    return stat.S_ISREG(mode)


def _opened_directly(path: str | Path, mode: str, **text: Any) -> IO[Any]:
    number = _descriptor(path)
    if number is None:
        # no O_CREAT: what is here exists, and must not become a file if it goes away meanwhile
        return os.fdopen(os.open(path, os.O_WRONLY), mode, **text)
    # a duplicate shares its position with the stream; a second opening would overwrite it
    if number == 1 and sys.stdout is not None:
        sys.stdout.flush()
    return os.fdopen(os.dup(number), mode, **text)


def _descriptor(path: str | Path) -> int | None:
    """Return the number of the open descriptor of this process that a path stands for."""
    name = os.path.abspath(path)
    for _ in range(_MOST_LINKS):
        match = _DESCRIPTOR.fullmatch(name)
        if match is not None:
            return int(match[1])
        if name in _STREAMS:
            return _STREAMS[name]
        if not os.path.islink(name):
            break
        name = os.path.abspath(os.path.join(os.path.dirname(name), os.readlink(name)))
    return None


@contextmanager
def temporary_name(path: Path) -> Iterator[Path]:
    """Remove the file of this name, if there is one, when the block ends, and at the latest at exit."""

    def remove() -> None:
        # what cannot be removed stays: the error the user sees is the one that led here
        with suppress(OSError):
            path.unlink(missing_ok=True)

    atexit.register(remove)
    try:
        yield path
    finally:
        remove()
        atexit.unregister(remove)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder for the length of a block."""
    with TemporaryDirectory(prefix="demur-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
