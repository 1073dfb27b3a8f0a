"""`CostMatrix`: what it costs to answer one class where another is true, by name."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_finite, check_nonnegative, input_error
from demur._checks.arrays import one_dimensional
from demur._checks.labels import distinct_labels, refuse_other_kinds
from demur._results import Result
from demur.costs.model import CostModel
from demur.exceptions import InputError, UndefinedError
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = ["CostMatrix", "as_cost_matrix", "by_class", "class_indices", "class_names", "class_priors"]

_NAMED = "pass {true: {predicted: cost}}, a CostMatrix, a data frame, or an array with rows true."
_PRIOR_SUM = 1e-6  # rounding of priors typed by hand


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class CostMatrix(Result):
    """Costs of all answers for all true classes, in any unit; the lower the better.

    Rows and columns have names, so that no matrix can be read transposed without notice: the
    entry (true, predicted) is asked for as ``costs.cost(true=..., predicted=...)``.

    Parameters
    ----------
    values : array of shape (m, m)
        Row = true class, column = answer. Finite; a non-zero diagonal prices right answers.
    classes : sequence of m names
        Names of rows and columns, in this order.

    Raises
    ------
    InputError
        If the table is not square, holds anything but finite numbers, or a name repeats.

    Notes
    -----
    The true class comes first here, as in the tables of Deng et al. (2006); papers on binary
    thresholds often print the transpose.

    Examples
    --------
    Sending a sick patient home is the worst mistake:

    >>> from demur import CostMatrix
    >>> costs = CostMatrix.from_mapping({
    ...     "sick": {"home": 20, "ward": 4},
    ...     "ward": {"sick": 2, "home": 6},
    ...     "home": {"sick": 3, "ward": 1},
    ... })
    >>> costs.cost(true="sick", predicted="home")
    20.0
    >>> costs.classes
    ('home', 'sick', 'ward')
    """

    values: FloatArray
    classes: tuple[Any, ...]

    def __post_init__(self) -> None:
        values = np.array(check_finite(self.values, "values"))
        classes = tuple(self.classes)
        if values.ndim != 2 or values.shape[0] != values.shape[1] or not values.size:
            raise input_error(
                "values", "must be a square table (rows true, columns predicted)", f"shape {values.shape}"
            )
        if len(classes) != len(values):
            raise input_error("classes", f"must name the {len(values)} rows", _listed(classes))
        if len(set(classes)) < len(classes):
            raise input_error("classes", "must not repeat a name", _listed(classes))
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "classes", classes)
        Result.__post_init__(self)

    @classmethod
    def from_mapping(cls, costs: Mapping[Any, Mapping[Any, float]]) -> CostMatrix:
        """Read {true: {predicted: cost}}; the cost of a right answer may be left out (0).

        Classes are sorted, as scikit-learn sorts the columns of probabilities.
        """
        rows: Mapping[Any, Any] = costs
        for true, row in rows.items():
            if not isinstance(row, Mapping):
                rule = "must be a mapping {predicted: cost}"
                raise input_error(f"costs[{true!r}]", rule, repr(row), _NAMED)
        answers = {predicted for row in rows.values() for predicted in row}
        classes = _sorted_names(rows)
        if not answers <= set(classes):
            raise InputError(
                "`costs` must name the same classes as rows and as columns, got rows "
                f"{_listed(classes)} and columns {_listed(_sorted_names(answers))}."
            )
        values = np.zeros((len(classes), len(classes)))
        for (i, true), (j, predicted) in itertools.product(enumerate(classes), repeat=2):
            name = f"costs[{true!r}][{predicted!r}]"
            if predicted in rows[true]:
                cost = check_finite(rows[true][predicted], name)
                if cost.ndim:
                    raise input_error(name, "must be one number", f"shape {cost.shape}")
                values[i, j] = cost
            elif predicted != true:
                got = f"only {_listed(_sorted_names(rows[true]))}"
                raise input_error(f"costs[{true!r}]", f"must say what the answer {predicted!r} costs", got)
        return cls(values=values, classes=classes)

    @classmethod
    def uniform(cls, classes: Sequence[Any]) -> CostMatrix:
        """Every mistake costs 1: the objective is the error rate."""
        return cls(values=1.0 - np.eye(len(classes)), classes=tuple(classes))

    def cost(self, *, true: Any, predicted: Any) -> float:
        """Cost of the answer `predicted` where `true` is the class."""
        return float(self.values[self._index(true, "true"), self._index(predicted, "predicted")])

    def _index(self, name: Any, argument: str) -> int:
        if name not in self.classes:
            raise input_error(argument, f"must be one of the classes {_listed(self.classes)}", repr(name))
        return self.classes.index(name)

    def to_mapping(self) -> dict[Any, dict[Any, float]]:
        """Return {true: {predicted: cost}}, diagonal included."""
        rows = self.values.tolist()
        return {
            true: dict(zip(self.classes, row, strict=True))
            for true, row in zip(self.classes, rows, strict=True)
        }

    @property
    def by_true_class_only(self) -> bool:
        """Whether a mistake costs the same whatever is answered: then weights c_j are Bayes-optimal.

        For three and more classes only these costs make the Bayes rule a rule of class weights;
        for all others the family "columns" of `optimize_weights` contains it.
        """
        off = self.values[~np.eye(len(self.values), dtype=bool)].reshape(len(self.values), -1)
        flat = bool(off.shape[1] == 0 or np.all(off == off[:, :1]))
        return flat and not np.diag(self.values).any()

    def arranged(self, classes: Sequence[Any]) -> CostMatrix:
        """Return the same costs with the classes in another order."""
        if set(classes) != set(self.classes) or len(classes) != len(self.classes):
            raise InputError(
                f"`costs` must name exactly the classes of the data, got costs for {_listed(self.classes)} "
                f"and classes {_listed(classes)}. Hint: names must be equal, also in type (1 is not '1')."
            )
        order = [self.classes.index(name) for name in classes]
        return CostMatrix(values=self.values[np.ix_(order, order)], classes=tuple(classes))

    def one_vs_one(self, positive: Any, negative: Any, *, abstain_cost: Any = None) -> CostModel:
        """Costs of telling two classes apart: a miss is `positive` answered as `negative`."""
        a, b = self._index(positive, "positive"), self._index(negative, "negative")
        if a == b:
            raise input_error("negative", "must differ from positive", repr(negative))
        return self._against(np.eye(len(self.classes))[b], a, abstain_cost, repr(negative))

    def one_vs_rest(self, positive: Any, *, priors: Any = None, abstain_cost: Any = None) -> CostModel:
        """Costs of telling one class from all others, averaged over the others by `priors`.

        A miss costs the mean of c(positive, k), a false alarm the mean of c(j, positive), and a
        right "other" the mean of the diagonal: what the others cost among themselves does not
        depend on this decision. `priors` default to equal ones.
        """
        a, m = self._index(positive, "positive"), len(self.classes)
        share = np.full(m, 1 / m) if priors is None else class_priors(priors, self.classes, np.ones(m))
        share = np.where(np.arange(m) == a, 0.0, share)
        if share.sum() == 0:
            raise UndefinedError(
                f"One class against the rest needs other classes with a prior, got only {positive!r}."
            )
        return self._against(share / share.sum(), a, abstain_cost, "the rest")

    def _against(self, share: FloatArray, a: int, abstain_cost: Any, others: str) -> CostModel:
        """Costs of telling class `a` from other classes, averaged over them by `share`."""
        c = self.values
        costs: dict[str, Any] = {"cost_fn": c[a] @ share, "cost_fp": c[:, a] @ share}
        costs |= {"cost_tp": c[a, a], "cost_tn": np.diag(c) @ share}
        if abstain_cost is not None:
            review = by_class(abstain_cost, "abstain_cost", self.classes)
            costs |= {"cost_abstain_positive": review[a], "cost_abstain_negative": review @ share}
        try:
            return CostModel(**costs)
        except InputError as error:
            what = f"{self.classes[a]!r} against {others}"
            raise UndefinedError(f"The costs of {what} leave no decision to make: {error}") from None


def _sorted_names(names: Any) -> tuple[Any, ...]:
    """Names sorted where they sort, else as given."""
    try:
        return tuple(sorted(names))
    except TypeError:
        return tuple(names)


def _listed(names: Any) -> str:
    shown = [repr(name) for name in names]
    return ", ".join(shown[:12]) + (f", ... ({len(shown)} in all)" if len(shown) > 12 else "")


# ---------------------------------------------------------------- classes of the data


def class_names(y_true: Labels, columns: int, costs: Any, classes: Any) -> tuple[Any, ...]:
    """Names of the score columns: as given, else from the costs, else from the labels."""
    if classes is not None:
        names = tuple(np.asarray(classes).tolist() if isinstance(classes, np.ndarray) else classes)
    elif (named := _named_costs(costs)) is not None:
        names = named.classes
    else:
        labels = _distinct(y_true)
        numbered = all(isinstance(name, int) and 0 <= name < columns for name in labels)
        names = tuple(range(columns)) if numbered else labels
    if len(names) != columns:
        raise input_error(
            "classes",
            f"must name the {columns} columns of the scores",
            _listed(names),
            "pass classes=[...] in the order of the columns.",
        )
    return names


def _distinct(y_true: Labels) -> tuple[Any, ...]:
    """Return the distinct labels, sorted where they have an order."""
    array = one_dimensional(y_true, "y_true")
    refuse_other_kinds(array)
    # 1.0 and 1 are one name; whole floats come from files without a type for integers
    return _sorted_names(
        int(name) if isinstance(name, bool) or (isinstance(name, float) and name.is_integer()) else name
        for name in distinct_labels(array)
    )


def class_indices(y_true: Labels, classes: Sequence[Any]) -> IntArray:
    """Position in `classes` of every label."""
    unknown = [name for name in _distinct(y_true) if name not in classes]
    if unknown:
        raise InputError(
            f"`y_true` must hold the classes {_listed(classes)}, got also {_listed(unknown)}. "
            "Hint: costs, classes and labels must use the same names, also in type (1 is not '1')."
        )
    position = {name: index for index, name in enumerate(classes)}
    return np.array([position[name] for name in np.asarray(y_true).tolist()], dtype=np.int64)


def _named_costs(costs: Any) -> CostMatrix | None:
    """The matrix of anything that names its rows and columns; None for a bare table."""
    if isinstance(costs, CostMatrix):
        return costs
    if hasattr(costs, "index") and hasattr(costs, "columns"):
        # a data frame: its names count, not the order in which they happen to stand
        rows = np.asarray(costs).tolist()
        columns, index = list(costs.columns), list(costs.index)
        costs = {true: dict(zip(columns, row, strict=True)) for true, row in zip(index, rows, strict=True)}
    return CostMatrix.from_mapping(costs) if isinstance(costs, Mapping) else None


def as_cost_matrix(costs: Any, classes: Sequence[Any]) -> CostMatrix:
    """Return the costs for these classes in this order, whatever form they were given in."""
    named = _named_costs(costs)
    if named is not None:
        return named.arranged(classes)
    values = check_finite(costs, "costs")
    m = len(classes)
    if values.shape != (m, m):
        raise input_error(
            "costs", f"must be a table of {m} x {m} for {m} classes", f"shape {values.shape}", _NAMED
        )
    return CostMatrix(values=values, classes=tuple(classes))


def by_class(value: Any, name: str, classes: Sequence[Any]) -> FloatArray:
    """One number per class from a number, a mapping {class: number} or an array."""
    if isinstance(value, Mapping):
        if set(value) != set(classes):
            raise InputError(
                f"`{name}` must name exactly the classes, got {_listed(_sorted_names(value))} "
                f"and classes {_listed(classes)}."
            )
        value = [value[label] for label in classes]
    array = check_nonnegative(value, name)
    if array.ndim and array.shape != (len(classes),):
        raise input_error(
            name, f"must be one number, or one for each of {len(classes)} classes", f"shape {array.shape}"
        )
    return np.array(np.broadcast_to(array, (len(classes),)))


def class_priors(priors: Any, classes: Sequence[Any], counts: ArrayLike) -> FloatArray:
    """P(class) in use: the given ones, or the shares of the sample."""
    sizes = np.asarray(counts, dtype=np.float64)
    if priors is None:
        return np.asarray(sizes / sizes.sum())
    shares = by_class(priors, "priors", classes)
    if abs(shares.sum() - 1) > _PRIOR_SUM:
        raise input_error("priors", "must add up to 1", f"{shares.sum():.6g}")
    for name, share, size in zip(classes, shares, sizes, strict=True):
        if share > 0 and size == 0:
            raise input_error(
                "priors",
                f"gives weight to the class {name!r}, but the data hold no example of it",
                f"{share:g}",
                "leave priors out to use the sample's.",
            )
    return shares
