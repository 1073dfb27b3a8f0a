"""Array aliases and literals shared by the whole package."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ArrayLike", "BoolArray", "FloatArray", "IntArray", "Labels", "Range", "Scalar"]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

Labels: TypeAlias = ArrayLike | Sequence[Any]
"""One label per case: bool, int, float or str."""

Scalar: TypeAlias = float | FloatArray
"""A Python float for scalar arguments, an array for array arguments."""

Range: TypeAlias = tuple[float, float]
"""Closed interval (low, high)."""
