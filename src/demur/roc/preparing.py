"""Scores as people have them: ordered words, missing values, a direction nobody wrote down."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_labels,
    check_members,
    check_same_length,
    check_scores,
    input_error,
)
from demur._checks.arrays import is_missing
from demur._results import Result
from demur.exceptions import UndefinedError
from demur.roc.curve import auc_score
from demur.typing import ArrayLike, BoolArray, FloatArray, Labels

__all__ = ["PreparedScores", "prepared_scores"]

_DIRECTIONS = ("higher", "lower", "auto")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class PreparedScores(Result):
    """Labels and scores that every function takes; made by `prepared_scores`.

    Attributes
    ----------
    y_true : array of bool
        True for the positive class.
    y_score : array of float
        Higher means more positive. Levels are numbered 0, 1, ...; scores were negated where lower
        means more positive.
    direction : {"higher", "lower"}
        What means more positive in the scores as given.
    n_dropped : int
        Cases left out because a label or a score is missing.
    words : str
        What was done, in a sentence.
    """

    y_true: BoolArray
    y_score: FloatArray
    direction: str
    n_dropped: int
    words: str

    def __repr__(self) -> str:
        return f"PreparedScores(n={len(self.y_true)}: {self.words})"


def prepared_scores(
    y_true: Labels,
    y_score: ArrayLike | Sequence[Any],
    *,
    levels: Sequence[Any] | None = None,
    drop_missing: bool = False,
    direction: str = "higher",
    pos_label: Any = None,
) -> PreparedScores:
    """Prepare labels and scores: ordered words become numbers, missing cases go, the direction is settled.

    Other functions never guess: they refuse words, missing values, and keep a backward score
    backward. Use this where a data set has them, and read `words`.

    Parameters
    ----------
    y_true : array of n labels
        Missing ones (None, NaN) only with `drop_missing`.
    y_score : array of n numbers or levels
        Numbers, or one of `levels` per case. An ordered pandas categorical brings its levels along.
    levels : sequence, optional
        All levels from the least to the most positive (before `direction`).
    drop_missing : bool, default False
        Leave cases out whose label or score is missing. They are counted in `n_dropped`: the result
        holds for the others only, unless values are missing at random.
    direction : {"higher", "lower", "auto"}
        What means more positive. "auto" takes what gives an AUC of at least 1/2 on these cases, which
        flatters a worthless score: the expected AUC of pure noise is then above 1/2.
    pos_label : label, optional
        As in `abstention_surface`.

    Returns
    -------
    PreparedScores

    Raises
    ------
    InputError
        For a level that is not listed, missing values without `drop_missing`, or nothing left.

    Examples
    --------
    >>> from demur.roc import prepared_scores, roc_curve
    >>> grade = ["poor", "good", None, "fair", "good", "poor"]
    >>> found = prepared_scores([1, 0, 1, 0, 0, 1], grade, levels=["poor", "fair", "good"],
    ...                         drop_missing=True, direction="auto")
    >>> print(found.words)
    lower means more positive (AUC 1.000, the other way 0.000); 1 case with missing values left out
    >>> roc_curve(found.y_true, found.y_score).auc
    1.0
    """
    check_choice(direction, "direction", _DIRECTIONS)
    order = _levels_of(y_score) if levels is None else _members(levels, "levels")
    labels, values = _objects(y_true, "y_true"), _objects(y_score, "y_score")
    check_same_length(y_true=labels, y_score=values)
    missing = np.array(
        [is_missing(label) or is_missing(value) for label, value in zip(labels, values, strict=True)]
    )
    if missing.any() and not drop_missing:
        raise input_error(
            "y_true and y_score",
            "must not contain missing values",
            f"{int(missing.sum())} such cases",
            "drop_missing=True leaves them out.",
        )
    if missing.all():
        raise UndefinedError("Scores need at least one complete case, got none. Hint: check the columns.")
    kept = ~missing
    positive = check_labels(np.array(labels[kept].tolist()), pos_label)
    numbers = _numbered(values[kept], order)
    chosen, words = direction, f"{direction} means more positive, as given"
    if direction == "auto":
        if positive.all() or not positive.any():
            raise UndefinedError(
                "The direction of scores needs cases of both classes, got one. Hint: say it."
            )
        auc = auc_score(positive, numbers)
        chosen, best = "higher" if auc >= 0.5 else "lower", max(auc, 1 - auc)
        words = f"{chosen} means more positive (AUC {best:.3f}, the other way {1 - best:.3f})"
    dropped = int(missing.sum())
    if dropped:
        words += f"; {dropped} {'case' if dropped == 1 else 'cases'} with missing values left out"
    return PreparedScores(
        y_true=positive,
        y_score=numbers if chosen == "higher" else -numbers,
        direction=chosen,
        n_dropped=dropped,
        words=words,
    )


def _objects(values: Any, name: str) -> Any:
    """Return one Python object per case, so that None and NaN stay different from words and numbers."""
    items = _members(values, name)
    made = np.empty(len(items), dtype=object)
    made[:] = items
    return made


def _members(values: Any, name: str) -> list[Any]:
    """Return a list of single values."""
    members = check_members(values.tolist() if hasattr(values, "tolist") else values, name)
    for one in members:
        if isinstance(one, tuple) or not isinstance(one, Hashable):
            raise input_error(name, "must hold single values", type(one).__name__, "pass one column.")
    return members


def _levels_of(scores: Any) -> list[Any] | None:
    """Levels of an ordered categorical, from the least on."""
    kind: Any = getattr(scores, "dtype", None)
    if getattr(kind, "ordered", False):
        return list(kind.categories)
    if getattr(kind, "ordered", None) is False and getattr(kind, "categories", None) is not None:
        raise input_error(
            "y_score",
            "must be ordered",
            "an unordered categorical",
            "pass levels= from the least to the most positive.",
        )
    return None


def _numbered(values: Any, order: list[Any] | None) -> FloatArray:
    if order is None:
        if any(isinstance(value, str) for value in values):
            first = next(value for value in values if isinstance(value, str))
            raise input_error(
                "y_score",
                "must be numbers unless levels are given",
                repr(first),
                "levels=['low', 'high'] orders words.",
            )
        return check_scores(np.array(values.tolist()))
    position = {level: float(k) for k, level in enumerate(order)}
    if len(position) < len(order):
        raise input_error("levels", "must differ", order)
    unknown = [value for value in values if value not in position]
    if unknown:
        raise input_error("y_score", f"must be one of the levels {order}", repr(unknown[0]))
    return np.array([position[value] for value in values])
