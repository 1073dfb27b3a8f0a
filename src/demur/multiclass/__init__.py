"""More than two classes: weights per class that make the cheapest decisions, and how good they can be.

After Deng et al. (2006): weights, exact search, meta-classes; maps of
costs; the area of Hand and Till (2001).

Imports: ordinal, surface, costs, counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
