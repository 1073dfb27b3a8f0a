"""The page says at any costs what Python says: verdict, cost after the choice, intervals, differences, words.

Where it holds sums of too many cases it measures the cheapest rule, and says so.
"""

import functools
import json
import re
import shlex
from dataclasses import replace

import numpy as np
import pytest

from demur import (
    Binormal,
    Budget,
    CaseCosts,
    CostModel,
    CostRange,
    Policy,
    Prevalence,
    Report,
    Reviewer,
    compare_models,
)
from demur.cli.main import main
from demur.comparison.estimates import cost_of, difference_interval
from demur.comparison.problem import Limits
from demur.comparison.words import answer_words
from demur.costs.case_costs import CaseFactors
from demur.report import DataSource
from demur.report import cases as page_cases
from examples import examples
from page_script import INF, ask, needs_node, numbers, page_costs, plain

pytestmark = needs_node

START = CostModel(cost_fn=100, cost_fp=40, cost_abstain=12)
NO_RANGES = dict.fromkeys(("fn", "fp", "abstain", "prevalence"))
# of every kind of file; 40 in a thorough run
SITUATIONS = examples(40)


# ---------------------------------------------------------------- files and what is asked of them


def _models(n, rng, *, digits=None):
    y, s = Binormal(separation=1.6).sample(n, rng=1)
    noisy = {"forest": s, "logistic": s + 0.6 * rng.normal(size=n), "rule": s + 1.2 * rng.normal(size=n)}
    return y, noisy if digits is None else {name: np.round(column, digits) for name, column in noisy.items()}


