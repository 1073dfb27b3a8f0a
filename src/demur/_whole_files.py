"""Files that appear whole or not at all: written under a temporary name, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from demur.exceptions import InputError

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[str]]:
    """Open a text file for writing that takes its name only when the block ends without an error.

    What stood there before stays until then. Devices and pipes are written directly: they
    cannot be replaced. A failure of the file system is an `InputError` with one sentence.
    """
    target = Path(os.path.realpath(path))
    direct = target.exists() and not target.is_file()
    draft = target if direct else target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        handle = open(draft, "w" if direct else "x", encoding="utf-8", newline="")  # noqa: SIM115
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        with handle:
            yield handle
        if not direct:
            os.replace(draft, target)
    except BaseException as error:
        if not direct:
            draft.unlink(missing_ok=True)
        # a pipe whose reader went away is no fault of the user; the command line ends quietly
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise _unwritable(path, error) from None
        raise


def _unwritable(path: str | Path, error: OSError) -> InputError:
    return InputError(f"`{path}` cannot be written: {error.strerror}.")
