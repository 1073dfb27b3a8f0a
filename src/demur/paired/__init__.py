"""Joint data of two models on the same cases, which paired tests need.

`PairedCounts` counts pairs of scores, in memory or from an engine; `JointCounts` counts the scores of
several models together; `scores` checks and joins columns of scores.

Imports: surface (for bounds of bins), costs, counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.paired.counts import PairedCounts
    from demur.paired.joint import JointCounts

__all__ = [
    "JointCounts",
    "PairedCounts",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
