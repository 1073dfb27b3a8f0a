"""From ranked models to the policy of the best one, and the answer in words."""

from dataclasses import replace
from shlex import quote
from typing import Any

from demur.abstention import ABSTAIN, AbstentionWindow
from demur.cli.comparison import ModelResult, Ranking
from demur.cli.output import percent
from demur.cli.predictions import Predictions
from demur.cli.wording import decision, decision_lines, limits_in_words
from demur.exceptions import InputError
from demur.policy import Policy

__all__ = ["answer", "policy_of", "words"]


def policy_of(ranking: Ranking, read: Predictions, abstain_label: str | None) -> Policy:
    """Make the policy of the cheapest model, with the labels of the file."""
    best = ranking.best
    positive, negative, abstain = _labels(read.positive, read.negative, abstain_label)
    return Policy.from_window(
        _window(best, limited=bool(ranking.limits.given())),
        best.counts,
        costs=ranking.costs,
        pos_label=positive,
        neg_label=negative,
        abstain_label=abstain,
        model=best.name,
        note=limits_in_words(ranking.limits),
    )


def _window(model: ModelResult, *, limited: bool) -> AbstentionWindow:
    """Return the window to use; where no model pays, the rule without a model that is advised."""
    at = model.priced()
    if limited or at.saved_by_model > 0:
        return at.window
    # the rule was found on data with one score: its cuts lie below or above all of ours
    first, last = (model.n_distinct * index for index in (at.trivial.lower_index, at.trivial.upper_index))
    return replace(at.trivial, lower_index=first, upper_index=last)


def _labels(positive: str, negative: str, abstain: str | None) -> tuple[Any, Any, Any]:
    """Return the labels as numbers if all are whole numbers, else as text."""
    classes = positive, negative
    if abstain is None:
        # with the classes -1 and 1 it is the number between them
        numbers = (str(ABSTAIN), "0", "1")
        free = next(number for number in numbers if number not in classes)
        abstain = free if all(map(_whole, classes)) else "abstain"
    if abstain in classes:
        raise InputError(
            f"`--abstain-label` must not be one of the classes {positive} and {negative}, got {abstain}."
        )
    if all(map(_whole, (*classes, abstain))):
        return int(positive), int(negative), int(abstain)
    return positive, negative, abstain


def _whole(text: str) -> bool:
    """Whether a text is a whole number as Python writes it, so that it comes back the same."""
    return text.removeprefix("-").isdecimal() and text == str(int(text))


def words(ranking: Ranking, policy: Policy, output: str | None, honest: str) -> list[str]:
    """Return, paragraph by paragraph, the decision, what it rests on and what to do next."""
    names = [model.name for model in ranking.models]
    lines = [*decision_lines(ranking), honest]
    if len(names) > 1:
        lines.append(f"Chosen as the cheapest at these costs among {', '.join(sorted(names))}.")
    lines += [f"Left out: {name}. {why}" for name, why in ranking.impossible.items()]
    lines.append(
        f"Labels: positive = {policy.pos_label}, negative = {policy.neg_label}, "
        f"abstain = {policy.abstain_label}; {percent(policy.prevalence)} positive assumed."
    )
    if output not in (None, "-"):
        lines.append(f"Written to {output}. Next: demur apply {quote(str(output))} FILE")
    return lines


def answer(ranking: Ranking, policy: Policy) -> dict[str, Any]:
    """Return everything as built-in types: the decision, every model at these costs, the policy."""
    return {
        "decision": decision(ranking),
        "model": policy.model,
        "limits": ranking.limits.given(),
        "models": [{"name": model.name, **model.priced().to_dict()} for model in ranking.models],
        "impossible": ranking.impossible,
        "policy": policy.to_dict(),
    }
