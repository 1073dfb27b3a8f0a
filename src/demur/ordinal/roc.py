"""More than two ordered classes: volume under the ordinal ROC surface and its relatives.

One score, r ordered levels. A case of a higher level should score higher; every measure here is a
share of pairs or of tuples (one case per level) for which that is so."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur import _html
from demur._checks import (
    check_choice,
    check_confidence_level,
    check_levels,
    check_rate,
    check_same_length,
    check_scores,
    check_weights,
    input_error,
)
from demur._kernels.normal import normal_quantile
from demur._kernels.proportions import hoeffding_limits, logit_limits, wald_limits
from demur._kernels.sweep import LevelSweep, Sample
from demur._kernels.tuples import (
    TIES,
    components,
    level_components,
    ordered_share,
    random_share,
    second_moment,
)
from demur._results import Interval, Result
from demur.counts.levels import LevelCounts
from demur.counts.scores import ScoreCounts
from demur.exceptions import InputError, UndefinedError
from demur.roc.curve import RocCurve, roc_curve
from demur.typing import ArrayLike, FloatArray, Labels

__all__ = [
    "INTERVALS",
    "VARIANCES",
    "OrdinalMeasures",
    "OrdinalRoc",
    "OrdinalSurface",
    "OrdinalVertices",
    "bounded_interval",
    "class_covariance",
    "moment_covariance",
    "ordinal_roc",
    "require_two_cases",
    "rounding_of_variance",
]

_MOST_CELLS = 2 * 10**7
VARIANCES = ("components", "unbiased", "bootstrap")
INTERVALS = ("logit", "wald", "hoeffding")

_MOST_PAIRS = 4e9


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class OrdinalVertices(Result):
    """What every pair of thresholds reaches; made by `OrdinalSurface.vertices`.

    Attributes
    ----------
    lower, upper : array
        Thresholds b1 <= b2: level 1 is predicted up to b1, level 3 above b2, level 2 between.
    tpr_low, tpr_middle, tpr_high : array
        Share of each level that is predicted as itself.
    """

    lower: FloatArray
    upper: FloatArray
    tpr_low: FloatArray
    tpr_middle: FloatArray
    tpr_high: FloatArray


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class OrdinalSurface(Result):
    """Best share of the middle level for given shares of the outer ones; made by `OrdinalRoc.surface`.

    A staircase: cell (i, j) spans ``low_edges[i:i + 2]`` by ``high_edges[j:j + 2]``.

    Attributes
    ----------
    levels : tuple
        The three levels from lowest to highest.
    low_edges, high_edges : array
        Shares of the lowest (highest) level that can be reached, from 0 to 1.
    heights : array
        Element (i, j): largest share of the middle level predicted as itself when at least
        ``low_edges[i + 1]`` of the lowest and ``high_edges[j + 1]`` of the highest level are.
    low_thresholds, high_thresholds : array
        Score of the lowest (highest) level at which each step is reached: row i needs b1 at or above
        ``low_thresholds[i]``, column j needs b2 below ``high_thresholds[j]``.
    """

    levels: tuple[Any, ...]
    low_edges: FloatArray
    high_edges: FloatArray
    heights: FloatArray
    low_thresholds: FloatArray
    high_thresholds: FloatArray
    counts: LevelSweep

    _reported = ("volume",)

    @property
    def volume(self) -> float:
        """Volume under the surface: the strict VUS (theorem 2.1)."""
        return float(np.diff(self.low_edges) @ self.heights @ np.diff(self.high_edges))

    def _figure(self) -> str:
        return _html.heat(self.heights, ("share of the middle level", "lowest level", "highest level"))

    def height(self, tpr_low: float, tpr_high: float) -> float:
        """Return the best share of the middle level, given at least these shares of the others."""
        check_rate(tpr_low, "tpr_low")
        check_rate(tpr_high, "tpr_high")
        # groups of scores below the threshold after the steps that an outer level needs for its share
        scores, middle = self.counts.scores, _running_share(self.counts.column(1))
        steps = np.searchsorted(self.low_edges, tpr_low)
        low = np.searchsorted(scores, self.low_thresholds[steps - 1], "right") if steps else 0
        steps = np.searchsorted(self.high_edges, tpr_high)
        high = np.searchsorted(scores, self.high_thresholds[steps - 1]) if steps else len(scores)
        return max(float(middle[high] - middle[low]), 0.0)

    def vertices(self) -> OrdinalVertices:
        """Return the three shares of every pair of thresholds b1 <= b2, -inf or a distinct score.

        G distinct scores make (G + 1)(G + 2) / 2 pairs.
        """
        scores = self.counts.scores
        size = len(scores) + 1
        _refuse_oversized(size * (size + 1) // 2, "vertices")
        first, second = np.triu_indices(size)
        low, middle, high = (_running_share(self.counts.column(code)) for code in range(3))
        thresholds = np.concatenate([[-np.inf], scores])
        return OrdinalVertices(
            lower=thresholds[first],
            upper=thresholds[second],
            tpr_low=low[first],
            tpr_middle=middle[second] - middle[first],
            tpr_high=1 - high[second],
        )

    def __repr__(self) -> str:
        rows, columns = self.heights.shape
        return f"OrdinalSurface(volume={self.volume:.6g}, cells={rows} x {columns})"


def _refuse_oversized(cells: int, what: str) -> None:
    """Raise before memory runs out."""
    if cells > _MOST_CELLS:
        raise InputError(
            f"The ROC surface of these scores has {cells} {what}, more than the {_MOST_CELLS} a figure "
            "can show. Hint: take a sample of the cases, or round the scores."
        )


def _running_share(column: FloatArray) -> FloatArray:
    total = np.concatenate([[0.0], np.cumsum(column)])
    return np.asarray(total / total[-1])


# ---------------------------------------------------------------- measures


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class OrdinalMeasures(Result):
    """All ordinal measures under one rule for ties; made by `OrdinalRoc.measures`.

    Attributes
    ----------
    vus : float
        Share of tuples, one case per level, in the right order. By chance 1 / r!.
    cons : float
        Mean of `cons_aucs`. By chance 1/2, like `ovo` and `pairs`.
    cons_aucs : array
        Element l is the AUC of all levels above l against level l and below.
    ovo : float
        Mean AUC over the pairs of levels.
    pairs : float
        Share of ordered pairs among all pairs of cases of different levels.
    jt_auc : float
        Sum of the AUCs of all pairs of levels.
    auc_matrix : array
        Element (l, k), l < k, is the AUC of level k against level l; NaN elsewhere.
    ties : str
        The rule.
    """

    vus: float
    cons: float
    cons_aucs: FloatArray
    ovo: float
    pairs: float
    jt_auc: float
    auc_matrix: FloatArray
    ties: str


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class OrdinalRoc(Result):
    """Ordinal ROC analysis of one score; made by `ordinal_roc`.

    Attributes
    ----------
    levels : tuple
        The levels from lowest to highest.
    level_counts : array
        Weight of the cases of each level.
    cons, ovo, pairs : float
        As in `OrdinalMeasures`, with the paper's rule that ties earn nothing; `measures` takes
        other rules.
    jonckheere : float
        Jonckheere-Terpstra statistic, the number of ordered pairs with ties one half; see
        `jonckheere_test`.
    """

    levels: tuple[Any, ...]
    level_counts: FloatArray
    counts: LevelCounts

    _reported = ("cons", "ovo", "pairs", "jonckheere")

    @property
    def n(self) -> float:
        """Total weight."""
        return float(self.level_counts.sum())

    def vus(self, ties: str = "product") -> float:
        """Return the volume under the ROC surface: the share of tuples in the right order.

        Parameters
        ----------
        ties : {"product", "strict", "random"}
            Credit of a tuple with ties. "product": 1/2 per pair of tied neighbours; "strict":
            none (the paper); "random": 1/m! per m tied cases, the mean over all ways to break the
            ties. For two levels "product" and "random" give the AUC.
        """
        check_choice(ties, "ties", TIES)
        if ties == "random":
            return random_share(self.counts.sweep, self.level_counts)
        return ordered_share(self.counts.samples, strict=ties == "strict")

    def auc_matrix(self, ties: str = "strict") -> FloatArray:
        """Return the AUC of level k against level l in element (l, k), l < k; NaN elsewhere."""
        return np.where(
            _upper(self.levels), self._won(ties) / np.outer(self.level_counts, self.level_counts), np.nan
        )

    def measures(self, ties: str = "strict") -> OrdinalMeasures:
        """Return all measures under one rule for ties.

        Parameters
        ----------
        ties : {"product", "strict", "random"}
            As in `vus`; in the AUCs "product" and "random" both give a tied pair one half.
        """
        vus, matrix = self.vus(ties), self.auc_matrix(ties)
        aucs = self._cons_aucs(ties)
        each = matrix[_upper(self.levels)]
        return OrdinalMeasures(
            vus=vus,
            cons=float(aucs.mean()),
            cons_aucs=aucs,
            ovo=float(each.mean()),
            pairs=self._pairs(ties),
            jt_auc=float(each.sum()),
            auc_matrix=matrix,
            ties=ties,
        )

    @property
    def cons(self) -> float:
        """Mean AUC of the r - 1 ways to cut the levels in two (eq. 9)."""
        return float(self._cons_aucs("strict").mean())

    @property
    def ovo(self) -> float:
        """Mean AUC over the pairs of levels (eq. 13)."""
        return float(self.auc_matrix()[_upper(self.levels)].mean())

    @property
    def pairs(self) -> float:
        """Share of ordered pairs (eq. 14)."""
        return self._pairs("strict")

    @property
    def jonckheere(self) -> float:
        """Number of ordered pairs, ties one half."""
        return float(self._won("product").sum())

    def _won(self, ties: str) -> FloatArray:
        check_choice(ties, "ties", TIES)
        won, tied = self.counts.pairs
        return won if ties == "strict" else won + tied / 2

    def _pairs(self, ties: str) -> float:
        # eq. 14; eq. 15 as printed lacks the normalisation and gives Ovo / r^2 for equal sizes
        possible = np.triu(np.outer(self.level_counts, self.level_counts), 1).sum()
        return float(self._won(ties).sum() / possible)

    def _cons_aucs(self, ties: str) -> FloatArray:
        won, below = self._won(ties), np.cumsum(self.level_counts)[:-1]
        # pairs that straddle the cut after level l: rows up to l, columns from l + 1
        straddling = [won[:cut, cut:].sum() for cut in range(1, len(self.levels))]
        return np.array(straddling) / (below * (self.n - below))

    # ---------------------------------------------------------------- variance and interval

    def components(self, ties: str = "product") -> FloatArray:
        """Return for every case (in input order) the mean credit of the tuples that contain it.

        The mean over the cases of any level is the VUS. Cases of weight 0 are left out.
        """
        check_choice(ties, "ties", TIES)
        return components(self.counts.sweep, self.level_counts, ties)

    def variance(self, method: str = "components", *, ties: str = "product") -> float:
        """Return the variance of the VUS over samples of the same size.

        Parameters
        ----------
        method : {"components", "unbiased", "bootstrap"}
            "components": from the mean credit of every case (DeLong for two levels), O(n log n).
            "unbiased" (may be negative) and "bootstrap" (the limit of infinitely many
            resamples within levels) are exact and take O(n^2) time.
        ties : {"product", "strict", "random"}
            As in `vus`; "random" for "components" only.

        Raises
        ------
        UndefinedError
            If a level has one case ("components", "unbiased").
        """
        check_choice(method, "method", VARIANCES)
        check_choice(ties, "ties", TIES)
        if method == "components":
            require_two_cases(self, method)
            if ties == "random":
                values = self.components(ties)
                return class_covariance(self.counts, values, values)
            levels = self.counts.samples
            spread = level_components(levels, strict=ties == "strict")
            return sum(_covariance(v, v, level) for v, level in zip(spread, levels, strict=True))
        return moment_covariance(self, self, method, ties)

    def interval(
        self,
        confidence_level: float = 0.95,
        *,
        method: str = "logit",
        variance: str = "components",
        ties: str = "product",
    ) -> Interval:
        """Return a confidence interval of the VUS, within [0, 1].

        Parameters
        ----------
        confidence_level : float, default 0.95
        method : {"logit", "wald", "hoeffding"}
            "hoeffding" is wide, but holds for every sample size and every distribution of the
            scores. It is used where the variance is 0 (perfect or reversed order, constant scores).
        variance : {"components", "unbiased", "bootstrap"}
            As in `variance`; ignored by "hoeffding".
        ties : {"product", "strict", "random"}
        """
        check_choice(method, "method", INTERVALS)
        check_choice(variance, "variance", VARIANCES)
        value = self.vus(ties)
        smallest = float(self.level_counts.min())
        needs_variance = method != "hoeffding" and 0 < value < 1
        spread = self.variance(variance, ties=ties) if needs_variance else 0.0
        return bounded_interval(value, spread, smallest, confidence_level, method)

    # ---------------------------------------------------------------- curves and the surface

    def split_curves(self) -> tuple[RocCurve, ...]:
        """Return r - 1 ordinary ROC curves: levels above l as positives against l and below.

        Element l is the curve whose AUC, ties one half, is ``measures("product").cons_aucs[l]``.
        """
        columns = [self.counts.sweep.column(code) for code in range(len(self.levels))]
        below = np.cumsum(columns, axis=0)
        scores = self.counts.sweep.scores
        return tuple(
            roc_curve(ScoreCounts.from_counts(scores, below[-1] - part, part)) for part in below[:-1]
        )

    def surface(self) -> OrdinalSurface:
        """Return the ROC surface of three levels; its volume is ``vus("strict")``.

        Raises
        ------
        UndefinedError
            Unless there are exactly 3 levels.
        """
        if len(self.levels) != 3:
            raise UndefinedError(
                f"The ROC surface is drawn for 3 levels, got {len(self.levels)}. "
                "Hint: vus() and split_curves() are defined for any number."
            )
        sweep = self.counts.sweep
        low, high = sweep.column(0), sweep.column(2)
        rows, columns = np.flatnonzero(low), np.flatnonzero(high)[::-1]
        _refuse_oversized(len(rows) * len(columns), "cells")
        middle = _running_share(sweep.column(1))
        return OrdinalSurface(
            levels=self.levels,
            low_edges=_running_share(low[rows]),
            high_edges=_running_share(high[columns]),
            # middle cases strictly between the low score of the row and the high score of the column
            heights=np.maximum(middle[columns][None, :] - middle[rows + 1][:, None], 0.0),
            low_thresholds=sweep.scores[rows],
            high_thresholds=sweep.scores[columns],
            counts=sweep,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the measures as JSON-safe built-in types; `vus` under every rule for ties."""
        # not super(): a dataclass with slots is a copy of the class it was written as
        return {**Result.to_dict(self), "vus": {ties: self.vus(ties) for ties in TIES}}

    def __repr__(self) -> str:
        return f"OrdinalRoc(levels={len(self.levels)}, n={self.n:g}, vus={self.vus():.6g})"


