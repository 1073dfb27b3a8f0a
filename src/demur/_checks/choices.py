"""Options: levels, whole numbers, names, seeds, objects."""

from typing import Any

import numpy as np

from demur._checks.arrays import check_rate
from demur._checks.errors import input_error

__all__ = [
    "check_choice",
    "check_confidence_level",
    "check_mapping",
    "check_positive_int",
    "check_rng",
    "check_type",
    "check_weight_meaning",
]


def check_confidence_level(value: Any, name: str = "confidence_level") -> float:
    """Return one number strictly between 0 and 1."""
    level = check_rate(value, name)
    if not 0 < level < 1:
        raise input_error(name, "must lie strictly between 0 and 1", level, "0.95 is usual.")
    return level


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
    """Return what a weight means: one case that counts more or less, or so many cases."""
    return check_choice(weights, "weights", ("importance", "repeats"))
