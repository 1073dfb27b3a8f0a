"""A decision as an ONNX model, alone or behind a classifier."""

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from demur._checks import input_error
from demur.exceptions import InputError
from demur.policy.labels import label_kind
from demur.windows.expression import (
    All,
    BatchDecision,
    Bound,
    Case,
    Column,
    Condition,
    Decision,
    Equals,
    Indicator,
    Interpolated,
    Least,
    Number,
    Numeric,
    Sum,
)

__all__ = ["onnx_of"]

# the oldest operators and file format with all that is used here: runtimes since 2020 read them
_OPSET = 13
_OLDEST_OPSET = 12
_IR_VERSION = 8
_MAIN_DOMAIN = ("", "ai.onnx")
_SCORE, _PROBA, _DECISION = "score", "proba", "decision"
_TABLE = 2
_CLASSES = 2
_COMPARISONS = {">=": "GreaterOrEqual", "<=": "LessOrEqual", ">": "Greater"}


def onnx_of(
    decision: Decision | BatchDecision,
    *,
    classes: Sequence[Any],
    abstain_label: Any,
    origin: Sequence[tuple[str, str]],
    model: Any = None,
    output: str | None = None,
    column: int | None = None,
) -> Any:
    """Return the model: `score` (or `proba`, of several columns) in and `decision` out.

    With `model` its inputs in, both out. ONNX has no missing labels: rows without a decision abstain.
    """
    if isinstance(decision, BatchDecision):
        raise InputError(
            "This policy gives places to whole batches, and ONNX decides row by row. Hint: to_sql(table=...) "
            "or to_python()."
        )
    if any(isinstance(test, Equals) for test, _ in getattr(decision.value, "branches", ())):
        raise InputError(
            "A rule per group has no ONNX model: the operators used here cannot compare text. "
            "Hint: export SQL or Python."
        )
    try:
        import onnx
        import onnx.checker
        import onnx.helper
    except ImportError:
        raise InputError("ONNX needs the package onnx. Hint: pip install 'demur[onnx]'.") from None
    helper, types = onnx.helper, onnx.TensorProto
    width = len(decision.columns)
    numbers = helper.make_tensor_value_info(
        *((_SCORE, types.DOUBLE, ["n"]) if width == 1 else (_PROBA, types.DOUBLE, ["n", width]))
    )
    kinds = {"text": types.STRING, "whole": types.INT64, "number": types.DOUBLE}
    writer = _Writer(onnx, decision, kinds[label_kind([*classes, abstain_label])])
    decided = helper.make_tensor_value_info(_DECISION, writer.label_type, ["n"])
    if model is None:
        if output is not None or column is not None:
            what = "`output` and `column` need" if width == 1 else "`output` needs"
            raise InputError(f"{what} `model`. Hint: leave {'them' if width == 1 else 'it'} out.")
        writer.decide(decision, abstain_label)
        graph = helper.make_graph(
            writer.nodes, "demur_policy", [numbers], [decided], initializer=writer.constants
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)])
        made.ir_version = _IR_VERSION
        return _signed(origin, onnx, made)
    _require_model(onnx, model, numbers.name)
    found = _scores_of(onnx, model, output)
    made = type(model).FromString(model.SerializeToString())
    if width > 1 and column is not None:
        raise input_error("column", "is for rules of one score", column, "leave it out.")
    # classifiers sort their classes
    order = [sorted(classes).index(name) for name in classes]
    writer.take(found, _place(found, order, column) if width == 1 else order, numbers.name)
    writer.decide(decision, abstain_label)
    made.graph.node.extend(writer.nodes)
    made.graph.initializer.extend(writer.constants)
    del made.graph.output[:]
    made.graph.output.extend([decided, numbers])
    return _signed(origin, onnx, made)


def _signed(origin: Sequence[tuple[str, str]], onnx: Any, made: Any) -> Any:
    """Add the origin of the rule to the metadata of the model, and check it."""
    if not any(opset.domain in _MAIN_DOMAIN for opset in made.opset_import):
        made.opset_import.append(onnx.helper.make_opsetid("", _OPSET))
    made.producer_name = "demur"
    lines = ["Decision of a policy of demur; NaN abstains.", *(f"{name}: {text}" for name, text in origin)]
    made.doc_string = "\n".join(lines)
    known = {entry.key: entry.value for entry in made.metadata_props}
    onnx.helper.set_model_props(made, {**known, **{f"demur.{name}": text for name, text in origin}})
    onnx.checker.check_model(made)
    return made


# ---------------------------------------------------------------- the expression


