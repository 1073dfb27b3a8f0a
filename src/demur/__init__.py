"""demur: when should a classifier act, when should it abstain, and what does either cost?

The names people start with are importable from here; everything else from its subpackage, such as
`demur.auc.auc_power`. Subpackages load on first use, so that ``import demur`` and ``demur --help``
stay quick. The stub beside each ``__init__.py`` is the one list of its names.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
