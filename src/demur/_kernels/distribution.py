"""Values of one sample to their distribution function: the REC curve's counterpart of `sweep`.

Errors have no class, so there is nothing to pool: one sort of the values, equal ones merged.
"""

import numpy as np

from demur._kernels.sweep import sorted_samples, sorted_values
from demur.typing import FloatArray

__all__ = ["distribution"]


def distribution(values: FloatArray, weights: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Return the distinct values, ascending, and the running weight up to each of them."""
    if weights is None:
        ordered = sorted_values(values)
    else:
        ordered, weights = sorted_samples(np.ones(len(values), dtype=np.bool_), values, weights)[0]
    last = ordered[1:] != ordered[:-1]
    if weights is None and last.all():  # nothing to pick out: saves a third of the time at 10^7 errors
        return ordered, np.arange(1.0, len(ordered) + 1)
    end = np.append(np.flatnonzero(last), len(ordered) - 1)
    return ordered[end], end + 1.0 if weights is None else np.asarray(np.cumsum(weights)[end])
