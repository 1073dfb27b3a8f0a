"""Tell where another rule costs the same, by looking at all of them: used when numbers are recorded.

The chosen rule is then one of several, and which one is a matter of convention. `record.py` stores the
reason, and only costs are compared. Looking at all windows is also an oracle: no window may be cheaper than
the recorded one.
"""

from typing import Any

import numpy as np

from demur import ABSTAIN, CaseCosts
from demur.comparison.class_learner import class_aims
from demur.windows import ClassRule
from golden.problems import Problem

__all__ = ["ties"]

SLACK = 1e-11
"""Of the largest loss: a decade beyond what searches call a tie, so that no borderline is left to chance."""


def ties(problem: Problem, comparison: Any) -> dict[str, dict[str, Any]]:
    """Return model -> kind of rule ("window", "threshold", or a rule of classes) -> reason."""
    if comparison.problem.many:
        return {name: _class_ties(comparison, name, problem.scale()) for name in comparison.models}
    if comparison.choice is None:
        return {name: {} for name in comparison.models}
    found: dict[str, dict[str, Any]] = {name: {} for name in comparison.models}
    windows = [one for several in comparison.choice.candidates.values() for one in several if one.window]
    for candidate in windows:
        rivals = _rival_windows(problem, comparison, candidate)
        if rivals:
            found[candidate.model][candidate.kind] = f"{rivals} other windows within {SLACK:g} of the scale"
    if not comparison.problem.may_abstain:
        for kinds in found.values():  # there the rule of a model is its threshold
            kinds.update({"window": kinds["threshold"]} if "threshold" in kinds else {})
    return found


# ---------------------------------------------------------------- windows


def _rival_windows(problem: Problem, comparison: Any, candidate: Any) -> int:
    """Count windows as good as the chosen one."""
    question = comparison.problem
    chosen = candidate.window.lower_index, candidate.window.upper_index
    slack = SLACK * problem.scale() + candidate.gap
    if question.objective == "guaranteed":
        values, allowed = _bounds(comparison, candidate)
    else:
        values, allowed = _objective(problem, comparison, candidate)
    allowed[chosen] = True
    best = values[allowed].min()
    # bounds on precisions allow fewer windows than are looked at here
    assert "precision_confidence" in problem.limits or values[chosen] <= best + slack, problem.name
    return int(np.sum(allowed & (np.abs(values - values[chosen]) <= slack))) - 1


def _cells(problem: Problem, comparison: Any, model: str) -> tuple[Any, Any, Any, Any]:
    """Return group, class, weight and losses of cases or, where costs are by class, of cells."""
    if "unknown_label" in problem.options:  # of no class: code 2
        weight = np.asarray(problem.options.get("sample_weight", np.ones(len(problem.y))))
        return np.unique(problem.scores[model], return_inverse=True)[1], problem.y, weight, None
    counts = comparison.judged[model].counts
    k = len(counts.positives)
    if not isinstance(problem.costs, CaseCosts):
        group, positive = np.tile(np.arange(k), 2), np.repeat([1, 0], k)
        return group, positive, np.concatenate([counts.positives, counts.negatives]), None
    weight = np.asarray(problem.options.get("sample_weight", np.ones(len(problem.y))))
    kept = weight > 0
    amounts = problem.costs.losses(problem.y).table[kept]
    return (
        np.unique(problem.scores[model][kept], return_inverse=True)[1],
        np.asarray(problem.y)[kept],
        weight[kept],
        amounts,
    )


def _objective(problem: Problem, comparison: Any, candidate: Any) -> tuple[Any, Any]:
    """Return the objective of every window (i, j), and which windows keep the limits."""
    question = comparison.problem
    group, positive, weight, amounts = _cells(problem, comparison, candidate.model)
    k = int(group.max()) + 1
    corners = [question.centre] if question.objective == "expected" else question.corners()
    may_abstain = candidate.kind == "window"
    allowed = np.triu(np.ones((k + 1, k + 1), bool)) if may_abstain else np.eye(k + 1, dtype=bool)
    ends = question.prevalence if isinstance(question.prevalence, tuple) else ()
    for rate in {question.rate, *ends}:
        allowed &= _kept(group, positive, _masses(positive, weight, rate), k, problem.limits)
    costs = []
    for corner in corners:
        by_class = amounts is None
        losses = corner.losses.table[positive] if by_class else amounts * np.array(corner.costs)
        paid = losses * _masses(positive, weight, corner.prevalence)[:, None]
        negative, called, review = (_running(group, column, k) for column in paid.T)
        costs.append(negative[:, None] + review[None, :] - review[:, None] + called[-1] - called[None, :])
    values = np.array(costs)
    if question.objective == "regret":
        values -= values[:, allowed].min(axis=1)[:, None, None]
    return values.max(axis=0), allowed


def _masses(positive: Any, weight: Any, rate: float | None) -> Any:
    if rate is None:
        return weight / weight.sum()
    inside = np.where(positive == 1, weight[positive == 1].sum(), weight[positive == 0].sum())
    return np.where(positive == 1, rate, 1 - rate) * weight / inside


def _running(group: Any, column: Any, k: int) -> Any:
    return np.append(0.0, np.cumsum(np.bincount(group, column, k)))


