"""Values of a policy file: each is there, of the right type and range, or named in one sentence.

A file carries a digest of its content, so that a threshold changed by hand or by a fault of the disk is
noticed. Layout, order of the parts and the spelling of a number may change: 10 and 10.0 are one number.
"""

import dataclasses
import hashlib
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
    "file_text",
    "is_for_classes",
    "number",
    "optional_number",
    "parsed",
    "part",
    "rate",
    "read_amounts",
    "read_costs",
    "require_known_fields",
    "require_schema",
    "text",
    "threshold",
]

SCHEMA = "demur.policy"
VERSION = 2

_DIGEST = "digest"
_INTEGERS_EXACT_IN_FLOAT = 2**53
_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def parsed(path: str | Path) -> Any:
    """Return the content of a JSON file."""
    try:
        content = Path(path).read_text(encoding="utf-8")
        return json.loads(content, object_pairs_hook=_without_repeats)
    except OSError as error:
        raise input_error(str(path), "must be a policy file", str(error.strerror)) from None
    except InputError as error:
        raise InputError(f"`{path}` is not a policy to trust: {error}") from None
    # a ValueError comes from a number of more digits than Python reads, and from broken UTF-8
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        hint = "`demur decide ... -o policy.json` writes one."
        raise input_error(str(path), "must be a policy file", f"no JSON{where}", hint) from None


def file_text(content: dict[str, Any]) -> str:
    """Return the text of a policy file: one line per part, the last one a digest of the others."""
    parts = (
        f"  {json.dumps(name)}: {json.dumps(value, allow_nan=False, ensure_ascii=False)}"
        for name, value in {**content, _DIGEST: _digest(content)}.items()
    )
    return "{\n" + ",\n".join(parts) + "\n}"


def require_known_fields(data: Any, written: Any, where: str = "") -> None:
    """Refuse fields that the policy made of the data does not have: nobody would act on them."""
    if not isinstance(data, dict) or not isinstance(written, dict):
        return
    for name, value in data.items():
        if name == _DIGEST and not where:
            continue
        if name not in written:
            known = f"{where or 'the file'} has {', '.join(written)}."
            raise input_error(f"{where}{name}", "must be a field of a policy", "an unknown one", known)
        require_known_fields(value, written[name], f"{where}{name}.")


def _require_digest(data: dict[str, Any]) -> None:
    """Refuse content that differs from what was written; files of demur 1 and of the page have no digest."""
    if _DIGEST not in data:
        return
    content = {name: value for name, value in data.items() if name != _DIGEST}
    if data[_DIGEST] != _digest(content):
        hint = "the file was damaged or edited; decide and save again."
        raise input_error(_DIGEST, "must be that of the content", "another one", hint)


def _digest(content: dict[str, Any]) -> str:
    canonical = json.dumps(_plain(content), sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def _plain(value: Any) -> Any:
    """Spell every number one way; integers that no float holds stay as they are."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    whole = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if whole and abs(value) <= _INTEGERS_EXACT_IN_FLOAT else value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of the file; a field given twice means two things to two readers."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"`{twice}` is given twice.")
    return found


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
    _require_digest(data)


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
