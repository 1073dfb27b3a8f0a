"""Options and costs: levels, whole numbers, names, seeds, objects; relative costs, amounts of cases."""

from typing import Any

import numpy as np

from demur._checks.arrays import (
    as_array,
    as_floats,
    broadcast,
    check_elements,
    check_finite,
    check_fraction,
    check_nonnegative,
    check_range,
    first_bad,
    input_error,
)
from demur.typing import ArrayLike, BoolArray, FloatArray

__all__ = [
    "LARGEST_COST",
    "check_amounts",
    "check_choice",
    "check_confidence_level",
    "check_cost_point",
    "check_costs_by_class",
    "check_grid",
    "check_left_out",
    "check_mapping",
    "check_positive_int",
    "check_rng",
    "check_summable",
    "check_type",
    "check_weight_meaning",
]


def check_confidence_level(value: Any, name: str = "confidence_level") -> float:
    """Return one number strictly between 0 and 1."""
    return check_fraction(value, name, "0.95 is usual.")


def check_positive_int(value: Any, name: str, *, minimum: int = 1) -> int:
    """Return a whole number >= `minimum`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < minimum:
        raise input_error(name, f"must be a whole number of at least {minimum}", repr(value))
    if value >= 2**63:
        raise input_error(name, "must be below 2**63", f"a number of {int(value).bit_length()} bits")
    return int(value)


def check_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """Return `value` if it is one of `choices`."""
    # arrays compare element by element, and lists have no hash
    if not isinstance(value, (str, type(None))) or value not in choices:
        raise input_error(name, "must be one of " + ", ".join(map(repr, choices)), repr(value))
    return str(value)


def check_type(value: Any, name: str, kind: type, article: str = "a") -> None:
    """Require an instance of `kind`."""
    if not isinstance(value, kind):
        raise input_error(name, f"must be {article} {kind.__name__}", type(value).__name__)


def check_left_out(first: str, **arguments: Any) -> None:
    """Refuse arguments that the first one, such as "a ScoreCounts", takes the place of."""
    for name, value in arguments.items():
        if value is not None:
            raise input_error(
                name, f"must be left out when the first argument is {first}", type(value).__name__
            )


def check_members(values: Any, name: str) -> list[Any]:
    """Return the members of anything that can be gone through, at least one."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise input_error(name, "must be a sequence", type(values).__name__)
    members = list(values)
    if not members:
        raise input_error(name, "must hold at least one member", "none")
    return members


def check_mapping(value: Any, name: str, kind: type) -> dict[str, Any]:
    """Return a non-empty mapping from names to instances of `kind` as a dict."""
    if not hasattr(value, "items") or not value:
        raise input_error(name, f"must be a non-empty mapping {{name: {kind.__name__}}}", repr(value))
    for key, item in value.items():
        check_type(item, f"{name}[{key!r}]", kind)
    return {str(key): item for key, item in value.items()}


def check_rng(rng: Any) -> np.random.Generator:
    """Return a Generator from a seed or a Generator; the global state is never touched."""
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is None or (
        isinstance(rng, (int, np.integer, np.random.SeedSequence)) and not isinstance(rng, bool)
    ):
        if isinstance(rng, (int, np.integer)) and rng < 0:
            raise input_error("rng", "as a seed must not be negative", rng)
        return np.random.default_rng(rng)
    raise input_error("rng", "must be a seed or a numpy.random.Generator", repr(rng))


def check_weight_meaning(weights: Any) -> str:
    """Return the meaning of weights: importance of a case, or number of repeats."""
    return check_choice(weights, "weights", ("importance", "repeats"))


LARGEST_COST = 1e140
"""Squares of costs, summed over any number of cases, stay finite up to here."""


def check_summable(value: ArrayLike, name: str) -> FloatArray:
    """Return costs as an array: finite numbers, small enough to add up."""
    costs = check_finite(value, name)
    beyond = np.abs(costs) > LARGEST_COST
    if beyond.any():
        rule, largest = f"must not exceed {LARGEST_COST:g}", costs[beyond].flat[0]
        raise input_error(name, rule, f"{largest:g}", "count in a larger unit.")
    return costs


def check_amounts(value: ArrayLike, name: str) -> FloatArray:
    """Return one amount of money or one per case: finite numbers >= 0, as an array of 0 or 1 dimensions."""
    rule = "must be a number or one number per case"
    array = as_array(value, name)
    amounts = np.asarray(as_floats(value, name, rule, shown=array.ndim == 0), order="C")
    if amounts.ndim > 1:
        raise input_error(name, rule, f"shape {amounts.shape}")
    if amounts.size == 0:
        raise input_error(name, "must hold at least one case", "none")
    # min and max propagate NaN without a temporary array
    if amounts.min() >= 0 and amounts.max() <= LARGEST_COST:
        return amounts
    if np.isnan(amounts.min()):
        hint = "give every case its amount, or drop the case from all arrays."
        raise input_error(name, "must not be missing", _first(amounts, np.isnan(amounts)), hint)
    if amounts.min() < 0:
        hint = "a gain is what the other decision costs more; write it there."
        raise input_error(name, "must not be negative", _first(amounts, amounts < 0), hint)
    raise input_error(name, f"must not exceed {LARGEST_COST:g}", _first(amounts, amounts > LARGEST_COST))


def _first(amounts: FloatArray, bad: BoolArray) -> str:
    """Say which amount breaks a rule, and where if there are several."""
    number = first_bad(amounts, bad)
    return f"{number:g} at position {int(np.argmax(bad))}" if amounts.ndim else f"{number:g}"


def check_cost_point(mu: ArrayLike, nu: ArrayLike) -> list[FloatArray]:
    """Broadcast mu >= 0 and nu >= 0 (infinite: never abstain)."""
    alarm, abstain = check_nonnegative(mu, "mu"), _abstention_cost(nu, "nu")
    check_nonnegative(np.where(np.isposinf(abstain), 0.0, abstain), "nu")
    return broadcast("mu and nu", alarm, abstain)


def check_costs_by_class(mu: ArrayLike, nu: ArrayLike, nu_negative: ArrayLike | None) -> list[FloatArray]:
    """Broadcast mu >= 0 and the costs of abstaining on a positive and on a negative.

    One `nu` for both classes must not be negative: a reward for abstaining that ignores the class
    would be collected on every case. By class both signs are legal, so that a matrix of costs with a
    gain on the diagonal keeps its meaning.
    """
    alarm, positive = check_nonnegative(mu, "mu"), _abstention_cost(nu, "nu")
    if nu_negative is None:
        rule = "must not be negative where it holds for both classes"
        check_elements(
            positive, positive < 0, "nu", rule, "a reward by class is written cost(mu, nu, nu_negative)."
        )
        alarm, positive = broadcast("mu and nu", alarm, positive)
        return [alarm, positive, positive]
    return broadcast("mu, nu and nu_negative", alarm, positive, _abstention_cost(nu_negative, "nu_negative"))


def _abstention_cost(value: Any, name: str) -> FloatArray:
    """Any real number, or inf: never abstain."""
    array = as_floats(value, name, "must be a number or an array of numbers", shown=True)
    if np.any(np.isnan(array) | np.isneginf(array)):
        raise input_error(name, "must be a number above -inf", repr(value))
    return array


def check_grid(resolution: Any, mu: Any, nu: Any) -> tuple[FloatArray, FloatArray]:
    """Return the (resolution + 1) values of mu and of nu of a grid."""
    steps = check_positive_int(resolution, "resolution") + 1
    return np.linspace(*check_range(mu, "mu"), steps), np.linspace(*check_range(nu, "nu"), steps)
