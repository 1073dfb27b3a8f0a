"""Flags that a verb cannot honour: refused with a sentence, never ignored."""

from collections.abc import Collection

from demur.cli.options import Flags
from demur.exceptions import InputError

__all__ = ["refuse"]


def refuse(*objects: Flags, because: str, but: Collection[str] = ()) -> None:
    """Raise `InputError` for the first flag that is given and not among `but`.

    `because` follows the name of the flag: "is for two classes. Hint: leave it out.".
    """
    for each in objects:
        for name in each.given():
            if name not in but:
                raise InputError(f"`{name}` {because}")
