"""`BinnedCounts`: positives and negatives per bin of scores, with what bounds the exact answer.

Where distinct scores are too many to be counted apart, neighbouring ones share a bin and their
order inside is not known. No order costs more than the bins taken as ties, and none costs less
than each bin split in its best order, negatives below positives: the surface of the true scores
lies between these two, for every cost.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np

from demur._checks import check_nonnegative, check_same_length, check_scores, check_type, input_error
from demur._files.parquet import write_columns
from demur._kernels.bin_certificates import Masses, bin_gaps, largest_surface_gap
from demur._kernels.sweep import Sample, ascending_order, ordered_sums
from demur._results import json_safe, read_only
from demur.counts.scores import COUNTED, SCHEMA, Blocks, ScoreCounts, reads_version
from demur.exceptions import InputError
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray

__all__ = ["BinnedCounts", "bins_to_refine", "certified_gap", "check_ranges", "united_ranges"]

# A demur that knows only version 1 must refuse bins: read as exact scores they would give wrong bounds.
_BINNED_VERSION = 2
_ADDS_UP = 1e-9  # relative; sums of weights differ by the order of adding


class BinnedCounts(ScoreCounts):
    """Weighted positives and negatives per bin of neighbouring scores.

    A `ScoreCounts` whose bins act as ties, so that every function of demur takes it: costs are
    then at most `certified` too high at any costs, and thresholds lie between bins. Bins that
    hold one score only (``lower == upper``) are exact. Functions of the value of a score, not
    of its rank, read a bin at its smallest score.

    Build one with `from_bins`. Objects are immutable.

    Attributes
    ----------
    scores, upper_scores : array
        Element b is the smallest (largest) score in bin b, or the smallest (largest) number that falls
        into it; ranges ascend and do not touch.
    positives, negatives : array
        Element b is the weight of that class in bin b.
    exact : bool
        Whether every bin holds one score.
    certified : float
        Largest amount by which the cost surface of these counts can lie above that of the
        scores themselves, whatever mu and nu, in units of the more expensive of the two errors.
    n_bins : int
        Number of bins that may hold more than one score.

    Examples
    --------
    >>> from demur.counts import BinnedCounts
    >>> counts = BinnedCounts.from_bins([0.0, 0.3, 0.6], [0.2, 0.5, 0.6], [0, 2, 7], [6, 1, 0])
    >>> counts
    BinnedCounts(n=16, prevalence=0.5625, bins=3, of several scores=2, certified to 0.0625)
    """

    __slots__ = ("_upper",)

    def __init__(
        self,
        *,
        _positive: Sample,
        _negative: Sample,
        _rows: str = COUNTED,
        _upper: FloatArray | None = None,
    ) -> None:
        super().__init__(_positive=_positive, _negative=_negative, _rows=_rows)
        # from_arrays and from_counts count distinct scores: bins of one score each
        self._upper = _upper

    @classmethod
    def from_bins(
        cls, lower: ArrayLike, upper: ArrayLike, positives: ArrayLike, negatives: ArrayLike
    ) -> BinnedCounts:
        """Take counts per bin; bin b covers the scores from ``lower[b]`` to ``upper[b]``.

        Bins must be ascending and disjoint. Bins without weight are dropped.
        """
        low, high = check_scores(lower, "lower"), check_scores(upper, "upper")
        pos = np.atleast_1d(check_nonnegative(positives, "positives"))
        neg = np.atleast_1d(check_nonnegative(negatives, "negatives"))
        check_same_length(lower=low, upper=high, positives=pos, negatives=neg)
        kept = pos + neg > 0
        total = float(pos.sum() + neg.sum())
        if not 0 < total < np.inf:
            raise input_error("positives and negatives", "must have a positive, finite sum", total)
        low, high, pos, neg = low[kept], high[kept], pos[kept], neg[kept]
        check_ranges(low, high)
        return cls(_positive=_sample(low, pos), _negative=_sample(low, neg), _upper=high)

    # ---------------------------------------------------------------- attributes

    @property
    def upper_scores(self) -> FloatArray:
        """Largest score of each bin."""
        return self.scores if self._upper is None else read_only(self._upper)

    @property
    def _open(self) -> BoolArray:
        """Bins that hold several scores, of both classes: the only ones whose order matters."""
        several = self.scores < self.upper_scores
        return several & (self.positives > 0) & (self.negatives > 0)

    @property
    def exact(self) -> bool:
        """Whether every bin holds one score."""
        return self.n_bins == 0

    @cached_property
    def n_bins(self) -> int:
        """Number of bins of more than one score."""
        return int(np.count_nonzero(self.scores < self.upper_scores))

    def ended_below(self, score: float, *, through: bool) -> tuple[float, float]:
        """Weight of each class in the bins that end below a score; `through` counts that score, too."""
        at = int(np.searchsorted(self.upper_scores, score, side="right" if through else "left"))
        return float(self.positives[:at].sum()), float(self.negatives[:at].sum())

    def beside(self, score: float, *, through: bool) -> tuple[float, float]:
        """Largest score of the bins that begin below one (`through`: or at it), smallest of the others."""
        at = int(np.searchsorted(self.scores, score, side="right" if through else "left"))
        below = self.upper_scores[at - 1] if at > 0 else -np.inf
        return float(below), float(self.scores[at] if at < len(self.scores) else np.inf)

    def blocks(self) -> Blocks:
        """Return the pooled blocks with the true ranges of their scores."""
        blocks = super().blocks()
        return blocks._replace(upper=read_only(self.upper_scores[np.cumsum(blocks.groups) - 1]))

    # ---------------------------------------------------------------- bounds

    @cached_property
    def split(self) -> ScoreCounts:
        """Every bin in its best order, negatives below positives: no truth is cheaper."""
        at = np.where(self._open, self.upper_scores, self.scores)
        return ScoreCounts(
            _positive=_sample(at, self.positives), _negative=_sample(self.scores, self.negatives)
        )

    @cached_property
    def reversed_split(self) -> ScoreCounts:
        """Every bin in its worst order, positives below negatives: no truth has a smaller AUC."""
        at = np.where(self._open, self.upper_scores, self.scores)
        return ScoreCounts(
            _positive=_sample(self.scores, self.positives), _negative=_sample(at, self.negatives)
        )

    @cached_property
    def certified(self) -> float:
        """Largest error of a surface of these counts over all costs, at the sample's prevalence."""
        return certified_gap(self, self.class_weights())

    # ---------------------------------------------------------------- change

    def refined(
        self,
        indices: ArrayLike,
        scores: ArrayLike,
        positives: ArrayLike,
        negatives: ArrayLike,
        *,
        upper: ArrayLike | None = None,
    ) -> ScoreCounts:
        """Return the counts with the bins `indices` replaced by the exact scores of a second pass.

        `scores` are the distinct scores in these bins, in any order, with the weight of each
        class; where they are still too many, finer bins from `scores` to `upper`. They must
        add up to the bins replaced. Exact counts come back as a `ScoreCounts`.
        """
        chosen = _check_indices(indices, len(self.scores))
        low = check_scores(scores, "scores")
        high = low if upper is None else check_scores(upper, "upper")
        pos = np.atleast_1d(check_nonnegative(positives, "positives"))
        neg = np.atleast_1d(check_nonnegative(negatives, "negatives"))
        check_same_length(scores=low, upper=high, positives=pos, negatives=neg)
        self._check_parts(chosen, low, high, pos, neg)
        keep = np.ones(len(self.scores), dtype=np.bool_)
        keep[chosen] = False
        own = self.scores, self.upper_scores, self.positives, self.negatives
        columns = [
            np.concatenate([old[keep], new]) for old, new in zip(own, (low, high, pos, neg), strict=True)
        ]
        order = ascending_order(columns[0])
        return _exact_if_possible(BinnedCounts.from_bins(*(column[order] for column in columns)))

    def _check_parts(
        self, chosen: IntArray, low: FloatArray, high: FloatArray, pos: FloatArray, neg: FloatArray
    ) -> None:
        """Refuse parts outside the chosen bins or that do not add up to them."""
        at = np.searchsorted(self.scores, low, side="right") - 1
        outside = ~np.isin(at, chosen) | (high > self.upper_scores[at])
        if np.any(outside):
            bad = float(low[outside][0])
            raise input_error("scores", "must lie in the bins to be replaced", bad)
        for name, new, old in (("positives", pos, self.positives), ("negatives", neg, self.negatives)):
            total = np.bincount(at, new, len(self.scores))[chosen]
            wrong = np.abs(total - old[chosen]) > _ADDS_UP * old[chosen]
            if np.any(wrong):
                bin_ = int(chosen[wrong][0])
                got = f"{total[wrong][0]:g} instead of {old[bin_]:g} in bin {bin_}"
                hint = "count the same data twice, with the same rows left out."
                raise input_error(name, "must add up to the bins they replace", got, hint)

    def _union(self, parts: list[ScoreCounts]) -> ScoreCounts:
        """Add up bins; those that overlap become one, which is what the same bins of two days do."""
        if all(part.exact for part in parts):
            return super()._union(parts)
        names = ("scores", "upper_scores", "positives", "negatives")
        low, high, pos, neg = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
        source = np.repeat(np.arange(len(parts)), [len(part.scores) for part in parts])
        lower, upper, at = united_ranges(low, high, source)
        sums = [ordered_sums(at, column, len(lower)) for column in (pos, neg)]
        return BinnedCounts.from_bins(lower, upper, *sums)

    def save(self, path: str | Path, *, model: str | None = None) -> None:
        """Write the counts to a Parquet file: a row per bin, whole or not at all."""
        if self.exact:
            super().save(path, model=model)
            return
        columns = {
            "lower": self.scores,
            "upper": self.upper_scores,
            "positives": self.positives,
            "negatives": self.negatives,
        }
        write_columns(path, columns, schema=SCHEMA, version=_BINNED_VERSION, model=model)

    def to_dict(self) -> dict[str, object]:
        """Return the counts per bin as JSON-safe built-in types."""
        names = ("upper_scores", "exact", "certified")
        return {**super().to_dict(), **{name: json_safe(getattr(self, name)) for name in names}}

    def __repr__(self) -> str:
        what = f"n={self.n:g}, prevalence={self.prevalence:.4g}, bins={len(self.scores)}"
        return f"BinnedCounts({what}, of several scores={self.n_bins}, certified to {self.certified:.3g})"


