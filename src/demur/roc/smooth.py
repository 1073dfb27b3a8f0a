"""Smooth ROC curves: binormal by maximum likelihood, and kernel estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_confidence_level,
    check_positive,
    check_probability,
    input_error,
)
from demur._kernels.auc_variances import delong, score_interval
from demur._kernels.normal import normal_quantile
from demur._kernels.placements import counted_table
from demur._results import Interval, Result, as_scalar
from demur.counts.scores import ScoreCounts, as_counts
from demur.exceptions import UndefinedError
from demur.typing import ArrayLike, FloatArray, Labels, Scalar

__all__ = ["SmoothRoc", "smooth_roc"]

_METHODS = ("binormal", "kernel")
_MOST_CATEGORIES = 40
_GRID = 2048
_AT_ONCE = 2**20  # pairs of a point and a score, so that memory does not grow with their number


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SmoothRoc(Result):
    """A ROC curve without steps; made by `smooth_roc`.

    Attributes
    ----------
    method : {"binormal", "kernel"}
    auc : float
        Area under the smooth curve.
    auc_interval : Interval
    a, b : float or None
        Binormal: tpr = Phi(a + b Phi^-1(fpr)). None for kernels.
    bandwidth_positive, bandwidth_negative : float or None
        Kernel: standard deviation of the normal kernel of each class. None for binormal curves.
    fpr, tpr : array
        Points of the curve, ascending, for figures.
    confidence_level : float
    """

    method: str
    auc: float
    auc_interval: Interval
    a: float | None
    b: float | None
    bandwidth_positive: float | None
    bandwidth_negative: float | None
    fpr: FloatArray
    tpr: FloatArray
    confidence_level: float

    def at(self, fpr: ArrayLike) -> Scalar:
        """Return the true positive rate at any false positive rate."""
        x = check_probability(fpr, "fpr")
        if self.a is not None and self.b is not None:
            return as_scalar(_binormal_height(self.a, self.b, x))
        return as_scalar(np.asarray(np.interp(x, self.fpr, self.tpr)))


def smooth_roc(
    y_true: Labels | ScoreCounts,
    y_score: ArrayLike | None = None,
    *,
    method: str = "binormal",
    bandwidth: float | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> SmoothRoc:
    """ROC curve without steps, its area and an interval of that; up and left is better.

    "binormal" assumes that some increasing transformation makes both classes normal: it uses ranks
    only. "kernel" blurs the scores as they are, so it depends on their scale and lies below a steep
    curve. Assumes independent cases. The empirical curve (`roc_curve`) assumes nothing.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in `abstention_surface`.
    sample_weight : array of n whole numbers >= 0, optional
        Number of times each case was seen.
    method : {"binormal", "kernel"}
    bandwidth : float, optional
        Kernel: for both classes; default: 0.9 min(s, IQR / 1.34) n^(-1/5) of each (Silverman 1986).
    confidence_level : float, default 0.95
        Of the interval of the area.

    Returns
    -------
    SmoothRoc
        With `at(fpr)`.

    Raises
    ------
    UndefinedError
        If a class is missing, or the curve has no unique fit (one threshold separates the classes; fewer
        than 3 groups of scores).

    Notes
    -----
    Binormal: the scores are cut into at most 40 groups, where runs of one class are kept together, and
    the cuts c and the parameters maximise the multinomial likelihood of Phi(c_k) and Phi(b c_k - a)
    (Dorfman and Alf 1969; the groups: Metz, Herman, Shen 1998). AUC = Phi(a / sqrt(1 + b^2)); interval:
    the delta method on a / sqrt(1 + b^2) with the inverse information. Kernel: AUC = mean of
    Phi((y - x) / sqrt(h1^2 + h0^2)) over all pairs (Lloyd 1998). It misses the AUC A by the blur, of order
    h^2, which does not vanish beside the standard error: with h of order n^(-1/5) the two are n^(-2/5) and
    n^(-1/2). The empirical AUC is unbiased, so the kernel area minus it is an unbiased estimate of the
    blur; the area less its estimated blur is the empirical AUC, and its interval the score interval of
    `auc_interval`. That one holds A for every law of the scores. Where it leaves out `auc`, the kernels
    distort the curve: narrow them, or transform the scores. Intervals around the blurred area held the AUC
    of normal scores in 0.86 to 0.96 of samples, that of exponential ones in 0 to 0.9.

    References
    ----------
    Dorfman and Alf (1969), Journal of Mathematical Psychology 6, doi:10.1016/0022-2496(69)90019-4.
    Metz, Herman and Shen (1998), Statistics in Medicine 17, 1033-1053.
    Lloyd (1998), Journal of the American Statistical Association 93, doi:10.1080/01621459.1998.10473797.

    Examples
    --------
    Seven ratings of a reader, five levels: what would a finer scale have shown at 10 % false alarms?

    >>> from demur import ScoreCounts
    >>> from demur.roc import smooth_roc
    >>> ratings = ScoreCounts.from_counts([1, 2, 3, 4, 5], [3, 2, 2, 11, 33], [33, 6, 6, 11, 2])
    >>> curve = smooth_roc(ratings)
    >>> round(curve.auc, 3), round(curve.at(0.1), 2)
    (0.911, 0.77)
    """
    check_choice(method, "method", _METHODS)
    level = check_confidence_level(confidence_level)
    if bandwidth is not None and method == "binormal":
        raise input_error("bandwidth", "is only for method 'kernel'", bandwidth)
    counts = as_counts(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, both_classes="A smooth ROC curve"
    )
    counts.require_repeated_cases("a smooth ROC curve")
    if method == "binormal":
        return _binormal(counts, level)
    return _kernel(counts, bandwidth, level)


def _binormal_height(a: float, b: float, fpr: FloatArray) -> FloatArray:
    from scipy.special import ndtr, ndtri

    return np.asarray(ndtr(a + b * ndtri(fpr)))


# ---------------------------------------------------------------- binormal


def _groups(counts: ScoreCounts) -> tuple[FloatArray, FloatArray]:
    """Numbers of positives and negatives in each group of scores, ascending.

    Runs of scores of one class belong together: no cut between them changes the fit.
    """
    positives, negatives = counts.positives, counts.negatives
    kind = np.where(negatives == 0, 1, np.where(positives == 0, -1, 0))
    starts = np.flatnonzero(np.concatenate([[True], (kind[1:] != kind[:-1]) | (kind[1:] == 0)]))
    positives, negatives = np.add.reduceat(positives, starts), np.add.reduceat(negatives, starts)
    if len(positives) > _MOST_CATEGORIES:
        # pool to groups of about equal size
        total = np.cumsum(positives + negatives)
        edges = np.unique(np.searchsorted(total, np.arange(_MOST_CATEGORIES) / _MOST_CATEGORIES * total[-1]))
        positives, negatives = np.add.reduceat(positives, edges), np.add.reduceat(negatives, edges)
    return positives, negatives


def _binormal(counts: ScoreCounts, level: float) -> SmoothRoc:
    from scipy.special import ndtr

    positives, negatives = _groups(counts)
    if len(positives) < 3:
        raise UndefinedError(
            f"A binormal curve needs at least 3 groups of scores in which the classes mix, got "
            f"{len(positives)}. Hint: the empirical curve is perfect, or has one inner point."
        )
    a, b, covariance = _fit(positives, negatives)
    scale = math.sqrt(1 + b * b)
    centre = a / scale
    gradient = np.array([1 / scale, -a * b / scale**3])
    error = math.sqrt(max(float(gradient @ covariance @ gradient), 0.0))
    z = normal_quantile(level)
    fpr = np.concatenate([[0.0], ndtr(np.linspace(-6, 6, 199)), [1.0]])
    return SmoothRoc(
        method="binormal",
        auc=float(ndtr(centre)),
        auc_interval=Interval(float(ndtr(centre - z * error)), float(ndtr(centre + z * error))),
        a=a,
        b=b,
        bandwidth_positive=None,
        bandwidth_negative=None,
        fpr=fpr,
        tpr=_binormal_height(a, b, fpr),
        confidence_level=level,
    )


def _fit(positives: FloatArray, negatives: FloatArray) -> tuple[float, float, FloatArray]:
    """Maximum likelihood of a, log b and the cuts (first cut, log steps); and the covariance of a and b."""
    from scipy.optimize import minimize
    from scipy.special import ndtri
    from threadpoolctl import threadpool_limits

    x, y = (ndtri((np.cumsum(column)[:-1] + 0.5) / (column.sum() + 1)) for column in (negatives, positives))
    centred = x - x.mean()
    spread = float((centred**2).sum())
    slope = float(np.clip((centred * (y - y.mean())).sum() / spread, 0.2, 5)) if spread > 0 else 1.0
    steps = np.log(np.maximum(np.diff(x), 1e-3))
    start = np.concatenate([[slope * x.mean() - y.mean(), math.log(slope), x[0]], steps])

    def cuts(parameters: FloatArray) -> FloatArray:
        return np.asarray(parameters[2] + np.concatenate([[0.0], np.cumsum(np.exp(parameters[3:]))]))

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        c, b = cuts(parameters), math.exp(parameters[1])
        negative, by_negative = _log_loss(negatives, c)
        positive, by_positive = _log_loss(positives, b * c - parameters[0])
        by_cut = by_negative + b * by_positive
        beyond = np.cumsum(by_cut[::-1])[::-1]  # a step moves every cut after it
        gradient = [-by_positive.sum(), b * float(np.dot(by_positive, c)), beyond[0]]
        return negative + positive, np.concatenate([gradient, np.exp(parameters[3:]) * beyond[1:]])

    bounds = [(-20.0, 20.0), (-3.0, 3.0), (-12.0, 12.0)] + [(-12.0, 3.0)] * len(steps)
    options = {"maxiter": 5000, "maxfun": 20_000, "ftol": 1e-15, "gtol": 1e-9}
    # matrices of 20 x 20: further threads of BLAS only wait for each other, long on a busy machine
    with threadpool_limits(1, user_api="blas"):
        found = minimize(loss, start, method="L-BFGS-B", jac=True, bounds=bounds, options=options)
    best = found.x
    if abs(best[0]) > 19.9 or abs(best[1]) > 2.99:
        raise UndefinedError(
            "A binormal curve has no finite fit here, got classes that hardly mix. "
            "Hint: the empirical curve (roc_curve) needs no fit."
        )
    a, b = float(best[0]), math.exp(float(best[1]))
    return a, b, _covariance((float(negatives.sum()), float(positives.sum())), a, b, cuts(best))


def _log_loss(weight: FloatArray, edge: FloatArray) -> tuple[float, FloatArray]:
    """Minus the log likelihood of a class cut at normal quantiles, and its slope by each of them."""
    from scipy.special import ndtr

    lower = np.diff(np.concatenate([[0.0], ndtr(edge), [1.0]]))
    # the upper tail keeps its digits
    upper = np.diff(np.concatenate([[0.0], ndtr(-edge[::-1]), [1.0]]))[::-1]
    mass = np.maximum(np.where(np.concatenate([[False], edge > 0]), upper, lower), 1e-300)
    pull = weight / mass
    slope = _density(edge) * (pull[1:] - pull[:-1])
    return -float(np.dot(weight, np.log(mass))), slope


def _density(edge: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-(edge**2) / 2) / math.sqrt(2 * math.pi))


def _covariance(sizes: tuple[float, float], a: float, b: float, c: FloatArray) -> FloatArray:
    """Inverse of the expected information of (a, b, cuts), the part of a and b."""
    from scipy.special import ndtr

    information = np.zeros((len(c) + 2, len(c) + 2))
    for n, edge, by_a, by_b, by_cut in (
        (sizes[0], c, 0.0 * c, 0.0 * c, 1.0),
        (sizes[1], b * c - a, -np.ones(len(c)), c, b),
    ):
        mass = np.maximum(np.diff(np.concatenate([[0.0], ndtr(edge), [1.0]])), 1e-12)
        slopes = np.column_stack([by_a, by_b, by_cut * np.eye(len(c))]) * _density(edge)[:, None]
        # of the running shares, whose ends are fixed
        change = np.diff(np.pad(slopes, ((1, 1), (0, 0))), axis=0)
        information += n * change.T @ (change / mass[:, None])
    return np.asarray(np.linalg.pinv(information)[:2, :2])


# ---------------------------------------------------------------- kernel


def _bandwidth(scores: FloatArray, weight: FloatArray) -> float:
    """Silverman's rule on weighted scores."""
    n = float(weight.sum())
    mean = float(np.dot(weight, scores)) / n
    deviation = math.sqrt(float(np.dot(weight, (scores - mean) ** 2)) / max(n - 1, 1.0))
    share = np.cumsum(weight) / n
    low, high = (float(scores[np.searchsorted(share, q)]) for q in (0.25, 0.75))
    widths = [width for width in (deviation, (high - low) / 1.34) if width > 0]
    return 0.9 * min(widths) * n**-0.2 if widths else 0.0


