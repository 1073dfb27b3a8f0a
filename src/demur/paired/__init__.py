"""Joint data of two models on the same cases, which paired tests need.

`PairedCounts` counts pairs of scores, in memory or from an engine; `scores` checks and joins
columns of scores.

Imports: surface (for bounds of bins), counts.
"""

from demur.paired.counts import PairedCounts

__all__ = [
    "PairedCounts",
]
