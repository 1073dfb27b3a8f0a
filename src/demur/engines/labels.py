"""Which of two labels is the positive one: the rule for files, frames and the command line."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from demur._checks import input_error
from demur._files.values import is_number

__all__ = [
    "class_name",
    "guessed_positive",
    "is_number",
    "named_positive",
    "one_pos_label",
    "positive_place",
]


def one_pos_label(pos_label: Any, positive: Any) -> Any:
    """Return the positive class under its name, `pos_label`, or under the older one, `positive`."""
    if pos_label is not None and positive is not None:
        raise input_error("pos_label", "has replaced positive", "both", "leave positive out.")
    return positive if pos_label is None else pos_label


def class_name(value: Any) -> str:
    """Name a label as the user would type it: 1.0 is 1, True is true."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def guessed_positive(names: Sequence[str]) -> str | None:
    """Return the positive name where it needs no telling: among 0 and 1, -1 and 1, false and true."""
    lower = {name.lower(): name for name in names}
    if set(lower) <= {"0", "1"} or set(lower) <= {"-1", "1"}:
        return "1"
    return lower.get("true", "true") if set(lower) <= {"true", "false"} else None


def named_positive(names: Sequence[str], positive: str) -> str | None:
    """Return the name the user means, 1.0 for 1 and Yes for yes included; None if there is none."""
    if positive in names:
        return positive
    wanted = class_name(float(positive)) if is_number(positive) else positive.lower()
    matches = [name for name in names if name.lower() == wanted]
    return matches[0] if len(matches) == 1 else None


def positive_place(labels: Sequence[Any], positive: Any, *, column: str) -> int | None:
    """Return which of the distinct `labels` is positive; None if no case is.

    Raises `InputError` for more than two labels, and where `positive` is needed or unknown.
    """
    names = [class_name(label) for label in labels]
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    if len(names) > 2:
        raise input_error(
            "y_true",
            "must name a column of two classes",
            f"{len(names)} in {column!r} ({shown})",
            "compare one class with the rest.",
        )
    if positive is None:
        chosen = guessed_positive(names)
        if chosen is None:
            raise input_error(
                "positive",
                "is required unless the labels are {0, 1}, {-1, 1} or {false, true}",
                f"labels {shown} in {column!r}",
                f"pass positive={names[-1]!r} if that is the positive class.",
            )
    else:
        chosen = named_positive(names, class_name(positive))
        # one class only, and it is the other one: nobody is positive
        if chosen is None and len(names) == 2:
            raise input_error("positive", f"must be one of the labels {shown} of {column!r}", repr(positive))
    return names.index(chosen) if chosen in names else None
