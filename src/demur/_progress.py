"""One line of progress on standard error, on a terminal only, and a record of the log for every long job.

A thread of its own writes the line, so any number of threads may advance any number of jobs. It exists only
while jobs run and standard error is a terminal. Records go to the logger `demur`, which shows nothing unless
the program configures logging.
"""

import logging
import os
import sys
import threading
import time
from typing import TextIO

__all__ = ["Progress", "log"]

log = logging.getLogger("demur")
log.addHandler(logging.NullHandler())

_SILENT_SECONDS = 2.0
_SECONDS_BETWEEN = 0.2
_COLUMNS = 80


class Progress:
    """Count the steps of a job; a ``with`` statement shows them, wipes the line and logs the duration.

    The line tells the outermost job, and the latest of those inside it once that takes long as well.
    Outermost jobs are logged at INFO, those inside at DEBUG.

    Parameters
    ----------
    total : int, optional
        Number of steps; None where it is unknown.
    label, unit : str
        Words before and after the numbers: "comparing" 37 of 500 "models".
    """

    def __init__(self, total: int | None = None, label: str = "resampling", unit: str = "") -> None:
        self._total, self._label, self._unit, self._done = total, label, unit, 0.0

    def advance(self, steps: float = 1) -> None:
        """Tell that `steps` more are done."""
        with _LOCK:
            self._done += steps

    def __str__(self) -> str:
        done, total = int(self._done), self._total
        numbers = f"{done:,} of {total:,}" if total is not None else f"{done:,}" if done else ""
        return " ".join(filter(None, (self._label, numbers, numbers and self._unit)))

    def __enter__(self) -> "Progress":
        global _line
        with _LOCK:
            self._level = logging.DEBUG if _RUNNING else logging.INFO
            self.start = time.monotonic()
            _RUNNING.append(self)
            if _line is None and sys.stderr is not None and sys.stderr.isatty():
                _line = _Line(sys.stderr)
        return self

    def __exit__(self, *error: object) -> None:
        global _line
        ended = None
        with _LOCK:
            _RUNNING.remove(self)
            if not _RUNNING:
                ended, _line = _line, None
        if ended is not None:
            ended.end()
        log.log(self._level, "%s: %.2f s", self, time.monotonic() - self.start)


class _Line:
    """Write what runs on a terminal until it ends."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._shown, self._over = stream, "", threading.Event()
        self._thread = threading.Thread(target=self._write, name="demur progress", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Wipe the line."""
        self._over.set()
        self._thread.join()

    def _write(self) -> None:
        try:
            while not self._over.wait(_SECONDS_BETWEEN):
                self._show(self._text())
            self._show("")
        except (OSError, ValueError):  # the terminal has gone
            return

    def _text(self) -> str:
        """Return the outermost job and the latest one inside it, cut to the width of the terminal."""
        with _LOCK:
            running = [job for job in _RUNNING if time.monotonic() - job.start > _SILENT_SECONDS]
        try:
            columns = os.get_terminal_size(self._stream.fileno()).columns or _COLUMNS
        except (OSError, ValueError):
            columns = _COLUMNS
        # the last column would move the cursor on to the next line
        return ", ".join(dict.fromkeys(map(str, [*running[:1], *running[-1:]])))[: columns - 1]

    def _show(self, text: str) -> None:
        if text != self._shown:
            # what was longer is wiped, and the cursor stands behind the text
            self._stream.write(f"\r{text.ljust(len(self._shown))}\r{text}")
            self._stream.flush()
            self._shown = text


_LOCK = threading.Lock()
_RUNNING: list[Progress] = []
_line: _Line | None = None
