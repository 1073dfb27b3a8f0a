"""Evidence: positives and negatives per distinct score, and nothing else of the cases.

`ScoreCounts` is the waist of demur: arrays, files and engines all become one, and every curve,
surface and window starts from one. `BinnedCounts` holds bins of neighbouring scores together
with what they can and cannot tell; `joined_counts` makes bins that tell little about single cases.
Ordered classes have their own counts in `levels`. Where every case has its own costs, `ScoreCosts`
holds their sums per score and finds the cheapest `CaseWindow`.

Imports: kernels, checks and files only.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.counts.bins import BinnedCounts, bins_to_refine
    from demur.counts.case_window import CaseWindow
    from demur.counts.costs import ScoreCosts
    from demur.counts.joined import joined_counts
    from demur.counts.scores import Blocks, ScoreCounts

__all__ = [
    "BinnedCounts",
    "Blocks",
    "CaseWindow",
    "ScoreCosts",
    "ScoreCounts",
    "bins_to_refine",
    "joined_counts",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
