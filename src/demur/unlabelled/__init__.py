"""Decisions without labels: thresholds, a changed prevalence, invented cases.

After Blanco-Vega, Ferri-Ramirez, Hernandez-Orallo, Ramirez-Quintana (2006); the changed
prevalence by maximum likelihood after Saerens, Latinne, Decaestecker (2002).

Imports: surface, roc, costs, counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
