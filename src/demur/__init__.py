"""demur: when should a classifier act, when should it abstain, and what does either cost?

The names people start with are importable from here; everything else lives in its room, such as
`demur.auc.auc_power`. Rooms load on first use, so that ``import demur`` and ``demur --help`` stay
quick. The stub beside this file is the one list of the names.
"""

from importlib import import_module
from typing import Any

from demur._version import __version__ as __version__

with open(f"{__file__.removesuffix('.py')}.pyi", encoding="utf-8") as _stub:
    # lines such as "from demur.roc import roc_curve as roc_curve"; rooms come "from demur"
    _HOME: dict[str, str] = {line.split()[-1]: line.split()[1] for line in _stub if line.startswith("from ")}

__all__ = sorted([*_HOME, "__version__"])  # noqa: PLE0605 - built from the stub


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'demur' has no attribute {name!r}")
    home = _HOME[name]
    value = import_module(f"demur.{name}") if home == "demur" else getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
