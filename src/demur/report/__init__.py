"""The interactive page in which a reader sets the costs: its data, its sentences, its file.

Imports: every subpackage of the domain.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
