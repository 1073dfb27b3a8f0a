"""Rates, points of ROC space and predicted probabilities."""

from typing import Any

import numpy as np

from demur._checks.arrays import (
    check_finite,
    check_number,
    check_probability,
    check_same_length,
    check_scores,
    first_bad,
)
from demur._checks.errors import input_error
from demur.typing import ArrayLike, FloatArray

__all__ = [
    "check_positive",
    "check_probability_scores",
    "check_rate_pairs",
    "check_roc_points",
    "check_threshold_probability",
]


def check_positive(value: Any, name: str, hint: str | None = None) -> float:
    """Return one number > 0."""
    number = check_number(value, name)
    if number <= 0:
        raise input_error(name, "must be positive", number, hint)
    return number


def check_threshold_probability(value: ArrayLike) -> FloatArray:
    """Return numbers in [0, 1) of any shape: at 1 no case would be worth acting on."""
    t = check_finite(value, "threshold_probability")
    outside = (t < 0) | (t >= 1)
    if np.any(outside):
        raise input_error("threshold_probability", "must lie in [0, 1)", first_bad(t, outside))
    return t


def check_probability_scores(scores: ArrayLike, name: str) -> FloatArray:
    """Return one score per case, all in [0, 1]."""
    checked = check_scores(scores, name)
    low, high = float(checked.min()), float(checked.max())
    if low < 0 or high > 1:
        raise input_error(
            name,
            "must hold probabilities in [0, 1] to act on them",
            f"scores from {low:g} to {high:g}",
            "calibrate the scores.",
        )
    return checked


def check_rate_pairs(**values: ArrayLike) -> list[FloatArray]:
    """Return probabilities that broadcast; keyword names are the argument names."""
    checked = [check_probability(value, name) for name, value in values.items()]
    try:
        return list(np.broadcast_arrays(*checked))
    except ValueError:
        shapes = " and ".join(str(array.shape) for array in checked)
        raise input_error(" and ".join(values), "must broadcast together", f"shapes {shapes}") from None


def check_roc_points(fpr: ArrayLike, tpr: ArrayLike) -> FloatArray:
    """Return distinct points of one curve as rows (fpr, tpr), ascending."""
    columns = {name: np.atleast_1d(check_probability(v, name)) for name, v in (("fpr", fpr), ("tpr", tpr))}
    for name, values in columns.items():
        if values.ndim > 1 or values.size == 0:
            raise input_error(name, "must be one number or a one-dimensional array", f"shape {values.shape}")
    check_same_length(**columns)
    return np.unique(np.column_stack([columns["fpr"], columns["tpr"]]), axis=0)