def _files():
    """Return name -> (labels, scores, costs of the report, settings)."""
    rng = np.random.default_rng(7)
    days = {"time": np.arange(160) // 3}
    people = {"groups": np.arange(160) // 4}
    y, scores = _models(160, rng)
    _, tied = _models(160, rng, digits=0)
    two = {name: scores[name] for name in ("forest", "rule")}
    amount = rng.lognormal(3, 1, 160)
    amounts = CaseCosts(cost_fn=amount, cost_fp=12, cost_abstain=2.5, columns={"cost_fn": "amount"})
    errs = Reviewer(fee=amount / 20, sensitivity=0.9, specificity=0.8)
    hired = CaseCosts(cost_fn=amount, cost_fp=rng.uniform(5, 20, 160), cost_tp=0.5, reviewer=errs)
    kept = Limits(max_abstention=0.3, min_precision_negative=0.9, max_fn_rate=0.2)
    return {
        "classes": (y, scores, START, {}),
        "ties, a prevalence": (y, tied, START, {"prevalence": 0.3}),
        "an estimated prevalence": (y, two, START, {"prevalence": Prevalence(positives=26, cases=200)}),
        "one model": (y, {"forest": scores["forest"]}, START, {}),
        "limits": (y, two, START, {"limits": kept, "prevalence": 0.2}),
        "importance weights": (y, tied, START, {"sample_weight": rng.uniform(0.2, 3, 160)}),
        "repeated cases": (
            y,
            two,
            START,
            {"sample_weight": rng.integers(1, 4, 160) * 1.0, "weights": "repeats"},
        ),
        "clusters": (y, scores, START, people),
        "clusters, a prevalence": (y, two, START, {**people, "prevalence": 0.2}),
        "time": (y, two, START, days),
        "time and clusters": (y, two, START, {**days, "groups": rng.integers(0, 60, 160)}),
        "amounts": (y, scores, amounts, {}),
        "amounts, a reviewer, ties": (
            y,
            {"rule": tied["rule"], "forest": tied["forest"]},
            hired,
            {"prevalence": 0.2},
        ),
        "amounts, weights, a limit": (
            y,
            {"forest": scores["forest"]},
            amounts,
            {"sample_weight": rng.uniform(0.5, 2, 160), "limits": Limits(max_abstention=0.2)},
        ),
        "amounts, clusters": (y, two, amounts, people),
        "amounts, time": (y, two, amounts, days),
    }


def _odd_costs():
    errs, gains = Reviewer(fee=5, sensitivity=0.95, specificity=0.9), {"cost_tp": -30, "cost_tn": 2}
    return [
        CostModel(cost_fn=100, cost_fp=40, reviewer=errs),
        CostModel(cost_fn=100, cost_fp=40, cost_abstain_positive=6, cost_abstain_negative=14),
        CostModel(cost_fn=100, cost_fp=40, cost_abstain=12, **gains),
        CostModel(cost_fn=100, cost_fp=90, reviewer=errs, **gains),
        CostModel(cost_fn=10, cost_fp=9, cost_abstain_positive=4, cost_abstain_negative=0.5),
        CostModel(cost_fn=2, cost_fp=1),
        CostModel(cost_fn=1, cost_fp=0, cost_abstain=0.5),
        CostModel(cost_fn=1, cost_fp=1, cost_abstain=0),
    ]


def _ranged(rng):
    """Return costs as ranges, how the page has them, and the same as a share of positives."""
    fn, fp = float(rng.uniform(50, 150)), float(rng.uniform(10, 60))
    ends = {"fn": (0.8 * fn, 1.2 * fn), "fp": (0.7 * fp, 1.4 * fp), "abstain": (0.1 * fp, 0.4 * fp)}
    known = {side: ends[side] if rng.random() < 0.6 else None for side in ends}
    known["abstain"] = known["abstain"] or (0.2 * fp, 0.3 * fp)
    if rng.random() < 0.2:
        known["abstain"] = None
    middle = {side: sum(ends[side]) / 2 for side in ends}
    given = {f"cost_{side}": known[side] or middle[side] for side in ends}
    if known["abstain"] is None:
        given["cost_abstain"] = None
        middle["abstain"] = INF
    rates = (0.2, 0.45) if rng.random() < 0.3 else None
    costs = CostRange(**given)
    return (costs.mean if costs.is_point else costs), middle, {**known, "prevalence": rates}


def _situations(costs, settings, rng):
    """Return what is asked: (state of the page, costs, prevalence) of points, ranges, factors."""
    given = settings.get("prevalence")
    found = []
    if isinstance(costs, CaseCosts):
        for at in range(SITUATIONS):
            miss, alarm = rng.uniform(0.3, 3, 2)
            review = INF if at % 5 == 4 else float(rng.uniform(0.2, 3))
            asked = costs.never_abstaining() if review == INF else costs
            asked = asked.at(CaseFactors(miss, alarm, 1.0 if review == INF else review))
            found.append(({"costs": {"fn": miss, "fp": alarm, "abstain": review}}, asked, given))
        ranged = replace(costs, alarm_factor=(0.5, 2.0), review_factor=(0.4, 1.5))
        ends = {**NO_RANGES, "fp": (0.5, 2.0), "abstain": (0.4, 1.5)}
        return [
            *found[1:],
            ({"costs": {"fn": 1, "fp": 1.25, "abstain": 0.95}, "ranges": ends}, ranged, given),
        ]
    points = _odd_costs()
    for at in range(SITUATIONS):
        if at % 3 == 2:
            asked, middle, ranges = _ranged(rng)
            rates = ranges["prevalence"]
            found.append(({"costs": middle, "ranges": ranges}, asked, given if rates is None else rates))
            continue
        if at % 3 == 1 and points:
            asked = points.pop()
        else:
            fn, mu = float(10.0 ** rng.uniform(-3, 4)), float(10.0 ** rng.uniform(-2.5, 0.6))
            nu = float(rng.uniform(0, 1.2) * mu / (1 + mu))
            asked = CostModel(cost_fn=fn, cost_fp=fn * mu, cost_abstain=fn * nu)
        state, rate = {"costs": page_costs(asked)}, given
        if at % 4 == 3:
            state["prevalence"] = rate = 0.35
        found.append((state, asked, rate))
    return found


def _python(y, scores, costs, settings, prevalence):
    limits = settings.get("limits", Limits())
    rest = {name: value for name, value in settings.items() if name not in ("limits", "prevalence")}
    return compare_models(y, scores, costs=costs, prevalence=prevalence, **rest, **limits.given())


@functools.cache
def _asked(name):
    """Return the report of a file, what is asked of it and what the page says."""
    y, scores, costs, settings = _files()[name]
    report = Report.from_predictions(y, scores, costs=costs, **settings)
    asked = _situations(costs, settings, np.random.default_rng(len(name)))
    states = [{"ranges": None, "prevalence": report.prevalence, **state} for state, *_ in asked]
    start = {"costs": None, "ranges": None, "prevalence": report.prevalence}
    question = {"kind": "situations", "report": report.to_json(), "states": [start, *states]}
    first, *found = ask([question])[0]
    return report, asked, first, found


def _same(found, expected, path=""):
    """Numbers to 1e-9, all else exactly."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            _same(found[key], value, f"{path}.{key}")
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected), path
        for at, (one, two) in enumerate(zip(found, expected, strict=True)):
            _same(one, two, f"{path}.{at}")
    elif isinstance(expected, float) and isinstance(found, (int, float)):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), path
    else:
        assert found == expected, path


def _said(answer):
    return " ".join(filter(None, [answer.words, answer.condition]))


# ---------------------------------------------------------------- the answer


@pytest.mark.parametrize("name", list(_files()))
def test_the_page_answers_as_python_does_at_any_costs(name):
    y, scores, _, settings = _files()[name]
    report, asked, first, found = _asked(name)
    assert first["words"] == _said(report.comparison.answer)
    verdicts = set()
    for (_, costs, prevalence), page in zip(asked, found, strict=True):
        answer = _python(y, scores, costs, settings, prevalence).answer
        facts = {key: value for key, value in answer.facts().items() if key != "n_unlabelled"}
        _same(page["facts"], numbers(plain(facts)))
        assert page["words"] == _said(answer)
        verdicts.add((page["facts"]["verdict"], page["facts"]["kind"]))
    assert len(verdicts) > 1


@pytest.mark.parametrize("name", ["classes", "limits", "clusters", "time", "amounts"])
def test_what_a_rule_measures_while_a_hand_moves_is_near_its_cost_at_rest(name):
    _, _, _, found = _asked(name)
    moving, honest = np.array([(page["moving"], page["facts"]["honest_cost"]) for page in found]).T
    # one split is searched under limits and over ranges, all of them elsewhere
    np.testing.assert_allclose(moving, honest, rtol=0.4)
    assert np.median(np.abs(moving - honest) - 0.1 * honest) <= 0


def test_every_kind_of_rule_and_verdict_was_among_them():
    facts = [page["facts"] for name in _files() for page in _asked(name)[3]]
    assert {one["verdict"] for one in facts} == {"proven", "likely", "unproven"}
    assert {"window", "threshold", "always positive", "always abstain"} <= {one["kind"] for one in facts}
    assert any(one["one_added"] for one in facts)
    assert any(one["cost"] > one["honest_cost"] for one in facts)
    assert any(one["regret_bound"] for one in facts)
    assert sum(one["guaranteed_cost"] is not None for one in facts) > 5


def test_every_model_and_pair_against_python():
    name = "classes"
    y, scores, _, _ = _files()[name]
    report = _asked(name)[0]
    points = _odd_costs()
    question = {"kind": "answer", "report": report.to_json(), "prevalence": None}
    found = ask([{**question, "points": [page_costs(one) for one in points]}])[0]
    for costs, page in zip(points, found, strict=True):
        comparison = compare_models(y, scores, costs=costs)
        choice, problem = comparison.choice, comparison.problem
        for several, model in zip(choice.candidates.values(), page["models"], strict=True):
            for candidate, key in ((several[-1], "honest"), (several[0], "never")):
                estimate = cost_of(candidate, problem)
                _same(model[key]["cost"], estimate.cost)
                _same(model[key]["interval"], list(estimate.interval))
                _same(model[key]["hindsight"], estimate.hindsight)
        for one, pair in zip(report.pairs, page["pairs"], strict=True):
            own = [list(choice.candidates.values())[k] for k in (one.first, one.second)]
            first, second = (choice.best(several) for several in own)
            difference, interval = difference_interval(first, second, problem)
            _same(pair["difference"], difference)
            _same(pair["interval"], list(interval))
        for held, model in zip(page["held"], choice.candidates, strict=True):
            assert held["model"] == model
            _same(held["honest_cost"], cost_of(choice.best(choice.candidates[model]), problem).cost)


def test_while_the_hand_moves_the_cost_is_measured_and_has_no_interval():
    report = _asked("classes")[0]
    costs = CostModel(cost_fn=100, cost_fp=30, cost_abstain=9)
    question = {
        "kind": "answer",
        "report": report.to_json(),
        "prevalence": None,
        "points": [page_costs(costs)],
    }
    [[page]] = ask([question])
    moving, rests = page["moving"], page["facts"]
    assert moving["verdict"] is None
    assert moving["interval"] == [None, None]
    assert moving["cost"] == rests["honest_cost"] <= rests["cost"]
    assert (moving["lower"], moving["upper"]) == (rests["lower"], rests["upper"])


def test_an_answer_that_is_hardly_dearer_but_simpler_is_chosen_as_in_python():
    rng = np.random.default_rng(1)
    y, s = Binormal(separation=1.6).sample(120, rng=1)
    scores = {name: s + noise * rng.normal(size=120) for name, noise in (("first", 1.0), ("second", 1.1))}
    costs = CostModel(cost_fn=100, cost_fp=40, cost_abstain=26)
    answer = compare_models(y, scores, costs=costs).answer
    assert answer.kind == "threshold"
    report = Report.from_predictions(y, scores, costs=START)
    question = {
        "kind": "answer",
        "report": report.to_json(),
        "prevalence": None,
        "points": [page_costs(costs)],
    }
    [[page]] = ask([question])
    assert page["words"] == answer.words


# ---------------------------------------------------------------- too many cases for a page


@pytest.mark.parametrize("name", ["classes", "ties, a prevalence", "limits", "amounts"])
def test_sums_of_too_many_cases_measure_the_cheapest_rule(name, monkeypatch):
    monkeypatch.setattr("demur.honest.splits._MOST_REPEATS", 1)
    monkeypatch.setattr(page_cases, "_MOST_CASES", 50)
    # as many groups as scores: windows cut where those of the cases do, up to cases held out on a cut
    monkeypatch.setattr(page_cases, "_MOST_SUMS", 10**7)
    y, scores, start, settings = _files()[name]
    report = Report.from_predictions(y, scores, costs=start, **settings)
    assert report.to_dict()["cases"] is None
    by_case = isinstance(start, CaseCosts)
    points = [(2.0, 1.0, 0.5)] if by_case else [(100.0, 60.0, 9.0), (100.0, 20.0, 8.0)]
    asked = [dict(zip(("fn", "fp", "abstain"), point, strict=True)) for point in points]
    question = {
        "kind": "answer",
        "report": report.to_json(),
        "prevalence": report.prevalence,
        "points": asked,
    }
    for (fn, fp, abstain), page in zip(points, ask([question])[0], strict=True):
        costs = CostModel(cost_fn=fn, cost_fp=fp, cost_abstain=abstain)
        if by_case:
            costs = start.at(CaseFactors(fn, fp, abstain))
        choice = _python(y, scores, costs, settings, report.prevalence).choice
        exact = 0.15 if by_case or settings.get("limits") else 1e-9
        for several, model in zip(choice.candidates.values(), page["models"], strict=True):
            estimate = cost_of(several[-1], choice.problem)
            assert model["honest"]["cost"] == pytest.approx(estimate.cost, rel=exact)
            if exact < 0.1:
                _same(model["honest"]["interval"], list(estimate.interval))
            low, high = model["honest"]["interval"]
            assert low < model["honest"]["cost"] < high
        assert page["facts"]["verdict"] is None
        assert "Measured cost" in page["words"]
        assert ("it cuts between" in page["words"]) == (exact > 0.1)
    start_words = ask(
        [{**question, "points": [page_costs(START)] if not by_case else [{"fn": 1, "fp": 1, "abstain": 1}]}]
    )
    assert start_words[0][0]["words"].startswith(report.comparison.answer.words)


# ---------------------------------------------------------------- copies and files


def _as_file(folder, name):
    """Write a file of cases with every column that a situation may name; return its source."""
    y, scores, costs, settings = _files()[name]
    columns = {"label": y, **scores}
    if isinstance(costs, CaseCosts):
        columns["amount"] = costs.cost_fn
    if "sample_weight" in settings:
        columns["weight"] = settings["sample_weight"]
    if "groups" in settings:
        columns["person"] = settings["groups"]
    if "time" in settings:
        columns["day"] = settings["time"]
    header = ",".join(columns)
    np.savetxt(
        folder / "cases.csv",
        np.column_stack(list(columns.values())),
        "%.17g",
        ",",
        header=header,
        comments="",
    )
    known = {
        role: column
        for role, column in (("weight", "weight"), ("cluster", "person"), ("time", "day"))
        if column in columns
    }
    return DataSource(name="cases.csv", label="label", positive="1", negative="0", rows=len(y), **known)


COPIED = ["classes", "ties, a prevalence", "an estimated prevalence", "limits", "clusters", "time", "amounts"]


@pytest.mark.parametrize("name", COPIED)
def test_copied_commands_and_code_say_the_words_of_the_page(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    y, scores, costs, settings = _files()[name]
    report = Report.from_predictions(y, scores, costs=costs, source=_as_file(tmp_path, name), **settings)
    rng = np.random.default_rng(len(name))
    asked = _situations(costs, settings, rng)
    states = [{"ranges": None, "prevalence": report.prevalence, **state} for state, *_ in asked]
    found = ask([{"kind": "situations", "report": report.to_json(), "states": states}])[0]
    ran = 0
    # 20 of every kind in a thorough run
    for page in found[: examples(20) if SITUATIONS >= 40 else 4]:
        names = {}
        exec(page["python"].replace("print", "str"), names)
        assert _said(names["comparison"].answer) == page["words"]
        if page["command"].startswith("#"):
            continue
        words = shlex.split(page["command"])
        with pytest.raises(SystemExit) as stop:
            main(words[1:])
        shown = capsys.readouterr()
        assert stop.value.code in (0, 3), shown.err
        assert " ".join(shown.out.split()).startswith(page["facts_words"])
        ran += 1
    assert ran > 2


_WITHOUT_CHARTS = {
    "places": {"budget": Budget(reviews=3, column="day", key="id", carry_over=True)},
    "places as cases come": {"budget": Budget(reviews=2, column="day", key="id", arrival=True)},
    "rules of several models": {"include": ("combinations", "cascades"), "prices": {"rule": 0.5}},
    "guards": {"include": ("combinations", "cascades", "guards"), "doubt": "unlike"},
    "prices": {"prices": {"forest": 4.0, "rule": 0.25}},
    "a guarantee": {"objective": "guaranteed"},
    "a promised precision": {"limits": Limits(min_precision_negative=0.7, precision_confidence=0.8)},
}


def _asked_for(settings, columns):
    """Return arguments of `compare_models` for some settings and the columns of a file."""
    limits = settings.get("limits", Limits())
    rest = {name: value for name, value in settings.items() if name not in ("limits", "doubt")}
    doubt = settings.get("doubt")
    return {**rest, **limits.given(), **({} if doubt is None else {"doubt": {doubt: columns[doubt]}})}


@pytest.mark.parametrize(
    ("name", "by_case"),
    # neither a guarantee nor a promise beside costs by case
    [(name, by_case) for name in _WITHOUT_CHARTS for by_case in (False, True)[: 1 + (name[:2] != "a ")]],
)
def test_copies_keep_what_charts_do_not_show(name, by_case, tmp_path, monkeypatch, capsys):
    settings = _WITHOUT_CHARTS[name]
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    y, scores = _models(200, rng)
    scores = {model: scores[model] for model in ("forest", "rule")}
    known = {"id": np.arange(200), "day": np.arange(200) // 20, "unlike": rng.normal(size=200)}
    amount = np.round(rng.lognormal(3, 1, 200), 6)
    said = np.where(y == 1, "ill", "well")
    table = {"label": said, **scores, **known, "amount": amount}
    rows = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    (tmp_path / "cases.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    source = DataSource(name="cases.csv", label="label", positive="ill", negative="well", rows=200)
    columns = {"cost_fn": "amount"}
    start = (
        CaseCosts(cost_fn=amount, cost_fp=12, cost_abstain=2, columns=columns, known_at_decision=True)
        if by_case
        else START
    )
    given = {**scores, **({"day": known["day"], "id": known["id"]} if "budget" in settings else {})}
    asked = _asked_for(settings, known)
    made = {**settings, **({"doubt": asked["doubt"]} if "doubt" in asked else {})}
    report = Report.from_predictions(said, given, costs=start, pos_label="ill", source=source, **made)
    points = [(None, start)]
    if by_case:
        points.append(({"fn": 1, "fp": 2, "abstain": 1.5}, start.at(CaseFactors(1.0, 2.0, 1.5))))
    else:
        moved = [CostModel(cost_fn=90, cost_fp=30, cost_abstain=review) for review in (3, 8)]
        points += [(page_costs(costs), costs) for costs in moved]
    states = [{"costs": costs, "ranges": None, "prevalence": None} for costs, _ in points]
    found = ask([{"kind": "situations", "report": report.to_json(), "states": states}])[0]
    for page, (_, costs) in zip(found, points, strict=True):
        answer = compare_models(
            said, given, costs=costs, pos_label="ill", class_names=("well", "ill"), **asked
        ).answer
        names = {}
        exec(page["python"].replace("print", "str"), names)
        assert _said(names["comparison"].answer) == _said(answer)
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(page["command"])[1:])
        shown = capsys.readouterr()
        assert stop.value.code in (0, 3), shown.err
        assert " ".join(shown.out.split()).startswith(answer.words)


@pytest.mark.parametrize("name", ["classes", "amounts"])
def test_saved_policies_are_those_of_python(name, tmp_path):
    y, scores, _, settings = _files()[name]
    _, asked, _, found = _asked(name)
    saved = 0
    for (_, costs, prevalence), page in zip(asked, found, strict=True):
        if page["policy"] is None:
            continue
        answer = _python(y, scores, costs, settings, prevalence).answer
        (tmp_path / "policy.json").write_text(page["policy"], encoding="utf-8")
        policy, expected = Policy.load(tmp_path / "policy.json"), Policy.from_answer(answer)
        assert (policy.lower, policy.upper, policy.note) == (expected.lower, expected.upper, expected.note)
        assert json.loads(page["policy"])["rule"] == expected.chosen
        _same(policy.expected_cost, expected.expected_cost)
        saved += 1
    assert saved > 3


# ---------------------------------------------------------------- words


def _invented_facts(rng):
    """Return facts as no data give them, every branch of the words included."""
    kind = str(
        rng.choice(["window", "window", "threshold", "always positive", "always negative", "always abstain"])
    )
    trivial = kind.startswith("always")
    scale = float(10.0 ** rng.uniform(-4, 5))
    cost = float(rng.choice([0.0, scale * rng.random()]))
    low = cost - float(rng.choice([0.0, scale * rng.random()]))
    ends = np.round(10.0 ** rng.uniform(-8, 18) * rng.normal(size=2), int(rng.integers(0, 9)))
    lower, upper = np.sort(ends).tolist()
    if kind == "window" and lower == upper:  # one threshold is no window
        upper = float(np.nextafter(upper, INF))

    def versus(name):
        difference = scale * float(rng.normal())
        half = scale * float(rng.random())
        return {
            "name": name,
            "difference": difference,
            "interval": (difference - half, difference + 2 * half),
        }

    rules = ["always positive", "always negative", "always abstain"]
    rivals = {
        "trivial": versus(str(rng.choice(rules))),
        "never_abstaining": versus("m"),
        "runner_up": versus("another model whose name is far too long for any sentence"),
    }
    shares = rng.dirichlet([1.0, 1.0, 1.0]) if rng.random() < 0.8 else np.array([1.0, 0.0, 0.0])
    side = rng.random()
    return {
        "kind": kind,
        "model": None if trivial else str(rng.choice(["logistic", "ü" * 45, "$& {negative}"])),
        "positive": str(rng.choice(["positive", "malignant", "$1 {negative}"])),
        "negative": str(rng.choice(["negative", "benign"])),
        "lower": -INF if side < 0.1 else lower,
        "upper": INF if side > 0.9 else upper,
        "calls_positive": bool(side <= 0.9),
        "calls_negative": bool(side >= 0.1),
        "called_positive": float(shares[0]),
        "called_negative": float(shares[1]),
        "abstained": float(shares[2]),
        "missed": float(rng.choice([0.0, 1e-5, 0.001, 0.0014, rng.random()])),
        "alarms": float(rng.choice([0.0, 1e-5, 0.001, 0.0014, rng.random()])),
        "cost": cost,
        "interval": (low, cost + scale * float(rng.random())),
        "versus": {key: one for key, one in rivals.items() if rng.random() < 0.7},
        "worst_cost": scale if rng.random() < 0.3 else None,
        "regret": scale / 3 if rng.random() < 0.7 else None,
        "regret_bound": scale / 2,
        "advice_cost": scale * float(rng.random()) if rng.random() < 0.5 else None,
        "best_trivial": {"name": str(rng.choice(rules)), "cost": scale / 2} if rng.random() < 0.9 else None,
        "guaranteed_cost": scale * float(rng.random()) if rng.random() < 0.7 else None,
        "guarantee_defined": bool(rng.random() < 0.8),
        "n": float(rng.choice([5.0, 569.0, 222.5, 1234567.0, 1e6 * rng.random()])),
        "confidence_level": float(rng.choice([0.9, 0.95, 0.999])),
    }


def _judged(facts, rng):
    """Add a verdict and the cost of the choice."""
    cost, (low, high) = facts["cost"], facts["interval"]
    return {
        **facts,
        "verdict": str(rng.choice(["proven", "likely", "unproven"])),
        "honest_cost": cost - float(rng.choice([0.0, 0.04, 0.2])) * (high - low),
        "cost_range": (low, cost) if rng.random() < 0.3 else None,
        "n_rules": int(rng.integers(2, 3000)),
        "n_unlabelled": 0,
        "one_added": bool(rng.integers(2)),
    }


def test_words_of_invented_facts_against_python():
    rng = np.random.default_rng(2)
    facts = [_judged(_invented_facts(rng), rng) for _ in range(400)]
    found = ask([{"kind": "words", "facts": facts}])[0]
    expected = [answer_words(one) for one in facts]
    assert found == expected
    assert len(set(expected)) > 350


def test_words_without_a_verdict_say_that_the_cost_is_measured():
    rng = np.random.default_rng(3)
    facts = [_judged(_invented_facts(rng), rng) for _ in range(100)]
    plain_facts = [{**one, "verdict": None} for one in facts]
    judged, measured = ask([{"kind": "words", "facts": some} for some in (facts, plain_facts)])
    for one, words in zip(judged, measured, strict=True):
        assert "Measured cost" in words
        assert not re.match("Proven|Likely|Unproven", words)
        assert "the best of many" not in words
        assert words != one


# ---------------------------------------------------------------- rules that no chart shows


def test_a_rule_by_amount_is_the_headline_where_it_was_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, scores = _models(400, np.random.default_rng(7))
    two = {name: scores[name] for name in ("forest", "rule")}
    amount = np.random.default_rng(3).lognormal(4, 1.5, 400)
    costs = CaseCosts(
        cost_fn=amount,
        cost_fp=12,
        cost_abstain=4,
        columns={"cost_fn": "amount"},
        known_at_decision=True,
    )
    header = ",".join(["label", *two, "amount"])
    table = np.column_stack([y, *two.values(), amount])
    np.savetxt("cases.csv", table, "%.17g", ",", header=header, comments="")
    source = DataSource(name="cases.csv", label="label", positive="1", negative="0", rows=400)
    report = Report.from_predictions(y, two, costs=costs, source=source)
    answer = report.comparison.answer
    assert "method" in answer.facts()
    start = {"costs": None, "ranges": None, "prevalence": None}
    moved = {**start, "costs": {"fn": 1, "fp": 2, "abstain": 1}}
    own, other = ask([{"kind": "situations", "report": report.to_json(), "states": [start, moved]}])[0]
    assert own["words"] == answer.words
    assert own["policy"] is None, "that of a window would be another rule"
    assert "Measured cost" in other["words"]
    for page, factor in ((own, 1.0), (other, 2.0)):
        names = {}
        exec(page["python"].replace("print", "str"), names)
        expected = compare_models(y, two, costs=costs.at(CaseFactors(1.0, factor, 1.0))).answer
        assert names["comparison"].answer.words == expected.words
        assert "--known-at-decision" in page["command"]
