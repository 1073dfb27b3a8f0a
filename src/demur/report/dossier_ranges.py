"""At which prices a rule stays the cheapest of a list: costs are straight lines in every price."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["CostLine", "class_lines", "stays_best", "two_class_lines"]

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
    answer = comparison["answer"]
    rate, by_case = answer["prevalence"], document.get("amounts") is not None
    # factors on the costs of the cases; else the prices themselves
    names = _FACTORS if by_case else ("a miss", "a false alarm", "a review")
    prices = dict.fromkeys(names, 1.0) if by_case else _prices(costs)
    if by_case and costs["cost_abstain"] is None:
        del prices[names[2]]

    def line(name: str, cost: float, paid: Sequence[float]) -> CostLine:
        slopes = {price: part for price, part in zip(names, paid, strict=True) if price in prices}
        return CostLine(name, cost, slopes, prices)

    trivial = comparison["trivial"]
    alone = {"always positive": (0.0, 1 - rate, 0.0), "always negative": (rate, 0.0, 0.0)}
    alone["always abstain"] = (0.0, 0.0, 1.0)
    if by_case:
        alone = {
            "always positive": (0.0, trivial["always positive"], 0.0),
            "always negative": (trivial["always negative"], 0.0, 0.0),
            "always abstain": (0.0, 0.0, trivial.get("always abstain", 0.0)),
        }
        stakes = answer["facts"].get("stakes")
        own = None if stakes is None else (stakes["missed"], stakes["alarms"], stakes["reviews"])
    else:
        own = (answer["missed"], answer["alarms"], answer["abstention_rate"])
    if answer["model"] is None:
        own = alone[answer["kind"]]
    if own is None:
        return []
    lines = [line(answer["kind"], answer["cost"], own)]
    lines += [line(name, cost, alone[name]) for name, cost in trivial.items() if name != answer["kind"]]
    if not by_case:
        lines += [
            line(name, model["cost"], (model["missed"], model["alarms"], model["abstention_rate"]))
            for name, model in comparison["models"].items()
            if name != answer["model"]
        ]
    return lines


def _prices(costs: Mapping[str, Any]) -> dict[str, float]:
    """Prices whose slopes are known: a review by one price for all cases, without a reviewer who errs."""
    prices = {"a miss": costs["cost_fn"], "a false alarm": costs["cost_fp"]}
    plain = costs.get("cost_abstain_positive") is None and costs.get("reviewer") is None
    if costs["cost_abstain"] is not None and plain:
        prices["a review"] = costs["cost_abstain"]
    return prices


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
    dear = np.argsort(-(own[:, :m] * table[:, :m] * (1 - np.eye(m))), axis=None, kind="stable")
    places = [divmod(int(place), m) for place in dear[:_MOST_CONFUSIONS]]
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
    own_line = lines[0]
    # the answer itself is among them
    others = [one for one in lines[1:] if (one.cost, one.slopes) != (own_line.cost, own_line.slopes)]
    return [own_line, *others]
