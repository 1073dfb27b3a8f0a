"""Other plots of the performance of a classifier: DET, regret, skill, prevalence-value-accuracy.

Drummond and Holte name them beside ROC and cost curves. All four show the same two error rates; the
cost curve holds their numbers.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import ndtri

from demur._checks import check_nonnegative, check_positive_int
from demur.costs.curves import CostCurve, cost_curve
from demur.costs.model import probability_cost
from demur.displays.base import GUIDE, SEQUENTIAL_CMAP, ScoreDisplay, framed, with_name
from demur.roc.curve import RocCurve, roc_curve

__all__ = ["DetCurveDisplay", "PvaDisplay", "RegretDisplay", "SkillDisplay"]

_TICKS = np.array([0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99])


class DetCurveDisplay(ScoreDisplay):
    """Detection error trade-off: misses against false alarms on normal deviate axes.

    The lower left the better. Scores that are normal in both classes give a straight line, and good
    models are told apart that a ROC curve crowds into a corner. Rates of 0 and 1 lie at infinity and
    are not drawn. After Martin et al. (1997), Eurospeech.

    Parameters
    ----------
    result : RocCurve, or mapping {name: RocCurve}

    Attributes
    ----------
    lines_ : list
        One line per model.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import DetCurveDisplay
    >>> y, s = [0, 0, 1, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> display = DetCurveDisplay.from_predictions(y, s).plot()
    >>> drawn = display.frame()
    >>> drawn["fpr"].tolist(), drawn["fnr"].tolist()
    ([0.25, 0.25, 0.5], [0.5, 0.25, 0.25])
    >>> plt.close(display.figure_)
    """

    _kinds = (RocCurve,)
    _several = True
    _compute = staticmethod(roc_curve)

    def plot(self, ax: Any = None) -> Self:
        """Draw the curves on `ax`, or on new axes."""
        ax = self._begin(ax, size=(5.2, 5.2))
        self.lines_ = []
        for index, (name, curve) in enumerate(self._members.items()):
            fpr, fnr = np.asarray(curve.fpr), 1 - np.asarray(curve.tpr)
            inside = (fpr > 0) & (fpr < 1) & (fnr > 0) & (fnr < 1)
            self._append(model=name, fpr=fpr[inside], fnr=fnr[inside])
            label = with_name(name, f"AUC {curve.auc:.3f}")
            self.lines_ += ax.plot(
                ndtri(fpr[inside]), ndtri(fnr[inside]), lw=1.6, label=label, **self._series(index)
            )
        ends = ndtri(_TICKS[[0, -1]])
        ax.plot(ends, -ends, color=GUIDE, lw=1, zorder=0)
        words = [f"{100 * tick:g} %" for tick in _TICKS]
        ax.set_xticks(ndtri(_TICKS), words)
        ax.set_yticks(ndtri(_TICKS), words)
        ax.set_xlim(*ends)
        ax.set_ylim(*ends)
        framed(ax, "false alarms among the negatives", "misses among the positives")
        return self


class RegretDisplay(ScoreDisplay):
    """Regret graph: cost above always deciding rightly, against the prevalence, at fixed costs.

    The lower the better. The grey triangle is the better of calling all cases negative or all positive;
    where a curve meets it, the model is of no use. A curve takes the best threshold at each prevalence.
    After Hilden and Glasziou (1996), Statistics in Medicine 15.

    Parameters
    ----------
    result : CostCurve, or mapping {name: CostCurve}

    Attributes
    ----------
    lines_ : list
        One line per model.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import RegretDisplay
    >>> y, s = [0, 0, 1, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> display = RegretDisplay.from_predictions(y, s).plot(cost_fn=5, points=5)
    >>> display.frame()["regret"].round(3).tolist()
    [0.0, 0.375, 0.25, 0.125, 0.0]
    >>> plt.close(display.figure_)
    """

    _kinds = (CostCurve,)
    _several = True
    _compute = staticmethod(cost_curve)

    def plot(self, ax: Any = None, *, cost_fn: float = 1.0, cost_fp: float = 1.0, points: int = 201) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        cost_fn, cost_fp : float
            Costs of a miss and of a false alarm.
        points : int
            Number of prevalences.
        """
        ax = self._begin(ax)
        rate = np.linspace(0, 1, check_positive_int(points, "points", minimum=2))
        worst = rate * float(check_nonnegative(cost_fn, "cost_fn"))
        worst = worst + (1 - rate) * float(check_nonnegative(cost_fp, "cost_fp"))
        place = np.asarray(probability_cost(rate, cost_fn, cost_fp))
        trivial = np.minimum(place, 1 - place) * worst
        ax.fill_between(rate, trivial, color=GUIDE, alpha=0.35, lw=0, label="without a model")
        self.lines_ = []
        for index, (name, curve) in enumerate(self._members.items()):
            regret = np.asarray(curve.expected_cost(place)) * worst
            self.lines_ += ax.plot(rate, regret, lw=1.6, label=name or "model", **self._series(index))
            self._append(model=name, prevalence=rate, regret=regret, trivial=trivial)
        ax.set_xlim(0, 1)
        ax.set_ylim(bottom=0)
        framed(ax, "prevalence", "regret per case")
        return self


class SkillDisplay(ScoreDisplay):
    """Skill plot: share of the cost of the best rule without a model that the model saves.

    The higher the better: 1 never errs, 0 is of no use. Against the operating point, where a false
    alarm costs as much as a miss at 0.5. After Briggs and Zaretzki (2008), Biometrics 64, with the best
    threshold at each point instead of the score as it is.

    Parameters
    ----------
    result : CostCurve, or mapping {name: CostCurve}

    Attributes
    ----------
    lines_ : list
        One line per model.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import SkillDisplay
    >>> y, s = [0, 0, 1, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> display = SkillDisplay.from_predictions(y, s).plot(points=3)
    >>> display.frame()["skill"].round(3).tolist()
    [0.5, 0.5, 0.5]
    >>> plt.close(display.figure_)
    """

    _kinds = (CostCurve,)
    _several = True
    _compute = staticmethod(cost_curve)

    def plot(self, ax: Any = None, *, points: int = 199) -> Self:
        """Draw the curves on `ax`, or on new axes, at so many operating points."""
        ax = self._begin(ax)
        count = check_positive_int(points, "points")
        place = np.arange(1, count + 1) / (count + 1)
        self.lines_ = []
        for index, (name, curve) in enumerate(self._members.items()):
            cost = np.asarray(curve.expected_cost(place))
            skill = 1 - cost / np.minimum(place, 1 - place)
            self.lines_ += ax.plot(place, skill, lw=1.6, label=name or "model", **self._series(index))
            self._append(model=name, pc=place, skill=skill)
        ax.axhline(0, color=GUIDE, lw=1, zorder=0)
        ax.set_xlim(0, 1)
        ax.set_ylim(-0.02, 1.02)
        framed(ax, "operating point PC(+): 0 only false alarms matter, 1 only misses", "skill")
        return self


class PvaDisplay(ScoreDisplay):
    """Prevalence-value-accuracy plot: cost over prevalence and the share of a miss in the two costs.

    Darker is dearer. Costs of a miss and of a false alarm add up to 1, and the best threshold is taken
    at every point. After Remaley et al. (1999), Clinical Chemistry 45.

    Parameters
    ----------
    result : CostCurve

    Attributes
    ----------
    image_ : artist
        The map.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import PvaDisplay
    >>> y, s = [0, 0, 1, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> display = PvaDisplay.from_predictions(y, s).plot(resolution=3)
    >>> display.frame()["cost"].round(3).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.125, 0.0, 0.0, 0.0, 0.0]
    >>> plt.close(display.figure_)
    """

    _kinds = (CostCurve,)
    _compute = staticmethod(cost_curve)

    def plot(self, ax: Any = None, *, resolution: int = 101) -> Self:
        """Draw the map on `ax`, or on new axes, at so many points each way."""
        ax = self._begin(ax, size=(5.8, 4.8))
        (name, curve) = next(iter(self._members.items()))
        side = np.linspace(0, 1, check_positive_int(resolution, "resolution", minimum=2))
        rate, miss = np.meshgrid(side, side)
        worst = rate * miss + (1 - rate) * (1 - miss)
        place = np.divide(rate * miss, worst, out=np.zeros_like(worst), where=worst > 0)
        cost = np.asarray(curve.expected_cost(place.ravel())).reshape(place.shape) * worst
        look = {"cmap": SEQUENTIAL_CMAP, "shading": "gouraud", "rasterized": True}
        self.image_ = ax.pcolormesh(side, side, cost, **look)
        self.figure_.colorbar(self.image_, ax=ax, label="cost per case")
        columns = {"prevalence": rate.ravel(), "miss": miss.ravel(), "cost": cost.ravel()}
        self._append(model=name, **columns)
        ax.set_xlabel("prevalence")
        ax.set_ylabel("cost of a miss (a false alarm costs the rest to 1)")
        return self