def _kernel(counts: ScoreCounts, bandwidth: float | None, level: float) -> SmoothRoc:
    scores = counts.scores
    if not np.all(np.isfinite(scores)):
        raise input_error(
            "y_score",
            "must be finite for method 'kernel'",
            "infinite scores",
            "method='binormal' uses ranks.",
        )
    given = None if bandwidth is None else check_positive(bandwidth, "bandwidth")
    widths = [
        _bandwidth(scores, column) if given is None else given
        for column in (counts.positives, counts.negatives)
    ]
    if not any(widths):
        raise UndefinedError(
            "A kernel curve needs scores that differ within a class, got none. Hint: give a bandwidth."
        )
    shares = [counts.positives / counts.n_positive, counts.negatives / counts.n_negative]
    table = counted_table(counts.positives, counts.negatives, counts.pairs)
    # share of pairs ranked right after both scores are blurred: Phi(gap / sqrt(h1^2 + h0^2))
    below = shares[1] > 0
    area = float(_above(scores[below], scores, shares[0], math.hypot(*widths)) @ shares[1][below])
    reach = 5 * max(widths)
    grid = np.linspace(scores[-1] + reach, scores[0] - reach, _GRID)
    tpr, fpr = (_above(grid, scores, share, width) for share, width in zip(shares, widths, strict=True))
    return SmoothRoc(
        method="kernel",
        auc=area,
        auc_interval=Interval(*score_interval(table, delong(table), level)),
        a=None,
        b=None,
        bandwidth_positive=widths[0],
        bandwidth_negative=widths[1],
        fpr=np.concatenate([[0.0], fpr, [1.0]]),
        tpr=np.concatenate([[0.0], tpr, [1.0]]),
        confidence_level=level,
    )


def _above(points: FloatArray, scores: FloatArray, share: FloatArray, width: float) -> FloatArray:
    """Blurred share of a class above each of some points."""
    from scipy.special import ndtr

    scores, share = scores[share > 0], share[share > 0]
    if width == 0:
        return np.asarray([(share[scores >= cut]).sum() for cut in points])
    above = np.empty(len(points))
    step = max(_AT_ONCE // len(scores), 1)
    for start in range(0, len(points), step):
        part = slice(start, start + step)
        above[part] = ndtr((scores - points[part, None]) / width) @ share
    return np.clip(above, 0.0, 1.0)
