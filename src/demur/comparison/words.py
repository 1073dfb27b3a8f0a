"""The answer in words: one function from facts to sentences.

Facts are plain numbers and names, as `Answer.facts` lists them. Costs are per case; sentences show them per
1000 cases.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from demur.comparison.numbers import amount, finer_step, money, money_parts, money_step, shares_of_1000
from demur.windows.limits import LIMITS
from demur.windows.window_rule import Window

__all__ = [
    "amounts_words",
    "answer_words",
    "baseline_words",
    "condition_words",
    "counted_words",
    "decision_words",
    "mistake_words",
    "outcome_words",
    "rule_words",
    "short_name",
    "step_of",
]

_LONGEST_NAME = 40
_NOTICED = 0.1
"""Part of the half-width of an interval from which on a difference is worth a sentence."""
_MOST_LISTED = 6

_PERSON = "send the case to a person"


def baseline_words(kind: str, facts: Mapping[str, Any]) -> tuple[str, str]:
    """Say a rule without a model: as advice, and as something to compare with."""
    if kind == "always abstain":
        return "send every case to a person", "sending every case to a person"
    name = kind.removeprefix("always ")
    if "positive" in facts:  # two classes go by the names of the words
        name = facts[name]
    return f"call every case {name}", f"calling every case {name}"


def short_name(name: str) -> str:
    """Cut a name that would fill the sentence."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..."


def answer_words(facts: Mapping[str, Any]) -> str:
    """Say how sure it is, what to do, what happens then, what it costs, and what is not proven."""
    if facts["model"] is None:
        return " ".join([rule_words(facts), _costs(facts), *_ranges(facts)])
    return " ".join(
        [
            decision_words(facts),
            _happens(facts),
            *_stakes(facts),
            _costs(facts),
            *_measured(facts),
            *_ranges(facts),
            *_unproven(facts),
            *_advice(facts),
            *_guarantee(facts),
        ]
    )


_AIMS = {
    "worst": "Chosen for the smallest cost at worst over the ranges.",
    "regret": "Chosen for the smallest regret over the ranges.",
    "guaranteed": "Chosen for the smallest guaranteed cost.",
}


def condition_words(
    limits: Mapping[str, float], objective: str, budget: Any = None, cost_unknown: float | None = None
) -> str:
    """Say what a rule had to keep, what it was chosen for if not the smallest cost; empty if nothing.

    Also what it costs to decide a case whose class cannot be known.
    """
    # a share times 100 may be off by rounding: twelve digits are more than anybody types
    kept = [
        limit.words.format(f"{100 * limits[limit.name]:.12g} %") for limit in LIMITS if limit.name in limits
    ]
    kept += [] if budget is None else [f"{budget.words} sent to a person"]
    sentences = [f"Limits: {', '.join(kept)}."] if kept else []
    if cost_unknown is not None:
        sentences.append(f"Deciding a case whose class cannot be known costs {amount(cost_unknown)}.")
    return " ".join([*sentences, *([_AIMS[objective]] if objective in _AIMS else [])])


def decision_words(facts: Mapping[str, Any]) -> str:
    """Say the verdict and what to do: where nothing is proven, to go on without a model for now."""
    if facts["model"] is None:
        return rule_words(facts)
    if facts["verdict"] != "unproven" or facts["best_trivial"] is None:
        return f"{facts['verdict'].capitalize()}. {rule_words(facts)}"
    advice, _ = baseline_words(facts["best_trivial"]["name"], facts)
    candidate = rule_words(facts).removeprefix("Use ")
    shown = f"{facts['n']:,.0f} cases do not show that a model beats this"
    return f"Unproven. {advice[0].upper()}{advice[1:]} for now: {shown}. The best candidate is {candidate}"


