"""`ScoreCounts`: weighted positives and negatives per distinct score; the waist of demur.

Everything demur computes from the scores of one model is a function of these counts.
Arrays, files and engines all build a `ScoreCounts`; every curve and surface starts from one.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_both_classes,
    check_labels,
    check_left_out,
    check_nonnegative,
    check_prevalence,
    check_same_length,
    check_scores,
    check_type,
    check_weights,
    input_error,
)
from demur._files.parquet import read_columns, write_columns
from demur._kernels.sweep import (
    Sample,
    Sweep,
    ascending_order,
    ordered_sums,
    sorted_columns,
    sorted_samples,
    sweep,
)
from demur._results import json_safe, read_only
from demur.exceptions import InputError, UndefinedError
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = ["COUNTED", "SCHEMA", "Blocks", "ScoreCounts", "as_counts", "check_class_columns", "united_ranges"]

SCHEMA = "demur.counts"
_EXACT_VERSION, _BINNED_VERSION = 1, 2
# a demur that knows only version 1 must refuse bins: read as exact scores they would give wrong bounds
_FILE_COLUMNS = {
    _EXACT_VERSION: ("score", "positives", "negatives"),
    _BINNED_VERSION: ("lower", "upper", "positives", "negatives"),
}
_LEAST_WEIGHT = 1e-307  # its reciprocal is finite; subnormal numbers have few digits left

# what the weights are made of, which decides how much evidence they are
COUNTED = "cases counted once, or counts per score"
_WEIGHTED = "one weight per case"
_MIXED = "sums of weights of cases that were not kept"


class Blocks(NamedTuple):
    """Pooled groups of adjacent scores (pool adjacent violators), ascending.

    The share of positives is strictly increasing from block to block. Blocks are the edges
    of the ROC convex hull, the pieces of every cost curve and surface, and the only places
    between which an optimal threshold can lie.

    Attributes
    ----------
    positives, negatives
        Element b is the weight of that class in block b.
    lower, upper
        Element b is the smallest (largest) score observed in block b.
    groups
        Element b is the number of distinct scores in block b.
    """

    positives: FloatArray
    negatives: FloatArray
    lower: FloatArray
    upper: FloatArray
    groups: IntArray


class ScoreCounts:
    """Weighted positives and negatives per distinct score.

    The sufficient statistic of all evaluation of one model: the order of the cases, and
    any increasing rescaling of the scores, are irrelevant. Counts of disjoint data add up
    (`merge`), so days, shards and clusters can be counted apart, kept with `save` and
    brought back with `load`.

    Build one with `from_arrays` (one row per case) or `from_counts` (already grouped).
    Objects are immutable.

    Attributes
    ----------
    scores : array
        Distinct scores, ascending.
    positives, negatives : array
        Element g is the weight of that class at ``scores[g]``.
    n : float
        Total weight; the number of cases when there are no weights.
    n_positive, n_negative : float
        Weight of each class.
    prevalence : float
        Share of the positives in the data.

    Examples
    --------
    >>> from demur import ScoreCounts
    >>> counts = ScoreCounts.from_arrays([0, 1, 1, 0], [0.2, 0.2, 0.9, 0.1])
    >>> counts
    ScoreCounts(n=4, prevalence=0.5, distinct scores=3)
    >>> counts.scores.tolist(), counts.positives.tolist(), counts.negatives.tolist()
    ([0.1, 0.2, 0.9], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0])
    """

    __slots__ = ("__dict__", "_negative", "_positive", "_rows")

    def __init__(self, *, _positive: Sample, _negative: Sample, _rows: str = COUNTED) -> None:
        self._positive = _positive
        self._negative = _negative
        self._rows = _rows
        self.n_positive, self.n_negative = _positive.total(), _negative.total()
        self.n = self.n_positive + self.n_negative

    # ---------------------------------------------------------------- construction

    @classmethod
    def from_arrays(
        cls,
        y_true: Labels,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> ScoreCounts:
        """Count one row per case.

        Parameters
        ----------
        y_true : array of n labels
            Two distinct values.
        y_score : array of n numbers
            Higher means more positive; infinities are fine, NaN is not.
        pos_label : label, optional
            The positive label; may be left out for {0, 1}, {-1, 1} and bool.
        sample_weight : array of n numbers >= 0, optional
            Curves and costs of weight 2 are those of a repeated row; cases of weight 0 are
            dropped. How much evidence a weight is, intervals ask apart (``weights=``).

        Raises
        ------
        InputError
            For empty, NaN, ambiguous or ill-fitting input; the message names the argument.
        """
        positive = check_labels(y_true, pos_label)
        scores = check_scores(y_score, single=True)
        weights = check_weights(sample_weight)
        check_same_length(y_true=positive, y_score=scores, sample_weight=weights)
        sample_pos, sample_neg = sorted_samples(positive, scores, weights)
        if weights is not None:
            _check_totals("sample_weight", sample_pos, sample_neg)
        return cls(
            _positive=sample_pos, _negative=sample_neg, _rows=COUNTED if weights is None else _WEIGHTED
        )

    @classmethod
    def from_counts(cls, scores: ArrayLike, positives: ArrayLike, negatives: ArrayLike) -> ScoreCounts:
        """Take counts that are already grouped; equal scores and any order are fine."""
        values = check_scores(scores, "scores")
        samples = sorted_columns(values, *check_class_columns(positives, negatives, scores=values))
        _check_totals("positives and negatives", *samples)
        return cls(_positive=samples[0], _negative=samples[1])

    def merge(self, *others: ScoreCounts) -> ScoreCounts:
        """Return the counts of the union of disjoint data sets.

        The order of the parts changes no bit. Weights that are not whole numbers are rounded once per
        call, so that merging in several steps may differ from one step in the last bits.
        """
        from demur.counts import BinnedCounts

        for other in others:
            check_type(other, "others", ScoreCounts)
        parts = [self, *others]
        low, high, *columns = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("scores", "upper_scores", "positives", "negatives")
        )
        source = np.repeat(np.arange(len(parts)), [len(part.scores) for part in parts])
        # bins that overlap become one, which is what the same bins of two days do
        lower, upper, at = united_ranges(low, high, source)
        sums = [ordered_sums(at, column, len(lower)) for column in columns]
        exact = all(part.exact for part in parts)
        united = (
            ScoreCounts.from_counts(lower, *sums) if exact else BinnedCounts.from_bins(lower, upper, *sums)
        )
        if any(part._rows != COUNTED for part in parts):
            united._rows = _MIXED
        return united

    # ---------------------------------------------------------------- files

    def save(self, path: str | Path, *, model: str | None = None) -> None:
        """Write the counts to a Parquet file: a row per distinct score or bin, whole or not at all.

        `model` is the name the command line shows; without it, that of the file.
        """
        version = _EXACT_VERSION if self.exact else _BINNED_VERSION
        ends = [self.scores] if self.exact else [self.scores, self.upper_scores]
        columns = zip(_FILE_COLUMNS[version], (*ends, self.positives, self.negatives), strict=True)
        write_columns(path, dict(columns), schema=SCHEMA, version=version, model=model)

    @classmethod
    def load(cls, path: str | Path) -> ScoreCounts:
        """Read counts written by `save`; other files and other versions are refused.

        A file of binned counts gives back a `BinnedCounts`.
        """
        from demur.counts import BinnedCounts

        version, columns = read_columns(path, _FILE_COLUMNS, schema=SCHEMA)
        build = ScoreCounts.from_counts if version == _EXACT_VERSION else BinnedCounts.from_bins
        return build(*(columns[name] for name in _FILE_COLUMNS[version]))

    # ---------------------------------------------------------------- the two passes

    @cached_property
    def _blocks_and_pairs(self) -> Sweep:
        if "_groups" in self.__dict__:
            return self._groups
        return sweep(self._positive, self._negative, groups=False)

    @cached_property
    def _groups(self) -> Sweep:
        return sweep(self._positive, self._negative, groups=True)

    # ---------------------------------------------------------------- attributes

    @property
    def scores(self) -> FloatArray:
        """Distinct scores, ascending."""
        return read_only(self._groups.scores)  # type: ignore[arg-type]

    @property
    def positives(self) -> FloatArray:
        """Weight of the positives at each distinct score."""
        return read_only(self._groups.positives)  # type: ignore[arg-type]

    @property
    def negatives(self) -> FloatArray:
        """Weight of the negatives at each distinct score."""
        return read_only(self._groups.negatives)  # type: ignore[arg-type]

    @property
    def upper_scores(self) -> FloatArray:
        """Largest score each element counts: `scores` itself, unless these are bins."""
        return self.scores

    @property
    def exact(self) -> bool:
        """Whether every distinct score is counted apart; False for bins of several scores."""
        return True

    @property
    def unweighted(self) -> bool:
        """Whether these are single cases, none with a weight or a count of its own."""
        return self._positive.weights is None and self._negative.weights is None

    @property
    def certified(self) -> float:
        """Largest error of a surface of these counts over all costs: 0 unless these are bins."""
        return 0.0

    @property
    def prevalence(self) -> float:
        """Share of the positives in the data."""
        return self.n_positive / self.n

    @property
    def score_range(self) -> tuple[float, float]:
        """Smallest and largest score."""
        blocks = self.blocks()
        return float(blocks.lower[0]), float(blocks.upper[-1])

    @property
    def pairs(self) -> tuple[float, float]:
        """Weight of (positive, negative) pairs ranked correctly, and of tied pairs (Mann-Whitney)."""
        swept = self._blocks_and_pairs
        won, tied = np.ldexp([swept.pairs_won, swept.pairs_tied], swept.pairs_exponent)
        return float(won), float(tied)

    @property
    def pair_shares(self) -> tuple[float, float]:
        """The same as shares of all pairs; needs both classes."""
        swept = self._blocks_and_pairs
        half = swept.pairs_exponent // 2
        all_pairs = np.ldexp(self.n_positive, -half) * np.ldexp(self.n_negative, -half)
        # sums of weights in another order may differ in the last bit, and no share is beyond 1
        return min(float(swept.pairs_won / all_pairs), 1.0), min(float(swept.pairs_tied / all_pairs), 1.0)

    def blocks(self) -> Blocks:
        """Return the pooled blocks, ascending in score and in share of positives."""
        swept = self._blocks_and_pairs
        return Blocks(
            positives=read_only(swept.block_positives),
            negatives=read_only(swept.block_negatives),
            lower=read_only(swept.block_lower),
            upper=read_only(swept.block_upper),
            groups=read_only(swept.block_groups),
        )

    def scores_by_class(self) -> tuple[FloatArray, FloatArray]:
        """Scores of the positives and of the negatives, ascending, one per case; of single cases only."""
        if not self.unweighted:
            raise input_error("counts", "must be of single cases to list their scores", "weights or counts")
        return read_only(self._positive.scores), read_only(self._negative.scores)

    def begun_below(self, score: float, *, through: bool) -> tuple[float, float]:
        """Weight of the positives and of the negatives below a score; `through` counts that score, too.

        Of bins that reach across the score, all cases count.
        """
        return self._positive.below(score, through=through), self._negative.below(score, through=through)

    def ended_below(self, score: float, *, through: bool) -> tuple[float, float]:
        """Do the same, but of bins that reach across the score no case counts."""
        return self.begun_below(score, through=through)

    def neighbours(self, score: float, *, through: bool) -> tuple[float, float]:
        """Largest score below one (`through`: or equal), and the smallest of the others; infinite without."""
        below, above = zip(
            self._positive.neighbours(score, through=through),
            self._negative.neighbours(score, through=through),
            strict=True,
        )
        return max(below), min(above)

    def require_repeated_cases(self, quantity: str) -> None:
        """Raise `InputError` if a weight is no whole number of cases; `quantity` ends the sentence."""
        for column in () if self.unweighted else (self.positives, self.negatives):
            broken = column != np.floor(column)
            if broken.any():
                raise input_error(
                    "sample_weight",
                    f"must hold whole numbers (repeated cases) for {quantity}",
                    f"{column[broken][0]:g}",
                    "sampling error is defined for independent cases; a weight of 2 means a case seen twice.",
                )

    def require_both_classes(self, quantity: str) -> None:
        """Raise `UndefinedError` if a class is missing; `quantity` opens the sentence."""
        check_both_classes(self.n_positive, self.n_negative, quantity)

    def weighted_cases(self, quantity: str) -> tuple[Sample, Sample] | None:
        """Return scores and weights of the positive and of the negative cases, if they have any.

        None for cases that were counted, of weight 1 each. `quantity` opens the sentence of the
        `UndefinedError` where only sums of weights are known.
        """
        parts = self._positive, self._negative
        if self._rows == _WEIGHTED:
            return parts
        fractional = any(part.weights is not None and np.any(part.weights % 1) for part in parts)
        if self._rows == _MIXED or fractional:
            raise UndefinedError(
                f"{quantity} with importance weights needs the weight of every case, got a ScoreCounts of "
                "sums of weights. Hint: pass y_true, y_score and sample_weight; or weights='repeats', if a "
                "weight of 2 means two cases."
            )
        return None

    def importance(self, quantity: str) -> tuple[ScoreCounts, ScoreCounts]:
        """Return the counts, and the counts of the squared weights of their cases, on one scale.

        The scale is a power of 2 that brings the largest weight to between 1/2 and 1, so that
        neither sum over- or underflows. `quantity` as in `weighted_cases`.
        """
        cases = self.weighted_cases(quantity)
        if cases is None:
            return self, self
        weights = [np.ones(len(part.scores)) if part.weights is None else part.weights for part in cases]
        heaviest = max(float(w.max(initial=0.0)) for w in weights)
        if all(np.all(w == heaviest) for w in weights):
            plain = _of_samples([Sample(part.scores, None) for part in cases], COUNTED)
            return plain, plain
        exponent = int(np.frexp(heaviest)[1])
        scaled = [np.ldexp(w, -exponent) for w in weights]
        plain, squared = (
            _of_samples(
                [Sample(part.scores, w**power) for part, w in zip(cases, scaled, strict=True)], _WEIGHTED
            )
            for power in (1, 2)
        )
        return plain, squared

    def class_weights(self, prevalence: float | None = None) -> tuple[float, float]:
        """Return the factors that turn counts into masses that sum to 1 under `prevalence`."""
        rate = check_prevalence(prevalence, positives=self.n_positive, negatives=self.n_negative)
        if prevalence is None:
            return 1 / self.n, 1 / self.n
        return (
            rate / self.n_positive if self.n_positive else 0.0,
            (1 - rate) / self.n_negative if self.n_negative else 0.0,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the grouped counts as JSON-safe built-in types."""
        return {
            name: json_safe(getattr(self, name))
            for name in ("n", "prevalence", "scores", "positives", "negatives")
        }

    def __repr__(self) -> str:
        distinct = int(self._blocks_and_pairs.block_groups.sum())
        return f"ScoreCounts(n={self.n:g}, prevalence={self.prevalence:.4g}, distinct scores={distinct})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreCounts):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("scores", "upper_scores", "positives", "negatives")
        )

    __hash__ = None  # type: ignore[assignment]


