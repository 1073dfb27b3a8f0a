"""Confusion matrices with abstentions, and the measures of cautious classifiers.

A cautious classifier answers with a class or abstains (Ferri and Hernandez-Orallo 2004).
Rows of the matrix are predictions, with the abstentions last; columns are actual classes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_choice,
    check_class_codes,
    check_class_labels,
    check_finite,
    check_nonnegative,
    check_rate,
    check_rng,
    check_same_length,
    check_simplex,
    check_weights,
    input_error,
)
from demur._results import Result
from demur.costs.model import CostModel
from demur.exceptions import InputError
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = [
    "CautiousConfusion",
    "RocPoint",
    "cautious_confusion",
    "decisions_at_abstention",
]


class RocPoint(NamedTuple):
    """True and false positive rate of one classifier; NaN where a rate has no cases."""

    tpr: float
    fpr: float


@dataclass(frozen=True, slots=True, eq=False)
class CautiousConfusion(Result):
    """Confusion matrix of a classifier that may abstain, with its measures.

    Accuracy counts only the cases that got an answer and error counts all cases, so that
    accuracy times coverage is coverage minus error. The measures that put both into one
    number (efficacy, f-score, capacity: the higher the better) treat an abstention as less
    bad than an error; `cost` lets the user say how much less.

    Parameters
    ----------
    matrix : array of shape (classes + 1, classes)
        Element [i, j]: weight of the cases called i that are j; the last row is abstained on.
    labels : sequence, optional
        Name of each class, in the order of rows and columns.
    unknown_label : label, optional
        Name of a last column more: cases whose class cannot be known. Any answer to them is wrong.

    Attributes
    ----------
    card : float
        Total weight of the cases.
    coverage, abstention : float
        Share of the cases with and without an answer.
    accuracy : float
        Share of the answers that are right; NaN if there is none.
    error : float
        Share of all cases answered wrongly.
    unknown_decided : float
        Part of `error` on cases whose class cannot be known; 0 without such a column.
    efficacy, f_score : float
        Arithmetic and harmonic mean of accuracy and coverage; NaN if nothing is answered.
    capacity, capacity_as_printed : float
        Area above the capacity graph; and the formula as the paper prints it.

    Raises
    ------
    InputError
        If the matrix has another shape, negative cells or no cases.

    Notes
    -----
    With A the abstention, E the error and s = (c - 1)/c the error of guessing among c classes,
    capacity = 1 - [E (1 + A)/2 + s A^2 / 2]. The paper prints s A / 2, which is not the area of
    its own graph; the printed form would rank the first classifier below above the second. Where the class
    of some cases cannot be known, guessing one of them is always wrong, and s grows accordingly.

    References
    ----------
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI, section 2.

    Examples
    --------
    Abstaining on 9 of 100 cases removes 6 of 10 errors:

    >>> from demur import CautiousConfusion
    >>> bold = CautiousConfusion([[20, 2, 3], [0, 30, 3], [0, 2, 40], [0, 0, 0]])
    >>> cautious = CautiousConfusion([[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]])
    >>> round(bold.capacity, 4), round(cautious.capacity, 4)
    (0.95, 0.9755)
    >>> round(cautious.accuracy, 4), cautious.abstention
    (0.956, 0.09)

    Of five cases whose class cannot be known two are answered, which is wrong:

    >>> unsure = CautiousConfusion([[40, 2, 1], [3, 45, 1], [2, 2, 3]], unknown_label="?")
    >>> unsure.unknown_decided, unsure.error
    (0.020202020202020204, 0.0707070707070707)
    """

    matrix: FloatArray
    labels: tuple[Any, ...] | None = None
    unknown_label: Any = None
    _reported = (
        "card",
        "coverage",
        "abstention",
        "accuracy",
        "error",
        "efficacy",
        "f_score",
        "capacity",
    )

    def __post_init__(self) -> None:
        matrix = np.array(check_nonnegative(self.matrix, "matrix"))
        more = self.unknown_label is not None
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] + 1 - more:
            last = ", the last for what cannot be known" if more else ""
            raise input_error(
                "matrix",
                "must have one row per predicted class, a last row of abstentions, and one column per class"
                + last,
                f"shape {matrix.shape}",
                _shape_hint(matrix.shape),
            )
        if not 0 < matrix.sum() < math.inf:
            raise input_error("matrix", "must hold cases, with a finite sum", f"a sum of {matrix.sum():g}")
        object.__setattr__(self, "matrix", matrix)
        if self.labels is not None:
            object.__setattr__(self, "labels", tuple(check_class_labels(self.labels, self.n_classes)))
            if self.unknown_label in self.labels:
                raise input_error(
                    "unknown_label", f"must not be one of the classes {self.labels}", repr(self.unknown_label)
                )
        Result.__post_init__(self)

    # ---------------------------------------------------------------- measures

    @property
    def n_classes(self) -> int:
        """Number of classes that are answers."""
        return int(self.matrix.shape[0]) - 1

    @property
    def card(self) -> float:
        """Total weight of the cases."""
        return float(self.matrix.sum())

    @property
    def class_totals(self) -> FloatArray:
        """Weight of the cases of each actual class."""
        return np.asarray(self.matrix.sum(axis=0))

    @property
    def _answered(self) -> float:
        return float(self.matrix[:-1].sum())

    @property
    def _right(self) -> float:
        return float(np.trace(self.matrix[:-1]))

    @property
    def coverage(self) -> float:
        """Share of the cases that get an answer."""
        return self._answered / self.card

    @property
    def abstention(self) -> float:
        """Share of the cases abstained on."""
        return float(self.matrix[-1].sum()) / self.card

    @property
    def accuracy(self) -> float:
        """Share of the answers that are right; NaN without answers."""
        return self._right / self._answered if self._answered else math.nan

    @property
    def error(self) -> float:
        """Share of all cases answered wrongly."""
        return (self._answered - self._right) / self.card

    @property
    def unknown_decided(self) -> float:
        """Share of all cases answered although their class cannot be known."""
        return float(self.matrix[:-1, self.n_classes :].sum()) / self.card

    @property
    def efficacy(self) -> float:
        """Mean of accuracy and coverage: the area under (0, 0), (abstention, accuracy), (1, 1)."""
        return (self.accuracy + self.coverage) / 2

    @property
    def f_score(self) -> float:
        """Harmonic mean of accuracy and coverage; 0 if all answers are wrong."""
        total = self.accuracy + self.coverage
        return 2 * self.accuracy * self.coverage / total if total else 0.0

    @property
    def guess_error(self) -> float:
        """Error of guessing every class with the same probability where there is no answer: s = (c - 1)/c.

        Guesses are always wrong where the class cannot be known.
        """
        s, unsure = (self.n_classes - 1) / self.n_classes, self.matrix[-1]
        known = unsure[: self.n_classes].sum() / unsure.sum() if unsure[self.n_classes :].any() else 1.0
        return float(1 - (1 - s) * known) if known < 1 else s

    @property
    def capacity(self) -> float:
        """Area above the polyline (0, E + s A), (A, E), (1, 0) of error against abstention."""
        return float(exact_capacity(self.error, self.abstention, self.guess_error))

    @property
    def capacity_as_printed(self) -> float:
        """Capacity as the paper prints it, with s A / 2 where the area has s A^2 / 2."""
        return 1 - (self.error * (1 + self.abstention) + self.guess_error * self.abstention) / 2

    # ---------------------------------------------------------------- another abstention rate

    def guess_law(self, guess: str | ArrayLike = "uniform") -> FloatArray:
        """Return the probability of guessing each class: "uniform", "prior" or the user's own."""
        if not isinstance(guess, str):
            return check_simplex(guess, "guess", size=self.n_classes)
        if check_choice(guess, "guess", ("uniform", "prior")) == "prior":
            totals = self.class_totals[: self.n_classes]
            return totals / (self.card if self.unknown_label is None else totals.sum())
        return np.full(self.n_classes, 1 / self.n_classes)

    def at_abstention(self, alpha: float, *, guess: str | ArrayLike = "uniform") -> CautiousConfusion:
        """Return the expected matrix after moving the abstention to `alpha` at random.

        Parameters
        ----------
        alpha : float in [0, 1]
            Wanted share of abstentions. Above the present one, answers are withdrawn at random;
            below, abstained cases are answered by guessing.
        guess : "uniform", "prior" or array
            Distribution of the guesses: the same for each class, the class shares of this matrix, or given.

        Notes
        -----
        Every answer is withdrawn with probability (alpha - A)/(1 - A), or every abstained case
        guessed with probability (A - alpha)/A. `decisions_at_abstention` draws the cases.
        """
        rate = check_rate(alpha, "alpha")
        law = self.guess_law(guess)
        matrix, now = self.matrix.copy(), self.abstention
        if rate > now:
            withdrawn = (rate - now) / (1 - now)
            matrix[-1] += withdrawn * matrix[:-1].sum(axis=0)
            matrix[:-1] *= 1 - withdrawn
        elif rate < now:
            guessed = (now - rate) / now
            matrix[:-1] += guessed * law[:, None] * matrix[-1]
            matrix[-1] *= 1 - guessed
        return CautiousConfusion(matrix, self.labels, self.unknown_label)

    # ---------------------------------------------------------------- costs and rates

    def cost(
        self, costs: ArrayLike | CostModel, *, pos_label: Any = None, cost_unknown: float | None = None
    ) -> float:
        """Return the mean cost per case.

        Parameters
        ----------
        costs : array of shape (classes + 1, classes), or CostModel
            Element [i, j]: cost of calling i a case that is j, in the layout of `matrix`; the last
            row is the cost of abstaining, by actual class. A `CostModel` names the costs of two
            classes and needs no layout.
        pos_label : label, optional
            Positive class of a `CostModel`, as in `roc_point`.
        cost_unknown : float, optional
            What an answer costs where the class cannot be known, if `costs` has no column for it; abstaining
            costs the same on any case then.
        """
        table = self.cost_table(costs, pos_label=pos_label, cost_unknown=cost_unknown)
        return float(table.sum()) / self.card

    def cost_table(
        self, costs: ArrayLike | CostModel, *, pos_label: Any = None, cost_unknown: float | None = None
    ) -> FloatArray:
        """Return the total cost of each cell: the element-wise product of matrix and costs."""
        if self.unknown_label is None and cost_unknown is not None:
            raise InputError(
                "`cost_unknown` needs a column of cases that cannot be known. Hint: unknown_label."
            )
        positive = self._positive_index(pos_label) if isinstance(costs, CostModel) else 0
        if self.unknown_label is not None and cost_unknown is None and not isinstance(costs, CostModel):
            table = check_finite(costs, "costs")
            if table.shape != self.matrix.shape:
                rule = f"must have shape {self.matrix.shape}, with a column for what cannot be known"
                raise input_error("costs", rule, f"shape {table.shape}", "or give cost_unknown.")
            return np.asarray(self.matrix * table)
        table = cost_matrix(costs, self.n_classes, positive)
        if self.unknown_label is not None:
            if cost_unknown is None:
                raise InputError(
                    "`cost_unknown` is needed with unknown_label. Hint: costs are never assumed."
                )
            if np.ptp(table[-1]):
                rule = "must have one cost of abstaining beside cost_unknown"
                raise input_error(
                    "costs", rule, f"{table[-1].tolist()}", "give a column for what is unknown."
                )
            price = float(check_nonnegative(cost_unknown, "cost_unknown"))
            table = np.column_stack([table, np.append(np.full(self.n_classes, price), table[-1, 0])])
        return np.asarray(self.matrix * table)

    def roc_point(self, option: int, *, pos_label: Any = None) -> RocPoint:
        """Return (tpr, fpr) of two classes, with the abstentions treated in one of four ways.

        Parameters
        ----------
        option : 1, 2, 3 or 4
            1 leaves abstentions out of both rates, 2 only out of the TPR (the most optimistic),
            3 only out of the FPR (the most pessimistic), 4 keeps them in both denominators.
        pos_label : label, optional
            The positive class. May be left out for labels {0, 1}, {-1, 1} and bool; for a matrix
            without labels it is the first class, as in the paper.
        """
        if option not in (1, 2, 3, 4):
            raise input_error("option", "must be 1, 2, 3 or 4", repr(option))
        positive = self._positive_index(pos_label)
        called, missed, unknown = self.matrix[[positive, 1 - positive, 2]]
        rates = []
        for column, keeps in ((positive, option in (3, 4)), (1 - positive, option in (2, 4))):
            answered = called[column] + missed[column] + (unknown[column] if keeps else 0.0)
            rates.append(float(called[column] / answered) if answered else math.nan)
        return RocPoint(*rates)

    def _positive_index(self, pos_label: Any) -> int:
        if self.n_classes != 2:
            raise input_error(
                "matrix", "must have two classes for a positive class to exist", f"{self.n_classes} classes"
            )
        if self.labels is None:
            if pos_label not in (None, 0, 1):
                raise input_error("pos_label", "must be 0 or 1 for a matrix without labels", repr(pos_label))
            return int(pos_label or 0)
        if pos_label is None and set(self.labels) in ({0, 1}, {-1, 1}):
            pos_label = 1
        if pos_label not in self.labels:
            raise input_error("pos_label", f"must be one of the labels {self.labels}", repr(pos_label))
        return self.labels.index(pos_label)

    def __repr__(self) -> str:
        what = f"abstention={self.abstention:.4g}, accuracy={self.accuracy:.4g}, error={self.error:.4g}"
        return f"CautiousConfusion(n={self.card:g}, classes={self.n_classes}, {what})"


