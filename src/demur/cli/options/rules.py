"""What the value of a flag must keep; the sentences name the flag as the user typed it.

Each function is a callback of click: it gets the value and returns it, checked.
"""

from dataclasses import dataclass

import click

from demur.exceptions import InputError

__all__ = [
    "ColumnPrice",
    "Number",
    "Price",
    "TypedNumber",
    "confidence",
    "finite",
    "not_negative",
    "not_negative_or_range",
    "precision",
    "price",
    "price_or_gain",
    "rate",
    "rate_or_range",
]

Number = float | tuple[float, float]
"""One number, or the two ends of a range."""


class TypedNumber(float):
    """A number that remembers how it was typed: a column may be called the same."""

    text: str


@dataclass(frozen=True)
class ColumnPrice:
    """A price that differs by case: the amounts of a column times a factor, which may be a range."""

    column: str
    factor: Number = 1.0


Price = Number | ColumnPrice
"""A number, a range, or a column."""


def price(ctx: click.Context, param: click.Parameter, value: str | None) -> Price | None:
    """Require ``400``, ``400:600``, ``amount``, ``0.6*amount`` or ``0.4:0.7*amount``; nothing below 0."""
    from demur._checks import check_nonnegative

    made = price_or_gain(ctx, param, value)
    if made is not None:
        check_nonnegative(made.factor if isinstance(made, ColumnPrice) else made, param.opts[0])
    return made


def price_or_gain(ctx: click.Context, param: click.Parameter, value: str | None) -> Price | None:
    """Require the same of any sign."""
    if value is None:
        return None
    name = param.opts[0]
    factor, star, column = value.partition("*")
    if star and column and _is_number(factor.split(":")[0]):
        return ColumnPrice(column.strip(), _number_or_range(factor, name))
    # what starts like a number is one, and so is half a range
    if not _is_number(value.split(":")[0]):
        if not value.strip():
            raise InputError(f"`{name}` must be a number, a range LOW:HIGH or a column, got {value!r}.")
        return ColumnPrice(value)
    number = _number_or_range(value, name)
    if isinstance(number, tuple):
        return number
    typed = TypedNumber(number)
    typed.text = value
    return typed


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def not_negative(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Require a finite number of at least 0."""
    from demur._checks import check_nonnegative

    return None if value is None else float(check_nonnegative(value, param.opts[0]))


def finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Require a finite number."""
    from demur._checks import check_number

    return None if value is None else check_number(value, param.opts[0])


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
