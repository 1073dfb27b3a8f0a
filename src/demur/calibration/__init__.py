"""Whether predicted probabilities can be taken at their word.

The reliability curve comes from the same pooled blocks as every other curve (CORP: Dimitriadis,
Gneiting, Jordan 2021), so it needs no bins. Brier and log score are split into miscalibration,
discrimination and uncertainty; calibration slope and intercept (Cox 1958) say in which direction
the probabilities err.

Imports: counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
