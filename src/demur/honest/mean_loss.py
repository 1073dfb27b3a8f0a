"""`mean_loss_interval`: what a rule will cost on average, from its loss on every case, with an interval.

Everything a rule does to a case is a loss, whatever the classes, actions and prices. Units are independent of
each other: cases, or clusters of them. With weights w that sum to 1, mean c, and T the sum of w (loss - c)
over a unit, the standard error is sqrt(G / (G - 1) sum T^2) for G units; where P(class) in use is given,
losses are taken from the mean of their own class. A sample in which nothing went wrong does not prove that
nothing will: for the upper end one unit of the worst loss is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from demur._checks import (
    check_confidence_level,
    check_finite,
    check_groups,
    check_labels,
    check_number,
    check_prevalence,
    check_same_length,
    check_weights,
    input_error,
)
from demur._results import Interval, Result
from demur.exceptions import InputError
from demur.typing import ArrayLike, BoolArray, FloatArray, IntArray, Labels

__all__ = [
    "LossSample",
    "MeanLoss",
    "MeanLossInterval",
    "class_mean_loss",
    "intraclass_correlation",
    "mean_loss",
    "mean_loss_interval",
]

_ROUNDING = 64 * np.finfo(np.float64).eps


class LossSample(NamedTuple):
    """Weights of rows of cases, and how many independent units they are.

    Attributes
    ----------
    weight : array
        Share of each row in the whole; they sum to 1.
    squares : array
        Sum of the squared weights of the cases a row stands for.
    units : float
        Number of units.
    stratum, cluster : array or None
        Class of each row, where P(class) in use is given; cluster of each row, where cases form some.
    """

    weight: FloatArray
    squares: FloatArray
    units: float
    stratum: IntArray | None = None
    cluster: IntArray | None = None

    @classmethod
    def of(
        cls,
        mass: FloatArray,
        squares: FloatArray,
        units: float,
        *,
        classes: IntArray | None = None,
        shares: FloatArray | None = None,
        cluster: IntArray | None = None,
    ) -> LossSample:
        """Scale sums of weights and of their squares, in every class to its share in use if given."""
        if shares is None:
            total = mass.sum()
            return cls(mass / total, squares / total**2, units, None, cluster)
        assert classes is not None
        sizes = np.bincount(classes, mass, len(shares))
        factor = np.divide(shares, sizes, out=np.zeros(len(shares)), where=sizes > 0)[classes]
        return cls(mass * factor, squares * factor**2, units, classes, cluster)

    @property
    def cases(self) -> FloatArray:
        """Number of cases each row stands for; one where its weight says how much it matters."""
        return np.rint(
            np.divide(self.weight**2, self.squares, out=np.zeros(len(self.weight)), where=self.squares > 0)
        )

    def part(self, own: BoolArray) -> LossSample:
        """Return some of the rows as a sample of their own, classes as they come."""
        weight = self.weight[own]
        total = weight.sum()
        cluster = None if self.cluster is None else np.unique(self.cluster[own], return_inverse=True)[1]
        units = self.cases[own].sum() if cluster is None else int(cluster.max()) + 1
        return LossSample(weight / total, self.squares[own] / total**2, float(units), None, cluster)


def intraclass_correlation(values: FloatArray, cluster: IntArray, number: FloatArray | None = None) -> float:
    """Estimate the intraclass correlation of clusters, from 0 to 1, by a one-way analysis of variance.

    A value is that of a `number` of cases, by default one.

    References
    ----------
    Fisher (1925), Statistical Methods for Research Workers, chapter VII.
    """
    cluster = np.unique(cluster, return_inverse=True)[1]
    each = np.ones(len(values)) if number is None else number
    sizes = np.bincount(cluster, each)
    n, clusters = float(sizes.sum()), len(sizes)
    means = np.bincount(cluster, each * values) / np.maximum(sizes, 1)
    between = float(sizes @ (means - np.average(values, weights=each)) ** 2) / max(clusters - 1, 1)
    within = float(each @ (values - means[cluster]) ** 2) / max(n - clusters, 1)
    usual = (n - float(np.square(sizes).sum()) / n) / max(clusters - 1, 1)
    total = between + (usual - 1) * within
    return min(max((between - within) / total, 0.0), 1.0) if total > 0 else 0.0


class MeanLoss(NamedTuple):
    """Mean loss and its standard error; `raised` and `raised_error` with the worst units added."""

    cost: float
    standard_error: float
    units: float
    raised: float
    raised_error: float

    def interval(self, level: float, *, shift: float = 0.0) -> Interval:
        """Return the interval of the mean; `shift` is added to its upper end."""
        from scipy.special import stdtrit

        t = float(stdtrit(self.units - 1, (1 + level) / 2))
        high = self.raised + shift + t * self.raised_error
        return Interval(self.cost - t * self.standard_error, high)


def mean_loss(
    loss: FloatArray, sample: LossSample, worst: float, *, added: int = 1, rate_variance: float = 0.0
) -> MeanLoss:
    """Return the mean of losses on rows of cases, and with some units of the worst loss added.

    `rate_variance` is that of the share of positives in use, where that is an estimate.
    """
    weight, units = sample.weight, sample.units
    cost: Any = weight @ loss
    centre, unsure = cost, 0.0
    if sample.stratum is not None:
        sizes = np.bincount(sample.stratum, weight)
        means = np.bincount(sample.stratum, weight * loss) / np.maximum(sizes, np.finfo(np.float64).tiny)
        centre = means[sample.stratum]
        unsure = rate_variance * float(means[-1] - means[0]) ** 2
    gap = loss - centre
    # all losses equal: what is left of their spread is rounding
    gap = np.where(np.abs(gap) > _ROUNDING * np.abs(loss), gap, 0.0)
    total = sample.squares @ gap**2
    if sample.cluster is not None:
        total = np.square(np.bincount(sample.cluster, weight * gap)).sum()
    share = 1 / units
    raised = (cost + added * share * worst) / (1 + added * share)
    more = (total + added * (share * (worst - raised)) ** 2) / (1 + added * share) ** 2
    return MeanLoss(
        cost=float(cost),
        standard_error=float(np.sqrt(total * units / max(units - 1, 1) + unsure)),
        units=units,
        raised=float(raised),
        raised_error=float(np.sqrt(more * (units + added) / max(units + added - 1, 1) + unsure)),
    )


def class_mean_loss(
    loss: FloatArray, sample: LossSample, worst: FloatArray, *, rate_variance: float = 0.0
) -> MeanLoss:
    """Return the mean of losses where classes are strata, each with a unit of its own worst loss added.

    Element k of `worst` is the largest loss of a unit of class k. What is unsure is often a class of few
    cases, whose worst loss need not be the largest of all.
    """
    plain = mean_loss(loss, sample, 0.0, added=0, rate_variance=rate_variance)
    means, raised, variance = [], 0.0, 0.0
    assert sample.stratum is not None
    for k in np.unique(sample.stratum[sample.weight > 0]):
        own = sample.stratum == k
        weight, squares = sample.weight[own], sample.squares[own]
        share = float(weight.sum())
        # the effective number of cases of the class (Kish 1965)
        part = LossSample(weight / share, squares / share**2, share**2 / float(squares.sum()))
        found = mean_loss(loss[own], part, float(worst[k]))
        means.append(found.cost)
        raised += share * found.raised
        variance += (share * found.raised_error) ** 2
    unsure = rate_variance * (means[-1] - means[0]) ** 2
    return plain._replace(raised=raised, raised_error=float(np.sqrt(variance + unsure)))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class MeanLossInterval(Result):
    """Mean of losses with its interval; made by `mean_loss_interval`.

    Attributes
    ----------
    cost : float
        Weighted mean of the losses.
    standard_error : float
        Of `cost`.
    units : int
        Number of independent units: clusters, or cases.
    interval : Interval
        For the mean in use; one unit of the worst loss is added to the upper end.
    """

    cost: float
    standard_error: float
    units: int
    interval: Interval


def mean_loss_interval(
    losses: ArrayLike,
    *,
    worst: float,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    y_true: Labels | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
) -> MeanLossInterval:
    """Estimate the mean of any losses, with an interval that does not collapse where nothing went wrong.

    Smaller is better. Assumes losses on cases that did not choose the rule, and independent units.

    Parameters
    ----------
    losses : array of n numbers
        Loss of a rule on every case.
    worst : float
        Largest loss that a unit of average weight can have.
    sample_weight : array of n numbers, optional
        Importance weights of the cases; those of weight 0 are left out.
    groups : array of n values, optional
        Cluster of every case: a patient, a customer. Clusters are the units; cases otherwise.
    y_true : array of n labels, optional
        Classes of the cases; needed with `prevalence`.
    pos_label : label, optional
        The positive class, if `y_true` is not 0 and 1.
    prevalence : float, optional
        P(positive) in use, if not the sample's: the classes are then two samples.
    confidence_level : float, default 0.95

    Returns
    -------
    MeanLossInterval
        With `cost`, `standard_error`, `units`, `interval`.

    Raises
    ------
    InputError
        For ill-formed input, or fewer than two units.

    Notes
    -----
    For c, se as in the module's formula and u = 1 / G, the upper end is m + t s with
    m = (c + u worst) / (1 + u), s^2 = (G + 1) / G (sum T^2 + u^2 (worst - m)^2) / (1 + u)^2; the lower end is
    c - t se. t is the quantile of Student's t with G - 1 degrees of freedom.

    Examples
    --------
    Two of 50 cases cost 10, and no case can cost more:

    >>> from demur.honest import mean_loss_interval
    >>> found = mean_loss_interval([10, 10] + [0] * 48, worst=10)
    >>> f"{found.cost:.2f} ({found.interval.low:.2f} to {found.interval.high:.2f})"
    '0.40 (-0.16 to 1.25)'
    """
    level = check_confidence_level(confidence_level)
    loss, weight = np.atleast_1d(check_finite(losses, "losses")), check_weights(sample_weight)
    if loss.ndim != 1:
        raise input_error("losses", "must hold one number per case", f"an array of shape {loss.shape}")
    cluster = check_groups(groups, len(loss), "losses")
    positive = None if y_true is None else check_labels(y_true, pos_label)
    check_same_length(losses=loss, sample_weight=weight, y_true=positive)
    mass = np.ones(len(loss)) if weight is None else weight
    if not mass.all():  # cases of weight 0 are no units
        kept = mass > 0
        loss, mass = loss[kept], mass[kept]
        cluster = None if cluster is None else cluster[kept]
        positive = None if positive is None else positive[kept]
    shares = None
    if prevalence is not None:
        if positive is None:
            raise InputError("`prevalence` needs the classes of the cases. Hint: pass y_true.")
        n_positive = float(positive.sum())
        rate = check_prevalence(prevalence, positives=n_positive, negatives=len(positive) - n_positive)
        shares = np.array([1 - rate, rate])
    units = len(loss) if cluster is None else len(np.unique(cluster))
    if units < 2:
        raise input_error("losses", "must hold at least two units", units)
    classes = None if positive is None else positive.astype(np.int64)
    sample = LossSample.of(mass, mass**2, units, classes=classes, shares=shares, cluster=cluster)
    found = mean_loss(loss, sample, check_number(worst, "worst"))
    return MeanLossInterval(
        cost=found.cost,
        standard_error=found.standard_error,
        units=units,
        interval=found.interval(level),
    )
