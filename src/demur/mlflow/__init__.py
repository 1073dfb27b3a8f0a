"""An answer in MLflow: its numbers, its policy, its page and a model that abstains.

`log_answer` writes to the active run. The model is the policy file itself, loaded by demur, not a
pickle: loading it gives the decisions of `Policy.apply`. MLflow is imported when something is
logged or loaded, and comes with ``demur[mlflow]``.

Imports: report, comparison, windows.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
