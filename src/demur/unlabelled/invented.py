"""Invented cases: attributes drawn from their ranges alone, labelled by an oracle.

The first half of the mimetic method (Blanco-Vega et al. 2006, section 3.1): no real case is
needed, only the range of each attribute and something that answers P(positive). Trees that learn from
such cases read attributes as columns of numbers and name columns in words.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from demur._checks import (
    check_choice,
    check_positive_int,
    check_proba,
    check_probability,
    check_range,
    check_rate,
    check_rng,
    check_scores,
    check_simplex,
    input_error,
)
from demur.exceptions import DegenerateDataWarning, InputError
from demur.typing import ArrayLike, BoolArray, FloatArray
from demur.unlabelled.thresholds import direct_threshold

__all__ = [
    "Attribute",
    "IntegerAttribute",
    "InventedCases",
    "NominalAttribute",
    "NumericAttribute",
    "SampledAttribute",
    "class_quota",
    "code_book",
    "describe_bounds",
    "describe_column",
    "encode",
    "invented_cases",
    "named_attributes",
    "oracle_classes",
    "oracle_proba",
    "ranges_to_schema",
    "schema_of",
]

DATA_KINDS = ("prior", "balanced", "random", "oversampling")
_SINGLE_PRECISION = 1e-5


@dataclass(frozen=True)
class NumericAttribute:
    """Attribute drawn uniformly from [low, high].

    Examples
    --------
    >>> import numpy as np
    >>> from demur.unlabelled import NumericAttribute
    >>> age = NumericAttribute(18, 99)
    >>> age.draw(np.random.default_rng(0), 3).round(1).tolist()
    [69.6, 39.9, 21.3]
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = check_range((self.low, self.high), "(low, high)", low=-math.inf)
        if not math.isfinite(high - low):
            raise input_error("(low, high)", "must span a finite range", (low, high))

    def draw(self, rng: np.random.Generator, n: int) -> FloatArray:
        """Return n values."""
        return np.minimum(self.low + (self.high - self.low) * rng.random(n), self.high)


@dataclass(frozen=True)
class IntegerAttribute:
    """Attribute drawn uniformly from the whole numbers low, ..., high.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.unlabelled import IntegerAttribute
    >>> children = IntegerAttribute(0, 3)
    >>> children.draw(np.random.default_rng(0), 3).tolist()
    [3.0, 2.0, 2.0]
    """

    low: int
    high: int

    def __post_init__(self) -> None:
        ends = check_range((self.low, self.high), "(low, high)", low=-(2.0**53), high=2.0**53)
        if not all(end.is_integer() for end in ends):
            raise input_error(
                "(low, high)", "must be whole numbers", (self.low, self.high), "use NumericAttribute."
            )

    def draw(self, rng: np.random.Generator, n: int) -> FloatArray:
        """Return n values."""
        return rng.integers(int(self.low), int(self.high), n, endpoint=True).astype(np.float64)


