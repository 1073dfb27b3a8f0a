"""A policy as an ONNX model, alone or behind a classifier."""

import math
from collections.abc import Sequence
from typing import Any

from demur._checks import input_error
from demur.exceptions import InputError
from demur.windows.export.rule import DecisionRule, origin_lines

__all__ = [
    "IR_VERSION",
    "OPSET",
    "label_type",
    "onnx_of",
    "onnx_package",
    "require_model",
    "scores_of",
    "signed",
]

# the oldest operators and file format with all that is used here: runtimes since 2020 read them
OPSET = 13
_OLDEST_OPSET = 12
IR_VERSION = 8
_MAIN_DOMAIN = ("", "ai.onnx")
_SCORE, _DECISION = "score", "decision"
_TABLE = 2
_CLASSES = ("negative", "positive")


def onnx_of(
    rule: DecisionRule, *, model: Any = None, output: str | None = None, column: int | None = None
) -> Any:
    """Return the model: `score` in and `decision` out, or the inputs of `model` in, both out."""
    onnx = onnx_package()
    if model is None:
        if output is not None or column is not None:
            raise InputError("`output` and `column` need `model`. Hint: leave them out.")
        return _alone(rule, onnx)
    require_model(onnx, model)
    return _behind(rule, onnx, model, output, column)


def require_model(onnx: Any, model: Any) -> None:
    """Refuse what is no classifier in ONNX that a decision can be put behind."""
    if not isinstance(model, onnx.ModelProto):
        raise input_error(
            "model",
            "must be an onnx.ModelProto",
            type(model).__name__,
            "skl2onnx.to_onnx(estimator, X[:1], options={'zipmap': False}) makes one.",
        )
    _require_opset(model)
    _require_free_names(model)


def onnx_package() -> Any:
    """Return the package onnx, or say how to get it."""
    try:
        import onnx
        import onnx.checker
        import onnx.helper
    except ImportError:
        raise InputError("ONNX needs the package onnx. Hint: pip install 'demur[onnx]'.") from None
    return onnx