class _Writer:
    """Nodes and constants of a graph, each under a name of its own; numbers are columns of shape (n, 1)."""

    def __init__(self, onnx: Any, decision: Decision, label_type: int) -> None:
        self.onnx, self.types, self.label_type = onnx, onnx.TensorProto, int(label_type)
        self.columns = decision.columns
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._written: dict[Any, str] = {}
        self._bound = dict(decision.bindings)

    def constant(self, kind: int, shape: list[int], values: list[Any]) -> str:
        name = f"demur/constant_{len(self.constants)}"
        stored = [value.encode() if isinstance(value, str) else value for value in values]
        self.constants.append(self.onnx.helper.make_tensor(name, kind, shape, stored))
        return name

    def node(self, operator: str, *inputs: str, output: str | None = None, **options: Any) -> str:
        name = output or f"demur/{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [name], **options))
        return name

    def shaped(self, name: str, *shape: int, output: str | None = None) -> str:
        target = self.constant(self.types.INT64, [len(shape)], list(shape))
        return self.node("Reshape", name, target, output=output)

    def decide(self, decision: Decision, abstain_label: Any) -> None:
        """Write the label of every row; rows without a decision abstain."""
        # NaN is the only number that is not at least itself
        tests = [self.node("GreaterOrEqual", *[self.number(Column(name))] * 2) for name in self.columns]
        if decision.valid is not None:
            tests.append(self.condition(decision.valid))
        label = self.label_of(decision.value)
        named = self.node("Where", self.folded("And", tests), label, self.labels([abstain_label]))
        self.shaped(named, -1, output=_DECISION)

    def labels(self, labels: Sequence[Any]) -> str:
        return self.constant(self.label_type, [len(labels), 1], list(labels))

    def label_of(self, value: Any) -> str:
        if isinstance(value, Case):
            name = self.labels([value.otherwise])
            for test, label in reversed(value.branches):
                name = self.node("Where", self.condition(test), self.labels([label]), name)
            return name
        numbers = self.node("Concat", *map(self.number, value.values), axis=1)
        # of equal numbers ArgMax takes the first
        best = self.node(
            "ArgMax", numbers if value.largest else self.node("Neg", numbers), axis=1, keepdims=0
        )
        return self.node("Gather", self.labels(value.labels), best)

    def condition(self, test: Condition) -> str:
        if isinstance(test, All):
            return self.folded("And", [self.condition(one) for one in test.conditions])
        assert not isinstance(test, Equals), "refused before"
        return self.node(_COMPARISONS[test.operator], self.number(test.left), self.number(test.right))

    def folded(self, operator: str, names: Sequence[str]) -> str:
        """Apply an operator of two inputs from the left."""
        return reduce(partial(self.node, operator), names)

    def number(self, value: Numeric) -> str:
        if value not in self._written:
            self._written[value] = self._number(value)
        return self._written[value]

    def _number(self, value: Numeric) -> str:
        match value:
            case Column():
                if len(self.columns) == 1:
                    return self.shaped(_SCORE, -1, 1)
                place = self.constant(self.types.INT64, [1], [self.columns.index(value.name)])
                return self.node("Gather", _PROBA, place, axis=1)
            case Number():
                return self.constant(self.types.DOUBLE, [1, 1], [value.value])
            case Sum():
                return self.folded("Add", list(map(self.number, value.terms)))
            case Bound():
                return self.number(self._bound[value.name])
            case Interpolated():
                return self._interpolated(value)
            case Least():
                return self.node("Min", *map(self.number, value.values))
            case Indicator():
                return self.node("Cast", self.condition(value.condition), to=self.types.DOUBLE)
        return self.node("Mul", self.number(value.left), self.number(value.right))

    def _interpolated(self, value: Interpolated) -> str:
        """Look up the piece of a piecewise linear function by the number of points up to the value."""
        at, size = self.number(value.value), len(value.points)
        points = self.constant(self.types.DOUBLE, [1, size], list(value.points))
        reached = self.node("Cast", self.node("GreaterOrEqual", at, points), to=self.types.INT64)
        one = self.constant(self.types.INT64, [1], [1])
        # below the first point the function is what it is there, with no slope
        place = self.node("ReduceSum", reached, one, keepdims=0)
        before = (value.points[0], *value.points), (value.values[0], *value.values), (0.0, *value.slopes)
        point, start, slope = (
            self.node("Gather", self.constant(self.types.DOUBLE, [size + 1, 1], list(column)), place, axis=0)
            for column in before
        )
        risen = self.node("Mul", slope, self.node("Sub", at, point))
        return self.node("Add", start, risen)

    # ------------------------------------------------------------ behind a classifier

    def take(self, found: Any, places: int | list[int] | None, name: str) -> None:
        """Bring one or more columns of a classifier into `name`, as doubles; None: there is one column."""
        if places is None:
            columns = self.shaped(found.name, -1)
        else:
            at = self.constant(self.types.INT64, list(np.shape(places)), np.ravel(places).tolist())
            columns = self.node("Gather", found.name, at, axis=1)
        self.node("Cast", columns, output=name, to=self.types.DOUBLE)


def _place(found: Any, order: Sequence[int], column: int | None) -> int | None:
    """Return the column of the positive class in the output of a classifier; None if there is but one."""
    sizes = [size.dim_value for size in found.type.tensor_type.shape.dim]
    if column is not None:
        return column
    if len(sizes) == 1 or sizes[1:] == [1]:
        return None
    if len(sizes) != _TABLE or sizes[1] not in (0, _CLASSES):
        shown = " x ".join(str(size or "n") for size in sizes) or "an unknown shape"
        raise input_error("column", f"is needed for an output of {shown}", None, "count from 0.")
    return order[1]


def _require_model(onnx: Any, model: Any, numbers: str) -> None:
    """Refuse a model that is no ONNX classifier, too old, or in need of the names of the decision."""
    if not isinstance(model, onnx.ModelProto):
        raise input_error(
            "model",
            "must be an onnx.ModelProto",
            type(model).__name__,
            "skl2onnx.to_onnx(estimator, X[:1], options={'zipmap': False}) makes one.",
        )
    for opset in model.opset_import:
        if opset.domain in _MAIN_DOMAIN and opset.version < _OLDEST_OPSET:
            raise input_error(
                "model",
                f"must use the operators of ONNX since version {_OLDEST_OPSET}",
                opset.version,
                f"convert it with target_opset={_OPSET} or more.",
            )
    graph = model.graph
    used = {value.name for value in (*graph.input, *graph.output, *graph.initializer)}
    for node in graph.node:
        used.update(node.input, node.output)
    taken = sorted(name for name in used if name in (numbers, _DECISION) or name.startswith("demur/"))
    if taken:
        rule = f"must leave the names {numbers}, decision and demur/... to the policy"
        raise input_error("model", rule, taken[0], "rename it, for example with onnx.compose.add_prefix.")


def _scores_of(onnx: Any, model: Any, output: str | None) -> Any:
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
