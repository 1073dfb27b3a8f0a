"""ROC space: curves and hulls, operating points, bounds of the area, confident segments, isometrics.

Bounds of the area from few points: Mueller and Zhang (2006). Confident segments by Tango's
interval: Elazmeh, Japkowicz, Matwin (2006). Isometrics and the ROC curve of the cases that got
a decision: Vanderlooy, Sprinkhuizen-Kuyper, Smirnov (2006).

Imports: counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
