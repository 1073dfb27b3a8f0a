"""A rule for many classes as an ONNX model, alone or behind a classifier."""

from typing import Any

from demur._checks import input_error
from demur.exceptions import InputError
from demur.windows.export.class_decision import LARGEST, ClassDecision
from demur.windows.export.onnx_graph import (
    IR_VERSION,
    OPSET,
    label_type,
    onnx_package,
    require_model,
    scores_of,
    signed,
)

__all__ = ["class_onnx"]

_PROBA, _DECISION = "proba", "decision"


def class_onnx(decision: ClassDecision, *, model: Any = None, output: str | None = None) -> Any:
    """Return the model: `proba` in and `decision` out, or the inputs of `model` in, both out."""
    onnx = onnx_package()
    helper, types = onnx.helper, onnx.TensorProto
    m = len(decision.columns)
    proba = helper.make_tensor_value_info(_PROBA, types.DOUBLE, ["n", m])
    decided = helper.make_tensor_value_info(_DECISION, label_type(decision.kind, onnx), ["n"])
    writer = _Writer(onnx)
    if model is None:
        if output is not None:
            raise InputError("`output` needs `model`. Hint: leave it out.")
        _decide(decision, writer)
        graph = helper.make_graph(
            writer.nodes, "demur_policy", [proba], [decided], initializer=writer.constants
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        made.ir_version = IR_VERSION
        return signed(decision.origin, onnx, made)
    require_model(onnx, model)
    _require_free_name(model)
    found = scores_of(onnx, model, output)
    made = type(model).FromString(model.SerializeToString())
    _take(decision, writer, found)
    _decide(decision, writer)
    made.graph.node.extend(writer.nodes)
    made.graph.initializer.extend(writer.constants)
    del made.graph.output[:]
    made.graph.output.extend([decided, proba])
    return signed(decision.origin, onnx, made)


def _require_free_name(model: Any) -> None:
    graph = model.graph
    used = {value.name for value in (*graph.input, *graph.output, *graph.initializer)}
    for node in graph.node:
        used.update(node.output)
    if _PROBA in used:
        hint = "rename it, for example with onnx.compose.add_prefix."
        raise input_error("model", "must leave the name proba to the policy", _PROBA, hint)


class _Writer:
    """Nodes and constants of a graph, each under a name of its own."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, kind: int, shape: list[int], values: list[Any]) -> str:
        name = f"demur/constant_{len(self.constants)}"
        self.constants.append(self.onnx.helper.make_tensor(name, kind, shape, values))
        return name

    def node(self, operator: str, *inputs: str, output: str | None = None, **options: Any) -> str:
        name = output or f"demur/{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [name], **options))
        return name


def _take(decision: ClassDecision, writer: _Writer, found: Any) -> None:
    """Bring the columns of a classifier, which sorts its classes, into the policy's order, as doubles."""
    types = writer.onnx.TensorProto
    classes = list(decision.rule.classes)
    order = [sorted(classes).index(name) for name in classes]
    at = writer.constant(types.INT64, [len(order)], order)
    writer.node("Cast", writer.node("Gather", found.name, at, axis=1), output=_PROBA, to=types.DOUBLE)


def _decide(decision: ClassDecision, writer: _Writer) -> None:
    """One number per answer, the first best of them; what is no probability abstains."""
    rule, types = decision.rule, writer.onnx.TensorProto
    m = len(rule.classes)
    columns = [
        writer.node("Gather", _PROBA, writer.constant(types.INT64, [1], [k]), axis=1) for k in range(m)
    ]
    total = columns[0]
    for column in columns[1:]:
        total = writer.node("Add", total, column)
    if rule.column_costs is None:
        weights = writer.constant(types.DOUBLE, [1, m], rule.weights.tolist())
        scores = writer.node("Mul", _PROBA, weights)
        if rule.abstains:
            weight = writer.constant(types.DOUBLE, [1, 1], [rule.abstain_weight])
            scores = writer.node("Concat", scores, writer.node("Mul", total, weight), axis=1)
        best = writer.node("ArgMax", scores, axis=1, keepdims=0)
    else:
        answers = rule.column_costs.shape[1]
        losses = ""
        for column, costs in zip(columns, rule.column_costs.tolist(), strict=True):
            part = writer.node("Mul", column, writer.constant(types.DOUBLE, [1, answers], costs))
            losses = writer.node("Add", losses, part) if losses else part
        scaled = writer.node("Mul", losses, writer.constant(types.DOUBLE, [1, answers], rule.divisors))
        best = writer.node("ArgMax", writer.node("Neg", scaled), axis=1, keepdims=0)
    kind = label_type(decision.kind, writer.onnx)
    labels = [label.encode() if isinstance(label, str) else label for label in decision.labels]
    named = writer.node("Gather", writer.constant(kind, [m + 1], labels), best)
    abstain = writer.constant(kind, [1], labels[-1:])
    writer.node("Where", _valid(writer, columns, total), named, abstain, output=_DECISION)


def _valid(writer: _Writer, columns: list[str], total: str) -> str:
    """Whether every probability is finite and not negative, and one is positive."""
    types = writer.onnx.TensorProto
    low = writer.constant(types.DOUBLE, [1, 1], [0.0])
    high = writer.constant(types.DOUBLE, [1, 1], [LARGEST])
    good = writer.node("Greater", total, low)
    for column in columns:
        inside = writer.node("GreaterOrEqual", column, low), writer.node("LessOrEqual", column, high)
        good = writer.node("And", good, writer.node("And", *inside))
    return writer.node("Reshape", good, writer.constant(types.INT64, [1], [-1]))
