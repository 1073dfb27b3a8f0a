"""Cross-fitting: the honest cost of windows, judged on cases that did not choose them.

A surface is a minimum over windows, so judged on the cases that chose the windows it is too
small on average: k ("with hindsight") is expected below the population's surface K, which in
turn is at most the expected cost kc ("honest") of windows learned from the other folds. A
bootstrap of k repeats the mistake and covers far less than it promises, so demur has none;
everything in `surface_bands` and `surface_tests` rests on the pair (k, kc).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_cost_point,
    check_positive_int,
    check_range,
    check_rng,
    input_error,
)
from demur._kernels.normal import normal_quantile
from demur._results import Interval, Result, as_scalar, json_safe
from demur.costs.model import CostModel
from demur.counts.scores import ScoreCounts, as_counts
from demur.honest.held_out import (
    HonestRates,
    JudgedRules,
    Prices,
    fold_rows,
    judge,
    judge_with_hindsight,
    volume_scores,
)
from demur.surface.surface import AbstentionSurface
from demur.surface.window import AbstentionWindow
from demur.typing import ArrayLike, FloatArray, Labels, Range, Scalar

__all__ = [
    "CrossFittedSurface",
    "bracket_or_average",
    "check_repeated_cases",
    "check_sample",
    "cross_fit",
    "cross_fitted_surface",
    "fitted_surface",
    "grid_axes",
]

_UNIT: Range = (0.0, 1.0)


# ---------------------------------------------------------------- checks


def check_repeated_cases(counts: ScoreCounts, quantity: str) -> None:
    """Require whole-number weights: intervals count independent cases."""
    for name in ("positives", "negatives"):
        column = getattr(counts, name)
        broken = column != np.floor(column)
        if broken.any():
            raise input_error(
                "sample_weight",
                f"must hold whole numbers (repeated cases) for {quantity}",
                f"{column[broken][0]:g}",
                "sampling error is defined for independent cases; a weight of 2 means a case seen twice.",
            )


def _check_folds(folds: Any, n_positive: float, n_negative: float) -> int:
    """Return the number of folds if every fold can hold a case of each class."""
    number = check_positive_int(folds, "folds", minimum=2)
    smaller = int(min(n_positive, n_negative))
    if number > smaller:
        hint = f"use folds={smaller}." if smaller >= 2 else "collect at least two cases of each class."
        raise input_error(
            "folds",
            f"must not exceed the cases of either class ({n_positive:g} positive, {n_negative:g} negative)",
            number,
            hint,
        )
    return number


def bracket_or_average(
    hindsight: tuple[Any, Any], honest: tuple[Any, Any], factor: float, method: str
) -> tuple[Any, Any]:
    """Ends of an interval from (estimate, standard error) with hindsight and honest (spec 105, section 2)."""
    check_choice(method, "method", ("bracket", "average"))
    (k, s), (kc, sc) = hindsight, honest
    if method == "bracket":
        return k - factor * s, kc + factor * sc
    centre, wide = (k + kc) / 2, np.maximum(s, sc)
    return centre - factor * wide, centre + factor * wide


# ---------------------------------------------------------------- the public surface


def _prices(mu: ArrayLike, nu: ArrayLike) -> Prices:
    return Prices.of_surface(*check_cost_point(mu, nu))


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
    folds : int
        Number of folds.
    """

    surface: AbstentionSurface
    n_positive: float
    n_negative: float
    prevalence: float
    folds: int
    _honest: JudgedRules
    _hindsight: JudgedRules
    _evidence = ("surface",)
    _reported = ("n",)

    @property
    def n(self) -> float:
        """Number of cases."""
        return self.n_positive + self.n_negative

    def cost(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return the honest cost at (mu, nu): what you will pay with windows chosen on such data."""
        return as_scalar(self._honest.mean_and_error(_prices(mu, nu))[0])

    def hindsight(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return the cost with hindsight at (mu, nu), which is too small on average."""
        return as_scalar(self._hindsight.mean_and_error(_prices(mu, nu))[0])

    def standard_error(self, mu: ArrayLike, nu: ArrayLike) -> Scalar:
        """Return the standard error of the honest cost."""
        return as_scalar(self._honest.mean_and_error(_prices(mu, nu))[1])

    def rates(self, mu: ArrayLike, nu: ArrayLike) -> HonestRates:
        """Return the honest shares of misses, false alarms and abstentions at (mu, nu)."""
        done = self._honest.outcomes(_prices(mu, nu))
        w = self._honest.weighting
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

        "bracket": from k - z s to kc + z sc; also covers the cost of the deployed window.
        "average": (k + kc) / 2 -+ z max(s, sc), narrower. Arrays give arrays of ends.
        """
        prices = _prices(mu, nu)
        z = normal_quantile(check_confidence_level(confidence_level))
        low, high = bracket_or_average(
            self._hindsight.mean_and_error(prices), self._honest.mean_and_error(prices), z, method
        )
        return Interval(as_scalar(np.maximum(low, 0.0)), as_scalar(high))  # type: ignore[arg-type]

    def volume(self, mu: Range = _UNIT, nu: Range = _UNIT) -> float:
        """Return the honest volume over a rectangle of costs: the mean of per-case proper scores.

        A held-out score exactly on a threshold counts with the block above.
        """
        return self._honest.score_and_error(volume_scores(check_range(mu, "mu"), check_range(nu, "nu")))[0]

    def windows(
        self, mu: float | None = None, nu: float | None = None, *, costs: CostModel | None = None
    ) -> list[AbstentionWindow]:
        """Return the window chosen without each fold, for one set of costs: how stable it is."""
        return [table.rule.surface.window(mu, nu, costs=costs) for table in self._honest.tables]

    def to_dict(self) -> dict[str, Any]:
        """Return the tables of the folds as JSON-safe built-in types: enough for any honest number."""
        tables = [
            {
                "lower_cuts": table.rule.lower_cuts,
                "upper_cuts": table.rule.upper_cuts,
                "shares": table.rule.surface.shares,
                "positives": table.positives,
                "negatives": table.negatives,
            }
            for table in self._honest.tables
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
    prevalence: float | None = None,
    folds: int = 10,
    rng: int | np.random.Generator | None = None,
) -> CrossFittedSurface:
    """Honest abstention cost surface: windows from nine tenths of the cases, judged on the rest.

    The lower the better. The surface of `abstention_surface` judges windows on the cases that
    chose them and is too small on average; here every case is judged by windows learned
    without it, which is what a user of the windows will pay (a little more than with all the
    cases, as a tenth is held out). Assumes independent cases.

    Parameters
    ----------
    y_true, y_score, pos_label, prevalence
        As in `abstention_surface`. With `prevalence` the classes count as two separate samples.
    sample_weight : array of n whole numbers >= 0, optional
        Number of times each case was seen.
    folds : int, default 10
        Number of folds, at most the number of cases of each class; both classes are spread evenly.
    rng : seed or Generator, optional
        For the folds. The same seed gives the same bytes, in whatever order the rows come.

    Returns
    -------
    CrossFittedSurface
        With `cost`, `hindsight`, `standard_error`, `interval`, `rates`, `volume`, `windows`.

    Raises
    ------
    InputError
        For ill-formed input, weights that are not whole numbers, too many folds.
    UndefinedError
        If a class is missing.

    Notes
    -----
    E[k] <= K <= E[kc] for the population's surface K. A held-out score between two blocks goes
    to the side of the midpoint threshold on which it lies (spec 000, section 2).

    References
    ----------
    Chernozhukov et al. (2018), Econometrics Journal 21, doi:10.1111/ectj.12097 (cross-fitting).

    Examples
    --------
    Reviews cost a quarter of an error. With hindsight a case costs 0.111; expect to pay 0.119:

    >>> from demur import Binormal, cross_fitted_surface
    >>> y, s = Binormal(separation=1.8).sample(400, rng=0)
    >>> surface = cross_fitted_surface(y, s, rng=0)
    >>> round(surface.hindsight(1, 0.25), 3), round(surface.cost(1, 0.25), 3)
    (0.111, 0.119)
    """
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    number = check_sample(counts, folds, "a cross-fitted surface")
    return cross_fit(counts, prevalence, number, check_rng(rng))


def check_sample(counts: ScoreCounts, folds: Any, quantity: str) -> int:
    """Check what every cross-fitted number needs of the counts; return the number of folds."""
    counts.require_both_classes(quantity[0].upper() + quantity[1:])
    check_repeated_cases(counts, quantity)
    return _check_folds(folds, counts.n_positive, counts.n_negative)


def cross_fit(
    counts: ScoreCounts, prevalence: float | None, folds: int, rng: np.random.Generator
) -> CrossFittedSurface:
    """Make the result from checked arguments."""
    k = len(counts.scores)
    sizes = np.concatenate([counts.positives, counts.negatives])
    positive = np.arange(2 * k) < k
    rows = fold_rows(sizes, positive, folds, rng)
    scores = np.tile(counts.scores, 2)
    honest, _ = judge(scores, positive, rows, folds=folds, prevalence=prevalence)
    return fitted_surface(honest, judge_with_hindsight(counts, prevalence))


def fitted_surface(honest: JudgedRules, hindsight: JudgedRules) -> CrossFittedSurface:
    """Make the result from the rules of the folds and the rule of all cases."""
    surface = hindsight.tables[0].rule.surface
    return CrossFittedSurface(
        surface=surface,
        n_positive=surface.counts.n_positive,
        n_negative=surface.counts.n_negative,
        prevalence=surface.prevalence,
        folds=len(honest.tables),
        _honest=honest,
        _hindsight=hindsight,
    )


def grid_axes(resolution: Any, mu: Any, nu: Any) -> tuple[FloatArray, FloatArray]:
    """Return the (resolution + 1) values of mu and of nu of a grid."""
    steps = check_positive_int(resolution, "resolution") + 1
    return np.linspace(*check_range(mu, "mu"), steps), np.linspace(*check_range(nu, "nu"), steps)
