"""What a page measures where it cannot correct a cost for the choice: the cheapest rule, in words."""

from dataclasses import replace

from demur.comparison import choice as choosing
from demur.comparison import words
from demur.comparison.estimates import cost_of, difference_interval


def cheapest_measured(choice):
    """Return the rule of the smallest cost; unlike Python, the page prefers no simpler one to it."""
    return choice.best(choice.all)


def measured_cost(rule, problem):
    """Return the honest cost of a rule with its interval."""
    return cost_of(rule, problem)


def measured_facts(choice, best=None):
    """List what the page knows of a rule, by default of the cheapest."""
    best, problem = best or cheapest_measured(choice), choice.problem
    if best.model is None:
        facts = choosing.make_answer(choice).facts()
        facts |= {"kind": best.kind, "model": None}
    else:
        alone = replace(choice, candidates={best.model: [best]})
        facts = choosing.make_answer(alone, models_only=True).facts()
    estimate = cost_of(best, problem)
    return {
        **facts,
        "cost": estimate.cost,
        "honest_cost": estimate.cost,
        "interval": tuple(estimate.interval),
        "cost_range": None,
        "versus": _versus(best, choice),
    }


def _versus(best, choice):
    """Compare with the cheapest rule without a model and with that of another model."""
    models = [one for several in choice.candidates.values() for one in several]
    others = {
        "trivial": [one for one in choice.baselines if one is not best],
        "runner_up": [one for one in models if one.model != best.model],
    }
    found = {}
    for key, several in others.items():
        other = choosing._cheapest(several, choice)
        if other is not None:
            difference, ends = difference_interval(best, other, choice.problem)
            name = other.model or other.kind
            found[key] = {"name": name, "difference": difference, "interval": tuple(ends)}
    return found


def measured_words(facts):
    """Say what the page measures: Python's sentences, without a verdict and the cost of the choice."""
    cost = words._costs(facts).removeprefix("Cost")
    if facts["model"] is None:
        return f"{words.rule_words(facts)} Measured cost{cost}"
    said = [words.rule_words(facts), words._happens(facts), *words._stakes(facts)]
    return " ".join([*said, f"Measured cost{cost}"])
