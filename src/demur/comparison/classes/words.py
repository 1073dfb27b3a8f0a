"""The answer for many classes in words: one function from facts to sentences.

Facts are plain numbers and names, as `ClassAnswer.facts` lists them. Costs are per case; sentences
show them per 1000 cases.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from demur._html import threshold_text
from demur.comparison.numbers import money
from demur.comparison.words import (
    about_words,
    level_words,
    listed_words,
    mistake_words,
    outcome_words,
    saving_words,
    short_name,
    step_of,
)

__all__ = ["class_words", "trivial_words"]

_MOST_LISTED = 6
_PERSON = "send the case to a person"


def class_words(facts: Mapping[str, Any]) -> str:
    """Say what to do, what happens then, what it costs, and what is not proven."""
    sentences = [_rule(facts)]
    if facts["model"] is not None:
        sentences += [_happens(facts), *_dearest(facts)]
    sentences += [_costs(facts), *_ranges(facts)]
    if facts["model"] is not None:
        sentences += _unproven(facts)
    return " ".join(sentences)


def trivial_words(kind: str) -> tuple[str, str]:
    """How a rule without a model is said: as advice, and as something to compare with."""
    if kind == "always abstain":
        return "Send every case to a person", "sending every case to a person"
    name = kind.removeprefix("always ")
    return f"Call every case {name}", f"calling every case {name}"


def _rule(facts: Mapping[str, Any]) -> str:
    if facts["model"] is None:
        return f"{trivial_words(facts['kind'])[0]}: no model is cheaper."
    return f"Use {short_name(facts['model'])}: {_method(facts)}."


def _method(facts: Mapping[str, Any]) -> str:
    kind, classes, weights = facts["kind"], facts["classes"], facts["weights"]
    abstain = facts["abstain_weight"]
    if kind.startswith("weights") and facts.get("window") is not None:
        return _window(facts)
    if kind == "argmax":
        return "answer the class with the highest probability"
    if kind.startswith("expected cost"):
        text = "answer the class with the lowest expected cost"
        if abstain is None:
            return text
        factor = "" if abstain == 1 else f", divided by {abstain:.4g},"
        return f"{text}, or {_PERSON} where that{factor} is expected to cost less"
    if kind == "cautious":
        reached = abstain / weights[0]
        return f"answer the most probable class if its probability reaches {reached:.4g}, else {_PERSON}"
    if kind == "cautious by class":
        limits = [abstain / weight for weight in weights]
        return (
            f"answer the class that exceeds its threshold by the largest factor ({_each(classes, limits)}), "
            f"{_PERSON} where none does"
        )
    listed = _each(classes, weights)
    if facts["family"] == "columns":
        text = f"divide the expected cost of each answer by its weight ({listed}) and answer the smallest"
        return text if abstain is None else f"{text}; a review is one answer more, with weight {abstain:.4g}"
    text = f"multiply each probability by the weight of its class ({listed}) and answer the largest"
    return text if abstain is None else f"{text}, {_PERSON} where none reaches {abstain:.4g}"


def _window(facts: Mapping[str, Any]) -> str:
    """Say two weights as thresholds on the probability of the second class."""
    first, second = facts["classes"]
    lower, upper = facts["window"]
    if facts["abstain_weight"] is None:
        return f"call {second} from a probability of {threshold_text(upper)} up, {first} below"
    calls = [f"{second} from a probability of {threshold_text(upper)} up"] if upper < math.inf else []
    calls += [f"{first} up to {threshold_text(lower)}"] if lower > -math.inf else []
    return f"call {', '.join(calls)}, send the rest to a person" if calls else "send every case to a person"


def _each(classes: list[str], values: list[float]) -> str:
    if len(classes) > _MOST_LISTED:
        return f"{min(values):.4g} to {max(values):.4g}"
    return ", ".join(f"{name} {value:.4g}" for name, value in zip(classes, values, strict=True))


def _happens(facts: Mapping[str, Any]) -> str:
    """Say what happens to 1000 cases; of two classes in the words of two classes, the second first."""
    called = list(zip(facts["classes"], facts["called"], strict=True))
    mistakes = f"{about_words(facts['wrong'])} wrong"
    if facts.get("missed") is not None:
        called.reverse()
        mistakes = mistake_words(facts["classes"][1], facts["missed"], facts["alarms"])
    abstains = facts["abstain_weight"] is not None
    return outcome_words(called, facts["abstained"], abstains=abstains, mistakes=mistakes)


def _dearest(facts: Mapping[str, Any]) -> Iterator[str]:
    dearest = facts["dearest"]
    if dearest is not None:
        yield (
            f"Dearest confusion: {dearest['true']} called {dearest['answer']}, "
            f"{100 * dearest['share']:.0f} % of the cost."
        )


def _costs(facts: Mapping[str, Any]) -> str:
    step = step_of(facts)
    text = f"Cost {money(facts['cost'], step)} per 1000 cases"
    if facts["model"] is None:
        other = facts["versus"].get("runner_up")
        if other is None:
            return f"{text}."
        cost = money(facts["cost"] - other["difference"], step)
        return f"{text}. The best model, {short_name(other['name'])}, costs {cost}."
    low, high = (money(end, step) for end in facts["interval"])
    text += f" ({level_words(facts)} {low} to {high})"
    versus = facts["versus"].get("trivial")
    if versus is None:
        return f"{text}."
    less, interval = saving_words(versus, step)
    return f"{text}, {less} than {trivial_words(versus['name'])[1]} ({interval})."


def _ranges(facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["worst_cost"] is None:
        return
    step = step_of(facts)
    yield (
        f"Over the ranges it costs at most {money(facts['worst_cost'], step)}, and at most "
        f"{money(facts['regret'], step)} more than a rule chosen for the true costs."
    )


_OTHERS = {
    "argmax": "the class with the highest probability",
    "never_abstaining": "never abstaining",
}


def _unproven(facts: Mapping[str, Any]) -> Iterator[str]:
    """Say which comparisons the cases leave open."""
    open_questions = []
    for key in ("trivial", "argmax", "never_abstaining", "runner_up"):
        versus = facts["versus"].get(key)
        if versus is None or not versus["interval"][0] <= 0 <= versus["interval"][1]:
            continue
        if key == "trivial":
            open_questions.append(trivial_words(versus["name"])[1])
        else:
            open_questions.append(_OTHERS.get(key, short_name(versus["name"])))
    if open_questions:
        others = listed_words(open_questions)
        yield f"These {facts['n']:,.0f} cases do not prove that it is cheaper than {others}."
