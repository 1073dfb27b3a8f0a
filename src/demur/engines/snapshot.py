"""Whether files stayed the same while they were read.

Columns are read one after the other, and a file is read more than once: one that is written to or
replaced meanwhile gives numbers of no state it ever had.
"""

from collections.abc import Iterable
from pathlib import Path

from demur._checks import input_error

__all__ = ["Snapshot"]

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
