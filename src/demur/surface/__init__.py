"""The abstention cost surface: the smallest cost of any window, for all costs at once.

After Friedel, Rueckert, Kramer (2006). `window` holds the two thresholds and how to apply them,
`masses` the running sums every other subpackage may use, `surface` the surface itself, `regions` the
cells and exact differences, `optimal_costs` where one window stays the cheapest, `bounds` what
binned counts can say.

Imports: roc, costs, counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
