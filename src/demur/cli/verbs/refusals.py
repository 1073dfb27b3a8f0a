"""Flags that a verb cannot honour: refused with a sentence, never ignored."""

from collections.abc import Collection

from demur.cli.options import Flags
from demur.exceptions import InputError

__all__ = ["FOR_TWO_CLASSES", "WITH_CLASSES", "refuse"]

FOR_TWO_CLASSES = "is for two classes. Hint: leave it out beside --classes."
WITH_CLASSES = (
    "--label",
    "--model",
    "--weight",
    "--weights",
    "--group",
    "--drop-missing",
    "--cost-abstain",
    "--review-fee",
    "--reviewer-sensitivity",
    "--reviewer-specificity",
    "--objective",
    "--max-abstention",
    "--reviews-per-day",
    "--cases-per-day",
)
"""Flags that have a meaning for any number of classes."""


def refuse(*objects: Flags, because: str, but: Collection[str] = ()) -> None:
    """Raise `InputError` for the first flag that is given and not among `but`.

    `because` follows the name of the flag: "is for two classes. Hint: leave it out.".
    """
    for each in objects:
        for name in each.given():
            if name not in but:
                raise InputError(f"`{name}` {because}")
