"""What the value of a flag must keep; the sentences name the flag as the user typed it.

Each function is a callback of click: it gets the value and returns it, checked.
"""

import click

from demur.exceptions import InputError

__all__ = [
    "Number",
    "confidence",
    "not_negative",
    "not_negative_or_range",
    "precision",
    "rate",
    "rate_or_range",
]

Number = float | tuple[float, float]
"""One number, or the two ends of a range."""


def not_negative(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Require a finite number of at least 0."""
    from demur._checks import check_nonnegative

    return None if value is None else float(check_nonnegative(value, param.opts[0]))


def rate(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Require a number in [0, 1]."""
    from demur._checks import check_rate

    return None if value is None else check_rate(value, param.opts[0])


def confidence(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Require a number strictly between 0 and 1."""
    from demur._checks import check_confidence_level

    return None if value is None else check_confidence_level(value, param.opts[0])


def precision(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Require a precision that can be promised."""
    from demur.roc.isometrics import check_target_value

    return None if value is None else check_target_value(value, param.opts[0])


def not_negative_or_range(ctx: click.Context, param: click.Parameter, value: str | None) -> Number | None:
    """Require ``400`` or ``400:600``: a finite number of at least 0, or a range of such."""
    from demur._checks import check_nonnegative

    if value is None:
        return None
    number = _number_or_range(value, param.opts[0])
    check_nonnegative(number, param.opts[0])
    return number


def rate_or_range(ctx: click.Context, param: click.Parameter, value: str | None) -> Number | None:
    """Require ``0.02`` or ``0.01:0.05``: a number in [0, 1], or a range of such."""
    from demur._checks import check_probability

    if value is None:
        return None
    number = _number_or_range(value, param.opts[0])
    check_probability(number, param.opts[0])
    return number


def _number_or_range(text: str, name: str) -> Number:
    """Return a number or (low, high); a range of zero width is a number."""
    ends = text.split(":")
    if len(ends) > 2:
        raise InputError(
            f"`{name}` must be one number or one range LOW:HIGH, got {text!r} with {len(ends) - 1} colons. "
            f"Hint: {name} {ends[0]}:{ends[-1]}?"
        )
    try:
        low, high = float(ends[0]), float(ends[-1])
    except ValueError:
        raise InputError(f"`{name}` must be a number or a range LOW:HIGH, got {text!r}.") from None
    if low > high:
        raise InputError(
            f"`{name}` must be a range that starts at its lower end, got {text!r}. "
            f"Hint: {name} {ends[1]}:{ends[0]}."
        )
    return low if low == high else (low, high)
