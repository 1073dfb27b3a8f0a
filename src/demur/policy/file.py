"""Policy files: one schema for every rule, and the files of versions 1 and 2.

A file carries a digest of its content, so that a threshold changed by hand or by a fault of the disk is
noticed. Layout, order of the parts and the spelling of a number may change: 10 and 10.0 are one number.
"""

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

from demur._checks import check_choice, input_error
from demur._files.values import numbers, optional_number, part, rate, shown, text
from demur.costs.matrix import CostMatrix
from demur.costs.model import CostModel
from demur.exceptions import InputError
from demur.policy.evidence import PolicyEvidence, Promise
from demur.windows.rule import RULES

__all__ = [
    "DIGEST",
    "SCHEMA",
    "VERSION",
    "costs_part",
    "file_text",
    "parsed",
    "policy_fields",
    "require_written",
]

SCHEMA = "demur.policy"
VERSION = 3
DIGEST = "digest"

_INTEGERS_EXACT_IN_FLOAT = 2**53
_PRICES = [field for field in dataclasses.fields(CostModel) if field.init]
_PROMISED = [field.name for field in dataclasses.fields(Promise)]


# ---------------------------------------------------------------- writing


def file_text(content: dict[str, Any]) -> str:
    """Return the text of a policy file: one line per part, the last one a digest of the others."""
    parts = (
        f"  {json.dumps(name)}: {json.dumps(value, allow_nan=False, ensure_ascii=False)}"
        for name, value in {**content, DIGEST: _digest(content)}.items()
    )
    return "{\n" + ",\n".join(parts) + "\n}"


def costs_part(policy: Any) -> dict[str, Any] | None:
    """Return the costs of a policy as its file has them."""
    if policy.amounts is not None:
        return {"kind": "amounts", **policy.amounts}
    if isinstance(policy.costs, CostMatrix):
        return {"kind": "matrix", "values": policy.costs.values, "abstain": policy.abstain_costs}
    return None if policy.costs is None else {"kind": "by class", **policy.costs.to_dict()}


