"""A comparison as tables of at most 80 columns."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from demur._html import threshold_text
from demur._results import Interval
from demur.cli.answers.pairs import PairDifference
from demur.cli.output import number, percent, table, told_apart, wrapped
from demur.comparison.comparison import Comparison
from demur.comparison.estimates import incurred_costs
from demur.comparison.models import ModelComparison
from demur.comparison.words import amounts_words, short_name
from demur.costs.case_costs import CaseCosts
from demur.costs.curves import BestRange, CostCurve
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.costs.reviewer_cascade import ReviewCascade

__all__ = [
    "costs_section",
    "level_words",
    "pairs_section",
    "per_1000",
    "prices_words",
    "quality_section",
    "ranges_section",
    "thresholds_section",
]

_CASES = 1000
_MOST_RANGES = 8
# room beside "0.000 to 1.000", and beside the numbers of a pair
_LONGEST_WINNER = 60
_LONGEST_IN_PAIR = 11


def costs_section(comparison: Comparison) -> tuple[str, str]:
    """Costs of every model and of the rules without a model, per 1000 cases."""
    question = comparison.question
    assert question.costs is not None
    prices = prices_words(question.costs, comparison)
    title = f"Cost per 1000 cases ({prices}; {percent(comparison.prevalence)} positive)"
    level = level_words(question.confidence_level)
    header = ["rule", "cost", f"{level} interval", "no reviews", "abstains", "hindsight"]
    ordered = _by_cost(comparison)
    rows = [list(_cost_row(model)) for model in ordered if model.cost is not None]
    rows += [
        [rule, per_1000(cost), "", "", "", ""]
        for rule, cost in sorted(comparison.trivial.items(), key=lambda item: item[1])
    ]
    note = (
        "cost: measured on cases not used to choose the thresholds; no reviews: the same model with one "
        "threshold; hindsight: measured on the cases used to choose, too low on average"
    )
    left_out = [
        f"Left out: {short_name(model.name)}. {model.left_out}" for model in ordered if model.left_out
    ]
    return wrapped(title), "\n".join([table(header, rows), wrapped(note), *map(wrapped, left_out)])


def _by_cost(comparison: Comparison) -> list[ModelComparison]:
    return sorted(comparison.models.values(), key=lambda model: (model.cost is None, model.cost or 0.0))


def _cost_row(model: ModelComparison) -> Iterator[str]:
    assert model.interval is not None
    yield model.name
    yield per_1000(model.cost)
    yield " to ".join(per_1000(end, 3) for end in model.interval)
    yield per_1000(model.threshold_cost)
    yield "" if model.abstention_rate is None else percent(model.abstention_rate)
    yield per_1000(model.hindsight_cost)


def thresholds_section(comparison: Comparison) -> tuple[str, str]:
    """Thresholds of every model: of its window, and the single one without reviews."""
    rows = []
    for model in _by_cost(comparison):
        if model.window is not None:
            cuts = model.window.lower, model.window.upper, model.threshold
            rows.append([model.name, *("" if cut is None else threshold_text(cut) for cut in cuts)])
    body = table(["model", "negative up to", "positive from", "one threshold"], rows)
    return "Thresholds", body


def per_1000(cost: float | None, digits: int = 4) -> str:
    """Show a cost per case as one per 1000 cases; nothing for None."""
    return "" if cost is None else number(_CASES * cost, digits)


def level_words(confidence_level: float) -> str:
    """Show a level of confidence: "95 %"."""
    return percent(confidence_level).replace(".0 %", " %")


def prices_words(costs: CostModel | CostRange | CaseCosts, comparison: Comparison | None = None) -> str:
    """Say what mistakes and reviews cost: "miss 10, false alarm 4, abstaining 2".

    The cases of a comparison tell the means of costs that differ by case.
    """
    if isinstance(costs, CaseCosts):
        return _case_prices(costs, comparison)
    names = [("miss", costs.cost_fn), ("false alarm", costs.cost_fp), ("abstaining", costs.cost_abstain)]
    if isinstance(costs, CostModel):
        names += _further_prices(costs)
    shown = [f"{name} {_price(price)}" for name, price in names if price is not None]
    return ", ".join(shown if costs.may_abstain else [*shown, "no abstention"])


def _further_prices(costs: CostModel) -> list[tuple[str, float | None]]:
    """Prices few users set: by class of the case abstained on, and of right answers."""
    by_class = ("positive", costs.cost_abstain_positive), ("negative", costs.cost_abstain_negative)
    right = ("hit", costs.cost_tp), ("correct rejection", costs.cost_tn)
    return [
        *((f"abstaining on a {name}", price) for name, price in by_class),
        *((name, price) for name, price in right if price),
    ]


def _case_prices(costs: CaseCosts, comparison: Comparison | None) -> str:
    """Columns by name, with their mean where the cases are known; all else as numbers, ranges as factors."""
    names = {"cost_fn": "miss", "cost_fp": "false alarm", "cost_abstain": "abstaining"}
    names |= {"cost_abstain_positive": "abstaining on a positive"}
    names |= {"cost_abstain_negative": "abstaining on a negative"}
    names |= {"cost_tp": "hit", "cost_tn": "correct rejection"}
    told = costs.to_dict()
    found = {} if comparison is None else incurred_costs(costs, comparison.cases)
    choice = None if comparison is None else comparison.choice
    classes = dict(zip(("negative", "positive"), () if choice is None else choice.class_names, strict=False))
    shown = [
        f"{word} {amounts_words(told[name]['column'], found[name], classes)}"
        if name in found
        else f"{word} {_amount(told[name])}"
        for name, word in names.items()
        if told[name] not in (None, 0.0)
    ]
    if isinstance(costs.reviewer, ReviewCascade):
        rates = (percent(getattr(costs.reviewer, name)) for name in ("sensitivity", "specificity"))
        fees = _amount(told["reviewer"]["junior"]["fee"]), _amount(told["reviewer"]["senior"]["fee"])
        shown.append(f"review {fees[0]}, passed on {fees[1]}, together they recognise {' and '.join(rates)}")
    elif told["reviewer"] is not None:
        rates = (percent(told["reviewer"][name]) for name in ("sensitivity", "specificity"))
        shown.append(f"review {_amount(told['reviewer']['fee'])}, recognises {' and '.join(rates)}")
    factors = zip(
        ("misses", "false alarms", "reviews"),
        (costs.miss_factor, costs.alarm_factor, costs.review_factor),
        strict=True,
    )
    shown += [f"{name} times {_price(factor)}" for name, factor in factors if factor != (1.0, 1.0)]
    return ", ".join(shown if costs.may_abstain else [*shown, "no abstention"])


def _amount(told: Any) -> str:
    return str(told["column"]) if isinstance(told, dict) else number(told)


def _price(price: float | Interval) -> str:
    if isinstance(price, tuple):
        return number(price[0]) if price[0] == price[1] else f"{number(price[0])} to {number(price[1])}"
    return number(price)


# ---------------------------------------------------------------- over all costs


def quality_section(comparison: Comparison, curves: Mapping[str, CostCurve]) -> tuple[str, str]:
    """AUC and VACC with intervals; the area under the cost curve is with hindsight."""
    rows = [
        [
            model.name,
            f"{model.auc:.4f}",
            _span(model.auc_interval, 3),
            f"{model.vacc:.4f}",
            _span(model.vacc_interval, 3),
            f"{curves[model.name].area():.4f}",
        ]
        for model in sorted(comparison.models.values(), key=lambda model: model.vacc)
    ]
    level = level_words(comparison.question.confidence_level)
    body = table(["model", "AUC", "interval", "VACC", "interval", "curve area"], rows)
    note = (
        f"{level} intervals; VACC: mean cost over all relative costs, honest; curve area: under the cost "
        "curve, with hindsight"
    )
    return "Over all costs (higher AUC is better, lower VACC and area)", f"{body}\n{wrapped(note)}"


def _span(interval: Interval, digits: int) -> str:
    return f"{interval.low:.{digits}f} to {interval.high:.{digits}f}"


def ranges_section(
    comparison: Comparison, curves: Mapping[str, CostCurve], ranges: Sequence[BestRange]
) -> tuple[str, str]:
    """Which model is cheapest without abstaining, by operating point."""
    explained = "PC(+) = p cost_fn / (p cost_fn + (1 - p) cost_fp), p = prevalence"
    if comparison.question.costs is not None and not comparison.question.by_case:
        here = float(comparison.question.point.probability_cost(comparison.prevalence))
        explained += f"; here {here:.3f}"
    lines = [explained]
    parts = list(ranges)
    if len(parts) > _MOST_RANGES:
        parts = sorted(sorted(parts, key=lambda part: part.low - part.high)[:_MOST_RANGES])
        lines.append(f"The {_MOST_RANGES} widest of {len(ranges)} ranges:")
    shown = dict(zip(curves, told_apart(list(curves), _LONGEST_WINNER), strict=True))
    lines += [
        wrapped(f"  {part.low:.3f} to {part.high:.3f}  {_winner(part, curves, shown)}", indent=" " * 18)
        for part in parts
    ]
    return "Cheapest without abstaining, by operating point PC(+), with hindsight", "\n".join(lines)


def _winner(part: BestRange, curves: Mapping[str, CostCurve], shown: Mapping[str, str]) -> str:
    middle = (part.low + part.high) / 2
    if float(curves[part.winner].expected_cost(middle)) >= min(middle, 1 - middle) - 1e-12:
        return f"no model: call everything {'negative' if middle < 0.5 else 'positive'}"
    return " = ".join(shown[name] for name in part.winners)


def pairs_section(comparison: Comparison, pairs: Sequence[PairDifference]) -> tuple[str, str]:
    """Differences of AUC and VACC between models, adjusted for their number."""
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    shown = dict(zip(names, told_apart(names, _LONGEST_IN_PAIR), strict=True))
    rows = [
        [
            f"{shown[pair.first]} / {shown[pair.second]}",
            f"{pair.auc.difference:+.3f}",
            _pvalue(pair.auc_pvalue),
            f"{pair.volume.difference:+.4f}",
            _span(pair.volume.interval(comparison.question.confidence_level), 4),
            _pvalue(pair.volume_pvalue),
        ]
        for pair in pairs
    ]
    body = table(["first / second", "AUC gap", "p", "VACC gap", "interval", "p"], rows)
    note = "gap: first minus second; AUC by DeLong's test, VACC by per-case scores"
    title = "Differences, pair by pair (p adjusted for the pairs shown, Holm)"
    return title, f"{body}\n{wrapped(note)}"


def _pvalue(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"
