"""The first moment of the `demur` command: a signal while modules load ends it with one line, too.

Imports next to nothing, so that the moment before is as short as can be. `stopping` takes over as soon
as there may be something to clean up.
"""

import signal
import sys

from demur.cli.ending import end, leave

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    # a signal that is ignored (nohup, a job in the background) stays ignored
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) == usual:
            signal.signal(number, end)
    from demur.cli.main import main as command

    try:
        command()
    except SystemExit as done:
        watched = sys.gettrace() is not None or sys.getprofile() is not None or sys.flags.inspect
        if watched or not isinstance(done.code, int):
            raise
        leave(done.code)
