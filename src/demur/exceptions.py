"""Errors and warnings demur raises.

Every message names the argument as the user typed it, the rule it broke, the value
that broke it and, where there is one, the remedy ("Hint: ...").
"""

__all__ = ["DegenerateDataWarning", "DemurError", "InputError", "UndefinedError"]


class DemurError(Exception):
    """Base class of everything demur raises on purpose."""


class InputError(DemurError, ValueError):
    """An argument breaks a stated rule; nothing was computed."""


class UndefinedError(InputError):
    """The arguments are well formed, but the quantity does not exist for them.

    Typical case: a rate of the positives in data without positives. There is one policy
    for all curves: raise, never return NaN.
    """


class DegenerateDataWarning(UserWarning):
    """The result stands, but rests on so little data that it should not be trusted blindly."""
