"""A comparison as tables of at most 80 columns."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from demur._html import threshold_text
from demur._results import Interval
from demur.cli.output import level_words, number, percent, span, table, told_apart, wrapped
from demur.comparison.by_group import GroupCosts
from demur.comparison.candidates import ALWAYS_ABSTAIN
from demur.comparison.comparison import Comparison
from demur.comparison.estimates import incurred_costs
from demur.comparison.expected_cost_learner import EXPECTED_COST, NO_REVIEWS
from demur.comparison.models import ModelComparison
from demur.comparison.words import amounts_words, short_name
from demur.costs.case_costs import CaseCosts
from demur.costs.class_costs import ClassCosts
from demur.costs.curves import BestRange, CostCurve
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.costs.reviewer_cascade import ReviewCascade
from demur.windows.combined import Combined
from demur.windows.expected_cost import ExpectedCostRule
from demur.windows.guarded import Guarded

__all__ = [
    "blocks_section",
    "class_costs_section",
    "class_quality",
    "confusion_section",
    "costs_section",
    "groups_section",
    "per_1000",
    "prices_words",
    "quality_section",
    "ranges_section",
    "thresholds_section",
]

_CASES = 1000
_PRICES = {
    "cost_fn": "miss",
    "cost_fp": "false alarm",
    "cost_abstain": "abstaining",
    "cost_abstain_positive": "abstaining on a positive",
    "cost_abstain_negative": "abstaining on a negative",
    "cost_tp": "hit",
    "cost_tn": "correct rejection",
}
_MOST_RANGES = 8
_MOST_GROUPS = 40
_MOST_COLUMNS = 6
# room beside "0.000 to 1.000"
_LONGEST_WINNER = 60


def costs_section(comparison: Comparison) -> tuple[str, str]:
    """Costs of every model and of the rules without a model, per 1000 cases."""
    problem = comparison.problem
    assert not isinstance(problem.costs, ClassCosts | None)
    prices = prices_words(problem.costs, comparison)
    asked = ", ".join(f"{short_name(name)} {number(price)}" for name, price in problem.prices.items())
    asking = f"asking {asked}; " if asked else ""
    title = f"Cost per 1000 cases ({prices}; {asking}{percent(comparison.prevalence)} positive)"
    interval = f"{level_words(problem.confidence_level)} interval"
    header = ["rule", "measured", interval, "no reviews", "abstains", "hindsight"]
    ordered = _by_cost(comparison)
    listed: list[tuple[str, Any, float | None]] = []
    for model in ordered:
        if model.kind is not None:
            one = model.rules[model.kind]
            listed.append(
                (_row_name(model.name, one.rule, len(comparison.models)), one, model.threshold_cost)
            )
            if EXPECTED_COST in model.rules and "window" in model.rules:
                listed.append((f"{model.name}, one window", model.rules["window"], None))
    for name, one in comparison.combinations.items():
        listed.append((_row_name(name, one.rule, len(comparison.models)), one, None))
    rows = [
        [
            name,
            per_1000(one.cost),
            span(one.interval, partial(per_1000, digits=3)),
            per_1000(no_reviews),
            percent(one.abstention_rate),
            per_1000(one.hindsight_cost),
        ]
        for name, one, no_reviews in sorted(listed, key=lambda item: item[1].cost)
    ]
    rows += [
        [rule, per_1000(cost), "", "", "", ""]
        for rule, cost in sorted(comparison.trivial.items(), key=lambda item: item[1])
    ]
    knows = any(NO_REVIEWS in model.rules for model in ordered)
    how = "deciding every case" if knows else "with one threshold"
    note = (
        "measured: on cases not used to choose the thresholds, as if the model had been the only one; no "
        f"reviews: the same model {how}; hindsight: on the cases used to choose, so too low"
    )
    left_out = [
        f"Left out: {short_name(model.name)}. {model.left_out}" for model in ordered if model.left_out
    ]
    return wrapped(title), "\n".join([table(header, rows), wrapped(note), *map(wrapped, left_out)])


def _row_name(name: str, rule: Any, models: int) -> str:
    """Name a rule of several models without their names, which leave no room for numbers."""
    if isinstance(rule, Combined):
        return f"{name.split()[0]} of {'all' if rule.inputs == models else rule.inputs}"
    return f"{rule.names[0]}, guarded" if isinstance(rule, Guarded) else name


def blocks_section(comparison: Comparison) -> tuple[str, str]:
    """Costs of the answer in every judged block of time, per 1000 cases."""
    blocks = comparison.by_block or ()
    rows = [
        [
            str(one.block),
            *(str(when)[:16].replace("T", " ") for when in (one.start, one.end)),  # to the minute
            f"{one.n:,.0f}",
            per_1000(one.cost),
            span(one.interval, per_1000),
        ]
        for one in blocks
    ]
    interval = f"{level_words(comparison.problem.confidence_level)} interval"
    header = ["block", "from", "to", "cases", "measured", interval]
    note = "rules chosen on all blocks before; the interval is for the block itself"
    return "Cost per 1000 cases by block of time", f"{table(header, rows)}\n{wrapped(note)}"


def groups_section(column: str, by: GroupCosts) -> tuple[str, str]:
    """Cost, errors and reviews of the answer by group: a line of estimates, below it their intervals."""
    errors = {"error_rate": "wrong %"}
    if by.two_classes:
        errors = {"miss_rate": "missed %", "alarm_rate": "alarmed %"}
    shown = sorted(by.groups, key=lambda one: -one.n)[:_MOST_GROUPS]
    rows = []
    for one in (*(one for one in by.groups if one in shown), by.whole):
        cells, limits = [f"{one.n:,.0f}", per_1000(one.cost, 3)], ["", ""]
        if one.cost_interval is not None:
            limits[1] = span(one.cost_interval, partial(per_1000, digits=3))
        for name in (*errors, "abstention_rate"):
            share, ends = getattr(one, name), getattr(one, f"{name}_interval")
            cells.append("" if share is None else number(100 * share, 2))
            limits.append("" if ends is None else span(ends, lambda end: number(100 * end, 2)))
        rows += [[one.name or "(missing)", *cells], *([["", *limits]] if any(limits) else [])]
    header = [column, "cases", "cost", *errors.values(), "abstains %"]
    said = "missed: of the positives; alarmed: of the negatives; " if by.two_classes else ""
    note = (
        f"below: {level_words(by.confidence_level)} intervals, each for itself; cost per 1000 cases and "
        f"errors on cases not used to choose the rule; {said}abstains: the rule as written"
    )
    lines = [table(header, rows), wrapped(note)]
    if len(shown) < len(by.groups):
        most = f"The {len(shown)} largest of {len(by.groups)} groups are shown"
        lines.append(wrapped(f"{most}; --json and `demur compare -o FILE.csv` have all."))
    return wrapped(f"The answer by {column}"), "\n".join(lines)


def _by_cost(comparison: Comparison) -> list[ModelComparison]:
    return sorted(comparison.models.values(), key=lambda model: (model.cost is None, model.cost or 0.0))


def thresholds_section(comparison: Comparison) -> tuple[str, str]:
    """Thresholds of every model: of its window, and the single one without reviews."""
    rows = []
    for model in _by_cost(comparison):
        if model.window is not None:
            cuts = model.window.lower, model.window.upper, model.threshold
            rows.append([model.name, *("" if cut is None else threshold_text(cut) for cut in cuts)])
    body = table(["model", "negative up to", "positive from", "one threshold"], rows)
    rule = comparison.answer.rule
    if not isinstance(rule, ExpectedCostRule) or not rule.examples:
        return "Thresholds", body
    cuts_at = {f"{amount:,.6g}": rule.thresholds(amount) for amount in rule.examples}
    shown = [[amount, *(f"{cut:.4g}" for cut in cuts)] for amount, cuts in cuts_at.items()]
    score, amount = rule.names
    by_amount = table([amount, f"{score}: negative up to", "positive from"], shown)
    return "Thresholds", f"{by_amount}\n\nof one window for all cases\n{body}"


def per_1000(cost: float | None, digits: int = 4) -> str:
    """Show a cost per case as one per 1000 cases; nothing for None."""
    return "" if cost is None else number(_CASES * cost, digits)


def prices_words(costs: CostModel | CostRange | CaseCosts, comparison: Comparison | None = None) -> str:
    """Say what mistakes and reviews cost: "miss 10, false alarm 4, abstaining 2".

    The cases of a comparison tell the means of costs that differ by case.
    """
    if isinstance(costs, CaseCosts):
        shown = _case_prices(costs, comparison)
    else:
        names = _PRICES if isinstance(costs, CostModel) else ("cost_fn", "cost_fp", "cost_abstain")
        prices = {name: getattr(costs, name) for name in names}
        # right answers that cost nothing are no news
        told = {name: price for name, price in prices.items() if price or name not in ("cost_tp", "cost_tn")}
        shown = [f"{_PRICES[name]} {_price(price)}" for name, price in told.items() if price is not None]
    return ", ".join(shown if costs.may_abstain else [*shown, "no abstention"])


def _case_prices(costs: CaseCosts, comparison: Comparison | None) -> list[str]:
    """Columns by name, with their mean where the cases are known; all else as numbers, ranges as factors."""
    told = costs.to_dict()
    found = {} if comparison is None else incurred_costs(costs, comparison.cases)
    choice = None if comparison is None else comparison.choice
    classes = dict(zip(("negative", "positive"), () if choice is None else choice.class_names, strict=False))
    shown = [
        f"{word} {amounts_words(told[name]['column'], found[name], classes)}"
        if name in found
        else f"{word} {_amount(told[name])}"
        for name, word in _PRICES.items()
        if told[name] not in (None, 0.0)
    ]
    if costs.reviewer is not None:
        people = told["reviewer"]
        rates = f"{percent(costs.reviewer.sensitivity)} and {percent(costs.reviewer.specificity)}"
        if isinstance(costs.reviewer, ReviewCascade):
            fees = _amount(people["junior"]["fee"]), _amount(people["senior"]["fee"])
            shown.append(f"review {fees[0]}, passed on {fees[1]}, together they recognise {rates}")
        else:
            shown.append(f"review {_amount(people['fee'])}, recognises {rates}")
    factors = zip(
        ("misses", "false alarms", "reviews"),
        (costs.miss_factor, costs.alarm_factor, costs.review_factor),
        strict=True,
    )
    return shown + [f"{name} times {_price(factor)}" for name, factor in factors if factor != (1.0, 1.0)]


def _amount(told: Any) -> str:
    return str(told["column"]) if isinstance(told, dict) else number(told)


def _price(price: float | Interval) -> str:
    return span(dict.fromkeys(price if isinstance(price, tuple) else (price,)))


# ---------------------------------------------------------------- over all costs


def quality_section(comparison: Comparison, curves: Mapping[str, CostCurve]) -> tuple[str, str]:
    """AUC and VACC with intervals; the area under the cost curve is with hindsight."""
    rows = [
        [
            model.name,
            f"{model.auc:.4f}",
            span(model.auc_interval, "{:.3f}".format),
            f"{model.vacc:.4f}",
            span(model.vacc_interval, "{:.3f}".format),
            f"{curves[model.name].area():.4f}",
        ]
        for model in sorted(comparison.models.values(), key=lambda model: model.vacc)
    ]
    level = level_words(comparison.problem.confidence_level)
    body = table(["model", "AUC", "interval", "VACC", "interval", "curve area"], rows)
    note = (
        f"{level} intervals; VACC: mean cost over all relative costs, honest; curve area: under the cost "
        "curve, with hindsight"
    )
    return "Over all costs (higher AUC is better, lower VACC and area)", f"{body}\n{wrapped(note)}"


def ranges_section(
    comparison: Comparison, curves: Mapping[str, CostCurve], ranges: Sequence[BestRange]
) -> tuple[str, str]:
    """Which model is cheapest without abstaining, by operating point."""
    explained = "PC(+) = p cost_fn / (p cost_fn + (1 - p) cost_fp), p = prevalence"
    if comparison.problem.costs is not None and not comparison.problem.by_case:
        here = float(comparison.problem.point.probability_cost(comparison.prevalence))
        explained += f"; here {here:.3f}"
    lines = [explained]
    parts = list(ranges)
    if len(parts) > _MOST_RANGES:
        parts = sorted(sorted(parts, key=lambda part: part.low - part.high)[:_MOST_RANGES])
        lines.append(f"The {_MOST_RANGES} widest of {len(ranges)} ranges:")
    shown = dict(zip(curves, told_apart(list(curves), _LONGEST_WINNER), strict=True))
    for part in parts:
        middle = (part.low + part.high) / 2
        winner = " = ".join(shown[name] for name in part.winners)
        if float(curves[part.winner].expected_cost(middle)) >= min(middle, 1 - middle) - 1e-12:
            winner = f"no model: call everything {'negative' if middle < 0.5 else 'positive'}"
        lines.append(wrapped(f"  {part.low:.3f} to {part.high:.3f}  {winner}", indent=" " * 18))
    return "Cheapest without abstaining, by operating point PC(+), with hindsight", "\n".join(lines)


# ---------------------------------------------------------------- many classes


def class_costs_section(comparison: Comparison) -> tuple[str, str]:
    """Costs of every rule of every model, the cheapest class for all cases, and abstaining."""
    level = level_words(comparison.problem.confidence_level)
    rows = [
        [
            f"{name}: {kind}",
            per_1000(one.cost),
            span(one.interval, per_1000),
            per_1000(one.hindsight_cost),
            percent(one.abstention_rate),
        ]
        for name, model in comparison.models.items()
        for kind, one in model.rules.items()
    ]
    always = {kind: cost for kind, cost in comparison.baselines.items() if kind != ALWAYS_ABSTAIN}
    kept = [min(always, key=lambda kind: always[kind]), ALWAYS_ABSTAIN]
    baselines = [(kind, comparison.baselines[kind]) for kind in kept if kind in comparison.baselines]
    rows += [[kind, per_1000(cost), "", "", ""] for kind, cost in baselines]
    return "Cost per 1000 cases", table(["rule", "cost", level, "hindsight", "abstains"], rows)


def confusion_section(comparison: Comparison) -> tuple[str, str]:
    """Cases per 1000 by true class and answer; of many classes the confusions that cost most."""
    answer, names = comparison.answer, list(comparison.answer.class_names)
    shares = _CASES * answer.confusion
    title = "Answers of 1000 cases"
    if len(names) <= _MOST_COLUMNS:
        header = ["true \\ answer", *names, *(["abstain"] if answer.abstention_rate else [])]
        rows = [
            [name, *(number(value, 3) for value in row[: len(header) - 1])]
            for name, row in zip(names, shares, strict=True)
        ]
        return title, table(header, rows)
    paid = answer.confusion_cost[:, :-1].copy()
    np.fill_diagonal(paid, 0.0)
    rows = []
    for place in np.argsort(-paid, axis=None, kind="stable")[:_MOST_COLUMNS].tolist():
        true, called = divmod(place, len(names))
        if paid[true, called] > 0:
            cells = [number(shares[true, called], 3), number(_CASES * paid[true, called])]
            rows.append([f"{names[true]} called {names[called]}", *cells])
    return title, table(["dearest confusions", "cases", "cost"], rows)


def class_quality(comparison: Comparison) -> list[str]:
    """Say how well the models tell many classes apart."""
    aucs, title = [], "Mean pairwise AUC (Hand and Till)"
    for name, model in comparison.models.items():
        if model.auc is not None and model.auc_interval is not None:
            aucs.append(f"{name} {model.auc:.3f} ({span(model.auc_interval, '{:.3f}'.format)})")
        elif model.auc is not None:  # clusters
            aucs.append(f"{name} {model.auc:.3f}")
    if any(model.auc_interval is not None for model in comparison.models.values()):
        title += f", {level_words(comparison.problem.confidence_level)} interval"
    return [f"{title}: {', '.join(aucs)}."] if aucs else []