def _kept(group: Any, positive: Any, mass: Any, k: int, limits: dict[str, float]) -> Any:
    """Tell which windows keep the limits; a decision never made keeps its promise."""
    near = 1e-11
    own, other = (_running(group, mass * (positive == label), k) for label in (1, 0))
    everything = own + other
    i, j = np.indices((k + 1, k + 1))
    kept = everything[j] - everything[i] <= limits.get("max_abstention", 1.0) + near
    kept &= own[i] <= limits.get("max_fn_rate", 1.0) * own[-1] + near
    called, right = everything[-1] - everything[j], own[-1] - own[j]
    kept &= right >= limits.get("min_precision_positive", 0.0) * called - near
    return kept & (other[i] >= limits.get("min_precision_negative", 0.0) * everything[i] - near)


def _bounds(comparison: Any, candidate: Any) -> tuple[Any, Any]:
    """Return the guaranteed bound of every window."""
    model = comparison.models[candidate.model]
    scores = comparison.judged[candidate.model].counts.scores
    cuts = [-np.inf, *(scores[1:] + scores[:-1]) / 2, np.inf]
    values = np.full((len(cuts), len(cuts)), np.inf)
    for i in range(len(cuts)):
        for j in range(i, len(cuts) if candidate.kind == "window" else i + 1):
            values[i, j] = model.certificate.bound_of((cuts[i], cuts[j]), costs=comparison.problem.point)
    return values, np.isfinite(values)


# ---------------------------------------------------------------- weights of classes


def _class_ties(comparison: Any, name: str, scale: float) -> dict[str, Any]:
    """Return the rules of one model beside which another one costs the same."""
    model = comparison.models[name]
    found = {}
    for candidate in comparison.choice.candidates[name]:
        if _has_rival(comparison, candidate, scale):
            reason = "another weighting decides otherwise at the same cost"
            if candidate.rule is model.rule:
                found["window"] = reason
            if candidate.aim == 0:
                found.setdefault("rules", {})[candidate.kind] = reason
    return found


def _has_rival(comparison: Any, candidate: Any, scale: float) -> bool:
    """Tell whether one step of the search away a rule decides otherwise at the same hindsight cost."""
    question, cases = comparison.problem, candidate.cases
    limit = question.limits.max_abstention
    expected = candidate.kind.startswith("expected")
    if candidate.kind == "argmax" or (expected and (limit is None or not candidate.rule.abstains)):
        return False  # nothing is chosen
    table = class_aims(question)[candidate.aim].table
    mass = cases.sizes.astype(float)
    if question.shares is not None:
        mass *= (question.shares / np.bincount(cases.codes, mass, cases.n_classes))[cases.codes]
    mass /= mass.sum()
    proba = comparison.judged[candidate.model].scores

    def cost(codes: Any) -> float:
        return float(mass @ table[cases.codes, codes])

    own = candidate.rule.codes(proba)
    paid = cost(own)
    for other in _neighbours(candidate, proba, cases, mass):
        codes = other.codes(proba)
        kept = limit is None or mass[codes == ABSTAIN].sum() <= limit + 1e-11
        if kept and np.any(codes != own) and cost(codes) <= paid + SLACK * scale:
            return True
    return False


def _neighbours(candidate: Any, proba: Any, cases: Any, mass: Any) -> list[ClassRule]:
    """Return rules that the search could have chosen: one weight moved, or another cautious window."""
    rule, m = candidate.rule, cases.n_classes
    if candidate.kind.startswith("cautious"):
        bias = np.full(m, 1 / m)
        if candidate.kind.endswith("by class"):
            bias = np.bincount(cases.codes, mass, m) + 1 / len(cases.codes)
            bias /= bias.sum()
        windows = np.linspace(0, 1, 1001)[1:-1]
        return [
            ClassRule(classes=rule.classes, weights=1 / ((1 - bias) * window + bias), abstain_weight=1.0)
            for window in windows
        ]
    weights = np.append(rule.weights, rule.abstain_weight or [])
    moved = []
    first = len(weights) - 1 if candidate.kind.startswith("expected") else 0
    for place in range(first, len(weights)):
        for value in _steps(rule, proba, weights, place):
            other = weights.copy()
            other[place] = value
            moved.append(
                ClassRule(
                    classes=rule.classes,
                    weights=other[:m],
                    abstain_weight=other[m] if len(other) > m else None,
                    column_costs=rule.column_costs,
                )
            )
    return moved


def _steps(rule: ClassRule, proba: Any, weights: Any, place: int) -> Any:
    """Return a value of one weight between any two at which a case is decided otherwise."""
    if rule.column_costs is None:
        scores = np.column_stack([proba, proba.sum(axis=1)])[:, : len(weights)]
    else:
        with np.errstate(divide="ignore"):
            scores = 1 / (proba @ rule.column_costs)
    others = np.delete(scores * weights, place, axis=1).max(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = others / scores[:, place]
    at = np.unique(at[np.isfinite(at) & (at > 0)])
    if not len(at):
        return at
    return np.concatenate([[at[0] / 2], np.sqrt(at[1:] * at[:-1]), [at[-1] * 2]])
