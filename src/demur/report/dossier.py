"""`Dossier`: the decision on paper, with everything a person needs who has to sign it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from demur._checks import input_error
from demur._results import Result
from demur._tables.documents import DOCUMENTS, document_text, write_document
from demur._tables.table import Section
from demur.comparison.numbers import amount, money, money_step
from demur.comparison.words import amounts_words, baseline_words
from demur.exceptions import InputError

__all__ = ["Dossier"]

_BLANK = "…" * 12
_TO_FILL_IN = f"To fill in: {_BLANK}{_BLANK}"
_SIGNING = ("Owner of the decision", "Source of the costs", "Owner of the data", "Independent review")
_ASSUMED = (
    "Cases in use resemble the cases at hand, up to the shares of the classes if those are given.",
    "{units} are independent of each other; repeated measurements of one person are not.",
    "Scores come from the same model, unchanged, and were not made on cases that trained it.",
    "Costs are the same for all cases unless they are given by case.",
)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Dossier(Result):
    """What was decided, on which evidence, at which costs, and who signs; made from the data of a report.

    Purpose, data and their fingerprint, costs and their source, the rule, the evidence, the costs
    at which it stays best, groups, limits, how to watch it, lines to sign. Purpose and source of
    the costs are for people to fill in. `save` writes Markdown or a Word document.

    Attributes
    ----------
    title : str
    sections : tuple
        Element k: heading, paragraphs, list, head and rows of a table.

    Examples
    --------
    >>> from demur import Binormal, CostModel, Report
    >>> from demur.report import Dossier
    >>> y, s = Binormal(separation=2.0).sample(300, rng=0)
    >>> costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
    >>> report = Report.from_predictions(y, {"risk": s}, costs=costs)
    >>> dossier = Dossier.of(report)
    >>> [section.title for section in dossier.sections][:4]
    ['Purpose', 'Data', 'Costs and their source', 'Rule']
    >>> dossier.markdown.splitlines()[0]
    '# Decision dossier: predictions'
    """

    title: str
    sections: tuple[Section, ...]

    @classmethod
    def of(cls, report: Any, *, groups: Mapping[str, Any] | None = None) -> Dossier:
        """Make the dossier of a `Report`, or of what its `to_dict` gave.

        `groups` are reports of all groups, by name, where this one is part of them.
        """
        document = report if isinstance(report, Mapping) else report.to_dict()
        if document.get("schema") not in ("demur.report", "demur.class_report"):
            raise input_error("report", "must be a report", repr(document.get("schema")))
        if document["comparison"] is None or document["comparison"]["answer"] is None:
            raise InputError(f"`report` must hold an answer. {document['headline']}")
        others = {
            name: one if isinstance(one, Mapping) else one.to_dict() for name, one in (groups or {}).items()
        }
        title = f"Decision dossier: {_source(document)}"
        return cls(title=title, sections=tuple(_sections(document, others)))

    @property
    def markdown(self) -> str:
        """The dossier as GitHub-flavoured Markdown; names from the data are text, never markup."""
        return document_text(".md", self.title, self.sections)

    def save(self, path: str | Path) -> None:
        """Write Markdown, Word, HTML, TeX or text, by the ending of the name, whole or not at all."""
        if Path(path).suffix.lower() not in DOCUMENTS:
            raise input_error("path", f"must end in {', '.join(DOCUMENTS)}", repr(str(path)))
        write_document(path, self.title, self.sections)

    def __repr__(self) -> str:
        return f"Dossier({self.title!r}, {len(self.sections)} sections)"


def _source(document: Mapping[str, Any]) -> str:
    source = document["source"]
    group = source.get("group")
    return str(source["name"] if group is None else f"{source['name']}, {group} = {source['part']}")


def _sections(document: Mapping[str, Any], groups: Mapping[str, Mapping[str, Any]]) -> Iterator[Section]:
    answer = document["comparison"]["answer"]
    many = "classes" in document
    yield Section(
        "Purpose",
        (
            "This rule decides, case by case, which class to act on and which cases a person looks at.",
            f"What is decided, about whom, and what happens then. {_TO_FILL_IN}",
        ),
    )
    yield _data(document)
    yield (_class_costs if many else _costs)(document)
    # the first sentences of the answer: costs have a section of their own
    rule = answer["words"].split(" Cost ")[0]
    yield Section("Rule", (rule, *([answer["condition"]] if answer["condition"] else [])))
    yield _evidence(document)
    if answer["by_block"] is not None:
        yield _blocks(document, answer)
    yield _models(document)
    yield _range(document, answer)
    yield _groups(document, groups)
    clustered = (document.get("design") or {}).get("clusters") is not None
    assumed = [one.format(units="Clusters" if clustered else "Cases") for one in _ASSUMED]
    yield Section("Limits", ("The numbers hold under these assumptions:",), (*assumed, *document["notes"]))
    yield _watch(document, answer)
    signed = tuple((role, _BLANK, _BLANK, _BLANK) for role in _SIGNING)
    yield Section("Signed", header=("role", "name", "date", "signature"), rows=signed)


def _data(document: Mapping[str, Any]) -> Section:
    source = document["source"]
    if "classes" in document:
        sizes = zip(document["classes"], document["class_sizes"], strict=True)
        classes = ", ".join(f"{size:g} {name}" for name, size in sizes)
    else:
        classes = f"{document['n_positive']:g} positive, {document['n_negative']:g} negative"
    design = document.get("design") or {}
    clusters, period = design.get("clusters"), design.get("period")
    items = [
        f"Source: {_source(document)}",
        f"Cases: {document['n']:g} ({classes})",
        f"Column of the true class: {source['label'] or 'not from a file'}",
        *([f"Weights: {source['weight']}"] if source["weight"] else []),
        *([f"Intervals count {clusters:,} clusters: {source['cluster'] or 'groups'}"] if clusters else []),
        *([f"Judged from {period[0]} to {period[1]}: {source['time'] or 'time'}"] if period else []),
        *(f"Model {one['name']}: {one['digest']}" for one in document["models"]),
        f"Report made {document['made']} with demur {document['software']['demur']}, seed {document['seed']}",
    ]
    text = "Fingerprints tell whether labels and scores are still the same: the same file has the same ones."
    return Section("Data", (text,), tuple(items))


_AGAINST = {"never_abstaining": "the same model, never abstaining", "argmax": "the most probable class"}
_OUTCOMES = {
    "cost_fn": "a positive case called negative (a miss)",
    "cost_fp": "a negative case called positive (a false alarm)",
    "cost_abstain": "a review by a person",
    "cost_abstain_positive": "a review of a positive case",
    "cost_abstain_negative": "a review of a negative case",
    "cost_tp": "a positive case called positive",
    "cost_tn": "a negative case called negative",
    "fee": "the fee of a review by a person, whose mistakes cost what mistakes cost",
    "reviewer": "a review by a person, who errs",
}
_RECOGNISED = {"sensitivity": "positives", "specificity": "negatives"}


def _costs(document: Mapping[str, Any]) -> Section:
    costs = document["costs"]
    rows = tuple(
        (what, _price_words(costs[name]), _BLANK)
        for name, what in _OUTCOMES.items()
        if name in costs and (costs[name] not in (None, 0) or name in ("cost_fn", "cost_fp"))
    )
    given = (
        "The costs the rule was chosen for, per case."
        if document["costs_given"]
        else "Nobody gave costs: the rule was chosen for placeholders. Replace them before anybody signs."
    )
    if document.get("amounts") is not None:
        given += " Costs differ by case: each mean is over the cases that can incur the cost."
        rows = tuple(_amount_rows(document))
    prices = document["comparison"].get("prices", {})
    rows += tuple((f"asking {name} about a case", f"{price:g}", _BLANK) for name, price in prices.items())
    rate = document["prevalence"]
    share = "as in the data" if rate is None else f"{rate:g} in use"
    return Section(
        "Costs and their source",
        (given, f"Share of positive cases: {share}."),
        header=("what happens", "cost", "who says so"),
        rows=rows,
    )


def _price_words(price: Any) -> str:
    """Say a price, or who reviews at which fee and how well."""
    if not isinstance(price, Mapping):
        return f"{price:g}"
    shares = (f"{100 * price[name]:g} % of the {word}" for name, word in _RECOGNISED.items())
    return f"fee {price['fee']:g}, recognises {' and '.join(shares)}"


def _amount_rows(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What the amounts are: where they came from, their mean and total; then factors other than 1."""
    named, facts = document["amounts"]["named"], document["comparison"]["answer"]["facts"]
    for name, what in _OUTCOMES.items():
        told = named.get(name)
        if told is None:
            continue
        cost = "amounts" if told["value"] is None else f"{told['value']:g}"
        if "mean" in told:
            total = "" if told["total"] is None else f", {amount(told['total'])} in all"
            cost = f"{amounts_words(told['column'], told, facts)}{total}"
        elif told["column"] is not None:
            cost = told["column"]
        yield what, cost, _BLANK
    for what, name in (("misses", "miss"), ("false alarms", "alarm"), ("reviews", "review")):
        low, high = document["comparison"]["costs"][f"{name}_factor"]
        if (low, high) != (1, 1):
            yield f"all costs of {what}, times", f"{low:g}" if low == high else f"{low:g} to {high:g}", _BLANK


