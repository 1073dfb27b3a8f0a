"""One source, run two ways: interpreted for small inputs, compiled by numba (if installed) for large ones.

Importing numba costs half a second and compiling a few seconds more, so a small job (the
command line on a small file) must not pay for it. A loop is therefore written once, in
the subset of Python both understand, with indexable inputs and outputs: lists when
interpreted, arrays when compiled. Both follow IEEE arithmetic without reordering, so the
results are the same to the last bit; a test runs every loop of `KERNELS` both ways.

`@kernel` enters a loop into that list and leaves it a plain function, so that the interpreter
pays nothing for it. Loops of one module may call each other: their compiled versions do, too.

Which way a loop runs depends on the size of the input and on whether numba is installed
(`worth_compiling`), never on whether it is loaded. Whoever calls a loop many times says how large
the whole job is (`whole_job`).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

__all__ = [
    "COMPILE_FROM",
    "COMPILE_JOB_FROM",
    "KERNELS",
    "compiled",
    "kernel",
    "run",
    "whole_job",
    "worth_compiling",
]

COMPILE_FROM = 2**16
"""Below this many elements the interpreter finishes one call before numba would be imported."""

COMPILE_JOB_FROM = 2**18
"""Below this many elements in all its calls together the interpreter finishes a job as soon."""

_WORTH_A_CALL = 64
"""Within a large job, calling the compiled version pays from this many elements on."""

KERNELS: dict[str, FunctionType] = {}
"""Every loop that may run compiled, as "module.function" below `demur`."""

_Loop = TypeVar("_Loop", bound=Callable[..., Any])
_JOB: ContextVar[int] = ContextVar("size of the job", default=0)


def kernel(loop: _Loop) -> _Loop:
    """Enter a loop into `KERNELS` and leave it a plain function."""
    assert isinstance(loop, FunctionType)
    KERNELS[f"{loop.__module__.removeprefix('demur.')}.{loop.__name__}"] = loop
    return loop


@cache
def _numba_is_installed() -> bool:
    return find_spec("numba") is not None


def worth_compiling(size: int) -> bool:
    """Tell whether a loop over `size` elements, alone or within the `whole_job`, should run compiled."""
    enough = _WORTH_A_CALL if _JOB.get() >= COMPILE_JOB_FROM else COMPILE_FROM
    return size >= enough and _numba_is_installed()


@contextmanager
def whole_job(size: int) -> Iterator[None]:
    """Say that the loops called in this block go over `size` elements in all.

    Holds in this thread only: a function that runs in a pool says it itself.
    """
    before = _JOB.set(max(size, _JOB.get()))
    try:
        yield
    finally:
        _JOB.reset(before)


@cache
def compiled(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return the compiled version of a kernel, cached on disk if possible; without numba the loop itself."""
    if not _numba_is_installed():
        return loop
    import numba

    _register_helpers(loop.__module__)
    fast: Callable[..., Any]
    try:
        fast = numba.njit(cache=True, nogil=True)(loop)
    except RuntimeError:
        # neither the package folder nor the user's cache folder can be written to
        fast = numba.njit(nogil=True)(loop)
    return fast


def run(loop: Callable[..., Any], size: int, inputs: Sequence[Any], outputs: Sequence[Any] = ()) -> Any:
    """Run a loop over `size` elements, compiled on arrays or interpreted on lists; fill the output arrays."""
    if worth_compiling(size):
        return compiled(loop)(*inputs, *outputs)
    lists = [value.tolist() if isinstance(value, np.ndarray) else value for value in (*inputs, *outputs)]
    result = loop(*lists)
    for out, values in zip(outputs, lists[len(inputs) :], strict=True):
        out[:] = values
    return result


@cache
def _register_helpers(module: str) -> None:
    """Have compiled loops call the compiled versions of the loops of their module.

    Only of their own module: numba renews stored machine code when that file changes.
    """
    from numba.extending import register_jitable

    for loop in KERNELS.values():
        if loop.__module__ == module:
            register_jitable(forceinline=True)(loop)
