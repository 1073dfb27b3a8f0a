"""Every public name of demur, found by looking: the rooms' lists and the door."""

import inspect
from importlib import import_module

import demur

ROOMS = [name for name in demur.__all__ if inspect.ismodule(getattr(demur, name))]
TOP = [name for name in demur.__all__ if name not in (*ROOMS, "__version__")]


def public_names():
    """Return {"demur.room.name": value}, and "demur.name" for the names of the door."""
    found = {f"demur.{name}": getattr(demur, name) for name in TOP}
    for room in ROOMS:
        for name in import_module(f"demur.{room}").__all__:
            if name not in TOP:
                found[f"demur.{room}.{name}"] = getattr(import_module(f"demur.{room}"), name)
    return found


PUBLIC = public_names()
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
CLASSES = {name: value for name, value in PUBLIC.items() if inspect.isclass(value)}
