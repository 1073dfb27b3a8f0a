"""One matplotlib figure per result. matplotlib is imported when something is drawn.

A Display computes nothing: it takes a result, or makes one with the function of the same name, and
draws it. `frame()` gives back every number drawn.

Imports: estimators, monitoring and every subpackage of the domain.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