def rule_words(facts: Mapping[str, Any]) -> str:
    """Say the rule itself."""
    if facts["model"] is None:
        advice, _ = baseline_words(facts["kind"], facts)
        return f"{advice[0].upper()}{advice[1:]}: no model beats this."
    if "method" in facts:
        method = facts["method"]
    elif "positive" in facts:
        lower = facts["upper"] if facts["kind"] == "threshold" else facts["lower"]
        method = Window(lower, facts["upper"]).words((facts["negative"], facts["positive"]))
    else:
        method = _class_rule_words(facts)
    return f"Use {short_name(facts['model'])}: {method}."


def _class_rule_words(facts: Mapping[str, Any]) -> str:
    kind, classes, weights = facts["kind"], facts["classes"], facts["weights"]
    abstain = facts["abstain_weight"]
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
            f"or {_PERSON} where none does"
        )
    listed = _each(classes, weights)
    if facts["family"] == "columns":
        text = f"divide the expected cost of each answer by its weight ({listed}) and answer the smallest"
        return (
            text
            if abstain is None
            else f"{text}; a review counts as one more answer, of weight {abstain:.4g}"
        )
    text = f"multiply each probability by the weight of its class ({listed}) and answer the largest"
    return text if abstain is None else f"{text}, or {_PERSON} where none reaches {abstain:.4g}"


def _each(classes: list[str], values: list[float]) -> str:
    if len(classes) > _MOST_LISTED:
        return f"{min(values):.4g} to {max(values):.4g}"
    return ", ".join(f"{name} {value:.4g}" for name, value in zip(classes, values, strict=True))


def _happens(facts: Mapping[str, Any]) -> str:
    """Say what happens to 1000 cases, and which confusion of many classes costs most."""
    if "positive" in facts:
        called = [(facts[name], facts[f"called_{name}"]) for name in ("positive", "negative")]
        abstains = _reviews(facts)
        mistakes = mistake_words(facts["positive"], facts["missed"], facts["alarms"])
    else:
        called = list(zip(facts["classes"], facts["called"], strict=True))
        abstains = facts.get("abstains", facts["abstain_weight"] is not None)
        mistakes = counted_words(facts["wrong"], "wrong answer")
    if "unknown_decided" in facts:
        mistakes += f", {counted_words(facts['unknown_decided'], 'unknowable case')} decided"
    text, costliest = (
        outcome_words(called, facts["abstained"], abstains=abstains, mistakes=mistakes),
        facts.get("dearest"),
    )
    if costliest is None:
        return text
    share = f"{100 * costliest['share']:.0f} % of the cost"
    return f"{text} Costliest confusion: {costliest['true']} called {costliest['answer']}, {share}."


def _reviews(facts: Mapping[str, Any]) -> bool:
    """Tell whether the rule of two classes sends cases to a person."""
    return bool(facts.get("abstains", facts["kind"] == "window"))


def outcome_words(
    called: Sequence[tuple[str, float]], abstained: float, *, abstains: bool, mistakes: str
) -> str:
    """Say what happens to 1000 cases: how many are called what, the most frequent first if there are many."""
    *numbers, sent = shares_of_1000([*(share for _, share in called), abstained])
    listed, rest = [(number, name) for number, (name, _) in zip(numbers, called, strict=True)], ""
    if len(listed) > _MOST_LISTED:
        listed.sort(key=lambda pair: -pair[0])
        others = listed[_MOST_LISTED - 1 :]
        listed = listed[: _MOST_LISTED - 1]
        rest = f", {sum(number for number, _ in others):,} one of {len(others)} other classes"
    (first, name), *more = listed
    text = f"Of 1000 cases {first:,} {'is' if first == 1 else 'are'} called {name}"
    text += "".join(f", {n:,} {name}" for n, name in more) + rest
    people = f", {sent:,} {'goes' if sent == 1 else 'go'} to a person" if abstains else ""
    return f"{text}{people}; {mistakes}."


