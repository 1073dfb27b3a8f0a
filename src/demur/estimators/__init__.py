"""scikit-learn estimators: classifiers that abstain, delegate or weigh costs; forecasters.

Each points to the subpackage with its mathematics.

Imports: every subpackage of the domain.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