def _alone(rule: DecisionRule, onnx: Any) -> Any:
    helper, types = onnx.helper, onnx.TensorProto
    graph = helper.make_graph(
        _decision_nodes(rule, onnx),
        "demur_policy",
        [helper.make_tensor_value_info(_SCORE, types.DOUBLE, ["n"])],
        [helper.make_tensor_value_info(_DECISION, label_type(rule.kind, onnx), ["n"])],
        initializer=_constants(rule, onnx),
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    made.ir_version = IR_VERSION
    return signed(rule.origin, onnx, made)


def signed(origin: Sequence[tuple[str, str]], onnx: Any, made: Any) -> Any:
    """Write where the rule comes from into the model, and check it."""
    if not any(opset.domain in _MAIN_DOMAIN for opset in made.opset_import):
        made.opset_import.append(onnx.helper.make_opsetid("", OPSET))
    made.producer_name = "demur"
    lines = ["Decision of a policy of demur; NaN abstains.", *origin_lines(origin)]
    made.doc_string = "\n".join(lines)
    onnx.helper.set_model_props(
        made, {**_properties(made), **{f"demur.{name}": text for name, text in origin}}
    )
    onnx.checker.check_model(made)
    return made


def _properties(model: Any) -> dict[str, str]:
    return {entry.key: entry.value for entry in model.metadata_props}


# ---------------------------------------------------------------- two comparisons, two choices


def _decision_nodes(rule: DecisionRule, onnx: Any) -> list[Any]:
    """Compare and choose; NaN fails both comparisons, so it abstains."""
    node = onnx.helper.make_node
    # a threshold of inf (upper) or -inf (lower) is never reached, not even by an infinite score
    above = "GreaterOrEqual" if rule.uses_positive else "Greater"
    below = "LessOrEqual" if rule.lower > -math.inf else "Less"
    return [
        node(above, [_SCORE, "demur/upper"], ["demur/is_positive"]),
        node(below, [_SCORE, "demur/lower"], ["demur/is_negative"]),
        node("Where", ["demur/is_negative", "demur/negative", "demur/abstain"], ["demur/otherwise"]),
        node("Where", ["demur/is_positive", "demur/positive", "demur/otherwise"], [_DECISION]),
    ]


def _constants(rule: DecisionRule, onnx: Any) -> list[Any]:
    def constant(name: str, kind: int, value: Any) -> Any:
        return onnx.helper.make_tensor(f"demur/{name}", kind, [1], [value])

    double, kind = onnx.TensorProto.DOUBLE, label_type(rule.kind, onnx)
    labels = [label.encode() if isinstance(label, str) else label for label in rule.labels]
    positive, negative, abstain = labels
    return [
        constant("upper", double, rule.upper),
        constant("lower", double, rule.lower),
        constant("positive", kind, positive),
        constant("negative", kind, negative),
        constant("abstain", kind, abstain),
    ]


def label_type(kind: str, onnx: Any) -> int:
    """Return the type of labels of one kind."""
    types = onnx.TensorProto
    return int({"text": types.STRING, "whole": types.INT64, "number": types.DOUBLE}[kind])


# ---------------------------------------------------------------- behind a classifier


def _behind(rule: DecisionRule, onnx: Any, model: Any, output: str | None, column: int | None) -> Any:
    helper = onnx.helper
    found = scores_of(onnx, model, output)
    made = type(model).FromString(model.SerializeToString())
    graph = made.graph
    scores, constants = _one_column(rule, onnx, found, column)
    graph.node.extend([*scores, *_decision_nodes(rule, onnx)])
    graph.initializer.extend([*constants, *_constants(rule, onnx)])
    del graph.output[:]
    graph.output.extend(
        [
            helper.make_tensor_value_info(_DECISION, label_type(rule.kind, onnx), ["n"]),
            helper.make_tensor_value_info(_SCORE, onnx.TensorProto.DOUBLE, ["n"]),
        ]
    )
    return signed(rule.origin, onnx, made)


def _require_free_names(model: Any) -> None:
    """Refuse a model that uses the names of the decision itself."""
    graph = model.graph
    used = {value.name for value in (*graph.input, *graph.output, *graph.initializer)}
    for node in graph.node:
        used.update(node.input, node.output)
    taken = sorted(name for name in used if name in (_SCORE, _DECISION) or name.startswith("demur/"))
    if taken:
        rule = "must leave the names score, decision and demur/... to the policy"
        raise input_error("model", rule, taken[0], "rename it, for example with onnx.compose.add_prefix.")


def _require_opset(model: Any) -> None:
    for opset in model.opset_import:
        if opset.domain in _MAIN_DOMAIN and opset.version < _OLDEST_OPSET:
            raise input_error(
                "model",
                f"must use the operators of ONNX since version {_OLDEST_OPSET}",
                opset.version,
                f"convert it with target_opset={OPSET} or more.",
            )


def scores_of(onnx: Any, model: Any, output: str | None) -> Any:
    """Return the output with the scores: the one named, or the only one of floats."""
    names = [value.name for value in model.graph.output]
    if output is not None and output not in names:
        raise input_error("output", f"must be one of {', '.join(names)}", repr(output))
    types = onnx.TensorProto
    floats = [
        value
        for value in model.graph.output
        if value.type.tensor_type.elem_type in (types.FLOAT, types.DOUBLE, types.FLOAT16)
        and output in (None, value.name)
    ]
    if len(floats) != 1:
        raise input_error(
            "model",
            "must have one output of scores as a tensor of floats",
            f"{len(floats)} among {', '.join(names)}",
            "name it with output=; convert with options={'zipmap': False} where it holds dictionaries.",
        )
    return floats[0]


def _one_column(rule: DecisionRule, onnx: Any, found: Any, column: int | None) -> tuple[list[Any], list[Any]]:
    """Return nodes and constants that bring the scores of the positive class into one column of doubles."""
    node, types = onnx.helper.make_node, onnx.TensorProto
    sizes = [size.dim_value for size in found.type.tensor_type.shape.dim]
    inside = found.name
    cast = node("Cast", ["demur/column"], [_SCORE], to=types.DOUBLE)
    if column is None and (len(sizes) == 1 or sizes[1:] == [1]):
        shape = onnx.helper.make_tensor("demur/shape", types.INT64, [1], [-1])
        return [node("Reshape", [inside, "demur/shape"], ["demur/column"]), cast], [shape]
    if column is None:
        if len(sizes) != _TABLE or sizes[1] not in (0, len(_CLASSES)):
            shown = " x ".join(str(size or "n") for size in sizes) or "an unknown shape"
            raise input_error("column", f"is needed for an output of {shown}", None, "count from 0.")
        # classifiers sort their classes
        column = sorted([rule.negative, rule.positive]).index(rule.positive)
    at = onnx.helper.make_tensor("demur/at", types.INT64, [], [column])
    return [node("Gather", [inside, "demur/at"], ["demur/column"], axis=1), cast], [at]
