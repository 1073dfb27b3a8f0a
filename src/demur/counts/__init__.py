"""Evidence: positives and negatives per distinct score, and nothing else of the cases.

`ScoreCounts` is the waist of demur: arrays, files and engines all become one, and every curve,
surface and window starts from one. `BinnedCounts` holds bins of neighbouring scores together
with what they can and cannot tell; `joined_counts` makes bins that tell little about single cases.
Ordered classes have their own counts in `levels`. Where every case has its own costs, `ScoreCosts`
holds their sums per score and finds the cheapest `AbstentionWindow`.

Imports: kernels, checks and files only.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
