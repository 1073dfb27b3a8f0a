"""Other plots of the performance of a classifier: net benefit, DET, regret, skill, prevalence-value-accuracy.

Drummond and Holte name them beside ROC and cost curves. All show the same two error rates; the cost curve
holds their numbers.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import ndtri

from demur._checks import check_nonnegative, check_positive_int, check_range, input_error
from demur.costs.curves import CostCurve, cost_curve
from demur.costs.model import probability_cost
from demur.costs.net_benefit import NetBenefitCurve, net_benefit_curve
from demur.displays.base import (
    GUIDE,
    PC_WORDS,
    SEQUENTIAL_CMAP,
    CurveDisplay,
    PredictionDisplay,
    with_name,
)
from demur.exceptions import UndefinedError
from demur.roc.curve import RocCurve, roc_curve
from demur.typing import FloatArray, Range

__all__ = ["DetCurveDisplay", "NetBenefitDisplay", "PvaDisplay", "RegretDisplay", "SkillDisplay"]

_POINTS = 501
_HINDSIGHT = "best threshold in hindsight"


class NetBenefitDisplay(
    CurveDisplay,
    of=NetBenefitCurve,
    compute=net_benefit_curve,
    axes={
        "xlabel": "threshold probability (act from this risk on)",
        "ylabel": "net benefit (true positives per case)",
    },
):
    """Net benefit against the threshold probability (decision curve); see `net_benefit_curve`.

    The higher the better, in true positives per case; a useful model is above both "act on all"
    and "act on none" (0), a harmful one below. The curve jumps at the predicted probabilities, so
    it is drawn at each of them and at 501 points in between.

    Parameters
    ----------
    result : NetBenefitCurve, or mapping {name: NetBenefitCurve}
        What to draw; of scores in [0, 1], unless only the optimal curve is drawn.

    Attributes
    ----------
    lines_ : list
        One line per curve, followed by its optimal line if asked for.
    bands_ : list
        One band per curve, if asked for.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from demur.displays import NetBenefitDisplay
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.9]
    >>> display = NetBenefitDisplay.from_predictions(y, p).plot()
    >>> drawn = display.frame()
    >>> at = (drawn["part"] == "model") & (drawn["threshold_probability"] == 0)
    >>> drawn["net_benefit"][at].tolist()
    [0.5]
    >>> plt.close(display.figure_)
    """

    def plot(
        self,
        ax: Any = None,
        *,
        threshold_probability: Range = (0.0, 0.99),
        model: bool = True,
        optimal: bool = False,
        confidence_level: float | None = None,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        threshold_probability : (low, high)
            Range shown, within [0, 1).
        model : bool
            Draw what acting on the probabilities reaches.
        optimal : bool
            Also draw what the best threshold, chosen in hindsight, would reach.
        confidence_level : float, optional
            Also draw the pointwise intervals of this level.
        """
        low, high = check_range(threshold_probability, "threshold_probability", high=1.0)
        if high == 1.0 or low == high:
            raise input_error("threshold_probability", "must be a pair with low < high < 1", (low, high))
        for name, curve, style in self._curves(ax):
            if curve.prevalence in (0.0, 1.0):
                raise UndefinedError(
                    f"A decision curve needs both classes, got prevalence {curve.prevalence:g}."
                )
            if model:
                # every predicted probability and the next number above it, where acting on it ends
                scores = curve.curve.counts.scores
                t = _with_even(np.concatenate([scores, np.nextafter(scores, 2.0)]), low, high)
                self._benefit(name, "model", t, curve.net_benefit(t), lw=1.8, **style)
                if confidence_level is not None:
                    ends = curve.interval(t, confidence_level=confidence_level)
                    self._band(t, ends, style["color"], 0.15)
                    for part, limit in zip(("lower limit", "upper limit"), ends, strict=True):
                        self._append(model=name, part=part, threshold_probability=t, net_benefit=limit)
            if optimal:
                # the exact bends: t = pi (1 - x) / (pi (1 - x) + (1 - pi) x) at every corner x
                x = curve.curve.vertices[:, 0]
                missed, alarmed = curve.prevalence * (1 - x), (1 - curve.prevalence) * x
                t, style["linestyle"] = _with_even(missed / (missed + alarmed), low, high), ":"
                self._benefit(name, _HINDSIGHT, t, curve.optimal_net_benefit(t), lw=1.1, **style)
        # act on all (one line per prevalence) and on none
        t, models = np.linspace(low, high, _POINTS), len(self.lines_)
        by_prevalence = {curve.prevalence: curve for curve in self._members.values()}
        for number, (rate, curve) in enumerate(by_prevalence.items()):
            words = "act on all" if len(by_prevalence) == 1 else f"act on all, prevalence {rate:.3g}"
            self._benefit(
                "", words, t, curve.treat_all(t), color="#777777", lw=1, ls=(0, (4, 3 + 3 * number))
            )
        del self.lines_[models:]
        self.ax_.axhline(0, color="black", lw=0.8, label="act on none")
        rate = max(by_prevalence)
        return self._finish(xlim=(low, high), ylim=(-0.25 * rate, 1.05 * rate))

    def _benefit(self, name: str, part: str, t: FloatArray, value: Any, **style: Any) -> None:
        rows = {"model": name, "part": part, "threshold_probability": t, "net_benefit": value}
        self.lines_ += self._line(rows, label=with_name(name, part), **style)


