"""What the value of a flag must keep; the sentences name the flag as the user typed it."""

from typing import Any

import click

from demur.exceptions import InputError

__all__ = ["Number", "NumberOrRange", "confidence", "not_negative", "precision", "rate", "rate_or_range"]

Number = float | tuple[float, float]
"""One number, or the two ends of a range."""


def not_negative(ctx: click.Context, param: click.Parameter, value: Number | None) -> Number | None:
    """Require a finite number of at least 0, or a range of such."""
    from demur._checks import check_nonnegative

    if value is not None:
        check_nonnegative(value, param.opts[0])
    return value


def rate(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Require a number in [0, 1]."""
    from demur._checks import check_rate

    return None if value is None else check_rate(value, param.opts[0])


def rate_or_range(ctx: click.Context, param: click.Parameter, value: Number | None) -> Number | None:
    """Require a number in [0, 1], or a range of such."""
    from demur._checks import check_probability

    if value is not None:
        check_probability(value, param.opts[0])
    return value


def confidence(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Require a number strictly between 0 and 1."""
    from demur._checks import check_confidence_level

    return None if value is None else check_confidence_level(value, param.opts[0])


def precision(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Require a precision that can be promised."""
    from demur.roc.isometrics import check_target_value

    return None if value is None else check_target_value(value, param.opts[0])


class NumberOrRange(click.ParamType):
    """``400`` or ``400:600``; a range of zero width is a number."""

    name = "number or range"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Number:
        """Return a number or (low, high)."""
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]  # a default, converted before
        name = value if param is None else param.opts[0]
        texts = value.split(":")
        if len(texts) > 2:
            raise InputError(
                f"`{name}` must be one number or one range LOW:HIGH, got {value!r} with "
                f"{len(texts) - 1} colons. Hint: {name} 400:600."
            )
        try:
            low, high = float(texts[0]), float(texts[-1])
        except ValueError:
            raise InputError(
                f"`{name}` must be a number or a range LOW:HIGH, got {value!r}. Hint: {name} 400:600."
            ) from None
        if low > high:
            raise InputError(
                f"`{name}` must be a range that starts at its lower end, got {value!r}. "
                f"Hint: {name} {texts[1]}:{texts[0]}."
            )
        return low if low == high else (low, high)
