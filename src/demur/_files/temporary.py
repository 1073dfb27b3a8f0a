"""Files that must not outlive the process: drafts and copies, removed even where it ends in a hurry."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["discard_all", "temporary_folder", "temporary_name"]

_HELD: set[Path] = set()


def discard_all() -> None:
    """Remove everything temporary at once, for a process that ends without leaving its blocks."""
    while _HELD:
        _discard(_HELD.pop())


@contextmanager
def temporary_name(path: Path) -> Iterator[Path]:
    """Remove the file of this name, if there is one, when the block ends."""
    _HELD.add(path)
    try:
        yield path
    finally:
        _discard(path)
        _HELD.discard(path)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder for the length of a block."""
    with temporary_name(Path(tempfile.gettempdir()) / f"demur-{os.urandom(8).hex()}") as folder:
        folder.mkdir(mode=0o700)
        yield folder


def _discard(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        # what cannot be removed stays: the error the user sees is the one that led here
        with suppress(OSError):
            path.unlink(missing_ok=True)
