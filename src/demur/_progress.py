"""One line of progress on standard error, on a terminal only, once a job has taken a second."""

import sys
import time

__all__ = ["Progress"]

_SILENT_SECONDS = 1.0
_BAR = 30


class Progress:
    """Counts steps; use it in a ``with`` statement, which wipes the line at the end."""

    def __init__(self, total: int, label: str = "resampling") -> None:
        self._total, self._label, self._done, self._shown = total, label, 0, False
        self._start = time.monotonic()

    def advance(self, steps: int = 1) -> None:
        """Tell that `steps` more of the total are done."""
        self._done += steps
        if sys.stderr.isatty() and time.monotonic() - self._start > _SILENT_SECONDS:
            full = _BAR * self._done // self._total
            bar = "#" * full + "." * (_BAR - full)
            sys.stderr.write(f"\r{self._label} [{bar}] {self._done}/{self._total}")
            sys.stderr.flush()
            self._shown = True

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *error: object) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
