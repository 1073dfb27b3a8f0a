"""Measure alternately and keep the minimum, so that both sides see the same machine."""

import os
import re
import time
import tracemalloc
from pathlib import Path

AS_INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Environment of programs that are timed: with byte code beside the sources."""


def alternate(*functions, repeats=5):
    """Best wall time of each function; the functions take turns."""
    best = [float("inf")] * len(functions)
    for _ in range(repeats):
        for k, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[k] = min(best[k], time.perf_counter() - start)
    return best


def peak_extra_memory(function):
    """Peak bytes allocated above what was there before (NumPy reports to tracemalloc)."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak - before


def seconds(value):
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.2f} s"


def ratio_row(what, size, ours, peer, asked, *, peer_over_ours=False):
    """One line of the table: our time, the peer's, and their ratio in the direction asked for."""
    ratio = peer / ours if peer_over_ours else ours / peer
    return (what, size, seconds(ours), seconds(peer), f"{ratio:.2f} x", asked)


def own_peak_memory():
    """Peak bytes of this process. Not ru_maxrss: that one keeps the peak of the parent across exec."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) * 1024
