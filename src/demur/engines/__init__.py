"""Where counts come from: arrays, data frames, files, warehouses, Spark.

An engine only builds counts; no formula of demur has a second version here.

Imports: paired, surface, costs, counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
