"""More than two classes: weights on the scores that make the answers cheap.

A classifier gives every class a confidence; the answer is the class with the largest weighted
confidence. Deng, Bourke, Scott et al. (2006) look for the weights with the lowest cost on the
ROC hypersurface; here two and three classes are solved exactly, more by exact line searches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from demur._checks import (
    check_choice,
    check_positive,
    check_positive_int,
    check_rng,
    check_same_length,
    check_weights,
    input_error,
)
from demur.costs.matrix import as_cost_matrix, by_class, class_indices, class_names
from demur.multiclass.rules import (
    METHODS,
    ClassWeights,
    Family,
    LabelledScores,
    SearchOptions,
    fitted_rule,
    log_of_scores,
)
from demur.multiclass.selection import selected_rule
from demur.typing import ArrayLike, IntArray, Labels

__all__ = ["labelled_scores", "optimize_weights"]

_SHORT = {"ils": "restarts", "coord": "coordinate", "lf": "lachiche-flach"}


def optimize_weights(
    scores: ArrayLike,
    y_true: Labels,
    costs: Any,
    *,
    classes: Sequence[Any] | None = None,
    priors: Any = None,
    sample_weight: ArrayLike | None = None,
    method: str = "auto",
    family: Family = "weights",
    abstain_cost: Any = None,
    log: bool = False,
    center: bool = True,
    n_restarts: int = 100,
    order: Sequence[Any] | None = None,
    time_limit: float = 25.0,
    eta: float = 1e-6,
    folds: int = 5,
    rng: Any = None,
) -> ClassWeights:
    """Class weights with the lowest cost per case on labelled examples; the lower the better.

    The answer to x is the class with the largest w_k f(x, C_k). Assumes that the examples look
    like the cases to come: with few of them the cheapest weights overfit, and ``method="cv"``
    shows whether weights pay at all.

    Parameters
    ----------
    scores : array of shape (n, m)
        Confidences f >= 0, one column per class, such as probabilities; logarithms if `log`.
    y_true : n labels
        True classes.
    costs : mapping {true: {predicted: cost}}, CostMatrix, data frame or array
        Rows are true classes, columns answers; a bare array is in the order of the columns.
    classes : m names, optional
        Names of the columns; default: the sorted names in `costs`, or the sorted labels.
    priors : mapping {class: p} or m numbers, optional
        P(class) where the rule is used; default: the shares of the sample.
    sample_weight : n numbers, optional
        Weight 2 means the same as a repeated row.
    method : str
        "auto" (exact for two answers, and for three up to n = 5000, else restarts), "exact",
        "milp", "restarts" ("ils"), "coordinate" ("coord"), "subsets", "lachiche-flach" ("lf"),
        "lp", "solff", "ga", "ga-solff", "de", "none", or "cv": the best of none, Bayes rule,
        coordinate search and restarts by cross-validation.
    family : {"weights", "columns"}
        "columns": answer argmin_k v_k L_k with L_k = sum_j c(j, k) f_j, O'Brien and Gray (2005).
        Equal v is the Bayes rule, so prefer it where costs depend on the answer.
    abstain_cost : number, or one per class, optional
        Allows the answer "abstain" at this price; scores are scaled to probabilities.
    center : bool
        Move the weights to the middle of their cell (same answers, largest margin); False keeps
        them as the method left them.
    n_restarts, order, time_limit, eta, folds
        Of "restarts", "lachiche-flach" (class names), "milp" (seconds), "lp" (price of leaving equal
        weights, eq. 14) and "cv".
    rng : seed or Generator, optional
        For the random searches.

    Returns
    -------
    ClassWeights
        With `weights`, `labels`, `objective`, `margin`, `lower_bound`, `optimal` and `decide`.

    Raises
    ------
    InputError
        If names of costs and classes differ, a class with a prior has no example, or the input
        is not finite.

    Notes
    -----
    J(w) = sum_j p(C_j) sum_k r(C_j, C_k) c(C_j, C_k), eq. (1), r the share of class j answered
    k. J is constant on the cells of an arrangement, so no gradient helps; with the number of
    classes part of the input the problem is NP-hard. `lower_bound` holds for all weights,
    except that "milp" considers only weights with a margin of 1e-4. Confidences of 0 count as
    exp(-690) of the best of their row, log ratios closer than 4e-13 of the largest as equal.

    References
    ----------
    Deng, Bourke, Scott, Sunderman and Zheng (2006), New algorithms for optimizing multi-class
    classifiers via ROC surfaces, ROCML workshop at ICML. O'Brien and Gray (2005), ROCML.
    Lachiche and Flach (2003), ICML.

    Examples
    --------
    Missing the rare third class is expensive. What do the plain scores cost, and the best weights?

    >>> from demur import optimize_weights
    >>> scores = [[.7, .2, .1], [.5, .3, .2], [.4, .35, .25], [.3, .5, .2],
    ...           [.45, .4, .15], [.2, .3, .5], [.5, .1, .4], [.34, .33, .33]]
    >>> y = ["a", "b", "b", "b", "a", "c", "c", "a"]
    >>> costs = {"a": {"b": 1, "c": 4}, "b": {"a": 3, "c": 2}, "c": {"a": 8, "b": 6}}
    >>> optimize_weights(scores, y, costs, method="none").objective
    1.75
    >>> best = optimize_weights(scores, y, costs)
    >>> best.objective, best.optimal, best.weights.round(3).tolist()
    (0.25, True, [1.0, 2.152, 1.667])
    """
    method = check_choice(_SHORT.get(method, method), "method", (*METHODS, "cv"))
    check_choice(family, "family", ("weights", "columns"))
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
    if family == "columns" and np.any(data.costs.values < 0):
        lowest = float(data.costs.values.min())
        raise input_error(
            "costs", "must not be negative for family='columns'", lowest, "add a constant to all."
        )
    if time_limit <= 0:
        raise input_error("time_limit", "must be a positive number of seconds", time_limit)
    options = SearchOptions(
        rng=check_rng(rng),
        n_restarts=check_positive_int(n_restarts, "n_restarts", minimum=0),
        order=None if order is None else _order_indices(order, data),
        time_limit=float(time_limit),
        center=center,
        eta=check_positive(eta, "eta"),
    )
    if method == "cv":
        return selected_rule(data, family, options, folds=check_positive_int(folds, "folds", minimum=2))
    return fitted_rule(data, method, family, options)


def labelled_scores(
    scores: ArrayLike,
    y_true: Labels,
    costs: Any,
    *,
    classes: Sequence[Any] | None = None,
    priors: Any = None,
    sample_weight: ArrayLike | None = None,
    abstain_cost: Any = None,
    log: bool = False,
) -> LabelledScores:
    """Check the evidence of `optimize_weights` and bring it into the form the methods work with."""
    g = log_of_scores(scores, log=log)
    names = class_names(y_true, g.shape[1], costs, classes)
    matrix = as_cost_matrix(costs, names)
    y = class_indices(y_true, names)
    weight = check_weights(sample_weight)
    check_same_length(scores=g, y_true=y, sample_weight=weight)
    abstain_costs = None if abstain_cost is None else by_class(abstain_cost, "abstain_cost", names)
    return LabelledScores(g, y, weight, matrix, abstain_costs, priors)


def _order_indices(order: Sequence[Any], data: LabelledScores) -> IntArray:
    """Indices of the classes in the order given by name; abstaining comes last."""
    classes = data.costs.classes
    names = list(order)
    if sorted(map(repr, names)) != sorted(map(repr, classes)):
        raise input_error("order", f"must name each of the classes {list(classes)!r} once", repr(names))
    last = [] if data.abstain_costs is None else [len(classes)]
    return np.array([classes.index(name) for name in names] + last, dtype=np.int64)
