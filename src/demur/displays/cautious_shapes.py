"""Two figures of Ferri and Hernandez-Orallo: efficacy as an area, and the secant a window cuts off a ROC."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from demur._checks import input_error
from demur.cautious.confusion import CautiousConfusion, cautious_confusion
from demur.counts.scores import ScoreCounts, as_counts
from demur.displays.base import ABSTAIN_COLOR, GUIDE, Display, framed, only_one, with_name
from demur.displays.cautious import ABSTENTION_WORDS
from demur.displays.estimator_input import FromEstimator
from demur.exceptions import UndefinedError
from demur.roc.curve import RocCurve, roc_curve
from demur.roc.decided import cut_out
from demur.surface.window import ABSTAIN, AbstentionWindow, decide
from demur.typing import ArrayLike, Labels

__all__ = ["EfficacyDisplay", "RocSecantDisplay"]


class EfficacyDisplay(FromEstimator, Display):
    """Accuracy against abstention with the area that is the efficacy (figure 1 of the paper).

    The larger the area the better. From (0, 0) to the classifier and on to (1, 1); the area below is
    (accuracy + coverage) / 2. See `CautiousConfusion`.

    Parameters
    ----------
    result : CautiousConfusion, or mapping {name: CautiousConfusion}

    Attributes
    ----------
    lines_ : list
        One line per classifier.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur import CautiousConfusion
    >>> from demur.displays import EfficacyDisplay
    >>> model = CautiousConfusion([[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]])
    >>> display = EfficacyDisplay(result=model).plot()
    >>> drawn = display.frame()
    >>> drawn["abstention"].tolist(), drawn["accuracy"].round(3).tolist()
    ([0.0, 0.09, 1.0], [0.0, 0.956, 1.0])
    >>> plt.close(display.figure_)
    """

    _asks = "answers"
    _kinds = (CautiousConfusion,)
    _several = True

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        y_pred: Labels | Mapping[str, Labels],
        *,
        labels: Any = None,
        abstain: Any = ABSTAIN,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display of one classifier's answers, or of a mapping {name: answers}."""
        if isinstance(y_pred, Mapping):
            only_one(name, y_pred)
            made = {
                str(model): cautious_confusion(y_true, answers, labels=labels, abstain=abstain)
                for model, answers in y_pred.items()
            }
            return cls(result=made)._shown(ax, None)
        one = cautious_confusion(y_true, y_pred, labels=labels, abstain=abstain)
        return cls(result=one)._shown(ax, name)

    def plot(self, ax: Any = None) -> Self:
        """Draw the classifiers and their areas on `ax`, or on new axes."""
        ax = self._begin(ax)
        self.lines_ = []
        for index, (name, matrix) in enumerate(self._members.items()):
            if np.isnan(matrix.accuracy):
                raise UndefinedError("Efficacy needs answers, got abstentions only. Hint: leave it out.")
            x, y = np.array([0.0, matrix.abstention, 1.0]), np.array([0.0, matrix.accuracy, 1.0])
            style = self._series(index)
            label = with_name(name, f"efficacy {matrix.efficacy:.3f}")
            self.lines_ += ax.plot(x, y, marker="o", ms=4, lw=1.6, label=label, clip_on=False, **style)
            ax.fill_between(x, y, color=style["color"], alpha=0.12, lw=0)
            self._append(model=name, abstention=x, accuracy=y)
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1.02)
        framed(ax, ABSTENTION_WORDS, "accuracy of the answered cases")
        return self


class RocSecantDisplay(FromEstimator, Display):
    """What a window does to a ROC curve: the secant it cuts off, and the curve of the decided cases.

    The window takes the middle of the curve out; both remaining parts are stretched until they meet
    (figure 8 of the paper). Up and left is better. See `roc.reliable_roc`.

    Parameters
    ----------
    result : RocCurve
        Of all cases.
    window : AbstentionWindow or (lower, upper)
        The window.

    Attributes
    ----------
    lines_ : list
        All cases, secant, decided cases.
    decided : ReliableRoc
        The curve of the decided cases.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import RocSecantDisplay
    >>> y, s = [0, 0, 1, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> display = RocSecantDisplay.from_predictions(y, s, window=(2.5, 6.5)).plot()
    >>> display.decided.auc
    1.0
    >>> plt.close(display.figure_)
    """

    _kinds = (RocCurve,)

    def __init__(self, *, result: RocCurve, window: AbstentionWindow | tuple[float, float]) -> None:
        super().__init__(result=result)
        self.window = window
        codes = decide(result.counts.scores, window)
        size = len(codes)
        if not np.any(codes == ABSTAIN):
            raise input_error("window", "must abstain on some score", repr(window), "widen it.")
        # vertices run from the highest score down
        self._cuts = int(np.count_nonzero(codes == 1)), size - int(np.count_nonzero(codes == 0))
        self.decided = cut_out(result.fpr, result.tpr, *self._cuts)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | ScoreCounts,
        y_score: ArrayLike | None = None,
        *,
        window: AbstentionWindow | tuple[float, float],
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        ax: Any = None,
        name: str | None = None,
    ) -> Self:
        """Make the Display of labels, scores and a window."""
        counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
        return cls(result=roc_curve(counts), window=window)._shown(ax, name)

    @classmethod
    def from_result(cls, result: Any, window: Any = None) -> Self:
        """Make the Display of a ROC curve and a window of its scores."""
        return cls(result=result, window=window)

    def plot(self, ax: Any = None) -> Self:
        """Draw both curves and the secant on `ax`, or on new axes."""
        ax = self._begin(ax, size=(5.2, 5.2))
        curve, decided, ends = self.result, self.decided, list(self._cuts)
        ax.plot([0, 1], [0, 1], color=GUIDE, lw=1, zorder=0)
        parts = {
            "all cases": (curve.fpr, curve.tpr, {"color": self._series(0)["color"], "lw": 1.6}),
            "secant of the window": (
                curve.fpr[ends],
                curve.tpr[ends],
                {"color": ABSTAIN_COLOR, "lw": 1.4, "ls": (0, (4, 3)), "marker": "o", "ms": 4},
            ),
            "decided cases": (decided.fpr, decided.tpr, {"color": self._series(1)["color"], "lw": 1.6}),
        }
        self.lines_ = []
        areas = {"all cases": curve.auc, "decided cases": decided.auc}
        for part, (x, y, style) in parts.items():
            label = f"{part}, AUC {areas[part]:.3f}" if part in areas else part
            self.lines_ += ax.plot(x, y, label=label, **style)
            self._append(part=part, fpr=x, tpr=y)
        ax.set_xlim(-0.01, 1.01)
        ax.set_ylim(-0.01, 1.01)
        framed(ax, "false positive rate", "true positive rate")
        return self
