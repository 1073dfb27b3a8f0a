"""Plumbing of the few methods that must resample: same seed, same numbers, however it is split.

Every resample has a random stream of its own, derived from the seed and its number. So the
results do not depend on how the work is cut into pieces, in which order they finish, or how many
threads do it; and a longer run starts with the numbers of a shorter one.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from demur._checks import check_positive_int, check_rng
from demur._progress import Progress
from demur.typing import FloatArray

__all__ = ["percentile_limits", "resample"]

_CHUNK = 64


def resample(
    statistic: Callable[[np.random.Generator], float],
    *,
    n_resamples: int,
    rng: Any,
    workers: int = 1,
    label: str = "resampling",
) -> FloatArray:
    """Return `statistic` of n random streams; element i depends on the seed and i only.

    Progress is shown on standard error if that is a terminal.
    """
    n = check_positive_int(n_resamples, "n_resamples")
    threads = check_positive_int(workers, "workers")
    # Four words of the generator, not its own spawn counter: works for any bit generator, and
    # a generator that has been used before gives another answer.
    entropy = check_rng(rng).integers(0, 2**32, size=4, dtype=np.uint32).tolist()
    starts = range(0, n, _CHUNK)
    values = np.empty(n)

    def run(start: int) -> None:
        for index in range(start, min(start + _CHUNK, n)):
            # the index-th child of the seed, as `SeedSequence.spawn` would make it
            child = np.random.SeedSequence(entropy, spawn_key=(index,))
            values[index] = statistic(np.random.default_rng(child))

    with Progress(n, label) as progress, ThreadPoolExecutor(threads) as pool:
        for start, _ in zip(starts, (pool.map if threads > 1 else map)(run, starts), strict=True):
            progress.advance(min(_CHUNK, n - start))
    return values


def percentile_limits(values: FloatArray, confidence_level: float) -> tuple[float, float]:
    """Middle share of the resampled values."""
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