def _shape_hint(shape: tuple[int, ...]) -> str | None:
    if len(shape) != 2:
        return None
    if shape[1] == shape[0] + 1:
        return "rows are predictions and columns actual classes: transpose it."
    if shape[0] == shape[1]:
        return "append a row of zeros if the classifier never abstains."
    return None


def exact_capacity(error: Any, abstention: Any, guess_error: float) -> Any:
    """1 - [E (1 + A)/2 + s A^2 / 2]: the paper's graph, integrated (its formula lacks the square)."""
    return 1 - (error * (1 + abstention) + guess_error * abstention**2) / 2


def measure_by_accuracy(metric: str, accuracy: FloatArray, coverage: FloatArray) -> FloatArray:
    """Accuracy itself, its mean with coverage (efficacy) or its harmonic mean with it (F-score)."""
    if metric == "accuracy":
        return accuracy
    total = accuracy + coverage
    return total / 2 if metric == "efficacy" else 2 * accuracy * coverage / total


def cost_matrix(costs: ArrayLike | CostModel, n_classes: int, positive: int) -> FloatArray:
    """Return costs in the layout of the confusion matrix: rows predicted, abstention last."""
    if isinstance(costs, CostModel):
        if n_classes != 2:
            raise input_error("costs", f"must be an array for {n_classes} classes", "a CostModel")
        if not costs.may_abstain:
            raise InputError("`costs` must say what abstaining costs, got none. Hint: set cost_abstain.")
        by_class = (costs.cost_abstain_positive, costs.cost_abstain_negative)
        unknown = [costs.cost_abstain if cost is None else cost for cost in by_class]
        table = np.array([[costs.cost_tp, costs.cost_fp], [costs.cost_fn, costs.cost_tn], unknown])
        return table if positive == 0 else table[[1, 0, 2]][:, ::-1]
    table = check_finite(costs, "costs")
    if table.shape != (n_classes + 1, n_classes):
        hint = _shape_hint(table.shape) if table.ndim == 2 and table.shape[1] != n_classes else None
        raise input_error(
            "costs",
            f"must have shape ({n_classes + 1}, {n_classes}): rows predicted with abstention last, "
            "columns actual",
            f"shape {table.shape}",
            hint or "add the row of costs of abstaining.",
        )
    return table


