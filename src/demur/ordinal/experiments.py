"""Do ordinal measures agree? Simulations of Waegeman et al. (figures 4-7) and exact normal truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur import _html
from demur._checks import (
    check_choice,
    check_finite,
    check_members,
    check_nonnegative,
    check_positive_int,
    check_rng,
    check_same_length,
    input_error,
)
from demur._results import Result
from demur.ordinal.roc import OrdinalRoc, ordinal_roc
from demur.typing import ArrayLike, FloatArray, IntArray

__all__ = [
    "MEASURES",
    "NormalPopulation",
    "OrderAgreement",
    "RankingExperiment",
    "SeparabilityExperiment",
    "normal_population",
    "order_agreement",
    "ranking_experiment",
    "separability_experiment",
]

MEASURES = ("vus", "cons", "ovo", "pairs")

_NODES = 16
_REACH = 9.0  # standard deviations: what lies beyond weighs less than 1e-18
_DECIMALS = 12  # measures that are equal in exact arithmetic agree to so many
_FARTHEST = 1e6  # in standard deviations; 40 already separate all cases of any sample


# ---------------------------------------------------------------- exact truth for normal levels


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class NormalPopulation(Result):
    """Ordinal measures of normal scores without sampling; made by `normal_population`.

    Attributes
    ----------
    vus, cons, ovo : float
        As in `OrdinalMeasures`, for levels of equal size, where Pairs is Ovo.
    auc_matrix : array
        Element (l, k), l < k, is the AUC of level k against level l; NaN elsewhere.
    means, sds : array
        Means and standard deviations of the levels.
    """

    vus: float
    cons: float
    ovo: float
    auc_matrix: FloatArray
    means: FloatArray
    sds: FloatArray


def normal_population(means: ArrayLike, *, sds: ArrayLike = 1.0) -> NormalPopulation:
    """Ordinal measures of a score that is normal in every level; no simulation.

    The truth that simulated measures scatter around. Levels count equally.

    Parameters
    ----------
    means : array of r numbers
        Mean score of each level, lowest level first.
    sds : number or array of r numbers > 0
        Standard deviations.

    Returns
    -------
    NormalPopulation

    Raises
    ------
    InputError
        For fewer than two levels or a standard deviation that is not positive.

    Notes
    -----
    AUC_lk = Phi((m_k - m_l) / sqrt(s_l^2 + s_k^2)). VUS has no closed form beyond r = 2; it is the
    iterated integral v_k(x) = integral up to x of the density of level k times v_{k-1}, taken by
    Gauss-Legendre panels no wider than half a standard deviation, to about 1e-14.

    References
    ----------
    Waegeman, De Baets and Boullart (2006), ROCML workshop at ICML, section 4.

    Examples
    --------
    How far apart must five grades be for the VUS of a perfect grader to exceed 0.9?

    >>> from demur.ordinal import normal_population
    >>> [round(normal_population([d * k for k in range(5)]).vus, 3) for d in (1, 2, 3)]
    [0.252, 0.705, 0.933]
    """
    from scipy.special import ndtr

    centre = check_finite(means, "means")
    if centre.ndim != 1 or len(centre) < 2:
        raise input_error("means", "must hold at least 2 numbers, one per level", repr(means))
    spread = check_nonnegative(sds, "sds")
    if spread.shape not in ((), centre.shape) or not np.all(spread > 0):
        raise input_error("sds", f"must be positive, one number or {len(centre)}", repr(sds))
    spread = np.broadcast_to(spread, centre.shape).copy()
    r = len(centre)
    auc = ndtr((centre - centre[:, None]) / np.hypot(spread, spread[:, None]))
    upper = np.triu(np.ones((r, r), dtype=np.bool_), 1)
    cuts = [auc[:cut, cut:].mean() for cut in range(1, r)]
    return NormalPopulation(
        vus=_normal_vus(centre, spread),
        cons=float(np.mean(cuts)),
        ovo=float(auc[upper].mean()),
        auc_matrix=np.where(upper, auc, np.nan),
        means=centre,
        sds=spread,
    )


def _normal_vus(means: FloatArray, sds: FloatArray) -> float:
    from scipy.special import ndtr

    # panels follow every level closely, whatever the ratio of the standard deviations
    steps = np.linspace(-_REACH, _REACH, int(4 * _REACH) + 1)
    edges = np.unique(means[:, None] + sds[:, None] * steps)
    nodes, weights, partial = _panel_rule()
    half = np.diff(edges) / 2
    x = (edges[:-1] + half)[:, None] + half[:, None] * nodes
    value = ndtr((x - means[0]) / sds[0])
    for mean, sd in zip(means[1:-1], sds[1:-1], strict=True):
        integrand = _density(x, mean, sd) * value * half[:, None]
        before = np.concatenate([[0.0], np.cumsum(integrand @ weights)[:-1]])
        value = before[:, None] + integrand @ partial.T
    return float(((_density(x, means[-1], sds[-1]) * value) @ weights) @ half)


def _density(x: FloatArray, mean: float, sd: float) -> FloatArray:
    return np.asarray(np.exp(-(((x - mean) / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi)))


def _panel_rule() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Gauss-Legendre nodes and weights; row i of the matrix integrates from -1 to node i."""
    from numpy.polynomial import legendre

    nodes, weights = legendre.leggauss(_NODES)
    basis = legendre.legvander(nodes, _NODES)
    degree = np.arange(_NODES)
    # values at the nodes -> Legendre coefficients -> antiderivatives (P_{m+1} - P_{m-1}) / (2m + 1)
    coefficients = (basis[:, :_NODES] * weights[:, None]).T * (2 * degree[:, None] + 1) / 2
    antiderivatives = np.empty((_NODES, _NODES))
    antiderivatives[:, 0] = nodes + 1
    antiderivatives[:, 1:] = (basis[:, 2:] - basis[:, :-2]) / (2 * degree[1:] + 1)
    return nodes, weights, antiderivatives @ coefficients


