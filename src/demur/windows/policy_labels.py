"""Labels of decisions: one that is free for abstentions, and quick ways from scores to labels."""

from typing import Any

import numpy as np

from demur.exceptions import InputError
from demur.surface.window import ABSTAIN, decide, decision_masks
from demur.typing import FloatArray

__all__ = ["OUTPUTS", "encoded_labels", "free_label", "labels_of"]

OUTPUTS = ("array", "pandas", "arrow")
"""What `Policy.apply` returns."""

# scores decided at a time, so that codes and indices stay in the cache
_CHUNK = 1 << 16


def labels_of(values: FloatArray, lower: float, upper: float, names: tuple[Any, Any, Any]) -> Any:
    """Return an array with the label of every decision; `names` are negative, positive, abstain."""
    # in the order of the codes: 0, 1 and, from the end, -1
    table = np.array(names)
    labels = np.empty(len(values), dtype=table.dtype)
    steps = _small_steps(table)
    for start in range(0, len(values), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        if steps is None:
            labels[chunk] = table[decide(values[chunk], (lower, upper))]
            continue
        # small whole numbers by arithmetic, twice as fast as looking them up
        positive, above = decision_masks(values[chunk], lower, upper)
        label = above.view(np.int8) * steps[1]
        label += positive.view(np.int8) * steps[2]
        labels[chunk] = label + steps[0]
    return labels


def encoded_labels(
    values: FloatArray, lower: float, upper: float, names: tuple[Any, Any, Any], output: str
) -> Any:
    """Return the labels as one byte per case and a list of `names`, for pandas or Arrow."""
    codes = np.empty(len(values), dtype=np.int8)
    for start in range(0, len(values), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        positive, above = decision_masks(values[chunk], lower, upper)
        # places in `names`: 0 - 0, 2 - 1 and 2 - 0
        codes[chunk] = 2 * above.view(np.int8) - positive.view(np.int8)
    try:
        if output == "pandas":
            import pandas as pd

            return pd.Categorical.from_codes(codes, categories=list(names))
        import pyarrow as pa
    except ImportError:
        package = "pandas" if output == "pandas" else "pyarrow"
        raise InputError(f"`output={output!r}` needs {package}. Hint: pip install {package}.") from None
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(list(names)))


def free_label(*classes: Any) -> Any:
    """Return a label for abstentions that is none of the classes, a number beside numbers."""
    if all(isinstance(label, int) and not isinstance(label, bool) for label in classes):
        return next(label for label in (ABSTAIN, *range(len(classes) + 1)) if label not in classes)
    if len(classes) > 2 and all(isinstance(label, float) for label in classes):
        return next(label for label in (float(ABSTAIN), min(classes) - 1) if label not in classes)
    free = ("abstain", "undecided", "send to a person", *(f"abstain {k}" for k in range(len(classes))))
    return next(label for label in free if label not in classes)


def _small_steps(table: Any) -> Any:
    """Return (negative, abstain - negative, positive - abstain) in few bytes; None if they do not fit."""
    if table.dtype.kind != "i":
        return None
    negative, positive, abstain = table.tolist()
    reached = (negative, positive, abstain, positive - negative, abstain - negative, positive - abstain)
    for dtype in (np.int8, np.int16, np.int32):
        if max(map(abs, reached)) <= np.iinfo(dtype).max:
            return np.array([negative, abstain - negative, positive - abstain], dtype=dtype)
    return None
