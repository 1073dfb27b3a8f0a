"""Ctrl-C and SIGTERM end the command: one line, a code the shell knows, no temporary file left.

The usual way is an exception that closes every open block. Two things get in its way. Compiled
libraries look for signals only now and then, and they turn the interruption into an error of their
own or swallow it. So the signal is remembered: whatever error comes next means the interruption. And
a thread watches: if the command still runs a moment later, the thread removes what is temporary and
ends the process.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.machinery import ExtensionFileLoader
from types import FrameType
from typing import Any

from demur.cli.ending import end

__all__ = ["Stop", "stoppable"]

_WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
_SIGNALS = 128
"""Shells report a signal as 128 plus its number: 130 for Ctrl-C, 143 for SIGTERM."""

GRACE_SECONDS = 3.0
"""How long the command may take to close what is open."""

# functions that Python calls when an object goes: it prints what they raise, and goes on
_DEAF = ("__del__", "cb", "remove", "_remove")
_AGAIN_SECONDS = 0.01
_LOADING = ("create_module", "exec_module")


@dataclass
class Stop:
    """The exit code of the signal that came; None as long as there was none."""

    code: int | None = None

    def say(self) -> int:
        """Say in one line why the command ends, and return its exit code."""
        assert self.code is not None
        print(_sentence(self.code), file=sys.stderr)
        return self.code


class _Stopped(KeyboardInterrupt):
    """Raised by the signals. Of KeyboardInterrupt itself Python notes where it left an `exec`.

    Many modules call `exec` while they are imported, and at exit the note makes Python end itself
    with SIGINT, whatever the exit code.
    """


def _sentence(code: int) -> str:
    return f"demur: {_WORDS[signal.Signals(code - _SIGNALS)]}."


def _loads_compiled(frame: FrameType | None) -> bool:
    """Tell whether a compiled module is being loaded: those of DuckDB abort at an exception."""
    while frame is not None:
        if frame.f_code.co_name in _LOADING and isinstance(frame.f_locals.get("self"), ExtensionFileLoader):
            return True
        frame = frame.f_back
    return False


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Catch the signals for the length of a block; elsewhere than in the main thread do nothing."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    # a signal that is ignored (nohup, a job in the background) stays ignored
    usual: dict[signal.Signals, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
    }
    before = {number: signal.getsignal(number) for number in usual}
    caught = [number for number, handler in usual.items() if before[number] in (handler, end)]

    def handle(number: int, frame: FrameType | None) -> None:
        stop.code = _SIGNALS + number
        if frame is not None and (frame.f_code.co_name in _DEAF or _loads_compiled(frame)):
            threading.Timer(_AGAIN_SECONDS, os.kill, (os.getpid(), number)).start()
            return
        raise _Stopped

    with _watched(caught):
        for number in caught:
            signal.signal(number, handle)
        try:
            yield stop
        finally:
            for number in caught:
                signal.signal(number, before[number])


@contextmanager
def _watched(caught: list[signal.Signals]) -> Iterator[None]:
    """Let a thread see the signals at once, also while a library does not let Python see them."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    done = threading.Event()

    def watch() -> None:
        while number := os.read(reading, 1):
            if number[0] in caught and not done.wait(GRACE_SECONDS):
                _end_at_once(_SIGNALS + number[0])
        os.close(reading)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(before)
        # the end of the file ends the thread
        os.close(writing)


def _end_at_once(code: int) -> None:
    # without this module nothing temporary can exist
    temporary = sys.modules.get("demur._files.temporary")
    if temporary is not None:
        temporary.discard_all()
    # not sys.stderr: the thread that does not end may hold it
    with suppress(OSError):
        os.write(2, f"{_sentence(code)}\n".encode())
    os._exit(code)
