"""Ordered classes: ROC measures of rankings, the ordinal ROC surface, tests of two rankings.

After Waegeman, De Baets, Boullart (2006).

Imports: windows, honest, roc, costs, counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
