"""Two threads for large data: the kernels release the interpreter lock."""

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from importlib import import_module

__all__ = ["workers"]

# small data are done before a thread starts
_THREADS, _THREADS_FROM = 2, 2**16


@contextmanager
def workers(n: float) -> Iterator[Executor]:
    """Start threads for large data; those of BLAS, which spin while they wait, must not get in their way."""
    threads = _THREADS if n >= _THREADS_FROM else 1
    with ExitStack() as stack:
        if threads > 1 and os.environ.get("OPENBLAS_NUM_THREADS") != "1":
            import_module("scipy.linalg.lapack")  # has a BLAS of its own, which must be there to be found
            limits = import_module("threadpoolctl").threadpool_limits
            stack.enter_context(limits(1, user_api="blas"))
        yield stack.enter_context(ThreadPoolExecutor(threads))
