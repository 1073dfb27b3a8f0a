"""Cost lines of classifiers with fixed decisions: crossings, exact intervals, exact comparison."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from demur._checks import (
    check_both_classes,
    check_choice,
    check_confidence_level,
    check_labels,
    check_positive_int,
    check_probability,
    check_rate,
    check_same_length,
    input_error,
)
from demur._kernels.lattice_laws import TwoClassLaw
from demur._results import Interval, Result, as_scalar
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, FloatArray, Labels, Scalar

__all__ = ["CostLine", "CostLineDifference", "cost_line", "cost_line_difference", "roc_line_to_cost_point"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CostLine(Result):
    """Straight line from (0, fpr) to (1, fnr): the cost of one fixed classifier.

    Attributes
    ----------
    fpr, fnr : float
        Value of the line at operating points 0 and 1.
    n_positive, n_negative : int or None
        Cases behind the rates; `variance`, `quantile` and `interval` need them.
    """

    fpr: float
    fnr: float
    n_positive: int | None = None
    n_negative: int | None = None
    _plotted = ("expected_cost", "PC(+)", "expected cost", 1.0)

    def expected_cost(self, pc: ArrayLike) -> Scalar:
        """Return the normalised expected cost fpr + (fnr - fpr) pc."""
        x = check_probability(pc, "pc")
        return as_scalar(np.asarray(self.fnr * x + self.fpr * (1 - x)))

    @property
    def operating_range(self) -> Interval | None:
        """Operating points at which the line beats both trivial classifiers; None if nowhere."""
        if self.fpr + self.fnr >= 1:
            return None
        return Interval(self.fpr / (1 - self.fnr + self.fpr), (1 - self.fpr) / (1 - self.fpr + self.fnr))

    def crossing(self, other: CostLine) -> float | None:
        """Return the operating point at which both cost the same; None if there is no single one."""
        more_alarms, fewer_misses = self.fpr - other.fpr, other.fnr - self.fnr
        if more_alarms + fewer_misses == 0:
            return None
        x = more_alarms / (more_alarms + fewer_misses)
        return x if 0 <= x <= 1 else None

    # ---------------------------------------------------------------- sampling error

    @cached_property
    def _law(self) -> TwoClassLaw:
        if self.n_positive is None or self.n_negative is None:
            raise UndefinedError(
                "An interval of a cost line needs the number of cases. "
                "Hint: pass n_positive and n_negative to cost_line."
            )
        return TwoClassLaw.of_rates(self.fnr, self.n_positive, self.fpr, self.n_negative)

    def variance(self, pc: float) -> float:
        """Return the bootstrap variance of the cost at `pc` (classes resampled apart)."""
        return self._law.variance(check_rate(pc, "pc"))

    def quantile(self, pc: float, q: float) -> float:
        """Return the exact bootstrap quantile: the smallest cost v with Pr(cost <= v) >= q."""
        return self._law.quantile(check_rate(pc, "pc"), check_rate(q, "q"))

    def interval(self, pc: float, *, confidence_level: float = 0.95) -> Interval:
        """Return the exact percentile bootstrap interval of the cost at `pc`; no simulation.

        Collapses in a class without errors (or without right answers): the bootstrap repeats
        only what was observed.
        """
        tail = (1 - check_confidence_level(confidence_level)) / 2
        return Interval(self.quantile(pc, tail), self.quantile(pc, 1 - tail))

    @classmethod
    def from_predictions(cls, y_true: Labels, y_pred: Labels, *, pos_label: Any = None) -> CostLine:
        """Make the line of hard predictions, with the number of cases behind it."""
        truth, called = check_labels(y_true, pos_label), check_labels(y_pred, pos_label)
        check_same_length(y_true=truth, y_pred=called)
        n_positive, n_negative = int(np.count_nonzero(truth)), int(np.count_nonzero(~truth))
        check_both_classes(n_positive, n_negative, "A cost line")
        return cls(
            fpr=np.count_nonzero(called & ~truth) / n_negative,
            fnr=np.count_nonzero(~called & truth) / n_positive,
            n_positive=n_positive,
            n_negative=n_negative,
        )


def cost_line(
    fpr: float, fnr: float, *, n_positive: int | None = None, n_negative: int | None = None
) -> CostLine:
    """Normalised expected cost of one fixed classifier at every operating point.

    The lower the better. `CostLine.from_predictions` makes one from labels.

    Parameters
    ----------
    fpr, fnr : float
        False positive and false negative rate.
    n_positive, n_negative : int, optional
        Cases behind the rates, for intervals.

    References
    ----------
    Drummond and Holte (2006), Machine Learning 65, doi:10.1007/s10994-006-8199-5.

    Examples
    --------
    >>> from demur import cost_line
    >>> line = cost_line(0.1, 0.2, n_positive=50, n_negative=100)
    >>> line.expected_cost(0.25)
    0.125
    >>> low, high = line.operating_range
    >>> f"better than trivial between {low:.2f} and {high:.2f}"
    'better than trivial between 0.11 and 0.82'
    """
    sizes = {"n_positive": n_positive, "n_negative": n_negative}
    checked = {name: None if size is None else check_positive_int(size, name) for name, size in sizes.items()}
    return CostLine(fpr=check_rate(fpr, "fpr"), fnr=check_rate(fnr, "fnr"), **checked)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CostLineDifference(Result):
    """Cost of one fixed classifier minus that of another on the same cases; negative: the first is cheaper.

    Attributes
    ----------
    positive_table, negative_table : array of 4
        Cases of that class: [both wrong, only the first wrong, only the second wrong, both right].
    """

    positive_table: FloatArray
    negative_table: FloatArray
    _plotted = ("expected_cost", "PC(+)", "difference of cost", 1.0)

    @cached_property
    def _law(self) -> TwoClassLaw:
        return TwoClassLaw.of_tables(self.positive_table, self.negative_table)

    def expected_cost(self, pc: ArrayLike) -> Scalar:
        """Return the difference of normalised expected cost at `pc`."""
        x = check_probability(pc, "pc")
        by_class = [
            (table[1] - table[2]) / table.sum() for table in (self.positive_table, self.negative_table)
        ]
        return as_scalar(np.asarray(x * by_class[0] + (1 - x) * by_class[1]))

    def variance(self, pc: float) -> float:
        """Return the bootstrap variance of the difference at `pc`."""
        return self._law.variance(check_rate(pc, "pc"))

    def probability_not_above(self, pc: float, value: float = 0.0) -> float:
        """Return the exact bootstrap probability that the difference is at most `value`."""
        return self._law.cdf(check_rate(pc, "pc"), value)

    def interval(self, pc: float, *, confidence_level: float = 0.95, method: str = "adjusted") -> Interval:
        """Return an interval of the difference at `pc`.

        "adjusted": one case is added to every cell of both tables (after Agresti and Min 2005), and the
        quantile is Student's with n - 2 degrees of freedom; it keeps its level with 20 cases of each class
        (tests/costs/test_curves.py). "percentile": the exact percentile interval of the bootstrap (Drummond
        and Holte 2006), which is too narrow with so few.
        """
        x, level = check_rate(pc, "pc"), check_confidence_level(confidence_level)
        if check_choice(method, "method", ("adjusted", "percentile")) == "percentile":
            tail = (1 - level) / 2
            return Interval(self._law.quantile(x, tail), self._law.quantile(x, 1 - tail))
        from scipy.special import stdtrit

        tables = self.positive_table, self.negative_table
        if not any(table[1] + table[2] for table in tables):
            return Interval(0.0, 0.0)  # the same decisions on every case
        centre, variance = 0.0, 0.0
        for share, table in zip((x, 1 - x), tables, strict=True):
            first, second = (table[1:3] + 1) / (table.sum() + len(table))
            centre += share * (first - second)
            variance += share**2 * (first + second - (first - second) ** 2) / (table.sum() + len(table))
        degrees = max(sum(table.sum() for table in tables) - 2, 1)
        half = float(stdtrit(degrees, (1 + level) / 2)) * float(np.sqrt(variance))
        return Interval(float(centre) - half, float(centre) + half)

    def significant(self, pc: ArrayLike, *, confidence_level: float = 0.95) -> Any:
        """Tell at which operating points the interval excludes 0 (pointwise, not simultaneous)."""
        x = np.atleast_1d(check_probability(pc, "pc"))
        ends = np.array([self.interval(float(at), confidence_level=confidence_level) for at in x])
        excludes_zero = (ends[:, 0] > 0) | (ends[:, 1] < 0)
        return bool(excludes_zero[0]) if np.ndim(pc) == 0 else excludes_zero


def cost_line_difference(
    y_true: Labels, y_pred_a: Labels, y_pred_b: Labels, *, pos_label: Any = None
) -> CostLineDifference:
    """Compare the hard predictions of two classifiers on the same cases.

    Negative: the first is cheaper. Assumes independent cases; the classes are two samples.

    References
    ----------
    Drummond and Holte (2006), Machine Learning 65, doi:10.1007/s10994-006-8199-5. Agresti and Min (2005),
    Statistics in Medicine 24, doi:10.1002/sim.1781.

    Examples
    --------
    >>> from demur.costs import cost_line_difference
    >>> y = [1] * 20 + [0] * 20
    >>> a = [1] * 18 + [0] * 2 + [0] * 15 + [1] * 5
    >>> b = [1] * 10 + [0] * 10 + [0] * 16 + [1] * 4
    >>> gap = cost_line_difference(y, a, b)
    >>> round(gap.expected_cost(0.8), 3), gap.significant(0.8)
    (-0.31, True)
    """
    truth = check_labels(y_true, pos_label)
    wrong = [check_labels(labels, pos_label) != truth for labels in (y_pred_a, y_pred_b)]
    check_same_length(y_true=truth, y_pred_a=wrong[0], y_pred_b=wrong[1])
    tables = []
    for members in (truth, ~truth):
        first, second = wrong[0][members], wrong[1][members]
        cells = (first & second, first & ~second, ~first & second, ~first & ~second)
        tables.append(np.array([np.count_nonzero(cell) for cell in cells], dtype=np.float64))
    check_both_classes(float(tables[0].sum()), float(tables[1].sum()), "A cost line")
    return CostLineDifference(positive_table=tables[0], negative_table=tables[1])


def roc_line_to_cost_point(slope: float, intercept: float) -> tuple[float, float]:
    """Return the cost-space point (pc, cost) that is dual to the ROC line tpr = slope fpr + intercept.

    Dual: the cost lines of all ROC points on the line pass through this point (Drummond and
    Holte 2006). An infinite slope maps to pc = 0.

    Examples
    --------
    >>> from demur.costs import roc_line_to_cost_point
    >>> roc_line_to_cost_point(3.0, 0.25)
    (0.25, 0.1875)
    """
    if not slope >= 0:
        raise input_error("slope", "must not be negative", slope)
    if np.isinf(slope):
        return 0.0, 0.0
    return 1 / (1 + slope), (1 - intercept) / (1 + slope)
