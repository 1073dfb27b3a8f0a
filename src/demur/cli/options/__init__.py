"""The flags of the verbs: frozen objects, each with the flags that fill it.

A flag is written once, as a field of its object: `@takes(Prices)` adds the flags to a verb and
hands it one `prices`. Nothing here imports numpy before a verb runs.
"""

from demur.cli.options.certainty import Certainty
from demur.cli.options.classes import Classes
from demur.cli.options.flags import Flags, argument, flag, takes, verb
from demur.cli.options.limits import Limits
from demur.cli.options.output import Output
from demur.cli.options.prices import Prices
from demur.cli.options.privacy import Privacy
from demur.cli.options.signing import Signing
from demur.cli.options.source import Source

__all__ = [
    "Certainty",
    "Classes",
    "Flags",
    "Limits",
    "Output",
    "Prices",
    "Privacy",
    "Signing",
    "Source",
    "argument",
    "flag",
    "takes",
    "verb",
]
