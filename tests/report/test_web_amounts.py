"""The page where every case has its own costs: the answer of Python, at other factors what it measures."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from demur import Binormal, CaseCosts, Policy, Report, Reviewer
from demur._html import threshold_text
from demur.comparison import choice as choosing
from demur.comparison.candidates import baseline_candidates, model_candidates
from demur.comparison.problem import Limits
from demur.comparison.words import condition_words
from demur.costs.case_costs import CaseFactors
from demur.report import DataSource
from demur.report import cases as page_cases
from measured import measured_cost, measured_difference, measured_facts, measured_words
from page_script import INF, ask, needs_node

pytestmark = needs_node

FACTORS = [(1.0, 1.0, 1.0), (1.0, 2.5, 0.4), (3.0, 0.5, 2.0), (1.0, 0.2, INF)]


def _two(n, rng, *, digits=None):
    y, score = Binormal(separation=1.6, prevalence=0.3).sample(n, rng=1)
    scores = {"forest": score, "logistic": score + 0.6 * rng.normal(size=n)}
    if digits is not None:
        scores = {name: np.round(column, digits) for name, column in scores.items()}
    return y, scores, rng.lognormal(3, 1, n)


def _files():
    """Yield (labels, scores, costs, settings of the report)."""
    rng = np.random.default_rng(3)
    y, scores, amount = _two(90, rng)
    fixed = CaseCosts(cost_fn=amount, cost_fp=12, cost_abstain=2.5, columns={"cost_fn": "amount"})
    yield y, scores, fixed, {}
    y, scores, amount = _two(80, rng, digits=0)
    reviewer = Reviewer(fee=amount / 20, sensitivity=0.9, specificity=0.8)
    errs = CaseCosts(cost_fn=amount, cost_fp=rng.uniform(5, 20, 80), cost_tp=0.5, reviewer=reviewer)
    yield y, scores, errs, {"prevalence": 0.2}
    y, scores, amount = _two(60, rng)
    weights = {"sample_weight": rng.uniform(0.5, 2, 60), "limits": Limits(max_abstention=0.2)}
    yield y, {"forest": scores["forest"]}, replace(fixed, cost_fn=amount, cost_fp=amount / 3), weights


def _at(base, factors):
    """Return all candidates of a comparison at other factors, without judging the models again."""
    miss, alarm, review = factors
    costs = base.problem.costs
    costs = costs.never_abstaining() if review == INF else costs.at(CaseFactors(miss, alarm, review))
    costs = costs.at(CaseFactors(miss, alarm, 1.0 if review == INF else review))
    question = replace(base.problem, costs=costs)
    models = {
        name: model_candidates(base.cases[name], name, model, question, place)
        for place, (name, model) in enumerate(base.judged.items())
    }
    trivial = baseline_candidates(next(iter(base.cases.values())), question)
    return replace(base.choice, problem=question, baselines=trivial, candidates=models)


def _asked(report):
    points = [dict(zip(("fn", "fp", "abstain"), one, strict=True)) for one in FACTORS]
    return {"kind": "answer", "report": report.to_json(), "prevalence": report.prevalence, "points": points}


@functools.cache
def _situations():
    """Every (report, factors, Python's choice, what the page says), those of the report first."""
    reports = [Report.from_predictions(y, scores, costs=costs, **how) for y, scores, costs, how in _files()]
    return [
        (report, factors, _at(report.comparison, factors), page)
        for report, answers in zip(reports, ask([_asked(one) for one in reports]), strict=True)
        for factors, page in zip(FACTORS, answers, strict=True)
    ]


def _close(found, expected):
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_rule_cost_interval_stakes_and_differences_against_oracle():
    kinds = set()
    for _, factors, choice, page in _situations():
        if factors == FACTORS[0]:
            continue
        facts, shown = measured_facts(choice), page["facts"]
        for name in ("kind", "model", "guarantee_defined", "guaranteed_cost"):
            assert shown[name] == facts[name]
        for name in (
            "lower",
            "upper",
            "called_positive",
            "abstained",
            "missed",
            "alarms",
            "cost",
            "interval",
        ):
            _close(shown[name], list(facts[name]) if isinstance(facts[name], tuple) else facts[name])
        _close(shown["stakes"], dict(facts["stakes"]))
        _close(shown["best_trivial"]["cost"], facts["best_trivial"]["cost"])
        assert set(shown["versus"]) == set(facts["versus"])
        for key, versus in facts["versus"].items():
            assert shown["versus"][key]["name"] == versus["name"]
            _close(shown["versus"][key]["difference"], versus["difference"])
            _close(shown["versus"][key]["interval"], list(versus["interval"]))
        kinds.add(facts["kind"])
    assert len(kinds) > 2


def test_words_against_python_and_oracle():
    said = 0
    for report, factors, choice, page in _situations():
        answer, problem = report.comparison.answer, choice.problem
        condition = condition_words(problem.limits.given(), problem.objective)
        words = answer.words if factors == FACTORS[0] else measured_words(measured_facts(choice))
        assert page["words"] == " ".join(filter(None, [words, condition]))
        said += "is at stake. On" in words
    assert said > 5


def test_every_model_and_pair_against_oracle():
    for report, (miss, *_), choice, page in _situations():
        rules = [choosing._cheapest(several, choice) for several in choice.candidates.values()]
        for several, model in zip(choice.candidates.values(), page["models"], strict=True):
            expected = measured_cost(several[-1], choice.problem)
            _close(miss * model["honest"]["cost"], expected.cost)
            _close([miss * end for end in model["honest"]["interval"]], list(expected.interval))
            _close(miss * model["honest"]["hindsight"], expected.hindsight)
        for pair, found in zip(report.pairs, page["pairs"], strict=True):
            _, interval = measured_difference(rules[pair.first], rules[pair.second], choice.problem)
            _close([miss * end for end in found["interval"]], list(interval))


def test_copies_and_policy_of_the_page_against_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, scores, costs, _ = next(_files())
    np.savetxt(
        "cases.csv",
        np.column_stack([y, scores["forest"], scores["logistic"], costs.cost_fn]),
        "%.17g",
        ",",
        header="label,forest,logistic,amount",
        comments="",
    )
    source = DataSource(name="cases.csv", label="label", positive="1", negative="0")
    half = replace(costs, cost_fn=costs.cost_fn / 2, columns={"cost_fn": "0.5*amount"})
    report = Report.from_predictions(y, scores, costs=half, source=source)
    page = {"fn": 2.0, "fp": 0.5, "abstain": 1.6}
    question = {
        "kind": "page",
        "report": report.to_json(),
        "costs": page,
        "prevalence": None,
        "capacity": None,
    }
    (shown,) = ask([{**question, "state": {**_start(report), "costs": page}}])
    names = {}
    exec(shown["python"].replace("print", "str"), names)
    made = names["comparison"].answer
    _close(made.honest_cost, shown["facts"]["cost"])
    flags = "--cost-fn amount --cost-fp 6 --cost-abstain 4"
    assert flags in shown["command"]
    assert "cost_fn=0.5 * rows[" in shown["python"]
    (tmp_path / "policy.json").write_text(shown["policy"], encoding="utf-8")
    saved, expected = Policy.load("policy.json"), Policy.from_answer(made)
    assert (saved.chosen, saved.lower, saved.upper) == ("amounts", expected.lower, expected.upper)
    _close(saved.expected_cost, made.honest_cost)
    assert saved.amounts["alarm_factor"] == expected.amounts["alarm_factor"] == (0.5, 0.5)


def _start(report):
    rest = {"entry": "money", "colour": "cost", "compare": [0, 1], "positive": "", "negative": ""}
    rest |= {"unit": "", "pinned": "", "theme": "system", "zoomed": False}
    nothing = dict.fromkeys(("model", "box", "capacity", "today"))
    return {**rest, **nothing, "prevalence": report.prevalence}


def test_groups_of_scores_where_the_cases_are_too_many_for_a_page(monkeypatch):
    y, scores, costs, _ = next(_files())
    monkeypatch.setattr("demur.report.cases._MOST_CASES", 50)
    # as many groups as scores: windows cut where those of the cases cut, up to cases held out on a cut
    monkeypatch.setattr(page_cases, "_MOST_SUMS", 10**7)
    report = Report.from_predictions(y, scores, costs=costs)
    document = report.to_dict()
    assert document["cases"] is None
    assert [len(one["lower"]) for one in document["amounts"]["groups"]] == [90, 90]
    for factors, page in zip(FACTORS, ask([_asked(report)])[0], strict=True):
        choice = _at(report.comparison, factors)
        for several, model in zip(choice.candidates.values(), page["models"], strict=True):
            expected = measured_cost(several[-1], choice.problem)
            hindsight = factors[0] * model["honest"]["hindsight"]
            assert hindsight == pytest.approx(expected.hindsight, rel=1e-6)
            cost = factors[0] * model["honest"]["cost"]
            assert expected.interval.low < cost < expected.interval.high
        if factors != FACTORS[0]:
            assert "it cuts between" in page["words"]
        else:
            assert page["words"].startswith(report.headline)


def test_bars_and_charts_show_the_window_of_the_headline_at_any_size(chromium, monkeypatch, tmp_path):
    """The page holds groups of scores, between which the rule does not cut: it shows the rule as made."""
    rng = np.random.default_rng(3)
    y = (rng.random(900) < 0.2).astype(int)
    scores = np.round(1 / (1 + np.exp(-(2.2 * y - 1.6 + rng.normal(size=900)))), 4)
    amounts = np.round(np.exp(rng.normal(3, 1, 900)), 2)
    monkeypatch.setattr("demur.report.cases._MOST_CASES", 50)
    monkeypatch.setattr(page_cases, "_MOST_SUMS", 20_000)
    costs = CaseCosts(cost_fn=amounts, cost_fp=6, cost_abstain=1.5)
    report = Report.from_predictions(y, {"risk": scores}, costs=costs)
    answer = report.comparison.answer
    groups = report.to_dict()["amounts"]["groups"][0]["cuts"]
    assert answer.lower not in groups["lower"]
    report.to_html(tmp_path / "amounts.html")
    page = chromium.new_page()
    page.goto((tmp_path / "amounts.html").as_uri())
    page.wait_for_timeout(500)
    text = page.inner_text("body")
    page.close()
    lower, upper = threshold_text(answer.lower), threshold_text(answer.upper)
    assert f"Here: window {lower} to {upper}, abstains on {100 * answer.shares[-1]:.1f} %" in text
    # headline, bars, scores, ROC, the sentence of the map
    assert text.count(lower) >= 5
    negative, positive, sent = answer.shares.values()
    counts = shares_of_100([negative, sent, positive])
    for number, said in zip(counts, ("called negative", "sent to a person", "called positive"), strict=True):
        assert f"{number} {said}" in text


def shares_of_100(shares):
    """Round to whole cases of 100, by largest remainders."""
    whole = [int(100 * share) for share in shares]
    order = sorted(range(3), key=lambda k: whole[k] - 100 * shares[k])
    for place in order[: 100 - sum(whole)]:
        whole[place] += 1
    return whole
