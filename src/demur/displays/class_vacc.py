"""Figure of models of many classes over unknown costs."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from demur.comparison.class_volume import NO_MODEL, ClassVacc
from demur.comparison.vacc_of_classes import class_vacc
from demur.displays.base import GUIDE, PredictionDisplay, with_name

__all__ = ["ClassVaccDisplay"]


class ClassVaccDisplay(
    PredictionDisplay,
    asks="classes",
    of=ClassVacc,
    compute=class_vacc,
    axes={"xlabel": "price of a review (a mistake costs 1 on average)", "ylabel": "honest cost per case"},
):
    """Cost by price of a review, where the costs of mistakes are drawn; see `class_vacc`.

    The lower the better. A point is the mean over the draws with such a price; the band is twice its standard
    error over these draws, which all models share, so lines differ by less chance than the bands show. The
    grey line is the cheapest rule without a model. The legend says in which share of the draws a model is
    cheaper than all others.

    Parameters
    ----------
    result : ClassVacc
        What to draw.

    Attributes
    ----------
    lines_ : list
        One line per model, and last the rule without one.
    bands_ : list
        One band per model.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from demur.displays import ClassVaccDisplay
    >>> rng = np.random.default_rng(0)
    >>> stage = rng.integers(0, 3, 300)
    >>> new, old = (rng.dirichlet([1, 1, 1], 300) + gain * np.eye(3)[stage] for gain in (0.7, 0.4))
    >>> display = ClassVaccDisplay.from_predictions(stage, {"new": new, "old": old}, n_draws=200)
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()][0]
    'new: VACC 0.045, cheapest in 99.0 %'
    >>> plt.close(display.figure_)
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        """
        result, ax = self.result, self._begin(ax)
        alone = len(result.vacc) == 1
        for index, (name, curve) in enumerate(result.curves().items()):
            rows = {"model": name, **curve._asdict()}
            if name == NO_MODEL:
                look: dict[str, Any] = {"color": GUIDE, "ls": (0, (4, 3)), "zorder": 0}
                words = f"{NO_MODEL}: {result.baseline:.3f}"
            else:
                look, words = self._series(index), f"VACC {result.vacc[name]:.3f}"
                words += "" if alone else f", cheapest in {100 * result.cheapest[name]:.1f} %"
                words = with_name(name, words)
                reach = 2 * np.nan_to_num(curve.monte_carlo_error)
                self._band(curve.review, (curve.cost - reach, curve.cost + reach), look["color"], 0.15)
            marker = "o" if len(curve.review) == 1 else ""
            self.lines_ += self._line(rows, label=words, lw=1.6, marker=marker, **look)
        return self._finish(ylim=(0, None))
