"""Values of a policy file: each is there, of the right type and range, or named in one sentence."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from demur._checks import check_rate, check_whole_counts, input_error
from demur.costs.model import CostModel
from demur.exceptions import InputError
from demur.typing import FloatArray

__all__ = [
    "SCHEMA",
    "VERSION",
    "block_columns",
    "is_for_classes",
    "number",
    "optional_number",
    "parsed",
    "part",
    "rate",
    "read_amounts",
    "read_costs",
    "require_schema",
    "text",
    "threshold",
]

SCHEMA = "demur.policy"
VERSION = 2

_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def parsed(path: str | Path) -> Any:
    """Return the content of a JSON file."""
    try:
        content = Path(path).read_text(encoding="utf-8")
        return json.loads(content)
    except OSError as error:
        raise input_error(str(path), "must be a policy file", str(error.strerror)) from None
    # a ValueError comes from a number of more digits than Python reads, and from broken UTF-8
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        hint = "`demur decide ... -o policy.json` writes one."
        raise input_error(str(path), "must be a policy file", f"no JSON{where}", hint) from None


def part(data: Any, name: str, kind: type | None = None) -> Any:
    """Return the value at a dotted name, as a number if `kind` is float."""
    value = data
    for key in name.split("."):
        if not isinstance(value, dict) or key not in value:
            raise InputError(f"`{name}` is missing.")
        value = value[key]
    return value if kind is None else number(value, name)


def text(data: Any, name: str) -> str:
    """Return the text at a dotted name."""
    value = part(data, name)
    if not isinstance(value, str):
        raise input_error(name, "must be text", _shown(value))
    return value


def optional_number(data: Any, name: str) -> float | None:
    """Return the number at a dotted name, or None for null."""
    return None if part(data, name) is None else number(part(data, name), name)


def number(value: Any, name: str, *, infinite: bool = False) -> float:
    """Return one number, not NaN; with `infinite` also inf and -inf, in files "inf" and "-inf"."""
    if infinite and isinstance(value, str):
        value = _INFINITE.get(value, value)
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise input_error(name, "must be a number", _shown(value))
    try:
        as_float = float(value)
    except OverflowError:
        as_float = math.inf
    if math.isnan(as_float):
        raise input_error(name, "must not be NaN", "NaN")
    if math.isinf(as_float) and not infinite:
        raise input_error(name, "must be finite", as_float)
    return as_float


def threshold(value: Any, name: str) -> float:
    """Return a threshold: a number, inf or -inf ("inf" and "-inf" in files), not NaN."""
    return number(value, name, infinite=True)


def rate(value: Any, name: str) -> float:
    """Return a share in [0, 1]; sums of masses that exceed it by rounding are cut."""
    share = number(value, name)
    return check_rate(min(share, 1.0) if share < 1 + 1e-12 else share, name)


def require_schema(data: Any) -> None:
    """Refuse what is not a policy file of this version."""
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        got = repr(data.get("schema")) if isinstance(data, dict) else type(data).__name__
        raise input_error(
            "schema", f"must be {SCHEMA!r}", got, "`demur decide` and Policy.save write policies."
        )
    version = part(data, "version")
    if isinstance(version, bool) or version not in (1, VERSION):
        rule = f"must be 1 or {VERSION}"
        raise input_error("version", rule, repr(version), "update demur, or save it again.")


def is_for_classes(data: Any) -> bool:
    """Whether a file holds one weight per class instead of a window."""
    return isinstance(data, dict) and "classes" in data


def read_costs(data: Any) -> CostModel | None:
    """Return the costs of a policy file; None if the window was chosen without costs."""
    if part(data, "costs") is None:
        return None
    values: dict[str, Any] = {}
    for field in dataclasses.fields(CostModel):
        if not field.init:
            continue
        name = f"costs.{field.name}"
        values[field.name] = optional_number(data, name) if field.default is None else part(data, name, float)
    return CostModel(**values)


def read_amounts(data: Any) -> dict[str, Any] | None:
    """Return what a policy file says of costs that differed by case; None before version 2."""
    if part(data, "version") == 1:
        return None
    amounts = part(data, "amounts")
    if not isinstance(amounts, dict):
        raise input_error("amounts", "must be an object", _shown(amounts))
    for name in ("cost_fn", "cost_fp"):
        part(amounts, name)
    return amounts


def block_columns(data: Any, names: tuple[str, ...]) -> list[FloatArray]:
    """Return the columns of the blocks, of one length and at least one block."""
    columns = {}
    for name in names:
        where = f"evidence.blocks.{name}"
        values = part(data, where)
        if not isinstance(values, list) or not values:
            raise input_error(where, "must be a list of numbers", _shown(values))
        ends = name in ("lower", "upper")
        columns[name] = np.array([number(value, where, infinite=ends) for value in values])
        if not ends and np.any(columns[name] < 0):
            raise input_error(where, "must not be negative", float(columns[name].min()))
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise input_error("evidence.blocks", "must have columns of one length", lengths)
    check_whole_counts(columns["groups"], "evidence.blocks.groups")
    if not 0 < float((columns["positives"] + columns["negatives"]).sum()) < math.inf:
        raise input_error("evidence.blocks", "must hold cases", "a sum of 0 or infinity")
    return list(columns.values())


def _shown(value: Any) -> str:
    """Show a value as it stands in the file, if it is short."""
    shown = json.dumps(value) if value is None or isinstance(value, (bool, str)) else repr(value)
    return shown if len(shown) <= 40 else type(value).__name__