def _class_costs(document: Mapping[str, Any]) -> Section:
    classes, abstain = document["classes"], document["abstain_costs"]
    header = ("true class", *(f"called {name}" for name in classes), *(["to a person"] if abstain else []))
    rows = tuple(
        (name, *(f"{cost:g}" for cost in row), *([f"{abstain[k]:g}"] if abstain else []))
        for k, (name, row) in enumerate(zip(classes, document["costs"], strict=True))
    )
    text = ("The costs the rule was chosen for, per case.", f"Who says so. {_TO_FILL_IN}")
    return Section("Costs and their source", text, header=header, rows=rows)


def _evidence(document: Mapping[str, Any]) -> Section:
    answer = document["comparison"]["answer"]
    level = f"{100 * document['confidence_level']:g} %"
    cost, interval, step = _cost_words(answer)
    chosen = f"some cases and scored on others ({document['folds']} folds" + (
        f", {document['repeats']} splits)" if document["repeats"] > 1 else ")"
    )
    if answer["by_block"] is not None:
        chosen = "the past and scored on the block of time that follows"
    trivial, against = answer["facts"]["best_trivial"], answer["versus"].get("trivial")
    if answer["cost_range"] is not None:
        cost = f"{_range_of(answer['cost_range'], step)} over the ranges; {cost} in their middle"
    items = []
    if answer["model"] is not None and against is not None:
        than = baseline_words(against["name"], answer["facts"])[1]
        items.append(f"Verdict: {answer['verdict']}, against {than}")
    items.append(f"Expected cost per 1000 cases: {cost} ({level} interval {interval})")
    if answer["model"] is not None:
        measured = money(answer["honest_cost"], step)
        items.append(f"Measured cost, as if the rule had been the only one: {measured}")
    items += [
        f"The same with hindsight, too low: {money(answer['hindsight_cost'], step)}",
        f"Cases sent to a person: {_sent(answer)}",
        f"Cases answered wrong: {100 * answer['error_rate']:.1f} %",
    ]
    bound = answer["guaranteed_cost"]
    # a bound above the cost of a rule without a model says nothing
    if bound is not None and trivial is not None and bound < trivial["cost"]:
        items.append(f"Guaranteed at most {money(bound, step)} with {level} confidence")
    rows = tuple(
        (_AGAINST.get(key, one["name"]), money(one["difference"], step), _range_of(one["interval"], step))
        for key, one in answer["versus"].items()
    )
    text = (
        f"Every rule was chosen on {chosen}. The best of several rules "
        "looks better than it is: the expected cost includes what the choice among them adds. Differences "
        "are this rule, after the choice, minus the other, per 1000 cases; where an interval contains 0, "
        "nothing is proven."
    )
    return Section("Evidence", (text,), tuple(items), ("against", "difference", level), rows)


