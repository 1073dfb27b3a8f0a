"""The answer of `demur guard`: thresholds of the score, limit of the doubt, and whether the guard pays."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from demur._html import threshold_text
from demur._kernels.thresholds import shortest_in
from demur.cli.answers.figures import guard_map, save
from demur.cli.answers.tables import level_words, per_1000, prices_words
from demur.cli.options import Certainty
from demur.cli.options.combining import Guarding
from demur.cli.output import percent, table, wrapped
from demur.cli.reading.predictions import Predictions
from demur.costs.model import CostModel
from demur.exceptions import InputError
from demur.honest.combinations import GuardedCost, guarded_cost
from demur.windows.guarded import GuardedWindow, guarded_window

__all__ = ["Guarded", "draw_guarded", "guard"]


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
        """Return the answer as built-in types."""
        return {
            "decision": self.decision(),
            "costs": self.costs.to_dict(),
            "model": self.model,
            "doubt": self.rows.roles.doubt,
            "rule": self.rule.to_dict(),
            "cost": self.found.to_dict(),
        }

    def text(self) -> str:
        """Return the answer in words and a table."""
        return "\n\n".join([wrapped(self.decision()), self._costs_table()])

    def decision(self) -> str:
        """Say what to do."""
        rule, found, doubt = self.rule, self.found, self.rows.roles.doubt
        trivial = min(found.trivial, key=lambda name: found.trivial[name])
        if found.trivial[trivial] <= min(found.cost, found.unguarded.cost):
            return (
                f"Neither rule pays: {trivial} costs {per_1000(found.trivial[trivial])} per 1000 cases, the "
                f"thresholds with the guard {per_1000(found.cost)}, alone {per_1000(found.unguarded.cost)}."
            )
        if math.isinf(rule.max_doubt):
            return (
                f"No guard pays here: no limit of {doubt} makes the rule cheaper on these cases "
                f"({per_1000(found.unguarded.cost)} per 1000 without a guard). Perhaps none of them is "
                "unlike the training data; --max-doubt sets a limit all the same."
            )
        low, high = found.difference_interval
        between = f"{level_words(found.guarded.confidence_level)}: {per_1000(low, 3)} to {per_1000(high, 3)}"
        apart = f"{per_1000(abs(found.difference))} {'less' if found.difference < 0 else 'more'}"
        if found.difference >= 0 and not self.limit_given:
            return (
                f"Use the thresholds alone: {per_1000(found.unguarded.cost)} per 1000 cases. A guard at "
                f"{threshold_text(rule.max_doubt)} of {doubt} costs {apart} (difference {between})."
            )
        lower, upper, limit = map(threshold_text, (rule.lower, rule.upper, rule.max_doubt))
        said = (
            f"Abstain where {doubt} exceeds {limit}. Else call {self.rows.negative} up "
            f"to {lower} of {self.model}, {self.rows.positive} from {upper}, and abstain between. "
            f"Cost {per_1000(found.cost)} per 1000 cases, {apart} than the thresholds "
            f"alone (difference {between})."
        )
        if low < 0 <= high:
            said += " The difference may be chance."
        return said

    def _costs_table(self) -> str:
        found, rule = self.found, self.rule
        level = level_words(found.guarded.confidence_level)
        rows = [
            [
                name,
                per_1000(row.cost),
                " to ".join(per_1000(end, 3) for end in row.interval),
                percent(row.abstention_rate),
                per_1000(row.hindsight),
            ]
            for name, row in (("with the guard", found.guarded), ("thresholds alone", found.unguarded))
        ]
        rows += [
            [name, per_1000(cost), "", "", ""]
            for name, cost in sorted(found.trivial.items(), key=lambda item: item[1])
        ]
        note = (
            "cost: measured on cases not used to choose the rule; hindsight: on the cases used to choose, "
            "too low on average. Share of cases abstained on for their doubt alone: "
            f"{percent(rule.refused_rate)}."
        )
        title = f"Cost per 1000 cases ({prices_words(self.costs)})"
        body = table(["rule", "cost", f"{level} interval", "abstains", "hindsight"], rows)
        return f"{title}\n{body}\n{wrapped(note)}"


def guard(rows: Predictions, costs: CostModel, guarding: Guarding, certainty: Certainty) -> Guarded:
    """Choose the rule on all cases and judge it on folds."""
    if len(rows.scores) != 1:
        raise InputError(
            f"`{rows.source}` has {len(rows.scores)} score columns ({', '.join(rows.scores)}). "
            "Hint: choose one with --model."
        )
    if not costs.may_abstain:
        raise InputError("`--cost-abstain` is needed. Hint: a guard abstains; say what that costs.")
    (score,), doubt = rows.scores.values(), rows.doubts
    assert doubt is not None
    if guarding.max_doubt is not None and guarding.max_doubt < doubt.min():
        raise InputError(
            f"`--max-doubt` must let some cases pass, got {guarding.max_doubt:g}. "
            f"Hint: {rows.roles.doubt} lies between {doubt.min():g} and {doubt.max():g}."
        )
    rule = guarded_window(
        rows.truth, score, doubt, costs=costs, max_doubt=guarding.max_doubt, sample_weight=rows.weights
    )
    kept = score[doubt <= rule.max_doubt]
    rule = replace(
        rule,
        lower=shortest_in(rule.lower, kept),
        upper=shortest_in(rule.upper, kept),
        max_doubt=rule.max_doubt if guarding.max_doubt is not None else shortest_in(rule.max_doubt, doubt),
    )
    found = guarded_cost(
        rows.truth,
        score,
        doubt,
        costs=costs,
        max_doubt=guarding.max_doubt,
        sample_weight=rows.weights,
        confidence_level=certainty.confidence,
        rng=certainty.seed,
    )
    limit_given = guarding.max_doubt is not None
    return Guarded(rows=rows, costs=costs, rule=rule, found=found, limit_given=limit_given)


def draw_guarded(guarded: Guarded, path: Path) -> None:
    """Draw the cases and where the rule abstains."""
    rows = guarded.rows
    assert rows.doubts is not None
    with save(path, size=(6.4, 5.0)) as ax:
        guard_map(
            ax,
            guarded.rule,
            score=rows.scores[guarded.model],
            doubt=rows.doubts,
            positive=rows.truth,
            names=(guarded.model, str(rows.roles.doubt)),
            classes=(rows.positive, rows.negative),
        )
