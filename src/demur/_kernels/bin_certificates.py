"""How much the unknown order inside bins of scores can change a cost surface, over all costs.

Cutting at one threshold, with cost s of a false alarm and 1 - s of a miss, costs at least

    H(s) = sum over blocks b of min((1 - s) P_b, s N_b),

and a window costs H(nu) + mu H(1 - nu / mu) where abstaining pays, (1 + mu) H(mu / (1 + mu))
elsewhere: its two thresholds are chosen apart (Friedel et al. 2006, section 3). So
the gap between two surfaces follows from one function of one variable, the gap of their H.
"""

import numpy as np

from demur.typing import BoolArray, FloatArray, IntArray

__all__ = ["bin_gaps", "largest_surface_gap", "threshold_costs"]

Masses = tuple[FloatArray, FloatArray]
"""Masses of the positives and of the negatives in each block, ascending in share."""


def threshold_costs(masses: Masses, s: FloatArray) -> FloatArray:
    """Return H(s): the smallest cost of one threshold at every false-alarm cost `s` in [0, 1]."""
    positive, negative = masses
    below = np.concatenate([[0.0], np.cumsum(positive)])
    above = np.concatenate([np.cumsum(negative[::-1])[::-1], [0.0]])
    cut = np.searchsorted(_shares(masses), s)
    return np.asarray((1 - s) * below[cut] + s * above[cut])


def _shares(masses: Masses) -> FloatArray:
    total = masses[0] + masses[1]
    # a class of prior 0 leaves blocks without mass; they take part in nothing
    return np.divide(masses[0], total, out=np.zeros_like(total), where=total > 0)


def largest_surface_gap(pooled: Masses, split: Masses) -> float:
    """Return the largest gap of two surfaces over all costs whose more expensive error costs 1.

    With x = nu and y = 1 - nu / mu the gap is d(x) + x d(y) / (1 - y) for x <= y, where d is the
    gap of H; outside, abstaining does not pay and the gap is that of x = y. Both surfaces are
    piecewise linear in (mu, nu), with cells bounded by the lines nu = r and nu = mu (1 - r), r
    the shares of either's blocks, so the gap is largest at a corner: x and y are shares, or
    mu = 1, where y = 1 - x. Over mu <= 1 that is x <= y <= 1 - x: nested ranges of y, whose
    largest d(y) / (1 - y) are running maxima. Costs with mu > 1 are those of the same data
    with the classes exchanged, which mirrors s to 1 - s.
    """
    shares = np.concatenate([_shares(pooled), _shares(split)])
    shares = shares[(shares > 0) & (shares < 1)]
    if not shares.size:
        return 0.0
    low = np.unique(np.minimum(shares, 1 - shares))
    low = np.append(low[low < 0.5], 0.5)
    s = np.concatenate([low, 1 - low[-2::-1]])
    gap = np.maximum(threshold_costs(pooled, s) - threshold_costs(split, s), 0.0)
    return max(_largest_below_one(low, gap), _largest_below_one(low, gap[::-1]))


def _largest_below_one(low: FloatArray, gap: FloatArray) -> float:
    """Largest gap over mu <= 1; `gap` is given at `low`, which ends with 1/2, and its mirror image."""
    half = len(low)
    forward, mirrored = gap[:half], gap[::-1][:half]
    rates = np.maximum(forward / (1 - low), mirrored / low)
    best = np.maximum.accumulate(rates[::-1])[::-1]
    return float((forward + low * best).max())


def bin_gaps(bins: Masses, blocks: IntArray, open_bins: BoolArray) -> FloatArray:
    """Return the most that each bin's unknown order can lower H, over all costs.

    `blocks` holds the number of bins of each pooled block. A cut inside bin b, with its
    negatives below and its positives above, costs c_b(s) = (1 - s) P(below b) + s N(above b).
    H(s) - c_b(s) is concave, and its slope changes sign where H bends at the share r of the
    block of b, as c_b falls no faster than H before this block and no slower than after it.
    There cutting before the block is optimal, so the largest gap is
    r N(start of the block .. b) - (1 - r) P(start of the block .. before b).
    """
    starts = np.concatenate([[0], np.cumsum(blocks)])[:-1]
    below = [np.concatenate([[0.0], np.cumsum(column)]) for column in bins]
    ends = starts + blocks
    inside = below[0][ends] - below[0][starts], below[1][ends] - below[1][starts]
    r = np.repeat(_shares(inside), blocks)
    first = np.repeat(starts, blocks)
    gap = r * (below[1][1:] - below[1][first]) - (1 - r) * (below[0][:-1] - below[0][first])
    return np.where(open_bins, np.maximum(gap, 0.0), 0.0)