def check_class_columns(
    positives: ArrayLike, negatives: ArrayLike, **columns: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return weights of both classes, as many as there are in `columns`, with a positive, finite sum."""
    pos = np.atleast_1d(check_nonnegative(positives, "positives"))
    neg = np.atleast_1d(check_nonnegative(negatives, "negatives"))
    check_same_length(**columns, positives=pos, negatives=neg)
    total = float(pos.sum() + neg.sum())
    if not 0 < total < np.inf:
        raise input_error("positives and negatives", "must have a positive, finite sum", total)
    return pos, neg


def united_ranges(
    low: FloatArray, high: FloatArray, source: IntArray | None = None
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Unite ranges of scores that overlap: the disjoint ranges, and the place of each given one.

    Ranges of one `source` are bins of one part. Two different ones in one united range: the parts have
    different bins, and chains of overlaps would swallow the scale. Single scores do no harm.
    """
    order = ascending_order(low)
    first, last = low[order], np.maximum.accumulate(high[order])
    starts = np.flatnonzero(np.append(True, first[1:] > last[:-1]))
    at = np.empty(len(low), dtype=np.int64)
    at[order] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(low))))
    if source is not None:
        bins = np.unique(np.column_stack([at, source, low])[low < high], axis=0)
        if len(np.unique(bins[:, :2], axis=0)) < len(bins):
            raise InputError(
                "`others` must have the same bins, got bins that overlap several of another part. "
                "Hint: count all parts with the same bins, then merge."
            )
    return first[starts], last[np.append(starts[1:], len(low)) - 1], at


