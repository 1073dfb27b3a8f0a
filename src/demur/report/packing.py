"""Columns of numbers as short texts: a page is mailed.

A column becomes an object with one key: "$f" for floats, eight bytes each with the lowest first; "$u" for
whole numbers that are not negative, seven bits to a byte and the lowest first; "$d" for ascending ones, as
steps from each to the next. The value is base64 of the bytes. Columns that are shorter as they are stay so.
"""

import base64
import json
from itertools import pairwise
from typing import Any

import numpy as np

__all__ = ["base64_of", "packed"]

_FEWEST = 16
_SPECIAL = {"inf": np.inf, "-inf": -np.inf, None: np.nan}
_NUMERIC = {int, float, str, type(None)}


def packed(value: Any) -> Any:
    """Return JSON-safe data with long columns of numbers packed."""
    if isinstance(value, dict):
        return {key: packed(part) for key, part in value.items()}
    if not isinstance(value, list):
        return value
    kinds = {type(one) for one in value}
    if (
        len(value) < _FEWEST
        or not kinds <= _NUMERIC
        or not {v for v in value if type(v) is str} <= {*_SPECIAL}
    ):
        return [packed(one) for one in value]
    floats = np.array([_SPECIAL.get(one, one) for one in value], "<f8")
    ways = [value, {"$f": base64_of(floats.tobytes())}]
    if kinds == {int} and min(value) >= 0 and max(value) < 2**53:
        steps = [value[0], *(after - before for before, after in pairwise(value))]
        ways.insert(1, {"$u": base64_of(_varints(value))})
        if min(steps) >= 0:
            ways.insert(2, {"$d": base64_of(_varints(steps))})
    return min(ways, key=lambda way: len(json.dumps(way, separators=(",", ":"))))


def _varints(numbers: list[int]) -> bytes:
    """Write whole numbers seven bits to a byte; all bytes of a number but the last are 128 or more."""
    found = bytearray()
    for number in numbers:
        rest = number
        while rest > 127:
            found.append(rest & 127 | 128)
            rest >>= 7
        found.append(rest)
    return bytes(found)


def base64_of(content: bytes) -> str:
    """Write bytes as base64 text."""
    return base64.b64encode(content).decode("ascii")