def _blocks(document: Mapping[str, Any], answer: Mapping[str, Any]) -> Section:
    rows = tuple(
        (str(one["block"]), f"{one['start']} to {one['end']}", f"{one['n']:g}", *_cost_words(one)[:2])
        for one in answer["by_block"]
    )
    level = f"{100 * document['confidence_level']:g} %"
    header = ("block", "period", "cases", "measured cost per 1000", level)
    text = "Rules chosen on the blocks before. An interval is for its block alone."
    return Section("Cost by block of time", (text,), header=header, rows=rows)


def _range_of(ends: Sequence[float], step: float) -> str:
    return f"{money(ends[0], step)} to {money(ends[1], step)}"


def _sent(answer: Mapping[str, Any]) -> str:
    """Share of the cases that the rule as written sends to a person."""
    return f"{100 * answer['shares']['abstain']:.1f} %"


def _cost_words(judged: Mapping[str, Any]) -> tuple[str, str, float]:
    """Cost per 1000 cases and its interval as text, and the step both are rounded to."""
    low, high = judged["interval"] or (judged["cost"], judged["cost"])
    step = money_step(low, high, judged["cost"])
    return money(judged["cost"], step), _range_of((low, high), step), step


def _models(document: Mapping[str, Any]) -> Section:
    level = f"{100 * document['confidence_level']:g} %"
    comparison = document["comparison"]
    rows = tuple(
        (
            name,
            *_cost_words(one)[:2],
            f"{100 * one['abstention_rate']:.1f} %",
            "" if one.get("auc") is None else f"{one['auc']:.3f}",
        )
        for name, one in {**comparison["models"], **comparison.get("combinations", {})}.items()
    )
    header = ("model", "measured cost per 1000", level, "to a person", "AUC")
    return Section("Models compared", ("Each with its cheapest rule.",), header=header, rows=rows)


