"""What a large file needs: libraries that load while the command gets ready, and memory that is kept."""

import ctypes
import sys
from importlib import import_module
from pathlib import Path
from threading import Thread

from demur._kernels.jit import load_compiler

__all__ = ["load_ahead"]

_LARGE = 2**24
"""Bytes of a file that is worth the compiler."""

# options of the C library's mallopt: 2 GB of free memory are kept, 64 MB asked for at once, columns of up to
# 32 MB are taken from what is kept, and all threads share it
_KEEPING = {-1: 2**31 - 1, -2: 2**26, -3: 2**25, -8: 1}


def load_ahead(file: str, *modules: str) -> None:
    """Get ready for a large file: load what comes after it, these modules too, while it is read."""
    path = Path(file)
    if path.is_file() and path.stat().st_size >= _LARGE:
        _keep_freed_memory()
        Thread(target=_load, args=(modules,), daemon=True).start()


def _keep_freed_memory() -> None:
    """Have freed memory used again: to get new pages takes longer than to fill them."""
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is not None:
        for option, value in _KEEPING.items():
            set_option(option, value)


def _load(modules: tuple[str, ...]) -> None:
    for name in modules:
        import_module(name)
    load_compiler()
    import_module("scipy.special")
