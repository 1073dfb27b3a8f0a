"""Rules to deploy: a policy file, and the same decisions in SQL, Python and ONNX.

`policy` holds `Policy`: a rule with its labels, costs, promise and evidence. `file` reads and writes it,
`evidence` is what it rests on, `promise` what it is expected to cost. Rules write a decision as a small
expression tree (`demur.windows.expression`); `sql`, `python_source` and `onnx_graph` print it.

Imports: windows, surface, costs, counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
