"""Flags that a verb cannot honour: refused with a sentence, never ignored."""

from collections.abc import Collection

from demur.cli.options import Flags, Limits, Prices, Source
from demur.exceptions import InputError

__all__ = ["refuse", "refuse_unanswered"]


def refuse(*objects: Flags, because: str, but: Collection[str] = ()) -> None:
    """Raise `InputError` for the first flag that is given and not among `but`.

    `because` follows the name of the flag: "is for two classes. Hint: leave it out.".
    """
    for each in objects:
        for name in each.given():
            if name not in but:
                raise InputError(f"`{name}` {because}")


def refuse_unanswered(
    verb: str, *, source: Source, prices: Prices, limits: Limits, honoured: Collection[str] = ()
) -> None:
    """Raise `InputError` for a flag this verb has no answer for; `honoured` are the limits it keeps."""
    for name, (low, high) in prices.ranges.items():
        raise InputError(
            f"`{name}` must be one number, got the range {low:g}:{high:g}: demur {verb} does not answer "
            "for ranges yet. Hint: run it at both ends."
        )
    if prices.aim != "expected":
        raise InputError(
            f"`--objective {prices.aim}` is not offered by demur {verb} yet. Hint: leave it out for the "
            "expected cost."
        )
    if source.weights is not None:
        raise InputError(f"`--weights` is not offered by demur {verb} yet. Hint: leave it out.")
    refuse(limits, because=f"is not offered by demur {verb} yet. Hint: leave it out.", but=honoured)
