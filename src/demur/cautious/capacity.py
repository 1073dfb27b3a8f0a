"""Capacity graphs: error against abstention, for one cautious classifier or a set of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from demur import _html
from demur._checks import check_mapping, check_probability, check_rate, input_error
from demur._kernels.polyline import lower_hull
from demur._results import Result, as_scalar
from demur.cautious.confusion import CautiousConfusion
from demur.typing import ArrayLike, FloatArray, Scalar

__all__ = ["CapacityGraph", "Mixture", "capacity_graph"]

_SAME_POINT = 1e-12


class Mixture(NamedTuple):
    """Two corners of the hull to draw from at random: the second with probability `share`.

    A corner is (model, abstention): the model as it is, the model with its abstentions guessed
    (abstention 0), or "abstain" always.
    """

    first: tuple[str, float]
    second: tuple[str, float]
    share: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class CapacityGraph(Result):
    """Error against abstention of cautious classifiers, and the best that mixing them reaches.

    Attributes
    ----------
    names : tuple of str
        The classifiers.
    points : array of shape (classifiers, 2)
        Row t: abstention and error of classifier t.
    tails : array of shape (classifiers, 2)
        Row t: (0, error) when classifier t guesses instead of abstaining.
    hull : array of shape (corners, 2)
        Corners (abstention, error) of the lower convex hull of points, tails and (1, 0).
    corners : tuple of str
        Classifier at each corner of the hull; "abstain" for (1, 0).
    capacity : float
        1 minus the area under the hull; for one classifier its own capacity where its graph is
        convex. The higher the better.
    discarded : tuple of str
        Classifiers that are at no corner: no share of abstentions makes them worth using.
    guess : str
        How abstained cases are guessed.
    baseline : float
        Error at abstention 0 of a classifier without information; its graph ends in (1, 0).
    """

    names: tuple[str, ...]
    points: FloatArray
    tails: FloatArray
    hull: FloatArray
    corners: tuple[str, ...]
    capacity: float
    discarded: tuple[str, ...]
    guess: str
    baseline: float

    def _figure(self) -> str:
        return _html.curve(self.hull[:, 0], self.hull[:, 1], ("abstention", "error"))

    def error(self, abstention: ArrayLike) -> Scalar:
        """Return the lowest error that a random mixture reaches at a share of abstentions."""
        alpha = check_probability(abstention, "abstention")
        return as_scalar(np.asarray(np.interp(alpha, self.hull[:, 0], self.hull[:, 1])))

    def mixture(self, abstention: float) -> Mixture:
        """Return the two corners to mix, and the share of the second, for a share of abstentions."""
        alpha = check_rate(abstention, "abstention")
        x = self.hull[:, 0]
        right = int(np.clip(np.searchsorted(x, alpha, side="right"), 1, len(x) - 1))
        ends = [(self.corners[k], float(x[k])) for k in (right - 1, right)]
        return Mixture(ends[0], ends[1], float((alpha - x[right - 1]) / (x[right] - x[right - 1])))


def capacity_graph(
    confusions: CautiousConfusion | Iterable[CautiousConfusion] | Mapping[str, CautiousConfusion],
    *,
    guess: str = "uniform",
) -> CapacityGraph:
    """Error against abstention of one or several classifiers, with the hull of their mixtures.

    The lower the graph the better. From its own point a classifier reaches more abstention by
    withdrawing answers at random, straight down to (1, 0), and less by guessing, straight up to
    its tail. Assumes that all matrices come from the same cases.

    Parameters
    ----------
    confusions : CautiousConfusion, sequence of them, or mapping {name: CautiousConfusion}
        All with the same number of classes.
    guess : "uniform" or "prior"
        How an abstained case would be guessed; by the class shares, tails may be lower or higher.

    Returns
    -------
    CapacityGraph
        With `points`, `tails`, `hull`, `capacity`, `discarded`, `error`, `mixture`.

    Raises
    ------
    InputError
        If there is no matrix, or they differ in the number of classes.

    Notes
    -----
    Tail of classifier t: E_t + s A_t, with s = (c - 1)/c for uniform guessing and
    s = sum_j U_j (1 - p_j) / sum_j U_j by the class shares p, U_j the abstentions of class j.
    A random mixture of two classifiers lies on the segment between their points, so every point
    of the hull is reached. Collinear points are no corners.

    References
    ----------
    Ferri, Hernandez-Orallo (2004), "Cautious Classifiers", ROCAI, figures 2 and 3.

    Examples
    --------
    If every case must be answered, use the bold classifier; at 9 % abstentions the cautious one
    alone; in between, draw one of the two for each case:

    >>> from demur import CautiousConfusion
    >>> from demur.cautious import capacity_graph
    >>> bold = CautiousConfusion([[20, 2, 3], [0, 31, 3], [0, 1, 40], [0, 0, 0]])
    >>> cautious = CautiousConfusion([[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]])
    >>> graph = capacity_graph({"bold": bold, "cautious": cautious})
    >>> graph.corners, graph.discarded
    (('bold', 'cautious', 'abstain'), ())
    >>> round(graph.error(0.05), 4)
    0.0622
    """
    if isinstance(confusions, CautiousConfusion):
        confusions = [confusions]
    if not isinstance(confusions, Iterable):
        raise input_error(
            "confusions", "must be a CautiousConfusion, several, or a mapping", type(confusions).__name__
        )
    named = confusions if isinstance(confusions, Mapping) else dict(enumerate(confusions))
    members = check_mapping(named, "confusions", CautiousConfusion)
    sizes = {matrix.n_classes for matrix in members.values()}
    if len(sizes) > 1:
        raise input_error("confusions", "must have the same number of classes", sorted(sizes))
    points = np.array([(matrix.abstention, matrix.error) for matrix in members.values()])
    tails = np.array([(0.0, matrix.at_abstention(0, guess=guess).error) for matrix in members.values()])
    candidates = np.vstack([points, tails, [(1.0, 0.0)]])
    hull = candidates[lower_hull(candidates)]
    names, first = tuple(members), next(iter(members.values()))
    baseline = first.guess_error
    if first.unknown_label is not None:  # what cannot be known is never guessed right
        baseline = 1 - float(first.class_totals[:-1].sum()) / first.card / first.n_classes
    # row by corner: the classifiers whose point or tail it is; the last corner is to abstain on everything
    near = np.abs(hull[:, None, None] - np.stack([points, tails])).max(axis=3) <= _SAME_POINT
    owned = near.any(axis=1) & (np.abs(hull - (1.0, 0.0)).max(axis=1) > _SAME_POINT)[:, None]
    return CapacityGraph(
        names=names,
        points=points,
        tails=tails,
        hull=hull,
        corners=tuple(names[row.argmax()] if row.any() else "abstain" for row in owned),
        capacity=1 - float(np.trapezoid(hull[:, 1], hull[:, 0])),
        discarded=tuple(name for name, used in zip(names, owned.any(axis=0), strict=True) if not used),
        guess=guess,
        baseline=baseline,
    )