def _digest(content: dict[str, Any]) -> str:
    canonical = json.dumps(_plain(content), sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def _plain(value: Any) -> Any:
    """Write every number as a float; integers that no float holds stay as they are."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    whole = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if whole and abs(value) <= _INTEGERS_EXACT_IN_FLOAT else value


# ---------------------------------------------------------------- reading


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


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object of the file; refuse a field that is given twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"`{twice}` is given twice.")
    return found


def policy_fields(data: Any) -> dict[str, Any]:
    """Return the arguments of `Policy` that a file holds; refuse what is not a policy file."""
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        got = repr(data.get("schema")) if isinstance(data, dict) else type(data).__name__
        raise input_error(
            "schema", f"must be {SCHEMA!r}", got, "`demur decide` and Policy.save write policies."
        )
    version = part(data, "version")
    if isinstance(version, bool) or version not in (1, 2, VERSION):
        rule = f"must be 1, 2 or {VERSION}"
        raise input_error("version", rule, repr(version), "update demur, or save it again.")
    content = {name: value for name, value in data.items() if name != DIGEST}
    if DIGEST in data and data[DIGEST] != _digest(content):
        hint = "the file was damaged or edited; decide and save again."
        raise input_error(DIGEST, "must be that of the content", "another one", hint)
    if version < VERSION:
        content = _of_classes(content) if "classes" in content else _of_window(content)
    classes, columns = part(content, "classes"), part(content, "columns")
    for name, values in (("classes", classes), ("columns", columns)):
        if not isinstance(values, list):
            raise input_error(name, "must be a list", shown(values))
    if part(content, "abstain_label") is None:
        raise input_error("abstain_label", "must be text or a number", "null")
    evidence = part(content, "evidence")
    kind = check_choice(text(content, "rule.kind"), "rule.kind", tuple(RULES))
    return {
        "rule": RULES[kind].from_dict(content["rule"]),
        "classes": tuple(classes),
        "abstain_label": content["abstain_label"],
        "columns": tuple(columns),
        **_costs(content, classes),
        "shares": numbers(content, "shares", (len(classes),)),
        "chosen": text(content, "chosen"),
        "promise": None
        if part(content, "promise") is None
        else Promise(**{name: optional_number(content, f"promise.{name}") for name in _PROMISED}),
        "evidence": None if evidence is None else PolicyEvidence.from_file(content, len(classes)),
        "model": None if part(content, "model") is None else text(content, "model"),
        "note": text(content, "note"),
    }


def _costs(data: Any, classes: list[Any]) -> dict[str, Any]:
    """Return `costs`, `abstain_costs` and `amounts`."""
    costs = part(data, "costs")
    if costs is None:
        return {}
    kind = check_choice(text(data, "costs.kind"), "costs.kind", ("by class", "matrix", "amounts"))
    if kind == "amounts":
        for name in ("cost_fn", "cost_fp"):
            part(costs, name)
        return {"amounts": {name: value for name, value in costs.items() if name != "kind"}}
    if kind == "matrix":
        values = numbers(data, "costs.values", (len(classes), len(classes)))
        if values is None:
            raise input_error("costs.values", "must be a list of numbers", "null")
        abstain = numbers(data, "costs.abstain", (len(classes),))
        return {"costs": CostMatrix(values=values, classes=tuple(classes)), "abstain_costs": abstain}
    prices: dict[str, Any] = {
        field.name: optional_number(data, f"costs.{field.name}")
        if field.default is None
        else part(data, f"costs.{field.name}", float)
        for field in _PRICES
    }
    return {"costs": CostModel(**prices)}


def _require_known(data: Any, known: Any, where: str = "") -> None:
    """Refuse fields that are not among the known ones."""
    if not isinstance(data, dict) or not isinstance(known, dict):
        return
    for name, value in data.items():
        if name not in known:
            hint = f"{where or 'the file'} has {', '.join(known)}."
            raise input_error(f"{where}{name}", "must be a field of a policy", "an unknown one", hint)
        _require_known(value, known[name], f"{where}{name}.")


def require_written(data: Any, written: dict[str, Any]) -> None:
    """Refuse unknown fields in a file of this version."""
    if data["version"] == VERSION:
        _require_known({name: value for name, value in data.items() if name != DIGEST}, written)


# ---------------------------------------------------------------- versions 1 and 2


def _of_window(data: dict[str, Any]) -> dict[str, Any]:
    """Return a window of version 1, or 2 where costs differed by case, in the form of this version."""
    blocks = dict.fromkeys(["positives", "negatives", "lower", "upper", "groups"])
    _require_known(
        data,
        {
            **dict.fromkeys(["schema", "version", "model", "rule", "note", "prevalence"]),
            "labels": dict.fromkeys(["positive", "negative", "abstain"]),
            "window": dict.fromkeys(("lower", "upper")),
            "costs": dict.fromkeys(field.name for field in _PRICES),
            "expected": dict.fromkeys(["cost", "limit", "abstention_rate", "fn", "fp"]),
            **({"amounts": None} if data["version"] == 2 else {}),
            "evidence": {
                **dict.fromkeys(["n", "prevalence", "digest", "software", "cluster_size"]),
                "blocks": blocks,
            },
        },
    )
    costs = part(data, "costs")
    costs = None if costs is None else {"kind": "by class", **_object(data, "costs")}
    if data["version"] == 2:
        costs = {"kind": "amounts", **_object(data, "amounts")}
    assumed = rate(part(data, "prevalence"), "prevalence")
    model = part(data, "model")
    return {
        **{name: part(data, name) for name in ("schema", "version", "model", "note")},
        "classes": [part(data, "labels.negative"), part(data, "labels.positive")],
        "abstain_label": part(data, "labels.abstain"),
        "columns": [model if isinstance(model, str) else "score"],
        "rule": {"kind": "window", **{name: part(data, f"window.{name}") for name in ("lower", "upper")}},
        "chosen": text(data, "rule"),
        "costs": costs,
        "shares": [1 - assumed, assumed],
        "promise": {
            **{name: part(data, f"expected.{name}") for name in ("cost", "abstention_rate", "fn", "fp")},
            # written by the page only
            "limit": data["expected"].get("limit"),
            "error_rate": None,
        },
        # those of the blocks
        "evidence": {**_object(data, "evidence"), "class_sizes": None},
    }


def _of_classes(data: dict[str, Any]) -> dict[str, Any]:
    """Return weights of classes of version 2 in the form of this version."""
    _require_known(
        data,
        {
            **dict.fromkeys(["schema", "version", "model", "classes", "columns", "abstain_label", "note"]),
            "rule": dict.fromkeys(["kind", "family", "weights", "abstain_weight", "column_costs"]),
            **dict.fromkeys(["costs", "abstain_costs", "shares"]),
            "expected": dict.fromkeys(["cost", "limit", "abstention_rate", "error_rate"]),
            "evidence": dict.fromkeys(["n", "class_sizes", "digest", "software", "cluster_size"]),
        },
    )
    names = ("family", "weights", "abstain_weight", "column_costs")
    rule = {name: part(data, f"rule.{name}") for name in names}
    costs, abstain = part(data, "costs"), part(data, "abstain_costs")
    promised = ("cost", "abstention_rate", "error_rate", "limit")
    expected = {name: part(data, f"expected.{name}") for name in promised}
    promised_any = any(value is not None for value in expected.values())
    evidence = part(data, "evidence")
    return {
        **{name: part(data, name) for name in ("schema", "version", "model", "classes", "columns")},
        **{name: part(data, name) for name in ("abstain_label", "note", "shares")},
        "rule": {"kind": "class weights", "classes": part(data, "classes"), **rule},
        "chosen": text(data, "rule.kind"),
        "costs": None if costs is None else {"kind": "matrix", "values": costs, "abstain": abstain},
        "promise": {**expected, "fn": None, "fp": None} if promised_any else None,
        "evidence": None if evidence is None else {**_object(data, "evidence"), "blocks": None},
    }


def _object(data: dict[str, Any], name: str) -> dict[str, Any]:
    value = part(data, name)
    if not isinstance(value, dict):
        raise input_error(name, "must be an object", shown(value))
    return value