def _upper(levels: tuple[Any, ...]) -> Any:
    return np.triu(np.ones((len(levels), len(levels)), dtype=np.bool_), 1)


def require_two_cases(roc: OrdinalRoc, method: str) -> None:
    """Raise unless every level has two cases, which a sample variance needs."""
    smallest = int(np.argmin(roc.level_counts))
    count = float(roc.level_counts[smallest])
    if count <= 1:
        raise UndefinedError(
            f"The variance by method {method!r} needs at least 2 cases of every level, got {count:g} "
            f"of level {roc.levels[smallest]!r}. Hint: 'bootstrap' is defined from 1 case on."
        )


def class_covariance(counts: LevelCounts, first: FloatArray, second: FloatArray) -> float:
    """Sum over the levels of the sample covariance of two columns of components over n_k.

    Columns in input order.
    """
    total = 0.0
    for code in range(len(counts.sizes)):
        members = np.flatnonzero(counts.codes == code)
        weights = None if counts.weights is None else counts.weights[members]
        total += _covariance(first[members], second[members], Sample(counts.scores[members], weights))
    return total


def _covariance(a: FloatArray, b: FloatArray, level: Sample) -> float:
    """Sample covariance over one level, divided by its size; weights are frequencies."""
    size = level.total()
    product = (a - level.mean(a)) * (b - level.mean(b))
    return level.mean(product) / (size - 1)


