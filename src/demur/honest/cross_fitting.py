"""Cross-fitting: the honest cost of windows, measured on cases not used to choose them.

A surface is a minimum over windows, so judged on the cases that chose the windows it is too
small on average: k ("with hindsight") is expected below the population's surface K, which in
turn is at most the expected cost kc ("honest") of windows learned from the other folds. A
bootstrap of k repeats the mistake and covers far less than it promises, so demur has none;
every band and paired test of this subpackage rests on the pair (k, kc).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from demur._checks import (
    check_confidence_level,
    check_cost_point,
    check_range,
    check_threshold_probability,
)
from demur._kernels.integrals import rectangle_scores
from demur._results import Interval, Result, as_scalar, json_safe
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts
from demur.counts.window import AbstentionWindow
from demur.exceptions import InputError
from demur.honest.cases import JudgedModel, SplitCases, judged_model
from demur.honest.certificates import relative_costs
from demur.honest.held_out import HonestRates, JudgedRules
from demur.honest.intervals import honest_interval
from demur.honest.rules import PricePoints
from demur.surface.surface import AbstentionSurface, surface_of
from demur.typing import ArrayLike, Labels, Range, Scalar

__all__ = ["UNIT", "CrossFittedSurface", "cross_fitted_surface", "fitted_surface"]

UNIT: Range = (0.0, 1.0)


# ---------------------------------------------------------------- the public surface


def _prices(mu: ArrayLike, nu: ArrayLike) -> PricePoints:
    x, y = check_cost_point(mu, nu)
    return PricePoints.of_surface(x, y)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class CrossFittedSurface(Result):
    """Honest cost of the windows a user would choose, beside the cost with hindsight.

    Made by `cross_fitted_surface`. Holds one small table per fold and answers for any costs,
    exactly; neither the cases nor the scores are kept.

    Attributes
    ----------
    surface : AbstentionSurface
        The surface with hindsight (all cases choose and are judged).
    n, n_positive, n_negative : float
        Number of cases.
    prevalence : float
        P(positive) the costs refer to.
    folds, repeats : int
        Number of folds of each split, and of splits the costs are averaged over.
    source : str
        "rows": split by the labels in row order; "counts": split at random within equal scores.
    judged, judged_with_hindsight : JudgedRules
        Tables of the folds, and of all cases: what every number here is computed from.
    """

    surface: AbstentionSurface
    n_positive: float
    n_negative: float
    prevalence: float
    folds: int
    repeats: int
    source: str
    judged: JudgedRules
    judged_with_hindsight: JudgedRules
    _evidence = ("surface", "judged", "judged_with_hindsight")
    _reported = ("n",)

    @property
    def n(self) -> float:
        """Number of cases."""
        return self.n_positive + self.n_negative

    def cost(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return the honest cost at (mu, nu): what you will pay with windows chosen on such data."""
        return as_scalar(self.judged.mean_and_error(_prices(mu, nu))[0])

    def hindsight(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return the cost with hindsight at (mu, nu), which is too small on average."""
        return as_scalar(self.judged_with_hindsight.mean_and_error(_prices(mu, nu))[0])

    def standard_error(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return the standard error of the honest cost."""
        return as_scalar(self.judged.mean_and_error(_prices(mu, nu))[1])

    def rates(self, mu: ArrayLike, nu: ArrayLike) -> HonestRates:
        """Return the honest shares of misses, false alarms and abstentions at (mu, nu)."""
        done = self.judged.outcomes(_prices(mu, nu))
        w = self.judged.weighting
        factors = (w.positive, w.negative, w.positive, w.negative)
        return HonestRates(
            *(as_scalar(np.asarray(f * column)) for f, column in zip(factors, done, strict=True))
        )

    def interval(
        self,
        mu: ArrayLike,
        nu: ArrayLike,
        *,
        confidence_level: float = 0.95,
        method: str = "bracket",
    ) -> Interval:
        """Return a pointwise interval for the population's surface at (mu, nu).

        "bracket": from hindsight below to honest above; also covers the cost of the deployed window.
        "average": around the mean of both, narrower. Neither collapses where no error was seen:
        `demur.honest.intervals` counts a few further errors. Arrays give arrays of ends.
        """
        prices = _prices(mu, nu)
        low, high = honest_interval(
            self.judged_with_hindsight.interval_sums(prices),
            self.judged.interval_sums(prices),
            level=check_confidence_level(confidence_level),
            prevalence=self.judged.weighting.given,
            method=method,
        )
        return Interval(as_scalar(np.maximum(low, 0.0)), as_scalar(high))  # type: ignore[arg-type]

    def net_benefit(self, threshold_probability: ArrayLike) -> Scalar:
        """Return the honest net benefit of acting from the best score on, for a threshold probability.

        The score is chosen on the other folds: what `NetBenefitCurve.optimal_net_benefit` tells with
        hindsight. Scores need not be probabilities. Negative where acting on these scores does harm.
        """
        t = check_threshold_probability(threshold_probability)
        return as_scalar(np.asarray(self.prevalence - np.asarray(self.cost(t / (1 - t), np.inf))))

    def net_benefit_interval(
        self, threshold_probability: ArrayLike, *, confidence_level: float = 0.95
    ) -> Interval:
        """Return the interval of `net_benefit` that `interval` gives; the prevalence must have been given.

        That of the sample is as uncertain as the costs are, and goes together with them.
        """
        if self.judged.weighting.given is None:
            raise InputError(
                "`prevalence` must be given for an interval of the honest net benefit. Hint: pass it to "
                "cross_fitted_surface; NetBenefitCurve.interval takes that of the sample."
            )
        t = check_threshold_probability(threshold_probability)
        low, high = self.interval(t / (1 - t), np.inf, confidence_level=confidence_level)
        ends = (as_scalar(np.asarray(self.prevalence - np.asarray(cost))) for cost in (high, low))
        return Interval(*ends)  # type: ignore[arg-type]

    def volume(self, mu: Range = UNIT, nu: Range = UNIT) -> float:
        """Return the honest volume over a rectangle of costs: the mean of per-case proper scores.

        A held-out score exactly on a threshold counts with the block above.
        """
        return self.judged.mean_score(
            partial(rectangle_scores, mu=check_range(mu, "mu"), nu=check_range(nu, "nu"))
        )

    def windows(
        self, mu: float | None = None, nu: float | None = None, *, costs: CostModel | None = None
    ) -> list[AbstentionWindow]:
        """Return the window chosen without each fold of every split, for one set of costs."""
        prices = relative_costs(mu, nu, None, costs)
        windows = [table.rule.window(*prices) for table in self.judged.tables]
        if costs is None:
            return windows
        return [
            replace(one, expected_cost=float(costs.expected_cost(one.cost, one.prevalence)))
            for one in windows
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the tables of the folds as JSON-safe built-in types: enough for any honest number."""
        tables = [
            {
                "lower_cuts": table.rule.lower_cuts,
                "upper_cuts": table.rule.upper_cuts,
                "shares": table.rule.shares,
                "positives": table.positives,
                "negatives": table.negatives,
            }
            for table in self.judged.tables
        ]
        return {**Result.to_dict(self), "tables": json_safe(tables)}

    def __repr__(self) -> str:
        what = f"n={self.n:g}, folds={self.folds}, honest vacc={self.volume():.6g}"
        return f"CrossFittedSurface({what}, with hindsight {self.surface.volume():.6g})"


def cross_fitted_surface(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
    prevalence: float | None = None,
    folds: int | None = None,
    repeats: int | None = None,
    rng: int | np.random.Generator | None = 0,
) -> CrossFittedSurface:
    """Honest abstention cost surface: windows chosen on nine folds, scored on the tenth.

    The lower the better. The surface of `abstention_surface` judges windows on the cases that
    chose them and is too small on average; here every case is judged by windows chosen
    without it, which is what a user of the windows will pay (a little more than with all the
    cases, as a tenth is held out). Assumes independent cases.

    Parameters
    ----------
    y_true, y_score, pos_label, prevalence
        As in `abstention_surface`. With `prevalence` the classes count as two separate samples.
    sample_weight : array of n numbers >= 0, optional
        Case weights; `weights` says what they mean.
    weights : {"importance", "repeats"}
        "importance": each row is one case that stands for more or fewer; standard errors use the
        effective sample size. "repeats": whole numbers, a weight of 2 is a case seen twice.
    folds : int, optional
        Number of folds; both classes are spread evenly. Ten by default, or as many as the smaller
        class has cases.
    repeats : int, optional
        Number of independent splits that are averaged: 20,000 / n between 1 and 10 by default.
    rng : seed or Generator, default 0
        For the splits. They depend on the labels in row order and the seed, never on the scores,
        so all models of a file are split alike.

    Returns
    -------
    CrossFittedSurface
        With `cost`, `hindsight`, `standard_error`, `interval`, `rates`, `volume`, `windows`.

    Raises
    ------
    InputError
        For ill-formed input, repeats that are not whole numbers, too many folds.
    UndefinedError
        If a class is missing.

    Notes
    -----
    E[k] <= K <= E[kc] for the population's surface K. A held-out score between two blocks goes
    to the side of the midpoint threshold on which it lies.

    References
    ----------
    Chernozhukov et al. (2018), Econometrics Journal 21, doi:10.1111/ectj.12097 (cross-fitting).

    Examples
    --------
    Reviews cost a quarter of an error. With hindsight a case costs 0.111; expect to pay 0.123:

    >>> from demur import Binormal, cross_fitted_surface
    >>> y, s = Binormal(separation=1.8).sample(400, rng=0)
    >>> surface = cross_fitted_surface(y, s)
    >>> round(surface.hindsight(1, 0.25), 3), round(surface.cost(1, 0.25), 3)
    (0.111, 0.123)
    """
    cases, model = judged_model(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        weights=weights,
        prevalence=prevalence,
        folds=folds,
        repeats=repeats,
        rng=rng,
        quantity="a cross-fitted surface",
    )
    return fitted_surface(cases, model)


def fitted_surface(cases: SplitCases, model: JudgedModel) -> CrossFittedSurface:
    """Make the result from a judged model."""
    surface = surface_of(model.counts, cases.prevalence)
    return CrossFittedSurface(
        surface=surface,
        n_positive=model.counts.n_positive,
        n_negative=model.counts.n_negative,
        prevalence=surface.prevalence,
        folds=cases.folds,
        repeats=cases.repeats,
        source=cases.source,
        judged=model.honest,
        judged_with_hindsight=model.hindsight,
    )
