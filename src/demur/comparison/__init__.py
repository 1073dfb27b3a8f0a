"""The answer: which rule to use at given costs, on honest numbers. The only place that decides.

`compare_models` computes, for models on the same cases, the candidates, their honest costs, paired
differences, guarantees, the answer and its words. The command line, the report, the page and the
estimators only show it.

Imports: honest, auc, windows, surface, costs, counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
