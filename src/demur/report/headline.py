"""The decision in words: which model, how often it acts, what that costs, how sure that is."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from demur._results import Interval
from demur.costs.model import CostModel
from demur.report.model import ModelReport
from demur.surface.window import AbstentionWindow

__all__ = [
    "ExpectedCost",
    "best_model",
    "expected_cost",
    "headline",
    "model_remarks",
    "out_of_100",
    "short_name",
]

_CASES = 1000
_LONGEST_NAME = 40
_TIE = 1e-12  # costs per case within this of each other, relative to a miss, are a tie
_TOO_FEW = (
    "Judged on cases that did not choose it, the window costs more than the rule without a model: "
    "collect more cases before you rely on it."
)


class ExpectedCost(NamedTuple):
    """Expected cost per case of one model at some costs; honest where the data allow it."""

    cost: float
    interval: Interval | None
    certified: float | None


def short_name(name: str) -> str:
    """Cut a name that would fill the sentence."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..."


def best_model(models: Sequence[ModelReport], costs: CostModel) -> ModelReport:
    """Return the model whose window is cheapest; the volume decides ties."""
    # rounding makes ties exact
    return min(models, key=lambda m: (round(m.surface.window(costs=costs).cost, 12), m.surface.volume()))


def headline(
    models: Sequence[ModelReport], costs: CostModel, confidence_level: float, *, costs_given: bool
) -> str:
    """Say what to do at these costs, what it costs, and what the other ways cost."""
    counts = models[0].surface.counts
    if min(counts.n_positive, counts.n_negative) == 0:
        only = "positive" if counts.n_positive else "negative"
        return f"All cases are {only}: there is nothing to decide, and nothing to learn about thresholds."
    best, opening = best_model(models, costs), _opening(costs, costs_given=costs_given)
    window, trivial = best.surface.window(costs=costs), best.surface.trivial().window(costs=costs)
    if trivial.cost <= window.cost + _TIE:
        cost = _per_1000(trivial.expected_cost, _step(ExpectedCost(trivial.expected_cost, None, None)))
        advice = f"{opening}, {_without_model(trivial)}: no model is cheaper."
        return f"{advice} Expected cost {cost} per 1000 cases."
    found = expected_cost(best, costs, confidence_level)
    parts = [
        f"{opening}, {_advice(best, window, costs)}",
        _cost_sentence(found, confidence_level),
        *_other_ways(models, best, window, trivial, costs, found),
    ]
    return " ".join(parts)


def model_remarks(models: Sequence[ModelReport]) -> Iterator[str]:
    """Say what is odd about the models as a whole."""
    for model in models:
        if model.auc is not None and model.auc < 0.5:
            yield f"{short_name(model.name)} ranks worse than chance (AUC {model.auc:.3f}); flip its scores?"
    if len(models) == 1:
        yield "Only one model: nothing to compare."


# ---------------------------------------------------------------- what to do


def _opening(costs: CostModel, *, costs_given: bool) -> str:
    if costs_given:
        return "With these costs"
    review = "" if costs.cost_abstain is None else f" and a review {costs.cost_abstain:g}"
    return f"If a miss costs {costs.cost_fn:g}, a false alarm {costs.cost_fp:g}{review}"


def _advice(best: ModelReport, window: AbstentionWindow, costs: CostModel) -> str:
    name = short_name(best.name)
    if not window.is_empty:
        act, send = out_of_100(window.abstention_rate)
        return f"use {name}: act on {act} of 100 cases, send {send} to a person."
    why = ": abstaining is never worth it" if costs.may_abstain else ""
    return f"use {name} for all cases{why}."


def _without_model(window: AbstentionWindow) -> str:
    if not window.is_empty:
        return "send every case to a person"
    return f"call every case {'positive' if window.upper_index == 0 else 'negative'}"


def out_of_100(abstention_rate: float) -> tuple[str, str]:
    """Say how many of 100 cases are acted on, and how many are sent to a person."""
    send = round(100 * abstention_rate)
    if send in (0, 100):
        most, least = "more than 99", "fewer than 1"
        return (most, least) if send == 0 else (least, most)
    return str(100 - send), str(send)


# ---------------------------------------------------------------- what it costs


def expected_cost(model: ModelReport, costs: CostModel, confidence_level: float) -> ExpectedCost:
    """Return what the window of a model costs at these costs, and how sure that is."""
    surface, certified = model.surface, None
    if model.certificate is not None:
        certified = model.certificate.window(costs=costs).certified_expected_cost
    if model.honest is None:
        return ExpectedCost(surface.window(costs=costs).expected_cost, None, certified)
    at = costs.mu, costs.nu
    ends = model.honest.interval(*at, confidence_level=confidence_level)
    low, high = (float(costs.expected_cost(end, surface.prevalence)) for end in ends)
    cost = float(costs.expected_cost(model.honest.cost(*at), surface.prevalence))
    return ExpectedCost(cost, Interval(low, high), certified)


def _cost_sentence(found: ExpectedCost, confidence_level: float) -> str:
    sure, step = [], _step(found)
    if found.interval is None:
        sure.append("judged on the cases that chose the thresholds, so too low on average")
    else:
        low, high = (_per_1000(end, step) for end in found.interval)
        sure.append(f"{100 * confidence_level:g} % {low}-{high}")
    if found.certified is not None:
        sure.append(f"certified <= {_per_1000(found.certified, step)}")
    return f"Expected cost {_per_1000(found.cost, step)} per 1000 cases ({'; '.join(sure)})."


def _other_ways(
    models: Sequence[ModelReport],
    best: ModelReport,
    window: AbstentionWindow,
    trivial: AbstentionWindow,
    costs: CostModel,
    found: ExpectedCost,
) -> Iterator[str]:
    step = _step(found)
    if not window.is_empty:
        never = replace(costs, cost_abstain=None)
        other = best_model(models, never)
        who = "" if other is best else f" (with {short_name(other.name)})"
        # the level matters for the interval only
        cost = expected_cost(other, never, confidence_level=0.95).cost
        yield f"Never abstaining: {_per_1000(cost, step)}{who}."
    rule = _without_model(trivial)
    yield f"Best rule without a model ({rule}): {_per_1000(trivial.expected_cost, step)}."
    if best.honest is not None and best.honest.cost(costs.mu, costs.nu) > trivial.cost + _TIE:
        yield _TOO_FEW


def _step(found: ExpectedCost) -> float:
    """Unit of the last digit worth showing, per 1000 cases: two digits of the width of the interval."""
    width = found.cost if found.interval is None else found.interval.high - found.interval.low
    if not width > 0:
        return 1.0
    return float(10.0 ** (math.floor(math.log10(_CASES * width)) - 1))


def _per_1000(cost: float, step: float) -> str:
    """Show a cost per case as one per 1000 cases, rounded to whole steps."""
    digits = max(0, -round(math.log10(step)))
    return f"{round(_CASES * cost / step) * step:,.{digits}f}"
