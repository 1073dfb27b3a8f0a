"""Ctrl-C and SIGTERM end the command: one line, a code the shell knows, no temporary file left.

Imports next to nothing: it must be in place before anything that takes time to load.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["stoppable"]

_WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


@contextmanager
def stoppable() -> Iterator[None]:
    """Let the signals end a block with exit code 130 or 143; elsewhere than in the main thread do nothing.

    Whatever error leaves the block after a signal means the signal: DuckDB turns the interruption of a
    query into a RuntimeError, and that of its import into an ImportError. Python itself swallows what is
    raised in a callback of its garbage collection: then the block ends so when its work is done, or at the
    next signal.
    """
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        came.append(number)
        raise SystemExit(128 + number)

    in_main_thread = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in _WORDS if in_main_thread}
    # a signal that is ignored (nohup, a job in the background) stays ignored
    before = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}
    for number in before:
        signal.signal(number, stop)
    try:
        yield
    except KeyboardInterrupt:
        # of a library with a handler of its own, as Spark has one
        came.append(signal.SIGINT)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            print(f"demur: {_WORDS[signal.Signals(came[0])]}.", file=sys.stderr)
            sys.exit(128 + came[0])
