"""What a signal does while there is nothing to clean up: one line, and the code the shell knows."""

import os
import signal
from types import FrameType

__all__ = ["end"]


def end(number: int, frame: FrameType | None) -> None:
    """End the process at once, with the word and the code of `stopping`."""
    os.write(2, b"demur: interrupted.\n" if number == signal.SIGINT else b"demur: terminated.\n")
    os._exit(128 + number)
