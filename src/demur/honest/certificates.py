"""Certificates: bounds for the cost of any window at any costs, for every sample size.

With n independent cases the sub-distributions F(t) = Pr(positive, score <= t) and
T(t) = Pr(negative, score > t) are known to within a margin that holds for all t at once (the
inequality of Dvoretzky, Kiefer, Wolfowitz with Massart's constant). The cost of a window is

    c(l, u) = (1 - nu) F(l) + nu F(u) + (mu - nu) T(u) + nu T(l),

a sum of such values with weights that add up to 1 + mu, so its error is bounded for all
windows and all costs together: also for the window chosen on the same cases.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import check_confidence_level, check_cost_point, check_nonnegative
from demur._results import Interval, Result, as_scalar
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts, as_counts
from demur.honest.cross_fitting import check_repeated_cases
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.surface.window import AbstentionWindow
from demur.typing import ArrayLike, Labels, Scalar

__all__ = ["CertifiedWindow", "SurfaceCertificate", "dkw_margin", "surface_certificate"]


def dkw_margin(n: float, delta: float) -> float:
    """Return eps with Pr(sup |F_n - F| > eps) <= delta (Massart 1990, corollary 1)."""
    return math.sqrt(math.log(2 / delta) / (2 * n))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class CertifiedWindow(Result):
    """The cheapest window with certified upper bounds of what it costs and how often it abstains.

    Attributes
    ----------
    lower, upper : float
        Thresholds, as in `AbstentionWindow`.
    cost, certified_cost : float
        Cost with hindsight, and the bound the true cost stays below with the confidence level,
        in the normal form (a miss costs 1).
    expected_cost, certified_expected_cost : float
        The same in the unit of the `CostModel` passed, if one was.
    abstention_rate, certified_abstention_rate : float
        Share abstained on, and its bound (a statement of its own with the confidence level).
    """

    lower: float
    upper: float
    cost: float
    certified_cost: float
    expected_cost: float
    certified_expected_cost: float
    abstention_rate: float
    certified_abstention_rate: float
    confidence_level: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SurfaceCertificate(Result):
    """Certified bounds of an abstention surface; made by `surface_certificate`.

    Attributes
    ----------
    positive_margin, negative_margin : float
        Two-sided margins of the masses of positives and of negatives: the true surface is
        within ``positive_margin + mu negative_margin`` of the sample's, everywhere.
    upper_positive_margin, upper_negative_margin : float
        The smaller margins of a bound to one side.
    prevalence_known : bool
        Whether the classes are two samples with a given prevalence.
    """

    surface: AbstentionSurface
    positive_margin: float
    negative_margin: float
    upper_positive_margin: float
    upper_negative_margin: float
    prevalence_known: bool
    confidence_level: float
    n: float
    prevalence: float
    _evidence = ("surface",)

    def margin(self, mu: ArrayLike) -> Scalar:
        """Return how far the true surface can be from the sample's, to either side."""
        x = check_nonnegative(mu, "mu")
        return as_scalar(np.asarray(self.positive_margin + x * self.negative_margin))

    def interval(self, mu: ArrayLike, nu: ArrayLike) -> Interval:
        """Return certified lower and upper bounds of the true surface; arrays give arrays.

        True for all costs at once. Cut at 0 and at what no population can exceed: nu, and
        mu / (1 + mu) (or the trivial rules at the given prevalence).
        """
        x, y = check_cost_point(mu, nu)
        cost, margin = np.asarray(self.surface.cost(x, y)), np.asarray(self.margin(x))
        low, high = np.maximum(cost - margin, 0.0), np.minimum(cost + margin, self._ceiling(x, y))
        return Interval(as_scalar(low), as_scalar(high))  # type: ignore[arg-type]

    def upper(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return a certified upper bound of the true cost of the window chosen at (mu, nu).

        To one side, so a little smaller than the upper end of `interval`; true for all costs at once.
        """
        x, y = check_cost_point(mu, nu)
        cost = np.asarray(self.surface.cost(x, y))
        return as_scalar(np.asarray(cost + self.upper_positive_margin + x * self.upper_negative_margin))

    def _ceiling(self, mu: Any, nu: Any) -> Any:
        if self.prevalence_known:
            trivial = np.minimum(self.prevalence, mu * (1 - self.prevalence))
        else:
            trivial = mu / (1 + mu)
        return np.minimum(trivial, nu)

    def window(
        self, mu: float | None = None, nu: float | None = None, *, costs: CostModel | None = None
    ) -> CertifiedWindow:
        """Return the cheapest window with certified bounds of its cost and its abstention rate."""
        return self.of_window(self.surface.window(mu, nu, costs=costs), costs=costs)

    def of_window(self, found: AbstentionWindow, *, costs: CostModel | None = None) -> CertifiedWindow:
        """Return the bounds for any window of these cases, such as one found under constraints.

        Its costs are those it was made for; `costs`, if it was made with them, adds their unit.
        """
        nu_p, nu_n = found.nu_positive, found.nu_negative
        if found.is_empty:
            nu_p = nu_n = 0.0
        # weights of F(l), F(u) and of T(u), T(l); a negative one needs the margin to the other side
        weights = np.array([[1 - nu_p, nu_p], [found.mu - nu_n, nu_n]])
        if np.all(weights >= 0):
            margins = self.upper_positive_margin, self.upper_negative_margin
        else:
            margins = self.positive_margin, self.negative_margin
        certified = found.cost + float(np.abs(weights).sum(axis=1) @ margins)
        expected = certified
        if costs is not None:
            expected = float(costs.expected_cost(certified, self.prevalence))
            if not self.prevalence_known:
                # right answers cost something too, and their number is estimated
                expected += abs(costs.cost_tp) * margins[0] + abs(costs.cost_tn) * margins[1]
        spread = 2 * self.positive_margin + (2 * self.negative_margin if self.prevalence_known else 0.0)
        return CertifiedWindow(
            lower=found.lower,
            upper=found.upper,
            cost=found.cost,
            certified_cost=certified,
            expected_cost=found.expected_cost,
            certified_expected_cost=expected,
            abstention_rate=found.abstention_rate,
            certified_abstention_rate=min(found.abstention_rate + spread, 1.0),
            confidence_level=self.confidence_level,
        )

    def __repr__(self) -> str:
        what = f"n={self.n:g}, confidence_level={self.confidence_level:g}"
        return f"SurfaceCertificate({what}, margin at mu=1: {self.margin(1.0):.4g})"


def surface_certificate(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
) -> SurfaceCertificate:
    """Bounds of the true abstention surface that hold for every sample size, window and cost.

    No approximation, no tuning, no folds: with the confidence level the true cost of every
    window at every cost is within the margin of its value on these cases, so also that of the
    window they chose. Wider than `surface_band`, which relies on large samples. Assumes
    independent cases from the population of use, and nothing else.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in `abstention_surface`.
    sample_weight : array of n whole numbers >= 0, optional
        Number of times each case was seen.
    prevalence : float, optional
        P(positive) in use, known without error; the classes then count as two separate samples.
    confidence_level : float, default 0.95

    Returns
    -------
    SurfaceCertificate
        With `interval`, `upper`, `margin`, `window`.

    Raises
    ------
    InputError
        For ill-formed input or weights that are not whole numbers.

    Notes
    -----
    |c_n - c| <= (1 + mu) eps for all windows, mu >= 0 and 0 <= nu <= min(1, mu) at once, with
    eps = sqrt(ln(4 / delta) / (2 n)), delta = 1 - confidence_level: two inequalities, each with
    delta / 2. Above min(1, mu) the cheapest windows are empty and obey the same bound. To one
    side ln(2 / delta). With a known prevalence pi: pi eps_P + mu (1 - pi) eps_N.

    References
    ----------
    Massart (1990), Annals of Probability 18, doi:10.1214/aop/1176990746.

    Examples
    --------
    Errors cost 100, a review 25. Whatever the population, the chosen window costs at most 15.2
    per case, less than reviewing everything:

    >>> from demur import Binormal, CostModel, surface_certificate
    >>> y, s = Binormal(separation=2.0).sample(5000, rng=0)
    >>> costs = CostModel(cost_fn=100, cost_fp=100, cost_abstain=25)
    >>> found = surface_certificate(y, s).window(costs=costs)
    >>> round(found.expected_cost, 1), round(found.certified_expected_cost, 1)
    (11.4, 15.2)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    check_repeated_cases(counts, "a certificate")
    delta = 1 - check_confidence_level(confidence_level)
    surface = abstention_surface(counts, prevalence=prevalence)
    rate, known = surface.prevalence, prevalence is not None
    if known:
        shares = (rate, counts.n_positive), (1 - rate, counts.n_negative)
    else:
        shares = (1.0, counts.n), (1.0, counts.n)
    # a class of prevalence 0 may have no case; it needs no margin
    both = [share * dkw_margin(n, delta / 2) if share else 0.0 for share, n in shares]
    above = [share * dkw_margin(n, delta) if share else 0.0 for share, n in shares]
    return SurfaceCertificate(
        surface=surface,
        positive_margin=both[0],
        negative_margin=both[1],
        upper_positive_margin=above[0],
        upper_negative_margin=above[1],
        prevalence_known=known,
        confidence_level=1 - delta,
        n=counts.n,
        prevalence=rate,
    )
