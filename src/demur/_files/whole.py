"""Files that appear whole or not at all: written under a temporary name, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from demur.exceptions import InputError

__all__ = ["draft_of", "whole_file"]


@contextmanager
def draft_of(path: str | Path) -> Iterator[Path]:
    """Yield a temporary name beside a file; the draft replaces it when the block ends without an error.

    What stood there before stays until then. A failure of the file system is an `InputError` with
    one sentence.
    """
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield draft
        os.replace(draft, target)
    except BrokenPipeError:
        # a pipe whose reader went away is no fault of the user; the command line ends quietly
        raise
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[str]]:
    """Open a text file for writing that takes its name only when the block ends without an error.

    Devices and pipes are written directly: they cannot be replaced.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with _opened(path, target, "w") as handle:
            yield handle
        return
    with draft_of(path) as draft, _opened(path, draft, "x") as handle:
        yield handle


@contextmanager
def _opened(path: str | Path, at: Path, mode: str) -> Iterator[IO[str]]:
    try:
        with open(at, mode, encoding="utf-8", newline="") as handle:
            yield handle
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: str | Path, error: OSError) -> InputError:
    return InputError(f"`{path}` cannot be written: {error.strerror}.")
