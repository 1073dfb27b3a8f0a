"""Reports whose pages the tests open: the ordinary one, the large one, and odd ones."""

from functools import cache, wraps

import numpy as np
import pytest

from demur import Binormal, CaseCosts, CostModel, CostRange, Report
from demur.comparison.problem import Limits
from demur.costs.case_costs import CaseFactors
from demur.report import DataSource

COSTS = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
SCRIPT = "<script>alert(1)</script>"
LONG = "a column whose name never ends " * 330


def _source(rows, **parts):
    return DataSource(
        **{"name": "cases.csv", "label": "y_true", "positive": "1", "negative": "0", "rows": rows, **parts}
    )


def three(n):
    """Three models on the same cases, each with more noise than the one before."""
    rng = np.random.default_rng(7)
    y, s = Binormal(separation=1.6).sample(n, rng=1)
    return y, {"forest": s, "logistic": s + 0.6 * rng.normal(size=n), "rule": s + 1.2 * rng.normal(size=n)}


def report(y, scores, **parts):
    return Report.from_predictions(y, scores, **{"costs": COSTS, "source": _source(len(y)), **parts})


def ordinary():
    return report(*three(600))


def large():
    return report(*three(10**6))


def no_costs():
    return report(*three(600), costs=None)


def one_model():
    y, scores = three(300)
    return report(y, {"forest": scores["forest"]})


def twelve_models():
    rng = np.random.default_rng(2)
    y, s = Binormal(separation=1.6).sample(60, rng=1)
    return report(y, {f"model {k}": s + 0.3 * k * rng.normal(size=60) for k in range(12)})


def five():
    """Five cases, two models."""
    return [0, 1, 0, 1, 1], {"a": [0.1, 0.4, 0.35, 0.8, 0.3], "b": [0.2, 0.3, 0.9, 0.7, 0.1]}


def five_rows():
    return report(*five())


def four_rows():
    return report([0, 0, 0, 1], {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.4, 0.2, 0.1, 0.3]})


def limited():
    return report(*three(300), limits=Limits(max_abstention=0.1))


def ranged():
    costs = CostRange(cost_fn=(80, 120), cost_fp=40, cost_abstain=(10, 14))
    return report(*three(300), costs=costs)


def unproven_cases():
    """Two models on so few cases that neither is shown to be cheaper than a person."""
    y, s = Binormal(separation=0.9).sample(40, rng=1)
    return y, {"forest": s, "rule": s + np.random.default_rng(1).normal(size=40)}


def unproven():
    return report(*unproven_cases())


def all_ties():
    return report([0, 1] * 20, {"constant": np.full(40, 0.5), "other": np.full(40, 0.25)})


def auc_zero():
    return report([1] * 20 + [0] * 30, {"upside down": np.arange(50.0), "fine": -np.arange(50.0)})


def one_class():
    return report(np.ones(30, dtype=int), {"a": np.arange(30.0)}, pos_label=1)


def infinite_scores():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 80)
    s = y + rng.normal(size=80)
    s[:3], s[-3:] = -np.inf, np.inf
    return report(y, {"log odds": s})


def weighted():
    y, scores = three(300)
    weights = np.random.default_rng(5).uniform(0.5, 2, 300)
    return report(y, {"forest": scores["forest"]}, sample_weight=weights)


def probabilities():
    """Two models whose scores are probabilities, one of them too sure of itself."""
    y, scores = three(300)
    made = report(
        y,
        {name: 1 / (1 + np.exp(-a * (scores[name] - 1))) for name, a in (("forest", 1.5), ("logistic", 4))},
    )
    chosen = {model.name: model for model in made.models}[made.comparison.answer.model]
    sure = {"forest": 1.5, "logistic": 4}[chosen.name]
    groups = np.where(np.arange(300) % 3 == 0, "north", "<b>south</b>")
    return made.with_groups(y, 1 / (1 + np.exp(-sure * (scores[chosen.name] - 1))), groups)


def amounts():
    """Costs that differ by case, of two models."""
    y, scores = three(120)
    amount = np.random.default_rng(6).lognormal(4, 1, 120)
    return report(
        y, {name: scores[name] for name in ("forest", "rule")}, costs=case_costs(amount, CaseFactors())
    )


