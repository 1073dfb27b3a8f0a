"""Data with a known truth and small bundled data sets, for examples and tests.

Imports: kernels and checks only.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