# ---------------------------------------------------------------- figures 4 to 6


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class SeparabilityExperiment(Result):
    """Measures against the distance between levels; made by `separability_experiment`.

    Attributes
    ----------
    n_levels : array
        Numbers of levels; first axis of the tables.
    distances : array
        Distances between neighbouring levels in standard deviations; second axis.
    vus, cons, ovo, pairs : array
        Means over the runs.
    standard_errors : dict of arrays
        Of those means; zeros for a single run.
    true_vus, true_cons, true_ovo : array
        Without sampling; Pairs is Ovo, because the levels have equal sizes.
    n_per_level, n_runs : int
    """

    n_levels: IntArray
    distances: FloatArray
    vus: FloatArray
    cons: FloatArray
    ovo: FloatArray
    pairs: FloatArray
    standard_errors: dict[str, FloatArray]
    true_vus: FloatArray
    true_cons: FloatArray
    true_ovo: FloatArray
    n_per_level: int
    n_runs: int

    def _figure(self) -> str:
        return _html.curve(self.distances, self.vus[0], ("distance", f"VUS of {self.n_levels[0]} levels"))


def separability_experiment(
    *,
    n_levels: Sequence[int] = (2, 3, 4, 5),
    distances: ArrayLike | None = None,
    n_per_level: int = 100,
    n_runs: int = 5,
    rng: Any = None,
) -> SeparabilityExperiment:
    """Measure simulated normal levels at growing distances (figures 4-6 of Waegeman et al.).

    Shows where the measures agree and where not: VUS falls with the number of levels, Cons exceeds
    Ovo from three levels on, and the two drift apart. The defaults are the paper's, except the
    number of runs (20 there), and take about half a second.

    Parameters
    ----------
    n_levels : list of int >= 2
        The captions say 1 to 5; one level has no pairs.
    distances : array of numbers >= 0, optional
        Scores of level k are normal with mean k d and variance 1. Default 0, 0.25, ..., 5.
    n_per_level, n_runs : int
        Cases per level, and runs to average.
    rng : seed or Generator

    Returns
    -------
    SeparabilityExperiment

    References
    ----------
    Waegeman, De Baets and Boullart (2006), ROCML workshop at ICML, figures 4-6.

    Examples
    --------
    >>> from demur.ordinal import separability_experiment
    >>> experiment = separability_experiment(n_levels=[2, 4], distances=[0, 1], n_runs=2, rng=0)
    >>> experiment.true_vus.round(3).tolist()
    [[0.5, 0.76], [0.042, 0.369]]
    """
    sizes = [check_positive_int(r, "n_levels", minimum=2) for r in check_members(n_levels, "n_levels")]
    steps = np.linspace(0, 5, 21) if distances is None else check_nonnegative(distances, "distances")
    if steps.ndim != 1 or not len(steps):
        raise input_error("distances", "must be a list of numbers", repr(distances))
    if steps.max() > _FARTHEST:
        raise input_error("distances", f"must not exceed {_FARTHEST:g}", float(steps.max()))
    cases = check_positive_int(n_per_level, "n_per_level")
    runs = check_positive_int(n_runs, "n_runs")
    generator = check_rng(rng)
    # one table per measure: a row per number of levels, a column per distance
    means, errors = np.zeros((2, len(MEASURES), len(sizes), len(steps)))
    truth = {f"true_{name}": np.empty((len(sizes), len(steps))) for name in MEASURES[:3]}
    for i, r in enumerate(sizes):
        y = np.repeat(np.arange(1, r + 1), cases)
        for j, d in enumerate(steps):
            scores = generator.normal(size=(runs, len(y))) + d * y
            table = np.array([_measured(ordinal_roc(y, row)) for row in scores]).T.copy()
            means[:, i, j] = table.mean(axis=1)
            if runs > 1:
                errors[:, i, j] = table.std(axis=1, ddof=1) / np.sqrt(runs)
            exact = normal_population(d * np.arange(1, r + 1))
            for name, values in truth.items():
                values[i, j] = getattr(exact, name.removeprefix("true_"))
    return SeparabilityExperiment(
        n_levels=np.array(sizes),
        distances=steps.copy(),
        **dict(zip(MEASURES, means, strict=True)),
        standard_errors=dict(zip(MEASURES, errors, strict=True)),
        **truth,
        n_per_level=cases,
        n_runs=runs,
    )


