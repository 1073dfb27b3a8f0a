"""Labels of decisions: one that is free for abstentions, and a quick way from codes to labels."""

from typing import Any

import numpy as np

from demur.surface.window import ABSTAIN

__all__ = ["free_label", "small_steps"]


def free_label(negative: Any, positive: Any) -> Any:
    """Return a label for abstentions that is none of the classes: -1, 0 or 1 among whole numbers."""
    whole = all(isinstance(label, int) and not isinstance(label, bool) for label in (negative, positive))
    if not whole:
        return "abstain"
    return next(number for number in (ABSTAIN, 0, 1) if number not in (negative, positive))


def small_steps(table: Any) -> Any:
    """Return (negative, abstain - negative, positive - abstain) in few bytes; None if they do not fit."""
    if table.dtype.kind != "i":
        return None
    negative, positive, abstain = table.tolist()
    reached = (negative, positive, abstain, positive - negative, abstain - negative, positive - abstain)
    for dtype in (np.int8, np.int16, np.int32):
        if max(map(abs, reached)) <= np.iinfo(dtype).max:
            return np.array([negative, abstain - negative, positive - abstain], dtype=dtype)
    return None