def _with_even(points: FloatArray, low: float, high: float) -> FloatArray:
    """Add evenly spread points to those inside a range."""
    return np.union1d(np.linspace(low, high, _POINTS), points[(points > low) & (points < high)])


_TICKS = np.array([0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99])


class DetCurveDisplay(
    CurveDisplay,
    of=RocCurve,
    compute=roc_curve,
    axes={
        "xlabel": "false alarms among the negatives",
        "ylabel": "misses among the positives",
    },
):
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

    def plot(self, ax: Any = None) -> Self:
        """Draw the curves on `ax`, or on new axes."""
        for name, curve, style in self._curves(ax):
            rates = np.stack([curve.fpr, 1 - curve.tpr])
            fpr, fnr = rates[:, ((rates > 0) & (rates < 1)).all(axis=0)]
            self._append(model=name, fpr=fpr, fnr=fnr)
            words = with_name(name, f"AUC {curve.auc:.3f}")
            self.lines_ += self.ax_.plot(ndtri(fpr), ndtri(fnr), lw=1.6, label=words, **style)
        ticks, shown = ndtri(_TICKS), [f"{100 * tick:g} %" for tick in _TICKS]
        self.ax_.plot(ticks[[0, -1]], -ticks[[0, -1]], color=GUIDE, lw=1, zorder=0)
        ends = ticks[0], ticks[-1]
        return self._finish(
            xticks=ticks, xticklabels=shown, yticks=ticks, yticklabels=shown, xlim=ends, ylim=ends
        )


class RegretDisplay(
    CurveDisplay,
    of=CostCurve,
    compute=cost_curve,
    axes={
        "xlabel": "prevalence",
        "ylabel": "regret per case",
        "xlim": (0, 1),
        "ylim": (0, None),
    },
):
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
        rate = np.linspace(0, 1, check_positive_int(points, "points", minimum=2))
        worst = rate * float(check_nonnegative(cost_fn, "cost_fn"))
        worst = worst + (1 - rate) * float(check_nonnegative(cost_fp, "cost_fp"))
        place = np.asarray(probability_cost(rate, cost_fn, cost_fp))
        trivial = np.minimum(place, 1 - place) * worst
        for name, curve, style in self._curves(ax):
            regret = np.asarray(curve.expected_cost(place)) * worst
            rows = {"model": name, "prevalence": rate, "regret": regret, "trivial": trivial}
            self.lines_ += self._line(rows, lw=1.6, label=name or "model", **style)
        self.ax_.fill_between(rate, trivial, label="without a model", color=GUIDE, alpha=0.35, lw=0, zorder=0)
        return self._finish()


class SkillDisplay(
    CurveDisplay,
    of=CostCurve,
    compute=cost_curve,
    guide=((0, 1), (0, 0), ""),
    axes={
        "xlabel": PC_WORDS,
        "ylabel": "skill",
        "xlim": (0, 1),
        "ylim": (-0.02, 1.02),
    },
):
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

    def plot(self, ax: Any = None, *, points: int = 199) -> Self:
        """Draw the curves on `ax`, or on new axes, at so many operating points."""
        count = check_positive_int(points, "points")
        place = np.arange(1, count + 1) / (count + 1)
        for name, curve, style in self._curves(ax):
            skill = 1 - np.asarray(curve.expected_cost(place)) / np.minimum(place, 1 - place)
            rows = {"model": name, "pc": place, "skill": skill}
            self.lines_ += self._line(rows, lw=1.6, label=name or "model", **style)
        return self._finish()


class PvaDisplay(
    PredictionDisplay,
    of=CostCurve,
    compute=cost_curve,
    axes={
        "xlabel": "prevalence",
        "ylabel": "cost of a miss (a false alarm costs the rest to 1)",
    },
):
    """Prevalence-value-accuracy plot: cost over prevalence and the share of a miss in the two costs.

    Darker is more expensive. Costs of a miss and of a false alarm add up to 1, and the best threshold is
    taken at every point. After Remaley et al. (1999), Clinical Chemistry 45.

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

    def plot(self, ax: Any = None, *, resolution: int = 101) -> Self:
        """Draw the map on `ax`, or on new axes, at so many points each way."""
        ax = self._begin(ax, size=(5.8, 4.8))
        side = np.linspace(0, 1, check_positive_int(resolution, "resolution", minimum=2))
        rate, miss = np.meshgrid(side, side)
        worst = rate * miss + (1 - rate) * (1 - miss)
        place = np.divide(rate * miss, worst, out=np.zeros_like(worst), where=worst > 0)
        cost = np.asarray(self.result.expected_cost(place)) * worst
        self.image_ = ax.pcolormesh(
            side, side, cost, cmap=SEQUENTIAL_CMAP, shading="gouraud", rasterized=True
        )
        self.figure_.colorbar(self.image_, ax=ax, label="cost per case")
        self._append(model="", prevalence=rate.ravel(), miss=miss.ravel(), cost=cost.ravel())
        return self._finish(box=True)
