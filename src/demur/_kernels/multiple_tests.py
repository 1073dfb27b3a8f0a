"""Adjustment of p-values for the number of tests."""

import numpy as np

from demur.typing import FloatArray

__all__ = ["holm"]


def holm(pvalues: FloatArray) -> FloatArray:
    """Step-down adjustment (Holm 1979): the i-th smallest of m times m - i + 1, kept ascending, at most 1."""
    order = np.argsort(pvalues, kind="stable")
    factors = np.arange(len(pvalues), 0, -1)
    adjusted = np.empty(len(pvalues))
    adjusted[order] = np.minimum(np.maximum.accumulate(pvalues[order] * factors), 1.0)
    return adjusted
