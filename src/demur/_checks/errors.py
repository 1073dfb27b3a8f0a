"""The sentence every refusal is made of."""

from demur.exceptions import InputError

__all__ = [
    "input_error",
    "some",
]

_SHOWN_CHARACTERS = 400


def input_error(
    argument: str, rule: str, got: object, hint: str | None = None, *, error: type[InputError] = InputError
) -> InputError:
    """Build the error sentence every check uses; a value that takes lines or pages is shortened."""
    shown = " ".join(str(got).split())
    shown = shown if len(shown) <= _SHOWN_CHARACTERS else f"{shown[: _SHOWN_CHARACTERS - 3]}..."
    text = f"`{argument}` {rule}, got {shown}."
    return error(f"{text} Hint: {hint}" if hint else text)


def some(values: list[object]) -> str:
    """List the first values; the sentence stays short however many there are."""
    return ", ".join(map(repr, values[:5])) + (", ..." if len(values) > 5 else "")
