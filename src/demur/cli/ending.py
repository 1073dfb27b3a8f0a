"""How the command ends: at once, by a signal or when all is said."""

import atexit
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

__all__ = ["end", "leave"]


def end(number: int, frame: FrameType | None) -> None:
    """End the process at once, while there is nothing to clean up, as `stopping` does later."""
    os.write(2, b"demur: interrupted.\n" if number == signal.SIGINT else b"demur: terminated.\n")
    os._exit(128 + number)


def leave(code: int) -> NoReturn:
    """End the process when all is said and every file is closed, without taking the interpreter apart.

    That would take a third of a second after a million rows. What libraries registered for the end runs.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError):  # a closed pipe was told of before
                stream.flush()
    os._exit(code)
