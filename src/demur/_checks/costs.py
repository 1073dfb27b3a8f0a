"""Costs of false alarms (mu) and of abstaining (nu), relative to a miss; amounts of single cases."""

from typing import Any

import numpy as np

from demur._checks.arrays import as_array, as_floats, check_nonnegative, check_range, first_bad
from demur._checks.choices import check_positive_int
from demur._checks.errors import input_error
from demur.typing import ArrayLike, BoolArray, FloatArray

__all__ = [
    "check_amounts",
    "check_cost_point",
    "check_costs_by_class",
    "check_grid",
]


_LARGEST_AMOUNT = 1e140  # squares of it, summed over any number of cases, stay finite


def check_amounts(value: ArrayLike, name: str) -> FloatArray:
    """Return one amount of money or one per case: finite numbers >= 0, as an array of 0 or 1 dimensions."""
    rule = "must be a number or one number per case"
    array = as_array(value, name)
    amounts = np.ascontiguousarray(as_floats(value, name, rule, shown=array.ndim == 0))
    amounts = amounts.reshape(array.shape)
    if amounts.ndim > 1:
        raise input_error(name, rule, f"shape {amounts.shape}")
    if amounts.size == 0:
        raise input_error(name, "must hold at least one case", "none")
    # min and max propagate NaN without a temporary array
    if amounts.min() >= 0 and amounts.max() <= _LARGEST_AMOUNT:
        return amounts
    if np.isnan(amounts.min()):
        hint = "give every case its amount, or drop the case from all arrays."
        raise input_error(name, "must not be missing", _first(amounts, np.isnan(amounts)), hint)
    if amounts.min() < 0:
        hint = "a gain is what the other decision costs more; write it there."
        raise input_error(name, "must not be negative", _first(amounts, amounts < 0), hint)
    raise input_error(
        name, f"must not exceed {_LARGEST_AMOUNT:g}", _first(amounts, amounts > _LARGEST_AMOUNT)
    )


def _first(amounts: FloatArray, bad: BoolArray) -> str:
    """Say which amount breaks a rule, and where if there are several."""
    number = first_bad(amounts, bad)
    return f"{number:g} at position {int(np.argmax(bad))}" if amounts.ndim else f"{number:g}"


def check_cost_point(mu: ArrayLike, nu: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Broadcast mu >= 0 and nu >= 0 (infinite: never abstain)."""
    alarm, abstain = check_nonnegative(mu, "mu"), _abstention_cost(nu, "nu")
    check_nonnegative(np.where(np.isposinf(abstain), 0.0, abstain), "nu")
    alarm, abstain = _broadcast("mu and nu", alarm, abstain)
    return alarm, abstain


def check_costs_by_class(
    mu: ArrayLike, nu: ArrayLike, nu_negative: ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Broadcast mu >= 0 and the costs of abstaining on a positive and on a negative.

    One `nu` for both classes must not be negative: a reward for abstaining that ignores the class
    would be collected on every case. By class both signs are legal, so that a matrix of costs with a
    gain on the diagonal keeps its meaning.
    """
    alarm, positive = check_nonnegative(mu, "mu"), _abstention_cost(nu, "nu")
    if nu_negative is None:
        if np.any(positive < 0):
            rule = "must not be negative where it holds for both classes"
            hint = "a reward by class is written cost(mu, nu, nu_negative)."
            raise input_error("nu", rule, first_bad(positive, positive < 0), hint)
        alarm, positive = _broadcast("mu and nu", alarm, positive)
        return alarm, positive, positive
    negative = _abstention_cost(nu_negative, "nu_negative")
    alarm, positive, negative = _broadcast("mu, nu and nu_negative", alarm, positive, negative)
    return alarm, positive, negative


def _abstention_cost(value: Any, name: str) -> FloatArray:
    """Any real number, or inf: never abstain."""
    array = as_floats(value, name, "must be a number or an array of numbers", shown=True)
    if np.any(np.isnan(array) | np.isneginf(array)):
        raise input_error(name, "must be a number above -inf", repr(value))
    return array


def _broadcast(names: str, *arrays: FloatArray) -> tuple[FloatArray, ...]:
    try:
        return np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = [str(array.shape) for array in arrays]
        got = f"shapes {', '.join(shapes[:-1])} and {shapes[-1]}"
        raise input_error(names, "must broadcast together", got) from None


def check_grid(resolution: Any, mu: Any, nu: Any) -> tuple[FloatArray, FloatArray]:
    """Return the (resolution + 1) values of mu and of nu of a grid."""
    steps = check_positive_int(resolution, "resolution") + 1
    return np.linspace(*check_range(mu, "mu"), steps), np.linspace(*check_range(nu, "nu"), steps)
