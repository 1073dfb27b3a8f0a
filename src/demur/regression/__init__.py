"""Regression error characteristic curves, their inference, and sigma-point Kalman filters.

REC curves are those of Bi and Bennett (2003); the filters follow "Applying REC analysis to
ensembles of sigma-point Kalman filters" (ROCML 2006) and van der Merwe and Wan (2001).

Imports: policy, honest, windows, surface, costs, counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