def _check_totals(name: str, *samples: Sample) -> None:
    """Refuse weights that are too small to divide by, and have lost their digits."""
    for sample in samples:
        if len(sample.scores) and sample.total() < _LEAST_WEIGHT:
            raise input_error(
                name,
                f"must add up to at least {_LEAST_WEIGHT:g} in each class",
                sample.total(),
                "multiply all weights by a constant, which changes no result.",
            )


def _of_samples(samples: list[Sample], rows: str) -> ScoreCounts:
    return ScoreCounts(_positive=samples[0], _negative=samples[1], _rows=rows)


def as_counts(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    both_classes: str | None = None,
) -> ScoreCounts:
    """Lower the two call forms of every score-based function to a `ScoreCounts`.

    `both_classes` names a quantity that needs cases of both classes, as `ScoreCounts.require_both_classes`.
    """
    if isinstance(y_true, ScoreCounts):
        counts = y_true
        check_left_out("a ScoreCounts", y_score=y_score, pos_label=pos_label, sample_weight=sample_weight)
    elif y_score is None:
        raise InputError("`y_score` is missing. Hint: pass y_true and y_score, or one ScoreCounts.")
    else:
        counts = ScoreCounts.from_arrays(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    if both_classes is not None:
        counts.require_both_classes(both_classes)
    return counts
