"""How many random examples a law is tried on: an eighth while working, all of them before a merge."""

import os

_SHARE = 8
_FEWEST = 10


def examples(number):
    """Return `number` in a thorough run (`make check`), else an eighth of it, but not less than ten."""
    if os.environ.get("DEMUR_PROFILE") == "thorough":
        return number
    return min(number, max(_FEWEST, number // _SHARE))
