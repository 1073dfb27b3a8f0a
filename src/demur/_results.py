"""What all result objects share: contents nobody can change, a JSON-safe dictionary, `Interval`.

The rule for arrays. A result never freezes an array that somebody else may hold, and nobody else may
hold a writeable array of a result:

- whoever makes an array for a result and gives it to nobody else freezes it with `read_only`, which
  copies nothing (worth it for arrays as long as the data);
- an array that is still writeable when it reaches a result may be the caller's, so the result keeps a
  frozen copy (`frozen`);
- the same holds for arrays inside tuples and mappings; lists become tuples, mappings `FrozenDict`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, NoReturn, TypeVar

import numpy as np

from demur import _html
from demur.typing import FloatArray, Scalar

__all__ = ["FrozenDict", "Interval", "Result", "as_scalar", "frozen", "json_safe", "read_only"]


_Array = TypeVar("_Array", bound=np.ndarray)
_MOST_SHOWN = 4
# pairs of fields that are a curve, under the names they have in every subpackage
_AXES = (
    ("fpr", "tpr"),
    ("recall", "precision"),
    ("tolerance", "accuracy"),
    ("coverage", "risk"),
    ("coverage", "aoc"),
    ("reviews", "loss"),
    ("abstention", "value"),
    ("forecast", "observed"),
    ("pc", "honest"),
    ("abstention", "auc"),
)
# tables over the relative costs mu (rows) and nu (columns)
_TABLES = ("difference", "honest", "cost")


class Interval(NamedTuple):
    """Closed interval; the one result that unpacks: ``low, high = interval``."""

    low: float
    high: float


class FrozenDict(dict[Any, Any]):
    """A dictionary that cannot be changed: what a result says about its evidence."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a result cannot be changed; copy it first: dict(...)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[Any, Any]]]:
        # pickling would fill an empty dictionary key by key
        return type(self), (dict(self),)


def read_only(array: _Array) -> _Array:
    """Freeze an array that nobody else holds, and return it."""
    array.flags.writeable = False
    return array


def frozen(value: Any) -> Any:
    """Return what a result may keep of `value`: the value itself if nobody can change it, else a copy."""
    if isinstance(value, np.ndarray):
        # nobody can change an array if neither it nor what it is a view of can be written to
        array: Any = value
        while isinstance(array, np.ndarray) and not array.flags.writeable:
            array = array.base
        return value if array is None else read_only(value.copy())
    if isinstance(value, FrozenDict):
        return value
    if isinstance(value, dict):
        return FrozenDict((key, frozen(item)) for key, item in value.items())
    if isinstance(value, (tuple, list)):
        items = tuple(frozen(item) for item in value)
        if isinstance(value, tuple) and all(item is old for item, old in zip(items, value, strict=True)):
            return value
        return type(value)(*items) if hasattr(value, "_fields") else items
    return value


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


def _shown(value: Any) -> str:
    """Text of a value in `repr`: arrays and long collections by their size."""
    if isinstance(value, np.ndarray):
        return f"<{' x '.join(map(str, value.shape))} array>"
    if isinstance(value, (tuple, list, dict)) and len(value) > _MOST_SHOWN:
        return f"<{len(value)} items>"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_shown(item)}" for key, item in value.items()) + "}"
    if type(value) is tuple:
        return "(" + ", ".join(map(_shown, value)) + (",)" if len(value) == 1 else ")")
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def _cell(value: Any) -> str:
    """Text of a value in a table for people; empty where there is nothing to say."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Interval):
        return f"{value.low:.6g} to {value.high:.6g}"
    if isinstance(value, Mapping) and any(dataclasses.is_dataclass(item) for item in value.values()):
        return ", ".join(map(str, value))
    return _shown(value)


class Result:
    """Base of the frozen result dataclasses.

    Nobody can change what it holds (see the rule above). `to_dict` returns the fields and the
    properties listed in `_reported`, with plain Python values only, but not the evidence
    (fields named in `_evidence`) a result was made from. `repr` shows the attributes named in `_told`,
    by default all fields; "points:fpr" shows the length of `fpr`, or a number, as points. A notebook
    shows a table of them and a small figure: of the method `_plotted`, its axes and its last argument,
    if it names one.
    """

    __slots__ = ()
    _reported: ClassVar[tuple[str, ...]] = ()
    _told: ClassVar[tuple[str, ...]] = ()
    _evidence: ClassVar[tuple[str, ...]] = ("counts",)
    _plotted: ClassVar[tuple[str, str, str, float] | None] = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # a class without a text of its own takes that of its parent, where a dataclass would dump arrays
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, field.name, frozen(getattr(self, field.name)))

    def _fields(self) -> list[str]:
        return [
            field.name
            for field in dataclasses.fields(self)  # type: ignore[arg-type]
            if not field.name.startswith("_") and field.name not in self._evidence
        ]

    def __repr__(self) -> str:
        told = []
        for entry in self._told or self._fields():
            label, _, name = entry.rpartition(":")
            value = getattr(self, name)
            value = len(value) if label and hasattr(value, "__len__") else value
            told.append(f"{label or name}={_shown(value)}")
        return f"{type(self).__name__}({', '.join(told)})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: names and values, arrays by their size, and a small figure."""
        if not hasattr(self, "__dataclass_fields__"):
            return _html.panel(repr(self), [])
        cells = ((name, _cell(getattr(self, name))) for name in [*self._fields(), *self._reported])
        rows = [(name, cell) for name, cell in cells if cell]
        words = getattr(self, "words", "")
        said = words if isinstance(words, str) else ""
        return _html.panel(type(self).__name__, rows, words=said, figure=self._figure())

    def _figure(self) -> str:
        """Return a small figure of a curve or a window as SVG; empty where there is nothing to draw."""
        if self._plotted is not None:
            method, across, up, last = self._plotted
            at = np.linspace(0.0, last, 101)
            return _html.curve(at, getattr(self, method)(at), (across, up))
        for across, up in _AXES:
            x, y = getattr(self, across, None), getattr(self, up, None)
            if isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and x.ndim == 1 and x.shape == y.shape:
                return _html.curve(x, y, (across, up))
        mu, nu = getattr(self, "mu", None), getattr(self, "nu", None)
        if isinstance(mu, np.ndarray) and isinstance(nu, np.ndarray) and mu.ndim == nu.ndim == 1:
            for name in _TABLES:
                table = getattr(self, name, None)
                if isinstance(table, np.ndarray) and table.shape == (len(mu), len(nu)):
                    return _html.heat(table, (name, "mu", "nu"))
        lower, upper, rate = (getattr(self, name, None) for name in ("lower", "upper", "abstention_rate"))
        if isinstance(lower, float) and isinstance(upper, float) and isinstance(rate, float):
            return _html.zones(lower, upper, ("negative", f"{rate:.1%}", "positive"))
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-safe built-in types (infinities as "inf" and "-inf")."""
        contents = {name: json_safe(getattr(self, name)) for name in [*self._fields(), *self._reported]}
        return {**contents, **self._certainty()}

    def _certainty(self) -> dict[str, Any]:
        """What to add to `to_dict` where the counts a result keeps are not exact."""
        counts = getattr(self, "counts", None)
        if getattr(counts, "exact", True):
            return {}
        return {"evidence": {"exact": False, "certified": counts.certified}}  # type: ignore[union-attr]