def moment_covariance(first: OrdinalRoc, second: OrdinalRoc, method: str, ties: str) -> float:
    """Exact bootstrap or unbiased covariance of the VUS of two scorings of the same cases."""
    if ties == "random":
        raise input_error(
            "ties", f"must be 'product' or 'strict' for method {method!r}", "'random'", "use 'components'."
        )
    if method == "unbiased":
        require_two_cases(first, method)
    sizes = first.level_counts
    if sizes.min() < 1:
        raise UndefinedError(
            f"The {method} variance draws whole cases, got a level with a total weight of {sizes.min():g}. "
            "Hint: weights are numbers of repeated rows."
        )
    cells = float(sizes[:-1] @ sizes[1:])
    if cells > _MOST_PAIRS:
        raise InputError(
            f"`method` {method!r} visits all pairs of cases of neighbouring levels, got {cells:.2g} of "
            f"them (at most {_MOST_PAIRS:.0g}). Hint: method='components' takes any number."
        )
    product = first.vus(ties) * second.vus(ties)
    unbiased = method == "unbiased"
    moment = second_moment(
        first.counts.sweep, second.counts.sweep, sizes, unbiased=unbiased, strict=ties == "strict"
    )
    return product - moment if unbiased else moment - product


def rounding_of_variance(value: float) -> float:
    """Largest remainder of a variance of a mean credit that is 0 in exact arithmetic."""
    return 8 * math.ulp(1.0) * value**2


