"""The answer of `demur combine`: honest costs of models alone and together, and the cheapest rule."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from demur._html import threshold_text
from demur.cli.answers.figures import cost_dots, save
from demur.cli.answers.tables import level_words, per_1000, prices_words
from demur.cli.options import Certainty, Prices
from demur.cli.options.combining import Combining
from demur.cli.output import percent, table, wrapped
from demur.cli.reading.predictions import Predictions
from demur.costs.model import CostModel
from demur.exceptions import InputError
from demur.honest.combinations import CombinationCosts, combination_costs
from demur.windows.combined import WAYS, CombinedRule, combined_rule, written_rule

__all__ = ["Combined", "combine", "draw_combined", "one_price_each"]

_NAMES = {
    "average": "their average",
    "vote": "a vote",
    "variance": "their average and disagreement",
    "chain": "a chain",
}


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

    @property
    def cheapest_trivial(self) -> str:
        """Rule without a model that costs least."""
        return min(self.found.trivial, key=lambda rule: self.found.trivial[rule])

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as built-in types."""
        return {
            "decision": self.decision(),
            "costs": self.costs.to_dict(),
            "best": self.found.best,
            "combination": self.found.to_dict(),
            "rule": self.rule.to_dict(),
        }

    def text(self) -> str:
        """Return the answer in words and tables."""
        return "\n\n".join([wrapped(self.decision()), self._costs_table(), self._rule_table()])

    def decision(self) -> str:
        """Say what to do."""
        found, way = self.found, self.rule.how
        alone, trivial = found.best_member, self.cheapest_trivial
        difference, interval = found.versus_best_member[way]
        if found.trivial[trivial] <= min(row.cost for row in found.rows.values()):
            return (
                f"Neither a model nor a combination pays: {trivial} costs "
                f"{per_1000(found.trivial[trivial])} per 1000 cases, {found.best} "
                f"{per_1000(found.rows[found.best].cost)}."
            )
        level = level_words(found.confidence_level)
        between = f"{level}: {per_1000(interval.low, 3)} to {per_1000(interval.high, 3)}"
        costs = per_1000(found.rows[way].cost), per_1000(found.rows[alone].cost)
        if difference >= 0:
            return (
                f"Use {alone} alone: {costs[1]} per 1000 cases. The best combination, {_NAMES[way]}, costs "
                f"{costs[0]} (difference {between})."
            )
        said = (
            f"Combine the models by {_NAMES[way]}: {costs[0]} per 1000 cases, {per_1000(-difference)} less "
            f"than {alone} alone (difference {between})."
        )
        if interval.high >= 0:
            said += f" The difference may be chance: {alone} alone is simpler."
        return said

    def _costs_table(self) -> str:
        found = self.found
        level = level_words(found.confidence_level)
        rows = []
        for name, row in sorted(found.rows.items(), key=lambda item: item[1].cost):
            against = found.versus_best_member.get(name)
            shown = "" if against is None else " to ".join(per_1000(end, 3) for end in against[1])
            interval = " to ".join(per_1000(end, 3) for end in row.interval)
            rows.append([name, per_1000(row.cost), interval, shown, percent(row.abstention_rate)])
        rows += [
            [rule, per_1000(cost), "", "", ""]
            for rule, cost in sorted(found.trivial.items(), key=lambda item: item[1])
        ]
        title = f"Cost per 1000 cases ({prices_words(self.costs)})"
        header = ["rule", "cost", f"{level} interval", f"minus {found.best_member}"[:22], "abstains"]
        note = (
            "cost: measured on cases not used to choose the rule, fees included; the cheapest of several "
            f"looks a little better than it is. minus {found.best_member}: {level} interval of the "
            "difference on the same cases."
        )
        return f"{title}\n{table(header, rows)}\n{wrapped(note)}"

    def _rule_table(self) -> str:
        rule = self.rule
        # what a window is on, and the window
        windows = dict(zip(rule.names, rule.windows, strict=True)) if rule.windows else {}
        title = {
            "average": "Thresholds on the mean of the models",
            "vote": "Thresholds of each vote, then of the balance (for minus against, per model)",
            "variance": "Thresholds on the mean of the models",
            "chain": "Thresholds of each stage, asked in this order; what lies between goes on",
        }[rule.how]
        if rule.window is not None:
            windows["balance of votes" if rule.how == "vote" else "mean"] = rule.window
        rows = [[name, threshold_text(low), threshold_text(high)] for name, (low, high) in windows.items()]
        body = table(["score", "negative up to", "positive from"], rows)
        if rule.how == "variance":
            limit = f"Abstain where the standard deviation exceeds {threshold_text(rule.max_disagreement)}."
            body += "\n" + wrapped(limit)
        return f"{title}\n{body}"


def combine(rows: Predictions, costs: CostModel, combining: Combining, certainty: Certainty) -> Combined:
    """Judge every model and every way on the same folds; choose the best way's rule on all cases."""
    names = list(rows.scores)
    if len(names) < 2:
        raise InputError(
            f"`{rows.source}` must have at least two score columns to combine, got {', '.join(names)}. "
            "Hint: pass --model for each."
        )
    _require_probabilities(rows)
    fees = combining.stage_costs(names)
    ways = combining.ways or WAYS
    found = combination_costs(
        rows.truth,
        rows.scores,
        costs=costs,
        stage_costs=fees,
        ways=ways,
        sample_weight=rows.weights,
        confidence_level=certainty.confidence,
        rng=certainty.seed,
    )
    best = min(ways, key=lambda way: found.rows[way].cost)
    rule = combined_rule(
        rows.truth, rows.scores, how=best, costs=costs, stage_costs=fees, sample_weight=rows.weights
    )
    table_of_scores = np.column_stack(list(rows.scores.values()))
    return Combined(costs=costs, found=found, rule=written_rule(rule, table_of_scores))


def _require_probabilities(rows: Predictions) -> None:
    for name, score in rows.scores.items():
        low, high = float(score.min()), float(score.max())
        if low < 0 or high > 1:
            raise InputError(
                f"Column {name!r} must hold probabilities to be combined with others, got scores from "
                f"{low:g} to {high:g}. Hint: calibrate the model, or leave it out with --exclude {name}."
            )


def draw_combined(combined: Combined, path: Path) -> None:
    """Draw the honest costs with their intervals, models alone in another colour."""
    found = combined.found
    alone = [name for name in found.rows if name not in found.versus_best_member]
    with save(path, size=(7.2, 1.6 + 0.36 * len(found.rows))) as ax:
        cost_dots(ax, found.rows, alone=alone, level=found.confidence_level)
