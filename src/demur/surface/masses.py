"""Running masses of the classes over ascending scores, and where costs cut them.

A window is a pair of positions among ascending steps (pooled blocks, or single scores). All that
its cost depends on are the masses below and above these positions.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from demur._kernels.thresholds import cut_points
from demur._results import read_only
from demur.counts import ScoreCounts
from demur.surface.review import PLAIN, ReviewPrices
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray

__all__ = [
    "SHARE_TIE",
    "RunningMasses",
    "ShareCuts",
    "SurfaceMasses",
    "score_masses",
]

SHARE_TIE = 8 * np.finfo(np.float64).eps
"""Shares that differ by rounding only count as equal, so that ties follow the stated rule."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RunningMasses:
    """Masses over ascending steps (blocks or scores): element i is for the first i steps.

    Attributes
    ----------
    positive_below, negative_below : array
        Mass of that class in the first i steps.
    negative_above : array
        Mass of the negatives in the other steps.
    lower_cut, upper_cut : array
        Thresholds after the first i steps: the lower and the upper one of a window.
    groups_below : array
        Number of distinct scores in the first i steps.
    """

    positive_below: FloatArray
    negative_below: FloatArray
    negative_above: FloatArray
    lower_cut: FloatArray
    upper_cut: FloatArray
    groups_below: IntArray

    @classmethod
    def of_steps(
        cls,
        positive: FloatArray,
        negative: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        groups: IntArray,
    ) -> "RunningMasses":
        """Sum the masses of ascending steps with the score range and the scores of each."""
        lower_cut, upper_cut = cut_points(lower, upper)
        return cls(
            positive_below=np.concatenate([[0.0], np.cumsum(positive)]),
            negative_below=np.concatenate([[0.0], np.cumsum(negative)]),
            negative_above=np.concatenate([np.cumsum(negative[::-1])[::-1], [0.0]]),
            lower_cut=lower_cut,
            upper_cut=upper_cut,
            groups_below=np.concatenate([[0], np.cumsum(groups)]),
        )

    @property
    def positive_above(self) -> FloatArray:
        """Mass of the positives in the other steps."""
        return np.asarray(self.positive_below[-1] - self.positive_below)

    @property
    def below(self) -> FloatArray:
        """Mass of both classes in the first i steps."""
        return self.positive_below + self.negative_below

    def scaled(self, to_positive: float, to_negative: float) -> "RunningMasses":
        """Return the masses times one factor per class, say for another prevalence."""
        return replace(
            self,
            positive_below=self.positive_below * to_positive,
            negative_below=self.negative_below * to_negative,
            negative_above=self.negative_above * to_negative,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class SurfaceMasses:
    """Masses of the pooled blocks of one model under a prevalence; they sum to 1.

    Attributes
    ----------
    counts : ScoreCounts
        The evidence.
    prevalence : float
        P(positive) assumed.
    positive, negative : array
        Element b is the mass of that class in block b.
    """

    counts: ScoreCounts
    prevalence: float
    positive: FloatArray
    negative: FloatArray

    @cached_property
    def shares(self) -> FloatArray:
        """Share of positives per block, ascending: the calibrated score."""
        mass = self.positive + self.negative
        # a class of prior 0 leaves blocks without mass; they take part in nothing
        return read_only(np.divide(self.positive, mass, out=np.zeros_like(mass), where=mass > 0))

    @cached_property
    def mixed_shares(self) -> FloatArray:
        """Shares of the blocks that hold both classes: where the surface has its edges."""
        return self.shares[(self.shares > 0) & (self.shares < 1)]

    @cached_property
    def blocks(self) -> RunningMasses:
        """Running masses over the blocks."""
        blocks = self.counts.blocks()
        return RunningMasses.of_steps(self.positive, self.negative, blocks.lower, blocks.upper, blocks.groups)

    @cached_property
    def scores(self) -> RunningMasses:
        """Running masses over single scores, for costs the block formula does not cover."""
        return score_masses(self.counts, self.prevalence)

    def plane(
        self, cuts: FloatArray, i: IntArray, j: IntArray, prices: ReviewPrices = PLAIN
    ) -> tuple[FloatArray, FloatArray, FloatArray, IntArray, IntArray]:
        """Coefficients (1, mu, nu) of the cost of the windows that cut after shares i and j; their blocks.

        At plain prices of reviews these are the shares of misses, false alarms and abstentions.
        """
        after = np.searchsorted(self.shares, cuts, side="right")
        low, high = after[i], after[j]
        m = self.blocks
        alpha, beta, missed, alarmed = prices.coefficients
        mass = alpha * m.positive_below + beta * m.negative_below
        misses = m.positive_below[low] + missed * (m.positive_below[high] - m.positive_below[low])
        alarms = m.negative_above[high] + alarmed * (m.negative_below[high] - m.negative_below[low])
        return misses, alarms, mass[high] - mass[low], low, high


def score_masses(counts: ScoreCounts, prevalence: float) -> RunningMasses:
    """Return the running masses over single scores under a prevalence; they sum to 1."""
    to_positive = prevalence / counts.n_positive if counts.n_positive else 0.0
    to_negative = (1 - prevalence) / counts.n_negative if counts.n_negative else 0.0
    ones = np.ones(len(counts.scores), dtype=np.int64)
    sums = RunningMasses.of_steps(
        counts.positives, counts.negatives, counts.scores, counts.upper_scores, ones
    )
    # scaling after the sums keeps whole numbers of cases, and so ties of costs, exact
    return sums.scaled(to_positive, to_negative)


class ShareCuts(NamedTuple):
    """Where costs cut the shares of positives of blocks, one element per cost point.

    Blocks of a share up to `negative` are called negative, those of a share from `positive` on
    positive; where the window is `empty` the latter alone decides.
    """

    negative: FloatArray
    positive: FloatArray
    empty: BoolArray

    @classmethod
    def of_surface(cls, mu: ArrayLike, nu_positive: ArrayLike, nu_negative: ArrayLike) -> "ShareCuts":
        """Return the cuts at given costs.

        A block of share r is called negative up to nu_N / (1 - nu_P + nu_N), positive from
        (mu - nu_N) / (mu + nu_P - nu_N) on; where abstaining never pays (lemma 1 of Friedel,
        Rueckert, Kramer 2006), both cuts are mu / (1 + mu).
        """
        mu, nu_p, nu_n = (np.asarray(value, dtype=np.float64) for value in (mu, nu_positive, nu_negative))
        zero_cut = mu / (1 + mu)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            d = nu_p - nu_n
            never = ~(mu * nu_p + nu_n < mu)  # also where nu is infinite
            to_lower = nu_n / (1 - d)
            to_upper = (mu - nu_n) / (mu + d)
        # d = 1 and nu_n = 0: calling negative ties with abstaining everywhere, and wins
        to_lower = np.where(np.isnan(to_lower), np.inf, to_lower)
        to_upper = np.where(never | np.isnan(to_upper), zero_cut, to_upper)
        return cls(to_lower * (1 + SHARE_TIE), to_upper * (1 - SHARE_TIE), never)

    @classmethod
    def of_cost_curve(cls, miss: FloatArray, alarm: FloatArray) -> "ShareCuts":
        """Return the cuts where abstaining is no option."""
        # where misses are free nothing is worth an alarm, not even a block of positives only
        share = np.where(miss > 0, alarm / (miss + alarm) * (1 - SHARE_TIE), np.inf)
        return cls(share, share, np.ones(share.shape, dtype=np.bool_))

    def blocks(self, shares: FloatArray) -> tuple[IntArray, IntArray]:
        """Number of blocks called negative, and called negative or abstained on, of ascending shares."""
        j: IntArray = shares.searchsorted(self.positive, side="left")
        i = shares.searchsorted(self.negative, side="right")
        return np.where(self.empty, j, np.minimum(i, j)), j
