"""The page for costs known as ranges: the answer of Python, at other ranges the rule of least regret."""

import functools
import json

import numpy as np
import pytest

from demur import Binormal, CaseCosts, CostModel, CostRange, Policy, Report, compare_models
from demur.comparison.problem import Limits
from measured import measured_facts, measured_words
from page_script import ask, needs_node

pytestmark = needs_node

MISS = 100.0
WIDE, DEAR, ONE = ((20, 60), (5, 25)), ((20, 60), (45, 60)), ((30, 30), (2, 20))


def _files():
    """Yield (labels, scores, weights, prevalence, limits, boxes)."""
    rng = np.random.default_rng(3)
    y, s = Binormal(separation=1.6).sample(90, rng=1)
    scores = {"forest": s, "rule": s + 1.2 * rng.normal(size=90)}
    yield y, scores, None, None, Limits(), (WIDE, DEAR)
    limits = Limits(max_abstention=0.2, max_fn_rate=0.3)
    yield y, {"forest": s}, None, 0.15, limits, (WIDE,)
    yield y, {"forest": np.round(s)}, rng.uniform(0.3, 3, 90), None, Limits(), (ONE,)


def _ranges(box):
    return CostRange(cost_fn=MISS, cost_fp=box[0], cost_abstain=box[1])


@functools.cache
def _asked():
    """Every file with what the page says over every box."""
    files = list(_files())
    questions = []
    for y, scores, weights, prevalence, limits, ranges in files:
        settings = {"costs": CostModel(cost_fn=MISS, cost_fp=40, cost_abstain=12), "limits": limits}
        report = Report.from_predictions(y, scores, sample_weight=weights, prevalence=prevalence, **settings)
        costs = {"fn": MISS, "fp": 40, "abstain": 12}
        boxes = [{"mu": [end / MISS for end in fp], "nu": [end / MISS for end in ab]} for fp, ab in ranges]
        asked = [{"costs": costs, "box": box} for box in boxes]
        question = {"kind": "ranges", "report": report.to_json(), "prevalence": prevalence, "boxes": asked}
        questions.append(question)
    return list(zip(files, ask(questions), strict=True))


@functools.cache
def _at(at, box):
    return _compared(_asked()[at][0], _ranges(box))


def _compared(file, costs):
    y, scores, weights, prevalence, limits, _ = file
    return compare_models(
        y, scores, costs=costs, sample_weight=weights, prevalence=prevalence, **limits.given()
    )


def test_the_rule_of_least_regret_and_its_numbers_against_oracle():
    kinds = set()
    for at, (file, answers) in enumerate(_asked()):
        for box, found in zip(file[-1], answers, strict=True):
            comparison = _at(at, box)
            expected = measured_facts(comparison.choice)
            kinds.add(expected["kind"])
            for name in ("kind", "model", "lower", "upper"):
                assert found["facts"][name] == expected[name]
            for name in ("cost", "interval", "worst_cost", "regret", "called_positive", "missed"):
                assert found["facts"][name] == pytest.approx(expected[name], rel=1e-9, abs=1e-9), name
            for key, versus in expected["versus"].items():
                assert found["facts"]["versus"][key]["difference"] == pytest.approx(
                    versus["difference"], abs=1e-9
                )
            assert found["words"] == f"{measured_words(expected)} {comparison.answer.condition}"
    assert {"window", "threshold"} <= kinds, "rules of both kinds were compared"


def test_the_ranges_of_the_report_say_the_answer_of_python():
    files = [(file, box) for file, _ in _asked() for box in file[-1]]
    reports = [
        Report.from_predictions(
            y, scores, costs=_ranges(box), sample_weight=weights, prevalence=prevalence, limits=limits
        )
        for (y, scores, weights, prevalence, limits, _), box in files
    ]
    questions = [
        {
            "kind": "ranges",
            "report": report.to_json(),
            "prevalence": report.prevalence,
            "boxes": [
                {
                    "costs": {"fn": MISS, "fp": sum(box[0]) / 2, "abstain": sum(box[1]) / 2},
                    "box": {"mu": [end / MISS for end in box[0]], "nu": [end / MISS for end in box[1]]},
                }
            ],
        }
        for report, (_, box) in zip(reports, files, strict=True)
    ]
    for report, [found] in zip(reports, ask(questions), strict=True):
        answer = report.comparison.answer
        assert found["words"] == f"{answer.words} {answer.condition}"
        assert "over the ranges" in answer.words
        assert found["facts"]["cost"] == answer.cost


def test_copied_and_saved_rules_are_for_the_ranges(tmp_path):
    found = _asked()[0][1][0]
    assert " --cost-fn 100 --cost-fp 20:60 --cost-abstain 5:25 " in found["command"]
    assert "costs = CostRange(cost_fn=100, cost_fp=(20, 60), cost_abstain=(5, 25))" in found["python"]
    (tmp_path / "policy.json").write_text(found["policy"])
    policy = Policy.load(tmp_path / "policy.json")
    answer = _at(0, WIDE).answer
    assert (policy.lower, policy.upper) == (answer.lower, answer.upper)
    assert policy.note == "Chosen for the smallest regret over the ranges."
    assert json.loads(found["policy"])["rule"] == Policy.from_answer(answer).chosen == "constrained"
    assert policy.expected_cost == pytest.approx(answer.honest_cost)


def test_ranges_of_factors_on_amounts_against_oracle():
    y, scores, *_ = next(iter(_files()))
    scores = {"forest": scores["forest"]}
    amount = np.random.default_rng(6).lognormal(4, 1, len(y))
    given = {"cost_fn": amount, "cost_fp": 25, "cost_abstain": 8, "columns": {"cost_fn": "amount"}}
    report = Report.from_predictions(y, scores, costs=CaseCosts(**given))
    box = {"mu": [0.5, 2], "nu": [0.4, 1.5]}
    asked = [{"costs": {"fn": 1, "fp": 1, "abstain": 1}, "box": box}]
    question = {"kind": "ranges", "report": report.to_json(), "prevalence": None, "boxes": asked}
    [[found]] = ask([question])
    ranged = CaseCosts(**given, alarm_factor=(0.5, 2), review_factor=(0.4, 1.5))
    expected = measured_facts(_compared((y, scores, None, None, Limits(), ()), ranged).choice)
    assert (found["facts"]["kind"], found["facts"]["model"]) == (expected["kind"], expected["model"])
    for name in ("cost", "worst_cost", "regret", "abstained"):
        assert found["facts"][name] == pytest.approx(expected[name], rel=1e-9), name
