"""A comparison as tables: rules, thresholds, groups and blocks, areas and differences over all costs.

People read costs per 1000 cases, programs costs per case, unrounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from demur._html import threshold_text
from demur._tables.numbers import level_words, number, percent, pvalue, span
from demur._tables.table import Column, Table, told_apart
from demur.comparison.by_group import GroupCosts
from demur.comparison.candidates import ALWAYS_ABSTAIN
from demur.comparison.estimates import incurred_costs
from demur.comparison.expected_cost_learner import EXPECTED_COST, NO_REVIEWS
from demur.comparison.models import ModelComparison, RuleCost
from demur.comparison.words import amounts_words, short_name
from demur.costs.case_costs import CaseCosts
from demur.costs.curves import CostCurve, best_ranges, cost_curve
from demur.costs.model import CostModel
from demur.costs.ranges import CostRange
from demur.costs.reviewer import ReviewCascade
from demur.surface.regions import cheapest_shares
from demur.surface.surface import SurfaceDifference
from demur.windows.combined import Combined
from demur.windows.expected_cost import ExpectedCostRule
from demur.windows.guarded import Guarded

__all__ = ["comparison_tables", "cost_curves", "groups_table", "prices_words", "quality_words"]

Comparison = Any
"""A comparison; its module imports this one."""

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
_UNKNOWN = "(cannot be known)"
_MOST_RANGES = 8
_MOST_GROUPS = 40
_MOST_COLUMNS = 6
_TIED = 1e-9  # shares add up to 1 but for rounding
_MOST_OVERLAID = 12  # surfaces of more models take long to lay over each other
_LONGEST_WINNER = 60  # room beside "0.000 to 1.000"
_LONGEST_IN_PAIR = 11  # room beside the numbers of a pair
_LONGEST_COMPARED = 18
_AREAS = ("better_area", "worse_area", "equal_area")


def comparison_tables(
    comparison: Comparison, by: tuple[str, GroupCosts] | None, *, over_all_costs: bool
) -> Iterator[Table]:
    """Yield the tables of a comparison; without `over_all_costs` only what holds at the costs given."""
    many, priced = comparison.problem.many, comparison.problem.costs is not None
    curves = cost_curves(comparison) if over_all_costs and not many else {}
    if comparison.class_vacc is not None:
        yield from comparison.class_vacc.tables().values()
    elif many:
        yield _class_rules(comparison)
        yield _confusion(comparison)
    elif priced:
        models = sorted(comparison.models.values(), key=lambda model: (model.cost is None, model.cost or 0.0))
        yield _rules(comparison, models, curves)
        yield from _thresholds(comparison, models)
    if by is not None:
        yield groups_table(*by)
    if comparison.by_block is not None:
        yield _blocks(comparison)
    if curves:
        yield _areas(comparison, curves)
        yield _operating_points(comparison, curves)
        if len(curves) > 1:
            yield _differences(comparison)
            yield from _pairs(comparison)


def cost_curves(comparison: Comparison) -> dict[str, CostCurve]:
    """Return the cost curve of every model."""
    return {name: cost_curve(model.counts) for name, model in comparison.judged.items()}


def _per_1000(cost: float, digits: int = 4) -> str:
    """Show a cost per case as one per 1000 cases."""
    return number(_CASES * cost, digits)


_costs_between = partial(span, show=partial(_per_1000, digits=3))
_signed = "{:+.3f}".format


# ---------------------------------------------------------------- rules of two classes


def _rules(
    comparison: Comparison, models: Sequence[ModelComparison], curves: Mapping[str, CostCurve]
) -> Table:
    """Costs of every model, of rules of several, and of those without a model, the cheapest first."""
    problem, answer = comparison.problem, comparison.answer
    chosen = answer.model or answer.kind
    rows = [_model_row(model, len(models), curves.get(model.name)) for model in models]
    for model in models:
        if EXPECTED_COST in model.rules and "window" in model.rules:
            shown = f"{model.name}, one window"
            rows.append(_rule_row(model.name, shown, model.rules["window"]) | {"kind": "window"})
    rows += [
        _rule_row(name, _row_name(name, one.rule, len(models)), one)
        for name, one in comparison.combinations.items()
    ]
    rows.sort(key=lambda row: (row["cost"] is None, row["cost"] or 0.0))
    rows += [
        {"rule": rule, "shown": rule, "needs_model": False, "cost": cost}
        for rule, cost in sorted(comparison.baselines.items(), key=lambda item: item[1])
    ]
    for row in rows:
        row["chosen"] = row["rule"] == chosen and "kind" not in row
    knows = any(NO_REVIEWS in model.rules for model in models)
    how = "deciding every case" if knows else "with one threshold"
    note = (
        "measured: on cases not used to choose the thresholds, as if the model had been the only one; no "
        f"reviews: the same model {how}; hindsight: on the cases used to choose, so too low"
    )
    left_out = [f". Left out: {short_name(one.name)}. {one.left_out}" for one in models if one.left_out]
    assert isinstance(problem.costs, CostModel | CostRange | CaseCosts)
    asked = ", ".join(f"{short_name(name)} {number(price)}" for name, price in problem.prices.items())
    prices = prices_words(problem.costs, comparison)
    if problem.cost_unknown is not None:
        prices += f", deciding what cannot be known {number(problem.cost_unknown)}"
    asking = f"asking {asked}; " if asked else ""
    return Table(
        name="Rules",
        title=f"Cost per 1000 cases ({prices}; {asking}{percent(comparison.prevalence)} positive)",
        note="".join([note, *left_out]),
        columns=tuple(_rule_columns(rows, level_words(problem.confidence_level))),
    )


def _row_name(name: str, rule: Any, models: int) -> str:
    """Name a rule of several models without their names, which leave no room for numbers."""
    if isinstance(rule, Combined):
        return f"{name.split()[0]} of {'all' if rule.inputs == models else rule.inputs}"
    return f"{rule.names[0]}, guarded" if isinstance(rule, Guarded) else name


def _rule_row(name: str, shown: str, one: RuleCost) -> dict[str, Any]:
    fields = ("cost", "interval", "hindsight_cost", "abstention_rate")
    return {
        "rule": name,
        "shown": shown,
        "needs_model": True,
        **{field: getattr(one, field) for field in fields},
    }


def _model_row(model: ModelComparison, models: int, curve: CostCurve | None) -> dict[str, Any]:
    """Return a model with its cheapest rule; areas where they were asked for."""
    row: dict[str, Any] = {"rule": model.name, "shown": model.name, "needs_model": True, "cost": None}
    if model.kind is not None:
        one = model.rules[model.kind]
        row |= _rule_row(model.name, _row_name(model.name, one.rule, models), one)
    fields = ("guaranteed_cost", "threshold_cost", "threshold_interval", "threshold", "missed", "alarms")
    row |= {field: getattr(model, field) for field in fields}
    if model.window is not None:
        row |= {"lower": model.window.lower, "upper": model.window.upper}
    return row if curve is None else row | _area_row(model, curve)


def _rule_columns(rows: Sequence[Mapping[str, Any]], level: str) -> Iterator[Column]:
    def column(
        name: str, heading: str | None = None, show: Any = str, *, field: str = "", ends: bool = False
    ) -> Column:
        return Column(name, [row.get(field or name) for row in rows], heading, show, ends=ends)

    # a rule that keeps no limits has no row for people
    yield column("rule")
    yield column("", "rule", field="shown")
    yield column("needs_model")
    yield column("chosen")
    yield column("cost", "measured", _per_1000)
    yield column("cost", f"{level} interval", _costs_between, field="interval", ends=True)
    yield column("threshold_cost", "no reviews", _per_1000)
    yield column("threshold_cost", field="threshold_interval", ends=True)
    yield column("abstention_rate", "abstains", percent)
    yield column("hindsight_cost", "hindsight", _per_1000)
    yield column("guaranteed_cost")
    yield from map(column, ("lower", "upper", "threshold", "missed", "alarms"))
    if any("auc" in row for row in rows):
        yield column("auc")
        yield column("auc", field="auc_interval", ends=True)
        yield column("vacc")
        yield column("vacc", field="vacc_interval", ends=True)
        yield from map(column, ("hindsight_vacc", "cost_curve_area"))


def _thresholds(comparison: Comparison, models: Sequence[ModelComparison]) -> Iterator[Table]:
    """Thresholds for people: of windows, of one threshold, by amount where a rule knows it."""
    rule = comparison.answer.rule
    if isinstance(rule, ExpectedCostRule) and rule.examples:
        score, amount = rule.names
        cuts = [rule.thresholds(example) for example in rule.examples]
        yield Table(
            name="Thresholds by amount",
            title="Thresholds",
            columns=(
                Column("", rule.examples, amount, "{:,.6g}".format),
                Column("", [lower for lower, _ in cuts], f"{score}: negative up to", "{:.4g}".format),
                Column("", [upper for _, upper in cuts], "positive from", "{:.4g}".format),
            ),
        )
    shown = [(model, model.window) for model in models if model.window is not None]
    columns = (
        Column("", [model.name for model, _ in shown], "model"),
        Column("", [window.lower for _, window in shown], "negative up to", threshold_text),
        Column("", [window.upper for _, window in shown], "positive from", threshold_text),
        Column("", [model.threshold for model, _ in shown], "one threshold", threshold_text),
    )
    title = "Thresholds of one window for all cases" if isinstance(rule, ExpectedCostRule) else "Thresholds"
    yield Table(name="Thresholds", title=title, columns=columns)


def _blocks(comparison: Comparison) -> Table:
    """Costs of the answer in every judged block of time."""
    blocks, level = comparison.by_block or (), level_words(comparison.problem.confidence_level)

    def minutes(when: Any) -> str:
        return str(when)[:16].replace("T", " ")

    return Table(
        name="Blocks",
        title="Cost per 1000 cases by block of time",
        note="rules chosen on all blocks before; the interval is for the block itself",
        columns=(
            Column("block", [one.block for one in blocks], "block"),
            Column("start", [str(one.start) for one in blocks], "from", minutes),
            Column("end", [str(one.end) for one in blocks], "to", minutes),
            Column("n", [one.n for one in blocks], "cases", "{:,.0f}".format),
            Column("cost", [one.cost for one in blocks], "measured", _per_1000),
            Column(
                "cost",
                [one.interval for one in blocks],
                f"{level} interval",
                partial(span, show=_per_1000),
                ends=True,
            ),
        ),
    )


def groups_table(column: str, by: GroupCosts) -> Table:
    """Cost, errors and reviews of the answer by group: estimates, and below each its interval."""
    errors = {"error_rate": "wrong %"}
    if by.two_classes:
        errors = {"miss_rate": "missed %", "alarm_rate": "alarmed %"}
    largest = sorted(by.groups, key=lambda one: -one.n)[:_MOST_GROUPS]
    rows = [*by.groups, by.whole]
    people = [one for one in rows if one in largest or one is by.whole]

    def estimate(name: str, show: Any, between: Any) -> Column:
        pairs = [(getattr(one, name), getattr(one, f"{name}_interval")) for one in people]
        cells = [
            "" if value is None else show(value) + ("" if ends is None else f"\n{span(ends, between)}")
            for value, ends in pairs
        ]
        return Column("", cells, {"cost": "cost", "abstention_rate": "abstains %", **errors}[name])

    shown = [
        Column("", [one.name or "(missing)" for one in people], column),
        Column("", [f"{one.n:,.0f}" for one in people], "cases"),
        estimate("cost", partial(_per_1000, digits=3), partial(_per_1000, digits=3)),
        *(
            estimate(name, lambda share: number(100 * share, 2), lambda end: number(100 * end, 2))
            for name in (*errors, "abstention_rate")
        ),
    ]
    plain = [
        Column("column", [column] * len(rows)),
        Column("group", [None if one is by.whole else one.name for one in rows]),
        Column("n", [one.n for one in rows]),
        Column("share", [one.share for one in rows]),
    ]
    for name in ("cost", "error_rate", "miss_rate", "alarm_rate", "abstention_rate"):
        plain.append(Column(name, [getattr(one, name) for one in rows]))
        plain.append(Column(name, [getattr(one, f"{name}_interval") for one in rows], ends=True))
    said = "missed: of the positives; alarmed: of the negatives; " if by.two_classes else ""
    note = (
        f"below: {level_words(by.confidence_level)} intervals, each for itself; cost per 1000 cases and "
        f"errors on cases not used to choose the rule; {said}abstains: the rule as written; {by.note}"
    )
    if len(largest) < len(by.groups):
        note += (
            f". The {len(largest)} largest of {len(by.groups)} groups are shown; --json and `demur compare "
            "-o FILE.csv` have all."
        )
    return Table(name="Groups", title=f"The answer by {column}", note=note, columns=(*shown, *plain))


# ---------------------------------------------------------------- costs in words


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


def _price(price: Any) -> str:
    return span(dict.fromkeys(price if isinstance(price, tuple) else (price,)))


# ---------------------------------------------------------------- over all costs


def _area_row(model: ModelComparison, curve: CostCurve) -> dict[str, Any]:
    fields = ("auc", "auc_interval", "vacc", "vacc_interval", "hindsight_vacc")
    return {**{field: getattr(model, field) for field in fields}, "cost_curve_area": curve.area()}


def _areas(comparison: Comparison, curves: Mapping[str, CostCurve]) -> Table:
    """AUC and VACC with intervals, the area under the cost curve, and where each is the cheapest model."""
    models = sorted(comparison.models.values(), key=lambda model: model.vacc)
    rows = [{"model": model.name, **_area_row(model, curves[model.name])} for model in models]
    priced = comparison.problem.costs is not None
    name = (lambda text: "") if priced else str  # the rules hold these columns at costs

    def column(field: str, heading: str | None = None, show: Any = str, *, ends: bool = False) -> Column:
        values = [row[f"{field}_interval" if ends else field] for row in rows]
        return Column(name(field), values, heading, show, ends=ends)

    columns = [
        column("model", "model"),
        column("auc", "AUC", "{:.4f}".format),
        column("auc", "interval", partial(span, show="{:.3f}".format), ends=True),
        column("vacc", "VACC", "{:.4f}".format),
        column("vacc", "interval", partial(span, show="{:.3f}".format), ends=True),
        column("hindsight_vacc"),
        column("cost_curve_area", "curve area", "{:.4f}".format),
    ]
    note = (
        f"{level_words(comparison.problem.confidence_level)} intervals; VACC: mean cost over all relative "
        "costs, honest; curve area: under the cost curve, with hindsight"
    )
    if 1 < len(models) <= _MOST_OVERLAID:
        masses = [model.surface.surface.masses for model in models]
        shares = cheapest_shares(masses, (0.0, 1.0), (0.0, 1.0)).tolist()
        columns.append(Column(name("cheapest_share"), shares, "cheapest", percent))
        note += "; cheapest: share of all relative costs, with hindsight"
        alike = 1 - sum(shares)
        note += f", {percent(alike)} of which several models share" if alike > _TIED else ""
    return Table(
        name="Areas",
        title="Over all costs (higher AUC is better, lower VACC and area)",
        note=note,
        columns=tuple(columns),
        over_all_costs=True,
    )


def _operating_points(comparison: Comparison, curves: Mapping[str, CostCurve]) -> Table:
    """Which model is cheapest without abstaining, by operating point."""
    note = "PC(+) = p cost_fn / (p cost_fn + (1 - p) cost_fp), p = prevalence"
    if comparison.problem.costs is not None and not comparison.problem.by_case:
        here = float(comparison.problem.point.probability_cost(comparison.prevalence))
        note += f"; here {here:.3f}"
    ranges = best_ranges(curves)
    shown = ranges
    if len(ranges) > _MOST_RANGES:
        shown = sorted(sorted(ranges, key=lambda part: part.low - part.high)[:_MOST_RANGES])
        note += f". The {_MOST_RANGES} widest of {len(ranges)} ranges"
    short = dict(zip(curves, told_apart(list(curves), _LONGEST_WINNER), strict=True))
    winners = []
    for part in shown:
        middle = (part.low + part.high) / 2
        winner = " = ".join(short[name] for name in part.winners)
        if float(curves[part.winner].expected_cost(middle)) >= min(middle, 1 - middle) - 1e-12:
            winner = f"no model: call everything {'negative' if middle < 0.5 else 'positive'}"
        winners.append(winner)
    return Table(
        name="Operating points",
        title="Cheapest without abstaining, by operating point PC(+), with hindsight",
        note=note,
        columns=(
            Column("", [f"{part.low:.3f} to {part.high:.3f}" for part in shown], "PC(+)"),
            Column("", winners, "cheapest"),
            Column("pc_low", [part.low for part in ranges]),
            Column("pc_high", [part.high for part in ranges]),
            Column("cheapest", [" = ".join(part.winners) for part in ranges]),
        ),
        over_all_costs=True,
    )


def _differences(comparison: Comparison) -> Table:
    """Where in the plane of relative costs each model of a pair is cheaper, and by how much at most."""
    found = comparison.differences()
    names, gaps = list(found), list(found.values())
    distinct = list(dict.fromkeys(name for pair in names for name in pair))
    short = dict(zip(distinct, told_apart(distinct, _LONGEST_COMPARED), strict=True))
    within = [gap.within() for gap in gaps]
    lines = [
        list(zip(*_sides(short[first], short[second], gap, ends), strict=True))
        for (first, second), gap, ends in zip(names, gaps, within, strict=True)
    ]
    headings = ("first / second", "cheaper", "saves", "at (mu, nu)", "mu between", "nu between")
    columns = [
        Column("first", [first for first, _ in names]),
        Column("second", [second for _, second in names]),
        *(Column("", ["\n".join(one[k]) for one in lines], heading) for k, heading in enumerate(headings)),
        *(Column(name, [getattr(gap, name) for gap in gaps]) for name in _AREAS),
    ]
    for kind in ("gain", "loss"):
        columns.append(Column(f"largest_{kind}", [getattr(gap, f"largest_{kind}") for gap in gaps]))
        at = [getattr(gap, f"largest_{kind}_at") or (None, None) for gap in gaps]
        columns += [
            Column(f"largest_{kind}_{axis}", [place[k] for place in at])
            for k, axis in enumerate(("mu", "nu"))
        ]
    for side, area in enumerate(_AREAS[:2]):
        for k, axis in enumerate(("mu", "nu")):
            ranges = [None if ends[side] is None else ends[side][k] for ends in within]
            columns.append(Column(f"{area}_{axis}", ranges, ends=True))
    return Table(
        name="Differences",
        title="Which of two is cheaper, over all relative costs, with hindsight",
        note="shares of all costs of a false alarm (mu) and of abstaining (nu) up to that of a miss, which "
        "is 1; saves: at most, per case, and at which (mu, nu); between: the smallest rectangle with all "
        "costs at which it is cheaper",
        columns=tuple(columns),
        over_all_costs=True,
    )


def _sides(first: str, second: str, gap: SurfaceDifference, within: Any) -> Iterator[tuple[str, ...]]:
    """Yield a line for each of two models, and one for costs at which they are alike, if there are any."""
    shares = gap.better_area, gap.worse_area
    most = (gap.largest_gain, gap.largest_gain_at), (gap.largest_loss, gap.largest_loss_at)
    for name, share, (saved, at), ends in zip((f"{first} /", second), shares, most, within, strict=True):
        saves = ("", "") if at is None else (f"{saved:.4f}", f"({at[0]:.2f}, {at[1]:.2f})")
        where = ("", "") if ends is None else (span(ends[0], "{:.2f}".format), span(ends[1], "{:.2f}".format))
        yield (name, percent(share), *saves, *where)
    if gap.equal_area > 0:
        yield ("  alike", percent(gap.equal_area), "", "", "", "")


def _pairs(comparison: Comparison) -> Iterator[Table]:
    """Differences of AUC and VACC between models with tests; none where only counts were read."""
    pairs, level = comparison.pairs(), comparison.problem.confidence_level
    if not pairs:
        return
    plain = [
        Column("first", [pair.first for pair in pairs]),
        Column("second", [pair.second for pair in pairs]),
    ]
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    short = dict(zip(names, told_apart(names, _LONGEST_IN_PAIR), strict=True))
    shown = [Column("", [f"{short[pair.first]} / {short[pair.second]}" for pair in pairs], "first / second")]
    for name, heading, show in (("auc", "AUC gap", _signed), ("vacc", "VACC gap", "{:+.4f}".format)):
        tests = [pair.auc if name == "auc" else pair.volume for pair in pairs]
        within = [test.interval(level) for test in tests]
        adjusted = [
            pair.auc_adjusted_pvalue if name == "auc" else pair.volume_adjusted_pvalue for pair in pairs
        ]
        cells = [
            f"{show(test.difference)}\n{span(ends, show)}" for test, ends in zip(tests, within, strict=True)
        ]
        shown += [Column("", cells, heading), Column("", adjusted, "p", pvalue)]
        plain.append(Column(f"{name}_difference", [test.difference for test in tests]))
        plain.append(Column(f"{name}_difference", within, ends=True))
        plain.append(Column(f"{name}_adjusted_pvalue", adjusted))
    how = "AUC by DeLong's test, VACC by per-case scores"
    if pairs[0].auc.clusters is not None:
        how = "AUC by Obuchowski's test, VACC by totals of clusters"
    yield Table(
        name="Pairs",
        title="Differences, pair by pair (p adjusted for the pairs shown, Holm)",
        note=f"gap: first minus second, below it its {level_words(level)} interval; {how}",
        columns=(*shown, *plain),
        over_all_costs=True,
    )


# ---------------------------------------------------------------- many classes


def _class_rules(comparison: Comparison) -> Table:
    """Costs of every rule of every model, and of the rules without a model."""
    answer, level = comparison.answer, level_words(comparison.problem.confidence_level)
    rows: list[dict[str, Any]] = [
        {
            "model": name,
            "chosen": (name, kind) == (answer.model, answer.kind),
            "auc": model.auc,
            "auc_interval": model.auc_interval,
            "error_rate": one.error_rate,
            **_rule_row(kind, f"{name}: {kind}", one),
        }
        for name, model in comparison.models.items()
        for kind, one in model.rules.items()
    ]
    always = {kind: cost for kind, cost in comparison.baselines.items() if kind != ALWAYS_ABSTAIN}
    people = {min(always, key=lambda kind: always[kind]), ALWAYS_ABSTAIN}
    rows += [
        {
            "rule": kind,
            "shown": kind if kind in people else None,
            "cost": cost,
            "chosen": answer.is_trivial and kind == answer.kind,
        }
        for kind, cost in comparison.baselines.items()
    ]
    shown = [row for row in rows if row["shown"] is not None]

    def column(name: str, *, field: str = "", ends: bool = False) -> Column:
        return Column(name, [row.get(field or name) for row in rows], ends=ends)

    def screen(field: str, heading: str, show: Any = str) -> Column:
        return Column("", [row.get(field) for row in shown], heading, show)

    columns = (
        screen("shown", "rule"),
        screen("cost", "cost", _per_1000),
        screen("interval", level, partial(span, show=_per_1000)),
        screen("hindsight_cost", "hindsight", _per_1000),
        screen("abstention_rate", "abstains", percent),
        *map(column, ("rule", "model", "chosen", "cost")),
        column("cost", field="interval", ends=True),
        *map(column, ("hindsight_cost", "abstention_rate", "error_rate", "auc")),
        column("auc", field="auc_interval", ends=True),
    )
    return Table(name="Rules", title="Cost per 1000 cases", columns=columns)


def _confusion(comparison: Comparison) -> Table:
    """Cases per 1000 by true class and answer; of many classes people see the costliest confusions."""
    answer, names = comparison.answer, list(comparison.answer.class_names)
    classes, called = list(map(str, comparison.classes)), [*map(str, comparison.classes), "abstain"]
    if answer.unknown_decided is not None:
        names, classes = [*names, _UNKNOWN], [*classes, _UNKNOWN]
    plain = (
        Column("true", [name for name in classes for _ in called]),
        Column("answer", called * len(names)),
        Column("share", answer.confusion.ravel().tolist()),
        Column("cost", answer.confusion_cost.ravel().tolist()),
    )
    if len(names) <= _MOST_COLUMNS:
        heads = [*answer.class_names, *(["abstain"] if answer.abstention_rate else [])]
        cells = (_CASES * answer.confusion).T.tolist()
        shown = [
            Column("", names, "true \\ answer"),
            *(
                Column("", column, head, partial(number, digits=3))
                for head, column in zip(heads, cells, strict=False)
            ),
        ]
        return Table(name="Confusion", title="Answers of 1000 cases", columns=(*shown, *plain))
    paid = answer.confusion_cost[:, :-1].copy()
    np.fill_diagonal(paid, 0.0)
    places = [
        divmod(place, len(answer.class_names))
        for place in np.argsort(-paid, axis=None, kind="stable")[:_MOST_COLUMNS].tolist()
        if paid.flat[place] > 0
    ]
    shares = [float(_CASES * answer.confusion[place]) for place in places]
    shown = [
        Column("", [f"{names[k]} called {names[j]}" for k, j in places], "costliest confusions"),
        Column("", shares, "cases", partial(number, digits=3)),
        Column("", [float(paid[place]) for place in places], "cost", _per_1000),
    ]
    return Table(name="Confusion", title="Answers of 1000 cases", columns=(*shown, *plain))


def quality_words(comparison: Comparison) -> str:
    """Say how well models tell many classes apart; empty where no area is defined."""
    aucs, title = [], "Mean pairwise AUC (Hand and Till)"
    for name, model in comparison.models.items():
        if model.auc is not None and model.auc_interval is not None:
            aucs.append(f"{name} {model.auc:.3f} ({span(model.auc_interval, '{:.3f}'.format)})")
        elif model.auc is not None:  # clusters
            aucs.append(f"{name} {model.auc:.3f}")
    if any(model.auc_interval is not None for model in comparison.models.values()):
        title += f", {level_words(comparison.problem.confidence_level)} interval"
    return f"{title}: {', '.join(aucs)}." if aucs else ""
