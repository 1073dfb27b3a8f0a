"""`CautiousClassifier`: class bias and caution window around any classifier, any number of classes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from demur._checks import check_rate, check_simplex, input_error
from demur.cautious.response import ResponseCurve, ResponsePoint, response_curve
from demur.cautious.rules import CautionWindowRule, equal_bias
from demur.costs.model import CostModel
from demur.estimators.abstaining import warn_if_costs_are_odd
from demur.estimators.out_of_fold import OutOfFoldClassifier, TrainingCases, class_probabilities
from demur.exceptions import DegenerateDataWarning, UndefinedError
from demur.typing import ArrayLike, FloatArray, IntArray

__all__ = ["CautiousClassifier"]

_TIE = 1e-12


class CautiousClassifier(OutOfFoldClassifier):
    """Classifier of any number of classes that abstains where no class is probable enough.

    The thresholds of all classes widen with one number, the window (`CautionWindowRule`), which
    is chosen on out-of-fold probabilities for exactly one aim: a share of abstentions, an
    accuracy of the answers, or the lowest cost. Assumes that low probabilities mark the doubtful
    cases.

    Parameters
    ----------
    estimator : classifier
        With `predict_proba`. Cloned, unless ``cv="prefit"``.
    max_abstention : float in [0, 1], optional
        Abstain on as many cases as possible up to this share.
    min_accuracy : float in [0, 1], optional
        Least abstention with which the answered cases reach this accuracy.
    costs : CostModel or array of shape (classes + 1, classes), optional
        Lowest cost: rows predicted with abstention last, columns actual, in the order of `classes_`.
        In a `CostModel` the positive class is ``classes_[1]``.
    bias : array of numbers >= 0 that sum to 1, optional
        Threshold of each class at window 0, in the order of `classes_`; equal by default.
    cv, abstain_label, refit
        As in `AbstainingClassifier`.

    Attributes
    ----------
    rule_ : CautionWindowRule
        The rule, with `bias`, `window` and `thresholds`.
    window_ : float
        The window.
    response_curve_ : ResponseCurve
        Accuracy (or cost) against abstention for all windows.
    reached_ : ResponsePoint
        Abstention and accuracy (or cost) of the window on the out-of-fold probabilities.
    classes_, estimator_, n_features_in_, feature_names_in_, out_of_fold_rows_, out_of_fold_decisions_
        As in `AbstainingClassifier`; decisions are indices of `classes_`.

    Notes
    -----
    What was reached holds on the out-of-fold cases; on new cases only up to sampling error. The
    accuracy need not grow with the window: the first window that reaches the aim is taken.

    References
    ----------
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI.

    Examples
    --------
    99 of 100 answers about irises right: three in a hundred flowers must be looked at again.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from demur import CautiousClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CautiousClassifier(LinearDiscriminantAnalysis(), min_accuracy=0.99).fit(X, y)
    >>> round(model.reached_.abstention, 2), round(model.reached_.value, 3)
    (0.03, 0.993)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        max_abstention: float | None = None,
        min_accuracy: float | None = None,
        costs: CostModel | ArrayLike | None = None,
        bias: ArrayLike | None = None,
        cv: Any = None,
        abstain_label: Any = None,
        refit: bool = True,
    ) -> None:
        self.estimator = estimator
        self.max_abstention = max_abstention
        self.min_accuracy = min_accuracy
        self.costs = costs
        self.bias = bias
        self.cv = cv
        self.abstain_label = abstain_label
        self.refit = refit

    def _check(self, cases: TrainingCases) -> None:
        aims = ("max_abstention", "min_accuracy", "costs")
        given = [name for name in aims if getattr(self, name) is not None]
        if len(given) != 1:
            raise input_error(
                "max_abstention, min_accuracy and costs",
                "must be exactly one",
                " and ".join(given) or "none",
                "each alone fixes the window.",
            )
        if self.costs is None:
            check_rate(getattr(self, given[0]), given[0])
        size = len(cases.classes)
        self._bias = equal_bias(size) if self.bias is None else check_simplex(self.bias, "bias", size=size)

    def _respond(self, estimator: Any, X: Any) -> FloatArray:
        return class_probabilities(estimator, X)

    def _choose(self, X: Any, cases: TrainingCases, held_out: TrainingCases, response: Any) -> None:
        self.response_curve_ = response_curve(
            held_out.codes,
            response,
            sample_weight=held_out.weights,
            bias=self._bias,
            metric="accuracy" if self.costs is None else "cost",
            costs=self.costs,
        )
        if np.ptp(response, axis=0).max() == 0:
            warnings.warn(
                "All out-of-fold probabilities are equal, so every case gets the same decision. "
                "Hint: check the features and the inner estimator.",
                DegenerateDataWarning,
                stacklevel=3,
            )
        self.reached_ = self._aim(self.response_curve_)
        self.window_ = min(self.reached_.window, 1.0)
        self.rule_ = CautionWindowRule(self._bias, self.window_)
        if self.costs is not None:
            self._warn_if_costs_are_odd(self.costs)

    def _warn_if_costs_are_odd(self, costs: Any) -> None:
        if isinstance(costs, CostModel):
            warn_if_costs_are_odd(costs, self.reached_.abstention)
            return
        table = np.asarray(costs, dtype=np.float64)
        if np.all(table[-1] <= table[:-1].min(axis=0)):
            text = (
                "Abstaining costs no more than the best answer for any class, so answers cannot pay: "
                f"{self.reached_.abstention:.1%} of the cases are abstained on. Hint: give abstaining a cost."
            )
        elif np.any(np.all(table[:-1] <= table[-1], axis=1)):
            text = (
                "One answer costs no more than abstaining, whatever the class, so abstaining never pays. "
                "Hint: lower the cost of abstaining."
            )
        else:
            return
        warnings.warn(text, DegenerateDataWarning, stacklevel=4)

    def _aim(self, curve: ResponseCurve) -> ResponsePoint:
        """Return the state of the response curve that reaches the aim with the least abstention."""
        # cases certain of a class are always answered; then no window reaches the end of the curve
        value, abstention = (column[np.isfinite(curve.window)] for column in (curve.value, curve.abstention))
        if self.max_abstention is not None:
            state = int(np.searchsorted(abstention, self.max_abstention + _TIE, side="right")) - 1
        elif self.min_accuracy is None:
            state = int(np.argmax(value <= value.min() + _TIE))
        else:
            answered = abstention < 1
            good = answered & (value >= self.min_accuracy - _TIE)
            if not good.any():
                raise UndefinedError(
                    f"No window reaches min_accuracy = {self.min_accuracy:g} on the out-of-fold cases. "
                    f"Hint: at most {value[answered].max():.4g} is reached; lower the aim."
                )
            state = int(np.argmax(good))
        return ResponsePoint(float(curve.window[state]), float(abstention[state]), float(value[state]))

    def _decide(self, response: Any) -> IntArray:
        return np.asarray(self.rule_.decide(response))
