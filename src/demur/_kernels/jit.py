"""One source, run two ways: interpreted for small inputs, compiled by numba for large ones.

Importing numba costs about 0.3 s and compiling a few seconds more, so a small job (the
command line on a small file) must not pay for it. A loop is therefore written once, in
the subset of Python both understand, with indexable inputs and outputs: lists when
interpreted, arrays when compiled. Both follow IEEE arithmetic without reordering, so the
results are the same to the last bit; a test runs every loop of `KERNELS` both ways.

`@kernel` enters a loop into that list and leaves it a plain function, so that the interpreter
pays nothing for it. Loops of one module may call each other: their compiled twins do, too.

Which way a loop runs depends on the size of the input alone (`worth_compiling`), never on
whether numba is loaded. Whoever calls a loop many times says how large the whole job is
(`whole_job`).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from types import FunctionType
from typing import Any, TypeVar

__all__ = [
    "COMPILE_FROM",
    "COMPILE_JOB_FROM",
    "KERNELS",
    "compiled",
    "kernel",
    "load_compiler",
    "whole_job",
    "worth_compiling",
]

COMPILE_FROM = 2**16
"""Below this many elements the interpreter finishes one call before numba would be imported."""

COMPILE_JOB_FROM = 2**18
"""Below this many elements in all its calls together the interpreter finishes a job as soon."""

_WORTH_A_CALL = 64
"""Within a large job, calling the compiled twin pays from this many elements on."""

_TRIED = {(0, 68)}
"""Releases of numba in which every stored loop was seen to run without the rules of the compiler."""

KERNELS: dict[str, FunctionType] = {}
"""Every loop that may run compiled, as "module.function" below `demur`."""

_Loop = TypeVar("_Loop", bound=Callable[..., Any])
_JOB: ContextVar[int] = ContextVar("size of the job", default=0)


def kernel(loop: _Loop) -> _Loop:
    """Enter a loop into `KERNELS`; it stays a plain function until `compiled` is asked for its twin."""
    assert isinstance(loop, FunctionType)
    KERNELS[f"{loop.__module__.removeprefix('demur.')}.{loop.__name__}"] = loop
    return loop


def worth_compiling(size: int) -> bool:
    """Tell whether a loop over `size` elements, alone or within the `whole_job`, should run compiled."""
    return size >= (_WORTH_A_CALL if _JOB.get() >= COMPILE_JOB_FROM else COMPILE_FROM)


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
    """Return the compiled twin of a kernel; the machine code is cached on disk if possible."""
    import numba

    source = _with_twins(loop)
    twin: Callable[..., Any]
    try:
        twin = _with_a_cache_that_may_fail(numba.njit(cache=True, nogil=True)(source))
    except RuntimeError:
        # neither the package folder nor the user's cache folder can be written to
        twin = numba.njit(nogil=True)(source)
    return twin


def _with_a_cache_that_may_fail(twin: Any) -> Any:
    """Compile anew where stored machine code is damaged, and go on without storing it on a full disk.

    numba itself stops at both, in every run to come: it reads its index before it writes another.
    """
    cache = twin._cache
    load, save = _stored_code(cache), cache.save_overload

    def load_or_forget(*args: Any) -> Any:
        try:
            return load(*args)
        except Exception:  # noqa: BLE001
            # what unpickling damaged bytes raises can be anything
            with suppress(OSError):
                cache.flush()
            return None

    def save_if_possible(*args: Any) -> None:
        with suppress(OSError):
            save(*args)

    cache.load_overload, cache.save_overload = load_or_forget, save_if_possible
    return twin


def _stored_code(cache: Any) -> Callable[[Any, Any], Any]:
    """Return what loads stored machine code: (signature, context) -> the overload, or None.

    numba reads all its rules of typing and lowering before it looks for stored code: 0.3 s of processor
    time, for nothing, since the compiler reads them itself when it has to work. Stored code needs numba's
    memory manager alone. What it lacks ends the process, so only releases that were tried take this way.
    """
    import numba

    if numba.version_info.short not in _TRIED:
        load: Callable[[Any, Any], Any] = cache.load_overload
        return load
    from numba.core.runtime.nrt import rtsys

    def load_alone(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)
        with cache._guard_against_spurious_io_errors():
            return cache._load_overload(signature, context)

    return load_alone


def _with_twins(loop: Callable[..., Any]) -> FunctionType:
    """Return a copy of a loop that calls the twins of other loops where the source calls these.

    Only loops of its own module: numba renews stored machine code when that file changes.
    """
    assert isinstance(loop, FunctionType)
    named = {name: loop.__globals__.get(name) for name in loop.__code__.co_names}
    twins = {
        name: _inlined(helper)
        for name, helper in named.items()
        if isinstance(helper, FunctionType)
        and helper.__module__ == loop.__module__
        and helper in KERNELS.values()
    }
    copy = FunctionType(loop.__code__, {**loop.__globals__, **twins}, loop.__name__)
    copy.__module__, copy.__qualname__ = loop.__module__, loop.__qualname__
    return copy


@cache
def _inlined(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Twin for use inside other twins, where a call would cost as much as the work."""
    import numba

    twin: Callable[..., Any] = numba.njit(nogil=True, inline="always")(_with_twins(loop))
    return twin


def load_compiler() -> None:
    """Import numba and load one loop: a fifth of a second the first kernel would wait for."""
    compiled(_nothing)()


@kernel
def _nothing() -> None:
    pass