def cautious_confusion(
    y_true: Labels,
    y_pred: Labels,
    *,
    labels: Any = None,
    abstain: Any = ABSTAIN,
    sample_weight: ArrayLike | None = None,
    unknown_label: Any = None,
) -> CautiousConfusion:
    """Count the answers of a classifier that may abstain.

    The code of an abstention is declared, never inferred: it must not be a class.

    Parameters
    ----------
    y_true : array of n labels
        Actual classes.
    y_pred : array of n labels
        Answers; `abstain` where the classifier gave none.
    labels : sequence, optional
        All classes, in the order the matrix should have. None: those that occur, sorted.
    abstain : label, default `ABSTAIN` (-1)
        What stands for "no answer" in `y_pred`.
    sample_weight : array of n numbers >= 0, optional
        Weight 2 means the same as a repeated row.
    unknown_label : label, optional
        Label in `y_true` of cases whose class cannot be known: no class, and no answer.

    Returns
    -------
    CautiousConfusion
        Element [i, j] of its matrix is the weight of the cases called ``labels[i]`` that are
        ``labels[j]``; the last row holds the abstentions, with `unknown_label` the last column what cannot be
        known.

    Raises
    ------
    InputError
        If a case has a label that is not in `labels`, or `abstain` is one of the classes
        (with labels {-1, 1} choose another code than -1).

    Examples
    --------
    >>> from demur import ABSTAIN, cautious_confusion
    >>> confusion = cautious_confusion([1, 1, 0, 0, 0], [1, ABSTAIN, 0, 1, 0])
    >>> confusion.matrix.tolist()
    [[2.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    >>> confusion.coverage, confusion.accuracy
    (0.8, 0.75)
    """
    if labels is None:
        known = [one for one in _occurring_labels(y_true, y_pred, abstain) if one != unknown_label]
    else:
        known = check_class_labels(labels)
    if unknown_label in known:
        raise input_error("unknown_label", f"must not be one of the classes {known}", repr(unknown_label))
    if abstain in known:
        raise input_error(
            "abstain",
            f"must not be one of the classes {known}",
            repr(abstain),
            "choose another code for abstentions.",
        )
    size = len(known)
    columns = size if unknown_label is None else size + 1
    actual = check_class_codes(y_true, size, known, abstain=unknown_label)
    called = check_class_codes(y_pred, size, known, name="y_pred", abstain=abstain)
    weights = check_weights(sample_weight)
    check_same_length(y_true=actual, y_pred=called, sample_weight=weights)
    cells = np.bincount(called * columns + actual, weights=weights, minlength=(size + 1) * columns)
    matrix = cells.reshape(size + 1, columns).astype(np.float64)
    return CautiousConfusion(matrix, tuple(known), unknown_label)


