"""Classifiers that abstain by a rule on probabilities: confusion with abstentions, response, capacity.

After Ferri and Hernandez-Orallo (2004). Selective risk (risk-coverage curves) lives here too.

Imports: surface, roc, costs, counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
