"""One answer at every interface: compare, decide, demo, report, Report, compare_models on the same files."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pytest

import demur
from command_line import table_file
from demur.comparison import Limits
from demur.datasets.breast_cancer import breast_cancer_scores
from demur.report.model import DataSource

TOLERANCE = 1e-12


class Situation(NamedTuple):
    """A file, the flags, and the same as arguments of Python."""

    y: list
    scores: dict
    costs: demur.CostModel
    flags: tuple = ()
    settings: Mapping = MappingProxyType({})
    weight: list | None = None
    classes: tuple = ("negative", "positive")
    labels: tuple = (0, 1)

    def write(self, folder, name, models=None):
        chosen = self.scores if models is None else {model: self.scores[model] for model in models}
        columns = {"y_true": self.y, **chosen}
        if self.weight is not None:
            columns["w"] = self.weight
        return table_file(folder, name, **columns)

    def all_flags(self):
        prices = (
            *("--cost-fn", self.costs.cost_fn, "--cost-fp", self.costs.cost_fp),
            *("--cost-abstain", self.costs.cost_abstain),
        )
        weight = () if self.weight is None else ("--weight", "w")
        return (*prices, "--positive", self.labels[1], *weight, *self.flags)

    def compared(self, models=None):
        chosen = self.scores if models is None else {model: self.scores[model] for model in models}
        return demur.compare_models(
            self.y,
            chosen,
            costs=self.costs,
            pos_label=self.labels[1],
            sample_weight=self.weight,
            class_names=self.classes,
            **self.settings,
        ).to_dict()

    def reported(self):
        negative, positive = map(str, self.labels)
        settings = dict(self.settings)
        limits = Limits(max_abstention=settings.pop("max_abstention", None))
        return demur.Report.from_predictions(
            self.y,
            self.scores,
            costs=self.costs,
            pos_label=self.labels[1],
            sample_weight=self.weight,
            source=DataSource(positive=positive, negative=negative),
            limits=limits,
            **settings,
        ).to_dict()["comparison"]


def demo_file():
    data = breast_cancer_scores()
    return Situation(
        y=data.diagnosis.tolist(),
        scores={name: column.tolist() for name, column in data.scores.items()},
        costs=demur.CostModel(cost_fn=1000, cost_fp=100, cost_abstain=20),
        classes=("benign", "malignant"),
        labels=("benign", "malignant"),
    )


def drawn(n, prevalence, separations, digits=None, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    common = rng.normal(size=n)
    scores = {
        f"model_{k}": separation * y + 0.6 * common + 0.8 * rng.normal(size=n)
        for k, separation in enumerate(separations)
    }
    if digits is not None:
        scores = {name: column.round(digits) for name, column in scores.items()}
    return y.astype(int).tolist(), {name: column.tolist() for name, column in scores.items()}


def credit_file():
    y, scores = drawn(1000, 0.3, (1.1, 1.0, 0.9), seed=1)
    costs = demur.CostModel(cost_fn=500, cost_fp=100, cost_abstain=60)
    return Situation(y=y, scores=scores, costs=costs, flags=("--seed", 5), settings={"seed": 5})


def rare_file():
    y, scores = drawn(300, 0.05, (2.5, 2.0), seed=2)
    costs = demur.CostModel(cost_fn=100, cost_fp=5, cost_abstain=2)
    return Situation(
        y=y, scores=scores, costs=costs, flags=("--max-abstention", 0.2), settings={"max_abstention": 0.2}
    )


def tied_file():
    y, scores = drawn(400, 0.4, (1.5, 1.2, 0.1), digits=0, seed=3)
    costs = demur.CostModel(cost_fn=100, cost_fp=80, cost_abstain=15)
    flags, settings = ("--prevalence", 0.2, "--confidence", 0.9), {"prevalence": 0.2, "confidence_level": 0.9}
    return Situation(y=y, scores=scores, costs=costs, flags=flags, settings=settings)


def weighted_file():
    y, scores = drawn(500, 0.4, (1.5, 1.4), seed=4)
    weight = np.random.default_rng(5).uniform(0.5, 3.0, len(y)).round(2).tolist()
    costs = demur.CostModel(cost_fn=100, cost_fp=80, cost_abstain=15)
    return Situation(y=y, scores=scores, costs=costs, weight=weight)


FILES = {
    "demo": demo_file,
    "credit": credit_file,
    "rare": rare_file,
    "ties": tied_file,
    "importance": weighted_file,
}


def same(first, second, where="comparison"):
    """Every number equal to 1e-12, everything else equal."""
    assert type(first) is type(second) or isinstance(first, (int, float)), where
    if isinstance(first, dict):
        assert first.keys() == second.keys(), where
        for key in first:
            same(first[key], second[key], f"{where}.{key}")
    elif isinstance(first, list):
        assert len(first) == len(second), where
        for place, pair in enumerate(zip(first, second, strict=True)):
            same(*pair, f"{where}[{place}]")
    elif isinstance(first, float):
        assert first == pytest.approx(second, rel=TOLERANCE, abs=TOLERANCE), where
    else:
        assert first == second, where


@pytest.fixture
def shown(run, tmp_path):
    def comparison(verb, file, *flags):
        answer = run(verb, file, *flags, "--json", "-q")
        assert answer.code in (0, 3), answer.err
        return answer.json["comparison"]

    return comparison


@pytest.mark.parametrize("name", FILES)
def test_every_door_shows_one_comparison(run, shown, tmp_path, name):
    situation = FILES[name]()
    file = situation.write(tmp_path, "p.csv")
    flags = situation.all_flags()
    expected = situation.compared()
    interfaces = {
        "compare": partial(shown, "compare", file, *flags),
        "decide": partial(shown, "decide", file, *flags),
        "report": partial(shown, "report", file, *flags),
        "Report": situation.reported,
    }
    if name == "demo":
        interfaces["demo"] = lambda: run("demo", "-o", "tour", "--json", "-q").json["comparison"]
    for interface, comparison in interfaces.items():
        same(comparison(), expected, interface)
    # the words are the same, and the rule that is written is the answer's
    answer = expected["answer"]
    decided = run("decide", file, *flags, "--json", "-q").json
    assert decided["decision"] == answer["words"]
    if answer["model"] is not None:
        assert decided["policy"]["model"] == answer["model"]
        assert decided["policy"]["promise"]["cost"] == pytest.approx(answer["cost"], abs=TOLERANCE)
        assert decided["policy"]["promise"]["limit"] == pytest.approx(answer["interval"][1], abs=TOLERANCE)
        assert answer["words"].startswith((f"{answer['verdict'].capitalize()}. Use ", "Unproven. "))
    # the rule recommended is the cheapest measured; what to expect of it is no less
    costs = [model[key] for model in expected["models"].values() for key in ("cost", "threshold_cost")]
    assert answer["honest_cost"] <= min(*costs, *expected["trivial"].values()) * (1 + TOLERANCE)
    assert answer["cost"] >= answer["honest_cost"] * (1 - TOLERANCE)


@pytest.mark.parametrize("name", FILES)
def test_no_number_of_a_model_depends_on_its_company(shown, tmp_path, name):
    situation = FILES[name]()
    names = list(situation.scores)
    flags = situation.all_flags()
    together = shown("compare", situation.write(tmp_path, "all.csv"), *flags)
    for company in ([names[0]], names[::-1], names[1:]):
        alone = shown("compare", situation.write(tmp_path, "some.csv", company), *flags)
        assert list(alone["models"]) == company
        assert alone["trivial"] == together["trivial"]
        for model in company:
            assert alone["models"][model] == together["models"][model]


@pytest.mark.parametrize("name", ["credit", "ties"])
def test_groups_are_compared_as_their_rows(shown, run, tmp_path, name):
    situation = FILES[name]()
    place = ["north", "south"] * (len(situation.y) // 2)
    file = table_file(tmp_path, "groups.csv", y_true=situation.y, **situation.scores, place=place)
    flags = situation.all_flags()
    grouped = [
        run(verb, file, *flags, "--group", "place", "--json", "-q").json["groups"]
        for verb in ("compare", "decide", "report")
    ]
    for number, group in enumerate(("north", "south")):
        rows = slice(number, None, 2)
        scores = {model: column[rows] for model, column in situation.scores.items()}
        expected = situation._replace(y=situation.y[rows], scores=scores).compared()
        for parts in grouped:
            same(parts[group]["comparison"], expected, group)


@pytest.mark.parametrize("name", ["credit", "rare", "ties"])
def test_counts_are_compared_alike_at_every_door(shown, run, tmp_path, name):
    situation = FILES[name]()
    model = next(iter(situation.scores))
    file = situation.write(tmp_path, "p.csv", [model])
    counts = demur.ScoreCounts.from_arrays(situation.y, situation.scores[model])
    # the file gives the model its name
    counts.save(tmp_path / f"{model}.parquet")
    flags = situation.all_flags()
    settings = dict(situation.settings)
    limits = Limits(max_abstention=settings.pop("max_abstention", None))
    report = demur.Report.from_counts({model: counts}, costs=situation.costs, limits=limits, **settings)
    expected = report.to_dict()["comparison"]
    assert expected["split"] == "counts"
    saved = flags[:6] + situation.flags
    for verb in ("compare", "decide", "report"):
        same(shown(verb, file, *flags, "--engine", "duckdb"), expected, f"{verb} duckdb")
        same(shown(verb, tmp_path / f"{model}.parquet", *saved), expected, f"{verb} counts")
    # what needs no split is the same as from the rows
    rows = situation.compared([model])["models"][model]
    for key in ("window", "auc", "auc_interval", "hindsight_cost", "guaranteed_cost", "hindsight_vacc"):
        same(expected["models"][model][key], rows[key], key)
