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

__all__ = ["packed"]

_FEWEST = 16
_SPECIAL = {"inf": np.inf, "-inf": -np.inf, None: np.nan}


def packed(value: Any) -> Any:
    """Return JSON-safe data with long columns of numbers packed."""
    if isinstance(value, dict):
        return {key: packed(part) for key, part in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) < _FEWEST or not all(_is_number(one) for one in value):
        return [packed(one) for one in value]
    ways = [
        value,
        *_whole(value),
        {"$f": _text(np.array([_SPECIAL.get(v, v) for v in value], "<f8").tobytes())},
    ]
    return min(ways, key=lambda way: len(json.dumps(way, separators=(",", ":"))))


def _is_number(one: Any) -> bool:
    if isinstance(one, bool):
        return False
    return isinstance(one, (int, float)) or one in ("inf", "-inf", None)


def _whole(column: list[Any]) -> list[dict[str, str]]:
    """Return both ways of writing whole numbers, as far as the column allows them."""
    if not all(isinstance(one, int) and 0 <= one < 2**53 for one in column):
        return []
    ways = [{"$u": _text(_bytes(column))}]
    steps = [column[0], *(after - before for before, after in pairwise(column))]
    return [*ways, {"$d": _text(_bytes(steps))}] if min(steps) >= 0 else ways


def _bytes(numbers: list[int]) -> bytes:
    """Write whole numbers seven bits to a byte; all bytes of a number but the last are 128 or more."""
    found = bytearray()
    for number in numbers:
        rest = number
        while rest > 127:
            found.append(rest & 127 | 128)
            rest >>= 7
        found.append(rest)
    return bytes(found)


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
