"""What all result objects share: read-only arrays, a JSON-safe dictionary, `Interval`."""

import dataclasses
import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from demur.typing import FloatArray, Scalar

__all__ = ["Interval", "Result", "as_scalar", "json_safe", "read_only"]


class Interval(NamedTuple):
    """Closed interval; the one result that unpacks: ``low, high = interval``."""

    low: float
    high: float


def read_only(array: Any) -> Any:
    """Mark `array` as not writeable and return it."""
    array.flags.writeable = False
    return array


def as_scalar(value: FloatArray) -> Scalar:
    """Return a Python float for a zero-dimensional array: scalars in, scalars out."""
    return float(value) if np.ndim(value) == 0 else value


def json_safe(value: Any) -> Any:
    """Convert `value` to what ``json.dumps(..., allow_nan=False)`` accepts.

    JSON has no infinities: they become the strings "inf" and "-inf"; NaN becomes None.
    """
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, dict):
        return {str(key): json_safe(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return json_safe(value.tolist())
    if isinstance(value, (list, tuple)):
        return [json_safe(item) for item in value]
    if isinstance(value, np.generic):
        return json_safe(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


class Result:
    """Base of the frozen result dataclasses.

    Arrays are made read-only after construction. `to_dict` returns the fields and the
    properties listed in `_reported`, with plain Python values only, but not the evidence
    (fields named in `_evidence`) a result was made from.
    """

    __slots__ = ()
    _reported: ClassVar[tuple[str, ...]] = ()
    _evidence: ClassVar[tuple[str, ...]] = ("counts",)

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                read_only(value)

    def __repr__(self) -> str:
        shown = []
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.name.startswith("_") or field.name in self._evidence:
                continue
            if isinstance(value, np.ndarray):
                shown.append(f"{field.name}=<{' x '.join(map(str, value.shape))} array>")
            elif isinstance(value, (tuple, list)) and len(value) > 4:
                shown.append(f"{field.name}=<{len(value)} items>")
            else:
                shown.append(
                    f"{field.name}={value:.6g}" if isinstance(value, float) else f"{field.name}={value!r}"
                )
        return f"{type(self).__name__}({', '.join(shown)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-safe built-in types (infinities as "inf" and "-inf")."""
        names = [
            field.name
            for field in dataclasses.fields(self)  # type: ignore[arg-type]
            if not field.name.startswith("_") and field.name not in self._evidence
        ]
        found = {name: json_safe(getattr(self, name)) for name in [*names, *self._reported]}
        return {**found, **self._certainty()}

    def _certainty(self) -> dict[str, Any]:
        """What to add to `to_dict` where the counts a result keeps are not exact."""
        counts = getattr(self, "counts", None)
        if getattr(counts, "exact", True):
            return {}
        return {"evidence": {"exact": False, "certified": counts.certified}}  # type: ignore[union-attr]