reads_version(_BINNED_VERSION, ("lower", "upper", "positives", "negatives"), BinnedCounts.from_bins)


def certified_gap(counts: BinnedCounts, weights: tuple[float, float]) -> float:
    """Return the largest gap between the surfaces of the bins and of their best order.

    `weights` turn the counts of each class into masses.
    """
    return largest_surface_gap(_masses(counts, weights), _masses(counts.split, weights))


def _masses(counts: ScoreCounts, weights: tuple[float, float]) -> Masses:
    blocks = counts.blocks()
    return blocks.positives * weights[0], blocks.negatives * weights[1]


def bins_to_refine(counts: ScoreCounts, *, tolerance: float) -> IntArray:
    """Bins whose exact scores bring the certificate down to `tolerance`, whatever they show.

    Read the distinct scores of these bins in a second pass and hand them to
    `BinnedCounts.refined`; its `certified` is then at most `tolerance`.

    Parameters
    ----------
    counts : ScoreCounts
        Exact counts need nothing.
    tolerance : float, > 0
        Wanted `certified`.

    Returns
    -------
    array of int
        Indices of bins, ascending; empty if `certified` is small enough already.

    Notes
    -----
    Let H(s) be the smallest cost of one threshold on the bins, c_b(s) that of the best cut
    inside bin b, and g_b the largest H - c_b. Once some bins are known exactly, H can only
    fall and the c_b of the other bins stay, so the gap of H is at most the largest g_b of
    these others; a surface has at most twice that gap where the costlier error costs 1, as its
    window has two thresholds. So all bins with g_b > tolerance / 2 are enough.

    Examples
    --------
    >>> from demur.counts import BinnedCounts, bins_to_refine
    >>> counts = BinnedCounts.from_bins([0.0, 0.3, 0.6], [0.2, 0.5, 0.8], [1, 2, 7], [6, 2, 0])
    >>> bins_to_refine(counts, tolerance=0.1).tolist()
    [1]
    """
    check_type(counts, "counts", ScoreCounts)
    limit = float(check_nonnegative(tolerance, "tolerance"))
    if not isinstance(counts, BinnedCounts) or counts.certified <= limit:
        return np.empty(0, dtype=np.int64)
    weights = counts.class_weights()
    masses = counts.positives * weights[0], counts.negatives * weights[1]
    gaps = bin_gaps(masses, counts.blocks().groups, counts._open)
    return np.flatnonzero(gaps > limit / 2)


