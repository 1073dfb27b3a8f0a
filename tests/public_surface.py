"""Every public name of demur, found by looking: the lists of the subpackages and of the package."""

import inspect
from importlib import import_module

import demur

SUBPACKAGES = [name for name in demur.__all__ if inspect.ismodule(getattr(demur, name))]
TOP = [name for name in demur.__all__ if name not in (*SUBPACKAGES, "__version__")]


def public_names():
    """Return {"demur.subpackage.name": value}, and "demur.name" for names of the package itself."""
    found = {f"demur.{name}": getattr(demur, name) for name in TOP}
    for subpackage in SUBPACKAGES:
        for name in import_module(f"demur.{subpackage}").__all__:
            if name not in TOP:
                found[f"demur.{subpackage}.{name}"] = getattr(import_module(f"demur.{subpackage}"), name)
    return found


PUBLIC = public_names()
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
CLASSES = {name: value for name, value in PUBLIC.items() if inspect.isclass(value)}
