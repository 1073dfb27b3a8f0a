"""One process at a time on a state file."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demur.exceptions import InputError

__all__ = ["locked"]

_BETWEEN = 0.05


@contextmanager
def locked(path: str | Path, *, patience: float = 60.0) -> Iterator[None]:
    """Hold the lock of a state file; wait up to `patience` seconds for another process, then refuse.

    The lock is an open file beside the state, named like it with ".lock" at the end. The operating
    system releases it when its holder ends, also when that is killed. The file stays.
    """
    beside = Path(f"{path}.lock")
    try:
        beside.touch()
    except OSError as error:
        raise InputError(f"`{beside}` cannot be written: {error.strerror}.") from None
    with open(beside, "a+b") as handle:
        until = time.monotonic() + patience
        while not _taken(handle.fileno()):
            if time.monotonic() >= until:
                raise InputError(
                    f"`{path}` is in use by another process. Hint: run this again when that has ended."
                )
            time.sleep(_BETWEEN)
        # closing the file releases the lock
        yield


def _taken(descriptor: int) -> bool:
    """Try to take the lock without waiting."""
    try:
        try:
            import fcntl
        except ImportError:
            # Windows: one byte at the start of the file
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
