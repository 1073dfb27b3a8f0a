"""`ClassPolicy`: weights per class, labels and costs in a small JSON file that production can apply."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from demur._checks import check_choice, check_rate, check_type, input_error
from demur._files.whole import whole_file
from demur._results import Result, json_safe
from demur.costs.matrix import CostMatrix
from demur.exceptions import InputError
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray, IntArray
from demur.windows.class_rule import ClassRule
from demur.windows.export.class_decision import ClassDecision, class_python, class_sql
from demur.windows.policy_file import (
    SCHEMA,
    VERSION,
    file_text,
    number,
    optional_number,
    part,
    require_known_fields,
    require_schema,
    text,
)
from demur.windows.policy_labels import OUTPUTS, free_label

__all__ = ["ClassEvidence", "ClassPolicy", "builtin_labels"]

FROM_COSTS = "From costs alone, no evidence: no labelled case was looked at."
"""Note of a policy without evidence."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ClassEvidence(Result):
    """What a policy for many classes rests on.

    Attributes
    ----------
    n : float
        Number of cases; with importance weights the effective one.
    class_sizes : array
        Cases of each class.
    digest : str
        SHA-256 of labels and probabilities in row order.
    software : str
        What made the policy.
    """

    n: float
    class_sizes: FloatArray
    digest: str
    software: str


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ClassPolicy(Result):
    """Which class to answer and when to abstain, as a file: weights, labels, costs and their evidence.

    Decides like its `ClassRule`. Assumes probabilities of the model it was made for, one column per
    class. Make one with `Policy.from_answer`, keep it with `save`, get it back with `Policy.load`.

    Parameters
    ----------
    rule : ClassRule
        Classes, weights and the weight of abstaining.
    abstain_label : str or number
        What `apply` answers for an abstention; no class.
    costs : CostMatrix or None
        The costs the weights were chosen for.
    abstain_costs : array or None
        Price of abstaining by true class.
    shares : array or None
        P(class) assumed in use.
    expected_cost, expected_limit, abstention_rate, error_rate : float or None
        Honest cost per case, upper end of its interval, and shares of all cases; None without evidence.
    evidence : ClassEvidence or None
        Fingerprint of the data; None if the rule was made from costs alone.
    kind : str
        Kind of the rule, as in `ClassAnswer`.
    columns : m names, optional
        Columns of a file that hold the probabilities; default: the names of the classes.
    model, note : str
        Name of the model, and anything worth telling.

    Raises
    ------
    InputError
        For labels that coincide or are of mixed kinds, and parts that do not fit the classes.

    Examples
    --------
    >>> from demur import CostMatrix
    >>> from demur.windows import ClassPolicy, ClassRule
    >>> rule = ClassRule(classes=["a", "b", "c"], weights=[1, 1, 2], abstain_weight=0.6)
    >>> policy = ClassPolicy(rule=rule, abstain_label="ask", costs=CostMatrix.uniform(["a", "b", "c"]))
    >>> policy.apply([[0.7, 0.2, 0.1], [0.4, 0.2, 0.4], [0.5, 0.4, 0.1]]).tolist()
    ['a', 'c', 'ask']
    """

    rule: ClassRule
    abstain_label: Any = None
    costs: CostMatrix | None = None
    abstain_costs: FloatArray | None = None
    shares: FloatArray | None = None
    expected_cost: float | None = None
    expected_limit: float | None = None
    abstention_rate: float | None = None
    error_rate: float | None = None
    evidence: ClassEvidence | None = None
    kind: str = "weights"
    columns: tuple[str, ...] = ()
    model: str | None = None
    note: str = ""
    _evidence: ClassVar[tuple[str, ...]] = ("evidence",)
    _told = ("model", "kind", "rule", "abstain_label", "expected_cost", "abstention_rate")

    def __post_init__(self) -> None:
        check_type(self.rule, "rule", ClassRule)
        classes = tuple(name.item() if isinstance(name, np.generic) else name for name in self.rule.classes)
        if self.abstain_label is None:
            object.__setattr__(self, "abstain_label", free_label(*classes))
        _check_labels([*classes, self.abstain_label])
        columns = tuple(self.columns) or tuple(map(str, classes))
        if len(columns) != len(classes) or len(set(columns)) < len(columns):
            raise input_error("columns", f"must be {len(classes)} different names", repr(columns))
        object.__setattr__(self, "columns", columns)
        if self.costs is not None:
            object.__setattr__(self, "costs", self.costs.arranged(self.rule.classes))
        for name in ("abstention_rate", "error_rate"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check_rate(min(getattr(self, name), 1.0), name))
        check_type(self.note, "note", str)
        Result.__post_init__(self)

    @classmethod
    def from_answer(cls, answer: Any, abstain_label: Any = None) -> ClassPolicy:
        """Make the policy of a `ClassAnswer`; a rule without a model needs none and is refused."""
        from demur._version import __version__

        return cls(
            rule=_builtin_names(answer.require_rule()),
            abstain_label=abstain_label,
            costs=dataclasses.replace(answer.costs, classes=builtin_labels(answer.classes)),
            abstain_costs=answer.abstain_costs,
            shares=answer.shares,
            expected_cost=answer.cost,
            expected_limit=answer.interval.high,
            abstention_rate=answer.abstention_rate,
            error_rate=answer.error_rate,
            evidence=ClassEvidence(
                n=answer.n,
                class_sizes=answer.class_sizes,
                digest=answer.digest,
                software=f"demur {__version__}",
            ),
            kind=answer.kind,
            model=answer.model,
            note=answer.condition,
        )

    @property
    def classes(self) -> tuple[Any, ...]:
        """Names of the classes, in the order of the columns."""
        return self.rule.classes

    # ---------------------------------------------------------------- decisions

    def decide(self, proba: ArrayLike) -> IntArray:
        """Index in `classes` for every row of probabilities, `ABSTAIN` where it abstains."""
        return self.rule.decide(proba)

    def apply(self, proba: ArrayLike, *, output: str = "array") -> Any:
        """Return the label of the decision for every row; the abstain label where it abstains.

        `output` as in `Policy.apply`: "array", "pandas" (a Categorical) or "arrow" (a DictionaryArray).
        """
        check_choice(output, "output", OUTPUTS)
        codes = self.decide(proba)
        labels = [*self.classes, self.abstain_label]
        if output == "array":
            # ABSTAIN is -1: it picks the last label
            return np.array(labels)[codes]
        places = np.where(codes == ABSTAIN, len(self.classes), codes)
        try:
            if output == "pandas":
                import pandas as pd

                return pd.Categorical.from_codes(places, categories=labels)
            import pyarrow as pa
        except ImportError:
            package = "pandas" if output == "pandas" else "pyarrow"
            raise InputError(f"`output={output!r}` needs {package}. Hint: pip install {package}.") from None
        return pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32)), pa.array(labels))

    # ---------------------------------------------------------------- other languages

    def to_sql(
        self,
        dialect: str = "duckdb",
        columns: Sequence[str] | None = None,
        *,
        table: str | None = None,
        decision: str = "decision",
    ) -> str:
        """Return the decision as one SQL expression, or with `table` as a query that adds it to the rows.

        The same decisions as `decide`, to the last bit. A row with a missing, negative or infinite
        probability, or zeros alone, gets NULL. `columns` name the probabilities in the order of the
        classes; dialects as in `Policy.to_sql`, T-SQL from SQL Server 2022 on. PostgreSQL stops with an
        error where a product of numbers near 1e-308 is too small for a float.
        """
        return class_sql(self.decision(), dialect=dialect, columns=columns, table=table, name=decision)

    def to_python(self) -> str:
        """Return the source of a module with one function, `decide(probabilities)`, that imports nothing."""
        return class_python(self.decision())

    def to_onnx(self, model: Any = None, *, output: str | None = None) -> Any:
        """Return an `onnx.ModelProto`: `proba` (float64, n x m) in, `decision` (n labels) out.

        With `model`, a classifier in ONNX whose `output` has one column per sorted class, the decision
        is put behind it. What is no probability abstains. Needs ``demur[onnx]``.
        """
        from demur.windows.export.class_onnx import class_onnx

        return class_onnx(self.decision(), model=model, output=output)

    def decision(self) -> ClassDecision:
        """Return what other systems need to know."""
        told = {
            "model": self.model or "",
            "rule": self.kind,
            "costs": "" if self.costs is None else json.dumps(json_safe(self.costs.to_mapping())),
            "note": self.note,
            "data": "" if self.evidence is None else self.evidence.digest,
            "software": "" if self.evidence is None else self.evidence.software,
        }
        origin = tuple((name, said) for name, said in told.items() if said)
        return ClassDecision(self.rule, (*self.classes, self.abstain_label), self.columns, origin)

    # ---------------------------------------------------------------- files

    def to_dict(self) -> dict[str, Any]:
        """Return the policy file as JSON-safe built-in types."""
        rule, costs = self.rule, self.costs
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "model": self.model,
            "classes": list(self.classes),
            "columns": list(self.columns),
            "abstain_label": self.abstain_label,
            "rule": {
                "kind": self.kind,
                "family": rule.family,
                "weights": rule.weights.tolist(),
                "abstain_weight": rule.abstain_weight,
                "column_costs": None if rule.column_costs is None else rule.column_costs.tolist(),
            },
            "note": self.note,
            "costs": None if costs is None else costs.values.tolist(),
            "abstain_costs": json_safe(self.abstain_costs),
            "shares": json_safe(self.shares),
            "expected": {
                "cost": self.expected_cost,
                "limit": self.expected_limit,
                "abstention_rate": self.abstention_rate,
                "error_rate": self.error_rate,
            },
            "evidence": None if self.evidence is None else self.evidence.to_dict(),
        }

    def to_json(self) -> str:
        """Return the text of the policy file: one line per part, and a digest of them."""
        return file_text(self.to_dict())

    @classmethod
    def from_dict(cls, data: Any) -> ClassPolicy:
        """Return the policy that `to_dict` described; refuse anything else in one sentence."""
        require_schema(data)
        classes = part(data, "classes")
        if not isinstance(classes, list) or len(classes) < 2:
            raise input_error("classes", "must list at least two classes", type(classes).__name__)
        family = check_choice(text(data, "rule.family"), "rule.family", ("weights", "columns"))
        m = len(classes)
        rule = ClassRule(
            classes=tuple(classes),
            weights=_numbers(data, "rule.weights", (m,)),  # type: ignore[arg-type]
            abstain_weight=optional_number(data, "rule.abstain_weight"),
            column_costs=_numbers(data, "rule.column_costs") if family == "columns" else None,
        )
        costs = _numbers(data, "costs", (m, m))
        evidence = part(data, "evidence")
        policy = cls(
            rule=rule,
            abstain_label=part(data, "abstain_label"),
            costs=None if costs is None else CostMatrix(values=costs, classes=tuple(classes)),
            abstain_costs=_numbers(data, "abstain_costs", (m,)),
            shares=_numbers(data, "shares", (m,)),
            expected_cost=optional_number(data, "expected.cost"),
            expected_limit=optional_number(data, "expected.limit"),
            abstention_rate=optional_number(data, "expected.abstention_rate"),
            error_rate=optional_number(data, "expected.error_rate"),
            evidence=None
            if evidence is None
            else ClassEvidence(
                n=part(data, "evidence.n", float),
                class_sizes=_numbers(data, "evidence.class_sizes", (m,)),  # type: ignore[arg-type]
                digest=text(data, "evidence.digest"),
                software=text(data, "evidence.software"),
            ),
            kind=text(data, "rule.kind"),
            columns=tuple(part(data, "columns")),
            model=None if part(data, "model") is None else text(data, "model"),
            note=text(data, "note"),
        )
        require_known_fields(data, policy.to_dict())
        return policy

    def save(self, path: str | Path) -> None:
        """Write the policy as JSON; the file appears whole or not at all."""
        with whole_file(path) as handle:
            handle.write(self.to_json() + "\n")


