"""The flags of the verbs: frozen objects, each with the flags that fill it.

A flag is written once, as a field of its object: `@takes(Prices)` adds the flags to a verb and
hands it one `prices`. Nothing here imports numpy before a verb runs.
"""

from demur.cli.options.costs import Classes, Prices
from demur.cli.options.files import Design, Output, Problem, Source
from demur.cli.options.flags import Flags, flag, refuse, takes, verb
from demur.cli.options.limits import Certainty, Limits
from demur.cli.options.several import Several

__all__ = [
    "Certainty",
    "Classes",
    "Design",
    "Flags",
    "Limits",
    "Output",
    "Prices",
    "Problem",
    "Several",
    "Source",
    "flag",
    "refuse",
    "takes",
    "verb",
]
