"""Inference about the area under the ROC curve: one model, two, several, parts of the curve, planning.

DeLong's variance, the exact jackknife, bootstrap and permutation laws of Bandos, Rockette, Gur
(2006), clusters, tests of parts and points of the curve, margins, several readers, power and sample
size.

Imports: paired, roc, counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
