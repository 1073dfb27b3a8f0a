"""Files that must not outlive the process: drafts and copies."""

import atexit
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = ["temporary_folder", "temporary_name"]


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
