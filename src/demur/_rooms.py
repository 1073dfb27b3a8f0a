"""Rooms that load their modules on first use: a command waits for what it needs only.

A room lists its names once, as imports that only type checkers run; `on_demand` reads the same lines.
"""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["on_demand"]

_IMPORT = re.compile(r"^    from (demur[\w.]+) import (?:\(([^)]*)\)|(.*))$", re.M)


def on_demand(room: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a room from the indented imports of its `__init__.py`."""
    with open(file, encoding="utf-8") as source:
        listed = _IMPORT.findall(source.read())
    homes = {name: home for home, several, one in listed for name in re.findall(r"\w+", several or one)}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[room], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[room]), *homes})

    return get, names
