"""The answers of `demur combine` and `demur guard`: rules that look at more than one number per case."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from demur._checks import check_nonnegative
from demur._html import threshold_text
from demur._kernels.thresholds import shortest_in
from demur.cli.answers.tables import per_1000, prices_words
from demur.cli.options import Certainty, Prices
from demur.cli.output import level_words, percent, saved_figure, span, table, wrapped
from demur.cli.reading.evidence import Predictions
from demur.cli.reading.roles import only_one
from demur.costs.model import CostModel
from demur.engines.labels import is_number
from demur.exceptions import InputError
from demur.honest.combinations import CombinationCosts, GuardedCost, combination_costs, guarded_cost
from demur.windows.combined import WAYS, CombinedRule, combined_rule, written_rule
from demur.windows.guarded import GuardedWindow, guarded_window

__all__ = ["Combined", "Guarded", "combine", "guard", "one_price_each"]

_MOST_DOTS = 4000

_NAMES = {
    "average": "their average",
    "vote": "a vote",
    "variance": "their average and disagreement",
    "chain": "a chain",
}

_TITLES = {
    "average": "Thresholds on the mean of the models",
    "vote": "Thresholds of each vote, then of the balance (for minus against, per model)",
    "variance": "Thresholds on the mean of the models",
    "chain": "Thresholds of each stage, asked in this order; what lies between goes on",
}

_per_1000 = partial(per_1000, digits=3)


def one_price_each(prices: Prices) -> CostModel:
    """Return the costs, which these verbs need, each as one number."""
    costs = prices.costs()
    if costs is None:
        raise InputError(
            "`--cost-fn` is needed. Hint: rules are chosen at your costs, for example --cost-fn 100 "
            "--cost-fp 40 --cost-abstain 12."
        )
    return costs


@dataclass(frozen=True, kw_only=True, eq=False)
class Combined:
    """Honest costs on the same folds, and the cheapest combination chosen on all cases."""

    costs: CostModel
    found: CombinationCosts
    rule: CombinedRule

    def to_dict(self) -> dict[str, Any]:
        """Return the answer; JSON makes built-in types of it."""
        return {
            "decision": self.decision(),
            "costs": self.costs,
            "best": self.found.best,
            "combination": self.found,
            "rule": self.rule,
        }

    def text(self) -> str:
        """Return the answer in words and tables."""
        found = self.found
        level = level_words(found.confidence_level)
        rows = []
        for name, row in sorted(found.rows.items(), key=lambda item: item[1].cost):
            against = found.versus_best_member.get(name)
            shown = "" if against is None else span(against[1], _per_1000)
            interval = span(row.interval, _per_1000)
            rows.append([name, per_1000(row.cost), interval, shown, percent(row.abstention_rate)])
        header = ["rule", "cost", f"{level} interval", f"minus {found.best_member}"[:22], "abstains"]
        note = (
            "cost: measured on cases not used to choose the rule, fees included; the cheapest of several "
            f"looks a little better than it is. minus {found.best_member}: {level} interval of the "
            "difference on the same cases."
        )
        costs = _costs_table(self.costs, header, rows, found.trivial, note)
        return "\n\n".join([wrapped(self.decision()), costs, _thresholds_table(self.rule)])

    def decision(self) -> str:
        """Say what to do."""
        found, way = self.found, self.rule.how
        alone = found.best_member
        trivial, trivial_cost = min(found.trivial.items(), key=lambda rule: rule[1])
        if trivial_cost <= min(row.cost for row in found.rows.values()):
            return (
                f"Neither a model nor a combination pays: {trivial} costs {per_1000(trivial_cost)} per 1000 "
                f"cases, {found.best} {per_1000(found.rows[found.best].cost)}."
            )
        difference, interval = found.versus_best_member[way]
        between = f"difference {level_words(found.confidence_level)}: {span(interval, _per_1000)}"
        costs = per_1000(found.rows[way].cost), per_1000(found.rows[alone].cost)
        if difference >= 0:
            return (
                f"Use {alone} alone: {costs[1]} per 1000 cases. The best combination, {_NAMES[way]}, costs "
                f"{costs[0]} ({between})."
            )
        said = (
            f"Combine the models by {_NAMES[way]}: {costs[0]} per 1000 cases, {per_1000(-difference)} less "
            f"than {alone} alone ({between})."
        )
        if interval.high >= 0:
            said += f" The difference may be chance: {alone} alone is simpler."
        return said

    def draw(self, path: Path) -> None:
        """Draw the honest costs with their intervals, the cheapest on top, models alone in another colour."""
        from demur.displays.base import NEGATIVE_COLOR

        found = self.found
        rows = sorted(found.rows.items(), key=lambda item: -item[1].cost)
        with saved_figure(path, size=(7.2, 1.6 + 0.36 * len(rows))) as (ax,):
            for place, (name, row) in enumerate(rows):
                alone = name not in found.versus_best_member
                colour = NEGATIVE_COLOR if alone else "black"
                ax.plot(list(row.interval), [place, place], color=colour, lw=1.6, solid_capstyle="butt")
                ax.plot([row.cost], [place], "o" if alone else "D", color=colour, ms=6)
            ax.set_yticks(range(len(rows)), [name for name, _ in rows])
            level = level_words(found.confidence_level)
            ax.set(xlabel=f"honest cost per case and its {level} interval", xlim=(0, None))
            ax.set_title("Blue circles: one model alone. Black diamonds: combined.", fontsize=10, loc="left")
            ax.margins(y=0.08)
            ax.grid(axis="x", color="0.9")
            ax.set_axisbelow(True)
            ax.spines[["top", "right"]].set_visible(False)


def _thresholds_table(rule: CombinedRule) -> str:
    # what a window is on, and the window
    windows = dict(zip(rule.names, rule.windows, strict=True)) if rule.windows else {}
    if rule.window is not None:
        windows["balance of votes" if rule.how == "vote" else "mean"] = rule.window
    rows = [[name, threshold_text(low), threshold_text(high)] for name, (low, high) in windows.items()]
    body = table(["score", "negative up to", "positive from"], rows)
    if rule.how == "variance":
        limit = f"Abstain where the standard deviation exceeds {threshold_text(rule.max_disagreement)}."
        body += "\n" + wrapped(limit)
    return f"{_TITLES[rule.how]}\n{body}"


def _costs_table(
    costs: CostModel, header: list[str], rows: list[list[str]], trivial: Mapping[str, float], note: str
) -> str:
    """Lay out rules with a model, then those without one, the cheapest first."""
    ordered = sorted(trivial.items(), key=lambda item: item[1])
    rows = [*rows, *([rule, per_1000(cost), "", "", ""] for rule, cost in ordered)]
    return f"Cost per 1000 cases ({prices_words(costs)})\n{table(header, rows)}\n{wrapped(note)}"


def combine(
    rows: Predictions, costs: CostModel, certainty: Certainty, *, ways: Sequence[str], fees: Sequence[str]
) -> Combined:
    """Judge every model and every way on the same folds; choose the best way's rule on all cases.

    `fees` are as the user writes them: MODEL=NUMBER.
    """
    names = list(rows.scores)
    if len(names) < 2:
        raise InputError(
            f"`{rows.source}` must have at least two score columns to combine, got {', '.join(names)}. "
            "Hint: pass --model for each."
        )
    for name, score in rows.scores.items():
        low, high = float(score.min()), float(score.max())
        if low < 0 or high > 1:
            raise InputError(
                f"Column {name!r} must hold probabilities to be combined with others, got scores from "
                f"{low:g} to {high:g}. Hint: calibrate the model, or leave it out with --exclude {name}."
            )
    stage_costs = _stage_costs(fees, names)
    ways = ways or WAYS
    found = combination_costs(
        rows.truth,
        rows.scores,
        costs=costs,
        stage_costs=stage_costs,
        ways=ways,
        sample_weight=rows.weights,
        confidence_level=certainty.confidence,
        rng=certainty.seed,
    )
    best = min(ways, key=lambda way: found.rows[way].cost)
    rule = combined_rule(
        rows.truth, rows.scores, how=best, costs=costs, stage_costs=stage_costs, sample_weight=rows.weights
    )
    table_of_scores = np.column_stack(list(rows.scores.values()))
    return Combined(costs=costs, found=found, rule=written_rule(rule, table_of_scores))


def _stage_costs(given: Sequence[str], names: Sequence[str]) -> list[float]:
    """Return the fee of every model, in order."""
    fees = dict.fromkeys(names, 0.0)
    for text in given:
        # a column may have = in its name, a number has none
        name, sign, amount = text.rpartition("=")
        if not sign or not is_number(amount):
            raise InputError(f"`--fee` must read MODEL=NUMBER, got {text!r}. Hint: --fee {names[0]}=0.5.")
        if name not in fees:
            raise InputError(f"`--fee` names {name!r}, which is no model. Hint: they are {', '.join(names)}.")
        fees[name] = float(check_nonnegative(float(amount), "--fee"))
    return list(fees.values())


# ---------------------------------------------------------------- a score and a doubt


@dataclass(frozen=True, kw_only=True, eq=False)
class Guarded:
    """The rule chosen on all cases, and its honest cost beside that of the thresholds alone."""

    rows: Predictions
    costs: CostModel
    rule: GuardedWindow
    found: GuardedCost
    limit_given: bool

    @property
    def model(self) -> str:
        """Column of the score."""
        return next(iter(self.rows.scores))

    def to_dict(self) -> dict[str, Any]:
        """Return the answer; JSON makes built-in types of it."""
        return {
            "decision": self.decision(),
            "costs": self.costs,
            "model": self.model,
            "doubt": self.rows.roles.doubt,
            "rule": self.rule,
            "cost": self.found,
        }

    def text(self) -> str:
        """Return the answer in words and a table."""
        found = self.found
        level = level_words(found.guarded.confidence_level)
        rows = [
            [
                name,
                per_1000(row.cost),
                span(row.interval, _per_1000),
                percent(row.abstention_rate),
                per_1000(row.hindsight),
            ]
            for name, row in (("with the guard", found.guarded), ("thresholds alone", found.unguarded))
        ]
        note = (
            "cost: measured on cases not used to choose the rule; hindsight: on the cases used to choose, "
            "too low on average. Share of cases abstained on for their doubt alone: "
            f"{percent(self.rule.refused_rate)}."
        )
        header = ["rule", "cost", f"{level} interval", "abstains", "hindsight"]
        shown = _costs_table(self.costs, header, rows, found.trivial, note)
        return "\n\n".join([wrapped(self.decision()), shown])

    def decision(self) -> str:
        """Say what to do."""
        rule, found, doubt = self.rule, self.found, self.rows.roles.doubt
        cost, alone = per_1000(found.cost), per_1000(found.unguarded.cost)
        trivial, trivial_cost = min(found.trivial.items(), key=lambda rule: rule[1])
        if trivial_cost <= min(found.cost, found.unguarded.cost):
            return (
                f"Neither rule pays: {trivial} costs {per_1000(trivial_cost)} per 1000 cases, the "
                f"thresholds with the guard {cost}, alone {alone}."
            )
        if math.isinf(rule.max_doubt):
            return (
                f"No guard pays here: no limit of {doubt} makes the rule cheaper on these cases "
                f"({alone} per 1000 without a guard). Perhaps none of them is "
                "unlike the training data; --max-doubt sets a limit all the same."
            )
        interval, level = found.difference_interval, level_words(found.guarded.confidence_level)
        between = f"difference {level}: {span(interval, _per_1000)}"
        apart = f"{per_1000(abs(found.difference))} {'less' if found.difference < 0 else 'more'}"
        lower, upper, limit = map(threshold_text, (rule.lower, rule.upper, rule.max_doubt))
        if found.difference >= 0 and not self.limit_given:
            return (
                f"Use the thresholds alone: {alone} per 1000 cases. A guard at {limit} of {doubt} costs "
                f"{apart} ({between})."
            )
        said = (
            f"Abstain where {doubt} exceeds {limit}. Else call {self.rows.negative} up "
            f"to {lower} of {self.model}, {self.rows.positive} from {upper}, and abstain between. "
            f"Cost {cost} per 1000 cases, {apart} than the thresholds alone ({between})."
        )
        return said + (" The difference may be chance." if interval.low < 0 <= interval.high else "")

    def draw(self, path: Path) -> None:
        """Draw the cases in the plane of score and doubt; grey is where the rule abstains."""
        from demur.displays.base import ABSTAIN_COLOR, NEGATIVE_COLOR, POSITIVE_COLOR

        rows, rule = self.rows, self.rule
        assert rows.doubts is not None
        score, doubt = rows.scores[self.model], rows.doubts
        # evenly through the file: a figure of a million dots shows no more
        shown = slice(None, None, max(1, len(score) // _MOST_DOTS))
        marks = (
            (~rows.truth, NEGATIVE_COLOR, "o", rows.negative),
            (rows.truth, POSITIVE_COLOR, "^", rows.positive),
        )
        with saved_figure(path, size=(6.4, 5.0)) as (ax,):
            for which, colour, marker, label in marks:
                x, y = score[shown][which[shown]], doubt[shown][which[shown]]
                ax.plot(x, y, marker, color=colour, ms=4, alpha=0.6, mew=0, label=label)
            ax.margins(0.03)
            (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
            lower, upper = (min(max(end, left), right) for end in (rule.lower, rule.upper))
            limit = min(rule.max_doubt, high)
            grey = {"color": ABSTAIN_COLOR, "alpha": 0.25, "lw": 0}
            ax.fill_between([lower, upper], low, limit, **grey, label="abstains")
            ax.fill_between([left, right], limit, high, **grey)
            ax.set(xlim=(left, right), ylim=(low, high))
            ax.set(xlabel=f"score: {self.model}", ylabel=f"doubt: {rows.roles.doubt}")
            ax.figure.legend(loc="outside lower center", ncols=3, frameon=False)


def guard(rows: Predictions, costs: CostModel, certainty: Certainty, *, max_doubt: float | None) -> Guarded:
    """Choose the rule on all cases and judge it on folds."""
    score = rows.scores[only_one(rows.scores, rows.source)]
    if not costs.may_abstain:
        raise InputError("`--cost-abstain` is needed. Hint: a guard abstains; say what that costs.")
    doubt = rows.doubts
    assert doubt is not None
    if max_doubt is not None and max_doubt < doubt.min():
        raise InputError(
            f"`--max-doubt` must let some cases pass, got {max_doubt:g}. "
            f"Hint: {rows.roles.doubt} lies between {doubt.min():g} and {doubt.max():g}."
        )
    rule = guarded_window(
        rows.truth, score, doubt, costs=costs, max_doubt=max_doubt, sample_weight=rows.weights
    )
    kept = score[doubt <= rule.max_doubt]
    rule = replace(
        rule,
        lower=shortest_in(rule.lower, kept),
        upper=shortest_in(rule.upper, kept),
        max_doubt=rule.max_doubt if max_doubt is not None else shortest_in(rule.max_doubt, doubt),
    )
    found = guarded_cost(
        rows.truth,
        score,
        doubt,
        costs=costs,
        max_doubt=max_doubt,
        sample_weight=rows.weights,
        confidence_level=certainty.confidence,
        rng=certainty.seed,
    )
    return Guarded(rows=rows, costs=costs, rule=rule, found=found, limit_given=max_doubt is not None)