def _range(document: Mapping[str, Any], answer: Mapping[str, Any]) -> Section:
    """One price at a time, the others as they are: where the rule as it stands is the cheapest listed."""
    lines: list[CostLine] = (class_lines if "classes" in document else two_class_lines)(document)
    if not lines:
        return Section("Costs at which it stays best", ("Not computed where every case has its own costs.",))
    rows = []
    for price in lines[0].slopes:
        low, high = stays_best(lines, price)
        ends = f"{low:.4g} to {high:.4g}" if high < math.inf else f"{low:.4g} and more"
        rows.append((price, f"{lines[0].prices[price]:.4g}", ends))
    others = ", ".join(dict.fromkeys(line.name for line in lines[1:]))
    text = (
        "One price moved, all others as above: between these ends the rule, unchanged, costs no more than "
        f"{others}, by the costs on held-out cases. Beyond them, and where several prices move, decide "
        "again; a rule chosen for the new costs may be cheaper even within."
    )
    if answer["model"] is None:
        text = f"The answer uses no model. {text}"
    header = ("price", "now", "stays best")
    return Section("Costs at which it stays best", (text,), header=header, rows=tuple(rows))


def _groups(document: Mapping[str, Any], groups: Mapping[str, Mapping[str, Any]]) -> Section:
    if not groups and document.get("groups") is not None:
        return _judged_groups(document)
    if not groups:
        text = "Groups were not looked at separately. Hint: demur report --group COLUMN --dossier ..."
        return Section("Groups", (text,))
    rows = []
    for name, one in groups.items():
        comparison = one["comparison"]
        if comparison is None or comparison["answer"] is None:
            rows.append((name, f"{one['n']:g}", one["headline"], "", ""))
            continue
        answer = comparison["answer"]
        cost, interval, _ = _cost_words(answer)
        rows.append(
            (
                name,
                f"{one['n']:g}",
                answer["decision"].removesuffix("."),
                f"{cost} ({interval})",
                _sent(answer),
            )
        )
    part = document["source"].get("part") or "all cases"
    text = f"This dossier is about {part}. Every group had a rule chosen for it:"
    header = ("group", "cases", "rule", "expected cost per 1000", "to a person")
    return Section("Groups", (text,), header=header, rows=tuple(rows))


