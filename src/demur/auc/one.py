"""Variance and interval of one AUC, without simulation.

N negatives, M positives. Everything nonparametric is linear in three sums of squares of the table
psi_ij (1 if positive j scores above negative i, 1/2 if level, 0 if below), which `auc.tables` builds
from a `ScoreCounts` and the meaning of its weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_positive_int,
    check_weight_meaning,
    input_error,
)
from demur._kernels import auc_variances as formulas
from demur._kernels.auc_variances import score_interval
from demur._kernels.normal import normal_quantile
from demur._kernels.placements import TwoWay
from demur._kernels.proportions import logit_limits, wald_limits
from demur._results import Interval
from demur.auc.tables import single_table
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, Labels

__all__ = [
    "MODEL_VARIANCES",
    "PLACEMENT_VARIANCES",
    "AucInterval",
    "auc_interval",
    "auc_variance",
    "binormal_line",
    "interval_of_table",
    "placement_variance",
]

PLACEMENT_VARIANCES: dict[str, Callable[[TwoWay], float]] = {
    "delong": formulas.delong,
    "jackknife": formulas.jackknife,
    "unbiased": formulas.unbiased,
    "bootstrap": formulas.bootstrap,
}
"""Variances from the data; defined for one AUC and for a difference."""

MODEL_VARIANCES: dict[str, Callable[[float, float, float], float]] = {
    "hanley-mcneil": formulas.hanley_mcneil,
    "equal-binormal": formulas.equal_binormal,
}
"""Variances from the AUC alone, under a model of the scores; for one AUC, and for planning."""

_VARIANCES = (*PLACEMENT_VARIANCES, *MODEL_VARIANCES, "obuchowski")


def placement_variance(table: TwoWay, method: str, quantity: str = "The variance") -> float:
    """Apply one of `PLACEMENT_VARIANCES`; undefined with a single case in a class."""
    for word, count in (("negative", table.n_negative), ("positive", table.n_positive)):
        if method != "bootstrap" and count <= 1:
            raise UndefinedError(
                f"{quantity} by method {method!r} needs at least 2 {word} cases, got {count:g}. "
                "Hint: 'bootstrap' is defined from 1 case per class on."
            )
    return PLACEMENT_VARIANCES[method](table)


def _variance(counts: ScoreCounts, table: TwoWay, method: str) -> float:
    if method in PLACEMENT_VARIANCES:
        return placement_variance(table, method)
    if method == "obuchowski":
        return formulas.obuchowski(*binormal_line(counts), table.n_negative, table.n_positive)
    if method == "equal-binormal" and table.estimate in (0.0, 1.0):
        raise UndefinedError(
            f"The variance by method 'equal-binormal' needs an AUC strictly between 0 and 1, got "
            f"{table.estimate:g}. Hint: 'hanley-mcneil' and 'bootstrap' are defined there."
        )
    return MODEL_VARIANCES[method](table.estimate, table.n_negative, table.n_positive)


def auc_variance(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    method: str = "delong",
    n_negative: int | None = None,
    n_positive: int | None = None,
    stratified: bool = True,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> float:
    """Variance of the AUC over samples of the same size; the lower the more certain.

    Assumes independent cases: see `auc_cluster_variance` where several come from one source.
    Near AUC 1 all methods are optimistic, and at 1 the variance is 0: use `auc_interval`.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`.
    method : str, default "delong"
        "delong" is the two-sample, "jackknife" the one-sample jackknife, "unbiased" has no bias;
        "bootstrap" is exact, without resampling. Three assume a law of the scores and are here for
        comparison: "hanley-mcneil" (exponential) and "equal-binormal" (normal, equal spreads;
        Obuchowski 1994) know only the AUC; "obuchowski" fits a binormal curve, as pROC does.
    n_negative, n_positive : int, optional
        For "bootstrap": draw so many cases of each class (planning a study of another size).
    stratified : bool, default True
        For "bootstrap": False resamples both classes together, given that both are drawn.
    weights : {"importance", "repeats"}
        "importance": a case is one case whatever its weight, and the unit of the weights does not
        matter. "repeats": a weight of 2 is two cases. A `ScoreCounts` of counts holds cases.

    Returns
    -------
    float

    Raises
    ------
    UndefinedError
        If a class is missing, has one case ("delong", "jackknife", "unbiased"), the AUC is 0 or 1
        ("equal-binormal"), the curve has fewer than 2 inner points ("obuchowski"), or a ScoreCounts
        of sums of weights cannot tell the importance of its cases.

    Notes
    -----
    With SSx, SSy, SSi the sums of squares over negatives, positives and their interaction:
    delong SSx/(N(N-1)) + SSy/(M(M-1)); jackknife (SSx/(N-1)^2 + SSy/(M-1)^2)(n-1)/n;
    unbiased delong - SSi/(N(N-1)M(M-1)); bootstrap SSx/N^2 + SSy/M^2 + SSi/(NM)^2.
    Always unbiased <= delong <= jackknife. O(n log n), ties included. Importance weights w: SSx is N
    times the mean of (placement - AUC)^2 weighted by w^2, and N is (sum w)^2 / sum w^2; so
    "bootstrap" is the sum of w^2 (placement - AUC)^2 / (sum w)^2, plus the interaction.
    "obuchowski" equals ``var(roc, method="obuchowski")`` of pROC 1.18: a line through the normal
    quantiles of specificity on those of sensitivity, its intercept and slope taken as A and B, and no
    covariance of the two. In binormal terms, z(se) = A + B z(fpr), that line has A/B and 1/B, so with
    unequal spreads the classes are mixed up. At AUC 0.8 with 200 + 20 cases it is 1.5 times the true
    variance for equal spreads, and 0.6 times for positives spread three times as wide.

    References
    ----------
    Bandos, Rockette and Gur (2006), ROCML workshop at ICML, eqs. 5-7.
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, doi:10.2307/2531595.
    Hanley and McNeil (1982), Radiology 143, doi:10.1148/radiology.143.1.7063747.
    Obuchowski (1994), Investigative Radiology 29, doi:10.1097/00004424-199402000-00020.
    Obuchowski and McClish (1997), Statistics in Medicine 16, eq. 4,
    doi:10.1002/(SICI)1097-0258(19970715)16:13<1529::AID-SIM565>3.0.CO;2-H.

    Examples
    --------
    Does the evidence get better with ten times the negatives? Hardly: positives are scarce.

    >>> from demur.auc import auc_variance
    >>> y, s = [0, 0, 0, 0, 1, 1, 1], [1, 2, 2, 4, 2, 3, 5]
    >>> round(auc_variance(y, s, method="bootstrap") ** 0.5, 3)
    0.182
    >>> round(auc_variance(y, s, method="bootstrap", n_negative=40, n_positive=3) ** 0.5, 3)
    0.126
    """
    check_choice(method, "method", _VARIANCES)
    check_weight_meaning(weights)
    counts = as_counts(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        both_classes="The variance of an AUC",
    )
    table = single_table(counts, weights)
    if n_negative is None and n_positive is None and stratified:
        return _variance(counts, table, method)
    if method != "bootstrap":
        name = "stratified" if not stratified else "n_negative" if n_negative is not None else "n_positive"
        raise input_error(name, "is only for method 'bootstrap'", f"method {method!r}")
    sizes = [
        None if size is None else check_positive_int(size, name)
        for size, name in ((n_negative, "n_negative"), (n_positive, "n_positive"))
    ]
    if stratified:
        return formulas.bootstrap(table, *sizes)
    if sizes != [None, None]:
        raise input_error("stratified", "must be True when sizes per class are given", stratified)
    if table.n_negative % 1 or table.n_positive % 1:
        raise UndefinedError(
            "Drawing both classes together needs a whole number of cases, got an effective number of "
            f"{table.n_negative + table.n_positive:g}. Hint: leave stratified=True."
        )
    return formulas.pooled_bootstrap(table)


class AucInterval(Interval):
    """An `Interval` that also says how it was made.

    Attributes
    ----------
    low, high : float
        Limits, within [0, 1].
    method : str
        The method used, which in degenerate data is not the one asked for.
    degenerate : bool
        True if the variance is 0 (AUC 0 or 1, constant scores), where Wald intervals have no
        length and the others do not exist: the limits are Newcombe's instead.
    """

    method: str
    degenerate: bool

    def __new__(cls, low: float, high: float, method: str = "", *, degenerate: bool = False) -> AucInterval:
        """Build the pair and attach the two attributes."""
        limits = super().__new__(cls, low, high)
        limits.method, limits.degenerate = method, degenerate
        return limits


def auc_interval(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    method: str = "score",
    variance: str = "delong",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: str = "importance",
) -> AucInterval:
    """Confidence interval of the AUC, never outside [0, 1]; the narrower the more certain.

    Assumes independent cases. The score interval keeps its coverage where the AUC is high and one
    class is small; the others do not everywhere (see the page on coverage).

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`.
    confidence_level : float, default 0.95
    method : {"score", "newcombe", "logit", "wald"}
        "score" inverts a score test with the larger of two variances, Newcombe's and that of the data.
        "newcombe" uses no variance of the data, so it is defined for every sample with both classes,
        but too short where the classes are spread unequally. "logit" and "wald" (cut off at 0 and 1)
        are for comparison with other software: too short at high AUC with few cases of a class.
    variance : str, default "delong"
        As `method` in `auc_variance`; ignored by "newcombe".
    weights : {"importance", "repeats"}
        As in `auc_variance`. Multiplying importance weights by a constant changes nothing.

    Returns
    -------
    AucInterval
        Unpacks as (low, high); `degenerate` says that Newcombe's interval had to stand in.

    Raises
    ------
    UndefinedError
        If a class is missing or the variance does not exist.

    Notes
    -----
    logit: expit(logit A ± z sqrt(V) / (A (1 - A))). Newcombe: the roots t of (A - t)^2 = z^2 W(t),
    W(t) = t (1-t) [1 + n* (1-t)/(2-t) + n* t/(1+t)] / (N M), n* = (N+M)/2 - 1; effective sizes N and M
    for importance weights. Score: W(t) times r = max(1, V c^2 / W(A)), c the quotient of the quantiles
    of t and of the normal law, with Satterthwaite's degrees of freedom of the two parts of the DeLong
    variance.

    Nominal 0.95, four laws of the scores (normal with equal spreads, twice and half as wide;
    exponential), AUC 0.6 to 0.999, 10 to 1000 cases per class: score 0.92 at least; Newcombe down to
    0.84, logit to 0.63, Wald to 0.52 (the page on coverage has the grid). The score interval is on
    average 1.2 times as wide as the logit.

    References
    ----------
    Newcombe (2006), Statistics in Medicine 25, method 5, doi:10.1002/sim.2324.

    Examples
    --------
    Ten against ten cases, perfectly ranked: still no proof of an AUC above 0.9.

    >>> from demur import auc_interval
    >>> low, high = auc_interval([0] * 10 + [1] * 10, range(20))
    >>> round(low, 3), high
    (0.8, 1.0)
    """
    check_choice(method, "method", ("score", "newcombe", "logit", "wald"))
    check_choice(variance, "variance", _VARIANCES)
    check_weight_meaning(weights)
    z = normal_quantile(check_confidence_level(confidence_level))
    counts = as_counts(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        both_classes="The interval of an AUC",
    )
    table = single_table(counts, weights)
    if method == "newcombe":
        return AucInterval(*score_interval(table, 0.0, confidence_level), method)
    spread = 0.0 if table.estimate in (0.0, 1.0) else _variance(counts, table, variance)
    if spread <= 0 or method == "score":
        return _score_interval(table, spread, confidence_level)
    limits = wald_limits if method == "wald" else logit_limits
    return AucInterval(*limits(table.estimate, spread, z), method)


def interval_of_table(table: TwoWay, confidence_level: float) -> AucInterval:
    """Return the score interval of `auc_interval` for a table."""
    spread = 0.0 if table.estimate in (0.0, 1.0) else placement_variance(table, "delong")
    return _score_interval(table, spread, confidence_level)


def _score_interval(table: TwoWay, variance: float, confidence_level: float) -> AucInterval:
    """Score interval; Newcombe's where the data show no spread."""
    # below 0 only by rounding of the unbiased variance
    limits = score_interval(table, max(variance, 0.0), confidence_level)
    return AucInterval(*limits, "score" if variance > 0 else "newcombe", degenerate=variance <= 0)


def binormal_line(counts: ScoreCounts) -> tuple[float, float]:
    """Intercept and negated slope of normal quantiles of specificity on those of sensitivity.

    Least squares over the thresholds at which both rates lie strictly between 0 and 1: the fit of
    pROC, which takes the two numbers as the binormal parameters A and B.
    """
    from scipy.special import ndtri

    # totals from the same running sums, so that a rate of 1 is exactly 1
    missed, specificity = (
        upto[:-1] / upto[-1] for upto in map(np.cumsum, (counts.positives, counts.negatives))
    )
    inner = (missed > 0) & (missed < 1) & (specificity > 0) & (specificity < 1)
    x, y = -ndtri(missed[inner]), ndtri(specificity[inner])
    if len(x) < 2 or x.min() == x.max():
        raise UndefinedError(
            "The variance by method 'obuchowski' needs at least 2 sensitivities strictly between 0 and 1, "
            f"got {len(set(x.tolist()))}. Hint: 'delong', 'hanley-mcneil' and 'bootstrap' need none."
        )
    centred = x - x.mean()
    slope = float((centred * (y - y.mean())).sum() / (centred**2).sum())
    return float(y.mean() - slope * x.mean()), -slope
