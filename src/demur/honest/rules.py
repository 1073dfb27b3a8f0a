"""The cheapest windows of one set of cases, for all costs, ready to judge other cases."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from demur._checks import check_prevalence
from demur._kernels.thresholds import cut_points, no_threshold
from demur.costs.model import CostModel
from demur.counts.scores import Blocks, ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.surface.masses import RunningMasses, ShareCuts
from demur.surface.review import PLAIN, ReviewPrices
from demur.typing import FloatArray, IntArray

__all__ = ["LearnedRule", "PricePoints"]


class PricePoints(NamedTuple):
    """Costs at which rules are judged, one element per point; the miss costs 1 if one may abstain.

    `abstain_positive` and `abstain_negative` are the prices of abstaining by class. None: it is no option
    anywhere.
    """

    miss: FloatArray
    alarm: FloatArray
    abstain_positive: FloatArray | None = None
    abstain_negative: FloatArray | None = None

    @classmethod
    def of_surface(cls, mu: FloatArray, nu: FloatArray, review: ReviewPrices = PLAIN) -> "PricePoints":
        """Costs of the points (mu, nu) of an abstention surface."""
        return cls(np.ones(mu.shape), mu, *review.by_class(mu, nu))

    @classmethod
    def at(cls, costs: CostModel) -> "PricePoints":
        """Costs of one point, relative to those of a miss."""
        return cls(*(np.asarray(price) for price in (1.0, costs.mu, costs.nu_positive, costs.nu_negative)))

    @classmethod
    def of_cost_curve(cls, pc: FloatArray) -> "PricePoints":
        """Costs of the operating points of a cost curve, for a prevalence of one half."""
        return cls(2 * pc, 2 * (1 - pc))

    @property
    def by_class(self) -> tuple[FloatArray, FloatArray]:
        """Prices of abstaining on a positive and on a negative, finite everywhere.

        An infinite price goes with an empty window: it is never paid.
        """
        if self.abstain_positive is None or self.abstain_negative is None:
            return np.zeros(self.miss.shape), np.zeros(self.miss.shape)
        prices = self.abstain_positive, self.abstain_negative
        positive, negative = (np.where(np.isinf(price), 0.0, price) for price in prices)
        return positive, negative

    def share_cuts(self) -> ShareCuts:
        """Return where the costs cut the shares of positives of any blocks."""
        if self.abstain_positive is None or self.abstain_negative is None:
            return ShareCuts.of_cost_curve(self.miss, self.alarm)
        return ShareCuts.of_surface(self.alarm, self.abstain_positive, self.abstain_negative)


@dataclass(frozen=True, slots=True, eq=False)
class LearnedRule:
    """Cheapest windows of one set of cases, for all costs.

    Position 2 b of a score: inside block b. Position 2 b + 1: exactly on the threshold between
    blocks b and b + 1, where the window calls it positive if it is empty and else follows the
    lower threshold (`decide`).

    Attributes
    ----------
    blocks : Blocks
        Pooled blocks of the cases the rule was learned from.
    shares : array
        Element b is the share of positives in block b under the prevalence.
    lower_cuts, upper_cuts : array
        Element b: the thresholds between blocks b and b + 1.
    """

    blocks: Blocks
    prevalence: float
    shares: FloatArray
    lower_cuts: FloatArray
    upper_cuts: FloatArray

    @classmethod
    def learn(cls, counts: ScoreCounts, prevalence: float | None) -> "LearnedRule":
        """Pool the cases and find the thresholds between the blocks."""
        blocks = counts.blocks()
        lower, upper = (cuts[1:-1] for cuts in cut_points(blocks.lower, blocks.upper))
        if np.isnan(lower).any() or np.isnan(upper).any():
            raise no_threshold()
        return cls.of_blocks(blocks, lower, upper, prevalence)

    @classmethod
    def of_blocks(
        cls, blocks: Blocks, lower_cuts: FloatArray, upper_cuts: FloatArray, prevalence: float | None
    ) -> "LearnedRule":
        """Make the rule for a prevalence; blocks and thresholds do not depend on it."""
        totals = float(blocks.positives.sum()), float(blocks.negatives.sum())
        rate = check_prevalence(prevalence, positives=totals[0], negatives=totals[1])
        weights = [1.0, 1.0]
        if prevalence is not None:
            weights = [w / n if n else 0.0 for w, n in zip((rate, 1 - rate), totals, strict=True)]
        positive = blocks.positives * weights[0]
        mass = positive + blocks.negatives * weights[1]
        shares = np.divide(positive, mass, out=np.zeros_like(mass), where=mass > 0)
        return cls(blocks, rate, shares, lower_cuts, upper_cuts)

    @property
    def n_positions(self) -> int:
        """Number of different positions."""
        return 2 * len(self.lower_cuts) + 1

    def limits(self, cuts: ShareCuts) -> tuple[IntArray, IntArray]:
        """Positions below the first are called negative, from the second on positive."""
        i, j = cuts.blocks(self.shares)
        # b blocks have positions 0 to 2 b - 2: no limit lies beyond 2 b - 1
        return np.maximum(2 * i - (i == j), 0), np.maximum(2 * j - 1, 0)

    def thresholds(self, cuts: ShareCuts) -> tuple[float, float]:
        """Return the thresholds of the cheapest window at one cost point."""
        i, j = (int(cut) for cut in cuts.blocks(self.shares))
        lower, upper = (
            np.concatenate([[-np.inf], ends, [np.inf]]) for ends in (self.lower_cuts, self.upper_cuts)
        )
        return float(lower[i]), float(upper[j])

    def window(self, mu: float, nu_positive: float, nu_negative: float) -> AbstentionWindow:
        """Return the cheapest window at these costs with its shares among the cases it was learned from."""
        blocks, rate = self.blocks, self.prevalence
        totals = float(blocks.positives.sum()), float(blocks.negatives.sum())
        positive, negative = (
            column * (weight / total if total else 0.0)
            for column, weight, total in zip(
                (blocks.positives, blocks.negatives), (rate, 1 - rate), totals, strict=True
            )
        )
        masses = RunningMasses.of_steps(positive, negative, blocks.lower, blocks.upper, blocks.groups)
        i, j = (int(cut) for cut in ShareCuts.of_surface(mu, nu_positive, nu_negative).blocks(self.shares))
        return AbstentionWindow.of_cuts(
            masses, (i, j), mu=mu, nu_positive=nu_positive, nu_negative=nu_negative, prevalence=rate
        )