def mistake_words(positive: str, missed: float, alarms: float) -> str:
    """Say how many of 1000 cases are missed and alarmed."""
    return f"{counted_words(missed, f'{positive} case')} missed, {counted_words(alarms, 'false alarm')}"


def counted_words(share: float, noun: str) -> str:
    """Say how many of 1000 cases are one, such as "about 4 false alarms"; never 0 for what happens."""
    number = 1000 * share
    if number == 0:
        return f"no {noun}s"
    if number < 0.5:
        return f"fewer than one {noun}"
    rounded = int(number + 0.5 + 1e-9)
    return f"about {rounded:,} {noun}{'s' if rounded > 1 else ''}"


def _stakes(facts: Mapping[str, Any]) -> Iterator[str]:
    """Say where the money goes, if every case has its own costs: parts that add up to the whole."""
    stakes = facts.get("stakes")
    if stakes is None:
        return
    step, names = step_of(facts), ("missed", "alarms", "reviews")[: 3 if _reviews(facts) else 2]
    missed, alarms, *reviews, whole = money_parts([stakes[name] for name in names], step)
    parts = f"misses cost {missed}, false alarms {alarms}"
    if reviews:
        # the rules of the folds may send other numbers of cases to a person than the rule as written
        parts += f", reviews {reviews[0]} for {counted_words(facts['abstention_rate'], 'case')}"
    stake = money(stakes["at_stake"], finer_step([stakes["at_stake"]], step))
    yield f"{stake} is at stake. On held-out cases, {parts}: {whole} in all."


def step_of(facts: Mapping[str, Any]) -> float:
    """Unit of the last digit of money that the cost's interval leaves worth showing."""
    low, high = facts["interval"]
    return money_step(low, high, facts["cost"])


def _costs(facts: Mapping[str, Any]) -> str:
    step = step_of(facts)
    text = f"Cost {money(facts['cost'], step)} per 1000 cases"
    spread = facts["cost_range"] is not None
    if spread:
        text = _spread(facts, step)
    if facts["model"] is None:
        other = facts["versus"].get("runner_up")
        if other is None:
            return f"{text}."
        cost = money(facts["cost"] - other["difference"], step)
        return f"{text}. The best model, {short_name(other['name'])}, costs {cost}."
    if not spread:
        low, high = (money(end, step) for end in facts["interval"])
        text += f" ({_level(facts)} interval {low} to {high})"
    if facts.get("fees"):
        text += f", including {money(facts['fees'], finer_step([facts['fees']], step))} for asking models"
    trivial, alone = (facts["versus"].get(key) for key in ("trivial", "alone"))
    if trivial is not None:
        text += f", {_saving(trivial, baseline_words(trivial['name'], facts)[1], step)}"
    if alone is not None:
        text += f", {_saving(alone, short_name(alone['name']) + ' alone', step)}"
    return f"{text}."


def _spread(facts: Mapping[str, Any], step: float) -> str:
    """Say the costs over ranges, over missing labels, or over both."""
    least, most = (money(end, step) for end in facts["cost_range"])
    unlabelled, ranged = facts["n_unlabelled"], facts["regret"] is not None or not facts["n_unlabelled"]
    over = ["over the ranges"] if ranged else []
    over += [f"whatever the {unlabelled:,} missing labels are"] if unlabelled else []
    text = f"Cost {least if least == most else f'{least} to {most}'} per 1000 cases {' and '.join(over)}"
    if facts["model"] is not None:
        text += f", at most {money(facts['interval'][1], step)} with {_level(facts)} confidence"
    return f"{text}; {money(facts['cost'], step)} in their middle" if ranged else text


def _measured(facts: Mapping[str, Any]) -> Iterator[str]:
    """Say why more is expected than the rule itself measured, where that is not lost in the interval."""
    rise, (low, high) = facts["cost"] - facts["honest_cost"], facts["interval"]
    if rise > _NOTICED * (high - low) / 2:
        measured = f"It measured {money(facts['honest_cost'], step_of(facts))}"
        if facts["one_added"]:
            yield f"{measured}, but the costliest mistake never occurred; one is added."
        else:
            best = f"as the best of {facts['n_rules']} rules; the best of many looks better than it is"
            yield f"{measured} {best}."