def bounded_interval(
    value: float, variance: float, smallest: float, confidence_level: float, method: str
) -> Interval:
    """Interval of a mean credit; Hoeffding's where the variance is 0."""
    level = check_confidence_level(confidence_level)
    if method == "hoeffding" or variance <= rounding_of_variance(value):
        return Interval(*hoeffding_limits(value, max(math.floor(smallest), 1), level))
    z = normal_quantile(level)
    return Interval(*(wald_limits if method == "wald" else logit_limits)(value, variance, z))


def ordinal_roc(
    y_true: Labels,
    y_score: ArrayLike,
    *,
    order: Any = None,
    sample_weight: ArrayLike | None = None,
) -> OrdinalRoc:
    """ROC analysis of one score for ordered classes; the higher every measure, the better.

    Looks at ranks only: any increasing rescaling of the scores gives the same numbers. Assumes
    that the order of the levels is known; for classes without order see `hand_till_auc`. VUS asks
    for whole tuples in order and falls quickly with the number of levels (by chance 1 / r!), so
    compare it only between models with the same levels.

    Parameters
    ----------
    y_true : array of n labels
        At least two levels; numbers are ordered by value, an ordered categorical by its
        categories.
    y_score : array of n numbers
        Higher means a higher level; infinities are fine, NaN is not.
    order : list of labels, optional
        The levels from lowest to highest; required for strings. Every level must have cases.
    sample_weight : array of n numbers >= 0, optional
        Weight 2 means the same as a repeated row.

    Returns
    -------
    OrdinalRoc
        With ``vus(ties)``, ``cons``, ``ovo``, ``pairs``, ``measures(ties)``, ``variance(method)``,
        ``interval()``, ``split_curves()`` and, for three levels, ``surface()``.

    Raises
    ------
    InputError
        For NaN scores, a level without cases, fewer than two levels, or strings without `order`.

    Notes
    -----
    VUS is the share of tuples, one case per level, with f(x_1) < ... < f(x_r) (eqs. 7 and 8). It is
    computed level by level over the sorted scores, O(n log n + n r); the paper's remark that the
    cost grows exponentially with r does not hold. ``cons``, ``ovo`` and ``pairs`` (eqs. 9, 13, 14)
    average AUCs and give ties no credit, like the paper; all equal the AUC for r = 2. Eq. 15
    claims Pairs = 2 / (r (r - 1)) sum pi_l pi_k AUC_lk; right is
    sum pi_l pi_k AUC_lk / sum pi_l pi_k over l < k.

    References
    ----------
    Waegeman, De Baets and Boullart (2006), ROC analysis in ordinal regression learning, ROCML
    workshop at ICML; extended in Pattern Recognition Letters 29 (2008),
    doi:10.1016/j.patrec.2007.07.019.
    Nakas and Yiannoutsos (2004), Statistics in Medicine 23, doi:10.1002/sim.1917.

    Examples
    --------
    Does the score tell mild from severe, or only the healthy from the rest?

    >>> from demur import ordinal_roc
    >>> stage = ["healthy"] * 3 + ["mild"] * 3 + ["severe"] * 3
    >>> score = [1, 2, 3, 5, 7, 8, 4, 6, 9]
    >>> roc = ordinal_roc(stage, score, order=["healthy", "mild", "severe"])
    >>> [round(float(auc), 2) for auc in roc.auc_matrix()[[0, 1], [1, 2]]]
    [1.0, 0.44]
    >>> round(roc.vus(), 2), round(roc.ovo, 2)
    (0.44, 0.81)
    """
    codes, levels = check_levels(y_true, order)
    scores = check_scores(y_score)
    weights = check_weights(sample_weight)
    check_same_length(y_true=codes, y_score=scores, sample_weight=weights)
    if weights is not None and not weights.all():
        kept = weights > 0
        codes, scores, weights = codes[kept], scores[kept], weights[kept]
        has_cases = np.bincount(codes, minlength=len(levels)) > 0
        if not has_cases.all():
            empty = levels[int(np.argmin(has_cases))]
            raise input_error("sample_weight", f"must give level {empty!r} a positive weight", "all 0")
    counts = LevelCounts(codes, scores, weights, len(levels))
    return OrdinalRoc(levels=tuple(levels), level_counts=counts.sizes, counts=counts)
