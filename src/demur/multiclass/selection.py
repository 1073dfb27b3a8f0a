"""Choice of the method and family of class weights by the cost on held-out examples."""

import dataclasses

import numpy as np

from demur._checks import input_error
from demur.multiclass.rules import ClassWeights, Family, LabelledScores, SearchOptions, fitted_rule
from demur.typing import IntArray

__all__ = ["selected_rule", "training_priors"]

# name -> (method, family); the plain scores first, so that a tie goes to the simplest rule
_CANDIDATES: dict[str, tuple[str, Family]] = {
    "none": ("none", "weights"),
    "bayes": ("none", "columns"),
    "coordinate, weights": ("coordinate", "weights"),
    "coordinate, columns": ("coordinate", "columns"),
    "restarts, weights": ("restarts", "weights"),
    "restarts, columns": ("restarts", "columns"),
}


def selected_rule(
    data: LabelledScores, family: Family, options: SearchOptions, *, folds: int
) -> ClassWeights:
    """Fit the candidate with the lowest cross-validated cost to all examples.

    Candidates are the plain scores, the Bayes rule, and the searches in the given family. The
    training optimum overfits where examples are few: cross-validate to see whether weights pay.
    """
    parts = _stratified_folds(data.y, folds, options.rng)
    names = [name for name, (method, kind) in _CANDIDATES.items() if method == "none" or kind == family]
    if np.any(data.costs.values < 0):
        names.remove("bayes")
    costs = {name: _held_out_cost(data, parts, *_CANDIDATES[name], options) for name in names}
    # the objective is rounded at the 12th digit at best: no preference below that
    chosen = min(names, key=lambda name: round(costs[name], 12))
    rule = fitted_rule(data, *_CANDIDATES[chosen], options)
    return dataclasses.replace(rule, cross_validation=costs)


def _stratified_folds(y: IntArray, folds: int, rng: np.random.Generator) -> list[IntArray]:
    """Deal the examples of each class out to the folds at random."""
    if len(y) < folds:
        raise input_error("folds", f"must not exceed the number of examples, {len(y)}", folds)
    fold_of = np.empty(len(y), dtype=np.int64)
    # one sequence for all classes, so that small classes do not all end up in the first fold
    sequence = np.concatenate([rng.permutation(np.flatnonzero(y == k)) for k in np.unique(y)])
    fold_of[sequence] = np.arange(len(y)) % folds
    return [np.flatnonzero(fold_of == fold) for fold in range(folds)]


def _held_out_cost(
    data: LabelledScores, parts: list[IntArray], method: str, family: Family, options: SearchOptions
) -> float:
    """Cost of the answers to every example by a rule that did not see it."""
    v = data.answer_costs()
    total = 0.0
    everything = np.arange(len(data.y))
    for held_out in parts:
        training = data.part(np.setdiff1d(everything, held_out))
        # a class may be missing from small training parts; its prior has nothing to act on there
        if data.priors is not None:
            training = training._replace(priors=training_priors(data, training))
        rule = fitted_rule(training, method, family, options)
        codes = rule.decide(data.log_scores[held_out], log=True)
        total += float(v[held_out, codes].sum())
    return total


def training_priors(data: LabelledScores, training: LabelledScores) -> list[float]:
    """Priors of the classes present in the training part, scaled to sum to 1."""
    shares, _ = data.class_shares()
    present = np.bincount(training.y, minlength=len(shares)) > 0
    kept = np.where(present, shares, 0.0)
    return [float(share) for share in (kept / kept.sum() if kept.sum() else present / present.sum())]
