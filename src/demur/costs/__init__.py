"""What mistakes and reviews cost, and what follows without a window: cost lines and cost curves.

`CostModel` names the costs of two classes and brings them to the normal form (mu, nu) of
Friedel, Rueckert, Kramer (2006); `CostMatrix` holds those of several classes. A `Reviewer` has a
price and errs, which makes the cost of abstaining depend on the class; `CaseCosts` differ from case
to case. Cost lines, cost curves and the ranges in which each model wins are those of Drummond and
Holte (2006).

Imports: counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
