"""ROC curves of the answered cases, stacked over the share of abstentions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_rate
from demur._results import Result
from demur.cautious.polyline import SAME_VALUE
from demur.cautious.response import curve_of_states
from demur.cautious.states import TwoClassStates, response_states
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError, UndefinedError
from demur.roc.curve import RocCurve, roc_curve
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = ["RocResponseSurface", "roc_response_surface"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RocResponseSurface(Result):
    """ROC curves of the answered cases, stacked over the share of abstentions.

    Attributes
    ----------
    abstention, auc : array
        Element t: share of abstentions and AUC of state t; NaN where a class is missing.
    window : array
        As in `ResponseCurve`.
    volume : float
        Volume under the surface, the area under AUC against abstention; the higher the better.
    """

    abstention: FloatArray
    auc: FloatArray
    window: FloatArray
    volume: float
    states: TwoClassStates
    _evidence = ("states",)

    def roc(self, abstention: float) -> RocCurve:
        """Return the ROC curve of the last state that abstains on at most this share."""
        rate = check_rate(abstention, "abstention")
        state = int(np.searchsorted(self.states.abstention, rate + SAME_VALUE, side="right")) - 1
        if np.isnan(self.states.auc()[state]):
            raise UndefinedError(
                f"The ROC curve at abstention {rate:g} needs answered cases of both classes. "
                "Hint: ask for a smaller share."
            )
        return roc_curve(self.states.answered_counts(state))

    def __repr__(self) -> str:
        return f"RocResponseSurface(states={len(self.auc)}, volume={self.volume:.6g})"


def roc_response_surface(
    y_true: Labels | ScoreCounts,
    proba: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    labels: Any = None,
) -> RocResponseSurface:
    """ROC curves of the answered cases for every share of abstentions, two classes.

    The higher the better. Assumes that scores stay as they are and only the doubtful cases leave.

    Parameters
    ----------
    y_true, proba, sample_weight, bias, labels
        As in `response_curve`; class 1 is the positive one.

    Returns
    -------
    RocResponseSurface
        With `volume`, `auc`, `abstention` and the curves, `roc(abstention)`.

    Raises
    ------
    UndefinedError
        If a class is missing.

    Notes
    -----
    The volume is the area under AUC(A), over the states in which it exists, ending in (1, 1).

    References
    ----------
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI, figures 9 and 10.

    Examples
    --------
    >>> from demur.cautious import roc_response_surface
    >>> y, p = [0, 0, 1, 0, 1, 0, 1, 1], [0.05, 0.1, 0.3, 0.35, 0.6, 0.7, 0.9, 0.95]
    >>> surface = roc_response_surface(y, p)
    >>> round(surface.roc(0).auc, 4), round(surface.roc(0.5).auc, 4), round(surface.volume, 4)
    (0.8125, 1.0, 0.9466)
    """
    states = response_states(y_true, proba, labels=labels, sample_weight=sample_weight, bias=bias)
    if not isinstance(states, TwoClassStates):
        raise InputError(
            f"`proba` must have two columns for a ROC surface, got {states.n_classes}. "
            "Hint: response_curve(metric='auc') averages over pairs of classes."
        )
    curve = curve_of_states(states, "auc", None)
    return RocResponseSurface(
        abstention=curve.abstention, auc=curve.value, window=curve.window, volume=curve.area, states=states
    )
