"""Joint data of two models on the same cases, which paired tests need.

`PairedCounts` counts pairs of scores, in memory or from an engine; `JointCounts` counts the scores of
several models together; `scores` checks and joins columns of scores.

Imports: surface (for bounds of bins), costs, counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
