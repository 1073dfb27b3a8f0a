"""One source, run two ways: interpreted for small inputs, compiled by numba for large ones.

Importing numba costs about 0.3 s and compiling a few seconds more, so a small job (the
command line on a small file) must not pay for it. A kernel is therefore written once, in
the subset of Python both understand, with indexable inputs and outputs: lists when
interpreted, arrays when compiled. Both follow IEEE arithmetic without reordering, so the
results are the same to the last bit.
"""

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

__all__ = ["COMPILE_FROM", "compiled", "load_compiler", "worth_compiling"]

COMPILE_FROM = 2**16
"""Below this many elements the interpreter finishes before numba would be imported."""

_WORTH_A_CALL = 256
"""Once numba is loaded, calling the compiled twin pays from here on."""


def worth_compiling(size: int) -> bool:
    """Tell whether a kernel over `size` elements should run compiled."""
    return size >= (_WORTH_A_CALL if "numba" in sys.modules and _loaded() else COMPILE_FROM)


def _loaded() -> bool:
    return compiled.cache_info().currsize > 0


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the compiled twin of `function`; the machine code is cached on disk if possible."""
    import numba

    twin: Callable[..., Any]
    try:
        twin = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        # neither the package folder nor the user's cache folder can be written to
        twin = numba.njit(nogil=True)(function)
    return twin


def load_compiler() -> None:
    """Import numba and let it read its own rules: half a second the first kernel would wait for."""
    compiled(_nothing)()


def _nothing() -> None:
    pass