def builtin_labels(names: Sequence[Any]) -> tuple[Any, ...]:
    """Names as built-in types; booleans as numbers, so that there can be one answer more."""
    plain = [name.item() if isinstance(name, np.generic) else name for name in names]
    return tuple(int(name) if isinstance(name, bool) else name for name in plain)


def _builtin_names(rule: ClassRule) -> ClassRule:
    return dataclasses.replace(rule, classes=builtin_labels(rule.classes))


def _check_labels(labels: Sequence[Any]) -> None:
    """Refuse labels that are not all text or all numbers, or not all different."""
    texts = [isinstance(label, str) for label in labels]
    numbers = [isinstance(label, (int, float)) and not isinstance(label, bool) for label in labels]
    shown = ", ".join(map(repr, labels[-4:]))
    if not (all(texts) or all(numbers)):
        hint = "an abstain label for text could be 'abstain', for numbers -1."
        raise input_error("classes and abstain_label", "must be all strings or all numbers", shown, hint)
    if len(set(labels)) < len(labels):
        raise input_error("abstain_label", "must differ from every class", repr(labels[-1]))


def _numbers(data: Any, name: str, shape: tuple[int, ...] | None = None) -> FloatArray | None:
    """Return a list or table of numbers; None for null."""
    values = part(data, name)
    if values is None and name != "rule.weights":
        return None
    if not isinstance(values, list):
        raise input_error(name, "must be a list of numbers", type(values).__name__)
    rows = values if values and isinstance(values[0], list) else [values]
    if len({len(row) if isinstance(row, list) else -1 for row in rows}) != 1 or not isinstance(rows[0], list):
        raise input_error(name, "must have rows of one length", type(values).__name__)
    table = np.array([[number(value, name) for value in row] for row in rows])
    array = table if rows is values else table[0]
    if shape is not None and array.shape != shape:
        raise input_error(name, f"must have the shape {shape}", f"{array.shape}")
    return array