def _judged_groups(document: Mapping[str, Any]) -> Section:
    """Say what the one rule does in every group, and in all of them together."""
    judged = document["groups"]
    rows = []
    for name, one in [*((one["name"], one) for one in judged["groups"]), ("all cases", judged["overall"])]:
        cost, interval = "", ""
        if one["cost"] is not None:
            cost, interval, _ = _cost_words({"cost": one["cost"], "interval": one["cost_interval"]})
        missed, alarms = (
            "" if one[rate] is None else f"{100 * one[rate]:.1f} %" for rate in ("miss_rate", "alarm_rate")
        )
        rows.append(
            (name, f"{one['n']:g}", f"{100 * (1 - one['decided']):.1f} %", missed, alarms, cost, interval)
        )
    later = " These cases also chose the rule, so errors and costs are with hindsight." * judged["hindsight"]
    level = f"{100 * document['confidence_level']:g} %"
    text = f"The rule of this dossier in every group; intervals hold for all groups together.{later}"
    header = ("group", "cases", "to a person", "positives missed", "false alarms", "cost per 1000", level)
    return Section("Groups", (text,), header=header, rows=tuple(rows))


def _watch(document: Mapping[str, Any], answer: Mapping[str, Any]) -> Section:
    if answer["model"] is None:
        return Section(
            "How to watch it", ("A rule without a model needs no scores: decide again when a cost changes.",)
        )
    label = document["source"]["label"] or "LABEL"
    items = [
        "Write the rule: demur decide with the flags of the report and -o policy.json. Apply it: demur apply "
        "policy.json new.csv -o decisions.csv.",
        "Every batch: demur watch policy.json new.csv --state watch.json. Exit code 3 is an alarm: the "
        "share sent to a person, the scores or the costs are not those of this dossier.",
        f"When labels arrive: demur audit policy.json later.csv --label {label}. Exit code 3 is a broken "
        "promise.",
        f"Expected: {_sent(answer)} of the cases go to a person. Decide again when this share, the shares of "
        "the classes or a cost leaves the ranges above, or the model changes.",
    ]
    if "classes" in document:
        del items[1]
    return Section("How to watch it", items=tuple(items))


# ---------------------------------------------------------------- prices at which a rule stays the cheapest

_MOST_CONFUSIONS = 4
# what moves where every case has its own costs: all of one kind in proportion, 1 as they are
_FACTORS = ("factor on what misses cost", "factor on what false alarms cost", "factor on what reviews cost")


class CostLine(NamedTuple):
    """Honest cost of a rule now, how much a unit of every price adds to it, and the prices now."""

    name: str
    cost: float
    slopes: Mapping[str, float]
    prices: Mapping[str, float]


def stays_best(lines: Sequence[CostLine], price: str) -> tuple[float, float]:
    """Ends of a price between which the first rule costs no more than any other, prices from 0 on."""
    first, *others = lines
    now = first.prices[price]
    low, high = 0.0, math.inf
    for other in others:
        # first.cost + first.slope x <= other.cost + other.slope x, with x the change of the price
        steeper = first.slopes[price] - other.slopes[price]
        room = other.cost - first.cost
        if steeper > 0:
            high = min(high, now + room / steeper)
        elif steeper < 0:
            low = max(low, now + room / steeper)
    return low, max(low, high)


# ---------------------------------------------------------------- two classes


