"""Between which limits an answer from binned scores lies: `count_bounds`.

Nothing here has a formula of its own: every function is applied to the bins as ties and to
each bin in its best (or worst) order, and the truth lies between.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from demur._checks import check_cost_point
from demur._results import Interval, Result, as_scalar
from demur.costs.curves import cost_curve
from demur.counts.bins import BinnedCounts, certified_gap
from demur.counts.scores import ScoreCounts, as_counts
from demur.counts.window import AbstentionWindow
from demur.roc.curve import auc_score
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.typing import ArrayLike, Labels, Range, Scalar

__all__ = ["BoundedWindow", "CountBounds", "count_bounds"]

_UNIT: Range = (0.0, 1.0)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class BoundedWindow(Result):
    """A window chosen on bins, with the most that any other could save; made by `CountBounds.window`.

    Attributes
    ----------
    window : AbstentionWindow
        Its thresholds lie between bins, so its cost and rates are exact.
    best_cost : Interval
        Limits of the cost of the cheapest window of the scores themselves.
    gap : float
        Length of that interval: what a window with a threshold inside a bin could save at most.
    """

    window: AbstentionWindow
    best_cost: Interval
    gap: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CountBounds(Result):
    """Limits of what exact scores would give; made by `count_bounds`.

    Attributes
    ----------
    counts : ScoreCounts
        The evidence.
    exact : bool
        Whether the counts are exact; all limits then coincide.
    certified : float
        Largest gap of `surface` over all costs, in units of the more expensive error.
    n_bins : int
        Number of bins of more than one score.
    prevalence : float
        P(positive) assumed, the sample's unless the user gave another.
    """

    counts: ScoreCounts
    exact: bool
    certified: float
    n_bins: int
    prevalence: float

    @cached_property
    def _pooled(self) -> AbstentionSurface:
        return abstention_surface(self.counts, prevalence=self.prevalence)

    @cached_property
    def _split(self) -> AbstentionSurface:
        return abstention_surface(self._best, prevalence=self.prevalence)

    @property
    def _best(self) -> ScoreCounts:
        return self.counts.split if isinstance(self.counts, BinnedCounts) else self.counts

    def surface(self, mu: ArrayLike, nu: ArrayLike) -> Interval:
        """Return limits of the smallest expected cost at (mu, nu), single numbers or arrays, >= 0."""
        # a reward for abstaining could make a cut inside a bin better than its best order
        mu, nu = check_cost_point(mu, nu)
        return _interval(self._split.cost(mu, nu), self._pooled.cost(mu, nu))

    def volume(self, mu: Range = _UNIT, nu: Range = _UNIT) -> Interval:
        """Return limits of the volume under the surface; over the unit square of VACC."""
        return _interval(self._split.volume(mu, nu), self._pooled.volume(mu, nu))

    def auc(self) -> Interval:
        """Return limits of the area under the ROC curve; ties of equal scores still count one half."""
        counts = self.counts
        worst = counts.reversed_split if isinstance(counts, BinnedCounts) else counts
        return Interval(auc_score(worst), auc_score(self._best))

    def cost_curve(self, pc: ArrayLike) -> Interval:
        """Return limits of the normalised expected cost at operating points `pc` in [0, 1]."""
        return _interval(cost_curve(self._best).expected_cost(pc), cost_curve(self.counts).expected_cost(pc))

    def window(self, mu: float, nu: float) -> BoundedWindow:
        """Return the cheapest window between bins, and the most a cut inside a bin could save."""
        check_cost_point(mu, nu)
        window = self._pooled.window(mu, nu)
        best = min(self._split.window(mu, nu).cost, window.cost)
        return BoundedWindow(window=window, best_cost=Interval(best, window.cost), gap=window.cost - best)

    def __repr__(self) -> str:
        size = f"n={self.counts.n:g}, prevalence={self.prevalence:.4g}"
        if self.exact:
            return f"CountBounds({size}, exact)"
        return f"CountBounds({size}, bins={self.n_bins}, certified to {self.certified:.3g})"


def _interval(low: Scalar, high: Scalar) -> Interval:
    # where the limits coincide, rounding must not swap them
    return Interval(as_scalar(np.minimum(low, high)), as_scalar(np.asarray(high)))  # type: ignore[arg-type]


def count_bounds(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
) -> CountBounds:
    """Limits between which costs, volumes and AUC of the scores themselves lie, given bins of them.

    The shorter the better; exact counts give intervals of length 0. The limits are certain,
    not statistical: they hold for every order of the scores inside the bins. They do not
    include sampling error; for that see `surface_certificate` and the bands.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, prevalence
        As in `abstention_surface`; usually one `BinnedCounts`.

    Returns
    -------
    CountBounds
        With `surface`, `volume`, `auc`, `cost_curve`, `window` and the number `certified`.

    Raises
    ------
    UndefinedError
        If a class is missing, by `auc` and `cost_curve`.

    Notes
    -----
    Windows with thresholds between bins are some of all windows, so the bins as ties give an
    upper limit of the cost. The order "negatives below positives" inside every bin gives each
    threshold at least the true positives and at most the false positives of any other order,
    so it gives a lower limit; of the AUC the upper one.

    Examples
    --------
    Scores were counted in tenths. A review costs 1/4 of an error; no finer threshold could
    save more than 4 % of an error per case:

    >>> from demur.counts import BinnedCounts
    >>> from demur.surface import count_bounds
    >>> edges = [0.0, 0.1, 0.2, 0.3, 0.4]
    >>> counts = BinnedCounts.from_bins(
    ...     edges, [edge + 0.09 for edge in edges], [1, 2, 4, 12, 30], [25, 15, 7, 3, 1])
    >>> bounded = count_bounds(counts).window(mu=1, nu=0.25)
    >>> round(bounded.window.lower, 3), round(bounded.window.upper, 3), round(bounded.gap, 3)
    (0.195, 0.295, 0.04)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    weights = counts.class_weights(prevalence)
    binned = counts if isinstance(counts, BinnedCounts) else None
    return CountBounds(
        counts=counts,
        exact=counts.exact,
        certified=0.0 if binned is None else certified_gap(binned, weights),
        n_bins=0 if binned is None else binned.n_bins,
        prevalence=counts.prevalence if prevalence is None else float(prevalence),
    )
