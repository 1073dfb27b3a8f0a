"""Libraries that a large file needs, loaded while the command gets ready and the file is read."""

from importlib import import_module
from pathlib import Path
from threading import Thread

from demur._kernels.jit import load_compiler

__all__ = ["load_ahead"]

_LARGE = 2**24
"""Bytes of a file that is worth the compiler."""


def load_ahead(file: str) -> None:
    """Begin to load them if `file` is large: the first thing a command does, half a second less to wait."""
    path = Path(file)
    if path.is_file() and path.stat().st_size >= _LARGE:
        Thread(target=_load_libraries, daemon=True).start()


def _load_libraries() -> None:
    load_compiler()
    import_module("scipy.special")