def _saving(versus: Mapping[str, Any], other: str, step: float) -> str:
    """Say a difference (answer minus other) as a saving, its interval, and whether that contains 0."""
    sign = -1 if versus["difference"] <= 0 else 1
    low, high = sorted(sign * end for end in versus["interval"])
    difference = money(abs(versus["difference"]), step)
    said = f"{difference} {'less' if sign < 0 else 'more'} than"
    if float(difference.replace(",", "")) == 0:
        said = "about as much as"
    zero = ", which contains 0" if low <= 0 <= high else ""
    return f"{said} {other} ({money(low, step)} to {money(high, step)}{zero})"


def _level(facts: Mapping[str, Any]) -> str:
    return f"{100 * facts['confidence_level']:g} %"


def _ranges(facts: Mapping[str, Any]) -> Iterator[str]:
    """Say what a range of costs means for the rule."""
    if facts["regret"] is not None:
        regret, bound = (money(facts[name], step_of(facts)) for name in ("regret", "regret_bound"))
        most = f"at most {bound} with {_level(facts)} confidence"
        yield f"It costs up to {regret} more than a rule chosen for the true costs, {most}."


def _unproven(facts: Mapping[str, Any]) -> Iterator[str]:
    """Say against which rules, whose differences are not shown, the cases prove nothing."""
    others = {
        "argmax": "the class with the highest probability",
        "never_abstaining": "never abstaining",
        "runner_up": short_name(facts["versus"].get("runner_up", {}).get("name", "")),
    }
    found = [
        (name, facts["versus"][key]["interval"]) for key, name in others.items() if key in facts["versus"]
    ]
    names = [name for name, (low, high) in found if low <= 0 <= high]
    if names:
        listed = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        ends = "interval contains" if len(names) == 1 else "intervals contain"
        yield f"Not proven cheaper than {listed}: the {_level(facts)} {ends} 0."


def _advice(facts: Mapping[str, Any]) -> Iterator[str]:
    """Warn where choosing this way has not been worth it."""
    trivial = facts["best_trivial"]
    if facts["advice_cost"] is None or trivial is None:
        return
    if facts["advice_cost"] > trivial["cost"] * (1 + 1e-12):
        what = baseline_words(trivial["name"], facts)[1]
        cost = money(facts["advice_cost"], step_of(facts))
        yield (
            f"Choosing a rule this way costs {cost} on cases left out, more than {what}: "
            "collect more cases before you rely on it."
        )


def _guarantee(facts: Mapping[str, Any]) -> Iterator[str]:
    """Name the finite-sample bound only where it says something."""
    trivial = facts["best_trivial"]
    if trivial is None or not facts["guarantee_defined"]:
        return
    bound, step = facts["guaranteed_cost"], step_of(facts)
    # a bound that reads like the cost of the rule without a model says nothing
    if bound is not None and bound < trivial["cost"] and money(bound, step) != money(trivial["cost"], step):
        yield f"Guaranteed at most {money(bound, step)} with {_level(facts)} confidence."
    else:
        yield f"No guarantee yet with {facts['n']:,.0f} cases."


def amounts_words(column: str | None, found: Mapping[str, Any], classes: Mapping[str, Any]) -> str:
    """Say which amounts a cost is and over which cases: "amount (mean 295 over 205 fraud cases)".

    `found` is an entry of `incurred_costs`, `classes` tells how the classes are called.
    """
    called = "" if found["class"] is None else f"{short_name(classes[found['class']])} "
    mean = f"mean {amount(found['mean'])} over {found['cases']:,.0f} {called}cases"
    return f"{column or 'amounts'} ({mean})"