def _measured(roc: OrdinalRoc) -> tuple[float, ...]:
    """The values of MEASURES under the paper's rule for ties."""
    measures = roc.measures("strict")
    return tuple(getattr(measures, name) for name in MEASURES)


# ---------------------------------------------------------------- figure 7


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class OrderAgreement(Result):
    """How two measures order the same rankings; made by `order_agreement`.

    Attributes
    ----------
    concordant, discordant : float
        Shares of pairs of rankings that both measures order alike, or in opposite ways.
    tied_first, tied_second : float
        Shares of pairs that only the first (second) measure calls equal.
    tied_both : float
        Share of pairs that both call equal.
    """

    concordant: float
    discordant: float
    tied_first: float
    tied_second: float
    tied_both: float

    @property
    def equivalent(self) -> bool:
        """True if both order all pairs alike, equalities included (conditions 16 and 17)."""
        return self.discordant == self.tied_first == self.tied_second == 0


def order_agreement(first: ArrayLike, second: ArrayLike) -> OrderAgreement:
    """Compare the orders that two measures give the same rankings, over all pairs of them.

    Two measures are interchangeable for choosing a model only if nothing is discordant and both
    call the same pairs equal (conditions 16 and 17 of the paper). O(m^2) for m rankings.

    Parameters
    ----------
    first, second : array of m numbers
        Element i is the value of ranking i. Values that differ by less than 1e-12 count as equal.

    Returns
    -------
    OrderAgreement

    References
    ----------
    Waegeman, De Baets and Boullart (2006), ROCML workshop at ICML, eqs. 16 and 17.

    Examples
    --------
    >>> from demur.ordinal import order_agreement
    >>> agreement = order_agreement([0.5, 0.6, 0.7], [0.2, 0.4, 0.3])
    >>> round(agreement.discordant, 2), agreement.equivalent
    (0.33, False)
    """
    a, b = (
        np.atleast_1d(check_finite(values, name)) for values, name in ((first, "first"), (second, "second"))
    )
    check_same_length(first=a, second=b)
    if a.ndim != 1 or b.ndim != 1 or len(a) < 2:
        raise input_error("first", "must hold at least 2 rankings", f"shape {a.shape}")
    # ranks, as the difference of huge numbers overflows
    ranks = [np.unique(_rounded(values), return_inverse=True)[1] for values in (a, b)]
    # rows: first measure equal, higher, lower (index -1); columns: the second
    tally = np.zeros((3, 3), dtype=np.int64)
    for i in range(len(a) - 1):
        np.add.at(tally, tuple(np.sign(rank[i + 1 :] - rank[i]) for rank in ranks), 1)
    pairs = int(tally.sum())
    return OrderAgreement(
        concordant=int(tally[1, 1] + tally[-1, -1]) / pairs,
        discordant=int(tally[1, -1] + tally[-1, 1]) / pairs,
        tied_first=int(tally[0, 1:].sum()) / pairs,
        tied_second=int(tally[1:, 0].sum()) / pairs,
        tied_both=int(tally[0, 0]) / pairs,
    )