def _occurring_labels(y_true: Any, y_pred: Any, abstain: Any) -> list[Any]:
    """Sort the labels that occur; the abstain code counts as a class only if it is an actual label."""
    try:
        actual, called = (
            set(np.asarray(column, dtype=object).ravel().tolist()) for column in (y_true, y_pred)
        )
    except TypeError:
        raise input_error("y_true and y_pred", "must hold one label per case", "lists or arrays") from None
    labels = actual | (called - {abstain})
    if any(value is None or value != value for value in labels):
        hint = "drop missing labels, and give abstentions a code of their own, such as demur.ABSTAIN."
        raise input_error("y_true and y_pred", "must not contain missing labels", "NaN or None", hint)
    try:
        return sorted(labels)
    except TypeError:
        raise input_error(
            "labels", "is required for labels that cannot be sorted", sorted(map(repr, labels))
        ) from None


def decisions_at_abstention(
    y_pred: Labels,
    alpha: float,
    *,
    labels: Any,
    guess: str | ArrayLike = "uniform",
    abstain: Any = ABSTAIN,
    rng: Any = None,
) -> np.ndarray:
    """Move the share of abstentions to `alpha` in expectation, by drawing cases at random.

    The instance-level version of `CautiousConfusion.at_abstention`: each answer is withdrawn,
    or each abstained case guessed, independently. Random mixing needs no model, so it
    is the baseline that a better selection of abstentions must beat.

    Parameters
    ----------
    y_pred : array of n labels
        Answers; `abstain` where there is none.
    alpha : float in [0, 1]
        Wanted share of abstentions.
    labels : sequence
        All classes.
    guess : "uniform" or array
        Probability of guessing each class, in the order of `labels`.
    abstain : label, default `ABSTAIN` (-1)
        What stands for "no answer".
    rng : int or numpy.random.Generator, optional
        Seed: the same seed gives the same decisions.

    Returns
    -------
    array of n labels
        Element i is the new decision for case i.

    Raises
    ------
    InputError
        If `alpha` lies outside [0, 1] or `guess` is no distribution over `labels`.

    Examples
    --------
    Answer everything; cases without an answer are called 1, the class that costs more to miss:

    >>> from demur.cautious import decisions_at_abstention
    >>> decisions_at_abstention([0, 1, -1, 1, 0, -1], 0, labels=[0, 1], guess=[0, 1], rng=7).tolist()
    [0, 1, 1, 1, 0, 1]
    """
    rate, draws = check_rate(alpha, "alpha"), check_rng(rng)
    known = check_class_labels(labels)
    if isinstance(guess, str):
        check_choice(guess, "guess", ("uniform",))
        law = np.full(len(known), 1 / len(known))
    else:
        law = check_simplex(guess, "guess", size=len(known))
    codes = check_class_codes(y_pred, len(known), known, name="y_pred", abstain=abstain)
    unknown = codes == len(known)
    now, chance = float(unknown.mean()), draws.random(len(codes))
    if rate > now:
        codes = np.where(~unknown & (chance < (rate - now) / (1 - now)), len(known), codes)
    elif rate < now:
        drawn = unknown & (chance < (now - rate) / now)
        codes = np.where(drawn, draws.choice(len(known), size=len(codes), p=law), codes)
    names = [*known, abstain]
    mixed = len({isinstance(name, str) for name in names}) > 1
    return np.array(names, dtype=object if mixed else None)[codes]