def united_ranges(
    low: FloatArray, high: FloatArray, source: IntArray | None = None
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Unite ranges of scores that overlap: the disjoint ranges, and the place of each given one.

    Ranges of one `source` are bins of one part. Two of them in one united range: the parts have
    different bins, and chains of overlaps would swallow the scale. Single scores do no harm.
    """
    order = ascending_order(low)
    first, last = low[order], np.maximum.accumulate(high[order])
    starts = np.flatnonzero(np.append(True, first[1:] > last[:-1]))
    at = np.empty(len(low), dtype=np.int64)
    at[order] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(low))))
    if source is not None:
        several = low < high
        keys = at[several] * (int(source.max()) + 1) + source[several]
        if len(np.unique(keys)) < len(keys):
            raise InputError(
                "`others` must have the same bins, got bins that overlap several of another part. "
                "Hint: count all parts with the same bins, then merge."
            )
    return first[starts], last[np.append(starts[1:], len(low)) - 1], at


def _sample(scores: FloatArray, weights: FloatArray) -> Sample:
    present = weights > 0
    return Sample(scores[present], weights[present])


def _exact_if_possible(counts: BinnedCounts) -> ScoreCounts:
    if not counts.exact:
        return counts
    return ScoreCounts(_positive=counts._positive, _negative=counts._negative, _rows=counts._rows)


def check_ranges(low: FloatArray, high: FloatArray) -> None:
    """Require ascending ranges of scores that do not touch."""
    wrong = np.flatnonzero(low > high)
    if wrong.size:
        at = int(wrong[0])
        raise input_error("lower", "must not exceed upper", f"{low[at]} above {high[at]} in bin {at}")
    touching = np.flatnonzero(high[:-1] >= low[1:])
    if touching.size:
        at = int(touching[0])
        got = f"{high[at]} in bin {at} and {low[at + 1]} in the next"
        raise input_error("lower and upper", "must be ascending bins that do not touch", got)


def _check_indices(indices: ArrayLike, n_bins: int) -> IntArray:
    chosen = np.unique(np.asarray(indices))
    if chosen.size and (chosen.dtype.kind not in "iu" or chosen[0] < 0 or chosen[-1] >= n_bins):
        raise input_error("indices", f"must be whole numbers from 0 to {n_bins - 1}", repr(indices))
    return chosen.astype(np.int64)