@dataclass(frozen=True)
class NominalAttribute:
    """Attribute that takes one of some values, evenly or with given probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.unlabelled import NominalAttribute
    >>> home = NominalAttribute(["rent", "own"], probabilities=(0.7, 0.3))
    >>> home.draw(np.random.default_rng(0), 3).tolist()
    ['rent', 'rent', 'rent']
    """

    values: Sequence[Any] | np.ndarray
    probabilities: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.values, str) or not isinstance(self.values, Sequence | np.ndarray):
            raise input_error("values", "must be a sequence of values", repr(self.values))
        values = tuple(self.values.tolist() if isinstance(self.values, np.ndarray) else self.values)
        object.__setattr__(self, "values", values)
        try:
            distinct = len(set(values))
        except TypeError:
            raise input_error("values", "must be numbers or names", repr(values[0])) from None
        if not values or distinct < len(values):
            raise input_error("values", "must be distinct, at least one", list(values))
        if self.probabilities is not None:
            shares = check_simplex(self.probabilities, "probabilities", size=len(self.values))
            object.__setattr__(self, "probabilities", tuple(shares.tolist()))

    @property
    def is_numeric(self) -> bool:
        """Whether all values are numbers, so that a float array can hold them."""
        return all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in self.values)

    def draw(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Return n values."""
        table = np.empty(len(self.values), dtype=np.float64 if self.is_numeric else object)
        table[:] = self.values
        if self.probabilities is None:
            return np.asarray(table[rng.integers(len(table), size=n)])
        return np.asarray(table[rng.choice(len(table), size=n, p=self.probabilities)])


@dataclass(frozen=True)
class SampledAttribute:
    """Numeric attribute whose distribution is known: ``sampler(rng, n)`` returns n numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from demur.unlabelled import SampledAttribute
    >>> years = SampledAttribute(lambda rng, n: rng.exponential(2.0, n))
    >>> years.draw(np.random.default_rng(0), 3).round(2).tolist()
    [1.36, 2.04, 0.04]
    """

    sampler: Callable[[np.random.Generator, int], ArrayLike]

    def draw(self, rng: np.random.Generator, n: int) -> FloatArray:
        """Return n values."""
        values = check_scores(self.sampler(rng, n), "sampler(rng, n)")
        if len(values) != n:
            raise input_error("sampler(rng, n)", f"must return n = {n} numbers", len(values))
        return values


Attribute: TypeAlias = NumericAttribute | IntegerAttribute | NominalAttribute | SampledAttribute
Oracle: TypeAlias = Any
"""A fitted classifier, or a function of the cases that returns P(positive) or rows of probabilities."""


class InventedCases(NamedTuple):
    """Invented cases in random order.

    Attributes
    ----------
    X
        One row per case.
    proba
        P(positive) of each case according to the oracle.
    positive
        True where the oracle says positive: ``proba >= 0.5``.
    drawn
        How many cases had to be drawn to fill the quotas.
    """

    X: np.ndarray
    proba: FloatArray
    positive: BoolArray
    drawn: int


def named_attributes(schema: Any) -> tuple[tuple[str, ...], tuple[Attribute, ...]]:
    """Return names and attributes; names are x0, x1, ... where the schema is a sequence."""
    if isinstance(schema, Mapping):
        names, attributes = tuple(map(str, schema)), tuple(schema.values())
    elif isinstance(schema, Sequence) and not isinstance(schema, str):
        attributes = tuple(schema)
        names = tuple(f"x{k}" for k in range(len(attributes)))
    else:
        raise input_error("schema", "must be a sequence or mapping of attributes", type(schema).__name__)
    if not attributes:
        raise input_error("schema", "must hold at least one attribute", "none")
    for name, attribute in zip(names, attributes, strict=True):
        if not isinstance(attribute, Attribute):
            raise input_error(
                f"schema[{name}]",
                "must be a Numeric-, Integer-, Nominal- or SampledAttribute",
                repr(attribute),
                "for example NumericAttribute(0, 10).",
            )
    return names, attributes


def ranges_to_schema(ranges: Any) -> tuple[NumericAttribute, ...]:
    """Return numeric attributes for pairs (low, high), one per column."""
    try:
        pairs = [tuple(pair) for pair in ranges]
    except TypeError:
        raise input_error("ranges", "must be pairs (low, high), one per attribute", repr(ranges)) from None
    checked = [check_range(pair, f"ranges[{k}]", low=-math.inf) for k, pair in enumerate(pairs)]
    if not checked:
        raise input_error("ranges", "must hold at least one pair", "none")
    return tuple(NumericAttribute(low, high) for low, high in checked)


def oracle_proba(oracle: Oracle, X: Any, *, pos_label: Any = None) -> FloatArray:
    """Return P(positive) of each case according to an oracle.

    A fitted classifier answers with `predict_proba`, or with `predict` where it has no
    probabilities (expert rules: 0 or 1). A plain function may return P(positive), True and
    False, or two columns (negative, positive).
    """
    if hasattr(oracle, "predict_proba"):
        answer, name = oracle.predict_proba(X), "oracle.predict_proba(X)"
    elif hasattr(oracle, "predict"):
        classes = oracle_classes(oracle)
        second = 1 if classes is None else classes[1]
        hits = np.asarray(oracle.predict(X)) == (second if pos_label is None else pos_label)
        answer, name = np.asarray(hits, dtype=np.float64), "oracle.predict(X)"
    elif callable(oracle):
        answer, name = oracle(X), "oracle(X)"
    else:
        raise input_error(
            "oracle", "must be a fitted classifier or a function of the cases", type(oracle).__name__
        )
    answer = np.asarray(answer)
    if answer.ndim == 2:
        if answer.dtype == np.float32 and len(answer):
            # rows in single precision sum to 1 only roughly; scale those, and nothing else
            total = answer.astype(np.float64).sum(axis=1, keepdims=True)
            answer = answer / total if np.abs(total - 1).max() <= _SINGLE_PRECISION else answer
        proba, classes, column = check_proba(answer, name, columns=2), oracle_classes(oracle), 1
        if pos_label is not None and classes is not None:
            names = classes.tolist()
            if pos_label not in names:
                raise input_error("pos_label", f"must be one of {names}", repr(pos_label))
            column = names.index(pos_label)
        proba = proba[:, column]
    else:
        proba = check_probability(check_scores(answer, name), name)
    if len(proba) != len(X):
        raise input_error(name, f"must answer each of the {len(X)} cases", len(proba))
    return np.ascontiguousarray(proba)


def oracle_classes(oracle: Oracle) -> np.ndarray | None:
    """Return the two class labels of a classifier, or None for a plain function."""
    classes = getattr(oracle, "classes_", None)
    if classes is None:
        return None
    if len(classes) != 2:
        raise input_error(
            "oracle", "must tell two classes apart", f"{len(classes)} classes", "compare one with the rest."
        )
    return np.asarray(classes)


def class_quota(n: int, data: str, *, mu: float = 1.0, prevalence: float | None = None) -> int | None:
    """Return how many of n invented cases are to be positive; None: as they come.

    "prior": n prevalence, "balanced": n / 2, "oversampling": n / (1 + mu), rounded half up
    (Blanco-Vega et al. 2006, section 3.1).
    """
    check_choice(data, "data", DATA_KINDS)
    if data == "random":
        return None
    if data == "balanced":
        return math.floor(n / 2 + 0.5)
    if data == "oversampling":
        return math.floor(n / (1 + direct_threshold(mu=mu).mu) + 0.5)
    if prevalence is None:
        raise input_error(
            "prevalence", 'is needed for data="prior"', None, 'or use data="balanced" or "random".'
        )
    return math.floor(n * check_rate(prevalence, "prevalence") + 0.5)


def invented_cases(
    oracle: Oracle,
    schema: Sequence[Attribute] | Mapping[str, Attribute],
    n: int,
    *,
    data: str = "random",
    mu: float = 1.0,
    prevalence: float | None = None,
    pos_label: Any = None,
    rng: int | np.random.Generator | None = None,
    max_draws: int | None = None,
    on_shortage: str = "resample",
) -> InventedCases:
    """Draw cases from the ranges of their attributes and let an oracle label them.

    Attributes are drawn independently, so invented cases fill the whole box of the ranges,
    also where real cases never occur; missing values are not invented. Take the ranges from
    training data, never from test data.

    Parameters
    ----------
    oracle : fitted classifier or function
        Answers P(positive) of an array with one row per case.
    schema : sequence or mapping of attributes
        `NumericAttribute`, `IntegerAttribute`, `NominalAttribute` or `SampledAttribute`, in
        the order of the columns.
    n : int
        Number of cases.
    data : {"random", "prior", "balanced", "oversampling"}
        How many cases of each class: as they come, by `prevalence`, half and half, or
        n / (1 + mu) positives.
    mu, prevalence : float
        For "oversampling" and "prior".
    pos_label : label, optional
        The positive class of the oracle; its second class if left out.
    rng : int or numpy.random.Generator, optional
        Seed.
    max_draws : int, optional
        Stop after so many draws, 200 n by default.
    on_shortage : {"resample", "error"}
        If a class is too rare: repeat its cases, with a warning, or raise. If it never
        occurs at all, "resample" takes the cases as they come, with a warning.

    Returns
    -------
    InventedCases
        ``X, proba, positive, drawn``.

    Raises
    ------
    InputError
        For a bad schema, an oracle that gives no probabilities, or a shortage.

    References
    ----------
    Blanco-Vega et al. (2006), ROCML, section 3.1.

    Examples
    --------
    An expert rule, two attributes, no data:

    >>> from demur.unlabelled import NominalAttribute, NumericAttribute, invented_cases
    >>> schema = {"pressure": NumericAttribute(90, 180), "smoker": NominalAttribute(("no", "yes"))}
    >>> rule = lambda X: (X[:, 0] > 140) & (X[:, 1] == "yes")
    >>> cases = invented_cases(rule, schema, 100, data="balanced", rng=0)
    >>> int(cases.positive.sum()), cases.drawn
    (50, 200)
    """
    names, attributes = named_attributes(schema)
    size = check_positive_int(n, "n")
    generator = check_rng(rng)
    check_choice(on_shortage, "on_shortage", ("resample", "error"))
    limit = 200 * size if max_draws is None else check_positive_int(max_draws, "max_draws", minimum=size)
    quota = class_quota(size, data, mu=mu, prevalence=prevalence)

    def batch() -> InventedCases:
        # of floats, unless a nominal value is no number
        cases = np.column_stack([attribute.draw(generator, size) for attribute in attributes])
        asked, known = cases, getattr(oracle, "feature_names_in_", None)
        # an oracle fitted on a pandas frame has loaded pandas, and wants its columns by name
        if known is not None and "pandas" in sys.modules:
            positional = all(name == f"x{k}" for k, name in enumerate(names)) and len(names) == len(known)
            columns = dict(zip(known if positional else names, cases.T, strict=True))
            asked = sys.modules["pandas"].DataFrame(columns).infer_objects()
        proba = oracle_proba(oracle, asked, pos_label=pos_label)
        return InventedCases(cases, proba, direct_threshold(mu=1.0).decide(proba).astype(np.bool_), size)

    if quota is None:
        return batch()
    kept = _fill(batch, {True: quota, False: size - quota}, limit)
    kept = _supplement(kept, {True: quota, False: size - quota}, generator, on_shortage)
    return _rows(kept, generator.permutation(len(kept.proba)))


def _rows(cases: InventedCases, index: Any) -> InventedCases:
    return InventedCases(cases.X[index], cases.proba[index], cases.positive[index], cases.drawn)


def _fill(batch: Callable[[], InventedCases], wanted: dict[bool, int], limit: int) -> InventedCases:
    """Draw batches and keep what each class still needs; the first batch is kept if a class is absent."""
    parts: list[InventedCases] = []
    missing, drawn, first = dict(wanted), 0, None
    while any(missing.values()) and drawn < limit:
        new = batch()
        drawn += new.drawn
        first = first or new
        keep = []
        for side, needed in missing.items():
            rows = np.flatnonzero(new.positive == side)[:needed]
            missing[side] -= len(rows)
            keep.append(rows)
        parts.append(_rows(new, np.sort(np.concatenate(keep))))
    if first is not None and any(needed and missing[side] == needed for side, needed in wanted.items()):
        parts = [first]
    return InventedCases(
        np.concatenate([part.X for part in parts]),
        np.concatenate([part.proba for part in parts]),
        np.concatenate([part.positive for part in parts]),
        drawn,
    )


def _supplement(
    cases: InventedCases, wanted: dict[bool, int], rng: np.random.Generator, on_shortage: str
) -> InventedCases:
    """Settle a shortage: repeat the rare cases, take them as they come, or raise."""
    index = [np.arange(len(cases.proba))]
    for side, needed in wanted.items():
        rows = np.flatnonzero(cases.positive == side)
        if len(rows) >= needed:
            continue
        word = "positive" if side else "negative"
        text = (
            f"The oracle called {len(rows)} of {cases.drawn} invented cases {word}, but {needed} are needed."
        )
        if on_shortage == "error":
            raise InputError(f'{text} Hint: widen the ranges, raise max_draws, or use data="random".')
        how = "They are repeated." if len(rows) else "The cases are taken as they come."
        warnings.warn(f"{text} {how}", DegenerateDataWarning, stacklevel=3)
        if not len(rows):
            return cases
        index.append(rng.choice(rows, size=needed - len(rows)))
    return _rows(cases, np.concatenate(index))


# ---------------------------------------------------------------- columns of numbers, and their words


def describe_bounds(name: str, low: float, high: float) -> str:
    """Words for low < name <= high, with the infinite end left out."""
    if math.isinf(low):
        return f"{name} <= {high:.4g}"
    return f"{name} > {low:.4g}" if math.isinf(high) else f"{low:.4g} < {name} <= {high:.4g}"


def code_book(attributes: Sequence[Attribute], names: Sequence[str]) -> list[tuple[int, str, Any, Any]]:
    """One (attribute, name, value, alternative) per encoded column.

    `value` is None for numbers; `alternative` is the other one of two values, else None.
    """
    book: list[tuple[int, str, Any, Any]] = []
    for k, (name, attribute) in enumerate(zip(names, attributes, strict=True)):
        if not isinstance(attribute, NominalAttribute):
            book.append((k, name, None, None))
        elif len(attribute.values) == 2:
            book.append((k, name, attribute.values[1], attribute.values[0]))
        else:
            book += [(k, name, value, None) for value in attribute.values]
    return book


def describe_column(book: list[tuple[int, str, Any, Any]], column: int, low: float, high: float) -> str:
    """Words for low < column <= high, with nominal values named."""
    _, name, value, alternative = book[column]
    if value is None:
        return describe_bounds(name, low, high)
    if low >= 0:
        return f"{name} is {value}"
    return f"{name} is not {value}" if alternative is None else f"{name} is {alternative}"


def encode(attributes: Sequence[Attribute], names: Sequence[str], X: np.ndarray) -> FloatArray:
    """Return numbers as they are and nominal values as 0/1 columns (one for two values)."""
    for k, (name, attribute) in enumerate(zip(names, attributes, strict=True)):
        if isinstance(attribute, NominalAttribute):
            unknown = ~np.logical_or.reduce([X[:, k] == value for value in attribute.values])
            if unknown.any():
                raise input_error(
                    f"X column {name}", f"must be one of {list(attribute.values)}", repr(X[unknown, k][0])
                )
    columns = [
        X[:, k] == value if isinstance(attributes[k], NominalAttribute) else X[:, k]
        for k, _, value, _ in code_book(attributes, names)
    ]
    return np.column_stack(columns).astype(np.float64)


def schema_of(X: Any, checked: np.ndarray) -> dict[str, Attribute]:
    """Ranges of real cases: floats, whole numbers (by dtype) or the values that occur."""
    names = [str(name) for name in getattr(X, "columns", [f"x{k}" for k in range(checked.shape[1])])]
    schema: dict[str, Attribute] = {}
    for k, name in enumerate(names):
        column = checked[:, k]
        if column.dtype.kind == "O" and all(isinstance(v, (int, float, np.number)) for v in column):
            column = np.array(column.tolist())
        if column.dtype.kind in "iu":
            schema[name] = IntegerAttribute(int(column.min()), int(column.max()))
        elif column.dtype.kind == "f":
            schema[name] = NumericAttribute(float(column.min()), float(column.max()))
        else:
            odd = [type(value).__name__ for value in column.tolist() if not isinstance(value, Hashable)]
            if odd:  # a TypeError, as of NumPy and scikit-learn
                raise TypeError(
                    f"`X column {name}`: each argument must be a string or a number, got {odd[0]}."
                )
            schema[name] = NominalAttribute(tuple(sorted(set(column.tolist()), key=str)))
    return schema
