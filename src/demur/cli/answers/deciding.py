"""The answer of `demur decide`, for all cases or group by group: policies, words, a document."""

from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

from demur.cli.answers.certainty import HonestCost, honest_cost, honest_sentence
from demur.cli.answers.comparison import Limits, ModelResult, Ranking, rank_models
from demur.cli.answers.wording import decision, decision_lines, limits_in_words
from demur.cli.output import document, group_file, heading, percent, remark, wrapped, write, write_file
from demur.cli.reading.evidence import Evidence, Part
from demur.costs.model import CostModel
from demur.exceptions import InputError, UndefinedError
from demur.surface.window import ABSTAIN, AbstentionWindow
from demur.windows.policy import Policy

__all__ = ["Decided", "Wanted", "decide_parts", "decided_document", "write_decided"]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the user asked for."""

    costs: CostModel
    limits: Limits
    prevalence: float | None
    abstain_label: str | None
    confidence_level: float
    seed: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Decided:
    """The models in order, the policy of the first, and its honest cost or why there is none."""

    ranking: Ranking
    policy: Policy
    honest: HonestCost | str
    confidence_level: float

    def words(self, output: str | None) -> list[str]:
        """Return, paragraph by paragraph, the decision, what it rests on and what to do next."""
        sentence = honest_sentence(self.honest, self.confidence_level)
        return _words(self.ranking, self.policy, output, sentence)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as built-in types."""
        honest = self.honest
        shown = (
            honest if isinstance(honest, str) else {**vars(honest), "confidence_level": self.confidence_level}
        )
        return {**_answer(self.ranking, self.policy), "honest": shown}


def decide_parts(read: Evidence, wanted: Wanted) -> dict[str, Decided | str]:
    """Decide for every part; a group that has no answer gives the reason instead."""
    if read.group is None:
        return {"": _decided(read, read.whole, wanted)}
    found: dict[str, Decided | str] = {}
    for name, part in read.parts.items():
        try:
            found[name] = _decided(read, part, wanted)
        except UndefinedError as error:
            found[name] = f"Left out: {error}"
    return found


def _decided(read: Evidence, part: Part, wanted: Wanted) -> Decided:
    ranking = rank_models(part.counts, costs=wanted.costs, prevalence=wanted.prevalence, limits=wanted.limits)
    level = wanted.confidence_level
    return Decided(
        ranking=ranking,
        policy=_policy(ranking, read, wanted.abstain_label),
        honest=honest_cost(ranking, confidence_level=level, seed=wanted.seed),
        confidence_level=level,
    )


def _policy(ranking: Ranking, read: Evidence, abstain_label: str | None) -> Policy:
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


def _words(ranking: Ranking, policy: Policy, output: str | None, honest: str) -> list[str]:
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


def _answer(ranking: Ranking, policy: Policy) -> dict[str, Any]:
    return {
        "decision": decision(ranking),
        "model": policy.model,
        "limits": ranking.limits.given(),
        "models": [{"name": model.name, **model.priced().to_dict()} for model in ranking.models],
        "impossible": ranking.impossible,
        "policy": policy.to_dict(),
    }


# ---------------------------------------------------------------- output


def decided_document(read: Evidence, parts: dict[str, Decided | str]) -> str:
    """Return the JSON document."""
    answers = {
        name: {"left_out": part} if isinstance(part, str) else part.to_dict() for name, part in parts.items()
    }
    return document("decide", read.answered(answers))


def write_decided(
    read: Evidence, parts: dict[str, Decided | str], *, output: str | None, quiet: bool, silent: bool
) -> None:
    """Write the policies and, unless `silent`, say what they are."""
    if read.group is not None:
        _write_groups(read, parts, output=output, silent=silent)
        return
    (only,) = parts.values()
    assert isinstance(only, Decided)
    lines = [*only.words(output), *read.bins_in_words()]
    if output not in (None, "-"):
        write_file(Path(str(output)), only.policy.to_json() + "\n")
        if not silent:
            write("\n".join(map(wrapped, lines)), None)
    elif not silent:
        for line in lines:
            remark(line, quiet=quiet)
        write(only.policy.to_json(), None)


def _write_groups(
    read: Evidence, parts: dict[str, Decided | str], *, output: str | None, silent: bool
) -> None:
    """Write a policy per group; without -o only the words."""
    files = {name: None if output is None else group_file(output, name) for name in parts}
    blocks = []
    for name, part in parts.items():
        file = files[name]
        if isinstance(part, Decided) and file is not None:
            write_file(Path(file), part.policy.to_json() + "\n")
        lines = [part] if isinstance(part, str) else part.words(file)
        blocks.append("\n".join([heading(read.title(name), output=None), *map(wrapped, lines)]))
    blocks += map(wrapped, read.bins_in_words())
    if output is None:
        blocks.append(wrapped("For a policy per group add -o 'policy-{group}.json'."))
    if not silent:
        write("\n\n".join(blocks), None)
