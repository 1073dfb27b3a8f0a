"""The sentence every refusal is made of."""

from demur.exceptions import InputError

__all__ = [
    "input_error",
    "some",
]


def input_error(
    argument: str, rule: str, got: object, hint: str | None = None, *, error: type[InputError] = InputError
) -> InputError:
    """Build the error sentence every check uses."""
    text = f"`{argument}` {rule}, got {got}."
    return error(f"{text} Hint: {hint}" if hint else text)


def some(values: list[object]) -> str:
    """List the first values; the sentence stays short however many there are."""
    return ", ".join(map(repr, values[:5])) + (", ..." if len(values) > 5 else "")
