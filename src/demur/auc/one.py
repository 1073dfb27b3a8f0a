"""Variance and interval of one AUC; nothing here is simulated, and nothing assumes a curve shape.

N negatives, M positives. Everything nonparametric is linear in three sums of squares of the table
psi_ij (1 if positive j scores above negative i, 1/2 if level, 0 if below), and the placements that
give them come from `ScoreCounts` (`_kernels.placements`).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_labels,
    check_positive_int,
    check_same_length,
    check_scores,
    input_error,
)
from demur._kernels import auc_variances as formulas
from demur._kernels.bounded_means import logit_limits, wald_limits
from demur._kernels.normal import normal_quantile
from demur._kernels.placements import TwoWay, group_placements, one_model
from demur._results import Interval
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = [
    "MODEL_VARIANCES",
    "PLACEMENT_VARIANCES",
    "AucInterval",
    "auc_cluster_variance",
    "auc_interval",
    "auc_variance",
    "newcombe_interval",
    "placement_variance",
    "single_table",
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
    "obuchowski": formulas.obuchowski,
}
"""Variances from the AUC alone, under a model of the scores; for one AUC."""


def single_table(counts: ScoreCounts) -> TwoWay:
    """Sums of squares of one model; weights are frequencies."""
    row, column = group_placements(counts.positives, counts.negatives)
    neg, pos = counts.negatives > 0, counts.positives > 0
    won, tied = counts.pairs
    return one_model(
        row[neg],
        column[pos],
        counts.negatives[neg],
        counts.positives[pos],
        pair_squares=won + tied / 4,  # psi squared is 1/4 for tied pairs
    )


def placement_variance(table: TwoWay, method: str, quantity: str = "The variance") -> float:
    """Apply one of `PLACEMENT_VARIANCES`; undefined with a single case in a class."""
    counts = {"negative": table.n_negative, "positive": table.n_positive}
    for word, count in counts.items():
        if method != "bootstrap" and count <= 1:
            raise UndefinedError(
                f"{quantity} by method {method!r} needs at least 2 {word} cases, got {count:g}. "
                "Hint: 'bootstrap' is defined from 1 case per class on."
            )
    return PLACEMENT_VARIANCES[method](table)


def _model_variance(table: TwoWay, method: str) -> float:
    auc = table.estimate
    if method == "obuchowski" and auc in (0.0, 1.0):
        raise UndefinedError(
            f"The variance by method 'obuchowski' needs an AUC strictly between 0 and 1, got {auc:g}. "
            "Hint: 'hanley-mcneil' and 'bootstrap' are defined there."
        )
    return MODEL_VARIANCES[method](auc, table.n_negative, table.n_positive)


def _variance(table: TwoWay, method: str) -> float:
    if method in MODEL_VARIANCES:
        return _model_variance(table, method)
    return placement_variance(table, method)


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
) -> float:
    """Variance of the AUC over samples of the same size; the lower the more certain.

    Assumes independent cases: see `auc_cluster_variance` where several come from one source.
    Near AUC 1 all methods are optimistic, and at 1 the variance is 0: use `auc_interval`.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`; weights are frequencies (weight 2 = a repeated row).
    method : {"delong", "jackknife", "unbiased", "bootstrap", "hanley-mcneil", "obuchowski"}
        "delong" is the two-sample, "jackknife" the one-sample jackknife; "bootstrap" is exact,
        without resampling; the last two know only the AUC and assume exponential (binormal)
        scores.
    n_negative, n_positive : int, optional
        For "bootstrap": draw so many cases of each class (planning a study of another size).
    stratified : bool, default True
        For "bootstrap": False resamples both classes together, given that both are drawn.

    Returns
    -------
    float

    Raises
    ------
    UndefinedError
        If a class is missing, has one case ("delong", "jackknife", "unbiased"), or the AUC is 0
        or 1 ("obuchowski").

    Notes
    -----
    With SSx, SSy, SSi the sums of squares over negatives, positives and their interaction:
    delong SSx/(N(N-1)) + SSy/(M(M-1)); jackknife (SSx/(N-1)^2 + SSy/(M-1)^2)(n-1)/n;
    unbiased delong - SSi/(N(N-1)M(M-1)); bootstrap SSx/N^2 + SSy/M^2 + SSi/(NM)^2.
    Always unbiased <= delong <= jackknife. O(n log n), ties included.

    References
    ----------
    Bandos, Rockette and Gur (2006), ROCML workshop at ICML, eqs. 5-7.
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, doi:10.2307/2531595.
    Hanley and McNeil (1982), Radiology 143, doi:10.1148/radiology.143.1.7063747.
    Obuchowski (1994), Investigative Radiology 29, doi:10.1097/00004424-199402000-00020.

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
    check_choice(method, "method", (*PLACEMENT_VARIANCES, *MODEL_VARIANCES))
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    counts.require_both_classes("The variance of an AUC")
    table = single_table(counts)
    if n_negative is None and n_positive is None and stratified:
        return _variance(table, method)
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
            f"Drawing both classes together needs a whole number of cases, got weights of {counts.n:g}. "
            "Hint: leave stratified=True."
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
        length and logit intervals do not exist: the limits are Newcombe's instead.
    """

    method: str
    degenerate: bool

    def __new__(cls, low: float, high: float, method: str = "", *, degenerate: bool = False) -> "AucInterval":
        """Build the pair and attach the two attributes."""
        made = super().__new__(cls, low, high)
        made.method, made.degenerate = method, degenerate
        return made


def auc_interval(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    method: str = "logit",
    variance: str = "delong",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> AucInterval:
    """Confidence interval of the AUC, never outside [0, 1]; the narrower the more certain.

    Assumes independent cases. Logit and Newcombe intervals keep their coverage where the AUC is
    high; the Wald interval does not and is offered for comparison with other software.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `abstention_surface`; weights are frequencies (weight 2 = a repeated row).
    confidence_level : float, default 0.95
    method : {"logit", "wald", "newcombe"}
        "wald" is cut off at 0 and 1. "newcombe" inverts a score test and uses no variance of the
        data, so it is defined for every sample with both classes.
    variance : str, default "delong"
        As `method` in `auc_variance`; ignored by "newcombe".

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
    W(t) = t (1-t) [1 + n* (1-t)/(2-t) + n* t/(1+t)] / (N M), n* = (N+M)/2 - 1.

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
    check_choice(method, "method", ("logit", "wald", "newcombe"))
    check_choice(variance, "variance", (*PLACEMENT_VARIANCES, *MODEL_VARIANCES))
    z = normal_quantile(check_confidence_level(confidence_level))
    counts = as_counts(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    counts.require_both_classes("The interval of an AUC")
    table = single_table(counts)
    auc = table.estimate
    ends = auc in (0.0, 1.0)
    spread = 0.0 if method == "newcombe" or ends else _variance(table, variance)
    if spread <= 0:  # below 0 only by rounding of the unbiased variance
        score = newcombe_interval(auc, table.n_negative, table.n_positive, z)
        return AucInterval(*score, "newcombe", degenerate=method != "newcombe")
    limits = wald_limits if method == "wald" else logit_limits
    return AucInterval(*limits(auc, spread, z), method)


def newcombe_interval(auc: float, n_negative: float, n_positive: float, z: float) -> Interval:
    """Score interval of Newcombe (2006), method 5; defined for every AUC in [0, 1]."""
    low = _newcombe_low(auc, n_negative, n_positive, z)
    # the variance function is symmetric about 1/2, so the upper limit mirrors the lower one
    return Interval(low, 1 - _newcombe_low(1 - auc, n_negative, n_positive, z))


def _newcombe_low(auc: float, n_negative: float, n_positive: float, z: float) -> float:
    from scipy.optimize import brentq

    if auc == 0:
        return 0.0
    star = (n_negative + n_positive) / 2 - 1

    def per_distance(t: float) -> float:
        """z^2 W(t) / (1 - t)."""
        return z**2 * t * (1 + star * (1 - t) / (2 - t) + star * t / (1 + t)) / (n_negative * n_positive)

    if auc == 1:  # (1 - t)^2 = z^2 W(t) has the root 1; the other one is wanted
        return float(brentq(lambda t: 1 - t - per_distance(t), 0.0, 1.0, xtol=1e-15))
    return float(brentq(lambda t: (auc - t) ** 2 - (1 - t) * per_distance(t), 0.0, auc, xtol=1e-15))


def auc_cluster_variance(
    y_true: Labels,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    minus: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Variance of the AUC, or of a difference, when cases come in clusters; the lower the better.

    For several lesions of one patient, visits of one customer, frames of one video: clusters are
    independent, cases within one need not be, and a cluster may hold both classes. With one case
    per cluster it is the DeLong variance.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in `abstention_surface`, but arrays only: counts no longer know the clusters. Weights
        are not defined here: repeat the rows.
    groups : array of n labels
        Cluster of each case; numbers or strings.
    minus : array of n numbers, optional
        Scores of a second model on the same cases: the variance of AUC(y_score) - AUC(minus).

    Returns
    -------
    float

    Raises
    ------
    UndefinedError
        If a class is missing or is found in fewer than two clusters.

    Notes
    -----
    With d0_k, d1_k the sums over the negatives (positives) of cluster k of placement minus AUC, and
    I0, I1 clusters that hold a negative (positive): I0/(I0-1) sum d0^2 / N^2 + I1/(I1-1) sum d1^2 / M^2
    + 2 K/(K-1) sum d0 d1 / (N M). May be slightly negative with few clusters.

    References
    ----------
    Obuchowski (1997), Biometrics 53, doi:10.2307/2533958.

    Examples
    --------
    Four patients with two images each are worth less than eight patients:

    >>> from demur.auc import auc_cluster_variance, auc_variance
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> s = [0.1, 0.2, 0.6, 0.7, 0.4, 0.5, 0.8, 0.9]
    >>> patient = ["a", "a", "b", "b", "c", "c", "d", "d"]
    >>> round(auc_variance(y, s), 4), round(auc_cluster_variance(y, s, groups=patient), 4)
    (0.0417, 0.125)
    """
    if isinstance(y_true, ScoreCounts):
        raise input_error(
            "y_true", "must be an array of labels", "a ScoreCounts, which does not know the clusters"
        )
    positive = check_labels(y_true, pos_label)
    cluster, n_clusters = _check_groups(groups)
    check_same_length(y_true=positive, y_score=check_scores(y_score), groups=cluster)
    deviation = _placement_deviations(y_true, y_score, pos_label)
    if minus is not None:
        check_same_length(y_true=positive, minus=check_scores(minus, "minus"))
        deviation = deviation - _placement_deviations(y_true, minus, pos_label)
    sums, members = [], []
    for chosen, word in ((~positive, "negative"), (positive, "positive")):
        size = int(np.count_nonzero(chosen))
        sums.append(np.bincount(cluster[chosen], deviation[chosen], minlength=n_clusters) / size)
        members.append(int(np.count_nonzero(np.bincount(cluster[chosen]))))
        if members[-1] < 2:
            raise UndefinedError(
                f"The clustered variance needs {word} cases in at least 2 clusters, got {members[-1]}. "
                "Hint: without clusters, auc_variance(method='bootstrap') is defined."
            )
    within = sum(k / (k - 1) * float(np.dot(d, d)) for k, d in zip(members, sums, strict=True))
    return within + 2 * n_clusters / (n_clusters - 1) * float(np.dot(*sums))


def _check_groups(groups: ArrayLike) -> tuple[IntArray, int]:
    array = np.asarray(groups)
    if array.ndim != 1:
        raise input_error("groups", "must be one-dimensional", f"shape {array.shape}")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise input_error("groups", "must not contain NaN", "NaN", "give such cases clusters of their own.")
    labels, index = np.unique(array.astype(str) if array.dtype.kind == "O" else array, return_inverse=True)
    return index, len(labels)


def _placement_deviations(y_true: Labels, y_score: ArrayLike, pos_label: Any) -> FloatArray:
    """Placement as a share of the other class, minus the AUC, of every case."""
    counts = ScoreCounts.from_arrays(y_true, y_score, pos_label=pos_label)
    counts.require_both_classes("The clustered variance of an AUC")
    row, column = group_placements(counts.positives, counts.negatives)
    at = np.searchsorted(counts.scores, np.asarray(y_score, dtype=np.float64))
    positive = check_labels(y_true, pos_label)
    share = np.where(positive, column[at] / counts.n_negative, row[at] / counts.n_positive)
    return share - single_table(counts).estimate
