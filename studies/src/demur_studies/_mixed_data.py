"""Tables with numeric, nominal and missing values, and WEKA's naive Bayes for them.

WEKA's learner is deterministic, so that studies can use it without Java: the numbers are those of
WEKA 3.6.14 (tested where it is installed).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from demur.typing import FloatArray, IntArray
from demur_studies._data import Table

__all__ = ["MixedNaiveBayes", "MixedTable", "filled", "mixed_table", "one_hot"]

_FLOOR = 1e-75  # WEKA never lets one attribute count for less
_SCALE_KNOWN = 1e-10


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class MixedTable:
    """A data set: nominal values are coded 0, 1, ... in order of appearance, gaps are NaN.

    Attributes
    ----------
    X : array of shape (cases, attributes)
    sizes : tuple of int
        Number of values of each nominal attribute, 0 for a numeric one.
    y : array of int
        Index in `classes`, which are sorted.
    """

    X: FloatArray
    sizes: tuple[int, ...]
    names: tuple[str, ...]
    y: IntArray
    classes: tuple[str, ...]

    def rows(self, index: Any) -> "MixedTable":
        """The cases at `index`."""
        return MixedTable(
            X=self.X[index], sizes=self.sizes, names=self.names, y=self.y[index], classes=self.classes
        )

    def without(self, *names: str) -> "MixedTable":
        """The table without some attributes."""
        kept = [k for k, name in enumerate(self.names) if name not in names]
        return MixedTable(
            X=self.X[:, kept],
            sizes=tuple(self.sizes[k] for k in kept),
            names=tuple(self.names[k] for k in kept),
            y=self.y,
            classes=self.classes,
        )


def mixed_table(*tables: Table, nominal: Sequence[str] = ()) -> MixedTable:
    """Rows of one table after the other; columns of numbers are numeric unless named in `nominal`."""
    names = tuple(tables[0].attributes)
    coded, sizes = [], []
    for name in names:
        cells = np.concatenate([table.attributes[name] for table in tables]).tolist()
        numbers = None if name in nominal else _numbers(cells)
        size = 0
        if numbers is None:
            numbers, size = _codes(cells)
        coded.append(numbers)
        sizes.append(size)
    target = np.concatenate([table.target for table in tables]).tolist()
    classes = tuple(sorted(set(target)))
    return MixedTable(
        X=np.column_stack(coded),
        sizes=tuple(sizes),
        names=names,
        y=np.array([classes.index(cell) for cell in target]),
        classes=classes,
    )


def _numbers(cells: Sequence[str]) -> FloatArray | None:
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return None


def _codes(cells: Sequence[str]) -> tuple[FloatArray, int]:
    known = {cell: code for code, cell in enumerate(dict.fromkeys(cell for cell in cells if cell))}
    return np.array([known[cell] if cell else np.nan for cell in cells], dtype=np.float64), len(known)


def filled(X: FloatArray, sizes: Sequence[int], reference: FloatArray) -> FloatArray:
    """Put the mean, or the most frequent value, of the reference cases into the gaps."""
    X = X.copy()
    for k, size in enumerate(sizes):
        present = reference[~np.isnan(reference[:, k]), k]
        gaps = np.isnan(X[:, k])
        if not gaps.any():
            continue
        if not len(present):
            X[gaps, k] = 0.0
        else:
            X[gaps, k] = np.argmax(np.bincount(present.astype(np.int64))) if size else present.mean()
    return X


def one_hot(X: FloatArray, sizes: Sequence[int]) -> FloatArray:
    """Nominal attributes as 0/1 columns, a gap as all zeros; numeric ones as they are."""
    columns: list[FloatArray] = []
    for k, size in enumerate(sizes):
        columns += [(X[:, k] == value).astype(np.float64) for value in range(size)] if size else [X[:, k]]
    return np.column_stack(columns)


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes as in WEKA 3.6: normal or Laplace-corrected attributes, gaps left out.

    Numbers are rounded to the mean distance of neighbouring values and a value has the
    probability of its interval (John and Langley 1995, as WEKA implements it).
    """

    def __init__(self, sizes: Sequence[int] = (), n_classes: int = 2) -> None:
        self.sizes = sizes
        self.n_classes = n_classes

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        """Count; `y` holds 0, 1, ..., n_classes - 1, of which some may be absent."""
        self.classes_ = np.arange(self.n_classes)
        counts = np.bincount(y, minlength=self.n_classes) + 1.0
        self._log_prior = np.log(counts / counts.sum())
        members = [y == k for k in self.classes_]
        self._attributes = [
            _discrete(X[:, j], members, size) if size else _normal(X[:, j], members)
            for j, size in enumerate(self.sizes)
        ]
        return self

    def predict_log_joint(self, X: FloatArray) -> FloatArray:
        """Log of P(class) times the probabilities of the attributes."""
        joint = np.tile(self._log_prior, (len(X), 1))
        for j, attribute in enumerate(self._attributes):
            present = ~np.isnan(X[:, j])
            joint[present] += np.log(np.maximum(attribute(X[present, j]), _FLOOR))
        return joint

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """P(class | case), one column per class."""
        joint = self.predict_log_joint(np.asarray(X, dtype=np.float64))
        shares = np.exp(joint - joint.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def predict(self, X: FloatArray) -> IntArray:
        """The most probable class."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def _discrete(column: FloatArray, members: list[Any], size: int) -> Any:
    """Function: codes -> P(value | class), each value counted once more than it occurs."""
    table = np.ones((size, len(members)))
    for k, rows in enumerate(members):
        table[:, k] += np.bincount(_observed(column[rows]).astype(np.int64), minlength=size)
    table /= table.sum(axis=0)
    return lambda values: table[values.astype(np.int64)]


def _normal(column: FloatArray, members: list[Any]) -> Any:
    """Function: numbers -> P(interval of the rounded number | class)."""
    from scipy.special import ndtr

    gaps = np.diff(np.unique(_observed(column)))
    width = float(gaps.mean()) if len(gaps) else 0.01
    means, spreads = np.zeros(len(members)), np.full(len(members), width / 6)
    for k, rows in enumerate(members):
        values = np.rint(_observed(column[rows]) / width) * width
        if len(values):
            means[k] = values.mean()
            if values.std() > _SCALE_KNOWN:
                spreads[k] = max(width / 6, float(values.std()))

    def probability(values: FloatArray) -> FloatArray:
        away = (np.rint(values / width) * width)[:, None] - means
        return np.asarray(ndtr((away + width / 2) / spreads) - ndtr((away - width / 2) / spreads))

    return probability


def _observed(values: FloatArray) -> FloatArray:
    return values[~np.isnan(values)]