def belonging(n):
    """Clusters of four cases that share most of what is hard about them, with names of their own."""
    rng = np.random.default_rng(3)
    person = np.arange(n) // 4
    y = (rng.random(n // 4) < 0.4)[person].astype(int)
    hard = rng.normal(size=n // 4)[person]
    scores = {
        name: 1 / (1 + np.exp(-(2 * y - 1 + hard + noise * rng.normal(size=n))))
        for name, noise in (("forest", 0.5), ("rule", 1.5))
    }
    return y, scores, np.char.add("person-", (1000 + person).astype(str))


def clustered():
    y, scores, person = belonging(240)
    return report(y, scores, groups=person, source=_source(240, cluster="person"))


def days(n):
    """Four cases a day."""
    return np.datetime64("2024-01-01") + np.arange(n) // 4


def drifting(n):
    """Two models whose scores creep upwards."""
    y, scores = three(n)
    return y, {name: scores[name] + 2 * np.arange(n) / n for name in ("forest", "rule")}


def timed():
    return report(*drifting(800), time=days(800), source=_source(800, time="day"))


def case_costs(amount, factors):
    return CaseCosts(cost_fn=amount, cost_fp=25, cost_abstain=8, columns={"cost_fn": "amount"}).at(factors)


def hostile_names():
    y, scores = three(300)
    names = dict(zip((SCRIPT, LONG, "</script><img src=x onerror=alert(2)>"), scores.values(), strict=True))
    words = {"positive": "<b>fraud</b>", "negative": '" onload="alert(3)'}
    return report(y, names, source=_source(300, name=f"{SCRIPT}.csv", label=LONG, **words))


@cache
def named(name):
    """Make a report once."""
    return globals()[name]()


# ---------------------------------------------------------------- many classes


def two_splits(make):
    """Two splits into folds instead of ten: the same road, quicker."""

    @wraps(make)
    def made():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("demur.honest.splits._MOST_REPEATS", 2)
            return make()

    return made


STAGES = ("healthy", "early", "late")
STAGE_COSTS = {
    "healthy": {"early": 1, "late": 2},
    "early": {"healthy": 4, "late": 1},
    "late": {"healthy": 20, "early": 5},
}


def stages(n, classes=3, *, digits=None, seed=0):
    """Labels and probabilities of two models, the second one noisier; the first class is most frequent."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, classes + 1)
    truth = rng.choice(classes, n, p=share / share.sum())
    proba = {}
    for name, skill in (("new", 2.2), ("old", 1.4)):
        logits = (
            0.9 * rng.normal(size=(n, classes)) + skill * np.eye(classes)[truth] - 0.3 * np.arange(classes)
        )
        p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        proba[name] = p if digits is None else np.round(p, digits)
    return truth, proba


@cache
@two_splits
def three_classes():
    truth, proba = stages(89)
    source = DataSource(name="stages.csv", label="stage", rows=89)
    return Report.from_predictions(
        np.array(STAGES)[truth], proba, classes=STAGES, costs=STAGE_COSTS, abstain_cost=0.5, source=source
    )


def four_cases():
    """Classes, rounded probabilities, weights and costs of four classes."""
    truth, proba = stages(53, 4, digits=1, seed=1)
    rng = np.random.default_rng(2)
    costs = dict(enumerate(dict(enumerate(row)) for row in rng.integers(1, 9, (4, 4)).tolist()))
    return truth, proba["new"], rng.uniform(0.3, 2, 53), costs


@cache
@two_splits
def _four_classes():
    truth, proba, weights, costs = four_cases()
    return Report.from_predictions(
        truth,
        {"new": proba},
        classes=range(4),
        costs=costs,
        abstain_cost={0: 1, 1: 2, 2: 1, 3: 3},
        sample_weight=weights,
        prevalence={0: 0.4, 1: 0.3, 2: 0.2, 3: 0.1},
    )


@cache
@two_splits
def small_classes():
    """Three classes with names that are numbers, and one model."""
    truth, proba = stages(53, 3, seed=6)
    costs = {0: {1: 40, 2: 60}, 1: {0: 100, 2: 20}, 2: {0: 150, 1: 30}}
    return Report.from_predictions(
        truth, {"new": proba["new"]}, classes=[0, 1, 2], costs=costs, abstain_cost=12
    )


@cache
@two_splits
def _no_reviews():
    truth, proba = stages(53, seed=3)
    costs = {k: {j: abs(k - j) for j in range(3)} for k in range(3)}
    costs[2][0] = (2, 5)
    return Report.from_predictions(truth, {"old": proba["old"]}, classes=[0, 1, 2], costs=costs)


@cache
@two_splits
def _at_most():
    truth, proba = stages(53, seed=4)
    return Report.from_predictions(
        np.array(STAGES)[truth],
        {"new": proba["new"]},
        classes=STAGES,
        costs=STAGE_COSTS,
        abstain_cost=0.5,
        limits=Limits(max_abstention=0.2),
    )


def many_classes():
    """Name -> how to make a report of many classes."""
    return {
        "three": three_classes,
        "four, weighted, other shares": _four_classes,
        "numbers": small_classes,
        "no reviews, a range": _no_reviews,
        "a limit": _at_most,
    }