def _rounded(values: FloatArray) -> FloatArray:
    """Round what has decimals to lose; larger numbers are whole, and would overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(np.abs(values) < 2**53, np.round(values, _DECIMALS), values)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class RankingExperiment(Result):
    """Measures of random rankings of the same cases; made by `ranking_experiment`.

    Attributes
    ----------
    vus, cons, ovo, pairs : array
        Element i belongs to ranking i.
    level_counts : array
        Cases per level.
    means, sds : dict
        Of each measure over the rankings.
    correlations : array
        Pearson correlations in the order vus, cons, ovo, pairs.
    """

    vus: FloatArray
    cons: FloatArray
    ovo: FloatArray
    pairs: FloatArray
    level_counts: IntArray

    _reported = ("means", "sds", "correlations")

    def _figure(self) -> str:
        return _html.bars(list(self.means.values()), self.means, "means")

    def _table(self) -> FloatArray:
        return np.array([getattr(self, name) for name in MEASURES])

    @property
    def means(self) -> dict[str, float]:
        """Mean of each measure."""
        return dict(zip(MEASURES, self._table().mean(axis=1).tolist(), strict=True))

    @property
    def sds(self) -> dict[str, float]:
        """Standard deviation of each measure."""
        return dict(zip(MEASURES, self._table().std(axis=1, ddof=1).tolist(), strict=True))

    @property
    def correlations(self) -> FloatArray:
        """Pearson correlations of the measures."""
        return np.asarray(np.corrcoef(self._table()))

    def agreement(self, first: str, second: str) -> OrderAgreement:
        """Return how far two of the measures order the rankings alike."""
        check_choice(first, "first", MEASURES)
        check_choice(second, "second", MEASURES)
        return order_agreement(getattr(self, first), getattr(self, second))


def ranking_experiment(
    *, level_counts: Sequence[int] = (50, 50, 50, 50), n_rankings: int = 500, rng: Any = None
) -> RankingExperiment:
    """Measure random rankings (figure 7 of Waegeman et al.): can one measure stand for another?

    Under random rankings VUS and the pairwise measures order about one pair in six differently,
    Cons and Ovo one in fifty. The defaults are the paper's, except the number of rankings (1000
    there), and take less than a second.

    Parameters
    ----------
    level_counts : list of int >= 1
        Cases of each level; with equal numbers Ovo is Pairs.
    n_rankings : int >= 2
    rng : seed or Generator

    Returns
    -------
    RankingExperiment
        With ``means``, ``sds``, ``correlations`` and ``agreement(first, second)``.

    References
    ----------
    Waegeman, De Baets and Boullart (2006), ROCML workshop at ICML, figure 7.

    Examples
    --------
    May Ovo replace VUS when choosing a model?

    >>> from demur.ordinal import ranking_experiment
    >>> rankings = ranking_experiment(n_rankings=200, rng=1)
    >>> rankings.agreement("vus", "ovo").discordant > 0.1, rankings.agreement("ovo", "pairs").equivalent
    (True, True)
    """
    sizes = [check_positive_int(size, "level_counts") for size in check_members(level_counts, "level_counts")]
    if len(sizes) < 2:
        raise input_error("level_counts", "must hold at least 2 levels", sizes)
    runs = check_positive_int(n_rankings, "n_rankings", minimum=2)
    generator = check_rng(rng)
    y = np.repeat(np.arange(len(sizes)), sizes)
    table = np.array([_measured(ordinal_roc(y, generator.permutation(len(y)))) for _ in range(runs)])
    return RankingExperiment(**dict(zip(MEASURES, table.T, strict=True)), level_counts=np.array(sizes))
