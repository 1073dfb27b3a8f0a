"""Binary views of a multi-class problem: one class against one, or one against the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from demur._checks import check_choice
from demur._results import Result
from demur.costs.model import CostModel
from demur.counts.window import AbstentionWindow
from demur.exceptions import UndefinedError
from demur.multiclass.weights import LabelledScores, labelled_scores
from demur.surface.surface import AbstentionSurface, abstention_surface
from demur.typing import ArrayLike, Labels

__all__ = ["ClassCostMap", "class_cost_maps"]

Scheme = Literal["one-vs-one", "one-vs-rest"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ClassCostMap(Result):
    """Cost of one binary decision among several classes; made by `class_cost_maps`.

    Attributes
    ----------
    positive, negative : class names
        What is told apart; `negative` is None for "all others".
    costs : CostModel
        The binary costs that follow from the cost matrix.
    surface : AbstentionSurface
        Cost over all (mu, nu) with the log ratio of the two scores as score.
    window : AbstentionWindow
        The cheapest window for `costs`; its thresholds are log ratios.
    share : float
        P(case belongs to either side) at the priors in use.
    """

    positive: Any
    negative: Any
    costs: CostModel
    surface: AbstentionSurface
    window: AbstentionWindow
    share: float

    _evidence = ("counts", "surface")


def class_cost_maps(
    scores: ArrayLike,
    y_true: Labels,
    costs: Any,
    *,
    scheme: Scheme = "one-vs-one",
    classes: Sequence[Any] | None = None,
    priors: Any = None,
    sample_weight: ArrayLike | None = None,
    abstain_cost: Any = None,
    log: bool = False,
) -> dict[Any, ClassCostMap]:
    """Abstention surface and cheapest window of every binary decision inside a multi-class one.

    Shows which pair of classes costs most. Each map answers its own question: the
    windows do not add up to a multi-class rule (use `optimize_weights` for that), and a map
    assumes that its two sides are the only possibilities.

    Parameters
    ----------
    scores, y_true, costs, classes, priors, sample_weight, abstain_cost, log
        As in `optimize_weights`.
    scheme : {"one-vs-one", "one-vs-rest"}
        All pairs of classes, or each class against all others; then costs are averaged over the
        others by the priors.

    Returns
    -------
    dict
        (a, b) -> ClassCostMap, or a -> ClassCostMap. Pairs in which a side has no example or
        nothing can go wrong are left out.

    Raises
    ------
    UndefinedError
        If no decision is left.

    Examples
    --------
    Which pair of classes costs most?

    >>> from demur.multiclass import class_cost_maps
    >>> scores = [[.7, .2, .1], [.5, .3, .2], [.4, .35, .25], [.3, .5, .2],
    ...           [.45, .4, .15], [.2, .3, .5], [.5, .1, .4], [.34, .33, .33]]
    >>> y = ["a", "b", "b", "b", "a", "c", "c", "a"]
    >>> costs = {"a": {"b": 1, "c": 4}, "b": {"a": 3, "c": 2}, "c": {"a": 8, "b": 6}}
    >>> maps = class_cost_maps(scores, y, costs)
    >>> {pair: round(m.share * m.window.expected_cost, 3) for pair, m in maps.items()}
    {('a', 'b'): 0.25, ('a', 'c'): 0.5, ('b', 'c'): 0.0}
    """
    check_choice(scheme, "scheme", ("one-vs-one", "one-vs-rest"))
    data = labelled_scores(
        scores,
        y_true,
        costs,
        classes=classes,
        priors=priors,
        sample_weight=sample_weight,
        abstain_cost=abstain_cost,
        log=log,
    )
    names = data.costs.classes
    maps: dict[Any, ClassCostMap] = {}
    sides = (
        combinations(range(len(names)), 2)
        if scheme == "one-vs-one"
        else ((a, None) for a in range(len(names)))
    )
    for a, b in sides:
        cost_map = _cost_map(data, a, b)
        if cost_map is not None:
            maps[names[a] if b is None else (names[a], names[b])] = cost_map
    if not maps:
        raise UndefinedError("No two classes have examples and costs to decide between.")
    return maps


def _cost_map(data: LabelledScores, a: int, b: int | None) -> ClassCostMap | None:
    """The map of class `a` against `b` (None: all others), or None if there is nothing to decide."""
    names = data.costs.classes
    shares, _ = data.class_shares()
    others = np.arange(len(names)) != a if b is None else np.arange(len(names)) == b
    if shares[a] == 0 or not shares[others].sum():
        return None
    prices = {"abstain_cost": data.abstain_costs}
    try:
        if b is None:
            costs = data.costs.one_vs_rest(names[a], priors=shares.tolist(), **prices)
        else:
            costs = data.costs.one_vs_one(names[a], names[b], **prices)
    except UndefinedError:
        return None
    rows = (data.y == a) | others[data.y]
    # cases of the others count by their priors, not by how many of them were sampled
    weights = data.case_shares() * len(data.y)
    rivals = data.log_scores[:, others]
    best = rivals.max(axis=1)
    ratio = data.log_scores[:, a] - (best + np.log(np.exp(rivals - best[:, None]).sum(axis=1)))
    surface = abstention_surface(
        (data.y[rows] == a).astype(np.int64), ratio[rows], sample_weight=weights[rows]
    )
    return ClassCostMap(
        positive=names[a],
        negative=None if b is None else names[b],
        costs=costs,
        surface=surface,
        window=surface.window(costs=costs),
        share=float(shares[a] + shares[others].sum()),
    )
