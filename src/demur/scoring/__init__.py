"""Scorers for scikit-learn that know abstentions: cost, coverage, quality of the decided cases.

A stock scorer takes an abstention for one more class, so that it counts as an error, or for a
missing value. These take it for what it is. Each reads a `CautiousConfusion`, the one count of
answers and abstentions.

Imports: cautious, surface, costs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
