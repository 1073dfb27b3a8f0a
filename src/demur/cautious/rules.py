"""Rules that turn class probabilities into a class or an abstention, for any number of classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_proba, check_probability, check_rate, check_simplex, input_error
from demur._kernels.caution import abstention_windows, class_changes, ratio_class
from demur._results import Result
from demur.surface.window import ABSTAIN
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray

__all__ = [
    "CautionWindowRule",
    "ClassThresholdRule",
    "ConfidenceRule",
    "CriticalWindows",
    "RatioRule",
    "critical_windows",
]

# p and (1 - k) w + k agree up to rounding where w is a critical window of p
_TIE = 8 * np.finfo(np.float64).eps


class _Rule(Result, ABC):
    """A rule decides row by row; subclasses name the class and say whether to answer."""

    __slots__ = ()

    def decide(self, proba: ArrayLike) -> Any:
        """Return the class index of every row of `proba`, or `ABSTAIN`.

        Parameters
        ----------
        proba : array of shape (n, classes), or of one case
            Rows in [0, 1] that sum to 1.

        Returns
        -------
        array of n int, or int
            Element i is the decision for row i; one int for one case.
        """
        single_case = np.ndim(proba) == 1
        # a rule with a threshold for each class knows how many there are
        thresholds = getattr(self, "thresholds", None)
        columns = None if thresholds is None else len(thresholds)
        rows = check_proba(np.atleast_2d(np.asarray(proba)), columns=columns)
        best, sure = self._choose(rows)
        codes = np.where(sure, best, ABSTAIN)
        return int(codes[0]) if single_case else codes

    @abstractmethod
    def _choose(self, proba: FloatArray) -> tuple[IntArray, BoolArray]:
        """Return the class of each case and whether it is answered."""


@dataclass(frozen=True, slots=True, eq=False)
class _ThresholdsRule(_Rule):
    """A rule with one threshold per class."""

    thresholds: FloatArray

    def __post_init__(self) -> None:
        thresholds = np.array(check_probability(self.thresholds, "thresholds"))
        if thresholds.ndim != 1 or thresholds.size < 2:
            raise input_error("thresholds", "must be one number per class", f"shape {thresholds.shape}")
        object.__setattr__(self, "thresholds", thresholds)
        Result.__post_init__(self)


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceRule(_Rule):
    """Call the most probable class if its probability reaches one threshold (rule R1).

    Parameters
    ----------
    threshold : float in [0, 1]
        The higher, the more abstentions.
    strict : bool, default False
        Ask for more than the threshold, as the worked example of the paper does.

    Examples
    --------
    >>> from demur.cautious import ConfidenceRule
    >>> ConfidenceRule(0.625).decide([[0.7, 0.3], [0.6, 0.4]]).tolist()
    [0, -1]
    """

    threshold: float
    strict: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", check_rate(self.threshold, "threshold"))

    def _choose(self, proba: FloatArray) -> tuple[IntArray, BoolArray]:
        best, top = proba.argmax(axis=1), proba.max(axis=1)
        return best, top > self.threshold if self.strict else top >= self.threshold


@dataclass(frozen=True, slots=True, eq=False)
class ClassThresholdRule(_ThresholdsRule):
    """Call the most probable class if it reaches the threshold of that class (rule R2).

    Only the most probable class counts: the rule abstains although a runner-up exceeds a low
    threshold of its own. `RatioRule` would call the runner-up.

    Parameters
    ----------
    thresholds : array of numbers in [0, 1]
        One per class.

    Examples
    --------
    >>> from demur.cautious import ClassThresholdRule, RatioRule
    >>> p = [0.55, 0.45]
    >>> ClassThresholdRule([0.8, 0.4]).decide(p), RatioRule([0.8, 0.4]).decide(p)
    (-1, 1)
    """

    def _choose(self, proba: FloatArray) -> tuple[IntArray, BoolArray]:
        best = proba.argmax(axis=1)
        return best, proba.max(axis=1) >= self.thresholds[best]


@dataclass(frozen=True, slots=True, eq=False)
class RatioRule(_ThresholdsRule):
    """Call the class that exceeds its threshold by the largest factor, if any does (rule R3).

    Parameters
    ----------
    thresholds : array of numbers in [0, 1]
        One per class. A threshold of 0 is exceeded infinitely by every positive probability.

    Notes
    -----
    argmax_i p_i / tau_i if some p_i >= tau_i, with 0/0 = 0 and ties to the lowest index.

    Examples
    --------
    >>> from demur.cautious import RatioRule
    >>> RatioRule([0.6, 0.5, 0.2]).decide([[0.5, 0.2, 0.3], [0.55, 0.35, 0.1]]).tolist()
    [2, -1]
    """

    def _choose(self, proba: FloatArray) -> tuple[IntArray, BoolArray]:
        return ratio_class(proba, self.thresholds), np.any(proba >= self.thresholds, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class CautionWindowRule(_Rule):
    """Ratio rule whose thresholds widen with one number, from a class bias to 1 (rule R4).

    Parameters
    ----------
    bias : array of numbers >= 0 that sum to 1
        Threshold of each class at window 0; equal numbers give the most probable class.
    window : float in [0, 1]
        0 never abstains; 1 answers only cases that are certain of a class.

    Notes
    -----
    tau_i = (1 - k_i) w + k_i, then `RatioRule`. A case exactly on its threshold, up to rounding,
    is answered, so the windows of `critical_windows` and `response_curve` can be used as they are.
    The paper's sentence that more abstention needs lower thresholds is a slip: higher ones.

    References
    ----------
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI, section 4.

    Examples
    --------
    >>> from demur.cautious import CautionWindowRule
    >>> rule = CautionWindowRule([0.55, 0.45], 0.15)
    >>> rule.thresholds.round(4).tolist()
    [0.6175, 0.5325]
    >>> rule.decide([[0.7, 0.3], [0.6, 0.4], [0.35, 0.65]]).tolist()
    [0, -1, 1]
    """

    bias: FloatArray
    window: float
    _reported = ("thresholds",)

    def __post_init__(self) -> None:
        bias = np.array(check_simplex(self.bias, "bias"))
        if bias.size < 2:
            raise input_error("bias", "must be one number per class", f"shape {bias.shape}")
        object.__setattr__(self, "bias", bias)
        object.__setattr__(self, "window", check_rate(self.window, "window"))
        Result.__post_init__(self)

    @property
    def thresholds(self) -> FloatArray:
        """Threshold of each class: (1 - k_i) w + k_i."""
        return np.asarray((1 - self.bias) * self.window + self.bias)

    def _choose(self, proba: FloatArray) -> tuple[IntArray, BoolArray]:
        thresholds = self.thresholds
        return ratio_class(proba, thresholds), np.any(proba >= thresholds - _TIE, axis=1)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class CriticalWindows(Result):
    """Windows at which the decision on each case changes.

    Attributes
    ----------
    first : array of n int
        Class of each case at window 0.
    last : array of n int
        Class of each case at the window where it is abstained on.
    abstain : array
        Element i: case i is answered up to and including this window; 1 or inf: always.
    case, window, before, after : array
        Element k: at ``window[k]`` case ``case[k]`` changes from class ``before[k]`` to ``after[k]``.
        Empty for two classes and for equal biases.
    """

    first: IntArray
    last: IntArray
    abstain: FloatArray
    case: IntArray
    window: FloatArray
    before: IntArray
    after: IntArray


def critical_windows(proba: ArrayLike, *, bias: ArrayLike | None = None) -> CriticalWindows:
    """Find, exactly, at which windows of a `CautionWindowRule` each decision changes.

    Parameters
    ----------
    proba : array of shape (n, classes)
        Rows in [0, 1] that sum to 1.
    bias : array of numbers >= 0 that sum to 1, optional
        Class bias; equal by default.

    Returns
    -------
    CriticalWindows
        With the window from which on each case is abstained on, and all changes of class.

    Raises
    ------
    InputError
        If `proba` or `bias` is not a distribution over the classes.

    Notes
    -----
    Case p is answered while w <= max_i (p_i - k_i)/(1 - k_i). Its class changes where two ratios
    cross: w = (p_j k_i - p_i k_j) / (p_i (1 - k_j) - p_j (1 - k_i)), at most classes - 1 times, as
    the inverse ratios are straight lines in w.

    Examples
    --------
    The second case is answered while the window is at most 0.2, as class 1 and then as class 0:

    >>> from demur.cautious import critical_windows
    >>> windows = critical_windows([[0.8, 0.1, 0.1], [0.6, 0.28, 0.12]], bias=[0.5, 0.2, 0.3])
    >>> windows.abstain.round(3).tolist()
    [0.6, 0.2]
    >>> windows.before.tolist(), windows.window.round(3).tolist(), windows.after.tolist()
    ([1], [0.059], [0])
    """
    rows = check_proba(proba)
    share = equal_bias(rows.shape[1]) if bias is None else check_simplex(bias, "bias", size=rows.shape[1])
    limit, _ = abstention_windows(rows, share)
    first, last, case, window, before, after = class_changes(rows, share, np.minimum(limit, 1.0))
    return CriticalWindows(
        first=first, last=last, abstain=limit, case=case, window=window, before=before, after=after
    )


def equal_bias(n_classes: int) -> FloatArray:
    """Return the bias that treats all classes equally."""
    return np.full(n_classes, 1 / n_classes)