def two_class_lines(document: Mapping[str, Any]) -> list[CostLine]:
    """The answer, the rules without a model, and the best rule of every other model."""
    comparison, costs = document["comparison"], document["costs"]
    answer, trivial, models = comparison["answer"], comparison["trivial"], comparison["models"]
    # what is paid for misses, false alarms and reviews
    rate, shares = answer["prevalence"], ("missed", "alarms", "abstention_rate")
    missed, alarmed, reviewed = rate, 1 - rate, 1.0
    own = [answer[share] for share in shares]
    names, values = ("a miss", "a false alarm", "a review"), (costs["cost_fn"], costs["cost_fp"])
    # a reviewer who errs, or costs by class, have no slope of one price
    plain = costs.get("cost_abstain_positive") is None and costs.get("reviewer") is None
    review = costs["cost_abstain"] if plain else None
    if document.get("amounts") is not None:
        # factors on the costs of the cases instead of prices
        names, values, models = _FACTORS, (1.0, 1.0), {}
        review = None if costs["cost_abstain"] is None else 1.0
        missed, alarmed = trivial["always negative"], trivial["always positive"]
        reviewed = trivial.get("always abstain", 0.0)
        stakes = answer["facts"].get("stakes") or {}
        own = [stakes.get(part) for part in ("missed", "alarms", "reviews")]
    alone = {
        "always positive": [0.0, alarmed, 0.0],
        "always negative": [missed, 0.0, 0.0],
        "always abstain": [0.0, 0.0, reviewed],
    }
    if answer["model"] is None:
        own = alone[answer["kind"]]
    if None in own:
        return []
    prices = dict(zip(names, (*values, review), strict=True))
    if review is None:
        del prices[names[2]]

    def line(name: str, cost: float, paid: Sequence[float]) -> CostLine:
        # a review without a price is left out
        return CostLine(name, cost, dict(zip(prices, paid, strict=False)), prices)

    # measured, as the costs of the others are
    return [
        line(answer["kind"], answer["honest_cost"], own),
        *(line(name, cost, alone[name]) for name, cost in trivial.items() if name != answer["kind"]),
        *(
            line(name, model["cost"], [model[share] for share in shares])
            for name, model in models.items()
            if name != answer["model"]
        ),
    ]


# ---------------------------------------------------------------- many classes


def class_lines(document: Mapping[str, Any]) -> list[CostLine]:
    """The answer, the rules without a model, and every rule chosen for these costs."""
    answer, classes = document["comparison"]["answer"], document["classes"]
    m = len(classes)
    own = np.array(answer["confusion"])
    abstain = document["abstain_costs"]
    last = [0.0] * m if abstain is None else abstain
    table = np.column_stack([np.array(document["costs"]), last])
    sizes = np.array(document["class_sizes"])
    shares = sizes / sizes.sum() if document["shares"] is None else np.array(document["shares"])
    costliest = np.argsort(-(own[:, :m] * table[:, :m] * (1 - np.eye(m))), axis=None, kind="stable")
    places = [divmod(int(place), m) for place in costliest[:_MOST_CONFUSIONS]]
    places = [(k, j) for k, j in places if own[k, j] > 0 and k != j]
    prices = {f"{classes[k]} called {classes[j]}": float(table[k, j]) for k, j in places}
    mean = float(shares @ table[:, m])
    if abstain is not None and mean > 0:
        prices["a review (mean)"] = mean

    def line(name: str, confusion: Any) -> CostLine:
        slopes = {f"{classes[k]} called {classes[j]}": float(confusion[k, j]) for k, j in places}
        if "a review (mean)" in prices:
            slopes["a review (mean)"] = float(confusion[:, m] @ table[:, m]) / mean
        return CostLine(name, float((confusion * table).sum()), slopes, prices)

    lines = [line(answer["kind"], own)]
    for code, kind in enumerate(document["trivial"]):
        confusion = np.zeros((m, m + 1))
        confusion[:, m if kind == "always abstain" else code] = shares
        if kind != answer["kind"]:
            lines.append(line(kind, confusion))
    for rule in document["levels"][0]["rules"]:
        counts = np.array(rule["honest"], dtype=float).reshape(m, m + 1)
        total = counts.sum(axis=1, keepdims=True)
        confusion = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0) * shares[:, None]
        name = f"{document['models'][rule['model']]['name']}: {rule['kind']}"
        lines.append(line(name, confusion))
    # the answer itself is among them
    first, *others = lines
    return [first, *(one for one in others if (one.cost, one.slopes) != (first.cost, first.slopes))]
