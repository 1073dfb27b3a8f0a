"""Data with a known truth and small bundled data sets, for examples and tests.

Imports: kernels and checks only.
"""

from demur.datasets.binormal import Binormal
from demur.datasets.series import example_series, mackey_glass

__all__ = [
    "Binormal",
    "example_series",
    "mackey_glass",
]
