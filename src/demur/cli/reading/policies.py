"""What a command reads for a policy: the column of its scores, and the columns of an audit."""

from collections.abc import Sequence

import numpy as np

from demur.engines.columns import Column
from demur.exceptions import InputError
from demur.policy.policy import Policy
from demur.typing import FloatArray

__all__ = ["AUDIT_COLUMNS", "column_numbers", "label_probabilities", "numbers_or_one", "score_column"]

AUDIT_COLUMNS = ("audit", "audit_probability")
"""Whether a label is asked for, and the probability of a label."""


def column_numbers(column: Column, source: str) -> FloatArray:
    """Return a column of numbers, NaN where one is missing."""
    if column.kind != "number":
        raise InputError(f"`{source}` must have numbers in column {column.name!r}, got {column.kind}.")
    return np.asarray(column.filled(), dtype=np.float64)


def numbers_or_one(column: Column, source: str) -> FloatArray:
    """Return a column of numbers, 1 where one is missing: a case without a label may have no weight."""
    filled = column_numbers(column, source)
    return np.where(np.isnan(filled), 1.0, filled)


def label_probabilities(column: Column, source: str) -> FloatArray:
    """Return the probabilities of a label that `demur apply --audit` wrote."""
    values = numbers_or_one(column, source)
    wrong = values[~((values > 0) & (values <= 1))]
    if len(wrong):
        raise InputError(
            f"`{source}` must have probabilities above 0 and at most 1 in column {column.name!r}, got "
            f"{wrong[0]:g}. Hint: `demur apply --audit` writes them; --weight COLUMN takes others."
        )
    return values


def score_column(policy: Policy, columns: Sequence[str], source: str, model: str | None) -> str:
    """Return the column with the scores: the user's, there or not, the policy's, or the only one."""
    if model is not None:
        return model
    named = policy.model is not None or policy.columns != ("score",)
    name = policy.columns[0] if named else columns[0] if len(columns) == 1 else None
    if name is None or name not in columns:
        why = f"there is no column {name!r}, the policy's model" if named else "the policy names no model"
        hint = f"pass --model COLUMN; the columns are {', '.join(columns)}."
        raise InputError(f"`{source}`: {why}. Hint: {hint}")
    return name
