"""How many random examples a law is tried on: a quarter while working, all of them before a merge."""

import os

_SHARE = 4
_FEWEST = 10


def examples(number):
    """Return `number` in a thorough run (`make check`), else a quarter of it, but not less than ten."""
    if os.environ.get("DEMUR_PROFILE") == "thorough":
        return number
    return min(number, max(_FEWEST, number // _SHARE))
