"""Numbers to draw: no more digits than a screen shows."""

from typing import Any

from demur._results import json_safe
from demur.typing import FloatArray

__all__ = ["few_digits"]


def few_digits(column: FloatArray, digits: int = 6) -> list[Any]:
    """Round every number of a column; infinite ones become text as everywhere in the JSON."""
    return [
        float(f"{value:.{digits}g}") if isinstance(value, float) else value for value in json_safe(column)
    ]
